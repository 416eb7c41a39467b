"""Play for as long as one likes: nothing that is kept grows for ever."""

import gc
from pathlib import Path

import numpy as np
import pytest

from abut.app.play.commands import Command
from abut.app.play.session import Session
from abut.app.play.session_state import MOST_UNDO
from abut.app.play.sources import open_source

STATM = Path("/proc/self/statm")
pytestmark = [
    pytest.mark.skipif(not STATM.exists(), reason="this system does not tell the memory of a process in /proc"),
    pytest.mark.needs_jit,
]
PAGE_SIZE = 4096
STEPS = 20


def resident():
    """[MB]."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * PAGE_SIZE / 1e6


def drag(session, number):
    peg = session.world.body("peg")
    start = np.array(peg.pose.position)
    session.obey(Command("grab", {"body": peg.index, "point": (0.0, 0.0, 0.0), "target": tuple(start)}))
    for k in range(STEPS):
        way = 2e-3 * np.array((np.sin(0.3 * k), np.cos(0.3 * k), -1.0))
        session.obey(Command("move", {"target": tuple(start + way)}))
        session.step()
    session.frame(1.0)
    session.obey(Command("release", {}))
    session.obey(Command(("undo", "redo", "reset", "undo")[number % 4], {}))


def test_memory_is_flat_once_all_that_is_kept_is_full(monkeypatch):
    """A track that begins anew every 200 rows, more drags than can be undone, regions and a distance in all frames."""
    monkeypatch.setattr("abut.app.play.recorded.MOST_ROWS", 200)
    session = Session(open_source(["peg_in_hole"]))
    session.obey(Command("regions", {"on": True}))
    session.obey(Command("measure", {"body": 0, "other": 1}))
    for number in range(2 * MOST_UNDO):
        drag(session, number)
    before = resident()
    for number in range(4 * MOST_UNDO):
        drag(session, number)
    assert len(session._undo) <= MOST_UNDO and len(session._recorded.rows) <= 200 + STEPS
    assert resident() - before < 4.0
