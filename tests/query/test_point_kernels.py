"""The point of a part that is nearest to a given one, beside all triangles, and distances of many points."""

import numpy as np
import pytest

from abut import Solid
from abut.fem.meshing.lattice_kernels import surface_distances
from abut.geometry.triangles.triangle_kernels import closest_point_triangle
from abut.query.distance.point_kernels import closest_point_from, closest_point_part, point_box2
from abut.query.volumes.hierarchy import hierarchy_of
from abut.query.volumes.obb_kernels import WIDTH, put_box

ALL = np.int64(2**62)


@pytest.fixture(scope="module")
def part():
    return Solid.torus(1.0, 0.3, segments=12, sides=6)


@pytest.fixture(scope="module")
def tables(part):
    tree = hierarchy_of(part)
    return tree.tables, np.empty(tree.depth + 2, np.int32), np.empty(tree.depth + 2)


def brute(part, p):
    """Least distance from all triangles."""
    corners = part.mesh.vertices[part.mesh.triangles]
    points = [closest_point_triangle(tuple(p), *map(tuple, triangle))[0] for triangle in corners]
    return np.linalg.norm(np.array(points) - p, axis=1).min()


def test_no_triangle_is_nearer_than_the_point_that_is_found(rng, part, tables):
    tree, stack, key = tables
    for p in rng.uniform(-1.6, 1.6, (40, 3)):
        d2, q, where = closest_point_part(tuple(p), tree, stack, key, ALL)
        assert np.sqrt(d2) == pytest.approx(brute(part, p), rel=1e-12)
        assert np.linalg.norm(np.array(q) - p) == pytest.approx(np.sqrt(d2)) and where >= 0


def test_a_point_that_is_known_is_kept_unless_there_is_a_nearer_one(part, tables):
    tree, stack, key = tables
    p, known = (2.0, 0.0, 0.0), (2.0, 0.0, 0.1)
    assert closest_point_from(p, tree, stack, key, ALL, 0.01, known, np.int64(7)) == (0.01, known, 7)
    d2, _, where = closest_point_from(p, tree, stack, key, ALL, 4.0, known, np.int64(-7))
    assert np.sqrt(d2) == pytest.approx(0.7) and where >= 0


def test_a_search_that_may_look_at_little_finds_a_point_that_is_not_too_near(rng, part, tables):
    tree, stack, key = tables
    for p in rng.uniform(-1.6, 1.6, (10, 3)):
        d2, _, where = closest_point_part(tuple(p), tree, stack, key, np.int64(1))
        assert np.sqrt(d2) >= brute(part, p) * (1.0 - 1e-12) and where >= 0


def test_the_distance_from_a_box_is_that_from_its_nearest_point(rng, random_pose):
    rows = np.empty((1, WIDTH))
    for _ in range(20):
        X, half, p = random_pose(), rng.uniform(0.1, 1.0, 3), rng.normal(scale=2.0, size=3)
        axes = X.rotation.T
        put_box(tuple(axes.ravel().tolist()), tuple(X.position.tolist()), tuple(half.tolist()), 0, rows)
        nearest = X.apply(np.clip(X.inverse().apply(p), -half, half))
        assert point_box2(tuple(p), rows, 0) == pytest.approx(((p - nearest) ** 2).sum(), abs=1e-12)


def test_distances_of_many_points_are_those_of_each(rng, part):
    tree, points = hierarchy_of(part), rng.uniform(-1.6, 1.6, (20, 3))
    distance = np.empty(20)
    surface_distances(points, *tree.tables, tree.depth, distance)
    np.testing.assert_allclose(distance, [brute(part, p) for p in points], rtol=1e-12)
