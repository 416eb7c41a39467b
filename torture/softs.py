"""Random worlds with soft bodies, written down as cases: small cages with skins, rigid bodies, hands, attachments."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

import abut

from .dice import Dice
from .finding import Case
from .shapes import Recipe, build_shape, draw_round, reach_of
from .worlds import make_body, make_floor

MOST_TETRAHEDRA = 400
STRAIN_OF_BLOW = 0.15
"""Speeds are so much of that of sound at most, and so bodies are compressed by about as much."""


def draw_soft(seed: int) -> Case:
    """The soft world of a seed."""
    dice = Dice(11, seed)
    theme = dice.pick(tuple(_THEMES))
    size = dice.scale(0.01, 1.0)
    dt = size * dice.scale(3e-3, 0.1)
    softs, bodies = _THEMES[theme](dice, size, dt)
    case: Case = {"kind": "softs", "seed": seed, "theme": theme, "steps": dice.whole(5, 50)}
    case |= {"bodies": bodies, "softs": softs, "joints": []}
    case["world"] = {"dt": dt, "gravity": [0.0, 0.0, 0.0] if dice.chance(0.3) else [0.0, 0.0, -9.81]}
    if dice.chance(0.5):
        case["world"]["friction"] = dice.pick((0.1, 0.5, 1.0))
    case["events"] = _draw_events(dice, case, size)
    return case


def _soft(dice: Dice, name: str, size: float, dt: float, place: Any, velocity: Any = None) -> Recipe:
    young, density = dice.scale(1e4, 1e7), dice.scale(200.0, 5000.0)
    young = max(young, 300.0 * density * 9.81 * size)
    shape, cell = _draw_part(dice, size)
    most = STRAIN_OF_BLOW * sqrt(young / density)
    speed = min(size * dice.scale(1e-3, 0.3) / dt, most)
    soft: Recipe = {"name": name, "shape": shape, "cell": cell, "young": young, "density": density}
    soft |= {"poisson": dice.pick((0.0, 0.3, 0.45)), "position": [float(x) for x in place], "rotvec": dice.rotvec()}
    soft["velocity"] = [0.0] * 3 if velocity is None else [float(x) * speed for x in velocity]
    soft["damping"] = [dice.pick((0.0, 0.0, 1.0)), dice.pick((0.0, 0.1, 1.0)) * dt]
    soft["skin"] = dice.chance(0.8)
    if dice.chance(0.3):
        soft["friction"] = dice.between(0.0, 1.0)
    return soft


def _draw_part(dice: Dice, size: float) -> tuple[Recipe, float]:
    """A part and a cell that gives a small cage."""
    what = dice.pick(("box", "bar", "ball", "rod", "ring"))
    if what == "box":
        return {"make": "box", "size": [size * dice.between(0.5, 0.9) for _ in range(3)]}, 0.4 * size
    if what == "bar":
        return {"make": "box", "size": [size, 0.3 * size, 0.25 * size]}, 0.2 * size
    if what == "ball":
        return {"make": "sphere", "radius": 0.4 * size, "subdivisions": dice.whole(1, 2)}, 0.35 * size
    if what == "rod":
        return {
            "make": "cylinder",
            "radius": 0.25 * size,
            "height": 0.8 * size,
            "segments": dice.whole(6, 16),
        }, 0.3 * size
    return {"make": "torus", "ring": 0.35 * size, "tube": 0.15 * size, "segments": 12, "sides": 6}, 0.22 * size


def build_cage(soft: Recipe) -> Any:
    """The cage of a soft body; the same one for the same recipe."""
    return _built(json.dumps([soft["shape"], soft["cell"]], sort_keys=True))


@lru_cache(maxsize=64)
def _built(text: str) -> Any:
    shape, cell = json.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.fem.MeshWarning)
        mesh = abut.fem.TetMesh.from_solid(build_shape(shape), cell)
        while len(mesh.tetrahedra) > MOST_TETRAHEDRA:
            cell *= 1.2
            mesh = abut.fem.TetMesh.from_solid(build_shape(shape), cell)
    return mesh


def _rigid(dice: Dice, name: str, size: float, place: Any, **more: Any) -> Recipe:
    kind = dice.pick(("box", "box", "cylinder", "round"))
    if kind == "box":
        shape: Recipe = {"make": "box", "size": [size * dice.between(0.3, 0.7) for _ in range(3)]}
    elif kind == "cylinder":
        shape = {"make": "cylinder", "radius": 0.3 * size, "height": 0.5 * size, "segments": dice.whole(5, 12)}
    else:
        shape = draw_round(dice, 0.6 * size)
    return make_body(name, shape, place, rotvec=dice.rotvec(), **more)


def _dropped(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Soft bodies that fall on the ground, on a plate or on a rigid body that lies there."""
    floor = make_floor()
    if dice.chance(0.4):
        floor = make_body(
            "floor", {"make": "box", "size": [3 * size, 3 * size, 0.3 * size]}, (0, 0, -0.15 * size), "fixed"
        )
    softs = [_soft(dice, "s0", size, dt, (0.0, 0.0, 0.75 * size), (0.0, 0.0, -1.0))]
    if dice.chance(0.3):
        softs.append(_soft(dice, "s1", size, dt, (0.3 * size, 0.0, 2.1 * size), (0.0, 0.0, -1.0)))
    bodies = [floor]
    if dice.chance(0.3):
        bodies.append(
            _rigid(dice, "b0", size, (0.2 * size, 0.1 * size, 3.5 * size), velocity=[0.0, 0.0, -size / dt * 0.1])
        )
    return softs, bodies


def _met(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Two soft bodies that fly at each other."""
    aside = 0.3 * size * dice.between(-1.0, 1.0)
    a = _soft(dice, "s0", size, dt, (-0.75 * size, 0.0, 0.0), (1.0, 0.0, 0.0))
    b = _soft(dice, "s1", size, dt, (0.75 * size, aside, 0.0), (-1.0, 0.0, 0.0))
    return [a, b], []


def _struck(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """A soft body and a rigid one that strike each other."""
    soft = _soft(dice, "s0", size, dt, (0.0, 0.0, 0.0))
    aside = 0.3 * size * dice.between(-1.0, 1.0)
    speed = min(size * dice.scale(1e-3, 0.3) / dt, STRAIN_OF_BLOW * sqrt(soft["young"] / soft["density"]))
    more: Recipe = {"density": dice.scale(300.0, 8000.0), "velocity": [-speed, 0.0, 0.0]}
    if dice.chance(0.5):
        more["spin"] = dice.along(dice.scale(1e-3, 0.2) / dt)
    return [soft], [_rigid(dice, "b0", size, (1.3 * size, aside, 0.0), **more)]


def _pressed(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Plates that close on a soft body."""
    plate = {"make": "box", "size": [0.2 * size, 2 * size, 2 * size]}
    speed = size * dice.scale(1e-3, 0.01) / dt
    left = make_body("left", plate, (-0.85 * size, 0.0, 0.0), "fixed")
    right = make_body("right", plate, (0.85 * size, 0.0, 0.0), "kinematic", velocity=[-speed, 0.0, 0.0])
    return [_soft(dice, "s0", size, dt, (0.0, 0.0, 0.0))], [left, right]


def _held(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """A soft body whose end is attached to a rigid one or fixed, beside a rigid body."""
    soft = _soft(dice, "s0", size, dt, (0.0, 0.0, 0.0))
    how = dice.pick(("fixed", "attached", "attached"))
    root = make_body(
        "root", {"make": "box", "size": [0.2 * size] * 3}, (0.0, 0.0, 1.2 * size), dice.pick(("dynamic", "fixed"))
    )
    bodies = [root]
    if dice.chance(0.5):
        bodies.append(make_floor(-dice.between(0.6, 1.0) * size))
    soft["held"] = how
    return [soft], bodies


_Theme = Callable[[Dice, float, float], tuple[list[Recipe], list[Recipe]]]
_THEMES: dict[str, _Theme] = {"dropped": _dropped, "met": _met, "struck": _struck, "pressed": _pressed, "held": _held}

_EVENTS = ("grab", "grab", "move_hand", "release", "attach", "detach", "speed", "shift", "restore", "interrupt", "race")
_EVENTS += ("threads", "dt", "gravity", "force", "velocity")


def _draw_events(dice: Dice, case: Case, size: float) -> list[Recipe]:
    events: list[Recipe] = []
    rigid = [body["name"] for body in case["bodies"] if body["kind"] == "dynamic"]
    for _ in range(dice.pick((0, 0, 1, 2, 3, 5))):
        do = dice.pick(_EVENTS)
        event: Recipe = {"at": dice.whole(0, case["steps"] - 1), "do": do, "soft": dice.pick(case["softs"])["name"]}
        event |= {
            "body": dice.pick(rigid) if rigid else None,
            "along": dice.along(1.0),
            "share": dice.between(0.0, 1.0),
        }
        event |= {"dt": case["world"]["dt"] * dice.scale(0.3, 2.0), "line": round(dice.scale(1, 5000))}
        if do in ("force", "velocity", "attach") and not rigid:
            continue
        if do == "force":
            event["force"], event["torque"] = dice.along(500.0 * size**3 * dice.scale(0.1, 30.0)), [0.0, 0.0, 0.0]
        if do == "velocity":
            event["velocity"] = dice.along(size * dice.scale(1e-3, 0.1) / case["world"]["dt"])
        if do == "gravity":
            event["gravity"] = dice.along(dice.scale(0.1, 15.0))
        events.append(event)
    return sorted(events, key=lambda event: event["at"])


def reach_of_soft(soft: Recipe) -> float:
    """Radius that holds it at rest."""
    return reach_of(soft["shape"])


def node_masses(mesh: Any, density: float) -> np.ndarray:
    """(n,) [kg] a quarter of every tetrahedron at each of its corners."""
    x = mesh.nodes[mesh.tetrahedra]
    volume = np.abs(np.linalg.det(x[:, 1:] - x[:, :1])) / 6.0
    return np.bincount(mesh.tetrahedra.ravel(), np.repeat(0.25 * density * volume, 4), len(mesh.nodes))
