"""Doing to a world what a hand did to it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property

from ...dynamics import World
from .actions import Action, Hold, HoldPoint, HoldPose, SetDriven, held_after
from .track import HandTrack

Drive = Callable[[World, float], None]


class PlayedDrive:
    """Repeats a hand's track, and what drives the scene beside it. It remembers nothing from step to step."""

    def __init__(self, track: HandTrack, inner: Drive | None = None) -> None:
        self.track, self.inner = track, inner

    def __call__(self, world: World, time: float) -> None:
        """Do what was done before the step that begins at `time`."""
        step = round((time - self.track.begin) / world.dt)
        for action in self._actions[bisect_left(self._steps, step) : (end := bisect_right(self._steps, step))]:
            do(action, world)
        held, driven = self._standing[end]
        before_step(world, self.inner if driven else None, held)

    @cached_property
    def _steps(self) -> list[int]:
        return [step for step, _ in self.track.rows]

    @cached_property
    def _actions(self) -> list[Action]:
        return [action for _, action in self.track.rows]

    @cached_property
    def _standing(self) -> list[tuple[Hold | None, bool]]:
        """What is held, and whether the scene drives itself, after each number of actions."""
        held: Hold | None = None
        driven = self.track.driven
        found = [(held, driven)]
        for action in self._actions:
            held = held_after(held, action)
            driven = action.on if isinstance(action, SetDriven) else driven
            found.append((held, driven))
        return found


def do(action: Action, world: World) -> None:
    """What an action does at once."""
    if not isinstance(action, HoldPoint | HoldPose):
        action.act(world)


def before_step(world: World, drive: Drive | None, held: Hold | None) -> None:
    """What stands for every step: the scene's own drives, and over them the hand."""
    if drive is not None:
        drive(world, world.time)
    if held is not None:
        held.hold(world)
