"""A clearance report as a JSON document, and the schema of such documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...query import ClearanceReport, Feature, PairClearance
    from .sources import Unusable

_LENGTH = {"type": "number", "description": "[m]"}
_MAYBE = {"type": ["number", "null"], "description": "[m], null where it is not known"}
_POINT = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 3,
    "maxItems": 3,
    "description": "x y z in the world [m]",
}
_FEATURE = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["vertex", "edge", "face", "inside"]},
        "index": {"type": "integer"},
        "surface": {"type": "string", "description": "the true surface in words, empty where none is known"},
    },
    "required": ["kind", "index", "surface"],
    "additionalProperties": False,
}
_PAIR = {
    "a": {"type": "string", "description": "name of the first part"},
    "b": {"type": "string", "description": "name of the second part"},
    "state": {"enum": ["free", "touching", "overlapping"]},
    "distance": {**_LENGTH, "description": "of the polyhedra [m], 0 where they meet"},
    "lower": {**_LENGTH, "description": "lower bound of the distance of the true shapes [m]"},
    "upper": {**_LENGTH, "description": "upper bound of the distance of the true shapes [m]"},
    "depth": {**_MAYBE, "description": "how far surface points of one lie under the other's surface [m]"},
    "depth_lower": _MAYBE,
    "depth_upper": _MAYBE,
    "nominal_gap": {**_MAYBE, "description": "signed gap of true surfaces that mate [m], null where none do"},
    "volume": {"type": ["number", "null"], "description": "in common [m^3], null where it is not known"},
    "point_a": _POINT,
    "point_b": _POINT,
    "feature_a": _FEATURE,
    "feature_b": _FEATURE,
    "normal": {**_POINT, "description": "unit vector from A to B"},
    "allowed": {"type": "boolean", "description": "whether the pair was said to be as it should be"},
    "note": {"type": "string", "description": "a sentence, empty where there is nothing to say"},
}


def schema() -> dict[str, Any]:
    """JSON Schema of what `abut clearance --json` prints."""
    unusable = {"file": {"type": "string"}, "reason": {"type": "string"}}
    properties: dict[str, Any] = {
        "pairs": {"type": "array", "items": _object(_PAIR), "description": "those within reach, the worst first"},
        "parts": {"type": "array", "items": {"type": "string"}},
        "farther": {"type": "integer", "description": "pairs that are farther apart than `within`"},
        "within": _LENGTH,
        "tolerance": _LENGTH,
        "notes": {"type": "array", "items": {"type": "string"}},
        "unusable": {"type": "array", "items": _object(unusable)},
        "exit_code": {"enum": [0, 1, 2], "description": "0 nothing overlaps, 1 interference, 2 a file is unusable"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "abut clearance",
        "description": "Every pair of an assembly: state, distance or depth, witness points.",
        **_object(properties),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def document(report: ClearanceReport, allowed: list[bool], unusable: list[Unusable], exit_code: int) -> dict[str, Any]:
    """The report as that document."""
    return {
        "pairs": [_pair(pair, known) for pair, known in zip(report.pairs, allowed, strict=True)],
        "parts": list(report.parts),
        "farther": report.farther,
        "within": report.within,
        "tolerance": report.tolerance,
        "notes": list(report.notes),
        "unusable": [{"file": one.file, "reason": one.reason} for one in unusable],
        "exit_code": exit_code,
    }


def _pair(pair: PairClearance, allowed: bool) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "state": pair.state,
        "distance": pair.distance,
        "lower": pair.lower,
        "upper": pair.upper,
        "depth": pair.depth,
        "depth_lower": pair.depth_lower,
        "depth_upper": pair.depth_upper,
        "nominal_gap": pair.nominal_gap,
        "volume": pair.volume,
        "point_a": pair.point_a.tolist(),
        "point_b": pair.point_b.tolist(),
        "feature_a": _feature(pair.feature_a, pair.surface_a),
        "feature_b": _feature(pair.feature_b, pair.surface_b),
        "normal": pair.normal.tolist(),
        "allowed": allowed,
        "note": pair.note,
    }


def _feature(feature: Feature, surface: str) -> dict[str, Any]:
    return {"kind": feature.kind, "index": feature.index, "surface": surface}
