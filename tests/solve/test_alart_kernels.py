"""The equations of Alart and Curnier: zero where the laws of contact hold, and slopes that are their derivatives."""

import numpy as np
import pytest

from abut.solve.alart_kernels import alart_slopes, alart_values

MU, RHO = 0.5, np.array([[0.7, 1.3, 0.0]])


def values(r, u):
    out = np.empty((1, 3))
    alart_values(np.array([r]), np.array([u]), np.array([MU]), RHO, out)
    return out[0]


@pytest.mark.parametrize(
    ("r", "u"),
    [
        pytest.param((0.0, 0.0, 0.0), (0.3, 1.0, -2.0), id="a contact that opens has no force"),
        pytest.param((2.0, 0.3, -0.4), (0.0, 0.0, 0.0), id="one that sticks has any force within the cone"),
        pytest.param((2.0, -0.6, 0.8), (0.0, 1.5, -2.0), id="one that slips is pushed against its slip, at the limit"),
    ],
)
def test_what_obeys_the_laws_solves_the_equations(r, u):
    assert values(r, u) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize(
    ("r", "u"),
    [
        pytest.param((0.5, 0.0, 0.0), (0.3, 0.0, 0.0), id="a force on a contact that opens"),
        pytest.param((0.0, 0.0, 0.0), (-0.1, 0.0, 0.0), id="bodies that go into each other"),
        pytest.param((2.0, 0.9, 0.9), (0.0, 0.0, 0.0), id="friction beyond the cone"),
        pytest.param((2.0, 0.6, -0.8), (0.0, 1.5, -2.0), id="friction along the slip"),
        pytest.param((2.0, -0.3, 0.4), (0.0, 1.5, -2.0), id="friction below the limit where something slips"),
    ],
)
def test_what_breaks_a_law_does_not(r, u):
    assert np.abs(values(r, u)).max() > 0.05


def test_slopes_are_derivatives(rng):
    kinds = set()
    for _ in range(200):
        r, u = rng.normal((0.5, 0.0, 0.0)), rng.normal(size=3)
        by_r, by_u, h = np.empty((1, 3, 3)), np.empty((1, 3, 3)), 1e-6
        alart_slopes(r[None], u[None], np.array([MU]), RHO, by_r, by_u)
        for k, step in enumerate(h * np.eye(3)):
            assert by_r[0, :, k] == pytest.approx((values(r + step, u) - values(r - step, u)) / (2 * h), abs=1e-6)
            assert by_u[0, :, k] == pytest.approx((values(r, u + step) - values(r, u - step)) / (2 * h), abs=1e-6)
        normal, along = r[0] - RHO[0, 0] * u[0], np.hypot(*(r[1:] - RHO[0, 1] * u[1:]))
        kinds.add("open" if normal < 0.0 else "sticks" if along < MU * normal else "slips")
    assert kinds == {"open", "sticks", "slips"}
