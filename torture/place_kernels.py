"""Where bodies and their triangles are: the judge's own arithmetic."""

from math import atan2, cos, sin, sqrt

import numpy as np

from abut._jit import kernel

ROOM = 1e-12
"""Of the coordinates in a test of boxes: far more than what they are rounded by."""


@kernel
def rotations(quaternions):
    """(n, 3, 3) of (n, 4) quaternions, scalar first."""
    made = np.empty((quaternions.shape[0], 3, 3))
    for i in range(quaternions.shape[0]):
        w, x, y, z = quaternions[i, 0], quaternions[i, 1], quaternions[i, 2], quaternions[i, 3]
        norm = sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w / norm, x / norm, y / norm, z / norm
        made[i, 0] = (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
        made[i, 1] = (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
        made[i, 2] = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    return made


@kernel
def rotation_of(rotvec):
    """(3, 3) of a rotation vector (Rodrigues)."""
    x, y, z = rotvec[0], rotvec[1], rotvec[2]
    angle = sqrt(x * x + y * y + z * z)
    R = np.eye(3)
    if angle > 0.0:
        x, y, z = x / angle, y / angle, z / angle
        s, c = sin(angle), 1.0 - cos(angle)
        R[0] = (1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y)
        R[1] = (c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x)
        R[2] = (c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y))
    return R


@kernel
def _product(A, B, C_out):
    for i in range(3):
        for j in range(3):
            C_out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def turns(start, end):
    """(n, 3) the shortest rotation vectors from (n, 3, 3) to others; right below 3 rad."""
    found, R = np.zeros((start.shape[0], 3)), np.empty((3, 3))
    for i in range(start.shape[0]):
        _product(end[i], start[i].T, R)
        x, y, z = 0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])
        sine, cosine = sqrt(x * x + y * y + z * z), 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
        if sine > 0.0:
            scale = atan2(sine, cosine) / sine
            found[i] = (x * scale, y * scale, z * scale)
    return found


@kernel
def turned(rotation, turn, share):
    """(n, 3, 3) after a share of (n, 3) turns."""
    made = np.empty_like(rotation)
    for i in range(rotation.shape[0]):
        _product(rotation_of(share * turn[i]), rotation[i], made[i])
    return made


@kernel
def near_ways(start, end, reach, pairs):
    """Which pairs of bodies with (n, 3) ways and (n,) reaches may come together while they go straight."""
    near = np.ones(pairs.shape[0], np.bool_)
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        dd, du, uu, size = 0.0, 0.0, 0.0, 0.0
        for c in range(3):
            d, e = start[b, c] - start[a, c], end[b, c] - end[a, c]
            dd, du, uu = dd + d * d, du + d * (e - d), uu + (e - d) * (e - d)
            size = max(size, abs(start[a, c]), abs(start[b, c]), abs(end[a, c]), abs(end[b, c]))
        t = min(1.0, max(0.0, -du / uu)) if uu > 0.0 else 0.0
        least = 0.0
        for c in range(3):
            d, e = start[b, c] - start[a, c], end[b, c] - end[a, c]
            least += (d + t * (e - d)) ** 2
        together = reach[a] + reach[b]
        near[k] = not (sqrt(least) > together + 1e-9 * (together + sqrt(dd) + sqrt(uu)) + ROOM * size)
    return near


@kernel
def near_boxes(position, rotation, middle, half, pairs):
    """Which pairs of bodies with boxes about (n, 3) middles in their frames meet with these."""
    n = position.shape[0]
    low, high = np.empty((n, 3)), np.empty((n, 3))
    first = 0
    while first < n - 1 and not np.isfinite(half[first, 0]):
        first += 1
    for i in range(n):
        size = 0.0
        for c in range(3):
            R = rotation[i, c]
            x = position[i, c] - position[first, c] + R[0] * middle[i, 0] + R[1] * middle[i, 1] + R[2] * middle[i, 2]
            size = max(size, abs(x))
            reach = np.inf
            if np.isfinite(half[i, 0]):
                reach = abs(R[0]) * half[i, 0] + abs(R[1]) * half[i, 1] + abs(R[2]) * half[i, 2]
            low[i, c], high[i, c] = x - reach, x + reach
        for c in range(3):
            room = ROOM * (size + 0.5 * (high[i, c] - low[i, c]))
            low[i, c], high[i, c] = low[i, c] - room, high[i, c] + room
    near = np.ones(pairs.shape[0], np.bool_)
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        for c in range(3):
            if low[a, c] > high[b, c] or low[b, c] > high[a, c]:
                near[k] = False
    return near


@kernel
def placed(corners, R, x):
    """(n, 9) triangles, turned and moved."""
    made = np.empty_like(corners)
    for i in range(corners.shape[0]):
        for v in range(0, 9, 3):
            p, q, r = corners[i, v], corners[i, v + 1], corners[i, v + 2]
            for k in range(3):
                made[i, v + k] = R[k, 0] * p + R[k, 1] * q + R[k, 2] * r + x[k]
    return made


@kernel
def beside(boxes, R, middle, half, room):
    """Which of (n, 6) boxes may meet a box about `middle` along other axes; `R` brings these into the boxes' frame."""
    low, high = np.empty(3), np.empty(3)
    for k in range(3):
        reach = abs(R[k, 0]) * half[0] + abs(R[k, 1]) * half[1] + abs(R[k, 2]) * half[2] + room
        low[k], high[k] = middle[k] - reach, middle[k] + reach
    chosen = np.empty(boxes.shape[0], np.int64)
    n = 0
    for i in range(boxes.shape[0]):
        if boxes[i, 0] > high[0] or boxes[i, 3] < low[0] or boxes[i, 1] > high[1] or boxes[i, 4] < low[1]:
            continue
        if boxes[i, 2] > high[2] or boxes[i, 5] < low[2]:
            continue
        chosen[n] = i
        n += 1
    return chosen[:n]


@kernel
def lowest_point(points, R, normal):
    """Which of (n, 3) turned points is lowest along a normal, and where that is."""
    n = normal[0] * R[0] + normal[1] * R[1] + normal[2] * R[2]
    lowest, least = 0, np.inf
    for i in range(points.shape[0]):
        height = n[0] * points[i, 0] + n[1] * points[i, 1] + n[2] * points[i, 2]
        if height < least:
            lowest, least = i, height
    return lowest, least
