"""Which triangles of two surfaces may meet? Quick, never too few: what is found here is decided in exact arithmetic."""

import numpy as np

from abut._jit import kernel

ROUNDING = 1e-14
"""Of the largest coordinate in a test: far more than what a dozen operations round."""


@kernel
def bounds(corners):
    """(n, 6) of (n, 9) triangles."""
    boxes = np.empty((corners.shape[0], 6))
    for i in range(corners.shape[0]):
        for k in range(3):
            boxes[i, k] = min(corners[i, k], corners[i, 3 + k], corners[i, 6 + k])
            boxes[i, 3 + k] = max(corners[i, k], corners[i, 3 + k], corners[i, 6 + k])
    return boxes


@kernel
def _near(boxes, low, high):
    """Indices of the boxes that reach into the one from low to high."""
    chosen = np.empty(boxes.shape[0], np.int64)
    n = 0
    for i in range(boxes.shape[0]):
        inside = True
        for k in range(3):
            inside = inside and boxes[i, k] <= high[k] and boxes[i, 3 + k] >= low[k]
        if inside:
            chosen[n] = i
            n += 1
    return chosen[:n]


@kernel
def _span(axis, triangle):
    """Least and largest of three products."""
    a = axis[0] * triangle[0] + axis[1] * triangle[1] + axis[2] * triangle[2]
    b = axis[0] * triangle[3] + axis[1] * triangle[4] + axis[2] * triangle[5]
    c = axis[0] * triangle[6] + axis[1] * triangle[7] + axis[2] * triangle[8]
    return min(a, b, c), max(a, b, c)


@kernel
def _parted(axis, s, t, room):
    low_s, high_s = _span(axis, s)
    low_t, high_t = _span(axis, t)
    margin = room * (abs(axis[0]) + abs(axis[1]) + abs(axis[2]))
    return low_s > high_t + margin or low_t > high_s + margin


@kernel
def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def _edge(t, i):
    j = 3 * ((i + 1) % 3)
    return (t[j] - t[3 * i], t[j + 1] - t[3 * i + 1], t[j + 2] - t[3 * i + 2])


@kernel
def _apart(s, t, room):
    """Whether an axis separates two triangles for certain: a normal, two edges, or an edge's normal in its plane."""
    n, m = _cross(_edge(s, 0), _edge(s, 1)), _cross(_edge(t, 0), _edge(t, 1))
    if _parted(n, s, t, room) or _parted(m, s, t, room):
        return True
    for i in range(3):
        for j in range(3):
            if _parted(_cross(_edge(s, i), _edge(t, j)), s, t, room):
                return True
    for i in range(3):
        if _parted(_cross(n, _edge(s, i)), s, t, room) or _parted(_cross(m, _edge(t, i)), s, t, room):
            return True
    return False


@kernel
def suspects(a, b, most):
    """(n, 2) pairs of (n, 9) and (m, 9) triangles that no axis separates, `most` of them at most."""
    found = np.empty((most, 2), np.int64)
    if a.shape[0] == 0 or b.shape[0] == 0:
        return found[:0]
    box_a, box_b = bounds(a), bounds(b)
    low, high = np.empty(3), np.empty(3)
    for k in range(3):
        low[k] = max(box_a[:, k].min(), box_b[:, k].min())
        high[k] = min(box_a[:, 3 + k].max(), box_b[:, 3 + k].max())
    in_a, in_b = _near(box_a, low, high), _near(box_b, low, high)
    n = 0
    if in_a.shape[0] == 0 or in_b.shape[0] == 0:
        return found[:0]
    axis = np.argmax(high - low)
    in_b = in_b[np.argsort(box_b[in_b, axis])]
    start, widest = box_b[in_b, axis], (box_b[in_b, 3 + axis] - box_b[in_b, axis]).max()
    s, t = np.empty(9), np.empty(9)
    for i in in_a:
        k = np.searchsorted(start, box_a[i, axis] - widest)
        while k < in_b.shape[0] and start[k] <= box_a[i, 3 + axis]:
            j = in_b[k]
            k += 1
            meet = True
            for c in range(3):
                meet = meet and box_a[i, c] <= box_b[j, 3 + c] and box_b[j, c] <= box_a[i, 3 + c]
            if not meet:
                continue
            reach = 0.0
            for c in range(9):
                s[c], t[c] = a[i, c] - a[i, c % 3], b[j, c] - a[i, c % 3]
                reach = max(reach, abs(s[c]), abs(t[c]))
            if not _apart(s, t, ROUNDING * reach):
                found[n, 0], found[n, 1] = i, j
                n += 1
                if n == most:
                    return found
    return found[:n]


@kernel
def winding(p, corners):
    """How often a closed surface of (n, 9) triangles goes around a point, by the angles under which it is seen."""
    total = 0.0
    for i in range(corners.shape[0]):
        ax, ay, az = corners[i, 0] - p[0], corners[i, 1] - p[1], corners[i, 2] - p[2]
        bx, by, bz = corners[i, 3] - p[0], corners[i, 4] - p[1], corners[i, 5] - p[2]
        cx, cy, cz = corners[i, 6] - p[0], corners[i, 7] - p[1], corners[i, 8] - p[2]
        a = np.sqrt(ax * ax + ay * ay + az * az)
        b = np.sqrt(bx * bx + by * by + bz * bz)
        c = np.sqrt(cx * cx + cy * cy + cz * cz)
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        below = a * b * c + (ax * bx + ay * by + az * bz) * c
        below += (bx * cx + by * cy + bz * cz) * a + (cx * ax + cy * ay + cz * az) * b
        total += 2.0 * np.arctan2(volume, below)
    return total / (4.0 * np.pi)


@kernel
def _box_distance2(p, box):
    total = 0.0
    for k in range(3):
        aside = max(box[k] - p[k], p[k] - box[3 + k], 0.0)
        total += aside * aside
    return total


@kernel
def nearest2(p, corners, boxes, reach):
    """Squared distance of a point from (n, 9) triangles in boxes, nearly: (distance, triangle) within reach."""
    best, which = reach * reach, -1
    for i in range(corners.shape[0]):
        if _box_distance2(p, boxes[i]) > best:
            continue
        d = _point_triangle2(p, corners[i])
        if d < best:
            best, which = d, i
    return best, which


@kernel
def _point_triangle2(p, t):
    """By the barycentric coordinates of the foot, else the nearest of three segments."""
    u, v = _edge(t, 0), (t[6] - t[0], t[7] - t[1], t[8] - t[2])
    w = (p[0] - t[0], p[1] - t[1], p[2] - t[2])
    n = _cross(u, v)
    nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
    if nn > 0.0:
        q, r = _cross(u, w), _cross(w, v)
        beta = (q[0] * n[0] + q[1] * n[1] + q[2] * n[2]) / nn
        alpha = (r[0] * n[0] + r[1] * n[1] + r[2] * n[2]) / nn
        if alpha >= 0.0 and beta >= 0.0 and alpha + beta <= 1.0:
            h = w[0] * n[0] + w[1] * n[1] + w[2] * n[2]
            return h * h / nn
    best = np.inf
    for i in range(3):
        e = _edge(t, i)
        f = (p[0] - t[3 * i], p[1] - t[3 * i + 1], p[2] - t[3 * i + 2])
        ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        s = (f[0] * e[0] + f[1] * e[1] + f[2] * e[2]) / ee if ee > 0.0 else 0.0
        s = min(1.0, max(0.0, s))
        dx, dy, dz = f[0] - s * e[0], f[1] - s * e[1], f[2] - s * e[2]
        best = min(best, dx * dx + dy * dy + dz * dz)
    return best


@kernel
def nearest_to_segment2(p, q, corners, boxes, reach):
    """Squared distance of a segment from (n, 9) triangles in boxes, nearly: (distance, triangle) within reach."""
    best, which = reach * reach, -1
    for i in range(corners.shape[0]):
        apart2 = 0.0
        for k in range(3):
            gap = max(boxes[i, k] - max(p[k], q[k]), min(p[k], q[k]) - boxes[i, 3 + k], 0.0)
            apart2 += gap * gap
        if apart2 > best:
            continue
        d = _segment_triangle2(p, q, corners[i])
        if d < best:
            best, which = d, i
    return best, which


@kernel
def _segment_triangle2(p, q, t):
    """0 where they cross, else the least of its ends and of the three sides."""
    if _pierces(p, q, t):
        return 0.0
    best = min(_point_triangle2(p, t), _point_triangle2(q, t))
    for i in range(3):
        j = 3 * ((i + 1) % 3)
        a, b = (t[3 * i], t[3 * i + 1], t[3 * i + 2]), (t[j], t[j + 1], t[j + 2])
        best = min(best, _segments2((p[0], p[1], p[2]), (q[0], q[1], q[2]), a, b))
    return best


@kernel
def _pierces(p, q, t):
    """Whether the ends are on both sides of the triangle's plane and the line between them passes all sides alike."""
    n = _cross(_edge(t, 0), _edge(t, 1))
    above = n[0] * (p[0] - t[0]) + n[1] * (p[1] - t[1]) + n[2] * (p[2] - t[2])
    below = n[0] * (q[0] - t[0]) + n[1] * (q[1] - t[1]) + n[2] * (q[2] - t[2])
    if above * below >= 0.0:
        return False
    s = above / (above - below)
    x = (p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2]))
    for i in range(3):
        m = _cross(_edge(t, i), (x[0] - t[3 * i], x[1] - t[3 * i + 1], x[2] - t[3 * i + 2]))
        if m[0] * n[0] + m[1] * n[1] + m[2] * n[2] < 0.0:
            return False
    return True


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _point_segment2(p, a, b):
    u, w = (b[0] - a[0], b[1] - a[1], b[2] - a[2]), (p[0] - a[0], p[1] - a[1], p[2] - a[2])
    uu = _dot(u, u)
    s = min(1.0, max(0.0, _dot(u, w) / uu)) if uu > 0.0 else 0.0
    d = (w[0] - s * u[0], w[1] - s * u[1], w[2] - s * u[2])
    return _dot(d, d)


@kernel
def _segments2(a, b, c, d):
    """The least of four ends, and of the lines where their feet are within."""
    best = min(_point_segment2(a, c, d), _point_segment2(b, c, d), _point_segment2(c, a, b), _point_segment2(d, a, b))
    u, v = (b[0] - a[0], b[1] - a[1], b[2] - a[2]), (d[0] - c[0], d[1] - c[1], d[2] - c[2])
    w, n = (a[0] - c[0], a[1] - c[1], a[2] - c[2]), _cross(u, v)
    nn = _dot(n, n)
    s, t = _dot(_cross(v, w), n), _dot(_cross(u, w), n)
    if nn > 0.0 and 0.0 <= s <= nn and 0.0 <= t <= nn:
        best = min(best, _dot(w, n) ** 2 / nn)
    return best
