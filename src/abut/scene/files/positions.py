"""Where the keys of a TOML file stand: line and column of each key and element, looked up once there is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Path = tuple[str | int, ...]
"""Keys and indices that lead to a value."""
Place = tuple[int, int]
"""Line and column, from 1."""

_KEYS = ("bare_key", "quoted_key", "dotted_key")


def positions(text: str) -> dict[Path, Place]:
    """Line and column of every key, table and array element."""
    from tree_sitter import Language, Parser
    from tree_sitter_toml import language

    finder = _Finder()
    for node in Parser(Language(language())).parse(text.encode()).root_node.named_children:
        finder.statement(node)
    return finder.found


class _Finder:
    """Walks the syntax tree of a file."""

    def __init__(self) -> None:
        self.found: dict[Path, Place] = {}
        self._elements: dict[Path, int] = {}
        """How many [[tables]] an array of tables has so far."""

    def statement(self, node: Node) -> None:
        if node.type == "pair":
            self._pair(node, ())
        elif node.type in ("table", "table_array_element"):
            self._table(node)

    def _table(self, node: Node) -> None:
        keys = _keys(next(child for child in node.named_children if child.type in _KEYS))
        if node.type == "table":
            path = self._inside_last_elements(keys)
        else:
            array = (*self._inside_last_elements(keys[:-1]), keys[-1])
            self._elements[array] = self._elements.get(array, 0) + 1
            path = (*array, self._elements[array] - 1)
        for length in range(1, len(path) + 1):
            self._put(path[:length], node)
        for child in node.named_children:
            if child.type == "pair":
                self._pair(child, path)

    def _inside_last_elements(self, keys: Iterable[str]) -> Path:
        """A table below an array of tables belongs to the array's last element."""
        path: Path = ()
        for key in keys:
            path = (*path, key)
            if path in self._elements:
                path = (*path, self._elements[path] - 1)
        return path

    def _pair(self, node: Node, path: Path) -> None:
        key, value = [child for child in node.named_children if child.type != "comment"][:2]
        for name in _keys(key):
            path = (*path, name)
            self._put(path, key)
        self._value(value, path)

    def _value(self, node: Node, path: Path) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        if node.type == "array":
            for i, child in enumerate(children):
                self._put((*path, i), child)
                self._value(child, (*path, i))
        elif node.type == "inline_table":
            for child in children:
                if child.type == "pair":
                    self._pair(child, path)

    def _put(self, path: Path, node: Node) -> None:
        self.found.setdefault(path, (node.start_point.row + 1, node.start_point.column + 1))


def _keys(node: Node) -> list[str]:
    if node.type == "dotted_key":
        return [name for child in node.named_children for name in _keys(child)]
    text = (node.text or b"").decode()
    return [text if node.type == "bare_key" else next(iter(tomllib.loads(f"{text} = 0")))]
