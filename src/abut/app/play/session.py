"""A world that is played with: what a hand does to it, undo and redo, what the page is told.

Runs in the process of the physics and knows nothing of sockets. Every method takes what a page asked for as it is
checked in `commands`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, OverlapError, StepReport
from ...dynamics.bodies.body import size_of
from ...dynamics.snapshots.snapshot import write_world
from ...errors import AbutError
from ...math import Pose
from .commands import HANDS, Command
from .frame import frame
from .refit import refitted
from .sources import Source

MOST_UNDO = 60
"""Snapshots that are kept."""
STIFF = (2.0 * np.pi * 30.0) ** 2
"""[1/s^2] of the hand's spring over the mass: a part in it would swing with 30 periods a second."""
LEAST_TURN = 1e-12
"""Length of a quaternion below which it says nothing."""


@dataclass(frozen=True)
class Held:
    """What the hand holds: a point of a body, or its pose."""

    body: int
    point: Floats | None
    """In the part's frame."""
    target: Floats
    """(3,) place of the point or (7,) pose of the part."""


class Session:
    """A world in the hands of a page."""

    def __init__(self, source: Source) -> None:
        self.source, self.world, self.drive = source, source.scene.world, source.drive
        self.paused, self.speed, self.hand = False, 1.0, "normal"
        self.held: Held | None = None
        self.problem = ""
        self.overlapping: tuple[str, ...] = ()
        self.number = 0
        """Of the next frame."""
        self.steps = 0
        """Taken since the start, for tracks of the hand."""
        self._scene_gravity = np.array(self.world.gravity)
        self._gravity = self._scene_gravity if self._scene_gravity.any() else np.array((0.0, 0.0, -9.81))
        if self.drive is None and source.scene.drive is not None:
            self.world.gravity = np.zeros(3)  # what the scene's own hands would hold must not fall away
        self._start = self._saved()
        self._undo: list[bytes] = []
        self._redo: list[bytes] = []
        self._given_up = 0.0
        self.structure_changed = False
        """Whether pages must be told anew what bodies there are."""

    def bodies(self) -> list[Body]:
        """Of the world."""
        return self.world.bodies

    def obey(self, command: Command) -> None:
        """Do what a page asked for; what cannot be done becomes a sentence for the page."""
        try:
            getattr(self, f"do_{command.do}")(command)
        except AbutError as error:
            self.problem = str(error)

    def step(self) -> StepReport | None:
        """Drive and hold the bodies and take a step; None where the world cannot be stepped."""
        try:
            if self.drive is not None:
                self.drive(self.world, self.world.time)
            self._pull()
            report = self.world.step()
        except OverlapError as error:
            self.problem, self.paused = str(error), True
            self.overlapping = tuple({name for overlap in error.overlaps for name in (overlap.a, overlap.b)})
            return None
        except AbutError as error:
            self.problem, self.paused = str(error), True
            return None
        if self.overlapping:
            self.problem, self.overlapping = "", ()
        self.steps += 1
        self._given_up = report.time_given_up
        return report

    def rehearse(self) -> None:
        """Take a step as in a hand, and go back to the start."""
        free = [body for body in self.world.bodies if np.isfinite(body.mass)]
        if free:
            self.held = Held(free[0].index, np.zeros(3), np.array(free[0].pose.position))
        if self.step() is not None:
            self.frame(1.0)
            self._load(self._start)
        self.held, self.steps = None, 0

    def frame(self, pace: float) -> bytes:
        """What pages are told now; `pace` is simulated over real time."""
        world, contacts = self.world, self.world.contacts
        poses = np.array([body.pose.row for body in world.bodies]).reshape(-1, 7)
        self.number += 1
        return frame(world.time, poses, contacts, self.number, self._status(contacts, pace))

    def _status(self, contacts: np.ndarray, pace: float) -> dict[str, Any]:
        touching = contacts["gap"]
        return {
            "paused": self.paused,
            "speed": self.speed,
            "pace": pace,
            "hand": self.hand,
            "held": self._held_status(),
            "gap": float(touching.min()) if len(touching) else None,
            "energy": float(self.world.energy),
            "undo": len(self._undo),
            "redo": len(self._redo),
            "gravity": bool(self.world.gravity.any()),
            "friction": self.world.friction,
            "driven": self.drive is not None,
            "problem": self.problem,
            "overlapping": list(self.overlapping),
            "givenUp": self._given_up,
        }

    def _held_status(self) -> dict[str, Any] | None:
        held = self.held
        if held is None:
            return None
        body = self.world.bodies[held.body]
        place = body.pose.apply(held.point) if held.point is not None else body.pose.position
        force = body.hand_wrench()[:3]
        return {
            "body": held.body,
            "place": np.asarray(place).tolist(),
            "target": held.target.tolist(),
            "force": force.tolist(),
            "limit": HANDS[self.hand],
        }

    def _pull(self) -> None:
        """Let the hand pull at what it holds, whatever else drives it."""
        held = self.held
        if held is None:
            return
        body = self.world.bodies[held.body]
        stiffness, most = body.mass * STIFF, HANDS[self.hand]
        if held.point is not None:
            body.grab_point(held.point, held.target, stiffness=stiffness, max_force=most)
        else:
            reach = 0.5 * size_of(body.shape)
            grip = {"stiffness": stiffness, "angular_stiffness": body.spec.largest_inertia * STIFF}
            body.grab(_pose(held.target), **grip, max_force=most, max_torque=most * reach)

    def do_grab(self, command: Command) -> None:
        """Take a part at a point."""
        if self._is_free(command["body"]):
            self.remember()
            self.held = Held(command["body"], np.array(command["point"]), np.array(command["target"]))

    def do_move(self, command: Command) -> None:
        """Move the hand."""
        held = self.held
        if held is None or held.point is None:
            return
        self.held = Held(held.body, held.point, np.array(command["target"]))
        if self.overlapping:  # what overlaps has no way to move; it is put where the hand is
            body = self.world.bodies[held.body]
            shift = self.held.target - body.pose.apply(held.point)
            body.pose = Pose(body.pose.position + shift, quat_wxyz=body.pose.quat_wxyz)

    def do_hold(self, command: Command) -> None:
        """Draw a part to a pose."""
        target = np.array(command["pose"])
        if self._is_free(command["body"]) and np.linalg.norm(target[3:]) > LEAST_TURN:
            if self.held is None or self.held.body != command["body"] or self.held.point is not None:
                self.remember()
            self.held = Held(command["body"], None, target)

    def do_nudge(self, command: Command) -> None:
        """Move the target of a part by a little."""
        if not self._is_free(command["body"]):
            return
        self.remember()
        held = self.held
        same = held is not None and held.body == command["body"] and held.point is None
        start = _pose(held.target) if same and held is not None else self.world.bodies[command["body"]].pose
        turn = Pose.from_rotvec((0.0, 0.0, 0.0), command["turn"])
        target = Pose(start.position + np.array(command["shift"]), quat_wxyz=(turn @ start).quat_wxyz)
        self.held = Held(command["body"], None, np.array(target.row))

    def do_release(self, command: Command | None = None) -> None:
        """Let go; without gravity, the part stops."""
        if self.held is None:
            return
        body = self.world.bodies[self.held.body]
        body.release()
        if not self.world.gravity.any():
            body.velocity, body.angular_velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        self.held = None

    def do_pause(self, command: Command) -> None:
        """Stop the time, or let it go on."""
        self.paused = command["on"]

    def do_step(self, command: Command) -> None:
        """Take one step."""
        self.paused = True
        self.step()

    def do_reset(self, command: Command) -> None:
        """Begin again."""
        self.remember()
        self._load(self._start)

    def do_undo(self, command: Command) -> None:
        """As it was before the hand last took a part."""
        if self._undo:
            self._redo.append(self._saved())
            self._load(self._undo.pop())

    def do_redo(self, command: Command) -> None:
        """As it was before the last undo."""
        if self._redo:
            self._undo.append(self._saved())
            self._load(self._redo.pop())

    def do_speed(self, command: Command) -> None:
        """How fast time passes."""
        self.speed = min(max(command["value"], 0.01), 10.0)

    def do_gravity(self, command: Command) -> None:
        """Whether parts have weight."""
        self.world.gravity = self._gravity if command["on"] else np.zeros(3)

    def do_friction(self, command: Command) -> None:
        """Of all pairs that say nothing else."""
        self.world.friction = min(max(command["value"], 0.0), 2.0)

    def do_hand(self, command: Command) -> None:
        """How strong the hand is."""
        self.hand = command["name"]

    def do_drive(self, command: Command) -> None:
        """Whether the scene's own hands and forces act."""
        if self.drive is not None and not command["on"]:
            for body in self.world.bodies:
                if np.isfinite(body.mass):
                    body.release()
        self.drive = self.source.scene.drive if command["on"] else None
        self.world.gravity = self._scene_gravity if command["on"] else np.zeros(3)

    def do_fix(self, command: Command) -> None:
        """Fix a part where it is, or free it."""
        self.do_release()
        self.remember()
        self.world = refitted(self.world, command["body"], fixed=command["on"], density=self.source.density)
        self.structure_changed = True

    def remember(self) -> None:
        """Keep the world as it is, for undo."""
        self._undo = [*self._undo[-MOST_UNDO + 1 :], self._saved()]
        self._redo.clear()

    def _is_free(self, body: int) -> bool:
        return bool(np.isfinite(self.world.bodies[body].mass))

    def _saved(self) -> bytes:
        return write_world(self.world, parts=False)

    def _load(self, blob: bytes) -> None:
        then = [np.isfinite(body.mass) for body in self.world.bodies]
        self.do_release()
        self.world.load(blob)
        self.problem, self.overlapping = "", ()
        for body in self.world.bodies:
            if np.isfinite(body.mass):
                body.release()  # a hand that held it then does not hold it now
        self.structure_changed |= then != [np.isfinite(body.mass) for body in self.world.bodies]


def _pose(row: Floats) -> Pose:
    return Pose(row[:3], quat_wxyz=row[3:] / np.linalg.norm(row[3:]))
