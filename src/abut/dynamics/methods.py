"""Other ways to the forces of a step, chosen by name; each takes the arguments of force_kernels.solve_forces.

velocity    the linear complementarity problem of the slopes at the start, by Lemke, Gauss-Seidel or Jacobi
bilateral   SiLVIA's naive method (section 3.1): every contact an equation, solved by Newton; those that pull let go

They may be worse than the default, never wrong: the motion they give is checked like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats, Ints, is_one_of
from ..errors import InputError
from ..solve import lcp
from ..solve.pyramid import pyramid_problem
from .bilateral import solve_bilateral_island
from .budget import DENSE, OVERHEAD
from .force_kernels import begin_bodies, begin_items, end_items, solve_forces
from .island_kernels import find_islands, list_bodies
from .method_kernels import set_base, sweep_islands
from .multiplier_kernels import measure
from .problem_kernels import HARD, SOFT, UNSOLVED, add_report
from .rows import jacobian

METHODS = ("ncp", "velocity", "bilateral")
SOLVERS = ("lemke", "gauss-seidel", "jacobi")
SIDES = 8
"""Of the pyramid that Lemke's method takes for the friction cone."""
MOST_SWEEPS = 20_000

ForceSolver = Callable[..., None]


class Task(NamedTuple):
    """What a method is given: tables as multiplier_kernels take them."""

    problem: tuple[Any, ...]
    moving: tuple[Any, ...]
    laws: tuple[Any, ...]
    movable: Any
    tolerance: float
    scratch: tuple[Any, ...]

    @property
    def n_item(self) -> int:
        """Contacts and rows of joints."""
        return int(self.problem[0] + len(self.problem[3][3]))

    def islands(self) -> Iterator[tuple[Ints, Ints]]:
        """Items and bodies of each island."""
        body, n_body = self.laws[0], len(self.movable)
        order, start = np.empty(self.n_item, np.int32), np.empty(self.n_item + 1, np.int32)
        for k in range(find_islands(body, self.n_item, self.movable, order, start)):
            items, list_ = order[start[k] : start[k + 1]], np.empty(n_body, np.int32)
            n = list_bodies(items, body, self.movable, np.full(n_body, -1, np.int32), list_)
            yield items, list_[:n]


def check_method(method: str, solver: str | None, friction_law: str) -> None:
    """Refuse names that do not exist, and choices that do not go together."""
    if not is_one_of(method, METHODS):
        raise InputError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    if solver is not None and not is_one_of(solver, SOLVERS):
        raise InputError(f"solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    if solver is not None and method != "velocity":
        raise InputError(f"solver: only method 'velocity' takes one, and the method is {method!r}")
    if friction_law == "sliding" and method != "ncp":
        raise InputError(f"friction_law: 'sliding' needs method 'ncp', and the method is {method!r}")


def force_solver(method: str, solver: str | None) -> ForceSolver:
    """The function that finds the forces of a step."""
    if method == "ncp":
        default: ForceSolver = solve_forces
        return default
    if method == "bilateral":
        return partial(_solve, _bilateral)
    if solver in (None, "lemke"):
        return partial(_solve, _lemke)
    return partial(_solve, partial(_sweeps, solver == "jacobi"))


def _solve(
    method: Callable[..., None],
    n: int,
    contacts: tuple[Any, ...],
    joints: tuple[Any, ...],
    limits: tuple[Any, ...],
    bodies: tuple[Any, ...],
    status: tuple[Any, ...],
    rows: tuple[Any, ...],
    options: tuple[Any, ...],
    forces: tuple[Any, ...],
    scratch: tuple[Any, ...],
    report_out: Floats,
) -> None:
    """Set the problem up, solve it, and read the forces back."""
    status[2][:] = True  # all islands are solved, whether they are due or not
    items = np.arange(n + len(joints[3]), dtype=np.int32)
    begin_bodies(n, contacts, joints, bodies, status, rows)
    begin_items(items, n, contacts, joints, bodies, status, rows, options, forces)
    frame, x = rows[7], rows[4]
    report_out[:] = 0.0
    task = Task(
        problem=(n, contacts, frame, joints, options[3]),
        moving=bodies,
        laws=(*rows[:7], *limits),
        movable=status[1],
        tolerance=options[0],
        scratch=scratch,
    )
    method(task, report_out)
    status[6][0] = report_out[HARD], report_out[SOFT], report_out[UNSOLVED]
    end_items(items, n, contacts[4], x, frame, options[1], forces)


def _linear(problem: tuple[Any, ...], moving: tuple[Any, ...], laws: tuple[Any, ...]) -> tuple[Any, ...]:
    """The problem with values that are linear in the shifts."""
    n, contacts, frame, joints, law = problem
    motion, free, dt, shift, end = moving[0], moving[1], moving[4], moving[6], moving[7]
    body, _, slope, w = laws[:4]
    base = np.zeros(3 * n + len(joints[3]))
    n_item = n + len(joints[3])
    set_base(n_item, (n, contacts, frame, joints), (motion, free, dt, shift, end), (body, slope, w), base)
    return (n, contacts, frame, joints, law, True, base)


def _sweeps(jacobi: bool, task: Task, report_out: Floats) -> None:
    linear = _linear(task.problem, task.moving, task.laws)
    tables = (task.moving, task.laws, task.movable, task.tolerance)
    sweep_islands(task.n_item, linear, *tables, MOST_SWEEPS, jacobi, task.scratch, report_out)


def _lemke(task: Task, report_out: Floats) -> None:
    moving, laws = task.moving, task.laws
    linear = _linear(task.problem, moving, laws)
    for items, list_ in task.islands():
        pivots = _lemke_island(items, list_, linear, moving[2], laws)
        hard, soft = measure(items, list_, linear, moving, laws)
        add_report(hard, soft, pivots, hard <= task.tolerance, _dense_work(pivots, items, 2), report_out)


def _lemke_island(items: Ints, list_: Ints, linear: tuple[Any, ...], response: Floats, laws: tuple[Any, ...]) -> int:
    """Forces of one island; returns the pivots."""
    n, mu, base = linear[0], linear[1][4], linear[6]
    body, push, x = laws[0], laws[1], laws[4]
    compliance, lower, upper = laws[7:]
    contacts, held = items[items < n], items[items >= n] - n
    rough, smooth = contacts[mu[contacts] > 0.0], contacts[mu[contacts] <= 0.0]
    rows = np.concatenate(((3 * rough[:, None] + np.arange(3)).ravel(), 3 * smooth, 3 * n + held))
    item = np.concatenate((np.repeat(rough, 3), smooth, n + held))
    J = jacobian(push[rows], body[item], list_, len(response))
    W = np.einsum("rbi,bij,sbj->rs", J, response[list_], J, optimize=True)
    last = len(rows) - len(held)
    W[range(last, len(rows)), range(last, len(rows))] += compliance[held]
    A, b, spread = pyramid_problem(W, base[rows], mu[rough], SIDES)
    m, behind = spread.shape[1], slice(spread.shape[1] - len(held), spread.shape[1])
    low, high = np.zeros(len(b)), np.full(len(b), np.inf)
    low[behind], high[behind] = lower[held], upper[held]
    result = lcp(A, b, "lemke", lower=low, upper=high)
    x[rows] = spread @ result.x[:m]
    return result.iterations


def _dense_work(steps: int, items: Ints, power: int) -> float:
    """Of steps with a matrix of all rows, three for each item, see budget.py."""
    return steps * (OVERHEAD + DENSE * (3.0 * len(items)) ** power)


def _bilateral(task: Task, report_out: Floats) -> None:
    whole = (*task.problem, False, task.laws[3])
    for items, list_ in task.islands():
        hard, soft, steps = solve_bilateral_island(items, list_, whole, task.moving, task.laws, task.tolerance)
        add_report(hard, soft, steps, hard <= task.tolerance, _dense_work(steps, items, 3), report_out)
