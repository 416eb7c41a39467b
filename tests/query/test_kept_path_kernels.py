"""A kept path proves motions free: brute force over points and moments never contradicts it."""

import numpy as np
import pytest

from abut import Motion, Pose
from abut.math.frame_tables import Frame
from abut.math.motion_tables import MovingFrame
from abut.query.impact.kept_path_kernels import keep_path, keep_pose, proven_free
from abut.query.motion.path_memory_kernels import WIDTH

GAP = 0.01


def as_kernels_take_it(motion):
    X_0 = motion.at(0.0)
    return MovingFrame(Frame(*X_0.frame), tuple(motion.displacement.tolist()), tuple(motion.rotvec.tolist()))


def arrays_of(motion):
    X_0 = motion.at(0.0)
    return (*X_0.arrays, np.array(motion.displacement), np.array(motion.rotvec))


def least_distance(points, others, moving, other, moments):
    """Over some moments, by brute force."""
    least = np.inf
    for t in moments:
        p, q = moving.at(t).apply(points), other.at(t).apply(others)
        least = min(least, np.linalg.norm(p[:, None] - q[None], axis=2).min())
    return float(least)


@pytest.fixture
def parts(rng):
    """Points of a part of size 0.1 that comes near those of a wall."""
    points = rng.uniform(-0.1, 0.1, (30, 3))
    wall = np.column_stack((np.full(400, 0.25), rng.uniform(-1.0, 1.0, (400, 2))))
    return points, wall


def memory_of(points):
    radius = float(np.linalg.norm(points, axis=1).max())
    return np.zeros((1, WIDTH)), (0.0, 0.0, 0.0), radius


def test_what_is_proven_free_is_free(parts, rng):
    points, wall = parts
    memory, centre, radius = memory_of(points)
    still, moments, proven = Motion(Pose(), (0, 0, 0), (0, 0, 0)), np.linspace(0.0, 1.0, 41), 0
    for _ in range(200):
        way, turn = rng.normal(size=(2, 3)) * (0.03, 0.05, 0.05)
        path = Motion(Pose(), way, 2.0 * turn)
        kept = 0.999 * least_distance(points, wall, path, still, moments)
        keep_path(centre, radius, as_kernels_take_it(path), as_kernels_take_it(still), kept, GAP, memory)
        shift, more = 0.02 * rng.normal(size=(2, 3))
        near = Motion(Pose(0.1 * shift), way + shift, 2.0 * turn + more)
        free_at_start, free = proven_free(memory, centre, radius, arrays_of(near), arrays_of(still), GAP)
        if free_at_start and free:
            proven += 1
            assert least_distance(points, wall, near, still, moments) > GAP
    assert 20 < proven < 200  # the test tells: some are proven and some are not


def test_only_what_moves_relative_to_each_other_counts(parts, rng):
    """Both parts carried along by one motion keep the distance they had."""
    points, wall = parts
    memory, centre, radius = memory_of(points)
    carried = Motion(Pose(), rng.normal(size=3), (0.0, 0.0, 0.0))
    kept = least_distance(points, wall, carried, carried, [0.0])
    keep_pose(as_kernels_take_it(carried), as_kernels_take_it(carried), 0.0, kept, memory)
    assert proven_free(memory, centre, radius, arrays_of(carried), arrays_of(carried), 0.99 * kept) == (True, True)
    assert proven_free(memory, centre, radius, arrays_of(carried), arrays_of(carried), 1.01 * kept) == (True, False)
