"""Worlds that start with parts that touch: they are moved apart by a contact gap for each layer, and it is told."""

from itertools import combinations

import numpy as np
import pytest

import abut
from abut import HalfSpace, OverlapError, Pose, Solid, Sphere, World
from abut.query.impact.openings import openings
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit

BOX = Solid.box(0.1, name="box")
FLOOR = Solid.box((1.0, 1.0, 0.1))
CORNER = Solid.box(1.0) - Solid.box(1.0).translated((0.5, 0.5, 0.5))
FIXED = {"fixed": True}


def world_of(*bodies, **options):
    world = World(**options)
    for name, shape, position, *given in bodies:
        pose = position if isinstance(position, Pose) else Pose(position)
        world.add_body(shape, name, pose=pose, **(given[0] if given else {}))
    return world


def ways(world):
    """By name, in contact gaps."""
    return {one.body: np.array(one.way) / world.contact_gap for one in world.started_apart}


@pytest.mark.parametrize("floor", [HalfSpace(), FLOOR.translated((0, 0, -0.05))], ids=["half-space", "box"])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_box_on_a_floor_is_lifted_by_at_most_a_contact_gap(floor, turn):
    place = Pose.from_rotvec((0.0, 0.0, 0.05), (0.0, 0.0, turn))
    world = world_of(("floor", floor, (0, 0, 0), FIXED), ("box", BOX, place))
    report = world.step()
    assert [one.body for one in report.moved_apart] == ["box"] and world.started_apart == report.moved_apart
    np.testing.assert_allclose(ways(world)["box"], (0, 0, 0.99), atol=1e-6)
    assert report.moved_apart[0].distance <= world.contact_gap
    summary = world.run(0.05)
    assert summary.time_given_up == 0.0 and Judge(world).overlap() is None and world.report.moved_apart == ()
    assert world.body("box").pose.position[2] == pytest.approx(0.05 + world.contact_gap, abs=0.01 * world.contact_gap)


def test_the_summary_of_a_run_tells_what_was_moved():
    world = world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), ("box", BOX, (0, 0, 0.05)))
    assert [one.body for one in world.run(0.003).moved_apart] == ["box"]


def test_a_stack_is_moved_by_a_gap_for_each_layer():
    """Heights of whose sum some touch, some overlap and some are apart by rounding."""
    world = world_of(
        ("floor", HalfSpace(), (0, 0, 0), FIXED), *((f"{i}", BOX, (0, 0, 0.05 + 0.1 * i)) for i in range(7))
    )
    world.step()
    moved = ways(world)
    assert len(moved) == 7
    for i in range(7):
        assert np.abs(moved[f"{i}"][:2]).max() < 1e-6 and 0.5 * (i + 1) < moved[f"{i}"][2] <= i + 1
    assert Judge(world).overlap() is None


def test_a_wall_of_bricks_with_joints_that_touch():
    bricks = [(f"{i} {j}", BOX, (0.1 * j + 0.05 * (i % 2), 0.0, 0.05 + 0.1 * i)) for i in range(4) for j in range(4)]
    world = world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), *bricks)
    assert world.run(0.02).time_given_up == 0.0 and Judge(world).overlap() is None
    assert max(np.abs(way).max() for way in ways(world).values()) <= 5.0


@pytest.mark.parametrize(
    "walls",
    [
        pytest.param([("corner", CORNER, (0, 0, 0), FIXED)], id="one part"),
        pytest.param(
            [
                ("floor", FLOOR, (0, 0, -0.05), FIXED),
                ("left", Solid.box((0.1, 1.0, 1.0)), (-0.05, 0.5, 0.5), FIXED),
                ("back", Solid.box((1.0, 0.1, 1.0)), (0.5, -0.05, 0.5), FIXED),
            ],
            id="three parts",
        ),
    ],
)
def test_a_box_in_a_corner_leaves_all_three_walls(walls):
    world = world_of(*walls, ("box", BOX, (0.05, 0.05, 0.05)))
    world.step()
    np.testing.assert_allclose(ways(world)["box"], (0.99, 0.99, 0.99), atol=1e-6)
    assert Judge(world).overlap() is None


def test_balls_that_touch_each_other_a_floor_and_a_box():
    world = world_of(
        ("floor", HalfSpace(), (0, 0, 0), FIXED),
        ("ball", Sphere(0.05), (0, 0, 0.05)),
        ("above", Sphere(0.05), (0, 0, 0.15)),
        ("box", BOX, (0.1, 0, 0.05)),
    )
    world.step()
    assert 1.0 < ways(world)["above"][2] <= 2.0
    for a, b in combinations(world.bodies, 2):
        assert abut.distance(a.shape, b.shape, a.pose, b.pose).lower > 0.4 * world.contact_gap


def test_a_box_on_its_edge_in_a_groove_has_room_for_less_than_a_gap():
    groove = Solid.box((0.4, 0.4, 0.2)) - Solid.box((0.6, 0.2, 0.2)).transformed(
        Pose.from_rotvec((0, 0, 0.1), (np.pi / 4, 0, 0))
    )
    upright = Pose.from_rotvec((0, 0, 0.1 - 0.1 * np.sqrt(2) + 0.05 * np.sqrt(2)), (np.pi / 4, 0, 0))
    world = world_of(("groove", groove, (0, 0, 0), FIXED), ("box", BOX, upright))
    world.step()
    assert ways(world)["box"][2] == pytest.approx(0.57 * np.sqrt(2), abs=1e-3) and Judge(world).overlap() is None


def test_parts_of_single_precision_may_overlap_by_its_rounding():
    sunk = float(np.float32(0.05))  # 0.7 nm too high or too low
    for z in (sunk, 0.1 - sunk):
        world = world_of(("floor", FLOOR, (0, 0, -0.05), FIXED), ("box", BOX, (0.47, 0, z)))
        world.step()
        np.testing.assert_allclose(ways(world).get("box", np.array((0, 0, 0.99))), (0, 0, 0.99), atol=1e-3)


PIN = Solid.cylinder(0.05, 0.1, segments=16)
PLATE = Solid.box((0.2, 0.2, 0.1)) - Solid.cylinder(0.05, 0.2, segments=16)


@pytest.mark.parametrize(
    ("bodies", "named"),
    [
        pytest.param([("plate", PLATE, (0, 0, 0), FIXED), ("pin", PIN, (0, 0, 0))], [("plate", "pin")], id="fit"),
        pytest.param(
            [("left", BOX, (-0.1, 0, 0), FIXED), ("right", BOX, (0.1, 0, 0), FIXED), ("box", BOX, (0, 0, 0))],
            [("left", "box"), ("right", "box")],
            id="between two walls",
        ),
        pytest.param(
            [("left", BOX, (-0.1, 0, 0), FIXED), ("box", BOX, (0, 0, 0), {"locked": ("x",)})],
            [("left", "box")],
            id="locked",
        ),
        pytest.param([("a", BOX, (0, 0, 0)), ("b", BOX, (0, 0, 0))], [("a", "b")], id="at one place"),
    ],
)
def test_what_cannot_be_parted_is_named_with_the_remedy(bodies, named):
    world = world_of(*bodies)
    before = world.save()
    with pytest.raises(OverlapError, match=r"use abut\.loosen if they are drawn touching") as raised:
        world.step()
    assert [(one.a, one.b) for one in raised.value.overlaps] == named
    assert world.save() == before and world.started_apart == ()


def test_the_deep_ones_are_named_before_those_that_touch():
    bodies = [("a", BOX, (0, 0, 0)), ("b", BOX, (0.1, 0, 0)), ("c", BOX, (0.19, 0, 0))]
    with pytest.raises(OverlapError, match=r"start: 'b' and 'c' \(10 mm deep\), 'a' and 'b' \(touching\);"):
        world_of(*bodies).step()


def test_bodies_in_joints_are_moved_together_and_those_held_to_the_world_stay():
    world = world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), ("low", BOX, (0, 0, 0.05)), ("high", BOX, (0, 0, 0.25)))
    world.add_joint("fixed", world.body("high"), world.body("low"))
    world.step()
    np.testing.assert_allclose(ways(world)["low"], ways(world)["high"])
    world = world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), ("box", BOX, (0, 0, 0.05)))
    world.add_joint("hinge", world.body("box"), anchor=(0, 0, 0.05), axis=(0, 1, 0))
    with pytest.raises(OverlapError, match="'floor' and 'box'"):
        world.step()


def test_same_bits_with_saves_before_and_after_and_with_threads():
    def start(threads=1):
        stack = [(f"{i}", BOX, (0.003 * i, 0, 0.05 + 0.1 * i)) for i in range(4)]
        return world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), *stack, threads=threads)

    plain, saved, threaded = start(), World.restore(start().save()), start(2)
    for world in (plain, saved, threaded):
        world.run(0.02)
    assert (plain._state.pose == saved._state.pose).all() and (plain._state.pose == threaded._state.pose).all()
    again = World.restore(plain.save())
    assert again.started_apart == plain.started_apart != ()
    plain.run(0.02), again.run(0.02)
    assert (plain._state.pose == again._state.pose).all()
    assert start().save() == start().save()


def test_a_body_that_is_added_later_on_top_is_parted_from_what_rests():
    world = world_of(("floor", HalfSpace(), (0, 0, 0), FIXED), ("box", BOX, (0, 0, 0.05)))
    world.run(0.05)
    top = world.body("box").pose.position[2] + 0.05
    world.add_body(BOX, "late", pose=Pose((0, 0, top + 0.05)))
    world.step()
    assert [*ways(world)] == ["late"] and Judge(world).overlap() is None


def test_a_scene_file_starts_in_touch(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(
        '[parts.box]\nlibrary = "box"\nsize = 0.1\n[bodies.floor]\nshape = "half_space"\nfixed = true\n'
        '[bodies.low]\npart = "box"\nposition = [0, 0, 0.05]\n[bodies.high]\npart = "box"\nposition = [0, 0, 0.15]\n'
    )
    scene = abut.scene.load(file)
    scene.world.step()
    assert [one.body for one in scene.world.started_apart] == ["low", "high"]


def directions(a, b, X_a, X_b):
    return np.array([one.normal for one in openings(a, b, X_a, X_b, 1e-6, 1e-8)])


@pytest.mark.parametrize(
    ("a", "b", "place", "expected"),
    [
        pytest.param(BOX, BOX, (0, 0, 0.1), [(0, 0, 1)], id="flush"),
        pytest.param(BOX, BOX, (0.03, -0.02, 0.1), [(0, 0, 1)], id="aside"),
        pytest.param(BOX, Solid.box(0.02), (0.04, 0.04, 0.06), [(0, 0, 1)], id="small at the corner of a large"),
        pytest.param(BOX, Solid.box(0.02), (0.045, 0.01, 0.06), [(0, 0, 1)], id="small over the border"),
        pytest.param(CORNER, BOX, (0.05, 0.05, 0.05), [(1, 0, 0), (0, 1, 0), (0, 0, 1)], id="corner"),
        pytest.param(CORNER, BOX, (0.05, 0.3, 0.05), [(1, 0, 0), (0, 0, 1)], id="groove"),
    ],
)
def test_directions_of_touch(a, b, place, expected):
    for X in (Pose(), Pose.from_rotvec((0.3, 0.1, 0.7), (0.4, 1.0, -0.3))):
        found = directions(a, b, X, X @ Pose(place))
        wanted = np.array(expected, float) @ X.rotation.T
        assert len(found) == len(wanted)
        assert max(np.abs(found - row).max(axis=1).min() for row in wanted) < 1e-9


def test_edges_that_cross_are_parted_across_both():
    ridge = Pose.from_rotvec((0, 0, 0), (np.pi / 4, 0, 0))
    across = Pose.from_rotvec((0, 0, 0.1 * np.sqrt(2)), (0, np.pi / 4, 0))
    (found,) = directions(BOX, BOX, ridge, across)
    np.testing.assert_allclose(found, (0, 0, 1), atol=1e-9)


def test_a_step_whose_square_is_no_number_is_refused():
    with pytest.raises(abut.InputError, match=r"dt: expected at most 1e\+100 s, got 1e\+308 s"):
        World(dt=1e308)
