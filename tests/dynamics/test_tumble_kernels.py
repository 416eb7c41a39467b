"""How bodies turn by themselves: where fine steps of Euler's equations lead, and what stays on the way."""

import numpy as np
import pytest

from abut import Pose
from abut.dynamics.bodies.tumble_kernels import turn_freely

INERTIAS = {"brick": (1.0, 2.0, 2.5), "rod": (0.001, 1.0, 1.0), "plate": (0.05, 1.0, 1.05), "top": (2.0, 2.0, 3.5)}


def as_tuple(matrix):
    return tuple(float(x) for x in np.ravel(matrix))


def tumble(R, inertia, L, dt):
    """Angular velocity over the step, and the inertia that goes with it."""
    u, middle = turn_freely(as_tuple(R), as_tuple(inertia), as_tuple(L), dt)
    return np.array(u), np.array(middle).reshape(3, 3)


def finely_turned(R, inertia, L, dt, n):
    """Orientation after dt by so many steps of second order."""
    h, inverse = dt / n, np.linalg.inv(inertia)
    for _ in range(n):
        w = R @ inverse @ R.T @ L
        half = Pose.from_rotvec((0, 0, 0), 0.5 * h * w).rotation @ R
        R = Pose.from_rotvec((0, 0, 0), h * (half @ inverse @ half.T @ L)).rotation @ R
    return R


def random_case(rng, name):
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = axes @ np.diag(INERTIAS[name]) @ axes.T
    R = Pose.from_rotvec((0, 0, 0), rng.normal(size=3)).rotation
    w = rng.normal(size=3)
    return R, inertia, R @ inertia @ R.T @ (w / np.linalg.norm(w))


@pytest.mark.parametrize("name", INERTIAS)
@pytest.mark.parametrize("turn", [0.1, 2.0, 12.0])
def test_a_body_comes_to_where_fine_steps_take_it(rng, name, turn):
    R, inertia, L = random_case(rng, name)
    u, _ = tumble(R, inertia, L, turn)
    end = Pose.from_rotvec((0, 0, 0), turn * u).rotation @ R
    # Turns of 0.1 rad by the midpoint rule are off by some 1e-3 of the way.
    assert np.abs(end - finely_turned(R, inertia, L, turn, 2000)).max() < 2e-3 * turn


@pytest.mark.parametrize("name", INERTIAS)
@pytest.mark.parametrize("turn", [1e-3, 0.1, 1.0, 3.0, 30.0, 300.0, 1e4])
def test_momentum_and_energy_stay_at_any_spin(rng, name, turn):
    for _ in range(20):
        R, inertia, L = random_case(rng, name)
        u, middle = tumble(R, inertia, L, turn)
        end = Pose.from_rotvec((0, 0, 0), turn * u).rotation @ R
        energy = [0.5 * L @ A @ np.linalg.inv(inertia) @ A.T @ L for A in (R, end)]
        assert energy[1] == pytest.approx(energy[0], rel=1e-12 * max(turn, 10.0) / INERTIAS[name][0])
        assert middle @ u == pytest.approx(L, abs=1e-13 * np.linalg.norm(L))
        np.testing.assert_allclose(middle, middle.T, atol=1e-12)
        assert np.linalg.eigvalsh(middle).min() > 0.0


def test_about_a_principal_axis_a_turn_is_that_of_the_velocity():
    inertia = np.diag((1.0, 2.0, 3.0))
    for axis in np.eye(3):
        u, middle = tumble(np.eye(3), inertia, inertia @ (0.7 * axis), 10.0)
        np.testing.assert_allclose(u, 0.7 * axis, atol=1e-15)
        np.testing.assert_allclose(middle @ u, inertia @ u, atol=1e-15)


def test_a_body_at_rest_stays():
    u, middle = tumble(np.eye(3), np.diag((1.0, 2.0, 3.0)), np.zeros(3), 1.0)
    np.testing.assert_array_equal(u, 0.0)
    np.testing.assert_array_equal(middle, np.diag((1.0, 2.0, 3.0)))
