"""Fans: the triangles around a vertex, in order, one fan per manifold component.

A fan turns counter-clockwise seen from outside. Its normal cone is the set of directions between the normals of its
faces; `axis` and `cosine` bound it.
"""

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add_scaled, dot, put_row, row, unit
from .edge_kernels import next_in_triangle, previous_in_triangle


@kernel
def _first_of_fan(h, twin):
    """The half-edge at which the fan of `h` begins: at its border if it has one, else `h`."""
    g = h
    while twin[g] >= 0:
        g = next_in_triangle(twin[g])
        if g == h:
            return h
    return g


@kernel
def trace_fans(n_vertex, start, corners, twin, fans_of_vertex_out, fan_start_out, triangles_out, closed_out):
    """Order the triangles around each vertex into fans; returns the number of fans.

    `corners[start[v] : start[v + 1]]` are the half-edges that leave vertex v.
    """
    seen = np.zeros(corners.shape[0], np.bool_)
    n_fan, n_item = 0, 0
    fans_of_vertex_out[0] = 0
    for v in range(n_vertex):
        for i in range(start[v], start[v + 1]):
            if seen[corners[i]]:
                continue
            h = _first_of_fan(corners[i], twin)
            fan_start_out[n_fan] = n_item
            closed = False
            while not seen[h]:
                seen[h] = True
                triangles_out[n_item] = h // 3
                n_item += 1
                g = twin[previous_in_triangle(h)]
                if g < 0:
                    break
                closed = True
                h = g
            closed_out[n_fan] = closed and twin[previous_in_triangle(h)] >= 0
            n_fan += 1
        fans_of_vertex_out[v + 1] = n_fan
    fan_start_out[n_fan] = n_item
    return n_fan


@kernel
def fan_normals(fan_start, triangles, face, normal, area, axis_out, cosine_out):
    """Area-averaged normal of each fan's faces, and the cosine of the cone about it that holds all of them."""
    for f in range(fan_start.shape[0] - 1):
        first, end = fan_start[f], fan_start[f + 1]
        total = (0.0, 0.0, 0.0)
        for i in range(first, end):
            g = face[triangles[i]]
            previous = triangles[i - 1] if i > first else triangles[end - 1]
            if face[previous] != g or end - first == 1:  # each face once, however many triangles it has here
                total = add_scaled(total, area[g], row(normal, g))
        axis = unit(total)
        cosine = 1.0
        for i in range(first, end):
            cosine = min(cosine, dot(axis, row(normal, face[triangles[i]])))
        put_row(axis, f, axis_out)
        cosine_out[f] = cosine
