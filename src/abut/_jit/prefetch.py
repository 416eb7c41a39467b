"""Reading ahead: an instruction of the processor that Numba has no name for."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def prefetch(table: Any, row: int) -> None:
    """Have row `row`, not negative, of a table brought into the processor's cache, and go on meanwhile.

    For loops that read here and there in tables larger than the cache and know some turns ahead where they will.
    """


def _typed(context: Any, table: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(table)(context, builder, arguments[0])
        index = context.cast(builder, arguments[1], row, types.intp)
        pointer = cgutils.get_item_pointer2(
            context, builder, array.data, cgutils.unpack_tuple(builder, array.shape),
            cgutils.unpack_tuple(builder, array.strides), table.layout, [index] + [index.type(0)] * (table.ndim - 1),
        )  # fmt: skip
        address, i32 = builder.bitcast(pointer, cgutils.voidptr_t), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [address.type, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], shape)
        # For reading (0), to stay in all caches (3), data (1).
        builder.call(function, [address, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(table, row), generate


if not numba.config.DISABLE_JIT:
    prefetch = intrinsic(_typed)
