"""A cage of tetrahedra with a material, in motion: one implicit step after the other."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._jit import Packet
from ...arrays import Floats, Ints, blocks, count, indices, number, option, read_only, rows, vector
from ...errors import InputError, ShapeError
from ...math.pose import as_pose
from ..material import lame, per_element, require_firm
from ..meshing.tet_mesh import TetMesh
from . import measure_kernels, step_kernels
from .body_kernels import improve_body, weigh
from .body_packet_tables import LAYOUT, Begun
from .elastic_tables import Elements, Matrix, Measures, NodeData, Pattern, Round, State, StepSettings
from .factor_kernels import answer_columns
from .outcome import Prediction, Settled, StepResult
from .rest_factors import RestFactors
from .solve_kernels import keep_change, solve
from .tables import Moduli, empty_matrix, factorise_shifted, make_tables, usual_shift

GRAVITY = (0.0, 0.0, -9.81)
NODES_AT_ONCE = 8
"""Answers to impulses on so many nodes are found side by side."""
MOST_WITH_REST_FACTOR = 60
"""Conjugate gradients with the factor at rest; where these do not suffice, the matrix itself is factored."""


class ElasticBody:
    """A `TetMesh` of a linear isotropic material that may turn and move as far as it likes.

    `young` [Pa] and `density` [kg/m³] are one number or one for each tetrahedron; `damping` are Rayleigh's factors of
    mass [1/s] and stiffness [s]. The motion of `fixed_nodes` is prescribed: they stand still unless told otherwise.
    `theta` says where in a step forces are taken: 0.5 keeps energy, 1 damps most. The linear equation of a step is
    solved by at most `max_iterations` conjugate gradients, with an incomplete factor ("cg") or a complete one of the
    shape at rest ("rest", for what is stiff), or exactly ("direct").
    """

    def __init__(
        self,
        mesh: TetMesh,
        *,
        young: ArrayLike,
        poisson: float,
        density: ArrayLike,
        damping: ArrayLike = (0.0, 0.0),
        fixed_nodes: ArrayLike = (),
        pose: Any = None,
        gravity: ArrayLike = GRAVITY,
        theta: float = 0.55,
        solver: str = "cg",
        tolerance: float = 1e-6,
        max_iterations: int = 200,
    ) -> None:
        self.mesh = mesh
        self.gravity = vector("gravity", gravity)
        self.direct = option("solver", solver, "cg", "rest", "direct") == "direct"
        self._complete = solver != "cg"
        self.theta = theta
        self.damping = damping
        self.tolerance = number("tolerance", tolerance, above=0.0)
        self.max_iterations = count("max_iterations", max_iterations, least=1)
        self._filled = mesh.volumes * mesh.fill
        bulk, shear = lame(young, poisson, len(mesh.tetrahedra))
        weights = per_element("density", density, len(mesh.tetrahedra)) * self._filled
        require_firm(young, density, np.ptp(mesh.nodes, axis=0), self.gravity)
        self.moduli = Moduli(bulk * self._filled, shear * self._filled)
        self._make_tables(weights)
        X = as_pose("pose", pose)
        turned = np.tile(np.asarray(X.quat_wxyz, np.float64), (len(mesh.tetrahedra), 1))
        self.state = State(np.ascontiguousarray(X.apply(mesh.nodes)), np.zeros_like(self.loads), turned)
        self.fixed_nodes = fixed_nodes

    def _make_tables(self, weights: Floats) -> None:
        n = len(self.mesh.nodes)
        self.elements, self.pattern = make_tables(self.mesh, self.moduli, self._complete)
        self.matrix = empty_matrix(self.pattern)
        self._shift = usual_shift(self.moduli, self._complete)
        self._rest_factors = RestFactors(self.elements, self.pattern, self._shift)
        corners = self.elements.corner.ravel()
        self.masses: Floats = np.bincount(corners, np.repeat(0.25 * weights, 4), n).astype(np.float64)
        """(n,) lumped masses of the nodes [kg]."""
        self.loads: Floats = np.zeros((n, 3))
        """(n, 3) outside forces on the nodes besides weight [N]; kept until they are changed."""
        self.flattest = inf
        """Smallest stretch of an element where forces were taken last, if any may be flat."""
        point, left, change = np.empty((3, n, 3))
        self._round = Round(point, left, change, np.zeros((n, 4)), np.empty((n, 3, 3)))
        self._load = np.empty((n, 3))
        self._held, self._fixed = np.zeros(n, np.int32), np.zeros(0, np.int32)
        self._beside, self._holding = np.zeros(0, np.int64), self.elements
        """Elements with fixed nodes, by number and as a table."""
        self._prediction: tuple[NodeData, StepSettings] | None = None
        self._factored_for: StepSettings | None = None
        self._rest: Matrix | None = None
        """The settings of the last step, and the matrix at rest with a factor for them."""
        self._put_tables()

    def _put_tables(self) -> None:
        """What kernels of a step find in the body's packet."""
        self._numbers = np.zeros(len(StepSettings._fields))
        self.packet = Packet(LAYOUT)
        self.packet.put(Elements, self.elements)
        self.packet.put(Pattern, self.pattern)
        self.packet.put(NodeData, (self.masses, self._held, self._load))
        self.packet.put(Round, self._round)
        self.packet.put(Begun, (self._numbers,))
        self._take_solver(self.matrix)
        self._turned: tuple[Matrix, Matrix] | None = None
        """A matrix at rest, and the matrix of the step with the factor of that one."""

    def _take_solver(self, solver: Matrix) -> None:
        self._solver = solver
        self.packet.put(Matrix, solver)

    @property
    def state(self) -> State:
        """What changes about it from step to step; its tables can be set."""
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self._state = state
        self.packet.put(State, state)

    @property
    def turns(self) -> Floats:
        """(n, 4) unit quaternions of the mean rotations of the elements around each node, at the last prediction."""
        return self._round.turns

    @property
    def nodes(self) -> Floats:
        """(n, 3) where the nodes are [m]; can be set."""
        return read_only(self.state.nodes)

    @nodes.setter
    def nodes(self, nodes: ArrayLike) -> None:
        self.state.nodes[:] = self._node_rows("nodes", nodes)
        measure_kernels.rotations_from_scratch(self.state.nodes, tuple(self.elements), self.state.rotations)

    @property
    def velocities(self) -> Floats:
        """(n, 3) of the nodes [m/s]; can be set."""
        return read_only(self.state.velocities)

    @velocities.setter
    def velocities(self, velocities: ArrayLike) -> None:
        self.state.velocities[:] = self._node_rows("velocities", velocities)

    @property
    def theta(self) -> float:
        """Where in a step forces are taken: 0.5 in the middle, 1 at its end; can be set."""
        return self._theta

    @theta.setter
    def theta(self, theta: float) -> None:
        self._theta = checked_theta(theta)

    @property
    def damping(self) -> Floats:
        """Rayleigh's factors of mass α [1/s] and of stiffness β [s]; can be set."""
        return read_only(self._damping)

    @damping.setter
    def damping(self, damping: ArrayLike) -> None:
        factors = vector("damping", damping, 2)
        if (factors < 0.0).any():
            raise InputError(f"damping: expected two numbers not smaller than 0, got {factors.tolist()}")
        self._damping = factors

    @property
    def fixed_nodes(self) -> Ints:
        """Nodes whose motion is prescribed; can be set."""
        return self._fixed

    @fixed_nodes.setter
    def fixed_nodes(self, nodes: ArrayLike) -> None:
        chosen = indices("fixed_nodes", np.reshape(np.asarray(nodes), (-1, 1)), 1, len(self._held)).ravel()
        self._factored_for = None
        self._held[:] = 0
        self._held[chosen] = 1
        self._fixed = np.flatnonzero(self._held).astype(np.int32)
        beside = self._beside = np.flatnonzero(self._held[self.elements.corner].any(axis=1))
        corner, gradient, shear, bulk = self.elements
        self._holding = Elements(corner[beside], gradient[beside], shear[beside], bulk[beside])
        self.state.velocities[chosen] = 0.0

    def predict(
        self,
        dt: float,
        *,
        targets: ArrayLike | None = None,
        rounds: int = 1,
        start: ArrayLike | None = None,
        theta: float | None = None,
    ) -> Prediction:
        """Velocities of the nodes through a step of `dt` [s] under weight and loads, if nothing else acts.

        `targets` (n, 3) are the velocities [m/s] of fixed nodes, other rows are not read. A round solves one linear
        equation; each further one takes rotations and forces anew. Rounds begin at `start`, or at the velocities of
        the nodes. `theta` is that of the body unless it is given.
        """
        h, share = number("dt", dt, above=0.0), self.theta if theta is None else checked_theta(theta)
        self._node_rows("loads", self.loads)
        held = self._held != 0
        w = self.state.velocities.copy() if start is None else self._node_rows("start", start).copy()
        w[held] = 0.0 if targets is None else self._node_rows("targets", targets)[held]
        self.begin_step(h, share)
        iterations, residual = 0, np.inf
        for _ in range(count("rounds", rounds, least=1)):
            more, residual = self.improve(w)
            iterations += more
        good = bool(np.isfinite(w).all()) and residual <= self.tolerance
        return Prediction(w, iterations, residual, good)

    def begin_step(self, dt: float, theta: float) -> None:
        """Begin to predict a step of `dt` [s] under weight and loads as they are; nothing is checked."""
        weigh(self.masses, self.gravity, self.loads, self._load)
        alpha, beta = self._damping.tolist()
        settings = StepSettings(dt, theta, alpha, beta, self.tolerance, self.max_iterations, not len(self._fixed))
        self._prediction = NodeData(self.masses, self._held, self._load), settings
        self._numbers[:] = settings

    def improve(self, w_io: Floats) -> tuple[int, float]:
        """One round of the step that has begun, in place; iterations and relative residual.

        Forces and matrix are those at `w_io`, which held nodes must have as they are told to.
        """
        data, settings = self._predicted("improve")
        most = self._most_iterations(data, settings)
        iterations, residual, self.flattest = improve_body(self.packet.words, w_io, most)
        if residual <= settings.tolerance:
            return iterations, residual
        pattern, found = tuple(self.pattern), self._round
        if iterations < settings.max_iterations:
            self._take_solver(self.matrix)
            if not factorise_shifted(pattern, tuple(self.matrix), self._shift):
                return iterations, np.inf
            tables = pattern, tuple(data), tuple(settings)
            more, residual = solve(*tables, found.left, tuple(self._solver), found.change)
            iterations += more
        keep_change(found.change, tuple(self._solver), w_io)
        return int(iterations), float(residual)

    def _most_iterations(self, data: NodeData, settings: StepSettings) -> int:
        """Conjugate gradients with the factor at rest, turned with the nodes; negative where there is none."""
        if settings != self._factored_for:
            self._factored_for = settings
            self._rest = None if self.direct else self._rest_factors.of(data, settings, self._held)
        rest = self._rest
        if rest is None:
            return -1
        if self._turned is None or self._turned[0] is not rest:
            turned = rest._replace(
                block=self.matrix.block,
                turn=self._round.frames,
                vectors=self.matrix.vectors,
                columns=self.matrix.columns,
            )
            self._turned = rest, turned
        if self._solver is not self._turned[1]:
            self._take_solver(self._turned[1])
        return min(settings.max_iterations, MOST_WITH_REST_FACTOR)

    def respond(self, impulses: ArrayLike, *, tolerance: float | None = None) -> Floats:
        """How impulses (n, 3) or (k, n, 3) [N s] during the predicted step would change its velocities [m/s].

        They are θ A⁻¹ p, with the matrix A of the last round of the last prediction; what nodes have at the end of the
        step changes by 1/θ of that. `tolerance` is for this answer alone.
        """
        data, settings = self._predicted("respond")
        if tolerance is not None:
            settings = settings._replace(tolerance=number("tolerance", tolerance, above=0.0))
        tables = tuple(self.pattern), tuple(data), tuple(settings)
        pushes = blocks("impulses", impulses, *self.state.nodes.shape)
        answers = np.empty_like(pushes)
        for push, answer in zip(pushes, answers, strict=True):
            solve(*tables, push, tuple(self._solver), answer)
        answers *= settings.theta
        return answers[0] if np.ndim(impulses) == 2 else answers

    def answers_of(self, nodes: Ints) -> Floats:
        """(k, n, 3, 3) velocities of all nodes for unit impulses along x, y, z (last axis) on each of k nodes."""
        data, settings = self._predicted("answers_of")
        answer = np.empty((len(nodes), len(self.masses), 3, 3))
        if self.direct:
            tables = tuple(self.pattern), tuple(self._solver)
            for first in range(0, len(nodes), NODES_AT_ONCE):
                some = slice(first, first + NODES_AT_ONCE)
                answer_columns(*tables, nodes[some], settings.theta, data.held, answer[some])
            return answer
        for k, node in enumerate(nodes):
            impulses = np.zeros((3, len(self.masses), 3))
            impulses[range(3), node, range(3)] = 1.0
            answer[k] = np.moveaxis(self.respond(impulses), 0, 2)
        return answer

    def advance(self, velocities: ArrayLike) -> None:
        """Move the nodes through the predicted step with these velocities (n, 3) [m/s]."""
        nodes, after = self.state_after(velocities)
        self.state.nodes[:], self.state.velocities[:] = nodes, after
        self._prediction = None

    def state_after(self, velocities: ArrayLike) -> tuple[Floats, Floats]:
        """Nodes [m] and their velocities [m/s] at the end of the predicted step, moved with these velocities."""
        settings, w = self._predicted("advance")[1], self._node_rows("velocities", velocities)
        after = self.state.velocities + (w - self.state.velocities) / settings.theta
        held = self._held != 0
        after[held] = w[held]
        return self.state.nodes + settings.dt * w, after

    def step(self, dt: float, *, targets: ArrayLike | None = None, rounds: int = 1, substeps: int = 1) -> StepResult:
        """Move by `dt` [s] under weight and loads, in `substeps` equal parts, without ever gaining energy.

        A part that would gain more than the residual explains is repeated with a larger θ, then in halves.
        """
        from .guarded_step import guarded_steps

        return guarded_steps(self, number("dt", dt, above=0.0), targets, rounds, count("substeps", substeps, least=1))

    def settle(self, *, tolerance: float = 1e-8, max_rounds: int = 200) -> Settled:
        """Move to the shape in which the material carries weight and loads, and stop there; fixed nodes stay.

        `tolerance` is the largest force left on a node, over the largest load or force of the material.
        """
        from .equilibrium import find_equilibrium

        return find_equilibrium(
            self, number("tolerance", tolerance, above=0.0), count("max_rounds", max_rounds, least=1)
        )

    def reactions(self, velocities: ArrayLike) -> Floats:
        """(n, 3) mean forces [N] that hold the fixed nodes through the predicted step; 0 for other nodes."""
        data, settings = self._predicted("reactions")
        w, answer = self._node_rows("velocities", velocities), np.empty_like(self.loads)
        state = self.state._replace(rotations=self.state.rotations[self._beside])
        tables = tuple(self._holding), tuple(data), tuple(settings), tuple(state)
        step_kernels.holding_forces(*tables, w, answer)
        return answer

    def holding_power(self, velocities: Floats) -> float:
        """With which the fixed nodes are moved through the predicted step with these velocities (n, 3) [W]."""
        data, settings = self._predicted("holding_power")
        tables = tuple(self._holding), tuple(data), tuple(settings), tuple(self.state)
        return float(step_kernels.holding_power(*tables, velocities, self._beside))

    def _predicted(self, what: str) -> tuple[NodeData, StepSettings]:
        if self._prediction is None:
            raise InputError(f"{what}: no step has been predicted yet; call predict(dt) first")
        return self._prediction

    @property
    def energy(self) -> float:
        """Kinetic, strain and potential energy of weight [J]."""
        return self.energy_at(self.state.nodes, self.state.velocities)

    def energy_at(self, nodes: Floats, velocities: Floats) -> float:
        """Kinetic, strain and potential energy of weight [J] that the body would have there, so fast."""
        moving = 0.5 * float((self.masses[:, None] * velocities**2).sum())
        weight = -float(self.masses @ (nodes @ self.gravity))
        return moving + weight + self.strain_energy_at(nodes)

    def strain_energy_at(self, nodes: Floats) -> float:
        """Energy in the deformation [J] that the body would have there."""
        return self.strain_at(nodes)[0]

    def strain_at(self, nodes: Floats) -> tuple[float, float]:
        """Energy in the deformation [J] there, and the smallest stretch of an element, if any may be flat, else inf."""
        energy, smallest = measure_kernels.strain_energy(nodes, tuple(self.elements), self.state.rotations.copy())
        return float(energy), float(smallest)

    def _node_rows(self, name: str, value: ArrayLike) -> Floats:
        table = rows(name, value, 3)
        if len(table) != len(self.masses):
            raise ShapeError(f"{name}: expected one row for each of {len(self.masses)} nodes, got {len(table)}")
        return table

    @property
    def kinetic_energy(self) -> float:
        """Of the motion of the nodes [J]."""
        return float(0.5 * (self.masses[:, None] * self.state.velocities**2).sum())

    @property
    def strain_energy(self) -> float:
        """Energy in the deformation [J]."""
        return float(self.measures().energy.sum())

    @property
    def momentum(self) -> Floats:
        """Linear momentum [kg m/s]."""
        return np.asarray((self.masses[:, None] * self.state.velocities).sum(axis=0))

    @property
    def stress(self) -> Floats:
        """(m,) von Mises stress of each tetrahedron [Pa]."""
        return self.measures().stress

    @property
    def volume_change(self) -> float:
        """Volume of the material now over that at rest, less 1."""
        return float((self.measures().volume * self._filled).sum() / self._filled.sum() - 1.0)

    @property
    def inverted(self) -> Ints:
        """Tetrahedra that are turned inside out."""
        return np.flatnonzero(self.measures().volume <= 0.0).astype(np.int32)

    def measures(self) -> Measures:
        """Energy, stress and change of volume of every tetrahedron."""
        return self._measures_at(self.state.nodes)

    def _measures_at(self, nodes: Floats) -> Measures:
        n = len(self._filled)
        rotations, answer = self.state.rotations.copy(), Measures(np.empty(n), np.empty(n), np.empty(n))
        elements = tuple(self.elements)
        measure_kernels.turn_all(nodes, elements, rotations)
        measure_kernels.measure(nodes, elements, rotations, self._filled, *answer)
        return answer


def checked_theta(theta: float) -> float:
    """A share of a step at which forces can be taken without growing oscillations."""
    value = number("theta", theta, least=0.5)
    if value > 1.0:
        raise InputError(f"theta: expected a number from 0.5 to 1, got {value:g}")
    return value
