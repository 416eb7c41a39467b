"""What edges of a few triangles run through in a part: found, classified and put in order in one call."""

import numpy as np

from ..._jit import kernel
from ...math.pose_kernels import load_pose_row, pose_apply
from ...math.vec_kernels import put_row, row
from .brep_index_tables import Items
from .chosen_kernels import chosen_items, list_said
from .edge_kernels import edges_of_triangles
from .sequence_kernels import place_stretches, put_sequences
from .span_kernels import find_spans


@kernel
def _list_in_order(items, found, said_out):
    """Segments that are not out from end to end, by rising numbers of their edges; returns how many."""
    n = list_said(items, said_out)
    for i in range(1, n):
        s, k = said_out[i], i
        while k > 0 and found[said_out[k - 1]] > found[s]:
            said_out[k] = said_out[k - 1]
            k -= 1
        said_out[k] = s
    return n


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
    n = _list_in_order(items, found[:m], said)
    kept, world, listed = chosen_items(items, said[:n]), np.empty((2 * n, 3)), np.empty(n, np.int32)
    for i in range(n):
        listed[i] = found[said[i]]
        for k in range(2):
            put_row(pose_apply(X, row(vertices, ends[listed[i], k])), 2 * i + k, world)
    return listed, world, kept.first, kept.kind, kept.number, kept.part
