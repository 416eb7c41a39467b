"""Which features of two skins come within a distance of each other while their vertices move straight?

Vertices of all skins stand in one table. A triangle owns some of its corners and sides: of all triangles that share a
vertex or an edge one answers for it, and no pair of features is looked at twice. What comes near is a hit: its time,
the four vertices, how the nearest points are made of them, and the normal from the first feature to the second.
"""

from math import sqrt

from .._jit import inner_kernel, kernel, lean_kernel
from ..geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.vec_kernels import cross, dot, lerp, norm2, row, scale, sub
from ..query.impact.impact_linear_kernels import edge_edge_corners, impact_polygon, vertex_face_corners
from .skin_tables import Hit, Near, Reach, SkinFaces, Ways

VERTEX_FACE, EDGE_EDGE = 0, 1
# Pairs that begin nearer than they should keep at least this share of the distance that they have.
_KEPT = 0.9
# Share of an edge at each of its ends that is left to what is there besides.
_INNER = 0.01


@inner_kernel
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


@lean_kernel
def nearest_vertex_face(p, a, b, c):
    """Shares (1, 0, 0, of the corners), the way from the vertex to the nearest point of the face, and its length."""
    q, _ = closest_point_triangle(p, a, b, c)
    u, v, w = face_weights(q, a, b, c)
    way = sub(q, p)
    return (1.0, u, v, w), way, sqrt(norm2(way))


@lean_kernel
def nearest_edge_edge(a0, a1, b0, b1):
    """Shares of the ends of both edges at their nearest points, the way between these, and its length."""
    p, q, s, t = closest_segment_segment(a0, a1, b0, b1)
    way = sub(q, p)
    return (1.0 - s, s, 1.0 - t, t), way, sqrt(norm2(way))


@inner_kernel
def _nearest(kind, table, ids):
    i, j, k, l = ids
    if kind == VERTEX_FACE:
        return nearest_vertex_face(row(table, i), row(table, j), row(table, k), row(table, l))
    return nearest_edge_edge(row(table, i), row(table, j), row(table, k), row(table, l))


@inner_kernel
def _moved(start, end, i, t):
    return lerp(row(start, i), row(end, i), t)


@lean_kernel
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


@lean_kernel
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


@inner_kernel
def _box_distance(kind, start, end, ids):
    """How far boxes around the ways of two features are apart along an axis; less than 0 where they meet."""
    cut, most = 1 if kind == VERTEX_FACE else 2, -1e300
    for d in range(3):
        low_a, high_a, low_b, high_b = 1e300, -1e300, 1e300, -1e300
        for m in range(4):
            x, y = start[ids[m], d], end[ids[m], d]
            if m < cut:
                low_a, high_a = min(low_a, x, y), max(high_a, x, y)
            else:
                low_b, high_b = min(low_b, x, y), max(high_b, x, y)
        most = max(most, low_a - high_b, low_b - high_a)
    return most


@inner_kernel
def _parted(kind, table, ids, n):
    """How far the first feature is below the second along a direction, and how far above."""
    a = row(table, ids[0])
    y, z, w = dot(sub(row(table, ids[1]), a), n), dot(sub(row(table, ids[2]), a), n), dot(sub(row(table, ids[3]), a), n)
    if kind == VERTEX_FACE:
        return min(y, z, w), -max(y, z, w)
    return min(z, w) - max(0.0, y), min(0.0, y) - max(z, w)


@inner_kernel
def _parted_along(kind, start, end, ids, n):
    """How far a direction keeps two features apart all the way; 0 where it does not.

    Along a fixed direction, distances between vertices that move straight change evenly.
    """
    size = sqrt(norm2(n))
    if size == 0.0:
        return 0.0
    below, above = _parted(kind, start, ids, n)
    then_below, then_above = _parted(kind, end, ids, n)
    return max(0.0, min(below, then_below), min(above, then_above)) / size * (1.0 - 1e-9)


@inner_kernel
def _normal_to_both(kind, table, ids):
    """A direction normal to both features."""
    a, b, c, d = row(table, ids[0]), row(table, ids[1]), row(table, ids[2]), row(table, ids[3])
    return cross(sub(c, b), sub(d, b)) if kind == VERTEX_FACE else cross(sub(b, a), sub(d, c))


@inner_kernel
def kept_apart(kind, start, end, ids, whole):
    """A distance that two features keep all the way, by simple arguments; `whole` [m] is as much as is asked for.

    Boxes, a direction normal to both at the start, and the direction from one to the other at the end.
    """
    apart = _box_distance(kind, start, end, ids)
    if apart > whole:
        return apart
    apart = max(apart, _parted_along(kind, start, end, ids, _normal_to_both(kind, start, ids)))
    if apart > whole:
        return apart
    return max(apart, _parted_along(kind, start, end, ids, _nearest(kind, end, ids)[1]))


@lean_kernel
def check_features(kind, start, end, ids, reach, spare, margin):
    """When two features come too near: time (inf if never), and 1 where even their start leaves no room for `spare`.

    Too near is within `reach` of each other, beyond a `margin` of round shapes; `spare` [m] is by how much vertices may
    be off their straight ways. Pairs that begin nearer than that must keep most of the distance that they have.
    """
    whole = reach + spare + margin
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


@inner_kernel
def _shared(ids, cut):
    """Whether features of one skin have a vertex in common."""
    for i in range(cut):
        for j in range(cut, 4):
            if ids[i] == ids[j]:
                return True
    return False


@inner_kernel
def _swept_distance(kind, swept, ids):
    """How far boxes around the ways of two features are apart along an axis, from those of their vertices."""
    i, j, k, l = ids
    most = -1e300
    for d in range(3):
        low_a, high_a, low_b, high_b = swept[i, d], swept[i, d + 3], swept[l, d], swept[l, d + 3]
        if kind == VERTEX_FACE:
            low_b, high_b = min(low_b, swept[j, d]), max(high_b, swept[j, d + 3])
        else:
            low_a, high_a = min(low_a, swept[j, d]), max(high_a, swept[j, d + 3])
        low_b, high_b = min(low_b, swept[k, d]), max(high_b, swept[k, d + 3])
        most = max(most, low_a - high_b, low_b - high_a)
    return most


@inner_kernel
def _triangles_apart(swept, a, b):
    """How far boxes around the ways of two triangles are apart along an axis."""
    most = -1e300
    for d in range(3):
        low_a = min(swept[a[0], d], swept[a[1], d], swept[a[2], d])
        low_b = min(swept[b[0], d], swept[b[1], d], swept[b[2], d])
        high_a = max(swept[a[0], d + 3], swept[a[1], d + 3], swept[a[2], d + 3])
        high_b = max(swept[b[0], d + 3], swept[b[1], d + 3], swept[b[2], d + 3])
        most = max(most, low_a - high_b, low_b - high_a)
    return most


@inner_kernel
def _note_near(kind, swept, ids, reach, n, near_out):
    """Write a pair of features whose boxes come near each other, if there is room; how many there are."""
    if _swept_distance(kind, swept, ids) > reach or _shared(ids, 1 if kind == VERTEX_FACE else 2):
        return n
    if n < near_out.name.shape[0]:
        near_out.name[n, 0], near_out.room[n] = kind, -1.0
        for m in range(4):
            near_out.name[n, 1 + m] = ids[m]
    return n + 1


@kernel
def near_features(swept, sides, reach, pairs, count, n, near_out):
    """Features of `count` pairs of triangles whose boxes come within `reach`, after `n` others; how many there are.

    `swept` (n, 6) are boxes around the ways of vertices, `sides` both skins; more may be found than fit. `reach` are
    the distances [m] for a vertex and a face, and for edges, which is no more.
    """
    near, first, second, (reach, edge_reach) = Near(*near_out), SkinFaces(*sides[0]), SkinFaces(*sides[1]), reach
    for k in range(count):
        t, u = pairs[k, 0], pairs[k, 1]
        a = first.triangles[t, 0], first.triangles[t, 1], first.triangles[t, 2]
        b = second.triangles[u, 0], second.triangles[u, 1], second.triangles[u, 2]
        apart = _triangles_apart(swept, a, b)
        if apart > reach:
            continue
        for i in range(3):
            if first.owned[t, i] and second.faces:
                n = _note_near(VERTEX_FACE, swept, (a[i], b[0], b[1], b[2]), reach, n, near)
            if second.owned[u, i] and first.faces:
                n = _note_near(VERTEX_FACE, swept, (b[i], a[0], a[1], a[2]), reach, n, near)
            if not first.owned[t, 3 + i] or apart > edge_reach:
                continue
            for j in range(3):
                if second.owned[u, 3 + j]:
                    ids = (a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3])
                    n = _note_near(EDGE_EDGE, swept, ids, edge_reach, n, near)
    return n


@inner_kernel
def _inner(kind, shares):
    """Whether nearest points are within both features; those at their borders are left to what is there."""
    return min(shares[0], shares[1], shares[2], shares[3]) > (0.0 if kind == VERTEX_FACE else _INNER)


@lean_kernel
def _note_beside(kind, ways, ids, beside, margin, n, hit_out):
    """Write features as the hit `n` that begin or end within `beside` of each other, beyond a margin; how many."""
    for end in range(2):
        shares, way, distance = _nearest(kind, ways.end if end else ways.start, ids)
        if distance - margin <= beside and _inner(kind, shares):
            return _put_hit(kind, ids, (1.0 + distance / (beside + margin), 2.0), (shares, way, distance), n, hit_out)
    return n


@lean_kernel
def _note_hit(kind, ways, ids, times, n, hit_out):
    """Write the hit `n`, if there is room for it."""
    return _put_hit(kind, ids, times, nearest_at(kind, ways.start, ways.end, ids, times[0]), n, hit_out)


@lean_kernel
def _put_hit(kind, ids, times, nearest, n, hit_out):
    if n >= hit_out.name.shape[0]:
        return n + 1
    shares, way, distance = nearest
    normal = scale(1.0 / distance, way) if distance > 0.0 else (0.0, 0.0, 0.0)
    hit_out.name[n, 0], hit_out.value[n, 0], hit_out.value[n, 8] = kind, times[0], times[1]
    for m in range(4):
        hit_out.name[n, 1 + m], hit_out.value[n, 1 + m] = ids[m], shares[m]
    for d in range(3):
        hit_out.value[n, 5 + d] = normal[d]
    return n + 1


@kernel
def check_near(ways, near_io, count, reach, way, edges, hit_out):
    """Hits of `count` pairs of features, without those of edges unless asked for.

    `way` [m] is how far vertices have moved in all since the list was made; pairs with more room than that are not
    looked at. Returns how many hits there are, which may be more than fit, and how many begin without room.
    """
    ways, near, reach, hit = Ways(*ways), Near(*near_io), Reach(*reach), Hit(*hit_out)
    n, stuck = 0, 0
    for k in range(count):
        kind = near.name[k, 0]
        if near.room[k] > way or (kind == EDGE_EDGE and not edges):
            continue
        ids = (near.name[k, 1], near.name[k, 2], near.name[k, 3], near.name[k, 4])
        spare, margin = reach.spare[near.pair[k]], reach.margin[near.pair[k]]
        whole = max(reach.noted, reach.beside) + spare + margin
        apart = kept_apart(kind, ways.start, ways.end, ids, whole)
        # Both of them move, each by as much as any vertex.
        near.room[k] = way + 0.5 * (apart - whole)
        if apart > whole:
            continue
        if apart > reach.noted + spare + margin:
            n = _note_beside(kind, ways, ids, reach.beside, margin, n, hit)
            continue
        t, _ = check_features(kind, ways.start, ways.end, ids, reach.noted, spare, margin)
        if t > 1.0:
            n = _note_beside(kind, ways, ids, reach.beside, margin, n, hit)
            continue
        late, without_room = t, 0
        if apart > reach.refused + spare + margin:
            late = 2.0
        elif reach.refused < reach.noted:
            late, without_room = check_features(kind, ways.start, ways.end, ids, reach.refused, spare, margin)
        stuck += without_room
        n = _note_hit(kind, ways, ids, (t, late), n, hit)
    return n, stuck


@kernel
def farthest(before, now):
    """The longest way of any vertex from one table to another [m]."""
    most = 0.0
    for i in range(before.shape[0]):
        most = max(most, norm2(sub(row(now, i), row(before, i))))
    return sqrt(most)


@kernel
def leaves_ways(start, before, end, room):
    """Whether a vertex ends more than `room` [m] outside the box of the way that it was thought to make."""
    for i in range(start.shape[0]):
        for d in range(3):
            x, y, z = start[i, d], before[i, d], end[i, d]
            if z > max(x, y) + room or z < min(x, y) - room:
                return True
    return False
