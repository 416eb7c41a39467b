"""Bounding spheres (Hubbard 1995). A row is the centre and the radius.

As for every volume type, a row table belongs to a hierarchy; kernels take the tables of two hierarchies A and B, an
entry of each, and the pose X of B in A.
"""

from math import sqrt

from ..._jit import lean_kernel
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import distance2
from ..distance.triangle_pair_kernels import load_triangle
from .obb_kernels import ROUNDED_OUT, box_centre

WIDTH = 4


@lean_kernel
def _centre(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@lean_kernel
def _put(centre, radius, i, rows_out):
    rows_out[i, 0], rows_out[i, 1], rows_out[i, 2] = centre
    rows_out[i, 3] = radius * (1.0 + ROUNDED_OUT) + ROUNDED_OUT * (abs(centre[0]) + abs(centre[1]) + abs(centre[2]))


@lean_kernel
def fit(corners, first, last, boxes, i, rows_out):
    """Sphere about the centre of the node's oriented box that holds the triangles first .. last - 1."""
    centre = box_centre(boxes, i)
    radius2 = 0.0
    for t in range(first, last):
        A = load_triangle(corners, t)
        radius2 = max(radius2, distance2(centre, A[0]), distance2(centre, A[1]), distance2(centre, A[2]))
    _put(centre, sqrt(radius2), i, rows_out)


@lean_kernel
def size(rows, i):
    """What decides which of two nodes is divided: the radius."""
    return rows[i, 3]


@lean_kernel
def bound2(rows_a, a, rows_b, b, X):
    """Squared distance of two spheres, and of their centres."""
    between2 = distance2(pose_apply(X, _centre(rows_b, b)), _centre(rows_a, a))
    gap = max(0.0, sqrt(between2) - rows_a[a, 3] - rows_b[b, 3])
    return gap * gap, between2
