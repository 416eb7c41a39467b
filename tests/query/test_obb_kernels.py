"""Oriented boxes: what their bounds and directions promise, against corners and brute force."""

import itertools

import numpy as np
import pytest

from abut.math.frame_tables import Frame
from abut.query.volumes.obb_kernels import (
    WIDTH,
    bound2,
    bounds2_split_a,
    bounds2_split_b,
    overlap,
    overlaps_split_a,
    overlaps_split_b,
    put_box,
    separation,
)

CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
NO_GUIDE = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.fixture
def boxes(rng, random_pose):
    """Two boxes of either part, and pairs of the poses at which these stand."""

    def table():
        rows = np.zeros((2, WIDTH))
        for i in range(2):
            axes = tuple(random_pose().rotation.ravel().tolist())
            put_box(axes, tuple(rng.normal(size=3).tolist()), tuple(rng.uniform(0.05, 0.8, 3).tolist()), i, rows)
        return rows

    return [(table(), table(), random_pose(2.0)) for _ in range(60)]


def corners_of(rows, i):
    axes, centre, half = rows[i, :9].reshape(3, 3), rows[i, 9:12], rows[i, 12:15]
    return centre + (half * CORNERS) @ axes


def sampled_distance(rows_a, rows_b, X):
    """An upper bound of the distance of two boxes, by alternating projection."""
    axes_a, centre_a, half_a = rows_a[0, :9].reshape(3, 3), rows_a[0, 9:12], rows_a[0, 12:15]
    axes_b, centre_b, half_b = rows_b[0, :9].reshape(3, 3), rows_b[0, 9:12], rows_b[0, 12:15]
    y = X.apply(centre_b)
    for _ in range(3000):
        x = centre_a + np.clip(axes_a @ (y - centre_a), -half_a, half_a) @ axes_a
        y = X.apply(centre_b + np.clip(axes_b @ (X.inverse().apply(x) - centre_b), -half_b, half_b) @ axes_b)
    return np.linalg.norm(y - x)


def test_boxes_are_apart_along_their_separation_by_as_much_as_it_says(boxes):
    found = 0
    for rows_a, rows_b, X in boxes:
        apart, n = separation(rows_a, 0, rows_b, 0, Frame(*X.frame))
        if apart == 0.0:
            assert n == (0.0, 0.0, 0.0)
            continue
        found += 1
        n = np.array(n)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
        room = (X.apply(corners_of(rows_b, 0)) @ n).min() - (corners_of(rows_a, 0) @ n).max()
        assert room == pytest.approx(apart, abs=1e-13)
    assert found > 20


def test_no_bound_exceeds_the_distance_and_boxes_without_distance_overlap(boxes):
    near = []
    for rows_a, rows_b, X in boxes[:25]:
        frame, distance = Frame(*X.frame), sampled_distance(rows_a, rows_b, X)
        bound = bound2(rows_a, 0, rows_b, 0, frame, NO_GUIDE, np.inf)[0] ** 0.5
        assert bound <= distance + 1e-12
        assert overlap(rows_a, 0, rows_b, 0, frame, distance + 1e-9)
        if distance > 1e-6:
            assert not overlap(rows_a, 0, rows_b, 0, frame, 0.0)
            near.append(bound / distance)
    assert len(near) > 5 and np.mean(near) > 0.9


def test_children_have_the_bounds_that_they_have_alone(boxes):
    for rows_a, rows_b, X in boxes:
        frame = Frame(*X.frame)
        alone = {(i, j): bound2(rows_a, i, rows_b, j, frame, NO_GUIDE, np.inf) for i in (0, 1) for j in (0, 1)}
        of_a = bounds2_split_a(rows_a, 0, rows_b, 0, frame, NO_GUIDE, np.inf)
        of_b = bounds2_split_b(rows_a, 0, rows_b, 0, frame, NO_GUIDE, np.inf)
        assert of_a == pytest.approx((*alone[0, 0], *alone[1, 0]), abs=1e-12)
        assert of_b == pytest.approx((*alone[0, 0], *alone[0, 1]), abs=1e-12)
        meets = {pair: overlap(rows_a, pair[0], rows_b, pair[1], frame, 1e-3) for pair in alone}
        assert overlaps_split_a(rows_a, 0, rows_b, 0, frame, 1e-3) == (meets[0, 0], meets[1, 0])
        assert overlaps_split_b(rows_a, 0, rows_b, 0, frame, 1e-3) == (meets[0, 0], meets[0, 1])
