"""Which triangles to look at where it is known which features are close: those around them.

Two faces that lie on each other are taken whole. An edge that lies along a face is followed to its ends. Of all else,
only what is near the place of the seed is taken.
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.frame_tables import IDENTITY
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import cross, dot, mat_vec, norm, row
from ..distance.triangle_pair_kernels import moved_triangle
from .group_kernels import (
    EDGE,
    FACE,
    FATE,
    FULL,
    GROUPS,
    OPEN,
    RESOLVED,
    TAKEN,
    VERTEX,
    find_group,
    group_of,
    key_of,
)
from .normal_kernels import edge_way
from .resolve_kernels import back
from .scan_kernels import WIDEST, add_pair

_ROOM = 16.0
"""Reaches around a seed within which triangles are taken."""


@inner_kernel
def _count_faces(part, kind, id):
    """How many faces a feature belongs to; the core of a ball or capsule counts as one."""
    if part.face[0] < 0:
        return 1
    if kind == VERTEX:
        return part.face_start[id + 1] - part.face_start[id]
    return 2 if kind == EDGE else 1


@inner_kernel
def _face_of(part, kind, id, k):
    """The k-th of them; -1 for a core."""
    if part.face[0] < 0:
        return -1
    if kind == VERTEX:
        return part.face_item[part.face_start[id] + k]
    return part.edge_face[id, k] if kind == EDGE else id


@inner_kernel
def _triangles_of(part, face):
    """First and last place of a face's triangles in the list; a core is one triangle."""
    return (0, 1) if face < 0 else (part.triangle_start[face], part.triangle_start[face + 1])


@inner_kernel
def _triangle(part, face, k):
    return 0 if face < 0 else part.triangle_item[k]


@inner_kernel
def _beside(low, high, corners, i):
    """Whether the box around a triangle misses another box."""
    for c in range(3):
        if min(corners[i, c], corners[i, 3 + c], corners[i, 6 + c]) > high[c]:
            return True
        if max(corners[i, c], corners[i, 3 + c], corners[i, 6 + c]) < low[c]:
            return True
    return False


@inner_kernel
def _around(low, high, p):
    """A box made to hold a point, too."""
    return (
        (min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2])),
        (max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2])),
    )


@inner_kernel
def _wider(low, high, by):
    return (low[0] - by, low[1] - by, low[2] - by), (high[0] + by, high[1] + by, high[2] + by)


@lean_kernel
def _box_of_face(part, face):
    """Around all triangles of a face."""
    first, end = _triangles_of(part, face)
    low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
    for k in range(first, end):
        c = part.corners[_triangle(part, face, k)]
        low, high = _around(low, high, (c[0], c[1], c[2]))
        low, high = _around(low, high, (c[3], c[4], c[5]))
        low, high = _around(low, high, (c[6], c[7], c[8]))
    return low, high


@inner_kernel
def _apart(low, high, other_low, other_high):
    return (
        low[0] > other_high[0] or low[1] > other_high[1] or low[2] > other_high[2]
        or other_low[0] > high[0] or other_low[1] > high[1] or other_low[2] > high[2]
    )  # fmt: skip


@lean_kernel
def _take_faces(part_a, f, part_b, g, X, reach, n, scratch_io, groups_io):
    """Append all pairs of triangles of two faces that are beside each other."""
    first_a, end_a = _triangles_of(part_a, f)
    first_b, end_b = _triangles_of(part_b, g)
    face_low, face_high = _box_of_face(part_a, f)
    for j in range(first_b, end_b):
        B = moved_triangle(part_b.corners, _triangle(part_b, g, j), X)
        low, high = _around(B[0], B[0], B[1])
        low, high = _around(low, high, B[2])
        low, high = _wider(low, high, reach)
        if _apart(low, high, face_low, face_high):
            continue
        for i in range(first_a, end_a):
            if not _beside(low, high, part_a.corners, _triangle(part_a, f, i)):
                n = add_pair(_triangle(part_a, f, i), _triangle(part_b, g, j), n, scratch_io, groups_io)
    return n


@inner_kernel
def _face_each_other(part_a, f, part_b, g, X):
    if f < 0 or g < 0:
        return False
    n_a, n_b = row(part_a.normal, f), mat_vec(X[0], row(part_b.normal, g))
    return dot(n_a, n_b) < 0.0 and norm(cross(n_a, n_b)) <= WIDEST


@lean_kernel
def may_be_more(part_a, part_b, X, kind_a, a, kind_b, b):
    """Whether features that touch may be part of a line or a surface: faces or edges around them are parallel."""
    if kind_a == EDGE and kind_b == EDGE:
        along = mat_vec(X[0], edge_way(part_b, b))
        if norm(cross(edge_way(part_a, a), along)) <= WIDEST:
            return True
    for p in range(_count_faces(part_a, kind_a, a)):
        f = _face_of(part_a, kind_a, a, p)
        if f >= 0 and _lies_along(part_b, kind_b, b, X[0], row(part_a.normal, f)):
            return True
    one = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for q in range(_count_faces(part_b, kind_b, b)):
        g = _face_of(part_b, kind_b, b, q)
        if g >= 0 and _lies_along(part_a, kind_a, a, one, mat_vec(X[0], row(part_b.normal, g))):
            return True
    return False


@inner_kernel
def _lies_along(part, kind, id, turn, normal):
    """Whether an edge of a feature is parallel to a plane; where two faces are, their edges are."""
    for k in range(_count_edges(part, kind, id)):
        if abs(dot(mat_vec(turn, edge_way(part, _edge_of(part, kind, id, k))), normal)) <= WIDEST:
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


@lean_kernel
def _follow_edges(part, kind, id, turn, other, other_kind, other_id, other_turn, low, high, X_own):
    """The box around a seed, made to hold edges that lie along a face on the other side or are its seed."""
    for k in range(_count_edges(part, kind, id)):
        edge = _edge_of(part, kind, id, k)
        way, lies = mat_vec(turn, edge_way(part, edge)), kind == EDGE and other_kind != FACE
        for m in range(_count_faces(other, other_kind, other_id)):
            face = _face_of(other, other_kind, other_id, m)
            if face >= 0:
                lies |= abs(dot(way, mat_vec(other_turn, row(other.normal, face)))) <= WIDEST
        if lies:
            for m in range(2):
                low, high = _around(low, high, pose_apply(X_own, row(part.point, part.edge_end[edge, m])))
    return low, high


@lean_kernel
def _list_near(part, kind, id, only_edge, low, high, list_out):
    """Triangles of the faces around a feature that are in a box, or only those at an edge; returns how many."""
    n = 0
    for k in range(_count_faces(part, kind, id)):
        face = _face_of(part, kind, id, k)
        first, end = _triangles_of(part, face)
        for m in range(first, end):
            i = _triangle(part, face, m)
            if only_edge and part.side[i, 0] != id and part.side[i, 1] != id and part.side[i, 2] != id:
                continue
            if n < list_out.shape[0] and not _beside(low, high, part.corners, i):
                list_out[n] = i
                n += 1
    return n


@inner_kernel
def _box_in_b(X, low, high):
    """A box of the frame of A in that of B."""
    p = back(X, low)
    least, most = p, p
    for k in range(1, 8):
        corner = (
            high[0] if k & 1 else low[0],
            high[1] if k & 2 else low[1],
            high[2] if k & 4 else low[2],
        )
        least, most = _around(least, most, back(X, corner))
    return least, most


@lean_kernel
def _take_near(part_a, part_b, X, seed, reach, n, scratch_io, groups_io):
    """Append the pairs of triangles near a seed, but those of faces that lie on each other."""
    kind_a, a = scratch_io.seed[seed, 0], scratch_io.seed[seed, 1]
    kind_b, b = scratch_io.seed[seed, 2], scratch_io.seed[seed, 3]
    p = row(scratch_io.seed_point, seed)
    one = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    low, high = p, p
    low, high = _follow_edges(part_a, kind_a, a, one, part_b, kind_b, b, X[0], low, high, IDENTITY)
    low, high = _follow_edges(part_b, kind_b, b, X[0], part_a, kind_a, a, one, low, high, X)
    low, high = _wider(low, high, _ROOM * reach)
    along_a, along_b = kind_a == EDGE and kind_b == FACE, kind_b == EDGE and kind_a == FACE
    n_a = _list_near(part_a, kind_a, a, along_a, low, high, scratch_io.order)
    low, high = _box_in_b(X, low, high)
    n_b = _list_near(part_b, kind_b, b, along_b, low, high, scratch_io.hull)
    for k in range(n_a):
        i = scratch_io.order[k]
        for m in range(n_b):
            j = scratch_io.hull[m]
            if not _face_each_other(part_a, part_a.face[i], part_b, part_b.face[j], X):
                n = add_pair(i, j, n, scratch_io, groups_io)
    if n_a == scratch_io.order.shape[0] or n_b == scratch_io.hull.shape[0]:
        groups_io.counts[FULL] = 1
    return n


@lean_kernel
def collect_faces(part_a, part_b, n_seed, X, reach, scratch_io, groups_io):
    """Pairs of triangles of faces that face each other at seeds; returns how many. X is the pose of B in A.

    Two faces are taken once: a group that is no region says that they were.
    """
    n = 0
    for seed in range(n_seed):
        kind_a, a = scratch_io.seed[seed, 0], scratch_io.seed[seed, 1]
        kind_b, b = scratch_io.seed[seed, 2], scratch_io.seed[seed, 3]
        for p in range(_count_faces(part_a, kind_a, a)):
            f = _face_of(part_a, kind_a, a, p)
            for q in range(_count_faces(part_b, kind_b, b)):
                g = _face_of(part_b, kind_b, b, q)
                if not _face_each_other(part_a, f, part_b, g, X):
                    continue
                known = groups_io.counts[GROUPS]
                mark = group_of(groups_io, TAKEN, f, VERTEX, g)
                if groups_io.counts[GROUPS] > known:
                    groups_io.state[mark, FATE] = RESOLVED
                    n = _take_faces(part_a, f, part_b, g, X, reach, n, scratch_io, groups_io)
    return n


@lean_kernel
def _is_surface(part_a, kind_a, a, part_b, kind_b, b, groups):
    """Whether faces of two features have turned out to lie on each other."""
    for p in range(_count_faces(part_a, kind_a, a)):
        f = _face_of(part_a, kind_a, a, p)
        for q in range(_count_faces(part_b, kind_b, b)):
            group = find_group(groups, key_of(FACE, f, FACE, _face_of(part_b, kind_b, b, q)))
            if group >= 0 and groups.state[group, FATE] == OPEN:
                return True
    return False


@lean_kernel
def collect_near(part_a, part_b, n_seed, X, reach, scratch_io, groups_io):
    """Pairs of triangles near seeds that belong to no surface, which was found before; returns how many."""
    n = 0
    for seed in range(n_seed):
        kind_a, a = scratch_io.seed[seed, 0], scratch_io.seed[seed, 1]
        kind_b, b = scratch_io.seed[seed, 2], scratch_io.seed[seed, 3]
        if (kind_a == FACE and kind_b == FACE) or _is_surface(part_a, kind_a, a, part_b, kind_b, b, groups_io):
            continue
        n = _take_near(part_a, part_b, X, seed, reach, n, scratch_io, groups_io)
    return n
