"""Comparing sixteen boxes at once: vectors of the processor that Numba has no name for."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 16


def meeting_lanes(codes: Any, group: int, box: Any) -> int:
    """Which of the 16 boxes of a group meet `box`, as the bits of a number.

    codes (n, 6, 16) of int16 are lowest and highest coordinates of boxes, side by side; `box` are the same six of one.
    """
    found = 0
    for lane in range(LANES):
        low, high = codes[group, :3, lane], codes[group, 3:, lane]
        if all(low[k] <= box[3 + k] and high[k] >= box[k] for k in range(3)):
            found |= 1 << lane
    return found


def _typed(context: Any, codes: Any, group: Any, box: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(codes)(context, builder, arguments[0])
        index = context.cast(builder, arguments[1], group, types.intp)
        i16, i32 = ir.IntType(16), ir.IntType(32)
        row = ir.VectorType(i16, LANES)
        first = cgutils.get_item_pointer2(
            context, builder, array.data, cgutils.unpack_tuple(builder, array.shape),
            cgutils.unpack_tuple(builder, array.strides), codes.layout, [index, index.type(0), index.type(0)],
        )  # fmt: skip
        rows = builder.bitcast(first, row.as_pointer())
        everywhere = ir.Constant(ir.VectorType(i32, LANES), [0] * LANES)
        apart = None
        for k, value in enumerate(cgutils.unpack_tuple(builder, arguments[2])):
            number = context.cast(builder, value, box[k], types.int16)
            one = builder.insert_element(ir.Constant(row, ir.Undefined), number, i32(0))
            same = builder.shuffle_vector(one, ir.Constant(row, ir.Undefined), everywhere)
            limits = builder.load(builder.gep(rows, [i32((k + 3) % 6)]), align=2)
            beyond = builder.icmp_signed(">" if k >= 3 else "<", limits, same)
            apart = beyond if apart is None else builder.or_(apart, beyond)
        return builder.zext(builder.bitcast(builder.not_(apart), i16), ir.IntType(64))

    return types.int64(codes, group, box), generate


def lowest_bit(number: int) -> int:
    """The place of the lowest bit of a positive number that is set."""
    return (int(number) & -int(number)).bit_length() - 1


def _typed_lowest_bit(context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


if not numba.config.DISABLE_JIT:
    meeting_lanes, lowest_bit = intrinsic(_typed), intrinsic(_typed_lowest_bit)
