"""The forces of an island, by the solver that suits its size (SiLVIA 3; Buck & Schömer 7)."""

from math import inf

import numpy as np

from .._jit import kernel, lean_kernel
from .accelerated_kernels import larger, solve_by_sweeps, tolerance_in_motion
from .direct_kernels import MOST_BODIES, MOST_ITEMS, WIDTH, solve_directly
from .island_kernels import list_bodies, plan_elimination
from .law_kernels import SLIDING
from .multiplier_kernels import FRICTION_SLACK, solve_island
from .rest_kernels import is_calm, rest, would_rest

MOST_PRODUCTS = 20_000
"""How many products of blocks a factorisation may take; larger islands are swept."""
FEW_SWEEPS, MANY_SWEEPS = 200, 2000
"""Accelerated sweeps before elimination is tried, and where that does not get through."""

# Columns of what settle_island reports.
HARD, SOFT, ITERATIONS, UNSOLVED = 0, 1, 2, 3


@kernel
def add_report(hard, soft, iterations, solved, report_out):
    """Add what one island took."""
    report_out[HARD] = hard if not hard <= report_out[HARD] else report_out[HARD]
    report_out[SOFT] = soft if not soft <= report_out[SOFT] else report_out[SOFT]
    report_out[ITERATIONS] += iterations
    report_out[UNSOLVED] += 0.0 if solved else 1.0


@kernel
def make_room(n_body):
    """Scratch for settle_island: places of bodies in their island, its bodies, and two tables for solve_directly."""
    position, list_ = np.full(n_body, -1, np.int32), np.empty(n_body, np.int32)
    return position, list_, np.empty(MOST_ITEMS, np.int32), np.empty((MOST_ITEMS, WIDTH))


@lean_kernel
def _kind_of(items, problem):
    """Whether an island has contacts only, and whether these have no friction."""
    n, mu = problem[0], problem[1][4]
    smooth = True
    for item in items:
        if item >= n:
            return False, False
        smooth &= mu[item] <= 0.0
    return True, smooth


@kernel
def _eliminate(items, n_body, problem, bodies, rows, tolerance, still, scratch, room):
    """Forces by elimination, where that does not fill up too much: residuals, inf if it would, and steps."""
    position, list_ = room[0], room[1]
    fits, start_of, row, target = plan_elimination(items, rows[0], n_body, position, list_, MOST_PRODUCTS)
    if not fits:
        return inf, inf, 0
    blocks = row.shape[0]
    low, up, diagonal = np.empty((blocks, 6, 6)), np.empty((blocks, 6, 6)), np.empty((n_body, 6, 6))
    matrix = (start_of, row, target, low, up, diagonal, np.empty((6, 6)))
    return solve_island(items, list_[:n_body], problem, bodies, rows, position, tolerance, still, matrix, scratch)


@kernel
def _find_forces(items, n_body, problem, bodies, rows, accuracy, scratch, room):
    """Forces of an island by the solver that suits it, and by the next one where that does not get through.

    Returns two residuals, the iterations, and the tolerances in the end and for now.
    """
    position, list_, pushing, small = room
    tolerance, still, _coarsest, _haste = accuracy
    law, linear = problem[4], problem[5]
    wanted, steps, few = tolerance, 0, items.shape[0] <= MOST_ITEMS and n_body <= MOST_BODIES
    touches, smooth = _kind_of(items, problem)
    moves = touches and not linear and law != SLIDING and not is_calm(list_[:n_body], bodies, tolerance, still)
    if moves and smooth and few:
        hard, steps = solve_directly(items, list_[:n_body], problem, bodies, rows, tolerance, pushing, small)
        if hard <= tolerance:
            return hard, 0.0, steps, wanted, tolerance
    in_motion = tolerance_in_motion(list_[:n_body], smooth, bodies, accuracy) if moves else (tolerance, tolerance)
    agitated = in_motion[0] > tolerance
    if moves and (smooth or (agitated and not few)):
        wanted, tolerance = in_motion
        hard, soft, more = solve_by_sweeps(
            items, list_[:n_body], problem, bodies, rows, position, tolerance, FEW_SWEEPS
        )
        steps += more
        if larger(hard, soft) <= tolerance:
            return hard, soft, steps, wanted, tolerance
    # Elimination lets friction be farther from its law; in motion that would be too far.
    fine = max(accuracy[0], tolerance / FRICTION_SLACK)
    hard, soft, more = _eliminate(items, n_body, problem, bodies, rows, fine, still, scratch, room)
    steps += more
    if hard < inf and (larger(hard, soft / FRICTION_SLACK) <= fine or not agitated):
        return hard, soft, steps, wanted, tolerance
    wanted, tolerance = in_motion
    hard, soft, more = solve_by_sweeps(items, list_[:n_body], problem, bodies, rows, position, tolerance, MANY_SWEEPS)
    return hard, soft, steps + more, wanted, tolerance


@kernel
def settle_island(items, problem, bodies, rows, movable, accuracy, scratch, room, report_out):
    """Forces of the items of an island and shifts of its bodies, which are zero to begin with.

    accuracy = (tolerance, motion that counts as none, tolerance of the fastest bodies [m], haste);
    report_out = [largest violation of contacts and joints, of friction, iterations, islands not solved to tolerance].
    Returns the bodies, whether they rest with the forces they had, and whether forces are right in haste only.
    """
    position, list_, _, _ = room
    still = accuracy[1]
    list_ = list_[: list_bodies(items, rows[0], movable, position, list_)]
    hard, soft, steps, wanted, tolerance = _find_forces(
        items, list_.shape[0], problem, bodies, rows, accuracy, scratch, room
    )
    hasty = wanted < tolerance and wanted < larger(hard, soft) <= tolerance
    add_report(hard, soft, steps, larger(hard, soft / FRICTION_SLACK) <= tolerance, report_out)
    for b in list_:
        position[b] = -1
    resting = would_rest(list_, bodies, still)
    if resting:
        rest(list_, bodies)
    return list_, resting and steps == 0, hasty
