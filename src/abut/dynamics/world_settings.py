"""What a world is told as a whole: gravity, the length of a step, laws of contact, the method."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from ..arrays import Floats, count, handed_out, number, option, vector
from ..errors import InputError
from .bodies.body import BodySpec
from .bodies.body_kernels import DYNAMIC
from .contacts.contact_gap import checked_gap
from .contacts.contact_set import ContactSet
from .contacts.pair_laws import PairLaws, checked_friction, checked_restitution
from .events import EventLog
from .handle import Handle
from .joints.joint_set import JointSet
from .methods.registry import Stepper, check_bends, check_method
from .moment import NOBODY, Moment, Setup
from .report import StepReport
from .soft.soft_stepper import SoftStepper
from .state import Model, State, smallest_size
from .stepping.levels import check_level
from .stepping.overlap import MovedApart

if TYPE_CHECKING:
    from .regions.region_watch import RegionWatch

LONGEST_STEP = 1e100
"""[s]; its square is still a number."""
MOST_THREADS = 1024
"""More than any machine gains from."""
_GRAVITY = "the array is a copy, and writing to it changes nothing; set all of it: world.gravity = (x, y, z)"


class _Method(NamedTuple):
    """How forces are found."""

    name: str
    solver: str | None


class _KnownModel(NamedTuple):
    """The tables of some bodies."""

    specs: tuple[BodySpec, ...]
    model: Model


class WorldSettings(Handle):
    """A world as far as it has a state, and laws and a method by which it moves."""

    def __init__(
        self,
        *,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        dt: float = 1e-3,
        contact_gap: float | None = None,
        friction: float = 0.0,
        restitution: float = 0.0,
        friction_law: str = "coulomb",
        impacts: str = "newton",
        method: str = "ncp",
        solver: str | None = None,
        level: str = "dynamic",
        threads: int = 1,
        kinematic_overlaps: str = "report",
    ) -> None:
        self.gravity, self.dt = gravity, dt
        self._contact_gap = None if contact_gap is None else number("contact_gap", contact_gap, above=0.0)
        sliding = option("friction_law", friction_law, "coulomb", "sliding") == "sliding"
        self._impacts = option("impacts", impacts, "newton", "gamma", "sequential")
        check_level(level)
        check_method(method, solver, friction_law=friction_law, level=level, impacts=impacts)
        self._method, self._level = _Method(method, solver), level
        e = checked_restitution("restitution", restitution)
        laws = PairLaws(checked_friction("friction", friction), e, sliding, self._gamma(e), impacts == "sequential")
        tables = (State.empty(), ContactSet(), JointSet())
        self._now = Moment(Setup(laws), *tables, NOBODY, 0.0, StepReport(), EventLog())
        """All that changes; replaced in one assignment, so that no change is ever half made."""
        self._model: _KnownModel | None = None
        self._steppers: list[Stepper] = []
        self._soft_steppers: list[SoftStepper] = []
        """One that is not at work. Who steps takes it out and puts it back after the step: one that was broken off,
        whose tables may be half made, does not come back."""
        self._started_apart: tuple[MovedApart, ...] = ()
        self._region_watch: RegionWatch | None = None
        """What finds contact regions, once somebody has asked for them."""
        self.threads, self.kinematic_overlaps = threads, kinematic_overlaps

    @property
    def dt(self) -> float:
        """[s] length of a step; can be changed at any time."""
        return self._dt

    @dt.setter
    def dt(self, dt: float) -> None:
        dt = number("dt", dt, above=0.0)
        if dt > LONGEST_STEP:
            raise InputError(f"dt: expected at most {LONGEST_STEP:g} s, got {dt:g} s")
        self._dt = dt

    @property
    def gravity(self) -> Floats:
        """(3,) [m/s^2]; can be changed at any time."""
        return handed_out(self._gravity.copy(), _GRAVITY)

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._gravity = vector("gravity", gravity).copy()

    @property
    def contact_gap(self) -> float:
        """[m] distance at which contacts are held."""
        return self._contact_gap if self._contact_gap is not None else self._gap_of(self._now.setup)

    @property
    def friction(self) -> float:
        """Coulomb's coefficient for bodies and pairs without one of their own; can be set between steps."""
        return self._now.setup.laws.friction

    @friction.setter
    def friction(self, friction: float) -> None:
        self._change_laws(friction=checked_friction("friction", friction))

    @property
    def restitution(self) -> float:
        """0 to 1, for bodies and pairs without a coefficient of their own; can be set between steps."""
        return self._now.setup.laws.restitution

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        e = checked_restitution("restitution", restitution)
        self._change_laws(restitution=e, gamma=self._gamma(e))

    def _change_laws(self, **changed: Any) -> None:
        now = self._now
        laws = replace(now.setup.laws, **changed)
        self._now = now._replace(setup=replace(now.setup, laws=laws))

    def _gamma(self, restitution: float) -> float | None:
        """Weight of the end of a step in the scheme of Galluzzo & Wendt, where it is used."""
        return 1.0 / (1.0 + restitution) if self._impacts == "gamma" and self._level == "dynamic" else None

    @property
    def method(self) -> str:
        """How forces are found, see docs/step.md; can be set between steps, and drops a solver it does not take."""
        return self._method.name

    @method.setter
    def method(self, method: str) -> None:
        self._check_method(method, None)
        for spec in self._now.soft.specs:
            check_bends(method, spec.name)
        self._method = _Method(method, self.solver if method == self.method else None)
        self._steppers = []

    def _check_method(self, method: str, solver: str | None) -> None:
        check_method(method, solver, friction_law=self.friction_law, level=self._level, impacts=self._impacts)

    @property
    def solver(self) -> str | None:
        """Of the method "velocity"; can be set between steps."""
        return self._method.solver

    @solver.setter
    def solver(self, solver: str | None) -> None:
        self._check_method(self.method, solver)
        self._method = _Method(self.method, solver)
        self._steppers = []

    @property
    def threads(self) -> int:
        """How many threads check motions; can be set between steps."""
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._threads = count("threads", threads, least=1, most=MOST_THREADS)
        self._steppers = []

    @property
    def kinematic_overlaps(self) -> str:
        """What to do about them: "report" or "error"; can be set between steps."""
        return self._kinematic_overlaps

    @kinematic_overlaps.setter
    def kinematic_overlaps(self, what: str) -> None:
        self._kinematic_overlaps = option("kinematic_overlaps", what, "report", "error")

    @property
    def friction_law(self) -> str:
        """As given to `World`; it cannot be changed."""
        return "sliding" if self._now.setup.laws.sliding else "coulomb"

    @property
    def impacts(self) -> str:
        """As given to `World`; it cannot be changed."""
        return self._impacts

    @property
    def level(self) -> str:
        """As given to `World`; it cannot be changed."""
        return self._level

    @property
    def time(self) -> float:
        """[s]; can be set."""
        return self._now.time

    @time.setter
    def time(self, time: float) -> None:
        self._now = self._now._replace(time=number("time", time))

    @property
    def _specs(self) -> tuple[BodySpec, ...]:
        return self._now.setup.specs

    @property
    def _state(self) -> State:
        return self._now.state

    @property
    def _joints(self) -> JointSet:
        return self._now.joints

    def _model_of(self, setup: Setup) -> Model:
        """The tables of bodies, made once."""
        known = self._model
        if known is None or known.specs is not setup.specs:
            if not setup.specs:
                raise InputError("the world is empty; add a body first")
            known = self._model = _KnownModel(setup.specs, Model.of(setup.specs, self._gap_of(setup)))
        return known.model

    def _gap_of(self, setup: Setup) -> float:
        soft = self._now.soft.specs
        if soft and not any(spec.kind == DYNAMIC for spec in setup.specs):
            return checked_gap(self._contact_gap, min(spec.size for spec in soft))
        return checked_gap(self._contact_gap, min((smallest_size(setup.specs), *(spec.size for spec in soft))))
