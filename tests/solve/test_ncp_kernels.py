"""NCP functions and the rows made of them: zero exactly at complementary pairs, slopes as finite differences say."""

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abut.solve.ncp_kernels import fischer, ncp_slopes, ncp_value, row_residual, row_slopes, row_value

CODES = [pytest.param(code, id=name) for code, name in enumerate(("fischer", "min", "penalised"))]
numbers = st.floats(-1e3, 1e3)
positive = st.floats(1e-3, 1e3)


@pytest.mark.parametrize("code", CODES)
@given(a=positive, b=positive)
def test_zero_exactly_where_both_are_non_negative_and_one_is_zero(code, a, b):
    assert ncp_value(code, a, 0.0) == 0.0 == ncp_value(code, 0.0, b)
    assert ncp_value(code, a, b) < 0.0
    assert ncp_value(code, -a, b) > 0.0 < ncp_value(code, a, -b)
    assert ncp_value(code, -a, -b) > 0.0


def test_the_fischer_function_keeps_its_digits_where_they_cancel():
    """sqrt(a^2 + b^2) - a - b computed as written gives 0 here."""
    assert fischer(1.0, 1e-20) == pytest.approx(-1e-20, rel=1e-12)


@pytest.mark.parametrize("code", CODES)
@given(a=numbers, b=numbers)
def test_slopes_are_finite_differences(code, a, b):
    assume(abs(a - b) > 1e-2 and min(abs(a), abs(b)) > 1e-2)
    h = 1e-6
    by_a = (ncp_value(code, a + h, b) - ncp_value(code, a - h, b)) / (2 * h)
    by_b = (ncp_value(code, a, b + h) - ncp_value(code, a, b - h)) / (2 * h)
    np.testing.assert_allclose(ncp_slopes(code, a, b), (by_a, by_b), atol=2e-4)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("lower", "upper"), [(0.0, inf), (-inf, inf), (-inf, 2.0), (-1.0, 2.0)])
@given(x=st.floats(-5, 5), w=st.floats(-5, 5))
def test_a_row_is_zero_where_its_residual_is_and_its_slopes_are_finite_differences(code, lower, upper, x, w):
    value, residual = row_value(code, x, w, lower, upper), row_residual(x, w, lower, upper)
    if residual > 1e-3:
        assert abs(value) > 1e-7
    for clipped, pressed in ((lower, 1.5), (upper, -1.5), (0.5, 0.0)):
        if abs(clipped) < inf and lower <= clipped <= upper:
            assert abs(row_value(code, clipped, pressed if clipped != 0.5 else 0.0, lower, upper)) < 1e-12
    h = 1e-6
    kinks = [abs(x - lower), abs(upper - x), abs(w), abs(x - lower - w), abs(upper - x + w)]
    assume(min(kinks) > 1e-2)
    by_x = (row_value(code, x + h, w, lower, upper) - row_value(code, x - h, w, lower, upper)) / (2 * h)
    by_w = (row_value(code, x, w + h, lower, upper) - row_value(code, x, w - h, lower, upper)) / (2 * h)
    slopes = row_slopes(code, x, w, lower, upper)
    if abs(by_x - slopes[0]) + abs(by_w - slopes[1]) > 1e-3:
        # Nested functions have further kinks, at which only one-sided differences agree.
        jump = row_slopes(code, x + 1e-3, w, lower, upper), row_slopes(code, x - 1e-3, w, lower, upper)
        assert abs(jump[0][0] - jump[1][0]) + abs(jump[0][1] - jump[1][1]) > 1e-3


def test_a_joint_is_its_own_equation():
    assert row_value(0, 123.0, 0.25, -inf, inf) == -0.25
    assert row_slopes(0, 123.0, 0.25, -inf, inf) == (0.0, -1.0)


def test_a_huge_force_does_not_swallow_the_gap():
    """|x - max(x - w, 0)| gives 0 here: a problem without solution once counted as solved by x = 1e40."""
    assert row_residual(1e40, -1.0, 0.0, inf) == 1.0


@pytest.mark.parametrize(("x", "w"), [(nan, 1.0), (1.0, nan)])
def test_what_is_not_a_number_has_no_residual(x, w):
    assert isnan(row_residual(x, w, 0.0, inf)) and isnan(row_residual(x, w, -inf, inf))
