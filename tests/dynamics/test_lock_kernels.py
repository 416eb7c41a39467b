"""Bodies that are locked about some axes: they keep what they can of their angular momentum."""

import numpy as np
import pytest

from abut import Pose
from abut.dynamics.bodies.body_kernels import DYNAMIC, FIXED
from abut.dynamics.bodies.lock_kernels import drop_locked_turns


def unlocked(inertia, pose, locked, twist, kind=DYNAMIC):
    """Angular velocity that is left of one body."""
    tables = (np.array([kind], np.int32), inertia[None], np.array([(False,) * 3 + locked]))
    placed = np.array([(*pose.position, *pose.quat_wxyz)])
    left = np.array([(0.0, 0.0, 0.0, *twist)])
    drop_locked_turns(*tables, placed, left)
    return left[0, 3:]


def random_body(rng):
    A = rng.normal(size=(3, 3))
    return A @ A.T + np.eye(3), Pose(rng.normal(size=3), quat_wxyz=rng.normal(size=4)), rng.normal(size=3)


@pytest.mark.parametrize("locked", [(True, False, False), (False, True, False), (True, False, True)])
def test_no_turn_about_locked_axes_and_the_same_momentum_about_the_others(locked, rng):
    free = ~np.array(locked)
    for _ in range(50):
        inertia, pose, w = random_body(rng)
        in_world = pose.rotation @ inertia @ pose.rotation.T
        left = unlocked(inertia, pose, locked, w)
        assert (left[~free] == 0.0).all()
        np.testing.assert_allclose((in_world @ left)[free], (in_world @ w)[free], rtol=1e-12, atol=1e-12)


def test_a_body_without_locks_and_one_that_is_fixed_turn_as_before(rng):
    inertia, pose, w = random_body(rng)
    assert (unlocked(inertia, pose, (False,) * 3, w) == w).all()
    assert (unlocked(inertia, pose, (True,) * 3, w, FIXED) == w).all()
