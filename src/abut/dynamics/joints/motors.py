"""What drives a coordinate of a joint: a motor, or a spring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import limit, number
from ...errors import InputError
from ..handle import Constant


@dataclass(unsafe_hash=True)
class Motor(Constant):
    """Drives a coordinate of a joint at a velocity or to a position, as well as its largest force allows.

    Units follow the coordinate: m, m/s and N along an axis, rad, rad/s and N m about it. A motor of velocity 0 is a
    brake. A position is reached at the end of the step, or no faster than `max_speed`, or at a rate that leaves 1/e of
    the way after the time `response` [s].
    """

    velocity: float | None = None
    """[m/s] or [rad/s]."""
    position: float | None = None
    """[m] or [rad]; a motor has either this or a velocity."""
    max_force: float = np.inf
    """[N] or [N m]."""
    max_speed: float = np.inf
    """[m/s] or [rad/s] on the way to a position."""
    response: float = 0.0
    """[s] after which 1/e of the way to a position is left."""

    def __post_init__(self) -> None:
        if (self.velocity is None) == (self.position is None):
            raise InputError("motor: give either velocity= or position=")
        checked = {word: number(word, getattr(self, word)) for word in ("velocity", "position") if self._says(word)}
        checked |= {word: limit(word, getattr(self, word), above=0.0) for word in ("max_force", "max_speed")}
        checked["response"] = number("response", self.response, least=0.0)
        for word, value in checked.items():
            object.__setattr__(self, word, value)
        if self.velocity is not None and (self.max_speed != np.inf or self.response != 0.0):
            raise InputError("motor: max_speed= and response= go with position=; a velocity is kept as it is")

    def _says(self, word: str) -> bool:
        return getattr(self, word) is not None


@dataclass(unsafe_hash=True)
class Spring(Constant):
    """Draws a coordinate of a joint to where it is at rest, with a force stiffness (rest - coordinate) - damping speed.

    N/m and N s/m along an axis, N m/rad and N m s/rad about it. `rest` None: where the coordinate is now.
    """

    stiffness: float
    """[N/m] or [N m/rad]."""
    damping: float = 0.0
    """[N s/m] or [N m s/rad]."""
    rest: float | None = None
    """[m] or [rad]; None: where the coordinate is when the spring is set."""

    def __post_init__(self) -> None:
        checked = {word: number(word, getattr(self, word), least=0.0) for word in ("stiffness", "damping")}
        if self.rest is not None:
            checked["rest"] = number("rest", self.rest)
        for word, value in checked.items():
            object.__setattr__(self, word, value)
        if self.stiffness + self.damping == 0.0:
            raise InputError("spring: neither stiff nor damped, it does nothing; leave it out")
