"""What was done to a world between two steps: noticed by comparing it with what the last step left."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import World
from ...dynamics.joints.joint_set import COLUMNS, JointSet
from ...dynamics.moment import Moment
from ...dynamics.soft.soft_spec import SoftMoment
from .pack_tables import Left

TABLES = ("twist", "wrench", "hold", "target")
"""Of bodies, that commands change and records hold."""
_OPTIONS = ("_dt", "_gravity", "_method", "_threads", "_kinematic_overlaps")
"""What a world is told beside its moment: numbers, texts and an array, all replaced and never written to."""


class Watch:
    """Remembers a world as a step left it."""

    def __init__(self, world: World) -> None:
        self.look(world)

    def look(self, world: World) -> None:
        """Remember what is there now."""
        self._seen, self._options = world._now, _options(world)
        state = world._now.state
        self.left = Left(state.twist.copy(), state.hold, state.target)

    def sees_other(self, world: World) -> bool:
        """Whether more was changed than velocities, forces, hands, and what is asked of joints."""
        now, seen = world._now, self._seen
        return (now is not seen and _is_other(now, seen)) or any(map(_differs, _options(world), self._options))

    def other_centres(self, world: World) -> dict[str, list[float]]:
        """Bodies that were fixed or freed and have their centre of mass elsewhere in their part's frame now [m]."""
        now, before = world._now.setup.specs, self._seen.setup.specs
        pairs = zip(now, before, strict=False) if now is not before else ()
        return {spec.name: spec.centre.tolist() for spec, old in pairs if (spec.centre != old.centre).any()}

    def sees_other_hands(self, world: World) -> bool:
        """Whether hands hold deformable bodies otherwise than before."""
        return world._now.soft.hands is not self._seen.soft.hands

    def joint_rows(self, world: World) -> dict[str, Any] | None:
        """Rows of joints of which something else is asked than before, as layout.JOINTS has them."""
        now, before = world._now.joints, self._seen.joints
        return None if now is before else _joint_rows(now, before)


def _is_other(now: Moment, seen: Moment) -> bool:
    """Whether more was changed than what records hold of each step."""
    return (
        now.setup is not seen.setup
        or now.joints.specs is not seen.joints.specs
        or now.contacts is not seen.contacts
        or now.state.pose is not seen.state.pose
        or now.state.kind is not seen.state.kind
        or now.suspects != seen.suspects
        or now.time != seen.time
        or _is_other_soft(now.soft, seen.soft)
    )


def _is_other_soft(now: SoftMoment, seen: SoftMoment) -> bool:
    """Whether more than hands was changed about deformable bodies."""
    words = ("specs", "states", "attached", "touches")
    return now.suspect != seen.suspect or any(getattr(now, word) is not getattr(seen, word) for word in words)


def _options(world: World) -> list[Any]:
    return [getattr(world, name) for name in _OPTIONS]


def _differs(now: Any, before: Any) -> bool:
    return now is not before and not np.array_equal(now, before)


def _joint_rows(now: JointSet, before: JointSet) -> dict[str, Any] | None:
    """Rows of joints that are others than before, all of them where rows came or went; None if there are none."""
    if len(now.law) != len(before.law) or now.n != before.n or now.revision != before.revision:
        rows = np.arange(len(now.law))
    else:
        rows = np.flatnonzero(_changed_rows(now, before))
    if len(rows) == 0:
        return None
    tables = {name: getattr(now, name)[rows] for name in COLUMNS}
    return {"rows": len(now.law), "holding": now.n, "row": rows, **tables}


def _changed_rows(now: JointSet, before: JointSet) -> np.ndarray:
    changed = np.zeros(len(now.law), np.bool_)
    for name in COLUMNS:
        one, other = getattr(now, name), getattr(before, name)
        if one.tobytes() != other.tobytes():
            changed |= (one != other).reshape(len(changed), -1).any(axis=1)
    return changed
