"""Messages of a record: Protocol Buffers whose long fields are packed arrays.

Everybody's tools read Protocol Buffers, and a packed `double` field is just the bytes of an array with a length in
front: a step of 20 bodies is written in microseconds. Only the few wire types that records need are here; the schema
that goes into the file (a FileDescriptorSet) is written the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError
from .unpack_kernels import copy_pieces, find_fields

PACKAGE = "abut"
Ints64 = NDArray[np.int64]
Columns = dict[str, tuple[NDArray[Any], Ints64]]
"""Numbers of many messages by field, all in one array, and how many items each message has."""


class _Type(NamedTuple):
    """A type of numbers."""

    number: int
    """In descriptors."""
    dtype: np.dtype[Any]
    """How its values stand in memory."""


_TYPES = {
    "double": _Type(1, np.dtype("<f8")),
    "float": _Type(2, np.dtype("<f4")),
    "sfixed32": _Type(15, np.dtype("<i4")),
    "sfixed64": _Type(16, np.dtype("<i8")),
}
_STRING = 9
_OPTIONAL, _REPEATED = 1, 3
_BYTES_FOLLOW = 2
"""Wire type of strings, packed arrays and messages."""


@dataclass(frozen=True)
class Field:
    """A field of a message: a packed array, of one number or many, or a text."""

    name: str
    kind: str
    """"double", "float", "sfixed32", "sfixed64" or "string"."""
    about: str
    """Meaning, shape and unit."""
    width: tuple[int, ...] = ()
    """Shape of an item; () for plain numbers."""


@dataclass(frozen=True)
class Message:
    """A kind of message; fields are numbered in order, from 1."""

    name: str
    fields: tuple[Field, ...]

    @property
    def full_name(self) -> str:
        """As it stands in the file."""
        return f"{PACKAGE}.{self.name}"

    def encode(self, values: Mapping[str, Any]) -> bytes:
        """Bytes of a message; fields that are absent or empty take no room."""
        pieces: list[bytes] = []
        for name, key, content in self._writers:
            value = values.get(name)
            if value is not None:
                data = content(value)
                if data:
                    pieces += (key, _length(len(data)), data)
        return b"".join(pieces)

    @cached_property
    def _writers(self) -> tuple[tuple[str, bytes, Callable[[Any], bytes]], ...]:
        """Name, key and what makes bytes of each field."""
        return tuple((field.name, _key(number), _content(field)) for number, field in enumerate(self.fields, 1))

    def decode(self, data: bytes | memoryview) -> dict[str, Any]:
        """Arrays and texts by name; empty where the message says nothing."""
        found = dict(_pieces(data))
        return {field.name: _value(field, found.get(number, b"")) for number, field in enumerate(self.fields, 1)}

    def decode_all(self, data: NDArray[np.uint8], span: Ints64) -> Columns:
        """Numbers of many messages, of which `span` (n, 2) says where in the data each begins and ends."""
        first, length = (np.zeros((len(self.fields), len(span)), np.int64) for _ in range(2))
        if not find_fields(data, span, first, length):
            raise FileError("a record holds a message that cannot be read; it is damaged, or of a newer abut")
        found = zip(self.fields, first, length, strict=True)
        return {field.name: _values(field, data, *where) for field, *where in found if field.kind != "string"}

    def schema(self) -> bytes:
        """A FileDescriptorSet with this message alone."""
        fields = b"".join(_bytes_field(2, _described(n, field)) for n, field in enumerate(self.fields, 1))
        message = _bytes_field(1, self.name.encode()) + fields
        file = (
            _bytes_field(1, f"{PACKAGE}/{self.name}.proto".encode())
            + _bytes_field(2, PACKAGE.encode())
            + _bytes_field(4, message)
            + _bytes_field(12, b"proto3")
        )
        return _bytes_field(1, file)


def _content(field: Field) -> Callable[[Any], bytes]:
    """What makes the bytes of a field from its value."""
    if field.kind == "string":
        return str.encode
    dtype, as_array = _TYPES[field.kind].dtype, np.asarray
    return lambda value: as_array(value, dtype).tobytes()


def item_type(field: Field) -> np.dtype[Any]:
    """How the numbers of a field stand in memory."""
    return _TYPES[field.kind].dtype


def item_bytes(field: Field) -> int:
    """Of an item of a field."""
    return int(_TYPES[field.kind].dtype.itemsize * prod(field.width))


def _value(field: Field, data: bytes | memoryview) -> str | NDArray[Any]:
    if field.kind == "string":
        return bytes(data).decode(errors="replace")
    dtype = _TYPES[field.kind].dtype
    if len(data) % dtype.itemsize:
        raise FileError(f"a record holds a field {field.name!r} of {len(data)} bytes, which is no array; it is damaged")
    values: NDArray[Any] = np.frombuffer(data, dtype)
    try:
        return values.reshape((-1, *field.width))
    except ValueError:
        wanted = int(np.prod(field.width))
        raise FileError(
            f"a record holds {values.size} numbers for {field.name!r}, not a multiple of {wanted}"
        ) from None


def _values(field: Field, data: NDArray[np.uint8], first: Ints64, length: Ints64) -> tuple[NDArray[Any], Ints64]:
    """The arrays of a field in many messages, one after the other, and how many items each has."""
    item = item_bytes(field)
    if (length % item).any():
        raise FileError(f"a record holds a field {field.name!r} that is no array of its items; it is damaged")
    values = np.empty(int(length.sum()), np.uint8)
    copy_pieces(data, first, length, values)
    return values.view(_TYPES[field.kind].dtype).reshape((-1, *field.width)), length // item


def _described(number: int, field: Field) -> bytes:
    """A FieldDescriptorProto: name, number, label, type."""
    kind = _STRING if field.kind == "string" else _TYPES[field.kind].number
    label = _OPTIONAL if field.kind == "string" else _REPEATED
    return (
        _bytes_field(1, field.name.encode())
        + _number_field(3, number)
        + _number_field(4, label)
        + _number_field(5, kind)
    )


def _bytes_field(number: int, data: bytes) -> bytes:
    return _key(number) + _varint(len(data)) + data


def _number_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _key(number: int) -> bytes:
    return _varint(number << 3 | _BYTES_FOLLOW)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


@lru_cache(maxsize=4096)
def _length(value: int) -> bytes:
    """Of a field: a world has few different ones."""
    return _varint(value)


def _pieces(data: bytes | memoryview) -> list[tuple[int, bytes | memoryview]]:
    """Numbers and contents of the fields of a message."""
    at, end, found = 0, len(data), []
    while at < end:
        key, length, head = data[at], data[at + 1] if at + 1 < end else 0x80, at + 2
        if key > 0x7F or length > 0x7F:  # more than one byte
            key, head = _read_varint(data, at)
            length, head = _read_varint(data, head)
        at = head + length
        if key & 7 != _BYTES_FOLLOW or at > end:
            raise FileError("a record holds a message that cannot be read; it is damaged, or of a newer abut")
        found.append((key >> 3, data[head:at]))
    return found


def _read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise FileError("a record holds a message that ends too early; it is damaged")
