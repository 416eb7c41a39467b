"""Bodies that overlap at the start, put where they do not: each along an axis of the world, by the shortest way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, World
from ...geometry import size_of
from ...math import Pose
from ...query import distance

WAYS = np.array([(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], np.float64)
"""Up first, so that of ways of one length, parts are lifted."""
FARTHER = 1.3
"""By which a way grows until it is free."""
MOST_SIZES = 3.0
"""Of the body, the longest way."""
ROOM = 4.0
"""Contact gaps that are left."""


def places_apart(world: World, names: Sequence[str]) -> Iterator[tuple[Body, Pose]]:
    """Of the bodies that are named, those that can move and are in others' way, small ones first; where to put them."""
    others = {body.name: (body.shape, body.pose) for body in world.bodies}
    free = [body for body in map(world.body, names) if np.isfinite(body.mass)]
    for body in sorted(free, key=lambda body: size_of(body.shape)):
        del others[body.name]
        found = _nearest(body, list(others.values()), ROOM * world.contact_gap)
        if found is not None:
            yield body, found
        others[body.name] = (body.shape, found or body.pose)


def _nearest(body: Body, others: Sequence[tuple[object, Pose]], room: float) -> Pose | None:
    """Where a body has room; None where it has already, or nowhere near."""
    if _has_room(body, body.pose, others, room):
        return None
    shift, best = room, MOST_SIZES * size_of(body.shape)
    while shift < best:
        for way in WAYS:
            place = _moved(body.pose, shift * way)
            if _has_room(body, place, others, room):
                return place
        shift *= FARTHER
    return None


def _moved(pose: Pose, shift: Floats) -> Pose:
    return Pose(pose.position + shift, quat_wxyz=pose.quat_wxyz)


def _has_room(body: Body, pose: Pose, others: Sequence[tuple[object, Pose]], room: float) -> bool:
    return all(distance(body.shape, shape, pose, place).lower >= room for shape, place in others)
