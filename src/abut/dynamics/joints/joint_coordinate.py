"""What a joint leaves free, as users read and drive it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...arrays import number
from ...errors import InputError
from ..bodies.body import Body
from ..bodies.body_kernels import DYNAMIC
from ..handle import Handle
from .joint_kernels import AT_LEAST, AT_MOST, JOINT, JOINT_A, JOINT_B, POSITION, SPRING, VELOCITY
from .joint_set import FREE, WORLD, JointSet
from .joint_types import ANCHOR_TOLERANCE
from .mechanism import set_coordinate
from .motors import Motor, Spring

if TYPE_CHECKING:
    from .joint import Joint

Limits = tuple[float | None, float | None]


class _Asked(NamedTuple):
    """What is asked of a coordinate."""

    law: int
    value: tuple[float, float, float]
    """Its numbers, as the law has them."""
    upper: float
    """[N] or [N m] the largest force."""


class JointCoordinate(Handle):
    """What a joint leaves free: an angle [rad] with all its turns, a travel or a distance [m]."""

    def __init__(self, joint: Joint, name: str) -> None:
        self._joint, self._name = joint, name
        self._slot = joint._spec.coordinates.index(name) + 1
        self._per_unit = joint._spec.per_unit[self._slot - 1]

    @property
    def name(self) -> str:
        """As its joint calls it: "angle", "travel", ..."""
        return self._name

    @property
    def _set(self) -> JointSet:
        return self._joint._present_set

    @property
    def value(self) -> float:
        """[rad] or [m]; can be set where no other joint has a say in it, and moves all that hangs on the joint."""
        value, _ = self._measure()
        return value / self._per_unit

    @value.setter
    def value(self, value: float) -> None:
        where = f"joint '{self._joint.name}': {self.name}"
        wanted, limits = number(where, value), self.limits or (None, None)
        low, high = (-np.inf if limits[0] is None else limits[0], np.inf if limits[1] is None else limits[1])
        least = max(low, 0.0) if self.name == "distance" else low
        if not least <= wanted <= high:
            raise InputError(
                f"{where}: expected {least:g} to {high:g}, its limits, got {wanted:g}; change the limits first"
            )
        self._joint._world._now = set_coordinate(self, wanted - self.value)

    @property
    def speed(self) -> float:
        """[rad/s] or [m/s]."""
        _, speed = self._measure()
        return speed / self._per_unit

    @property
    def force(self) -> float:
        """Force [N] or torque [N m] of its limits, motor and spring along it, the mean over the last step."""
        table, joint = self._set, self._joint
        mine = (table.name[:, JOINT] == joint._id) & (table.slot == self._slot)
        return float(table.acted[mine].sum()) * self._per_unit

    @property
    def limits(self) -> Limits | None:
        """Lowest and highest value, each None where there is none."""
        low, high = self._limit(AT_LEAST), self._limit(AT_MOST)
        return None if low is None and high is None else (low, high)

    @limits.setter
    def limits(self, limits: Limits | None) -> None:
        low, high = (None, None) if limits is None else self._checked_limits(limits)
        table, me = self._set.copy(), (self._joint._id, self._slot)
        for law, side, bounds in ((AT_LEAST, low, (0.0, np.inf)), (AT_MOST, high, (-np.inf, 0.0))):
            if side is None:
                table.stop_asking(*me, (law,))
            else:
                table.ask(*me, (law,), law, (side * self._per_unit, 0.0, 0.0), bounds)
        self._take(table)

    @property
    def motor(self) -> Motor | None:
        """What drives it; can be set at any time."""
        asked = self._asked((VELOCITY, POSITION))
        if asked is None:
            return None
        law, value, upper = asked
        goal, speed, response = value
        goal, max_force = goal / self._per_unit, upper * self._per_unit
        if law == VELOCITY:
            return Motor(velocity=goal, max_force=max_force)
        return Motor(position=goal, max_force=max_force, max_speed=speed / self._per_unit, response=response)

    @motor.setter
    def motor(self, motor: Motor | None) -> None:
        laws = (VELOCITY, POSITION)
        if motor is None:
            self._stop_asking(laws)
            return
        self._check_kind(motor, Motor)
        if self.name == "distance" and motor.position is not None and motor.position < 0.0:
            where = f"joint '{self._joint.name}': position"
            raise InputError(f"{where}: a distance is never negative, got {motor.position:g}")
        bound = motor.max_force / self._per_unit
        if motor.velocity is not None:
            self._ask(laws, VELOCITY, (motor.velocity * self._per_unit, 0.0, 0.0), (-bound, bound))
        elif motor.position is not None:
            value = (motor.position * self._per_unit, motor.max_speed * self._per_unit, motor.response)
            self._ask(laws, POSITION, value, (-bound, bound))

    @property
    def spring(self) -> Spring | None:
        """What draws it to its rest; can be set at any time."""
        asked = self._asked((SPRING,))
        if asked is None:
            return None
        (k, c, rest), f = asked.value, self._per_unit
        return Spring(k * f * f, c * f * f, rest / f)

    @spring.setter
    def spring(self, spring: Spring | None) -> None:
        if spring is None:
            self._stop_asking((SPRING,))
            return
        self._check_kind(spring, Spring)
        f = self._per_unit
        rest = self.value if spring.rest is None else spring.rest
        self._ask((SPRING,), SPRING, (spring.stiffness / (f * f), spring.damping / (f * f), rest * f), FREE)

    def apply_force(self, force: float) -> None:
        """Push along the coordinate during the next step: a force [N] along an axis, a torque [N m] about it.

        The first body is pushed, and the other one back. Forces add to each other, and to motors and springs.
        """
        word = "torque" if self.name.startswith("angle") else "force"
        amount = number(f"joint '{self._joint.name}': {word}", force)
        world, table = self._joint._world, self._set
        chosen = np.zeros(len(table.law), bool)
        chosen[table.watched(self._joint._id, self._slot)] = True
        _, _, push = table.measure(chosen, world._state.pose, world._state.twist)
        a, b = table.name[chosen][0, [JOINT_A, JOINT_B]].tolist()
        wrench = amount / self._per_unit * push[0]
        pushed = [(i, share) for i, share in ((a, wrench[:6]), (b, wrench[6:])) if i != WORLD]
        dynamic = [(i, share) for i, share in pushed if Body(world, i).spec.kind == DYNAMIC]
        rows = [world._state.row("wrench", i) for i, _ in dynamic]
        totals = [Body(world, i)._applied_with(word, share, row) for (i, share), row in zip(dynamic, rows, strict=True)]
        for row, total in zip(rows, totals, strict=True):
            row[:] = total

    def _measure(self) -> tuple[float, float]:
        table, state = self._set, self._joint._world._state
        row = np.zeros(len(table.law), bool)
        row[table.watched(self._joint._id, self._slot)] = True
        q, rate, _ = table.measure(row, state.pose, state.twist)
        return float(q[0]), float(rate[0])

    def _ask(
        self, laws: tuple[int, ...], law: int, value: tuple[float, float, float], bounds: tuple[float, float]
    ) -> None:
        table = self._set.copy()
        table.ask(self._joint._id, self._slot, laws, law, value, bounds)
        self._take(table)

    def _stop_asking(self, laws: tuple[int, ...]) -> None:
        table = self._set.copy()
        table.stop_asking(self._joint._id, self._slot, laws)
        self._take(table)

    def _take(self, joints: JointSet) -> None:
        """Let the world have other joints, in one assignment."""
        world = self._joint._world
        world._now = world._now._replace(joints=joints)

    def _limit(self, law: int) -> float | None:
        asked = self._asked((law,))
        return None if asked is None else float(asked.value[0] / self._per_unit)

    def _asked(self, laws: tuple[int, ...]) -> _Asked | None:
        """What is asked by one of `laws`."""
        table = self._set
        found = table._asked(self._joint._id, self._slot, laws)
        if not found.any():
            return None
        k = int(found.argmax())
        a, b, c = (float(v) for v in table.value[k, :3])
        return _Asked(int(table.law[k]), (a, b, c), float(table.upper[k]))

    def _checked_limits(self, limits: Limits) -> tuple[float | None, float | None]:
        where = f"joint '{self._joint.name}': limits of {self.name}"
        try:
            low, high = limits
        except (TypeError, ValueError):
            raise InputError(f"{where}: expected (low, high), either may be None, got {limits!r}") from None
        low, high = _finite_side(where, low), _finite_side(where, high)
        if low is not None and high is not None and low > high:
            raise InputError(f"{where}: the lower one, {low:g}, is above the higher one, {high:g}; exchange them")
        now, slack = self.value, ANCHOR_TOLERANCE * self._joint._spec.reach / self._per_unit
        if (low is not None and now < low - slack) or (high is not None and now > high + slack):
            raise InputError(f"{where}: it is at {now:.6g} now, outside of ({low}, {high}); move the bodies first")
        return low, high

    def _check_kind(self, given: object, kind: type) -> None:
        if not isinstance(given, kind):
            raise InputError(f"joint '{self._joint.name}': expected an abut.{kind.__name__}, got {given!r}")

    def __repr__(self) -> str:
        return f"JointCoordinate('{self._joint.name}', '{self.name}')"


def _finite_side(where: str, side: float | None) -> float | None:
    """A limit; None and infinity mean that there is none."""
    infinite = isinstance(side, float | np.floating) and abs(side) == np.inf
    return None if side is None or infinite else number(where, side)
