"""PLY: a header that describes tables, then the tables as text or as bytes. Polygons stay polygons."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsInt

import numpy as np

from ...arrays import Floats
from ...errors import FileError
from .raw_mesh import RawFile, checked, shortened

_TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass
class _Property:
    name: str
    type: str
    count_type: str = ""
    """Type of a list's length; empty for a single number."""


@dataclass
class _Element:
    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)


def read_ply(path: Path, content: bytes) -> RawFile:
    """A PLY file, text or binary of either byte order."""
    order, elements, start = _read_header(path, content)
    try:
        tables = _read_text(elements, content[start:]) if order == "" else _read_binary(elements, content, start, order)
    except (ValueError, IndexError, OverflowError):
        raise FileError(
            f"{path}: has fewer or other data than its header announces; it is truncated, export the part again"
        ) from None
    points, corners = _points(path, elements, tables), _corners(elements, tables)
    return RawFile([checked(path, path.stem, points, corners)])


def _points(path: Path, elements: list[_Element], tables: dict[str, dict[str, Any]]) -> Floats:
    if not {"x", "y", "z"} <= _properties(elements, "vertex", lists=False):
        raise FileError(f"{path}: its header names no vertices with x, y and z; export the part again")
    return np.stack([np.asarray(tables["vertex"][axis], np.float64) for axis in "xyz"], axis=1)


def _corners(elements: list[_Element], tables: dict[str, dict[str, Any]]) -> Any:
    named = _properties(elements, "face", lists=True)
    return next((tables["face"][name] for name in ("vertex_indices", "vertex_index") if name in named), [])


def _properties(elements: list[_Element], name: str, *, lists: bool) -> set[str]:
    """Names of the single or of the list properties of an element."""
    return {p.name for e in elements if e.name == name for p in e.properties if bool(p.count_type) == lists}


def _read_header(path: Path, content: bytes) -> tuple[str, list[_Element], int]:
    end = content.find(b"end_header")
    start = content.find(b"\n", end) + 1
    if end < 0 or start == 0:
        raise FileError(f"{path}: its header has no end; the file is truncated, export the part again")
    order, elements = "", list[_Element]()
    for line in content[:end].decode("ascii", errors="replace").splitlines()[1:]:
        words = line.split()
        try:
            if words[:1] == ["format"]:
                order = _ORDERS[words[1]]
            elif words[:1] == ["element"]:
                elements.append(_new_element(elements, words))
            elif words[:1] == ["property"]:
                elements[-1].properties.append(_property(words))
        except (KeyError, IndexError, ValueError):
            raise FileError(
                f"{path}: its header has the line {shortened(line)!r}, which is not PLY; export the part again"
            ) from None
    return order, elements, start


def _new_element(elements: list[_Element], words: list[str]) -> _Element:
    if any(element.name == words[1] for element in elements):
        raise ValueError("two tables of one name")
    return _Element(words[1], _count(words[2]))


def _count(word: str | SupportsInt) -> int:
    """A number of rows or of list entries."""
    count = int(word)
    if count < 0:
        raise ValueError("a negative number of things")
    return int(count)


def _property(words: list[str]) -> _Property:
    if words[1] == "list":
        return _Property(words[4], _TYPES[words[3]], _TYPES[words[2]])
    return _Property(words[2], _TYPES[words[1]])


def _read_text(elements: list[_Element], body: bytes) -> dict[str, dict[str, Any]]:
    lines = [line for line in body.decode("ascii", errors="replace").splitlines() if line.strip()]
    tables, at = {}, 0
    for element in elements:
        rows = [line.split() for line in lines[at : at + element.count]]
        if len(rows) < element.count:
            raise ValueError("truncated")
        at += element.count
        tables[element.name] = _text_table(element, rows)
    return tables


def _text_table(element: _Element, rows: list[list[str]]) -> dict[str, Any]:
    if not any(p.count_type for p in element.properties):
        numbers = np.array(rows, np.float64).reshape(len(rows), -1)
        return {p.name: numbers[:, i] for i, p in enumerate(element.properties)}
    table: dict[str, Any] = {p.name: [] for p in element.properties}
    for words in rows:
        at = 0
        for p in element.properties:
            length = _count(words[at]) if p.count_type else 1
            at += bool(p.count_type)
            values = [_value(word) for word in words[at : at + length]]
            if len(values) < length:
                raise ValueError("truncated")
            table[p.name].append(values if p.count_type else values[0])
            at += length
    return table


def _value(word: str) -> float:
    """A whole number where it is one, of any length: vertices are counted by these."""
    return int(word) if word.isdecimal() else float(word)


def _read_binary(elements: list[_Element], content: bytes, at: int, order: str) -> dict[str, dict[str, Any]]:
    tables = {}
    for element in elements:
        if not element.properties:
            continue  # takes no bytes, however many there are
        lengths = [3 if p.count_type else 0 for p in element.properties]
        table = _regular_table(element, content, at, order, lengths)
        if table is None:
            table, at = _irregular_table(element, content, at, order)
        else:
            at += element.count * _row_type(element, order, lengths).itemsize
        tables[element.name] = table
    return tables


def _row_type(element: _Element, order: str, lengths: list[int]) -> np.dtype[Any]:
    fields: list[Any] = []
    for p, length in zip(element.properties, lengths, strict=True):
        if p.count_type:
            fields += [(f"#{p.name}", order + p.count_type), (p.name, order + p.type, (length,))]
        else:
            fields.append((p.name, order + p.type))
    return np.dtype(fields)


def _regular_table(element: _Element, content: bytes, at: int, order: str, lengths: list[int]) -> dict[str, Any] | None:
    """All rows at once, where every list has three entries; None where one has not."""
    row = _row_type(element, order, lengths)
    if at + element.count * row.itemsize > len(content):
        return None
    data = np.frombuffer(content, row, element.count, at)
    if any(p.count_type and (data[f"#{p.name}"] != 3).any() for p in element.properties):
        return None
    return {p.name: data[p.name] for p in element.properties}


def _irregular_table(element: _Element, content: bytes, at: int, order: str) -> tuple[dict[str, Any], int]:
    table: dict[str, Any] = {p.name: [] for p in element.properties}
    for _ in range(element.count):
        for p in element.properties:
            length = 1
            if p.count_type:
                length = _count(np.frombuffer(content, order + p.count_type, 1, at)[0])
                at += np.dtype(p.count_type).itemsize
            values = np.frombuffer(content, order + p.type, length, at).tolist()
            at += length * np.dtype(p.type).itemsize
            table[p.name].append(values if p.count_type else values[0])
    return table, at
