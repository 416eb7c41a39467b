"""What edges of a few triangles run through in a part: found, classified and put in order in one call."""

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.pose_kernels import load_pose_row, pose_apply
from ...math.vec_kernels import put_row, row
from .brep_index_tables import OUT, Items
from .edge_kernels import edges_of_triangles
from .sequence_kernels import place_stretches, put_sequences
from .span_kernels import find_spans


@inner_kernel
def _is_said(items, s):
    """Whether a segment is not out from end to end."""
    for k in range(items.first[s], items.first[s + 1]):
        if items.kind[k] != OUT:
            return True
    return False


@kernel
def _list_said(items, found, said_out):
    """Segments that are not out from end to end, by rising numbers of their edges; returns how many."""
    n = 0
    for s in range(found.shape[0]):
        if _is_said(items, s):
            k, n = n, n + 1
            while k > 0 and found[said_out[k - 1]] > found[s]:
                said_out[k] = said_out[k - 1]
                k -= 1
            said_out[k] = s
    return n


@kernel
def _chosen(items, said):
    """The items of some of the segments, in their order."""
    total, first = 0, np.zeros(said.shape[0] + 1, np.int32)
    for i in range(said.shape[0]):
        total += items.first[said[i] + 1] - items.first[said[i]]
        first[i + 1] = total
    kept = Items(first, np.empty(total, np.int8), np.empty(total, np.int32), np.empty((total, 2)))
    for i in range(said.shape[0]):
        shift = first[i] - items.first[said[i]]
        for k in range(items.first[said[i]], items.first[said[i] + 1]):
            kept.kind[k + shift], kept.number[k + shift] = items.kind[k], items.number[k]
            for c in range(2):
                kept.part[k + shift, c] = items.part[k, c]
    return kept


@kernel
def _sequences(index, points, tolerance):
    """Sequences of the segments between points 2 i and 2 i + 1."""
    n = points.shape[0] // 2
    pairs, first = np.empty((n, 2), np.int32), np.empty(n + 1, np.int32)
    for s in range(n):
        pairs[s, 0], pairs[s, 1] = 2 * s, 2 * s + 1
    spans = find_spans(index, points, pairs, tolerance, first)
    room = 5 * n + 4 * first[n]
    items = Items(np.empty(n + 1, np.int32), np.empty(room, np.int8), np.empty(room, np.int32), np.empty((room, 2)))
    put_sequences(spans, first, points, pairs, tolerance, items)
    place_stretches(index, points, pairs, items)
    return items


@kernel
def say_edges(index, edges, triangles, poses, tolerance):
    """Edges of a few triangles that are not out from end to end, as `edges_of_triangles` takes them.

    Returns their places in the list of sharp ones, rising, their ends (2 n, 3) in the world, and `Items`.
    """
    m, (_, _, ends, vertices), X = 3 * triangles.shape[0], edges, load_pose_row(poses[1])
    found, points = np.empty(m, np.int32), np.empty((2 * m, 3))
    m = edges_of_triangles(index, edges, triangles, poses, tolerance, found, points)
    items, said = _sequences(index, points[: 2 * m], tolerance), np.empty(m, np.int32)
    n = _list_said(items, found[:m], said)
    kept, world, listed = _chosen(items, said[:n]), np.empty((2 * n, 3)), np.empty(n, np.int32)
    for i in range(n):
        listed[i] = found[said[i]]
        for k in range(2):
            put_row(pose_apply(X, row(vertices, ends[listed[i], k])), 2 * i + k, world)
    return listed, world, kept.first, kept.kind, kept.number, kept.part
