"""The step's problem at velocity level: linear in the forces, with every row as it stands when the step begins.

w = base + push . shift, base the value at the end of the free motion for constant slopes (Galluzzo & Wendt; Stewart &
Trinkle 1996). One set of slopes for the whole step: cheaper than the true distances at its end, and as much less exact.
"""

import numpy as np

from .._jit import kernel
from .island_kernels import find_islands, list_bodies
from .multiplier_kernels import FRICTION_SLACK, measure
from .problem_kernels import PER_SWEEP, add_report
from .relaxation_kernels import prepare_sweeps, sweep
from .row_kernels import evaluate, first_row, set_end

BATCH = 20
"""Sweeps between two looks at the residual."""


@kernel
def set_base(n_item, problem, bodies, rows, base_out):
    """Values of all rows at the end of the free motion, linearised where the bodies stand; shifts are zero."""
    n, contacts, frame, joints = problem
    motion, free, dt, shift, end = bodies
    body, slope, w = rows
    for b in range(end.shape[0]):
        set_end(b, motion, free, 0.0, shift, end)
    evaluate(np.arange(n_item), n, contacts, frame, joints, end, w, slope)
    for item in range(n_item):
        a, b = body[item, 0], body[item, 1]
        first = first_row(item, n)
        last = first + 3 if item < n and contacts[4][item] > 0.0 else first + 1
        for r in range(first, last):
            base_out[r] = w[r]
            for i in range(6):
                base_out[r] += dt * (slope[r, i] * free[a, i] + slope[r, 6 + i] * free[b, i])


@kernel
def _share_bodies(items, n, mu, n_body, body, push, answer, own_out):
    """What each item meets of its own push if every body is shared equally by all items that push it.

    A body divided by their number answers that many times as much: a bound of all couplings together, so that Jacobi
    converges (mass splitting: Tonge, Benevolenski & Voroshilov 2012).
    """
    users = np.zeros(n_body, np.int64)
    for item in items:
        users[body[item, 0]] += 1
        users[body[item, 1]] += 1
    for item in items:
        first = first_row(item, n)
        count = 3 if item < n and mu[item] > 0.0 else 1
        a, b = users[body[item, 0]], users[body[item, 1]]
        for p in range(count):
            for q in range(count):
                s = 0.0
                for i in range(6):
                    s += a * push[first + p, i] * answer[first + q, i]
                    s += b * push[first + p, 6 + i] * answer[first + q, 6 + i]
                own_out[item, p, q] = s


@kernel
def _sweep_linear(items, list_, problem, bodies, rows, tolerance, most, jacobi, answer, own, scratch):
    """Sweep one island until it is solved: residuals of contacts and joints and of friction, and sweeps."""
    response, shift = bodies[2], bodies[6]
    n, mu = problem[0], problem[1][4]
    reference, moved = scratch[1], scratch[2]
    hard, soft = measure(items, list_, problem, bodies, rows)
    prepare_sweeps(items, n, mu, rows, response, answer, own)
    if jacobi:
        _share_bodies(items, n, mu, shift.shape[0], rows[0], rows[1], answer, own)
    sweeps = 0
    while sweeps < most and max(hard, soft / FRICTION_SLACK) > tolerance:
        reference[:] = shift
        moved[:] = shift
        for _ in range(BATCH):
            sweep(items, n, mu, rows, answer, own, reference, shift, moved if jacobi else shift)
            if jacobi:
                shift[:] = moved
        sweeps += BATCH
        hard, soft = measure(items, list_, problem, bodies, rows)
    return hard, soft, sweeps


@kernel
def sweep_islands(n_item, problem, bodies, rows, movable, tolerance, most, jacobi, scratch, report_out):
    """Forces of all items by at most so many sweeps of Gauss-Seidel or Jacobi; report as of settle_island."""
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    answer, own = np.empty_like(rows[1]), np.empty((n_item, 3, 3))
    for k in range(find_islands(rows[0], n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        n = list_bodies(items, rows[0], movable, position, list_)
        hard, soft, sweeps = _sweep_linear(
            items, list_[:n], problem, bodies, rows, tolerance, most, jacobi, answer, own, scratch
        )
        solved, work = max(hard, soft / FRICTION_SLACK) <= tolerance, PER_SWEEP * sweeps * items.shape[0]
        add_report(hard, soft, sweeps, solved, work, report_out)
