"""Containment: exact on and near the surface, with rays through every corner."""

import math

import numpy as np
import pytest

import abut
from abut.query.containment import containment_kernels
from query import naive

BOX, RING = naive.box((2, 2, 2)), naive.torus(40, 24)


def test_a_grid_of_points_in_a_box():
    """Every point lies straight above, beside or on a corner or an edge."""
    grid = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 7)] * 3), axis=-1).reshape(-1, 3)
    np.testing.assert_array_equal(abut.contains(BOX, grid), np.abs(grid).max(axis=1) <= 1.0)


@pytest.mark.parametrize("side", [0.0, math.inf])
def test_the_last_bit_decides_at_a_face(side):
    point = (0.3, 0.2, math.nextafter(1.0, side))
    assert abut.contains(BOX, point)[0] == (side == 0.0)


def test_points_on_the_surface_count_as_inside(rng):
    corners = BOX.vertices[BOX.triangles]
    assert abut.contains(BOX, BOX.vertices).all()
    assert (
        abut.contains(BOX, corners[:, [0, 1]].mean(axis=1)).all()
        and abut.contains(BOX, corners[:, :2].mean(axis=1)).all()
    )


def test_the_points_of_a_torus(rng):
    points = rng.uniform(-1.5, 1.5, (3000, 3))
    depth = 0.35 - np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2])
    clear = np.abs(depth) > 0.02  # the polyhedron lies within this of the torus
    np.testing.assert_array_equal(abut.contains(RING, points)[clear], depth[clear] > 0.0)


def test_cavities_and_pieces_within_them():
    hollow = naive.hollow_box()
    assert abut.contains(hollow, [(0, 0, 0), (1.75, 0, 0), (3, 0, 0), (1.5, 0, 0)]).tolist() == [
        False,
        True,
        False,
        True,
    ]


def test_a_pose_carries_the_part(random_pose, rng):
    X, points = random_pose(3.0), rng.uniform(-1.5, 1.5, (200, 3))
    np.testing.assert_array_equal(abut.contains(RING, X.apply(points), X), abut.contains(RING, points))


def test_spheres_and_half_spaces():
    assert abut.contains(abut.Sphere(1.0), [(0, 0, 1), (0, 0, 1.01)]).tolist() == [True, False]
    assert abut.contains(abut.HalfSpace(), [(5, 5, 0), (0, 0, 0.1), (0, 0, -9)]).tolist() == [True, False, True]


def test_far_and_tiny():
    speck = naive.box((1e-6, 1e-6, 1e-6), (1000.0, 0, 0))
    assert abut.contains(speck, [(1000.0, 0, 0), (1000.0 + 2e-6, 0, 0), (0, 0, 0)]).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("part", "points", "message"),
    [
        (abut.Solid(BOX.vertices, BOX.triangles[1:]), (0, 0, 0), "surface of an unnamed part is not closed"),
        (BOX, (0, 0), r"points: expected \(n, 3\)"),
        (BOX, (0, 0, np.nan), "points: row 0 is not finite"),
        ("box", (0, 0, 0), "part: expected a Solid, Sphere, Capsule or HalfSpace"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(part, points, message):
    with pytest.raises(abut.InputError, match=message):
        abut.contains(part, points)


def test_one_specialisation_is_compiled(compiled_signatures):
    abut.contains(BOX, np.zeros((2, 3), np.float32))
    assert len(compiled_signatures(containment_kernels.locate_points)) == 1
