"""Boxes, balls, cylinders, cones, rings: closed forms of their polyhedra, Euler's formula, bad input."""

import numpy as np
import pytest

from abut import EdgeKind, InputError, Solid
from geometry.surfaces import crossings, polygon_factor

ALL = {
    "box": lambda: Solid.box((1, 2, 3)),
    "cube": lambda: Solid.box(0.5),
    "icosahedron": lambda: Solid.sphere(1.0, subdivisions=0),
    "ball": lambda: Solid.sphere(0.3),
    "globe": lambda: Solid.sphere(0.3, segments=12),
    "cylinder": lambda: Solid.cylinder(0.025, 0.1),
    "odd cylinder": lambda: Solid.cylinder(0.025, 0.1, segments=7),
    "cone": lambda: Solid.cone(1.0, 2.0, segments=20),
    "frustum": lambda: Solid.cone(1.0, 2.0, top_radius=0.4, segments=20),
    "ring": lambda: Solid.torus(0.05, 0.008),
}
GENUS = {"ring": 1}


@pytest.mark.parametrize(
    ("part", "volume"),
    [
        pytest.param(Solid.box((1, 2, 3)), 6.0, id="box"),
        pytest.param(Solid.box(0.5), 0.125, id="one length makes a cube"),
        pytest.param(Solid.cylinder(0.5, 2, segments=9), np.pi * 0.5 * polygon_factor(9), id="cylinder"),
        pytest.param(Solid.cylinder(0.5, 2, segments=4, circumscribed=True), 2.0, id="square around the circle"),
        pytest.param(Solid.cone(2, 3, segments=11), 4 * np.pi * polygon_factor(11), id="cone"),
        pytest.param(Solid.cone(2, 3, top_radius=1, segments=11), 7 * np.pi * polygon_factor(11), id="frustum"),
        pytest.param(
            Solid.torus(5, 1, segments=13, sides=7),
            2 * np.pi**2 * 5 * polygon_factor(13) * polygon_factor(7),
            id="ring: Pappus, for polygons",
        ),
        pytest.param(Solid.sphere(1.0, subdivisions=0), 2.5361507101204093, id="icosahedron on the unit sphere"),
    ],
)
def test_volume_is_that_of_the_polyhedron(part, volume):
    assert part.volume == pytest.approx(volume, rel=1e-13)


def test_where_they_stand():
    """Centred on the origin, along z."""
    for name, make in ALL.items():
        low, high = make().bounds
        np.testing.assert_allclose(low[2], -high[2], atol=1e-15, err_msg=name)
    assert Solid.cone(1.0, 2.0).vertices[:, 2].max() == 1.0
    np.testing.assert_array_equal(Solid.box((1, 2, 3)).bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])


@pytest.mark.parametrize("name", ALL)
def test_they_are_sound(name):
    part = ALL[name]()
    assert part.closed and part.volume > 0.0 and part.genus == GENUS.get(name, 0)
    assert len(part.shells.closed) == 1 and crossings(part) == []
    v, e, f = len(part.vertices), len(part.edges), len(part.triangles)
    assert v - e + f == 2 - 2 * part.genus


@pytest.mark.parametrize("kind", [{"subdivisions": 3}, {"segments": 24}])
def test_corners_of_a_ball_lie_on_the_sphere(kind):
    ball = Solid.sphere(0.3, **kind)
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.3, rtol=1e-14)
    assert 0.97 < ball.volume / (4 / 3 * np.pi * 0.3**3) < 1.0
    assert ball.edges.count(EdgeKind.CONCAVE) == 0


def test_faces_of_a_cylinder_are_its_sides_and_two_discs():
    """The discs have no vertex inside, whatever the number of sides."""
    for n in (3, 4, 5, 17, 64):
        part = Solid.cylinder(1.0, 1.0, segments=n)
        assert (len(part.vertices), len(part.triangles), len(part.faces)) == (2 * n, 4 * n - 4, n + 2)
        assert part.edges.count(EdgeKind.CONVEX) == 3 * n


def test_a_circumscribed_hole_lets_the_circle_pass():
    """Sides of the inner and corners of the outer polygon lie on the circle."""
    for n in (3, 8, 33):
        inside, outside = (Solid.cylinder(1.0, 1.0, segments=n, circumscribed=c) for c in (False, True))
        radius = np.linalg.norm(inside.vertices[:, :2], axis=1)
        np.testing.assert_allclose(radius, 1.0, rtol=1e-14)
        upright = np.abs(outside.faces.normal[:, 2]) < 0.5
        np.testing.assert_allclose(outside.faces.offset[upright], 1.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Solid.box((1, 2)), "size: expected 3 numbers"),
        (lambda: Solid.box((1, 0, 2)), "size: expected three lengths greater than 0"),
        (lambda: Solid.sphere(-1.0), "radius: expected a number greater than 0, got -1"),
        (lambda: Solid.sphere(1.0, subdivisions=-1), "subdivisions: expected at least 0"),
        (lambda: Solid.sphere(1.0, segments=2), "segments: expected at least 3, got 2"),
        (lambda: Solid.cylinder(1.0, 0.0), "height: expected a number greater than 0"),
        (lambda: Solid.cylinder(1.0, 1.0, segments=2.5), "segments: expected a whole number, got 2.5"),
        (lambda: Solid.cone(0.0, 1.0), "at least one must be greater than 0"),
        (lambda: Solid.torus(1.0, 1.5), "major_radius: expected more than the minor radius 1.5, got 1"),
        (lambda: Solid.torus(1.0, "thick"), "minor_radius: expected a number, got 'thick'"),
    ],
)
def test_bad_input_is_a_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
