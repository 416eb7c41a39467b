"""When a slip ends or begins on the way of a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .drive_kernels import forces_in, state_at
from .event_scene import EventScene
from .motion_tables import NORMAL, TANGENT
from .points import Points
from .resolution import Resolution
from .rubbing import AT_THE_LIMIT
from .search_tables import ACTIVE, CREEP, HINGES, PIECE, PIECES, SHARE, SLIPS, STOP, WHAT
from .system import System

LOOKS = 4
"""Moments of a way at which friction is looked at."""
MOST_REFINEMENTS, CLOSE_ENOUGH = 60, 1e-13
"""Of the moment at which friction changes, and the share of the way up to which it is found."""


class FrictionSearch:
    """Looks for the first moment on a way at which a slip ends, or friction no longer holds a point."""

    def __init__(self, system: System, points: Points, scene: EventScene, resolution: Resolution) -> None:
        self._system, self._points, self._scene, self._resolution = system, points, scene, resolution

    def look(self) -> None:
        """Put the first such moment before the event that is known in its place."""
        clock, count = self._scene.clock, self._scene.count
        first = count[PIECE] / count[PIECES]
        for what, over in ((STOP, self._any_slip_over), (CREEP, self._any_creeps)):
            low, share = first, float(clock[SHARE])
            for i in range(1, LOOKS + 1):
                high = first + (share - first) * i / LOOKS
                if over(high):
                    clock[SHARE], count[WHAT] = self._bisected(over, low, high), what
                    break
                low = high

    def note_stopped(self) -> None:
        """Remember the points whose slip has ended now, until time goes on."""
        self._points.gripped[self._reversed(self._system.y)] = True

    def _bisected(self, over: Callable[[float], bool], low: float, high: float) -> float:
        """Share of the way at which something is over; it is at the second, not at the first."""
        for _ in range(MOST_REFINEMENTS):
            middle = 0.5 * (low + high)
            if not low < middle < high or high - low < CLOSE_ENOUGH:
                break
            low, high = (low, middle) if over(middle) else (middle, high)
        return high

    def state_at(self, x: float) -> Floats:
        """State at a share of the way."""
        y = np.empty_like(self._system.y)
        state_at(self._scene.held, x, y)
        return y

    def _any_slip_over(self, x: float) -> bool:
        """Whether a point that slips goes back at a share of the way."""
        return len(self._reversed(self.state_at(x))) > 0

    def _reversed(self, y: Floats) -> Ints:
        """Points that slip and go back in a state."""
        points = self._points
        slipping = np.flatnonzero((points.status == ACTIVE) & (points.mode == SLIPS)).astype(np.int32)
        slip = self._system.slips(slipping, y)[0]
        back: NDArray[np.bool_] = (slip * points.direction[slipping]).sum(axis=1) < 0.0
        return np.asarray(slipping[back], np.int32)

    def _any_creeps(self, x: float) -> bool:
        """Whether a point that sticks no longer can at a share of the way, however forces are shared out."""
        y = self.state_at(x)
        return not self._all_within_cones(y) and self._resolution.creeps(y)

    def _all_within_cones(self, y: Floats) -> bool:
        """Whether the forces of all points that stick are within their cones."""
        m, hinges = int(self._scene.count[HINGES]), self._system.hinges
        kind, index, force = hinges.kind[:m], hinges.index[:m], np.zeros(m)
        normals, tangents = kind == NORMAL, kind == TANGENT
        if not tangents.any():
            return True
        forces_in(self._scene.held, y, force)
        n, first = self._points.contacts.n, self._points.n - self._points.contacts.n
        push, rub = np.zeros(n), np.zeros((n, 3))
        push[index[normals]] = force[normals]
        np.add.at(rub, index[tangents], force[tangents, None] * hinges.direction[:m][tangents])
        limit = self._points.friction[first:] * push
        return bool((np.linalg.norm(rub, axis=1) <= limit * (1.0 + AT_THE_LIMIT)).all())
