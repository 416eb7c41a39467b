"""Axis-parallel boxes around bodies in the world, at an instant or over a motion.

A body is known by the bounds of its part in its own frame, which may be infinite, and by its radius: the largest
distance of a point of the part from the frame's origin. Boxes are rounded outwards.
"""

from math import isfinite, sqrt

from .._jit import inner_kernel, kernel
from ..math.motion_tables import MovingFrame
from ..math.pose_kernels import frame_at, load_pose
from ..math.vec_kernels import norm2
from .boxes_tables import Extents

ROUNDING = 2e-15
"""Bound of the relative rounding error of a rotated and shifted coordinate, in units of the numbers that enter it."""


@inner_kernel
def _span_of_box(low_B, high_B, i, r0, r1, r2):
    """Smallest and largest value of r . x over the box of row i, where 0 times infinity is 0."""
    least, most = 0.0, 0.0
    for k, r in ((0, r0), (1, r1), (2, r2)):
        # Without jumps: which end is the lower one is as good as random.
        a, b = (r * low_B[i, k] if r != 0.0 else 0.0), (r * high_B[i, k] if r != 0.0 else 0.0)
        least, most = least + min(a, b), most + max(a, b)
    return least, most


@inner_kernel
def _box_at(extents, i, X):
    """Bounds in the world of body i at pose X: those of its turned box, cut with those of the ball about its origin."""
    R, p, low_B, high_B, r = X.R, X.p, extents.low, extents.high, extents.radius[i]
    x0, x1 = _span_of_box(low_B, high_B, i, R[0], R[1], R[2])
    y0, y1 = _span_of_box(low_B, high_B, i, R[3], R[4], R[5])
    z0, z1 = _span_of_box(low_B, high_B, i, R[6], R[7], R[8])
    low = (p[0] + max(x0, -r), p[1] + max(y0, -r), p[2] + max(z0, -r))
    high = (p[0] + min(x1, r), p[1] + min(y1, r), p[2] + min(z1, r))
    return low, high


@inner_kernel
def _largest_entry(low, high):
    """Largest finite coordinate of two corners, without its sign."""
    largest = 0.0
    for k in range(3):
        largest = max(largest, abs(low[k]) if isfinite(low[k]) else 0.0)
        largest = max(largest, abs(high[k]) if isfinite(high[k]) else 0.0)
    return largest


@inner_kernel
def _room(low, high, radius, margin):
    """`margin`, and room for the rounding of the coordinates."""
    return margin + ROUNDING * (_largest_entry(low, high) + (radius if isfinite(radius) else 0.0))


@kernel
def boxes_at_poses(low_B, high_B, radius, X_WB, margin, low_out, high_out):
    """Boxes of bodies at their poses (n, 7), with `margin` around them."""
    for i in range(X_WB.shape[0]):
        low, high = _box_at(Extents(low_B, high_B, radius), i, load_pose(X_WB, i))
        room = _room(low, high, radius[i], margin)
        for k in range(3):
            low_out[i, k], high_out[i, k] = low[k] - room, high[k] + room


@inner_kernel
def _bulge(radius, rotvec, k):
    """How far a turn carries a point along axis k beyond the straight line between where it starts and ends.

    The coordinate is a sine of the angle of amplitude A <= radius sin(axis, k): its second derivative by time is
    at most A angle^2, so that it stays within A angle^2 / 8 of its chord; and never leaves it by more than 2 A.
    """
    angle2 = norm2(rotvec)
    # Not as a difference, which would lose a small angle between axis and k to rounding.
    across2 = rotvec[(k + 1) % 3] ** 2 + rotvec[(k + 2) % 3] ** 2
    if not across2 > 0.0:
        return 0.0
    return radius * sqrt(across2 / angle2) * min(0.125 * angle2, 2.0)


@inner_kernel
def box_over_motion(extents, i, motion, X_end, margin, low_out, high_out):
    """Box around all that body i passes through on its motion, a MovingFrame, up to X_end.

    The boxes at both ends, widened by how far a turning point bulges from its chord, and cut with the path of the ball
    about the origin: close for small turns, and right for any number of them.
    """
    X, d, radius = motion.start, motion.displacement, extents.radius[i]
    low0, high0 = _box_at(extents, i, X)
    low1, high1 = _box_at(extents, i, X_end)
    room = max(_room(low0, high0, radius, margin), _room(low1, high1, radius, margin))
    for k in range(3):
        bulge, p = _bulge(radius, motion.rotvec, k), X.p[k]
        low_out[i, k] = max(min(low0[k], low1[k]) - bulge, p + min(d[k], 0.0) - radius) - room
        high_out[i, k] = min(max(high0[k], high1[k]) + bulge, p + max(d[k], 0.0) + radius) + room


@kernel
def boxes_over_motions(low_B, high_B, radius, X_WB, ways, margin, low_out, high_out):
    """Boxes around all that bodies pass through on their ways (n, 6), displacements and rotation vectors."""
    extents = Extents(low_B, high_B, radius)
    for i in range(X_WB.shape[0]):
        d, r = (ways[i, 0], ways[i, 1], ways[i, 2]), (ways[i, 3], ways[i, 4], ways[i, 5])
        motion = MovingFrame(load_pose(X_WB, i), d, r)
        box_over_motion(extents, i, motion, frame_at(motion, 1.0), margin, low_out, high_out)
