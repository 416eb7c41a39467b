"""Spheres, swept rectangles and polytopes around triangles: they hold them, and no bound exceeds a distance."""

import numpy as np
import pytest

from abut.math.frame_tables import Frame
from abut.query.volumes import dop_kernels, obb_kernels, reference_kernels, rss_kernels, sphere_kernels

FAR = float("inf")


@pytest.fixture
def triangles(rng):
    """Corners (n, 9) of triangles in a slab, which suits no axis of the part."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return lambda n: ((rng.normal(size=(3 * n, 3)) * (1.0, 0.6, 0.2)) @ turn.T).reshape(n, 9)


def oriented_box(corners):
    """A row of the box about the middle of the corners, along their principal axes."""
    points = corners.reshape(-1, 3)
    _, _, axes = np.linalg.svd(points - points.mean(axis=0))
    along = points @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    rows = np.empty((1, obb_kernels.WIDTH))
    centre, half = 0.5 * (low + high) @ axes, 0.5 * (high - low)
    obb_kernels.put_box(tuple(axes.ravel().tolist()), tuple(centre.tolist()), tuple(half.tolist()), 0, rows)
    return rows


def sampled(rng, corners):
    """Points of the triangles, their corners among them."""
    share = np.concatenate((np.eye(3), rng.dirichlet((1.0, 1.0, 1.0), 40)))
    return np.einsum("sk,tkd->std", share, corners.reshape(-1, 3, 3)).reshape(-1, 3)


def least_distance2(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(axis=2).min()


def distance_to_rectangle(row, points):
    """From the rectangle of a swept one."""
    along = (points - row[9:12]) @ row[:9].reshape(3, 3).T
    beyond = np.maximum(np.abs(along[:, :2]) - row[12:14], 0.0)
    return np.sqrt((beyond**2).sum(axis=1) + along[:, 2] ** 2)


def test_a_sphere_holds_its_triangles_and_touches_one(triangles):
    corners, rows = triangles(9), np.empty((1, sphere_kernels.WIDTH))
    sphere_kernels.fit(corners, 0, 9, oriented_box(corners), 0, rows)
    distance = np.linalg.norm(corners.reshape(-1, 3) - rows[0, :3], axis=1)
    assert distance.max() <= rows[0, 3] == pytest.approx(distance.max(), rel=1e-12)


def test_a_swept_rectangle_holds_its_triangles(triangles):
    for _ in range(20):
        corners, rows = triangles(9), np.empty((1, rss_kernels.WIDTH))
        box = oriented_box(corners)
        rss_kernels.fit(corners, 0, 9, box, 0, rows)
        points = corners.reshape(-1, 3)
        assert (distance_to_rectangle(rows[0], points) <= rows[0, 14] * (1.0 + 1e-12)).all()
        assert (rows[0, 12:14] < box[0, 12:14]).all()


@pytest.mark.parametrize("k", [6, 14, 18, 26])
def test_a_polytope_has_the_extents_of_its_triangles(triangles, k):
    corners, rows = triangles(9), np.empty((1, dop_kernels.WIDTH))
    dop_kernels.fit(k, corners, 0, 9, 0, rows)
    begin, end = dop_kernels.directions_of(k)
    assert 2 * (end - begin) == k
    along = corners.reshape(-1, 3) @ dop_kernels.DIRECTIONS[begin:end].T
    low, high = rows[0, 2 * begin : 2 * end : 2], rows[0, 2 * begin + 1 : 2 * end : 2]
    np.testing.assert_allclose(low, along.min(axis=0), rtol=1e-14)
    np.testing.assert_allclose(high, along.max(axis=0), rtol=1e-14)
    assert (low <= along.min(axis=0)).all() and (high >= along.max(axis=0)).all()


@pytest.mark.parametrize("k", [6, 14, 18, 26])
def test_directions_of_the_other_part_are_sums_with_weights_that_are_not_negative(random_pose, k):
    begin, end = dop_kernels.directions_of(k)
    for _ in range(20):
        X, table = random_pose(), np.zeros((2, 13, 8))
        dop_kernels.prepare(k, Frame(*X.frame), table)
        for way, turn in enumerate((X.rotation.T, X.rotation)):
            slot, weight = table[way, begin:end, :3], table[way, begin:end, 3:6]
            terms = np.sign(slot)[..., None] * dop_kernels.DIRECTIONS[np.abs(slot).astype(int) - 1]
            sums = (weight[..., None] * terms).sum(axis=1)
            np.testing.assert_allclose(sums, dop_kernels.DIRECTIONS[begin:end] @ turn.T, atol=1e-14)
            assert weight.min() >= -1e-15


def bounds(k, a, b, X):
    """Lower bounds of the squared distance of all kinds, by name."""
    frame, n_a, n_b = Frame(*X.frame), len(a), len(b)
    found = {}
    for name, kernels in (("sphere", sphere_kernels), ("rss", rss_kernels)):
        rows = [np.empty((1, kernels.WIDTH)) for _ in range(2)]
        kernels.fit(a, 0, n_a, oriented_box(a), 0, rows[0])
        kernels.fit(b, 0, n_b, oriented_box(b), 0, rows[1])
        more = () if name == "sphere" else (FAR,)
        found[name] = kernels.bound2(rows[0], 0, rows[1], 0, frame, *more)[0]
    rows, table = [np.empty((1, dop_kernels.WIDTH)) for _ in range(2)], np.zeros((2, 13, 8))
    dop_kernels.fit(k, a, 0, n_a, 0, rows[0])
    dop_kernels.fit(k, b, 0, n_b, 0, rows[1])
    dop_kernels.prepare(k, frame, table)
    found["dop"] = dop_kernels.bound2(k, rows[0], 0, rows[1], 0, table, FAR)[0]
    return found


@pytest.mark.parametrize("k", [6, 14, 18, 26])
def test_no_bound_exceeds_the_distance_and_far_parts_are_known_to_be_apart(rng, triangles, random_pose, k):
    positive = {"sphere": 0, "rss": 0, "dop": 0}
    for _ in range(25):
        a, b, X = triangles(5), triangles(5), random_pose(6.0)
        distance2 = least_distance2(sampled(rng, a), X.apply(sampled(rng, b)))
        for name, bound2 in bounds(k, a, b, X).items():
            assert bound2 <= distance2 * (1.0 + 1e-12)
            positive[name] += bound2 > 0.1 * distance2
    assert min(positive.values()) >= 5


def test_halves_of_a_flat_quadrangle_have_one_reference_point():
    """A unit square of two triangles, and a third that stands on it."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2]], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4]], np.int32)
    points = np.empty((3, 3))
    reference_kernels.put_references(vertices[triangles].reshape(3, 9), triangles, 5, points)
    np.testing.assert_allclose(points[:2], [[0.5, 0.5, 0.0]] * 2)
    np.testing.assert_allclose(points[2], vertices[triangles[2]].mean(axis=0))
