"""A deformable body of a world, as users hold it."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, handed_out, indices, limit, number, read_only, rows, vector
from ...errors import InputError, ShapeError
from ...fem import ElasticBody, TetMesh
from ...fem.material import checked_poisson, one_or_each
from ...geometry import Shape, Solid, is_polyhedron
from ...math import Pose
from ...math.pose import as_pose
from ..handle import Handle
from .soft_measure import measured, skin_stress
from .soft_spec import SOFT_NUMBER, Attachment, Hand, SoftMoment, SoftSpec, SoftState

if TYPE_CHECKING:
    from ..bodies.body import Body
    from ..world_contents import WorldContents

SWING = 2.0 * pi * 10.0
"""[rad/s] with which a body would swing on a hand of the default stiffness."""
_SET_ALL = "the array is a copy, and writing to it changes nothing; set all of it: soft.{0} = ..."


class Deformable(Handle):
    """A soft body: a cage of tetrahedra that carries a fine skin, on which contact happens."""

    def __init__(self, world: WorldContents, number: int) -> None:
        self._world, self._number = world, number

    @property
    def _spec(self) -> SoftSpec:
        return self._world._now.soft.specs[self._number]

    @property
    def _state(self) -> SoftState:
        return self._world._now.soft.states[self._number]

    @property
    def name(self) -> str:
        """Unique among the bodies of the world."""
        return self._spec.name

    @property
    def index(self) -> int:
        """Its number in `world.contacts`, beyond those of rigid bodies."""
        return SOFT_NUMBER + self._number

    @property
    def mesh(self) -> TetMesh:
        """The cage at rest."""
        return self._spec.mesh

    @property
    def mass(self) -> float:
        """[kg]."""
        return float(self._body.masses.sum())

    @property
    def nodes(self) -> Floats:
        """(n, 3) [m] where the nodes of the cage are; can be set."""
        return handed_out(self._state.nodes.copy(), _SET_ALL.format("nodes"))

    @nodes.setter
    def nodes(self, nodes: ArrayLike) -> None:
        body = self._body
        body.nodes = self._table("nodes", nodes)
        self._change(
            SoftState(body.state.nodes.copy(), self._state.velocities, body.state.rotations.copy()), moved=True
        )

    @property
    def velocities(self) -> Floats:
        """(n, 3) [m/s] of the nodes; can be set."""
        return handed_out(self._state.velocities.copy(), _SET_ALL.format("velocities"))

    @velocities.setter
    def velocities(self, velocities: ArrayLike) -> None:
        table = self._table("velocities", velocities).copy()
        table[self._spec.fixed_nodes] = 0.0
        self._change(self._state._replace(velocities=table), moved=False)

    @property
    def vertices(self) -> Floats:
        """(k, 3) [m] where the vertices of the skin are."""
        return self._spec.embedding.positions(self._state.nodes)

    @property
    def triangles(self) -> Ints:
        """(m, 3) of the skin, counter-clockwise from outside."""
        return read_only(self._spec.triangles)

    @property
    def centre(self) -> Floats:
        """(3,) [m] centre of mass."""
        masses = self._body.masses
        return np.asarray(masses @ self._state.nodes / masses.sum())

    @property
    def stress(self) -> Floats:
        """(n_tetrahedron,) von Mises stress [Pa]."""
        return self._body.stress

    @property
    def skin_stress(self) -> Floats:
        """(k,) von Mises stress at the vertices of the skin [Pa]: means of the tetrahedra around them."""
        return skin_stress(self._spec, self.stress)

    @property
    def strain_energy(self) -> float:
        """Energy in its deformation [J]."""
        return self._body.strain_energy

    @property
    def kinetic_energy(self) -> float:
        """[J]."""
        return self._body.kinetic_energy

    @property
    def volume_change(self) -> float:
        """Volume of the material now over that at rest, less 1."""
        return self._body.volume_change

    @property
    def inverted(self) -> Ints:
        """Tetrahedra that are turned inside out; none as a rule."""
        return self._body.inverted

    def attach(self, nodes: ArrayLike, body: Body) -> None:
        """Let nodes of the cage move with a rigid body from now on, as they stand to it.

        The two bodies do not touch each other as long as any node is attached.
        """
        world, chosen = self._world, self._chosen(nodes)
        world._check_mine("body", body)
        if self.fixed_or_attached[chosen].any():
            raise InputError(f"nodes: some of them are fixed or attached already; call '{self.name}'.detach first")
        places = body_frame(world._now.state.pose[body.index]).inverse().apply(self._state.nodes[chosen])
        self._set_attached((*self._attached, Attachment(body.index, chosen, places)))

    def detach(self, body: Body | None = None) -> None:
        """Let nodes go that were attached, all or those of one body."""
        self._set_attached(tuple(link for link in self._attached if body is not None and link.body != body.index))

    @property
    def fixed_or_attached(self) -> np.ndarray:
        """(n,) which nodes do not move by themselves."""
        held = np.zeros(len(self._state.nodes), np.bool_)
        held[self._spec.fixed_nodes] = True
        for link in self._attached:
            held[link.nodes] = True
        return held

    def grab(
        self, point: ArrayLike, target: ArrayLike, *, stiffness: float | None = None, max_force: float = np.inf
    ) -> None:
        """Hold the point of the skin nearest to `point` [m] by a spring to a place in the world [m], until `release`.

        Default stiffness: the body would swing with 10 periods a second. The force is taken at the end of each step, so
        that any stiffness is stable.
        """
        found = nearest_on_skin(self.vertices, self._spec.triangles, vector("point", point))
        self._hold(found, target, stiffness, max_force)

    def grab_point(
        self, point: ArrayLike, target: ArrayLike, *, stiffness: float | None = None, max_force: float = np.inf
    ) -> None:
        """Hold the point of the skin nearest to `point` [m], in the frame of the cage at rest, as `grab` does."""
        self._hold(self._at_rest(vector("point", point)), target, stiffness, max_force)

    def _hold(self, held: tuple[Ints, Floats], target: ArrayLike, stiffness: float | None, max_force: float) -> None:
        k = self.mass * SWING**2 if stiffness is None else number("stiffness", stiffness, above=0.0)
        most = limit("max_force", max_force, least=0.0)
        self._set_hand(Hand(*held, vector("target", target).copy(), k, most))

    def place_of(self, point: ArrayLike) -> Floats:
        """(3,) [m] where the point of the skin is that is nearest to `point` [m] in the frame of the cage at rest."""
        corners, shares = self._at_rest(vector("point", point))
        return np.asarray(shares @ self.vertices[corners])

    def rest_place_of(self, point: ArrayLike) -> Floats:
        """(3,) [m] where the point of the skin that is nearest to `point` [m] is in the frame of the cage at rest."""
        corners, shares = nearest_on_skin(self.vertices, self._spec.triangles, vector("point", point))
        return np.asarray(shares @ self._spec.vertices[corners])

    @property
    def hand_force(self) -> Floats:
        """(3,) [N] with which the spring of a hand pulls at its point now; 0 where nothing holds the body."""
        hand = self._moment.hands[self._number]
        if hand is None:
            return np.zeros(3)
        pull = hand.stiffness * (hand.target - hand.shares @ self.vertices[hand.vertices])
        return np.asarray(pull * min(1.0, hand.max_force / max(float(np.linalg.norm(pull)), 1e-300)))

    def _at_rest(self, point: Floats) -> tuple[Ints, Floats]:
        return nearest_on_skin(self._spec.vertices, self._spec.triangles, point)

    def move_hand(self, target: ArrayLike) -> None:
        """Draw the grabbed point elsewhere [m]."""
        hand = self._moment.hands[self._number]
        if hand is None:
            raise InputError(f"target: nothing holds '{self.name}'; grab it first")
        self._set_hand(hand._replace(target=vector("target", target).copy()))

    def release(self) -> None:
        """Let go of a grabbed body."""
        self._set_hand(None)

    @property
    def _moment(self) -> SoftMoment:
        return self._world._now.soft

    @property
    def _attached(self) -> tuple[Attachment, ...]:
        return self._moment.attached[self._number]

    @property
    def _body(self) -> ElasticBody:
        return measured(self._spec, self._state, self._world._gravity)

    def _table(self, name: str, value: ArrayLike) -> Floats:
        table = rows(f"'{self.name}': {name}", value, 3)
        if len(table) != len(self._state.nodes):
            raise ShapeError(f"'{self.name}': {name}: expected {len(self._state.nodes)} rows, got {len(table)}")
        return table

    def _chosen(self, nodes: ArrayLike) -> Ints:
        table = np.reshape(np.asarray(nodes), (-1, 1))
        return np.unique(indices(f"'{self.name}': nodes", table, 1, len(self._state.nodes)).ravel()).astype(np.int32)

    def _change(self, state: SoftState, moved: bool) -> None:
        soft = self._moment
        states = (*soft.states[: self._number], state, *soft.states[self._number + 1 :])
        soft = replace(soft, states=states)
        self._put(soft.suspected() if moved else soft)

    def _set_hand(self, hand: Hand | None) -> None:
        hands = self._moment.hands
        self._put(replace(self._moment, hands=(*hands[: self._number], hand, *hands[self._number + 1 :])))

    def _set_attached(self, links: tuple[Attachment, ...]) -> None:
        known = self._moment.attached
        attached = (*known[: self._number], links, *known[self._number + 1 :])
        self._put(replace(self._moment, attached=attached).suspected())

    def _put(self, soft: SoftMoment) -> None:
        self._world._now = self._world._now._replace(soft=soft)

    def __repr__(self) -> str:
        return f"<Deformable '{self.name}', {len(self.mesh.tetrahedra)} tetrahedra, {len(self.triangles)} triangles>"


def body_frame(row: Floats) -> Pose:
    """The centre-of-mass frame of a rigid body."""
    return Pose(row[:3], quat_wxyz=row[3:])


def nearest_on_skin(vertices: Floats, triangles: Ints, point: Floats) -> tuple[Ints, Floats]:
    """Corners of the triangle nearest to a point, and their shares at its nearest point."""
    from ...fem.skin_point_kernels import nearest_triangle

    shares = np.zeros(3)
    found = nearest_triangle(np.reshape(point, (1, 3)), vertices, triangles, shares)
    return triangles[found].copy(), shares


def soft_spec(
    mesh: Any,
    name: str,
    *,
    surface: Any,
    young: ArrayLike,
    poisson: float,
    density: ArrayLike,
    damping: ArrayLike,
    friction: float | None,
    fixed_nodes: ArrayLike,
) -> SoftSpec:
    """Check what a user says about a deformable body."""
    owner = f"deformable '{name}': "
    if not isinstance(mesh, TetMesh):
        raise InputError(
            f"{owner}expected an abut.fem.TetMesh, got {type(mesh).__name__}; make one of a part with "
            "abut.fem.TetMesh.from_solid(part, cell), and give the part as surface="
        )
    vertices, triangles = _skin(owner, mesh, surface)
    nodes = np.reshape(np.asarray(fixed_nodes if np.size(fixed_nodes) else np.zeros(0, np.int32)), (-1, 1))
    fixed = np.unique(indices(f"{owner}fixed_nodes", nodes, 1, len(mesh.nodes)).ravel()).astype(np.int32)
    rayleigh, n = vector(f"{owner}damping", damping, 2), len(mesh.tetrahedra)
    spec = SoftSpec(
        name,
        mesh,
        vertices,
        triangles,
        one_or_each("young", young, n),
        checked_poisson(poisson),
        one_or_each("density", density, n),
        (float(rayleigh[0]), float(rayleigh[1])),
        friction,
        fixed,
    )
    spec.check()
    return spec


def _skin(owner: str, mesh: TetMesh, surface: Any) -> tuple[Floats, Ints]:
    """Vertices and triangles of the skin: those of a part, or of the cage itself."""
    if surface is None:
        used, triangles = np.unique(mesh.boundary, return_inverse=True)
        return mesh.nodes[used].copy(), triangles.reshape(-1, 3).astype(np.int32)
    if not (isinstance(surface, Shape) and is_polyhedron(surface)):
        raise InputError(f"{owner}surface: expected a Solid, got {type(surface).__name__}")
    part: Solid = surface
    if not part.closed:
        raise InputError(f"{owner}surface: {part.label} is not closed; load it with repair=True")
    return part.mesh.vertices.copy(), part.mesh.triangles.copy()


def first_state(spec: SoftSpec, pose: Pose | None, velocity: ArrayLike) -> SoftState:
    """A deformable body at rest at a pose, all of it moving with one velocity."""
    body = spec.new_body(pose=as_pose("pose", pose))
    velocities = np.tile(vector("velocity", velocity), (len(spec.mesh.nodes), 1))
    velocities[spec.fixed_nodes] = 0.0
    return SoftState(body.state.nodes.copy(), velocities, body.state.rotations.copy())
