"""Parts that are put together: they must go in, seat where geometry says, and never overlap on the way."""

from math import cos, pi, radians, sqrt

import numpy as np
import pytest

from abut.geometry.making.thread import coarse_pitch
from abut.scene import scenes
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit


def given_up(reports):
    return sum(report.time_given_up for report in reports)


def test_the_driver_finds_its_recess_and_seats():
    """Drawn 30 µm off every face, it must sink by 30 µm / cos 28 degrees, less what the contact gap holds."""
    scene = scenes.driver()
    reports = run_judged(scene, 0.1, every=2)
    tool, gap = scene.world.body("driver"), scene.world.contact_gap
    seat = -(30e-6 - gap) / cos(radians(28.0))
    assert tool.pose.position[2] == pytest.approx(seat, abs=2 * gap)
    assert given_up(reports) == 0.0
    assert scene.world.kinetic_energy < 1e-9
    np.testing.assert_allclose(tool.contact_wrench()[[2, 5]], (5.0, 1e-3), rtol=1e-3)


def test_a_driver_finds_its_recess_and_turns_the_screw_on_about_twenty_contacts():
    """Driver, screw and block, all in contact: SiLVIA 3.3 reports up to 20 contacts for them."""
    scene = scenes.screwdriver()
    world, tool, screw = scene.world, scene.world.body("driver"), scene.world.body("screw")
    reports = run_judged(scene, 0.15, every=3)
    seated = [report.contacts for report in reports[50:]]
    assert 15 <= np.median(seated) <= 25 and max(seated) <= 30
    assert given_up(reports) == 0.0
    below = tool.pose.position[2] - screw.pose.position[2]
    assert below == pytest.approx(-(30e-6 - world.contact_gap) / cos(radians(28.0)), abs=2 * world.contact_gap)
    assert screw.pose.rotvec[2] < -radians(30.0)
    # They turn together: the wings' play of 30 µm at 1 mm from the axis is all by which one may run ahead.
    assert abs((tool.pose @ screw.pose.inverse()).rotvec[2]) < 30e-6 / 1e-3
    # What the driver hands on is what the brake takes, in the mean over some passing corners.
    handed, taken = [], []
    for _ in scene.run(0.05):
        handed.append(tool.contact_wrench()[5])
        taken.append(-3e4 * screw.spec.inertia[2, 2] * screw.angular_velocity[2])
    assert np.mean(handed) == pytest.approx(np.mean(taken), rel=0.05)


def test_a_tilted_peg_goes_into_a_hole_with_a_thousandth_of_clearance():
    scene = scenes.peg_in_hole(segments=32, speed=0.4)
    reports = run_judged(scene, 0.35, every=5)
    peg = scene.world.body("peg")
    assert peg.pose.position[2] < 0.03, "at least 50 mm deep"
    # 50 µm of play over the depth is all the tilt there can be; polygons of 32 corners leave at most 1 / cos more.
    depth = 0.08 - peg.pose.position[2]
    play = 50e-6 + 0.05 * (1.0 / cos(pi / 32.0) - cos(pi / 32.0))
    assert np.linalg.norm(peg.pose.rotvec[:2]) < play / depth
    assert given_up(reports) < 0.01 * scene.world.time


@pytest.mark.parametrize("speed", [0.1, 0.2])
@pytest.mark.parametrize("tilt", [0.5, 1.0])
@pytest.mark.parametrize("dt", [1e-3, 2e-3])
def test_a_hand_that_is_stiff_against_turning_finds_the_hole(speed, tilt, dt):
    scene = scenes.peg_in_hole(speed=speed, tilt=radians(tilt), dt=dt)
    assert given_up(list(scene.run())) == 0.0
    assert 0.0 < scene.world.body("peg").pose.position[2] < 0.012


def test_a_nut_runs_down_its_thread():
    scene = scenes.nut_on_bolt(segments=16)
    nut, pitch = scene.world.body("nut"), coarse_pitch(0.02)
    run_judged(scene, 0.02, every=4)
    z, spin = nut.pose.position[2], 0.0
    for _ in scene.run(0.08):
        spin += nut.angular_velocity[2] * scene.world.dt
    assert spin < -0.7
    # Axial play of the flanks, 100 µm / cos 60 degrees, is the only freedom beside the thread's own.
    assert nut.pose.position[2] - z == pytest.approx(pitch * spin / (2 * pi), abs=2.1e-4)
    run_judged(scene, 0.005)


def test_a_countersunk_bolt_slides_to_its_seat():
    scene = scenes.countersunk(segments=16)
    reports = run_judged(scene, 0.3, every=3)
    bolt = scene.world.body("bolt")
    rim = 0.5 * 0.5 * (17.92e-3 + 15.24e-3)
    # It seats after 50 µm sqrt(2); where corner faces corner, it sinks by the polygon's height deeper at most.
    deepest = 50e-6 * sqrt(2.0) + rim * (1.0 / cos(pi / 16.0) - cos(pi / 16.0))
    assert -deepest < bolt.pose.position[2] < -60e-6
    assert given_up(reports) == 0.0


def test_gears_turn_alike_within_their_backlash():
    scene = scenes.gears()
    driven, speed = scene.world.body("driven"), 2 * pi
    start = driven.pose
    reports = run_judged(scene, 0.15, every=3)
    turned = (driven.pose @ start.inverse()).rotvec[2]
    assert turned == pytest.approx(-speed * 0.15, abs=1.5 * 5e-5 / 0.02 + 1e-3)
    assert given_up(reports) == 0.0


def test_the_radio_slides_into_its_console():
    scene = scenes.radio(speed=0.6)
    reports = run_judged(scene, every=10)
    radio = scene.world.body("radio")
    assert abs(radio.pose.position[1]) < 3e-4
    assert np.abs(radio.pose.rotvec).max() < 2 * 2.5e-4 / 0.05
    assert given_up(reports) < 0.01 * scene.world.time
