"""Which features of two skins come within a distance of each other while their vertices move straight?

Vertices of all skins stand in one table. A triangle owns some of its corners and sides: of all triangles that share a
vertex or an edge one answers for it, and no pair of features is looked at twice. What comes near is a hit: its time,
the four vertices, how the nearest points are made of them, and the normal from the first feature to the second.
"""

from math import sqrt

from .._jit import kernel
from ..geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.vec_kernels import cross, dot, lerp, norm2, row, scale, sub
from ..query.impact.impact_linear_kernels import edge_edge_corners, impact_polygon, vertex_face_corners

VERTEX_FACE, EDGE_EDGE = 0, 1
# Pairs that begin nearer than they should keep at least this share of the distance that they have.
_KEPT = 0.9


@kernel
def face_weights(q, a, b, c):
    """Shares of the corners of a triangle at one of its points."""
    n = cross(sub(b, a), sub(c, a))
    n2 = norm2(n)
    if n2 == 0.0:
        return 1.0, 0.0, 0.0
    v, w = dot(cross(sub(q, a), sub(c, a)), n) / n2, dot(cross(sub(b, a), sub(q, a)), n) / n2
    v, w = min(1.0, max(0.0, v)), min(1.0, max(0.0, w))
    u = max(0.0, 1.0 - v - w)
    total = u + v + w
    return u / total, v / total, w / total


@kernel
def nearest_vertex_face(p, a, b, c):
    """Shares (1, 0, 0, of the corners), the way from the vertex to the nearest point of the face, and its length."""
    q, _ = closest_point_triangle(p, a, b, c)
    u, v, w = face_weights(q, a, b, c)
    way = sub(q, p)
    return (1.0, u, v, w), way, sqrt(norm2(way))


@kernel
def nearest_edge_edge(a0, a1, b0, b1):
    """Shares of the ends of both edges at their nearest points, the way between these, and its length."""
    p, q, s, t = closest_segment_segment(a0, a1, b0, b1)
    way = sub(q, p)
    return (1.0 - s, s, 1.0 - t, t), way, sqrt(norm2(way))


@kernel
def _nearest(kind, table, ids):
    i, j, k, l = ids
    if kind == VERTEX_FACE:
        return nearest_vertex_face(row(table, i), row(table, j), row(table, k), row(table, l))
    return nearest_edge_edge(row(table, i), row(table, j), row(table, k), row(table, l))


@kernel
def _moved(start, end, i, t):
    return lerp(row(start, i), row(end, i), t)


@kernel
def nearest_at(kind, start, end, ids, t):
    """Shares, way and distance of two features at the time `t`."""
    p, q, r, s = (
        _moved(start, end, ids[0], t),
        _moved(start, end, ids[1], t),
        _moved(start, end, ids[2], t),
        _moved(start, end, ids[3], t),
    )
    if kind == VERTEX_FACE:
        return nearest_vertex_face(p, q, r, s)
    return nearest_edge_edge(p, q, r, s)


@kernel
def _time(kind, start, end, ids, reach):
    """When two features come within `reach` of each other; inf if they do not."""
    i, j, k, l = ids
    if kind == VERTEX_FACE:
        first = vertex_face_corners(row(start, i), row(start, j), row(start, k), row(start, l))
        last = vertex_face_corners(row(end, i), row(end, j), row(end, k), row(end, l))
        return impact_polygon(first, last, 3, reach)
    first = edge_edge_corners(row(start, i), row(start, j), row(start, k), row(start, l))
    last = edge_edge_corners(row(end, i), row(end, j), row(end, k), row(end, l))
    return impact_polygon(first, last, 4, reach)


@kernel
def _boxes_apart(kind, start, end, ids, reach):
    """Whether boxes around the ways of two features are farther apart than `reach`."""
    cut = 1 if kind == VERTEX_FACE else 2
    for d in range(3):
        low_a, high_a, low_b, high_b = 1e300, -1e300, 1e300, -1e300
        for m in range(4):
            x, y = start[ids[m], d], end[ids[m], d]
            if m < cut:
                low_a, high_a = min(low_a, x, y), max(high_a, x, y)
            else:
                low_b, high_b = min(low_b, x, y), max(high_b, x, y)
        if low_a > high_b + reach or low_b > high_a + reach:
            return True
    return False


@kernel
def check_features(kind, start, end, ids, reach, spare, margin):
    """When two features come too near: time (inf if never), and 1 where even their start leaves no room for `spare`.

    Too near is within `reach` of each other, beyond a `margin` of round shapes; `spare` [m] is by how much vertices may
    be off their straight ways. Pairs that begin nearer than that must keep most of the distance that they have.
    """
    whole = reach + spare + margin
    if _boxes_apart(kind, start, end, ids, whole):
        return 2.0, 0
    t = _time(kind, start, end, ids, whole)
    if t > 0.0:
        return (t if t <= 1.0 else 2.0), 0
    _, _, distance = _nearest(kind, start, ids)
    free = distance - margin
    if free > whole - margin:
        return 0.0, 0
    if spare >= (1.0 - _KEPT) * free or free <= 0.0:
        return 0.0, 1
    t = _time(kind, start, end, ids, _KEPT * free + spare + margin)
    return (t if t <= 1.0 else 2.0), 0


@kernel
def _note(kind, start, end, ids, t, n, name_out, value_out):
    """Write the hit `n`, if there is room for it."""
    if n >= name_out.shape[0]:
        return n + 1
    shares, way, distance = nearest_at(kind, start, end, ids, t)
    normal = scale(1.0 / distance, way) if distance > 0.0 else (0.0, 0.0, 0.0)
    name_out[n, 0], value_out[n, 0] = kind, t
    for m in range(4):
        name_out[n, 1 + m], value_out[n, 1 + m] = ids[m], shares[m]
    for d in range(3):
        value_out[n, 5 + d] = normal[d]
    return n + 1


@kernel
def _shared(ids, cut):
    """Whether features of one skin have a vertex in common."""
    for i in range(cut):
        for j in range(cut, 4):
            if ids[i] == ids[j]:
                return True
    return False


@kernel
def check_pairs(start, end, first, second, owned, faces, options, pairs, count, n, name_out, value_out):
    """Hits of the features of `count` pairs of triangles, after the `n` hits that were found before.

    `first` and `second` are (m, 3) triangles. `owned`, (m, 6) for each, says which corners and sides they answer for,
    `faces` whether they are faces; `options` are reach, spare and margin [m]. Returns the number of hits, which may be
    more than fit, and of pairs without room.
    """
    stuck = 0
    for k in range(count):
        t, u = pairs[k, 0], pairs[k, 1]
        a, b = (first[t, 0], first[t, 1], first[t, 2]), (second[u, 0], second[u, 1], second[u, 2])
        for i in range(3):
            if owned[0][t, i] and faces[1]:
                n, stuck = _check(
                    VERTEX_FACE, start, end, (a[i], b[0], b[1], b[2]), options, n, stuck, name_out, value_out
                )
            if owned[1][u, i] and faces[0]:
                n, stuck = _check(
                    VERTEX_FACE, start, end, (b[i], a[0], a[1], a[2]), options, n, stuck, name_out, value_out
                )
            if not owned[0][t, 3 + i]:
                continue
            for j in range(3):
                if owned[1][u, 3 + j]:
                    ids = (a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3])
                    n, stuck = _check(EDGE_EDGE, start, end, ids, options, n, stuck, name_out, value_out)
    return n, stuck


@kernel
def _check(kind, start, end, ids, options, n, stuck, name_out, value_out):
    if _shared(ids, 1 if kind == VERTEX_FACE else 2):
        return n, stuck
    t, without_room = check_features(kind, start, end, ids, options[0], options[1], options[2])
    if t <= 1.0:
        return _note(kind, start, end, ids, t, n, name_out, value_out), stuck + without_room
    return n, stuck
