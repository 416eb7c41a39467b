"""The judge of the torture runs sees what it should see: a judge that cannot fail is worth nothing."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from torture.dice import Dice
from torture.exact import encloses, integers, triangles_meet
from torture.exact_distance import triangle_distance2
from torture.judge import Cast, at_share, holds, overlaps, pairs_on_the_way, surfaces_meet, turns_between
from torture.place_kernels import placed, rotation_of
from torture.reading import Snapshot, actors, look, turn_between
from torture.shapes import build_shape, draw_shape, fine_cylinder

import abut

SHAPES = {
    "box": abut.Solid.box((1.0, 1.0, 1.0)),
    "ball": abut.Sphere(0.5),
    "capsule": abut.Capsule(0.2, 0.6),
    "ground": abut.HalfSpace(normal=(0, 0, 1), offset=0.0),
}
TOUCHING = {"ground": 0.5, "box": 1.0, "ball": 1.0, "capsule": 1.0}
"""Height at which what has the size 1 touches what is at the origin."""


def world_of(lower, upper, height):
    world = abut.World()
    world.add_body(SHAPES[lower], "lower", fixed=True)
    world.add_body(SHAPES[upper], "upper", pose=abut.Pose((0, 0, height)))
    return world


@pytest.mark.parametrize(("lower", "upper"), [*product(TOUCHING, ("box", "ball", "capsule"))])
def test_overlap_of_a_billionth_is_seen_and_a_gap_of_a_billionth_is_none(lower, upper):
    for height, expected in ((TOUCHING[lower] - 1e-9, 1), (TOUCHING[lower] + 1e-9, 0)):
        world = world_of(lower, upper, height)
        assert len(overlaps(Cast(actors(world)), look(world), [(0, 1)])) == expected


@pytest.mark.parametrize(
    ("other", "turn", "touching"),
    [
        pytest.param("box", (0, 0.5 * np.pi, 0), 0.7, id="lying on a face"),
        pytest.param("ball", (0, 0.5 * np.pi, 0), 0.7, id="lying on a ball"),
        pytest.param("capsule", (0, 0.5 * np.pi, 0), 0.7, id="lying on the tip of another"),
        pytest.param("ground", (0, 0.5 * np.pi, 0), 0.2, id="lying on the ground"),
        pytest.param("box", (0, 0.25 * np.pi, 0), 0.7 + 0.3 * np.sqrt(0.5), id="leaning over a face"),
    ],
)
def test_a_turned_capsule_is_judged_by_its_axis(other, turn, touching):
    for height, expected in ((touching - 1e-9, 1), (touching + 1e-9, 0)):
        world = abut.World()
        world.add_body(SHAPES[other], "lower", fixed=True)
        world.add_body(SHAPES["capsule"], "upper", pose=abut.Pose.from_rotvec((0, 0, height), turn))
        assert len(overlaps(Cast(actors(world)), look(world), [(0, 1)])) == expected


def test_capsules_beside_each_other_and_through_a_sheet_are_judged():
    sheet = abut.Solid.box((4.0, 4.0, 1e-3))
    for shape, place, turn, expected in (
        (SHAPES["capsule"], (0.4 - 1e-9, 0, 0.1), (0, 0, 1.0), 1),
        (SHAPES["capsule"], (0.4 + 1e-9, 0, 0.1), (0, 0, 1.0), 0),
        (SHAPES["capsule"], (0.0, 0.4 - 1e-9, 0.1), (0, 0.7, 0), 1),
        (SHAPES["capsule"], (0.0, 0.4 + 1e-9, 0.1), (0, 0.7, 0), 0),
        (sheet, (0.3, 0.2, 0.1), (0.1, 0.2, 0.3), 1),
    ):
        world = abut.World()
        world.add_body(SHAPES["capsule"], "rod", fixed=True)
        world.add_body(shape, "other", pose=abut.Pose.from_rotvec(place, turn))
        assert len(overlaps(Cast(actors(world)), look(world), [(0, 1)])) == expected


@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_overlap_is_seen_far_from_the_origin(offset):
    for height, expected in ((1.0 - 2.0**-12, 1), (1.0 + 2.0**-12, 0)):
        world = world_of("box", "box", height)
        now = look(world)
        moved = replace(now, position=now.position + np.array((offset, 0.0, 0.0)))
        assert len(overlaps(Cast(actors(world)), moved, [(0, 1)])) == expected


def test_a_body_inside_another_is_seen():
    world = abut.World()
    world.add_body(abut.Solid.box((3, 3, 3)), "outer", fixed=True)
    world.add_body(abut.Solid.box((1, 1, 1)), "inner")
    world.add_body(abut.Sphere(0.1), "ball", pose=abut.Pose((1, 1, 1)))
    world.add_body(abut.Capsule(0.1, 0.2), "rod", pose=abut.Pose((-1, 1, 1)))
    found = overlaps(Cast(actors(world)), look(world), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    assert [(o.a, o.b) for o in found] == [(0, 1), (0, 2), (0, 3)]


def test_a_body_in_a_cavity_overlaps_nothing():
    world = abut.World()
    world.add_body(abut.Solid.box((3, 3, 3)) - abut.Solid.box((2, 2, 2)), "cage", fixed=True)
    world.add_body(abut.Solid.box((1, 1, 1)), "inner")
    assert overlaps(Cast(actors(world)), look(world), [(0, 1)]) == []


def test_overlap_on_the_way_is_seen():
    world = world_of("box", "box", 5.0)
    start = look(world)
    end = replace(start, position=start.position - ((0, 0, 0), (0, 0, 10.0)))
    assert overlaps(Cast(actors(world)), end, [(0, 1)]) == []
    assert len(overlaps(Cast(actors(world)), at_share(start, end, turns_between(start, end), 0.5), [(0, 1)])) == 1


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


def _drawn_solids(dice):
    """Two random solids and a snapshot in which they stand near each other."""
    recipes = [draw_shape(dice, 1.0), fine_cylinder(dice, 3.0) if dice.chance(0.2) else draw_shape(dice, 1.0)]
    world = abut.World()
    for i, recipe in enumerate(recipes):
        world.add_body(build_shape(recipe), f"b{i}")
    rotation = np.array([rotation_of(np.array(dice.rotvec())) for _ in range(2)])
    position = np.array([dice.along(dice.between(0.0, 1.2)) for _ in range(2)])
    still = np.zeros((2, 3))
    return Cast(actors(world)), Snapshot(0.0, position, rotation, still, still, np.zeros(2, np.bool_))


def _overlap_by_all_triangles(cast, now):
    p, q = (placed(actor.corners, now.rotation[i], now.position[i]) for i, actor in enumerate(cast.actors))
    return surfaces_meet(p, q) is not None or holds(p, q[0, :3]) or holds(q, p[0, :3])


def test_what_is_left_out_changes_no_answer():
    met = []
    for seed in range(300):
        cast, now = _drawn_solids(Dice(77, seed))
        met.append(len(overlaps(cast, now, [(0, 1)])))
        assert met[-1] == _overlap_by_all_triangles(cast, now), seed
    assert 100 < sum(met) < 280


def test_pairs_that_pass_each_other_are_on_the_way():
    world = world_of("box", "box", 5.0)
    start = look(world)
    cast = Cast(actors(world))
    for shift, near in (((0.0, 0.0, -10.0), 1), ((0.0, 0.0, -3.2), 0), ((3.0, 0.0, -10.0), 1), ((5.0, 0.0, -10.0), 0)):
        end = replace(start, position=start.position + np.array(((0, 0, 0), shift)))
        assert len(pairs_on_the_way(cast, start, end, [(0, 1)])) == near
