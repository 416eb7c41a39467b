"""Distance of two parts: the drivers that Python calls, once per query or once per slice of a budget.

`answer_out` receives lower and upper bound of the distance, the closest points known (in the world), their
regions and triangles, in the positions named below. Poses are rows [x y z qw qx qy qz]. A part arrives as its
four tables.
"""

from math import inf, sqrt

import numpy as np

from .._jit import kernel
from ..math.pose_kernels import pose_apply, pose_apply_inverse, pose_relative
from ..math.vec_kernels import distance2, norm
from .front_kernels import pose_of, walk_front
from .obb_kernels import box_centre, box_half
from .search_kernels import (
    BEST_A,
    BEST_B,
    DEPTH,
    FRONT,
    OPEN,
    VOLUMES,
    first_pair,
    guides_along,
    load_pose_row,
    pair_gap2,
    search,
)
from .triangle_pair_kernels import closest_points, load_triangle, moved_triangle
from .volume_kernels import prepare, volume_bound2

LOWER, UPPER, POINT_A, POINT_B, REGION_A, REGION_B = 0, 1, 2, 5, 8, 9
ANSWER = 10


@kernel
def _begin(part_a, part_b, X, state, pairs, keys):
    """Make sure of a first pair of triangles; returns its squared distance and the guides along its gap."""
    if state[BEST_A] < 0:
        a, b = first_pair(part_a, part_b, X, pairs[:, 0], keys)
        state[BEST_A], state[BEST_B] = a, b
    best2, gap = pair_gap2(part_a[0], state[BEST_A], part_b[0], state[BEST_B], X, inf)
    return best2, guides_along(gap, X)


@kernel
def _second_thought(part_a, part_b, X, best2, guides, state, pairs, keys):
    """The better of the pair given at the start and one found afresh: the start may come from far away."""
    a, b = first_pair(part_a, part_b, X, pairs[:, 0], keys)
    fresh2, gap = pair_gap2(part_a[0], a, part_b[0], b, X, inf)
    if fresh2 < best2:
        state[BEST_A], state[BEST_B] = a, b
        return fresh2, guides_along(gap, X)
    return best2, guides


@kernel
def _open_root(kind, part_a, part_b, X, table, guides, best2, state, pairs, keys):
    """The first open pair: the roots."""
    pairs[0, 0] = pairs[0, 1] = 0
    root = np.int64(0)  # a literal would have its callees compiled once more
    keys[0], _ = volume_bound2(kind, part_a[2], root, part_b[2], root, X, table, guides, best2)
    state[OPEN] = 1
    state[VOLUMES] += 1


@kernel
def _put_answer(part_a, part_b, X_WA, X, lower2, upper2, state, answer_out):
    """Bounds and closest points."""
    A = load_triangle(part_a[0], state[BEST_A])
    B = moved_triangle(part_b[0], state[BEST_B], X[0], X[1])
    p, q, region_a, region_b = closest_points(A, B)
    answer_out[LOWER], answer_out[UPPER] = sqrt(lower2), sqrt(upper2)
    p, q = pose_apply(X_WA, p), pose_apply(X_WA, q)
    for k in range(3):
        answer_out[POINT_A + k], answer_out[POINT_B + k] = p[k], q[k]
    answer_out[REGION_A], answer_out[REGION_B] = region_a, region_b


@kernel
def advance(
    kind,
    table,
    strategy,
    corners_a,
    child_a,
    rows_a,
    boxes_a,
    corners_b,
    child_b,
    rows_b,
    boxes_b,
    pose_a,
    pose_b,
    limit,
    state,
    pairs,
    keys,
    answer_out,
):
    """Begin a search (state[OPEN] = -1) or take it up again, look at `limit` pairs and write down what is known."""
    part_a, part_b = (corners_a, child_a, rows_a, boxes_a), (corners_b, child_b, rows_b, boxes_b)
    X_WA = load_pose_row(pose_a)
    X = pose_relative(X_WA, load_pose_row(pose_b))
    prepare(kind, X[0], X[1], table)
    best2, guides = _begin(part_a, part_b, X, state, pairs, keys)
    if state[OPEN] < 0:
        _open_root(kind, part_a, part_b, X, table, guides, best2, state, pairs, keys)
    no_pairs, no_bounds = np.empty((0, 2), np.int32), np.empty(0)
    best2 = search(
        kind,
        strategy,
        corners_a,
        child_a,
        rows_a,
        corners_b,
        child_b,
        rows_b,
        X,
        table,
        guides,
        best2,
        limit,
        0.0,
        state,
        pairs,
        keys,
        no_pairs,
        no_bounds,
    )
    lower2 = best2
    for i in range(state[OPEN]):
        lower2 = min(lower2, keys[i])
    _put_answer(part_a, part_b, X_WA, X, lower2, best2, state, answer_out)


@kernel
def motion_bound(boxes_a, boxes_b, X_0, X_1):
    """How far any two points of A and B can have come closer between two relative poses.

    The points of B move in the frame of A by at most the way of its centre plus the chord of its ball; or
    those of A in the frame of B, whichever is less.
    """
    chord2 = 0.0
    for k in range(9):
        chord2 += (X_1[0][k] - X_0[0][k]) ** 2
    # The Frobenius norm of the difference of two rotations is sqrt(2) times its largest gain.
    chord = sqrt(0.5 * chord2)
    root = np.int64(0)
    a, b = box_centre(boxes_a, root), box_centre(boxes_b, root)
    way_b = sqrt(distance2(pose_apply(X_0, b), pose_apply(X_1, b))) + chord * norm(box_half(boxes_b, root))
    way_a = sqrt(distance2(pose_apply_inverse(X_0, a), pose_apply_inverse(X_1, a)))
    way_a += chord * norm(box_half(boxes_a, root))
    return min(way_a, way_b) * (1.0 + 1e-12)


@kernel
def _tick(boxes_a, boxes_b, X, clock, history):
    """Advance `clock` = [time, number of poses] to the pose X, which is added to the history of poses [R, p].

    Its time grows by the motion since the last pose. A history that is full begins anew, at number 0.
    """
    last = np.int64(clock[1])
    if last >= 0:
        clock[0] += motion_bound(boxes_a, boxes_b, pose_of(history, last), X)
    now = last + 1 if last + 1 < history.shape[0] else 0
    clock[1] = now
    for k in range(9):
        history[now, k] = X[0][k]
    for k in range(3):
        history[now, 9 + k] = X[1][k]
    return now


@kernel
def follow(
    kind,
    table,
    corners_a,
    child_a,
    rows_a,
    boxes_a,
    corners_b,
    child_b,
    rows_b,
    boxes_b,
    pose_a,
    pose_b,
    clock,
    history,
    state,
    pairs,
    keys,
    front_pairs,
    front_bounds,
    front_since,
    front_gaps,
    answer_out,
):
    """The exact distance along a motion: what was discarded at the last pose is looked at only where the motion since
    then could have brought it closer than the pair known. state[FRONT] = 0 begins a new front.
    """
    part_a, part_b = (corners_a, child_a, rows_a, boxes_a), (corners_b, child_b, rows_b, boxes_b)
    X_WA = load_pose_row(pose_a)
    X = pose_relative(X_WA, load_pose_row(pose_b))
    prepare(kind, X[0], X[1], table)
    best2, guides = _begin(part_a, part_b, X, state, pairs, keys)
    if state[FRONT] == 0:
        best2, guides = _second_thought(part_a, part_b, X, best2, guides, state, pairs, keys)
    now = _tick(boxes_a, boxes_b, X, clock, history)
    if state[FRONT] == 0:
        _open_root(kind, part_a, part_b, X, table, guides, best2, state, pairs, keys)
        limit = np.int64(2**62)
        front_since[:] = -1
        best2 = search(
            kind,
            DEPTH,
            corners_a,
            child_a,
            rows_a,
            corners_b,
            child_b,
            rows_b,
            X,
            table,
            guides,
            best2,
            limit,
            clock[0],
            state,
            pairs,
            keys,
            front_pairs,
            front_bounds,
        )
    else:
        front = (front_pairs, front_bounds, front_since, front_gaps)
        best2 = walk_front(
            kind, part_a, part_b, X, table, guides, best2, clock[0], now, history, state, pairs, keys, front
        )
    _put_answer(part_a, part_b, X_WA, X, best2, best2, state, answer_out)
