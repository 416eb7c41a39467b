"""Healing of triangle meshes: welding, T-junctions, orientation.

Half-edges are numbered as in edge_kernels. The mate of a half-edge is the other one on the same two vertices, whatever
its direction: ALONE where there is none, CROWDED where there are several.
"""

from math import floor, sqrt

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add_scaled, cross, distance2, dot, norm2, row, sub
from ..topology.edge_kernels import half_edge_ends, next_in_triangle, sort_half_edges
from .repair_tables import Splits

ALONE, CROWDED = -1, -2


@kernel
def _cell_hash(x, y, z, mask):
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@kernel
def _nearest_kept(vertices, v, cell, reach, head, following, mask):
    """The kept vertex nearest to `v` within `reach`, -1 where there is none."""
    p = row(vertices, v)
    cx, cy, cz = floor(p[0] / cell), floor(p[1] / cell), floor(p[2] / cell)
    best, best2 = -1, reach * reach
    for dx in range(-1, 2):
        for dy in range(-1, 2):
            for dz in range(-1, 2):
                w = head[_cell_hash(cx + dx, cy + dy, cz + dz, mask)]
                while w >= 0:
                    d2 = distance2(p, row(vertices, w))
                    if d2 < best2 or (d2 == best2 and best < 0):
                        best, best2 = w, d2
                    w = following[w]
    return best


@kernel
def weld(vertices, active, reach, target_out):
    """Send each active vertex to the nearest earlier one within `reach` that stays; returns the longest way.

    Only vertices that stay are targets, so nothing moves further than `reach`, however many lie in a row.
    """
    n = vertices.shape[0]
    mask = 1
    while mask < 2 * n:
        mask *= 2
    head, following = np.full(mask, -1, np.int32), np.full(n, -1, np.int32)
    mask -= 1
    longest2 = 0.0
    for v in range(n):
        target_out[v] = v
        if not active[v]:
            continue
        kept = _nearest_kept(vertices, v, reach, reach, head, following, mask)
        if kept >= 0:
            target_out[v] = kept
            longest2 = max(longest2, distance2(row(vertices, v), row(vertices, kept)))
        else:
            p = row(vertices, v)
            x, y, z = floor(p[0] / reach), floor(p[1] / reach), floor(p[2] / reach)
            slot = _cell_hash(x, y, z, mask)
            following[v] = head[slot]
            head[slot] = v
    return sqrt(longest2)


@kernel
def find_mates(triangles, n_vertex, mate_out):
    """The other half-edge on the same two vertices; returns how many lie alone or in an odd crowd."""
    n = 3 * triangles.shape[0]
    order = np.empty(n, np.int32)
    sort_half_edges(triangles, n_vertex, order)
    n_open, i = 0, 0
    while i < n:
        a, b = half_edge_ends(triangles, order[i])
        j = i + 1
        while j < n:
            c, d = half_edge_ends(triangles, order[j])
            if min(a, b) != min(c, d) or max(a, b) != max(c, d):
                break
            j += 1
        if j - i == 2:
            mate_out[order[i]], mate_out[order[i + 1]] = order[i + 1], order[i]
        else:
            for k in range(i, j):
                mate_out[order[k]] = ALONE if j - i == 1 else CROWDED
            n_open += (j - i) % 2
        i = j
    return n_open


@kernel
def triangle_height(a, b, c):
    """Smallest height of a triangle: twice its area over its longest side, 0 for a point."""
    longest2 = max(distance2(a, b), distance2(b, c), distance2(c, a))
    return sqrt(norm2(cross(sub(b, a), sub(c, a))) / longest2) if longest2 > 0.0 else 0.0


@kernel
def heights(vertices, triangles, height_out):
    """Smallest height of each triangle."""
    for t in range(triangles.shape[0]):
        a, b, c = row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]), row(vertices, triangles[t, 2])
        height_out[t] = triangle_height(a, b, c)


@kernel
def _position_on_edge(p, a, b, reach):
    """Where `p` splits the edge ab, and its distance from it; -1 where it is too far away or at an end."""
    ab = sub(b, a)
    length2 = norm2(ab)
    if length2 == 0.0:
        return -1.0, 0.0
    t = dot(sub(p, a), ab) / length2
    gap2 = distance2(p, add_scaled(a, t, ab))
    inside = t > 0.0 and t < 1.0 and gap2 <= reach * reach and distance2(p, a) > 0.0 and distance2(p, b) > 0.0
    return (t, sqrt(gap2)) if inside else (-1.0, 0.0)


@kernel
def find_splits(vertices, triangles, open_edges, candidates, axis, reach, splits_out):
    """Vertices that lie on open edges; returns how many, of which as many are written as there is room for.

    `candidates` are vertices sorted along `axis`; `splits_out` are Splits.
    """
    edge, vertex, place, gaps = Splits(*splits_out)
    keys = np.empty(candidates.shape[0])
    for i in range(candidates.shape[0]):
        keys[i] = vertices[candidates[i], axis]
    count = 0
    for h in open_edges:
        ia, ib = half_edge_ends(triangles, h)
        a, b = row(vertices, ia), row(vertices, ib)
        low, high = min(a[axis], b[axis]) - reach, max(a[axis], b[axis]) + reach
        for i in range(np.searchsorted(keys, low), candidates.shape[0]):
            if keys[i] > high:
                break
            v = candidates[i]
            if v == ia or v == ib or v == triangles[h // 3, (h + 2) % 3]:
                continue
            t, gap = _position_on_edge(row(vertices, v), a, b, reach)
            if t < 0.0:
                continue
            if count < edge.shape[0]:
                edge[count], vertex[count], place[count], gaps[count] = h, v, t, gap
            count += 1
    return count


@kernel
def split_triangles(triangles, edge, vertex, triangles_out):
    """Cut triangles into fans at the vertices on one of their edges; returns how many triangles there are now.

    `edge` and `vertex` are sorted along each edge. Of a triangle with splits on several edges only the first edge is
    cut now; the others are found again in the next round.
    """
    n_split = edge.shape[0]
    first = np.full(triangles.shape[0], -1, np.int32)
    for i in range(n_split - 1, -1, -1):
        first[edge[i] // 3] = i
    n = 0
    for t in range(triangles.shape[0]):
        i = first[t]
        if i < 0:
            for k in range(3):
                triangles_out[n, k] = triangles[t, k]
            n += 1
            continue
        h = edge[i]
        a, b = half_edge_ends(triangles, h)
        apex = half_edge_ends(triangles, next_in_triangle(h))[1]
        while True:
            last = i >= n_split or edge[i] != h
            end = b if last else vertex[i]
            triangles_out[n, 0], triangles_out[n, 1], triangles_out[n, 2] = a, end, apex
            n += 1
            if last:
                break
            a = end
            i += 1
    return n


@kernel
def orient_components(triangles, mate, component_out, flip_out):
    """Number the parts that hang together across simple edges and say which triangles to turn over.

    Returns the number of components and how many simple edges no choice can satisfy (a Moebius band).
    """
    n = triangles.shape[0]
    component_out[:] = -1
    stack = np.empty(n, np.int32)
    n_component, conflicts = 0, 0
    for seed in range(n):
        if component_out[seed] >= 0:
            continue
        component_out[seed], flip_out[seed] = n_component, False
        stack[0], depth = seed, 1
        while depth > 0:
            depth -= 1
            t = stack[depth]
            for k in range(3):
                g = mate[3 * t + k]
                if g < 0:
                    continue
                # Neighbours run along their common edge in opposite directions.
                same = half_edge_ends(triangles, 3 * t + k)[0] == half_edge_ends(triangles, g)[0]
                wanted = flip_out[t] != same
                if component_out[g // 3] < 0:
                    component_out[g // 3], flip_out[g // 3] = n_component, wanted
                    stack[depth] = g // 3
                    depth += 1
                elif flip_out[g // 3] != wanted:
                    conflicts += 1
        n_component += 1
    return n_component, conflicts // 2
