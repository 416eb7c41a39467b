"""Times of impact in closed form, and impulses of single blows, beside plain computations."""

import numpy as np
import pytest

from abut.dynamics.impulse.crossing_kernels import descent_of_parabola, descent_of_quartic
from abut.dynamics.impulse.flight_kernels import time_of_balls

INF = float("inf")


@pytest.mark.parametrize(
    ("height", "speed", "acceleration", "expected"),
    [
        (1.0, 0.0, -2.0, 1.0),
        (0.0, 3.0, -2.0, 3.0),  # from the ground and back
        (-1e-18, 3.0, -2.0, 3.0),  # below it by rounding, and rising
        (0.0, -1.0, -2.0, 0.0),
        (1.0, -1.0, 0.0, 1.0),
        (1.0, 1.0, 0.0, INF),
        (1.0, -1.0, 2.0, INF),  # turns before it comes down
        (1.0, -3.0, 4.0, 0.5),
        (1.0, 0.0, 1.0, INF),
    ],
)
def test_a_parabola_comes_down(height, speed, acceleration, expected):
    assert descent_of_parabola(height, speed, acceleration) == pytest.approx(expected, abs=1e-12)


def first_descent(c, limit):
    """By roots of the polynomial: the first at which it comes from above."""
    roots = np.roots(c[::-1])
    real = np.sort(roots[np.abs(roots.imag) < 1e-9].real)
    slope = np.polynomial.Polynomial(c).deriv()
    return next((t for t in real if 1e-9 < t < limit and slope(t) < 0.0), INF)


def test_random_quartics_come_down_where_their_roots_say(rng):
    for _ in range(400):
        roots = rng.normal(size=4)
        c = np.polynomial.polynomial.polyfromroots(roots) if rng.random() < 0.5 else rng.normal(size=5)
        if np.abs(np.diff(np.sort(roots))).min() < 1e-3:
            continue
        expected = 0.0 if c[0] <= 0.0 and c[1] < 0.0 else first_descent(c, 3.0)
        assert descent_of_quartic(tuple(c), 3.0) == pytest.approx(expected, abs=1e-7)


def test_a_ball_touches_a_fixed_one_on_its_parabola(rng):
    """Beside the same parabola looked at in small steps."""
    found = 0
    for _ in range(60):
        p, a = rng.normal(size=3), np.array((0.0, 0.0, -9.81))
        v = -3.0 * p + rng.normal(size=3) - 0.2 * a
        if np.linalg.norm(p) < 0.6:
            continue
        t = time_of_balls(tuple(p), tuple(v), tuple(a), 0.5, 1e-3, 1e-6, 2.0)
        times = np.linspace(0.0, 2.0, 20001)
        way = p + times[:, None] * v + 0.5 * times[:, None] ** 2 * a
        near = np.linalg.norm(way, axis=1) <= 0.501
        first = times[near.argmax()] if near.any() else INF
        if np.isinf(t):
            assert np.isinf(first)
            continue
        found += 1
        assert np.linalg.norm(p + t * v + 0.5 * t * t * a) == pytest.approx(0.501, abs=1e-12)
        assert first == INF or first - 1e-4 <= t <= first + 1e-12
    assert found > 5


def test_balls_that_part_or_pass_do_not_touch():
    none = (0.0, 0.0, 0.0)
    assert time_of_balls((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), none, 0.2, 1e-6, 0.0, 1.0) == INF
    assert time_of_balls((1.0, 0.5, 0.0), (-1.0, 0.0, 0.0), none, 0.2, 1e-6, 0.0, 1.0) == INF
    assert time_of_balls((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), none, 0.2, 1e-6, 0.0, 1.0) == pytest.approx(0.8 - 1e-6)
