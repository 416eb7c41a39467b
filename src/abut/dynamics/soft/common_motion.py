"""What the nodes of a body do together: the rigid motion that has their momentum and spin."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats

RIDGE_OF_INERTIA = 1e-9
"""Of the largest inertia: bodies whose nodes lie on a line have none about it."""


def common_motion(mass: Floats, nodes: Floats, velocities: Floats) -> Floats:
    """(n, 3) velocities [m/s] of that motion: a guess for the next step without what swings in the material."""
    total = mass.sum()
    middle, mean = mass @ nodes / total, mass @ velocities / total
    arm = nodes - middle
    spin = (mass[:, None] * np.cross(arm, velocities)).sum(axis=0)
    inertia = np.einsum("i,ij,ij->", mass, arm, arm) * np.eye(3) - np.einsum("i,ij,ik->jk", mass, arm, arm)
    turn = np.linalg.solve(inertia + RIDGE_OF_INERTIA * np.trace(inertia) * np.eye(3), spin)
    return np.asarray(mean + np.cross(turn, arm))
