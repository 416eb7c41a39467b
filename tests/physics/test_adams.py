"""Pendulums on joints of each type against trajectories and reactions of MSC ADAMS (data/chrono-adams-joints)."""

import numpy as np
import pytest

from physics.adams import FOLDERS, load_world, marker_position, recorded

pytestmark = pytest.mark.needs_jit

# As stated in the data's README for steps of 0.5 ms; ours are of 1 ms. The records of the ball and of the universal
# joint differ from that of the hinge, which is the same motion, by 2.6 mm/s: no solution is near to both.
TOLERANCE = {"Pos": 1e-3, "Vel": 2e-3, "Quat": 1e-3, "Avel": 2e-2, "Rforce": 2e-2}
ROUGH = {"Vel": 3e-3}
DT, ROWS = 1e-3, 501


def at_rest_half_a_step_ago(data, name):
    """A world whose velocities, which stand half a step before the positions, are right for a start from rest."""
    ahead, first, _ = load_world(data, name, DT)
    ahead.step()
    world, pendulum, joint = load_world(data, name, DT)
    pendulum.velocity, pendulum.angular_velocity = -0.5 * first.velocity, -0.5 * first.angular_velocity
    return world, pendulum, joint


def simulate(data, name):
    """What ADAMS recorded, every 10 ms; reactions on the ground about the ground's marker."""
    world, pendulum, joint = at_rest_half_a_step_ago(data, name)
    mine, ground = (marker_position(data, name, marker) for marker in ("0202", "0102"))
    anchor = pendulum.pose.inverse().apply(mine)
    rows, error = {key: [] for key in (*TOLERANCE, "Rtorque")}, 0.0
    every = round(0.01 / DT)
    for k in range((ROWS - 1) * every + 1):
        pose, v, w = pendulum.pose, pendulum.velocity, pendulum.angular_velocity
        assert world.step().unsolved == 0
        if k % every == 0:
            force, torque = joint.reaction  # of this step: as it acted when the step began
            rows["Pos"].append(pose.position)
            rows["Quat"].append(pose.quat_wxyz)
            rows["Vel"].append(0.5 * (v + pendulum.velocity))
            rows["Avel"].append(0.5 * (w + pendulum.angular_velocity))
            rows["Rforce"].append(-force)
            rows["Rtorque"].append(-torque - np.cross(pose.apply(anchor) - ground, force))
            error = max(error, joint.error)
    return {key: np.array(values) for key, values in rows.items()}, error


def difference(key, found, expected):
    if key == "Quat":  # a rotation has two quaternions
        found = found * np.sign((found * expected).sum(axis=1))[:, None]
    return np.abs(found - expected).max()


@pytest.mark.parametrize("name", FOLDERS)
def test_five_seconds_of_a_pendulum_agree_with_the_record(name, shared_data):
    data = shared_data("chrono-adams-joints")
    found, error = simulate(data, name)
    rough = ROUGH if name.startswith(("Spherical", "Universal")) else {}
    for key, tolerance in {**TOLERANCE, **rough}.items():
        assert difference(key, found[key], recorded(data, name, key)[1][:ROWS]) < tolerance, key
    # Torques of a pendulum that slid 60 m away from the marker are 600 N m, recorded to six digits.
    torque = recorded(data, name, "Rtorque")[1][:ROWS]
    assert difference("Rtorque", found["Rtorque"], torque) < 2e-2 + 1e-3 * np.abs(torque).max()
    assert error < 1e-7
