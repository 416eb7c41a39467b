"""What a deformable body is, and what changes about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...fem import ElasticBody, Embedding, Skin, TetMesh
from ...fem.material import require_firm
from .soft_tables import KeptTouches as KeptTouches

SOFT_NUMBER = 1 << 20
"""Number of the first deformable body in `world.contacts`, beyond that of any rigid one."""
USUAL_STEP, STIFF = 2e-3, 10.0
"""[s], and by how many cells sound may run in it before complete factors pay."""
MOST_COMPLETE = 4000
"""Nodes up to which a complete factor is made: beyond, conjugate gradients are faster."""
THETA = 0.55
"""Where in a step forces of the material are taken: close to the middle, which keeps rebounds; see docs/soft.md."""


@dataclass(frozen=True, eq=False)
class SoftSpec:
    """A deformable body as it was added."""

    name: str
    mesh: TetMesh
    """The cage at rest, in its own frame."""
    vertices: Floats
    """(n, 3) [m] the skin at rest, in the same frame."""
    triangles: Ints
    """(m, 3) of the skin."""
    young: Floats
    """[Pa] one number, or one for each tetrahedron."""
    poisson: float
    density: Floats
    """[kg/m^3] likewise."""
    damping: tuple[float, float]
    """Rayleigh's factors of mass [1/s] and stiffness [s]."""
    friction: float | None
    fixed_nodes: Ints

    @cached_property
    def embedding(self) -> Embedding:
        """How the cage carries the skin."""
        return self.mesh.embed(self.vertices)

    @cached_property
    def size(self) -> float:
        """Diagonal of the skin's box at rest [m]."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    def says_the_same(self, other: SoftSpec) -> bool:
        """Whether two bodies differ in nothing."""
        plain = ("name", "poisson", "damping", "friction")
        tables = ("vertices", "triangles", "young", "density", "fixed_nodes")
        pairs = [(getattr(self, word), getattr(other, word)) for word in tables]
        pairs += [(getattr(self.mesh, word), getattr(other.mesh, word)) for word in ("nodes", "tetrahedra", "fill")]
        return all(getattr(self, word) == getattr(other, word) for word in plain) and all(
            np.array_equal(mine, theirs) for mine, theirs in pairs
        )

    def new_skin(self) -> Skin:
        """The skin with a tree of boxes, at rest."""
        return Skin(self.vertices, self.triangles)

    def check(self) -> None:
        """Refuse a skin outside its cage, and a material that is none."""
        assert len(self.embedding.corner) == len(self.vertices)
        self.new_body()

    def require_firm(self, extents: Floats, gravity: Floats) -> None:
        """Refuse a material that its own weight would crush, where it stands with these extents [m]."""
        require_firm(self.young, self.density, extents, gravity)

    @cached_property
    def solver(self) -> str:
        """How steps are solved: of what is stiff beside its cells, with a complete factor at rest."""
        speed = np.sqrt(np.max(self.young) / np.min(self.density))
        cell = float(np.cbrt(np.mean(self.mesh.volumes)))
        stiff = speed * USUAL_STEP > STIFF * cell and len(self.mesh.nodes) <= MOST_COMPLETE
        return "rest" if stiff else "cg"

    def new_body(self, solver: str = "cg", pose: Any = None) -> ElasticBody:
        """The cage with its material, at rest."""
        return ElasticBody(
            self.mesh,
            young=self.young,
            poisson=self.poisson,
            density=self.density,
            damping=self.damping,
            fixed_nodes=self.fixed_nodes,
            pose=pose,
            gravity=(0.0, 0.0, 0.0),
            theta=THETA,
            solver=solver,
        )


class SoftState(NamedTuple):
    """What changes about a deformable body from step to step."""

    nodes: Floats
    """(n, 3) [m]."""
    velocities: Floats
    """(n, 3) [m/s]."""
    rotations: Floats
    """(n_element, 4) unit quaternions from which those of the next step start."""


def no_touches(room: int = 0) -> KeptTouches:
    """None, or room for some."""
    shapes = ((room, 3), (room, 3, 3), (room, 3), (room,), (room, 2, 3))
    return KeptTouches(np.empty((room, 5), np.int32), np.empty(room, np.int64), *(np.empty(shape) for shape in shapes))


class Hand(NamedTuple):
    """A hand at a point of a skin."""

    vertices: Ints
    """(3,) vertices of the skin between which the point lies."""
    shares: Floats
    """(3,) of these."""
    target: Floats
    """(3,) [m] where it is drawn to."""
    stiffness: float
    """[N/m]."""
    max_force: float
    """[N]."""


class Attachment(NamedTuple):
    """Nodes that move with a rigid body."""

    body: int
    nodes: Ints
    places: Floats
    """(k, 3) [m] where they are in the body's centre-of-mass frame."""


@dataclass(frozen=True, eq=False)
class SoftMoment:
    """The deformable bodies of a world at one moment; replaced as a whole."""

    specs: tuple[SoftSpec, ...] = ()
    states: tuple[SoftState, ...] = ()
    touches: KeptTouches = field(default_factory=no_touches)
    next_label: int = 1
    hands: tuple[Hand | None, ...] = ()
    attached: tuple[tuple[Attachment, ...], ...] = ()
    suspect: bool = False
    """Whether something was put somewhere, so that bodies may overlap."""
    told: KeptTouches | None = None
    """Contacts with means over the last step, where it took several motions; else those of `touches` are."""
    answer: float = 1.0
    """How much more bodies were found to answer to the first impulses of the last step than at rest."""

    def with_body(self, spec: SoftSpec, state: SoftState) -> SoftMoment:
        """One more deformable body; contacts number vertices anew."""
        specs, states = (*self.specs, spec), (*self.states, state)
        hands, attached = (*self.hands, None), (*self.attached, ())
        return SoftMoment(specs, states, no_touches(), self.next_label, hands, attached, True)

    @property
    def reported(self) -> KeptTouches:
        """Contacts with what acted over the last step."""
        return self.touches if self.told is None else self.told

    def without_rigid(self, body: int) -> SoftMoment:
        """The same when a rigid body has gone: without contacts, and with nodes let go that were attached to it."""
        if not self.specs:
            return self
        attached = tuple(tuple(link for link in links if link.body != body) for links in self.attached)
        return replace(self, touches=no_touches(), told=None, attached=attached)

    def suspected(self) -> SoftMoment:
        """The same, with bodies to be looked at for overlap before the next step."""
        return replace(self, touches=no_touches(), told=None, suspect=True) if self.specs else self


NO_SOFT = SoftMoment()
