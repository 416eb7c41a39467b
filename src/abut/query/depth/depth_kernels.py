"""How deep do points of one surface lie under another? Branch and bound over the triangles of A.

A is looked at in the frame of B. The signed depth of a point is its distance from B's surface, counted positive inside
B. What is wanted is the largest depth over all points of A's surface. Pieces of that surface, nodes of A's tree at
first, then its triangles and parts of these, wait in a heap with an upper bound of the depth in each
(depth_bound_kernels.py); the one that may be deepest is divided. Depths of corners are lower bounds.
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.frame_tables import IDENTITY
from ...math.pose_kernels import load_pose_row, pose_apply, pose_relative
from ...math.vec_kernels import (
    add,
    distance2,
    scale,
)
from ..distance.triangle_pair_kernels import load_triangle
from ..search.heap_kernels import heap_pop, heap_push
from ..volumes.hierarchy_tables import Part
from .depth_bound_kernels import BEYOND_ALL, MOST_FACETS, bound_of, bound_of_node, signed_depth
from .depth_tables import DepthLimits, Line, Piece, Tolerances, Wanted, Work

LOWER, UPPER, POINT = 0, 1, 2
ANSWER = 5

_WORTHWHILE = 0.7
"""A division that lowers a bound by this factor is taken; else other sides are tried."""
_MANY = 500
"""Nodes and facets looked at for a division, after which no other is tried."""
_BETTER = 0.99
"""By which factor a division must lower a bound to be preferred to another one."""


@lean_kernel
def _put(i, piece, node, work):
    for k in range(3):
        work.pieces[i, 3 * k], work.pieces[i, 3 * k + 1], work.pieces[i, 3 * k + 2] = piece.T[k]
        work.pieces[i, 9 + k] = piece.depth[k]
        work.names[i, k] = piece.facets[k]
    work.names[i, 3] = node


@lean_kernel
def _load(i, work):
    """The piece in slot i."""
    depth = (work.pieces[i, 9], work.pieces[i, 10], work.pieces[i, 11])
    facets = (np.int64(work.names[i, 0]), np.int64(work.names[i, 1]), np.int64(work.names[i, 2]))
    return Piece(load_triangle(work.pieces, i), depth, facets)


@lean_kernel
def _nowhere(facet):
    """What stands for the piece where a whole node waits: only the facet nearest to its centre is known."""
    return Piece(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), (0.0, 0.0, 0.0), (facet, facet, facet))


@lean_kernel
def _note(p, depth, answer_io):
    """Keep the deepest point."""
    if depth > answer_io[LOWER]:
        answer_io[LOWER] = depth
        answer_io[POINT], answer_io[POINT + 1], answer_io[POINT + 2] = p


@lean_kernel
def _enough(tolerances, answer):
    """Depths below this need not be looked for."""
    return answer[LOWER] * (1.0 + tolerances.share) + tolerances.length


@lean_kernel
def _push(bound, piece, node, place, line, tolerances, work, answer_io):
    """Let a piece wait in slot `place` (a new one if that is -1); returns the Line then.

    Of pieces that are not worth while, the bounds are kept in that of all.
    """
    if bound <= _enough(tolerances, answer_io):
        answer_io[UPPER] = max(answer_io[UPPER], bound)
        return line
    used = line.used
    if place < 0:
        place, used = used, used + 1
    _put(place, piece, node, work)
    heap_push(-bound, place, 0, line.waiting, work.waiting, work.keys)
    return Line(line.waiting + 1, used)


@lean_kernel
def _open_triangle(T, guess, place, wanted, line, work, answer_io):
    """A triangle of A, in the frame of B."""
    part = wanted.part
    d_0, f_0 = signed_depth(T[0], part, guess, work)
    d_1, f_1 = signed_depth(T[1], part, f_0, work)
    d_2, f_2 = signed_depth(T[2], part, f_1, work)
    piece = Piece(T, (d_0, d_1, d_2), (f_0, f_1, f_2))
    for k in range(3):
        _note(T[k], piece.depth[k], answer_io)
    bound = bound_of(piece, _enough(wanted.tolerances, answer_io), wanted, work)
    return _push(bound, piece, np.int64(-1), place, line, wanted.tolerances, work, answer_io)


@lean_kernel
def _open_node(i, part_a, X, wanted, line, work, answer_io):
    """The children of a node of A, or its triangle."""
    guess, under = np.int64(work.names[i, 0]), np.int64(part_a.child[work.names[i, 3]])
    if under < 0:
        A = load_triangle(part_a.corners, -1 - under)
        T = (pose_apply(X, A[0]), pose_apply(X, A[1]), pose_apply(X, A[2]))
        return _open_triangle(T, guess, i, wanted, line, work, answer_io)
    for k in range(2):
        bound, facet = bound_of_node(under + k, part_a, X, wanted.part, guess, work)
        place = i if k == 0 else np.int64(-1)
        line = _push(bound, _nowhere(facet), under + k, place, line, wanted.tolerances, work, answer_io)
    return line


@lean_kernel
def _longest(T):
    """The longest side of T."""
    ab, bc, ca = distance2(T[0], T[1]), distance2(T[1], T[2]), distance2(T[2], T[0])
    return 0 if ab >= bc and ab >= ca else (1 if bc >= ca else 2)


@lean_kernel
def _halves(piece, k, m, d, f):
    """The two pieces into which a point m of side k, of depth d and with nearest facet f, divides one."""
    (T, depth, facets), a, b, c = piece, k, (k + 1) % 3, (k + 2) % 3
    first = Piece((T[a], m, T[c]), (depth[a], d, depth[c]), (facets[a], f, facets[c]))
    return first, Piece((m, T[b], T[c]), (d, depth[b], depth[c]), (f, facets[b], facets[c]))


@lean_kernel
def _divide(i, bound, wanted, line, work, answer_io):
    """Divide a piece across its longest side, or, where that hardly lowers its bound, where it is lowered most."""
    piece = _load(i, work)
    T, facets, tolerances = piece.T, piece.facets, wanted.tolerances
    best, chosen = BEYOND_ALL, _halves(piece, 0, T[0], piece.depth[0], facets[0])
    best_0, best_1, k, before = 0.0, 0.0, _longest(T), work.spent[0]
    for _ in range(3):
        m = scale(0.5, add(T[k], T[(k + 1) % 3]))
        d, f = signed_depth(m, wanted.part, facets[k], work)
        _note(m, d, answer_io)
        enough = _enough(tolerances, answer_io)
        first, second = _halves(piece, k, m, d, f)
        # What bounds the whole bounds its halves.
        bound_0 = min(bound, bound_of(first, enough, wanted, work))
        bound_1 = min(bound, bound_of(second, enough, wanted, work))
        if max(bound_0, bound_1) < _BETTER * best:
            best, best_0, best_1 = max(bound_0, bound_1), bound_0, bound_1
            chosen = (first, second)
        if best <= enough or best < _WORTHWHILE * bound or work.spent[0] - before > _MANY:
            break
        k = (k + 1) % 3
    (first, second), leaf = chosen, np.int64(-1)
    line = _push(best_0, first, leaf, i, line, tolerances, work, answer_io)
    return _push(best_1, second, leaf, leaf, line, tolerances, work, answer_io)


@kernel
def _make_work(room, height):
    return Work(
        np.empty((room, 12)),
        np.empty((room, 4), np.int32),
        np.empty((room, 2), np.int32),
        np.empty(room),
        np.empty(height, np.int32),
        np.empty(height),
        np.empty(MOST_FACETS, np.int64),
        np.empty((2, 9, 3)),
        np.zeros(1, np.int64),
    )


@lean_kernel
def _settle(part_a, X, wanted, limits, line, work, answer_io):
    """Divide what may be deepest until the bounds agree, or the limits are reached."""
    looked, upper = np.int64(0), 0.0
    while line.waiting > 0:
        upper = -work.keys[0]
        if upper <= _enough(wanted.tolerances, answer_io) or looked == limits.pieces or work.spent[0] > limits.looks:
            break
        heap_pop(line.waiting, work.waiting, work.keys)
        line = Line(line.waiting - 1, line.used)
        looked += 1
        i = np.int64(work.waiting[line.waiting, 0])
        if work.names[i, 3] >= 0:
            line = _open_node(i, part_a, X, wanted, line, work, answer_io)
        else:
            line = _divide(i, upper, wanted, line, work, answer_io)
        upper = 0.0
    answer_io[UPPER] = max(upper, answer_io[UPPER], answer_io[LOWER])


@kernel
def _named(wanted):
    part, slack, tolerances = wanted
    return Wanted(Part(*part), slack, Tolerances(*tolerances))


@kernel
def reach(part_a, wanted, poses, limits, depth_of_trees, answer_out):
    """Bounds of the largest depth of points of A's surface in B, and the deepest point found, in the frame of B.

    `wanted` of B and `limits` are plain tuples, `poses` rows of both parts.
    """
    part_a, wanted, limits, (pose_a, pose_b) = Part(*part_a), _named(wanted), DepthLimits(*limits), poses
    X = pose_relative(load_pose_row(pose_b), load_pose_row(pose_a))
    work, root = _make_work(2 * limits.pieces + 8, depth_of_trees + 4), np.int64(0)
    for k in range(ANSWER):
        answer_out[k] = 0.0
    bound, facet = bound_of_node(root, part_a, X, wanted.part, root, work)
    line = _push(bound, _nowhere(facet), root, root, Line(root, root + 1), wanted.tolerances, work, answer_out)
    _settle(part_a, X, wanted, limits, line, work, answer_out)


@kernel
def reach_of_triangles(triangles, wanted, limits, least, depth_of_tree, answer_out):
    """`reach` of (n, 9) triangles, given in the frame of B, which are all of A's surface that lies in B.

    Depths up to `least` [m] are not looked for; where none is larger, the lower bound is `least` and has no point.
    """
    wanted, limits = _named(wanted), DepthLimits(*limits)
    work = _make_work(triangles.shape[0] + 2 * limits.pieces + 8, depth_of_tree + 4)
    for k in range(ANSWER):
        answer_out[k] = 0.0
    answer_out[LOWER] = least
    line, new, guess = Line(np.int64(0), np.int64(0)), np.int64(-1), np.int64(0)
    # Corners are where both surfaces meet, and without depth as a rule; a depth that is known keeps others from being
    # looked at in vain.
    for i in range(triangles.shape[0]):
        T = load_triangle(triangles, i)
        middle = scale(1.0 / 3.0, add(T[0], add(T[1], T[2])))
        depth, guess = signed_depth(middle, wanted.part, guess, work)
        _note(middle, depth, answer_out)
    for i in range(triangles.shape[0]):
        T = load_triangle(triangles, i)
        line = _open_triangle(T, guess, new, wanted, line, work, answer_out)
    work.spent[0] = 0  # the limit is for what is divided
    _settle(wanted.part, IDENTITY, wanted, limits, line, work, answer_out)
