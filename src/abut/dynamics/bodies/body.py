"""Bodies: parts in motion. A `Body` is a handle; its numbers stand in the arrays of its world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, count, flag, handed_out, is_one_of, limit, matrix, number, vector
from ...contact.culling_kernels import ABSENT
from ...errors import InputError
from ...geometry import Shape, size_of
from ...math import Pose
from ...math.pose import as_pose
from ..accounts.account_kernels import DAMPING, HAND, JOINTS, LOCKS
from ..handle import Handle
from ..soft.push_on_rigid import soft_pushes
from .body_kernels import DYNAMIC, FIXED, FROZEN, KINEMATIC
from .hold_kernels import HOLDS_POINT, HOLDS_POSE, LET_GO

if TYPE_CHECKING:
    from ..world_contents import WorldContents

AXES = ("x", "y", "z", "rx", "ry", "rz")
DENSITY = 1000.0
"""[kg/m^3] of bodies of which neither density nor mass is said."""
MOST_SPEED = 299_792_458.0
"""[m/s] by which forces of one step may make a body faster; beyond, numbers would soon no longer be finite."""
_WHOLE = "the array is a copy, and writing to it moves nothing; set all of it: body.{} = (x, y, z)"
SWING = 2.0 * np.pi * 10.0
"""[1/s] with which a body in a hand would swing, unless the hand says how stiff it is."""
MOST_GROUPS = 2**31 - 1
"""Tables of groups are of int32."""


@dataclass(frozen=True, eq=False)
class BodySpec:
    """What a body is, fixed when it is added to a world."""

    shape: Shape
    name: str
    kind: int
    mass: float
    """[kg]."""
    centre: Floats
    """(3,) centre of mass in the part's frame [m]."""
    inertia: Floats
    """(3, 3) about the centre of mass, along the part's axes [kg m^2]."""
    group: int
    """Bodies of the same group >= 0 do not touch each other; ABSENT ones touch nobody."""
    locked: tuple[bool, ...]
    """(6,) world directions and rotations that are held."""
    drag: tuple[float, float]
    """[1/s] of translation and of rotation."""

    @property
    def absent(self) -> bool:
        """Whether the body was removed; its number stays taken, so that others keep theirs."""
        return self.group == ABSENT

    def removed(self, number: int) -> BodySpec:
        """What is left of body `number` when it is removed: nothing that moves or is touched."""
        return replace(
            self,
            name=f"removed {number}: {self.name}",
            kind=FIXED,
            mass=1.0,
            centre=np.zeros(3),
            inertia=np.eye(3),
            group=ABSENT,
        )

    def says_the_same(self, other: BodySpec) -> bool:
        """Whether two bodies differ in nothing; parts are compared by identity."""
        plain = ("name", "kind", "mass", "group", "locked", "drag")
        return (
            _is_same_shape(self.shape, other.shape)
            and all(getattr(self, word) == getattr(other, word) for word in plain)
            and np.array_equal(self.centre, other.centre)
            and np.array_equal(self.inertia, other.inertia)
        )

    @cached_property
    def largest_inertia(self) -> float:
        """About any axis through the centre of mass [kg m^2]."""
        return float(np.linalg.eigvalsh(self.inertia).max())

    @cached_property
    def smallest_spread(self) -> float:
        """Largest inertia over the part's size [kg m]: how a torque about any axis gives speed to its rim."""
        return self.largest_inertia / size_of(self.shape)


def body_spec(
    shape: Shape,
    name: str,
    *,
    density: float | None,
    mass: float | None,
    inertia: ArrayLike | None,
    fixed: bool,
    kinematic: bool,
    group: int | None,
    locked: Sequence[str],
    drag: tuple[float, float],
) -> BodySpec:
    """Check what a user says about a body."""
    fixed, kinematic = flag(f"body '{name}': fixed", fixed), flag(f"body '{name}': kinematic", kinematic)
    kind = FIXED if fixed else (KINEMATIC if kinematic else DYNAMIC)
    if not isinstance(shape, Shape):
        raise InputError(
            f"body '{name}': expected a Solid, a Sphere, a Capsule or a HalfSpace, got {type(shape).__name__}"
        )
    if not shape:
        raise InputError(f"body '{name}': its part is empty; parts that do not overlap have nothing in common")
    if shape.closed and not shape.volume > 0.0:
        raise InputError(
            f"body '{name}': its part is inside out, with a volume of {shape.volume:g} m^3; "
            "reverse its triangles, or load it with repair=True"
        )
    if density is not None and mass is not None:
        raise InputError(f"body '{name}': density and mass both say how heavy it is; give one of them")
    if fixed and kinematic:
        raise InputError(f"body '{name}': fixed and kinematic exclude each other; give one of them")
    if kind == DYNAMIC:
        m, centre, tensor = _inertia(shape, name, density, mass, inertia)
    else:
        m, centre, tensor = 1.0, np.zeros(3), np.eye(3)
    return BodySpec(
        shape=shape,
        name=name,
        kind=kind,
        mass=m,
        centre=centre,
        inertia=tensor,
        group=-1 if group is None else _group(f"body '{name}': group", group),
        locked=_locked(name, locked),
        drag=(
            number(f"body '{name}': damping", drag[0], least=0.0),
            number(f"body '{name}': angular_damping", drag[1], least=0.0),
        ),
    )


def _group(what: str, group: int) -> int:
    return count(what, group, least=0, most=MOST_GROUPS)


def _locked(name: str, locked: Sequence[str]) -> tuple[bool, ...]:
    """Which of the six directions are held; a single one need not be wrapped up."""
    names = (locked,) if isinstance(locked, str) or not isinstance(locked, Iterable) else tuple(locked)
    for axis in names:
        if not is_one_of(axis, AXES):
            raise InputError(f"body '{name}': locked holds {axis!r}; the directions are {', '.join(AXES)}")
    return tuple(axis in names for axis in AXES)


def _is_same_shape(a: Shape, b: Shape) -> bool:
    """Solids are compared by identity."""
    return a is b or not (a.polyhedral or b.polyhedral or a.identity != b.identity)


def _inertia(
    shape: Shape, name: str, density: float | None, mass: float | None, inertia: ArrayLike | None
) -> tuple[float, Floats, Floats]:
    if not shape.bounded:
        raise InputError(f"body '{name}': a half-space has no mass; add it with fixed=True or kinematic=True")
    if not shape.closed:
        raise InputError(
            f"body '{name}': its part is not closed and has no mass; "
            "add it with fixed=True, or load it with repair=True"
        )
    volume = shape.volume
    if mass is not None:
        m = number(f"body '{name}': mass", mass, above=0.0)
    else:
        density = number(f"body '{name}': density", DENSITY if density is None else density, above=0.0)
        m = density * volume
        if not 0.0 < m < np.inf:
            raise InputError(f"body '{name}': expected a density that gives a mass, got {density:g} kg/m^3, {m:g} kg")
    if inertia is None:
        per_density = np.asarray(shape.inertia)
        if not np.isfinite(m / volume * float(np.abs(per_density).max())):
            raise InputError(f"body '{name}': expected a mass whose inertia is finite, got {m:g} kg")
        return m, shape.centroid, per_density * (m / volume)
    return m, shape.centroid, _given_inertia(name, inertia)


def _given_inertia(name: str, inertia: ArrayLike) -> Floats:
    tensor = matrix(f"body '{name}': inertia", inertia, 3, 3)
    moments = np.linalg.eigvalsh(tensor)
    if not np.allclose(tensor, tensor.T) or moments[0] <= 0.0:
        raise InputError(f"body '{name}': inertia: expected a symmetric positive (3, 3) matrix [kg m^2]")
    if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-2):  # data may be rounded
        raise InputError(
            f"body '{name}': inertia: no solid has the principal moments {moments[0]:g}, {moments[1]:g} and "
            f"{moments[2]:g} kg m^2; none of them exceeds the sum of the others"
        )
    return tensor


class Body(Handle):
    """A part in motion."""

    _world: WorldContents
    _number: int

    def __init__(self, world: WorldContents, index: int) -> None:
        mine = vars(self)  # drives ask for bodies in every step
        mine["_world"], mine["_number"] = world, index

    @property
    def _index(self) -> int:
        """Its row in the tables of its world, if it is still there."""
        specs = self._world._specs
        if self._number >= len(specs) or specs[self._number].absent:
            raise InputError("this body was removed from its world; ask for another one by world.body(name)")
        return self._number

    @property
    def index(self) -> int:
        """Its number in the world; `world.contacts` refers to bodies by it."""
        return self._index

    @property
    def spec(self) -> BodySpec:
        """What the body is."""
        return self._world._specs[self._index]

    @property
    def name(self) -> str:
        """Its name, unique in its world."""
        return self.spec.name

    @property
    def shape(self) -> Shape:
        """Its part."""
        return self.spec.shape

    @property
    def mass(self) -> float:
        """[kg]; infinite for a body that is not dynamic, or no longer."""
        return self.spec.mass if self._world._state.kind_of(self._index) == DYNAMIC else np.inf

    @property
    def frozen(self) -> bool:
        """Whether the body was stopped because its state was no longer finite."""
        return self._world._state.kind_of(self._index) == FROZEN

    @property
    def pose(self) -> Pose:
        """Pose of the part's own frame, as drawn."""
        centre = self._centre_pose
        return centre.moved(centre.turned(-self.spec.centre))

    @pose.setter
    def pose(self, value: Pose) -> None:
        moved = as_pose("pose", value) @ Pose(self.spec.centre)
        self._world._now = self._world._now.with_pose(self._index, moved.row)

    @property
    def _centre_pose(self) -> Pose:
        return Pose.of_row(self._world._state.row("pose", self._index))

    @property
    def velocity(self) -> Floats:
        """(3,) velocity of the centre of mass [m/s], or of the part's origin if the body is not dynamic."""
        return handed_out(self._world._state.row("twist", self._index)[:3].copy(), _WHOLE.format("velocity"))

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        velocity = vector("velocity", value)
        self._check_moves("velocity", velocity)
        self._world._state.row("twist", self._number)[:3] = velocity

    @property
    def angular_velocity(self) -> Floats:
        """(3,) in the world's axes [rad/s]."""
        return handed_out(self._world._state.row("twist", self._index)[3:].copy(), _WHOLE.format("angular_velocity"))

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        velocity = vector("angular_velocity", value)
        self._check_moves("angular_velocity", velocity)
        self._world._state.row("twist", self._number)[3:] = velocity

    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Apply a force [N] during the next step, at a point of the world or at the centre of mass."""
        wrench = np.zeros(6)
        wrench[:3] = vector("force", force)
        if point is not None:
            wrench[3:] = np.cross(vector("point", point) - self._world._state.row("pose", self._index)[:3], wrench[:3])
        self._apply("force", wrench)

    def apply_torque(self, torque: ArrayLike) -> None:
        """Apply a torque [N m] during the next step."""
        wrench = np.zeros(6)
        wrench[3:] = vector("torque", torque)
        self._apply("torque", wrench)

    def _apply(self, what: str, wrench: Floats) -> None:
        """Add force and torque to what is applied in the next step."""
        row = self._world._state.row("wrench", self._index)
        row[:] = self._applied_with(what, wrench, row)

    def _applied_with(self, what: str, wrench: Floats, before: Floats) -> Floats:
        """What is applied in the next step with one more force and torque, beside that before, if that can be."""
        spec, world = self.spec, self._world
        if spec.kind != DYNAMIC:
            kind = "fixed" if spec.kind == FIXED else "kinematic"
            raise InputError(f"{what}: body '{spec.name}' is {kind} and gives way to no force; add it as a dynamic one")
        if world.level != "dynamic":
            raise InputError(f"{what}: bodies of a {world.level} world have no inertia; give them a velocity")
        if world._state.kind_of(self._number) == FROZEN:
            self._check_moves(what, wrench)
        total = before + wrench
        x, y, z, a, b, c = total.tolist()
        faster, rim = hypot(x, y, z) * world.dt / spec.mass, hypot(a, b, c) * world.dt / spec.smallest_spread
        if not faster + rim <= MOST_SPEED:
            raise InputError(
                f"{what}: it would make body '{spec.name}' faster by {max(faster, rim):.3g} m/s in one step of "
                f"{world.dt:g} s; expected at most {MOST_SPEED:.3g} m/s, the speed of light"
            )
        return np.asarray(total)

    def _check_moves(self, what: str, value: Floats) -> None:
        """Refuse to move what never moves."""
        kind = self._world._state.kind_of(self._index)
        if kind not in (FIXED, FROZEN) or not value.any():
            return
        if kind == FIXED:
            raise InputError(f"{what}: body '{self.name}' is fixed and never moves; add it with kinematic=True instead")
        raise InputError(
            f"{what}: body '{self.name}' was frozen when its state was no longer finite; restore an earlier save"
        )

    def grab(
        self,
        target_pose: Pose,
        *,
        stiffness: float | None = None,
        angular_stiffness: float | None = None,
        max_force: float = np.inf,
        max_torque: float = np.inf,
    ) -> None:
        """Hold the body by a critically damped spring to a pose of its part's frame, until `release`.

        Default stiffness: the body would swing with 10 periods a second. The spring's force is taken at the end of
        each step, so that any stiffness is stable.
        """
        spec = self._grabbed()
        X, m, I = as_pose("target_pose", target_pose), spec.mass, spec.largest_inertia
        k = m * SWING**2 if stiffness is None else number("stiffness", stiffness, least=0.0)
        k_r = I * SWING**2 if angular_stiffness is None else number("angular_stiffness", angular_stiffness, least=0.0)
        spring = (k, 2.0 * sqrt(k * m), limit("max_force", max_force, least=0.0))
        angular = (k_r, 2.0 * sqrt(k_r * I), limit("max_torque", max_torque, least=0.0))
        self._change(hold=(HOLDS_POSE, *spring, *angular, 0.0, 0.0, 0.0), target=_row_about(X, spec.centre))

    def grab_point(
        self,
        point: ArrayLike,
        target: ArrayLike,
        *,
        stiffness: float | None = None,
        max_force: float = np.inf,
        angular_damping: float | None = None,
    ) -> None:
        """Hold a point of the part, in its own frame, by a critically damped spring to a place in the world [m].

        The body turns about the point as it will, until `release`. Default stiffness: the body would swing with 10
        periods a second. Fingers slow the rotation: default `angular_damping` [N m s/rad] is that of a rotation as
        critically damped as the spring, with no more torque than `max_force` has at half the part's size. Where bodies
        have no inertia (`level`), the point is led without turning the body.
        """
        spec = self._grabbed()
        m, I = spec.mass, spec.largest_inertia
        k = m * SWING**2 if stiffness is None else number("stiffness", stiffness, least=0.0)
        c_r = (
            2.0 * I * sqrt(k / m) if angular_damping is None else number("angular_damping", angular_damping, least=0.0)
        )
        f_max = limit("max_force", max_force, least=0.0)
        spring, angular = (k, 2.0 * sqrt(k * m), f_max), (0.0, c_r, 0.5 * f_max * size_of(self.shape))
        arm = vector("point", point) - spec.centre
        place = (*vector("target", target), 1.0, 0.0, 0.0, 0.0)
        self._change(hold=(HOLDS_POINT, *spring, *angular, *arm), target=place)

    def _grabbed(self) -> BodySpec:
        """What is about to be held, unless no hand can move it."""
        spec = self.spec
        if spec.kind != DYNAMIC:
            raise InputError(f"body '{spec.name}': only a dynamic body can be grabbed; give a kinematic one a velocity")
        return spec

    def release(self) -> None:
        """Let go of a grabbed body."""
        self._change(hold=(LET_GO, *self._world._state.hold[self._index, 1:]))

    def _change(self, **rows: ArrayLike) -> None:
        """Other rows in the named tables of the state, all in one assignment."""
        now = self._world._now
        self._world._now = now._replace(state=now.state.with_rows(self._index, **rows))

    def contact_wrench(self) -> Floats:
        """(6,) force [N] and torque about the centre of mass [N m] that contacts exerted on it, friction included.

        This and the other wrenches are means over the last step, about the centre of mass as it moved. Those of
        contacts, joints, hand, damping, locks and loads are all that changed the motion of a dynamic body: they add up
        to the changes of its momentum and of its angular momentum about the centre of mass, divided by dt.
        """
        world = self._world
        wrench = np.array(world._now.contacts.wrenches(len(world._specs))[self._index])
        return wrench + soft_pushes(world.contacts, self._index) if len(world._now.soft.reported.name) else wrench

    def joint_wrench(self) -> Floats:
        """(6,) what joints exerted on it, with limits, motors and springs, and attached nodes; see `contact_wrench`."""
        return self._acted(JOINTS)

    def hand_wrench(self) -> Floats:
        """(6,) what the hand that holds it exerted on it; see `grab` and `contact_wrench`."""
        return self._acted(HAND)

    def damping_wrench(self) -> Floats:
        """(6,) what its damping and angular damping exerted on it; see `contact_wrench`.

        Also what took energy from it that nothing had given to it (docs/step.md).
        """
        return self._acted(DAMPING)

    def load_wrench(self) -> Floats:
        """(6,) its weight, and forces and torques applied to it; see `contact_wrench`."""
        state = self._world._state
        if state.kind[self._index] != DYNAMIC:
            return np.zeros(6)
        weight = self.spec.mass * state.gravity
        return np.array(state.applied[self._index] + np.concatenate((weight, np.zeros(3))))

    def lock_wrench(self) -> Floats:
        """(6,) what kept it from moving along its locked directions; see `contact_wrench`.

        Of a body at rest, also what held it there beyond its contacts, 5e-6 of its weight at most; of a body that found
        no way, what held it for the time that was given up.
        """
        return self._acted(LOCKS)

    def _acted(self, what: int) -> Floats:
        return np.array(self._world._state.acted[self._index, what])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and other._world is self._world and other._number == self._number

    def __hash__(self) -> int:
        return hash((id(self._world), self._number))

    def __repr__(self) -> str:
        if self._world._specs[self._number].absent:
            return "Body(removed)"
        return f"Body('{self.name}', {f'{self.mass:.4g} kg' if np.isfinite(self.mass) else self._kind_in_words()})"

    def _kind_in_words(self) -> str:
        return "frozen" if self.frozen else "kinematic" if self.spec.kind == KINEMATIC else "fixed"


def _row_about(X: Pose, centre: Floats) -> Floats:
    """The pose of a body's centre of mass, as a row of tables, where its part's frame is at X."""
    row = X.kernel_row.copy()
    row[:3] += X.turned(centre)
    return row
