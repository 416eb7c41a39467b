"""Contact scenes of polyfem (data/polyfem-contact): no skins that intersect, no element left inside out."""

import pytest

from dynamics.soft.judge import overlapping
from dynamics.soft.polyfem import load

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

SCENES = (
    "unit-tests/2-cubes",
    "unit-tests/edge-edge",
    "unit-tests/vertex-face",
    "unit-tests/vertex-vertex",
    "unit-tests/erleben/spikes",
    "unit-tests/erleben/wedges",
    "unit-tests/erleben/internal-edges",
)
LOOKED_AT = 5
"""Every so many steps the judge looks, and at the last one; at all of them with ABUT_THOROUGH=1."""


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_runs_without_interpenetration(shared_data, times, name):
    world, steps = load(shared_data("polyfem-contact") / "contact" / "examples" / "3D" / f"{name}.json")
    touched, inverted, every = 0, 0, times(LOOKED_AT, 1)
    for step in range(steps):
        report = world.step()
        assert report.time_given_up == 0.0
        touched = max(touched, report.contacts)
        inverted += sum(len(body.inverted) for body in world.deformables)
        if step % every == 0 or step == steps - 1:
            assert overlapping(world) == []
    assert world.time == pytest.approx(steps * world.dt)
    assert touched > 0, "they met"
    assert inverted == 0, "at any step"


def test_two_mats_of_very_different_stiffness_meet(shared_data):
    """The last scene of the folder, until shortly after its mats have met (`docs/soft.md` says what follows)."""
    path = (
        shared_data("polyfem-contact") / "contact" / "examples" / "3D" / "large-ratios" / "large-stiffness-ratio.json"
    )
    world, steps = load(path)
    assert steps == 120
    reports = [world.step() for _ in range(6)]
    assert all(report.time_given_up == 0.0 for report in reports)
    assert max(report.contacts for report in reports) > 50, "they met"
    assert overlapping(world) == [] and all(len(body.inverted) == 0 for body in world.deformables)
