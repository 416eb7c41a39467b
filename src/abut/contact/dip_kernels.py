"""How far to raise the target of a contact whose gap dips on the way to the end of the step.

The gap of a contact that is held at both ends of a motion sags in between as the bodies turn. Seen at its beginning,
when it was too small and at its end it is a parabola, g0 + (g1 - g0) t - bow t (1 - t), of which raising the target
lifts the end.
"""

from math import sqrt

from .._jit import lean_kernel
from ..math.pose_kernels import frame_at, pose_apply
from ..math.vec_kernels import add_scaled, dot, norm, sub
from ..query.motion.feature_table_kernels import load_motion
from .contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIED_BY_BOTH,
    CARRIER,
    NEARLY_NORMAL,
    NO_CARRIER,
    POINT_A,
    POINT_B,
    contact_frame,
    nearest_points,
)

KEPT = 0.6
"""The share of the gap that is wanted on the way; below half of it a motion is refused."""
SOONEST = 0.1
"""How far from both ends of a motion its gap is looked at."""
MOST_GAPS, MOST_IN_MOTION, OF_WAY_PAST = 8.0, 32.0, 0.1
"""Gaps by which a target is raised at most where no sag asks for more; of fast bodies, if that is a small part of the
way that they make past each other. The sag of a ball may ask for as much, too, and for more only in shorter motions."""
_LEAST_LIFT = 0.01
"""Of how high a target is: less than this more is none."""


@lean_kernel
def poses_at(motions, i, t):
    """Pose of body i at time t of its motion."""
    return frame_at(load_motion(motions, i), t)


@lean_kernel
def _gap_at(name, place, k, motions, radii, t):
    """Gap of contact k at a time of its bodies' motions, and its normal."""
    X_a, X_b = poses_at(motions, name[k, BODY_A], t), poses_at(motions, name[k, BODY_B], t)
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    if radii > 0.0 and place[k, CARRIER] == NO_CARRIER:
        x_a, x_b, n = nearest_points(place, k, x_a, x_b, X_a, X_b)
    return dot(n, sub(x_b, x_a)) - radii, n


@lean_kernel
def lift_needed(start, between, at, end, wanted):
    """By how much the end of a parabola, known at one time in between, has to be lifted to be above `wanted` all along.

    0 if it does not sag.
    """
    bow = (start + (end - start) * at - between) / (at * (1.0 - at))
    if not bow > max(start - wanted, 0.0):
        return 0.0
    # Its lowest point, start - (bow - end + start)^2 / (4 bow), comes to `wanted`.
    return max(bow - 2.0 * sqrt(bow * max(start - wanted, 0.0)) - end + start, 0.0)


@lean_kernel
def _lift_of_sag(rows, k, motions, sizes, at, end):
    """By how much contact k, whose gap is too small at a time, has to be lifted at its end on account of its sag.

    end = (gap, normal) there.
    """
    name, place, radii = rows.name, rows.place, sizes.radii
    # A normal that does not turn with the bodies tells nothing about what is between; under a ball, it does.
    if place[k, CARRIER] == NO_CARRIER and radii == 0.0:
        return 0.0
    start, normal = _gap_at(name, place, k, motions, radii, 0.0)
    last, last_normal = end
    # The normal of two edges that pass through parallel turns over, and their gap is no parabola.
    if place[k, CARRIER] == CARRIED_BY_BOTH and dot(normal, last_normal) < NEARLY_NORMAL:
        return 0.0
    # The arc of a ball is no parabola: only half-way it is near one.
    at = min(max(at, SOONEST), 1.0 - SOONEST) if radii == 0.0 else 0.5
    between, _ = _gap_at(name, place, k, motions, radii, at)
    return lift_needed(start, between, at, last, KEPT * sizes.gap)


@lean_kernel
def _most(name, k, motions, radii, gap):
    """By how much [m] the target of contact k may be raised."""
    if radii > 0.0:
        return MOST_GAPS * gap
    a, b = load_motion(motions, name[k, BODY_A]), load_motion(motions, name[k, BODY_B])
    way = norm(sub(b.displacement, a.displacement))
    return max(MOST_GAPS * gap, min(MOST_IN_MOTION * gap, OF_WAY_PAST * way))


@lean_kernel
def _way_past(name, place, k, motions):
    """How far [m] the points of contact k go past each other in the motion."""
    ways = (0.0, 0.0, 0.0)
    for side, first, sign in ((BODY_A, POINT_A, -1.0), (BODY_B, POINT_B, 1.0)):
        y = (place[k, first], place[k, first + 1], place[k, first + 2])
        start, end = poses_at(motions, name[k, side], 0.0), poses_at(motions, name[k, side], 1.0)
        ways = add_scaled(ways, sign, sub(pose_apply(end, y), pose_apply(start, y)))
    return norm(ways)


@lean_kernel
def dips(rows, k, motions, sizes, at):
    """Whether the gap of contact k is less than what is wanted on the way."""
    gap, _ = _gap_at(rows.name, rows.place, k, motions, sizes.radii, at)
    return gap < KEPT * sizes.gap


@lean_kernel
def raise_target(rows_io, k, motions, sizes, at):
    """Raise the target of contact k as its sag asks for, else by a quarter of the gap and then by 1, 4, ... gaps.

    `at` is the time at which its gap was too small. Returns 1, or 0 if the target is as high as it may be.
    """
    name, place, extra = rows_io
    gap, radii = sizes.gap, sizes.radii
    last, normal = _gap_at(name, place, k, motions, radii, 1.0)
    lift = _lift_of_sag(rows_io, k, motions, sizes, at, (last, normal))
    # A gap that is wider than its target is lifted only by a target above it; a ball would be thrown off.
    higher = max(extra[k], last - gap) if radii == 0.0 else extra[k]
    if lift > _LEAST_LIFT * higher:
        # A ball that ends far above its gap is thrown off: shorter motions sag less.
        if radii > 0.0 and higher + lift > max(MOST_GAPS * gap, OF_WAY_PAST * _way_past(name, place, k, motions)):
            return 0
        extra[k] = max(higher + lift, 0.25 * gap)
        return 1
    most = _most(name, k, motions, radii, gap)
    if extra[k] >= most:
        return 0
    extra[k] = min(max(0.25 * gap, 4.0 * extra[k]), most)
    return 1
