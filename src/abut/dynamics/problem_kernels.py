"""All forces of a step: islands one by one, each with the solver that suits its size (SiLVIA 3; Buck & Schömer 7)."""

import numpy as np

from .._jit import kernel
from .direct_kernels import MOST_ITEMS, WIDTH, solve_directly
from .island_kernels import find_islands, list_bodies, plan_elimination
from .multiplier_kernels import FRICTION_SLACK, solve_island
from .relaxation_kernels import sweep_island
from .rest_kernels import rest, would_rest

MOST_PRODUCTS = 20_000
"""How many products of blocks a factorisation may take; larger islands are swept."""

# Columns of what solve_islands reports.
HARD, SOFT, ITERATIONS, UNSOLVED = 0, 1, 2, 3


@kernel
def add_report(hard, soft, iterations, solved, report_out):
    """Add what one island took."""
    report_out[HARD] = hard if not hard <= report_out[HARD] else report_out[HARD]
    report_out[SOFT] = soft if not soft <= report_out[SOFT] else report_out[SOFT]
    report_out[ITERATIONS] += iterations
    report_out[UNSOLVED] += 0.0 if solved else 1.0


@kernel
def _any_due(items, body, due):
    """Whether something has changed for one of the bodies of an island."""
    for item in items:
        if due[body[item, 0]] or due[body[item, 1]]:
            return True
    return False


@kernel
def _mark(items, value, out):
    for item in items:
        out[item] = value


@kernel
def _end_island(items, list_, bodies, accuracy, took, position, same_out, report_out):
    """Let the bodies of an island rest if they hardly move, and report what it took."""
    tolerance, still = accuracy
    hard, soft, steps = took
    if would_rest(list_, bodies, still):
        rest(list_, bodies)
        _mark(items, steps == 0, same_out)
    add_report(hard, soft, steps, max(hard, soft / FRICTION_SLACK) <= tolerance, report_out)
    for b in list_:
        position[b] = -1


@kernel
def solve_islands(n_item, problem, bodies, rows, movable, due, accuracy, answer, own, scratch, same_out, report_out):
    """Forces of all items and shifts of all bodies, which are zero to begin with, of islands with a body that is due.

    accuracy = (tolerance, motion that counts as none) [m];
    same_out marks the items of islands that are not due, or rest with the forces they had;
    report_out = [largest violation of contacts and joints, of friction, iterations, islands not solved to tolerance].
    """
    body, (tolerance, still) = rows[0], accuracy
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position = np.full(movable.shape[0], -1, np.int32)
    list_, pushing = np.empty(movable.shape[0], np.int32), np.empty(MOST_ITEMS, np.int32)
    small = np.empty((MOST_ITEMS, WIDTH))
    report_out[:] = 0.0
    n_island = find_islands(body, n_item, movable, order, start)
    for k in range(n_island):
        items = order[start[k] : start[k + 1]]
        if not _any_due(items, body, due):
            _mark(items, True, same_out)
            continue
        n = list_bodies(items, body, movable, position, list_)
        hard, steps = solve_directly(items, list_[:n], problem, bodies, rows, accuracy, pushing, small)
        if hard <= tolerance:
            _end_island(items, list_[:n], bodies, accuracy, (hard, 0.0, steps), position, same_out, report_out)
            continue
        fits, start_of, row, target = plan_elimination(items, body, n, position, list_, MOST_PRODUCTS)
        if fits:
            blocks = row.shape[0]
            low, up, diagonal = np.empty((blocks, 6, 6)), np.empty((blocks, 6, 6)), np.empty((n, 6, 6))
            matrix = (start_of, row, target, low, up, diagonal, np.empty((2, 6, 6)))
            hard, soft, steps = solve_island(
                items, list_[:n], problem, bodies, rows, position, tolerance, still, matrix, scratch
            )
        else:
            hard, soft, steps = sweep_island(items, list_[:n], problem, bodies, rows, tolerance, answer, own, scratch)
        _end_island(items, list_[:n], bodies, accuracy, (hard, soft, steps), position, same_out, report_out)
