"""What is kept of a scene that is run, and what its pictures show."""

import numpy as np
import pytest

from abut.app.draw import Arrow, Dot
from abut.app.scene_run import _marks, moment, run_scene
from abut.scene import scenes

pytestmark = pytest.mark.needs_jit


def test_arrows_show_forces_with_their_friction():
    scene = scenes.stopping(friction=0.5)
    for _ in scene.run(0.02):
        pass
    marks = _marks(moment(scene.world), longest=0.1)
    arrows = [mark for mark in marks if isinstance(mark, Arrow)]
    assert len(arrows) >= 2 and sum(isinstance(mark, Dot) for mark in marks) == len(scene.world.contacts)
    for arrow in arrows:
        x, _, z = arrow.vector
        assert z > 0.0 and x == pytest.approx(-0.5 * z, rel=1e-3)
    assert max(np.linalg.norm(arrow.vector) for arrow in arrows) == pytest.approx(0.1)


def test_a_run_is_counted_and_its_moments_are_kept():
    told = []
    record = run_scene(scenes.free_fall(), 3, lambda record: told.append(record.steps))
    assert told == list(range(1, 201)) and record.steps == 200 and record.simulated == pytest.approx(0.2)
    assert [moment.time for moment in record.moments] == pytest.approx([0.0, 0.1, 0.2])
    assert record.contacts == 4 and record.time_given_up == 0.0 and len(record.times) == len(record.poses)


def test_an_animation_lasts_until_the_end():
    """The last frame was the last one that came after a whole interval."""
    scene = scenes.free_fall(dt=8e-4)
    record = run_scene(scene, 2, lambda record: None)
    assert record.times[-1] == scene.world.time
    assert (record.poses[-1][1] == scene.world.body("box").pose.row).all()
