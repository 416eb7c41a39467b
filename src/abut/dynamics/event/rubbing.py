"""Friction at an event: Coulomb's law for impulses and, at rest, for forces; which points stick and which slip.

Points that slip push with friction against their slip, which is known. Points without slip are solved for with their
cones: they stick where that keeps them, else they begin to slip against the friction that is at its limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...solve import Settings, Status, friction
from .complementarity import eliminate
from .motion_tables import Hinges
from .points import Points
from .system import Measured, System

AT_THE_LIMIT = 1e-6
"""Share of the friction that is possible up to which a point may slip."""
ROUNDED_WORK = 1e-11
"""Share of the work of impulses against the velocities at their start that may be gained by rounding."""
MANY_SIDES = 16
"""Of pyramids that take the place of cones where their solver fails."""
CONE_TOLERANCE, GOOD_ENOUGH = 1e-11, 1e-6
"""Residuals that are asked of the solver of friction, and that are taken where it stalls: blows are repeated, and which
points stick or slip is seen all the same."""


class Rubbed(NamedTuple):
    """What friction makes of some points."""

    normal: Floats
    """(k,) forces or impulses along the normals."""
    rub: Floats
    """(k, 3) of friction on B, of points that do not slip before."""
    after: Floats
    """(k,) accelerations or rates of the gaps."""
    creep: Floats
    """(k,) [m/s^2] with which points begin to slip that did not."""
    W: Floats
    """(k, k) what normals feel of each other."""
    free: float
    """The largest acceleration or rate without forces."""
    hinges: Hinges
    forces: Floats
    """Of the hinges, joints and motors first."""
    n: int
    """How many of these are points and their tangents."""
    gained: float
    """[J] kinetic energy that impulses add, but for rounding; 0 for forces."""


class Rubbing:
    """Solves for friction."""

    def __init__(self, system: System, points: Points) -> None:
        self._system, self._points = system, points

    def solve(self, chosen: Ints, mu: Floats, slips: NDArray[np.bool_], right: Floats | None) -> Rubbed | None:
        """Forces of points, or impulses if `right` says what is added to their rates; None if there are none.

        `mu` (k,) is their friction, `slips` which of them slip; impulses know no slip before.
        """
        slip, normal = self._system.slips(chosen, self._system.y)
        speed = np.linalg.norm(slip, axis=1)
        along = slip / np.where(speed > 0.0, speed, 1.0)[:, None]
        grips = ~slips & (mu > 0.0)
        tangents = tangents_of(normal[grips])
        target = self._points.target[chosen]
        sides = np.repeat(chosen[grips], 2)
        of_points = (chosen, target, np.where(slips, mu, 0.0), along, sides, tangents)
        hinges = self._system.hinges_of(*of_points, struck=right is not None)
        k, m = len(chosen), len(hinges.kind) - len(chosen) - len(sides)
        found = self._system.measure(hinges)
        q = found.acceleration.copy() if right is None else found.rate.copy()
        if right is not None:
            q[m : m + k] += right
        W, q, back = eliminate(found.W, q, m)
        rows = np.arange(3 * k).reshape(k, 3)
        place = np.concatenate((rows[:, 0], rows[grips, 1:].ravel()))
        matrix, offset = np.eye(3 * k) * max(np.abs(W).max(initial=0.0), 1e-300), np.zeros(3 * k)
        matrix[np.ix_(place, place)], offset[place] = W, q
        impulse = _within_cones(matrix, offset, np.where(slips, 0.0, mu))
        if impulse is None:
            return None
        x = impulse[place]
        after = W @ x + q
        rub, creep = np.zeros((k, 3)), np.zeros(k)
        rub[grips] = np.einsum("ij,ijk->ik", x[k:].reshape(-1, 2), tangents.reshape(-1, 2, 3))
        creep[grips] = np.linalg.norm(after[k:].reshape(-1, 2), axis=1)
        forces = np.concatenate((back @ np.append(x, 1.0), x))
        free = float(np.abs(q).max(initial=0.0))
        gained = 0.0 if right is None else _gained(forces, found)
        return Rubbed(x[:k], rub, after[:k], creep, W[:k, :k], free, hinges, forces, len(x), gained)


def _gained(impulses: Floats, found: Measured) -> float:
    """[J] kinetic energy that the impulses of hinges add, beyond rounding."""
    work = float(impulses @ (found.rate + 0.5 * found.W @ impulses))
    return max(0.0, work - ROUNDED_WORK * float(np.abs(impulses) @ np.abs(found.rate)))


def _within_cones(matrix: Floats, offset: Floats, mu: Floats) -> Floats | None:
    """Forces by the cones, else by pyramids of many sides; None if neither has a solution."""
    result = friction(matrix, offset, mu, settings=Settings(tolerance=CONE_TOLERANCE))
    if result.status == Status.CONVERGED or result.residual <= GOOD_ENOUGH:
        return result.x
    result = friction(matrix, offset, mu, "polyhedral", sides=MANY_SIDES)
    return result.x if result.status == Status.CONVERGED else None


def tangents_of(normal: Floats) -> Floats:
    """(2 k, 3) two unit vectors across each normal."""
    least = np.abs(normal).argmin(axis=1)
    first = _cross(normal, np.eye(3)[least])
    first /= np.sqrt((first * first).sum(axis=1))[:, None]
    return np.stack((first, _cross(normal, first)), axis=1).reshape(-1, 3)


def _cross(a: Floats, b: Floats) -> Floats:
    """Of rows; NumPy's own takes ten times as long for a few."""
    ahead, behind = [1, 2, 0], [2, 0, 1]
    return a[:, ahead] * b[:, behind] - a[:, behind] * b[:, ahead]
