"""A recorded run as one page: what is inside, and what its timeline marks; test_page.py opens it without network."""

import json
import struct

import numpy as np

from abut import HalfSpace, Pose, Run, Solid, Sphere, World, recording, scenes
from abut.app.play.event_words import event_text, impulse_text
from abut.app.play.export import chosen_states, page_of_run, record_of
from abut.app.play.marks import KINDS, MOST_MARKS, marks_of
from abut.app.play.recorded_regions import recorded_regions


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


def status(frame):
    _, bodies, contacts, _, _, text, edges, soft, _ = struct.unpack_from("<IIIIdIIII", frame)
    after = 40 + 56 * bodies + 112 * contacts + 56 * edges + soft
    return json.loads(frame[after : after + text])


def about(scene):
    (length,) = struct.unpack_from("<I", scene, 4)
    return json.loads(scene[8 : 8 + length])


def bounced(folder):
    """A ball that falls from 50 mm, by the method "event"."""
    world = World(method="event", restitution=0.5, dt=5e-3)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.01), "ball", pose=Pose((0.0, 0.0, 0.06)))
    world.run(0.3, record=folder)
    return world, Run(folder)


def test_events_that_the_world_noted_are_marked_in_words(tmp_path):
    """Each once, at its own time: none is found again in the contacts of steps."""
    world, run = bounced(tmp_path / "run")
    marks = marks_of(run)
    assert [(mark.time, mark.kind) for mark in marks] == [(event.time, event.kind) for event in world.events]
    first = world.events[0]
    assert first.kind == "impact" and marks[0].text.startswith("floor (face 0) and ball (")
    assert marks[0].text.endswith(f", {impulse_text(float(np.linalg.norm(first.impulse)))}")
    assert (impulse_text(0.25), impulse_text(2.5e-4)) == ("0.25 N s", "0.25 mN s")
    assert event_text({"kind": "impact", "text": "by hand"}) == "by hand"


def test_a_replay_has_the_regions_of_the_world(tmp_path):
    """A block that falls: none before it touches, then a surface that bears its weight."""
    run = recorded(tmp_path / "run")
    scene, *frames = pieces(record_of(run))
    assert about(scene)["regions"] is True
    told = [status(frame)["regions"] for frame in frames]
    assert told[0] == []
    last = next(rows for rows in reversed(told) if rows is not True)
    world = run.world_at(run.times[-1])
    (region,) = last
    assert region["dim"] == world.regions[0].dim and region["text"].startswith("face")
    assert region["force"][2] == float(f"{world.regions[0].wrench[2]:.5g}") > 0.0


def test_regions_of_a_replay_can_be_left_out_or_cut_short(tmp_path, monkeypatch):
    run = recorded(tmp_path / "run")
    shown = chosen_states(run.times)
    none = recorded_regions(run, shown, 0.0)
    assert none.rows == [None] * len(shown) and not none.note
    scene, *_ = pieces(record_of(run, 0.0))
    assert about(scene)["regions"] is False
    monkeypatch.setattr("abut.app.play.recorded_regions.MOST_BYTES", 10)
    few = recorded_regions(run, shown, None)
    assert few.rows[-1] is None and "contact regions are shown up to" in few.note


def test_a_run_that_does_not_repeat_itself_shows_no_wrong_regions(tmp_path):
    run = recorded(tmp_path / "run")
    shown = chosen_states(run.times)
    run.__dict__["all_poses"] = run.all_poses + 1e-3
    assert recorded_regions(run, shown, None).note.endswith("there the run does not repeat itself")


def test_the_picture_has_room_for_all_motion_that_is_not_too_wide(tmp_path):
    _, run = bounced(tmp_path / "run")
    scene, *_ = pieces(record_of(run))
    low, high = about(scene)["roam"]
    np.testing.assert_allclose((*low, *high), (-0.01, -0.01, 0.0, 0.01, 0.01, 0.07), atol=1e-4)
    run = recorded(tmp_path / "far")
    far = run.all_poses.copy()
    far[:, :, 0] += np.linspace(0.0, 5.0, len(run))[:, None]
    run.__dict__["all_poses"] = far
    scene, *_ = pieces(record_of(run, 0.0))
    assert about(scene)["roam"] is None


def test_energies_of_a_replay_are_those_of_the_run(tmp_path):
    run = recorded(tmp_path / "run")
    _, *frames = pieces(record_of(run))
    assert status(frames[0])["energy"] == (run.kinetic_energy() + run.potential_energy())[0]
