"""Rectangle swept spheres (Larsen, Gottschalk, Lin and Manocha 1999).

A row is that of an oriented box: three axes, the centre, the half sides of the rectangle along the first two
axes, the radius, and the volume, which decides what is divided.
"""

from math import sqrt

from ..._jit import lean_kernel
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import mat_mul, mat_vec, norm2, sub
from ..distance.triangle_pair_kernels import load_triangle
from .obb_kernels import box_axes, box_centre, gap2, mul_transpose, put_box

WIDTH = 16
_FLAT = 1e-9
"""Of the volume of a cube: what flat shapes count, so that the larger one is divided."""


@lean_kernel
def _put(axes, centre, x, y, radius, i, rows_out):
    put_box(axes, centre, (x, y, radius), i, rows_out)
    # The volume is that of the swept shape, about.
    rows_out[i, 15] = (x + radius) * (y + radius) * radius + _FLAT * (x + y + radius) ** 3


@lean_kernel
def fit(corners, first, last, boxes, i, rows_out):
    """In the axes of the node's oriented box: its thickness is the sphere's diameter."""
    axes, centre, radius = box_axes(boxes, i), box_centre(boxes, i), boxes[i, 14]
    x, y = 0.0, 0.0
    for t in range(first, last):
        A = load_triangle(corners, t)
        for k in range(3):
            v = mat_vec(axes, sub(A[k], centre))
            rim = sqrt(max(0.0, radius * radius - v[2] * v[2]))
            x, y = max(x, abs(v[0]) - rim), max(y, abs(v[1]) - rim)
    for t in range(first, last):
        A = load_triangle(corners, t)
        for k in range(3):
            x, y = _grown(mat_vec(axes, sub(A[k], centre)), radius, x, y)
    _put(axes, centre, x, y, radius, i, rows_out)


@lean_kernel
def _grown(v, radius, x, y):
    """The half sides, longer where `v` lies beyond a corner and further from it than the radius allows."""
    rim2 = max(0.0, radius * radius - v[2] * v[2])
    over_x, over_y = abs(v[0]) - x, abs(v[1]) - y
    if over_x > 0.0 and over_y > 0.0 and over_x * over_x + over_y * over_y > rim2:
        keep = sqrt(0.5 * rim2)
        return x + max(0.0, over_x - keep), y + max(0.0, over_y - keep)
    return x, y


@lean_kernel
def bound2(rows_a, a, rows_b, b, X, enough2):
    """Lower bound of the squared distance: of the rectangles, less the radii; and that of the centres."""
    axes_a = box_axes(rows_a, a)
    offset = sub(pose_apply(X, box_centre(rows_b, b)), box_centre(rows_a, a))
    C = mul_transpose(mat_mul(axes_a, X.R), box_axes(rows_b, b))
    radii = rows_a[a, 14] + rows_b[b, 14]
    wanted = sqrt(enough2) + radii
    half_a, half_b = (rows_a[a, 12], rows_a[a, 13], 0.0), (rows_b[b, 12], rows_b[b, 13], 0.0)
    gap = max(0.0, sqrt(gap2(mat_vec(axes_a, offset), C, half_a, half_b, wanted * wanted)) - radii)
    return gap * gap, norm2(offset)
