"""What travels between the parts of a step, beside bodies, contacts and joints."""

from typing import Any, NamedTuple


class Pace(NamedTuple):
    """How a motion is made."""

    h: Any
    """[s] its length."""
    share: Any
    """Of the whole step that this motion is."""
    gamma: Any
    """Share of the velocities at the end in those of the motion (see pair_laws); 0 where these are the same."""
    still_for: Any
    """[s] the step below the dynamic level, where bodies have no inertia; 0 where they have."""


class Guess(NamedTuple):
    """Forces of joints before they are solved for."""

    name: Any
    """(n_joint, 4) see joint_kernels."""
    before: Any
    """(n_joint,) [N] of the motion before the last one."""
    force: Any
    """(n_joint,) [N] of the last motion, then of this one as far as it is known."""
    at_rest: Any
    """Share of the largest force by which forces change at rest."""


class Beginning(NamedTuple):
    """What is known of a motion when its search begins: nothing; see problem_tables.Status."""

    due: Any
    """(n_body + 1,)."""
    begun: Any
    """(n_body + 1,)."""
    hasty: Any
    """(n_body + 1,)."""
    spin: Any
    """(n_body + 1, 3) [rad/s]."""
    left: Any
    """(n_body + 1, 3)."""
    extra: Any
    """(capacity,) [m] by how much targets of contacts are raised."""


class Bounds(NamedTuple):
    """What a solution must keep to be checked."""

    worst: Any
    """[m] the largest violation of contacts and joints with which it means anything."""
    work: Any
    """What is left of the budget."""
    spun: Any
    """Whether forces may turn bodies so far that they are hard to believe."""


class Solution(NamedTuple):
    """Forces that a solve begins with and finds, and what it reports."""

    force: Any
    """(capacity,) [N] of contacts along their normals."""
    friction: Any
    """(capacity, 3) [N] on body B, in the world's axes."""
    joint: Any
    """(n_joint,) [N] of rows of joints."""
    report: Any
    """(N_REPORT,) see problem_kernels.settle_island."""


class Paths(NamedTuple):
    """What bodies pass through during a motion."""

    low: Any
    """(n, 3) [m] of the bodies, see boxes_tables.Extents; likewise the next two."""
    high: Any
    """(n, 3)."""
    reach: Any
    """(n,)."""
    margin: Any
    """[m] around the boxes."""
    box_low: Any
    """(n, 3) [m] boxes around the motions."""
    box_high: Any
    """(n, 3)."""
    last: Any
    """(n, 6) displacements and turns at the last check."""
    change: Any
    """(n,) [m] how far the present ones lead any point of a body from there."""
    ends: Any
    """(n, 12) poses to which the motions lead."""
    room_low: Any
    """(n, 3) [m] the wider boxes among which pairs were culled last."""
    room_high: Any
    """(n, 3)."""


class CheckWork(NamedTuple):
    """By what the work of a check is counted, see budget.py."""

    features: Any
    """(n,) of each body."""
    size: Any
    """(n,) [m] by which the length of its ways is told."""
    of_feature: Any
    """Work to check one feature of a body that moves a little against another body."""
    long: Any
    """Motions past each other beyond which checks count what they do, in sizes of the smaller body and radians."""
    left: Any
    """What is left of the budget."""
    most: Any
    """What may be done to check one pair, if so much is left."""
    again: Any
    """Whether pairs were chosen and counted before, and there was too little room for their hits."""
    longest_way: Any
    """[m] the longest way that is followed."""
    longest_turn: Any
    """[rad] the longest turn that is followed."""


class Looked(NamedTuple):
    """What is found of pairs before their features are checked."""

    chosen: Any
    """(n_pair,) which to check."""
    apart: Any
    """(n_pair,) whether the boxes around their motions stay apart."""
    afresh: Any
    """(n_pair,) which to check without memory, as their motions are long."""
    bodies: Any
    """(n_body + 1,) which bodies move too far, or are looked at."""


class Acts(NamedTuple):
    """Where what acts in a motion is noted."""

    bodies: Any
    """(n_body, WRENCHES, 6) see account_kernels."""
    stays: Any
    """(n_body,) which bodies did not do all that forces would have them do."""
    velocity: Any
    """(n_body, 6) scratch."""
    resisted: Any
    """Whether hands or drag act on any body."""


class MovedJoints(NamedTuple):
    """Rows of joints in a motion that is made, see joint_set."""

    n: Any
    """How many of them exert forces."""
    name: Any
    """(n_row, 4)."""
    place: Any
    """(n_row, 16)."""
    last: Any
    """(n_row,) [rad]."""
    force: Any
    """(n_row,) [N]."""
    acted: Any
    """(n_row,) [N] means over the step."""
    wrench: Any
    """(n_row, 6) means over the step."""


class Touched(NamedTuple):
    """What contacts are placed anew by at the end of a motion."""

    features: Any
    """Features of feature_tables as a plain tuple."""
    surfaces: Any
    """Surfaces of the shapes as a plain tuple."""
    shape_of: Any
    """(n_body,) the shape of each body."""
    ends: Any
    """(n_body, 12) poses at the end of the motion."""
    radius: Any
    """(n_body,) [m] how far bodies reach beyond their points and edges."""
    slack: Any
    """[m] how far apart features may be."""
