"""How far to raise the target of a contact whose gap dips on the way to the end of the step.

The gap of a contact that is held at both ends of a motion sags in between as the bodies turn. Seen at its beginning,
middle and end it is a parabola, g0 + (g1 - g0) t - bow t (1 - t), of which raising the target lifts the end.
"""

from math import sqrt

from .._jit import lean_kernel
from ..math.pose_kernels import motion_at
from ..math.vec_kernels import dot, norm, sub
from ..query.feature_table_kernels import load_motion
from .contact_kernels import BODY_A, BODY_B, CARRIER, NO_CARRIER, contact_frame, nearest_points

KEPT = 0.6
"""The share of the gap that is wanted on the way; below half of it a motion is refused."""
MOST, MOST_IN_MOTION, OF_WAY = 8.0, 32.0, 0.1
"""Gaps by which a target is raised at most where no sag asks for more; of fast bodies, if that is a small part of the
way that they make past each other."""


@lean_kernel
def poses_at(motions, i, t):
    """Pose of body i at time t of its motion."""
    X, d, r = load_motion(motions, i)
    return motion_at(X, d, r, t)


@lean_kernel
def _gap_at(name, place, k, motions, radii, t):
    """Gap of contact k at a time of its bodies' motions."""
    X_a, X_b = poses_at(motions, name[k, BODY_A], t), poses_at(motions, name[k, BODY_B], t)
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    if radii > 0.0 and place[k, CARRIER] == NO_CARRIER:
        x_a, x_b, n = nearest_points(place, k, x_a, x_b, X_a, X_b)
    return dot(n, sub(x_b, x_a)) - radii


@lean_kernel
def lift_needed(start, middle, end, wanted):
    """By how much the end of a parabola has to be lifted so that all of it is above `wanted`; 0 if it does not sag."""
    bow = 2.0 * (start + end) - 4.0 * middle
    if not bow > max(start - wanted, 0.0):
        return 0.0
    # Its lowest point, start - (bow - end + start)^2 / (4 bow), comes to `wanted`.
    return max(bow - 2.0 * sqrt(bow * max(start - wanted, 0.0)) - end + start, 0.0)


@lean_kernel
def _lift_of_sag(name, place, k, motions, radii, gap):
    """By how much contact k has to be lifted on account of the sag of its gap."""
    # A normal that does not turn with the bodies tells nothing about what is between; under a ball, it does.
    if place[k, CARRIER] == NO_CARRIER and radii == 0.0:
        return 0.0
    start, middle = _gap_at(name, place, k, motions, radii, 0.0), _gap_at(name, place, k, motions, radii, 0.5)
    return lift_needed(start, middle, _gap_at(name, place, k, motions, radii, 1.0), KEPT * gap)


@lean_kernel
def _most(name, k, motions, radii, gap):
    """By how much [m] the target of contact k may be raised."""
    if radii > 0.0:
        return MOST * gap
    way = norm(sub(load_motion(motions, name[k, BODY_B])[1], load_motion(motions, name[k, BODY_A])[1]))
    return max(MOST * gap, min(MOST_IN_MOTION * gap, OF_WAY * way))


@lean_kernel
def raise_target(name, place, k, motions, radii, gap, extra):
    """Raise the target of contact k as its sag asks for, else by a quarter of the gap and then by 1, 4, ... gaps.

    Returns 1, or 0 if the target is as high as it may be.
    """
    lift = _lift_of_sag(name, place, k, motions, radii, gap)
    if lift > 0.01 * extra[k]:
        extra[k] = max(extra[k] + lift, 0.25 * gap)
        return 1
    most = _most(name, k, motions, radii, gap)
    if extra[k] >= most:
        return 0
    extra[k] = min(max(0.25 * gap, 4.0 * extra[k]), most)
    return 1
