"""Validation at the door: what users pass becomes the C-ordered float64 and int32 arrays that kernels take.

Each function is given the argument's name, so that its error says which argument is wrong, what was expected
and what was found. Kernels never check again.
"""

import math
from collections.abc import Collection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError, SettingError, ShapeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Scalar = TypeVar("Scalar", bound=np.generic)
TINY = 1e-300
"""Divides in the place of zero: what has no length stays zero."""
FEW_NUMBERS = 16
"""Arrays up to this size are looked through by Python: NumPy would take longer to begin."""


def rows(name: str, value: ArrayLike, width: int) -> Floats:
    """`value` as (n, width) finite floats; a single row may be passed flat."""
    array = _floats(name, value)
    if array.ndim == 1 and array.shape[0] == width:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != width:
        raise ShapeError(f"{name}: expected (n, {width}), got {np.shape(value)}")
    return _finite(name, array)


def blocks(name: str, value: ArrayLike, *shape: int) -> Floats:
    """`value` as (n, *shape) finite floats; a single block may be passed without the leading axis."""
    array = _floats(name, value)
    if array.shape == shape:
        array = array[None]
    if array.shape[1:] != shape:
        raise ShapeError(f"{name}: expected (n, {', '.join(map(str, shape))}), got {np.shape(value)}")
    return _finite(name, array)


def vector(name: str, value: ArrayLike, size: int = 3) -> Floats:
    """`value` as `size` finite floats."""
    if type(value) is np.ndarray and value.dtype is _FLOAT and value.shape == (size,) and _is_plain(value):
        return value
    array = _floats(name, value)
    if array.shape != (size,):
        got = f"an array of shape {np.shape(value)}" if np.ndim(value) else _brief(value)
        raise ShapeError(f"{name}: expected {size} numbers, got {got}")
    return _finite(name, array)


def three(name: str, value: ArrayLike) -> Floats:
    """`value` as three finite floats; a single number stands for three alike."""
    array = _floats(name, value)
    return _finite(name, np.full(3, float(array))) if array.ndim == 0 else vector(name, array)


def values(name: str, value: ArrayLike, count: int | None = None) -> Floats:
    """`value` as a flat array of finite floats, of length `count` where given."""
    array = _floats(name, value)
    if array.ndim != 1 or (count is not None and len(array) != count):
        expected = "(n,)" if count is None else f"({count},)"
        raise ShapeError(f"{name}: expected {expected}, got {np.shape(value)}")
    return _finite(name, array)


def matrix(name: str, value: ArrayLike, height: int, width: int) -> Floats:
    """`value` as (height, width) finite floats."""
    array = _floats(name, value)
    if array.shape != (height, width):
        raise ShapeError(f"{name}: expected ({height}, {width}), got {np.shape(value)}")
    return _finite(name, array)


def indices(name: str, value: ArrayLike, width: int, below: int) -> Ints:
    """`value` as (n, width) int32 with 0 <= index < below."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ShapeError(f"{name}: expected (n, {width}) integers, got rows of different lengths") from error
    if array.size == 0:
        array = np.zeros((0, width), np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise ShapeError(f"{name}: expected (n, {width}) integers, got {array.shape}")
    if not (np.issubdtype(array.dtype, np.integer) or _whole(array)):
        raise InputError(f"{name}: expected integers, got {array.dtype}")
    outside = ((array < 0) | (array >= below)).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise InputError(f"{name}: row {row} is {array[row].tolist()}, but indices run from 0 to {below - 1}")
    return np.ascontiguousarray(array, np.int32)


def number(name: str, value: Any, *, above: float = -math.inf, least: float = -math.inf) -> float:
    """`value` as a finite float, greater than `above` and not smaller than `least`."""
    try:
        if type(value) is not float and (isinstance(value, str | bytes | bytearray) or np.ndim(value) > 0):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, got {_brief(value)}") from None
    except OverflowError:
        raise InputError(f"{name}: expected a number that a float can hold, got {_brief(value)}") from None
    if not math.isfinite(result):
        raise InputError(f"{name}: expected a finite number, got {result}")
    if result <= above:
        raise InputError(f"{name}: expected a number greater than {above:g}, got {result:g}")
    if result < least:
        raise InputError(f"{name}: expected a number not smaller than {least:g}, got {result:g}")
    return result


def count(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """`value` as an int, not smaller than `least` and not larger than `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name}: expected a whole number, got {value!r}")
    if value < least:
        raise InputError(f"{name}: expected at least {least}, got {_brief(value)}")
    if most is not None and value > most:
        raise InputError(f"{name}: expected at most {most}, got {_brief(value)}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """`value` as True or False; nothing else stands for them."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}: expected True or False, got {_brief(value)}")
    return bool(value)


def limit(name: str, value: Any, *, above: float = -math.inf, least: float = -math.inf) -> float:
    """`value` as `number` takes it, or infinity, which means that there is no limit."""
    infinite = isinstance(value, float | np.floating) and bool(value == math.inf)
    return math.inf if infinite else number(name, value, above=above, least=least)


def option(name: str, value: Any, *choices: str) -> str:
    """`value` as one of the strings in `choices`."""
    if not is_one_of(value, choices):
        known = ", ".join(map(repr, choices[:-1]))
        raise InputError(f"{name}: expected {known} or {choices[-1]!r}, got {_brief(value)}")
    return str(value)


def is_one_of(value: Any, choices: Collection[str]) -> bool:
    """Whether `value` is a string among `choices`; nothing else, arrays and lists included, is any of them."""
    return isinstance(value, str) and value in choices


def shape_in_words(value: Any) -> str:
    """What to call the shape of whatever a user passed."""
    try:
        return str(np.shape(value))
    except ValueError:
        return "rows of different lengths"


def unit_vector(name: str, value: ArrayLike) -> Floats:
    """`value` as three floats scaled to length 1."""
    array = vector(name, value)
    scale = np.abs(array).max()
    if scale == 0.0:
        raise InputError(f"{name}: expected a direction, got a vector of zero length")
    array = array / scale  # first by the largest entry, so that tiny and huge vectors do not under- or overflow
    return np.ascontiguousarray(array / np.linalg.norm(array))


def directions(vectors: Floats) -> Floats:
    """Vectors along the last axis, divided by their lengths; those without length stay zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), TINY))


def distinct_rows(table: NDArray[Scalar]) -> NDArray[Scalar]:
    """Rows that differ, sorted by their columns.

    `np.unique` would compare them by records, and turn whatever a signal handler raises meanwhile into a TypeError.
    """
    sorted_rows = table[np.lexsort(table.T[::-1])]
    differs = np.ones(len(table), np.bool_)
    differs[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    return sorted_rows[differs]


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """A view of `array` that cannot be written to, for handing out what must not change."""
    view = array.view()
    view.flags.writeable = False
    return view


class HandedOut(np.ndarray):
    """An array that was handed out and stays as it is; who writes to it is told what to do instead.

    It counts as less than a plain array, so that whatever is computed from it is one. `a += b` makes a new array, so
    that `body.velocity += (1, 0, 0)` sets the velocity.
    """

    __array_priority__ = -100.0
    _remedy = ""

    def __array_finalize__(self, base: Any) -> None:
        self._remedy = getattr(base, "_remedy", "")

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise SettingError(self._remedy)
        super().__setitem__(key, value)

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return np.asarray(self) + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return np.asarray(self) - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return np.asarray(self) * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return np.asarray(self) / other

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __reduce__(self) -> Any:
        return np.array(self).__reduce__()


def handed_out(array: Floats, remedy: str) -> Floats:
    """A view of `array` that refuses to be written to with the sentence `remedy`."""
    result = array.view(HandedOut)
    result._remedy = remedy
    result.flags.writeable = False
    return result


_FLOAT = np.dtype(np.float64)


def _is_plain(array: Floats) -> bool:
    """Whether a few numbers are finite and stand as kernels want them: drives pass such ones in every step."""
    return array.flags.carray and all(map(math.isfinite, array.tolist()))


def _floats(name: str, value: ArrayLike) -> Floats:
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "fiubO":  # text would be read as numbers
            raise TypeError
        # order="C" alone would keep a read-only or shared buffer's layout; kernels want one array type only.
        array = np.ascontiguousarray(given, np.float64) if given.ndim else np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers, got {_brief(value)}") from error
    except OverflowError as error:
        raise InputError(f"{name}: expected numbers that a float can hold, got {_brief(value)}") from error
    return array if array.flags.writeable else array.copy()


def _finite(name: str, array: Floats) -> Floats:
    fine = all(map(math.isfinite, array.ravel().tolist())) if array.size <= FEW_NUMBERS else np.isfinite(array).all()
    if not fine:
        bad = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
        raise InputError(f"{name}: row {int(bad.argmax())} is not finite")
    return array


def _whole(array: NDArray[Any]) -> bool:
    return np.issubdtype(array.dtype, np.floating) and bool(np.isfinite(array).all() and (array % 1 == 0).all())


def _brief(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # whole numbers of thousands of digits
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
