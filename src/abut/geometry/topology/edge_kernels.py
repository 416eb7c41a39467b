"""Edges of a triangle mesh: which half-edges belong together.

Half-edge h = 3 t + k runs from corner k of triangle t to corner (k + 1) % 3. It is *forward* when it runs from the
smaller vertex index to the larger. Two half-edges of one edge enclose material between their triangles; where more
than two meet on the same two vertices, each wedge of material gets an edge of its own.
"""

from math import atan2

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add_scaled, cross, dot, put_row, row, sub, unit
from .csr_kernels import list_starts, sort_by_owner

_SAME_ANGLE = 1e-9
"""[rad] faces around an edge that differ by less lie on each other."""


@kernel
def half_edge_ends(triangles, h):
    """Vertices from which and to which half-edge `h` runs."""
    t, k = h // 3, h % 3
    return triangles[t, k], triangles[t, (k + 1) % 3]


@kernel
def next_in_triangle(h):
    """The half-edge after `h` around its triangle."""
    return h - 2 if h % 3 == 2 else h + 1


@kernel
def previous_in_triangle(h):
    """The half-edge before `h` around its triangle."""
    return h + 2 if h % 3 == 0 else h - 1


@kernel
def sort_half_edges(triangles, n_vertex, order_out):
    """Order of the half-edges by (smaller vertex, larger vertex)."""
    n = 3 * triangles.shape[0]
    low, high, by_high = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for h in range(n):
        a, b = half_edge_ends(triangles, h)
        low[h], high[h] = min(a, b), max(a, b)
    start = np.empty(n_vertex + 1, np.int32)
    list_starts(high, start)
    sort_by_owner(high, np.arange(n).astype(np.int32), start, by_high)
    list_starts(low, start)
    sort_by_owner(low, by_high, start, order_out)


@kernel
def _same_edge(triangles, g, h):
    a, b = half_edge_ends(triangles, g)
    c, d = half_edge_ends(triangles, h)
    return min(a, b) == min(c, d) and max(a, b) == max(c, d)


@kernel
def _is_forward(triangles, h):
    a, b = half_edge_ends(triangles, h)
    return a < b


@kernel
def _radial_angles(vertices, triangles, group, angle_out):
    """Angle of each triangle of `group` about their common edge, seen along it, from the first triangle."""
    a, b = half_edge_ends(triangles, group[0])
    low = row(vertices, min(a, b))
    axis = unit(sub(row(vertices, max(a, b)), low))
    x = (0.0, 0.0, 0.0)
    y = x
    for i in range(group.shape[0]):
        opposite = row(vertices, triangles[group[i] // 3, (group[i] + 2) % 3])
        arm = sub(opposite, low)
        if i == 0:
            y = unit(cross(axis, arm))
            x = cross(y, axis)
        angle_out[i] = atan2(dot(arm, y), dot(arm, x))


@kernel
def _sort_group_by_angle(triangles, group_io, angle_io):
    """Insertion sort; of coincident faces the forward one comes first, so that the void between them is empty."""
    for i in range(1, group_io.shape[0]):
        for j in range(i, 0, -1):
            tie = abs(angle_io[j] - angle_io[j - 1]) < _SAME_ANGLE
            forward_last = _is_forward(triangles, group_io[j]) and not _is_forward(triangles, group_io[j - 1])
            if not ((not tie and angle_io[j] < angle_io[j - 1]) or (tie and forward_last)):
                break
            group_io[j], group_io[j - 1] = group_io[j - 1], group_io[j]
            angle_io[j], angle_io[j - 1] = angle_io[j - 1], angle_io[j]


@kernel
def _pair_around_edge(vertices, triangles, group_io, partner_out):
    """Pair the half-edges of one crowded edge across material; -1 where a half-edge finds no partner.

    A forward triangle has its material on the side of smaller angles, a backward one on the side of larger ones.
    """
    n = group_io.shape[0]
    angle = np.empty(n)
    _radial_angles(vertices, triangles, group_io, angle)
    _sort_group_by_angle(triangles, group_io, angle)
    for i in range(n):
        partner_out[i] = -1
    for i in range(n):
        j = (i + 1) % n
        if not _is_forward(triangles, group_io[i]) and _is_forward(triangles, group_io[j]):
            partner_out[i], partner_out[j] = j, i


@kernel
def _emit(triangles, forward, backward, e, ends_out, half_edges_out, edge_of_out):
    h = forward if forward >= 0 else backward
    a, b = half_edge_ends(triangles, h)
    ends_out[e, 0], ends_out[e, 1] = min(a, b), max(a, b)
    half_edges_out[e, 0], half_edges_out[e, 1] = forward, backward
    if forward >= 0:
        edge_of_out[forward] = e
    if backward >= 0:
        edge_of_out[backward] = e


@kernel
def pair_half_edges(vertices, triangles, order_io, ends_out, half_edges_out, crowd_out, edge_of_out):
    """Make the edges from sorted half-edges; returns how many there are.

    `half_edges_out[e]` is (forward, backward), -1 where there is none; `crowd_out[e]` says how many half-edges lie on
    the edge's two vertices, 2 on a manifold.
    """
    n_edge, i, n = 0, 0, order_io.shape[0]
    partner = np.empty(0, np.int32)
    while i < n:
        j = i + 1
        while j < n and _same_edge(triangles, order_io[i], order_io[j]):
            j += 1
        group = order_io[i:j]
        if partner.shape[0] < j - i:
            partner = np.empty(2 * (j - i), np.int32)
        if j - i == 2:
            opposed = _is_forward(triangles, group[0]) != _is_forward(triangles, group[1])
            partner[0], partner[1] = (1, 0) if opposed else (-1, -1)
        else:
            _pair_around_edge(vertices, triangles, group, partner)
        for k in range(j - i):
            h = group[k]
            forward = _is_forward(triangles, h)
            if partner[k] >= 0 and not forward:
                continue  # emitted with its forward partner
            backward = group[partner[k]] if partner[k] >= 0 else -1
            f, b = (h, backward) if forward else (-1, h)
            _emit(triangles, f, b, n_edge, ends_out, half_edges_out, edge_of_out)
            crowd_out[n_edge] = j - i
            n_edge += 1
        i = j
    return n_edge


@kernel
def twins_of_half_edges(half_edges, twin_out):
    """The half-edge across material of each half-edge, -1 where there is none."""
    twin_out[:] = -1
    for e in range(half_edges.shape[0]):
        f, b = half_edges[e, 0], half_edges[e, 1]
        if f >= 0 and b >= 0:
            twin_out[f], twin_out[b] = b, f


@kernel
def dihedral_angles(vertices, ends, half_edges, face_of_triangle, normal, dihedral_out):
    """Signed angle [rad] between the normals of the two faces at each edge: > 0 convex, < 0 concave, 0 in a face."""
    for e in range(ends.shape[0]):
        f, b = half_edges[e, 0], half_edges[e, 1]
        dihedral_out[e] = 0.0
        if f < 0 or b < 0:
            continue
        face_f, face_b = face_of_triangle[f // 3], face_of_triangle[b // 3]
        if face_f != face_b:
            axis = unit(sub(row(vertices, ends[e, 1]), row(vertices, ends[e, 0])))
            n_f, n_b = row(normal, face_f), row(normal, face_b)
            dihedral_out[e] = atan2(dot(cross(n_f, n_b), axis), dot(n_f, n_b))


@kernel
def edge_normals(faces, normal, area, normal_out):
    """Area-averaged unit normal of the one or two faces at each edge."""
    for e in range(faces.shape[0]):
        total = (0.0, 0.0, 0.0)
        for side in range(2):
            f = faces[e, side]
            if f >= 0:
                total = add_scaled(total, area[f], row(normal, f))
        put_row(unit(total), e, normal_out)
