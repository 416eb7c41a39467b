"""Forces near contacts that are not right; all others stay as they are.

In a large island, a contact that is new or wants a wider gap is felt by a few dozen bodies around it. So contacts that
are farther from their laws than the tolerance, and those of some RINGS of bodies around them, are solved while the
forces of all others are held. Bodies at the border move a little with that; contacts beyond that are no longer right
then are next, with what is near them. Arguments are those of multiplier_kernels.

near[b] tells how near a body is: 0 if it stays, 1 if it is at the border, up to NEAREST where forces are not right.
"""

import numpy as np

from .._jit import kernel, lean_kernel
from .accelerated_kernels import larger, solve_by_sweeps
from .island_kernels import clear_places, list_bodies
from .multiplier_kernels import add_pushes, largest_residuals, place_items, residuals_of

RINGS = 2
"""How many bodies from what is not right to the farthest one of which all forces may change."""
NEAREST = RINGS + 2
MAX_PASSES = 30
"""How often what is not right may be looked for anew."""
MOST, MOST_WORK = 0.7, 100
"""Share of an island in one pass, and sweeps of the island that all passes may be worth; a whole solution is faster."""
FINER = 0.5
"""To which share of the tolerance forces are found, so that contacts nearby need not be found again for the rest."""
FEW_WRONG = 0.01
"""Share of these items that may be left for the next pass."""
SWEEPS = 200
"""Of a pass, at most."""


@lean_kernel
def _mark_wrong(items, problem, rows, movable, tolerance, near):
    """Let the bodies of items that are not right be nearest; returns how many items these are."""
    body, found = rows[0], 0
    for item in items:
        hard, soft = residuals_of(item, problem, rows, rows[4])
        if not larger(hard, soft) <= tolerance:
            found += 1
            for side in range(2):
                if movable[body[item, side]]:
                    near[body[item, side]] = NEAREST
    return found


@lean_kernel
def _mark_due(items, body, movable, due, near):
    """Let bodies that are due be nearest; returns whether there are any. Their pushes may be others than before."""
    found = False
    for item in items:
        for side in range(2):
            b = body[item, side]
            if due[b] and movable[b]:
                near[b], found = NEAREST, True
    return found


@lean_kernel
def _mark_rings(items, body, movable, near):
    """Mark bodies around the nearest ones, the farther the lower."""
    for ring in range(NEAREST - 1, 0, -1):
        for item in items:
            a, b = body[item, 0], body[item, 1]
            if near[a] == ring + 1 and near[b] < ring and movable[b]:
                near[b] = ring
            elif near[b] == ring + 1 and near[a] < ring and movable[a]:
                near[a] = ring


@lean_kernel
def _divide(items, body, near, inner_out, border_out):
    """Items whose forces may change, and others of the bodies that move with them: how many of both."""
    n_inner, n_border = 0, 0
    for item in items:
        nearest = max(near[body[item, 0]], near[body[item, 1]])
        if nearest > 1:
            inner_out[n_inner] = item
            n_inner += 1
        elif nearest == 1:
            border_out[n_border] = item
            n_border += 1
    return n_inner, n_border


@lean_kernel
def _clear(items, body, near):
    """Leave no marks."""
    for item in items:
        near[body[item, 0]] = near[body[item, 1]] = 0


@lean_kernel
def _solve_inside(inner, border, problem, bodies, rows, movable, tolerance, few, room):
    """Forces of inner items while those at the border are held: residual, sweeps, and how many bodies are listed."""
    position, list_, others = room[0], room[1], bodies[10]
    n_body = list_bodies(inner, rows[0], movable, position, list_)
    add_pushes(border, problem[0], problem[1][4], rows[0], rows[1], rows[4], others)
    hard, soft, sweeps = solve_by_sweeps(
        inner, list_[:n_body], problem, bodies, rows, position, FINER * tolerance, few, SWEEPS
    )
    # Bodies at the border are among the inner items' and have come to their ends; those beyond do not move.
    place_items(border, list_[:0], problem, bodies, rows)
    clear_places(list_[:n_body], position)
    for item in border:
        others[rows[0][item, 0]] = 0.0
        others[rows[0][item, 1]] = 0.0
    return larger(hard, soft), sweeps, n_body


@kernel
def solve_nearby(items, problem, bodies, rows, movable, tolerance, room, look_at_due, due_out):
    """Forces near items that are not right: whether all are in the end, residuals as they are then, and sweeps.

    Values and forces of all items and shifts of their bodies belong to each other, but for bodies that are due where
    these are to be looked at. Bodies that move become due.
    """
    inner, border = np.empty(items.shape[0], np.int32), np.empty(items.shape[0], np.int32)
    near, work, used, right = room[4], 0, 0, False
    for turn in range(MAX_PASSES):
        wrong = _mark_wrong(items, problem, rows, movable, tolerance, near)
        any_due = turn == 0 and look_at_due and _mark_due(items, rows[0], movable, due_out, near)
        if wrong == 0 and not any_due:
            right = True
            break
        _mark_rings(items, rows[0], movable, near)
        n_inner, n_border = _divide(items, rows[0], near, inner, border)
        _clear(items, rows[0], near)
        if n_inner > MOST * items.shape[0] or work > MOST_WORK * items.shape[0]:
            break
        few = min(int(FEW_WRONG * n_inner), wrong // 2)
        worst, sweeps, n_body = _solve_inside(
            inner[:n_inner], border[:n_border], problem, bodies, rows, movable, tolerance, few, room
        )
        used, work = used + sweeps, work + sweeps * n_inner
        for b in room[1][:n_body]:
            due_out[b] = True
        if few == 0 and not worst <= tolerance:
            break
    hard, soft = largest_residuals(items, problem, rows, rows[4])
    return right, hard, soft, used
