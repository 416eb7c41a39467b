"""Runs: what was recorded is what happened, to the bit, and nothing that was computed is lost."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

import abut
from abut.app.cli import run as abut_command
from abut.app.runs import scene_run
from abut.app.runs.folder import FORMAT, RunFolder
from abut.app.runs.reader import read_record
from abut.app.runs.region_table import EVENT_KINDS

SCENE = """
title = "A box slides, is pushed to and fro, and another one falls on it"
[world]
dt = 2e-3
duration = 0.4
friction = 0.3
[parts.box]
library = "box"
[bodies.floor]
shape = "half_space"
fixed = true
[bodies.box]
part = "box"
position = [0, 0, 0.0501]
velocity = [0.5, 0, 0]
[bodies.other]
part = "box"
position = [0.02, 0.01, 0.2]
rotvec = [0.1, 0.2, 0.3]
[drives.push]
body = "box"
force = ["=20*sin(40*t)", 0, 0]
[measures]
way = "pose.x of box at end"
push = "largest force of other"
mean = "mean speed of box"
landed = { reached = { body = "other", position = [0, 0, 0.15], within = 0.05 } }
"""


@pytest.fixture
def scene(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE)
    return file


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Snapshots and chunks often enough that short runs have several."""
    monkeypatch.setattr("abut.app.runs.recorder.SNAPSHOT_STEPS", 50)
    monkeypatch.setattr("abut.app.runs.writer.CHUNK", 16 * 1024)


def finished(scene, out, **changes):
    going = scene_run.begin(scene, out, changes)
    for _ in going.steps():
        pass
    going.close("finished")
    return abut.Run(out)


def messages(run):
    """All that a record says, but for the versions and the seconds."""
    return [(m.topic, m.stamp, m.data) for m in read_record(run.folder.record).messages]


# What is recorded is what happened


def test_states_contacts_and_reports_are_those_of_the_world(tmp_path):
    world = abut.scenes.stack(n=3).world
    poses, contacts, reports = [world.bodies[1].pose.row], [], []
    with abut.recording(world, tmp_path / "run") as recorder:
        for _ in range(60):
            reports.append(recorder.step())
            poses.append(world.bodies[1].pose.row)
            contacts.append(world.contacts)
    run = abut.Run(tmp_path / "run")
    np.testing.assert_allclose(run.poses("box 0"), poses, rtol=0, atol=1e-15)
    assert run.times[-1] == world.time and len(run) == 61 and run.complete and run.lost == ""
    for k, table in enumerate(contacts):
        found = run.contacts[run.contacts["step"] == k + 1]
        assert set(table.dtype.names) - set(found.dtype.names) == {"region"}
        for name in set(table.dtype.names) - {"region"}:
            assert (found[name] == table[name]).all()
    assert run.reports["rounds"].tolist() == [float(report.rounds) for report in reports]
    assert run.summary["steps"] == 60 and run.summary["state"] == "finished"
    assert run.kinetic_energy()[-1] == pytest.approx(world.kinetic_energy, abs=1e-15)


def test_a_world_can_be_stepped_again_from_anywhere_whatever_was_done_to_it(tmp_path, rng):
    world = abut.scenes.stack(n=3).world
    top, states = world.body("box 2"), []
    with abut.recording(world, tmp_path / "run") as recorder:
        for k in range(140):
            if k % 3 == 0:
                top.apply_force(rng.normal(size=3) * 20.0, top.pose.position)
            if k == 40:
                top.grab(abut.Pose((0.1, 0.0, 0.5)), max_force=300.0)
            if k == 70:
                top.release()
                world.body("box 1").velocity = (0.1, 0.0, 0.0)
            if k == 90:
                top.pose = abut.Pose((0.3, 0.0, 0.4))
            if k == 110:
                world.gravity, world.friction = (0.0, 1.0, -9.0), 0.4
            recorder.step()
            states.append(world.save())
    run = abut.Run(tmp_path / "run")
    for k in (0, 17, 49, 50, 69, 70, 71, 90, 91, 99, 120, 139):
        again = run.world_at(run.times[k + 1])
        then = abut.World.restore(states[k])
        assert again._state.pose.tobytes() == then._state.pose.tobytes(), k
        assert again._state.twist.tobytes() == then._state.twist.tobytes(), k
        assert (again.contacts == then.contacts).all()


def told(regions):
    """What a list of regions says, and what became of them."""
    rows = [(r.label, r.dim, r.feature_a, r.feature_b, r.wrench.tolist(), r.point_labels.tolist()) for r in regions]
    return regions.time, rows, regions.events()


def test_regions_of_a_run_are_what_the_world_said_also_where_it_was_changed(tmp_path):
    world = abut.scenes.stack(n=3).world
    top, said = world.body("box 2"), [told(world.regions)]
    with abut.recording(world, tmp_path / "run") as recorder:
        for k in range(60):
            if k == 20:
                top.velocity = (0.3, 0.0, 0.0)
            if k == 40:
                top.pose = abut.Pose((0.3, 0.0, 0.4))
            recorder.step()
            said.append(told(world.regions))
    run = abut.Run(tmp_path / "run")
    again = [told(regions) for regions in run.regions()]
    assert len({label for _, rows, _ in said for label, *_ in rows}) > 2
    assert {event.kind for _, _, events in said for event in events} >= {"born", "died"}
    assert again == said
    later = [told(regions) for regions in run.regions(run.times[30], run.times[50])]
    assert [(time, [row[2:4] for row in rows]) for time, rows, _ in later] == [
        (time, [row[2:4] for row in rows]) for time, rows, _ in said[30:51]
    ]
    with pytest.raises(abut.InputError, match=r"since: the run begins at 0 s"):
        next(run.regions(-1.0))


def sliding_boxes():
    world = abut.World(friction=0.3, dt=2e-3)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    world.add_body(abut.Solid.box(0.1), "low", pose=abut.Pose((0, 0, 0.05)), velocity=(0.4, 0, 0))
    world.add_body(abut.Sphere(0.03), "ball", pose=abut.Pose((0.01, 0, 0.14)))
    return world


def test_a_run_that_was_recorded_with_regions_holds_them_and_what_became_of_them(tmp_path):
    """The tables are what the world said, to the bit, and what a run without them says when it is stepped again."""
    world, said, became = sliding_boxes(), [], []
    with abut.recording(world, tmp_path / "with", regions=True) as recorder:
        for _ in range(120):
            recorder.step()
            said += [(recorder.number, r.label, r.dim, r.area, *r.wrench, *r.centre) for r in world.regions]
            became += [(recorder.number, e.kind, e.label, e.body_a, e.body_b) for e in world.region_events]
    run = abut.Run(tmp_path / "with")
    table, events = run.region_table[run.region_table["step"] > 0], run.region_events
    rows = [
        (int(r["step"]), int(r["label"]), int(r["dim"]), float(r["area"]), *r["wrench"].tolist(), *r["centre"].tolist())
        for r in table
    ]
    assert rows == said and len(rows) > 100 and run.has_regions
    names = [(run.body_name(int(e["body_a"])), run.body_name(int(e["body_b"]))) for e in events]
    told = [
        (int(e["step"]), EVENT_KINDS[e["kind"]], int(e["label"]), *pair) for e, pair in zip(events, names, strict=True)
    ]
    assert told == became and {kind for _, kind, *_ in told} >= {"born", "slip", "stick"}
    face = run.feature(1, int(table["kind_b"][0]), int(table["feature_b"][0]))
    assert face.kind == "face" and (table["feature_a"][table["body_a"] == 0] == 0).all()

    with abut.recording(sliding_boxes(), tmp_path / "without") as recorder:
        for _ in range(120):
            recorder.step()
    plain = abut.Run(tmp_path / "without")
    assert not plain.has_regions
    for mine, found in ((plain.region_table, run.region_table), (plain.region_events, run.region_events)):
        assert mine.dtype == found.dtype and (mine == found).all()


def test_a_run_with_regions_that_is_resumed_has_the_same_labels(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert abut_command(["run", str(file), "--out", str(whole), "--regions"]) == 0
    assert abut_command(["run", str(file), "--out", str(cut), "--regions", "--duration", "0.1"]) == 0
    assert abut_command(["run", str(file), "--out", str(cut), "--resume", "--duration", "0.4"]) == 0
    first, second = abut.Run(whole), abut.Run(cut)
    assert len(first.region_table) > 100 and (first.region_table == second.region_table).all()
    assert len(first.region_events) > 1 and (first.region_events == second.region_events).all()


def test_commands_to_joints_are_in_the_record_and_leave_no_snapshots(tmp_path):
    """A control loop: targets of motors change before every step, motors, springs and limits come and go."""
    world = abut.World()
    arm = world.add_body(abut.Solid.box((0.3, 0.05, 0.05)), "arm", pose=abut.Pose((0.15, 0.0, 0.0)))
    hinge = world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), limits=(-2.0, 2.0))
    states = []
    with abut.recording(world, tmp_path / "run") as recorder:
        for k in range(120):
            hinge.motor = abut.Motor(position=np.sin(0.1 * k), max_force=20.0, max_speed=3.0)
            if k % 7 == 0:
                hinge.motor = None
                hinge.apply_force(5.0)
            if k == 60:
                hinge.spring = abut.Spring(3.0, 0.1)
            if k == 80:
                hinge.limits = (-1.0, 1.5)
            recorder.step()
            states.append(world.save())
    run = abut.Run(tmp_path / "run")
    assert [key for key in run.folder.snapshot_keys() if key[1]] == []
    assert run.events == [] and len(run.folder.snapshot_keys()) < 10
    for k in (0, 1, 6, 7, 8, 13, 49, 59, 60, 61, 80, 99, 119):
        again, then = run.world_at(run.times[k + 1]), abut.World.restore(states[k])
        assert again._state.pose.tobytes() == then._state.pose.tobytes(), k
        assert again._state.twist.tobytes() == then._state.twist.tobytes(), k
        assert again.joints[0].reaction[1].tobytes() == then.joints[0].reaction[1].tobytes(), k


def test_run_of_a_world_records_and_sums_up(tmp_path):
    world = abut.scenes.free_fall(height=1e-3).world
    summary = world.run(0.05, record=tmp_path / "run")
    assert summary.steps == 50 == abut.Run(tmp_path / "run").summary["steps"]
    with pytest.raises(abut.FileError, match="holds a run already"):
        world.run(0.05, record=tmp_path / "run")


def test_tables_for_others(tmp_path, scene):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    run = finished(scene, tmp_path / "run")
    data = run.to_xarray()
    assert data.sizes == {"time": 201, "body": 3, "pose_coordinate": 7, "velocity_coordinate": 6}
    assert (data.pose.sel(body="box").values == run.poses("box")).all()
    frame = run.to_pandas()
    assert len(frame) == 3 * 201 and set(frame.body) == {"floor", "box", "other"}


def test_a_record_is_read_by_other_peoples_tools(tmp_path, scene):
    pytest.importorskip("mcap_protobuf")
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    run = finished(scene, tmp_path / "run")
    with run.folder.record.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        states = [message for _, channel, _, message in reader.iter_decoded_messages() if channel.topic == "/state"]
    assert len(states) == 201
    index = run.bodies.index("box")
    assert np.array(states[-1].twist).reshape(-1, 6)[index].tolist() == run.velocities("box")[-1].tolist()


# Stopped and gone on with


def test_a_run_that_was_stopped_and_resumed_is_the_one_that_was_not(tmp_path, scene):
    whole = finished(scene, tmp_path / "whole")
    going = scene_run.begin(scene, tmp_path / "parts", {})
    for _, _report in zip(range(77), going.steps(), strict=False):
        pass
    going.close("stopped")
    for stop in (30, 50, 1000):
        going = scene_run.resume(scene, tmp_path / "parts", {})
        for _, _report in zip(range(stop), going.steps(), strict=False):
            pass
        going.close("finished" if going.done == going.total else "stopped")
    parts = abut.Run(tmp_path / "parts")
    assert messages(parts) == messages(whole)
    assert parts.summary["measures"] == whole.summary["measures"]
    assert parts.summary["measures"]["landed"] > 0.0 and parts.summary["units"]["landed"] == "s"
    told = [{k: v for k, v in run.summary.items() if k not in ("seconds", "pairs")} for run in (parts, whole)]
    assert told[0] == told[1]


def test_resuming_says_what_was_lost(tmp_path, scene, capsys):
    out = tmp_path / "run"
    whole = finished(scene, out)
    assert abut_command(["run", str(scene), "--out", str(out), "--resume"]) == 0
    assert "goes on after step 200\n" in capsys.readouterr().out
    content = whole.folder.record.read_bytes()
    whole.folder.record.write_bytes(content[: int(0.6 * len(content))])
    reached = len(abut.Run(out)) - 1
    assert abut_command(["run", str(scene), "--out", str(out), "--resume"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"goes on after step {reached // 50 * 50}; steps" in said
    assert f"the record was cut off after step {reached}, and what came behind is lost" in said


def test_a_run_that_was_resumed_and_killed_does_not_tell_of_its_first_end(tmp_path, scene):
    out = tmp_path / "run"
    finished(scene, out)
    going = scene_run.resume(scene, out, {}, 1.0)
    assert abut.Run(out).summary["state"] == "killed"
    for _, _report in zip(range(60), going.steps(), strict=False):
        pass
    going.close("stopped")
    assert abut.Run(out).summary["state"] == "stopped" and abut.Run(out).summary["steps"] == 260


def test_resuming_a_finished_run_leaves_it_as_it_is(tmp_path, scene):
    whole = finished(scene, tmp_path / "run")
    before = messages(whole)
    assert abut_command(["run", str(scene), "--out", str(tmp_path / "run"), "--resume"]) == 0
    assert messages(abut.Run(tmp_path / "run")) == before


KILLED = """
import sys, time
from abut.app.runs import recorder, scene_run, writer
from pathlib import Path
recorder.SNAPSHOT_STEPS, writer.CHUNK = 20, 16 * 1024
scene, out, mode = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
going = scene_run.resume(scene, out, {}) if mode == "resume" else scene_run.begin(scene, out, {})
print("ready", flush=True)
for _ in going.steps():
    time.sleep(5e-4)
going.close("finished")
"""


@pytest.mark.needs_jit
def test_killed_at_random_moments_a_run_loses_nothing_but_time(tmp_path, scene, monkeypatch, times):
    """SIGKILL while it runs, writes a snapshot or resumes; at the end, all is as in a run that was never killed."""
    monkeypatch.setattr("abut.app.runs.recorder.SNAPSHOT_STEPS", 20)
    whole = finished(scene, tmp_path / "whole")
    dice, kills = random.Random(zlib.crc32(b"killed")), dict.fromkeys(MOMENTS, 0)
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    wanted, runs = times(6, 60), 0
    while sum(kills.values()) < wanted:
        out = tmp_path / f"killed {runs}"
        for attempt in range(8):
            moment = MOMENTS[attempt % len(MOMENTS)]
            kills[moment] += killed(script, scene, out, "resume" if attempt else "begin", moment, dice)
            if RunFolder(out).holds_a_run() and RunFolder(out).snapshot_keys():
                run = abut.Run(out)
                assert run.info["format"] == FORMAT and run.summary["state"] in ("killed", "finished")
            if sum(kills.values()) >= wanted:
                break
        going = scene_run.resume(scene, out, {})
        for _ in going.steps():
            pass
        going.close("finished")
        runs += 1
        assert messages(abut.Run(out)) == messages(whole)
        assert abut.Run(out).summary["measures"] == whole.summary["measures"]
    assert min(kills.values()) >= wanted // 6, kills


MOMENTS = ("any", "snapshot", "resume")


def killed(script, scene, out, mode, moment, dice):
    """Start or resume a run and kill it at a moment; 1 if it was alive then."""
    command = [sys.executable, script, scene, out, mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "ABUT_QUIET": "1"}) as process:
        if moment == "any" and dice.random() < 0.8:
            process.stdout.readline()
        if moment == "any":
            time.sleep(dice.uniform(0.0, 0.12))
        else:
            seen = {"snapshot": lambda: list((out / "snapshots").glob("*.part")), "resume": (out / "record.new").exists}
            while process.poll() is None and not seen[moment]():
                time.sleep(1e-4)
        process.send_signal(signal.SIGKILL)
    return process.returncode == -signal.SIGKILL


def test_a_record_without_its_end_opens_and_says_what_is_missing(tmp_path, scene):
    run = finished(scene, tmp_path / "run")
    whole = len(run)
    content = run.folder.record.read_bytes()
    run.folder.record.write_bytes(content[: int(0.6 * len(content))])
    cut = abut.Run(tmp_path / "run")
    assert not cut.complete and 20 < len(cut) < whole and "was cut off" in cut.lost
    assert (cut.poses("box") == run.poses("box")[: len(cut)]).all()


def test_a_record_that_changes_under_a_reader_is_told(tmp_path, scene):
    run = finished(scene, tmp_path / "run")
    assert len(run) == 201  # opened
    run.folder.record.write_bytes(run.folder.record.read_bytes()[:1000])
    with pytest.raises(abut.FileError, match="was changed after it was opened"):
        _ = run.contacts


def test_ctrl_c_saves_and_stops(tmp_path, scene):
    command = [sys.executable, "-m", "abut", "run", str(scene), "--out", str(tmp_path / "run"), "--duration", "600"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    for _ in range(600):
        time.sleep(0.1)
        if RunFolder(tmp_path / "run").record.exists() and RunFolder(tmp_path / "run").record.stat().st_size > 50_000:
            break
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 130 and "go on with --resume" in printed
    run = abut.Run(tmp_path / "run")
    assert run.complete and run.summary["state"] == "stopped" and run.summary["steps"] == run.steps[-1] > 10


# The command


def test_the_command_runs_changes_and_tells_in_json(tmp_path, scene, capsys):
    out = tmp_path / "run"
    code = abut_command(["run", str(scene), "--out", str(out), "--set", "world.dt=4e-3", "--duration", "0.2", "--json"])
    assert code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["steps"] == 50 and told["measures"]["way"] > 0.0
    assert (out / "scene.toml").read_text().count("[bodies.") == 3
    # The scene that was kept runs alike.
    again = finished(out / "scene.toml", tmp_path / "again")
    assert again.times[1] == 4e-3


def test_time_given_up_is_told_by_the_exit_code(tmp_path):
    file = tmp_path / "jam.toml"
    file.write_text(
        '[world]\ndt = 1e-2\nduration = 0.1\n[parts.box]\nlibrary = "box"\n'
        '[bodies.wall]\npart = "box"\nfixed = true\n'
        '[bodies.box]\npart = "box"\nposition = [0.1001, 0, 0]\n'
        '[bodies.jaw]\npart = "box"\nkinematic = true\nposition = [0.2003, 0, 0]\nvelocity = [-1, 0, 0]\n'
    )
    assert abut_command(["run", str(file), "--out", str(tmp_path / "run")]) == 3
    assert abut.Run(tmp_path / "run").summary["time_given_up"] > 0.0


# Bad input


def test_mistakes_are_sentences_and_destroy_nothing(tmp_path, scene, capsys):
    out = tmp_path / "run"
    run = finished(scene, out)
    before = messages(run)
    for arguments, words in (
        (["run", str(scene), "--out", str(out)], "holds a run already"),
        (["run", str(tmp_path / "no.toml"), "--out", str(tmp_path / "x")], "there is no such file"),
        (["run", str(scene), "--out", str(out), "--resume", "--set", "world.friction=0.5"], "another scene"),
        (["run", str(scene), "--out", str(tmp_path / "y"), "--set", "world.dtt=1"], "there is no such key"),
        (["run", str(scene), "--out", str(tmp_path / "y"), "--set", "nonsense"], "expected key=value"),
        (["run", str(scene), "--out", str(scene)], "is there and holds something that is no run"),
    ):
        assert abut_command(arguments) == 2
        printed = capsys.readouterr().err
        assert words in printed and "Traceback" not in printed
    assert messages(abut.Run(out)) == before
    assert not (tmp_path / "x").exists() and not (tmp_path / "y").exists()


def test_foreign_and_newer_folders_are_refused(tmp_path, scene):
    with pytest.raises(abut.FileError, match="there is no such folder"):
        abut.Run(tmp_path / "nowhere")
    with pytest.raises(abut.FileError, match="holds no run"):
        abut.Run(tmp_path)
    run = finished(scene, tmp_path / "run")
    run.folder.info.write_text('{"format": 99}')
    with pytest.raises(abut.FileError, match="is of format 99"):
        abut.Run(tmp_path / "run")
    run.folder.info.write_text("{")
    with pytest.raises(abut.FileError, match="is no JSON"):
        abut.Run(tmp_path / "run")


def test_questions_about_what_is_not_there(tmp_path, scene):
    run = finished(scene, tmp_path / "run")
    with pytest.raises(abut.InputError, match="there is no 'bx' in the run"):
        run.poses("bx")
    with pytest.raises(abut.InputError, match="time: the run begins at 0 s"):
        run.world_at(-1.0)


def test_damaged_records_give_sentences(tmp_path, scene, times):
    run = finished(scene, tmp_path / "run")
    content, dice = bytearray(run.folder.record.read_bytes()), random.Random(zlib.crc32(b"damaged record"))
    for _ in range(times(60, 1000)):
        damaged = bytearray(content)
        for _ in range(dice.randint(1, 4)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        run.folder.record.write_bytes(damaged[: dice.randint(0, len(damaged))] if dice.random() < 0.3 else damaged)
        try:
            found = abut.Run(tmp_path / "run")
            assert len(found.times) == len(found.poses("box"))
            _ = found.contacts, found.reports, found.events, found.lost  # can be read
            assert found.world_at(0.1).time < 0.101
        except abut.AbutError as error:
            assert str(error)


def test_a_full_disk_ends_a_run_with_a_sentence_and_keeps_what_was_written(tmp_path, scene, monkeypatch):
    whole = finished(scene, tmp_path / "whole")
    going = scene_run.begin(scene, tmp_path / "run", {})
    left, raw = [60_000], going.recorder._writer._stream
    write = raw.write

    def limited(data):
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return write(data)

    monkeypatch.setattr(raw, "write", limited)
    with pytest.raises(abut.FileError, match="No space left on device"):
        for _ in going.steps():
            pass
        going.close("finished")
    with pytest.raises(abut.FileError, match="No space left on device"):
        going.close("failed")
    run = abut.Run(tmp_path / "run")
    assert not run.complete and 10 < len(run) < len(whole)
    going = scene_run.resume(scene, tmp_path / "run", {})
    for _ in going.steps():
        pass
    going.close("finished")
    assert messages(abut.Run(tmp_path / "run")) == messages(whole)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full(tmp_path, scene):
    """Half a megabyte of it: a sentence, exit code 2, and what was written is resumed where there is room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        command = [sys.executable, "-m", "abut", "run", scene, "--out", disk / "run", "--duration", "600"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        said = " ".join(done.stderr.split())
        assert done.returncode == 2 and "No space left on device" in said and "Traceback" not in said
        shutil.copytree(disk / "run", tmp_path / "run")
    finally:
        subprocess.run(["umount", disk], check=True)
    run = abut.Run(tmp_path / "run")
    assert len(run) > 100 and not run.complete and "was cut off" in run.lost
    reached = len(run)
    command = ["run", str(scene), "--out", str(tmp_path / "run"), "--resume", "--duration", str(2e-3 * (reached + 50))]
    assert abut_command(command) == 0
    assert (abut.Run(tmp_path / "run").poses("box")[:reached] == run.poses("box")).all()


def test_a_saved_world_goes_on_in_a_run_of_its_file(tmp_path):
    world = abut.scenes.stack(n=2).world
    world.run(0.02)
    abut.scene.save(world, tmp_path / "stack.toml")
    run = finished(tmp_path / "stack.toml", tmp_path / "run", **{"world.duration": 0.02})
    world.run(0.02)
    assert run.velocities("box 1")[-1].tobytes() == world._state.twist[2].tobytes()
    # The folder has all that it needs, and tells other snapshots from its own.
    assert len(finished(tmp_path / "run" / "scene.toml", tmp_path / "again")) == len(run)
    abut.scene.save(world, tmp_path / "stack.toml")
    with pytest.raises(abut.FileError, match="was run with another scene"):
        scene_run.resume(tmp_path / "stack.toml", tmp_path / "run", {"world.duration": 0.02})
