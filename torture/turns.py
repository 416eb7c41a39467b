"""What happens to a world in mid-run: pushes, hands, poses set, joints that come and go, interrupts, saves, threads."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .finding import Case

Recipe = dict[str, Any]


def draw_events(dice: Dice, case: Case, size: float) -> list[Recipe]:
    """Events of a world, sorted by the step before which they happen."""
    return _drawn(dice, case, size, dice.pick((0, 0, 0, 1, 1, 2, 4)), (0, case["steps"] - 1))


SCATTERED = ("swarm", "spinning", "struck")
"""Themes of worlds whose bodies fly apart, after which little happens."""


def go_on(dice: Dice, case: Case, size: float, may_pose: bool) -> None:
    """Let a world last longer, with so many events that it does not come to rest."""
    times = dice.whole(2, 6) if case["theme"] in SCATTERED else dice.whole(5, 40)
    first, more = case["steps"], case["steps"] * times
    case["steps"] = first + more
    events = _drawn(dice, case, size, max(more // 25, 1), (first, first + more - 1))
    case["events"] += [event for event in events if may_pose or event["do"] != "pose"]


FLIGHT_EVENTS = ("force", "velocity", "velocity", "pose", "pair", "restore", "interrupt", "race", "threads", "dt")
FLIGHT_EVENTS += ("gravity",)
"""What may happen to worlds of the methods that go from event to event; hands come beside."""


def draw_flight_events(dice: Dice, case: Case, size: float) -> list[Recipe]:
    """Events of such a world."""
    moving, dt = [body["name"] for body in case["bodies"] if body["kind"] == "dynamic"], case["world"]["dt"]
    events: list[Recipe] = []
    for _ in range(dice.pick((0, 0, 1, 2, 4, 6))):
        do = dice.pick(FLIGHT_EVENTS) if not dice.chance(0.02) else "grab"
        if case["joints"] and do in ("velocity", "pose"):  # what was set against joints is put right in silence
            do = "force"
        event: Recipe = {"at": dice.whole(0, case["steps"] - 1), "body": dice.pick(moving)}
        event |= _event(dice, case, size, do)
        if do == "force":
            event["force"] = dice.along(1000.0 * size**4 / dt**2 * dice.scale(1e-4, 1e-2))
            event["torque"] = dice.along(1000.0 * size**5 / dt**2 * dice.scale(1e-5, 1e-3))
        if do == "gravity":
            event["gravity"] = dice.along(size / (dice.scale(3.0, 30.0) * dt) ** 2)
        events.append(event)
    return sorted(events, key=lambda event: event["at"])


def draw_hands(dice: Dice, case: Case, size: float) -> list[Recipe]:
    """Hands that come to such a world, and let go of what they hold."""
    moving = [body["name"] for body in case["bodies"] if body["kind"] == "dynamic"]
    events: list[Recipe] = []
    for _ in range(dice.whole(0, 3)):
        event: Recipe = {"at": dice.whole(0, case["steps"] - 1), "body": dice.pick(moving)}
        events.append(event | _event(dice, case, size, dice.pick(("grab", "grab", "release"))))
    return events


def _drawn(dice: Dice, case: Case, size: float, n: int, when: tuple[int, int]) -> list[Recipe]:
    """So many events, before steps in this range."""
    moving = [body["name"] for body in case["bodies"] if body["kind"] == "dynamic"]
    weight = 1000.0 * size**3 * 10.0
    events: list[Recipe] = []
    for _ in range(n):
        event: Recipe = {"at": dice.whole(*when), "body": dice.pick(moving)}
        events.append(event | _draw_event(dice, case, size, weight))
    return sorted(events, key=lambda event: event["at"])


_EVENTS = (
    "force",
    "force",
    "velocity",
    "grab",
    "grab",
    "release",
    "pose",
    "pair",
    "restore",
    "interrupt",
    "interrupt",
    "threads",
    "race",
    "dt",
    "gravity",
)


def _draw_event(dice: Dice, case: Case, size: float, weight: float) -> Recipe:
    if case["joints"] and dice.chance(0.3):
        return {"do": "joint", "joint": dice.pick(case["joints"])["name"], "remove": dice.chance(0.5)}
    return _event(dice, case, size, dice.pick(_EVENTS), weight)


def _event(dice: Dice, case: Case, size: float, do: str, weight: float = 0.0) -> Recipe:
    """What is needed to do this."""
    if do == "force":
        return {
            "do": do,
            "force": dice.along(weight * dice.scale(0.1, 100.0)),
            "torque": dice.along(weight * size * 0.1),
        }
    if do == "velocity":
        return {"do": do, "velocity": dice.along(min(size * 0.1 / case["world"]["dt"], 1e4))}
    if do in ("grab", "pose"):
        return {"do": do, "move": dice.along(size * dice.scale(1e-3, 1.0)), "turn": dice.along(dice.scale(1e-3, 1.0))}
    if do == "pair":
        return {"do": do, "rule": dice.pick(("ignore", "contact")), "with": dice.pick(case["bodies"])["name"]}
    if do == "dt":
        return {"do": do, "dt": case["world"]["dt"] * dice.scale(0.1, 10.0)}
    if do == "gravity":
        return {"do": do, "gravity": dice.along(dice.scale(0.1, 100.0))}
    if do == "interrupt":
        return {"do": do, "line": round(dice.scale(1, 3000))}
    return {"do": do}
