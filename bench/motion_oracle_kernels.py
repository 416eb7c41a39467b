"""Random motions of two parts, checked by several methods and judged by bisecting time.

The judge knows no more than the distance of two triangles at a time and a bound of the speed at which they approach: in
the middle of an interval, a pair of triangles that is farther than the gap and what it can approach until either end
is free in all of it. The pairs that are not stay on the list of both halves. So every moment is covered, not
only sampled ones; the halving ends because what is proven is a hundredth less than the gap.
"""

from math import inf, sqrt

import numpy as np

from abut._jit import kernel
from abut.math.pose_kernels import frame_at, named_motion, pose_apply, pose_relative
from abut.math.vec_kernels import distance2, norm, row, sub
from abut.query.distance.triangle_pair_kernels import load_triangle, triangle_gap2
from abut.query.impact.swept_search_kernels import FOUND, NOTHING, first_touch
from abut.query.motion.feature_table_kernels import load_motion
from abut.query.motion.motion_check_kernels import check_pair

APART_AT_START, TOUCH, LATE, EARLY, UNDECIDED, UNPROVEN = 0, 1, 2, 3, 4, 5
"""Columns of the report: how many motions of each kind."""
PROVEN, WITHIN, GIVEN_UP = 0, 1, 2
METHODS = 3
"""By features, by hierarchies, and by the public function."""

_PROVEN_SHARE = 0.99
"""Of the gap, which pairs are proven to keep."""
_ROUNDING = 1e-9
_MOST_INTERVALS = 200000


@kernel
def frame_of(motion, t):
    """Rotation and position at a time of a motion, all of it in plain tuples."""
    X = frame_at(named_motion(motion), t)
    return X.R, X.p


@kernel
def _relative_pose(motion_a, motion_b, t):
    return pose_relative(frame_at(motion_b, t), frame_at(motion_a, t))


@kernel
def distance_at(motion_a, motion_b, corners_a, corners_b, t):
    """Exact distance of two sets of triangles at a time."""
    X = _relative_pose(motion_a, motion_b, t)
    least2 = inf
    for i in range(corners_a.shape[0]):
        a, b, c = load_triangle(corners_a, i)
        A = pose_apply(X, a), pose_apply(X, b), pose_apply(X, c)
        for j in range(corners_b.shape[0]):
            d2, _ = triangle_gap2(A, load_triangle(corners_b, j), least2)
            least2 = min(least2, d2)
    return sqrt(least2)


@kernel
def triangle_balls(corners, ball_out):
    """Rows [centre (3), radius, largest distance from the frame's origin] of each triangle."""
    for i in range(corners.shape[0]):
        a, b, c = load_triangle(corners, i)
        m = ((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0)
        ball_out[i, 0], ball_out[i, 1], ball_out[i, 2] = m
        ball_out[i, 3] = sqrt(max(distance2(a, m), distance2(b, m), distance2(c, m)))
        ball_out[i, 4] = max(norm(a), norm(b), norm(c))


@kernel
def _put_moved(X, corners, ball, moved_out, centre_out):
    """Triangles of A and the centres of their balls in the frame of B."""
    for i in range(corners.shape[0]):
        for k in range(3):
            p = pose_apply(X, (corners[i, 3 * k], corners[i, 3 * k + 1], corners[i, 3 * k + 2]))
            moved_out[i, 3 * k], moved_out[i, 3 * k + 1], moved_out[i, 3 * k + 2] = p
        centre_out[i, 0], centre_out[i, 1], centre_out[i, 2] = pose_apply(X, row(ball, i))


@kernel
def _thin_out(first, last, speeds, half, gap, side_a, side_b, scratch):
    """Keep those pairs on a list that may come within the gap in this interval; also the least distance looked at.

    `speeds` = (of the origins against each other, turning of A, turning of B): no point of a triangle is faster
    than the sum of these, turnings times its distance from the origin.
    """
    straight, turn_a, turn_b = speeds
    moved, centre, pairs = scratch[0], scratch[1], scratch[2]
    ball_a, (corners_b, ball_b) = side_a[1], side_b
    kept, least = first, inf
    for k in range(first, last):
        i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        reach = _PROVEN_SHARE * gap + half * (straight + turn_a * ball_a[i, 4] + turn_b * ball_b[j, 4])
        far = reach + ball_a[i, 3] + ball_b[j, 3]
        if distance2(row(centre, i), row(ball_b, j)) > far * far:
            continue
        d2, _ = triangle_gap2(load_triangle(moved, i), load_triangle(corners_b, j), reach * reach)
        if d2 > reach * reach:
            continue
        least = min(least, sqrt(d2))
        pairs[kept, 0], pairs[kept, 1] = i, j
        kept += 1
    return kept, least


@kernel
def prove_apart(motion_a, motion_b, side_a, side_b, end, gap, scratch):
    """Whether two parts keep away from each other until `end`, and in how many intervals that was found out.

    PROVEN: they keep _PROVEN_SHARE of the gap everywhere. WITHIN: they are within the gap at a time that was looked at.
    """
    pairs, spans, lists = scratch[2], scratch[3], scratch[4]
    speeds = (norm(sub(motion_a.displacement, motion_b.displacement)), norm(motion_a.rotvec), norm(motion_b.rotvec))
    n = 0
    for i in range(side_a[0].shape[0]):
        for j in range(side_b[0].shape[0]):
            pairs[n, 0], pairs[n, 1] = i, j
            n += 1
    spans[0, 0], spans[0, 1], lists[0, 0], lists[0, 1] = 0.0, end, 0, n
    top = 1
    for interval in range(_MOST_INTERVALS):
        if top == 0:
            return PROVEN, interval
        top -= 1
        begin, stop, first = spans[top, 0], spans[top, 1], lists[top, 0]
        middle = 0.5 * (begin + stop)
        _put_moved(_relative_pose(motion_a, motion_b, middle), side_a[0], side_a[1], scratch[0], scratch[1])
        kept, least = _thin_out(first, lists[top, 1], speeds, 0.5 * (stop - begin), gap, side_a, side_b, scratch)
        if least < gap * (1.0 - _ROUNDING):
            return WITHIN, interval
        if kept > first:
            # The later half keeps the list, the earlier one, which is next, gets a copy that it may thin out.
            n = kept - first
            if top + 2 > spans.shape[0] or kept + n > pairs.shape[0]:
                return GIVEN_UP, interval
            pairs[kept : kept + n] = pairs[first:kept]
            spans[top, 0], spans[top, 1], lists[top, 0], lists[top, 1] = middle, stop, first, kept
            spans[top + 1, 0], spans[top + 1, 1] = begin, middle
            lists[top + 1, 0], lists[top + 1, 1] = kept, kept + n
            top += 2
    return GIVEN_UP, _MOST_INTERVALS


@kernel
def proof_scratch(n_a, n_b):
    """Moved triangles and centres, pairs, and the stack of intervals with their lists."""
    return (
        np.zeros((n_a, 9)),
        np.zeros((n_a, 3)),
        np.zeros((8 * n_a * n_b + 10000, 2), np.int32),
        np.zeros((128, 2)),
        np.zeros((128, 2), np.int64),
    )


@kernel
def _enter(motion_a, motion_b, corners, time, decided, gap, tolerance, report_out, worst_out):
    """Enter a touch (inf for none): at its time the parts must be within gap + tolerance; is it late already then?"""
    if not decided:
        report_out[UNDECIDED] += 1
        return False
    if time > 1.0:
        return False
    report_out[TOUCH] += 1
    d = distance_at(motion_a, motion_b, corners[0], corners[1], time)
    worst_out[0] = max(worst_out[0], (d - gap) / tolerance)
    worst_out[1] = min(worst_out[1], (d - gap) / gap)
    report_out[EARLY] += d > gap + tolerance * (1.0 + 1e-6)
    return d < gap * (1.0 - _ROUNDING)


@kernel
def _by_features(shapes, motion_a, motion_b, gap, tolerance, memories, scratch):
    """Time of the first hit of features, inf for none."""
    work, times, hits = scratch[0], scratch[1], scratch[2]
    times[0] = 0.0
    options = (gap, tolerance, 0.0, 0.0, np.inf)
    check_pair(shapes, (motion_a, motion_b), options, memories, (work, times, hits))
    first = inf
    for k in range(min(int(times[0]), hits.shape[0])):
        first = min(first, times[k + 1])
    return first


@kernel
def _by_hierarchies(parts, motion_a, motion_b, gap, tolerance, scratch):
    """Time of the first touch, inf for none; and whether the search came to an end."""
    pairs, keys, leaves = scratch[3], scratch[4], scratch[5]
    time, status, _ = first_touch(
        parts, (motion_a, motion_b), (0.0, 1.0), (gap, tolerance), (20000, 20000), (pairs, keys), leaves
    )
    return (inf if status == NOTHING else time), status == NOTHING or status == FOUND


@kernel
def _judge_whole(motion_a, motion_b, sides, times, late, gap, proof, reports_out):
    """Is any of the times late? As a rule none is, and the latest is proof enough for all."""
    latest = min(1.0, max(times[0], max(times[1], times[2])))
    whole, n = prove_apart(motion_a, motion_b, sides[0], sides[1], latest, gap, proof)
    for m in range(METHODS):
        status = PROVEN
        if whole != PROVEN:
            status, more = prove_apart(motion_a, motion_b, sides[0], sides[1], min(1.0, times[m]), gap, proof)
            n += more
        reports_out[m, LATE] += late[m] or status == WITHIN
        reports_out[m, UNPROVEN] += status == GIVEN_UP
    return n


@kernel
def judge_motions(shapes, parts, sides, motions, public, options, memories, scratch, proof, reports_out, worst_out):
    """Check motions 2 i and 2 i + 1 of rows (2 n, 18) by all methods; `public` are the times of the third.

    Rows of `reports_out` (METHODS, 6) and of `worst_out` (METHODS, 2) are by method; the latter is the largest distance
    beyond the gap at the time of a touch, in tolerances, and the least, in gaps. Returns the number of intervals.
    """
    gap, tolerance = options
    corners = (parts[0][0], parts[1][0])
    n = 0
    for i in range(motions.shape[0] // 2):
        motion_a, motion_b = load_motion(motions, 2 * i), load_motion(motions, 2 * i + 1)
        if distance_at(motion_a, motion_b, corners[0], corners[1], 0.0) <= gap + tolerance:
            continue
        reports_out[:, APART_AT_START] += 1
        first = _by_features(shapes, motion_a, motion_b, gap, tolerance, memories, scratch)
        time, decided = _by_hierarchies(parts, motion_a, motion_b, gap, tolerance, scratch)
        late = (
            _enter(motion_a, motion_b, corners, first, True, gap, tolerance, reports_out[0], worst_out[0]),
            _enter(motion_a, motion_b, corners, time, decided, gap, tolerance, reports_out[1], worst_out[1]),
            _enter(motion_a, motion_b, corners, public[i], True, gap, tolerance, reports_out[2], worst_out[2]),
        )
        n += _judge_whole(motion_a, motion_b, sides, (first, time, public[i]), late, gap, proof, reports_out)
    return n


@kernel
def scratch_of(rows, n_hit, n_pair):
    """Work arrays of the first two methods."""
    return (
        np.zeros((rows, 12)),
        np.zeros(n_hit + 1),
        np.zeros((n_hit, 3), np.int32),
        np.zeros((n_pair, 2), np.int32),
        np.zeros(n_pair),
        np.zeros(2, np.int64),
    )
