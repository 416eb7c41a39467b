"""Spins that are put right: never by more energy than is allowed."""

import numpy as np
import pytest

from abut.dynamics.soft.motion_account_kernels import MOST_SPUN, _share_to_gain


def energy(mass, velocity):
    return 0.5 * mass @ (velocity**2).sum(axis=1)


@pytest.mark.parametrize(("size", "cut_are"), [(1e-4, "none"), (0.1, "some"), (10.0, "all")])
def test_a_change_is_made_as_far_as_energy_allows(size, cut_are, rng):
    cut = 0
    for _ in range(50):
        mass, before = rng.uniform(0.1, 2.0, 12), rng.normal(size=(12, 3))
        after = before + size * rng.normal(size=(12, 3))
        share = _share_to_gain(mass, before, after)
        then, now = energy(mass, before), energy(mass, before + share * (after - before))
        assert 0.0 < share <= 1.0 and now <= (1.0 + MOST_SPUN) * then * (1.0 + 1e-12)
        if share < 1.0:
            cut += 1
            assert now == pytest.approx((1.0 + MOST_SPUN) * then, rel=1e-9)
    assert cut_are == ("none" if cut == 0 else "all" if cut == 50 else "some")


def test_what_takes_energy_is_made_whole(rng):
    before = rng.normal(size=(5, 3))
    assert _share_to_gain(np.ones(5), before, 0.9 * before) == 1.0
