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


class Plan(NamedTuple):
    """What a motion is solved, judged and made for."""

    n: Any
    """How many contacts there are."""
    m: Any
    """How many rows of joints exert forces."""
    h: Any
    """[s] length of the motion."""
    gap: Any
    """[m] the contact gap."""


class Bounds(NamedTuple):
    """What a solution must keep to be checked."""

    worst: Any
    """[m] the largest violation of contacts and joints with which it means anything."""
    work: Any
    """What is left of the budget."""
    spun: Any
    """Whether forces may turn bodies so far that they are hard to believe."""


class Paths(NamedTuple):
    """What bodies pass through during a motion."""

    low: Any
    """(n, 3) [m] of the bodies, see boxes_tables.Extents; likewise the next two."""
    high: Any
    """(n, 3)."""
    reach: Any
    """(n,)."""
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
