"""The physics beside the clock, and commands on their way to it."""

import json
import struct
from itertools import pairwise
from multiprocessing import Pipe

import pytest

from abut import Pose, Solid, World
from abut.app.play.commands import Command
from abut.app.play.outbox import MOST_WAITING, Outbox
from abut.app.play.physics import FRAME, LAG, SOONEST, _Loop
from abut.app.play.session import Session
from abut.app.play.sources import Source
from abut.scene.scenes import Scene


class Clock:
    """Time that passes when something takes time."""

    now = 0.0

    def __call__(self):
        return self.now


class FakePipe:
    """To a server that watches from the start and goes away after some seconds."""

    def __init__(self, clock, seconds, later=()):
        self.clock, self.seconds, self.frames = clock, seconds, []
        self.commands = [Command("watched", {"on": True})]
        self.later = list(later)
        """When [s] which other commands come, in order."""

    def poll(self, timeout=0.0):
        waits = max(timeout, 0.0)
        if self.later and not self.commands:
            waits = min(waits, max(0.0, self.later[0][0] - self.clock.now))
        if not self.commands:
            self.clock.now += waits
        while self.later and self.later[0][0] <= self.clock.now:
            self.commands.append(self.later.pop(0)[1])
        return bool(self.commands) or self.clock.now >= self.seconds

    def recv(self):
        if not self.commands:
            raise EOFError
        return self.commands.pop(0)

    def send(self, message):
        kind, data = message
        if kind == "frame":
            _, bodies, contacts, _, time, text, edges, soft, _ = struct.unpack_from("<IIIIdIIII", data)
            after = 40 + 56 * bodies + 112 * contacts + 56 * edges + soft
            self.frames.append((self.clock.now, time, json.loads(data[after : after + text])))


def simulated(seconds, step_takes, speed=1.0, frame_takes=0.0, later=()):
    """Frames of a loop in which steps and frames take some time on the clock: when, simulated time, status."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.03)))
    source, clock = Source(Scene(world, 1.0), "block", ""), Clock()
    session, pipe = Session(source), FakePipe(clock, seconds, later)
    session.speed, step, frame = speed, session.step, session.frame

    def slow_step():
        clock.now += step_takes
        return step()

    def slow_frame(pace):
        clock.now += frame_takes
        return frame(pace)

    session.step, session.frame = slow_step, slow_frame
    with pytest.raises(EOFError):
        _Loop(session, source, pipe, clock).run()
    return pipe.frames


def test_time_keeps_with_the_clock_where_steps_are_fast():
    frames = simulated(2.0, 2e-4)
    assert len(frames) == pytest.approx(120, abs=6), "60 frames a second"
    for now, time, _ in frames:
        assert abs(time - now) < LAG
    assert frames[-1][2]["pace"] == pytest.approx(1.0, abs=0.05)


def test_a_heavy_scene_runs_slower_and_says_by_how_much():
    frames = simulated(4.0, 4e-3)
    now, time, status = frames[-1]
    assert time == pytest.approx(now / 4.0, rel=0.1) and status["pace"] == pytest.approx(0.25, rel=0.05)
    assert len(frames) > 3.0 * 55, "the page is told as often as ever"


def test_frames_leave_time_for_steps():
    frames = simulated(4.0, 5e-4, frame_takes=0.02)
    assert len(frames) == pytest.approx(4.0 / 0.06, rel=0.1)
    assert frames[-1][2]["pace"] == pytest.approx(1.0, abs=0.1)


def test_what_the_hand_does_is_seen_at_once():
    """A frame with the new place of the hand comes after the next step, but no more than two for one of the rhythm."""
    grab = Command("grab", {"body": 0, "point": (0.0, 0.0, 0.0), "target": (0.0, 0.0, 0.03)})
    moves = [
        (t, Command("move", {"target": (0.0, 0.0, t)})) for t in (0.2 + 0.011 * k + 1e-3 * (k % 3) for k in range(150))
    ]
    frames = simulated(2.0, 2e-4, later=[(0.1, grab), *moves])
    first = {}
    for now, _, status in frames:
        if status["held"]:
            first.setdefault(status["held"]["target"][2], now)
    late = [first[t] - t for t, _ in moves if t in first]
    assert len(late) > 100 and sorted(late)[len(late) // 2] < 4e-3 and max(late) < FRAME
    apart = [b[0] - a[0] for a, b in pairwise(frames)]
    assert min(apart[20:]) > 0.99 * SOONEST


def test_slow_motion_is_no_lack_of_speed():
    frames = simulated(3.0, 2e-4, speed=0.1)
    now, time, status = frames[-1]
    assert time == pytest.approx(0.1 * now, rel=0.05) and status["pace"] == pytest.approx(0.1, rel=0.3)


def test_a_server_never_waits_for_the_physics():
    ours, theirs = Pipe()
    outbox = Outbox(ours)
    for k in range(50_000):  # nobody reads
        outbox.put(Command("move", {"target": (0.0, 0.0, float(k))}))
    assert len(outbox) <= 1, "of places of the hand, the last one waits"
    for _ in range(10 * MOST_WAITING):
        outbox.put(Command("step"))
    assert len(outbox) == MOST_WAITING
    outbox.put(Command("release"))
    outbox.put(Command("release"))
    found = []
    while theirs.poll() or len(outbox):
        outbox.flush()
        found.append(theirs.recv())
    assert [command.do for command in found].count("release") == 1 and found[-1].do == "release"
    moves = [command["target"][2] for command in found if command.do == "move"]
    assert moves == sorted(moves) and moves[-1] == 49_999.0
    theirs.close()
    with pytest.raises(OSError):
        outbox.put(Command("step"))
