"""What the guard does between checks: it follows motions, and sorts hits."""

import numpy as np

from abut import Motion, Pose
from abut.dynamics.stepping.guard_kernels import ROOM, find_long, follow_motions, sort_hits
from abut.dynamics.stepping.step_tables import Paths


def followed(rng, n):
    """Boxes and motions of n bodies, none of which was followed yet."""
    shape = (-np.ones((n, 3)), np.ones((n, 3)), np.full(n, np.sqrt(3.0)))
    motion = np.concatenate((np.tile(np.eye(3).ravel(), (n, 1)), rng.normal(size=(n, 9))), axis=1)
    boxes, rooms = (np.zeros((n, 3)), np.zeros((n, 3))), (np.full((n, 3), np.inf), np.full((n, 3), -np.inf))
    return (
        motion,
        np.ones(n, bool),
        Paths(*shape, *boxes, np.zeros((n, 6)), np.zeros(n), np.zeros((n, 12)), *rooms),
    )


def test_only_motions_of_bodies_that_are_due_are_followed(rng):
    motion, due, paths = followed(rng, 6)
    end = paths.ends
    follow_motions(motion, due, 0.01, tuple(paths))
    due[:], end[:] = False, 7.0
    due[2] = True
    follow_motions(motion, due, 0.01, tuple(paths))
    assert (np.delete(end, 2, axis=0) == 7.0).all()
    np.testing.assert_allclose(end[2, 9:], motion[2, 9:12] + motion[2, 12:15])


def test_changes_of_motions_are_no_less_than_what_they_do_to_points(rng):
    """Points of balls that are the bodies', at times of both motions."""
    motion, due, paths = followed(rng, 20)
    change = paths.change
    follow_motions(motion, due, 0.01, tuple(paths))
    other = motion.copy()
    other[:, 12:] += rng.normal(size=(20, 6)) * 10.0 ** rng.uniform(-6, 0, size=(20, 1))
    due[::3] = False
    follow_motions(other, due, 0.01, tuple(paths))
    assert (change[::3] == 0.0).all()
    for i in np.flatnonzero(due):
        point = rng.normal(size=3)
        point *= paths.reach[i] / np.linalg.norm(point)
        ways = [
            [Motion(Pose(m[9:12]), m[12:15], m[15:]).at(t).apply(point) for t in np.linspace(0, 1, 9)]
            for m in (motion[i], other[i])
        ]
        farthest = np.linalg.norm(np.subtract(*ways), axis=1).max()
        assert 0.1 * change[i] < farthest <= change[i] * (1.0 + 1e-9)


def test_long_motions_are_found_in_pairs_of_which_one_is_due():
    motion, pairs, due = np.zeros((6, 18)), np.array([(0, 1), (2, 3), (4, 5)], np.int32), np.zeros(6, bool)
    motion[1, 12], motion[3, 17], motion[4, 16] = 2.0, np.nan, 0.9
    long = np.zeros(6, bool)
    assert not find_long(pairs, due, motion, (1.0, 1.0), long) and not long.any()
    due[[0, 5]] = True
    assert find_long(pairs, due, motion, (1.0, 1.0), long) and np.flatnonzero(long).tolist() == [1]
    due[2] = True
    assert find_long(pairs, due, motion, (1.0, 1.0), long) and np.flatnonzero(long).tolist() == [1, 3]


def test_rooms_hold_boxes_and_are_left_by_long_ways(rng):
    """What stays within its room needs no culling, what leaves it gets a new one."""
    motion, due, paths = followed(rng, 6)
    room_low = paths.room_low
    assert follow_motions(motion, due, 0.01, tuple(paths))
    np.testing.assert_allclose(paths.box_low - room_low, ROOM * np.sqrt(3.0))
    np.testing.assert_allclose(paths.room_high - paths.box_high, ROOM * np.sqrt(3.0))
    motion[3, 9] += 0.9 * ROOM * np.sqrt(3.0)
    before = room_low.copy()
    assert not follow_motions(motion, due, 0.01, tuple(paths))
    motion[3, 9] += 0.2 * ROOM * np.sqrt(3.0)
    assert follow_motions(motion, due, 0.01, tuple(paths))
    assert np.flatnonzero((room_low != before).any(axis=1)).tolist() == [3]


def test_hits_are_sorted_by_pair_time_and_features(rng):
    for n in (0, 1, 2, 3, 7, 40, 500):
        pair, hits = rng.integers(5, size=n).astype(np.int32), rng.integers(3, size=(n, 3)).astype(np.int32)
        times = np.concatenate(([float(n)], rng.integers(4, size=n) / 4.0))
        rows = sorted(zip(pair.tolist(), times[1:].tolist(), *hits.T.tolist(), strict=True))
        sort_hits(n, times, hits, pair)
        assert list(zip(pair.tolist(), times[1:].tolist(), *hits.T.tolist(), strict=True)) == rows
        assert times[0] == n
