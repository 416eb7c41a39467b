"""Cases come from seeds alone, can be written down, are shrunk, and are counted."""

import json
import os
import signal
import subprocess

import pytest
from torture.__main__ import main
from torture.cases import KINDS, draw, judge
from torture.finding import Finding, Verdict
from torture.inputs import CALLS
from torture.play import Game
from torture.shrink import shrink
from torture.twins import interrupt_at, restored_findings

from torture import clock, cold, files, ledger, play, worker, worlds


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_seed_gives_the_same_case_and_json_keeps_every_bit(kind):
    for seed in range(20):
        case = draw(kind, seed)
        assert json.loads(json.dumps(case)) == case == draw(kind, seed)


@pytest.mark.needs_jit
def test_a_case_gives_the_same_verdict_twice():
    case = draw("worlds", 6)
    first, second = judge(case), judge(json.loads(json.dumps(case)))
    assert first.counts == second.counts
    assert first.findings == second.findings


def test_worlds_that_last_longer_begin_like_others(monkeypatch):
    long = [draw("worlds", seed) for seed in range(30)]
    monkeypatch.setattr(worlds, "LONG", 0.0)
    short = [draw("worlds", seed) for seed in range(30)]
    lasting = [(a, b) for a, b in zip(long, short, strict=True) if a["steps"] != b["steps"]]
    assert 5 < len(lasting) < 25
    for a, b in lasting:
        assert a["steps"] >= 3 * b["steps"]
        assert a["bodies"] == b["bodies"]
        assert [e for e in a["events"] if e["at"] < b["steps"]] == b["events"]


def test_shrinking_keeps_what_matters():
    case = draw("worlds", 10)
    assert len(case["bodies"]) > 3

    def fails_with_two_bodies(smaller):
        names = {body["name"] for body in smaller["bodies"]}
        return Verdict([Finding("some law", "", step=2)] if {"b0", "b1"} <= names else [])

    smallest = shrink(case, "some law", fails_with_two_bodies)
    assert [body["name"] for body in smallest["bodies"]] == ["b0", "b1"]
    assert smallest["steps"] == 3
    assert smallest["events"] == []


def test_edits_of_files():
    data = bytes(range(10))
    assert files._edited(data, ["put", 2, "ffff"]) == bytes([0, 1, 255, 255, 4, 5, 6, 7, 8, 9])
    assert files._edited(data, ["cut", 8, 100]) == data[:8]
    assert files._edited(data, ["insert", 1, "07"]) == bytes([0, 7, *range(1, 10)])
    assert files._edited(data, ["replace", 0, 9, "31"]) == bytes([0x31, 9])


@pytest.mark.parametrize("name", sorted(path.name for path in files.SEEDS.iterdir()))
def test_undamaged_files_are_read(name):
    verdict = files.judge_files({"kind": "files", "seed": 0, "base": name, "edits": [], "repair": False})
    assert verdict.findings == []
    assert verdict.counts["files that could be read"] >= 1  # several parts are no single one


def test_runs_add_up(tmp_path):
    for seed in (1, 2):
        run = ledger.Run(seed, None)
        verdict = Verdict(counts={"steps": 10, "worlds": 1})
        verdict.see("step_seconds", 0.1 * seed)
        verdict.findings.append(Finding("overlap", "two boxes", step=3))
        run.add({"kind": "worlds", "seed": seed}, verdict, 60.0)
        run.write(tmp_path)
    text = (tmp_path / "summary.md").read_text()
    assert "| steps | 20 |" in text
    assert "| step_seconds | 0.2 | worlds:2 |" in text
    assert "**overlap**: 2" in text


def _crash(pipe):
    pipe.recv()
    os._exit(11)


def _sleep(pipe):
    pipe.recv()
    signal.pause()


def _burn(pipe):
    _, seconds = pipe.recv()
    worker._limit_time(seconds)
    while True:
        pass


@pytest.mark.parametrize(("serve", "law"), [(_crash, "crash"), (_sleep, "hang"), (_burn, "hang")])
def test_crashes_and_hangs_are_findings(monkeypatch, serve, law):
    monkeypatch.setattr(worker, "WAITING", 1.0 if serve is _sleep else 600.0)
    monkeypatch.setattr(worker, "_serve", serve)
    monkeypatch.setattr(worker, "START", "fork")
    monkeypatch.setattr(worker, "FIRST_PATIENCE", 1.0)
    judged = worker.Worker()
    assert judged.judge({}, 1.0).laws() == {law}
    judged.stop()


@pytest.mark.parametrize("pace", [1.0, 3.0])
def test_a_step_is_slow_beside_what_the_machine_does_at_present(monkeypatch, pace):
    game = Game(draw("worlds", 6))
    monkeypatch.setattr(play, "pace", lambda: pace)
    assert game._slow(0.99 * play.SLOW_STEP * pace) == []
    assert [finding.law for finding in game._slow(1.01 * play.SLOW_STEP * pace)] == ["slow"]


@pytest.mark.parametrize(("times", "pace"), [(0.5, 1.0), (1.0, 1.0), (4.0, 4.0)])
def test_the_pace_is_that_of_the_yardstick(monkeypatch, times, pace):
    assert clock._yardstick() > 0.0
    monkeypatch.setattr(clock, "_yardstick", lambda: times * clock.YARDSTICK_SECONDS)
    assert clock.pace() == pace


def test_a_step_is_interrupted_at_a_line():
    case = draw("worlds", 6)
    world = Game(case).world
    assert interrupt_at(world, 5)
    assert not interrupt_at(world, 10**9)
    assert restored_findings(world) == []


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--kind", "files", "--cases", "2", "--seed", "0"]) == 0
    assert (tmp_path / "out/torture/runs.jsonl").exists()
    assert "files" in capsys.readouterr().out


def test_nonsense_is_refused_or_works():
    verdict = judge({"kind": "inputs", "seed": 0, "calls": [{"call": "Solid.box", "wrong": {"size": "text"}}]})
    assert verdict.findings == []
    assert verdict.counts == {"calls": 1}


def test_good_arguments_of_all_calls_are_good():
    for function, good in CALLS.values():
        if good != {"value": None}:
            function(**good)


def test_an_exception_that_is_no_sentence_is_a_finding(monkeypatch):
    monkeypatch.setitem(CALLS, "Sphere", (lambda radius: 1 / 0, {"radius": 1.0}))
    verdict = judge({"kind": "inputs", "seed": 0, "calls": [{"call": "Sphere", "wrong": {"radius": "nan"}}]})
    assert verdict.laws() == {"exception"}


def test_a_damaged_snapshot_is_read_behind_its_checksum():
    blob = (files.SEEDS / "world.snapshot").read_bytes()
    assert files._with_checksum(blob) == blob
    changed = blob[:-1] + bytes([blob[-1] ^ 255])
    assert files._with_checksum(changed) != changed


@pytest.mark.needs_jit
def test_worlds_that_are_interrupted_while_kernels_compile_go_on_with_the_same_bits(times):
    """Each takes a minute or two of compiling."""
    seeds = range(times(0, 3))
    if not seeds:
        pytest.skip("only with ABUT_THOROUGH=1")
    for seed in seeds:
        verdict = judge(draw("cold", seed))
        assert verdict.findings == []
        assert verdict.counts["interrupts"] > 3


@pytest.mark.parametrize(
    ("code", "out", "laws"),
    [
        (0, {"interrupts": 5, "faults": []}, set()),
        (0, {"interrupts": 5, "faults": ["other bits"]}, {"interrupt"}),
        (-11, {}, {"interrupt"}),
    ],
)
def test_what_becomes_of_a_cold_start_is_judged(monkeypatch, code, out, laws):
    done = subprocess.CompletedProcess([], code, json.dumps(out) + "\n", "")
    monkeypatch.setattr(cold.subprocess, "run", lambda *_, **__: done)
    assert judge(draw("cold", 1)).laws() == laws
