"""What the guard does between checks: it follows motions, and sorts hits."""

import numpy as np

from abut.dynamics.guard_kernels import follow_motions, sort_hits


def followed(rng, n):
    """Boxes and motions of n bodies, nothing seen of them yet."""
    shape = (-np.ones((n, 3)), np.ones((n, 3)), np.full(n, np.sqrt(3.0)))
    motion = np.concatenate((np.tile(np.eye(3).ravel(), (n, 1)), rng.normal(size=(n, 9))), axis=1)
    tables = (np.zeros(n, bool), np.full((n, 18), np.nan), *(np.zeros((n, width)) for width in (12, 3, 3)))
    return shape, motion, tables


def test_only_motions_that_change_are_followed_again(rng):
    shape, motion, tables = followed(rng, 6)
    due, seen, end, low, high = tables
    follow_motions(shape, motion, 0.01, *tables)
    assert due.all() and (seen == motion).all() and (low < high).all()
    due[:], end[:], low[:] = False, 7.0, 7.0
    motion[2, 13] += 1e-9
    follow_motions(shape, motion, 0.01, *tables)
    assert np.flatnonzero(due).tolist() == [2]
    assert (np.flatnonzero((low != 7.0).any(axis=1)) == 2).all() and (np.delete(end, 2, axis=0) == 7.0).all()
    np.testing.assert_allclose(end[2, 9:], motion[2, 9:12] + motion[2, 12:15])


def test_hits_are_sorted_by_pair_time_and_features(rng):
    for n in (0, 1, 2, 3, 7, 40, 500):
        pair, hits = rng.integers(5, size=n).astype(np.int32), rng.integers(3, size=(n, 3)).astype(np.int32)
        times = np.concatenate(([float(n)], rng.integers(4, size=n) / 4.0))
        rows = sorted(zip(pair.tolist(), times[1:].tolist(), *hits.T.tolist(), strict=True))
        sort_hits(n, times, hits, pair)
        assert list(zip(pair.tolist(), times[1:].tolist(), *hits.T.tolist(), strict=True)) == rows
        assert times[0] == n
