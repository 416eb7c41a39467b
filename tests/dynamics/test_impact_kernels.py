"""Velocities after impacts: bodies get the momentum that was found, and no more energy than they lost."""

import numpy as np
import pytest

from abut import Pose
from abut.dynamics.bodies.body_kernels import DYNAMIC, FIXED
from abut.dynamics.impacts.impact_kernels import _share_without_gain, add_velocities
from abut.dynamics.impacts.sequence_tables import Blows
from dynamics.cloud import STEP, Cloud


def struck(rng):
    """Bodies, and changes of their velocities that add energy at full size."""
    cloud = Cloud(rng)
    return cloud, 3.0 * rng.normal(size=cloud.twist.shape)


def share_of(cloud, change, given, lost):
    blows = Blows(cloud.pose, cloud.twist, change, np.zeros((1, 2)), 1.0)
    return _share_without_gain(cloud.bodies, cloud.balance(), blows, given, lost)


def gain(cloud, change, share):
    """Energy [J] that a share of the changes adds."""
    before, still = cloud.energy(), cloud.twist
    cloud.twist = still + share * change
    after, cloud.twist = cloud.energy(), still
    return after - before


@pytest.mark.parametrize("given", [0.0, 2.0])
@pytest.mark.parametrize("lost", [0.0, 0.5, 20.0])
def test_a_share_of_the_blows_gives_what_was_lost_and_no_more(rng, given, lost):
    cut = 0
    for _ in range(50):
        cloud, change = struck(rng)
        share = share_of(cloud, change, given, lost)
        assert 0.0 <= share <= 1.0
        # Bodies that move as they were told to give in proportion to the share, too.
        left = gain(cloud, change, share) - share * given - lost
        if share < 1.0:
            cut += 1
            assert left == pytest.approx(0.0, abs=1e-9 * cloud.energy())
        else:
            assert left <= 1e-12 * cloud.energy()
    assert cut > 10


def test_blows_that_take_energy_are_left_as_they_are(rng):
    for _ in range(50):
        cloud = Cloud(rng)
        change = -rng.uniform(0.0, 2.0) * cloud.twist  # slower, or as fast as before the other way at most
        assert gain(cloud, change, 1.0) <= 0.0 and share_of(cloud, change, 0.0, 0.0) == 1.0


def test_bodies_turn_with_the_angular_momentum_that_was_found(rng):
    """It was found with the inertias in the middle of the motion; the bodies have turned since."""
    cloud, shift = Cloud(rng), rng.normal(size=(5, 6))
    kind = np.array([DYNAMIC, FIXED, DYNAMIC, DYNAMIC, DYNAMIC], np.int32)
    turns = [Pose.from_rotvec((0, 0, 0), 0.3 * rng.normal(size=3)).rotation for _ in kind]
    middle = np.einsum("nij,njk,nlk->nil", turns, cloud.in_world, turns)
    twist = cloud.twist.copy()
    add_velocities(kind, cloud.inertia, middle, shift, STEP, cloud.pose, twist)
    change = twist - cloud.twist
    assert (change[1] == 0.0).all()
    for i in np.flatnonzero(kind == DYNAMIC):
        np.testing.assert_allclose(change[i, :3], shift[i, :3] / STEP, rtol=1e-9)
        np.testing.assert_allclose(cloud.in_world[i] @ change[i, 3:], middle[i] @ shift[i, 3:] / STEP, rtol=1e-6)
