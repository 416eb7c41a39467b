"""Oriented bounding boxes (Gottschalk, Lin and Manocha 1996).

A row is three axes (nine floats, an orthonormal basis, longest side first), the centre, the half sizes and an eighth
of the surface, which decides what is divided (a large flat box comes before a small thick one): 16 floats, two cache
lines.
"""

from math import copysign, sqrt

from ..._jit import kernel
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import add, dot, mat_mul, mat_t_vec, mat_vec, norm2, sub, unit

# Columns of a row, behind the axes.
CENTRE, HALF, SIZE, WIDTH = 9, 12, 15, 16
ROUNDED_OUT = 1e-15
"""Of the lengths that go into a volume: by which it is wider than what was computed."""


@kernel
def box_axes(rows, i):
    """The matrix that turns vectors of the part into the axes of box `i`."""
    return (
        rows[i, 0],
        rows[i, 1],
        rows[i, 2],
        rows[i, 3],
        rows[i, 4],
        rows[i, 5],
        rows[i, 6],
        rows[i, 7],
        rows[i, 8],
    )


@kernel
def box_centre(rows, i):
    """Centre of box `i`."""
    return rows[i, CENTRE], rows[i, CENTRE + 1], rows[i, CENTRE + 2]


@kernel
def box_half(rows, i):
    """Half sizes of box `i`."""
    return rows[i, HALF], rows[i, HALF + 1], rows[i, HALF + 2]


@kernel
def put_box(axes, centre, half, i, rows_out):
    """Write box `i`, wider by what rounding may have cost."""
    slack = ROUNDED_OUT * (abs(centre[0]) + abs(centre[1]) + abs(centre[2]) + half[0] + half[1] + half[2])
    for k in range(9):
        rows_out[i, k] = axes[k]
    for k in range(3):
        rows_out[i, CENTRE + k] = centre[k]
        rows_out[i, HALF + k] = half[k] + slack
    rows_out[i, SIZE] = half[0] * half[1] + half[1] * half[2] + half[0] * half[2]


@kernel
def absolute_of(m):
    """The matrix of absolute values."""
    return abs(m[0]), abs(m[1]), abs(m[2]), abs(m[3]), abs(m[4]), abs(m[5]), abs(m[6]), abs(m[7]), abs(m[8])


@kernel
def mul_transpose(a, b):
    """A B^T."""
    return (
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
        a[0] * b[3] + a[1] * b[4] + a[2] * b[5],
        a[0] * b[6] + a[1] * b[7] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[1] + a[5] * b[2],
        a[3] * b[3] + a[4] * b[4] + a[5] * b[5],
        a[3] * b[6] + a[4] * b[7] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[1] + a[8] * b[2],
        a[6] * b[3] + a[7] * b[4] + a[8] * b[5],
        a[6] * b[6] + a[7] * b[7] + a[8] * b[8],
    )


@kernel
def _excess2(offset, half, reach):
    """Squared distance of two boxes with common axes: `offset` between centres, half sizes `half` and `reach`."""
    x = max(0.0, abs(offset[0]) - half[0] - reach[0])
    y = max(0.0, abs(offset[1]) - half[1] - reach[1])
    z = max(0.0, abs(offset[2]) - half[2] - reach[2])
    return x * x + y * y + z * z


@kernel
def _clamp_to(v, half):
    """The point of a centred box closest to `v`."""
    return (
        min(half[0], max(-half[0], v[0])),
        min(half[1], max(-half[1], v[1])),
        min(half[2], max(-half[2], v[2])),
    )


@kernel
def _reach(n, half):
    """How far a centred box extends along `n`."""
    return half[0] * abs(n[0]) + half[1] * abs(n[1]) + half[2] * abs(n[2])


@kernel
def _separation2(n, t, C, half_a, half_b):
    """Squared separation of two boxes along `n`, which need not be of length 1; 0 where they overlap along it."""
    gap = dot(n, t) - _reach(n, half_a) - _reach(mat_t_vec(C, n), half_b)
    n2 = norm2(n)
    return gap * gap / n2 if gap > 0.0 and n2 > 0.0 else 0.0


@kernel
def gap2(t, C, half_a, half_b, enough2):
    """Lower bound of the squared distance of two boxes: B's centre `t` and axes (columns of `C`) in the axes of A.

    The separations along the three axes of one box are components of the gap in an orthonormal basis, so their
    squares add up. Where that is less than `enough2`, the direction between the points that alternating projection
    finds is tried too: nearly the true distance for boxes far apart.
    """
    absolute = absolute_of(C)
    t_b = mat_t_vec(C, t)
    bound = max(_excess2(t, half_a, mat_vec(absolute, half_b)), _excess2(t_b, half_b, mat_t_vec(absolute, half_a)))
    if bound >= enough2 or bound == 0.0:
        return bound
    y = add(t, mat_vec(C, _clamp_to(sub(mat_t_vec(C, _clamp_to(t, half_a)), t_b), half_b)))
    return max(bound, _separation2(sub(y, _clamp_to(y, half_a)), t, C, half_a, half_b))


@kernel
def _excess_along2(room, guide, axes, half):
    """Square of what a box leaves of the `room` it has along the guide; 0 where it leaves none."""
    return max(0.0, room - _reach(mat_vec(axes, guide), half)) ** 2


@kernel
def bound2(rows_a, a, rows_b, b, X, guides, enough2):
    """Lower bound of the squared distance of two boxes, and the squared distance of their centres.

    `guides`, a unit vector in the frame of either part (or zero), is a direction that is likely to separate; it is
    tried first, because it needs no product of matrices. No effort is made beyond `enough2`.
    """
    guide_a, guide_b = guides
    axes_a, half_a = box_axes(rows_a, a), box_half(rows_a, a)
    axes_b, half_b = box_axes(rows_b, b), box_half(rows_b, b)
    offset = sub(pose_apply(X, box_centre(rows_b, b)), box_centre(rows_a, a))
    room = dot(guide_a, offset) - _reach(mat_vec(axes_a, guide_a), half_a)
    guided2 = _excess_along2(room, guide_b, axes_b, half_b)
    if guided2 >= enough2:
        return guided2, norm2(offset)
    C = mul_transpose(mat_mul(axes_a, X.R), axes_b)
    return max(guided2, gap2(mat_vec(axes_a, offset), C, half_a, half_b, enough2)), norm2(offset)


@kernel
def bounds2_split_a(rows_a, a, rows_b, b, X, guides, enough2):
    """`bound2` of the boxes a and a + 1 with b, which share the work on b."""
    guide_a, guide_b = guides
    axes_b, half_b = box_axes(rows_b, b), box_half(rows_b, b)
    axes_0, half_0 = box_axes(rows_a, a), box_half(rows_a, a)
    axes_1, half_1 = box_axes(rows_a, a + 1), box_half(rows_a, a + 1)
    centre = pose_apply(X, box_centre(rows_b, b))
    offset_0, offset_1 = sub(centre, box_centre(rows_a, a)), sub(centre, box_centre(rows_a, a + 1))
    reach = _reach(mat_vec(axes_b, guide_b), half_b)
    key_0 = _excess_along2(dot(guide_a, offset_0) - reach, guide_a, axes_0, half_0)
    key_1 = _excess_along2(dot(guide_a, offset_1) - reach, guide_a, axes_1, half_1)
    if key_0 >= enough2 and key_1 >= enough2:
        return key_0, norm2(offset_0), key_1, norm2(offset_1)
    turned = mul_transpose(X.R, axes_b)
    if key_0 < enough2:
        key_0 = max(key_0, gap2(mat_vec(axes_0, offset_0), mat_mul(axes_0, turned), half_0, half_b, enough2))
    if key_1 < enough2:
        key_1 = max(key_1, gap2(mat_vec(axes_1, offset_1), mat_mul(axes_1, turned), half_1, half_b, enough2))
    return key_0, norm2(offset_0), key_1, norm2(offset_1)


@kernel
def bounds2_split_b(rows_a, a, rows_b, b, X, guides, enough2):
    """`bound2` of the box a with b and b + 1, which share the work on a."""
    guide_a, guide_b = guides
    axes_a, half_a = box_axes(rows_a, a), box_half(rows_a, a)
    axes_0, half_0 = box_axes(rows_b, b), box_half(rows_b, b)
    axes_1, half_1 = box_axes(rows_b, b + 1), box_half(rows_b, b + 1)
    origin = sub(X.p, box_centre(rows_a, a))
    offset_0 = add(mat_vec(X.R, box_centre(rows_b, b)), origin)
    offset_1 = add(mat_vec(X.R, box_centre(rows_b, b + 1)), origin)
    reach = _reach(mat_vec(axes_a, guide_a), half_a)
    key_0 = _excess_along2(dot(guide_a, offset_0) - reach, guide_b, axes_0, half_0)
    key_1 = _excess_along2(dot(guide_a, offset_1) - reach, guide_b, axes_1, half_1)
    if key_0 >= enough2 and key_1 >= enough2:
        return key_0, norm2(offset_0), key_1, norm2(offset_1)
    turned = mat_mul(axes_a, X.R)
    if key_0 < enough2:
        key_0 = max(key_0, gap2(mat_vec(axes_a, offset_0), mul_transpose(turned, axes_0), half_a, half_0, enough2))
    if key_1 < enough2:
        key_1 = max(key_1, gap2(mat_vec(axes_a, offset_1), mul_transpose(turned, axes_1), half_a, half_1, enough2))
    return key_0, norm2(offset_0), key_1, norm2(offset_1)


@kernel
def separation(rows_a, a, rows_b, b, X):
    """A lower bound of the distance of two boxes and the unit vector, in the frame of A, along which they are
    that far apart; 0 and a zero vector where none is found.
    """
    axes_a, half_a, half_b = box_axes(rows_a, a), box_half(rows_a, a), box_half(rows_b, b)
    t = mat_vec(axes_a, sub(pose_apply(X, box_centre(rows_b, b)), box_centre(rows_a, a)))
    C = mul_transpose(mat_mul(axes_a, X.R), box_axes(rows_b, b))
    Q, t_b = absolute_of(C), mat_t_vec(C, t)
    n = _excess(t, half_a, mat_vec(Q, half_b))
    m = mat_vec(C, _excess(t_b, half_b, mat_t_vec(Q, half_a)))
    if norm2(m) > norm2(n):
        n = m
    y = add(t, mat_vec(C, _clamp_to(sub(mat_t_vec(C, _clamp_to(t, half_a)), t_b), half_b)))
    m = sub(y, _clamp_to(y, half_a))
    if _separation2(m, t, C, half_a, half_b) > norm2(n):
        n = m
    bound2 = _separation2(n, t, C, half_a, half_b)
    return sqrt(bound2), unit(mat_t_vec(axes_a, n)) if bound2 > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _excess(offset, half, reach):
    """The vector whose squared length is `_excess2`, in the direction of `offset`."""
    x = max(0.0, abs(offset[0]) - half[0] - reach[0])
    y = max(0.0, abs(offset[1]) - half[1] - reach[1])
    z = max(0.0, abs(offset[2]) - half[2] - reach[2])
    return copysign(x, offset[0]), copysign(y, offset[1]), copysign(z, offset[2])


@kernel
def _edge_parts(t, u, v, w, a, b, slack):
    """Whether the cross product of one edge of A with one of B separates.

    `w` is the row of C that belongs to the edge of A; its rows `u` and `v`, two sizes `a` of A and two offsets `t`
    belong to the axes that follow it. `b` are the sizes of B.
    """
    (t_1, t_2), (a_1, a_2) = t, a
    for j in range(3):
        j_1, j_2 = (j + 1) % 3, (j + 2) % 3
        reach = a_1 * abs(v[j]) + a_2 * abs(u[j]) + b[j_1] * abs(w[j_2]) + b[j_2] * abs(w[j_1])
        # Parallel edges have no cross product but rounding, which must not separate.
        if abs(t_2 * u[j] - t_1 * v[j]) > reach + 4.0 * slack:
            return True
    return False


@kernel
def _may_meet(t, C, half_a, half_b, slack):
    """Whether no axis separates two boxes: fifteen, the six of the faces first. `t` and `C` as for `gap2`."""
    half_a = (half_a[0] + slack, half_a[1] + slack, half_a[2] + slack)
    Q = absolute_of(C)
    reach = mat_vec(Q, half_b)
    if abs(t[0]) > half_a[0] + reach[0] or abs(t[1]) > half_a[1] + reach[1] or abs(t[2]) > half_a[2] + reach[2]:
        return False
    s, reach = mat_t_vec(C, t), mat_t_vec(Q, half_a)
    if abs(s[0]) > half_b[0] + reach[0] or abs(s[1]) > half_b[1] + reach[1] or abs(s[2]) > half_b[2] + reach[2]:
        return False
    u, v, w = (C[0], C[1], C[2]), (C[3], C[4], C[5]), (C[6], C[7], C[8])
    return not (
        _edge_parts((t[1], t[2]), v, w, u, (half_a[1], half_a[2]), half_b, slack)
        or _edge_parts((t[2], t[0]), w, u, v, (half_a[2], half_a[0]), half_b, slack)
        or _edge_parts((t[0], t[1]), u, v, w, (half_a[0], half_a[1]), half_b, slack)
    )


@kernel
def overlap(rows_a, a, rows_b, b, X, slack):
    """Whether the boxes may have points within `slack` of each other."""
    axes_a = box_axes(rows_a, a)
    t = mat_vec(axes_a, sub(pose_apply(X, box_centre(rows_b, b)), box_centre(rows_a, a)))
    C = mul_transpose(mat_mul(axes_a, X.R), box_axes(rows_b, b))
    return _may_meet(t, C, box_half(rows_a, a), box_half(rows_b, b), slack)


@kernel
def overlaps_split_a(rows_a, a, rows_b, b, X, slack):
    """`overlap` of the boxes a and a + 1 with b, which share the work on b."""
    turned, half_b = mul_transpose(X.R, box_axes(rows_b, b)), box_half(rows_b, b)
    centre = pose_apply(X, box_centre(rows_b, b))
    axes_0, axes_1 = box_axes(rows_a, a), box_axes(rows_a, a + 1)
    t_0 = mat_vec(axes_0, sub(centre, box_centre(rows_a, a)))
    t_1 = mat_vec(axes_1, sub(centre, box_centre(rows_a, a + 1)))
    first = _may_meet(t_0, mat_mul(axes_0, turned), box_half(rows_a, a), half_b, slack)
    return first, _may_meet(t_1, mat_mul(axes_1, turned), box_half(rows_a, a + 1), half_b, slack)


@kernel
def overlaps_split_b(rows_a, a, rows_b, b, X, slack):
    """`overlap` of the box a with b and b + 1, which share the work on a."""
    axes_a, half_a = box_axes(rows_a, a), box_half(rows_a, a)
    turned, origin = mat_mul(axes_a, X.R), mat_vec(axes_a, sub(X.p, box_centre(rows_a, a)))
    t_0 = add(mat_vec(turned, box_centre(rows_b, b)), origin)
    t_1 = add(mat_vec(turned, box_centre(rows_b, b + 1)), origin)
    first = _may_meet(t_0, mul_transpose(turned, box_axes(rows_b, b)), half_a, box_half(rows_b, b), slack)
    return first, _may_meet(t_1, mul_transpose(turned, box_axes(rows_b, b + 1)), half_a, box_half(rows_b, b + 1), slack)
