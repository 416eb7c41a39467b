"""The world: bodies, time, and steps that never penetrate.

A world is one object whose class stands in four files: what it is told as a whole (`world_settings.py`), what is in it
(`world_contents.py`), how it goes on (`world_steps.py`), and here what it tells and how it is saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..arrays import Floats
from ..errors import InputError
from ..geometry import Solid, is_polyhedron
from ..hooks import provider
from .accounts.totals import kinetic_energy, momentum, potential_energy
from .events import Event, EventLog
from .snapshots.snapshot import read_world, write_world
from .soft.soft_measure import soft_energy, soft_momentum
from .world_steps import WorldSteps

if TYPE_CHECKING:
    from .regions.world_regions import RegionEvent, WorldRegions


class World(WorldSteps):
    """Rigid bodies of any shape, pushed together as tightly as their shapes allow, that never overlap.

    `contact_gap` [m] is the distance at which contacts are held; motions that would bring parts nearer than half of
    it are refused. Its default is 2e-5 of the size of the smallest dynamic part: far below any clearance of interest.
    Below 1e-6 of it, steps of several milliseconds take longer and longer, and time may be given up.

    `friction` (Coulomb's coefficient) and `restitution` (0 to 1) hold where bodies and pairs say nothing else;
    `friction_law` "sliding" acts against the slip at the start of a step only. `impacts` is "newton", one law for
    all that is struck at once, "sequential", where blows follow each other from pair to pair of bodies, or "gamma" for
    the scheme of Galluzzo & Wendt with the world's restitution. Without inertia, at the lower levels, nothing bounces.

    `method` is "ncp", "velocity" (with `solver` "lemke", "gauss-seidel" or "jacobi"), "bilateral" (see docs/step.md),
    "event" or "impulse" (see docs/events.md), `level` is "geometric", "kinematic" or "dynamic". `threads` check the
    motions of many pairs; results do not depend on their number.

    `kinematic_overlaps` "report" lists kinematic bodies that go where fixed or other kinematic ones stand in
    `StepReport.kinematic_overlaps`, "error" refuses such a step. `friction`, `restitution`, `method`, `solver`,
    `threads`, `dt`, `gravity` and `kinematic_overlaps` can be set between steps.
    """

    @property
    def regions(self) -> WorldRegions:
        """Contact regions of all pairs of bodies that have contacts, after the last step, with the forces on them.

        Features touch if they are within two contact gaps. Labels and normals last as long as the regions, provided
        that regions are read after every step. Reading them takes a share of the time of a step; nothing is computed
        if they are not read.
        """
        if self._region_watch is None:
            from .regions.region_watch import RegionWatch

            self._region_watch = RegionWatch()
        return self._region_watch.at(self, self._now)

    @property
    def region_events(self) -> list[RegionEvent]:
        """What became of contact regions since they were last read after an earlier step: those that were born, changed
        or died, and those that began to slide or to stick.
        """
        return self.regions.events()

    @property
    def events(self) -> list[Event]:
        """All events since the world began, or since `forget_events`, in the order of time; see docs/events.md.

        The stepping methods know no events within a step and note none.
        """
        return self._now.events.events()

    def forget_events(self) -> None:
        """Empty the list `events`."""
        self._now = self._now._replace(events=EventLog())

    @property
    def energy(self) -> float:
        """Kinetic and potential energy of the dynamic and the deformable bodies and of springs in joints [J]."""
        now, soft = self._now, sum(soft_energy(self._now.soft, self._gravity))
        if soft and not now.setup.specs:
            return soft
        mass = self._model_of(now.setup).mass
        potential = potential_energy(now, mass, self._gravity) + now.joints.energy(now.state.pose)
        return kinetic_energy(now, mass) + potential + soft

    @property
    def kinetic_energy(self) -> float:
        """[J]."""
        soft = soft_energy(self._now.soft, self._gravity)[0]
        return soft + (kinetic_energy(self._now, self._masses) if self._now.setup.specs or not soft else 0.0)

    @property
    def momentum(self) -> tuple[Floats, Floats]:
        """Linear momentum [N s] and angular momentum about the world's origin [N m s]."""
        soft = self._now.soft
        if not soft.specs:
            return momentum(self._now, self._masses)
        linear, angular = soft_momentum(soft)
        if self._now.setup.specs:
            of_bodies, about_origin = momentum(self._now, self._masses)
            linear, angular = linear + of_bodies, angular + about_origin
        return linear, angular

    @property
    def _masses(self) -> Floats:
        return self._model_of(self._now.setup).mass

    def save(self) -> bytes:
        """Everything needed to go on from here, bit for bit, in the format of docs/snapshots.md."""
        return write_world(self)

    @staticmethod
    def restore(blob: bytes) -> World:
        """A world that was saved, by whomever: it is checked, and runs no code."""
        return read_world(World, blob)

    def load(self, blob: bytes) -> None:
        """Go on from what was saved of this world: all is as it was then, and handles of bodies stay good."""
        saved = read_world(World, blob, self._solids())
        mine, theirs = (world._names() for world in (self, saved))
        if mine != theirs:
            raise InputError(
                f"blob: is of a world with the bodies {', '.join(theirs)}, and this one has {', '.join(mine)}; "
                "open it with World.restore"
            )
        setup = self._now.setup
        now = saved._now._replace(setup=setup) if setup.says_the_same(saved._now.setup) else saved._now
        options = {
            name: value for name, value in vars(saved).items() if name not in ("_model", "_steppers", "_soft_steppers")
        }
        vars(self).update({**options, "_now": now})

    def _names(self) -> list[str]:
        """Names of all bodies, deformable ones last."""
        return [spec.name for spec in self._specs] + [spec.name for spec in self._now.soft.specs]

    def _solids(self) -> dict[str, Solid]:
        """Parts by digest."""
        return {spec.shape.digest: spec.shape for spec in self._specs if is_polyhedron(spec.shape)}

    def __repr__(self) -> str:
        counts = {"body": len(self.bodies), "joint": len(self.joints), "soft body": len(self.deformables)}
        told = [_count(number, noun) for noun, number in counts.items() if number or noun == "body"]
        return f"World({', '.join(told)}, time {self.time:.6g} s, dt {self.dt:g} s)"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """What a notebook shows."""
        shown: dict[str, Any] = provider("show_world")(self)
        return shown

    def __reduce__(self) -> tuple[Any, ...]:
        return World.restore, (self.save(),)

    def __copy__(self) -> World:
        return read_world(World, self.save(), self._solids())

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.__copy__()


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun.removesuffix('y')}{'ies' if noun.endswith('y') else 's'}"
