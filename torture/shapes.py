"""Random shapes, written down as recipes: `{"make": "box", "size": [...]}`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import abut

from .dice import Dice

Recipe = dict[str, Any]


def draw_shape(dice: Dice, size: float, depth: int = 1) -> Recipe:
    """A solid of about this size [m]."""
    if depth and dice.chance(0.3):
        return _draw_combination(dice, size, depth)
    return dice.pick(_DRAWN)(dice, size)


def _draw_box(dice: Dice, size: float) -> Recipe:
    return {"make": "box", "size": [size * dice.between(0.3, 1.0) for _ in range(3)]}


def _draw_plate(dice: Dice, size: float) -> Recipe:
    return {"make": "box", "size": [size, size * dice.between(0.2, 1.0), size * dice.scale(3e-4, 0.05)]}


def _draw_rod(dice: Dice, size: float) -> Recipe:
    return {"make": "box", "size": [size, size * dice.scale(0.005, 0.1), size * dice.scale(0.005, 0.1)]}


def _draw_cylinder(dice: Dice, size: float) -> Recipe:
    segments = dice.pick((3, 6, 12, 24, 60))
    return {"make": "cylinder", "radius": 0.5 * size, "height": size * dice.scale(0.05, 2.0), "segments": segments}


def _draw_cone(dice: Dice, size: float) -> Recipe:
    return {"make": "cone", "radius": 0.5 * size, "height": size * dice.scale(0.1, 2.0), "segments": dice.whole(3, 20)}


def _draw_torus(dice: Dice, size: float) -> Recipe:
    tube = dice.between(0.05, 0.2)
    return {"make": "torus", "ring": 0.5 * size, "tube": tube * size, "segments": dice.whole(6, 16), "sides": 6}


def _draw_ico(dice: Dice, size: float) -> Recipe:
    return {"make": "sphere", "radius": 0.5 * size, "subdivisions": dice.whole(0, 2)}


def _draw_hull(dice: Dice, size: float) -> Recipe:
    flat = dice.pick((1.0, 1.0, 0.1, 1e-3))
    points = [[0.4 * size * x, 0.4 * size * y, flat * 0.4 * size * z] for x, y, z in _clouds(dice, dice.whole(4, 14))]
    return {"make": "hull", "points": points}


def _clouds(dice: Dice, n: int) -> list[list[float]]:
    return [dice.normals() for _ in range(n)]


def _draw_star(dice: Dice, size: float) -> Recipe:
    n = 2 * dice.whole(3, 8)
    radii = [size * 0.5 * (1.0 if i % 2 else dice.between(0.15, 0.6)) for i in range(n)]
    outline = [[r * np.cos(2 * np.pi * i / n), r * np.sin(2 * np.pi * i / n)] for i, r in enumerate(radii)]
    return {"make": "extrude", "outline": outline, "height": size * dice.scale(0.02, 0.5)}


def _draw_part(dice: Dice, size: float) -> Recipe:
    name = dice.pick(("l_bracket", "peg", "hole_plate", "chain_link", "voussoir", "countersunk_plate", "gear"))
    return {"make": "part", "name": name, "size": size}


_DRAWN: tuple[Callable[[Dice, float], Recipe], ...] = (
    _draw_box,
    _draw_box,
    _draw_plate,
    _draw_rod,
    _draw_cylinder,
    _draw_cone,
    _draw_torus,
    _draw_ico,
    _draw_hull,
    _draw_star,
    _draw_part,
)


def _draw_combination(dice: Dice, size: float, depth: int) -> Recipe:
    """Two shapes, joined, cut or intersected."""
    a = draw_shape(dice, size, depth - 1)
    b = draw_shape(dice, size * dice.between(0.3, 0.9), depth - 1)
    offset = dice.along(0.4 * size * dice.between(0.0, 1.0))
    return {
        "make": "boolean",
        "op": dice.pick(("|", "-", "-", "&")),
        "a": a,
        "b": b,
        "offset": offset,
        "turn": dice.rotvec(),
    }


def draw_round(dice: Dice, size: float) -> Recipe:
    """A ball, or a capsule from a stub to a needle."""
    if dice.chance(0.5):
        return {"make": "ball", "radius": 0.5 * size}
    radius = 0.5 * size * dice.scale(0.02, 0.9)
    return {"make": "capsule", "radius": radius, "length": size - 2.0 * radius}


def fine_cylinder(dice: Dice, size: float) -> Recipe:
    """A round part of nearly flat facets."""
    segments = round(dice.scale(800, 6000))
    return {"make": "cylinder", "radius": 0.5 * size, "height": size * dice.between(0.1, 0.5), "segments": segments}


def relief(dice: Dice, size: float) -> Recipe:
    """A plate with a pyramid on it that is hardly there."""
    return {"make": "relief", "size": size, "thickness": 0.05 * size, "height": size * dice.scale(1e-8, 1e-3)}


def cage(dice: Dice, size: float) -> Recipe:
    """A hollow box; thin walls are a few thousandths of it."""
    wall = size * dice.scale(1e-3, 0.1)
    return {"make": "cage", "size": size, "wall": wall}


def build_shape(recipe: Recipe) -> Any:
    """The shape of a recipe; the same one for the same recipe."""
    return _built(json.dumps(recipe, sort_keys=True))


@lru_cache(maxsize=256)
def _built(text: str) -> Any:
    recipe = json.loads(text)
    return _MAKERS[recipe["make"]](recipe)


def _boolean(r: Recipe) -> abut.Solid:
    a, b = build_shape(r["a"]), build_shape(r["b"])
    moved = b.transformed(abut.Pose.from_rotvec(r["offset"], r["turn"]))
    try:
        made = {"|": a.__or__, "-": a.__sub__, "&": a.__and__}[r["op"]](moved)
        return made if made else a  # nothing may be left of it
    except abut.InputError:  # nothing is left: the first one will do
        return a


def _part(r: Recipe) -> abut.Solid:
    part = getattr(abut.parts, r["name"])()
    return part.scaled(r["size"] / float(np.linalg.norm(part.extents)))


def _cage(r: Recipe) -> abut.Solid:
    s, w = r["size"], r["wall"]
    return abut.Solid.box((s, s, s)) - abut.Solid.box((s - 2 * w, s - 2 * w, s - 2 * w))


def _relief(r: Recipe) -> abut.Solid:
    """A box whose top is a pyramid of four facets."""
    s, t, h = 0.5 * r["size"], r["thickness"], r["height"]
    ring = [(-s, -s), (s, -s), (s, s), (-s, s)]
    vertices = [(x, y, -t) for x, y in ring] + [(x, y, 0.0) for x, y in ring] + [(0.0, 0.0, h)]
    triangles = [(0, 2, 1), (0, 3, 2)]
    for i in range(4):
        j = (i + 1) % 4
        triangles += [(i, j, 4 + j), (i, 4 + j, 4 + i), (4 + i, 4 + j, 8)]
    return abut.Solid(np.array(vertices), np.array(triangles))


_MAKERS: dict[str, Callable[[Recipe], Any]] = {
    "box": lambda r: abut.Solid.box(r["size"]),
    "cylinder": lambda r: abut.Solid.cylinder(r["radius"], r["height"], segments=r["segments"]),
    "cone": lambda r: abut.Solid.cone(r["radius"], r["height"], segments=r["segments"]),
    "torus": lambda r: abut.Solid.torus(r["ring"], r["tube"], segments=r["segments"], sides=r["sides"]),
    "sphere": lambda r: abut.Solid.sphere(r["radius"], subdivisions=r["subdivisions"]),
    "hull": lambda r: abut.Solid.hull(r["points"]),
    "extrude": lambda r: abut.Solid.extrude(r["outline"], r["height"]),
    "solid": lambda r: abut.Solid(np.array(r["vertices"]), np.array(r["triangles"])),
    "ball": lambda r: abut.Sphere(r["radius"]),
    "capsule": lambda r: abut.Capsule(r["radius"], r["length"]),
    "half_space": lambda r: abut.HalfSpace(normal=r["normal"], offset=0.0),
    "boolean": _boolean,
    "part": _part,
    "cage": _cage,
    "relief": _relief,
}


def reach_of(recipe: Recipe) -> float:
    """Radius about the frame's origin that holds the shape; 0 for a half-space."""
    shape = build_shape(recipe)
    return float(shape.reach) if shape.bounded else 0.0


def size_of(recipe: Recipe) -> float:
    """Diagonal of its box [m]."""
    low, high = build_shape(recipe).bounds
    return float(np.linalg.norm(high - low))
