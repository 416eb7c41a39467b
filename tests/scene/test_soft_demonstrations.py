"""The four demonstrations of soft parts: what they show happens, without overlap and without inverted elements."""

import pytest

from abut.scene import scenes
from dynamics.soft.judge import overlapping

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]


def run(name, seconds=None, **parameters):
    """A demonstration after some time; all of it unless that is given."""
    scene = scenes.make(name, **parameters)
    while scene.world.time < (seconds or scene.duration) - 1e-9:
        assert scene.step().time_given_up == 0.0
    assert overlapping(scene.world) == []
    assert all(len(body.inverted) == 0 for body in scene.world.deformables)
    return scene.world


def test_spheres_meet_and_part():
    world = run("soft_spheres", 0.03)
    assert len(world.contacts) > 10
    assert all(body.stress.max() > 5e3 for body in world.deformables)


def test_the_gripper_lifts_the_gear(times):
    if not times(0, 1):
        pytest.skip("takes 15 s; ABUT_THOROUGH=1 runs it")
    world = run("soft_gripper")
    assert world.body("gear").pose.position[2] > 0.0075 + 0.016
    assert abs(world.body("gear").velocity[2]) < 5e-3


def test_the_gripper_closes_on_the_gear():
    world = run("soft_gripper", 0.08)
    gear = world.body("gear").index
    touching = world.contacts[(world.contacts["body_a"] == gear) | (world.contacts["body_b"] == gear)]
    fingers = {world.deformable(f"finger {side}").index for side in ("left", "right")}
    assert fingers <= set(touching["body_a"]) | set(touching["body_b"])


def test_the_clip_bends_at_the_edge(times):
    """Run whole, it passes the edge and snaps back."""
    world = run("soft_clip", times(0.08, 0.32))
    clip = world.deformable("clip")
    if world.time < 0.2:
        assert clip.stress.max() > 1e5 and len(world.contacts) > 0
    else:
        assert abs(clip.place_of((0.006, -0.0025, 0.022))[0] - 0.006) < 5e-4, "as straight as at first"


def test_the_seal_is_pressed(times):
    """Run whole, it is flattened by a seventh and has lost a little more than a hundredth of its volume."""
    world = run("soft_seal", times(0.032, 0.1))
    seal = world.deformable("seal")
    assert len(world.contacts) > 100 and -0.02 < seal.volume_change < 0.0
    if world.time > 0.09:
        assert seal.volume_change < -0.01
