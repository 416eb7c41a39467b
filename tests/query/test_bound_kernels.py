"""Bounds and predicates of searches by themselves: ways of motions, triangles in boxes, moments of triangles."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from abut.math.frame_tables import Frame
from abut.query.classification.brep_index_kernels import measure_triangles, triangle_meets_box
from abut.query.search.front_kernels import CLOCK_WIDTH, motion_bound, tick
from abut.query.volumes.obb_kernels import WIDTH, put_box
from abut.query.volumes.tree_kernels import measure

CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def box(centre, half):
    rows = np.empty((1, WIDTH))
    put_box(UNTURNED, tuple(map(float, centre)), tuple(map(float, half)), 0, rows)
    return rows


def test_no_two_points_come_closer_than_by_the_bound_of_a_motion(rng, random_pose):
    nearest = 1e300
    for _ in range(40):
        centres, halves = rng.normal(size=(2, 3)), rng.uniform(0.1, 0.6, (2, 3))
        first, second = random_pose(), random_pose(0.3)
        X_0, X_1 = first, first @ second
        bound = motion_bound(
            box(centres[0], halves[0]), box(centres[1], halves[1]), *(Frame(*X.frame) for X in (X_0, X_1))
        )
        a, b = (centre + half * CORNERS for centre, half in zip(centres, halves, strict=True))
        before, after = (np.linalg.norm(a[:, None] - X.apply(b), axis=2) for X in (X_0, X_1))
        assert (before - after).max() <= bound
        nearest = min(nearest, bound - (before - after).max())
    assert nearest < 0.5


def test_a_clock_runs_by_the_bound_and_begins_anew_when_told(random_pose):
    boxes = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), box((1.0, 0.0, 0.0), (0.5, 0.2, 0.1))
    frames, clock = [Frame(*random_pose().frame) for _ in range(3)], np.zeros((1, CLOCK_WIDTH))
    assert tick(*boxes, frames[0], True, clock) == 0.0
    total = motion_bound(*boxes, frames[0], frames[1]) + motion_bound(*boxes, frames[1], frames[2])
    tick(*boxes, frames[1], False, clock)
    assert tick(*boxes, frames[2], False, clock) == pytest.approx(total)
    assert tick(*boxes, frames[0], True, clock) == 0.0


def depth(T, low, high):
    """By how much a triangle is within a box, or, below 0, beyond its walls: a linear programme."""
    upper = np.column_stack((np.vstack((T.T, -T.T)), np.ones(6)))
    found = linprog(
        (0, 0, 0, -1), upper, np.concatenate((high, -low)), [(1, 1, 1, 0)], [1], [(0, None)] * 3 + [(None, None)]
    )
    return -found.fun


def test_triangles_meet_boxes_where_a_linear_programme_finds_a_point(rng):
    low, high, answers = np.array((-0.6, -0.4, -0.5)), np.array((0.5, 0.3, 0.7)), []
    for T in rng.normal(scale=0.9, size=(150, 3, 3)):
        inside = depth(T, low, high)
        if abs(inside) > 1e-9:
            answers.append(inside > 0.0)
            assert triangle_meets_box(tuple(map(tuple, T)), tuple(low), tuple(high), 0.0) == answers[-1]
            if inside > -0.05:
                assert triangle_meets_box(tuple(map(tuple, T)), tuple(low), tuple(high), 0.06)
    assert 30 < sum(answers) < len(answers) - 30


def test_planes_of_triangles_and_of_their_sides_face_inwards(rng):
    corners = rng.normal(size=(10, 9))
    planes, boxes = np.empty((10, 16)), np.empty((10, 6))
    measure_triangles(corners, planes, boxes)
    for T, plane, bounds in zip(corners.reshape(10, 3, 3), planes.reshape(10, 4, 4), boxes, strict=True):
        np.testing.assert_allclose(np.linalg.norm(plane[:, :3], axis=1), 1.0)
        np.testing.assert_allclose(T @ plane[0, :3], plane[0, 3], atol=1e-12)
        heights = T @ plane[1:, :3].T - plane[1:, 3]
        for k in range(3):
            np.testing.assert_allclose(heights[[k, (k + 1) % 3], k], 0.0, atol=1e-12)
            assert heights[(k + 2) % 3, k] > 0.0
        np.testing.assert_array_equal(bounds, (*T.min(axis=0), *T.max(axis=0)))


def test_moments_of_triangles_are_those_of_quadrature(rng):
    """Midpoints of the sides integrate second moments exactly."""
    corners, moments, origin = rng.normal(size=(5, 9)), np.zeros((5, 13)), (0.3, -0.2, 0.1)
    measure(corners, origin, moments)
    for T, row in zip(corners.reshape(5, 3, 3) - origin, moments, strict=True):
        area = 0.5 * np.linalg.norm(np.cross(T[1] - T[0], T[2] - T[0]))
        middles = 0.5 * (T + np.roll(T, 1, axis=0))
        second = area / 3.0 * middles.T @ middles
        assert row[0] == pytest.approx(area)
        np.testing.assert_allclose(row[1:4], area * T.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(row[4:10], second[np.triu_indices(3)], atol=1e-12)
