"""Does any feature of a part come too close to another part during a motion, and when?

Each exposed vertex is checked against the triangles near its path and each exposed edge against the edges near its
path, all in the frame of the part they may meet. What was found near a feature is remembered: while its path stays
inside the `region` that was searched, nothing else can be in its way, and until it has used up the way it was `free`
to go in any direction, nothing at all. Both are judged by where the feature is now, so that the memory may come from
any earlier call, with any gap.

A candidate pair is dismissed by the cheapest bound that suffices: the boxes of path and element, the triangle's
plane, a direction that separates them at both ends of the path. Only what is left is advanced conservatively.

Memory of n features in blocks: state (n, 13) = [ends (6) of the feature at the last search, region (6), free];
span (n, 3) = first and last candidate in the pool, and room there; block_pose (n_block, 13) = [pose of A in B at the
last visit (12), least way left].
"""

from math import inf, sqrt

from .._jit import inlined_kernel, kernel
from ..geometry.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.pose_kernels import pose_apply
from ..math.vec_kernels import distance2, dot, lerp, norm, row
from .cell_grid_kernels import boxes_apart, find_near
from .motion_candidate_kernels import (
    EDGE_EDGE,
    FACE_VERTEX,
    VERTEX_FACE,
    check_edge_candidate,
    check_point_and_plane,
    check_vertex_candidate,
    ends_of,
    plane_keeps_apart,
    triangle_of,
)
from .relative_motion_kernels import relative_motion

BLOCK = 32
_REGION, _FREE = 6, 12


@kernel
def _box_of_path(e0, e1, margin):
    """Box of a feature with ends e0 = (p, q) that moves to e1, widened by `margin`."""
    (p0, q0), (p1, q1) = e0, e1
    low = (
        min(p0[0], q0[0], p1[0], q1[0]) - margin,
        min(p0[1], q0[1], p1[1], q1[1]) - margin,
        min(p0[2], q0[2], p1[2], q1[2]) - margin,
    )
    high = (
        max(p0[0], q0[0], p1[0], q1[0]) + margin,
        max(p0[1], q0[1], p1[1], q1[1]) + margin,
        max(p0[2], q0[2], p1[2], q1[2]) + margin,
    )
    return low, high


@kernel
def _inside_region(low, high, state, i):
    """Whether the box [low, high] lies inside the region that was searched around feature i."""
    return (
        low[0] >= state[i, 6]
        and low[1] >= state[i, 7]
        and low[2] >= state[i, 8]
        and high[0] <= state[i, 9]
        and high[1] <= state[i, 10]
        and high[2] <= state[i, 11]
    )


@kernel
def _farther_end2(e, f):
    """The larger squared distance between corresponding ends of two features."""
    return max(distance2(e[0], f[0]), distance2(e[1], f[1]))


@kernel
def rotation_difference(R, S):
    """Upper bound of |R v - S v| over unit vectors v."""
    total = 0.0
    for k in range(9):
        total += (R[k] - S[k]) * (R[k] - S[k])
    return sqrt(total)


@kernel
def _block_may_be_skipped(block_pose, b, centre, radius, poses, margin):
    """Whether no feature of the block can have used up the way it was free to go at the last visit."""
    rest = block_pose[b, 12]
    if not rest > margin:
        return False
    R = (
        block_pose[b, 0],
        block_pose[b, 1],
        block_pose[b, 2],
        block_pose[b, 3],
        block_pose[b, 4],
        block_pose[b, 5],
        block_pose[b, 6],
        block_pose[b, 7],
        block_pose[b, 8],
    )
    was = pose_apply((R, (block_pose[b, 9], block_pose[b, 10], block_pose[b, 11])), centre)
    for X in poses:
        moved = sqrt(distance2(was, pose_apply(X, centre))) + rotation_difference(R, X[0]) * radius
        if moved + margin > rest:
            return False
    return True


@kernel
def _remember_block(block_pose, b, X, rest):
    for k in range(9):
        block_pose[b, k] = X[0][k]
    for k in range(3):
        block_pose[b, 9 + k] = X[1][k]
    block_pose[b, 12] = rest


@kernel
def _distance_to_box(y, bounds, i):
    """Distance from a point to row `i` of (n, 6) bounds."""
    total = 0.0
    for k in range(3):
        outside = max(bounds[i, k] - y[k], y[k] - bounds[i, 3 + k], 0.0)
        total += outside * outside
    return sqrt(total)


@kernel
def _store_candidates(found, n, i, span, pool):
    """Keep the candidates of feature i in their old place if they fit, else at the pool's end; False if it is full.

    The pool's first cell says how much of it is used.
    """
    first, room = span[i, 0], span[i, 2]
    if n > room:
        first, room = pool[0], 2 * n
        if first + room > pool.shape[0]:
            return False
        pool[0] = first + room
    for k in range(n):
        pool[first + k] = found[k]
    span[i, 0], span[i, 1], span[i, 2] = first, first + n, room
    return True


@kernel
def _nearest_triangle(y, corner, found, n, farthest):
    """Distance from `y` to the nearest of the found triangles, `farthest` if none is nearer."""
    nearest2 = farthest * farthest
    for k in range(n):
        a, b, c = triangle_of(corner, found[k])
        q, _ = closest_point_triangle(y, a, b, c)
        nearest2 = min(nearest2, distance2(y, q))
    return sqrt(nearest2)


@kernel
def _nearest_segment(e, segment, found, n, farthest):
    """Distance from the segment `e` to the nearest of the found segments, `farthest` if none is nearer."""
    nearest2 = farthest * farthest
    for k in range(n):
        f = ends_of(segment, found[k])
        p, q, _, _ = closest_segment_segment(e[0], e[1], f[0], f[1])
        nearest2 = min(nearest2, distance2(p, q))
    return sqrt(nearest2)


@kernel
def _margin_for(way, was_empty, last, size):
    """How far around its path to search for a feature; twice as far as last time where nothing was found."""
    margin = max(0.25 * way, 0.25 * size)
    return max(margin, min(2.0 * last, 64.0 * size)) if was_empty else margin


@kernel
def _ahead(e0, e1):
    """Where a feature gets to when it goes on as from e0 to e1 for two more steps."""
    return lerp(e0[0], e1[0], 3.0), lerp(e0[1], e1[1], 3.0)


@kernel
def _look_up(kind, i, e0, e1, reach, grid, bounds, elements, size, state, span, pool, found):
    """Search the surroundings of the path of feature i, and of its path in the next steps; False if memory ran out."""
    way = sqrt(_farther_end2(e0, e1))
    last = state[i, _REGION + 3] - max(state[i, 0], state[i, 3])
    margin = _margin_for(way, span[i, 0] == span[i, 1], last, size)
    low, high = _box_of_path(e0, _ahead(e0, e1), reach + margin)
    n = find_near(low, high, grid, bounds, found)
    if n > found.shape[0] or not _store_candidates(found, n, i, span, pool):
        return False
    for k in range(3):
        state[i, k], state[i, 3 + k] = e0[0][k], e0[1][k]
        state[i, _REGION + k], state[i, _REGION + 3 + k] = low[k], high[k]
    state[i, _FREE] = reach + margin
    if n > 0:
        # Where the next step uses it up, the way to the nearest element is not worth measuring.
        state[i, _FREE] = _nearest(kind, e0, elements, found, n, reach + margin) if margin > 2.0 * way else 0.0
    return True


@kernel
def _nearest(kind, e, elements, found, n, farthest):
    if kind == VERTEX_FACE:
        return _nearest_triangle(e[0], elements, found, n, farthest)
    return _nearest_segment(e, elements, found, n, farthest)


@kernel
def _feature_path(kind, features, i, poses):
    """Ends of feature i in the frame of its body, and in the frame of the other at both ends of the motion."""
    if kind == VERTEX_FACE:
        v = row(features, i)
        y0, y1 = pose_apply(poses[0], v), pose_apply(poses[1], v)
        return (v, v), (y0, y0), (y1, y1)
    e = ends_of(features, i)
    e0 = (pose_apply(poses[0], e[0]), pose_apply(poses[0], e[1]))
    return e, e0, (pose_apply(poses[1], e[0]), pose_apply(poses[1], e[1]))


@kernel
def _is_free(state, i, e0, e1, reach):
    """Whether feature i has not used up the way it was free to go."""
    rest = state[i, _FREE] - reach
    was = ends_of(state, i)
    return rest > 0.0 and max(_farther_end2(was, e0), _farther_end2(was, e1)) <= rest * rest


@inlined_kernel
def _check_feature(kind, i, poses, bend, size, active, target, motions, limits, memory, times_out, hits_out):
    """One feature against everything near its path; returns how far it may still go, -inf if memory ran out."""
    grid, bounds, elements, plane = target
    state, span, pool, found = memory
    reach = limits[0] + bend
    e, e0, e1 = _feature_path(kind, active, i, poses)
    if not _is_free(state, i, e0, e1, reach):
        low, high = _box_of_path(e0, e1, reach)
        if not _inside_region(low, high, state, i):
            if not _look_up(kind, i, e0, e1, reach, grid, bounds, elements, size, state, span, pool, found):
                return -inf
        for k in range(span[i, 0], span[i, 1]):
            j = pool[k]
            if boxes_apart(low, high, bounds, j):
                continue
            if kind == VERTEX_FACE:
                if not plane_keeps_apart(plane, j, e0[0], e1[0], reach):
                    check_vertex_candidate(
                        i, j, e[0], e0[0], e1[0], reach, elements, motions, limits, times_out, hits_out
                    )
            else:
                check_edge_candidate(i, j, e, e0, e1, reach, elements, motions, limits, times_out, hits_out)
    free = state[i, _FREE]
    return free - sqrt(_farther_end2(ends_of(state, i), e0)) if free > 0.0 else 0.0


@kernel
def _block_is_outside(b, centre, radius, poses, margin, bounds, block_pose):
    """Whether a block stays clear of the box around everything it may meet; remembers by how much."""
    y0, y1 = pose_apply(poses[0], centre), pose_apply(poses[1], centre)
    low, high = _box_of_path((y0, y0), (y1, y1), radius + margin)
    if not boxes_apart(low, high, bounds, 0):
        return False
    _remember_block(block_pose, b, poses[0], _distance_to_box(y0, bounds, 0) - radius)
    return True


@kernel
def check_features(kind, active, target, size, motions, relative, limits, memory, times_out, hits_out):
    """All exposed features of A against those of B they can touch; False if the memory is too small.

    `kind` is VERTEX_FACE (active: points, target: triangles) or EDGE_EDGE (active and target: segments).
    """
    features, centre, radius = active
    poses, bounds = (relative[0], relative[1]), relative[2]
    (around, grid), boxes, elements, plane = target
    state, span, block_pose, pool, found = memory
    if boxes.shape[0] == 0:
        return True
    for b in range(centre.shape[0]):
        c = row(centre, b)
        bend = bounds[2] + bounds[3] * (norm(c) + radius[b])
        if _block_may_be_skipped(block_pose, b, c, radius[b], poses, bend + limits[0]):
            continue
        if _block_is_outside(b, c, radius[b], poses, bend + limits[0], around, block_pose):
            continue
        rest = inf
        for i in range(b * BLOCK, min((b + 1) * BLOCK, features.shape[0])):
            left = _check_feature(
                kind,
                i,
                poses,
                bend,
                size,
                features,
                (grid, boxes, elements, plane),
                motions,
                limits,
                (state, span, pool, found),
                times_out,
                hits_out,
            )
            if left == -inf:
                return False
            rest = min(rest, left)
        _remember_block(block_pose, b, poses[0], rest)
    return True


@kernel
def check_plane(points, half_space, motions, relative, limits, times_out, hits_out):
    """All exposed points of A against the plane of a half-space B."""
    point, centre, radius = points
    X0, X1, bounds = relative
    n, offset = row(half_space, 0), half_space[0, 3]
    for b in range(centre.shape[0]):
        c = row(centre, b)
        bend = bounds[2] + bounds[3] * (norm(c) + radius[b])
        height = min(dot(n, pose_apply(X0, c)), dot(n, pose_apply(X1, c))) - offset
        if height >= radius[b] + bend + limits[0]:
            continue
        for i in range(b * BLOCK, min((b + 1) * BLOCK, point.shape[0])):
            v = row(point, i)
            y0, y1 = pose_apply(X0, v), pose_apply(X1, v)
            check_point_and_plane(i, v, y0, y1, bend, n, offset, motions, limits, times_out, hits_out)


@kernel
def _turn_round(first, times, hits):
    """Rows found with the parts exchanged, from `first` on: exchange them back."""
    for k in range(first, min(int(times[0]), hits.shape[0])):
        if hits[k, 0] == VERTEX_FACE:
            hits[k, 0] = FACE_VERTEX
        hits[k, 1], hits[k, 2] = hits[k, 2], hits[k, 1]


@kernel
def _check_one_way(a, b, motions, relative, limits, memory, times_out, hits_out):
    """Vertices of A against the faces, the plane or the ball of B; False if the memory is too small."""
    if b[4].shape[0] > 0:
        check_plane(a[0], b[4], motions, relative, limits, times_out, hits_out)
        return True
    return check_features(VERTEX_FACE, a[0], b[3], b[6], motions, relative, limits, memory, times_out, hits_out)


@kernel
def check_motion(shape_a, shape_b, motion_a, motion_b, options, memories, times_out, hits_out):
    """When features of A and B come within a gap of each other; False if the memory is too small.

    options = (gap, tolerance, share): pairs beyond gap + tolerance are never reported. A pair that is nearer to begin
    with is reported at time 0 if share is 0, else when it comes within that share of its first distance.
    Appends rows [kind, feature of A, feature of B] to `hits_out` and their times to times_out[1:]; times_out[0] counts
    them, also those for which there was no room.
    """
    radius_a, radius_b = shape_a[5], shape_b[5]
    radii = radius_a + radius_b
    limits = (options[0] + radii, options[1], options[2], radii)
    a_in_b, b_in_a = relative_motion(motion_a, motion_b), relative_motion(motion_b, motion_a)
    forth, back = (motion_a, motion_b), (motion_b, motion_a)
    # The centre of a ball meets the faces of a solid; the vertices of a solid need not look for the centre as well.
    if radius_b == 0.0 or radius_a > 0.0:
        if not _check_one_way(shape_a, shape_b, forth, a_in_b, limits, memories[0], times_out, hits_out):
            return False
    first = int(times_out[0])
    if radius_a == 0.0:
        if not _check_one_way(shape_b, shape_a, back, b_in_a, limits, memories[1], times_out, hits_out):
            return False
        _turn_round(first, times_out, hits_out)
    first = int(times_out[0])
    # The part with fewer edges looks for the other's.
    if shape_a[1][0].shape[0] <= shape_b[1][0].shape[0]:
        edges, target, size = shape_a[1], shape_b[2], shape_b[6]
        return check_features(EDGE_EDGE, edges, target, size, forth, a_in_b, limits, memories[2], times_out, hits_out)
    edges, target, size = shape_b[1], shape_a[2], shape_a[6]
    done = check_features(EDGE_EDGE, edges, target, size, back, b_in_a, limits, memories[2], times_out, hits_out)
    _turn_round(first, times_out, hits_out)
    return done
