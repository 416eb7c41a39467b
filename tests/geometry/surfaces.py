"""Slow, obvious checks of surfaces, for tests of what makes parts."""

import numpy as np


def crossings(solid):
    """Pairs (edge's triangle, pierced triangle) where a surface runs through itself; [] for a sound one.

    Every pair of triangles whose boxes overlap is tried, sides against interiors; corners that the two share are
    left out, as are sides that end in them.
    """
    corners = solid.vertices[solid.triangles]
    found = []
    for a, b in _overlapping_boxes(corners.min(axis=1), corners.max(axis=1)):
        found += _piercings(solid, a, b) + _piercings(solid, b, a)
    return found


def _overlapping_boxes(low, high, chunk=512):
    for start in range(0, len(low), chunk):
        mine = slice(start, start + chunk)
        meet = np.ones((len(low[mine]), len(low)), bool)
        for axis in range(3):
            meet &= low[mine, None, axis] <= high[None, :, axis]
            meet &= low[None, :, axis] <= high[mine, None, axis]
        a, b = np.nonzero(meet)
        keep = a + start < b
        yield a[keep] + start, b[keep]


def _piercings(solid, a, b):
    """Sides of triangles `a` that pass strictly through the inside of triangles `b`."""
    v, t = solid.vertices, solid.triangles
    found = []
    for k in range(3):
        i, j = t[a, k], t[a, (k + 1) % 3]
        apart = (t[b] != i[:, None]).all(axis=1) & (t[b] != j[:, None]).all(axis=1)
        p, q = v[i[apart]], v[j[apart]]
        x, y, z = v[t[b[apart]]].transpose(1, 0, 2)
        size = np.linalg.norm(q - p, axis=1) * np.linalg.norm(y - x, axis=1) * np.linalg.norm(z - x, axis=1) + 1e-300
        eps = 1e-12 * size
        above, below = volume(x, y, z, q), volume(x, y, z, p)
        sides = [volume(p, q, m, n) for m, n in ((x, y), (y, z), (z, x))]
        through = ((above > eps) & (below < -eps)) | ((above < -eps) & (below > eps))
        inside = np.all([s > eps for s in sides], axis=0) | np.all([s < -eps for s in sides], axis=0)
        found += list(zip(a[apart][through & inside], b[apart][through & inside], strict=True))
    return found


def volume(a, b, c, d):
    """Six times the signed volume of tetrahedra, row by row."""
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)


def overlap(a, b):
    """Volume [m^3] that two solids share."""
    from abut.geometry.making.boolean import as_manifold

    A, B = (as_manifold(part.mesh.vertices, part.mesh.triangles, label=part.label) for part in (a, b))
    return (A ^ B).volume()


def clearance(a, b, reach):
    """Smallest distance [m] between two solids: 0 if they share volume, inf if it is more than `reach`."""
    return 0.0 if overlap(a, b) > 0.0 else gap(a, b, reach)


def gap(a, b, reach):
    """Smallest distance [m] between two surfaces that do not cross, or inf if it is more than `reach`.

    Brute force over all triangles whose boxes come within `reach`: corners to triangles, sides to sides.
    """
    S, T = (part.vertices[part.triangles] for part in (a, b))
    best = np.inf
    for start in range(0, len(S), 512):
        mine = S[start : start + 512]
        near = np.ones((len(mine), len(T)), bool)
        for axis in range(3):
            near &= mine[:, None, :, axis].min(axis=2) <= T[None, :, :, axis].max(axis=2) + reach
            near &= T[None, :, :, axis].min(axis=2) <= mine[:, None, :, axis].max(axis=2) + reach
        s, t = (table[index] for table, index in zip((mine, T), np.nonzero(near), strict=True))
        for k in range(3):
            best = min(best, _corner_distance(s[:, k], t), _corner_distance(t[:, k], s))
            for m in range(3):
                best = min(best, _side_distance(s[:, k], s[:, (k + 1) % 3], t[:, m], t[:, (m + 1) % 3]))
    return best if best <= reach else np.inf


def _corner_distance(p, t):
    """Smallest height of points over the triangles they stand above; the sides are left to `_side_distance`."""
    a, b, c = t.transpose(1, 0, 2)
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    above = [np.einsum("ij,ij->i", np.cross(v - u, p - u), n) >= 0.0 for u, v in ((a, b), (b, c), (c, a))]
    height = np.abs(np.einsum("ij,ij->i", p - a, n))
    return height[np.all(above, axis=0)].min(initial=np.inf)


def _side_distance(a0, a1, b0, b1):
    """Smallest distance of segments: the crossing of their lines where it lies within both, else from their ends."""
    d, e, r = a1 - a0, b1 - b0, a0 - b0
    dd, ee, de = (np.einsum("ij,ij->i", u, v) for u, v in ((d, d), (e, e), (d, e)))
    dr, er = (np.einsum("ij,ij->i", u, r) for u in (d, e))
    det = dd * ee - de * de
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (de * er - ee * dr) / det, (dd * er - de * dr) / det
    inside = (det > 1e-12 * dd * ee) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
    apart = r[inside] + s[inside, None] * d[inside] - t[inside, None] * e[inside]
    ends = [(a0, b0, e, ee), (a1, b0, e, ee), (b0, a0, d, dd), (b1, a0, d, dd)]
    return min(np.linalg.norm(apart, axis=1).min(initial=np.inf), *(_end_distance(*end) for end in ends))


def _end_distance(p, start, along, length2):
    t = np.clip(np.einsum("ij,ij->i", p - start, along) / length2, 0.0, 1.0)
    return np.linalg.norm(p - start - t[:, None] * along, axis=1).min(initial=np.inf)


def polygon_factor(n):
    """Area of a regular polygon with its corners on a circle, over that of the circle."""
    return n / (2.0 * np.pi) * np.sin(2.0 * np.pi / n)
