"""Forces near contacts that are not right; all others stay as they are.

In a large island, a contact that is new or wants a wider gap is felt by a few dozen bodies around it. So contacts that
are farther from their laws than the tolerance, and those of some RINGS of bodies around them, are solved while the
forces of all others are held. Bodies at the border move a little with that; contacts beyond that are no longer right
then are next, with what is near them. Arguments are those of multiplier_kernels.

near[b] tells how near a body is: 0 if it stays, 1 if it is at the border, up to NEAREST where forces are not right.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from .accelerated_kernels import larger, solve_by_sweeps
from .island_kernels import clear_places, list_bodies
from .multiplier_kernels import add_pushes, largest_residuals, place_items, residuals_of
from .problem_tables import Effort, Island

RINGS = 2
"""How many bodies from what is not right to the farthest one of which all forces may change."""
NEAREST = RINGS + 2
MAX_PASSES = 30
"""How often what is not right may be looked for anew."""
MOST_OF_ISLAND, MOST_ISLAND_SWEEPS = 0.7, 100
"""Share of an island in one pass, and sweeps of the island that all passes may be worth; a whole solution is faster."""
PASS_FINENESS = 0.5
"""To which share of the tolerance forces are found, so that contacts nearby need not be found again for the rest."""
LEFT = 0.01
"""Share of these items that may be left for the next pass."""
LEAST_SWEEPS, MOST_PASS_SWEEPS, WORTH = 200, 4000, 40
"""Sweeps of a pass, at most: as many as take the time of so many of the whole island."""


@lean_kernel
def _chain_items(items, body, movable, head_out, following_out):
    """Hang both sides of all items into the chains of their bodies; side s of items[p] is link 2 p + s."""
    head_out[:] = -1
    for p in range(items.shape[0]):
        for side in range(2):
            b = body[items[p], side]
            if movable[b]:
                following_out[2 * p + side] = head_out[b]
                head_out[b] = 2 * p + side


@inner_kernel
def _mark(b, how_near, near_io, listed_io, n):
    """Mark a body that is not marked yet, and list it; returns how many are listed."""
    if near_io[b] > 0:
        return n
    near_io[b], listed_io[n] = how_near, b
    return n + 1


@lean_kernel
def _mark_wrong(items, problem, rows, movable, tolerance, near_io, listed_io, n):
    """Let the bodies of items that are not right be nearest: how many items these are, and bodies that are listed."""
    body, wrong = rows.body, 0
    for item in items:
        hard, soft = residuals_of(item, problem, rows, rows.x)
        if not larger(hard, soft) <= tolerance:
            wrong += 1
            for side in range(2):
                if movable[body[item, side]]:
                    n = _mark(body[item, side], NEAREST, near_io, listed_io, n)
    return wrong, n


@lean_kernel
def _mark_due(items, body, movable, due, near_io, listed_io, n):
    """Let bodies that are due be nearest: their pushes may be others than before. Returns how many are listed."""
    for item in items:
        for side in range(2):
            b = body[item, side]
            if due[b] and movable[b]:
                n = _mark(b, NEAREST, near_io, listed_io, n)
    return n


@lean_kernel
def _mark_rings(items, body, movable, chains, near_io, listed_io, n):
    """Mark bodies around the nearest ones, the farther the lower; returns how many are listed."""
    head, following = chains
    first = 0
    for ring in range(NEAREST - 1, 0, -1):
        last = n
        for i in range(first, last):
            link = head[listed_io[i]]
            while link >= 0:
                other = body[items[link // 2], 1 - link % 2]
                if movable[other]:
                    n = _mark(other, ring, near_io, listed_io, n)
                link = following[link]
        first = last
    return n


@lean_kernel
def _divide(items, body, chains, near, listed, inner_out, border_out):
    """Items whose forces may change, and others of the bodies that move with them: how many of both."""
    head, following = chains
    n_inner, n_border = 0, 0
    for b in listed:
        link = head[b]
        while link >= 0:
            item, side = items[link // 2], link % 2
            mine, other = near[b], near[body[item, 1 - side]]
            # Of two bodies that both list it, the nearer one does, or the first.
            if mine > other or (mine == other and side == 0):
                if mine > 1:
                    inner_out[n_inner] = item
                    n_inner += 1
                else:
                    border_out[n_border] = item
                    n_border += 1
            link = following[link]
    return n_inner, n_border


@lean_kernel
def _solve_inside(inside_io, border, problem, bodies_io, rows_io, effort, known):
    """Forces of an island of inner items while those at the border are held: residual and sweeps."""
    others = bodies_io.others
    add_pushes(border, problem.contacts, rows_io, rows_io.x, others)
    hard, soft, sweeps = solve_by_sweeps(inside_io, problem, bodies_io, rows_io, effort, known)
    # Bodies at the border are among the inner items' and have come to their ends; those beyond do not move.
    place_items(border, inside_io.members[:0], problem, bodies_io, rows_io)
    clear_places(inside_io.members, inside_io.position)
    for item in border:
        others[rows_io.body[item, 0]] = 0.0
        others[rows_io.body[item, 1]] = 0.0
    return larger(hard, soft), sweeps


@kernel
def solve_nearby(items, problem, bodies_io, rows_io, tolerance, room_io, marks_io, look_at_due):
    """Forces near items that are not right: whether all are in the end, residuals then, sweeps, and those of items.

    Values and forces of all items and shifts of their bodies belong to each other, but for bodies that are due where
    these are to be looked at. Bodies that move become due.
    """
    m, movable = items.shape[0], marks_io.movable
    inner, border, listed = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(movable.shape[0], np.int32)
    chains = (np.empty(movable.shape[0], np.int32), np.empty(2 * m, np.int32))
    _chain_items(items, rows_io.body, movable, *chains)
    near, work, used, right, before, n_inner, n_border = room_io.near, 0, 0, False, m + 1, 0, 0
    for turn in range(MAX_PASSES):
        if turn == 0:
            wrong, n_listed = _mark_wrong(items, problem, rows_io, movable, tolerance, near, listed, 0)
            if look_at_due:
                n_listed = _mark_due(items, rows_io.body, movable, marks_io.due, near, listed, n_listed)
        else:
            # What was right before and has not moved is right.
            wrong, n_listed = _mark_wrong(inner[:n_inner], problem, rows_io, movable, tolerance, near, listed, 0)
            more, n_listed = _mark_wrong(
                border[:n_border], problem, rows_io, movable, tolerance, near, listed, n_listed
            )
            wrong += more
        if n_listed == 0:
            right = True
            break
        n_listed = _mark_rings(items, rows_io.body, movable, chains, near, listed, n_listed)
        n_inner, n_border = _divide(items, rows_io.body, chains, near, listed[:n_listed], inner, border)
        for b in listed[:n_listed]:
            near[b] = 0
        if n_inner > MOST_OF_ISLAND * m or work > MOST_ISLAND_SWEEPS * m:
            break
        few = min(int(LEFT * n_inner), wrong // 2) if wrong < before else 0
        before = wrong
        most_sweeps = min(max(LEAST_SWEEPS, WORTH * m // n_inner), MOST_PASS_SWEEPS)
        effort, known = Effort(PASS_FINENESS * tolerance, 1.0, few, most_sweeps), turn > 0 or not look_at_due
        n_body = list_bodies(inner[:n_inner], rows_io.body, movable, room_io.position, room_io.members)
        inside = Island(inner[:n_inner], room_io.members[:n_body], room_io.position)
        worst, sweeps = _solve_inside(inside, border[:n_border], problem, bodies_io, rows_io, effort, known)
        used, work = used + sweeps, work + sweeps * n_inner
        for b in inside.members:
            marks_io.due[b] = True
        if few == 0 and not worst <= tolerance:
            break
    hard, soft = largest_residuals(items, problem, rows_io, rows_io.x)
    return right, hard, soft, used, work
