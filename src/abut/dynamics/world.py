"""The world: bodies, time, and steps that never penetrate."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, count, handed_out, number, option, vector
from ..errors import InputError, RunWarning, StoppedError
from ..geometry import Shape, Solid, is_polyhedron, size_of, warn_if_unsound
from ..hooks import provider
from ..math import Pose
from ..math.pose import as_pose
from .accounts.totals import kinetic_energy, momentum, potential_energy
from .bodies.assembly import add_assembly
from .bodies.body import Body, BodySpec, body_spec
from .bodies.body_kernels import DYNAMIC, FIXED
from .contacts.contact_gap import NARROWEST_GAP, checked_gap
from .contacts.contact_set import ContactSet
from .contacts.contact_table import CONTACT_TYPE, contact_table
from .contacts.pair_laws import PairLaws, checked_friction, checked_restitution, given_friction, given_restitution
from .events import Event, EventLog
from .handle import Handle
from .joints.joint import Joint, Limits, Motor, PerCoordinate, Spring
from .joints.joint_set import JointSet
from .joints.joint_types import make_joint
from .methods.registry import Recipe, Stepper, check_method, make_stepper
from .moment import NOBODY, Moment, Setup
from .report import RunSummary, StepReport
from .snapshots.snapshot import read_world, write_world
from .soft.deformable import Deformable, first_state, soft_spec
from .soft.soft_measure import soft_contacts, soft_energy, soft_momentum
from .soft.soft_spec import SoftSpec, SoftState
from .soft.soft_stepper import SoftStepper
from .state import Model, State, smallest_size
from .stepping.levels import check_level
from .stepping.overlap import KinematicOverlapError, MovedApart, Overlap, find_overlaps
from .stepping.parting import move_apart

if TYPE_CHECKING:
    from .regions.region_watch import RegionWatch
    from .regions.world_regions import RegionEvent, WorldRegions

LONGEST_STEP = 1e100
"""[s]; its square is still a number."""
MOST_THREADS = 1024
"""More than any machine gains from."""
_GRAVITY = "the array is a copy, and writing to it changes nothing; set all of it: world.gravity = (x, y, z)"


class World(Handle):
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
        self._method, self._level = (method, solver), level
        e = checked_restitution("restitution", restitution)
        laws = PairLaws(checked_friction("friction", friction), e, sliding, self._gamma(e), impacts == "sequential")
        tables = (State.empty(), ContactSet(), JointSet())
        self._now = Moment(Setup(laws), *tables, NOBODY, 0.0, StepReport(), EventLog())
        """All that changes; replaced in one assignment, so that no change is ever half made."""
        self._model: tuple[Setup, Model] | None = None
        self._steppers: list[Stepper] = []
        """One that is not at work. Who steps takes it out and puts it back after the step: one that was broken off,
        whose tables may be half made, does not come back."""
        self._soft_stepper: SoftStepper | None = None
        self._started_apart: tuple[MovedApart, ...] = ()
        self._region_watch: RegionWatch | None = None
        """What finds contact regions, once somebody has asked for them."""
        self.threads, self.kinematic_overlaps = threads, kinematic_overlaps

    def add_body(
        self,
        shape: Shape,
        name: str = "",
        *,
        pose: Pose | None = None,
        density: float = 1000.0,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        fixed: bool = False,
        kinematic: bool = False,
        group: int | None = None,
        locked: Sequence[str] = (),
        damping: float = 0.0,
        angular_damping: float = 0.0,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> Body:
        """Add a body whose part's frame is at `pose`.

        Mass comes from the density [kg/m^3] or is given. A fixed body never moves, a kinematic one moves with the
        velocity it is given, and pushes what can give way. `locked` names world directions ("x", "rz") that are held.
        Two bodies touch with the geometric mean of their `friction` (and `restitution`), with that of one where the
        other has none, with the world's where neither has.
        """
        now = self._now
        name = _name(name) or f"body {len(now.setup.specs)}"
        if name in now.setup.numbers:
            raise InputError(f"name: there is a body '{name}' already; names are unique in a world")
        spec = body_spec(
            shape,
            name,
            density=density,
            mass=mass,
            inertia=inertia,
            fixed=fixed,
            kinematic=kinematic,
            group=group,
            locked=locked,
            drag=(damping, angular_damping),
        )
        if is_polyhedron(shape):
            warn_if_unsound(shape, f"body '{name}'")
        owner = f"body '{name}': "
        laws = (given_friction(f"{owner}friction", friction), given_restitution(f"{owner}restitution", restitution))
        twist = np.concatenate(
            (vector(f"{owner}velocity", velocity), vector(f"{owner}angular_velocity", angular_velocity))
        )
        if spec.kind == FIXED and twist.any():
            raise InputError(f"{owner}a fixed body never moves and has no velocity; add it with kinematic=True instead")
        centre = as_pose("pose", pose) @ Pose(spec.centre)
        self._now = now.with_body(now.setup.with_body(spec, *laws), now.state.appended(spec.kind, centre.row, twist))
        return Body(self, len(now.setup.specs))

    def add_assembly(
        self,
        parts: Any,
        *,
        loosen: bool | float = True,
        fixed: Sequence[str] = (),
        pose: Pose | None = None,
        density: float = 1000.0,
        damping: float = 0.0,
        angular_damping: float = 0.0,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> list[Body]:
        """Add all parts of an assembly, each as a body of its name, where it stands in the assembly's frame at `pose`.

        `parts` are those of `abut.load_assembly`, or what `abut.loosen` returned. `loosen` sets parts free that are
        drawn touching, by insets of at most 50 µm, or of the length given [m], so that twice the contact gap is left
        between them; False takes them as drawn. Pairs that this does not free are declared as interference, and a
        warning names them. `fixed` are names or patterns ("plate*") of parts that do not move. A world that was given
        no contact gap takes half of what is left between the parts, where that is less than its default.
        """
        draft = self._draft()
        given = {"density": density, "damping": damping, "angular_damping": angular_damping}
        laws = {"friction": friction, "restitution": restitution}
        bodies = add_assembly(draft, parts, loosen, fixed, as_pose("pose", pose), **given, **laws)
        self._now, self._contact_gap = draft._now, draft._contact_gap
        self._model, self._steppers = None, []
        return [Body(self, body.index) for body in bodies]

    def add_deformable(
        self,
        mesh: Any,
        name: str = "",
        *,
        surface: Solid | None = None,
        young: ArrayLike,
        poisson: float,
        density: ArrayLike,
        pose: Pose | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        damping: ArrayLike = (0.0, 0.0),
        friction: float | None = None,
        fixed_nodes: ArrayLike = (),
    ) -> Deformable:
        """Add a soft body: a cage of tetrahedra, an `abut.fem.TetMesh`, that carries the surface of a part.

        Contact is on the surface, which is that of the cage where none is given, and forces go to the cage. `young`
        [Pa] and `density` [kg/m^3] are one number or one for each tetrahedron; `damping` are Rayleigh's factors of mass
        [1/s] and of stiffness [s]. `fixed_nodes` stay where they are. See docs/soft.md.
        """
        name = _name(name) or f"deformable {len(self._now.soft.specs)}"
        law = given_friction(f"deformable '{name}': friction", friction)
        spec = soft_spec(
            mesh,
            name,
            surface=surface,
            young=young,
            poisson=poisson,
            density=density,
            damping=damping,
            friction=law,
            fixed_nodes=fixed_nodes,
        )
        state = first_state(spec, pose, velocity)
        spec.require_firm(np.ptp(state.nodes, axis=0), self._gravity)
        return self._add_soft(spec, state)

    def _add_soft(self, spec: SoftSpec, state: SoftState) -> Deformable:
        """Add a deformable body in the state that it is in."""
        now = self._now
        soft = now.soft
        if spec.name in now.setup.numbers or any(spec.name == other.name for other in soft.specs):
            raise InputError(f"name: there is a body '{spec.name}' already; names are unique in a world")
        if self._level != "dynamic":
            raise InputError("level: deformable bodies need a world with level='dynamic'")
        self._now = now._replace(soft=soft.with_body(spec, state))
        self._model, self._steppers = None, []
        return Deformable(self, len(soft.specs))

    @property
    def deformables(self) -> list[Deformable]:
        """All deformable bodies, in the order in which they were added."""
        return [Deformable(self, i) for i in range(len(self._now.soft.specs))]

    def deformable(self, name: str) -> Deformable:
        """The deformable body of this name."""
        names = [spec.name for spec in self._now.soft.specs]
        if name not in names:
            raise InputError(f"name: there is no deformable '{name}'; there are: {', '.join(names) or 'none'}")
        return Deformable(self, names.index(name))

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order in which they were added."""
        return [Body(self, i) for i, spec in enumerate(self._specs) if not spec.absent]

    def remove_body(self, body: Body) -> None:
        """Take a body away, with its joints and contacts; what rested on it falls.

        The other bodies keep their numbers, and contacts between them their labels. Its name may be used again.
        """
        self._check_mine("body", body)
        number, joints = body.index, self._joints.copy()
        for joint, spec in list(joints.specs.items()):
            if number in (spec.body, spec.other):
                joints.remove(joint)
        self._now = self._now.without_body(number, joints)

    def body(self, name: str) -> Body:
        """The body of this name."""
        numbers = self._now.setup.numbers
        if not isinstance(name, str) or name not in numbers:
            raise InputError(f"name: there is no body '{name}'; there are: {', '.join(numbers) or 'none'}")
        return Body(self, numbers[name])

    def add_joint(
        self,
        type: str,
        body: Body,
        other: Body | None = None,
        *,
        name: str = "",
        anchor: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        anchor_other: ArrayLike | None = None,
        axis_other: ArrayLike | None = None,
        length: float | None = None,
        pitch: float | None = None,
        limits: PerCoordinate[Limits] = None,
        motor: PerCoordinate[Motor] = None,
        spring: PerCoordinate[Spring] = None,
        contact: bool = False,
    ) -> Joint:
        """Join a body to another one, or to the world, as they stand now; see docs/joints.md for the types.

        `anchor` [m] and `axis` are given in the world. A joint with one coordinate takes limits=(low, high), one with
        several limits={"travel": (low, high)}; likewise motor= and spring=. Bodies that are joined do not touch each
        other, unless contact=True.
        """
        if self._level == "geometric":
            raise InputError("level: a geometric world has no joints; make it with level='kinematic' or 'dynamic'")
        name = _name(name) or f"{type} {self._joints.next_id}"
        self._check_mine(f"joint '{name}'", *((body,) if other is None else (body, other)))
        if any(spec.name == name for spec in self._joints.specs.values()):
            raise InputError(f"name: there is a joint '{name}' already; names are unique in a world")
        spec, rows, watched = make_joint(
            type,
            name,
            body,
            other,
            anchor=anchor,
            axis=axis,
            anchor_other=anchor_other,
            axis_other=axis_other,
            length=length,
            pitch=pitch,
            rigid=limits is None and motor is None and spring is None,
            contact=contact,
        )
        draft, joints = self._draft(), self._joints.copy()
        number = joints.add(spec, rows, watched)
        draft._now = self._now.with_pairs(set(), joints=joints)
        Joint(draft, number)._set_up(limits, motor, spring)
        self._now = draft._now
        return Joint(self, number)

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order in which they were added."""
        return [Joint(self, i) for i in self._joints.specs]

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        names = {spec.name: i for i, spec in self._joints.specs.items()}
        if not isinstance(name, str) or name not in names:
            raise InputError(f"name: there is no joint '{name}'; there are: {', '.join(names) or 'none'}")
        return Joint(self, names[name])

    @property
    def redundant_rows(self) -> int:
        """How many conditions of the joints follow from the others where the bodies stand; 0 as a rule.

        Where it is not 0, the motion is right all the same, but reactions are one choice of many.
        """
        if self._joints.n == 0:
            return 0
        movable = (self._state.kind == DYNAMIC)[:, None] & ~np.array([spec.locked for spec in self._specs], bool)
        return self._joints.redundancy(self._state.pose, movable)

    def _remove_joint(self, number: int) -> None:
        spec, joints = self._joints.specs[number], self._joints.copy()
        joints.remove(number)
        # A joint keeps its bodies from touching.
        self._now = self._now.with_pairs({spec.body, spec.other}, joints=joints)

    def _draft(self) -> World:
        """The same world as an object of its own, on which a change of several parts is made first."""
        draft = World.__new__(World)
        draft.__dict__.update(self.__dict__, _steppers=[])
        return draft

    def _check_joints(self) -> None:
        """Refuse joints that were torn by moving a body by hand."""
        torn = self._joints.torn(self._state.pose)
        if torn is not None:
            name, distance = torn
            raise InputError(
                f"joint '{name}': its bodies were moved {distance:.6g} m out of the joint; "
                "move both, or remove the joint and make it anew"
            )

    def _check_mine(self, what: str, *bodies: object) -> None:
        """Refuse what is no body of this world."""
        for body in bodies:
            if not isinstance(body, Body) or body._world is not self:
                raise InputError(f"{what}: expected a body of this world, got {body!r}")

    def set_pair(
        self,
        a: Body,
        b: Body,
        rule: str = "contact",
        *,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> None:
        """Say how two bodies meet.

        "contact": they never overlap (as a rule). "ignore": they do not see each other. "interference": likewise, but
        `interferences` reports where they overlap. `friction` and `restitution` overrule those of the two bodies.
        """
        option("rule", rule, "contact", "ignore", "interference")
        self._check_mine("the pair", a, b)
        if a == b:
            raise InputError(f"the pair: body '{a.name}' does not meet itself; name two bodies")
        pair = (min(a.index, b.index), max(a.index, b.index))
        laws = (given_friction("the pair: friction", friction), given_restitution("the pair: restitution", restitution))
        self._now = self._now.with_pairs({*pair}, setup=self._now.setup.with_pair(pair, rule, *laws))

    def pair_rule(self, a: Body, b: Body) -> str:
        """How two bodies meet, as `set_pair` was told: "contact" (the default), "ignore" or "interference"."""
        self._check_mine("the pair", a, b)
        return self._rules.get((min(a.index, b.index), max(a.index, b.index)), "contact")

    @property
    def interferences(self) -> list[Overlap]:
        """Pairs declared as interference that overlap now, and how deep."""
        return find_overlaps(
            (self._placed(a), self._placed(b)) for (a, b), rule in self._rules.items() if rule == "interference"
        )

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
    def time(self) -> float:
        """[s]; can be set."""
        return self._now.time

    @time.setter
    def time(self, time: float) -> None:
        self._now = self._now._replace(time=number("time", time))

    @property
    def report(self) -> StepReport:
        """What the last step took."""
        return self._now.report

    @property
    def started_apart(self) -> tuple[MovedApart, ...]:
        """Bodies that touched others where they were put, and by how much the next step moved them apart before it.

        None is moved by more than a contact gap along an axis for each layer of bodies that touch. Those of the last
        time that any were.
        """
        return self._started_apart

    @property
    def friction(self) -> float:
        """Coulomb's coefficient where bodies and pairs say nothing else; can be set between steps."""
        return self._now.setup.laws.friction

    @friction.setter
    def friction(self, friction: float) -> None:
        self._change_laws(friction=checked_friction("friction", friction))

    @property
    def restitution(self) -> float:
        """0 to 1, where bodies and pairs say nothing else; can be set between steps."""
        return self._now.setup.laws.restitution

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        e = checked_restitution("restitution", restitution)
        self._change_laws(restitution=e, gamma=self._gamma(e))

    def _change_laws(self, **changed: float | None) -> None:
        now = self._now
        laws = replace(now.setup.laws, **changed)  # type: ignore[arg-type]
        self._now = now._replace(setup=replace(now.setup, laws=laws))

    def _gamma(self, restitution: float) -> float | None:
        """Weight of the end of a step in the scheme of Galluzzo & Wendt, where it is used."""
        return 1.0 / (1.0 + restitution) if self._impacts == "gamma" and self._level == "dynamic" else None

    @property
    def method(self) -> str:
        """How forces are found, see docs/step.md; can be set between steps, and drops a solver it does not take."""
        return self._method[0]

    @method.setter
    def method(self, method: str) -> None:
        self._check_method(method, None)
        self._method = (method, self.solver if method == self.method else None)
        self._steppers = []

    def _check_method(self, method: str, solver: str | None) -> None:
        check_method(method, solver, friction_law=self.friction_law, level=self._level, impacts=self._impacts)

    @property
    def solver(self) -> str | None:
        """Of the method "velocity"; can be set between steps."""
        return self._method[1]

    @solver.setter
    def solver(self, solver: str | None) -> None:
        self._check_method(self.method, solver)
        self._method = (self.method, solver)
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
        """As the world was made with."""
        return "sliding" if self._now.setup.laws.sliding else "coulomb"

    @property
    def impacts(self) -> str:
        """As the world was made with."""
        return self._impacts

    @property
    def level(self) -> str:
        """As the world was made with."""
        return self._level

    def step(self) -> StepReport:
        """Advance by `dt`; the report says what it took.

        A step that is interrupted, by Ctrl-C or by anything else, leaves the world as it was before. From other threads
        the world is seen as it was after the last step, until the next one is done.
        """
        if self._now.soft.specs:
            return self._soft_step()
        before = now = self._now
        stepper = self._take_stepper(now)
        moved: tuple[MovedApart, ...] = ()
        if now.suspects:
            now, moved = self._checked(stepper, now)
        overlaps = stepper.watch.expect(now.state, self._dt)
        if overlaps and self._kinematic_overlaps == "error":
            raise KinematicOverlapError(overlaps)
        try:
            then = stepper.step(now, self._dt, self._gravity)
        except StoppedError as stopped:
            if self._now is before and isinstance(stopped.moment, Moment):
                self._now = stopped.moment
            raise
        if overlaps:
            then.report.kinematic_overlaps = stepper.watch.confirm(overlaps, then)
        if moved:
            then.report.moved_apart = moved
        if self._now is not before:
            raise InputError(
                "the world was stepped or changed by another thread during a step, which is left out; "
                "let one thread at a time work on a world"
            )
        self._now = then
        if moved:
            self._started_apart = moved
        self._steppers.append(stepper)
        return then.report

    def _soft_step(self) -> StepReport:
        """A step with deformable bodies, in which rigid ones take their own as often as forces between them change."""
        before = now = self._now
        stepper = self._take_stepper(now) if now.setup.specs else None
        moved: tuple[MovedApart, ...] = ()
        if stepper is not None and now.suspects:
            now, moved = self._checked(stepper, now)
        overlaps = stepper.watch.expect(now.state, self._dt) if stepper is not None else ()
        if overlaps and self._kinematic_overlaps == "error":
            raise KinematicOverlapError(overlaps)
        soft, self._soft_stepper = self._soft_stepper, None
        if soft is None or not soft.fits(now, self._gap_of(now.setup)):
            soft = SoftStepper(now, self._gap_of(now.setup))
        if now.suspects or now.soft.suspect:
            soft.refuse_overlaps(now)
        then = soft.step(stepper, now, self._dt, self._gravity)
        if stepper is not None and overlaps:
            then.report.kinematic_overlaps = stepper.watch.confirm(overlaps, then)
        if moved:
            then.report.moved_apart = moved
        if self._now is not before:
            raise InputError("the world was changed by another thread during a step, which is left out")
        self._now, self._soft_stepper = then, soft
        self._started_apart = moved or self._started_apart
        if stepper is not None:
            self._steppers.append(stepper)
        return then.report

    def run(self, duration: float, *, record: str | Path | None = None) -> RunSummary:
        """Take the steps of `duration` [s], rounded to whole ones; warns once if they did not go as asked.

        `record` names a folder, which is made, for a record of the run that `abut.Run` reads.
        """
        summary, steps = RunSummary(), round(number("duration", duration, least=0.0) / self.dt)
        if record is None:
            for _ in range(steps):
                summary.add(self.step(), self.dt)
        else:
            with provider("record")(self, record) as recorder:
                summary = recorder.summary
                for _ in range(steps):
                    recorder.step()
        if complaint := summary.complaint():
            warnings.warn(f"run: {complaint}", RunWarning, stacklevel=2)
        return summary

    @property
    def contacts(self) -> np.ndarray:
        """Structured array of the contacts after the last step, and of those that pushed in it and have let go.

        Forces are means over the step; see `CONTACT_TYPE`.
        """
        now = self._now
        tables = [table for table in (now.contacts, now.contacts.gone) if table is not None and table.n]
        found = [contact_table(table, self._model_of(now.setup), now.state.pose) for table in tables]
        if len(now.soft.touches.name):
            found.append(soft_contacts(now.soft, now.setup.specs))
        joined = np.concatenate(found) if found else np.zeros(0, CONTACT_TYPE)
        regions = None if self._region_watch is None else self._region_watch.latest
        if regions is not None and regions.moment is now:
            of_rigid = regions.region_of_contact
            joined["region"][: len(of_rigid)] = regions.label[of_rigid]
        return joined

    @property
    def regions(self) -> WorldRegions:
        """Contact regions of all pairs of bodies that have contacts, after the last step, with the forces on them.

        Features touch that are within two contact gaps. Labels and normals last as long as regions do, if regions are
        asked for step by step; each takes a share of the time of a step then, and nothing if nobody asks.
        """
        if self._region_watch is None:
            from .regions.region_watch import RegionWatch

            self._region_watch = RegionWatch()
        return self._region_watch.at(self, self._now)

    @property
    def region_events(self) -> list[RegionEvent]:
        """What became of contact regions since they were asked for after an earlier step: those that were born, changed
        or died, and began to slide or to stick.
        """
        return self.regions.events()

    @property
    def events(self) -> list[Event]:
        """All that happened since the world began, or was told to forget it, in the order of time; see docs/events.md.

        The stepping methods know no events within a step and note none.
        """
        return self._now.events.events()

    def forget_events(self) -> None:
        """Let `events` begin anew."""
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
            more = momentum(self._now, self._masses)
            linear, angular = linear + more[0], angular + more[1]
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
            name: value for name, value in vars(saved).items() if name not in ("_model", "_steppers", "_soft_stepper")
        }
        vars(self).update({**options, "_now": now})

    def _names(self) -> list[str]:
        """Names of all bodies, deformable ones last."""
        return [spec.name for spec in self._specs] + [spec.name for spec in self._now.soft.specs]

    def _solids(self) -> dict[str, Solid]:
        """Parts by digest."""
        return {spec.shape.digest: spec.shape for spec in self._specs if is_polyhedron(spec.shape)}

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

    @property
    def _specs(self) -> tuple[BodySpec, ...]:
        return self._now.setup.specs

    @property
    def _rules(self) -> dict[tuple[int, int], str]:
        return self._now.setup.rules

    @property
    def _state(self) -> State:
        return self._now.state

    @property
    def _joints(self) -> JointSet:
        return self._now.joints

    def _model_of(self, setup: Setup) -> Model:
        """The tables of bodies, made once."""
        known = self._model
        if known is None or known[0].specs is not setup.specs:
            if not setup.specs:
                raise InputError("the world is empty; add a body first")
            known = self._model = (setup, Model.of(setup.specs, self._gap_of(setup)))
        return known[1]

    def _gap_of(self, setup: Setup) -> float:
        soft = self._now.soft.specs
        if soft and not any(spec.kind == DYNAMIC for spec in setup.specs):
            return checked_gap(self._contact_gap, min(spec.size for spec in soft))
        return checked_gap(self._contact_gap, min((smallest_size(setup.specs), *(spec.size for spec in soft))))

    def _gap_with(self, sizes: Iterable[float]) -> float:
        """The contact gap [m] of this world with more dynamic parts, of these sizes."""
        moving = [size_of(spec.shape) for spec in self._specs if spec.kind == DYNAMIC]
        return checked_gap(self._contact_gap, min((*moving, *sizes), default=1.0))

    def _make_room(self, gap: float) -> None:
        """Hold contacts at no more than `gap` [m], unless it was said at which."""
        if self._contact_gap is None:
            least = NARROWEST_GAP * smallest_size(self._specs)
            self._contact_gap = min(max(gap, least), self._gap_of(self._now.setup))

    def _take_stepper(self, now: Moment) -> Stepper:
        """A stepper for a moment, which nobody else has."""
        try:
            stepper = self._steppers.pop()
        except IndexError:
            return self._new_stepper(now)
        return stepper if stepper.setup is now.setup else self._new_stepper(now)

    def _new_stepper(self, now: Moment) -> Stepper:
        how = (*self._method, self._level, self._threads, self._impacts)
        return make_stepper(Recipe(self._model_of(now.setup), now, self._gap_of(now.setup), *how))

    def _checked(self, stepper: Stepper, now: Moment) -> tuple[Moment, tuple[MovedApart, ...]]:
        """The moment with bodies moved apart that only touch, and which these are.

        Bodies to which something was done must not overlap others, nor joints be torn.
        """
        self._check_joints()
        pairs = [(a, b) for a, b in stepper.near_pairs(now).tolist() if not now.suspects.isdisjoint((a, b))]
        found = {(a, b): find_overlaps([(self._placed(a), self._placed(b))]) for a, b in pairs}
        touching = {pair: overlaps[0] for pair, overlaps in found.items() if overlaps}
        if not touching:
            return now, ()
        placed = [self._placed(i) for i in range(len(now.setup.specs))]
        return move_apart(now, placed, touching, stepper.contact_gap, stepper.near_pairs)

    def _placed(self, i: int) -> tuple[str, Shape, Pose]:
        body = Body(self, i)
        return body.name, body.shape, body.pose


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"name: expected a string, got {name!r}")
    return name
