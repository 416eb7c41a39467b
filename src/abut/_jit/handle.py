"""Many tables behind one address: tuples of tables with named fields, as functions hand them on to each other.

A call copies every word of the tables that it is given, and what is compiled spells out the types of all of them at
each place at which they are named. A handle is one word. Its fields are read where they stand: tables, numbers, or
handles of tuples inside. Nobody writes there while kernels run, so that a loop reads them once.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from .packet import _table as table_at

_WORD = cgutils.intp_t.as_pointer()
MOST_WORDS = 16
"""That a table or a number takes in a tuple."""


class Fields:
    """A tuple with named fields, of which some are such tuples as well."""

    def __init__(self, kind: Any, **inner: Any) -> None:
        self.kind = kind
        self.inner = {name: value if isinstance(value, Fields) else Fields(value) for name, value in inner.items()}
        self._handle: Handle | None = None

    def named(self, tables: Any) -> Any:
        """Plain tuples by their names."""
        pairs = zip(self.kind._fields, tables, strict=True)
        return self.kind(*(self.inner[name].named(table) if name in self.inner else table for name, table in pairs))

    def handle(self, stored: Any) -> Handle:
        """Type of a handle of plain tuples of this type; the last one is kept."""
        if self._handle is None or self._handle.stored is not stored:
            names = self.kind._fields
            pairs = zip(names, stored.types, strict=True)
            kinds = (self.inner[name].handle(kind) if name in self.inner else kind for name, kind in pairs)
            self._handle = Handle(self.kind.__name__, names, tuple(kinds), stored)
        return self._handle


class Handle(types.Type):
    """Type of the address of a tuple whose fields have names."""

    def __init__(self, name: str, fields: tuple[str, ...], kinds: tuple[Any, ...], stored: Any) -> None:
        self.fields, self.kinds, self.stored = fields, kinds, stored
        digest = hashlib.sha256(f"{fields} {[str(kind) for kind in kinds]} {stored}".encode()).hexdigest()
        super().__init__(f"{name}Handle{digest[:16]}")  # it is part of names of functions: those of tuples are long


register_model(Handle)(models.OpaqueModel)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Handle

    def generic_resolve(self, handle: Handle, name: str) -> Any:
        return handle.kinds[handle.fields.index(name)] if name in handle.fields else None


@lower_getattr_generic(Handle)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, handle: Handle, address: Any, name: str) -> Any:
    number = handle.fields.index(name)
    place = cgutils.gep_inbounds(builder, _place(context, builder, handle, address), 0, number)
    kind = handle.kinds[number]
    return (
        builder.bitcast(place, cgutils.voidptr_t) if isinstance(kind, Handle) else _read(context, builder, kind, place)
    )


def _place(context: Any, builder: Any, handle: Handle, address: Any) -> Any:
    return builder.bitcast(address, context.get_value_type(handle.stored).as_pointer())


def _read(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """A tuple, a table or a number; word by word, as what is read in one piece is read again after each change."""
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        parts = [cgutils.gep_inbounds(builder, place, 0, k) for k in range(len(kind.types))]
        read = [_read(context, builder, one, part) for one, part in zip(kind.types, parts, strict=True)]
        return context.make_tuple(builder, kind, read)
    if not isinstance(kind, types.Array) or kind.layout != "C":
        return _constant(builder, place)
    model = context.data_model_manager[kind]
    data, shape = (
        cgutils.gep_inbounds(builder, place, 0, model.get_field_position(name)) for name in ("data", "shape")
    )
    extents = [_constant(builder, cgutils.gep_inbounds(builder, shape, 0, axis)) for axis in range(kind.ndim)]
    return table_at(context, builder, kind, _constant(builder, builder.bitcast(data, _WORD)), extents)


def _constant(builder: Any, place: Any) -> Any:
    """What stands at a place where nobody writes."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _whole(context: Any, handle: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _read(context, builder, handle.stored, _place(context, builder, handle, arguments[0]))

    return handle.stored(handle), generate


def _put(context: Any, tables: Any, words: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.make_array(words)(context, builder, arguments[1]).data
        builder.store(arguments[0], builder.bitcast(place, arguments[0].type.as_pointer()))
        return context.get_dummy_value()

    return types.void(tables, words), generate


whole = (lambda tables: tables) if numba.config.DISABLE_JIT else intrinsic(_whole)
"""For kernels: the plain tuple behind a handle, for functions that take one."""
put_tuple = (lambda tables, words: None) if numba.config.DISABLE_JIT else intrinsic(_put)
"""For a kernel that Python calls with a plain tuple and a table of words: put it there, where handles find it."""


class _Held:
    """What Python hands over as a handle: where the words of some tables stand."""

    __slots__ = ("address", "kind", "words")

    def __init__(self, kind: Handle, words: Any) -> None:
        self.kind, self.words, self.address = kind, words, words.ctypes.data


@typeof_impl.register(_Held)  # type: ignore[untyped-decorator]
def _typeof(held: _Held, context: Any) -> Handle:
    return held.kind


@unbox(Handle)  # type: ignore[untyped-decorator]
def _address(kind: Handle, held: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(held, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


def _count(tables: Any) -> int:
    return sum(map(_count, tables)) if isinstance(tables, tuple) else 1


class Holder:
    """Holds tables for kernels: those of the last call, which are of the same types as those of the first."""

    def __init__(self, fields: Fields, put: Any) -> None:
        self._fields, self._put = fields, put
        self._held: _Held | None = None
        self._tables: Any = None

    def hold(self, tables: Any) -> Any:
        """What kernels take in the place of these tables; `put` is a kernel that calls put_tuple."""
        if numba.config.DISABLE_JIT:
            return self._fields.named(tables)
        words = np.zeros(MOST_WORDS * _count(tables), np.int64) if self._held is None else self._held.words
        self._put(tables, words)
        self._tables = tables
        if self._held is None:
            self._held = _Held(self._kind(), words)
        return self._held

    def _kind(self) -> Handle:
        """Numba has just looked at all tables, and would take milliseconds to do it again."""
        known = self._put.signatures
        return self._fields.handle(known[0][0] if len(known) == 1 else numba.typeof(self._tables))
