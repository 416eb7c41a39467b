"""Does any feature of a part come too close to another part during a motion, and when?

Each exposed vertex is checked against the triangles near its path and each exposed edge against the edges near its
path, all in the frame of the part they may meet. What a check proves to keep a distance is remembered: `clearance` (n)
of each feature along the path it was last looked at, and in `blocks` the poses of that path and the least clearance of
the block (see path_memory_kernels). A path that departs from it by less needs no second look: a whole block by one
comparison, a feature by another. What is skipped in this way would have been found free, so that answers do not
depend on the memory.

Where features slide along a surface, each motion uses up what was remembered, and most of them have to be looked at
again. A row of `hints` makes that quick: [direction (3), look]. The direction, a unit vector or zero, separated an edge
from another one; most of what lies near is apart from it along that, too. `look` is how far around the path it was
worth looking.
"""

from math import inf, sqrt

from ..._jit import inlined_kernel, inner_kernel, kernel, lean_kernel, lowest_bit, meeting_lanes
from ...math.pose_kernels import named_motion, pose_apply
from ...math.vec_kernels import distance2, dot, norm, put_row, row
from .cell_grid_kernels import CELLS, box_separation, cells_of, codes_of, seen_first, widened
from .feature_tables import ExposedShape, Grid, Searched, Target
from .motion_candidate_kernels import (
    EDGE_EDGE,
    FACE_VERTEX,
    VERTEX_FACE,
    check_candidate,
    check_point_and_plane,
    ends_of,
    separation,
)
from .motion_piece_kernels import A_IN_B, B_IN_A, EFFORT, UNTIL, is_spent, start_work
from .motion_tables import (
    Candidate,
    Check,
    CheckOptions,
    Found,
    Limits,
    Memories,
    Memory,
    Passage,
    Reach,
    Search,
    Seen,
    Spread,
)
from .path_memory_kernels import LARGEST_BOW, REST, departure, departure_of_bow, remember_path_with_bow
from .relative_motion_kernels import curved_paths, gain_of_map
from .separation_kernels import plane_separation

BLOCK = 32
# How far around a path to look, in lengths of an edge: at least, at most, and at first.
_LEAST, _MOST, _AT_FIRST = 0.02, 4.0, 0.25
# In lengths of the path: far enough for some more such motions, or for another one that hardly differs.
_FAR, _NEAR = 8.0, 0.1
# Fewer cells and elements than these leave time to look farther.
_FEW = 6
# Effort for each feature, and for each cell and element that is looked at for it; 1 for each group of elements.
_FEATURE_EFFORT, _ELEMENT_EFFORT = 10.0, 4.0
_LOOK = 3
CERTAINLY_MORE, OF_PLACES = 1.01, 1e-13
"""Of a tolerance, what is certainly beyond it; of the lengths that place a point, rounding."""
_ALL_OF_IT = 0.99
"""Of how far one looked: what is clear up to there is clear all the way."""
_ENOUGH = 0.03
"""Of the way of a feature: how much more than its reach is worth to know where the next motion uses it up."""


@lean_kernel
def _box_of_path(e0, e1, margin):
    """Box of a feature with ends e0 = (p, q) that moves to e1, with a margin."""
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


@lean_kernel
def _ends(kind, features, i):
    """Ends of feature i in the frame of its body; a vertex stands twice."""
    if kind == VERTEX_FACE:
        v = row(features, i)
        return v, v
    return ends_of(features, i)


@lean_kernel
def _ends_in(kind, X, e):
    """Images of the ends of a feature."""
    p, q = e
    p = pose_apply(X, p)
    return (p, p) if kind == VERTEX_FACE else (p, pose_apply(X, q))


@lean_kernel
def _distance_to_look(clearance, size):
    """How far around its path to look for a feature: twice as far as it was clear the last time."""
    wanted = 2.0 * clearance if clearance >= 0.0 else _AT_FIRST * size
    return min(max(wanted, _LEAST * size), _MOST * size)


@inner_kernel
def _lowest(n, e0, e1):
    """How far the ends of a feature reach against n on their way from e0 to e1."""
    (p0, q0), (p1, q1) = e0, e1
    return min(dot(n, p0), dot(n, q0), dot(n, p1), dot(n, q1))


@inner_kernel
def _above(passage, kind, n, lowest, target, j):
    """How far a feature stays above element j: by the normal of a triangle, of an edge along n, its `lowest` there."""
    if kind == VERTEX_FACE:
        (y0, _), (y1, _) = passage.start, passage.end
        return plane_separation(target.plane, j, y0, y1)
    a, b = ends_of(target.element, j)
    return lowest - max(dot(n, a), dot(n, b))


@inner_kernel
def _next_look(look, clear, way, effort):
    """How far to look the next time, after a look with little or more effort that found a feature to be `clear`.

    What is nearer than the next motion goes is used up by it, and how near it is does not matter.
    """
    if clear > _ALL_OF_IT * look and effort < _FEW:
        return 2.0 * look
    return clear if clear > way else 0.0


@inner_kernel
def _look_at(j, clear, n, lowest, passage, near, search, found_out):
    """A feature against element j; returns how far all elements up to it are at least, and by which normal."""
    target, kind = search.target, search.check.kind
    apart = _above(passage, kind, n, lowest, target, j) - near.bow
    if apart > max(clear, near.certain):
        return clear, n, lowest
    if apart > near.enough:
        return min(clear, apart), n, lowest
    # For answers not to depend on hints, these have to show what is certain.
    if kind == EDGE_EDGE and apart <= near.certain:
        apart = -inf
    apart = max(apart, box_separation(passage.low, passage.high, target.box, j))
    if apart <= near.reach or (not near.used_up and apart < clear):
        e0, e1, bows = passage.start, passage.end, _ends_in(kind, search.path.bow, passage.own)
        wanted = min(clear, near.reach + _ENOUGH * near.way) if near.used_up else clear
        along, n = separation(kind, e0, e1, bows, target.element, j, wanted, n)
        apart, lowest = max(apart, along), _lowest(n, e0, e1)
        if apart <= near.reach:
            apart = 0.0
            candidate = Candidate(passage.own, e0, bows, near.bulge)
            check_candidate(passage.i, j, candidate, target.element, search.check, found_out)
    return min(clear, apart), n, lowest


@inlined_kernel
def _check_feature(i, spread, certain, look, search, hints_io, found_out):
    """One feature against everything near its path; returns a lower bound of its parabola's distance from all of that.

    What is farther than `certain` is not reported.
    """
    target, kind = search.target, search.check.kind
    frame, start, items, codes = target.grid
    e = _ends(kind, search.features, i)
    e0, e1 = _ends_in(kind, search.path.X_0, e), _ends_in(kind, search.path.X_1, e)
    (p0, q0), (p1, q1) = e0, e1
    low, high = _box_of_path(e0, e1, spread.bow)
    reach = search.check.limits.gap + spread.sway
    way = sqrt(max(distance2(p0, p1), distance2(q0, q1)))
    used_up = look <= _FAR * way
    look = min(max(hints_io[i, _LOOK], _NEAR * way), _FAR * way) if used_up else look
    clear, effort, groups = reach + look, 0, 0
    apart = box_separation(low, high, target.bounds, 0)
    if apart > clear:
        return apart
    # Where the next motion is about to use it up, it does not matter how far an element is.
    enough = max(certain, reach + _ENOUGH * way) if used_up and look < way else inf
    passage = Passage(i, e, e0, e1, low, high)
    near = Reach(reach, certain, enough, way, used_up, spread.bulge, spread.bow)
    n = row(hints_io, i)
    lowest = _lowest(n, e0, e1)
    low, high = widened(low, high, clear)
    first, last, base = cells_of(low, high, frame, start, target.box.shape[0])
    box = codes_of(low, high, frame)
    n_y, n_z = int(frame[CELLS + 1]), int(frame[CELLS + 2])
    for x in range(first[0], last[0] + 1):
        for y in range(first[1], last[1] + 1):
            for z in range(first[2], last[2] + 1):
                c, effort = base + (x * n_y + y) * n_z + z, effort + 1
                groups += start[c + 1] - start[c]
                for g in range(start[c], start[c + 1]):
                    found = meeting_lanes(codes, g, box) & seen_first(items, g, (x, y, z), first)
                    while found != 0:
                        j = items[g, lowest_bit(found)]
                        found, effort = found & (found - 1), effort + 1
                        clear, n, lowest = _look_at(j, clear, n, lowest, passage, near, search, found_out)
    put_row(n, i, hints_io)
    found_out.work[0, EFFORT] += _FEATURE_EFFORT + _ELEMENT_EFFORT * effort + groups
    hints_io[i, _LOOK] = _next_look(look, clear - reach, way, effort)
    return clear


@inner_kernel
def _distance_outside(centre, radius, path, bow, around):
    """Lower bound of the distance of the paths of all points within `radius` of `centre` from a box."""
    y0, y1 = pose_apply(path.X_0, centre), pose_apply(path.X_1, centre)
    low, high = _box_of_path((y0, y0), (y1, y1), bow)
    return box_separation(low, high, around, 0) - radius


@lean_kernel
def check_features(active, target, size, relative, check, memory_io, found_out):
    """All exposed features of A against those of B they can touch; returns a lower bound of their distance.

    For VERTEX_FACE, points are `active` and triangles the target; for EDGE_EDGE, edges are both. Where too much effort
    is spent, the answer is negative, and nothing is remembered of what was not looked at.
    """
    features, centre, radius = active
    path, bounds = relative
    clearance, hints, blocks = memory_io
    gain, least = gain_of_map(path.bow), inf
    if target.box.shape[0] == 0:
        return least
    search = Search(features, target, path, check)
    for b in range(centre.shape[0]):
        c = row(centre, b)
        arm = norm(c) + radius[b]
        sway = bounds.sway + bounds.sway_per_arm * arm
        # What is farther than gap and tolerance, rounding included, is not reported, whether it is looked at or not.
        certain = (
            check.limits.gap + sway + CERTAINLY_MORE * check.limits.tolerance + OF_PLACES * (arm + norm(path.X_0.p))
        )
        bow = norm(pose_apply(path.bow, c)) + gain * radius[b]
        moved = departure(blocks, b, c, radius[b], path)
        rest = blocks[b, REST] - moved - blocks[b, LARGEST_BOW] - bow
        if rest < certain:
            moved += departure_of_bow(blocks, b, c, radius[b], path.bow)
            rest = _distance_outside(c, radius[b], path, bow, target.bounds)
            outside = rest >= certain
            rest = rest if outside else inf
            spread = Spread(sway, bounds.bulge + bounds.bulge_per_arm * arm, bow)
            for i in range(b * BLOCK, min((b + 1) * BLOCK, features.shape[0])):
                clear = rest
                if not outside:
                    clear = clearance[i] - moved
                    if clear < certain:
                        look = _distance_to_look(clearance[i], size)
                        clear = _check_feature(i, spread, certain, look, search, hints, found_out)
                        if is_spent(found_out.work):
                            return -1.0
                    rest = min(rest, clear)
                clearance[i] = clear
            remember_path_with_bow(path, bow, rest, b, blocks)
        least = min(least, rest - sway)
    return least


@lean_kernel
def check_plane(points, half_space, relative, check, found_out):
    """All exposed points of A against the plane of a half-space B; returns a lower bound of their distance."""
    point, centre, radius = points
    path, bounds = relative
    n, offset = row(half_space, 0), half_space[0, 3]
    gain, least = gain_of_map(path.bow), inf
    for b in range(centre.shape[0]):
        c = row(centre, b)
        arm = norm(c) + radius[b]
        sway, bulge = bounds.sway + bounds.sway_per_arm * arm, bounds.bulge + bounds.bulge_per_arm * arm
        height = min(dot(n, pose_apply(path.X_0, c)), dot(n, pose_apply(path.X_1, c))) - offset
        height -= radius[b] + norm(pose_apply(path.bow, c)) + gain * radius[b]
        if height < sway + check.limits.gap:
            height = inf
            for i in range(b * BLOCK, min((b + 1) * BLOCK, point.shape[0])):
                v = row(point, i)
                y0, y1, bow = pose_apply(path.X_0, v), pose_apply(path.X_1, v), pose_apply(path.bow, v)
                candidate = Candidate((v, v), (y0, y0), (bow, bow), bulge)
                apart = check_point_and_plane(i, candidate, y1, sway, (n, offset), check, found_out)
                height = min(height, apart)
        least = min(least, height - sway)
    return least


@lean_kernel
def _turn_round(first, times, hits_io):
    """Rows found with the parts exchanged, from `first` on: exchange them back."""
    for k in range(first, min(int(times[0]), hits_io.shape[0])):
        if hits_io[k, 0] == VERTEX_FACE:
            hits_io[k, 0] = FACE_VERTEX
        hits_io[k, 1], hits_io[k, 2] = hits_io[k, 2], hits_io[k, 1]


@lean_kernel
def _drop_late(first, until, times_io, hits_io):
    """Leave out hits after `until`, from row `first` on; nothing if there was no room for all of them."""
    n = int(times_io[0])
    if n > hits_io.shape[0]:
        return
    kept = first
    for k in range(first, n):
        if times_io[k + 1] <= until:
            times_io[kept + 1] = times_io[k + 1]
            hits_io[kept, 0], hits_io[kept, 1], hits_io[kept, 2] = hits_io[k, 0], hits_io[k, 1], hits_io[k, 2]
            kept += 1
    times_io[0] = float(kept)


@inner_kernel
def _check_one_way(a, b, motions, relative, limits, memory_io, found_out):
    """Vertices of A against the faces, the plane or the ball of B."""
    check = Check(VERTEX_FACE, motions, limits)
    if b.half_space.shape[0] > 0:
        return check_plane(a.points, b.half_space, relative, check, found_out)
    return check_features(a.points, b.triangles, b.size, relative, check, memory_io, found_out)


@inner_kernel
def _check_edges(a, b, motions, relative, limits, memory_io, found_out):
    """Edges of A against edges of B."""
    check = Check(EDGE_EDGE, motions, limits)
    return check_features(a.segments, b.edges, b.size, relative, check, memory_io, found_out)


@inner_kernel
def _is_ball(shape):
    """Whether all of a shape is one point with a radius: it has no edges."""
    return shape.radius > 0.0 and shape.segments.feature.shape[0] == 0


@inner_kernel
def check_motion(shape_a, shape_b, motion_a, motion_b, options, memories_io, found_out):
    """When features of A and B come within a gap of each other; returns a lower bound of their distance otherwise.

    A pair of features that is within the gap to begin with is reported at time 0 if the share is 0, else when it comes
    within that share of its first distance. After more than the given effort (see motion_piece_kernels on `work`)
    nothing more is looked at, and hits and bound are worth nothing. Hits are appended to those that were found before.
    The bound is of features that were not in need of advancing, else 0 or less.
    """
    work, times, hits = found_out
    radii = shape_a.radius + shape_b.radius
    limits = Limits(options.gap + radii, options.tolerance, options.share, radii, options.window)
    a_in_b, b_in_a = curved_paths(motion_a, motion_b)
    forth, back = Seen(motion_a, motion_b, A_IN_B), Seen(motion_b, motion_a, B_IN_A)
    start_work(options.most_effort, work)
    start = first = int(times[0])
    least = inf
    # The centre of a ball meets the faces of a solid; the vertices of a solid need not look for the centre as well.
    ball_a, ball_b = _is_ball(shape_a), _is_ball(shape_b)
    if ball_a or not ball_b:
        least = _check_one_way(shape_a, shape_b, forth, a_in_b, limits, memories_io.points_a, found_out)
    first = int(times[0])
    if not ball_a:
        apart = _check_one_way(shape_b, shape_a, back, b_in_a, limits, memories_io.points_b, found_out)
        least = min(least, apart)
        _turn_round(first, times, hits)
    first = int(times[0])
    # The part with fewer edges looks for the other's.
    if shape_a.segments.feature.shape[0] <= shape_b.segments.feature.shape[0]:
        apart = _check_edges(shape_a, shape_b, forth, a_in_b, limits, memories_io.edges, found_out)
    else:
        apart = _check_edges(shape_b, shape_a, back, b_in_a, limits, memories_io.edges, found_out)
        _turn_round(first, times, hits)
    if int(times[0]) > start:
        _drop_late(start, work[0, UNTIL], times, hits)
    return min(least, apart)


@inlined_kernel
def _named_target(target):
    bounds, grid, box, element, plane = target
    return Target(bounds, Grid(*grid), box, element, plane)


@inlined_kernel
def _named_shape(shape):
    points, segments, edges, triangles, half_space, radius, size = shape
    points, segments = Searched(*points), Searched(*segments)
    return ExposedShape(points, segments, _named_target(edges), _named_target(triangles), half_space, radius, size)


@kernel
def check_pair(shapes, motions, options, memories_io, found_out):
    """check_motion of A and B, for callers that have plain tuples: of ExposedShape, MovingFrame, and Memory three."""
    (shape_a, shape_b), (motion_a, motion_b), (a, b, edges) = shapes, motions, memories_io
    return check_motion(
        _named_shape(shape_a),
        _named_shape(shape_b),
        named_motion(motion_a),
        named_motion(motion_b),
        CheckOptions(*options),
        Memories(Memory(*a), Memory(*b), Memory(*edges)),
        Found(*found_out),
    )
