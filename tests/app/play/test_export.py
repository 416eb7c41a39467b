"""A recorded run as one page: what is inside, and what its timeline marks; test_page.py opens it without network."""

import struct

import numpy as np

from abut import Pose, Run, Solid, World, recording, scenes
from abut.app.play.export import chosen_states, page_of_run, record_of
from abut.app.play.marks import KINDS, MOST_MARKS, marks_of


def recorded(folder):
    scene = scenes.free_fall(height=2e-3)
    with recording(scene.world, folder) as recorder:
        for _ in range(60):
            recorder.step()
    return Run(folder)


def pieces(data):
    at, found = 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def test_a_record_holds_the_scene_and_its_states(tmp_path):
    run = recorded(tmp_path / "run")
    scene, *frames = pieces(record_of(run))
    assert struct.unpack_from("<I", scene)[0] == 0xAB06
    shown = chosen_states(run.times)
    assert len(frames) == len(shown) and shown[0] == 0 and shown[-1] == len(run.times) - 1
    n = len(run.bodies)
    last = np.frombuffer(frames[-1], "<f8", 7 * n, 40).reshape(n, 7)
    for body, row in zip(run.bodies, last, strict=True):
        assert (row == run.poses(body)[-1]).all()
    assert struct.unpack_from("<I", frames[-1], 8)[0] == (run.contacts["step"] == run.steps[-1]).sum()
    page = page_of_run(run)
    assert page.count('id="abut-record"') == 1 and len(page) < 1_500_000


def test_the_timeline_marks_impacts_touches_partings_and_notes(tmp_path):
    world = World()
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    block = world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.024)), density=2700.0)
    with recording(world, tmp_path / "run") as recorder:
        for k in range(160):
            if k == 100:
                block.grab(Pose((0.0, 0.0, 0.1)), stiffness=1e3)
                recorder.note("hand", "lifted the block")
            recorder.step()
    marks = marks_of(Run(tmp_path / "run"))
    assert {mark.kind for mark in marks} <= set(KINDS) and marks == sorted(marks, key=lambda mark: mark.time)
    impact = next(mark for mark in marks if mark.kind == "impact")
    assert abs(impact.time - np.sqrt(2.0 * 4e-3 / 9.81)) < 3e-3 and "floor and block" in impact.text
    assert next(mark for mark in marks if mark.kind == "note").text == "lifted the block"
    assert [mark.time > 0.1 for mark in marks if mark.kind == "let go"][-1]


def test_a_timeline_keeps_what_matters_most(tmp_path, monkeypatch):
    monkeypatch.setattr("abut.app.play.marks.MOST_MARKS", 1)
    (only,) = marks_of(recorded(tmp_path / "run"))
    assert only.kind == "impact" and MOST_MARKS > 1


def test_long_runs_are_thinned():
    assert len(chosen_states(np.arange(0.0, 100.0, 1e-3))) <= 3002
    assert len(chosen_states(np.array([0.0]))) == 1
