"""SiLVIA's naive method (section 3.1): contacts and joints as equations in the forces, solved by Newton's method.

The paper lets go of a contact one step after its force has become negative; here the step is solved again without it
at once. What would then be broken is taken back. Friction is a pair of equations too while it sticks, and a given force
against the slip where that would be too much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...math.least_squares_kernels import least_squares
from ..solver.multiplier_kernels import FRICTION_SLACK, measure
from ..solver.problem_tables import Bodies, Problem, Rows
from ..solver.row_kernels import SLIP
from .rows import jacobian

MOST_STEPS = 60
GETS_NEARER = 0.5
"""Rows that come back to sides they had before must have as much less of a residual, or they go round in circles."""
REDUNDANT = 1e-10
"""Share of a column that is left beside others, below which it is a combination of them."""
EQUATION, LOW, HIGH = 0, -1, 1


@dataclass(slots=True)
class _Sides:
    """Which rows are equations; the others' forces are at a bound."""

    normal: Ints
    """(items,) EQUATION, or the bound at which the force of a contact or of a joint's row is."""
    sticks: NDArray[np.bool_]
    """(items,) whether friction is an equation."""
    along: Floats
    """(items, 2) direction of the friction that does not stick."""


def solve_bilateral_island(
    items: Ints, members: Ints, problem: Problem, bodies: Bodies, rows: Rows, tolerance: float
) -> tuple[float, float, int]:
    """Forces of one island: residuals of contacts and joints, of friction, and Newton steps."""
    n, mu = problem.contacts.n, problem.contacts.mu
    rough = np.array([item < n and mu[item] > 0.0 for item in items])
    sides = _first_sides(items, rough, problem, rows)
    x = rows.x
    best, lowest, step = x.copy(), np.inf, 0
    cautious, seen = False, dict[bytes, float]()
    for step in range(MOST_STEPS):
        hard, soft = measure(items, members, problem, bodies, rows)
        worst = max(hard, soft / FRICTION_SLACK)
        if worst < lowest:
            best, lowest = x.copy(), worst
        if not tolerance < worst < np.inf:
            break
        if step:
            _take_back(items, rough, sides, problem, rows, tolerance)
        known = sides.normal.tobytes() + sides.sticks.tobytes()
        if worst > GETS_NEARER * seen.get(known, np.inf):
            if cautious:
                break
            # From now on only the row that is farthest from its law changes sides, so that rows do not take turns.
            cautious = True
            seen.clear()
        seen[known] = worst
        _newton_step(items, members, rough, sides, problem, bodies, rows)
        _let_go(items, rough, sides, problem, rows, cautious)
    x[:] = best
    return (*measure(items, members, problem, bodies, rows), step)


def _first_sides(items: Ints, rough: NDArray[np.bool_], problem: Problem, rows: Rows) -> _Sides:
    """Every contact bears; friction acts against the slip at the start, and sticks where there is none.

    Stops of joints bear only if they did before: a joint would be drawn to one that is far away.
    """
    sides = _Sides(np.zeros(len(items), np.int32), rough.copy(), np.zeros((len(items), 2)))
    n, (_, lower, upper) = problem.contacts.n, _bounds(items, problem.contacts.n, rows)
    loose = (items >= n) & (rows.x[_first_rows(items, n)] == 0.0)
    sides.normal[loose & (lower == 0.0)] = LOW
    sides.normal[loose & (upper == 0.0)] = HIGH
    sides.along[rough] = -rows.frame[items[rough], SLIP : SLIP + 2]
    sides.sticks &= ~sides.along.any(axis=1)
    return sides


def _first_rows(items: Ints, n: int) -> Ints:
    return np.where(items < n, 3 * items, 2 * n + items)


def _bounds(items: Ints, n: int, rows: Rows) -> tuple[Floats, Floats, Floats]:
    """Compliance and bounds of the force of every item."""
    held = items >= n
    compliance, lower, upper = np.zeros(len(items)), np.zeros(len(items)), np.full(len(items), np.inf)
    for table, values in ((compliance, rows.compliance), (lower, rows.lower), (upper, rows.upper)):
        table[held] = values[items[held] - n]
    return compliance, lower, upper


def _newton_step(
    items: Ints,
    members: Ints,
    rough: NDArray[np.bool_],
    sides: _Sides,
    problem: Problem,
    bodies: Bodies,
    rows: Rows,
) -> None:
    """New forces x from the equations linearised where the bodies are."""
    n, mu, response = problem.contacts.n, problem.contacts.mu, bodies.response
    first, (compliance, lower, upper) = _first_rows(items, n), _bounds(items, n, rows)
    friction = np.flatnonzero(rough)
    chosen = np.concatenate((first, first[friction] + 1, first[friction] + 2))
    owner = np.concatenate((items, items[friction], items[friction]))
    pushes = jacobian(rows.push[chosen], rows.body[owner], members, len(response))
    slopes = jacobian(rows.slope[chosen], rows.body[owner], members, len(response))
    # No product here goes to BLAS, whose threads take a hundred times as long on a busy machine.
    moved = np.einsum("bij,sbj->sbi", response[members], pushes)
    A = np.einsum("rk,sk->rs", slopes.reshape(len(chosen), -1), moved.reshape(len(chosen), -1))
    k, m = np.arange(len(items)), len(friction)
    A[k, k] += compliance
    value = rows.w[chosen]
    value[: len(items)] += compliance * rows.x[first]
    bearing = sides.normal == EQUATION
    equation = np.concatenate((bearing, np.tile(sides.sticks[friction] & bearing[friction], 2)))
    fixed = np.zeros(len(chosen))
    fixed[: len(items)] = np.where(sides.normal == LOW, lower, np.where(sides.normal == HIGH, upper, 0.0))
    right = np.einsum("rs,s->r", A, rows.x[chosen] - fixed)[equation] - value[equation]
    # Friction that slips goes with the force of its contact.
    slips = np.flatnonzero(~sides.sticks[friction])
    slipping, along = friction[slips], mu[items[friction[slips]], None] * sides.along[friction[slips]]
    for axis in range(2):
        A[:, slipping] += along[:, axis] * A[:, len(items) + axis * m + slips]
    # Least squares: redundant contacts share what they bear.
    solution, force = np.empty(int(equation.sum())), np.zeros(len(chosen))
    least_squares(A[np.ix_(equation, equation)], right, REDUNDANT, solution)
    force[equation] = solution
    for axis in range(2):
        force[len(items) + axis * m + slips] = along[:, axis] * force[slipping]
    rows.x[chosen] = fixed + force


def _let_go(
    items: Ints,
    rough: NDArray[np.bool_],
    sides: _Sides,
    problem: Problem,
    rows: Rows,
    cautious: bool,
) -> None:
    """Rows whose force is beyond its bounds are no equations any more."""
    n, mu, x = problem.contacts.n, problem.contacts.mu, rows.x
    first, (_, lower, upper) = _first_rows(items, n), _bounds(items, n, rows)
    if not _let_slip(items, np.flatnonzero(rough & sides.sticks & (sides.normal == EQUATION)), first, sides, mu, x):
        force = x[first]
        beyond = np.where(sides.normal == EQUATION, np.maximum(lower - force, force - upper), -1.0)
        if cautious:
            beyond[beyond < beyond.max()] = -1.0
        sides.normal[(beyond > 0.0) & (force < lower)] = LOW
        sides.normal[(beyond > 0.0) & (force > upper)] = HIGH
    x[first] = np.clip(x[first], lower, upper)
    for k in np.flatnonzero(rough):
        r = first[k]
        length, most = float(np.hypot(*x[r + 1 : r + 3])), mu[items[k]] * x[r]
        if length > most:
            x[r + 1 : r + 3] *= most / length


def _let_slip(items: Ints, sticking: NDArray[np.intp], first: Ints, sides: _Sides, mu: Floats, x: Floats) -> bool:
    """Let friction slip that would be too large: normal forces mean nothing before that is done."""
    changed = False
    for k in sticking:
        along = x[first[k] + 1 : first[k] + 3]
        length = float(np.hypot(*along))
        if length > mu[items[k]] * max(x[first[k]], 0.0):
            sides.sticks[k], changed = False, True
            sides.along[k] = along / length
    return changed


def _take_back(
    items: Ints,
    rough: NDArray[np.bool_],
    sides: _Sides,
    problem: Problem,
    rows: Rows,
    tolerance: float,
) -> None:
    """Rows that are broken without a force of their own become equations again."""
    n, w, x = problem.contacts.n, rows.w, rows.x
    first, (compliance, _, _) = _first_rows(items, n), _bounds(items, n, rows)
    value = w[first] + compliance * x[first]
    broken = ((sides.normal == LOW) & (value < -tolerance)) | ((sides.normal == HIGH) & (value > tolerance))
    sides.normal[broken] = EQUATION
    sides.sticks[broken & rough] = True
    for k in np.flatnonzero(rough & ~sides.sticks):
        slip = w[first[k] + 1 : first[k] + 3]
        length = float(np.hypot(*slip))
        if slip @ sides.along[k] > 0.0:
            sides.sticks[k] = True
        elif length > 0.0:
            sides.along[k] = -slip / length
