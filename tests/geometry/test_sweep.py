"""Extrusions, bodies of revolution, lofts and hulls: closed forms, soundness, bad input."""

import numpy as np
import pytest

from abut import InputError, Solid
from abut.geometry.making.sweep import loft
from geometry.surfaces import crossings, polygon_factor

FRAME = [(0, 0), (4, 0), (4, 3), (0, 3)]
SLOT = [(1, 1), (2, 1), (2, 2), (1, 2)]
NOTCH = [(2.5, 0.5), (3.5, 0.5), (3, 2.5)]
CUP = [(0, 0), (2, 0), (2, 3), (1, 3), (1, 1), (0, 1)]


def test_extrusion_with_holes():
    part = Solid.extrude(FRAME, 0.5, holes=[SLOT, NOTCH])
    assert part.volume == pytest.approx(0.5 * (12 - 1 - 1), rel=1e-14)
    assert part.closed and part.genus == 2 and len(part.faces) == 2 + 4 + 4 + 3
    assert part.bounds[:, 2].tolist() == [0.0, 0.5]


@pytest.mark.parametrize("outline", [FRAME, FRAME[::-1]], ids=["counter-clockwise", "clockwise"])
@pytest.mark.parametrize("hole", [SLOT, SLOT[::-1]], ids=["counter-clockwise hole", "clockwise hole"])
def test_the_sense_of_outlines_does_not_matter(outline, hole):
    assert Solid.extrude(outline, 1.0, holes=[hole]).volume == pytest.approx(11.0, rel=1e-14)


def test_revolving_makes_polygons_of_circles():
    """A cup: volume from washers, corrected for the polygon; its bottom is one flat disc."""
    cup = Solid.revolve(CUP, segments=12)
    assert cup.volume == pytest.approx(np.pi * (4 * 3 - 1 * 2) * polygon_factor(12), rel=1e-13)
    assert cup.closed and cup.genus == 0 and len(cup.faces) == 2 + 1 + 2 * 12
    ring = Solid.revolve([(1, 0), (2, 0), (2, 1)], segments=12)
    assert ring.genus == 1


@pytest.mark.parametrize("angle", [0.3, np.pi / 2, 5.0])
def test_part_of_a_turn_is_closed_at_its_ends(angle):
    wedge = Solid.revolve(CUP, segments=5, angle=angle)
    step = angle / 5
    assert wedge.volume == pytest.approx((4 * 3 - 1 * 2) * 5 * 0.5 * np.sin(step), rel=1e-13)
    assert wedge.closed and wedge.genus == 0 and crossings(wedge) == []
    pipe = Solid.revolve([(1, 0), (2, 0), (2, 1), (1, 1)], segments=5, angle=angle)
    assert pipe.closed and pipe.genus == 0


def test_loft_between_sections():
    """A frustum of a pyramid: h/3 (A + B + sqrt(AB))."""
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    sections = [np.column_stack((s * square, np.full(4, z))) for s, z in ((2, 0), (1, 3), (1, 5))]
    assert Solid(*loft(sections)).volume == pytest.approx(16 + 4 + 8 + 8, rel=1e-14)


def test_hull_of_random_points_holds_them_all(rng):
    points = rng.normal(size=(60, 3))
    part = Solid.hull(points)
    height = points @ part.faces.normal.T - part.faces.offset
    assert part.closed and part.genus == 0 and height.max() < 1e-12
    assert {tuple(v) for v in part.vertices} <= {tuple(p) for p in points}


def test_random_outlines_keep_their_area(rng):
    """Star-shaped outlines with a star-shaped hole inside."""
    for n in rng.integers(3, 40, 20):
        t = np.sort(rng.uniform(0, 2 * np.pi, n)) + np.linspace(0, 1e-3, n)
        if np.diff(np.append(t, t[0] + 2 * np.pi)).max() > 3.0:
            continue
        circle = np.stack((np.cos(t), np.sin(t)), axis=1)
        outer, inner = circle * rng.uniform(1, 3, (n, 1)), circle * rng.uniform(0.2, 0.4, (n, 1))
        area = [
            abs(np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1))) / 2 for p in (outer, inner)
        ]
        part = Solid.extrude(outer, 2.0, holes=[inner * 0.1])
        assert part.closed and part.genus == 1
        assert part.volume == pytest.approx(2.0 * (area[0] - 0.01 * area[1]), rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Solid.extrude([(0, 0), (1, 0)], 1.0), "outline: expected at least three corners, got 2"),
        (lambda: Solid.extrude([(0, 0), (1, 0), (2, 0)], 1.0), "outline: expected a polygon"),
        (lambda: Solid.extrude([(0, 0), (3, 1), (3, 0), (0, 2)], 1.0), "outline: it crosses itself"),
        (
            lambda: Solid.extrude(FRAME, 1.0, holes=[[(3, 1), (6, 1), (6, 2), (3, 2)]]),
            "crosses itself or one of its holes",
        ),
        (lambda: Solid.extrude(FRAME, -1.0), "height: expected a number greater than 0, got -1"),
        (lambda: Solid.extrude([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 1.0), r"outline: expected \(n, 2\)"),
        (lambda: Solid.revolve([(-1, 0), (1, 0), (1, 1)]), "profile: radii must not be negative, got -1"),
        (lambda: Solid.revolve(CUP, segments=2), "segments: expected at least 3, got 2"),
        (lambda: Solid.revolve(CUP, angle=7.0), "angle: expected less than a full turn"),
        (lambda: loft([(0, 0, 0)]), "sections: expected"),
        (lambda: Solid.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "points: a hull needs at least four points"),
    ],
)
def test_bad_input_is_a_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
