"""Columns of single precision times numbers of double precision, eight rows at once: the wide columns of a factor.

Three columns stand one after the other, each as long as the others, and are read from the row `first` on, which is a
multiple of eight, to the row `last`, which is one too. A product is added without being rounded before, which takes one
instruction; without compilation it is rounded.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .octets import OCTET

_Eight, _Narrow = ir.VectorType(ir.DoubleType(), OCTET), ir.VectorType(ir.FloatType(), OCTET)
_Three: Any = types.UniTuple(types.float64, 3)  # type: ignore[attr-defined]


def subtract_columns(data: Any, at: int, height: int, factors: Any, rows_io: Any, first: int, last: int) -> None:
    """Subtract three columns, the first of which begins at `at`, times three numbers from a vector."""
    for c in range(3):
        for k in range(first, last):
            rows_io[k] -= data[at + c * height + k] * factors[c]


def dot_columns(data: Any, at: int, height: int, rows: Any, first: int, last: int) -> Any:
    """Products of three columns with a vector."""
    sums = [0.0, 0.0, 0.0]
    for c in range(3):
        for k in range(first, last):
            sums[c] += data[at + c * height + k] * rows[k]
    return sums[0], sums[1], sums[2]


class _Columns:
    """Where the octets of three columns and of a vector are."""

    def __init__(self, context: Any, builder: Any, kinds: Any, values: Any) -> None:
        data_kind, at_kind, height_kind, rows_kind, first_kind, last_kind = kinds
        data, at, height, rows, self._first, self._last = values
        self._context, self._builder, self._kinds = context, builder, (first_kind, last_kind)
        self._rows = context.make_array(rows_kind)(context, builder, rows).data
        begin = context.cast(builder, at, at_kind, types.intp)
        height = context.cast(builder, height, height_kind, types.intp)
        table, self._columns = context.make_array(data_kind)(context, builder, data).data, []
        for _ in range(3):
            self._columns.append(builder.gep(table, [begin]))
            begin = builder.add(begin, height)

    def bounds(self) -> tuple[Any, Any]:
        """The first octet and the one after the last."""
        ends = zip((self._first, self._last), self._kinds, strict=True)
        first, last = (self._context.cast(self._builder, end, kind, types.intp) for end, kind in ends)
        return first, last

    def rows(self, k: Any) -> Any:
        """Pointer to eight numbers of the vector."""
        return self._builder.bitcast(self._builder.gep(self._rows, [k]), _Eight.as_pointer())

    def column(self, c: int, k: Any) -> Any:
        """Eight numbers of a column."""
        place = self._builder.bitcast(self._builder.gep(self._columns[c], [k]), _Narrow.as_pointer())
        return self._builder.fpext(self._builder.load(place, align=4), _Eight)

    def add_product(self, a: Any, b: Any, c: Any) -> Any:
        """Product of two and a third, added: rounded once."""
        kind = ir.FunctionType(_Eight, [_Eight] * 3)
        fma = cgutils.get_or_insert_function(self._builder.module, kind, f"llvm.fma.v{OCTET}f64")
        return self._builder.call(fma, [a, b, c])


def _splat(builder: Any, number: Any) -> Any:
    """A number eight times."""
    nothing = ir.Constant(_Eight, ir.Undefined)
    one = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), OCTET), [0] * OCTET))


def _sum(builder: Any, vector: Any) -> Any:
    """The sum of eight numbers, half and half."""
    nothing, n = ir.Constant(_Eight, ir.Undefined), OCTET
    while n > 1:
        n //= 2
        half = ir.VectorType(ir.IntType(32), OCTET)
        other = builder.shuffle_vector(vector, nothing, ir.Constant(half, [(n + k) % OCTET for k in range(OCTET)]))
        vector = builder.fadd(vector, other)
    return builder.extract_element(vector, ir.IntType(32)(0))


def _fit(data: Any, rows: Any) -> bool:
    """Whether tables are of the right kinds."""
    flat = data.layout == "C" and rows.layout == "C" and data.ndim == 1 and rows.ndim == 1
    return bool(flat and data.dtype == types.float32 and rows.dtype == types.float64)


def _typed_subtract(
    context: Any, data: Any, at: Any, height: Any, factors: Any, rows_io: Any, first: Any, last: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, begin, tall, numbers, rows, low, high = arguments
        kinds = data, at, height, rows_io, first, last
        columns = _Columns(context, builder, kinds, (table, begin, tall, rows, low, high))
        less = [_splat(builder, builder.fneg(number)) for number in cgutils.unpack_tuple(builder, numbers)]
        start, stop = columns.bounds()
        with cgutils.for_range_slice(builder, start, stop, ir.IntType(64)(OCTET)) as (k, _):
            total = builder.load(columns.rows(k), align=8)
            for c in range(3):
                total = columns.add_product(columns.column(c, k), less[c], total)
            builder.store(total, columns.rows(k), align=8)
        return context.get_dummy_value()

    signature = types.void(data, at, height, _Three, rows_io, first, last)
    return (signature, generate) if _fit(data, rows_io) else None


def _typed_dot(context: Any, data: Any, at: Any, height: Any, rows: Any, first: Any, last: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        columns = _Columns(context, builder, (data, at, height, rows, first, last), arguments)
        sums = [cgutils.alloca_once_value(builder, ir.Constant(_Eight, None)) for _ in range(3)]
        for place in sums:
            builder.store(ir.Constant(_Eight, None), place)
        start, stop = columns.bounds()
        with cgutils.for_range_slice(builder, start, stop, ir.IntType(64)(OCTET)) as (k, _):
            eight = builder.load(columns.rows(k), align=8)
            for c, place in enumerate(sums):
                builder.store(columns.add_product(columns.column(c, k), eight, builder.load(place)), place)
        return context.make_tuple(builder, _Three, [_sum(builder, builder.load(place)) for place in sums])

    return (_Three(data, at, height, rows, first, last), generate) if _fit(data, rows) else None


if not numba.config.DISABLE_JIT:
    subtract_columns, dot_columns = intrinsic(_typed_subtract), intrinsic(_typed_dot)
