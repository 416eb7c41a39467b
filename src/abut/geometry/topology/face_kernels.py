"""Planar faces of a triangle mesh: maximal connected coplanar patches, their planes and their loops."""

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add, add_scaled, cross, dot, norm, put_row, row, scale, sub, unit
from .edge_kernels import half_edge_ends, next_in_triangle
from .face_tables import PlacedTriangles

# Two triangles of one face may not differ by more than this in direction; a guard for thin steps only, since the
# distance tolerance decides (cosine of one degree).
MIN_COSINE = 0.9998476951563913


@kernel
def area_vectors(vertices, triangles, vector_out, area_out):
    """Area vector (unit normal times area) and area of each triangle."""
    for t in range(triangles.shape[0]):
        a = row(vertices, triangles[t, 0])
        ab, ac = sub(row(vertices, triangles[t, 1]), a), sub(row(vertices, triangles[t, 2]), a)
        v = scale(0.5, cross(ab, ac))
        put_row(v, t, vector_out)
        area_out[t] = norm(v)


@kernel
def _lies_in_plane(facets, t, n, offset, tolerance):
    if dot(n, row(facets.vector, t)) < MIN_COSINE * facets.area[t]:
        return False
    for k in range(3):
        if abs(dot(n, row(facets.vertices, facets.triangles[t, k])) - offset) > tolerance:
            return False
    return True


@kernel
def grow_faces(facets, twin, seeds, tolerance, face_out):
    """Number the coplanar patches, growing each from its largest triangle; returns how many there are.

    A triangle joins when its corners lie within `tolerance` of the seed's plane: the plane never drifts along a
    gently curved surface as it would if neighbours were compared.
    """
    facets, n_face = PlacedTriangles(*facets), 0
    face_out[:] = -1
    stack = np.empty(facets.triangles.shape[0], np.int32)
    for seed in seeds:
        if face_out[seed] >= 0:
            continue
        n = unit(row(facets.vector, seed))
        offset = dot(n, row(facets.vertices, facets.triangles[seed, 0]))
        face_out[seed] = n_face
        stack[0], depth = seed, 1
        while depth > 0:
            depth -= 1
            t = stack[depth]
            for k in range(3):
                h = twin[3 * t + k]
                if h < 0 or face_out[h // 3] >= 0:
                    continue
                if _lies_in_plane(facets, h // 3, n, offset, tolerance):
                    face_out[h // 3] = n_face
                    stack[depth] = h // 3
                    depth += 1
        n_face += 1
    return n_face


@kernel
def face_planes(facets, start, items, normal_out, offset_out, area_out):
    """Area-weighted plane and area of each face, whose triangles are items[start[f] : start[f + 1]]."""
    vertices, triangles, vector, area = PlacedTriangles(*facets)
    for f in range(start.shape[0] - 1):
        total, moment, weight = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for i in range(start[f], start[f + 1]):
            t = items[i]
            total = add(total, row(vector, t))
            corners = add(row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]))
            corners = add(corners, row(vertices, triangles[t, 2]))
            moment = add_scaled(moment, area[t] / 3.0, corners)
            weight += area[t]
        n = unit(total)
        put_row(n, f, normal_out)
        some_corner = row(vertices, triangles[items[start[f]], 0])
        offset_out[f] = dot(n, moment) / weight if weight > 0.0 else dot(n, some_corner)
        area_out[f] = weight


@kernel
def _is_border(h, twin, face):
    return twin[h] < 0 or face[twin[h] // 3] != face[h // 3]


@kernel
def _next_border(h, twin, face):
    """The border half-edge that follows `h` around its face, turning through the face's own triangles."""
    g = next_in_triangle(h)
    while not _is_border(g, twin, face):
        g = next_in_triangle(twin[g])
    return g


@kernel
def trace_loops(triangles, twin, face, start, items, loops_of_face_out, loop_start_out, half_edges_out):
    """Walk the border of each face; returns the numbers of loops and of border half-edges.

    A loop runs counter-clockwise seen from outside around the face, clockwise around its holes.
    """
    seen = np.zeros(3 * triangles.shape[0], np.bool_)
    n_loop, n_item = 0, 0
    loops_of_face_out[0] = 0
    for f in range(start.shape[0] - 1):
        for i in range(start[f], start[f + 1]):
            for k in range(3):
                h = 3 * items[i] + k
                if seen[h] or not _is_border(h, twin, face):
                    continue
                loop_start_out[n_loop] = n_item
                n_loop += 1
                while not seen[h]:
                    seen[h] = True
                    half_edges_out[n_item] = h
                    n_item += 1
                    h = _next_border(h, twin, face)
        loops_of_face_out[f + 1] = n_loop
    loop_start_out[n_loop] = n_item
    return n_loop, n_item


@kernel
def loop_areas(vertices, triangles, face, normal, loop_start, half_edges, area_out):
    """Signed area each loop encloses in its face's plane: > 0 for outer loops, < 0 for holes."""
    for l in range(loop_start.shape[0] - 1):
        first = half_edges[loop_start[l]]
        origin = row(vertices, half_edge_ends(triangles, first)[0])
        total = (0.0, 0.0, 0.0)
        for i in range(loop_start[l], loop_start[l + 1]):
            a, b = half_edge_ends(triangles, half_edges[i])
            total = add(total, cross(sub(row(vertices, a), origin), sub(row(vertices, b), origin)))
        area_out[l] = 0.5 * dot(total, row(normal, face[first // 3]))


@kernel
def outer_loops_first(loops_of_face, loop_area, order_out):
    """Order of the loops in which each face's largest loop comes first."""
    for f in range(loops_of_face.shape[0] - 1):
        first, best = loops_of_face[f], loops_of_face[f]
        for l in range(first, loops_of_face[f + 1]):
            order_out[l] = l
            if loop_area[l] > loop_area[best]:
                best = l
        if best != first:
            order_out[first], order_out[best] = best, first


@kernel
def bounds_of_triangles(vertices, triangles, bounds_out):
    """Lowest and highest coordinates of the triangles' corners."""
    low = high = row(vertices, triangles[0, 0])
    for t in range(triangles.shape[0]):
        for k in range(3):
            v = row(vertices, triangles[t, k])
            low = (min(low[0], v[0]), min(low[1], v[1]), min(low[2], v[2]))
            high = (max(high[0], v[0]), max(high[1], v[1]), max(high[2], v[2]))
    put_row(low, 0, bounds_out)
    put_row(high, 1, bounds_out)
