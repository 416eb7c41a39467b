"""Distance of two parts: the drivers that Python calls, once per query or once per slice of a budget.

`answer_out` receives lower and upper bound of the distance, the closest points known (in the world), their regions, the
distance of the points and the room for rounding between it and the bounds, in the positions named below. Poses are rows
[x y z qw qx qy qz]. A part arrives as its four tables, a queue as its four.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel
from ...math.pose_kernels import pose_apply, pose_relative
from ...math.vec_kernels import norm
from ..search.front_kernels import tick, walk_front
from ..search.queue_kernels import clear_queue, least_key, push
from ..search.search_kernels import (
    BEST_A,
    BEST_B,
    FRONT,
    VOLUMES,
    first_pair,
    guides_along,
    load_pose_row,
    pair_gap2,
    search,
)
from ..volumes.obb_kernels import box_centre, box_half
from ..volumes.volume_kernels import prepare, volume_bound2
from .triangle_pair_kernels import closest_points, load_triangle, moved_triangle

LOWER, UPPER, POINT_A, POINT_B, REGION_A, REGION_B, NEAREST, ROUNDING = 0, 1, 2, 5, 8, 9, 10, 11
ANSWER = 12

# What rounding may cost, as a fraction of the parts' sizes and of all coordinates that go into placing a vertex.
_OF_SIZE, _OF_PLACE = 5e-14, 4e-15


@kernel
def _begin(part_a, part_b, X, state_io, queue_io):
    """Make sure of a first pair of triangles; returns its squared distance and the guides along its gap."""
    if state_io[BEST_A] < 0:
        a, b = first_pair(part_a, part_b, X, queue_io[2], queue_io[1])
        state_io[BEST_A], state_io[BEST_B] = a, b
    best2, gap = pair_gap2(part_a[0], state_io[BEST_A], part_b[0], state_io[BEST_B], X, inf)
    return best2, guides_along(gap, X)


@kernel
def _second_thought(part_a, part_b, X, best2, guides, state_io, queue_io):
    """The better of the pair given at the start and one found afresh: the start may come from far away."""
    a, b = first_pair(part_a, part_b, X, queue_io[2], queue_io[1])
    fresh2, gap = pair_gap2(part_a[0], a, part_b[0], b, X, inf)
    if fresh2 < best2:
        state_io[BEST_A], state_io[BEST_B] = a, b
        return fresh2, guides_along(gap, X)
    return best2, guides


@kernel
def _open_root(kind, part_a, part_b, X, table, guides, best2, state_io, queue_io):
    """The first open pair: the roots."""
    clear_queue(state_io, queue_io)
    root = 0
    key, _ = volume_bound2(kind, part_a[2], root, part_b[2], root, X, table, guides, best2)
    push(key, root, root, root, root, state_io, queue_io)
    state_io[VOLUMES] += 1


@kernel
def _rounding(boxes_a, boxes_b, X_WA, X_WB):
    """How far the distance found may be from that of the vertices as placed in the world, or in the frame of A."""
    root = np.int64(0)
    a, b = box_centre(boxes_a, root), box_centre(boxes_b, root)
    place = norm(a) + norm(b) + norm(X_WA[1]) + norm(X_WB[1])
    return _OF_SIZE * (norm(box_half(boxes_a, root)) + norm(box_half(boxes_b, root))) + _OF_PLACE * place


@kernel
def _put_answer(part_a, part_b, X_WA, X_WB, X, lower2, upper2, state, answer_out):
    """Bounds and closest points."""
    A = load_triangle(part_a[0], state[BEST_A])
    B = moved_triangle(part_b[0], state[BEST_B], X[0], X[1])
    p, q, region_a, region_b = closest_points(A, B)
    rounding, near = _rounding(part_a[3], part_b[3], X_WA, X_WB), sqrt(upper2)
    answer_out[NEAREST], answer_out[ROUNDING] = near, rounding
    answer_out[LOWER] = max(0.0, sqrt(lower2) - rounding)
    answer_out[UPPER] = near + rounding if upper2 > 0.0 else 0.0
    p, q = pose_apply(X_WA, p), pose_apply(X_WA, q)
    for k in range(3):
        answer_out[POINT_A + k], answer_out[POINT_B + k] = p[k], q[k]
    answer_out[REGION_A], answer_out[REGION_B] = region_a, region_b


@kernel
def advance(kind, table_io, part_a, part_b, pose_a, pose_b, again, limit, spare, state_io, queue_io, answer_out):
    """Begin a search or take it up `again`, look at `limit` pairs and write down what is known."""
    X_WA, X_WB = load_pose_row(pose_a), load_pose_row(pose_b)
    X = pose_relative(X_WA, X_WB)
    prepare(kind, X[0], X[1], table_io)
    best2, guides = _begin(part_a, part_b, X, state_io, queue_io)
    if not again:
        _open_root(kind, part_a, part_b, X, table_io, guides, best2, state_io, queue_io)
    no_front = np.empty((0, 2), np.int32), np.empty(0)
    best2 = search(kind, part_a, part_b, X, table_io, guides, best2, limit, 0.0, spare, state_io, queue_io, no_front)
    _put_answer(part_a, part_b, X_WA, X_WB, X, min(best2, least_key(state_io, queue_io)), best2, state_io, answer_out)


@kernel
def follow(kind, table_io, part_a, part_b, pose_a, pose_b, clock_io, spare, state_io, queue_io, front_io, answer_out):
    """The exact distance along a motion: what was discarded at the last pose is looked at only where the motion since
    then could have brought it closer than the pair known. state[FRONT] = 0 begins a new front.
    """
    X_WA, X_WB = load_pose_row(pose_a), load_pose_row(pose_b)
    X = pose_relative(X_WA, X_WB)
    prepare(kind, X[0], X[1], table_io)
    best2, guides = _begin(part_a, part_b, X, state_io, queue_io)
    now = tick(part_a[3], part_b[3], X, state_io[FRONT] == 0, clock_io)
    if state_io[FRONT] == 0:
        best2, guides = _second_thought(part_a, part_b, X, best2, guides, state_io, queue_io)
        _open_root(kind, part_a, part_b, X, table_io, guides, best2, state_io, queue_io)
        front_io[2][:] = 0
        limit = np.int64(2**62)
        discarded = (front_io[0], front_io[1])
        best2 = search(
            kind, part_a, part_b, X, table_io, guides, best2, limit, now, spare, state_io, queue_io, discarded
        )
    else:
        best2 = walk_front(kind, part_a, part_b, X, table_io, guides, best2, now, state_io, queue_io, front_io)
    _put_answer(part_a, part_b, X_WA, X_WB, X, best2, best2, state_io, answer_out)


@kernel
def within(part_a, part_b, pose_a, pose_b, reach, spare, state_io, queue_io, answer_out):
    """The exact distance by oriented boxes, if it is at most `reach`; returns whether it is.

    Of parts that are farther apart nothing more is found out.
    """
    X_WA, X_WB = load_pose_row(pose_a), load_pose_row(pose_b)
    X, root, nowhere = pose_relative(X_WA, X_WB), np.int64(0), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    # Rounding must not leave out what is just within reach.
    reach2 = (reach + _rounding(part_a[3], part_b[3], X_WA, X_WB)) ** 2
    key, _ = volume_bound2(np.int64(0), part_a[3], root, part_b[3], root, X, None, nowhere, reach2)
    if key > reach2:
        return False
    best2, guides = _begin(part_a, part_b, X, state_io, queue_io)
    near2 = min(best2, reach2)
    _open_root(np.int64(0), part_a, part_b, X, None, guides, near2, state_io, queue_io)
    no_front = np.empty((0, 2), np.int32), np.empty(0)
    limit = np.int64(2**62)
    found2 = search(
        np.int64(0), part_a, part_b, X, None, guides, near2, limit, 0.0, spare, state_io, queue_io, no_front
    )
    if best2 > reach2 and found2 >= reach2:
        return False
    _put_answer(part_a, part_b, X_WA, X_WB, X, found2, found2, state_io, answer_out)
    return True
