"""A world that is played with: what a hand does to it.

Runs in the process of the physics and knows nothing of sockets. Every method `do_...` takes what a page asked for as it
is checked in `commands`. `session_state.py` has the world and its past, `session_status.py` what pages are told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import Body, Deformable
from ...dynamics.methods.registry import PLAYED_METHODS
from ...errors import AbutError, InputError
from ...geometry import size_of
from ...math import Pose
from ...scene.played.actions import (
    Fix,
    Free,
    HoldPoint,
    HoldPose,
    Place,
    Release,
    ReleaseAll,
    SetDriven,
    SetFriction,
    SetGravity,
    SetMethod,
    pose_of_row,
)
from ...scene.played.things import thing_of
from .apart import places_apart
from .commands import HANDS, Command
from .recorded import Mark
from .session_state import Saved, is_free
from .session_status import SessionStatus

SLOWEST, FASTEST = 0.01, 5.0
"""How fast time may pass."""
STIFF = (2.0 * np.pi * 30.0) ** 2
"""[1/s^2] of the hand's spring over the mass: a part in it would swing with 30 periods a second."""
LEAST_TURN = 1e-12
"""Length of a quaternion below which it says nothing."""
APART = 0.5
"""[s] between pushes of keys that are undone one by one."""


class Session(SessionStatus):
    """A world in the hands of a page."""

    def _rigid(self, command: Command) -> Body:
        """The body that a command speaks of; a soft one is refused in a sentence."""
        number, rigid = int(command["body"]), self.world.bodies
        if number < len(rigid):
            return rigid[number]
        soft = self.world.deformables[number - len(rigid)]
        raise InputError(f"'{soft.name}' is soft: drag it at a point of its skin; this is for rigid parts")

    def obey(self, command: Command) -> None:
        """Do what a page asked for; what cannot be done becomes a sentence for the page."""
        if command.do != "move":
            self.said = ""
            self.problem = self.problem if self.overlapping else ""
        try:
            getattr(self, f"do_{command.do}")(command)
        except AbutError as error:
            self.problem = str(error)

    def rehearse(self) -> None:
        """Take a step as in a hand, and go back to the start."""
        free = [body for body in self.world.bodies if np.isfinite(body.mass)]
        if self.world.deformables:
            soft = self.world.deformables[0]
            self.act(self._hold_point(soft, _floats(soft._spec.vertices[0]), _floats(soft.vertices[0])))
        elif free:
            self.act(self._hold_point(free[0], (0.0, 0.0, 0.0), _floats(free[0].pose.position)))
        if self.step() is not None:
            self.frame(1.0)
            self._load(Saved(self._start, Mark(self._start, 0, 0, ())))
        self._recorded = self._first_track()
        self.act(ReleaseAll())

    def _hold_point(self, body: Body | Deformable, point: Any, target: Any) -> HoldPoint:
        return HoldPoint(body.name, _floats(point), _floats(target), float(body.mass * STIFF), HANDS[self.hand])

    def _hold_pose(self, body: Body, row: Any) -> HoldPose:
        most, reach = HANDS[self.hand], 0.5 * size_of(body.shape)
        stiff = (float(body.mass * STIFF), float(body.spec.largest_inertia * STIFF))
        return HoldPose(body.name, _floats(row), *stiff, most, most * reach)

    def do_grab(self, command: Command) -> None:
        """Take a part at a point."""
        number = command["body"] - len(self.world.bodies)
        if number >= 0:
            soft = self.world.deformables[number]
            self.remember()
            self.act(self._hold_point(soft, soft.rest_place_of(command["point"]), command["target"]))
            return
        body = self.world.bodies[command["body"]]
        if is_free(body):
            self.remember()
            self.act(self._hold_point(body, command["point"], command["target"]))

    def do_move(self, command: Command) -> None:
        """Move the hand."""
        held = self.held
        if not isinstance(held, HoldPoint):
            return
        body = thing_of(self.world, held.body)
        self.act(self._hold_point(body, held.point, command["target"]))
        if self.overlapping and isinstance(body, Body):  # what overlaps has no way to move; it is put where the hand is
            shift = np.array(command["target"]) - body.pose.apply(held.point)
            place = Pose(body.pose.position + shift, quat_wxyz=body.pose.quat_wxyz)
            self.act(Place(body.name, _floats(place.row)))

    def do_hold(self, command: Command) -> None:
        """Draw a part to a pose."""
        body = self._rigid(command)
        if is_free(body) and np.linalg.norm(command["pose"][3:]) > LEAST_TURN:
            if not (isinstance(self.held, HoldPose) and self.held.body == body.name):
                self.remember()
            self.act(self._hold_pose(body, command["pose"]))

    def do_nudge(self, command: Command) -> None:
        """Move the target of a part by a little."""
        body = self._rigid(command)
        if not is_free(body):
            return
        held = self.held
        same = isinstance(held, HoldPose) and held.body == body.name
        if not same or self.world.time - self._nudged > APART:
            self.remember()
        self._nudged = self.world.time
        start = pose_of_row(held.pose) if same and isinstance(held, HoldPose) else body.pose
        turn = Pose.from_rotvec((0.0, 0.0, 0.0), command["turn"])
        target = Pose(start.position + np.array(command["shift"]), quat_wxyz=(turn @ start).quat_wxyz)
        self.act(self._hold_pose(body, target.row))

    def do_release(self, command: Command | None = None) -> None:
        """Let go; without gravity, the part stops."""
        if self.held is not None:
            self.act(Release(self.held.body, stop=not self.world.gravity.any()))

    def do_pause(self, command: Command) -> None:
        """Stop the time, or let it go on."""
        self.paused = command["on"] or not self.populated

    def do_step(self, command: Command) -> None:
        """Take one step."""
        self.paused = True
        if self.populated:
            self.step()

    def do_reset(self, command: Command) -> None:
        """Begin again."""
        kept = 0 if self._recorded.start is self._start else None
        self._keep_for_undo(kept)
        self._load(Saved(self._start, Mark(self._start, 0, 0, ())))

    def do_undo(self, command: Command) -> None:
        """As it was before the hand last took a part."""
        if self._undo:
            self._swap(self._undo.pop(), self._redo)

    def do_redo(self, command: Command) -> None:
        """As it was before the last undo."""
        if self._redo:
            self._swap(self._redo.pop(), self._undo)

    def do_speed(self, command: Command) -> None:
        """How fast time passes."""
        self.speed = min(max(command["value"], SLOWEST), FASTEST)

    def do_gravity(self, command: Command) -> None:
        """How much weight parts have, over what the scene or the earth gives them."""
        self.act(SetGravity(_floats(min(max(command["value"], 0.0), 2.0) * self._gravity)))

    def do_friction(self, command: Command) -> None:
        """Of all pairs that say nothing else."""
        self.act(SetFriction(min(max(command["value"], 0.0), 2.0)))

    def do_method(self, command: Command) -> None:
        """How forces are found; only in ways that let a hand hold parts."""
        if command["name"] not in PLAYED_METHODS:
            raise InputError(f"method: expected one of {', '.join(PLAYED_METHODS)}")
        self.act(SetMethod(command["name"]))

    def do_hand(self, command: Command) -> None:
        """How strong the hand is, also the one that holds a part now."""
        self.hand, held = command["name"], self.held
        if isinstance(held, HoldPoint):
            self.act(self._hold_point(thing_of(self.world, held.body), held.point, held.target))
        elif held is not None:
            self.act(self._hold_pose(self.world.body(held.body), held.pose))

    def do_drive(self, command: Command) -> None:
        """Whether the scene's own hands and forces act; if so, from the start on."""
        if self.drive is not None and not command["on"]:
            self.act(ReleaseAll())
        self.drive = self.source.scene.drive if command["on"] else None
        if self.drive is not None and self.world.time > self._begin:
            self.do_reset(command)  # what acts when is told from the start on
        self.act(SetGravity(_floats(self._scene_gravity if command["on"] else np.zeros(3))))
        self.act(SetDriven(self.drive is not None))

    def do_fix(self, command: Command) -> None:
        """Fix a part where it is, or free it."""
        body = self._rigid(command)
        if is_free(body) != command["on"]:
            return
        action = Fix(body.name) if command["on"] else Free(body.name, *self._mass_of(body))
        if command["on"]:
            self._masses[body.name] = (body.spec.mass, _tensor(body.spec.inertia))
        self.do_release()
        self.remember()
        self.act(action)
        self.structure_changed = True

    def _mass_of(self, body: Body) -> tuple[float, Any]:
        """Of a body that is to be free: what it had, or what the density of the source gives it."""
        if body.name in self._masses:
            return self._masses[body.name]
        if not getattr(body.shape, "closed", True) or not np.isfinite(size_of(body.shape)):
            raise InputError(f"'{body.name}' is not closed and has no mass; it stays fixed")
        shape: Any = body.shape
        return float(self.source.density * shape.volume), _tensor(self.source.density * np.asarray(shape.inertia))

    def do_measure(self, command: Command) -> None:
        """How far two parts are from each other."""
        for number in (command["body"], command["other"]):
            self._rigid(Command("measure", {"body": number}))
        self._measuring.ask(command["body"], command["other"])

    def do_unmeasure(self, command: Command) -> None:
        """Measure no more."""
        self._measuring.forget()

    def do_part(self, command: Command) -> None:
        """Move bodies apart that overlap, and go on."""
        if not self.overlapping:
            return
        self.remember()
        moved = [Place(body.name, _floats(pose.row)) for body, pose in places_apart(self.world, self.overlapping)]
        for action in moved:
            self.act(action)
        self.paused = not moved
        self.problem, self.overlapping = "", ()
        if moved:
            self.said = f"moved {', '.join(action.body for action in moved)}; Ctrl Z takes that back"
        self.step()  # tells what still overlaps

    def do_tell(self, command: Command) -> None:
        """Show a sentence of the server."""
        self.problem = command["sentence"]

    def do_regions(self, command: Command) -> None:
        """Whether contact regions are told."""
        self._regions = command["on"]

    def do_keep(self, command: Command) -> None:
        """Write what the hand did to a scene file."""
        if self._keeper is None:
            raise InputError("there is no folder to keep scenes in; name one with --keep-in")
        if self._recorded.step == 0:
            raise InputError("nothing was done yet that could be kept; let the time run first")
        file, begin = self._keeper.keep(self.source.scene, self._recorded), self._recorded.begin
        since = "" if begin == self._begin else f", from {begin:.3f} s on"
        self.said = f"kept what the hand did{since}; to repeat it: abut run {file}"


def _floats(numbers: Any) -> Any:
    """Numbers of an action, as plain as a file has them."""
    return tuple(float(number) for number in numbers)


def _tensor(matrix: Any) -> Any:
    return tuple(_floats(row) for row in matrix)
