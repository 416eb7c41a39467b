"""Processor time, told so that neither compiling nor a slow or busy machine makes anything seem slow."""

from __future__ import annotations

import time

import numpy as np

from abut._jit.progress import seconds_compiled

YARDSTICK_SECONDS = 0.02
"""[s] of processor time that the yardstick takes on the machine on which limits of time were chosen."""
_UNSORTED = np.random.default_rng(0).random(200_000)


def working_time() -> float:
    """[s] of processor time without what compiling kernels took: each step may be the first to need one."""
    return time.process_time() - seconds_compiled()


def pace() -> float:
    """How many times longer the same work takes at present than where limits were chosen; at least 1."""
    return max(1.0, _yardstick() / YARDSTICK_SECONDS)


def _yardstick() -> float:
    """[s] of processor time for work that has nothing to do with abut: numbers sorted, and added in Python."""
    begin = time.process_time()
    order = np.argsort(_UNSORTED, kind="stable").tolist()
    total = 0.0
    for place in order:
        total += place % 7
    return time.process_time() - begin
