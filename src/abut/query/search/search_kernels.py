"""Branch and bound over two hierarchies (SiLVIA section 2.4).

Open pairs of nodes wait in a queue (see `queue_kernels`): with one level it is a stack whose top is the closer child
(greedy depth-first search), with many the closest of all comes first (global best-first search).

The search can be stopped after any number of pairs and taken up again. `state` holds what it needs to know: that of
the queue, pairs of volumes tested, pairs of triangles tested, the two closest triangles, and entries of the front.
A front is the list of all pairs that were discarded, each with a lower bound of its distance.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import lean_kernel
from ...math.pose_kernels import pose_apply, pose_apply_inverse
from ...math.vec_kernels import mat_t_vec, unit
from ..distance.point_kernels import closest_point_part
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle, triangle_gap2
from ..volumes.obb_kernels import box_centre
from ..volumes.volume_kernels import volume_bounds2, volume_size
from .queue_kernels import OPEN, pop, push, top_of

VOLUMES, TRIANGLES, BEST_A, BEST_B, FRONT = 4, 5, 6, 7, 8

# Effort for the first upper bound: nodes per projected point, and projections from part to part and back.
_SEED_NODES = 100
_SEED_ROUNDS = 4
_PROGRESS2 = 0.98
"""Squared factor by which a projection must come closer for another one to be worth it."""


@lean_kernel
def first_pair(pair, stack_io, key_io):
    """Two triangles that are close together, found by projecting a point from part to part."""
    part_a, part_b, X, root = pair.a, pair.b, pair.X, 0
    q = pose_apply(X, box_centre(part_b.boxes, root))
    least2, a, b = inf, -1, -1
    for _ in range(_SEED_ROUNDS):
        _, q, near_a = closest_point_part(q, part_a, stack_io, key_io, np.int64(_SEED_NODES))
        d2, q, near_b = closest_point_part(pose_apply_inverse(X, q), part_b, stack_io, key_io, np.int64(_SEED_NODES))
        if d2 < least2:
            a, b = near_a, near_b
        if d2 > _PROGRESS2 * least2:
            break
        least2 = d2
        q = pose_apply(X, q)
    return a, b


@lean_kernel
def pair_gap2(corners_a, a, corners_b, b, X, best2):
    """`triangle_gap2` of two leaves."""
    return triangle_gap2(load_triangle(corners_a, a), moved_triangle(corners_b, b, X), best2)


@lean_kernel
def _twig(child, i, leaves_only):
    """First triangle and number of triangles of a leaf, or of a node with two leaves; number 0 for larger nodes."""
    under = np.int64(child[i])
    if under < 0:
        return -1 - under, 1
    first = np.int64(child[under])
    return (-1 - first, 2) if first < 0 and child[under + 1] < 0 and not leaves_only else (0, 0)


@lean_kernel
def _twigs_gap2(corners_a, twig_a, corners_b, twig_b, X, best2):
    """`triangle_gap2` of the closest triangles of two twigs, and which they are."""
    (first_a, n_a), (first_b, n_b) = twig_a, twig_b
    least2, gap, near_a, near_b = inf, (0.0, 0.0, 0.0), first_a, first_b
    for b in range(first_b, first_b + n_b):
        B = moved_triangle(corners_b, b, X)
        for a in range(first_a, first_a + n_a):
            d2, towards = triangle_gap2(load_triangle(corners_a, a), B, min(best2, least2))
            if d2 < least2:
                least2, gap, near_a, near_b = d2, towards, a, b
    return least2, gap, near_a, near_b


@lean_kernel
def guides_along(gap, X):
    """The direction of `gap` as a unit vector in the frame of either part."""
    guide = unit(gap)
    return guide, mat_t_vec(X.R, guide)


@lean_kernel
def _discard(bound2, a, b, clock, state_io, discarded_io):
    """Note a pair that need not be looked at; a front that is too small is counted on, but not written to."""
    pairs, bounds = discarded_io
    n = state_io[FRONT]
    if n < bounds.shape[0]:
        pairs[n, 0], pairs[n, 1] = a, b
        bounds[n] = sqrt(bound2) + clock
    state_io[FRONT] = n + 1


@lean_kernel
def search(pair, guides, best2, limit, clock, state_io, queue_io, discarded_io):
    """Look at up to `limit` open pairs; returns the smallest squared distance known then.

    Ends early where the parts meet and where nothing is open any more.
    """
    (corners_a, child_a, rows_a, _), (corners_b, child_b, rows_b, _), X, kind, table = pair
    record = discarded_io.bounds.shape[0] > 0
    top = top_of(best2)
    while state_io[OPEN] > 0 and limit > 0 and best2 > 0.0:
        key, a, b = pop(state_io, queue_io)
        if key >= best2:
            if record:
                _discard(key, a, b, clock, state_io, discarded_io)
            continue
        limit -= 1
        # Two triangles on either side are sooner compared than their boxes; but a front is made of single ones, whose
        # distances are those along one direction.
        (first_a, n_a), (first_b, n_b) = _twig(child_a, a, record), _twig(child_b, b, record)
        if n_a > 0 and n_b > 0:
            state_io[TRIANGLES] += n_a * n_b
            d2, gap, near_a, near_b = _twigs_gap2(corners_a, (first_a, n_a), corners_b, (first_b, n_b), X, best2)
            if d2 < best2:
                best2, guides = d2, guides_along(gap, X)
                state_io[BEST_A], state_io[BEST_B] = near_a, near_b
            if record:
                _discard(d2, a, b, clock, state_io, discarded_io)
            continue
        state_io[VOLUMES] += 2
        under_a, under_b = np.int64(child_a[a]), np.int64(child_b[b])
        split_a = under_b < 0 or (
            under_a >= 0 and volume_size(kind, rows_a, a, table) > volume_size(kind, rows_b, b, table)
        )
        a_0, b_0 = (under_a, b) if split_a else (a, under_b)
        a_1, b_1 = (under_a + 1, b) if split_a else (a, under_b + 1)
        key_0, far_0, key_1, far_1 = volume_bounds2(pair, a_0, b_0, split_a, table, guides, best2)
        if key_0 < key_1 or (key_0 == key_1 and far_0 < far_1):
            key_0, a_0, b_0, key_1, a_1, b_1 = key_1, a_1, b_1, key_0, a_0, b_0
        # A child's bound can be the looser one; its parent's holds for it too.
        if key_0 < best2:
            push(max(key, key_0), a_0, b_0, top, state_io, queue_io)
        elif record:
            _discard(key_0, a_0, b_0, clock, state_io, discarded_io)
        if key_1 < best2:
            push(max(key, key_1), a_1, b_1, top, state_io, queue_io)
        elif record:
            _discard(key_1, a_1, b_1, clock, state_io, discarded_io)
    return best2
