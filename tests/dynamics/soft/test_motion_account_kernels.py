"""Spins that are put right: never by more energy than is allowed, and whole where what swings can give the rest."""

import numpy as np
import pytest

from abut.dynamics.soft.motion_account_kernels import MOST_SPUN, _put_spin_right, _shares_to_keep
from abut.fem.elastic.spin_kernels import centre_of, common_motion, spin_of

SETTINGS = (1e-3, 0.6, 0.0)
CLOSE = 1e-7
"""Inertias are right to 1e-9 of their traces."""


def energy(mass, velocity):
    return 0.5 * mass @ (velocity**2).sum(axis=1)


def put_right(size, swing, rng, alone=True):
    """A body at random whose spin is to change, and whose nodes swing: energies; how far spin and momentum are off."""
    mass, nodes = rng.uniform(0.1, 2.0, 12), rng.normal(size=(12, 3))
    together = np.empty((12, 3))
    common_motion(mass, nodes, rng.normal(size=(12, 3)), together)
    velocity = together + swing * rng.normal(size=(12, 3))
    moment = tuple(size * rng.normal(size=3))
    before, centre = velocity.copy(), centre_of(mass, nodes)
    wanted = np.array(spin_of(mass, nodes, velocity, centre)) + moment
    _put_spin_right(mass, nodes, velocity, (SETTINGS, moment, alone), nodes, velocity)
    missing = np.array(spin_of(mass, nodes, velocity, centre)) - wanted
    return energy(mass, before), energy(mass, velocity), missing, mass @ (velocity - before), moment


@pytest.mark.parametrize(("size", "swing"), [(1e-4, 0.0), (1e-4, 1.0), (1.0, 3.0), (10.0, 0.1), (100.0, 0.0)])
def test_no_more_energy_is_added_than_allowed_and_momentum_stays(size, swing, rng):
    for _ in range(50):
        then, now, _, lost, _ = put_right(size, swing, rng)
        assert now <= (1.0 + MOST_SPUN) * then * (1.0 + CLOSE)
        np.testing.assert_allclose(lost, 0.0, atol=1e-12)


@pytest.mark.parametrize(("size", "swing"), [(1e-4, 0.0), (1.0, 3.0)])
def test_spin_is_kept_where_what_swings_has_the_energy_for_it(size, swing, rng):
    cut = 0
    for _ in range(50):
        then, now, missing, _, _ = put_right(size, swing, rng)
        np.testing.assert_allclose(missing, 0.0, atol=CLOSE)
        cut += now == pytest.approx((1.0 + MOST_SPUN) * then, rel=CLOSE)
    assert cut > 0 or size < 1.0, "else nothing had to be taken from what swings"


def test_what_does_not_swing_keeps_as_much_spin_as_energy_allows(rng):
    for _ in range(50):
        then, now, missing, _, moment = put_right(100.0, 0.0, rng)
        assert now == pytest.approx((1.0 + MOST_SPUN) * then, rel=CLOSE)
        assert 0.0 < np.linalg.norm(missing) < np.linalg.norm(moment)


def test_what_is_pressed_does_not_turn_what_swings_into_spin(rng):
    cut = 0
    for _ in range(50):
        then, now, missing, _, moment = put_right(1.0, 3.0, rng, alone=False)
        assert now <= (1.0 + MOST_SPUN) * then * (1.0 + CLOSE)
        cut += np.linalg.norm(missing) > 0.1 * np.linalg.norm(moment)
    assert cut > 0, "as it does above"


def test_what_takes_energy_is_made_whole(rng):
    before = rng.normal(size=(5, 3))
    assert _shares_to_keep(np.ones(5), before, 0.9 * before, before) == (1.0, 1.0)
