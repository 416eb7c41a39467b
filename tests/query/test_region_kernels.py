"""Hulls, cuts and groups of contact regions by themselves, beside scipy and brute force."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

from abut.query.regions.clip_kernels import clip_triangles, piece_holds, polygon_area
from abut.query.regions.group_kernels import EDGE, FACE, GROUPS, VERTEX, clear_groups, find_group, find_key, group_of
from abut.query.regions.hull_kernels import convex_hull, perimeter, sort_corners
from abut.query.regions.region_tables import Groups, Scratch

UP = (0.0, 0.0, 1.0)


@pytest.fixture
def scratch():
    blank = dict.fromkeys(Scratch._fields)
    return Scratch(**{**blank, "polygon": np.zeros((2, 12, 4)), "border": np.zeros((2, 12), np.int32)})


@pytest.mark.parametrize("n", [3, 4, 9, 60])
def test_a_hull_is_the_convex_hull(rng, n):
    for _ in range(10):
        flat, order, hull = rng.normal(size=(n, 2)), np.arange(n, dtype=np.int32), np.empty(2 * n, np.int32)
        sort_corners(flat, n, order)
        assert order.tolist() == np.lexsort(flat.T[::-1]).tolist()
        m = convex_hull(flat, order, n, 0.0, hull)
        expected = ConvexHull(flat)
        assert {*hull[:m].tolist()} == {*expected.vertices.tolist()}
        assert perimeter(flat, hull, m) == pytest.approx(expected.area)  # of a plane hull, scipy's area is its border
        x, y = flat[hull[:m]].T
        assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() == pytest.approx(expected.volume)


def test_corners_on_a_straight_side_are_left_out():
    flat = np.array([[0, 0], [1, 0], [2, 1e-9], [3, 0], [3, 3], [0, 3], [0, 1]], float)
    order, hull = np.arange(7, dtype=np.int32), np.empty(14, np.int32)
    sort_corners(flat, 7, order)
    m = convex_hull(flat, order, 7, 1e-6, hull)
    assert sorted(hull[:m].tolist()) == [0, 3, 4, 5]


def common_area(A, B):
    """Of two plane triangles; None where they have none, or next to none."""
    sides = []
    for corners in (A, B):
        turn = np.sign(np.linalg.det((corners[1] - corners[0], corners[2] - corners[0])))
        for k in range(3):
            (u, v), (x, y) = turn * (corners[(k + 1) % 3] - corners[k]), corners[k]
            sides.append((v, -u, u * y - v * x))
    sides = np.array(sides)
    points = np.random.default_rng(1).dirichlet((1.0, 1.0, 1.0), 400) @ A
    room = (points @ sides[:, :2].T + sides[:, 2]).max(axis=1)
    if room.min() > -0.01:
        return None
    return ConvexHull(HalfspaceIntersection(sides, points[room.argmin()]).intersections).volume


def as_points(corners, heights=(0.0, 0.0, 0.0)):
    return tuple((float(x), float(y), float(z)) for (x, y), z in zip(corners, heights, strict=True))


def test_a_triangle_is_cut_to_what_lies_over_the_other(rng, scratch):
    found = 0
    while found < 12:
        A, B = rng.normal(size=(2, 3, 2))
        if np.linalg.det((B[1] - B[0], B[2] - B[0])) < 0.0:
            B = B[::-1]
        expected = common_area(A, B)
        if expected is None:
            continue
        which, n = clip_triangles(as_points(A), as_points(B), UP, (0.0, 0.0, 0.0), 1.0, scratch)
        area, border = polygon_area(scratch.polygon, which, n, UP)
        corners = scratch.polygon[which, :n, :2]
        assert area == pytest.approx(expected, rel=1e-9)
        assert border == pytest.approx(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).sum())
        found += 1


def test_what_is_higher_than_the_limit_is_cut_away(scratch):
    """A triangle that rises over a wide one: only its part below half its height is kept, a quarter less."""
    A, B = np.array([[0, 0], [1, 0], [0, 1]], float), np.array([[-9, -9], [9, -9], [0, 9]], float)
    heights = (0.0, 0.0, 1.0)
    which, n = clip_triangles(as_points(A, heights), as_points(B), UP, heights, 0.5, scratch)
    area, _ = polygon_area(scratch.polygon, which, n, UP)
    assert n == 4 and area == pytest.approx(0.5 * 0.75)
    assert clip_triangles(as_points(A, (2, 2, 2)), as_points(B), UP, (2.0, 2.0, 2.0), 0.5, scratch)[1] == 0


def test_a_piece_holds_points_up_to_its_limit():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    assert piece_holds(square, 0, 4, (0.5, 0.5, 7.0), UP, 0.0)
    assert piece_holds(square[::-1].copy(), 0, 4, (0.5, 0.5, 7.0), UP, 0.0)
    assert piece_holds(square, 0, 4, (1.05, 0.5, 0.0), UP, 0.1)
    assert not piece_holds(square, 0, 4, (1.2, 0.5, 0.0), UP, 0.1)


@pytest.fixture
def groups():
    n = 64
    blank = dict.fromkeys(Groups._fields)
    tables = {
        "slots": np.zeros(128, np.int32),
        "counts": np.zeros(5, np.int32),
        "key": np.zeros(n, np.int64),
        "name": np.zeros((n, 5), np.int32),
        "state": np.zeros((n, 2), np.int32),
        "near": np.zeros((n, 7)),
    }
    return Groups(**{**blank, **tables})


def test_pairs_of_features_are_found_again_by_their_names(rng, groups):
    names = sorted({(EDGE, i, kind, j) for i, j in rng.integers(0, 9, (25, 2)).tolist() for kind in (VERTEX, FACE)})
    numbers = {name: group_of(groups, *name) for name in names}
    assert sorted(numbers.values()) == list(range(len(names))) and groups.counts[GROUPS] == len(names)
    for name, number in numbers.items():
        assert group_of(groups, *name) == number and groups.name[number, :4].tolist() == list(name)
        assert find_group(groups, groups.key[number]) == number
    keys = groups.key[: len(names)].tolist()
    clear_groups(groups)
    assert not groups.slots.any() and all(find_group(groups, key) == -1 for key in keys)


def test_a_key_is_found_among_rising_ones():
    keys = np.array([2, 3, 5, 8, 13], np.int64)
    assert [find_key(keys, key) for key in range(14)] == [-1, -1, 0, 1, -1, 2, -1, -1, 3, -1, -1, -1, -1, 4]
