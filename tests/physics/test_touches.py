"""What touches what: contacts of the features that meet, and of no others."""

import numpy as np
import pytest

from abut import Pose, Solid, Sphere, World, scenes

LYING = Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0))
ROOFS = {
    "cylinder": (Solid.cylinder(radius=0.05, height=0.3, segments=16), LYING),
    "cone": (Solid.cone(radius=0.05, height=0.06, segments=10), Pose()),
}


@pytest.mark.parametrize("roof", ROOFS)
@pytest.mark.parametrize("x", [0.0, 0.003, 0.012])
def test_a_ball_rolls_over_blunt_edges(roof, x):
    """At an edge, balls looked for a contact with the face beside it, where there was none, and hung in the air."""
    solid, X = ROOFS[roof]
    world = World()
    world.add_body(solid, "roof", fixed=True, pose=X)
    ball = world.add_body(Sphere(0.02), "ball", pose=Pose((x, 0.001, 0.085)))
    touched = 0
    for _ in range(150):
        report = world.step()
        assert report.time_given_up == 0.0 and report.parts <= 1
        touched = max(touched, report.contacts)
    assert touched > 0 and (ball.pose.position[2] < 0.0701)


def test_parts_that_lie_in_one_plane_do_not_touch_by_it():
    """A corner that had passed the border of a face within a step was held by that face, at a gap of nothing."""
    scene = scenes.gears(dt=5e-3)
    for report in scene.run(0.2):
        assert report.smallest_gap > 0.4 * scene.world.contact_gap
        assert np.abs(scene.world.contacts["normal"][:, 2]).max(initial=0.0) < 1e-9
