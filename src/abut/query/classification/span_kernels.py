"""Where segments run within the tolerance of vertices, edges and faces.

Points within the tolerance of a vertex are a ball, of an edge a cylinder (and the balls of its ends), of a triangle a
prism (and what belongs to its edges). Each is convex, so that a segment p + t d has at most one span in it. Spans are
found from a point of the segment near the triangle, so that little is lost to rounding however long the segment is.
"""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.vec_kernels import add_scaled, cross, dot, norm, norm2, row, sub, unit
from ..distance.triangle_pair_kernels import load_triangle
from .brep_index_kernels import longer, longer_rows
from .brep_index_tables import EDGE, FACE, VERTEX, BrepIndex, Spans
from .place_kernels import height, new_walk, part_between, triangles_along

# A triangle has at most this many spans: its own, and those of its edges and vertices.
_OF_TRIANGLE = 7
# A segment that moves away from an edge by less than this many tolerances is parallel to it.
_PARALLEL = 1e-9


@inner_kernel
def _ball_span(w, d, tolerance):
    """Span of w + t d in the ball about the origin, and the least distance."""
    dd = norm2(d)
    t = -dot(w, d) / dd if dd > 0.0 else 0.0
    nearest2 = norm2(add_scaled(w, t, d))
    if nearest2 > tolerance * tolerance:
        return 1.0, 0.0, 0.0
    if dd == 0.0:
        return -np.inf, np.inf, sqrt(nearest2)
    half = sqrt((tolerance * tolerance - nearest2) / dd)
    return t - half, t + half, sqrt(nearest2)


@inner_kernel
def _cylinder_span(w, d, u, length, tolerance):
    """Span as above in the cylinder about the segment from the origin to `length` along the unit vector `u`."""
    along, pace = dot(w, u), dot(d, u)
    first, last = part_between(along, pace, 0.0, length, -np.inf, np.inf)
    beside, drift = add_scaled(w, -along, u), add_scaled(d, -pace, u)
    if norm(drift) <= _PARALLEL * tolerance:
        return (first, last) if norm(beside) <= tolerance else (1.0, 0.0)
    begin, end, _ = _ball_span(beside, drift, tolerance)
    return max(first, begin), min(last, end)


@inner_kernel
def _prism_span(index, i, p, d, margin, tolerance):
    """Parameters at which a segment is within `tolerance` of a triangle's plane and `margin` beyond no side of it."""
    first, last = 0.0, 1.0
    for k in range(4):
        n = (index.planes[i, 4 * k], index.planes[i, 4 * k + 1], index.planes[i, 4 * k + 2])
        low, high = (-tolerance, tolerance) if k == 0 else (-margin, np.inf)
        first, last = part_between(height(index.planes, i, 4 * k, p), dot(n, d), low, high, first, last)
        if last < first:
            break
    return first, last


@inner_kernel
def _misses(index, i, p, d, tolerance):
    """Whether both ends of a segment are farther than the tolerance off one side of a triangle, or of its plane."""
    q = add_scaled(p, 1.0, d)
    h, g = height(index.planes, i, 0, p), height(index.planes, i, 0, q)
    if min(h, g) > tolerance or max(h, g) < -tolerance:
        return True
    for k in range(1, 4):
        if max(height(index.planes, i, 4 * k, p), height(index.planes, i, 4 * k, q)) < -tolerance:
            return True
    return False


@inner_kernel
def _put_span(kind, number, span, rank, n, spans_io):
    """Add a span, cut to the segment, where it is not empty; returns how many there are."""
    first, last = max(0.0, span[0]), min(1.0, span[1])
    if last < first:
        return n
    spans_io.kind[n], spans_io.number[n], spans_io.rank[n] = kind, number, rank
    spans_io.part[n, 0], spans_io.part[n, 1] = first, last
    return n + 1


@inner_kernel
def _slope(normals, f, direction):
    """Sine of the angle between a face and a direction."""
    return abs(dot(row(normals, f), direction))


@inner_kernel
def _edge_spans(index, i, line, tolerance, n, spans_io):
    p, d, direction, at = line
    T, w = load_triangle(index.corners, i), add_scaled(p, at, d)
    for k in range(3):
        if (index.owned[i] >> k) & 1 == 0:
            continue
        e = np.int64(index.edges[i, k])
        side = sub(T[(k + 1) % 3], T[k])
        u, length = unit(side), norm(side)
        first, last = _cylinder_span(sub(w, T[k]), d, u, length, tolerance)
        kind, number = np.int64(index.edge_name[e, 0]), np.int64(index.edge_name[e, 1])
        rank = norm(cross(u, direction)) if kind == EDGE else _slope(index.normals, number, direction)
        n = _put_span(kind, number, (at + first, at + last), rank, n, spans_io)
    return n


@inner_kernel
def _vertex_spans(index, i, line, tolerance, n, spans_io):
    p, d, direction, at = line
    T, w = load_triangle(index.corners, i), add_scaled(p, at, d)
    for k in range(3):
        if (index.owned[i] >> (k + 3)) & 1 == 0:
            continue
        v = np.int64(index.vertices[i, k])
        first, last, nearest = _ball_span(sub(w, T[k]), d, tolerance)
        kind, number = np.int64(index.vertex_name[v, 0]), np.int64(index.vertex_name[v, 1])
        rank = nearest / tolerance if kind == VERTEX else _slope(index.normals, number, direction)
        n = _put_span(kind, number, (at + first, at + last), rank, n, spans_io)
    return n


@inner_kernel
def _triangle_spans(index, i, p, d, tolerance, n, spans_io):
    """Spans of a triangle, and of the edges and vertices that are left to it; returns how many there are.

    Where a segment is near an edge, it is near every triangle there: also the one to which the edge is left.
    """
    if _misses(index, i, p, d, tolerance):
        return n
    first, last = _prism_span(index, i, p, d, tolerance, tolerance)
    if last < first:
        return n
    direction = unit(d)
    line = (p, d, direction, 0.5 * (first + last))
    n = _vertex_spans(index, i, line, tolerance, n, spans_io)
    n = _edge_spans(index, i, line, tolerance, n, spans_io)
    if index.planes[i, 0] == 0.0 and index.planes[i, 1] == 0.0 and index.planes[i, 2] == 0.0:
        return n
    f = np.int64(index.faces[i])
    span = _prism_span(index, i, p, d, 0.0, tolerance)
    return _put_span(FACE, f, span, _slope(index.normals, f, direction), n, spans_io)


@kernel
def _with_room(spans, needed):
    return Spans(
        longer(spans.kind, needed),
        longer(spans.number, needed),
        longer_rows(spans.part, needed),
        longer(spans.rank, needed),
    )


@kernel
def find_spans(index, points, ends, tolerance, first_out):
    """Spans of the segments between points ends[i, 0] and ends[i, 1]; those of segment i begin at first_out[i]."""
    index = BrepIndex(*index)
    walk = new_walk(index)
    spans = Spans(np.empty(64, np.int8), np.empty(64, np.int32), np.empty((64, 2)), np.empty(64))
    n, first_out[0] = 0, 0
    for s in range(ends.shape[0]):
        p = row(points, ends[s, 0])
        d = sub(row(points, ends[s, 1]), p)
        n_found = triangles_along(index, p, d, tolerance, s + 1, walk)
        spans = _with_room(spans, n + _OF_TRIANGLE * n_found)
        for k in range(n_found):
            n = _triangle_spans(index, np.int64(walk.found[k]), p, d, tolerance, n, spans)
        first_out[s + 1] = n
    return spans
