"""A container of named sections, each with JSON and arrays, in one block of bytes; see docs/snapshots.md.

magic     8 bytes
version   4 bytes, of the container
checksum  4 bytes, CRC-32 of all that follows
length    8 bytes, of the header
header    JSON: {"sections": {name: {"version", "needed", "data", "arrays": {name: [type, shape, offset]}}}}
arrays    little-endian, in C order, each at a multiple of 64 bytes behind the header

Reading a snapshot of a stranger runs none of their code and takes no more memory than a few times its length: nothing
is compressed, no bytes are used twice, and each number is checked before it is used.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite, prod
from struct import Struct
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...errors import InputError

MAGIC = b"\x93abut\r\n\x1a"
"""Not text, and not the same after any exchange of line ends."""
VERSION = 1
ALIGNMENT = 64
MOST_HEADER = 2**28
"""Bytes of JSON that are read; Python takes many times as much for it."""
END_32, END_64 = 2**31, 2**63
"""Whole numbers of 32 and of 64 bits are below these."""
MOST_32 = END_32 - 1
"""Ids and counts stay below it, so that there is a next one."""
PREAMBLE = Struct("<8sIIQ")
TYPES: dict[str, np.dtype[Any]] = {"f8": np.dtype("<f8"), "i4": np.dtype("<i4"), "u1": np.dtype("u1")}
Kind = TypeVar("Kind")
PICKLE = b"\x80"
"""First byte of what Python's pickle writes."""


@dataclass(eq=False)
class Section:
    """What one topic has to say: JSON and arrays. Reading from it refuses what is not as expected."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    version: int = 1
    needed: bool = True
    """Whether a reader that does not know the section must refuse the whole; else it may leave it out."""

    def refuse(self, fault: str) -> NoReturn:
        """The content is not as expected."""
        raise InputError(f"blob: section '{self.name}': {fault}; it is damaged or was not written by World.save")

    def floats(self, name: str, *shape: int | None, infinite: bool = False, missing: bool = False) -> Floats:
        """An array of floats; None in the shape stands for any number. `missing` allows nan."""
        array = self._array(name, "f8", shape)
        if not infinite and np.isinf(array).any():
            self.refuse(f"{name} holds a number that is not finite")
        if not missing and np.isnan(array).any():
            self.refuse(f"{name} holds what is not a number")
        return np.asarray(array, np.float64)

    def integers(self, name: str, *shape: int | None, least: int, below: int) -> Ints:
        """An array of integers within bounds."""
        array = self._array(name, "i4", shape)
        if array.size and not (array.min() >= least and array.max() < below):
            self.refuse(f"{name} holds {int(array.min())} to {int(array.max())}, expected {least} to {below - 1}")
        return np.asarray(array, np.int32)

    def flags(self, name: str, *shape: int | None) -> NDArray[np.bool_]:
        """An array of booleans."""
        return np.asarray(self._array(name, "u1", shape) != 0)

    def text(self, key: str) -> str:
        """A string."""
        return self.of_type(key, str, "a string")

    def flag(self, key: str) -> bool:
        """True or false."""
        return self.of_type(key, bool, "true or false")

    def whole(self, key: str, *, least: int, below: int) -> int:
        """An integer within bounds."""
        value = self._value(key)
        if type(value) is not int or not least <= value < below:
            self.refuse(f"{key} is {_brief(value)}, expected a whole number from {least} to {below - 1}")
        return int(value)

    def real(self, key: str) -> float:
        """A finite number."""
        value = self._value(key)
        small = type(value) is int and abs(value) < 2**1000
        if not small and not (type(value) is float and isfinite(value)):
            self.refuse(f"{key} is {_brief(value)}, expected a number")
        return float(value)

    def texts(self, key: str) -> list[str]:
        """A list of strings."""
        values = self.of_type(key, list, "a list")
        if not all(type(value) is str for value in values):
            self.refuse(f"{key} holds what is no string")
        return list(values)

    def records(self, key: str) -> list[Section]:
        """A list of objects, each to be read like a section."""
        values = self.of_type(key, list, "a list")
        if not all(type(value) is dict for value in values):
            self.refuse(f"{key} holds what is no object")
        return [Section(self.name, value, self.arrays) for value in values]

    def _value(self, key: str) -> Any:
        if key not in self.data:
            self.refuse(f"there is no {key}")
        return self.data[key]

    def of_type(self, key: str, kind: type[Kind], expected: str) -> Kind:
        """A value of a type of JSON."""
        value = self._value(key)
        if type(value) is not kind:
            self.refuse(f"{key} is {_brief(value)}, expected {expected}")
        return value

    def _array(self, name: str, code: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        if name not in self.arrays:
            self.refuse(f"there is no array {name}")
        array = self.arrays[name]
        fits = len(shape) == array.ndim and all(
            wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
        )
        if array.dtype != TYPES[code] or not fits:
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            self.refuse(f"{name} is {array.dtype} of shape {array.shape}, expected {TYPES[code]} of shape ({wanted})")
        return array


def pack(sections: Iterable[Section]) -> bytes:
    """The sections in one block of bytes; the same sections give the same bytes."""
    header: dict[str, Any] = {}
    chunks: list[bytes] = []
    end = 0
    for section in sections:
        places = {}
        for name, array in section.arrays.items():
            code, data = _encoded(array)
            places[name] = [code, list(array.shape), end]
            room = -len(data) % ALIGNMENT
            chunks += (data, bytes(room))
            end += len(data) + room
        header[section.name] = {
            "version": section.version,
            "needed": section.needed,
            "data": section.data,
            "arrays": places,
        }
    text = json.dumps({"sections": header}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(PREAMBLE.size + len(text)) % ALIGNMENT)
    body = b"".join((PREAMBLE.pack(MAGIC, VERSION, 0, len(text))[16:], text, *chunks))
    return PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(body), len(text))[:16] + body


def unpack(blob: object, known: Mapping[str, int]) -> dict[str, Section]:
    """The sections of a block of bytes; `known` says up to which version each section can be read."""
    view = _checked_blob(blob)
    _, _, _, length = PREAMBLE.unpack_from(view)
    header = _parsed(view[PREAMBLE.size : PREAMBLE.size + length])
    data = view[PREAMBLE.size + length :]
    sections = {name: _section(name, entry, data) for name, entry in header.items()}
    if sum(array.nbytes for section in sections.values() for array in section.arrays.values()) > len(data):
        raise InputError("blob: it uses some of its bytes twice; it is damaged or was not written by World.save")
    for section in sections.values():
        if section.needed and section.version > known.get(section.name, 0):
            raise InputError(
                f"blob: it holds '{section.name}' of version {section.version}, and this abut reads "
                f"{known.get(section.name, 'none')}; open it with the version of abut that wrote it"
            )
    return {name: section for name, section in sections.items() if section.version <= known.get(name, 0)}


def _encoded(array: NDArray[Any]) -> tuple[str, bytes]:
    code = {"f": "f8", "i": "i4", "u": "u1", "b": "u1"}[array.dtype.kind]
    return code, np.ascontiguousarray(array, TYPES[code]).tobytes()


def _checked_blob(blob: object) -> memoryview:
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise InputError(f"blob: expected the bytes that World.save returned, got {type(blob).__name__}")
    view = memoryview(bytes(blob))
    if view[:1] == PICKLE:
        raise InputError(
            "blob: it is a pickle, as earlier versions of abut saved worlds, and may run code of whoever wrote it; "
            "open it with the version that wrote it, or build the world anew"
        )
    if len(view) < PREAMBLE.size or view[:8] != MAGIC:
        raise InputError("blob: expected what World.save returned, got something that cannot be read")
    _, version, checksum, length = PREAMBLE.unpack_from(view)
    if version > VERSION:
        raise InputError(
            f"blob: its format is {version}, and this abut reads up to {VERSION}; "
            "open it with the version of abut that wrote it"
        )
    if version < 1 or length > min(MOST_HEADER, len(view) - PREAMBLE.size) or zlib.crc32(view[16:]) != checksum:
        raise InputError("blob: it is cut off or damaged; save the world again")
    return view


def _parsed(text: memoryview) -> dict[str, Any]:
    try:
        header = json.loads(bytes(text))
        sections = header["sections"]
    except (ValueError, KeyError, TypeError, RecursionError):
        sections = None
    if type(sections) is not dict:
        raise InputError("blob: its header cannot be read; it is damaged or was not written by World.save")
    return sections


def _section(name: str, entry: Any, data: memoryview) -> Section:
    section = Section(name)
    if type(entry) is not dict:
        section.refuse("expected an object")
    whole = Section(name, entry)
    section.version, section.needed = whole.whole("version", least=1, below=END_32), whole.flag("needed")
    section.data = whole.of_type("data", dict, "an object")
    for key, place in whole.of_type("arrays", dict, "an object").items():
        section.arrays[key] = _decoded(section, key, place, data)
    return section


def _decoded(section: Section, name: str, place: Any, data: memoryview) -> NDArray[Any]:
    if type(place) is not list or len(place) != 3 or type(place[0]) is not str or place[0] not in TYPES:
        section.refuse(f"{name} has no type, shape and place")
    code, shape, offset = place
    if type(shape) is not list or len(shape) > 3 or not all(type(n) is int and 0 <= n < END_32 for n in shape):
        section.refuse(f"{name} has no shape")
    size = prod(shape) * TYPES[code].itemsize
    if type(offset) is not int or offset < 0 or offset % ALIGNMENT or offset + size > len(data):
        section.refuse(f"{name} lies outside of it")
    return np.frombuffer(data[offset : offset + size], TYPES[code]).reshape(shape).copy()


def _brief(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
