"""Eight numbers at once: vectors of the processor that Numba has no name for.

Rows of six numbers that are read and written here and there, as the motions of bodies, are padded to eight.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

OCTET = 8


def dot_octets(table: Any, row: int, others: Any, i: int, j: int) -> float:
    """table[row, 0:8] . others[i] + table[row, 8:16] . others[j]; sums are taken in one order on every machine."""
    both = [table[row, k] * others[i, k] + table[row, OCTET + k] * others[j, k] for k in range(OCTET)]
    while len(both) > 1:
        half = len(both) // 2
        both = [both[k] + both[half + k] for k in range(half)]
    return float(both[0])


def add_octets(factor: float, table: Any, row: int, others_out: Any, i: int, j: int) -> None:
    """Add factor table[row, 16:24] to others_out[i], and factor table[row, 24:32] to others_out[j]."""
    for k in range(OCTET):
        others_out[i, k] += factor * table[row, 2 * OCTET + k]
    for k in range(OCTET):
        others_out[j, k] += factor * table[row, 3 * OCTET + k]


def put_octet(matrix: Any, start: int, vectors: Any, i: int, first: int, table_out: Any, row: int, octet: int) -> None:
    """Write the sum of vectors[i, first + k] matrix[start + k] over six k into an octet of a row of table_out."""
    for c in range(OCTET):
        sum_ = vectors[i, first] * matrix[start, c]
        for k in range(1, 6):
            sum_ += vectors[i, first + k] * matrix[start + k, c]
        table_out[row, OCTET * octet + c] = sum_


def _item(context: Any, builder: Any, kind: Any, table: Any, row: Any, row_kind: Any, column: Any = 0) -> Any:
    """Pointer to a number of a table."""
    array = context.make_array(kind)(context, builder, table)
    index = context.cast(builder, row, row_kind, types.intp)
    place = [index, index.type(column) if isinstance(column, int) else column]
    return cgutils.get_item_pointer2(
        context, builder, array.data, cgutils.unpack_tuple(builder, array.shape),
        cgutils.unpack_tuple(builder, array.strides), kind.layout, place,
    )  # fmt: skip


def _octet(builder: Any, item: Any) -> Any:
    """Pointer to the eight numbers from an item on."""
    return builder.bitcast(item, ir.VectorType(ir.DoubleType(), OCTET).as_pointer())


def _splat(builder: Any, number: Any) -> Any:
    """A number eight times."""
    nothing = ir.Constant(ir.VectorType(ir.DoubleType(), OCTET), ir.Undefined)
    one = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), OCTET), [0] * OCTET))


def _are_doubles(*tables: Any) -> bool:
    """Whether eight numbers of a row stand side by side."""
    return all(t.layout == "C" and t.ndim == 2 and t.dtype == types.float64 for t in tables)


def _halves(builder: Any, vector: Any) -> Any:
    """The first and the second half of a vector."""
    n, nothing = vector.type.count // 2, ir.Constant(vector.type, ir.Undefined)
    places = ir.VectorType(ir.IntType(32), n)
    return [builder.shuffle_vector(vector, nothing, ir.Constant(places, list(range(s, s + n)))) for s in (0, n)]


def _typed_dot(context: Any, table: Any, row: Any, others: Any, i: Any, j: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, r, with_, *both = arguments
        products = []
        for octet, (k, kind) in enumerate(zip(both, (i, j), strict=True)):
            mine = _octet(builder, _item(context, builder, table, rows, r, row, octet * OCTET))
            other = _octet(builder, _item(context, builder, others, with_, k, kind))
            products.append(builder.fmul(builder.load(mine, align=8), builder.load(other, align=8)))
        left = builder.fadd(*products)
        while left.type.count > 1:
            left = builder.fadd(*_halves(builder, left))
        return builder.extract_element(left, ir.IntType(32)(0))

    return (types.float64(table, row, others, i, j), generate) if _are_doubles(table, others) else None


def _typed_add(context: Any, factor: Any, table: Any, row: Any, others_out: Any, i: Any, j: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        f, rows, r, to, *both = arguments
        factors = _splat(builder, context.cast(builder, f, factor, types.float64))
        for octet, (k, kind) in enumerate(zip(both, (i, j), strict=True)):
            mine = _octet(builder, _item(context, builder, table, rows, r, row, (2 + octet) * OCTET))
            other = _octet(builder, _item(context, builder, others_out, to, k, kind))
            more = builder.fmul(factors, builder.load(mine, align=8))
            builder.store(builder.fadd(builder.load(other, align=8), more), other, align=8)
        return context.get_dummy_value()

    signature = types.void(factor, table, row, others_out, i, j)
    return (signature, generate) if _are_doubles(table, others_out) else None


def _typed_put(
    context: Any, matrix: Any, start: Any, vectors: Any, i: Any, first: Any, table_out: Any, row: Any, octet: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, s, numbers, v, f, to, r, o = arguments
        places = [
            context.cast(builder, a, kind, types.intp) for a, kind in ((r, row), (o, octet), (s, start), (f, first))
        ]
        place, which, begin, column = places
        sum_ = None
        for k in range(6):
            number = builder.load(_item(context, builder, vectors, numbers, v, i, builder.add(column, column.type(k))))
            line = _octet(builder, _item(context, builder, matrix, rows, builder.add(begin, begin.type(k)), types.intp))
            product = builder.fmul(_splat(builder, number), builder.load(line, align=8))
            sum_ = product if sum_ is None else builder.fadd(sum_, product)
        column = builder.mul(which, which.type(OCTET))
        builder.store(sum_, _octet(builder, _item(context, builder, table_out, to, place, types.intp, column)), align=8)
        return context.get_dummy_value()

    signature = types.void(matrix, start, vectors, i, first, table_out, row, octet)
    return (signature, generate) if _are_doubles(matrix, vectors, table_out) else None


if not numba.config.DISABLE_JIT:
    dot_octets, add_octets, put_octet = intrinsic(_typed_dot), intrinsic(_typed_add), intrinsic(_typed_put)
