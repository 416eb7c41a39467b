"""What pages are told of a world that is played with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import Deformable
from ...dynamics.soft.soft_spec import SOFT_NUMBER
from ...errors import AbutError
from ...scene.played.actions import HoldPoint
from ...scene.played.things import thing_of
from .commands import HANDS
from .frame import centre_rows, frame
from .region_rows import region_rows
from .scene_message import extent, scene_message
from .session_state import SessionState
from .soft_rows import soft_of_world

FEW = 20
"""Bodies whose energy takes no time worth a word."""
SELDOM = 6
"""Frames from one energy of more bodies to the next."""


class SessionStatus(SessionState):
    """A world in the hands of a page, as far as pages see it."""

    def frame(self, pace: float) -> bytes:
        """What pages are told now; `pace` is simulated over real time."""
        world, contacts = self.world, self.world.contacts
        self.number += 1
        shapes = [body.shape for body in world.bodies]
        soft = soft_of_world(world, *self._place) if world.deformables else b""
        return frame(world.time, centre_rows(world), contacts, self.number, self._status(contacts, pace), shapes, soft)

    def scene(self, about: dict[str, Any]) -> bytes:
        """What pages are told first; places in frames are relative to it."""
        self._place = extent(self.world)
        return scene_message(self.world, self.source.scene.view, about)

    def _status(self, contacts: np.ndarray, pace: float) -> dict[str, Any]:
        touching = contacts["gap"]
        return {
            "paused": self.paused,
            "speed": self.speed,
            "pace": pace,
            "hand": self.hand,
            "held": self._held_status(),
            "gap": float(touching.min()) if len(touching) else None,
            "energy": self._energy_now(),
            "undo": len(self._undo),
            "redo": len(self._redo),
            "gravity": float(np.linalg.norm(self.world.gravity) / np.linalg.norm(self._gravity)),
            "friction": self.world.friction,
            "method": self.world.method,
            "driven": self.drive is not None,
            "problem": self.problem,
            "said": self.said,
            "overlapping": list(self.overlapping),
            "givenUp": self._given_up,
            "stuck": list(self._stuck) if self._given_up else [],
            "phase": max(self._seconds, key=self._seconds.__getitem__, default=""),
            "measured": self._measuring.status(self.world),
            "regions": self._regions_now() if self._regions else None,
        }

    def _regions_now(self) -> list[dict[str, Any]] | None:
        """Contact regions; a world that has none says why, and is not asked again."""
        try:
            return region_rows(self.world)
        except AbutError as error:
            self.problem, self._regions = str(error), False
            return None

    def _energy_now(self) -> float:
        """[J]; found anew in each frame of few bodies, and seldom of many, for which it takes longer."""
        if not self.populated or not self.ready:
            return 0.0
        if self.paused or len(self.world.bodies) <= FEW or self.number % SELDOM == 1:
            self._energy = float(self.world.energy)
        return self._energy

    def _held_status(self) -> dict[str, Any] | None:
        held = self.held
        if held is None:
            return None
        body = thing_of(self.world, held.body)
        if isinstance(body, Deformable):
            number, force = self._number_of(body), body.hand_force
            place = body.place_of(held.point) if isinstance(held, HoldPoint) else body.centre
        else:
            number, force = body.index, body.hand_wrench()[:3]
            place = body.pose.apply(held.point) if isinstance(held, HoldPoint) else body.pose.position
        return {
            "body": number,
            "place": np.asarray(place).tolist(),
            "target": list(held.target if isinstance(held, HoldPoint) else held.pose),
            "force": force.tolist(),
            "limit": HANDS[self.hand],
            "heard": self._heard,
        }

    def _number_of(self, soft: Deformable) -> int:
        """Of a soft body on pages: behind the rigid ones."""
        return len(self.world.bodies) + soft.index - SOFT_NUMBER
