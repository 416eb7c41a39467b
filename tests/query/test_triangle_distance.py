"""Distance of two triangles against exact rational arithmetic: nearly coplanar ones, slivers, near crossings."""

import math
from fractions import Fraction

import numpy as np
import pytest

import abut
from abut import Pose
from query import naive

ROUNDING = Fraction(1, 10**12)
"""Of the size: what `exact` leaves between the bounds."""
HEIGHTS = [1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4]


def nearly_coplanar(rng, height):
    """Triangles of size 1 side by side or over each other, their corners off one plane by about `height`."""
    pair = rng.uniform(-1, 1, (2, 3, 3)) * (1.0, 1.0, height)
    pair[1] += (*(rng.choice([0.0, 0.5, 1.5]) * rng.normal(size=2)), rng.choice([0.0, 1.0, 2.0]) * height)
    return pair


def slivers(rng, height):
    """Long triangles that are about `height` wide, at about that distance."""
    pair = rng.uniform(-1, 1, (2, 3, 3)) * (1.0, height, height)
    return pair if rng.random() < 0.5 else np.stack((pair[0], rng.uniform(-1, 1, (3, 3)) * (1.0, 1.0, height)))


def barely_crossing(rng, height):
    """A corner of B about `height` above or below a point of A, or of one of its sides."""
    pair = rng.uniform(-1, 1, (2, 3, 3))
    pair[1, :, 2] = np.abs(pair[1, :, 2]) + 0.1
    pair[0, :, 2] = 0.0
    pair[1, 0] = rng.dirichlet((1, 1, rng.choice([1e-9, 1.0]))) @ pair[0] + (0, 0, rng.uniform(-1, 1) * height)
    return pair


def sharing(rng, height):
    """A common corner or two, or nearly so."""
    pair = nearly_coplanar(rng, 1.0)
    for k in range(rng.integers(1, 3)):
        pair[1, k] = pair[0, k] + rng.choice([0.0, height]) * rng.normal(size=3)
    return pair


def parallel_sides(rng, height):
    """Sides that are parallel to about `height`, one over the other."""
    pair = rng.uniform(-1, 1, (2, 3, 3))
    pair[1, :2] = pair[0, :2] + rng.uniform(-1, 1) * (pair[0, 1] - pair[0, 0]) + height * rng.normal(size=(2, 3))
    return pair


KINDS = [nearly_coplanar, slivers, barely_crossing, sharing, parallel_sides]


def pairs(rng, make, height, n):
    for _ in range(n):
        X = Pose(rng.choice([0.0, 1.0]) * rng.normal(size=3), quat_wxyz=rng.normal(size=4))
        yield X.apply(make(rng, height).reshape(6, 3)).reshape(2, 3, 3)


def solids(pair):
    return [abut.Solid(T, [(0, 1, 2)]) for T in pair]


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("make", KINDS)
def test_bounds_hold_in_rationals_and_meet_within_rounding(make, height, rng):
    for pair in pairs(rng, make, height, 60):
        true2, found = naive.exact_triangle_distance2(*pair), abut.distance(*solids(pair))
        size = Fraction(float(np.abs(pair).max()))
        assert Fraction(found.lower) ** 2 <= true2 <= Fraction(found.upper) ** 2, pair.tolist()
        assert found.exact and Fraction(found.upper) - Fraction(found.lower) <= ROUNDING * size, pair.tolist()
        assert found.lower <= found.distance <= found.upper
        assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-13)


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("make", KINDS)
def test_distance_is_zero_where_and_only_where_triangles_meet(make, height, rng):
    for pair in pairs(rng, make, height, 60):
        a, b = solids(pair)
        meet = naive.exact_triangle_distance2(*pair) == 0
        assert bool(abut.intersect(a, b)) == meet
        for found in (abut.distance(a, b), abut.distance(b, a), abut.distance(a, b, start=abut.distance(a, b))):
            assert (found.distance == 0.0) == meet == (found.upper == 0.0), pair.tolist()


def test_bounds_hold_for_vertices_as_placed_by_poses(rng):
    """Placing rounds; the bounds leave room for that, far from the origin too."""
    for pair in pairs(rng, nearly_coplanar, 1e-6, 100):
        X_a, X_b = (Pose(rng.choice([0.0, 1.0, 1e3]) * rng.normal(size=3), quat_wxyz=rng.normal(size=4)) for _ in "ab")
        X_b = X_a if rng.random() < 0.7 else X_b
        a, b = solids(pair)
        found = abut.distance(a, b, X_a, X_b)
        true2 = naive.exact_triangle_distance2(X_a.apply(a.vertices), X_b.apply(b.vertices))
        assert Fraction(found.lower) ** 2 <= true2 <= Fraction(found.upper) ** 2
        assert found.exact


def test_the_direction_of_the_gap_separates(rng):
    """Points that are 1e-9 apart still give the direction in which they are."""
    for height in (1e-4, 1e-6):
        for pair in pairs(rng, nearly_coplanar, height, 40):
            found = abut.distance(*solids(pair))
            if found.distance > 1e-3 * height:
                n = (found.point_b - found.point_a) / np.linalg.norm(found.point_b - found.point_a)
                apart = float((pair[1] @ n).min() - (pair[0] @ n).max())
                assert apart == pytest.approx(found.distance, abs=1e-15 / found.distance + 1e-14)


def test_a_box_that_a_sliver_crosses_by_a_hair_is_met(rng):
    """Parts: what `intersect` finds is at distance zero, whatever the boxes around their triangles say."""
    box = naive.box()
    for _ in range(30):
        tip = np.array((rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 0.5 + rng.uniform(-1, 1) * 1e-16))
        sliver = abut.Solid(tip + np.array([(0, 0, 0), (1e-7, 0, 1.0), (0, 1e-7, 1.0)]), [(0, 1, 2)])
        assert (abut.distance(box, sliver).distance == 0.0) == bool(abut.intersect(box, sliver))


def test_exact_says_whether_the_bounds_meet():
    ring = naive.torus()
    X = Pose((2.8, 0.3, 0.2))
    hasty, patient = abut.distance(ring, ring, None, X, pairs=3), abut.distance(ring, ring, None, X)
    assert not hasty.exact and hasty.upper - hasty.lower > 1e-3
    assert patient.exact and 0.0 < patient.upper - patient.lower < 1e-12
    assert math.isclose(patient.distance, 0.5 * (patient.lower + patient.upper), rel_tol=1e-12)
