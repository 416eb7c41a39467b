"""Tables by their addresses: what the kernels of a step read is one argument, and not a hundred.

Numba looks at every table that a kernel is called with, for about 0.1 µs each; a step hands over some three hundred. A
packet is one table of numbers: where each table begins, and its shape. Its layout says which tables there are; kernels
read sections of it as tuples with named fields, which compiles to a few loads. Whoever puts tables into a packet keeps
them alive and contiguous while kernels use it.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

LETTERS = {
    "b": (np.dtype(np.bool_), types.boolean),
    "f": (np.dtype(np.float64), types.float64),
    "h": (np.dtype(np.int16), types.int16),
    "i": (np.dtype(np.int32), types.int32),
    "l": (np.dtype(np.int64), types.int64),
    "s": (np.dtype(np.float32), types.float32),
}
"""Kinds of numbers in tables, by the letters of layouts."""


class Layout:
    """Sections of packets, one after the other."""

    def __init__(self) -> None:
        self.width = 0
        self.sections: dict[type, tuple[int, tuple[str, ...]]] = {}
        """Where the tables of a tuple with named fields begin, and what they are."""

    def section(self, kind: Any, tables: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Functions for kernels that read a tuple of this kind from a packet, and put one there.

        `tables` are a letter and the number of axes of each of its fields: "f2" for points.
        """
        at, words = self.width, tuple(tables.split())
        if len(words) != len(kind._fields):
            raise ValueError(f"{kind.__name__}: expected {len(kind._fields)} tables, got {len(words)}")
        self.sections[kind] = (at, words)
        self.width += sum(1 + int(word[1]) for word in words)
        if numba.config.DISABLE_JIT:
            return lambda packet: kind(*packet[kind]), lambda tables, packet: packet.__setitem__(kind, tables)
        return intrinsic(_reader(kind, at, words)), intrinsic(_writer(at, words))


def _reader(kind: Any, at: int, words: tuple[str, ...]) -> Callable[..., Any]:
    def typed(context: Any, packet: Any) -> Any:
        arrays = [types.Array(LETTERS[word[0]][1], int(word[1]), "C") for word in words]
        result = types.NamedTuple(arrays, kind)  # type: ignore[attr-defined]

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            source, place, tables = context.make_array(packet)(context, builder, arguments[0]).data, at, []
            for array in arrays:
                numbers = [_number(builder, source, place + k) for k in range(1 + array.ndim)]
                tables.append(_table(context, builder, array, numbers[0], numbers[1:]))
                place += 1 + array.ndim
            return context.make_tuple(builder, result, tables)

        return result(packet), generate

    return typed


def _number(builder: Any, source: Any, place: int) -> Any:
    return builder.load(builder.gep(source, [cgutils.intp_t(place)]))


def _table(context: Any, builder: Any, kind: Any, address: Any, shape: Sequence[Any]) -> Any:
    """A contiguous table at an address, which belongs to somebody else."""
    table = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [cgutils.intp_t(size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    data = builder.inttoptr(address, table.data.type)
    populate_array(table, data, list(shape), strides, cgutils.intp_t(size), None)
    return table._getvalue()


def _writer(at: int, words: tuple[str, ...]) -> Callable[..., Any]:
    def typed(context: Any, tables: Any, packet: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target, place = context.make_array(packet)(context, builder, arguments[1]).data, at
            for kind, value in zip(tables.types, cgutils.unpack_tuple(builder, arguments[0]), strict=True):
                table = context.make_array(kind)(context, builder, value)
                numbers = [builder.ptrtoint(table.data, cgutils.intp_t), *cgutils.unpack_tuple(builder, table.shape)]
                for number in numbers:
                    builder.store(number, builder.gep(target, [cgutils.intp_t(place)]))
                    place += 1
            return context.get_dummy_value()

        fits = [f"{kind.dtype}{kind.ndim}" for kind in tables.types]
        wanted = [f"{LETTERS[word[0]][1]}{word[1]}" for word in words]
        if fits != wanted or any(kind.layout != "C" for kind in tables.types):
            raise TypeError(f"expected tables {wanted}, got {fits}")
        return types.void(tables, packet), generate

    return typed


def _address(table: Any) -> int:
    """Where a table begins; `table.ctypes` takes five times as long."""
    if table.size == 0 or not table.flags.writeable:
        return int(table.ctypes.data)
    return ctypes.addressof(ctypes.c_char.from_buffer(table))


class Packet:
    """The tables of a layout; `words` is what kernels take."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.words: Any = {} if numba.config.DISABLE_JIT else np.zeros(layout.width, np.int64)
        self._kept: dict[type, tuple[Any, ...]] = {}

    def put(self, kind: type, tables: Sequence[Any]) -> None:
        """Let a section have these tables, and keep them."""
        at, words = self._layout.sections[kind]
        for word, table in zip(words, tables, strict=True):
            dtype, axes = LETTERS[word[0]][0], int(word[1])
            if table.dtype != dtype or table.ndim != axes or not table.flags.c_contiguous:
                raise TypeError(f"{kind.__name__}: expected {word}, got {table.dtype} of {table.ndim} axes")
        self._kept[kind] = tuple(tables)
        if numba.config.DISABLE_JIT:
            self.words[kind] = self._kept[kind]
            return
        numbers = [number for table in tables for number in (_address(table), *table.shape)]
        self.words[at : at + len(numbers)] = numbers


def stacked(packets: Sequence[Packet]) -> Any:
    """One table for kernels that go from packet to packet; these stand in its rows from now on."""
    if numba.config.DISABLE_JIT:
        return [packet.words for packet in packets]
    table = np.stack([packet.words for packet in packets])
    for packet, row in zip(packets, table, strict=True):
        packet.words = row
    return table
