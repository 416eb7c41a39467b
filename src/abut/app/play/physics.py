"""The process of the physics: steps a world in real time, does what pages ask for, tells them what came of it.

It speaks with the server through a pipe: commands come in, messages of bytes go out. Nothing of the page's traffic runs
here, so that no stall of a socket delays a step.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from ...dynamics.methods.registry import PLAYED_METHODS
from ...errors import AbutError
from ...scene import scenes
from .asked import Asked, Begun
from .commands import Command
from .keep import Keeper
from .session import Session
from .sources import Read, Source, open_source

FRAME = 1.0 / 60.0
"""[s] from frame to frame."""
SOONEST = 0.5 * FRAME
"""[s] from frame to frame where the hand moves: what it does is to be seen at once."""
STILL = 0.2
"""[s] from frame to frame where time stands still and nothing is asked for."""
FRAMES_COST = 3.0
"""Frames come so much later than they take to be made: a third of the time at most, the rest is for steps."""
MOVES = ("move", "hold")
"""Commands of a hand that moves, many a second; others are answered by a frame at once."""
LAG = 0.05
"""[s] by which simulated time may be late before the rest is given up, and time runs slower."""
GETTING_READY = "getting ready; the first time on a computer this takes a minute or two"
SMOOTH = 0.9
"""Share of the last pace that is kept in the next one, frame by frame."""


def serve_physics(asked: Asked, pipe: Connection, read: Read | None = None, warned: Sequence[str] = ()) -> None:
    """Open what is named, tell what it is, and simulate it until the server goes away; `warned` grows by sentences."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            source = _opened(asked, pipe, read)
            source = replace(source, note="; ".join(text for text in (source.note, *dict.fromkeys(warned)) if text))
            name = Path(asked.names[0]).stem if asked.names else "scene"
            session = Session(source, Keeper(Path(asked.keep_in), name))
        except AbutError as error:
            pipe.send(("failed", str(error)))
            return
        _begin(session, source, pipe)
        _Loop(session, source, pipe).run()


def _opened(asked: Asked, pipe: Connection, read: Read | None) -> Source:
    """What is named; parts of a file are shown as they are drawn before they are set free."""

    def seen(source: Source) -> None:
        _tell(Session(source), source, pipe)

    return open_source(asked.names, driven=asked.driven, unit=asked.unit, library=asked.library, read=read, seen=seen)


def _begin(session: Session, source: Source, pipe: Connection) -> None:
    """Tell what there is, and get ready while people look at it."""
    said = session.said
    _tell(session, source, pipe)
    if session.populated:
        _warm_up(session)
    session.said, session.ready = said, True


def _tell(session: Session, source: Source, pipe: Connection) -> None:
    """What there is, and a picture of it, as soon as can be."""
    session.ready = False
    session.said = GETTING_READY if session.populated else ""
    pipe.send(("begun", Begun(session.bodies, source.hint, scenes.NAMES)))
    pipe.send(("scene", _scene(session, source)))
    pipe.send(("frame", session.frame(1.0)))


def _warm_up(session: Session) -> None:
    """Take steps with and without contacts now, so that nobody waits for kernels with a part in the hand."""
    for _ in scenes.free_fall(height=1e-4).run(0.01):
        pass
    session.rehearse()


def _scene(session: Session, source: Source) -> bytes:
    about = {
        "title": source.title,
        "sentence": source.sentence,
        "hint": source.hint,
        "note": source.note,
        "drivable": source.scene.drive is not None,
        "refittable": not session.world.joints,
        "methods": list(PLAYED_METHODS),
        "choices": [[name, entry.sentence] for name, entry in scenes.catalogue().items()],
    }
    return session.scene(about)


class _Loop:
    """Keeps simulated time with real time."""

    def __init__(
        self, session: Session, source: Source, pipe: Connection, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._session, self._source, self._pipe, self._clock = session, source, pipe, clock
        self._watched, self._pace, self._due, self._next_frame = False, 1.0, 0.0, 0.0
        self._counted, self._since = 0, clock()
        self._urgent = False
        """Whether the hand has moved since the last step."""
        self._soonest = 0.0
        """[s] on the clock before which no frame is due, whatever happens."""

    def run(self) -> None:
        """Until the pipe is closed."""
        while True:
            self._listen()
            now = self._clock()
            if self._is_running():
                self._catch_up(now)
            else:
                self._due = now
            if self._watched and now >= self._next_frame:
                self._show(now)

    def _is_running(self) -> bool:
        return self._watched and not self._session.paused

    def _listen(self) -> None:
        """Wait for a command no longer than until the next step or frame is due; then do all that have come."""
        if self._pipe.poll(self._patience()):
            while True:
                self._obey(self._pipe.recv())
                if not self._pipe.poll():
                    return

    def _patience(self) -> float:
        if not self._watched:
            return 1.0
        now, due = self._clock(), self._next_frame
        if self._is_running():
            due = min(due, self._due)
        return max(0.0, due - now)

    def _obey(self, command: Command) -> None:
        if command.do == "watched":
            self._watched = command["on"]
            if not self._watched:
                self._session.do_release()
            return
        self._session.obey(command)
        if command.do in MOVES and not self._session.paused:
            self._urgent = True
        else:
            self._next_frame = min(self._next_frame, self._clock())

    def _catch_up(self, now: float) -> None:
        """Take the step that is due; time that cannot be made up for is given up."""
        if now < self._due:
            return
        step = self._session.world.dt / self._session.speed
        if self._session.step() is not None:
            self._counted += 1
        if self._urgent:
            self._urgent, self._next_frame = False, min(self._next_frame, self._soonest)
        self._due = max(self._due + step, self._clock() - LAG)

    def _show(self, now: float) -> None:
        elapsed = now - self._since
        if elapsed > 0.0 and self._is_running():
            pace = self._counted * self._session.world.dt / elapsed
            self._pace = SMOOTH * self._pace + (1.0 - SMOOTH) * pace
        self._counted, self._since = 0, now
        if self._session.structure_changed:
            self._session.structure_changed = False
            self._pipe.send(("scene", _scene(self._session, self._source)))
        self._pipe.send(("frame", self._session.frame(self._pace)))
        cost = self._clock() - now
        apart = max(FRAME, FRAMES_COST * cost) if self._is_running() else STILL
        due = self._next_frame + apart  # of frames that are a little late, the next ones come in time
        self._next_frame = due if due > now else now + apart
        self._soonest = now + max(SOONEST, FRAMES_COST * cost)
