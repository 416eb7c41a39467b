"""Distance along a motion by the front of the last search.

The front covers every pair of triangles by pairs of nodes, each with a lower bound of its distance at the
time it was looked at, plus the reading of a clock that runs with the motion: `bound - clock` is a lower bound now,
because no two points can have come closer than by the motion since. (Li and Chen 1998 keep fronts for the
boolean question.)

Where that is not enough, as between flanks that slide along each other, the pair is given the direction along
which it is apart, fixed to one of the parts: its separation along that direction is a few products at any later pose. A
direction that has ceased to separate is found anew: the normal of a triangle, fixed to its part, where that keeps the
other triangle far enough away; else any, fixed to the part that did not hold the last one.
"""

from math import sqrt

import numpy as np

from ..._jit import lean_kernel
from ...math.pose_kernels import chord_of_turn, load_frame, pose_apply, pose_apply_inverse, pose_inverse, put_frame
from ...math.vec_kernels import distance2, dot, mat_t_vec, mat_vec, neg, norm, unit
from ..distance.triangle_pair_kernels import is_sliver, load_triangle, moved_triangle, plane_gap2, triangle_gap2
from ..volumes.obb_kernels import box_axes, box_centre, box_half, separation
from ..volumes.volume_kernels import volume_bound2
from .queue_kernels import clear_queue, push
from .search_kernels import BEST_A, BEST_B, FRONT, TRIANGLES, VOLUMES, guides_along, search
from .search_tables import UNLIMITED, Discarded, Queue

NOBODY, A, B = 0, 1, 2
TIME, CLOCK_WIDTH = 12, 13
"""Column of a clock, behind a pose."""

# Directions are found, and gaps measured, with this much to spare for rounding.
_CERTAIN = 1.0 - 1e-12
# Squared factors by which two triangles are to be farther apart than the best known, along the normal of one of them
# and along any direction: a bound that is hardly beyond the best lasts for a step.
_NORMAL2, _LASTING2 = 1.005, 1.1
_ROUNDED_UP = 1.0 + 1e-12


@lean_kernel
def motion_bound(boxes_a, boxes_b, X_0, X_1):
    """How far any two points of A and B can have come closer between two relative poses.

    The points of B move in the frame of A by at most the way of its centre plus the chord of its ball; or
    those of A in the frame of B, whichever is less.
    """
    chord, root = chord_of_turn(X_0, X_1), np.int64(0)
    a, b = box_centre(boxes_a, root), box_centre(boxes_b, root)
    way_b = sqrt(distance2(pose_apply(X_0, b), pose_apply(X_1, b))) + chord * norm(box_half(boxes_b, root))
    way_a = sqrt(distance2(pose_apply_inverse(X_0, a), pose_apply_inverse(X_1, a)))
    way_a += chord * norm(box_half(boxes_a, root))
    return min(way_a, way_b) * _ROUNDED_UP


@lean_kernel
def tick(boxes_a, boxes_b, X, fresh, clock_io):
    """Advance `clock_io` = [[R, p, time]] to the pose X and return its time: the motion since a `fresh` beginning."""
    if fresh:
        clock_io[0, TIME] = 0.0
    else:
        clock_io[0, TIME] += motion_bound(boxes_a, boxes_b, load_frame(clock_io, 0), X)
    put_frame(X, 0, clock_io)
    return clock_io[0, TIME]


@lean_kernel
def _reach(corners, child, boxes, i, n):
    """How far node `i` reaches along `n`: a triangle, or an oriented box."""
    under = np.int64(child[i])
    if under < 0:
        p, q, r = load_triangle(corners, -1 - under)
        return max(dot(n, p), dot(n, q), dot(n, r))
    v, half = mat_vec(box_axes(boxes, i), n), box_half(boxes, i)
    return dot(n, box_centre(boxes, i)) + half[0] * abs(v[0]) + half[1] * abs(v[1]) + half[2] * abs(v[2])


@lean_kernel
def _hold(n, corners, child, boxes, j, i, sides_out):
    """Fix the direction of entry `i` to node `j`."""
    sides_out[i, 0], sides_out[i, 1], sides_out[i, 2] = n
    sides_out[i, 3] = _reach(corners, child, boxes, j, n)


@lean_kernel
def _note(i, distance, direction, keeper, pair, clock, front_io):
    """Renew entry `i`: its distance is measured along a direction, given in A, that `keeper` is to hold."""
    front_io.bounds[i] = distance + clock
    if keeper == B:
        part, b = pair.b, np.int64(front_io.pairs[i, 1])
        front_io.holder[i] = B
        _hold(neg(mat_t_vec(pair.X.R, direction)), part.corners, part.child, part.boxes, b, i, front_io.sides)
    else:
        part, a = pair.a, np.int64(front_io.pairs[i, 0])
        front_io.holder[i] = A
        _hold(direction, part.corners, part.child, part.boxes, a, i, front_io.sides)


@lean_kernel
def _other_than(holder):
    """Who is to hold a new direction where nothing tells: not who held the last one."""
    return B if holder == A else A


@lean_kernel
def _look_at_triangles(i, pair, best2, guides, clock, state_io, front_io):
    """Distance of two leaves; the entry is renewed. Returns the smallest squared distance and the guides."""
    state_io[TRIANGLES] += 1
    a, b = np.int64(front_io.pairs[i, 0]), np.int64(front_io.pairs[i, 1])
    t_a, t_b = -1 - np.int64(pair.a.child[a]), -1 - np.int64(pair.b.child[b])
    T_a, T_b = load_triangle(pair.a.corners, t_a), moved_triangle(pair.b.corners, t_b, pair.X)
    # The plane of a triangle that keeps the other far enough away will do so while they slide along each other.
    keeper = A
    d2, gap = plane_gap2(T_a, T_b)
    if d2 < _NORMAL2 * best2 or is_sliver(T_a, gap):
        keeper = B
        d2, gap = plane_gap2(T_b, T_a)
        gap = neg(gap)
    if d2 < _NORMAL2 * best2 or (keeper == B and is_sliver(T_b, gap)):
        keeper = _other_than(front_io.holder[i])
        d2, gap = triangle_gap2(T_a, T_b, _LASTING2 * best2)
    _note(i, sqrt(d2), unit(gap), keeper, pair, clock, front_io)
    if d2 < best2:
        state_io[BEST_A], state_io[BEST_B] = t_a, t_b
        return d2, guides_along(gap, pair.X)
    return best2, guides


@lean_kernel
def _still_apart(i, pair, table, guides, best2, clock, front_io):
    """Whether the volumes of entry `i` keep its triangles from being closer than the best; if so, it is renewed.

    `table` is that of the pair: Numba leaves out what is not for None, if it is an argument.
    """
    a, b = np.int64(front_io.pairs[i, 0]), np.int64(front_io.pairs[i, 1])
    if table is None:
        apart, direction = separation(pair.a.rows, a, pair.b.rows, b, pair.X)
        if apart * apart >= best2:
            _note(i, apart, direction, _other_than(front_io.holder[i]), pair, clock, front_io)
            return True
    key, _ = volume_bound2(pair, a, b, table, guides, best2)
    if key >= best2:
        front_io.bounds[i], front_io.holder[i] = sqrt(key) + clock, NOBODY
        return True
    return False


@lean_kernel
def _list_doubtful(n, best, clock, front_io):
    """List the entries whose bounds do not keep them farther apart than the best; returns how many there are."""
    bounds, doubtful = front_io.bounds, front_io.doubtful
    count = np.uint64(0)
    for i in range(np.uint64(n)):
        # Written in any case and counted if it holds: about half of the entries do, and no jump could be foreseen.
        doubtful[count] = i
        count += np.uint64(bounds[i] - clock < best)
    return np.int64(count)


@lean_kernel
def _measure_held(who, column, part, X, n_doubtful, clock, front_io):
    """Raise the bounds of the doubtful entries whose directions `who` holds to the separations along these.

    `part` is the other part, X its pose in the holder, `column` that of its nodes.
    """
    pairs, bounds, holder, sides, doubtful = front_io
    (corners, child, _, boxes), (R, p) = part, X
    for k in range(n_doubtful):
        # Unsigned, so that no index is asked whether it counts from the end.
        i = np.uint64(doubtful[k])
        if holder[i] != who:
            continue
        n = (sides[i, 0], sides[i, 1], sides[i, 2])
        m = mat_t_vec(R, n)
        j = np.uint64(pairs[i, column])
        if child[j] < 0:
            x, y, z = load_triangle(corners, np.uint64(-1 - child[j]))
            near = min(dot(m, x), dot(m, y), dot(m, z))
        else:
            v, half = mat_vec(box_axes(boxes, j), m), box_half(boxes, j)
            near = dot(m, box_centre(boxes, j)) - half[0] * abs(v[0]) - half[1] * abs(v[1]) - half[2] * abs(v[2])
        bounds[i] = max(bounds[i], (dot(n, p) + near - sides[i, 3]) * _CERTAIN + clock)


@lean_kernel
def walk_front(pair, guides, best2, clock, state_io, queue_io, front_io):
    """Look again at the pairs that may have come closer than `best2`; returns the smallest squared distance."""
    pairs, bounds, holder, _, doubtful = front_io
    best, room, limit, nowhere = sqrt(best2), bounds.shape[0], np.int64(UNLIMITED), np.int64(0)
    stack = Queue(queue_io.pairs, queue_io.keys, queue_io.links, queue_io.heads[:1], nowhere)
    n_doubtful = _list_doubtful(min(state_io[FRONT], room), best, clock, front_io)
    _measure_held(A, 1, pair.b, pair.X, n_doubtful, clock, front_io)
    _measure_held(B, 0, pair.a, pose_inverse(pair.X), n_doubtful, clock, front_io)
    for k in range(n_doubtful):
        i = doubtful[k]
        if bounds[i] - clock >= best:
            continue
        a, b = np.int64(pairs[i, 0]), np.int64(pairs[i, 1])
        if pair.a.child[a] < 0 and pair.b.child[b] < 0:
            best2, guides = _look_at_triangles(i, pair, best2, guides, clock, state_io, front_io)
            best = sqrt(best2)
            continue
        state_io[VOLUMES] += 1
        if _still_apart(i, pair, pair.table, guides, best2, clock, front_io):
            continue
        first = state_io[FRONT]
        clear_queue(state_io, stack)
        push(0.0, a, b, nowhere, state_io, stack)
        best2 = search(pair, guides, best2, limit, clock, state_io, stack, Discarded(pairs, bounds))
        best = sqrt(best2)
        holder[first : min(state_io[FRONT], room)] = NOBODY
        _replace(i, room, state_io, front_io)
        if best2 == 0.0:
            break
    return best2


@lean_kernel
def _replace(i, room, state_io, front_io):
    """Put the last entry in the place of entry `i`, which its parts have replaced."""
    pairs, bounds, holder, _, _ = front_io
    last = state_io[FRONT] - 1
    if last < room:
        pairs[i, 0], pairs[i, 1] = pairs[last, 0], pairs[last, 1]
        bounds[i], holder[i] = bounds[last], holder[last]
        state_io[FRONT] = last
