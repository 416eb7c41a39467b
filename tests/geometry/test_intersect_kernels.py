"""Exact signs and triangle intersection: known answers, exact and linear-programming oracles, symmetry."""

from fractions import Fraction

import numpy as np
import pytest

from abut.geometry.triangles.exact_kernels import orient2d, orient3d
from abut.geometry.triangles.intersect_kernels import (
    APART,
    CROSS,
    OVERLAP,
    TOUCH,
    segment_meets_triangle,
    triangle_relation,
    triangles_intersect,
)

FLOOR = ((0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 4.0, 0.0))


def points(array):
    return tuple(tuple(float(x) for x in row) for row in array)


@pytest.mark.parametrize(
    ("other", "relation"),
    [
        pytest.param([(1, 1, -1), (1, 1, 1), (9, 9, 1)], CROSS, id="passes through the inside"),
        pytest.param([(1, -1, -1), (1, -1, 1), (1, 2, 0)], CROSS, id="cuts an edge"),
        pytest.param([(1, 1, 0), (1, 1, 1), (2, 1, 1)], TOUCH, id="stands on a corner"),
        pytest.param([(1, 1, 0), (2, 1, 0), (1, 1, 1)], TOUCH, id="stands on an edge"),
        pytest.param([(1, 0, -1), (1, 0, 1), (1, -2, 0)], TOUCH, id="its edge crosses an edge"),
        pytest.param([(0, 0, 0), (0, 0, 1), (-1, -1, 1)], TOUCH, id="shares a corner"),
        pytest.param([(0, 0, 0), (4, 0, 0), (0, 0, 1)], TOUCH, id="shares an edge"),
        pytest.param([(1, 1, 0), (2, 1, 0), (1, 2, 0)], OVERLAP, id="lies inside, in the plane"),
        pytest.param([(0, 0, 0), (4, 0, 0), (0, -4, 0)], TOUCH, id="neighbour in the plane"),
        pytest.param([(5, 5, 0), (6, 5, 0), (5, 6, 0)], APART, id="beside it in the plane"),
        pytest.param([(1, 1, 1), (2, 1, 1), (1, 2, 1)], APART, id="above, parallel"),
        pytest.param([(3, 3, -1), (3, 3, 1), (9, 9, 1)], APART, id="crosses the plane outside"),
        pytest.param([(1, 1, -1), (1, 1, 1), (1, 1, 0)], TOUCH, id="collapsed to a segment through it"),
        pytest.param([(1, 1, 0), (1, 1, 0), (1, 1, 0)], TOUCH, id="collapsed to a point in it"),
        pytest.param([(3, 3, -1), (3, 3, 1), (3, 3, 0)], APART, id="collapsed to a segment beside it"),
    ],
)
def test_known_answers(other, relation):
    assert triangle_relation(*FLOOR, *points(other)) == relation
    assert triangle_relation(*points(other), *FLOOR) == relation
    assert triangles_intersect(*FLOOR, *points(other)) == (relation != APART)


def test_collapsed_triangles_meet_only_where_their_segments_do():
    a = points([(0, 0, 0), (2, 2, 2), (1, 1, 1)])
    assert triangle_relation(*a, *points([(0, 2, 1), (2, 0, 1), (1, 1, 1)])) == TOUCH
    assert triangle_relation(*a, *points([(0, 2, 0), (2, 0, 1), (2, 0, 1)])) == APART


def sign(x):
    return int(x > 0) - int(x < 0)


def exact_orient3d(a, b, c, d):
    rows = [[Fraction(p[i]) - Fraction(d[i]) for i in range(3)] for p in (a, b, c)]
    (p, q, r), (s, t, u), (v, w, x) = rows
    return sign(p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v))


def test_signs_of_nearly_flat_tetrahedra_are_exact(rng):
    """Points computed to lie in a plane miss it by rounding: the plain formula is wrong for a part of them."""
    wrong_if_plain = 0
    for _ in range(300):
        a, b, c = rng.normal(size=(3, 3))
        d = rng.dirichlet((1, 1, 1)) @ np.array((a, b, c))
        truth = exact_orient3d(a, b, c, d)
        assert orient3d(*points((a, b, c, d))) == truth
        wrong_if_plain += sign(np.linalg.det(np.array((a, b, c)) - d)) != truth
    assert wrong_if_plain > 10


def test_signs_on_a_grid_are_exact(rng):
    for corners in rng.integers(0, 3, size=(300, 4, 3)):
        assert orient3d(*points(corners)) == exact_orient3d(*corners.tolist())


def test_turns_in_the_plane_are_exact(rng):
    for _ in range(200):
        a, b = rng.normal(size=(2, 3))
        c = a + rng.uniform() * (b - a)
        ax, ay, bx, by, cx, cy = (Fraction(float(x)) for x in (a[1], a[2], b[1], b[2], c[1], c[2]))
        assert orient2d(*points((a, b, c)), 1, 2) == sign((ax - cx) * (by - cy) - (ay - cy) * (bx - cx))


def meets_by_linear_program(a, b):
    """Whether two sets of corners have a common point in their hulls, decided on small whole numbers."""
    from scipy.optimize import linprog

    equations = np.zeros((5, 6))
    equations[:3, :3], equations[:3, 3:] = a.T, -b.T
    equations[3, :3] = equations[4, 3:] = 1.0
    return linprog(np.zeros(6), A_eq=equations, b_eq=(0, 0, 0, 1, 1), bounds=(0, None)).status == 0


def test_triangles_on_a_coarse_grid_meet_as_a_linear_program_says(rng):
    """A grid of 2 to 4 points a side gives every kind of degenerate pair, collapsed triangles included."""
    for i in range(400):
        a, b = rng.integers(0, 2 + i % 3, size=(2, 3, 3)).astype(float)
        if i % 4 == 0:
            a[:, 2] = b[:, 2] = 0.0
        relation = triangle_relation(*points(a), *points(b))
        assert (relation != APART) == meets_by_linear_program(a, b), (a, b)
        assert relation == triangle_relation(*points(b[[1, 2, 0]]), *points(a[[0, 2, 1]]))


def test_crossing_survives_rigid_motion(rng, random_pose):
    for _ in range(100):
        a, b = rng.normal(size=(2, 3, 3))
        X = random_pose(3.0)
        assert triangle_relation(*points(a), *points(b)) == triangle_relation(*points(X.apply(a)), *points(X.apply(b)))


def test_segment_meets_triangle_with_its_end_its_side_and_not_beyond():
    assert segment_meets_triangle((1.0, 1.0, 1.0), (1.0, 1.0, 0.0), *FLOOR)
    assert segment_meets_triangle((-1.0, 1.0, 0.0), (5.0, 1.0, 0.0), *FLOOR)
    assert not segment_meets_triangle((1.0, 1.0, 2.0), (1.0, 1.0, 1e-300), *FLOOR)
    assert not segment_meets_triangle((3.0, 3.0, 1.0), (3.0, 3.0, -1.0), *FLOOR)


def test_one_specialisation_is_compiled(compiled_signatures):
    triangle_relation(*FLOOR, *FLOOR)
    assert len(compiled_signatures(triangle_relation)) == 1
