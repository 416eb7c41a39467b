"""Is there a plane between two parts during a motion? One that is found shows the whole pair to stay apart.

Parts A and B are known by their corners, the normals of their faces with the farthest any corner lies along them, and
the directions of their edges (hulls.py). Two convex parts that are apart are separated along a normal of a face of A or
B, or across an edge of each. Poses are those of A in the frame of B. A plane that goes with a face is at rest in the
frame of its part. One across two edges turns: with unit normals n0 and n1 at the ends and n(t) = (1 - t) n0 + t n1, no
longer than 1, the distance along n(t) of two points on straight paths is a quadratic of t; and the least of each of its
Bernstein coefficients is found over the corners of A and of B alone. Where true paths bend too far away from straight
ones, the motion is looked at in pieces, as in motion_piece_kernels.
A row of memory is a Plane: [kind, face or edge of A, face or edge of B].
"""

from math import inf

import numpy as np

from ..._jit import inner_kernel, lean_kernel
from ...math.pose_kernels import frame_at, pose_relative
from ...math.vec_kernels import add, cross, dot, mat_t_vec, mat_vec, norm, row, scale
from .motion_tables import Chord, Plane
from .relative_motion_kernels import bend_seen_back

NOTHING, FACE_OF_A, FACE_OF_B, EDGES_UP, EDGES_DOWN = np.int64(-1), np.int64(0), np.int64(1), np.int64(2), np.int64(3)
LEAST_SINE = 1e-3
"""Of the angle between two edges that give a direction."""
MOST_PIECES = 8.0
"""Into which a motion is cut."""


@inner_kernel
def _lowest(corner, begin, end, n):
    """How far the corners begin .. end reach against n."""
    least = inf
    for k in range(begin, end):
        least = min(least, n[0] * corner[k, 0] + n[1] * corner[k, 1] + n[2] * corner[k, 2])
    return least


@inner_kernel
def _highest(corner, begin, end, n):
    """How far they reach along n."""
    return -_lowest(corner, begin, end, (-n[0], -n[1], -n[2]))


@inner_kernel
def _above_face_of_b(hulls, a, b, face, X):
    """How far A lies above a face of B."""
    start, corner, normal = hulls.start, hulls.corner, hulls.normal
    n = row(normal, start[b, 1] + face)
    low = _lowest(corner, start[a, 0], start[a + 1, 0], mat_t_vec(X.R, n))
    return low + dot(n, X.p) - normal[start[b, 1] + face, 3]


@inner_kernel
def _above_face_of_a(hulls, a, b, face, X):
    """How far B lies above a face of A."""
    start, corner, normal = hulls.start, hulls.corner, hulls.normal
    n = mat_vec(X.R, row(normal, start[a, 1] + face))
    low = _lowest(corner, start[b, 0], start[b + 1, 0], n)
    return low - dot(n, X.p) - normal[start[a, 1] + face, 3]


@inner_kernel
def _across_edges(hulls, a, b, plane, X):
    """Unit normal of the edges of A and B that give a plane; zero where they are nearly parallel."""
    start, direction = hulls.start, hulls.direction
    kind, i, j = plane
    n = cross(mat_vec(X.R, row(direction, start[a, 2] + i)), row(direction, start[b, 2] + j))
    length = norm(n) if kind == EDGES_UP else -norm(n)
    return scale(1.0 / length, n) if abs(length) > LEAST_SINE else (0.0, 0.0, 0.0)


@inner_kernel
def _apart_along(hulls, a, b, n, X):
    """How far A lies beyond B along n."""
    start, corner = hulls.start, hulls.corner
    low = _lowest(corner, start[a, 0], start[a + 1, 0], mat_t_vec(X.R, n)) + dot(n, X.p)
    return low - _highest(corner, start[b, 0], start[b + 1, 0], n)


@inner_kernel
def _apart_at(plane, hulls, a, b, X):
    """How far a plane = (kind, of A, of B) shows A and B to be apart at a pose."""
    kind, i, j = plane
    if kind == FACE_OF_B:
        return _above_face_of_b(hulls, a, b, j, X)
    if kind == FACE_OF_A:
        return _above_face_of_a(hulls, a, b, i, X)
    return _apart_along(hulls, a, b, _across_edges(hulls, a, b, plane, X), X)


@inner_kernel
def _apart_between(plane, hulls, a, b, poses, apart):
    """The coefficient between those at the ends, `apart`, of how far a plane shows A and B to be apart."""
    here, there = apart
    if plane.kind == FACE_OF_A or plane.kind == FACE_OF_B:
        return 0.5 * (here + there)
    start, corner = hulls.start, hulls.corner
    X_0, X_1 = poses.X_0, poses.X_1
    n0, n1 = _across_edges(hulls, a, b, plane, X_0), _across_edges(hulls, a, b, plane, X_1)
    mixed = add(mat_t_vec(X_1.R, n0), mat_t_vec(X_0.R, n1))
    low = _lowest(corner, start[a, 0], start[a + 1, 0], mixed) + dot(n0, X_1.p) + dot(n1, X_0.p)
    return 0.5 * (low - _highest(corner, start[b, 0], start[b + 1, 0], add(n0, n1)))


@inner_kernel
def least_of_quadratic(first, middle, last):
    """The least value over [0, 1] of a quadratic that is given by its Bernstein coefficients."""
    if middle >= min(first, last):
        return min(first, last)
    return (first * last - middle * middle) / (first - 2.0 * middle + last)


@lean_kernel
def _best_face(hulls, a, b, poses):
    """The plane of a face that keeps A and B farthest apart at both ends, and how far."""
    start = hulls.start
    best, most = Plane(NOTHING, NOTHING, NOTHING), -inf
    # Without corners, as a half-space, a part has no end.
    for j in range(start[b + 1, 1] - start[b, 1] if start[a + 1, 0] > start[a, 0] else 0):
        apart = _above_face_of_b(hulls, a, b, j, poses.X_1)
        if apart > most:
            apart = min(apart, _above_face_of_b(hulls, a, b, j, poses.X_0))
            if apart > most:
                best, most = Plane(FACE_OF_B, NOTHING, np.int64(j)), apart
    for i in range(start[a + 1, 1] - start[a, 1] if start[b + 1, 0] > start[b, 0] else 0):
        apart = _above_face_of_a(hulls, a, b, i, poses.X_1)
        if apart > most:
            apart = min(apart, _above_face_of_a(hulls, a, b, i, poses.X_0))
            if apart > most:
                best, most = Plane(FACE_OF_A, np.int64(i), NOTHING), apart
    return best, most


@lean_kernel
def _best_edges(hulls, a, b, poses, side, most):
    """The same for planes across two edges, A being on this side of B, where that is farther than `most`."""
    start = hulls.start
    best = Plane(NOTHING, NOTHING, NOTHING)
    for i in range(start[a + 1, 2] - start[a, 2]):
        for j in range(start[b + 1, 2] - start[b, 2]):
            plane = Plane(EDGES_UP, np.int64(i), np.int64(j))
            if dot(_across_edges(hulls, a, b, plane, poses.X_1), side) < 0.0:
                plane = Plane(EDGES_DOWN, np.int64(i), np.int64(j))
            apart = _apart_at(plane, hulls, a, b, poses.X_1)
            if apart > most:
                apart = min(apart, _apart_at(plane, hulls, a, b, poses.X_0))
                if apart > most:
                    best, most = plane, apart
    return best, most


@lean_kernel
def plane_between(hulls, a, b, X):
    """The plane that keeps A, at a pose in the frame of B, farthest from B; and how far."""
    plane, most = _best_face(hulls, a, b, Chord(X, X))
    across, apart = _best_edges(hulls, a, b, Chord(X, X), X.p, most)
    return (across, apart) if apart > most else (plane, most)


@inner_kernel
def normal_of(plane, hulls, a, b, X):
    """Unit normal of a plane, from B to A, in the frame of B."""
    start, normal = hulls.start, hulls.normal
    if plane.kind == FACE_OF_B:
        return row(normal, start[b, 1] + plane.of_b)
    if plane.kind == FACE_OF_A:
        return scale(-1.0, mat_vec(X.R, row(normal, start[a, 1] + plane.of_a)))
    return _across_edges(hulls, a, b, plane, X)


@lean_kernel
def _pose_of_a(motions, t):
    """Pose of A in the frame of B at a time."""
    motion_a, motion_b = motions
    return pose_relative(frame_at(motion_b, t), frame_at(motion_a, t))


@lean_kernel
def _kept_apart(plane, hulls, a, b, motions, poses, bend, enough):
    """How far apart a plane shows A and B to stay; -inf if it does not show that this is `enough`.

    Pieces that do not show it are cut in half.
    """
    last = _apart_at(plane, hulls, a, b, poses.X_1)
    t, h, X0, X1 = 0.0, 1.0, poses.X_0, poses.X_1
    here, there, kept = _apart_at(plane, hulls, a, b, X0), last, inf
    while t < 1.0:
        if min(here, there) < enough:
            return -inf
        # Paths leave their chords by 4 bend s (1 - s) at most, which lowers the coefficient in the middle.
        middle = _apart_between(plane, hulls, a, b, Chord(X0, X1), (here, there)) - 2.0 * bend * h * h
        least = least_of_quadratic(here, middle, there)
        if least >= enough:
            t, X0, here, kept = t + h, X1, there, min(kept, least)
        elif h * MOST_PIECES > 1.0:
            h *= 0.5
        else:
            return -inf
        X1 = _pose_of_a(motions, t + h) if t + h < 1.0 else poses.X_1
        there = _apart_at(plane, hulls, a, b, X1) if t + h < 1.0 else last
    return kept


@inner_kernel
def _kept_by(plane, between, enough):
    """How far apart a plane shows A and B to stay; -inf if it does not show `enough`."""
    hulls, a, b, motions, poses, bend, arm_of_b = between
    if plane.kind == FACE_OF_A:
        # The plane is at rest for paths of B.
        motion_a, motion_b = motions
        bend = bend_seen_back(motion_a, motion_b, arm_of_b)
    return _kept_apart(plane, hulls, a, b, motions, poses, bend, enough)


@inner_kernel
def _known_plane(planes, slot):
    return Plane(np.int64(planes[slot, 0]), np.int64(planes[slot, 1]), np.int64(planes[slot, 2]))


@inner_kernel
def kept_by_known_plane(between, enough, slot, planes):
    """How far apart the plane in row `slot` of `planes` shows A and B to stay; -inf if it does not show `enough`."""
    plane = _known_plane(planes, slot)
    return -inf if plane.kind == NOTHING else _kept_by(plane, between, enough)


@inner_kernel
def kept_by_best_plane(between, side, enough, slot, planes_io):
    """The same of the best plane, which is written to that row; it was tried before if it is known.

    `side` is the way from B to A in the frame of B.
    """
    known = _known_plane(planes_io, slot)
    hulls, a, b, poses = between.hulls, between.a, between.b, between.poses
    plane, most = _best_face(hulls, a, b, poses)
    if most < enough:
        across, apart = _best_edges(hulls, a, b, poses, side, most)
        if apart > most:
            plane, most = across, apart
    planes_io[slot, 0], planes_io[slot, 1], planes_io[slot, 2] = plane
    if most < enough or plane == known:
        return -inf
    return _kept_by(plane, between, enough)
