"""From a scene file to a checked definition: includes, changes, parameters, repeats, expressions, then the model.

Everything that is wrong is collected and told at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite, isnan, nan
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...errors import InputError, meant
from .expressions import TIME, evaluate, fill_in, is_expression, parse, unit_hint
from .positions import Path
from .problems import SceneError
from .references import dangling
from .sources import Sources, read_sources

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    from .model import SceneTable

MOST_REPEATS = 100_000
_WANTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text",
    "finite_number": "a finite number",
    "model_type": "a table",
    "dict_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "too_long": "no more elements",
}
"""What pydantic's errors ask for, in the words of the file."""
_BOUNDS = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
_REPEATED = ("parts", "bodies", "soft", "joints", "drives")


@dataclass(frozen=True)
class Definition:
    """A scene file that was read and checked."""

    table: SceneTable
    values: Mapping[str, float]
    """Of the parameters."""
    sources: Sources

    def error(self, path: Path, message: str) -> SceneError:
        """That something does not work out, with the line that asked for it."""
        return SceneError(self.sources.problems([(path, message)]))


def read(file: str | FilePath, changes: Mapping[str, Any] | None = None) -> Definition:
    """Read and check a scene file; `changes` overrule parameters by name and other keys by path (`world.dt`)."""
    return Reader(read_sources(FilePath(file))).read(changes or {})


class Reader:
    """Turns the tree of a scene into a definition, and notes what is wrong on the way."""

    def __init__(self, sources: Sources) -> None:
        self._sources, self._tree = sources, sources.tree
        self._faults: list[tuple[Path, str]] = []

    def read(self, changes: Mapping[str, Any]) -> Definition:
        """The definition, or a `SceneError` with all that is wrong."""
        for key, value in changes.items():
            self._change(key, value)
        values = self._parameters()
        self._repeat(values)
        tree = self._resolved(self._tree, (), values)
        table = self._validated(tree)
        self._faults += dangling(tree)
        if self._faults or table is None:
            raise SceneError(self._sources.problems(self._faults))
        return Definition(table, values, self._sources)

    def _change(self, key: str, value: Any) -> None:
        """Overrule a parameter by its name, or any other key by its path."""
        parameters = self._tree.get("parameters", {})
        path = key.split(".") if "." in key else ["parameters", key]
        if "." not in key and key not in parameters:
            known = ", ".join(parameters) or "none"
            raise InputError(f"{key}: the scene has no such parameter{meant(key, parameters)}; it has {known}")
        at = self._tree
        for name in path[:-1]:
            at = at.setdefault(name, {})
            if not isinstance(at, dict):
                raise InputError(f"{key}: {name!r} is no table, so that nothing in it can be set")
        present = at.get(path[-1])
        if isinstance(present, dict) and path[0] == "parameters" and "value" in present:
            present["value"] = value
        else:
            at[path[-1]] = value

    def _parameters(self) -> dict[str, float]:
        """Values of all parameters, which may refer to each other; 1 for one at which something is wrong."""
        given = self._tree.get("parameters", {})
        if not isinstance(given, dict):
            return {}
        values: dict[str, float] = {}
        for name in given:
            self._settle(name, given, values, ())
        for name, value in values.items():
            if not isnan(value):
                self._check_range(name, given[name], value)
        return {name: 1.0 if isnan(value) else value for name, value in values.items()}

    def _settle(self, name: str, given: Mapping[str, Any], values: dict[str, float], above: tuple[str, ...]) -> None:
        if name in values:
            return
        path = ("parameters", name)
        if name in above:
            self._faults.append((path, f"refers to itself: {' -> '.join((*above, name))}; give one of them a number"))
            values[name] = nan
            return
        value = given[name].get("value") if isinstance(given[name], dict) else given[name]
        if is_expression(value):
            values[name] = self._computed(path, value, given, values, (*above, name))
        else:
            good = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
            values[name] = float(value) if good else nan

    def _computed(
        self, path: Path, text: str, given: Mapping[str, Any], values: dict[str, float], above: tuple[str, ...]
    ) -> float:
        try:
            for needed in sorted(parse(text).names):
                if needed in given:
                    self._settle(needed, given, values, above)
            if any(isnan(values.get(name, 0.0)) for name in parse(text).names):
                return nan
            return evaluate(text, values)
        except InputError as error:
            self._faults.append((path, str(error)))
            return nan

    def _check_range(self, name: str, given: Any, value: float) -> None:
        if isinstance(given, dict):
            for word, holds in (("least", float.__ge__), ("most", float.__le__)):
                bound = given.get(word)
                if isinstance(bound, int | float) and not holds(value, float(bound)):
                    self._faults.append((("parameters", name), f"expected at {word} {bound:g}, got {value:g}"))

    def _repeat(self, values: Mapping[str, float]) -> None:
        """Write repeated bodies and joints out."""
        for section in _REPEATED:
            tables = self._tree.get(section)
            if isinstance(tables, dict):
                self._tree[section] = dict(self._written_out(section, tables, values))

    def _written_out(
        self, section: str, tables: dict[str, Any], values: Mapping[str, float]
    ) -> Iterator[tuple[str, Any]]:
        for name, table in tables.items():
            if not isinstance(table, dict) or "repeat" not in table:
                yield name, table
                continue
            for i in self._numbers(section, name, table["repeat"], values):
                copy = {key: value for key, value in deepcopy(table).items() if key != "repeat"}
                made = f"{name} {i}"
                if made in tables:
                    self._faults.append(((section, name), f"would make {made!r}, which there is already"))
                self._sources.rename((section, made), (section, name))
                yield made, self._resolved(copy, (section, made), {**values, "i": float(i)}, templates=True)

    def _numbers(self, section: str, name: str, given: Any, values: Mapping[str, float]) -> range:
        """Numbers of the copies of a table: `repeat = 5` or `repeat = [first, end]`."""
        path = (section, name, "repeat")
        value = self._resolved(given, path, values)
        first, end = value if isinstance(value, list) and len(value) == 2 else (0, value)
        if not (_is_whole(first) and _is_whole(end) and 0 <= first <= MOST_REPEATS and 0 <= end <= MOST_REPEATS):
            most = f"{MOST_REPEATS:,}"
            self._faults.append((path, f"expected a whole number from 0 to {most}, or [first, end], got {value!r}"))
            return range(0)
        return range(int(first), int(end))

    def _resolved(self, value: Any, path: Path, values: Mapping[str, float], *, templates: bool = False) -> Any:
        """The tree with numbers in place of expressions."""
        if isinstance(value, dict):
            return {k: self._resolved(v, (*path, k), values, templates=templates) for k, v in value.items()}
        if isinstance(value, list):
            return [self._resolved(v, (*path, i), values, templates=templates) for i, v in enumerate(value)]
        try:
            if is_expression(value):
                return value if _over_time(value, path) else evaluate(value, values)
            if templates and isinstance(value, str):
                return fill_in(value, values)
        except InputError as error:
            self._faults.append((path, str(error)))
            return 1.0
        return value

    def _validated(self, tree: dict[str, Any]) -> SceneTable | None:
        from pydantic import ValidationError

        from .model import SceneTable

        try:
            return SceneTable.model_validate(tree)
        except ValidationError as error:
            for detail in _likeliest(tree, error.errors(include_url=False)):
                path = _path_in(tree, detail)
                self._faults.append((path, _sentence(detail, SceneTable)))
            return None


def change_of(text: str) -> tuple[str, Any]:
    """`key=value` of a command line; the value is read as TOML, and as text where it is none."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InputError(f"--set: expected key=value, got {text!r}")
    try:
        return key.strip(), tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()


def _over_time(text: str, path: Path) -> bool:
    return path[0] == "drives" and TIME in parse(text).names


def _likeliest(tree: Any, details: list[ErrorDetails]) -> list[ErrorDetails]:
    """Of a place where several things may stand, only what is wrong with the one that was most likely meant.

    That is the one with the fewest values of other types; of several, the one that was read farthest.
    """
    unions: dict[Path, dict[str | int, list[ErrorDetails]]] = {}
    for detail in details:
        path, member = _union_member(tree, detail)
        unions.setdefault(path, {}).setdefault(member, []).append(detail)
    return [each for members in unions.values() for each in min(members.values(), key=_unlikely)]


def _unlikely(details: list[ErrorDetails]) -> tuple[int, int]:
    other_types = sum(detail["type"].endswith("_type") for detail in details)
    return other_types, -max(len(detail["loc"]) for detail in details)


def _union_member(tree: Any, detail: ErrorDetails) -> tuple[Path, str | int]:
    """Where a union stands in the file, and the name of the member that complains; of no union, the whole place."""
    for i, key in enumerate(detail["loc"][: -1 if detail["type"] == "missing" else None]):
        try:
            tree = tree[key]
        except (KeyError, IndexError, TypeError):
            return detail["loc"][:i], key
    return (*detail["loc"], detail["type"]), ""


def _path_in(tree: Any, detail: ErrorDetails) -> Path:
    """Where the error is in the file: names of union members are in pydantic's path, but not in the file."""
    path: Path = ()
    for i, key in enumerate(detail["loc"]):
        last = i == len(detail["loc"]) - 1
        try:
            tree = tree[key]
        except (KeyError, IndexError, TypeError):
            if not (last and detail["type"] == "missing"):
                continue
        path = (*path, key)
    return path


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """What was expected and what was found."""
    kind, given = detail["type"], detail.get("input")
    words = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if kind == "extra_forbidden":
        name = str(detail["loc"][-1])
        known = _keys_of(model, detail["loc"][:-1])
        return f"there is no such key{meant(name, known)}; expected one of {', '.join(known)}"
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return words
    shown = repr(given)
    wanted = _WANTED.get(kind) or f"{'a number ' if kind in _BOUNDS else ''}{words[:1].lower()}{words[1:]}"
    hint = unit_hint(given) if isinstance(given, str) and kind == "float_type" else ""
    told = f"expected {wanted}, got {shown if len(shown) <= 60 else shown[:57] + '...'}"
    return f"{told}; {hint}" if hint else told


def _keys_of(model: Any, loc: tuple[str | int, ...]) -> list[str]:
    """Keys that the table at `loc` may have."""
    schema = model.model_json_schema()
    tables = [schema]
    for key in loc:
        tables = [found for table in tables for found in _below(schema, table, key)]
    names = [name for table in tables for name in table.get("properties", {})]
    return list(dict.fromkeys(names))


def _below(schema: dict[str, Any], table: dict[str, Any], key: str | int) -> list[dict[str, Any]]:
    """Schemas of what stands at a key of a table; the table itself where the key is the name of a union's member."""
    if isinstance(key, int):
        inner = table.get("items", {})
    else:
        inner = table.get("properties", {}).get(key) or table.get("additionalProperties") or table
    found = []
    for option in inner.get("anyOf", [inner]) if isinstance(inner, dict) else []:
        target = option.get("$ref", "").rpartition("/")[2]
        found.append(schema["$defs"][target] if target else option)
    return found
