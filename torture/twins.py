"""Twins: a world that was saved and restored, or interrupted, goes on with the same bits as one that was not."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

import abut

from .finding import Finding
from .reading import look

STEPS = 3
"""By how many steps twins are followed."""


class Interruption(Exception):
    """Raised where a signal might arrive."""


def restored_findings(world: abut.World) -> list[Finding]:
    """A world and its copy from a snapshot, stepped side by side; the world itself is left as it was."""
    blob = world.save()
    a, b = abut.World.restore(blob), abut.World.restore(world.save())
    if not look(a).same_bits(look(world)):
        return [Finding("restore", "a restored world has other bits than the one that was saved")]
    return _compare("restore", a, b, "two worlds restored from one snapshot part")


def interrupted_findings(world: abut.World, line: int) -> list[Finding]:
    """A copy that is interrupted at a line of a step against one that is not."""
    calm, shaken = abut.World.restore(world.save()), abut.World.restore(world.save())
    before = look(shaken)
    interrupted = interrupt_at(shaken, line)
    after = look(shaken)
    calm.step()
    done, undone = after.same_bits(look(calm)), after.same_bits(before)
    if not done and not undone:
        return [Finding("interrupt", f"interrupted at line {line}, a world is neither before nor after its step")]
    if undone and interrupted:
        shaken.step()
    return _compare("interrupt", shaken, calm, f"interrupted at line {line}, a world goes on with other bits")


def raced_findings(world: abut.World) -> list[Finding]:
    """Two threads that step one copy: each step is made by one of them or refused, and none is lost."""
    raced, calm = abut.World.restore(world.save()), abut.World.restore(world.save())
    made, wrong = [0], []
    lock = threading.Lock()

    def work() -> None:
        for _ in range(STEPS):
            try:
                _go_on(raced)
            except abut.AbutError:
                continue
            except Exception as error:
                wrong.append(f"{type(error).__name__}: {error}")
                return
            with lock:
                made[0] += 1

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        return [Finding("race", f"two threads that step one world: {wrong[0]:.200}")]
    for _ in range(made[0]):
        _go_on(calm)
    return _compare("race", raced, calm, f"two threads made {made[0]} steps, and one thread gets other bits")


def _compare(law: str, a: abut.World, b: abut.World, text: str) -> list[Finding]:
    for _ in range(STEPS):
        if not look(a).same_bits(look(b)) or a.contacts.tobytes() != b.contacts.tobytes():
            return [Finding(law, text)]
        _go_on(a)
        _go_on(b)
    return []


def _go_on(world: abut.World) -> None:
    """Make a step, or the part of it after which the world stops."""
    with suppress(abut.StoppedError):
        world.step()


def interrupt_at(world: abut.World, line: int) -> bool:
    """Step a world and raise at the given line of abut's own Python code; False if the step ended before that."""
    left = [line]

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if "abut" not in frame.f_code.co_filename or "_jit" in frame.f_code.co_filename:
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                raise Interruption
        return trace

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        world.step()
    except Interruption:
        return True
    finally:
        sys.settrace(old)
    return False
