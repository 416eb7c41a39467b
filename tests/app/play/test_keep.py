"""What the hand did, kept as a scene: `abut run` of it gives the same bits as were played."""

import json

import numpy as np
import pytest

from abut import Pose, Run, Solid, World, parts
from abut.app.play.commands import Command
from abut.app.play.keep import Keeper
from abut.app.play.session import Session
from abut.app.play.sources import Source, open_source
from abut.app.runs.scene_run import begin, resume
from abut.errors import AbutError, FileError
from abut.scene import load
from abut.scene.scenes import Scene

BLOCK, BALL = 1, 2


def source():
    """A block and a small one over a floor, with laws of their own."""
    world = World(friction=0.2)
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True, friction=0.5)
    block = world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.0201)), density=2700.0)
    small = world.add_body(Solid.box((0.02, 0.02, 0.02)), "small", pose=Pose((0.0, 0.04, 0.0101)), mass=0.3)
    world.set_pair(block, small, friction=0.7, restitution=0.4)
    return Source(Scene(world, 1.0), "blocks", "drag the block")


def played(tmp_path, given=None):
    session = Session(given or source(), Keeper(tmp_path, "blocks"))
    session.rehearse()
    return session


def do(session, word, **given):
    session.obey(Command(word, given))
    assert session.problem == ""


def steps(session, n):
    for _ in range(n):
        assert session.step() is not None


def repeated(session, tmp_path):
    """The world of `abut run` of what was kept."""
    do(session, "keep")
    file = session.said.rpartition("abut run ")[2]
    run = begin(tmp_path / file, tmp_path / f"run {len(list(tmp_path.iterdir()))}", {})
    assert run.total == session.steps
    for _ in run.steps():
        pass
    run.close("finished")
    return run.world


def assert_same_bits(world, other):
    for name in ("kind", "pose", "twist", "hold", "target"):
        assert getattr(world._state, name).tobytes() == getattr(other._state, name).tobytes(), name
    assert world.contacts.tobytes() == other.contacts.tobytes()
    assert world.time == other.time and (world.gravity == other.gravity).all() and world.friction == other.friction
    assert world._now.setup.laws.of_pair.tobytes() == other._now.setup.laws.of_pair.tobytes()


def grab(session, body=BLOCK, to=(0.0, 0.03, 0.03), n=12):
    """Drag a body along a way, several targets between two steps now and then."""
    point = (0.01, 0.0, 0.01)
    start = np.array(session.world.bodies[body].pose.apply(point))
    do(session, "grab", body=body, point=point, target=tuple(start))
    for k in range(n):
        for share in (k + 0.3, k + 1.0):
            do(session, "move", target=tuple(start + share / n * np.array(to)))
        steps(session, 5)


def test_a_drag_is_repeated_to_the_bit(tmp_path):
    session = played(tmp_path)
    steps(session, 20)
    grab(session)
    do(session, "release")
    steps(session, 30)
    assert len(session.world.contacts) > 0
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_everything_a_page_can_do_is_repeated_to_the_bit(tmp_path):
    session = played(tmp_path)
    do(session, "gravity", value=0.0)
    grab(session, n=6)
    do(session, "release")
    steps(session, 5)
    do(session, "gravity", value=1.0)
    do(session, "friction", value=0.6)
    do(session, "method", name="velocity")
    do(session, "nudge", body=BALL, shift=(0.0, -2e-3, 1e-3), turn=(0.0, 0.0, 0.1))
    steps(session, 10)
    do(session, "hand", name="strong")
    steps(session, 5)
    do(session, "hold", body=BALL, pose=(0.0, 0.05, 0.02, 1.0, 0.0, 0.0, 0.0))
    steps(session, 10)
    do(session, "fix", body=BALL, on=True)
    do(session, "pause", on=True)
    do(session, "step")
    do(session, "pause", on=False)
    steps(session, 10)
    do(session, "fix", body=BALL, on=False)
    assert session.world.body("small").mass == 0.3, "a part that is freed again has the mass it had"
    steps(session, 40)
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_a_run_knows_where_parts_are_that_were_fixed_and_freed(tmp_path):
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.5)), fixed=True)
    world.add_body(parts.l_bracket(), "bracket", pose=Pose((0.1, 0.0, 0.0)), angular_velocity=(0.0, 0.0, 1.0))
    session = played(tmp_path, Source(Scene(world, 1.0), "bracket", ""))
    assert np.linalg.norm(world.body("bracket").spec.centre) > 1e-3
    seen = []
    for on in (None, True, False):
        if on is not None:
            do(session, "fix", body=BLOCK, on=on)
        for _ in range(5):
            steps(session, 1)
            seen.append(session.world.body("bracket").pose.row)
    repeated(session, tmp_path)
    run = Run(next(tmp_path.glob("run *")))
    np.testing.assert_allclose(run.poses("bracket")[1:], seen, atol=1e-12)
    np.testing.assert_allclose(run.all_poses[1:, BLOCK], seen, atol=1e-12)


def test_what_was_undone_is_not_in_the_track(tmp_path):
    session = played(tmp_path)
    grab(session, n=3)
    do(session, "release")
    steps(session, 5)
    kept = session.steps
    grab(session, to=(0.05, 0.0, 0.0))
    after = session.world.save()
    do(session, "undo")
    assert session.steps == kept
    do(session, "redo")
    assert session.steps > kept and session.world.bodies[BLOCK].pose.row == pytest.approx(
        World.restore(after).bodies[BLOCK].pose.row, abs=0.0
    )
    steps(session, 5)
    do(session, "undo")
    do(session, "undo")
    steps(session, 7)
    grab(session, to=(0.0, 0.0, 0.02), n=3)
    assert_same_bits(session.world, repeated(session, tmp_path))
    do(session, "reset")
    assert session.steps == 0
    steps(session, 9)
    do(session, "undo")
    assert session.steps > 9
    steps(session, 2)
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_a_long_track_begins_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("abut.app.play.recorded.MOST_ROWS", 12)
    session = played(tmp_path)
    grab(session, n=30)
    assert session.steps < 100, "it began anew"
    assert_same_bits(session.world, repeated(session, tmp_path))
    assert "from 0." in session.said
    do(session, "undo")  # to before the track began
    steps(session, 4)
    assert_same_bits(session.world, repeated(session, tmp_path))
    do(session, "reset")
    steps(session, 4)
    do(session, "undo")
    steps(session, 4)
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_a_scene_with_drives_is_repeated_with_and_without_them(tmp_path):
    session = played(tmp_path, open_source(["peg_in_hole"]))
    steps(session, 5)
    do(session, "drive", on=True)
    steps(session, 20)
    do(session, "drive", on=False)
    steps(session, 5)
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_parts_moved_out_of_each_other_are_repeated(tmp_path):
    given = source()
    given.scene.world.body("block").pose = Pose((0.0, 0.0, 0.015))
    session = Session(given, Keeper(tmp_path, "blocks"))
    session.rehearse()
    assert session.overlapping and session.paused and "'floor' and 'block'" in session.problem
    session.obey(Command("grab", {"body": BLOCK, "point": (0.0, 0.0, 0.0), "target": (0.0, 0.0, 0.015)}))
    session.obey(Command("move", {"target": (0.0, 0.0, 0.04)}))
    session.obey(Command("pause", {"on": False}))
    steps(session, 20)
    assert_same_bits(session.world, repeated(session, tmp_path))


def test_a_run_of_it_is_resumed_to_the_same_bits(tmp_path):
    session = played(tmp_path)
    grab(session, n=6)
    do(session, "release")
    steps(session, 10)
    do(session, "keep")
    file = next(tmp_path.glob("*/scene.toml"))
    run = begin(file, tmp_path / "run", {})
    for _ in range(17):
        run.step()
    run.close("stopped")
    run = resume(file, tmp_path / "run", {})
    for _ in run.steps():
        pass
    run.close("finished")
    assert_same_bits(session.world, run.world)
    again = begin(tmp_path / "run" / "scene.toml", tmp_path / "again", {})
    for _ in again.steps():
        pass
    again.close("finished")
    assert_same_bits(session.world, again.world)


def test_names_of_folders_are_not_chosen_by_pages_and_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr("abut.app.play.keep.MOST_KEPT", 2)
    session = Session(source(), Keeper(tmp_path / "kept", "../../etc/passwd"))
    session.obey(Command("keep"))
    assert "nothing was done yet" in session.problem
    steps(session, 1)
    for _ in range(3):
        session.problem = ""
        session.obey(Command("keep"))
    assert "2 scenes were kept already" in session.problem
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["_etc_passwd-1", "_etc_passwd-2"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nonsense", "line 3 is no JSON"),
        ("[]", "expected an object"),
        ('{"step": -1, "do": "fix", "body": "block"}', "expected the number of a step"),
        ('{"step": 1, "do": "import", "body": "block"}', "there is no 'import' to do"),
        ('{"step": 1, "do": "fix", "body": "nobody"}', "there is no body 'nobody'"),
        ('{"step": 1, "do": "fix", "body": "block", "more": 1}', "more"),
        ('{"step": 1, "do": "gravity", "value": [0, 0, NaN]}', "finite"),
        ('{"step": 1, "do": "gravity", "value": [0, 0]}', "value.2"),
        ('{"step": 0, "do": "fix", "body": "block"}\n{"step": 3}', "there is no None to do"),
        ('{"step": 5, "do": "drive", "on": true}\n{"step": 3, "do": "drive", "on": true}', "sort the lines"),
    ],
)
def test_a_track_that_is_none_is_refused_with_its_line(tmp_path, line, sentence):
    session = played(tmp_path)
    steps(session, 3)
    do(session, "keep")
    file = next(tmp_path.glob("*/scene.toml"))
    track = file.parent / "scene_files" / "hand.jsonl"
    head, first = track.read_text().splitlines()[:2]
    assert json.loads(head) == {"format": 1, "begin": 0.0, "driven": False}
    track.write_text(f"{head}\n{first}\n{line}\n")
    with pytest.raises(AbutError, match=sentence.replace(".", r"\.")):
        load(file)
    track.write_text('{"format": 2}\n')
    with pytest.raises(AbutError, match="is no track of a hand"):
        load(file)


def test_files_are_named_in_errors(tmp_path):
    from abut.scene.played import read_hand_track

    with pytest.raises(FileError, match="nowhere"):
        read_hand_track(tmp_path / "nowhere.jsonl", [])
