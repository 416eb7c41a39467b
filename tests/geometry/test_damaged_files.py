"""Files damaged at random: `abut check` answers each or gives a sentence; no crash, no hang, no traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import abut
from abut._cad import child_process, reading

TESTS = Path(__file__).parents[1]


def torment(*arguments):
    """In a process of its own, so that a crash or a hang is a failure of the test and not its end."""
    done = subprocess.run(
        [sys.executable, "-m", "geometry.damage", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.needs_jit
def test_damaged_meshes_are_answered():
    torment("--seeds", "0", "40", "--kinds", "obj", "off", "ply", "stl", "glb", "3mf")


@pytest.mark.needs_jit
def test_damaged_step_files_are_answered():
    pytest.importorskip("OCP")
    torment("--seeds", "0", "8", "--kinds", "step")


@pytest.mark.skipif(not hasattr(signal, "SIGSEGV"), reason="needs signals")
def test_a_crash_of_the_reader_is_a_sentence(block_file, monkeypatch):
    crash = child_process.Outcome(-signal.SIGSEGV, "")
    monkeypatch.setattr(reading, "outcome_of", lambda *a, **k: crash)
    with pytest.raises(abut.FileError, match=r"block.step: Open CASCADE crashed while reading it .SIGSEGV."):
        abut.Solid.load(block_file)


def test_a_reader_that_does_not_end_is_stopped(block_file, monkeypatch):
    monkeypatch.setattr(reading, "_PATIENCE", 1e-3)
    with pytest.raises(abut.FileError, match=r"block.step: Open CASCADE was not done with it after 6\d s"):
        abut.Solid.load(block_file)


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="needs limits of processor time")
def test_a_reader_that_works_for_too_long_is_stopped(block_file, monkeypatch):
    late = child_process.Outcome(-signal.SIGXCPU, "")
    monkeypatch.setattr(reading, "outcome_of", lambda *a, **k: late)
    with pytest.raises(abut.FileError, match=r"block.step: Open CASCADE was not done with it after 6\d s"):
        abut.Solid.load(block_file)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of the address space")
def test_a_reader_without_memory_is_a_sentence(block_file, monkeypatch):
    monkeypatch.setattr(reading, "_memory", lambda: 200 << 20)
    with pytest.raises(abut.FileError, match=r"block.step: Open CASCADE (cannot read it|crashed)"):
        abut.Solid.load(block_file)


def test_a_script_without_a_guard_reads_step_files(block_file):
    script = block_file.with_name("script.py")
    script.write_text("import abut\nprint('start')\nprint(abut.Solid.load('block.step').volume)\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=block_file.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    first, volume = done.stdout.split()
    assert first == "start" and float(volume) == pytest.approx(6e-6)
