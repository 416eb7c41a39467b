"""The world: bodies, time, and steps that never penetrate."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, count, number, vector
from ..errors import InputError
from ..math import Pose
from ..math.pose import as_pose
from ..query.exposed import Shape
from .body import Body, BodySpec, body_spec
from .body_kernels import DYNAMIC
from .contact_set import ContactSet
from .contact_table import CONTACT_TYPE, contact_table
from .joint import Joint, Limits, Motor, PerCoordinate, Spring
from .joint_set import JointSet
from .joint_types import make_joint
from .levels import check_level
from .methods import check_method, force_solver
from .overlap import Overlap, OverlapError, find_overlaps
from .pair_laws import PairLaws
from .report import StepReport
from .state import Model, State
from .step import Stepper

RELATIVE_CONTACT_GAP = 2e-5
"""Default distance at which contacts are held, as a fraction of the smallest dynamic part's size."""
LEAST_GAP, MOST_GAP = 1e-9, 0.01
"""Shares of that size between which it may be: rounding of places is not far below, parts seem to float above."""


class World:
    """Rigid bodies of any shape, pushed together as tightly as their shapes allow, that never overlap.

    `contact_gap` [m] is the distance at which contacts are held; motions that would bring parts nearer than half of
    it are refused. Its default is 2e-5 of the size of the smallest dynamic part: far below any clearance of interest.
    Below 1e-6 of it, steps of several milliseconds take longer and longer, and time may be given up.

    `friction` (Coulomb's coefficient) and `restitution` (0 to 1) hold where bodies and pairs say nothing else;
    `friction_law` "sliding" acts against the slip at the start of a step only. `impacts` is "newton", or "gamma" for
    the scheme of Galluzzo & Wendt with the world's restitution. Without inertia, at the lower levels, nothing bounces.

    `method` is "ncp", "velocity" (with `solver` "lemke", "gauss-seidel" or "jacobi") or "bilateral", `level` is
    "geometric", "kinematic" or "dynamic": see docs/step.md. `threads` check the motions of many pairs; results do not
    depend on their number.
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
    ) -> None:
        self.gravity, self.dt = gravity, dt
        self.time = 0.0
        self.report = StepReport()
        self._contact_gap = None if contact_gap is None else number("contact_gap", contact_gap, above=0.0)
        self._specs: list[BodySpec] = []
        self._by_name: dict[str, int] = {}
        self._rules: dict[tuple[int, int], str] = {}
        self._state = State.empty()
        self._contacts = ContactSet()
        self._joints = JointSet()
        if friction_law not in ("coulomb", "sliding"):
            raise InputError(f"friction_law: expected 'coulomb' or 'sliding', got {friction_law!r}")
        if impacts not in ("newton", "gamma"):
            raise InputError(f"impacts: expected 'newton' or 'gamma', got {impacts!r}")
        check_method(method, solver, friction_law)
        check_level(level)
        self._threads = count("threads", threads, least=1)
        self._method, self._level = (method, solver), level
        e = _restitution("restitution", restitution)
        gamma = 1.0 / (1.0 + e) if impacts == "gamma" and level == "dynamic" else None
        self._pairs = PairLaws(_friction("friction", friction), e, friction_law == "sliding", gamma)
        self._stepper: Stepper | None = None
        self._suspects: set[int] = set()
        """Bodies that may overlap others: what was done to them was not yet checked."""

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
        name = _name(name) or f"body {len(self._specs)}"
        if name in self._by_name:
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
        owner = f"body '{name}': "
        laws = (_given(f"{owner}friction", friction), _given_restitution(f"{owner}restitution", restitution))
        twist = np.concatenate(
            (vector(f"{owner}velocity", velocity), vector(f"{owner}angular_velocity", angular_velocity))
        )
        centre = as_pose("pose", pose) @ Pose(spec.centre)
        self._by_name[name] = len(self._specs)
        self._specs.append(spec)
        self._pairs.add_body(*laws)
        self._state = self._state.appended(spec.kind, centre.row, twist)
        self._stepper = None
        self._suspects.add(self._by_name[name])
        return Body(self, self._by_name[name])

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order in which they were added."""
        return [Body(self, i) for i in range(len(self._specs))]

    def body(self, name: str) -> Body:
        """The body of this name."""
        if not isinstance(name, str) or name not in self._by_name:
            raise InputError(f"name: there is no body '{name}'; there are: {', '.join(self._by_name) or 'none'}")
        return Body(self, self._by_name[name])

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
        joint = Joint(self, self._joints.add(spec, rows, watched))
        try:
            joint._set_up(limits, motor, spring)
        except Exception:
            self._joints.remove(joint._id)
            raise
        self._filter_pairs()
        return joint

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
        spec = self._joints.specs[number]
        self._joints.remove(number)
        self._suspects |= {spec.body, spec.other}  # a joint keeps its bodies from touching
        self._filter_pairs()

    def _check_joints(self) -> None:
        """Refuse joints that were torn by moving a body by hand."""
        torn = self._joints.torn(self._state.pose)
        if torn is not None:
            name, distance = torn
            raise InputError(
                f"joint '{name}': its bodies were moved {distance:.6g} m out of the joint; "
                "move both, or remove the joint and make it anew"
            )

    def _filter_pairs(self) -> None:
        """Let go of pairs that do not touch, and tell the stepper about them."""
        ignored = {*self._rules, *self._joints.ignored_pairs()}
        self._contacts.forget(ignored)
        if self._stepper is not None:
            self._stepper.ignore(sorted(ignored))

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
        if rule not in ("contact", "ignore", "interference"):
            raise InputError(f"rule: expected 'contact', 'ignore' or 'interference', got {rule!r}")
        self._check_mine("the pair", a, b)
        if a == b:
            raise InputError(f"the pair: body '{a.name}' does not meet itself; name two bodies")
        pair = (min(a.index, b.index), max(a.index, b.index))
        laws = (_given("the pair: friction", friction), _given_restitution("the pair: restitution", restitution))
        self._pairs.set_pair(*pair, *laws)
        self._rules.pop(pair, None)
        if rule != "contact":
            self._rules[pair] = rule
        self._stepper = None
        self._suspects |= {*pair}
        self._filter_pairs()

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
        self._dt = number("dt", dt, above=0.0)

    @property
    def gravity(self) -> Floats:
        """(3,) [m/s^2]; can be changed at any time."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._gravity = vector("gravity", gravity).copy()

    @property
    def contact_gap(self) -> float:
        """[m] distance at which contacts are held."""
        return self._contact_gap if self._contact_gap is not None else self._ready().contact_gap

    def step(self) -> StepReport:
        """Advance by `dt`; the report says what it took."""
        self.report = self._ready_to_step().step(self.dt, self.gravity)
        self.time += self.dt
        return self.report

    def run(self, duration: float) -> None:
        """Take the steps of `duration` [s], rounded to whole ones."""
        for _ in range(round(number("duration", duration, least=0.0) / self.dt)):
            self.step()

    @property
    def contacts(self) -> np.ndarray:
        """Structured array of the contacts after the last step, and of those that pushed in it and let go at its end.

        See `CONTACT_TYPE`. Where a step took several motions, forces are those of the last one.
        """
        tables = [table for table in (self._contacts, self._contacts.gone) if table is not None and table.n]
        if not tables:
            return np.zeros(0, CONTACT_TYPE)
        model, pose = self._ready().model, self._state.pose
        return np.concatenate([contact_table(table, model, pose) for table in tables])

    @property
    def energy(self) -> float:
        """Kinetic and potential energy of the dynamic bodies and of springs in joints [J]."""
        return self.kinetic_energy + self._potential_energy() + self._joints.energy(self._state.pose)

    @property
    def kinetic_energy(self) -> float:
        """[J]."""
        model = self._ready().model
        total = 0.0
        for i in np.flatnonzero(self._state.kind == DYNAMIC):
            v, w = self._state.twist[i, :3], self._state.twist[i, 3:]
            total += 0.5 * model.mass[i] * (v @ v) + 0.5 * w @ self._inertia(int(i)) @ w
        return float(total)

    def _potential_energy(self) -> float:
        dynamic = self._state.kind == DYNAMIC
        return float(-(self._ready().model.mass[dynamic] * (self._state.pose[dynamic, :3] @ self.gravity)).sum())

    @property
    def momentum(self) -> tuple[Floats, Floats]:
        """Linear momentum [N s] and angular momentum about the world's origin [N m s]."""
        model, linear, angular = self._ready().model, np.zeros(3), np.zeros(3)
        for i in np.flatnonzero(self._state.kind == DYNAMIC):
            p = model.mass[i] * self._state.twist[i, :3]
            linear += p
            angular += np.cross(self._state.pose[i, :3], p) + self._inertia(int(i)) @ self._state.twist[i, 3:]
        return linear, angular

    def _inertia(self, i: int) -> Floats:
        R = Body(self, i)._centre_pose.rotation
        return np.asarray(R @ self._specs[i].inertia @ R.T)

    def save(self) -> bytes:
        """Everything needed to go on from here, bit for bit."""
        return pickle.dumps(self)

    @staticmethod
    def restore(blob: bytes) -> World:
        """A world that was saved. The blob is a pickle: restore only what you trust."""
        try:
            world = pickle.loads(blob)
        except Exception as error:  # what a pickle that was cut off or altered raises is anyone's guess
            raise InputError("blob: expected what World.save returned, got something that cannot be read") from error
        if not isinstance(world, World):
            raise InputError(f"blob: expected what World.save returned, got a pickled {type(world).__name__}")
        return world

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stepper": None}

    def _moved_by_hand(self, body: int) -> None:
        """Contacts say nothing about a body that was put somewhere else, and it may overlap others there."""
        self._contacts.forget_body(body)
        self._joints.settle(self._state.pose)
        self._suspects.add(body)

    def _ready(self) -> Stepper:
        if self._stepper is None:
            if not self._specs:
                raise InputError("the world is empty; add a body first")
            model = Model.of(self._specs)
            gap = _checked_gap(self._contact_gap, model.size)
            solve = force_solver(*self._method)
            tables = (model, self._state, self._contacts, self._joints, self._pairs)
            self._stepper = Stepper(*tables, gap, solve, self._level, self._threads)
            self._filter_pairs()
        return self._stepper

    def _ready_to_step(self) -> Stepper:
        stepper = self._ready()
        if self._suspects:
            stepper.wake()
            self._check_joints()
            overlaps = find_overlaps(
                (self._placed(a), self._placed(b))
                for a, b in stepper.near_pairs().tolist()
                if a in self._suspects or b in self._suspects
            )
            if overlaps:
                raise OverlapError(overlaps, stepper.contact_gap)
            self._suspects.clear()
        return stepper

    def _placed(self, i: int) -> tuple[str, Shape, Pose]:
        body = Body(self, i)
        return body.name, body.shape, body.pose


def _friction(what: str, value: float) -> float:
    return number(what, value, least=0.0)


def _given(what: str, value: float | None) -> float | None:
    return None if value is None else _friction(what, value)


def _restitution(what: str, value: float) -> float:
    e = number(what, value, least=0.0)
    if e > 1.0:
        raise InputError(f"{what}: expected a number from 0 (no bounce) to 1 (no loss), got {e:g}")
    return e


def _given_restitution(what: str, value: float | None) -> float | None:
    return None if value is None else _restitution(what, value)


def _checked_gap(gap: float | None, size: float) -> float:
    """The contact gap [m] of a world whose smallest part has this size."""
    if gap is None:
        return RELATIVE_CONTACT_GAP * size
    if not LEAST_GAP * size <= gap <= MOST_GAP * size:
        raise InputError(
            f"contact_gap: expected {LEAST_GAP * size:.3g} m to {MOST_GAP * size:.3g} m beside the smallest part, of "
            f"{size:.3g} m, got {gap:g} m; leave it out for {RELATIVE_CONTACT_GAP * size:.3g} m"
        )
    return gap


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"name: expected a string, got {name!r}")
    return name
