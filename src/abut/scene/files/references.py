"""Names in a scene that have to lead somewhere: parts, materials, bodies.

They are looked up in the plain tree, so that a wrong name is told even where other keys of its table are wrong, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...errors import meant
from .positions import Path

Fault = tuple[Path, str]


def dangling(tree: Mapping[str, Any]) -> list[Fault]:
    """Names that lead nowhere."""
    parts, materials, bodies, soft = (_table(tree, word) for word in ("parts", "materials", "bodies", "soft"))
    found = [
        *_missing(_values(tree, "bodies", "part"), "part", parts),
        *_missing(_values(tree, "bodies", "material"), "material", materials),
        *_missing(_values(tree, "assemblies", "material"), "material", materials),
        *_missing(_values(tree, "soft", "part"), "part", parts),
        *_missing(_values(tree, "soft", "surface"), "part", parts),
        *_missing(_values(tree, "soft", "material"), "material", materials),
        *_missing(_keys_below(tree, "materials", "friction"), "material", materials),
        *_missing(_keys_below(tree, "materials", "restitution"), "material", materials),
    ]
    for way in ("union", "subtract", "intersect"):
        found += _missing(_elements(_values(tree, "parts", way)), "part", parts)
    if not _table(tree, "assemblies"):  # an assembly brings bodies whose names the file does not tell
        found += _missing(_body_names(tree), "body", bodies)
        found += _missing(_values(tree, "drives", "body"), "body", {**bodies, **soft})
        found += _missing(_attached(tree), "body", bodies)
        found += _missing(_unmatched(tree, {**bodies, **soft}), "body", {**bodies, **soft})
    return found


def _body_names(tree: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for section, word in (("joints", "body"), ("joints", "other")):
        yield from _values(tree, section, word)
    for word in ("a", "b"):
        yield from _values(tree, "pairs", word)


def _attached(tree: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Bodies to which nodes of soft ones are attached."""
    for path, link in _elements(_values(tree, "soft", "attach")):
        if isinstance(link, dict) and "body" in link:
            yield (*path, "body"), link["body"]


def _unmatched(tree: Mapping[str, Any], bodies: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Names and patterns of the view that no body has."""
    view = _table(tree, "view")
    for path, pattern in _elements((("view", word), view[word]) for word in ("shown", "cut", "clear") if word in view):
        if isinstance(pattern, str) and not any(fnmatchcase(name, pattern) for name in bodies):
            yield path, pattern


def _table(tree: Mapping[str, Any], word: str) -> Mapping[str, Any]:
    found = tree.get(word)
    return found if isinstance(found, dict) else {}


def _items(tree: Mapping[str, Any], section: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Tables of a section, which is a table of tables or a list of them."""
    found = tree.get(section)
    pairs = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return (((section, key), item) for key, item in pairs if isinstance(item, dict))


def _values(tree: Mapping[str, Any], section: str, word: str) -> Iterator[tuple[Path, Any]]:
    return (((*path, word), item[word]) for path, item in _items(tree, section) if word in item)


def _keys_below(tree: Mapping[str, Any], section: str, word: str) -> Iterator[tuple[Path, Any]]:
    for path, value in _values(tree, section, word):
        if isinstance(value, dict):
            yield from (((*path, key), key) for key in value)


def _elements(values: Iterator[tuple[Path, Any]]) -> Iterator[tuple[Path, Any]]:
    for path, value in values:
        if isinstance(value, list):
            yield from (((*path, i), element) for i, element in enumerate(value))


def _missing(names: Iterator[tuple[Path, Any]], kind: str, known: Mapping[str, Any]) -> list[Fault]:
    listed = ", ".join(known) or "none"
    return [
        (path, f"there is no {kind} {name!r}{meant(name, known)}; there are: {listed}")
        for path, name in names
        if isinstance(name, str) and name not in known
    ]
