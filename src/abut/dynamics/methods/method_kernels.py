"""The step's problem at velocity level: linear in the forces, with every row as it stands when the step begins.

w = base + push . shift, base the value at the end of the free motion for constant slopes (Galluzzo & Wendt; Stewart &
Trinkle 1996). One set of slopes for the whole step: cheaper than the true distances at its end, and as much less exact.
"""

import numpy as np

from ..._jit import kernel
from ..solver.island_kernels import find_islands, list_bodies
from ..solver.multiplier_kernels import measure
from ..solver.problem_kernels import add_report
from ..solver.problem_tables import Island
from ..solver.row_kernels import evaluate, rows_of, set_end
from .relaxation_kernels import prepare_sweeps, sweep

BATCH = 20
"""Sweeps between two looks at the residual."""
PER_PLAIN_SWEEP = 14.0
"""Work of an item in one sweep, in the units of budget.py; friction is solved exactly, contact by contact."""


@kernel
def set_base(contacts, joints, bodies_io, rows_io, base_out):
    """Values of all rows at the end of the free motion, linearised where the bodies stand; shifts are zero."""
    n_item, free, dt, slope = contacts.n + joints.reference.shape[0], bodies_io.free, bodies_io.dt, rows_io.slope
    for b in range(bodies_io.end.shape[0]):
        set_end(b, bodies_io.motion, free, 0.0, bodies_io.shift, bodies_io.end)
    evaluate(np.arange(n_item), contacts, joints, bodies_io.end, rows_io)
    for item in range(n_item):
        a, b = rows_io.body[item, 0], rows_io.body[item, 1]
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            base_out[r] = rows_io.w[r]
            for i in range(6):
                base_out[r] += dt * (slope[r, i] * free[a, i] + slope[r, 6 + i] * free[b, i])


@kernel
def _share_bodies(items, contacts, n_body, rows, answer, own_out):
    """What each item meets of its own push if every body is shared equally by all items that push it.

    A body divided by their number answers that many times as much: a bound of all couplings together, so that Jacobi
    converges (mass splitting: Tonge, Benevolenski & Voroshilov 2012).
    """
    users, body, push = np.zeros(n_body, np.int64), rows.body, rows.push
    for item in items:
        users[body[item, 0]] += 1
        users[body[item, 1]] += 1
    for item in items:
        first, last = rows_of(item, contacts)
        a, b = users[body[item, 0]], users[body[item, 1]]
        for p in range(last - first):
            for q in range(last - first):
                s = 0.0
                for i in range(6):
                    s += a * push[first + p, i] * answer[first + q, i]
                    s += b * push[first + p, 6 + i] * answer[first + q, 6 + i]
                own_out[item, p, q] = s


@kernel
def _sweep_linear(island, problem, bodies_io, rows_io, effort, jacobi, answer_io, own_io):
    """Sweep one island until it is solved: residuals of contacts and joints and of friction, and sweeps."""
    items, members, contacts, shift, moved = (
        island.items,
        island.members,
        problem.contacts,
        bodies_io.shift,
        bodies_io.moved,
    )
    hard, soft = measure(items, members, problem, bodies_io, rows_io)
    prepare_sweeps(items, contacts, rows_io, bodies_io.response, answer_io, own_io)
    if jacobi:
        _share_bodies(items, contacts, shift.shape[0], rows_io, answer_io, own_io)
    sweeps = 0
    while sweeps < effort.sweeps and max(hard, soft / effort.slack) > effort.tolerance:
        bodies_io.step[:] = shift
        moved[:] = shift
        for _ in range(BATCH):
            sweep(items, contacts, bodies_io, rows_io, answer_io, own_io, moved if jacobi else shift)
            if jacobi:
                shift[:] = moved
        sweeps += BATCH
        hard, soft = measure(items, members, problem, bodies_io, rows_io)
    return hard, soft, sweeps


@kernel
def sweep_islands(problem, bodies_io, rows_io, movable, effort, jacobi, report_out):
    """Forces of all items by at most so many sweeps of Gauss-Seidel or Jacobi; report as of settle_island."""
    n_item = problem.contacts.n + rows_io.lower.shape[0]
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    answer, own = np.empty_like(rows_io.push), np.empty((n_item, 3, 3))
    for k in range(find_islands(rows_io.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        n = list_bodies(items, rows_io.body, movable, position, list_)
        island = Island(items, list_[:n], position)
        hard, soft, sweeps = _sweep_linear(island, problem, bodies_io, rows_io, effort, jacobi, answer, own)
        solved, work = max(hard, soft / effort.slack) <= effort.tolerance, PER_PLAIN_SWEEP * sweeps * items.shape[0]
        add_report(hard, soft, sweeps, solved, work, report_out)
