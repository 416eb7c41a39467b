"""Bounding volumes and hierarchies: what they hold, what they bound, how they are divided."""

import numpy as np
import pytest

import abut
from abut.math.frame_tables import Frame
from abut.query import Hierarchy, hierarchy_of
from abut.query.volumes.hierarchy import VOLUMES, build_tree
from abut.query.volumes.hierarchy_tables import Pair, Part
from abut.query.volumes.volume_kernels import prepare, volume_bound2
from query import naive

RING, BUMPY = naive.torus(14, 8), naive.torus(12, 9, bumps=0.3)
NO_GUIDE = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def triangles_of(tree, node):
    first, last = tree.span[node]
    return tree.corners[first:last].reshape(-1, 3, 3)


def bounds_of(a: Hierarchy, b: Hierarchy, X, pairs):
    """Lower bounds of distances of pairs of nodes."""
    frame, table = Frame(*X.frame), a.table()
    prepare(a.code, frame, table)
    pair = Pair(Part(*a.tables), Part(*b.tables), frame, a.code, table)
    return [volume_bound2(pair, i, j, table, NO_GUIDE, np.inf)[0] ** 0.5 for i, j in pairs]


def test_every_triangle_is_one_leaf_and_children_divide_their_parent():
    tree = hierarchy_of(RING).tree
    leaves = -1 - tree.child[tree.child < 0]
    assert sorted(leaves) == list(range(len(RING.triangles))) == sorted(tree.order)
    for node in np.flatnonzero(tree.child >= 0):
        (first, last), (a, b), (c, d) = tree.span[node], tree.span[tree.child[node]], tree.span[tree.child[node] + 1]
        assert first == a < b == c < d == last
    np.testing.assert_array_equal(tree.corners.reshape(-1, 3, 3), RING.vertices[RING.triangles[tree.order]])


def test_a_long_plate_is_cut_across():
    plate = naive.box((8.0, 1.0, 0.01))
    tree = hierarchy_of(plate).tree
    low, high = (triangles_of(tree, tree.child[0] + k).mean(axis=(0, 1))[0] for k in range(2))
    assert abs(high - low) > 2.0


def test_the_halves_of_a_rectangle_part_last_and_have_its_box():
    """A strip of seven rectangles around an arc: an odd number, so that the middle one lies on the cut."""
    angle = 0.1 * np.arange(8)
    rim = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    i = np.arange(7)
    halves = np.stack((np.stack((i, i + 1, i + 8), 1), np.stack((i + 1, i + 9, i + 8), 1)), axis=1).reshape(-1, 3)
    tree = hierarchy_of(abut.Solid(np.concatenate((np.c_[rim, 0 * angle], np.c_[rim, 0 * angle + 3])), halves)).tree
    pairs = np.flatnonzero(tree.span[:, 1] - tree.span[:, 0] == 2)
    assert len(pairs) == 7
    for node in pairs:
        assert len(set(tree.order[slice(*tree.span[node])] // 2)) == 1
        np.testing.assert_allclose(tree.boxes[tree.child[node], 12:15], tree.boxes[node, 12:15], atol=1e-12)


def test_boxes_hold_their_triangles_tightly():
    tree = hierarchy_of(BUMPY).tree
    for node in range(len(tree.child)):
        axes, centre, half = tree.boxes[node, :9].reshape(3, 3), tree.boxes[node, 9:12], tree.boxes[node, 12:15]
        reach = np.abs((triangles_of(tree, node) - centre) @ axes.T).max(axis=(0, 1))
        assert (reach <= half).all() and (half - reach <= 1e-13).all()
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("volume", VOLUMES)
def test_no_two_triangles_are_closer_than_the_volumes_of_their_nodes(volume, rng, random_pose):
    a, b = hierarchy_of(RING, volume), hierarchy_of(BUMPY, volume)
    rank_a, rank_b = a.tree.order, b.tree.order
    for _ in range(3):
        X = random_pose(2.5)
        distances = naive.pair_distances(RING, BUMPY, abut.Pose(), X)[np.ix_(rank_a, rank_b)]
        pairs = np.column_stack((rng.integers(len(a.rows), size=60), rng.integers(len(b.rows), size=60)))
        for (i, j), bound in zip(pairs, bounds_of(a, b, X, pairs), strict=True):
            (i0, i1), (j0, j1) = a.tree.span[i], b.tree.span[j]
            assert bound <= distances[i0:i1, j0:j1].min() + 1e-13


@pytest.mark.parametrize(
    ("loose", "tight"), [("aabb", "dop14"), ("aabb", "dop18"), ("dop18", "dop26"), ("sphere", "obb")]
)
def test_a_tighter_volume_bounds_more_on_the_whole(loose, tight, rng, random_pose):
    X = random_pose(2.5)
    pairs = rng.integers(5, 150, size=(300, 2))
    sums = [sum(bounds_of(hierarchy_of(RING, v), hierarchy_of(BUMPY, v), X, pairs)) for v in (loose, tight)]
    assert sums[0] < sums[1]


def test_triangles_that_no_plane_can_divide_are_halved():
    fan = abut.Solid([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)] * 40)
    tree = hierarchy_of(fan).tree
    assert tree.depth == 7 and len(tree.child) == 79


def test_points_in_a_row_of_growing_distances_make_a_deep_tree_that_still_works():
    x = np.concatenate(([0.0], 2.0 ** np.arange(60)))
    vertices = np.concatenate([np.column_stack((x, 0 * x, 0 * x)), np.column_stack((x, 0 * x + 1e-3, 0 * x))])
    strip = abut.Solid(vertices, [(i, i + 1, i + 61) for i in range(60)])
    assert hierarchy_of(strip).tree.depth > 12
    assert abut.distance(strip, RING, None, abut.Pose((0, 0, 5.0))).exact


def test_building_is_repeatable():
    one, two = (build_tree(RING.mesh.vertices, RING.mesh.triangles) for _ in range(2))
    assert one.boxes.tobytes() == two.boxes.tobytes() and one.depth == two.depth
