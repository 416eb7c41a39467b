"""Validation at the door: what is accepted, and the sentence for what is not."""

import numpy as np
import pytest

from abut import InputError, ShapeError, arrays


def test_whatever_is_passed_one_array_type_comes_out():
    frozen = np.ones((2, 3))
    frozen.flags.writeable = False
    for value in ([[1, 2, 3]], np.ones((2, 3), np.float32), np.asfortranarray(np.ones((2, 3))), frozen, (1, 2, 3)):
        result = arrays.rows("p", value, 3)
        assert result.dtype == np.float64 and result.flags.c_contiguous and result.flags.writeable
    assert arrays.indices("faces", [[0, 1, 2]], 3, below=3).dtype == np.int32
    assert arrays.indices("faces", [[0.0, 1.0, 2.0]], 3, below=3).dtype == np.int32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arrays.rows("p", (1, 2), 3), r"p: expected \(n, 3\), got \(2,\)"),
        (lambda: arrays.rows("p", [[1, 2, 3], [1, np.inf, 3]], 3), "p: row 1 is not finite"),
        (lambda: arrays.rows("p", "abc", 3), "p: expected numbers, got 'abc'"),
        (lambda: arrays.blocks("f", np.ones((2, 3)), 3, 3), r"f: expected \(n, 3, 3\), got \(2, 3\)"),
        (lambda: arrays.vector("v", 1.0), "v: expected 3 numbers, got 1.0"),
        (lambda: arrays.values("q", [1, 2], 3), r"q: expected \(3,\), got \(2,\)"),
        (
            lambda: arrays.indices("faces", [[0, 1, 9]], 3, below=4),
            r"row 0 is \[0, 1, 9\], but indices run from 0 to 3",
        ),
        (lambda: arrays.indices("faces", [[0, 1, 0.5]], 3, below=4), "faces: expected integers"),
        (lambda: arrays.indices("faces", [[0, 1], [0, 1, 2]], 3, below=4), "rows of different lengths"),
        (lambda: arrays.number("dt", 0.0, above=0.0), "dt: expected a number greater than 0, got 0"),
        (lambda: arrays.number("mu", -1, least=0.0), "mu: expected a number not smaller than 0, got -1"),
        (lambda: arrays.number("dt", "soon"), "dt: expected a number, got 'soon'"),
        (lambda: arrays.count("segments", 2, least=3), "segments: expected at least 3, got 2"),
        (lambda: arrays.count("segments", 2.5, least=3), "segments: expected a whole number"),
        (lambda: arrays.three("size", [[1, 2], [3]]), "size: expected numbers"),
        (lambda: arrays.three("size", (1, 2)), "size: expected 3 numbers"),
        (lambda: arrays.three("size", np.nan), "size"),
        (lambda: arrays.flag("fixed", np.eye(3)), "fixed: expected True or False, got"),
        (lambda: arrays.flag("fixed", 1), "fixed: expected True or False, got 1"),
        (lambda: arrays.unit_vector("axis", (0, 0, 0)), "axis: expected a direction"),
    ],
)
def test_bad_input_names_the_argument(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_shape_errors_are_value_errors():
    assert issubclass(ShapeError, ValueError)
