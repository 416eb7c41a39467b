"""Do the surfaces of two bodies meet? Every pair of triangles, by exact signs: slow, and independent of the library."""

import numpy as np
from torture.judge_kernels import bounds

from abut._jit import kernel
from abut.geometry.triangles.intersect_kernels import APART, triangle_relation


@kernel
def _apart(a, b):
    for k in range(3):
        if a[k] > b[3 + k] or b[k] > a[3 + k]:
            return True
    return False


@kernel
def _corners(table, i):
    return (
        (table[i, 0], table[i, 1], table[i, 2]),
        (table[i, 3], table[i, 4], table[i, 5]),
        (
            table[i, 6],
            table[i, 7],
            table[i, 8],
        ),
    )


@kernel
def first_meeting(a, b):
    """The first two of (n, 9) and (m, 9) triangles that have a common point; (-1, -1) if none have."""
    box_a, box_b = bounds(a), bounds(b)
    order = np.argsort(box_b[:, 0])
    widest = 0.0
    for j in range(b.shape[0]):
        widest = max(widest, box_b[j, 3] - box_b[j, 0])
    low = box_b[order, 0]
    for i in range(a.shape[0]):
        p, q, r = _corners(a, i)
        for k in range(np.searchsorted(low, box_a[i, 0] - widest), b.shape[0]):
            if low[k] > box_a[i, 3]:
                break
            j = order[k]
            if _apart(box_a[i], box_b[j]):
                continue
            s, t, u = _corners(b, j)
            if triangle_relation(p, q, r, s, t, u) != APART:
                return i, j
    return -1, -1


@kernel
def winding_number(p, corners):
    """How often a surface of (n, 9) triangles encloses a point (van Oosterom and Strackee 1983)."""
    total = 0.0
    for i in range(corners.shape[0]):
        a, b, c = np.empty(3), np.empty(3), np.empty(3)
        for k in range(3):
            a[k], b[k], c[k] = corners[i, k] - p[k], corners[i, 3 + k] - p[k], corners[i, 6 + k] - p[k]
        la, lb, lc = np.sqrt((a * a).sum()), np.sqrt((b * b).sum()), np.sqrt((c * c).sum())
        det = (
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        total += 2.0 * np.arctan2(det, la * lb * lc + (a * b).sum() * lc + (b * c).sum() * la + (c * a).sum() * lb)
    return total / (4.0 * np.pi)
