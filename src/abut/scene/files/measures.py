"""Measures: the numbers a run is asked for, followed step by step.

`"pose.z of peg at end"`, `"largest force of peg and plate"`, `"smallest gap"`, `"mean speed of ring 3"`, or a table
that asks whether and when a body reached a pose.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics import Body, Deformable, StepReport, World
from ...errors import InputError, meant
from ...math import Pose
from ..played.things import names_of, thing_of
from .place import pose_of

if TYPE_CHECKING:
    from .model import MeasureTable

_SENTENCE = re.compile(
    r"(?:(?P<how>largest|smallest|mean|final)\s+)?(?P<what>[a-z_]+(?:\.[a-z]+)?)"
    r"(?:\s+of\s+(?P<names>.+?))?(?:\s+at\s+(?P<when>end|[-+.\deE]+(?:\s*s)?))?"
)
FORM = "[largest|smallest|mean|final] QUANTITY [of BODY [and BODY]] [at end|at TIME]"


@dataclass(frozen=True)
class Quantity:
    """Something that has a value after every step."""

    of: Callable[[World, StepReport, list[Any]], float]
    bodies: tuple[int, ...]
    """How many bodies it may be asked of."""
    unit: str = ""
    how: str = "final"
    """What is reported of its values where nothing is said."""
    kinds: tuple[type[Body | Deformable], ...] = (Body,)
    """Which bodies have it."""


def _place(k: int) -> Callable[[World, StepReport, list[Any]], float]:
    """One coordinate of where a body is; of a soft one, its centre of mass."""
    return lambda world, report, bodies: float(
        (bodies[0].pose.position if isinstance(bodies[0], Body) else bodies[0].centre)[k]
    )


def _coordinate(word: str, k: int) -> Callable[[World, StepReport, list[Any]], float]:
    """One coordinate of a vector of a body."""
    return lambda world, report, bodies: float(getattr(bodies[0], word)[k])


def _length(word: str) -> Callable[[World, StepReport, list[Any]], float]:
    return lambda world, report, bodies: float(np.linalg.norm(getattr(bodies[0], word)))


def _touching(world: World, bodies: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Contacts of a body or of a pair, and 1 where the first body is their B, else -1."""
    contacts = world.contacts
    first = bodies[0].index
    mine = (contacts["body_a"] == first) | (contacts["body_b"] == first)
    if len(bodies) == 2:
        other = bodies[1].index
        mine &= (contacts["body_a"] == other) | (contacts["body_b"] == other)
    chosen = contacts[mine]
    return chosen, np.where(chosen["body_b"] == first, 1.0, -1.0)


def _force(world: World, report: StepReport, bodies: list[Any]) -> float:
    contacts, sign = _touching(world, bodies)
    forces = sign[:, None] * (contacts["force"][:, None] * contacts["normal"] + contacts["friction"])
    return float(np.linalg.norm(forces.sum(axis=0)))


def _gap(world: World, report: StepReport, bodies: list[Any]) -> float:
    if not bodies:
        return report.smallest_gap
    return float(_touching(world, bodies)[0]["gap"].min(initial=inf))


BOTH = (Body, Deformable)

QUANTITIES: dict[str, Quantity] = {
    **{f"pose.{axis}": Quantity(_place(k), (1,), "m", kinds=BOTH) for k, axis in enumerate("xyz")},
    **{
        f"{word}.{axis}": Quantity(_coordinate(word, k), (1,), unit)
        for word, unit in (("velocity", "m/s"), ("angular_velocity", "rad/s"))
        for k, axis in enumerate("xyz")
    },
    "speed": Quantity(_length("velocity"), (1,), "m/s"),
    "angular_speed": Quantity(_length("angular_velocity"), (1,), "rad/s"),
    "force": Quantity(_force, (1, 2), "N", "largest", BOTH),
    "gap": Quantity(_gap, (0, 1, 2), "m", "smallest", BOTH),
    "stress": Quantity(
        lambda world, report, bodies: float(bodies[0].stress.max()), (1,), "Pa", "largest", (Deformable,)
    ),
    "strain_energy": Quantity(lambda world, report, bodies: bodies[0].strain_energy, (1,), "J", kinds=(Deformable,)),
    "volume_change": Quantity(lambda world, report, bodies: bodies[0].volume_change, (1,), kinds=(Deformable,)),
    "inverted": Quantity(lambda world, report, bodies: len(bodies[0].inverted), (1,), "", "largest", (Deformable,)),
    "energy": Quantity(lambda world, report, bodies: world.energy, (0,), "J"),
    "kinetic_energy": Quantity(lambda world, report, bodies: world.kinetic_energy, (0,), "J"),
    "contacts": Quantity(lambda world, report, bodies: float(report.contacts), (0,), "", "largest"),
    "time_given_up": Quantity(lambda world, report, bodies: report.time_given_up, (0,), "s", "sum"),
}


def _joined(how: str, old: float, new: float, seen: int) -> float:
    """What is known of a quantity after one more value, the `seen`-th."""
    if how == "largest":
        return max(old, new)
    if how == "smallest":
        return min(old, new)
    if how == "mean":
        return old + (new - old) / seen
    return old + new if how == "sum" else new


@dataclass
class Followed:
    """A number that is followed step by step."""

    how: str
    """largest, smallest, mean, final or sum."""
    value: float | None = field(default=None, init=False)
    """What was found; None if there was nothing to measure."""
    _seen: int = field(default=0, init=False)

    def take(self, new: float) -> None:
        """Take one more value into account."""
        self._seen += 1
        self.value = new if self.value is None else _joined(self.how, self.value, new, self._seen)

    @property
    def progress(self) -> Any:
        """What is known so far, as JSON takes it, to go on from."""
        return [self.value, self._seen]

    def go_on(self, progress: Any) -> None:
        """Go on from what was known."""
        if isinstance(progress, list) and len(progress) == 2:
            self.value, self._seen = progress


@dataclass
class ValueMeasure(Followed):
    """The largest, smallest, mean or last value of a quantity, or its value at a time."""

    what: str
    """A name of `QUANTITIES`."""
    bodies: list[str]
    when: float | None
    """[s]; None: over the whole run, or at its end."""

    @property
    def unit(self) -> str:
        """Of the value."""
        return QUANTITIES[self.what].unit

    def see(self, world: World, report: StepReport) -> None:
        """Take a step into account."""
        if self.when is not None and (self._seen or world.time < self.when - 1e-9 * world.dt):
            return
        new = QUANTITIES[self.what].of(world, report, [thing_of(world, name) for name in self.bodies])
        if isfinite(new):
            self.take(new)


@dataclass
class PlaceMeasure(Followed):
    """One coordinate of a point of a soft body's skin."""

    body: str
    point: tuple[float, float, float]
    """[m] in the part's frame at rest."""
    axis: str
    unit: str = field(default="m", init=False)

    def see(self, world: World, report: StepReport) -> None:
        """Take a step into account."""
        self.take(float(world.deformable(self.body).place_of(self.point)["xyz".index(self.axis)]))


@dataclass
class ReachedMeasure:
    """When a body first came near enough to a pose; None if it did not."""

    body: str
    pose: Pose
    within: float
    angle: float | None
    value: float | None = field(default=None)
    """[s]."""
    unit: str = field(default="s", init=False)

    def see(self, world: World, report: StepReport) -> None:
        """Take a step into account."""
        if self.value is None and self._is_there(world.body(self.body).pose):
            self.value = world.time

    @property
    def progress(self) -> Any:
        """What is known so far, as JSON takes it, to go on from."""
        return self.value

    def go_on(self, progress: Any) -> None:
        """Go on from what was known."""
        self.value = progress

    def _is_there(self, pose: Pose) -> bool:
        near = float(np.linalg.norm(pose.position - self.pose.position)) <= self.within
        if near and self.angle is not None:
            return float(np.linalg.norm((pose.inverse() @ self.pose).rotvec)) <= self.angle
        return near


Measure = ValueMeasure | PlaceMeasure | ReachedMeasure


def _told_in_a_table(given: MeasureTable, world: World) -> Measure:
    if given.place is not None:
        place = given.place
        world.deformable(place.body)
        return PlaceMeasure(place.how, place.body, place.point, place.axis)
    reached = given.reached
    assert reached is not None
    world.body(reached.body)
    return ReachedMeasure(reached.body, pose_of(reached), reached.within, reached.angle)


def make_measure(given: str | MeasureTable, world: World) -> Measure:
    """A measure of a scene file."""
    if not isinstance(given, str):
        return _told_in_a_table(given, world)
    found = _SENTENCE.fullmatch(given.strip())
    if found is None:
        raise InputError(f"expected {FORM}, got {given!r}")
    what, how, when = found["what"], found["how"], found["when"]
    if what not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise InputError(f"there is no quantity {what!r}{meant(what, list(QUANTITIES))}; there are: {known}")
    quantity = QUANTITIES[what]
    bodies = _bodies_named(found["names"], world)
    if len(bodies) not in quantity.bodies:
        wanted = " or ".join(str(n) for n in quantity.bodies)
        raise InputError(f"{what} is asked of {wanted} bodies, got {len(bodies)}")
    for body in (thing_of(world, name) for name in bodies):
        if not isinstance(body, quantity.kinds):
            soft = "soft" if isinstance(body, Deformable) else "rigid"
            raise InputError(f"'{body.name}' is {soft} and has no {what}")
    at = None if when is None or when == "end" else float(when.rstrip("s ").strip())
    return ValueMeasure("final" if when == "end" else how or quantity.how, what, bodies, at)


def _bodies_named(names: str | None, world: World) -> list[str]:
    """One body or two; a name may hold the word `and` itself."""
    if names is None:
        return []
    known = set(names_of(world))
    if names in known:
        return [names]
    words = names.split(" and ")
    for k in range(1, len(words)):
        pair = [" and ".join(words[:k]), " and ".join(words[k:])]
        if all(name in known for name in pair):
            return pair
    for name in words:
        thing_of(world, name)
    return words


def measured(measures: dict[str, Measure]) -> dict[str, Any]:
    """What all measures found, by name."""
    return {name: measure.value for name, measure in measures.items()}
