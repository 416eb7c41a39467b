"""Energy that is taken: as much as asked, and neither momentum nor spin of bodies that nothing holds."""

import numpy as np
import pytest

from abut.dynamics.accounts.account_kernels import DAMPING
from abut.dynamics.accounts.balance_kernels import _energy_of_momentum
from abut.dynamics.accounts.surplus_kernels import _common_motion, _energy_beside, _factor, _slow_down
from abut.math.frame_tables import Frame
from dynamics.cloud import NONE, STEP, Cloud


def test_energy_is_the_sum_over_bodies(rng):
    cloud = Cloud(rng)
    energy, ahead = _energy_beside(cloud.bodies, cloud.balance(), (NONE, NONE, NONE), cloud.pose, cloud.twist)
    assert energy == pytest.approx(cloud.energy(), rel=1e-13)
    assert ahead == 0.0


def test_velocities_lead_by_half_the_pull_of_a_step(rng):
    cloud, gravity = Cloud(rng), np.array((0.3, -0.2, -9.81))
    _, ahead = _energy_beside(cloud.bodies, cloud.balance(gravity), (NONE, NONE, NONE), cloud.pose, cloud.twist)
    assert ahead == pytest.approx(0.5 * STEP * (cloud.mass @ cloud.twist[:, :3]) @ gravity, rel=1e-12)


@pytest.mark.parametrize("s", [0.0, 0.3, 1.0])
def test_slowing_down_beside_the_common_motion_keeps_momentum_and_spin(s, rng):
    cloud = Cloud(rng)
    balance, moved, before = cloud.balance(), cloud.moved(), cloud.momentum()
    common = _common_motion(cloud.bodies, balance, cloud.pose, cloud.twist)
    beside, _ = _energy_beside(cloud.bodies, balance, common, cloud.pose, cloud.twist)
    energy = cloud.energy()
    assert 0.0 < beside < energy
    _slow_down(cloud.bodies, balance, common, s, moved)
    for now, then in zip(cloud.momentum(), before, strict=True):
        np.testing.assert_allclose(now, then, rtol=0, atol=1e-12 * np.abs(before).max())
    assert energy - cloud.energy() == pytest.approx((1.0 - s * s) * beside, rel=1e-11, abs=1e-12)


def test_what_is_taken_is_noted_as_force_over_the_step(rng):
    cloud = Cloud(rng)
    then, moved = cloud.twist.copy(), cloud.moved()
    _slow_down(cloud.bodies, cloud.balance(), (NONE, NONE, NONE), 0.25, moved)
    change = cloud.twist - then
    np.testing.assert_allclose(moved.acted[:, DAMPING, :3], cloud.mass[:, None] * change[:, :3] / STEP, rtol=1e-12)
    torque = np.einsum("nij,nj->ni", cloud.in_world, change[:, 3:]) / STEP
    np.testing.assert_allclose(moved.acted[:, DAMPING, 3:], torque, rtol=1e-10, atol=1e-10 * np.abs(torque).max())


def test_a_rigid_motion_has_nothing_beside_it(rng):
    cloud = Cloud(rng)
    spin, speed = rng.normal(size=(2, 3))
    cloud.twist[:, :3], cloud.twist[:, 3:] = speed + np.cross(spin, cloud.pose[:, :3]), spin
    common = _common_motion(cloud.bodies, cloud.balance(), cloud.pose, cloud.twist)
    beside, _ = _energy_beside(cloud.bodies, cloud.balance(), common, cloud.pose, cloud.twist)
    assert beside < 1e-22 * cloud.energy()
    np.testing.assert_allclose(common[2], spin, rtol=1e-12)


def test_the_factor_takes_what_is_asked_or_all(rng):
    for energy, ahead, surplus in rng.uniform((0.1, -1.0, 0.0), (2.0, 1.0, 3.0), (200, 3)):
        s = _factor(energy, ahead, surplus)
        assert 0.0 <= s <= 1.0
        left = energy + ahead - surplus
        if 0.0 < s < 1.0:
            assert s * s * energy + s * ahead == pytest.approx(left, abs=1e-12)
        elif s == 0.0:  # even at rest, no less than that is left
            assert left <= 1e-12
    assert _factor(1.0, 0.5, 0.0) == 1.0
    assert _factor(0.0, 0.0, 1.0) == 0.0


def test_energy_of_rotation_follows_from_momentum(rng, random_pose):
    roots, L = rng.normal(size=(3, 3)), rng.normal(size=3)
    inertia, R = roots @ roots.T, random_pose().rotation
    inverse = tuple(np.linalg.inv(inertia).ravel().tolist())
    found = _energy_of_momentum(Frame(tuple(R.ravel().tolist()), NONE).R, inverse, tuple(L.tolist()))
    assert found == pytest.approx(0.5 * L @ np.linalg.solve(R @ inertia @ R.T, L), rel=1e-10)
