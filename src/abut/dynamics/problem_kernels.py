"""The forces of an island, by the solver that suits its size (SiLVIA 3; Buck & Schömer 7)."""

from math import inf

import numpy as np

from .._jit import kernel, lean_kernel
from .accelerated_kernels import larger, solve_by_sweeps, tolerance_in_motion
from .direct_kernels import MOST_BODIES, MOST_ITEMS, WIDTH, solve_directly
from .island_kernels import clear_places, list_bodies, plan_elimination
from .law_kernels import SLIDING
from .multiplier_kernels import FRICTION_SLACK, solve_island
from .nearby_kernels import solve_nearby
from .rest_kernels import is_calm, rest, would_rest

MOST_PRODUCTS = 20_000
"""How many products of blocks a factorisation may take; larger islands are swept."""
FEW_IN_MOTION = 10
"""Up to how many bodies a direct solution is quicker than sweeps, where these are so fast that no last digits count."""
FEW_SWEEPS, MANY_SWEEPS = 200, 2000
"""Accelerated sweeps before elimination is tried, and where that does not get through."""
FEW_WRONG = 0.003
"""Share of the items of a large island that may be wrong after sweeps: these alone take less time than to go on."""

# Columns of what settle_island reports.
HARD, SOFT, ITERATIONS, UNSOLVED, WORK = 0, 1, 2, 3, 4
N_REPORT = 5
# Work of an item in one Newton step and in one sweep, in the units of budget.py.
PER_STEP, PER_SWEEP = 50.0, 2.0


@kernel
def add_report(hard, soft, iterations, solved, work, report_out):
    """Add what one island took."""
    report_out[HARD] = hard if not hard <= report_out[HARD] else report_out[HARD]
    report_out[SOFT] = soft if not soft <= report_out[SOFT] else report_out[SOFT]
    report_out[ITERATIONS] += iterations
    report_out[UNSOLVED] += 0.0 if solved else 1.0
    report_out[WORK] += work


@kernel
def make_room(n_body):
    """Scratch: places of bodies in their island, its bodies, two tables for solve_directly, marks for solve_nearby."""
    position, list_ = np.full(n_body, -1, np.int32), np.empty(n_body, np.int32)
    pushing, small = np.empty(MOST_ITEMS, np.int32), np.empty((MOST_ITEMS, WIDTH))
    return position, list_, pushing, small, np.zeros(n_body, np.int32)


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


@lean_kernel
def _motion_of(items, list_, problem, bodies, accuracy):
    """Whether an island is in motion and has contacts only, whether these have no friction, and its tolerances.

    These are the one in the end and the one for now.
    """
    tolerance, still, _coarsest, _haste = accuracy
    law, linear = problem[4], problem[5]
    touches, smooth = _kind_of(items, problem)
    if not touches or linear or law == SLIDING or is_calm(list_, bodies, tolerance, still):
        return False, smooth, tolerance, tolerance
    wanted, for_now = tolerance_in_motion(list_, smooth, bodies, accuracy)
    return True, smooth, wanted, for_now


@kernel
def _find_forces(items, n_body, problem, bodies, rows, accuracy, scratch, room):
    """Forces of an island by the solver that suits it, and by the next one where that does not get through.

    Returns two residuals, the iterations and their work, and the tolerances in the end and for now.
    """
    position, list_, pushing, small = room[:4]
    tolerance, still, coarsest, _haste = accuracy
    wanted, steps, swept, m = tolerance, 0, 0, items.shape[0]
    few = m <= MOST_ITEMS and n_body <= MOST_BODIES
    moves, smooth, wanted_in_motion, in_motion = _motion_of(items, list_[:n_body], problem, bodies, accuracy)
    if moves and smooth and few and (n_body <= FEW_IN_MOTION or wanted_in_motion < coarsest):
        hard, steps = solve_directly(items, list_[:n_body], problem, bodies, rows, tolerance, pushing, small)
        if hard <= tolerance:
            return hard, 0.0, steps, PER_STEP * m * steps, wanted, tolerance
    agitated = wanted_in_motion > tolerance
    if agitated and (smooth or not few):
        wanted, tolerance = wanted_in_motion, in_motion
        hard, soft, swept = solve_by_sweeps(
            items, list_[:n_body], problem, bodies, rows, position, tolerance, 1.0, 0, FEW_SWEEPS, False
        )
        if larger(hard, soft) <= tolerance:
            return hard, soft, steps + swept, m * (PER_STEP * steps + PER_SWEEP * swept), wanted, tolerance
    # Elimination lets friction be farther from its law; in motion that would be too far.
    fine = max(accuracy[0], tolerance / FRICTION_SLACK)
    hard, soft, more = _eliminate(items, n_body, problem, bodies, rows, fine, still, scratch, room)
    steps += more
    # Sweeps begin with what it found and leave nothing that is worse by the same measure; they know Coulomb's law only.
    if hard < inf and (larger(hard, soft / FRICTION_SLACK) <= fine or problem[4] == SLIDING):
        return hard, soft, steps + swept, m * (PER_STEP * steps + PER_SWEEP * swept), wanted, tolerance
    wanted, tolerance, slack = wanted_in_motion, in_motion, 1.0 if agitated else FRICTION_SLACK
    hard, soft, more = solve_by_sweeps(
        items, list_[:n_body], problem, bodies, rows, position, tolerance, slack, 0, MANY_SWEEPS, False
    )
    swept += more
    return hard, soft, steps + swept, m * (PER_STEP * steps + PER_SWEEP * swept), wanted, tolerance


@kernel
def settle_island(items, problem, bodies, rows, movable, accuracy, scratch, room, report_out):
    """Forces of the items of an island and shifts of its bodies.

    accuracy = (tolerance, motion that counts as none, tolerance of the fastest bodies [m], haste);
    report_out = [largest violation of contacts and joints, of friction, iterations, islands not solved to
                  tolerance, work].
    Returns whether the bodies rest with the forces they had, and whether forces are right in haste only.
    """
    position, list_, still = room[0], room[1], accuracy[1]
    list_ = list_[: list_bodies(items, rows[0], movable, position, list_)]
    hard, soft, steps, work, wanted, tolerance = _find_forces(
        items, list_.shape[0], problem, bodies, rows, accuracy, scratch, room
    )
    solved = larger(hard, soft / FRICTION_SLACK) <= tolerance
    hasty = solved and wanted < tolerance and wanted < larger(hard, soft)
    add_report(hard, soft, steps, solved, work, report_out)
    clear_places(list_, position)
    resting = would_rest(list_, bodies, still)
    if resting:
        rest(list_, bodies)
    return resting and steps == 0, hasty


@lean_kernel
def _sweep_roughly(items, list_, problem, bodies, rows, position, tolerance):
    """Sweep an island until few of its items are not right; returns how many sweeps it took."""
    few = 1 + int(FEW_WRONG * items.shape[0])
    return solve_by_sweeps(items, list_, problem, bodies, rows, position, tolerance, 1.0, few, FEW_SWEEPS, False)[2]


@kernel
def mend_island(items, problem, bodies, rows, movable, accuracy, room, begun, due_out, report_out):
    """Forces near those items of a large island that are not right; arguments as for settle_island.

    Most items are right if it is begun, but for bodies that are due. Else, or if that is too much, sweeps of all items
    come first. Returns False if this does not get through; whether forces are right in haste only; and whether all
    bodies have moved.
    """
    position, list_ = room[0], room[1]
    n_body = list_bodies(items, rows[0], movable, position, list_)
    _moves, _smooth, wanted, tolerance = _motion_of(items, list_[:n_body], problem, bodies, accuracy)
    clear_places(list_[:n_body], position)
    if wanted == accuracy[0]:
        return False, False, True
    right, hard, soft, steps, swept = False, inf, inf, 0, 0
    if begun:
        right, hard, soft, steps, swept = solve_nearby(
            items, problem, bodies, rows, movable, tolerance, room, True, due_out
        )
    all_move = not right
    if not right:
        n_body = list_bodies(items, rows[0], movable, position, list_)
        more = _sweep_roughly(items, list_[:n_body], problem, bodies, rows, position, tolerance)
        steps, swept = steps + more, swept + more * items.shape[0]
        clear_places(list_[:n_body], position)
        given = (items, problem, bodies, rows, movable, tolerance, room, False, due_out)
        right, hard, soft, more, of_items = solve_nearby(*given)
        steps, swept = steps + more, swept + of_items
    report_out[ITERATIONS] += steps
    report_out[WORK] += PER_SWEEP * swept
    if right:
        add_report(hard, soft, 0, True, 0.0, report_out)
    return right, right and wanted < larger(hard, soft), all_move
