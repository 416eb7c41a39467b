"""Expressions of scene files: arithmetic, and nothing but arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abut import InputError
from abut.scene.files.expressions import evaluate, fill_in, is_expression, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("=2*clearance", 1e-4, id="a parameter"),
        pytest.param("= -3 + 2 ** 3 % 5", 0.0, id="operators with Python's precedence"),
        pytest.param("=8*deg", math.radians(8.0), id="a unit"),
        pytest.param("=hypot(3, 4) + max(1, 2, 3)", 8.0, id="functions"),
        pytest.param("=50*um", 50e-6, id="micrometres"),
    ],
)
def test_known_answers(text, value):
    assert is_expression(text)
    assert evaluate(text, {"clearance": 5e-5}) == pytest.approx(value, rel=1e-15)


def test_parameters_overrule_constants():
    assert evaluate("=2*m", {"m": 5.0}) == 10.0


def test_parameters_may_be_called_as_functions_are():
    assert evaluate("=min(min, 2) + max", {"min": 1.0, "max": 5.0}) == 6.0


def test_names_with_numbers_in_them():
    assert fill_in("ring {i+1} of {n}", {"i": 2.0, "n": 10.0}) == "ring 3 of 10"


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100))
def test_arithmetic_is_that_of_floats(a, b):
    assert evaluate("=a - 2*b + a*0.5", {"a": a, "b": b}) == a - 2.0 * b + a * 0.5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("=1/0", "divides by zero"),
        ("=sqrt(-1)", "has no value"),
        ("=10**400", "has no value"),
        ("=1e308*10", "is inf; expected a finite number"),
        ("=2*clearanc", r"names 'clearanc', which is no parameter \(did you mean 'clearance'\?\)"),
        ("=", "is no expression"),
        ("=2*", "is no expression"),
        ("=__import__('os')", "calls '__import__'"),
        ("=(1).real", "is no arithmetic"),
        ("=[1][0]", "is no arithmetic"),
        ("='a'*3", "is no arithmetic"),
        ("=True", "is no arithmetic"),
        ("=max(x for x in y)", "is no arithmetic"),
        ("=lambda: 1", "is no"),
        ("=" + "(" * 450 + "1" + ")" * 450, "is no expression|nested"),
        ("=" + "9" * 2000, "2000 characters"),
        ("=" + "9" * 400, "has no value"),
        ("=9**9**9**9", "has no value"),
        ("=max()", "has no value"),
        ("=1j", "is no arithmetic"),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluate(text, {"clearance": 1.0})


def test_names_are_those_that_are_not_known_to_all():
    assert parse("=2*pi*r + sin(t)").names == {"r", "t"}
