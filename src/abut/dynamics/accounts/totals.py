"""Energy and momentum of all dynamic bodies of a world at a moment."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...math import Pose
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment


def kinetic_energy(now: Moment, mass: Floats) -> float:
    """[J]."""
    state, total = now.state, 0.0
    for i in np.flatnonzero(state.kind == DYNAMIC):
        v, w = state.twist[i, :3], state.twist[i, 3:]
        total += 0.5 * mass[i] * (v @ v) + 0.5 * w @ _turned_inertia(now, int(i)) @ w
    return float(total)


def potential_energy(now: Moment, mass: Floats, gravity: Floats) -> float:
    """[J] in this gravity, from the world's origin."""
    dynamic = now.state.kind == DYNAMIC
    return float(-(mass[dynamic] * (now.state.pose[dynamic, :3] @ gravity)).sum())


def momentum(now: Moment, mass: Floats) -> tuple[Floats, Floats]:
    """Linear momentum [N s] and angular momentum about the world's origin [N m s]."""
    state, linear, angular = now.state, np.zeros(3), np.zeros(3)
    for i in np.flatnonzero(state.kind == DYNAMIC):
        p = mass[i] * state.twist[i, :3]
        linear += p
        angular += np.cross(state.pose[i, :3], p) + _turned_inertia(now, int(i)) @ state.twist[i, 3:]
    return linear, angular


def _turned_inertia(now: Moment, i: int) -> Floats:
    """Inertia of a body along the world's axes."""
    R = Pose.of_row(now.state.pose[i]).rotation
    return np.asarray(R @ now.setup.specs[i].inertia @ R.T)
