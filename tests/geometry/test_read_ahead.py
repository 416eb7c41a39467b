"""STEP files that are being read before anybody asks for them."""

import pytest

import abut
from abut._cad import reading

pytest.importorskip("OCP", reason="reading STEP needs Open CASCADE: pip install 'abut[cad]'")


@pytest.fixture
def started(monkeypatch):
    """Processes that were started."""
    processes, start = [], reading.start_module
    monkeypatch.setattr(reading, "start_module", lambda *a: processes.append(start(*a)) or processes[-1])
    return processes


def test_a_file_that_was_begun_is_read_once(block_file, started):
    with reading.begun_ahead([block_file]):
        assert len(started) == 1
        assert abut.Solid.load(block_file).volume == pytest.approx(6e-6)
        assert len(started) == 1
        assert abut.Solid.load(block_file).volume == pytest.approx(6e-6)
    assert len(started) == 2


def test_another_tolerance_is_another_reading(block_file, started):
    with reading.begun_ahead([block_file]):
        assert abut.Solid.load(block_file, tolerance=1e-3).volume == pytest.approx(6e-6)
        assert len(started) == 2


def test_what_nobody_asks_for_is_ended(block_file, started):
    with reading.begun_ahead([block_file]):
        folder = reading.reading(block_file, reading.CHORD)
        with folder as begun:
            assert begun.answer.is_dir()
        assert not folder.answer.exists()
        with reading.begun_ahead([block_file]):
            pass
    assert [process.poll() is not None for process in started] == [True, True]
