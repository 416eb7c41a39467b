"""Pegs and nut of the Factory assembly set, against the play that its truth.json gives."""

import json
from math import pi, radians

import numpy as np
import pytest

import abut
from abut.scene.importers import M16_PITCH, factory_nut, factory_peg
from physics.judge import Judge, run_judged

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def folder(shared_data):
    return shared_data("factory-assembly")


@pytest.mark.parametrize(
    ("peg", "askew"),
    [
        ("round_peg_8mm_tight", {}),
        ("round_peg_16mm_tight", {}),
        ("rectangular_peg_8mm_tight", {"tilt": radians(1.0), "offset": 3e-5}),
    ],
)
def test_a_peg_goes_through_its_plate_however_the_hand_holds_it(folder, peg, askew):
    """The hand is farther off than the play allows: contacts must turn and shift the peg."""
    truth = json.loads((folder / "truth.json").read_text())["peg_hole"][peg.replace("_peg", "")]
    scene = factory_peg(folder, peg, speed=0.3, **askew)
    body = scene.world.body("peg")
    reports = run_judged(scene, every=10)
    assert body.pose.position[2] < -20e-3, "more than 20 mm below the plate's lower face"
    tilt = np.linalg.norm(body.pose.rotvec[:2])
    assert 0.5e-3 * truth["max_tilt_y_mrad"] < tilt < 1.5e-3 * truth["max_tilt_y_mrad"], "as far as the hole lets it"
    middle = body.pose.apply((0.0, 0.0, 4.5e-3 - body.pose.position[2]))
    assert np.abs(middle[:2]).max() < 1e-6 * truth["max_x_um"] + 1e-5
    assert max(report.contacts for report in reports) >= 4
    assert sum(report.time_given_up for report in reports) == 0.0


def test_a_peg_beside_its_hole_by_more_than_the_play_stays_on_the_plate(folder):
    scene = factory_peg(folder, "rectangular_peg_8mm_tight", tilt=0.0, offset=3e-4)
    run_judged(scene, 0.15, every=5)
    assert scene.world.body("peg").pose.position[2] == pytest.approx(8.992e-3, abs=2e-5)


def test_a_nut_runs_down_its_thread_by_pitch_times_angle(folder):
    scene = factory_nut(folder, "tight", torque=5e-3)
    nut, judge = scene.world.body("nut"), Judge(scene.world)
    z, spin = nut.pose.position[2], 0.0
    for k, _ in enumerate(scene.run(0.02)):
        spin += nut.angular_velocity[2] * scene.world.dt
        assert k % 10 or judge.overlap() is None, f"step {k}"
    assert spin < -0.2
    axial_play = 16e-6
    assert nut.pose.position[2] - z == pytest.approx(M16_PITCH * spin / (2 * pi), abs=axial_play)
    assert judge.overlap() is None


def test_a_part_that_does_not_exist_is_named(folder):
    with pytest.raises(abut.InputError, match="there is no part 'hexagonal_hole' of Factory in"):
        factory_peg(folder, "hexagonal_peg")
