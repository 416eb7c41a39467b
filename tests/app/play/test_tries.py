"""What to try in the scenes of the library."""

import pytest

from abut import scenes
from abut.app.play.sources import open_source
from abut.app.play.tries import TRIES


def test_every_scene_has_something_to_try():
    assert tuple(TRIES) == scenes.NAMES
    for sentence in TRIES.values():
        assert sentence[0].islower() and not sentence.endswith(".") and len(sentence) <= 90


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", scenes.NAMES)
def test_a_part_that_it_is_about_is_there(name):
    source = open_source([name])
    world = source.scene.world
    bodies = [body.name for body in (*world.bodies, *world.deformables)]
    words = [word for body in bodies for word in (body, body.split()[0])]
    assert source.hint == TRIES[name] and any(word in source.hint for word in words)
