"""Which vertices of a skin lie inside another one? Axis-oriented rays (Marinković, Zehn & Marinković, 2011).

A ray along an axis is a question about projections: the vertex is a point of the plane across the axis, a face is a
triangle of it. A rectangle around a face, or around a box of the tree, that does not hold the point rejects it with
four comparisons. Where it does, the point is in the triangle if the areas of the three triangles that it makes with
the sides add up to that of the triangle. Of the faces that the ray meets within the common box of both skins, the
closest decides: if the ray leaves through its outer side, the vertex is inside.
"""

import numpy as np

from .._jit import kernel
from .detect_tables import Located, Surface
from .skin_kernels import STACK, boxes_meet

INSIDE, OUTSIDE, UNDECIDED = 1, 0, -1
# Areas are sums of products of differences, a few roundings each.
_AREA_ROUNDING = 1e-12


@kernel
def _area2(ax, ay, bx, by, cx, cy):
    """Twice the signed area of a triangle of the plane."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel
def _crossing(vertices, triangles, t, p, k):
    """Whether a ray through `p` along axis `k` meets a triangle, where it does, and twice the projected area."""
    u, v = (k + 1) % 3, (k + 2) % 3
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, bx, by = vertices[a, u], vertices[a, v], vertices[b, u], vertices[b, v]
    cx, cy = vertices[c, u], vertices[c, v]
    whole = _area2(ax, ay, bx, by, cx, cy)
    x, y = p[u], p[v]
    in_a, in_b, in_c = _area2(x, y, bx, by, cx, cy), _area2(ax, ay, x, y, cx, cy), _area2(ax, ay, bx, by, x, y)
    parts = abs(in_a) + abs(in_b) + abs(in_c)
    if whole == 0.0 or parts > abs(whole) * (1.0 + _AREA_ROUNDING):
        return False, 0.0, whole
    return True, (in_a * vertices[a, k] + in_b * vertices[b, k] + in_c * vertices[c, k]) / whole, whole


@kernel
def _rectangle_holds(boxes, node, p, k):
    """Whether the projection of a box along axis `k` holds that of `p`."""
    u, v = (k + 1) % 3, (k + 2) % 3
    return boxes[node, u] <= p[u] <= boxes[node, u + 3] and boxes[node, v] <= p[v] <= boxes[node, v + 3]


@kernel
def ray_along_axis(surface, common, p, k):
    """What the ray through `p` along axis `k` says: INSIDE, OUTSIDE or UNDECIDED, the closest face, and how far it is.

    The way is positive where the face lies in the direction of the axis. Faces at the same distance that contradict
    each other, as at an edge seen from its side, decide nothing.
    """
    vertices, triangles, child, boxes = surface
    stack, top = np.empty(STACK, np.int64), 1
    stack[0] = 0
    answer, face, way = UNDECIDED, -1, np.inf
    while top > 0:
        top -= 1
        node = stack[top]
        if not _rectangle_holds(boxes, node, p, k) or not boxes_meet(boxes, node, common, 0):
            continue
        under = np.int64(child[node])
        if under >= 0:
            stack[top], stack[top + 1] = under + 1, under
            top += 2
            continue
        t = -1 - under
        meets, at, area = _crossing(vertices, triangles, t, p, k)
        if not meets or at < common[0, k] or at > common[0, k + 3] or abs(at - p[k]) > abs(way):
            continue
        # The outward normal has the sign of the projected area along the axis.
        says = UNDECIDED if at == p[k] else (INSIDE if (at - p[k]) * area > 0.0 else OUTSIDE)
        if abs(at - p[k]) == abs(way) and face >= 0 and says != answer:
            says = UNDECIDED
        answer, face, way = says, t, at - p[k]
    return answer, face, way


@kernel
def locate_vertices(points, chosen, surface, common, located_out):
    """Rays along x, y and z, until one decides, for the chosen rows of `points` against a skin."""
    surface, (inside, faces, axes, ways) = Surface(*surface), Located(*located_out)
    for i in range(chosen.shape[0]):
        v = chosen[i]
        p = (points[v, 0], points[v, 1], points[v, 2])
        inside[i], faces[i], axes[i], ways[i] = False, -1, -1, 0.0
        for k in range(3):
            answer, face, way = ray_along_axis(surface, common, p, k)
            if answer != UNDECIDED:
                inside[i], faces[i], axes[i], ways[i] = answer == INSIDE, face, k, way
                break
