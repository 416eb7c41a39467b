"""Does one vertex meet one triangle, or one edge another, during a motion?

Bounds of their distance come first: along the axes, along the triangle's normal, along the direction between closest
points at either end of the path. Only where none of them suffices, the pair is advanced conservatively. Kinds of hits:
which features of A and of B meet.
"""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ...math.vec_kernels import add_scaled, distance2, dot, norm, orthonormal_basis
from ..impact.impact_rigid_kernels import FREE, impact_edge_edge_from, impact_vertex_face_from
from ..impact.impact_tables import Sought
from .motion_piece_kernels import EFFORT, UNTIL, edge_apart_until, is_spent, vertex_apart_until
from .separation_kernels import separation_from_segment, separation_from_triangle

# Typed, because every plain number would get machine code of its own.
VERTEX_FACE, FACE_VERTEX, EDGE_EDGE = np.int64(0), np.int64(1), np.int64(2)
PIECES_EFFORT, STEP_EFFORT = 60.0, 60.0
"""To look at a candidate in pieces, and for each step of conservative advancement."""
_OF_KEPT = 0.01
"""Of the gap that a pair keeps which starts too near: the tolerance, at most."""


@lean_kernel
def triangle_of(corner, j):
    """Corners of triangle j."""
    return (
        (corner[j, 0], corner[j, 1], corner[j, 2]),
        (corner[j, 3], corner[j, 4], corner[j, 5]),
        (corner[j, 6], corner[j, 7], corner[j, 8]),
    )


@lean_kernel
def ends_of(segment, i):
    """Ends of edge i."""
    return (segment[i, 0], segment[i, 1], segment[i, 2]), (segment[i, 3], segment[i, 4], segment[i, 5])


@lean_kernel
def _add_hit(t, kind, i, j, window, found_out):
    """Append a hit; counts those beyond the buffer too.

    What comes later than `window` after a hit is not looked for (see motion_piece_kernels on `work`).
    """
    times, hits, work = found_out.times, found_out.hits, found_out.work
    n = int(times[0])
    if n + 1 < times.shape[0]:
        times[n + 1] = t
        hits[n, 0], hits[n, 1], hits[n, 2] = kind, i, j
    times[0] = n + 1.0
    work[0, UNTIL] = min(work[0, UNTIL], t + window)


@lean_kernel
def _gap_to_keep(distance, limits):
    """Gap and tolerance for a pair that starts at `distance`, less than the gap if it starts nearer and may stay so."""
    gap, tolerance, share, radii, _ = limits
    if share == 0.0 or distance > gap + tolerance:
        return gap, tolerance
    kept = share * max(distance - radii, 0.0)
    return radii + kept, min(tolerance, _OF_KEPT * kept)


@inner_kernel
def _check_vertex(i, j, candidate, distance, triangle, check, found_out):
    motions, work = check.motions, found_out.work
    (v, _), (bow, _) = candidate.own, candidate.bows
    gap, tolerance = _gap_to_keep(distance, check.limits)
    since = vertex_apart_until(v, bow, triangle, gap, candidate.bulge, motions, work)
    if since >= work[0, UNTIL]:
        return
    span = (since, work[0, UNTIL])
    t, status, steps = impact_vertex_face_from(v, motions.moving, triangle, motions.other, Sought(gap, tolerance), span)
    work[0, EFFORT] += STEP_EFFORT * steps
    if status != FREE:
        _add_hit(t, VERTEX_FACE, i, j, check.limits.window, found_out)


@inner_kernel
def _check_edge(i, j, candidate, distance, f, check, found_out):
    motions, work = check.motions, found_out.work
    gap, tolerance = _gap_to_keep(distance, check.limits)
    since = edge_apart_until(candidate.own, candidate.bows, f, gap, candidate.bulge, motions, work)
    if since >= work[0, UNTIL]:
        return
    span = (since, work[0, UNTIL])
    t, status, steps = impact_edge_edge_from(
        candidate.own, motions.moving, f, motions.other, Sought(gap, tolerance), span
    )
    work[0, EFFORT] += STEP_EFFORT * steps
    if status != FREE:
        _add_hit(t, EDGE_EDGE, i, j, check.limits.window, found_out)


@inner_kernel
def separation(kind, e0, e1, bows, elements, j, enough, n):
    """Lower bound of the distance of a feature that moves from e0 to e1, its ends with their bows, and an element.

    Of two edges, the direction along which they are apart comes with it; else n is passed on.
    """
    if kind == VERTEX_FACE:
        (y0, _), (y1, _), (bow, _) = e0, e1, bows
        return separation_from_triangle(y0, y1, bow, triangle_of(elements, j), enough), n
    return separation_from_segment(e0, e1, bows, ends_of(elements, j), enough)


@lean_kernel
def check_candidate(i, j, candidate, elements, check, found_out):
    """Vertex i against triangle j, or edge i against edge j, where no direction shows them to stay apart."""
    work, (y, z) = found_out.work, candidate.start
    if is_spent(work):
        return
    work[0, EFFORT] += PIECES_EFFORT
    if check.kind == VERTEX_FACE:
        a, b, c = triangle_of(elements, j)
        q, _ = closest_point_triangle(y, a, b, c)
        _check_vertex(i, j, candidate, sqrt(distance2(y, q)), (a, b, c), check, found_out)
    else:
        f0, f1 = ends_of(elements, j)
        p, q, _, _ = closest_segment_segment(y, z, f0, f1)
        _check_edge(i, j, candidate, sqrt(distance2(p, q)), (f0, f1), check, found_out)


@lean_kernel
def check_point_and_plane(i, candidate, y1, sway, plane, check, found_out):
    """Point i, which arrives at y1, against the plane (n, offset) of a half-space.

    It is checked against a triangle around its foot that the path cannot leave. Returns a lower bound of the distance
    of its parabola and the plane, 0 where the point had to be advanced.
    """
    (y0, _), (bow, _) = candidate.start, candidate.bows
    n, offset = plane
    s0, s1 = dot(n, y0) - offset, dot(n, y1) - offset
    apart = min(s0, s1) + min(dot(n, bow), 0.0)
    if apart >= check.limits.gap + sway:
        return apart
    foot = add_scaled(y0, -s0, n)
    size = 8.0 * (sqrt(distance2(y0, y1)) + norm(bow) + sway + check.limits.gap + abs(s0))
    t1, t2 = orthonormal_basis(n)
    a = add_scaled(foot, size, t1)
    b = add_scaled(add_scaled(foot, -size, t1), size, t2)
    c = add_scaled(add_scaled(foot, -size, t1), -size, t2)
    _check_vertex(i, 0, candidate, s0, (a, b, c), check, found_out)
    return 0.0
