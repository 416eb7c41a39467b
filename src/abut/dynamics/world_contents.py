"""What is in a world: bodies, joints, contacts, and how pairs of bodies meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import option, vector
from ..errors import InputError, meant
from ..geometry import Shape, Solid, is_polyhedron, size_of, warn_if_unsound
from ..math import Pose
from ..math.pose import as_pose
from .bodies.assembly import add_assembly
from .bodies.body import Body, body_spec
from .bodies.body_kernels import DYNAMIC, FIXED
from .contacts.contact_gap import NARROWEST_GAP, checked_gap
from .contacts.contact_table import CONTACT_TYPE, contact_table
from .contacts.pair_laws import given_friction, given_restitution
from .joints.joint import Joint, PerCoordinate
from .joints.joint_coordinate import Limits
from .joints.joint_types import make_joint
from .joints.motors import Motor, Spring
from .methods.registry import check_bends
from .soft.deformable import Deformable, first_state, soft_spec
from .soft.soft_measure import soft_contacts
from .soft.soft_spec import SoftSpec, SoftState
from .state import smallest_size
from .stepping.overlap import Overlap, Placed, find_overlaps
from .world_settings import WorldSettings


class WorldContents(WorldSettings):
    """A world as far as things are added to it, found in it and taken away."""

    def add_body(
        self,
        shape: Shape,
        name: str = "",
        *,
        pose: Pose | None = None,
        density: float | None = None,
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

        Mass comes from the density (1000 kg/m^3 where neither is given), or is given instead of it. A fixed body never
        moves, a kinematic one moves with the velocity it is given, and pushes what can give way. `locked` names world
        directions ("x", "rz") that are held. Two bodies touch with the geometric mean of their `friction` (and
        `restitution`). If only one of them has a coefficient, it counts; if neither has, that of the world.
        """
        now = self._now
        name = _name(name) or f"body {len(now.setup.specs)}"
        self._require_new(name)
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
        self._require_new(spec.name)
        if self._level != "dynamic":
            raise InputError("level: deformable bodies need a world with level='dynamic'")
        check_bends(self.method, spec.name)
        self._now = now._replace(soft=soft.with_body(spec, state))
        self._model, self._steppers = None, []
        return Deformable(self, len(soft.specs))

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order in which they were added."""
        return [Body(self, i) for i, spec in enumerate(self._specs) if not spec.absent]

    def body(self, name: str) -> Body:
        """The body of this name."""
        numbers = self._now.setup.numbers
        if not isinstance(name, str) or name not in numbers:
            soft = any(name == spec.name for spec in self._now.soft.specs)
            raise InputError(_no_such("body", name, numbers) + (f"; write world.deformable({name!r})" if soft else ""))
        return Body(self, numbers[name])

    def remove_body(self, body: Body) -> None:
        """Remove a body, with its joints and contacts; what rested on it falls, and nodes attached to it are released.

        The other bodies keep their numbers, and the contacts between them their labels. The name may be used again.
        """
        self._check_mine("body", body)
        number, joints = body.index, self._joints.copy()
        for joint, spec in list(joints.specs.items()):
            if number in (spec.body, spec.other):
                joints.remove(joint)
        self._now = self._now.without_body(number, joints)

    @property
    def deformables(self) -> list[Deformable]:
        """All deformable bodies, in the order in which they were added."""
        return [Deformable(self, i) for i in range(len(self._now.soft.specs))]

    def deformable(self, name: str) -> Deformable:
        """The deformable body of this name."""
        names = [spec.name for spec in self._now.soft.specs]
        if name not in names:
            raise InputError(_no_such("deformable", name, names))
        return Deformable(self, names.index(name))

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
            raise InputError(_no_such("joint", name, names))
        return Joint(self, names[name])

    @property
    def redundant_rows(self) -> int:
        """How many conditions of the joints follow from the others where the bodies stand; usually 0.

        If it is not 0, the motion is still right, but reactions are one choice of many.
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

    @property
    def contacts(self) -> np.ndarray:
        """Structured array of the contacts after the last step, and of those that pushed in it and have let go.

        Forces are means over the step; see `CONTACT_TYPE`.
        """
        now = self._now
        tables = [table for table in (now.contacts, now.contacts.gone) if table is not None and table.n]
        found = [contact_table(table, self._model_of(now.setup), now.state.pose) for table in tables]
        if len(now.soft.reported.name):
            found.append(soft_contacts(now.soft, now.setup.specs))
        joined = np.concatenate(found) if found else np.zeros(0, CONTACT_TYPE)
        regions = None if self._region_watch is None else self._region_watch.latest
        if regions is not None and regions.moment is now:
            of_rigid = regions.region_of_contact
            joined["region"][: len(of_rigid)] = regions.label[of_rigid]
        return joined

    def set_pair(
        self,
        a: Body,
        b: Body,
        rule: str = "contact",
        *,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> None:
        """Set how two bodies meet.

        "contact" (the default): they never overlap. "ignore": they pass through each other. "interference": likewise,
        but `interferences` reports where they overlap. `friction` and `restitution` override those of the two bodies.
        """
        option("rule", rule, "contact", "ignore", "interference")
        self._check_mine("the pair", a, b)
        if a == b:
            raise InputError(f"the pair: body '{a.name}' does not meet itself; name two bodies")
        pair = (min(a.index, b.index), max(a.index, b.index))
        laws = (given_friction("the pair: friction", friction), given_restitution("the pair: restitution", restitution))
        self._now = self._now.with_pairs({*pair}, setup=self._now.setup.with_pair(pair, rule, *laws))

    def pair_rule(self, a: Body, b: Body) -> str:
        """How two bodies meet, as `set_pair` set it: "contact" (the default), "ignore" or "interference"."""
        self._check_mine("the pair", a, b)
        return self._rules.get((min(a.index, b.index), max(a.index, b.index)), "contact")

    @property
    def interferences(self) -> list[Overlap]:
        """Pairs declared as interference that overlap now, and how deep."""
        return find_overlaps(
            (self._placed(a), self._placed(b)) for (a, b), rule in self._rules.items() if rule == "interference"
        )

    @property
    def _rules(self) -> dict[tuple[int, int], str]:
        return self._now.setup.rules

    def _draft(self) -> Self:
        """The same world as an object of its own, on which a change of several parts is made first."""
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__, _steppers=[], _soft_steppers=[])
        return draft

    def _require_new(self, name: str) -> None:
        """Refuse the name of a body that is there, rigid or soft."""
        if name in self._now.setup.numbers or any(name == spec.name for spec in self._now.soft.specs):
            raise InputError(f"name: there is a body '{name}' already; names are unique in a world")

    def _check_mine(self, what: str, *bodies: object) -> None:
        """Refuse what is no body of this world."""
        for body in bodies:
            if not isinstance(body, Body) or body._world is not self:
                named = isinstance(body, str) and body in self._now.setup.numbers
                remedy = f"; write world.body({body!r})" if named else ""
                remedy = "; soft bodies are none" if isinstance(body, Deformable) else remedy
                raise InputError(f"{what}: expected a body of this world, got {body!r}{remedy}")

    def _gap_with(self, sizes: Iterable[float]) -> float:
        """The contact gap [m] of this world with more dynamic parts, of these sizes."""
        moving = [size_of(spec.shape) for spec in self._specs if spec.kind == DYNAMIC]
        return checked_gap(self._contact_gap, min((*moving, *sizes), default=1.0))

    def _make_room(self, gap: float) -> None:
        """Hold contacts at no more than `gap` [m], unless it was said at which."""
        if self._contact_gap is None:
            least = NARROWEST_GAP * smallest_size(self._specs)
            self._contact_gap = min(max(gap, least), self._gap_of(self._now.setup))

    def _placed(self, i: int) -> Placed:
        body = Body(self, i)
        return Placed(body.name, body.shape, body.pose)


def _no_such(what: str, name: object, known: Iterable[str]) -> str:
    names = list(known)
    return f"there is no {what} '{name}'{meant(name, names)}; there are: {', '.join(names) or 'none'}"


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"name: expected a string, got {name!r}")
    return name
