"""STEP assemblies as drawn: loosened, started, under gravity for a second, taken apart by a hand, and judged."""

import numpy as np
import pytest

import abut
from abut import AssemblyWarning, Pose, World, scenes
from physics.judge import Judge, run_judged

pytestmark = pytest.mark.needs_jit


def moved(world, parts):
    """How far each body is from where it was drawn [m]."""
    return {part.name: world.body(part.name).pose.position - part.pose.position for part in parts}


def run(world, duration, every=100):
    """Run with the judge looking now and then; no time may be given up."""
    judge = Judge(world)
    assert judge.overlap() is None
    for k in range(round(duration / world.dt)):
        assert world.step().time_given_up == 0.0
        if k % every == 0:
            assert judge.overlap() is None, k
    assert judge.overlap() is None


def pull(world, name, way, speed=0.25):
    """Take a body out along `way` [m] by a hand that is led there."""
    body = world.body(name)
    start, way = body.pose, np.asarray(way)
    steps = round(np.linalg.norm(way) / (speed * world.dt))
    judge = Judge(world)
    for k in range(steps + 50):
        body.grab(Pose(start.position + min(1.0, (k + 1) / steps) * way, quat_wxyz=start.quat_wxyz))
        assert world.step().time_given_up == 0.0
        if k % 40 == 0:
            assert judge.overlap() is None, k
    assert judge.overlap() is None
    np.testing.assert_allclose(body.pose.position - start.position, way, atol=0.2 * np.linalg.norm(way))


@pytest.fixture
def step_file(shared_data):
    return lambda name: abut.load_assembly(shared_data("cad-step") / name)


def test_a_cylinder_on_a_board_stays_and_is_lifted(step_file):
    parts = step_file("abstract_pca.step")
    world = World()
    world.add_assembly(parts, fixed="Board", density=7850.0)
    run(world, 1.0)
    assert np.abs(moved(world, parts)["Cylinder"]).max() < 1e-6
    pull(world, "Cylinder", (0, 0, 0.02))


def test_bolts_hang_by_their_heads_nuts_fall_and_a_bolt_is_pulled_out(step_file):
    parts = step_file("dm1-id-214.stp")
    world = World(gravity=(0.0, -9.81, 0.0))  # along the bolts, heads up
    world.add_assembly(parts, fixed="l-bracket*", density=7850.0)
    run(world, 1.0)
    for name, way in moved(world, parts).items():
        if name.startswith("bolt"):
            assert np.abs(way).max() < 1e-5, name
        if name.startswith("nut"):
            assert way[1] < -4.8, name
    pull(world, "bolt_3", (0, 0.07, 0))
    assert np.abs(moved(world, parts)["bolt_4"]).max() < 1e-5


def test_a_box_with_true_interferences_says_so(step_file):
    parts = step_file("box_sides.STEP")
    world = World()
    with pytest.warns(AssemblyWarning, match=r"^8 pairs are drawn .*\(190.5 µm deep\).* and 3 more"):
        world.add_assembly(parts, fixed="box_base", density=2700.0)
    assert [one.depth for one in world.interferences] == pytest.approx([190.5e-6] * 8, abs=2e-6)
    run(world, 0.2)


@pytest.mark.filterwarnings("ignore:body 'side_long.*not a sound solid")
def test_the_box_stands_where_a_larger_limit_sets_it_free(step_file):
    parts = step_file("box_sides.STEP")
    free = abut.loosen(parts, limit=2e-4)
    assert free.left == () and free.largest < 1.3e-4
    world = World(friction=0.2)
    world.add_assembly(free, fixed="box_base", density=2700.0)
    run(world, 1.0)
    assert max(np.abs(way).max() for way in moved(world, parts).values()) < 4e-4
    pull(world, "box_top", (0, 0, 0.05))


def test_the_assembly_of_the_library_is_held_by_its_bolts_and_the_shaft_comes_out():
    scene = scenes.make("assembly")
    drawn = {body.name: body.pose.position.copy() for body in scene.world.bodies}
    assert len(drawn) == 19  # and the floor
    reports = run_judged(scene, every=100)
    assert sum(report.time_given_up for report in reports) == 0.0 and scene.world.started_apart == ()
    way = {name: scene.world.body(name).pose.position - place for name, place in drawn.items()}
    for name in drawn:
        if name.startswith(("plate", "bracket", "bolt", "washer", "dowel")):
            assert np.abs(way[name]).max() < 2e-5, name
    assert way["shaft"][0] > 0.15 and way["collar_left"][2] < -0.015 and abs(way["collar_left"][0]) < 1e-3
