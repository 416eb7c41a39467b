"""Distance along a motion by the front of the last search.

The front covers every pair of triangles by pairs of nodes, each with a lower bound of its distance at the
time it was looked at, plus the reading of a clock that runs with the motion: `bound - clock` is a lower bound now,
because no two points can have come closer than by the motion since. (Li and Chen 1998 keep fronts for the
boolean question.)

Where that is not enough, as between flanks that slide along each other, the pair is given the direction along
which it is apart. Its bound then changes only by what the node of B has moved along that direction since then.

A front is a tuple (pairs, bounds, since, gaps): nodes, bounds by the clock, the number of the pose in the
history at which the direction was found (-1 without one), and a row [n, gap, centre, radius]: the direction in the
frame of A, the gap along it, and the ball around the node of B.
"""

from math import inf, sqrt

import numpy as np

from .._jit import kernel
from ..math.vec_kernels import dot, norm, unit
from .obb_kernels import box_centre, box_half, separation
from .search_kernels import BEST_A, BEST_B, DEPTH, FRONT, OPEN, TRIANGLES, VOLUMES, guides_along, pair_gap2, search
from .volume_kernels import volume_bound2

# Directions are found, and gaps measured, with this much to spare for rounding.
_CERTAIN = 1.0 - 1e-12


@kernel
def pose_of(history, i):
    """Entry `i` of a history of poses."""
    h = history[i]
    return (h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]), (h[9], h[10], h[11])


@kernel
def moves_since(history, now, X):
    """(now + 1, 12) difference of the pose X to each one of the history."""
    moves = np.empty((now + 1, 12))
    for i in range(now + 1):
        for k in range(9):
            moves[i, k] = X[0][k] - history[i, k]
        for k in range(3):
            moves[i, 9 + k] = X[1][k] - history[i, 9 + k]
    return moves


@kernel
def _gap_now(i, gaps, moves, j):
    """Separation of entry `i` along its direction after move `j`: n . (dR x + dp) is linear in the points x of B."""
    n = (gaps[i, 0], gaps[i, 1], gaps[i, 2])
    w = (
        moves[j, 0] * n[0] + moves[j, 3] * n[1] + moves[j, 6] * n[2],
        moves[j, 1] * n[0] + moves[j, 4] * n[1] + moves[j, 7] * n[2],
        moves[j, 2] * n[0] + moves[j, 5] * n[1] + moves[j, 8] * n[2],
    )
    way = dot(w, (gaps[i, 4], gaps[i, 5], gaps[i, 6])) + dot(n, (moves[j, 9], moves[j, 10], moves[j, 11]))
    return (gaps[i, 3] + way - norm(w) * gaps[i, 7]) * _CERTAIN


@kernel
def _note(i, distance, direction, boxes_b, b, clock, now, front):
    """Renew entry `i`: its distance is measured along a direction at this pose."""
    _, bounds, since, gaps = front
    bounds[i], since[i] = distance + clock, now
    centre = box_centre(boxes_b, b)
    for k in range(3):
        gaps[i, k], gaps[i, 4 + k] = direction[k], centre[k]
    gaps[i, 3], gaps[i, 7] = distance, norm(box_half(boxes_b, b))


@kernel
def _look_at_triangles(a, b, i, part_a, part_b, X, best2, guides, clock, now, state, front):
    """Distance of two leaves; the entry is renewed. Returns the smallest squared distance and the guides."""
    state[TRIANGLES] += 1
    # The true distance, not just a bound beyond the best: it will last for more steps.
    t_a, t_b = -1 - np.int64(part_a[1][a]), -1 - np.int64(part_b[1][b])
    d2, gap = pair_gap2(part_a[0], t_a, part_b[0], t_b, X, inf)
    _note(i, sqrt(d2), unit(gap), part_b[3], b, clock, now, front)
    if d2 < best2:
        state[BEST_A], state[BEST_B] = t_a, t_b
        return d2, guides_along(gap, X)
    return best2, guides


@kernel
def _still_apart(kind, a, b, i, part_a, part_b, X, table, guides, best2, clock, now, front):
    """Whether the volumes of entry `i` keep its triangles from being closer than the best; if so, it is renewed."""
    if table is None:
        apart, direction = separation(part_a[2], a, part_b[2], b, X[0], X[1])
        if apart * apart >= best2:
            _note(i, apart, direction, part_b[3], b, clock, now, front)
            return True
    key, _ = volume_bound2(kind, part_a[2], a, part_b[2], b, X, table, guides, best2)
    if key >= best2:
        front[1][i], front[2][i] = sqrt(key) + clock, -1
        return True
    return False


@kernel
def walk_front(kind, part_a, part_b, X, table, guides, best2, clock, now, history, state, pairs, keys, front):
    """Look again at the pairs that may have come closer than `best2`; returns the smallest squared distance."""
    front_pairs, bounds, since, gaps = front
    best, room, limit = sqrt(best2), bounds.shape[0], np.int64(2**62)
    if now == 0:
        since[:] = -1  # the history has begun anew, and older poses are forgotten
    moves = moves_since(history, now, X)
    for i in range(min(state[FRONT], room)):
        if bounds[i] - clock >= best:
            continue
        a, b = np.int64(front_pairs[i, 0]), np.int64(front_pairs[i, 1])
        if since[i] >= 0:
            gap = _gap_now(i, gaps, moves, np.int64(since[i]))
            if gap >= best:
                bounds[i] = gap + clock
                continue
        if part_a[1][a] < 0 and part_b[1][b] < 0:
            best2, guides = _look_at_triangles(a, b, i, part_a, part_b, X, best2, guides, clock, now, state, front)
            best = sqrt(best2)
            continue
        state[VOLUMES] += 1
        if _still_apart(kind, a, b, i, part_a, part_b, X, table, guides, best2, clock, now, front):
            continue
        pairs[0, 0], pairs[0, 1], keys[0], state[OPEN] = a, b, 0.0, 1
        first = state[FRONT]
        best2 = search(
            kind,
            DEPTH,
            part_a[0],
            part_a[1],
            part_a[2],
            part_b[0],
            part_b[1],
            part_b[2],
            X,
            table,
            guides,
            best2,
            limit,
            clock,
            state,
            pairs,
            keys,
            front_pairs,
            bounds,
        )
        best = sqrt(best2)
        since[first : min(state[FRONT], room)] = -1
        _replace(i, room, state, front)
        if best2 == 0.0:
            break
    return best2


@kernel
def _replace(i, room, state, front):
    """Put the last entry in the place of entry `i`, which its parts have replaced."""
    last = state[FRONT] - 1
    if last < room:
        front[0][i, 0], front[0][i, 1] = front[0][last, 0], front[0][last, 1]
        front[1][i], front[2][i] = front[1][last], front[2][last]
        state[FRONT] = last
