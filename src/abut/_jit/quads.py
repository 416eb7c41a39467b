"""Blocks of 3 x 3 numbers, column by column, times three numbers, with vectors of four numbers of the processor.

Columns are read with the number that comes after them, so that a table of blocks has room for one block more than are
used, and rows of vectors are four numbers wide; the last one means nothing. A product is added without being rounded
before, which takes one instruction; without compilation it is rounded.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

QUAD = 4
NO_PRODUCTS = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
"""What `dot_block` begins with."""
_Four = ir.VectorType(ir.DoubleType(), QUAD)
_Products: Any = types.UniTuple(types.UniTuple(types.float64, QUAD), 3)  # type: ignore[attr-defined]


def add_block(blocks: Any, s: int, x: float, y: float, z: float, rows_io: Any, r: int) -> None:
    """Add block `s` times (x, y, z) to the row `r`."""
    for k in range(3):
        rows_io[r, k] += (blocks[s, 0, k] * x + blocks[s, 1, k] * y) + blocks[s, 2, k] * z


def dot_block(blocks: Any, s: int, rows: Any, r: int, products: Any) -> Any:
    """Products of the three columns of block `s` with the row `r`, number by number, added to others."""
    more = [[blocks[s, c, k] * rows[r, k] for k in range(3)] for c in range(3)]
    return tuple((*(products[c][k] + more[c][k] for k in range(3)), 0.0) for c in range(3))


def put_less(x: float, y: float, z: float, products: Any, rows_out: Any, r: int) -> None:
    """Write (x, y, z) less the sums of three rows of products to the row `r`, whose last number becomes 0."""
    for k, number in enumerate((x, y, z)):
        a, b, c, _ = products[k]
        rows_out[r, k] = number - ((a + b) + c)
    rows_out[r, 3] = 0.0


def _start(context: Any, builder: Any, kind: Any, table: Any, index: Any, index_kind: Any, width: int) -> Any:
    """Pointer to the first number of a row of so many numbers."""
    place = builder.mul(context.cast(builder, index, index_kind, types.intp), ir.IntType(64)(width))
    return builder.gep(context.make_array(kind)(context, builder, table).data, [place])


def _quad(builder: Any, item: Any, ahead: int = 0) -> Any:
    """Pointer to the four numbers from `ahead` numbers after an item on."""
    return builder.bitcast(builder.gep(item, [ir.IntType(64)(ahead)]), _Four.as_pointer())


def _columns(context: Any, builder: Any, kind: Any, blocks: Any, s: Any, s_kind: Any) -> list[Any]:
    """The columns of a block, each with a number that means nothing."""
    start = _start(context, builder, kind, blocks, s, s_kind, 9)
    return [builder.load(_quad(builder, start, 3 * c), align=8) for c in range(3)]


def _splat(builder: Any, number: Any) -> Any:
    """A number four times."""
    nothing = ir.Constant(_Four, ir.Undefined)
    one = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), QUAD), [0] * QUAD))


def _add_product(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Product of two and a third, added: rounded once."""
    kind = ir.FunctionType(_Four, [_Four] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{QUAD}f64")
    return builder.call(fma, [a, b, c])


def _are_blocks(blocks: Any, rows: Any) -> bool:
    """Whether tables are of blocks and of rows, without gaps."""
    both = ((blocks, 3), (rows, 2))
    return all(t.layout == "C" and t.ndim == n and t.dtype == types.float64 for t, n in both)


def _typed_add(context: Any, blocks: Any, s: Any, x: Any, y: Any, z: Any, rows_io: Any, r: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, place, *numbers, rows, row = arguments
        columns = _columns(context, builder, blocks, table, place, s)
        target = _quad(builder, _start(context, builder, rows_io, rows, row, r, QUAD))
        total = builder.load(target, align=8)
        for column, number in zip(columns, numbers, strict=True):
            total = _add_product(builder, column, _splat(builder, number), total)
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    signature = types.void(blocks, s, types.float64, types.float64, types.float64, rows_io, r)
    return (signature, generate) if _are_blocks(blocks, rows_io) else None


def _typed_dot(context: Any, blocks: Any, s: Any, rows: Any, r: Any, products: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, place, others, row, known = arguments
        quad = builder.load(_quad(builder, _start(context, builder, rows, others, row, r, QUAD)), align=8)
        sums = []
        for c, column in enumerate(_columns(context, builder, blocks, table, place, s)):
            before, total = cgutils.unpack_tuple(builder, builder.extract_value(known, c)), ir.Constant(_Four, None)
            for k, number in enumerate(before):
                total = builder.insert_element(total, number, ir.IntType(32)(k))
            total = _add_product(builder, column, quad, total)
            numbers = [builder.extract_element(total, ir.IntType(32)(k)) for k in range(QUAD)]
            sums.append(context.make_tuple(builder, _Products.dtype, numbers))
        return context.make_tuple(builder, _Products, sums)

    return (_Products(blocks, s, rows, r, _Products), generate) if _are_blocks(blocks, rows) else None


def _typed_put(context: Any, x: Any, y: Any, z: Any, products: Any, rows_out: Any, r: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *numbers, known, rows, row = arguments
        total, nothing = None, ir.Constant(_Four, None)
        sums = [cgutils.unpack_tuple(builder, builder.extract_value(known, c)) for c in range(3)]
        for k in range(3):
            across = _gathered(builder, nothing, [sums[c][k] for c in range(3)])
            total = across if total is None else builder.fadd(total, across)
        result = builder.fsub(_gathered(builder, nothing, numbers), total)
        # At once: a row that is read again soon as four numbers would wait for three that were written one by one.
        target = _quad(builder, _start(context, builder, rows_out, rows, row, r, QUAD))
        builder.store(result, target, align=8)
        return context.get_dummy_value()

    good = rows_out.layout == "C" and rows_out.ndim == 2 and rows_out.dtype == types.float64
    signature = types.void(types.float64, types.float64, types.float64, _Products, rows_out, r)
    return (signature, generate) if good else None


def _gathered(builder: Any, into: Any, numbers: Any) -> Any:
    for k, number in enumerate(numbers):
        into = builder.insert_element(into, number, ir.IntType(32)(k))
    return into


if not numba.config.DISABLE_JIT:
    add_block, dot_block, put_less = intrinsic(_typed_add), intrinsic(_typed_dot), intrinsic(_typed_put)
