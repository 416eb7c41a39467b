"""Joints: what holds two bodies together, and drives them. A `Joint` is a handle; its numbers stand in its world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ...arrays import Floats, is_one_of, limit, number
from ...errors import InputError
from ..bodies.body import Body
from ..bodies.body_kernels import DYNAMIC
from ..handle import Constant, Handle
from .joint_kernels import AT_LEAST, AT_MOST, JOINT, JOINT_A, JOINT_B, POSITION, SPRING, VELOCITY
from .joint_set import FREE, WATCHED, WORLD, JointSet, JointSpec
from .joint_types import ANCHOR_TOLERANCE
from .mechanism import set_coordinate

if TYPE_CHECKING:
    from ..world_contents import WorldContents

Limits = tuple[float | None, float | None]
Setting = TypeVar("Setting")
PerCoordinate: TypeAlias = Setting | Mapping[str, Setting] | None
"""What can be said of a joint with one coordinate, or by name for a joint with several."""


@dataclass(unsafe_hash=True)
class Motor(Constant):
    """Drives a coordinate of a joint at a velocity or to a position, as well as its largest force allows.

    Units follow the coordinate: m, m/s and N along an axis, rad, rad/s and N m about it. A motor of velocity 0 is a
    brake. A position is reached at the end of the step, or no faster than `max_speed`, or at a rate that leaves 1/e of
    the way after the time `response` [s].
    """

    velocity: float | None = None
    """[m/s] or [rad/s]."""
    position: float | None = None
    """[m] or [rad]; a motor has either this or a velocity."""
    max_force: float = np.inf
    """[N] or [N m]."""
    max_speed: float = np.inf
    """[m/s] or [rad/s] on the way to a position."""
    response: float = 0.0
    """[s] after which 1/e of the way to a position is left."""

    def __post_init__(self) -> None:
        if (self.velocity is None) == (self.position is None):
            raise InputError("motor: give either velocity= or position=")
        checked = {word: number(word, getattr(self, word)) for word in ("velocity", "position") if self._says(word)}
        checked |= {word: limit(word, getattr(self, word), above=0.0) for word in ("max_force", "max_speed")}
        checked["response"] = number("response", self.response, least=0.0)
        for word, value in checked.items():
            object.__setattr__(self, word, value)
        if self.velocity is not None and (self.max_speed != np.inf or self.response != 0.0):
            raise InputError("motor: max_speed= and response= go with position=; a velocity is kept as it is")

    def _says(self, word: str) -> bool:
        return getattr(self, word) is not None


@dataclass(unsafe_hash=True)
class Spring(Constant):
    """Draws a coordinate of a joint to where it is at rest, with a force stiffness (rest - coordinate) - damping speed.

    N/m and N s/m along an axis, N m/rad and N m s/rad about it. `rest` None: where the coordinate is now.
    """

    stiffness: float
    """[N/m] or [N m/rad]."""
    damping: float = 0.0
    """[N s/m] or [N m s/rad]."""
    rest: float | None = None
    """[m] or [rad]; None: where the coordinate is when the spring is set."""

    def __post_init__(self) -> None:
        checked = {word: number(word, getattr(self, word), least=0.0) for word in ("stiffness", "damping")}
        if self.rest is not None:
            checked["rest"] = number("rest", self.rest)
        for word, value in checked.items():
            object.__setattr__(self, word, value)
        if self.stiffness + self.damping == 0.0:
            raise InputError("spring: neither stiff nor damped, it does nothing; leave it out")


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
        row = np.zeros(len(table.law), bool)
        row[table.watched(self._joint._id, self._slot)] = True
        _, _, push = table.measure(row, world._state.pose, world._state.twist)
        a, b = table.name[row][0, [JOINT_A, JOINT_B]].tolist()
        wrench = amount / self._per_unit * push[0]
        pushed = [(i, share) for i, share in ((a, wrench[:6]), (b, wrench[6:])) if i != WORLD]
        dynamic = [(i, share) for i, share in pushed if Body(world, i).spec.kind == DYNAMIC]
        totals = [(i, Body(world, i)._applied_with(word, share)) for i, share in dynamic]
        for i, total in totals:
            world._state.wrench[i] = total

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


class Joint(Handle):
    """What holds two bodies together."""

    def __init__(self, world: WorldContents, number: int) -> None:
        self._world, self._id = world, number

    @property
    def _set(self) -> JointSet:
        return self._world._joints

    @property
    def _present_set(self) -> JointSet:
        """The joints of the world, if this one is still among them."""
        if self._id not in self._set.specs:
            raise InputError("this joint was removed from its world; make a new one")
        return self._set

    @property
    def _spec(self) -> JointSpec:
        return self._present_set.specs[self._id]

    @property
    def name(self) -> str:
        """Its name, unique in its world."""
        return self._spec.name

    @property
    def type(self) -> str:
        """As it was made: "hinge", "slider", ..."""
        return self._spec.type

    @property
    def body(self) -> Body:
        """Its first body."""
        return Body(self._world, self._spec.body)

    @property
    def other(self) -> Body | None:
        """Its other body; None: the world."""
        return None if self._spec.other == WORLD else Body(self._world, self._spec.other)

    @property
    def contact(self) -> bool:
        """Whether its two bodies touch each other all the same."""
        return self._spec.contact

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of what it leaves free and one can read and drive; see `joint["angle"]`."""
        return self._spec.coordinates

    def __getitem__(self, name: str) -> JointCoordinate:
        if not is_one_of(name, self.coordinates):
            known = ", ".join(self.coordinates) or "none"
            raise InputError(f"joint '{self.name}': a {self.type} joint has no coordinate {name!r}; it has {known}")
        return JointCoordinate(self, name)

    @property
    def coordinate(self) -> float:
        """Angle [rad] or travel [m] of a joint that has one of them; can be set, see `JointCoordinate.value`."""
        return self._only().value

    @coordinate.setter
    def coordinate(self, value: float) -> None:
        self._only().value = value

    def apply_force(self, force: float) -> None:
        """Push along its coordinate during the next step, with a force [N] or a torque [N m]."""
        self._only().apply_force(force)

    @property
    def speed(self) -> float:
        """[rad/s] or [m/s]."""
        return self._only().speed

    @property
    def limits(self) -> Limits | None:
        """Of its coordinate; can be set at any time."""
        return self._only().limits

    @limits.setter
    def limits(self, limits: Limits | None) -> None:
        self._only().limits = limits

    @property
    def motor(self) -> Motor | None:
        """Of its coordinate; can be set at any time."""
        return self._only().motor

    @motor.setter
    def motor(self, motor: Motor | None) -> None:
        self._only().motor = motor

    @property
    def spring(self) -> Spring | None:
        """Of its coordinate; can be set at any time."""
        return self._only().spring

    @spring.setter
    def spring(self, spring: Spring | None) -> None:
        self._only().spring = spring

    @property
    def reaction(self) -> tuple[Floats, Floats]:
        """Force [N] and torque about its anchor [N m] on its first body, along the world's axes.

        The mean over the last step, blows included, as they acted where its motions began; limits, motors and springs
        are part of them.
        """
        table, spec = self._set, self._spec
        mine = np.flatnonzero((table.name[:, JOINT] == self._id) & (table.law != WATCHED))
        # Rows in which the bodies have changed roles hold torques only, the opposite for the first body.
        sign = np.where(table.name[mine, JOINT_B] == spec.body, 1.0, -1.0)
        wrench = sign @ table.wrench[mine]
        return wrench[:3], wrench[3:]

    @property
    def error(self) -> float:
        """[m] by how much the joint is violated at most; an angle counts by half the smaller body's size."""
        table = self._present_set
        errors = table.errors(self._world._state.pose)[table.name[: table.n, JOINT] == self._id]
        return float(np.abs(errors).max(initial=0.0))

    def remove(self) -> None:
        """Take the joint away; its bodies go on with the velocities they have."""
        _ = self._spec  # refuses to be removed twice
        self._world._remove_joint(self._id)

    def _only(self) -> JointCoordinate:
        names = self.coordinates
        if len(names) != 1:
            how = (
                "no coordinate" if not names else "several coordinates: " + " and ".join(f'joint["{n}"]' for n in names)
            )
            raise InputError(f"joint '{self.name}': a {self.type} joint has {how}")
        return JointCoordinate(self, names[0])

    def _set_up(
        self, limits: PerCoordinate[Limits], motor: PerCoordinate[Motor], spring: PerCoordinate[Spring]
    ) -> None:
        """Apply what was said when the joint was made."""
        for coordinate, value in self._by_name("limits", limits):
            coordinate.limits = value
        for coordinate, motor_value in self._by_name("motor", motor):
            coordinate.motor = motor_value
        for coordinate, spring_value in self._by_name("spring", spring):
            coordinate.spring = spring_value

    def _by_name(self, word: str, given: PerCoordinate[Setting]) -> list[tuple[JointCoordinate, Setting]]:
        if given is None:
            return []
        if isinstance(given, Mapping):
            return [(self[name], value) for name, value in given.items()]
        if len(self.coordinates) > 1:
            names = ", ".join(f'"{name}": ...' for name in self.coordinates)
            raise InputError(f"joint '{self.name}': say which coordinate: {word}={{{names}}}")
        return [(self._only(), given)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and other._world is self._world and other._id == self._id

    def __hash__(self) -> int:
        return hash((id(self._world), self._id))

    def __repr__(self) -> str:
        return f"Joint('{self.name}')" if self._id in self._set.specs else "Joint(removed)"


def _finite_side(where: str, side: float | None) -> float | None:
    """A limit; None and infinity mean that there is none."""
    infinite = isinstance(side, float | np.floating) and abs(side) == np.inf
    return None if side is None or infinite else number(where, side)
