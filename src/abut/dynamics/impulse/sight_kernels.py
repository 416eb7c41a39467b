"""Where two bodies that are looked at are nearest to each other: a body and a half-space, two convex parts.

Convex parts of few faces are seen from the plane that keeps them farthest apart: none of their points are nearer to
each other than it is wide. Where the corner or the edges next to it face the other part, these are the nearest points,
and nothing else has to be looked for. Where they do not, as beside an edge, the parts are not seen.
"""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import closest_segment_segment
from ...math.pose_kernels import load_pose, pose_apply, pose_apply_inverse, pose_relative
from ...math.vec_kernels import add_scaled, cross, dot, mat_t_vec, mat_vec, norm, row, scale, sub
from ...query.motion.separating_plane_kernels import FACE_OF_A, FACE_OF_B, NOTHING, normal_of, plane_between
from .flight_kernels import PLANE, has_sunk, point_velocity
from .flight_tables import Seen

AT_ONE_PLACE = 1e-6
"""Share of the contact gap by which what is seen may be farther apart than the plane between the bodies is wide."""
ONE_DIRECTION = 1e-9
"""Sine of an angle between directions of one edge."""
OF_CORNER, OF_FACE_OF_A, OF_FACE_OF_B, OF_EDGES = 0, 1, 2, 3
"""What touches: a corner and a half-space; a face of either body and a corner of the other; two edges."""


@inner_kernel
def has_corners(sky, i, j):
    """Whether body i is bounded and j a half-space."""
    return sky.corners.start[i, 1] > sky.corners.start[i, 0] and sky.bodies.core[j] == PLANE


@lean_kernel
def _lowest(sky, i, plane):
    """Corner of body i that is nearest to a half-space: its number, its place, and its height."""
    bodies, corners = sky.bodies, sky.corners
    X, m, best, lowest = load_pose(bodies.pose, i), row(bodies.normal, plane), -1, inf
    n_B = mat_t_vec(X.R, m)
    for k in range(corners.start[i, 0], corners.start[i, 1]):
        height = dot(n_B, row(corners.point, k))
        if height < lowest:
            best, lowest = k, height
    x = pose_apply(X, row(corners.point, best))
    return best, x, dot(m, sub(x, row(bodies.pose, plane))) - bodies.offset[plane]


@inner_kernel
def _see_corner(sky_io, i, plane, corner, x, height):
    """A body and a half-space, seen from a corner of the body. Where that would touch is noted in `touched`."""
    bodies, corners = sky_io.bodies, sky_io.corners
    m, radius = row(bodies.normal, plane), corners.radius[i]
    foot = add_scaled(x, -height, m)
    seen_from = pose_apply_inverse(load_pose(bodies.pose, plane), foot)
    for c in range(3):
        corners.touched[0, c] = seen_from[c]
    x = add_scaled(x, -radius, m)
    return Seen(height - radius, scale(-1.0, m), x, foot), (OF_CORNER, corner - corners.start[i, 0], -1, -1, -1)


@lean_kernel
def see_plane(sky_io, i, plane):
    """A body and a half-space, seen from the corner that is nearest; which one that is."""
    corner, x, height = _lowest(sky_io, i, plane)
    return _see_corner(sky_io, i, plane, corner, x, height)


@lean_kernel
def see_sinking(sky_io, i, plane):
    """The same, seen from the corner below all levels that comes nearer fastest, if there is one; whether there is.

    If only the nearest corner were struck, others could come half as near by then, and so on without end.
    """
    bodies, corners = sky_io.bodies, sky_io.corners
    X, m, best, fastest = load_pose(bodies.pose, i), row(bodies.normal, plane), corners.start[i, 0], 0.0
    at, low = row(bodies.pose, plane), 0.0
    for k in range(corners.start[i, 0], corners.start[i, 1]):
        x = pose_apply(X, row(corners.point, k))
        height = dot(m, sub(x, at)) - bodies.offset[plane]
        closing = dot(m, sub(point_velocity(bodies, plane, x), point_velocity(bodies, i, x)))
        if has_sunk(height - corners.radius[i], sky_io.laws.gap) and closing > fastest:
            best, fastest, low = k, closing, height
    seen, what = _see_corner(sky_io, i, plane, best, pose_apply(X, row(corners.point, best)), low)
    return fastest > 0.0, seen, what


@inner_kernel
def has_hull(sky, i):
    """Whether body i is a convex part of few faces."""
    shape = sky.corners.shape_of[i]
    return sky.hulls.start[shape + 1, 0] > sky.hulls.start[shape, 0]


@lean_kernel
def _extreme(hulls, shape, n):
    """The corner of a part that reaches farthest along n."""
    best, farthest = -1, -inf
    for k in range(hulls.start[shape, 0], hulls.start[shape + 1, 0]):
        reach = dot(n, row(hulls.corner, k))
        if reach > farthest:
            best, farthest = k, reach
    return best


@lean_kernel
def _is_inside(hulls, shape, x, room):
    """Whether a point lies behind all faces of a part, or no farther than `room` in front of them."""
    for k in range(hulls.start[shape, 1], hulls.start[shape + 1, 1]):
        if dot(row(hulls.normal, k), x) > hulls.normal[k, 3] + room:
            return False
    return True


@lean_kernel
def _end_of_edge(hulls, shape, corner, direction):
    """The other end of the edge of a part at a corner along a direction; -1 for none."""
    x, best, longest = row(hulls.corner, corner), -1, 0.0
    for k in range(hulls.start[shape, 0], hulls.start[shape + 1, 0]):
        way = sub(row(hulls.corner, k), x)
        length = norm(way)
        if length > longest and norm(cross(way, direction)) <= ONE_DIRECTION * length:
            best, longest = k, length
    return best


@lean_kernel
def _edges_of(hulls, a, b, plane, n, X):
    """Corners at the ends of the edges of A and B beside a plane with the normal n from B to A; -1 for none."""
    a0, b0 = _extreme(hulls, a, scale(-1.0, mat_t_vec(X.R, n))), _extreme(hulls, b, n)
    start, direction = hulls.start, hulls.direction
    a1 = _end_of_edge(hulls, a, a0, row(direction, start[a, 2] + plane.of_a))
    b1 = _end_of_edge(hulls, b, b0, row(direction, start[b, 2] + plane.of_b))
    return a0, a1, b0, b1


@lean_kernel
def _meeting_of_hulls(hulls, a, b, X, room):
    """Whether A, at a pose in the frame of B, is seen from B, their distance, its normal, nearest points, and what."""
    plane, apart = plane_between(hulls, a, b, X)
    if plane.kind == NOTHING:
        return False, 0.0, X.p, X.p, X.p, (OF_EDGES, -1, -1, -1, -1)
    n = normal_of(plane, hulls, a, b, X)
    if plane.kind == FACE_OF_B:
        corner = _extreme(hulls, a, scale(-1.0, mat_t_vec(X.R, n)))
        x = pose_apply(X, row(hulls.corner, corner))
        foot = add_scaled(x, -apart, n)
        what = (OF_FACE_OF_B, corner, plane.of_b, -1, -1)
        return _is_inside(hulls, b, foot, room), apart, n, x, foot, what
    if plane.kind == FACE_OF_A:
        corner = _extreme(hulls, b, n)
        x = row(hulls.corner, corner)
        foot = add_scaled(x, apart, n)
        what = (OF_FACE_OF_A, corner, plane.of_a, -1, -1)
        return _is_inside(hulls, a, pose_apply_inverse(X, foot), room), apart, n, foot, x, what
    a0, a1, b0, b1 = _edges_of(hulls, a, b, plane, n, X)
    if a1 < 0 or b1 < 0:
        return False, apart, n, n, n, (OF_EDGES, a0, a1, b0, b1)
    x_a, x_b, _, _ = closest_segment_segment(
        pose_apply(X, row(hulls.corner, a0)),
        pose_apply(X, row(hulls.corner, a1)),
        row(hulls.corner, b0),
        row(hulls.corner, b1),
    )
    return norm(sub(x_a, x_b)) <= apart + room, apart, n, x_a, x_b, (OF_EDGES, a0, a1, b0, b1)


@lean_kernel
def see_hulls(sky, i, j):
    """Two convex parts of few faces: whether they are seen, what is, and which features of them are nearest.

    Of balls and capsules, the plane is one between what is within by their radius.
    """
    bodies, shape_of, r_i, r_j = sky.bodies, sky.corners.shape_of, sky.corners.radius[i], sky.corners.radius[j]
    X_i, X_j = load_pose(bodies.pose, i), load_pose(bodies.pose, j)
    seen, apart, n, x_i, x_j, what = _meeting_of_hulls(
        sky.hulls, shape_of[i], shape_of[j], pose_relative(X_j, X_i), AT_ONE_PLACE * sky.laws.gap
    )
    way = scale(-1.0, mat_vec(X_j.R, n))
    x_i, x_j = add_scaled(pose_apply(X_j, x_i), r_i, way), add_scaled(pose_apply(X_j, x_j), -r_j, way)
    distance = apart - r_i - r_j
    return seen and distance > 0.0, Seen(distance, way, x_i, x_j), what
