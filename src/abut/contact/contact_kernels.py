"""Contacts between features of moving bodies: where they touch, along which normal, with what gap.

A contact is a pair of features held as a constraint. Its row `name` = [body A, body B, kind, feature of A, feature of
B, spot, label] and its row `place` = [point of A (3) in A's frame, point of B (3) in B's frame, normal (3), gap,
carrier, direction of A's edge (3) in A's frame, direction of B's edge (3) in B's frame]. The normal points from A to B
and the gap is normal . (x_B - x_A) less the radii of balls. The carrier is the body whose face gives the normal, which
is then written in that body's frame; or both, whose edges give it; or none. In these cases it is in the world's frame,
as it was when the contact was placed. Two edges that are nearly parallel and pass each other are also held at the
ends of the stretch they share: there, points of B's edge stay above a plane through A's, which A carries like a face,
for one motion or as long as they are beside A's edge. A ball on an edge or a corner has no carrier, but its gap is that
of the points that are nearest wherever the bodies are: it rolls over the edge and along it. So it is with the axis of a
capsule, an edge with a radius: across another edge both carry the normal from the beginning, along one that is nearly
parallel a point of A's edge rolls on B's.

Shapes are looked up in a feature table (query.feature_table_kernels) and in surfaces (contact.surface).
"""

from math import sqrt

from .._jit import inner_kernel, lean_kernel
from ..geometry.triangles.triangle_kernels import (
    closest_point_segment,
    closest_point_triangle,
    closest_segment_segment,
)
from ..math.pose_kernels import load_frame, pose_apply, pose_apply_inverse
from ..math.vec_kernels import add_scaled, cross, dot, mat_t_vec, mat_vec, neg, norm, row, scale, sub
from ..query.motion.feature_table_kernels import PLANE, POINT, SEGMENT, TRIANGLE
from ..query.motion.feature_tables import Features
from ..query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from .contact_tables import ContactRows, Sides, Surfaces

VERTEX_EDGE, EDGE_VERTEX, VERTEX_VERTEX = 3, 4, 5
NO_CARRIER, CARRIED_BY_A, CARRIED_BY_B, CARRIED_BY_BOTH = 0.0, 1.0, 2.0, 3.0
ON_FACE, ON_EDGE, ON_NOTHING = 0, 1, -1
INSIDE = 6  # The region of a triangle that is neither corner nor side.
NEARLY_NORMAL = 0.9
LEAST_SINE_OF_EDGES = 0.05
"""Of the angle between two edges whose directions give a normal."""
CROSSING, FIRST_END, LAST_END = -1, 0, 1
"""Where two edges are held: where they cross, or at an end of the stretch they share."""
LONG_EDGE = 0.5
"""Radii of the ball around a part beyond which an edge of it is long."""

# Columns of `name`.
BODY_A, BODY_B, KIND, FEATURE_A, FEATURE_B, SPOT, LABEL = 0, 1, 2, 3, 4, 5, 6  # SPOT: triangle, or where of two edges
# Columns of `place`.
POINT_A, POINT_B, NORMAL, GAP, CARRIER, EDGE_A, EDGE_B = 0, 3, 6, 9, 10, 11, 14
NAME_WIDTH, PLACE_WIDTH = LABEL + 1, EDGE_B + 3

# Columns of `start` of surfaces.
FIRST_TRIANGLE, FIRST_FACET = 0, 1

MAX_WALK = 64


@inner_kernel
def _point(table, s, i):
    """Exposed vertex i of shape s."""
    return row(table.point, table.start[s, POINT] + i)


@inner_kernel
def _edge(table, s, i):
    """Ends of exposed edge i of shape s."""
    e = table.segment[table.start[s, SEGMENT] + i]
    return (e[0], e[1], e[2]), (e[3], e[4], e[5])


@inner_kernel
def _corners(table, s, t):
    """Corners of triangle t of shape s."""
    c = table.corner[table.start[s, TRIANGLE] + t]
    return (c[0], c[1], c[2]), (c[3], c[4], c[5]), (c[6], c[7], c[8])


@inner_kernel
def _is_half_space(table, s):
    return table.start[s + 1, PLANE] > table.start[s, PLANE]


@inner_kernel
def _outward_side(p, corners, n):
    """The side of a triangle beyond which `p` lies farthest, seen along `n`, and how far; -1 if it lies inside."""
    side, worst = -1, 0.0
    for k in range(3):
        a, b = corners[k], corners[(k + 1) % 3]
        outward = cross(sub(b, a), n)
        length = norm(outward)
        beyond = dot(outward, sub(p, a)) / length if length > 0.0 else 0.0
        if beyond > worst:
            side, worst = k, beyond
    return side, worst


@inner_kernel
def _facet(surfaces, s, f):
    """Unit normal and offset of facet f of shape s."""
    i = surfaces.start[s, FIRST_FACET] + f
    return row(surfaces.plane, i), surfaces.plane[i, 3]


@inner_kernel
def walk_in_face(p, t, table, surfaces, s, n):
    """The triangle of the face of t under the point `p` of its plane, and how far `p` lies beyond the face's border."""
    first = surfaces.start[s, FIRST_TRIANGLE]
    beyond = 0.0
    for _ in range(MAX_WALK):
        side, beyond = _outward_side(p, _corners(table, s, t), n)
        if side < 0:
            return t, 0.0
        step = surfaces.neighbour[first + t, side]
        if step < 0:
            break
        t = step
    return t, beyond


@inner_kernel
def _put(place_io, k, p_a, p_b, n, gap, carrier):
    for i in range(3):
        place_io[k, POINT_A + i], place_io[k, POINT_B + i], place_io[k, NORMAL + i] = p_a[i], p_b[i], n[i]
    place_io[k, GAP], place_io[k, CARRIER] = gap, carrier


@inner_kernel
def _vertex_first(turned, sides):
    """What belongs to the body with the vertex, then that of the other."""
    return (sides.b, sides.a) if turned else (sides.a, sides.b)


@inner_kernel
def _place_vertex_face(rows_io, k, table, surfaces, shapes, poses, slack, radii):
    """Foot of the vertex on the plane of the face; False if it has left the face."""
    name, place = rows_io.name, rows_io.place
    turned = name[k, KIND] == FACE_VERTEX
    (X_v, X_f), (s_v, s_f) = _vertex_first(turned, poses), _vertex_first(turned, shapes)
    i, f = _vertex_first(turned, Sides(name[k, FEATURE_A], name[k, FEATURE_B]))
    v = _point(table, s_v, i)
    y = pose_apply_inverse(X_f, pose_apply(X_v, v))
    n, offset = _facet(surfaces, s_f, f)
    height = dot(n, y) - offset
    foot = add_scaled(y, -height, n)
    beyond = 0.0
    if not _is_half_space(table, s_f):
        name[k, SPOT], beyond = walk_in_face(foot, name[k, SPOT], table, surfaces, s_f, n)
    if turned:
        _put(place, k, foot, v, n, height - radii, CARRIED_BY_A)
    else:
        _put(place, k, v, foot, neg(n), height - radii, CARRIED_BY_B)
    return beyond <= slack and height > 0.0


@inner_kernel
def _place_points(place_io, k, x_a, x_b, X_a, X_b, radii):
    """Contact of two points in the world, along the direction between them; False if they coincide."""
    n = sub(x_b, x_a)
    d = norm(n)
    if d <= 0.0:
        return False
    n = scale(1.0 / d, n)
    _put(place_io, k, pose_apply_inverse(X_a, x_a), pose_apply_inverse(X_b, x_b), n, d - radii, NO_CARRIER)
    return True


@inner_kernel
def _put_edges(place_io, k, a, b):
    for i in range(3):
        place_io[k, EDGE_A + i], place_io[k, EDGE_B + i] = a[i], b[i]


@inner_kernel
def _place_vertex_edge(name, place_io, k, table, shapes, poses, radii):
    """Closest point of the edge; False if it is one of its ends."""
    turned = name[k, KIND] == EDGE_VERTEX
    (X_v, X_e), (s_v, s_e) = _vertex_first(turned, poses), _vertex_first(turned, shapes)
    i, e = _vertex_first(turned, Sides(name[k, FEATURE_A], name[k, FEATURE_B]))
    x = pose_apply(X_v, _point(table, s_v, i))
    a, b = _edge(table, s_e, e)
    q, t = closest_point_segment(x, pose_apply(X_e, a), pose_apply(X_e, b))
    u, none = sub(b, a), (0.0, 0.0, 0.0)
    u = scale(1.0 / norm(u), u)
    if turned:
        fits = _place_points(place_io, k, q, x, poses.a, poses.b, radii)
        _put_edges(place_io, k, u, none)
    else:
        fits = _place_points(place_io, k, x, q, poses.a, poses.b, radii)
        _put_edges(place_io, k, none, u)
    return fits and 0.0 < t < 1.0


@inner_kernel
def _shared_stretch(a0, a1, b0, b1):
    """From where to where, in shares of its way from b0 to b1, edge b is beside edge a."""
    u = sub(a1, a0)
    start, end, length2 = dot(u, sub(b0, a0)), dot(u, sub(b1, a0)), dot(u, u)
    if start == end:
        return 1.0, 0.0
    first, last = -start / (end - start), (length2 - start) / (end - start)
    return max(min(first, last), 0.0), min(max(first, last), 1.0)


@inner_kernel
def _is_beside_edge(x, a0, a1, slack):
    """Whether a point is not farther than the slack from the line through a0 and a1."""
    u = sub(a1, a0)
    return norm(cross(u, sub(x, a0))) <= slack * norm(u)


@inner_kernel
def _place_end_of_stretch(name, place_io, k, edges, nearest, poses, slack):
    """A point of B's edge above the plane through A's, along the direction between the points nearest to each other.

    False if there is nothing of A below it: it is held for the step in which the edges pass, and would then be a prop
    in the air.
    """
    a0, a1, b0, b1 = edges
    p, q = nearest
    first, last = _shared_stretch(a0, a1, b0, b1)
    n = sub(q, p)
    d = norm(n)
    if first >= last or d <= 0.0:
        return False
    n = scale(1.0 / d, n)
    x = add_scaled(b0, first if name[k, SPOT] == FIRST_END else last, sub(b1, b0))
    height = dot(n, sub(x, p))
    foot = add_scaled(x, -height, n)
    y_a, y_b = pose_apply_inverse(poses.a, foot), pose_apply_inverse(poses.b, x)
    _put(place_io, k, y_a, y_b, mat_t_vec(poses.a.R, n), height, CARRIED_BY_A)
    return height > 0.0 and _is_beside_edge(foot, a0, a1, slack)


@inner_kernel
def _place_edge_edge(name, place_io, k, table, shapes, poses, slack, radii):
    """Closest points of two edges; False if one is an end, unless an end is to be held."""
    a0, a1 = _edge(table, shapes.a, name[k, FEATURE_A])
    b0, b1 = _edge(table, shapes.b, name[k, FEATURE_B])
    a0, a1 = pose_apply(poses.a, a0), pose_apply(poses.a, a1)
    b0, b1 = pose_apply(poses.b, b0), pose_apply(poses.b, b1)
    p, q, s, t = closest_segment_segment(a0, a1, b0, b1)
    if name[k, SPOT] != CROSSING:
        return _place_end_of_stretch(name, place_io, k, (a0, a1, b0, b1), (p, q), poses, slack)
    turns = place_io[k, CARRIER] == CARRIED_BY_BOTH or radii > 0.0
    fits = _place_points(place_io, k, p, q, poses.a, poses.b, radii) and 0.0 < s < 1.0 and 0.0 < t < 1.0
    if fits and turns:
        turns = let_normal_turn(name, place_io, k, table, shapes, poses)
    if radii > 0.0 and not turns:
        v = mat_t_vec(poses.b.R, sub(b1, b0))
        _put_edges(place_io, k, (0.0, 0.0, 0.0), scale(1.0 / norm(v), v))
    return fits


@inner_kernel
def _along_edges(name, k, table, shapes):
    """The ways from end to end of the edges of contact k, each in its body's frame."""
    a0, a1 = _edge(table, shapes.a, name[k, FEATURE_A])
    b0, b1 = _edge(table, shapes.b, name[k, FEATURE_B])
    return sub(a1, a0), sub(b1, b0)


@inner_kernel
def let_normal_turn(name, place_io, k, table, shapes, poses):
    """Let the normal of a contact of two edges turn with them from now on; False if it does or they are too parallel.

    Where edges are many and short, as on a thread, a normal that stays is the better one: the next edge takes over.
    """
    if name[k, KIND] != EDGE_EDGE or place_io[k, CARRIER] != NO_CARRIER:
        return False
    a, b = _along_edges(name, k, table, shapes)
    n = cross(mat_vec(poses.a.R, a), mat_vec(poses.b.R, b))
    if norm(n) < LEAST_SINE_OF_EDGES * norm(a) * norm(b):
        return False
    sign = 1.0 if dot(n, (place_io[k, NORMAL], place_io[k, NORMAL + 1], place_io[k, NORMAL + 2])) > 0.0 else -1.0
    _put_edges(place_io, k, scale(sign / norm(a), a), scale(1.0 / norm(b), b))
    place_io[k, CARRIER] = CARRIED_BY_BOTH
    return True


@inner_kernel
def length_of_long_edges(name, k, table, shapes):
    """Length of the shorter edge of a contact of two that are long beside their parts, not two of many; else 0."""
    if name[k, KIND] != EDGE_EDGE:
        return 0.0
    a, b = _along_edges(name, k, table, shapes)
    length_a, length_b, ball = norm(a), norm(b), table.ball
    long = length_a > LONG_EDGE * ball[shapes.a, 3] and length_b > LONG_EDGE * ball[shapes.b, 3]
    return min(length_a, length_b) if long else 0.0


@inner_kernel
def place_contact(rows_io, k, table, surfaces, shapes, poses, slack):
    """Points, normal and gap of contact k at its bodies' poses; False if its features no longer face each other."""
    name, place = rows_io.name, rows_io.place
    radii = table.radius[shapes.a] + table.radius[shapes.b]
    kind = name[k, KIND]
    if kind == VERTEX_FACE or kind == FACE_VERTEX:
        return _place_vertex_face(rows_io, k, table, surfaces, shapes, poses, slack, radii)
    if kind == EDGE_EDGE:
        return _place_edge_edge(name, place, k, table, shapes, poses, slack, radii)
    if kind == VERTEX_VERTEX:
        x_a = pose_apply(poses.a, _point(table, shapes.a, name[k, FEATURE_A]))
        x_b = pose_apply(poses.b, _point(table, shapes.b, name[k, FEATURE_B]))
        _put_edges(place, k, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        return _place_points(place, k, x_a, x_b, poses.a, poses.b, radii)
    return _place_vertex_edge(name, place, k, table, shapes, poses, radii)


@inner_kernel
def _stands_above(way, n):
    """Whether the way from a face to a point is nearly the face's normal: beyond its border by less than its height."""
    return dot(way, n) > NEARLY_NORMAL * norm(way)


@inner_kernel
def _feature_of_hit(v, X_v, s_v, triangle, X_f, s_f, table, surfaces):
    """What the vertex v meets of a triangle: kind of feature (face, edge, vertex) and its index.

    Nothing, if it comes to the triangle along its face, from a neighbour: it has passed the border of the face before.
    """
    if _is_half_space(table, s_f):
        return ON_FACE, 0
    y = pose_apply_inverse(X_f, pose_apply(X_v, _point(table, s_v, v)))
    a, b, c = _corners(table, s_f, triangle)
    q, region = closest_point_triangle(y, a, b, c)
    names = surfaces.region[surfaces.start[s_f, FIRST_TRIANGLE] + triangle]
    if names[2 * INSIDE] == ON_FACE:
        n, _ = _facet(surfaces, s_f, names[2 * INSIDE + 1])
        above = _stands_above(sub(y, q), n)
        # The centre of a ball that rolls over an edge is far above it.
        if above and table.radius[s_v] == 0.0:
            region = INSIDE
        if not above and region != INSIDE and names[2 * region] == ON_FACE:
            return ON_NOTHING, -1
    return names[2 * region], names[2 * region + 1]


@inner_kernel
def name_hit(hit, encounter, poses, name_io, k):
    """Write as row k the contact that a hit [kind, feature of A, feature of B] means at the poses of its time.

    False if it means none.
    """
    bodies, shapes, _, _, table, surfaces = encounter
    kind, a, b = hit[0], hit[1], hit[2]
    name_io[k, BODY_A], name_io[k, BODY_B] = bodies
    name_io[k, KIND], name_io[k, FEATURE_A], name_io[k, FEATURE_B] = kind, a, b
    name_io[k, SPOT] = -1
    what = ON_FACE
    if kind == VERTEX_FACE:
        what, i = _feature_of_hit(a, poses.a, shapes.a, b, poses.b, shapes.b, table, surfaces)
        name_io[k, KIND] = VERTEX_FACE if what == ON_FACE else (VERTEX_EDGE if what == ON_EDGE else VERTEX_VERTEX)
        name_io[k, FEATURE_B], name_io[k, SPOT] = i, b
    elif kind == FACE_VERTEX:
        what, i = _feature_of_hit(b, poses.b, shapes.b, a, poses.a, shapes.a, table, surfaces)
        name_io[k, KIND] = FACE_VERTEX if what == ON_FACE else (EDGE_VERTEX if what == ON_EDGE else VERTEX_VERTEX)
        name_io[k, FEATURE_A], name_io[k, SPOT] = i, a
    return what != ON_NOTHING


@inner_kernel
def same_contact(name, i, j):
    """Whether rows i and j name the same features of the same bodies, and the same spot of two edges."""
    for c in range(SPOT):
        if name[i, c] != name[j, c]:
            return False
    return name[i, KIND] != EDGE_EDGE or name[i, SPOT] == name[j, SPOT]


@lean_kernel
def refresh_contacts(rows_io, n, table, surfaces, shape_of, ends, slack, alive_out):
    """Place the first n contacts anew at the poses `ends` (n_body, 12) at the end of the motions."""
    rows_io, table, surfaces = ContactRows(*rows_io), Features(*table), Surfaces(*surfaces)
    for k in range(n):
        a, b = rows_io.name[k, BODY_A], rows_io.name[k, BODY_B]
        shapes, poses = Sides(shape_of[a], shape_of[b]), Sides(load_frame(ends, a), load_frame(ends, b))
        alive_out[k] = place_contact(rows_io, k, table, surfaces, shapes, poses, slack)


@inner_kernel
def contact_frame(place, k, X_a, X_b):
    """Points of A and B and normal of contact k in the world, at any poses of its bodies."""
    x_a = pose_apply(X_a, (place[k, POINT_A], place[k, POINT_A + 1], place[k, POINT_A + 2]))
    x_b = pose_apply(X_b, (place[k, POINT_B], place[k, POINT_B + 1], place[k, POINT_B + 2]))
    n = (place[k, NORMAL], place[k, NORMAL + 1], place[k, NORMAL + 2])
    if place[k, CARRIER] == CARRIED_BY_A:
        return x_a, x_b, mat_vec(X_a.R, n)
    if place[k, CARRIER] == CARRIED_BY_B:
        return x_a, x_b, mat_vec(X_b.R, n)
    if place[k, CARRIER] == CARRIED_BY_BOTH:
        return _between_edges(place, k, x_a, x_b, X_a, X_b)
    return x_a, x_b, n


@inner_kernel
def edges_of(place, k, X_a, X_b):
    """Directions of the edges of contact k in the world, where both carry the normal or one of them a ball."""
    u = mat_vec(X_a.R, (place[k, EDGE_A], place[k, EDGE_A + 1], place[k, EDGE_A + 2]))
    v = mat_vec(X_b.R, (place[k, EDGE_B], place[k, EDGE_B + 1], place[k, EDGE_B + 2]))
    return u, v


@inner_kernel
def _between_edges(place, k, x_a, x_b, X_a, X_b):
    """Closest points of the lines through x_a and x_b along the contact's edges, and the normal of both."""
    u, v = edges_of(place, k, X_a, X_b)
    c, way = cross(u, v), sub(x_b, x_a)
    length2 = dot(c, c)
    if not length2 > 0.0:
        return x_a, x_b, (place[k, NORMAL], place[k, NORMAL + 1], place[k, NORMAL + 2])
    x_a = add_scaled(x_a, dot(cross(way, v), c) / length2, u)
    x_b = add_scaled(x_b, dot(cross(way, u), c) / length2, v)
    return x_a, x_b, scale(1.0 / sqrt(length2), c)


@inner_kernel
def nearest_points(place, k, x_a, x_b, X_a, X_b):
    """Points of a ball's centre and of the line or corner under it, and the direction between them."""
    u, v = edges_of(place, k, X_a, X_b)
    way = sub(x_b, x_a)
    x_a, x_b = add_scaled(x_a, dot(u, way), u), add_scaled(x_b, -dot(v, way), v)
    way = sub(x_b, x_a)
    length = norm(way)
    return x_a, x_b, scale(1.0 / length if length > 0.0 else 0.0, way)


@inner_kernel
def gap_row(place, k, X_a, X_b, radii, row_out):
    """Gap of contact k at the poses X_a, X_b of its bodies, and its derivative by their twists [v_A w_A v_B w_B].

    A normal that turns with a face acts at the vertex on both bodies; one that does not acts at each body's own point.
    """
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    if radii > 0.0 and place[k, CARRIER] == NO_CARRIER:
        x_a, x_b, n = nearest_points(place, k, x_a, x_b, X_a, X_b)
    at_a = x_b if place[k, CARRIER] == CARRIED_BY_A else x_a
    at_b = x_a if place[k, CARRIER] == CARRIED_BY_B else x_b
    turn_a, turn_b = cross(sub(at_a, X_a.p), n), cross(sub(at_b, X_b.p), n)
    for i in range(3):
        row_out[i], row_out[3 + i] = -n[i], -turn_a[i]
        row_out[6 + i], row_out[9 + i] = n[i], turn_b[i]
    return dot(n, sub(x_b, x_a)) - radii
