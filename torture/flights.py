"""Random worlds of the methods that go from event to event, and of blows in turn: few bodies, and what these know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .dice import Dice
from .finding import Case
from .shapes import Recipe, draw_round, draw_shape, reach_of
from .turns import draw_flight_events, draw_hands
from .worlds import free_place, make_body, make_floor

METHODS: tuple[Recipe, ...] = ({"method": "event"}, {"method": "impulse"}, {"impacts": "sequential"})


def draw_flight(seed: int) -> Case:
    """The flight of a seed."""
    dice = Dice(7, seed)
    method, theme = dice.pick(METHODS), dice.pick(tuple(_THEMES))
    if "joined" in theme and "method" in method:
        method = METHODS[0]
    size, dt = dice.scale(1e-3, 10.0), dice.scale(1e-3, 0.03)
    bodies, joints = _THEMES[theme](dice, size, dt)
    case: Case = {"kind": "flights", "seed": seed, "theme": theme, "steps": dice.whole(5, 60), "bodies": bodies}
    case["world"] = {"dt": dt, "gravity": _gravity(dice, size, dt)} | method | _laws(dice)
    case["joints"] = joints
    case["events"] = draw_flight_events(dice, case, size)
    if "method" in case["world"]:
        _bind(Dice(8, seed), case, size)
    return case


def _bind(dice: Dice, case: Case, size: float) -> None:
    """Hands, damping and locks in some cases; their dice are their own, so that other cases stay as they were."""
    if not dice.chance(0.4):
        return
    moving = [body for body in case["bodies"] if body["kind"] == "dynamic"]
    for body in moving:
        if dice.chance(0.2):
            body["damping"], body["angular_damping"] = dice.scale(0.1, 10.0), dice.scale(0.1, 10.0)
        if dice.chance(0.1) and not case["joints"]:
            body["locked"] = list(dice.pick((("x",), ("y", "z"), ("rx", "ry", "rz"))))
    if case["joints"] and dice.chance(0.5):
        case["world"] |= METHODS[1]
    case["events"] += draw_hands(dice, case, size)
    case["events"].sort(key=lambda event: event["at"])


def _gravity(dice: Dice, size: float, dt: float) -> list[float]:
    """None, or such that a body falls by its size in some tens of steps: else nothing would happen, or too much."""
    if dice.chance(0.3):
        return [0.0, 0.0, 0.0]
    return [0.0, 0.0, -min(9.81, size / (dice.scale(3.0, 30.0) * dt) ** 2)]


def _laws(dice: Dice) -> Recipe:
    laws: Recipe = {"restitution": dice.pick((0.0, 0.3, 0.7, 0.9, 1.0, 1.0))}
    if dice.chance(0.4):
        laws["friction"] = dice.pick((0.1, 0.4, 1.0))
    return laws


def _shape(dice: Dice, size: float) -> Recipe:
    kind = dice.pick(("ball", "ball", "box", "round", "any"))
    if kind == "ball":
        return {"make": "ball", "radius": 0.5 * size}
    if kind == "box":
        return {"make": "box", "size": [size * dice.between(0.3, 1.0) for _ in range(3)]}
    return draw_round(dice, size) if kind == "round" else draw_shape(dice, size)


def _moving(dice: Dice, name: str, bodies: list[Recipe], size: float, dt: float, floor: bool) -> Recipe:
    shape = _shape(dice, size * dice.between(0.4, 1.0))
    place = free_place(dice, bodies, reach_of(shape), size, floor=floor)
    velocity = dice.along(size * dice.scale(1e-3, 0.5) / dt)
    spin = dice.along(dice.scale(1e-3, 0.5) / dt) if dice.chance(0.6) else [0.0] * 3
    more = {"density": dice.scale(10.0, 1e4)} if dice.chance(0.3) else {}
    return make_body(name, shape, place, rotvec=dice.rotvec(), velocity=velocity, spin=spin, **more)


def _walls(size: float) -> list[Recipe]:
    """A room of half-spaces."""
    walls = []
    for k in range(6):
        normal = [0.0] * 3
        normal[k // 2] = 1.0 if k % 2 else -1.0
        place = [-2.5 * size * x for x in normal]
        walls.append(make_body(f"wall {k}", {"make": "half_space", "normal": normal}, place, "fixed"))
    return walls


def _room(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Bodies that fly about between walls."""
    bodies: list[Recipe] = []
    for i in range(dice.whole(1, 5)):
        body = _moving(dice, f"b{i}", bodies, size, dt, floor=False)
        if max(np.abs(body["position"])) + reach_of(body["shape"]) < 2.4 * size:
            bodies.append(body)
    if not bodies:
        bodies = [make_body("b0", {"make": "ball", "radius": 0.5 * size}, (0.0, 0.0, 0.0))]
    return _walls(size) + bodies, []


def _dropped(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Bodies that fall on the ground or on a plate."""
    if dice.chance(0.6):
        bodies = [make_floor()]
    else:
        plate = {"make": "box", "size": [4 * size, 4 * size, 0.1 * size]}
        bodies = [make_body("floor", plate, (0.0, 0.0, -0.051 * size), "fixed")]
    for i in range(dice.whole(1, 3)):
        bodies.append(_moving(dice, f"b{i}", bodies, size, dt, floor=True))
    return bodies, []


def _met(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Two or three bodies that fly towards each other, one of them at times driven."""
    bodies: list[Recipe] = []
    for i in range(dice.whole(2, 3)):
        body = _moving(dice, f"b{i}", bodies, size, dt, floor=False)
        place = np.array(body["position"])
        speed = np.linalg.norm(body["velocity"]) / max(float(np.linalg.norm(place)), 1e-300)
        body["velocity"] = [float(x) for x in -speed * place]
        bodies.append(body)
    if dice.chance(0.3):
        bodies[0]["kind"] = "kinematic"
    return bodies, []


def _row(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """Balls in a row that all but touch, and one that comes."""
    n, radius = dice.whole(2, 5), 0.5 * size
    ball = {"make": "ball", "radius": radius}
    apart = 1.0 + dice.pick((1e-4, 1e-3, 0.0))
    bodies = [make_body(f"b{i}", ball, (i * size * apart, 0.0, 0.0)) for i in range(n)]
    speed = size * dice.scale(0.01, 0.5) / dt
    aside = dice.pick((0.0, 0.2 * size))
    bodies.append(make_body("striker", ball, (-1.5 * size, aside, 0.0), velocity=[speed, 0.0, 0.0]))
    return bodies, []


def _joined(dice: Dice, size: float, dt: float) -> tuple[list[Recipe], list[Recipe]]:
    """A chain that hangs from the world, over the ground or beside a loose body."""
    bodies, joints = ([make_floor(-dice.between(0.3, 2.5) * size)] if dice.chance(0.6) else []), []
    for i in range(dice.whole(1, 2)):
        shape = {"make": "box", "size": [0.9 * size, 0.2 * size, 0.2 * size]}
        bodies.append(make_body(f"b{i}", shape, ((i + 0.5) * size, 0.0, 0.0)))
        joint: Recipe = {"type": dice.pick(("ball", "hinge", "hinge", "universal", "fixed")), "name": f"j{i}"}
        joint |= {"body": f"b{i}", "other": f"b{i - 1}" if i else None, "anchor": [i * size, 0.0, 0.0]}
        if joint["type"] in ("hinge", "universal"):
            joint["axis"] = [0.0, 1.0, 0.0]
        if joint["type"] == "universal":
            joint["axis_other"] = [0.0, 0.0, 1.0]
        joints.append(joint)
    if dice.chance(0.4):
        loose = _shape(dice, 0.4 * size)
        bodies.append(make_body("loose", loose, (0.5 * size, 0.0, -0.6 * size - reach_of(loose))))
        if bodies[0]["kind"] == "fixed":
            bodies[0]["position"][2] = -0.7 * size - 2.0 * reach_of(loose)
    return bodies, joints


_Theme = Callable[[Dice, float, float], tuple[list[Recipe], list[Recipe]]]
_THEMES: dict[str, _Theme] = {"room": _room, "dropped": _dropped, "met": _met, "row": _row, "joined": _joined}
