"""What a step took, by a clock that stands still while kernels are compiled; its objects are quick to read."""

import pytest

from abut.dynamics import report
from abut.dynamics.report import StepReport, Stopwatch
from abut.scene import scenes

FAST = 29
"""Attributes of an object that Python 3.11 to 3.13 read by their places; objects with more take longer at every one."""


class Clock:
    """A clock and a compiler that are told what time it is."""

    now = compiled = 0.0

    def pass_by(self, seconds, compiled=0.0):
        self.now, self.compiled = self.now + seconds, self.compiled + compiled


def test_phases_add_up_without_what_compiling_took(monkeypatch):
    clock, told = Clock(), StepReport()
    monkeypatch.setattr(report, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(report, "seconds_compiled", lambda: clock.compiled)
    clock.pass_by(5.0, 5.0)
    watch = Stopwatch(told)
    for seconds, compiled, phase in (
        (1e-4, 0.0, "predict"),
        (3.0, 2.5, "solve"),
        (1e-4, 0.0, "predict"),
        (2.0, 0.0, "solve"),
    ):
        clock.pass_by(seconds, compiled)
        watch.lap(phase)
    assert told.seconds == pytest.approx({"predict": 2e-4, "solve": 2.5})


@pytest.mark.needs_jit
def test_what_a_step_reads_most_is_read_fast():
    scene = scenes.make("tumbling")
    for _ in range(3):
        scene.step()
    stepper = scene.world._steppers[-1]
    parts = (stepper, stepper._search, stepper._balance, stepper._account, stepper._guard, stepper.state)
    assert {type(part).__name__: len(vars(part)) for part in parts if len(vars(part)) > FAST} == {}
