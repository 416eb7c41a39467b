"""Does one vertex meet one triangle, or one edge another, during a motion?

What a separating plane or direction at both ends of the path does not dismiss is advanced conservatively. Kinds of
hits: which features of A and of B meet. limits = (gap, tolerance, share, radii), see motion_check_kernels.check_motion.
"""

from math import sqrt

import numpy as np

from .._jit import inlined_kernel, kernel
from ..geometry.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.vec_kernels import add_scaled, distance2, dot, norm, orthonormal_basis, sub
from .impact_rigid_kernels import FREE, impact_edge_edge_rigid, impact_vertex_face_rigid

# Typed, because every plain number would get machine code of its own.
VERTEX_FACE, FACE_VERTEX, EDGE_EDGE = np.int64(0), np.int64(1), np.int64(2)


@kernel
def triangle_of(corner, j):
    """Corners of triangle j."""
    return (
        (corner[j, 0], corner[j, 1], corner[j, 2]),
        (corner[j, 3], corner[j, 4], corner[j, 5]),
        (corner[j, 6], corner[j, 7], corner[j, 8]),
    )


@kernel
def ends_of(segment, i):
    """Ends of edge i."""
    return (segment[i, 0], segment[i, 1], segment[i, 2]), (segment[i, 3], segment[i, 4], segment[i, 5])


@kernel
def plane_keeps_apart(plane, j, y0, y1, reach):
    """Whether a path stays beyond `reach` on one side of the plane of triangle j."""
    n = (plane[j, 0], plane[j, 1], plane[j, 2])
    s0, s1 = dot(n, y0) - plane[j, 3], dot(n, y1) - plane[j, 3]
    return (s0 >= reach and s1 >= reach) or (s0 <= -reach and s1 <= -reach)


@kernel
def _direction_keeps_apart(y0, q, y1, reach):
    """Whether the direction from the closest point `q` to y0 separates a triangle from both y0 and y1."""
    n = sub(y0, q)
    d = norm(n)
    return d >= reach and dot(n, sub(y1, q)) >= reach * d


@kernel
def _path_misses_triangle(y0, y1, triangle, reach):
    """Whether a separating direction at one end of the path holds over all of it."""
    a, b, c = triangle
    q, _ = closest_point_triangle(y0, a, b, c)
    if _direction_keeps_apart(y0, q, y1, reach):
        return True
    q, _ = closest_point_triangle(y1, a, b, c)
    return _direction_keeps_apart(y1, q, y0, reach)


@kernel
def _segments_stay_apart(e0, e1, f, reach):
    """Whether the direction between the closest points of e0 and f separates f from both e0 and e1."""
    p, q, _, _ = closest_segment_segment(e0[0], e0[1], f[0], f[1])
    n = sub(p, q)
    d = norm(n)
    if d < reach:
        return False
    wall = reach * d + max(dot(n, f[0]), dot(n, f[1]))
    return min(dot(n, e1[0]), dot(n, e1[1])) >= wall and min(dot(n, e0[0]), dot(n, e0[1])) >= wall


@kernel
def _add_hit(t, kind, i, j, times_out, hits_out):
    """Append a hit; returns nothing, counts beyond the buffer too. times_out[0] is the number of hits."""
    n = int(times_out[0])
    if n + 1 < times_out.shape[0]:
        times_out[n + 1] = t
        hits_out[n, 0], hits_out[n, 1], hits_out[n, 2] = kind, i, j
    times_out[0] = n + 1.0


@kernel
def _gap_to_keep(distance, limits):
    """Gap and tolerance for a pair that starts at `distance`, less than the gap if it starts nearer and may stay so."""
    gap, tolerance, share, radii = limits
    if share == 0.0 or distance > gap + tolerance:
        return gap, tolerance
    kept = share * max(distance - radii, 0.0)
    return radii + kept, min(tolerance, 0.01 * kept)


@kernel
def check_vertex_candidate(i, j, v, y0, y1, reach, corner, motions, limits, times_out, hits_out):
    """One vertex against one triangle over the whole motion."""
    triangle = triangle_of(corner, j)
    if _path_misses_triangle(y0, y1, triangle, reach):
        return
    q, _ = closest_point_triangle(y0, triangle[0], triangle[1], triangle[2])
    gap, tolerance = _gap_to_keep(sqrt(distance2(y0, q)), limits)
    t, status = impact_vertex_face_rigid(v, motions[0], triangle, motions[1], gap, tolerance)
    if status != FREE:
        _add_hit(t, VERTEX_FACE, i, j, times_out, hits_out)


@inlined_kernel
def check_edge_candidate(i, j, edge, e0, e1, reach, segment, motions, limits, times_out, hits_out):
    """One edge against one edge over the whole motion."""
    f = ends_of(segment, j)
    if _segments_stay_apart(e0, e1, f, reach) or _segments_stay_apart(e1, e0, f, reach):
        return
    p, q, _, _ = closest_segment_segment(e0[0], e0[1], f[0], f[1])
    gap, tolerance = _gap_to_keep(sqrt(distance2(p, q)), limits)
    t, status = impact_edge_edge_rigid(edge, motions[0], f, motions[1], gap, tolerance)
    if status != FREE:
        _add_hit(t, EDGE_EDGE, i, j, times_out, hits_out)


@kernel
def check_point_and_plane(i, v, y0, y1, bend, n, offset, motions, limits, times_out, hits_out):
    """One point against the plane of a half-space, by a triangle around its foot that the path cannot leave."""
    s0, s1 = dot(n, y0) - offset, dot(n, y1) - offset
    if min(s0, s1) >= limits[0] + bend:
        return
    gap, tolerance = _gap_to_keep(s0, limits)
    foot = add_scaled(y0, -s0, n)
    size = 8.0 * (sqrt(distance2(y0, y1)) + bend + gap + abs(s0))
    t1, t2 = orthonormal_basis(n)
    a = add_scaled(foot, size, t1)
    b = add_scaled(add_scaled(foot, -size, t1), size, t2)
    c = add_scaled(add_scaled(foot, -size, t1), -size, t2)
    t, status = impact_vertex_face_rigid(v, motions[0], (a, b, c), motions[1], gap, tolerance)
    if status != FREE:
        _add_hit(t, VERTEX_FACE, i, 0, times_out, hits_out)
