"""Which triangles to look at where it is known which features are close: those around them.

An edge that lies along a face is followed to its ends. Of all else, only what is near the place of the seed is taken.
Each feature there is looked at once. Faces that lie on each other are for `surface_kernels`.
"""

import numpy as np

from ..._jit import inner_kernel
from ...math.frame_tables import IDENTITY
from ...math.pose_kernels import pose_apply, pose_apply_inverse
from ...math.vec_kernels import cross, dot, mat_t_vec, mat_vec, norm, norm2, row
from ..volumes.obb_kernels import box_axes, box_centre, box_half
from .face_kernels import around, beside, count_faces, face_of, triangle_at, triangles_of, wider
from .group_kernels import EDGE, FACE, FATE, FULL, OPEN, VERTEX, find_group, key_of
from .normal_kernels import edge_vector, edge_way
from .region_tables import SeedSide
from .scan_kernels import WIDEST, add_pair, margin_of, slack_of

_ROOM = 16.0
"""Reaches around a seed within which triangles are taken."""
_MANY = 48
"""Triangles of faces around a feature beyond which the tree of their part is asked for those that are near."""


@inner_kernel
def seed_sides(search, seed, k):
    """Both sides of a seed."""
    side_a = SeedSide(search.part_a, seed[k, 0], seed[k, 1], IDENTITY)
    return side_a, SeedSide(search.part_b, seed[k, 2], seed[k, 3], search.X)


@inner_kernel
def may_be_more(side_a, side_b):
    """Whether features that touch may be part of a line or a surface: faces or edges around them are parallel."""
    if side_a.kind == EDGE and side_b.kind == EDGE:
        way, along = edge_vector(side_a.part, side_a.id), mat_vec(side_b.X.R, edge_vector(side_b.part, side_b.id))
        if norm2(cross(way, along)) <= WIDEST * WIDEST * norm2(way) * norm2(along):
            return True
    return _lies_along(side_b, side_a) or _lies_along(side_a, side_b)


@inner_kernel
def _lies_along(side, other):
    """Whether an edge of a feature is parallel to a face of the other one; where two faces are, their edges are."""
    for k in range(_count_edges(side.part, side.kind, side.id)):
        way = edge_vector(side.part, _edge_of(side.part, side.kind, side.id, k))
        way, steepest = mat_t_vec(other.X.R, mat_vec(side.X.R, way)), WIDEST * norm(way)
        for m in range(count_faces(other.part, other.kind, other.id)):
            face = face_of(other.part, other.kind, other.id, m)
            if face >= 0 and abs(dot(way, row(other.part.normal, face))) <= steepest:
                return True
    return False


@inner_kernel
def _count_edges(part, kind, id):
    if kind == EDGE:
        return 1
    return part.edge_start[id + 1] - part.edge_start[id] if kind == VERTEX else 0


@inner_kernel
def _edge_of(part, kind, id, k):
    return id if kind == EDGE else part.edge_item[part.edge_start[id] + k]


@inner_kernel
def _follow_edges(side, other, low, high):
    """The box around a seed, made to hold edges that lie along a face on the other side or are its seed."""
    part = side.part
    for k in range(_count_edges(part, side.kind, side.id)):
        edge = _edge_of(part, side.kind, side.id, k)
        way, lies = mat_vec(side.X.R, edge_way(part, edge)), side.kind == EDGE and other.kind != FACE
        for m in range(count_faces(other.part, other.kind, other.id)):
            face = face_of(other.part, other.kind, other.id, m)
            if face >= 0:
                lies |= abs(dot(way, mat_vec(other.X.R, row(other.part.normal, face)))) <= WIDEST
        if lies:
            for m in range(2):
                low, high = around(low, high, pose_apply(side.X, row(part.point, part.edge_end[edge, m])))
    return low, high


@inner_kernel
def _ends_at(part, i, edge):
    """Whether an edge is a side of a triangle."""
    return part.side[i, 0] == edge or part.side[i, 1] == edge or part.side[i, 2] == edge


@inner_kernel
def _list_near(side, only_edge, low, high, stack_io, list_out):
    """Triangles of the faces around a feature that are in a box, or only those at an edge; returns how many."""
    part, n, many = side.part, 0, 0
    for k in range(count_faces(part, side.kind, side.id)):
        first, end = triangles_of(part, face_of(part, side.kind, side.id, k))
        many += end - first
    if many > _MANY:
        return _list_by_tree(side, only_edge, low, high, stack_io, list_out)
    for k in range(count_faces(part, side.kind, side.id)):
        face = face_of(part, side.kind, side.id, k)
        first, end = triangles_of(part, face)
        for m in range(first, end):
            i = triangle_at(part, face, m)
            if only_edge and not _ends_at(part, i, side.id):
                continue
            if n < list_out.shape[0] and not beside(low, high, part.triangle_box, i):
                list_out[n] = i
                n += 1
    return n


@inner_kernel
def _misses_box(boxes, i, low, high):
    """Whether the box along the axes around oriented box `i` misses another one."""
    c, axes, h = box_centre(boxes, i), box_axes(boxes, i), box_half(boxes, i)
    for k in range(3):
        reach = abs(axes[k]) * h[0] + abs(axes[3 + k]) * h[1] + abs(axes[6 + k]) * h[2]
        if c[k] - reach > high[k] or c[k] + reach < low[k]:
            return True
    return False


@inner_kernel
def _rank_of(side, face):
    """Which of the faces around a feature a face is; -1 for none."""
    for k in range(count_faces(side.part, side.kind, side.id)):
        if face_of(side.part, side.kind, side.id, k) == face:
            return k
    return -1


@inner_kernel
def _list_by_tree(side, only_edge, low, high, stack_io, list_out):
    """The same in the same order, face by face, where faces have many triangles."""
    part, n, top = side.part, 0, 1
    stack_io[0, 0] = 0
    while top > 0:
        top -= 1
        node = np.int64(stack_io[top, 0])
        if _misses_box(part.boxes, node, low, high):
            continue
        under = np.int64(part.child[node])
        if under >= 0:
            stack_io[top, 0], stack_io[top + 1, 0] = under, under + 1
            top += 2
            continue
        i = -1 - under
        rank = _rank_of(side, part.face[i])
        if rank < 0 or n == list_out.shape[0] or (only_edge and not _ends_at(part, i, side.id)):
            continue
        if not beside(low, high, part.triangle_box, i):
            m, n = n, n + 1
            while m > 0 and _is_behind(side, list_out[m - 1], rank, i):
                list_out[m] = list_out[m - 1]
                m -= 1
            list_out[m] = i
    return n


@inner_kernel
def _is_behind(side, other, rank, i):
    """Whether a triangle of a list belongs behind triangle `i` of the face with this rank."""
    before = _rank_of(side, side.part.face[other])
    return before > rank or (before == rank and other > i)


@inner_kernel
def _in_box(low, high, p):
    return low[0] <= p[0] <= high[0] and low[1] <= p[1] <= high[1] and low[2] <= p[2] <= high[2]


@inner_kernel
def _corner(corners, i, k):
    return corners[i, 3 * k], corners[i, 3 * k + 1], corners[i, 3 * k + 2]


@inner_kernel
def _crosses_box(low, high, p, q):
    """Whether the box around a segment meets another box."""
    for c in range(3):
        if min(p[c], q[c]) > high[c] or max(p[c], q[c]) < low[c]:
            return False
    return True


@inner_kernel
def _duty_of(part, listed, k, low, high):
    """What of the k-th triangle of a list is near a seed, and is not of one before it in the list."""
    i, duty = listed[k], 0
    can = part.duty[i] >> 6
    for c in range(3):
        p, q = _corner(part.corners, i, c), _corner(part.corners, i, (c + 1) % 3)
        corner, edge = part.vertex[i, c], part.side[i, c]
        if can & (1 << c) and _in_box(low, high, p):
            duty |= 1 << c
        if can & (8 << c) and _crosses_box(low, high, p, q):
            duty |= 8 << c
        for m in range(k):
            j = listed[m]
            for d in range(3):
                if part.vertex[j, d] == corner:
                    duty &= ~(1 << c)
                if part.side[j, d] == edge:
                    duty &= ~(8 << c)
    return duty


@inner_kernel
def _box_in_b(X, low, high):
    """A box of the frame of A in that of B."""
    p = pose_apply_inverse(X, low)
    least, most = p, p
    for k in range(1, 8):
        corner = (
            high[0] if k & 1 else low[0],
            high[1] if k & 2 else low[1],
            high[2] if k & 4 else low[2],
        )
        least, most = around(least, most, pose_apply_inverse(X, corner))
    return least, most


@inner_kernel
def _take_near(search, seed, n, scratch_io, groups_io):
    """Append the pairs of triangles near a seed."""
    reach = slack_of(search.settings, search.memory) + margin_of(search.settings)
    side_a, side_b = seed_sides(search, scratch_io.seed, seed)
    low = high = row(scratch_io.seed_point, seed)
    low, high = _follow_edges(side_a, side_b, low, high)
    low, high = _follow_edges(side_b, side_a, low, high)
    low, high = wider(low, high, _ROOM * reach)
    near_a, near_b, duty_b = scratch_io.order, scratch_io.hull, scratch_io.flat
    stack = scratch_io.stack
    n_a = _list_near(side_a, side_a.kind == EDGE and side_b.kind == FACE, low, high, stack, near_a)
    low_b, high_b = _box_in_b(search.X, low, high)
    n_b = _list_near(side_b, side_b.kind == EDGE and side_a.kind == FACE, low_b, high_b, stack, near_b)
    if n_a == near_a.shape[0] or n_b >= duty_b.shape[0]:
        groups_io.counts[FULL] = 1
        return n
    for m in range(n_b):
        duty_b[m, 0] = _duty_of(side_b.part, near_b, m, low_b, high_b)
    for k in range(n_a):
        duty_a = _duty_of(side_a.part, near_a, k, low, high)
        for m in range(n_b):
            if duty_a or duty_b[m, 0] > 0.0:
                n = add_pair(near_a[k], near_b[m], (duty_a, np.int64(duty_b[m, 0])), n, scratch_io, groups_io)
    return n


@inner_kernel
def _is_surface(side_a, side_b, groups):
    """Whether faces of two features have turned out to lie on each other."""
    for p in range(count_faces(side_a.part, side_a.kind, side_a.id)):
        f = face_of(side_a.part, side_a.kind, side_a.id, p)
        for q in range(count_faces(side_b.part, side_b.kind, side_b.id)):
            g = face_of(side_b.part, side_b.kind, side_b.id, q)
            group = find_group(groups, key_of(FACE, f, FACE, g))
            if group >= 0 and groups.state[group, FATE] == OPEN:
                return True
    return False


@inner_kernel
def collect_near(n_seed, search, scratch_io, groups_io):
    """Pairs of triangles near seeds that belong to no surface, which was found before; returns how many."""
    n = 0
    for seed in range(n_seed):
        side_a, side_b = seed_sides(search, scratch_io.seed, seed)
        if (side_a.kind == FACE and side_b.kind == FACE) or _is_surface(side_a, side_b, groups_io):
            continue
        n = _take_near(search, seed, n, scratch_io, groups_io)
    return n
