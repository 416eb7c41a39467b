"""What acted over a step of soft bodies that took several motions: means of what each tells, by its share of time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...contact.contact_kernels import LABEL
from ..contacts.contact_set import ContactSet
from ..joints.joint_set import JointSet
from ..moment import Moment
from .soft_spec import KeptTouches


class _Push(NamedTuple):
    """Of one contact of a soft body."""

    pressure: Floats
    """(3,) [N] on B, along normals."""
    friction: Floats
    """(3,) [N]."""
    torque: Floats
    """(2, 3) [N m]."""
    seen: tuple[KeptTouches, int]
    """Where it stood last: contacts of a motion, and its row."""


class StepTotals:
    """Adds up what the motions of a step tell."""

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._made: list[tuple[float, Moment]] = []
        """Shares of the step, and the moments after them."""

    def add(self, then: Moment, h: float) -> None:
        """A motion of length h [s] led to a moment."""
        self._made.append((h / self._dt, then))

    def tell(self, now: Moment) -> Moment:
        """The moment with means over the step in place of what acted in its last motion."""
        if [share for share, _ in self._made] == [1.0]:
            return now
        acted = self._mean("state", "acted", now.state.acted)
        state, soft = now.state.with_tables(acted=acted), replace(now.soft, told=self._touches(now.soft.touches))
        return now._replace(state=state, joints=self._joints(now.joints), contacts=self._contacts(now), soft=soft)

    def _mean(self, part: str, table: str, like: Floats) -> Floats:
        """Mean of a table of a part of the moments."""
        total = np.zeros_like(like)
        for share, then in self._made:
            total += share * getattr(getattr(then, part), table)
        return total

    def _joints(self, last: JointSet) -> JointSet:
        means = {word: self._mean("joints", word, getattr(last, word)) for word in ("acted", "wrench")}
        return last.with_columns(**means)

    def _contacts(self, now: Moment) -> ContactSet:
        """Contacts of rigid bodies; those that pushed in any motion and are no more are gone."""
        acted: dict[int, Floats] = {}
        seen: dict[int, tuple[ContactSet, int]] = {}
        for share, then in self._made:
            gone = then.contacts.gone
            for some in (then.contacts,) if gone is None else (then.contacts, gone):
                for k in range(some.n):
                    label = int(some.name[k, LABEL])
                    acted[label], seen[label] = acted.get(label, 0.0) + share * some.acted[k], (some, k)
        told = now.contacts.without_gone()
        told.acted = np.zeros_like(told.acted)
        for k in range(told.n):
            label = int(told.name[k, LABEL])
            if label in acted:
                told.acted[k] = acted.pop(label)
        told.gone = _gathered([(*seen[label], push) for label, push in acted.items() if push.any()], told.next_label)
        return told

    def _touches(self, last: KeptTouches) -> KeptTouches:
        """Contacts of soft bodies, those that have let go on the way included."""
        found: dict[int, _Push] = {}
        for share, then in self._made:
            touches = then.soft.touches
            for k, label in enumerate(touches.label.tolist()):
                along = share * touches.impulse[k][:, None] * touches.axes[k]
                push = _Push(along[0], along[1] + along[2], share * touches.torque[k], (touches, k))
                found[label] = push if label not in found else _added(found[label], push)
        kept = set(last.label.tolist())
        told = [push for label, push in found.items() if label in kept or push.pressure.any() or push.friction.any()]
        return _as_touches(told, last)


def _added(before: _Push, push: _Push) -> _Push:
    pressure, friction = before.pressure + push.pressure, before.friction + push.friction
    return _Push(pressure, friction, before.torque + push.torque, push.seen)


def _gathered(rows: list[tuple[ContactSet, int, Floats]], next_label: int) -> ContactSet | None:
    """Rows of contacts, with what acted at them, as a set of their own; None if there are none."""
    if not rows:
        return None
    gone = ContactSet(len(rows), next_label)
    gone.make_room(len(rows))
    for j, (some, k, push) in enumerate(rows):
        gone.name[j], gone.place[j], gone.force[j] = some.name[k], some.place[k], some.force[k]
        gone.friction[j], gone.extra[j], gone.acted[j] = some.friction[k], some.extra[k], push
    return gone


def _as_touches(pushes: list[_Push], like: KeptTouches) -> KeptTouches:
    """As tables, with forces along and across the mean normals; of no contacts, as those of `like` are."""
    rows: list[dict[str, Any]] = []
    for push in pushes:
        touches, k = push.seen
        axes = _axes_along(push.pressure, touches.axes[k])
        row = {word: getattr(touches, word)[k] for word in ("name", "label", "point", "gap")}
        rows.append(row | {"impulse": axes @ (push.pressure + push.friction), "axes": axes, "torque": push.torque})
    tables = {}
    for word, table in like._asdict().items():
        tables[word] = np.array([row[word] for row in rows], table.dtype).reshape(-1, *table.shape[1:])
    return KeptTouches(**tables)


def _axes_along(pressure: Floats, axes: Floats) -> Floats:
    """(3, 3) a normal along a force and two tangents, near axes as they were; these if there is none."""
    size = float(np.linalg.norm(pressure))
    if size == 0.0:
        return axes
    normal = pressure / size
    side = axes[int(np.argmin(np.abs(axes @ normal)))]
    tangent = side - (side @ normal) * normal
    tangent /= np.linalg.norm(tangent)
    return np.array((normal, tangent, np.cross(normal, tangent)))
