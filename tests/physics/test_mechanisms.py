"""The mechanisms of the scene library against what kinematics and mechanics say about them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from abut.scene import scenes
from abut.scene.scenes.scripted import steady_precession
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit
G = 9.81


def run(scene, duration=None):
    """Step by step, nothing given up, nothing overlapping, and all joints closed to a few nanometres."""
    judge = Judge(scene.world)
    for k, report in enumerate(scene.run(duration)):
        assert report.time_given_up == 0.0
        assert k % 50 or judge.overlap() is None
        yield scene.world
    assert max(joint.error for joint in scene.world.joints) < 1e-8


def angle_between(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


def test_a_slider_crank_moves_its_piston_as_the_triangle_says():
    r, l = 0.04, 0.12
    scene = scenes.slider_crank(crank=r, rod=l)
    bearing, guide = scene.world.joint("bearing"), scene.world.joint("guide")
    scene.step()  # brings it up to its speed at once
    work, energy, before = 0.0, scene.world.energy, bearing.coordinate
    for world in run(scene, scene.duration - scene.world.dt):
        turn = -bearing.coordinate
        wanted = r * np.cos(turn) + np.sqrt(l * l - (r * np.sin(turn)) ** 2)
        assert guide.coordinate == pytest.approx(wanted - r - l, abs=1e-8)
        work += bearing["angle"].force * (bearing.coordinate - before)
        before = bearing.coordinate
        assert work == pytest.approx(world.energy - energy, abs=3e-4)  # of 10 mJ, to first order in dt
    assert bearing.coordinate == pytest.approx(-2.0 * np.pi, abs=1e-6) and scene.world.redundant_rows == 3


def test_a_four_bar_linkage_obeys_freudensteins_equation():
    a, b, c, d = 0.04, 0.12, 0.08, 0.12  # crank, coupler, rocker, frame
    scene = scenes.four_bar()
    crank, rocker = scene.world.body("crank"), scene.world.body("rocker")
    swing = []
    for _ in run(scene):
        two, four = (np.arctan2(body.pose.rotation[2, 0], body.pose.rotation[0, 0]) for body in (crank, rocker))
        known = (a * a - b * b + c * c + d * d) / (2.0 * a * c)
        assert d / a * np.cos(four) - d / c * np.cos(two) + known - np.cos(two - four) == pytest.approx(0.0, abs=1e-6)
        swing.append(four)
    # The rocker turns back where crank and coupler are in line.
    ends = [np.pi - np.arccos((c * c + d * d - s * s) / (2.0 * c * d)) for s in (b + a, b - a)]
    assert (min(swing), max(swing)) == pytest.approx(tuple(ends), abs=1e-4)
    assert scene.world.redundant_rows == 3


def test_universal_joints_turn_unevenly_and_two_of_them_evenly():
    bend = np.radians(30.0)
    scene = scenes.universal_shaft(bend=bend)
    world = scene.world
    middle, motor, brake = world.body("middle shaft"), world.joint("motor"), world.joint("brake")
    along, speeds = np.array([np.cos(bend), 0.0, np.sin(bend)]), []
    for _ in run(scene):
        turn = motor.coordinate
        pin = np.cross((0.0, -np.sin(turn), np.cos(turn)), along)  # across both the driving pin and the middle shaft
        np.testing.assert_allclose(middle.pose.rotation[:, 1], pin / np.linalg.norm(pin), atol=1e-6)
        assert brake["angle"].value == pytest.approx(turn, abs=1e-6)
        speeds.append(middle.angular_velocity @ along / (2.0 * np.pi))
    assert (min(speeds), max(speeds)) == pytest.approx((np.cos(bend), 1.0 / np.cos(bend)), rel=1e-3)
    assert brake["angle"].force == pytest.approx(-0.02 * 2.0 * np.pi, rel=1e-4) and world.redundant_rows == 0


def test_a_wheel_in_gimbals_points_where_it_did():
    scene = scenes.gimbal(tilt=0.6)
    wheel, stand = scene.world.body("wheel"), scene.world.body("stand")
    stray = tilted = 0.0
    for _ in run(scene, 0.5):
        stray = max(stray, angle_between(wheel.pose.rotation[:, 2], np.array([0.0, 0.0, 1.0])))
        tilted = max(tilted, angle_between(stand.pose.rotation[:, 2], np.array([0.0, 0.0, 1.0])))
    assert tilted == pytest.approx(0.6, rel=1e-2) and stray < 0.01


def test_a_top_precesses_steadily():
    lean, spin = np.radians(25.0), 200.0
    scene = scenes.spinning_top(spin=spin, lean=lean)
    top = scene.world.body("top")
    rate, turns = steady_precession(top, spin, lean), []
    for _ in run(scene):
        axis = top.pose.rotation[:, 2]
        assert angle_between(axis, np.array([0.0, 0.0, 1.0])) == pytest.approx(lean, abs=2e-3)
        turns.append(np.arctan2(axis[1], axis[0]))
    assert np.unwrap(turns)[-1] == pytest.approx(rate * scene.duration, rel=5e-3)


def test_a_screw_press_presses_with_the_force_of_its_torque():
    """2 pi torque / pitch, and the weight of screw and platen on top of it."""
    torque, pitch = 0.2, 4e-3
    scene = scenes.screw_press(torque=torque, pitch=pitch)
    for _ in run(scene):
        pass
    world = scene.world
    weight = G * (world.body("screw").mass + world.body("platen").mass)
    contacts = world.contacts
    pressed = contacts["force"][contacts["body_b"] == world.body("platen").index].sum()
    assert pressed == pytest.approx(2.0 * np.pi * torque / pitch + weight, rel=1e-3)
    assert world.joint("screw")["angle"].force == pytest.approx(-torque) and world.kinetic_energy < 1e-8


def swung(n, L, m, inertia, t):
    """Angles of n links at time t by Lagrange's equations in the angles, as exact as can be."""
    share = m * np.array([[L if i < k else 0.5 * L * (i == k) for i in range(n)] for k in range(n)])
    A = share.T @ share / m + inertia * np.eye(n)

    def change(_, y):
        angle, rate = y[:n], y[n:]
        between = angle[:, None] - angle
        force = G * share.sum(axis=0) * np.cos(angle) - (A * np.sin(between)) @ rate**2
        return np.concatenate((rate, np.linalg.solve(A * np.cos(between), force)))

    return solve_ivp(change, (0.0, t), np.zeros(2 * n), rtol=1e-10, atol=1e-12, method="DOP853").y[:n, -1]


def test_ten_links_swing_as_lagrange_says_and_twice_as_well_with_half_the_step():
    errors = []
    for dt in (1e-3, 5e-4):
        scene = scenes.pendulum(dt=dt)
        link, energy = scene.world.body("link 0"), []
        for world in run(scene, 0.4):
            energy.append(world.energy)
        wanted = swung(10, 0.1, link.mass, link.spec.inertia[1, 1], 0.4)
        found = np.cumsum([joint.coordinate for joint in scene.world.joints])
        errors.append(np.abs(found - wanted).max())
        assert np.abs(energy).max() < 30.0 * dt * link.mass * G
    assert errors[0] < 0.05 and errors[1] == pytest.approx(0.5 * errors[0], rel=0.2)
