"""Welding, cutting and turning of bare triangles, beside comparisons of all with all."""

import numpy as np
import pytest

from abut.geometry.soundness.repair_kernels import (
    find_mates,
    find_splits,
    orient_components,
    split_triangles,
    triangle_height,
    weld,
)
from abut.geometry.soundness.self_intersect_kernels import self_intersections, triangle_boxes
from abut.geometry.soundness.thin_kernels import swap_thin_triangles
from abut.geometry.triangles.intersect_kernels import APART, triangle_relation


def areas(vertices, triangles):
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def mates(triangles, n):
    mate = np.empty(3 * len(triangles), np.int32)
    return find_mates(triangles, n, mate), mate


def test_vertices_go_to_the_nearest_earlier_one_that_stays(rng):
    vertices, reach = rng.uniform(-1.0, 1.0, (150, 3)), 0.3
    active, target = np.arange(150) % 5 != 0, np.empty(150, np.int32)
    longest, kept = weld(vertices, active, reach, target), []
    for v in range(150):
        distance = {w: np.linalg.norm(vertices[v] - vertices[w]) for w in kept}
        near = min(distance, key=distance.get, default=v)
        moves = active[v] and near != v and distance[near] <= reach
        assert target[v] == (near if moves else v)
        if active[v] and not moves:
            kept.append(v)
    assert longest == pytest.approx(np.linalg.norm(vertices - vertices[target], axis=1).max())
    assert 20 < len(kept) < 100


def test_a_height_is_the_least_distance_of_a_corner_from_the_line_across(rng):
    for a, b, c in rng.normal(size=(50, 3, 3)):
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a))
        sides = [np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c)]
        least = min(2.0 * area / side for side in sides)
        assert triangle_height(tuple(a), tuple(b), tuple(c)) == pytest.approx(least, rel=1e-12)
    assert triangle_height((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (1.0, 2.0, 3.0)) == 0.0


def test_triangles_are_cut_where_vertices_lie_on_their_edges_and_keep_their_area():
    vertices = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 0, 0], [3, 1e-7, 0], [2, 1, 0], [4 + 5e-7, 0, 0]], float)
    triangles = np.array([[0, 1, 2]], np.int32)
    candidates = np.argsort(vertices[:, 0], kind="stable").astype(np.int32)
    tables = np.empty(9, np.int32), np.empty(9, np.int32), np.empty(9), np.empty(9)
    count = find_splits(vertices, triangles, np.arange(3, dtype=np.int32), candidates, 0, 1e-6, tables)
    assert count == 2 and tables[1][:2].tolist() == [3, 4]
    np.testing.assert_allclose(tables[2][:2], [0.25, 0.75])
    np.testing.assert_allclose(tables[3][:2], [0.0, 1e-7], atol=1e-16)
    cut = np.empty((9, 3), np.int32)
    n = split_triangles(triangles, tables[0][:2], tables[1][:2], cut)
    assert n == 3 and areas(vertices, cut[:n]).sum() == pytest.approx(8.0, abs=1e-6)
    assert {tuple(t) for t in cut[:n].tolist()} == {(0, 3, 2), (3, 4, 2), (4, 1, 2)}


def test_after_turning_neighbours_run_opposite_ways_along_their_edges(rng):
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32)
    triangles = np.concatenate((triangles, triangles + 4))
    turned = rng.random(8) < 0.5
    triangles[turned] = triangles[turned][:, ::-1]
    n_open, mate = mates(triangles, 8)
    component, flip = np.empty(8, np.int32), np.empty(8, np.bool_)
    assert n_open == 0 and orient_components(triangles, mate, component, flip) == (2, 0)
    triangles[flip] = triangles[flip][:, ::-1]
    ways = np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2).reshape(-1, 2).tolist()
    assert len({tuple(way) for way in ways}) == 24 and all([b, a] in ways for a, b in ways)


def test_a_band_with_a_twist_cannot_be_turned():
    n = 6
    band = [[i, i + 1, n + i] for i in range(n - 1)] + [[i + 1, n + i + 1, n + i] for i in range(n - 1)]
    triangles = np.array([*band, [n - 1, n, 2 * n - 1], [n, 0, 2 * n - 1]], np.int32)
    _, mate = mates(triangles, 2 * n)
    n_component, conflicts = orient_components(
        triangles, mate, np.empty(len(triangles), np.int32), np.empty(len(triangles), np.bool_)
    )
    assert n_component == 1 and conflicts > 0


def test_a_swap_rids_a_closed_surface_of_a_sliver_and_keeps_it_closed():
    """A tetrahedron with a fifth vertex on one of its faces, almost on an edge."""
    vertices = np.array([[0, 0, 0], [2, 0, 0], [1, 2, 0], [1, 0.5, 2], [1, 1e-9, 0]], float)
    triangles = np.array([[0, 4, 1], [1, 4, 2], [2, 4, 0], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32)
    _, mate = mates(triangles, 5)
    before, height = areas(vertices, triangles).sum(), triangle_height(*map(tuple, vertices[[0, 4, 1]]))
    n_swap, highest = swap_thin_triangles(vertices, triangles, mate, 1e-6, 1e-6)
    assert n_swap == 1 and highest == height < 1e-8
    assert areas(vertices, triangles).min() > 0.4
    assert areas(vertices, triangles).sum() == pytest.approx(before, abs=1e-8)
    n_open, again = mates(triangles, 5)
    assert n_open == 0 and again.tolist() == mate.tolist()


def test_the_sweep_finds_all_pairs_that_meet(rng):
    """Loose triangles, so that every meeting counts."""
    vertices, triangles = rng.uniform(0.0, 1.0, (120, 3)), np.arange(120, dtype=np.int32).reshape(40, 3)
    low, high = np.empty((40, 3)), np.empty((40, 3))
    triangle_boxes(vertices, triangles, low, high)
    np.testing.assert_array_equal(low, vertices[triangles].min(axis=1))
    pairs, kinds = np.empty((800, 2), np.int32), np.empty(800, np.int8)
    order = np.argsort(low[:, 1]).astype(np.int32)
    count = self_intersections(vertices, triangles, low, high, order, 1, pairs, kinds)
    corners = [tuple(map(tuple, vertices[t])) for t in triangles]
    expected = {(i, j) for i in range(40) for j in range(i) if triangle_relation(*corners[j], *corners[i]) != APART}
    assert {tuple(pair[::-1]) for pair in pairs[:count].tolist()} == expected and count == len(expected) > 20
