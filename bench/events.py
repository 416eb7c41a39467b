"""The event method: cost per event and per smooth second, and against SciPy's solve_ivp with events written by hand.

Siconos takes part in the bounces where an interpreter has it (Debian's package python3-siconos; PyPI has none).
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from math import cos, log, pi, sqrt
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

REPEATS = 15
SCIPY = "solve_ivp"
SICONOS_BALL = Path(__file__).parent / "peers" / "siconos_ball.py"
RUNS_OF_SICONOS = 5
"""In each process, which takes far longer to begin than to run."""
G, RESTITUTION, BOUNCES, SWINGING = 9.81, 0.9, 10, 5.0
BALL_TOLERANCES, PENDULUM_TOLERANCES = (1e-9, 1e-11, 1e-13), (1e-9, 6e-12, 1e-13)
"""Of solve_ivp: with the second one of the pendulum, its error is that of abut."""
Outcome = tuple[float, float]
"""Processor seconds, and the error of the answer."""


def run(console: Any) -> None:
    _against_scipy(console)
    _by_scene(console)


def _against_scipy(console: Any) -> None:
    rivals: dict[str, dict[str, Callable[[], Outcome]]] = {
        f"a ball, {BOUNCES} bounces: time of the last [s]": {"abut": _abut_ball},
        f"a pendulum for {SWINGING:g} s: where it is [m]": {"abut": _abut_pendulum},
    }
    solvers = ((_scipy_ball, BALL_TOLERANCES), (_scipy_pendulum, PENDULUM_TOLERANCES))
    for (_, calls), (solve, tolerances) in zip(rivals.items(), solvers, strict=True):
        for tolerance in tolerances:
            calls[f"{SCIPY}, DOP853, rtol {tolerance:g}"] = _with_tolerance(solve, tolerance)
    if with_siconos := _interpreter_with_siconos():
        next(iter(rivals.values()))["Siconos, LSODAR"] = lambda: _siconos_ball(with_siconos)
    columns = ("problem", "solver", "processor time [ms]", "error", "abut takes")
    table = Table(*columns, title=f"= marks the tolerance of {SCIPY} whose error is nearest to that of abut")
    for problem, calls in rivals.items():
        found = _measure(calls)
        ours, error_of_ours = found.pop("abut")
        table.add_row(problem, "abut", f"{1e3 * ours:.2f}", f"{error_of_ours:.1e}", "")
        names = [name for name in found if name.startswith(SCIPY)]
        nearest = min(names, key=lambda name: abs(log(found[name][1] / error_of_ours)))
        for name, (seconds, error) in found.items():
            ratio = f"{ours / seconds:.3f}x{' =' if name == nearest else ''}"
            table.add_row("", name, f"{1e3 * seconds:.2f}", f"{error:.1e}", ratio)
    console.print(table)


def _with_tolerance(solve: Callable[[float], Outcome], tolerance: float) -> Callable[[], Outcome]:
    return lambda: solve(tolerance)


def _measure(calls: dict[str, Callable[[], Outcome]]) -> dict[str, Outcome]:
    """Medians, interleaved; the first round is for caches and compilers."""
    seen: dict[str, list[Outcome]] = {name: [] for name in calls}
    for repeat in range(REPEATS + 1):
        for name, call in calls.items():
            outcome = call()
            if repeat:
                seen[name].append(outcome)
    return {name: (median(s for s, _ in found), found[-1][1]) for name, found in seen.items()}


def _last_bounce(gap: float) -> float:
    first = sqrt(2.0 * (1.0 - gap) / G)
    return first + 2.0 * first * float((RESTITUTION ** np.arange(1, BOUNCES)).sum())


def _second_run(world: Any, name: str) -> float:
    """Processor seconds of a step from where a body stands, after one that made the tables of its shapes.

    A step of no length takes the check of a body that was put somewhere.
    """
    body, dt = world.body(name), world.dt
    pose = body.pose
    world.step()
    body.pose, world.dt = pose, 1e-15
    world.step()
    body.velocity, body.angular_velocity, world.dt, world.time = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), dt, 0.0
    world.forget_events()
    start = time.process_time()
    world.step()
    return time.process_time() - start


def _abut_ball() -> Outcome:
    from abut import HalfSpace, Pose, Sphere, World

    world = World(method="event", restitution=RESTITUTION)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 1.1)))
    expected = _last_bounce(world.contact_gap)
    world.dt = expected + 0.01
    seconds = _second_run(world, "ball")
    return seconds, abs(world.events[BOUNCES - 1].time - expected)


def _scipy_ball(tolerance: float) -> Outcome:
    from scipy.integrate import solve_ivp

    def touch(_: float, z: Any) -> float:
        return float(z[0])

    touch.terminal, touch.direction = True, -1  # type: ignore[attr-defined]
    expected, t, z, last = _last_bounce(0.0), 0.0, [1.0, 0.0], 0.0
    start = time.process_time()
    for _ in range(BOUNCES):
        options = {"events": touch, "rtol": tolerance, "atol": 0.1 * tolerance, "method": "DOP853"}
        found = solve_ivp(lambda _, z: (z[1], -G), (t, t + 2.0), z, **options)
        t = last = float(found.t_events[0][0])
        z = [0.0, -RESTITUTION * float(found.y_events[0][0][1])]
    return time.process_time() - start, abs(last - expected)


def _interpreter_with_siconos() -> str | None:
    """The interpreter that runs the benchmark, or that of the system."""
    for python in (sys.executable, shutil.which("python3", path=os.defpath)):
        if python and not subprocess.run([python, "-c", "import siconos"], capture_output=True).returncode:
            return python
    return None


def _siconos_ball(python: str) -> Outcome:
    given = [str(number) for number in (G, RESTITUTION, BOUNCES, RUNS_OF_SICONOS)]
    done = subprocess.run([python, str(SICONOS_BALL), *given], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return median(found["seconds"]), abs(found["time"] - _last_bounce(0.0))


def _reference(moment: float, mass: float) -> float:
    """Angle of the pendulum at the end, by a Runge-Kutta method of order 4 with very short steps."""
    n = 200_000
    h, angle, rate, pull = SWINGING / n, 0.0, 0.0, 0.5 * mass * G / moment
    for _ in range(n):
        a = pull * cos(angle)
        b = pull * cos(angle + 0.5 * h * rate)
        c = pull * cos(angle + 0.5 * h * (rate + 0.5 * h * a))
        d = pull * cos(angle + h * (rate + 0.5 * h * b))
        angle, rate = angle + h * (rate + h * (a + b + c) / 6.0), rate + h * (a + 2.0 * b + 2.0 * c + d) / 6.0
    return angle


_ARM = (1000.0 * 0.01, 1000.0 * 0.01 * ((1.0 + 0.01) / 12.0 + 0.25))
"""Mass [kg] and moment of inertia about the hinge [kg m^2]."""
_KNOWN: list[float] = []


def _at_the_end() -> float:
    if not _KNOWN:
        _KNOWN.append(_reference(_ARM[1], _ARM[0]))
    return _KNOWN[0]


def _abut_pendulum() -> Outcome:
    from abut import Pose, Solid, World

    world = World(method="event", dt=SWINGING)
    arm = world.add_body(Solid.box((1.0, 0.1, 0.1)), "arm", pose=Pose((0.5, 0.0, 0.0)))
    world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    seconds = _second_run(world, "arm")
    return seconds, abs(float(arm.pose.position[0]) - 0.5 * cos(_at_the_end()))


def _scipy_pendulum(tolerance: float) -> Outcome:
    from scipy.integrate import solve_ivp

    def too_far(_: float, z: Any) -> float:
        return float(z[0]) - 1.5 * pi

    start, pull = time.process_time(), 0.5 * _ARM[0] * G / _ARM[1]
    options = {"events": too_far, "rtol": tolerance, "atol": 0.1 * tolerance, "method": "DOP853"}
    found = solve_ivp(lambda _, z: (z[1], pull * cos(z[0])), (0.0, SWINGING), (0.0, 0.0), **options)
    return time.process_time() - start, 0.5 * abs(cos(float(found.y[0, -1])) - cos(_at_the_end()))


def _by_scene(console: Any) -> None:
    table = Table("scene", "events", "ms per event", "ms per smooth second", title="processor time of the event method")
    scenes = {"ball": _ball, "block": _block, "block with friction": _rough_block, "pendulum": _pendulum}
    for name, make in {**scenes, "double pendulum": _double_pendulum, "rings": _rings}.items():
        _run(make())
        events, busy, smooth = _run(make())
        per_event = f"{1e3 * busy / events:.2f}" if events else "-"
        table.add_row(name, str(events), per_event, f"{1e3 * smooth:.1f}" if smooth else "-")
    console.print(table)


def _run(scene: tuple[Any, float]) -> tuple[int, float, float]:
    """Events, processor seconds of steps with some, and of those without per second of the world."""
    world, duration = scene
    busy = smooth = quiet = 0.0
    for _ in range(round(duration / world.dt)):
        start, before = time.process_time(), len(world.events)
        world.step()
        seconds = time.process_time() - start
        if len(world.events) > before:
            busy += seconds
        else:
            smooth, quiet = smooth + seconds, quiet + world.dt
    return len(world.events), busy, smooth / quiet if quiet else 0.0


def _ball() -> tuple[Any, float]:
    from abut import HalfSpace, Pose, Sphere, World

    world = World(method="event", dt=0.05, restitution=RESTITUTION)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 1.1)))
    return world, 3.0


def _block(friction: float = 0.0) -> tuple[Any, float]:
    from abut import HalfSpace, Pose, Solid, World

    world = World(method="event", dt=0.05, restitution=0.5, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    pose = Pose.from_rotvec((0.0, 0.0, 0.6), (0.3, 0.4, 0.2))
    world.add_body(Solid.box((0.3, 0.2, 0.1)), "block", pose=pose, angular_velocity=(1.0, 2.0, 3.0))
    return world, 1.5


def _rough_block() -> tuple[Any, float]:
    return _block(friction=0.3)


def _double_pendulum() -> tuple[Any, float]:
    return _pendulum(links=2)


def _pendulum(links: int = 1) -> tuple[Any, float]:
    from abut.scene import scenes

    world = scenes.pendulum(n=links).world
    world.method, world.dt = "event", 0.05
    return world, 2.0


def _rings() -> tuple[Any, float]:
    from abut import Pose, World, parts

    world, ring = World(method="event", dt=0.01, restitution=0.2), parts.ring(segments=16, sides=8)
    for i in range(3):
        pose = Pose.from_rotvec((0.0, 0.0, -0.08 * i), (0.5 * pi * (1 - i % 2), 0.5 * pi * (i % 2), 0.0))
        given: dict[str, Any] = {"fixed": True} if i == 0 else {"velocity": (0.3 * i, 0.0, 0.0)}
        world.add_body(ring, f"ring {i}", pose=pose, **given)
    return world, 0.3
