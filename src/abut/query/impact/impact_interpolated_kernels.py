"""The elementary dynamic tests of SiLVIA (section 2.3): signed distances interpolated linearly between two states.

Cheap, and an approximation: where features turn, the distance between two states is no linear function of time, and
the tests may be late, early or miss. Faces are one-sided: a vertex collides when it comes from the side the normal
points to. The edge-edge test asks for a face adjacent to the second edge, of which it uses only that its plane holds
that edge; as edges come alone here, the plane of the second edge and the common normal of both serves.

Conventions: faces `abc` have the normal (b - a) x (c - a); times are in [0, 1], inf where there is no collision.
"""

from math import inf

from ..._jit import kernel
from ...math.vec_kernels import add, cross, dot, lerp, norm, norm2, row, sub, unit
from .impact_linear_kernels import corners_at

_PARALLEL = 1e-12
"""Of an edge's length: a rise by which it is not parallel to a plane."""


@kernel
def _plane_distance(v, a, b, c):
    """Signed distance of `v` from the plane of the face `abc`; 0 where the face has no area."""
    return dot(unit(cross(sub(b, a), sub(c, a))), sub(v, a))


@kernel
def _in_prism(v, a, b, c):
    """Whether `v` lies in the prism over the face `abc` along its normal."""
    n = cross(sub(b, a), sub(c, a))
    return (
        norm2(n) > 0.0
        and dot(cross(sub(b, a), sub(v, a)), n) >= 0.0
        and dot(cross(sub(c, b), sub(v, b)), n) >= 0.0
        and dot(cross(sub(a, c), sub(v, c)), n) >= 0.0
    )


@kernel
def interpolated_vertex_face(v_t0, a_t0, b_t0, c_t0, v_t1, a_t1, b_t1, c_t1):
    """Time of collision of a vertex and an oriented face."""
    d_0, d_1 = _plane_distance(v_t0, a_t0, b_t0, c_t0), _plane_distance(v_t1, a_t1, b_t1, c_t1)
    if not d_0 > d_1:
        return inf
    t = d_0 / (d_0 - d_1)
    if t < 0.0 or t > 1.0:
        return inf
    inside = _in_prism(lerp(v_t0, v_t1, t), lerp(a_t0, a_t1, t), lerp(b_t0, b_t1, t), lerp(c_t0, c_t1, t))
    return t if inside else inf


@kernel
def _line_distance(edges):
    """Signed distance of the lines of two edges (eq. 2); 0 where they are parallel."""
    a0, a1, b0, b1 = edges
    return dot(unit(cross(sub(a1, a0), sub(b1, b0))), sub(a0, b0))


@kernel
def _lines_meet_on_edges(edges):
    """Whether the closest points of the lines lie on both edges."""
    a0, a1, b0, b1 = edges
    u, v, w = sub(a1, a0), sub(b1, b0), sub(b0, a0)
    n = cross(u, v)
    n2 = norm2(n)
    s, t = dot(cross(w, v), n), dot(cross(w, u), n)
    return n2 > 0.0 and 0.0 <= s <= n2 and 0.0 <= t <= n2


@kernel
def _sides(edges):
    """Signed distances of the ends of the first edge from a plane that holds the second."""
    a0, a1, b0, b1 = edges
    third = add(b0, cross(sub(a1, a0), sub(b1, b0)))
    return _plane_distance(a0, b0, b1, third), _plane_distance(a1, b0, b1, third)


@kernel
def _crossing_in(first, last, t1, t2):
    """Collision within an interval in which the ends of the first edge lie on different sides."""
    d_1, d_2 = _line_distance(corners_at(first, last, t1)), _line_distance(corners_at(first, last, t2))
    if d_1 == d_2:
        return inf
    t = t1 + (t2 - t1) * (d_1 / (d_1 - d_2))
    if t < t1 or t > t2:
        return inf
    return t if _lines_meet_on_edges(corners_at(first, last, t)) else inf


@kernel
def _side_change(d_0, d_1):
    """When a linearly interpolated distance changes sign; 0 where it does not."""
    return d_0 / (d_0 - d_1) if (d_0 < 0.0) != (d_1 < 0.0) else 0.0


@kernel
def _interpolated_edge_edge(first, last):
    a_0, b_0 = _sides(first)
    a_1, b_1 = _sides(last)
    change_a, change_b = _side_change(a_0, a_1), _side_change(b_0, b_1)
    cuts = (0.0, min(change_a, change_b), max(change_a, change_b), 1.0)
    for k in range(3):
        t1, t2 = cuts[k], cuts[k + 1]
        middle = 0.5 * (t1 + t2)
        a, b = a_0 + middle * (a_1 - a_0), b_0 + middle * (b_1 - b_0)
        if t2 > t1 and (a < 0.0 < b or b < 0.0 < a):
            t = _crossing_in(first, last, t1, t2)
            if t < inf:
                return t
    return inf


@kernel
def interpolated_edge_edge(a0_t0, a1_t0, b0_t0, b1_t0, a0_t1, a1_t1, b0_t1, b1_t1):
    """Time of collision of two edges."""
    first, last = (a0_t0, a1_t0, b0_t0, b1_t0), (a0_t1, a1_t1, b0_t1, b1_t1)
    sides = _sides(first) + _sides(last)
    if max(abs(sides[0] - sides[1]), abs(sides[2] - sides[3])) > _PARALLEL * norm(sub(a1_t0, a0_t0)):
        return _interpolated_edge_edge(first, last)
    # The first edge stays parallel to the plane: interchange the roles of the edges.
    return _interpolated_edge_edge((b0_t0, b1_t0, a0_t0, a1_t0), (b0_t1, b1_t1, a0_t1, a1_t1))


@kernel
def interpolated_vertices_faces(v_t0, f_t0, v_t1, f_t1, time_out):
    """Row by row for (n, 3) vertices and (n, 3, 3) faces."""
    for i in range(v_t0.shape[0]):
        f, g = f_t0[i], f_t1[i]
        time_out[i] = interpolated_vertex_face(
            row(v_t0, i), row(f, 0), row(f, 1), row(f, 2), row(v_t1, i), row(g, 0), row(g, 1), row(g, 2)
        )


@kernel
def interpolated_edges_edges(a_t0, b_t0, a_t1, b_t1, time_out):
    """Row by row for (n, 2, 3) edges."""
    for i in range(a_t0.shape[0]):
        a, b, c, d = a_t0[i], b_t0[i], a_t1[i], b_t1[i]
        time_out[i] = interpolated_edge_edge(
            row(a, 0), row(a, 1), row(b, 0), row(b, 1), row(c, 0), row(c, 1), row(d, 0), row(d, 1)
        )
