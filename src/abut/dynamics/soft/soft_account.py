"""What soft bodies have after a motion: energy that must not come from nowhere, velocities, and spins that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ...fem import ElasticBody
from ...fem.elastic.flat_kernels import FLAT
from .motion_account_kernels import fastest, keep_spins, weigh_motions
from .soft_spec import SoftState
from .soft_tables import Masses, Vertices
from .touch_set import TouchSet

MOST_GAINED, TINY_ENERGY = 1e-2, 1e-12
"""Share of the energy of motion, strain and work, and [J], that a body may gain in a motion from nowhere."""


class Strain(NamedTuple):
    """Of a body."""

    energy: float
    """[J]."""
    stretch: float
    """The smallest of an element, if any may be flat, else inf."""


class SoftAccount:
    """Keeps the books of the soft bodies of a world."""

    def __init__(self, bodies: Sequence[ElasticBody], masses: Masses) -> None:
        self._bodies, self._masses = bodies, masses
        self._mine = [slice(int(i), int(j)) for i, j in zip(masses.first[:-1], masses.first[1:], strict=True)]
        n = len(masses.node)
        self.end, self.velocity = np.zeros((n, 3)), np.zeros((n, 3))
        """Where the motion that was looked at last ends, and velocities there."""
        self._begin, self._settings = (self.end, self.velocity), (0.0, 1.0)
        self._told, self._fastest = np.zeros((len(bodies), 4)), np.zeros(len(bodies))
        self._after = [Strain(0.0, inf) for _ in bodies]
        self._known: list[tuple[SoftState | None, Strain]] = [(None, Strain(0.0, inf)) for _ in bodies]
        """Strains after the motion that was looked at last, and those of states that are known."""

    def begin(self, nodes: Floats, velocities: Floats, h: float, theta: float) -> None:
        """A motion of length h [s], with forces taken at the share theta of it, from nodes and their velocities."""
        self._begin, self._settings = (nodes, velocities), (h, theta)

    def gains(self, states: Sequence[SoftState], w: Floats, pushed: Floats) -> bool:
        """Whether a body has more energy after the motion than before it and than was given to it."""
        h, theta = self._settings
        settings = h, theta, tuple(self._bodies[0].gravity.tolist())
        weigh_motions(tuple(self._masses), self._begin, w, pushed, settings, self._told, self.end, self.velocity)
        found = False
        for k, (body, (moved, moves, fell, given)) in enumerate(zip(self._bodies, self._told.tolist(), strict=True)):
            if len(body.fixed_nodes):
                given += h * body.holding_power(w[self._mine[k]])
            self._after[k] = Strain(*body.strain_at(self.end[self._mine[k]]))
            before, after = self._strain_before(k, states[k]).energy, self._after[k].energy
            gained = after - before + moves - moved - fell
            if not gained - given <= MOST_GAINED * (before + moved + abs(given) + abs(gained)) + TINY_ENERGY:
                found = True  # also where they are no numbers
        return found

    def flattened(self) -> list[int]:
        """Bodies that have flat elements after the motion that was looked at last."""
        return [k for k, strain in enumerate(self._after) if strain.stretch < FLAT]

    def any_flat(self, states: Sequence[SoftState]) -> bool:
        """Whether a body has flat elements in its state."""
        return any(self._strain_before(k, state).stretch < FLAT for k, state in enumerate(states))

    def inverts(self, states: Sequence[SoftState], least: float) -> bool:
        """Whether that motion, which began at these states, turns elements inside out, or farther than they are.

        Stretches above `least` do not count.
        """
        return any(
            after.stretch <= least and after.stretch < self._strain_before(k, state).stretch
            for k, (after, state) in enumerate(zip(self._after, states, strict=True))
        )

    def _strain_before(self, k: int, state: SoftState) -> Strain:
        if self._known[k][0] is not state:
            self._known[k] = state, Strain(*self._bodies[k].strain_at(state.nodes))
        return self._known[k][1]

    def remember(self, states: Sequence[SoftState]) -> None:
        """The motion that was looked at last led to these states."""
        self._known = list(zip(states, self._after, strict=True))

    def keep_spins(self, contacts: TouchSet, vertices: Vertices, impulse: Floats) -> None:
        """Turn each free body so that contacts, and nothing else, have changed its spin."""
        tables = tuple(contacts.touches), tuple(vertices), impulse, tuple(self._masses), self._begin
        keep_spins(*tables, self.end, self._settings, self.velocity)

    def fastest(self, w: Floats) -> Floats:
        """(n_body,) the largest component of velocities of nodes before, through and after the motion [m/s]."""
        fastest(self._masses.first, (self._begin[1], w, self.velocity), self._fastest)
        return self._fastest
