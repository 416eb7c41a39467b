"""One process of a case of kind "cold": `python -m torture.cold_world MOMENTS` prints what became of it as JSON."""

from __future__ import annotations

import json
import resource
import signal
import sys
from types import FrameType
from typing import NoReturn

import abut

from .reading import look

STEPS = 12


def main(moments: list[float]) -> None:
    """Step a world, break it off after each moment, and compare it with one that was left alone."""
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _break_off)
    world, faults, interrupts = _world(), [], 0
    for moment in moments:
        before = look(world)
        try:
            if not _step(world, moment):
                continue
        except Exception as error:
            faults.append(f"interrupt {interrupts + 1} came as {type(error).__name__}: {error}"[:200])
        interrupts += 1
        after = look(world)
        if not after.same_bits(before) and after.time != before.time + world.dt:
            faults.append(f"interrupt {interrupts}, a world is neither before nor after its step")
    while world.time < (STEPS - 0.5) * world.dt:
        world.step()
    calm = _world()
    while calm.time < world.time - 0.5 * world.dt:
        calm.step()
    if not look(calm).same_bits(look(world)) or calm.contacts.tobytes() != world.contacts.tobytes():
        faults.append("a world that was interrupted while kernels were compiled has other bits")
    sys.stdout.write(json.dumps({"interrupts": interrupts, "faults": faults}) + "\n")


def _break_off(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _step(world: abut.World, moment: float) -> bool:
    """Whether a step was broken off after so much processor time; else it is made, and as many as fit before that."""
    try:
        signal.setitimer(signal.ITIMER_PROF, moment)
        while world.time < (STEPS - 0.5) * world.dt:
            world.step()
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return False


def _world() -> abut.World:
    """Boxes and a ball that fall on each other, and a pendulum."""
    world = abut.World(dt=5e-3, friction=0.4, restitution=0.2)
    world.add_body(abut.HalfSpace((0.0, 0.0, 1.0)), "floor", fixed=True)
    for i in range(2):
        place = abut.Pose.from_rotvec((0.02 * i, 0.0, 0.0601 + 0.13 * i), (0.1 * i, 0.2 * i, 0.0))
        world.add_body(abut.Solid.box(0.1), f"box {i}", pose=place, velocity=(0.0, 0.0, -1.0))
    world.add_body(abut.Sphere(0.04), "ball", pose=abut.Pose((0.3, 0.0, 0.05)), velocity=(-2.0, 0.0, -1.0))
    arm = world.add_body(abut.Solid.box((0.3, 0.02, 0.02)), "arm", pose=abut.Pose((0.85, 0.0, 0.5)))
    world.add_joint("hinge", arm, anchor=(0.7, 0.0, 0.5), axis=(0.0, 1.0, 0.0))
    return world


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
