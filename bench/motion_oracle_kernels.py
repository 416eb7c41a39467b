"""Random motions of two parts, checked by two methods and judged by exact distances at many times.

The judge knows nothing of time: it measures every pair of triangles at sampled moments, and then more closely around
the moment at which they were nearest.
"""

from math import inf, sqrt

import numpy as np

from abut._jit import kernel
from abut.math.pose_kernels import motion_at, pose_apply, pose_relative
from abut.query.feature_table_kernels import load_motion
from abut.query.motion_check_kernels import check_motion
from abut.query.swept_search_kernels import FOUND, NOTHING, first_touch
from abut.query.triangle_pair_kernels import load_triangle, triangle_gap2

APART_AT_START, TOUCH, MISSED, EARLY, UNDECIDED = 0, 1, 2, 3, 4
"""Columns of the report: how many motions of each kind."""


@kernel
def distance_at(motion_a, motion_b, corners_a, corners_b, t):
    """Exact distance of two sets of triangles at a time."""
    X_b = motion_at(motion_b[0], motion_b[1], motion_b[2], t)
    X = pose_relative(X_b, motion_at(motion_a[0], motion_a[1], motion_a[2], t))
    least2 = inf
    for i in range(corners_a.shape[0]):
        a, b, c = load_triangle(corners_a, i)
        A = pose_apply(X, a), pose_apply(X, b), pose_apply(X, c)
        for j in range(corners_b.shape[0]):
            d2, _ = triangle_gap2(A, load_triangle(corners_b, j), least2)
            least2 = min(least2, d2)
    return sqrt(least2)


@kernel
def nearest_before(motion_a, motion_b, corners_a, corners_b, end, samples):
    """The least distance found before `end`: at the given shares of that time, and by thirds around the nearest."""
    least, at = inf, 0.0
    for k in range(samples.shape[0]):
        t = samples[k] * end
        d = distance_at(motion_a, motion_b, corners_a, corners_b, t)
        if d < least:
            least, at = d, t
    width = end / samples.shape[0]
    for _ in range(8):
        for side in (-1.0, 1.0):
            t = min(max(at + side * width, 0.0), end * (1.0 - 1e-12))
            d = distance_at(motion_a, motion_b, corners_a, corners_b, t)
            if d < least:
                least, at = d, t
        width *= 0.4
    return least


@kernel
def _is_late(motion_a, motion_b, corners, time, gap, samples):
    """Whether the parts were within the gap before a time, inf for the whole motion."""
    end = min(time, 1.0)
    if end == 0.0:
        return False
    return nearest_before(motion_a, motion_b, corners[0], corners[1], end, samples) < gap * (1.0 - 1e-9)


@kernel
def _enter(motion_a, motion_b, corners, time, decided, gap, tolerance, report_out):
    """Enter a touch (inf for none), or a time until which the motion is free if it is not decided."""
    if not decided:
        report_out[UNDECIDED] += 1
    elif time <= 1.0:
        report_out[TOUCH] += 1
        if distance_at(motion_a, motion_b, corners[0], corners[1], time) > gap + 1.01 * tolerance:
            report_out[EARLY] += 1


@kernel
def judge_motions(shapes, parts, motions, samples, options, memories, scratch, reports_out):
    """Check motions 2 i and 2 i + 1 of rows (2 n, 18); rows of `reports_out` (2, 5) are of features and of trees."""
    gap, tolerance = options
    work, times, hits, pairs, keys, leaves = scratch
    corners = (parts[0][0], parts[1][0])
    for i in range(motions.shape[0] // 2):
        motion_a, motion_b = load_motion(motions, 2 * i), load_motion(motions, 2 * i + 1)
        if distance_at(motion_a, motion_b, corners[0], corners[1], 0.0) <= gap + tolerance:
            continue
        reports_out[:, APART_AT_START] += 1
        times[0] = 0.0
        check_motion(shapes[0], shapes[1], motion_a, motion_b, (gap, tolerance, 0.0, 0.0), memories, work, times, hits)
        first = inf
        for k in range(min(int(times[0]), hits.shape[0])):
            first = min(first, times[k + 1])
        time, status, _ = first_touch(
            parts[0], parts[1], motion_a, motion_b, (0.0, 1.0), (gap, tolerance), (20000, 20000), pairs, keys, leaves
        )
        time = inf if status == NOTHING else time
        decided = status == NOTHING or status == FOUND
        _enter(motion_a, motion_b, corners, first, True, gap, tolerance, reports_out[0])
        _enter(motion_a, motion_b, corners, time, decided, gap, tolerance, reports_out[1])
        # As a rule both are right, and the later one is proof enough.
        if _is_late(motion_a, motion_b, corners, max(first, time), gap, samples):
            reports_out[0, MISSED] += _is_late(motion_a, motion_b, corners, first, gap, samples)
            reports_out[1, MISSED] += _is_late(motion_a, motion_b, corners, time, gap, samples)


@kernel
def scratch_of(rows, n_hit, n_pair):
    """Work arrays of both methods."""
    return (
        np.zeros((rows, 12)),
        np.zeros(n_hit + 1),
        np.zeros((n_hit, 3), np.int32),
        np.zeros((n_pair, 2), np.int32),
        np.zeros(n_pair),
        np.zeros(2, np.int64),
    )
