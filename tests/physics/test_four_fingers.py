"""A block that slides over the edges of four fingers: nothing lifts, turns or brakes it."""

import numpy as np
import pytest

from abut import scenes


@pytest.mark.parametrize("speed", [0.05, 0.25, 1.0])
def test_the_block_keeps_its_height_and_its_speed(speed):
    """It lands by a micrometre first; the edges of three fingers come and go below it then."""
    scene = scenes.four_fingers(speed=speed, **{"world.duration": 0.05 / speed})
    world, block = scene.world, scene.world.body("block")
    heights, rises, turns, supports = [], [], [], set()
    for _ in range(round(scene.duration / world.dt)):
        scene.step()
        heights.append(block.pose.position[2])
        rises.append(block.velocity[2])
        turns.append(np.abs(block.angular_velocity).max())
        supports.add(tuple(np.unique(world.contacts["point"][:, 0].round(3)).tolist()))
    settled = len(rises) // 5
    assert min(heights) > 0.0 and max(heights) < 2.0 * world.contact_gap
    assert np.abs(rises[settled:]).max() < 1e-4
    assert max(turns[settled:]) < 1e-3
    assert block.velocity[0] == pytest.approx(speed, abs=1e-6)
    assert len(supports) > 2
