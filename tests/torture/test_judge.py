"""The judge of the torture runs sees what it should see: a judge that cannot fail is worth nothing."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from torture.exact import encloses, integers, triangles_meet
from torture.exact_distance import triangle_distance2
from torture.judge import at_share, overlaps, turns_between
from torture.reading import actors, look, rotation_of, turn_between

import abut

SHAPES = {
    "box": abut.Solid.box((1.0, 1.0, 1.0)),
    "ball": abut.Sphere(0.5),
    "ground": abut.HalfSpace(normal=(0, 0, 1), offset=0.0),
}
TOUCHING = {"ground": 0.5, "box": 1.0, "ball": 1.0}
"""Height at which a box or a ball of size 1 touches what is at the origin."""


def world_of(lower, upper, height):
    world = abut.World()
    world.add_body(SHAPES[lower], "lower", fixed=True)
    world.add_body(SHAPES[upper], "upper", pose=abut.Pose((0, 0, height)))
    return world


@pytest.mark.parametrize(("lower", "upper"), [*product(("ground", "box", "ball"), ("box", "ball"))])
def test_overlap_of_a_billionth_is_seen_and_a_gap_of_a_billionth_is_none(lower, upper):
    for height, expected in ((TOUCHING[lower] - 1e-9, 1), (TOUCHING[lower] + 1e-9, 0)):
        world = world_of(lower, upper, height)
        assert len(overlaps(actors(world), look(world), [(0, 1)])) == expected


@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_overlap_is_seen_far_from_the_origin(offset):
    for height, expected in ((1.0 - 2.0**-12, 1), (1.0 + 2.0**-12, 0)):
        world = world_of("box", "box", height)
        now = look(world)
        moved = replace(now, position=now.position + np.array((offset, 0.0, 0.0)))
        assert len(overlaps(actors(world), moved, [(0, 1)])) == expected


def test_a_body_inside_another_is_seen():
    world = abut.World()
    world.add_body(abut.Solid.box((3, 3, 3)), "outer", fixed=True)
    world.add_body(abut.Solid.box((1, 1, 1)), "inner")
    world.add_body(abut.Sphere(0.1), "ball", pose=abut.Pose((1, 1, 1)))
    found = overlaps(actors(world), look(world), [(0, 1), (0, 2), (1, 2)])
    assert [(o.a, o.b) for o in found] == [(0, 1), (0, 2)]


def test_a_body_in_a_cavity_overlaps_nothing():
    world = abut.World()
    world.add_body(abut.Solid.box((3, 3, 3)) - abut.Solid.box((2, 2, 2)), "cage", fixed=True)
    world.add_body(abut.Solid.box((1, 1, 1)), "inner")
    assert overlaps(actors(world), look(world), [(0, 1)]) == []


def test_overlap_on_the_way_is_seen():
    world = world_of("box", "box", 5.0)
    start = look(world)
    end = replace(start, position=start.position - ((0, 0, 0), (0, 0, 10.0)))
    assert overlaps(actors(world), end, [(0, 1)]) == []
    assert len(overlaps(actors(world), at_share(start, end, turns_between(start, end), 0.5), [(0, 1)])) == 1


def test_turns_are_told_from_their_ends(rng):
    for _ in range(50):
        rotvec, R = rng.normal(size=3), rotation_of(rng.normal(size=3))
        rotvec *= min(1.0, 2.9 / np.linalg.norm(rotvec))
        assert turn_between(R, rotation_of(rotvec) @ R) == pytest.approx(rotvec, abs=1e-12)


@pytest.mark.parametrize(
    ("height", "meet"), [(0.0, True), (5e-324, False), (-5e-324, True), (-1.0, True), (-2.0, True), (-2.1, False)]
)
def test_triangles_are_told_apart_exactly(height, meet):
    flat = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    upright = [(0.2, 0.2, height), (0.2, 0.2, height + 2.0), (0.3, 0.3, height + 2.0)]
    points = integers(*flat, *upright)
    assert triangles_meet(tuple(points[:3]), tuple(points[3:])) == meet
    assert (triangle_distance2(tuple(points[:3]), tuple(points[3:])) == 0) == meet


def test_flat_triangles_in_one_plane():
    first = [(0, 0, 0), (4, 0, 0), (0, 4, 0)]
    for shift, meet in (((1, 1), True), ((4, 0), True), ((5, 0), False), ((2, 2), True), ((3, 2), False)):
        second = [(x + shift[0], y + shift[1], 0) for x, y, _ in first]
        assert triangles_meet(tuple(first), tuple(second)) == meet


def test_a_point_is_inside_by_exact_crossings():
    box = abut.Solid.box((2, 2, 2))
    for p, inside in (
        ((0, 0, 0), True),
        ((0, 0, 1), True),
        ((0, 0, 1 + 2**-52), False),
        ((1, 1, 1), True),
        ((2, 2, 2), False),
    ):
        q, *corners = integers(p, *box.vertices)
        assert encloses([tuple(corners[i] for i in t) for t in box.triangles], q) == inside
