"""Distance of two parts: the drivers that Python calls, once per query or once per slice of a budget.

`answer_out` receives lower and upper bound of the distance, the closest points known (in the world), their regions, the
distance of the points and the room for rounding between it and the bounds, in the positions named below. `poses` are
those of A and B as rows [x y z qw qx qy qz]. Parts, queues and fronts arrive as plain tuples.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel
from ...math.pose_kernels import load_pose_row, pose_apply, pose_relative
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
    pair_gap2,
    search,
)
from ..search.search_tables import UNLIMITED, Discarded, Front, Queue
from ..volumes.hierarchy_tables import Pair, Part
from ..volumes.obb_kernels import box_centre, box_half
from ..volumes.volume_kernels import OBB, prepare, volume_bound2
from .triangle_pair_kernels import closest_points, load_triangle, moved_triangle

LOWER, UPPER, POINT_A, POINT_B, REGION_A, REGION_B, NEAREST, ROUNDING = 0, 1, 2, 5, 8, 9, 10, 11
ANSWER = 12

# What rounding may cost, as a fraction of the parts' sizes and of all coordinates that go into placing a vertex.
_OF_SIZE, _OF_PLACE = 5e-14, 4e-15


@kernel
def _begin(pair, state_io, queue_io):
    """Make sure of a first pair of triangles; returns its squared distance and the guides along its gap."""
    if state_io[BEST_A] < 0:
        state_io[BEST_A], state_io[BEST_B] = first_pair(pair, queue_io.links, queue_io.keys)
    best2, gap = pair_gap2(pair.a.corners, state_io[BEST_A], pair.b.corners, state_io[BEST_B], pair.X, inf)
    return best2, guides_along(gap, pair.X)


@kernel
def _second_thought(pair, best2, guides, state_io, queue_io):
    """The better of the pair given at the start and one found afresh: the start may come from far away."""
    a, b = first_pair(pair, queue_io.links, queue_io.keys)
    fresh2, gap = pair_gap2(pair.a.corners, a, pair.b.corners, b, pair.X, inf)
    if fresh2 < best2:
        state_io[BEST_A], state_io[BEST_B] = a, b
        return fresh2, guides_along(gap, pair.X)
    return best2, guides


@kernel
def _open_root(pair, guides, best2, state_io, queue_io):
    """The first open pair: the roots."""
    clear_queue(state_io, queue_io)
    root = 0
    key, _ = volume_bound2(pair, root, root, pair.table, guides, best2)
    push(key, root, root, root, state_io, queue_io)
    state_io[VOLUMES] += 1


@kernel
def _rounding(boxes_a, boxes_b, X_WA, X_WB):
    """How far the distance found may be from that of the vertices as placed in the world, or in the frame of A."""
    root = np.int64(0)
    a, b = box_centre(boxes_a, root), box_centre(boxes_b, root)
    place = norm(a) + norm(b) + norm(X_WA.p) + norm(X_WB.p)
    return _OF_SIZE * (norm(box_half(boxes_a, root)) + norm(box_half(boxes_b, root))) + _OF_PLACE * place


@kernel
def _put_answer(pair, X_WA, X_WB, lower2, upper2, state, answer_out):
    """Bounds and closest points."""
    A = load_triangle(pair.a.corners, state[BEST_A])
    B = moved_triangle(pair.b.corners, state[BEST_B], pair.X)
    p, q, region_a, region_b = closest_points(A, B)
    rounding, near = _rounding(pair.a.boxes, pair.b.boxes, X_WA, X_WB), sqrt(upper2)
    answer_out[NEAREST], answer_out[ROUNDING] = near, rounding
    answer_out[LOWER] = max(0.0, sqrt(lower2) - rounding)
    answer_out[UPPER] = near + rounding if upper2 > 0.0 else 0.0
    p, q = pose_apply(X_WA, p), pose_apply(X_WA, q)
    for k in range(3):
        answer_out[POINT_A + k], answer_out[POINT_B + k] = p[k], q[k]
    answer_out[REGION_A], answer_out[REGION_B] = region_a, region_b


@kernel
def advance(parts_io, poses, again, limit, state_io, queue_io, answer_out):
    """Begin a search or take it up `again`, look at `limit` pairs and write down what is known.

    parts = (kind of volume, its table, part A, part B).
    """
    (kind, table, part_a, part_b), (pose_a, pose_b), queue_io = parts_io, poses, Queue(*queue_io)
    X_WA, X_WB = load_pose_row(pose_a), load_pose_row(pose_b)
    pair = Pair(Part(*part_a), Part(*part_b), pose_relative(X_WA, X_WB), kind, table)
    prepare(kind, pair.X, table)
    best2, guides = _begin(pair, state_io, queue_io)
    if not again:
        _open_root(pair, guides, best2, state_io, queue_io)
    no_front = Discarded(np.empty((0, 2), np.int32), np.empty(0))
    best2 = search(pair, guides, best2, limit, 0.0, state_io, queue_io, no_front)
    _put_answer(pair, X_WA, X_WB, min(best2, least_key(state_io, queue_io)), best2, state_io, answer_out)


@kernel
def follow(parts_io, poses, clock_io, state_io, queue_io, front_io, answer_out):
    """The exact distance along a motion: what was discarded at the last pose is looked at only where the motion since
    then could have brought it closer than the pair known. state[FRONT] = 0 begins a new front.
    """
    (kind, table, part_a, part_b), (pose_a, pose_b), queue_io = parts_io, poses, Queue(*queue_io)
    X_WA, X_WB, front_io = load_pose_row(pose_a), load_pose_row(pose_b), Front(*front_io)
    pair = Pair(Part(*part_a), Part(*part_b), pose_relative(X_WA, X_WB), kind, table)
    prepare(kind, pair.X, table)
    best2, guides = _begin(pair, state_io, queue_io)
    now = tick(pair.a.boxes, pair.b.boxes, pair.X, state_io[FRONT] == 0, clock_io)
    if state_io[FRONT] == 0:
        best2, guides = _second_thought(pair, best2, guides, state_io, queue_io)
        _open_root(pair, guides, best2, state_io, queue_io)
        front_io.holder[:] = 0
        limit, discarded = np.int64(UNLIMITED), Discarded(front_io.pairs, front_io.bounds)
        best2 = search(pair, guides, best2, limit, now, state_io, queue_io, discarded)
    else:
        best2 = walk_front(pair, guides, best2, now, state_io, queue_io, front_io)
    _put_answer(pair, X_WA, X_WB, best2, best2, state_io, answer_out)


@kernel
def within(parts, poses, reach, state_io, queue_io, answer_out):
    """The exact distance by oriented boxes, if it is at most `reach`; returns whether it is.

    Of parts that are farther apart nothing more is found out.
    """
    (part_a, part_b), (pose_a, pose_b), queue_io = parts, poses, Queue(*queue_io)
    X_WA, X_WB = load_pose_row(pose_a), load_pose_row(pose_b)
    pair = Pair(Part(*part_a), Part(*part_b), pose_relative(X_WA, X_WB), np.int64(OBB), None)
    root, nowhere, boxes_a, boxes_b = np.int64(0), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), pair.a.boxes, pair.b.boxes
    # Rounding must not leave out what is just within reach.
    reach2 = (reach + _rounding(boxes_a, boxes_b, X_WA, X_WB)) ** 2
    key, _ = volume_bound2(pair, root, root, None, nowhere, reach2)
    if key > reach2:
        return False
    best2, guides = _begin(pair, state_io, queue_io)
    near2 = min(best2, reach2)
    _open_root(pair, guides, near2, state_io, queue_io)
    no_front = Discarded(np.empty((0, 2), np.int32), np.empty(0))
    found2 = search(pair, guides, near2, np.int64(UNLIMITED), 0.0, state_io, queue_io, no_front)
    if best2 > reach2 and found2 >= reach2:
        return False
    _put_answer(pair, X_WA, X_WB, found2, found2, state_io, answer_out)
    return True
