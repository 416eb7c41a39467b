"""A world that is played with: what a hand does to it, undo and redo, what the page is told.

Runs in the process of the physics and knows nothing of sockets. Every method takes what a page asked for as it is
checked in `commands`. All that is done to the world is an action of `abut.scene.played`, and recorded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics import Body, Deformable, OverlapError, StepReport, World
from ...dynamics.methods.registry import PLAYED_METHODS
from ...dynamics.snapshots.snapshot import write_world
from ...dynamics.soft.soft_spec import SOFT_NUMBER
from ...errors import AbutError, InputError
from ...geometry import size_of
from ...math import Pose
from ...scene.played.actions import (
    Action,
    Fix,
    Free,
    Hold,
    HoldPoint,
    HoldPose,
    Place,
    Release,
    ReleaseAll,
    SetDriven,
    SetFriction,
    SetGravity,
    SetMethod,
    held_after,
    pose_of_row,
)
from ...scene.played.played_drive import before_step, do
from ...scene.played.things import thing_of
from .apart import places_apart
from .commands import HANDS, Command
from .frame import centre_rows, frame
from .keep import Keeper
from .measuring import Measuring
from .recorded import Mark, Recorded
from .region_rows import region_rows
from .scene_message import extent, scene_message
from .soft_rows import soft_of_world
from .sources import Source

SLOWEST, FASTEST = 0.01, 5.0
"""How fast time may pass."""
MOST_UNDO = 60
"""Snapshots that are kept."""
STIFF = (2.0 * np.pi * 30.0) ** 2
"""[1/s^2] of the hand's spring over the mass: a part in it would swing with 30 periods a second."""
LEAST_TURN = 1e-12
"""Length of a quaternion below which it says nothing."""
FEW = 20
"""Bodies."""
APART = 0.5
"""[s] between pushes of keys that are undone one by one."""
FORGET = 0.95
"""Share of the time of phases, and of that given up, that is kept, step by step."""
LEAST_GIVEN_UP = 1e-3
"""Share of the time that is worth a word."""
MOST_NAMED = 3
"""Bodies."""
FLIES = 1.0
"""[1/s] of a speed over the size of the scene: what is faster is soon out of sight."""
STANDS_STILL = "time stands still, since parts fly here from the start; space lets it run"
EARTH = (0.0, 0.0, -9.81)
"""[m/s^2] where the scene has no gravity of its own."""


@dataclass(frozen=True)
class Saved:
    """A world to which one may come back, and what the hand had done until then."""

    blob: bytes
    mark: Mark


class Session:
    """A world in the hands of a page."""

    def __init__(self, source: Source, keeper: Keeper | None = None) -> None:
        self.source, self.world, self.drive = source, source.scene.world, source.drive
        self.paused, self.speed, self.hand = not self.populated, 1.0, "normal"
        self.held: Hold | None = None
        self.problem, self.said = "", ""
        """What cannot be done, and what was done, in sentences for the page."""
        if self.drive is None and _flies(self.world):
            self.paused, self.said = True, STANDS_STILL
        self.overlapping: tuple[str, ...] = ()
        self.number = 0
        """Of the next frame."""
        self._keeper = keeper
        self._scene_gravity = np.array(self.world.gravity)
        self._gravity = self._scene_gravity if self._scene_gravity.any() else np.array(EARTH)
        if self.drive is None and source.scene.drive is not None:
            self.world.gravity = np.zeros(3)  # what the scene's own hands would hold must not fall away
        self._start, self._begin = self._saved(), self.world.time
        self._recorded = self._first_track()
        self._undo: list[Saved] = []
        self._redo: list[Saved] = []
        self._masses: dict[str, tuple[float, Any]] = {}
        """Mass [kg] and inertia [kg m^2] of bodies that were free and are fixed now."""
        self.ready = True
        """Whether all that steps need is there; before, frames tell only what is found at once."""
        self._energy = 0.0
        self._heard = 0.0
        """[s] on the machine's clock, when the hand last did something; tells how late its commands come."""
        self._nudged = -np.inf
        """[s] when a key last pushed a part."""
        self._given_up = 0.0
        """Share of the time of the last steps that was given up."""
        self._stuck: tuple[str, ...] = ()
        """Bodies for which it was."""
        self._place = extent(self.world)
        """Middle and size [m] of the scene, as pages know it."""
        self._measuring = Measuring()
        self._regions = False
        """Whether a page asked for contact regions."""
        self._seconds: dict[str, float] = {}
        """Spent in each phase of the last steps."""
        self.structure_changed = False
        """Whether pages must be told anew what bodies there are."""

    @property
    def bodies(self) -> int:
        """How many there are, rigid and soft."""
        return len(self.world.bodies) + len(self.world.deformables)

    @property
    def populated(self) -> bool:
        """Whether there is anything."""
        return self.bodies > 0

    def _rigid(self, command: Command) -> Body:
        """The body that a command speaks of; a soft one is refused in a sentence."""
        number, rigid = int(command["body"]), self.world.bodies
        if number < len(rigid):
            return rigid[number]
        soft = self.world.deformables[number - len(rigid)]
        raise InputError(f"'{soft.name}' is soft: drag it at a point of its skin; this is for rigid parts")

    @property
    def steps(self) -> int:
        """Taken since the start of the hand's track."""
        return self._recorded.step

    def obey(self, command: Command) -> None:
        """Do what a page asked for; what cannot be done becomes a sentence for the page."""
        if command.do != "move":
            self.said = ""
            self.problem = self.problem if self.overlapping else ""
        try:
            getattr(self, f"do_{command.do}")(command)
        except AbutError as error:
            self.problem = str(error)

    def act(self, action: Action) -> None:
        """Do something to the world, and write it down."""
        do(action, self.world)
        self._recorded.add(action)
        self.held, self._heard = held_after(self.held, action), time.monotonic()

    def step(self) -> StepReport | None:
        """Drive and hold the bodies and take a step; None where the world cannot be stepped."""
        try:
            before_step(self.world, self.drive, self.held)
            report = self.world.step()
        except AbutError as error:
            self._stop_at(error)
            return None
        if self.overlapping:
            self.problem, self.overlapping = "", ()
        self._recorded.step += 1
        if self._recorded.full:
            self._record_anew()
        self._note_given_up(report)
        for phase, seconds in report.seconds.items():
            self._seconds[phase] = FORGET * self._seconds.get(phase, 0.0) + seconds
        return report

    def _note_given_up(self, report: StepReport) -> None:
        share = FORGET * self._given_up + (1.0 - FORGET) * report.time_given_up / self.world.dt
        self._given_up = share if share > LEAST_GIVEN_UP else 0.0
        if report.stuck:
            self._stuck = tuple(self.world.bodies[i].name for i in report.stuck[:MOST_NAMED])

    def _stop_at(self, error: AbutError) -> None:
        """Tell why there is no step; forces that were meant for it are not added to those of the next try."""
        self.problem, self.paused = _told(error), True
        self.world._now.state.wrench[:] = 0.0
        if isinstance(error, OverlapError):
            self.overlapping = tuple({name: 0 for overlap in error.overlaps for name in (overlap.a, overlap.b)})

    def _record_anew(self) -> None:
        """Let the hand's track begin here."""
        self._recorded = Recorded(self._saved(), self.world.time, self.drive is not None)
        if self.held is not None:
            self._recorded.add(self.held)

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

    def _first_track(self) -> Recorded:
        """A track that begins at the start."""
        return Recorded(self._start, self._begin, self.drive is not None)

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
        """[J]; found anew in each frame of few bodies, and in every sixth of many, for which it takes longer."""
        if not self.populated or not self.ready:
            return 0.0
        if self.paused or len(self.world.bodies) <= FEW or self.number % 6 == 1:
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
        if _is_free(body):
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
        if _is_free(body) and np.linalg.norm(command["pose"][3:]) > LEAST_TURN:
            if not (isinstance(self.held, HoldPose) and self.held.body == body.name):
                self.remember()
            self.act(self._hold_pose(body, command["pose"]))

    def do_nudge(self, command: Command) -> None:
        """Move the target of a part by a little."""
        body = self._rigid(command)
        if not _is_free(body):
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
        if _is_free(body) != command["on"]:
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

    def remember(self) -> None:
        """Keep the world as it is, for undo."""
        self._keep_for_undo(None)

    def _keep_for_undo(self, kept: int | None) -> None:
        saved = Saved(self._saved(), self._recorded.mark(kept))
        self._undo = [*self._undo[-MOST_UNDO + 1 :], saved]
        self._redo.clear()

    def _swap(self, saved: Saved, other: list[Saved]) -> None:
        """Go to a saved world, and keep the one of now in the other list."""
        kept = saved.mark.kept if self._recorded.holds(saved.mark) else None
        other.append(Saved(self._saved(), self._recorded.mark(kept)))
        self._load(saved)

    def _saved(self) -> bytes:
        return write_world(self.world, parts=False)

    def _load(self, saved: Saved) -> None:
        """Go to a saved world; a hand that held something then does not hold it now."""
        then = [_is_free(body) for body in self.world.bodies]
        self.world.load(saved.blob)
        self._recorded = self._track_of(saved)
        self.problem, self.overlapping = "", ()
        self.act(ReleaseAll())
        self.act(SetDriven(self.drive is not None))
        self.structure_changed |= then != [_is_free(body) for body in self.world.bodies]

    def _track_of(self, saved: Saved) -> Recorded:
        """What the hand had done then, where that is known; otherwise a track that begins there."""
        mark, known = saved.mark, self._recorded
        if mark.start is self._start and not known.holds(mark) and mark.kept == 0:
            known = self._first_track()
        if not known.holds(mark):
            return Recorded(saved.blob, self.world.time, self.drive is not None)
        known.go_to(mark)
        return known


def _told(error: AbutError) -> str:
    """What a page says of it."""
    if not isinstance(error, OverlapError):
        return str(error)
    listed = ", ".join(map(str, error.overlaps[:MOST_NAMED])) + (", ..." if len(error.overlaps) > MOST_NAMED else "")
    return f"bodies overlap or touch at the start: {listed}; move them apart here, or drag the red ones"


def _flies(world: World) -> bool:
    """Whether a part leaves the place where it begins, unless something stops it."""
    speeds = [body.velocity for body in world.bodies if _is_free(body)]
    speeds += [soft._body.masses @ state.velocities / soft.mass for soft, state in _soft(world)]
    fastest = float(np.linalg.norm(np.reshape(speeds, (-1, 3)), axis=1).max(initial=0.0))
    return fastest > FLIES * extent(world)[1]


def _soft(world: World) -> list[tuple[Deformable, Any]]:
    return list(zip(world.deformables, world._now.soft.states, strict=True)) if world.deformables else []


def _is_free(body: Body) -> bool:
    return bool(np.isfinite(body.mass))


def _floats(numbers: Any) -> Any:
    """Numbers of an action, as plain as a file has them."""
    return tuple(float(number) for number in numbers)


def _tensor(matrix: Any) -> Any:
    return tuple(_floats(row) for row in matrix)
