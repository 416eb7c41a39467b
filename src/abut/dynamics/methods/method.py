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

from ...arrays import Floats, Ints
from ...solve import lcp
from ...solve.pyramid import pyramid_problem
from ..solver.force_kernels import begin_bodies, begin_items, end_items, solve_forces
from ..solver.island_kernels import find_islands, list_bodies
from ..solver.multiplier_kernels import FRICTION_SLACK, measure
from ..solver.problem_kernels import HARD, SOFT, UNSOLVED, add_report
from ..solver.problem_tables import Bodies, Contacts, Effort, Forces, Joints, Options, Problem, Rows, Status
from ..stepping.budget import DENSE, OVERHEAD
from .bilateral import solve_bilateral_island
from .method_kernels import set_base, sweep_islands
from .rows import jacobian

SIDES = 8
"""Of the pyramid that Lemke's method takes for the friction cone."""
MOST_SWEEPS = 20_000

ForceSolver = Callable[..., None]


class Task(NamedTuple):
    """What a method is given."""

    problem: Problem
    bodies: Bodies
    rows: Rows
    movable: Any
    """(n_body + 1,) whether a body gives way."""
    tolerance: float
    """[m]."""

    @property
    def n_item(self) -> int:
        """Contacts and rows of joints."""
        return int(self.problem.contacts.n + len(self.rows.lower))

    def islands(self) -> Iterator[tuple[Ints, Ints]]:
        """Items and bodies of each island."""
        body, n_body = self.rows.body, len(self.movable)
        order, start = np.empty(self.n_item, np.int32), np.empty(self.n_item + 1, np.int32)
        for k in range(find_islands(body, self.n_item, self.movable, order, start)):
            items, list_ = order[start[k] : start[k + 1]], np.empty(n_body, np.int32)
            n = list_bodies(items, body, self.movable, np.full(n_body, -1, np.int32), list_)
            yield items, list_[:n]


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
    contacts: tuple[Any, ...],
    joints: tuple[Any, ...],
    bodies: tuple[Any, ...],
    status: tuple[Any, ...],
    rows: tuple[Any, ...],
    options: tuple[Any, ...],
    forces: tuple[Any, ...],
    report_out: Floats,
) -> None:
    """Set the problem up, solve it, and read the forces back."""
    touching, joined, moving, known = Contacts(*contacts), Joints(*joints), Bodies(*bodies), Status(*status)
    laws, wanted, found = Rows(*rows), Options(*options), Forces(*forces)
    known.due[:] = True  # all islands are solved, whether they are due or not
    items = np.arange(touching.n + len(laws.lower), dtype=np.int32)
    begin_bodies(touching, joined, moving, known, laws)
    begin_items(items, touching, joined, moving, known, laws, wanted, found)
    report_out[:] = 0.0
    problem = Problem(touching, joined, wanted.law, False, laws.w)
    method(Task(problem, moving, laws, known.movable, wanted.tolerance), report_out)
    known.left[0] = report_out[HARD], report_out[SOFT], report_out[UNSOLVED]
    end_items(items, touching, laws, wanted.factor, found)


def _linear(task: Task) -> Problem:
    """The problem with values that are linear in the shifts."""
    contacts, joints = task.problem.contacts, task.problem.joints
    base = np.zeros(3 * contacts.n + len(joints.reference))
    set_base(contacts, joints, task.bodies, task.rows, base)
    return task.problem._replace(linear=True, base=base)


def _sweeps(jacobi: bool, task: Task, report_out: Floats) -> None:
    effort = Effort(task.tolerance, FRICTION_SLACK, 0, MOST_SWEEPS)
    sweep_islands(_linear(task), task.bodies, task.rows, task.movable, effort, jacobi, report_out)


def _lemke(task: Task, report_out: Floats) -> None:
    linear = _linear(task)
    for items, members in task.islands():
        pivots = _lemke_island(items, members, linear, task.bodies.response, task.rows)
        hard, soft = measure(items, members, linear, task.bodies, task.rows)
        add_report(hard, soft, pivots, hard <= task.tolerance, _dense_work(pivots, items, 2), report_out)


def _lemke_island(items: Ints, members: Ints, linear: Problem, response: Floats, rows: Rows) -> int:
    """Forces of one island; returns the pivots."""
    n, mu = linear.contacts.n, linear.contacts.mu
    contacts, held = items[items < n], items[items >= n] - n
    rough, smooth = contacts[mu[contacts] > 0.0], contacts[mu[contacts] <= 0.0]
    chosen = np.concatenate(((3 * rough[:, None] + np.arange(3)).ravel(), 3 * smooth, 3 * n + held))
    item = np.concatenate((np.repeat(rough, 3), smooth, n + held))
    J = jacobian(rows.push[chosen], rows.body[item], members, len(response))
    W = np.einsum("rbi,bij,sbj->rs", J, response[members], J, optimize=True)
    last = len(chosen) - len(held)
    W[range(last, len(chosen)), range(last, len(chosen))] += rows.compliance[held]
    A, b, spread = pyramid_problem(W, linear.base[chosen], mu[rough], SIDES)
    m, behind = spread.shape[1], slice(spread.shape[1] - len(held), spread.shape[1])
    low, high = np.zeros(len(b)), np.full(len(b), np.inf)
    low[behind], high[behind] = rows.lower[held], rows.upper[held]
    result = lcp(A, b, "lemke", lower=low, upper=high)
    rows.x[chosen] = spread @ result.x[:m]
    return result.iterations


def _dense_work(steps: int, items: Ints, power: int) -> float:
    """Of steps with a matrix of all rows, three for each item, see budget.py."""
    return steps * (OVERHEAD + DENSE * (3.0 * len(items)) ** power)


def _bilateral(task: Task, report_out: Floats) -> None:
    for items, members in task.islands():
        hard, soft, steps = solve_bilateral_island(items, members, task.problem, task.bodies, task.rows, task.tolerance)
        add_report(hard, soft, steps, hard <= task.tolerance, _dense_work(steps, items, 3), report_out)
