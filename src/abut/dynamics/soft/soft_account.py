"""What soft bodies have after a motion: energy that must not come from nowhere, velocities, and spins that are kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from ...fem.elastic.spin_kernels import centre_of, give_spin, lever_point, spin_after, spin_of
from ..moment import Moment
from .soft_spec import SoftState
from .soft_tables import Vertices
from .touch_kernels import NODE, add_moments
from .touch_set import TouchSet

MOST_GAINED, TINY_ENERGY = 1e-2, 1e-12
"""Share of the energy of motion, strain and work, and [J], that a body may gain in a motion from nowhere."""
MOST_SPUN = 1e-2
"""Share of its kinetic energy that a body may gain where its spin is put right. What is pressed hard between others has
contact forces whose errors would turn it faster and faster; these others do not let it turn."""


class SoftAccount:
    """Keeps the books of the soft bodies of a world."""

    def __init__(self, bodies: Sequence[ElasticBody], node_first: NDArray[np.int64]) -> None:
        self._bodies, self._first = bodies, node_first
        self._after = [0.0 for _ in bodies]
        self._known: list[tuple[SoftState | None, float]] = [(None, 0.0) for _ in bodies]
        """Strain energies after the motion that was looked at last, and those of states that are known."""

    def _mine(self, k: int) -> slice:
        return slice(int(self._first[k]), int(self._first[k + 1]))

    def end_velocities(self, now: Moment, w: Floats, held: Sequence[Ints], theta: float) -> Floats:
        """(n, 3) velocities of all nodes at the end of a motion with the mean velocities w."""
        velocity = np.concatenate([state.velocities for state in now.soft.states])
        velocity += (w - velocity) / theta
        for k, nodes in enumerate(held):
            velocity[self._first[k] + nodes] = w[self._first[k] + nodes]
        return velocity

    def gains(self, now: Moment, w: Floats, pushed: Floats, h: float, theta: float) -> bool:
        """Whether a body has more energy after the motion than before it and than was given to it."""
        held = [body.fixed_nodes for body in self._bodies]
        velocity = self.end_velocities(now, w, held, theta)
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            mine = self._mine(k)
            end = state.nodes + h * w[mine]
            given = float(np.vdot(pushed[mine], w[mine]))
            if len(held[k]):
                given += h * float((body.reactions(w[mine])[held[k]] * w[mine][held[k]]).sum())
            self._after[k] = body.strain_energy_at(end)
            weight = body.masses @ (state.nodes @ body.gravity), body.masses @ (end @ body.gravity)
            moving = (_moving(body.masses, v) for v in (state.velocities, velocity[mine]))
            before, after = self._strain_before(k, state), self._after[k]
            gained = after - before + sum((-1, 1)[i] * e for i, e in enumerate(moving)) - float(weight[1] - weight[0])
            stored = before + _moving(body.masses, state.velocities)
            if gained - given > MOST_GAINED * (stored + abs(given) + abs(gained)) + TINY_ENERGY:
                return True
        return False

    def _strain_before(self, k: int, state: SoftState) -> float:
        if self._known[k][0] is not state:
            self._known[k] = state, self._bodies[k].strain_energy_at(state.nodes)
        return self._known[k][1]

    def remember(self, states: Sequence[SoftState]) -> None:
        """The motion that was looked at last led to these states."""
        self._known = list(zip(states, self._after, strict=True))

    def keep_spins(
        self,
        now: Moment,
        contacts: TouchSet,
        vertices: Vertices,
        impulse: Floats,
        settings: tuple[float, float],
        nodes: Floats,
        velocity_io: Floats,
    ) -> None:
        """Turn each free body so that contacts, and nothing else, have changed its spin.

        The scheme of a step with θ other than 1/2, forces that are linearised and a residual would change it, too.
        """
        h, theta = settings
        levers, at_end = np.zeros((len(self._bodies), 3)), np.zeros((len(self._bodies), 3))
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            mine = self._mine(k)
            levers[k] = lever_point(body.masses, state.nodes, state.velocities, (h, theta, 0.0))
            at_end[k] = centre_of(body.masses, nodes[mine])
        moment, touches = np.zeros_like(levers), contacts.touches
        start = np.concatenate([state.nodes for state in now.soft.states])
        known = touches.impulse[: contacts.n]
        for along, about in ((known, levers), (impulse - known, at_end)):
            pushes = np.einsum("kd,kde->ke", along, touches.axes[: contacts.n])
            add_moments(tuple(touches), tuple(vertices), pushes, about, self._first, moment)
            self._add_moments_of_nodes(touches.name[: contacts.n], pushes, about, start, moment)
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            if not len(body.fixed_nodes):
                mine, centre = self._mine(k), tuple(centre_of(body.masses, state.nodes))
                spin = spin_of(body.masses, state.nodes, state.velocities, centre)
                wanted = spin_after(spin, tuple(moment[k]), (h, theta, float(body.damping[0])))
                spun = velocity_io[mine].copy()
                give_spin(body.masses, nodes[mine], wanted, spun)
                velocity_io[mine] += _share_to_gain(body.masses, velocity_io[mine], spun) * (spun - velocity_io[mine])

    def _add_moments_of_nodes(
        self, name: Ints, pushes: Floats, about: Floats, nodes: Floats, moment_io: Floats
    ) -> None:
        """Add the moments of impulses (n, 3) on nodes that are attached to bodies."""
        for k in np.flatnonzero(name[:, 0] == NODE):
            node = int(name[k, 1])
            body = int(np.searchsorted(self._first, node, "right")) - 1
            moment_io[body] += np.cross(nodes[node] - about[body], pushes[k])


def _share_to_gain(mass: Floats, before: Floats, after: Floats) -> float:
    """Share of a change of velocities by which the kinetic energy does not grow by more than is allowed."""
    change = after - before
    straight, square = float(mass @ (before * change).sum(axis=1)), _moving(mass, change)
    most = MOST_SPUN * _moving(mass, before)
    if straight + square <= most:
        return 1.0
    return float((np.sqrt(straight**2 + 4.0 * square * most) - straight) / (2.0 * square))


def _moving(mass: Floats, velocity: Floats) -> float:
    """Kinetic energy [J]."""
    return 0.5 * float(mass @ (velocity * velocity).sum(axis=1))
