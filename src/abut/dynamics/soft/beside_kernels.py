"""What is beside the features of a contact: faces to which a vertex goes on, and faces over which ways lean.

A vertex just beyond a side of a face is nearest to that side, and the way to it leans. Where the face beside is nearer,
that one holds the vertex along its own normal: to push along the leaning way would push both bodies aside. So it is
with edges: where the way between them leans over a face beside one, they are not the nearest features there.
"""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...fem.skin_check_kernels import VERTEX_FACE, nearest_at
from ...math.vec_kernels import cross, dot, lerp, norm, norm2, row, scale, sub
from .soft_packet_tables import fans_of, hit_of, states_of, touches_of, vertices_of
from .touch_kernels import place_touches, put_axes

MOST_FACES = 8
"""Faces over which a vertex goes on at once, at most."""
PAST_A_SIDE = 2.0
"""In distances: so far beyond a side of its face a vertex is still held by it, as if the face went on. Otherwise
it may swing over a side at every step, between faces whose normals differ a little, and never come to rest."""
BELOW = 0.02
"""Share of its distance by which the plane of that face may be nearer than the face beside it."""
ON_A_SIDE = 1e-9
"""Share of a corner below which a point of a face is on the side opposite to it."""


@inner_kernel
def _face_beside(fans, a, b, c):
    """Where in the fans the other triangle is that has the side a b of the triangle a b c; -1 if there is none."""
    for t in range(fans.first[a], fans.first[a + 1]):
        p, q, r = fans.corners[t, 0], fans.corners[t, 1], fans.corners[t, 2]
        if (p == b or q == b or r == b) and p != c and q != c and r != c:
            return t
    return -1


@lean_kernel
def _nearer_face(fans, vertices, ids, t):
    """The face beside that of a vertex and a face to which the vertex is nearer at a time; -1 if there is none."""
    shares, _, nearest = nearest_at(VERTEX_FACE, vertices.start, vertices.end, ids, t)
    found = -1
    for m in range(3):
        if shares[1 + m] > ON_A_SIDE:
            continue
        face = _face_beside(fans, ids[1 + (m + 1) % 3], ids[1 + (m + 2) % 3], ids[1 + m])
        if face < 0:
            continue
        i, j, k = fans.corners[face, 0], fans.corners[face, 1], fans.corners[face, 2]
        if i == ids[0] or j == ids[0] or k == ids[0]:
            continue
        distance = nearest_at(VERTEX_FACE, vertices.start, vertices.end, (ids[0], i, j, k), t)[2]
        if distance < nearest:
            nearest, found = distance, face
    return found


@lean_kernel
def _go_on(fans, vertices, name_io, k, t):
    """Let the vertex of a contact go on at the face that is nearest at a time, over sides; whether it has."""
    gone = False
    for _ in range(MOST_FACES):
        ids = (name_io[k, 1], name_io[k, 2], name_io[k, 3], name_io[k, 4])
        face = _nearer_face(fans, vertices, ids, t)
        if face < 0:
            break
        gone = True
        for m in range(3):
            name_io[k, 2 + m] = fans.corners[face, m]
    return gone


@lean_kernel
def _stays(vertices, ids, way, beside):
    """The normal of a face along which a vertex is held that is hardly beyond a side of it, and how far it is from it.

    The face beside it is nearer, by `beside`. No normal is found where the vertex is too far beyond the side, or where
    the plane of the face is above the one beside it.
    """
    a, b, c = row(vertices.start, ids[1]), row(vertices.start, ids[2]), row(vertices.start, ids[3])
    up = cross(sub(b, a), sub(c, a))
    size = norm(up)
    if size == 0.0:
        return (0.0, 0.0, 0.0), 0.0
    height = dot(way, up) / size
    normal = scale(1.0 / size if height > 0.0 else -1.0 / size, up)
    height = abs(height)
    if norm2(way) > (1.0 + PAST_A_SIDE * PAST_A_SIDE) * height * height or height < (1.0 - BELOW) * beside:
        return (0.0, 0.0, 0.0), 0.0
    return normal, height


@kernel
def go_on_beside(packet_io, n):
    """Let vertices of n contacts that have left their faces go on at those beside these, as the step begins."""
    fans, vertices = fans_of(packet_io), vertices_of(packet_io)
    touches, gap = touches_of(packet_io), states_of(packet_io).gap
    for k in range(n):
        for _ in range(MOST_FACES if touches.name[k, 0] == VERTEX_FACE else 0):
            ids = (touches.name[k, 1], touches.name[k, 2], touches.name[k, 3], touches.name[k, 4])
            face = _nearer_face(fans, vertices, ids, 0.0)
            if face < 0:
                break
            other = (ids[0], fans.corners[face, 0], fans.corners[face, 1], fans.corners[face, 2])
            _, way, _ = nearest_at(VERTEX_FACE, vertices.start, vertices.start, ids, 0.0)
            _, _, beside = nearest_at(VERTEX_FACE, vertices.start, vertices.start, other, 0.0)
            normal, height = _stays(vertices, ids, way, beside)
            if height > 0.0:
                put_axes(normal, k, touches.axes)
                gap[k] = height
                break
            for m in range(3):
                touches.name[k, 2 + m] = fans.corners[face, m]
            place_touches(touches, vertices, k, k + 1, gap)


@kernel
def hit_beside(packet_io, n):
    """The same of n hits, at their times."""
    fans, vertices, hit = fans_of(packet_io), vertices_of(packet_io), hit_of(packet_io)
    for k in range(n):
        t = hit.value[k, 0]
        if hit.name[k, 0] != VERTEX_FACE or t > 1.0 or not _go_on(fans, vertices, hit.name, k, t):
            continue
        ids = (hit.name[k, 1], hit.name[k, 2], hit.name[k, 3], hit.name[k, 4])
        shares, way, distance = nearest_at(VERTEX_FACE, vertices.start, vertices.end, ids, t)
        for m in range(4):
            hit.value[k, 1 + m] = shares[m]
        for d in range(3):
            hit.value[k, 5 + d] = way[d] / distance if distance > 0.0 else 0.0


@inner_kernel
def _leans_over(fans, vertices, edge, t, way):
    """By how much a way from an edge leans over a face beside it, as a sine: 0 if it leads out between them."""
    a, b = edge
    p = lerp(row(vertices.start, a), row(vertices.end, a), t)
    e, most = sub(lerp(row(vertices.start, b), row(vertices.end, b), t), p), 0.0
    for f in range(fans.first[a], fans.first[a + 1]):
        i, j, k = fans.corners[f, 0], fans.corners[f, 1], fans.corners[f, 2]
        if i != b and j != b and k != b:
            continue
        c = i + j + k - a - b
        into = sub(lerp(row(vertices.start, c), row(vertices.end, c), t), p)
        # Into the face, across the edge.
        across = sub(scale(norm2(e), into), scale(dot(into, e), e))
        size = norm(across)
        if size > 0.0:
            most = max(most, dot(way, across) / size)
    return most


@lean_kernel
def leaning_edges(fans, vertices, touches, k, t):
    """By how much the normal of a contact of edges leans over a face beside one of them at a time, as a sine.

    Where it does, features beside these edges are nearer.
    """
    name, normal = touches.name, row(touches.axes[k], 0)
    first = _leans_over(fans, vertices, (name[k, 1], name[k, 2]), t, normal)
    return max(first, _leans_over(fans, vertices, (name[k, 3], name[k, 4]), t, scale(-1.0, normal)))
