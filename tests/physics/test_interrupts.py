"""Steps and commands that are broken off at any line leave the world as it was, or as it would have been."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import abut
from abut.dynamics.stepping.step import Stepper
from physics.interrupting import broken_off, lines_of

PATIENCE = 1800.0
"""[s] by the clock that a thread may take: what never comes is a fault, however busy the machine."""


def fingerprint(world):
    """All that a world will ever depend on."""
    now = world._now
    state, contacts, joints = now.state, now.contacts, now.joints
    tables = [state.kind, state.pose, state.twist, state.wrench, state.hold, state.target, world.contacts]
    tables += [table[: contacts.n] for table in (contacts.name, contacts.place, contacts.force, contacts.friction)]
    tables += [joints.last, joints.force, joints.force_before, joints.wrench, joints.law, joints.value]
    told = (now.time, contacts.n, contacts.next_label, sorted(joints.specs), [spec.name for spec in now.setup.specs])
    return (
        told,
        [table.tobytes() for table in tables],
        sorted(now.setup.rules.items()),
        now.setup.laws.of_pair.tobytes(),
    )


def tumbling(method="ncp", threads=1):
    """Boxes and balls that fall into a corner, bounce and come to rest, beside a pendulum with a motor."""
    world = abut.World(dt=4e-3, friction=0.3, restitution=0.2, method=method, threads=threads)
    world.add_body(abut.HalfSpace((0.0, 0.0, 1.0)), "floor", fixed=True)
    world.add_body(abut.Solid.box((0.02, 1.0, 1.0)), "wall", pose=abut.Pose((-0.2, 0.0, 0.5)), fixed=True)
    rng = np.random.default_rng(3)
    for i in range(4):
        X = abut.Pose.from_rotvec((0.01 * i, 0.01 * i, 0.1 + 0.18 * i), rng.normal(size=3))
        world.add_body(abut.Solid.box(0.1), f"box {i}", pose=X, velocity=(-1.0, 0.0, 0.0))
    world.add_body(abut.Sphere(0.04), "ball", pose=abut.Pose((0.3, 0.0, 0.1)), velocity=(-2.0, 0.0, 0.0))
    arm = world.add_body(abut.Solid.box((0.3, 0.02, 0.02)), "arm", pose=abut.Pose((0.65, 0.0, 0.5)))
    world.add_joint(
        "hinge", arm, anchor=(0.5, 0.0, 0.5), axis=(0.0, 1.0, 0.0), motor=abut.Motor(velocity=2.0, max_force=1.0)
    )
    return world


def jammed():
    """A box between jaws that close at once."""
    world = abut.World(dt=1e-3)
    world.add_body(abut.Solid.box(0.1), "box", pose=abut.Pose((0.0, 0.0, 1.0)))
    for side in (-1.0, 1.0):
        X = abut.Pose((side * (0.1 + 1.74e-6), 0.0, 1.0))
        world.add_body(abut.Solid.box(0.1), pose=X, kinematic=True, velocity=(-10.0 * side, 0.0, 0.0))
    return world


def resting():
    """A stack that falls asleep."""
    world = abut.World(dt=2e-3, friction=0.5)
    world.add_body(abut.HalfSpace((0.0, 0.0, 1.0)), "floor", fixed=True)
    for i in range(2):
        world.add_body(abut.Solid.box(0.1), pose=abut.Pose((0.0, 0.0, 0.0501 + 0.1001 * i)))
    return world


@pytest.mark.parametrize("make", [tumbling, jammed, resting], ids=["tumbling", "jammed", "resting"])
def test_a_world_goes_on_with_the_same_bits_after_steps_broken_off_at_any_line(make, rng):
    calm, disturbed, before = make(), make(), 0
    for _ in range(60):
        then = fingerprint(disturbed)
        lines = lines_of(calm.step)
        for line in rng.integers(1, lines + 1, 3):
            assert fingerprint(disturbed) == then
            if not broken_off(disturbed.step, int(line)):
                break
            if fingerprint(disturbed) != then:  # the last lines come after the change
                break
            before += 1
        else:
            disturbed.step()
        assert fingerprint(disturbed) == fingerprint(calm)
    assert before > 100


def test_the_first_step_is_the_same_after_it_was_broken_off_at_every_stage(rng):
    lines = lines_of(tumbling().step)
    calm = tumbling()
    calm.step()
    for line in np.linspace(1, lines - 1, 40).astype(int).tolist():
        world = tumbling()
        then = fingerprint(world)
        if broken_off(world.step, line) and fingerprint(world) == then:
            world.step()
        assert fingerprint(world) == fingerprint(calm)


def test_every_line_of_a_step_leaves_it_made_or_not():
    calm, world = resting(), resting()
    before = fingerprint(world)
    calm.step()
    after, line, found = fingerprint(calm), 0, before
    while found == before:
        line += 1
        assert broken_off(world.step, line)
        found = fingerprint(world)
    assert found == after and line > 100


COMMANDS = {
    "add_body": lambda w: w.add_body(abut.Solid.box(0.1), "new", pose=abut.Pose((3.0, 0.0, 1.0)), friction=0.1),
    "add_joint": lambda w: w.add_joint("hinge", *w.bodies[2:4], anchor=(0, 0, 0), axis=(0, 0, 1), limits=(-1.0, 2.0)),
    "remove joint": lambda w: w.joints[0].remove(),
    "motor": lambda w: setattr(w.joints[0], "motor", None),
    "limits": lambda w: setattr(w.joints[0], "limits", (-1.0, 3.0)),
    "spring": lambda w: setattr(w.joints[0], "spring", abut.Spring(1.0, 2.0)),
    "set_pair": lambda w: w.set_pair(w.body("box 0"), w.body("box 1"), "ignore", friction=0.7),
    "pose": lambda w: setattr(w.body("box 3"), "pose", abut.Pose((2.0, 0.0, 1.0))),
    "grab": lambda w: w.body("box 0").grab(abut.Pose((0.0, 0.0, 1.0)), stiffness=5.0, max_force=3.0),
    "velocity": lambda w: setattr(w.body("box 0"), "velocity", (1.0, 2.0, 3.0)),
    "apply_force": lambda w: w.body("box 0").apply_force((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_broken_off_at_any_line_are_done_or_not(name):
    world, done = tumbling(), tumbling()
    for w in (world, done):
        w.run(0.08)
    before, command = fingerprint(world), COMMANDS[name]
    command(done)
    after, line = fingerprint(done), 1
    while broken_off(lambda: command(world), line):
        found = fingerprint(world)
        assert found in (before, after)
        if found == after:
            break
        line += 1
    assert line > 1 and fingerprint(world) == after
    for w in (world, done):
        w.run(0.02)
    assert fingerprint(world) == fingerprint(done)


def test_two_threads_that_step_one_world_get_a_sentence():
    world, alone, refused = tumbling(), tumbling(), []

    def work():
        for _ in range(25):
            try:
                world.step()
            except abut.errors.AbutError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("one thread at a time" in sentence for sentence in refused)
    for _ in range(50 - len(refused)):
        alone.step()
    assert fingerprint(world) == fingerprint(alone)


def test_a_step_during_a_step_is_refused(monkeypatch):
    world, alone, refused, begun, done = tumbling(), tumbling(), [], threading.Event(), threading.Event()
    plain = Stepper.step
    alone.step()

    def slow(self, *given):
        then = plain(self, *given)
        if threading.current_thread() is first:
            begun.set()
            assert done.wait(PATIENCE)
        return then

    def work():
        try:
            world.step()
        except abut.errors.AbutError as error:
            refused.append(str(error))

    monkeypatch.setattr(Stepper, "step", slow)
    first = threading.Thread(target=work)
    first.start()
    assert begun.wait(PATIENCE)
    world.step()
    done.set()
    first.join()
    assert len(refused) == 1 and "one thread at a time" in refused[0] and fingerprint(world) == fingerprint(alone)


def test_other_threads_see_the_last_completed_step(monkeypatch):
    """They look all the time; each step ends only when they have looked while it was under way, and again after it."""
    world, seen, states = tumbling(), [], {}
    stop, looked, plain = threading.Event(), threading.Semaphore(0), Stepper.step

    def look():
        while not stop.is_set():
            now = world._now
            seen.append((now.time, world.contacts.tobytes(), world._now is now))
            looked.release()

    def until_they_have_looked():
        while looked.acquire(blocking=False):
            pass
        for _ in range(2):  # the first look may have begun before
            assert looked.acquire(timeout=PATIENCE)

    def watched(self, *given):
        then = plain(self, *given)
        until_they_have_looked()
        return then

    monkeypatch.setattr(Stepper, "step", watched)
    watcher = threading.Thread(target=look)
    watcher.start()
    states[world.time] = world.contacts.tobytes()
    for _ in range(100):
        world.step()
        states[world.time] = world.contacts.tobytes()
        until_they_have_looked()
    stop.set()
    watcher.join()
    steady = [(time, contacts) for time, contacts, same in seen if same]
    assert {time for time, _ in steady} == set(states)
    assert all(states[time] == contacts for time, contacts in steady)


ALARMS = """
import random, signal, sys
import abut
from physics.test_interrupts import fingerprint, tumbling

class Alarm(BaseException):
    pass

def ring(*_):
    raise Alarm

class Alarms:
    # how long to wait follows how long steps last, however fast the machine is

    def __init__(self, seed):
        self.chance, self.wait, self.rings = random.Random(seed), 1e-3, 0

    def disturb(self, world, steps):
        for _ in range(steps):
            then = world._now
            while world._now is then:
                self.step(world)

    def step(self, world):
        armed = self.chance.random() < 0.7
        try:
            if armed:
                signal.setitimer(signal.ITIMER_REAL, self.chance.uniform(1e-6, self.wait))
            world.step()
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            self.wait *= 0.8 if armed else 1.0
        except Alarm:
            self.rings += 1
            self.wait *= 1.2

signal.signal(signal.SIGALRM, ring)
alarms = Alarms(int(sys.argv[1]))
for _ in range(20):
    calm, world = tumbling(threads=2), tumbling(threads=2)
    for _ in range(150):
        calm.step()
    alarms.disturb(world, 150)
    assert fingerprint(world) == fingerprint(calm)
    if alarms.rings > 40:
        break
assert alarms.rings > 40, alarms.rings
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that interrupt")
@pytest.mark.parametrize("seed", range(3))
def test_a_process_survives_signals_at_any_moment_of_its_steps(seed):
    command = [sys.executable, "-X", "faulthandler", "-c", ALARMS, str(seed)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
