"""Random worlds, written down as cases; one function per theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .dice import Dice
from .finding import Case
from .shapes import Recipe, cage, draw_round, draw_shape, fine_cylinder, reach_of, relief, size_of
from .turns import draw_events, go_on

FASTEST, MOST_SPIN = 1e4, 1e5
"""[m/s], [rad/s]."""
LONG = 0.5
"""The share of worlds that last several times as long as others."""


def draw_world(seed: int) -> Case:
    """The world of a seed."""
    dice = Dice(1, seed)
    theme = dice.pick(tuple(_THEMES))
    size, dt = dice.scale(1e-5, 1e3), dice.scale(1e-5, 0.03)
    bodies, extra = _THEMES[theme](dice, size, dt)
    case: Case = {"kind": "worlds", "seed": seed, "theme": theme, "steps": dice.whole(10, 120), "bodies": bodies}
    case["world"] = _options(dice, size, dt, bodies) | extra.pop("world", {})
    case["joints"] = extra.pop("joints", [])
    case["events"] = draw_events(dice, case, size)
    far = _move_far(dice, case)
    dice = Dice(5, seed)
    if dice.chance(LONG):
        go_on(dice, case, size, may_pose=not far)
    return case


def _options(dice: Dice, size: float, dt: float, bodies: list[Recipe]) -> Recipe:
    gravity = [0.0, 0.0, 0.0] if dice.chance(0.3) else [0.0, 0.0, -dice.pick((9.81, 9.81, 100.0, 0.1))]
    options: Recipe = {"dt": dt, "gravity": gravity}
    if dice.chance(0.4):
        options["friction"] = dice.pick((0.1, 0.5, 1.0, 3.0))
    if dice.chance(0.3):
        options["restitution"] = dice.pick((0.1, 0.5, 0.9, 1.0))
    if dice.chance(0.3):
        smallest = min(size_of(b["shape"]) for b in bodies if b["kind"] == "dynamic")
        options["contact_gap"] = smallest * dice.scale(1e-6, 5e-3)
    if dice.chance(0.15):
        options |= dice.pick(_METHODS)
    return options


_METHODS: tuple[Recipe, ...] = (
    {"method": "velocity", "solver": "lemke"},
    {"method": "velocity", "solver": "gauss-seidel"},
    {"method": "velocity", "solver": "jacobi"},
    {"method": "bilateral"},
    {"level": "kinematic"},
    {"level": "geometric"},
    {"friction_law": "sliding", "friction": 0.4},
    {"impacts": "gamma", "restitution": 0.7},
    {"impacts": "sequential", "restitution": 0.7},
)


def make_body(name: str, shape: Recipe, position: Any, kind: str = "dynamic", **more: Any) -> Recipe:
    """A body that is written down."""
    body = {"name": name, "shape": shape, "position": [float(x) for x in position], "kind": kind}
    return {"rotvec": [0.0] * 3, "velocity": [0.0] * 3, "spin": [0.0] * 3, **body, **more}


def make_floor(height: float = 0.0) -> Recipe:
    """The ground."""
    shape = {"make": "half_space", "normal": [0.0, 0.0, 1.0]}
    return make_body("floor", shape, (0.0, 0.0, height), "fixed")


def _shape(dice: Dice, size: float) -> Recipe:
    return draw_round(dice, size) if dice.chance(0.15) else draw_shape(dice, size)


def _speed(dice: Dice, size: float, dt: float) -> float:
    """From a thousandth of a body a step to hundreds."""
    return min(size * dice.scale(1e-3, 1e2) / dt, FASTEST)


def _spin(dice: Dice, dt: float) -> float:
    return min(dice.scale(1e-3, 3.0) / dt, MOST_SPIN) if dice.chance(0.7) else 0.0


def _more(dice: Dice) -> Recipe:
    """What else may be said of a body."""
    more: Recipe = {}
    if dice.chance(0.2):
        more["density"] = dice.scale(1.0, 1e5)
    if dice.chance(0.1):
        more["friction"] = dice.between(0.0, 1.0)
    if dice.chance(0.1):
        more["restitution"] = dice.between(0.0, 1.0)
    if dice.chance(0.05):
        more["damping"], more["angular_damping"] = dice.scale(0.1, 100.0), dice.scale(0.1, 100.0)
    if dice.chance(0.05):
        more["locked"] = dice.pick((["x"], ["rz"], ["rx", "ry", "rz"], ["x", "y", "rz"]))
    return more


def _swarm(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """Bodies from all sides that meet in the middle."""
    bodies, n = [], dice.whole(2, 6)
    spread, speed = size * n, _speed(dice, size, dt)
    for i in range(n):
        shape = _shape(dice, size * dice.scale(0.1, 1.0))
        place = free_place(dice, bodies, reach_of(shape), spread)
        inward = -place / max(float(np.linalg.norm(place)), 1e-300) * speed * dice.between(0.2, 1.0)
        spin = dice.along(_spin(dice, dt))
        bodies.append(
            make_body(f"b{i}", shape, place, rotvec=dice.rotvec(), velocity=list(inward), spin=spin, **_more(dice))
        )
    return bodies, {}


def free_place(dice: Dice, bodies: list[Recipe], reach: float, spread: float, floor: bool = False) -> Any:
    """A place whose ball meets no other's."""
    while True:
        place = np.array([dice.between(-spread, spread) for _ in range(3)])
        place[2] = abs(place[2]) + 1.01 * reach if floor else place[2]
        others = (b for b in bodies if b["shape"]["make"] != "half_space")
        if all(np.linalg.norm(place - b["position"]) > 1.01 * (reach + reach_of(b["shape"])) for b in others):
            return place
        spread *= 1.1


def _heap(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """Bodies dropped on the ground or on a plate."""
    if dice.chance(0.6):
        bodies = [make_floor()]
    else:
        plate = {"make": "box", "size": [6 * size, 6 * size, size * dice.scale(3e-4, 0.2)]}
        bodies = [make_body("floor", plate, (0.0, 0.0, -0.5 * plate["size"][2] * 1.001), "fixed")]
    for i in range(dice.whole(1, 8)):
        shape = _shape(dice, size * dice.between(0.3, 1.0))
        place = free_place(dice, bodies, reach_of(shape), size, floor=True)
        fall = [0.0, 0.0, -_speed(dice, size, dt) * 0.1]
        spin = dice.along(_spin(dice, dt))
        bodies.append(make_body(f"b{i}", shape, place, rotvec=dice.rotvec(), velocity=fall, spin=spin, **_more(dice)))
    return bodies, {}


def _caged(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """A body that flies about in a hollow box."""
    outer = cage(dice, size)
    inner = _shape(dice, size * dice.between(0.1, 0.5))
    kind = dice.pick(("fixed", "dynamic", "dynamic"))
    bodies = [make_body("cage", outer, (0.0, 0.0, 0.0), kind)]
    if reach_of(inner) > 0.49 * size - outer["wall"]:
        inner = {"make": "box", "size": [0.3 * size] * 3}
    velocity, spin = dice.along(_speed(dice, size, dt)), dice.along(_spin(dice, dt))
    bodies.append(make_body("inner", inner, (0.0, 0.0, 0.0), rotvec=dice.rotvec(), velocity=velocity, spin=spin))
    if kind == "dynamic":
        bodies[0]["spin"] = dice.along(_spin(dice, dt))
    return bodies, {}


def _ringed(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """A ring on a peg."""
    bore = 0.3 * size
    plate = {"make": "box", "size": [size, size, size * dice.scale(0.02, 0.3)]}
    hole = {"make": "cylinder", "radius": bore, "height": 2 * size, "segments": dice.whole(6, 32)}
    ring = {"make": "boolean", "op": "-", "a": plate, "b": hole, "offset": [0.0] * 3, "turn": [0.0] * 3}
    thick = bore * dice.between(0.3, 0.95) * np.cos(np.pi / hole["segments"])
    peg = {"make": "cylinder", "radius": thick, "height": 3 * size, "segments": dice.whole(6, 32)}
    velocity, spin = dice.along(_speed(dice, size, dt)), dice.along(_spin(dice, dt))
    bodies = [
        make_body("peg", peg, (0.0, 0.0, 0.0), dice.pick(("fixed", "dynamic", "kinematic"))),
        make_body("ring", ring, (0.0, 0.0, 0.0), velocity=velocity, spin=spin),
    ]
    if bodies[0]["kind"] == "kinematic":
        bodies[0]["velocity"], bodies[0]["spin"] = dice.along(0.01 * size / dt), dice.along(_spin(dice, dt))
    return bodies, {}


def _faceted(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """A small part on facets that are nearly flat."""
    large = fine_cylinder(dice, size) if dice.chance(0.6) else relief(dice, size)
    small = size * dice.scale(2e-3, 0.05)
    lying = large["make"] == "cylinder"
    top = 0.5 * size if lying else large["height"]
    shape = dice.pick(
        (
            {"make": "box", "size": [small, small, small * dice.pick((1.0, 0.1))]},
            {"make": "cylinder", "radius": 0.5 * small, "height": small, "segments": 12},
            {"make": "ball", "radius": 0.5 * small},
        )
    )
    turn = [0.5 * np.pi, 0.0, 0.0] if lying else [0.0] * 3
    aside = [dice.between(-1.0, 1.0) * dice.pick((0.1 * small, small)) for _ in range(2)]
    where = (*aside, top + 1.01 * reach_of(shape))
    slide, fall_speed = dice.scale(1e-4, 0.1), dice.scale(0.01, 0.2)
    fall = [dice.between(-slide, slide) * small / dt, 0.0, -min(fall_speed * small / dt, FASTEST)]
    bodies = [
        make_body("large", large, (0.0, 0.0, 0.0), "fixed", rotvec=turn),
        make_body("small", shape, where, velocity=fall, rotvec=[0.0, 0.0, dice.between(0.0, 3.0)]),
    ]
    world: Recipe = {"gravity": [0.0, 0.0, -9.81]}
    if dice.chance(0.3):
        world["contact_gap"] = small * dice.scale(1e-6, 1e-5)
    return bodies, {"world": world}


def _jaws(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """Kinematic jaws that close on bodies."""
    jaw = {"make": "box", "size": [0.3 * size, 2 * size, 2 * size]}
    speed = min(size * dice.scale(1e-4, 0.1) / dt, FASTEST)
    bodies = [
        make_body("left", jaw, (-1.5 * size, 0.0, 0.0), "kinematic", velocity=[speed, 0.0, 0.0]),
        make_body("right", jaw, (1.5 * size, 0.0, 0.0), "kinematic", velocity=[-speed, 0.0, 0.0]),
    ]
    for i in range(dice.whole(1, 3)):
        shape = _shape(dice, size * dice.between(0.2, 0.6))
        place = free_place(dice, bodies[2:], reach_of(shape), 0.5 * size) * (0.5, 1.0, 1.0)
        bodies.append(make_body(f"b{i}", shape, place, rotvec=dice.rotvec(), **_more(dice)))
    return bodies, {}


def _spinning(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """A single free body that turns fast."""
    spin = min(dice.scale(0.01, 30.0) / dt, MOST_SPIN)
    body = make_body("b0", draw_shape(dice, size), (0.0, 0.0, 0.0), rotvec=dice.rotvec(), spin=dice.along(spin))
    return [body], {"world": {"gravity": [0.0, 0.0, 0.0]}}


def _struck(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """A resting ball or box struck by a bar that turns."""
    bar = {"make": "box", "size": [size, 0.1 * size, 0.1 * size]}
    target = _shape(dice, 0.3 * size) if dice.chance(0.5) else {"make": "ball", "radius": 0.15 * size}
    turn = min(dice.scale(0.01, 0.5) / dt, MOST_SPIN)
    away = 0.06 * size + reach_of(target)
    place = (dice.between(0.2, 0.5) * size, away * 1.05, 0.0)
    bodies = [
        make_body("bar", bar, (0.0, 0.0, 0.0), spin=[0.0, 0.0, turn]),
        make_body("target", target, place, rotvec=dice.rotvec()),
    ]
    return bodies, {"world": {"gravity": [0.0, 0.0, 0.0]}}


def _chained(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], Recipe]:
    """Bodies held together by joints, with motors, limits and springs."""
    bodies, joints = ([make_floor(-4.0 * size)] if dice.chance(0.5) else []), []
    n = dice.whole(1, 4)
    for i in range(n):
        shape = {"make": "box", "size": [0.9 * size, 0.2 * size, 0.2 * size]}
        bodies.append(make_body(f"b{i}", shape, ((i + 0.5) * size, 0.0, 0.0), spin=dice.along(0.1 * _spin(dice, dt))))
        joints.append(_draw_joint(dice, i, size, dt))
    if dice.chance(0.5):
        shape = _shape(dice, 0.5 * size)
        velocity = dice.along(min(0.1 * size / dt, FASTEST))
        bodies.append(make_body("loose", shape, (0.5 * size, 0.0, -1.5 * size), velocity=velocity))
    return bodies, {"joints": joints}


def _draw_joint(dice: Dice, i: int, size: float, dt: float) -> Recipe:
    type_ = dice.pick(("ball", "hinge", "hinge", "slider", "cylindrical", "universal", "fixed", "distance", "screw"))
    joint: Recipe = {"type": type_, "name": f"j{i}", "body": f"b{i}", "other": f"b{i - 1}" if i else None}
    joint["anchor"] = [i * size, 0.0, 0.0]
    if type_ not in ("ball", "fixed", "distance"):
        joint["axis"] = dice.pick(([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))
    if type_ == "universal":
        joint["axis"], joint["axis_other"] = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    if type_ == "distance":
        joint["anchor_other"] = [i * size, 0.0, size * dice.between(0.1, 1.0)]
    if type_ == "screw":
        joint["pitch"] = size * dice.scale(0.01, 1.0)
    if type_ in ("hinge", "slider"):
        unit = 1.0 if type_ == "hinge" else size
        if dice.chance(0.4):
            joint["limits"] = [-unit * dice.between(0.1, 1.0), unit * dice.between(0.1, 1.0)]
        if dice.chance(0.4):
            speed = unit * dice.scale(1e-3, 0.1) / dt
            force = dice.scale(1e-2, 1e2) * size**4 * 1e4 if dice.chance(0.6) else None
            joint["motor"] = {"velocity": speed, "max_force": force}
        elif dice.chance(0.3):
            joint["spring"] = {"stiffness": size**4 * dice.scale(1e2, 1e6), "damping": 0.0}
    return joint


_Theme = Callable[[Dice, float, float], tuple[list[Recipe], Recipe]]
_THEMES: dict[str, _Theme] = {
    "swarm": _swarm,
    "heap": _heap,
    "caged": _caged,
    "ringed": _ringed,
    "faceted": _faceted,
    "jaws": _jaws,
    "spinning": _spinning,
    "struck": _struck,
    "chained": _chained,
}


def _move_far(dice: Dice, case: Case) -> bool:
    """Sometimes all of it stands far from the origin: as far as float64 leaves places finer than the contact gap."""
    if not dice.chance(0.1) or case["joints"] or any(e["do"] == "pose" for e in case["events"]):
        return False
    sizes = [size_of(b["shape"]) for b in case["bodies"] if b["kind"] == "dynamic"]
    farthest = min(1e12, 1e9 * case["world"].get("contact_gap", 2e-5 * min(sizes)))
    offset = np.array(dice.along(farthest * dice.scale(1e-6, 1.0)))
    for body in case["bodies"]:
        body["position"] = [float(x) for x in offset + body["position"]]
    return True
