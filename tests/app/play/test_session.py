"""A world in the hand, without a page: what commands do to it, undo, reset, fixing, overlaps at the start."""

import numpy as np
import pytest
import trimesh

from abut import PlacedPart, Pose, Solid, StepReport, World, intersect, save_assembly
from abut.app.play.commands import NEEDS, OF_SERVER, Command
from abut.app.play.frame import touched_edges
from abut.app.play.session import Session
from abut.app.play.sources import Source, open_source
from abut.dynamics.methods.registry import METHODS, PLAYED_METHODS
from abut.errors import AbutError
from abut.scene.scenes import Scene

BLOCK, FLOOR = 1, 0


def source(height=0.03, **options):
    """A block over a floor."""
    world = World(**options)
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, height)), density=2700.0)
    return Source(Scene(world, 1.0), "block", "drag the block")


def do(session, word, **given):
    session.obey(Command(word, given))


def steps(session, n):
    for _ in range(n):
        session.step()


def rows(session):
    return np.array([body.pose.row for body in session.world.bodies])


def grab(session, target, point=(0.0, 0.0, 0.02)):
    do(session, "grab", body=BLOCK, point=point, target=session.world.bodies[BLOCK].pose.apply(point))
    do(session, "move", target=target)


def test_a_part_follows_the_hand_as_far_as_it_can():
    session = Session(source(gravity=(0.0, 0.0, 0.0)))
    grab(session, (0.05, 0.0, 0.1))
    steps(session, 300)
    block, floor = session.world.body("block"), session.world.body("floor")
    np.testing.assert_allclose(block.pose.apply((0.0, 0.0, 0.02)), (0.05, 0.0, 0.1), atol=1e-4)
    do(session, "move", target=(0.05, 0.0, -0.2))
    for _ in range(300):
        session.step()
        assert not intersect(block.shape, floor.shape, block.pose, floor.pose)
    assert block.pose.position[2] > 0.0 and np.linalg.norm(block.hand_wrench()[:3]) == pytest.approx(50.0, rel=0.02)


def test_without_weight_a_part_stops_where_it_is_let_go():
    session = Session(source(gravity=(0.0, 0.0, 0.0)))
    grab(session, (0.0, 0.05, 0.1))
    steps(session, 20)
    do(session, "release")
    there = rows(session)
    steps(session, 20)
    assert (rows(session) == there).all()


def test_undo_and_redo_go_back_to_the_bit():
    session = Session(source())
    steps(session, 10)
    before = rows(session)
    grab(session, (0.05, 0.0, 0.1))
    steps(session, 50)
    do(session, "release")
    after = rows(session)
    do(session, "undo")
    assert (rows(session) == before).all()
    do(session, "redo")
    assert (rows(session) == after).all()
    do(session, "reset")
    assert session.world.time == 0.0 and session.world.bodies[BLOCK].pose.position[2] == pytest.approx(0.03)


def test_a_fixed_part_stays_and_can_be_freed():
    session = Session(source())
    do(session, "fix", body=BLOCK, on=True)
    assert session.structure_changed
    there = rows(session)
    steps(session, 50)
    assert (rows(session) == there).all()
    do(session, "grab", body=BLOCK, point=(0.0, 0.0, 0.0), target=(0.0, 0.0, 1.0))
    assert session.held is None
    do(session, "fix", body=BLOCK, on=False)
    steps(session, 50)
    assert rows(session)[BLOCK, 2] < there[BLOCK, 2]
    do(session, "undo")
    do(session, "undo")
    assert np.isfinite(session.world.bodies[BLOCK].mass)


def test_laws_of_bodies_and_pairs_and_options_outlive_fixing_and_freeing():
    world = World(friction=0.3, restitution=0.1, dt=2e-3, method="velocity", solver="jacobi")
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True, friction=0.5)
    block = world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.03)), restitution=0.6)
    lift = world.add_body(Solid.box((0.04, 0.04, 0.01)), "lift", pose=Pose((0.1, 0.0, 0.3)), kinematic=True)
    world.set_pair(world.body("floor"), block, friction=0.9)
    world.set_pair(block, lift, "ignore")
    lift.velocity = (0.0, 0.0, 0.1)
    session = Session(Source(Scene(world, 1.0), "block", ""))
    laws, specs = world._now.setup.laws, world._specs
    for on in (True, False):
        do(session, "fix", body=BLOCK, on=on)
        assert session.problem == "" and bool(np.isinf(session.world.bodies[BLOCK].mass)) is on
        assert session.world._now.setup.laws.says_the_same(laws) and session.world._rules == {(1, 2): "ignore"}
        assert session.world.dt == 2e-3 and session.world.solver == "jacobi" and session.world._contact_gap is None
    assert all(a.says_the_same(b) for a, b in zip(session.world._specs, specs, strict=True))
    steps(session, 10)
    assert session.world.body("lift").pose.position[2] == pytest.approx(0.302)


def test_keys_and_rings_draw_a_part_to_a_pose():
    session = Session(source(gravity=(0.0, 0.0, 0.0)))
    do(session, "nudge", body=BLOCK, shift=(1e-4, 0.0, 0.0), turn=(0.0, 0.0, np.radians(1.0)))
    do(session, "nudge", body=BLOCK, shift=(1e-4, 0.0, 0.0), turn=(0.0, 0.0, 0.0))
    steps(session, 300)
    pose = session.world.body("block").pose
    np.testing.assert_allclose(pose.position, (2e-4, 0.0, 0.03), atol=1e-7)
    np.testing.assert_allclose(pose.rotvec, (0.0, 0.0, np.radians(1.0)), atol=1e-5)
    do(session, "hold", body=BLOCK, pose=(0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0))
    assert session.problem == "" and session.held.pose[2] != 0.05, "a quaternion of length 0 is no rotation"


def test_parts_that_overlap_at_the_start_are_named_and_can_be_moved_apart():
    session = Session(source(height=0.015))
    assert session.step() is None
    assert (
        "'floor' and 'block'" in session.problem and set(session.overlapping) == {"floor", "block"} and session.paused
    )
    grab(session, (0.0, 0.0, 0.08))
    do(session, "release")
    assert session.step() is not None and session.problem == ""


def test_a_frame_tells_what_the_world_is():
    session = Session(source(height=0.0200005))
    steps(session, 5)
    data, contacts = session.frame(1.0), session.world.contacts
    assert len(contacts) > 0
    poses = np.frombuffer(data, "<f8", 14, 40).reshape(2, 7)
    assert (poses == rows(session)).all()
    told = np.frombuffer(data, "<f8", 14 * len(contacts), 40 + 2 * 56).reshape(-1, 14)
    assert (told[:, :3] == contacts["point"]).all() and (told[:, 9] == contacts["gap"]).all()
    assert (told[:, 10] == contacts["body_a"]).all()


def test_no_command_stops_the_physics(rng):
    session = Session(source())
    values = {3: lambda: tuple(rng.normal(size=3) * 10.0 ** rng.integers(-9, 6)), 7: lambda: tuple(rng.normal(size=7))}
    values |= {
        int: lambda: int(rng.integers(2)),
        bool: lambda: bool(rng.integers(2)),
        float: lambda: float(rng.normal()),
        str: lambda: str(rng.choice([*METHODS, "nonsense"])),
    }
    for _ in range(150):
        word = str(rng.choice([name for name in NEEDS if name not in OF_SERVER]))
        given = {key: "gentle" if isinstance(kind, tuple) else values[kind]() for key, kind in NEEDS[word].items()}
        do(session, word, **given)
        session.step()
    assert np.isfinite(rows(session)).all() and len(session.frame(1.0)) > 0


def test_methods_that_do_not_keep_to_the_clock_are_refused():
    session = Session(source())
    before = session.world.method
    for name in METHODS:
        do(session, "method", name=name)
        played = name in PLAYED_METHODS
        assert (session.world.method == name) == played and ("expected one of" in session.problem) != played
        do(session, "method", name=before)


def test_other_settings():
    session = Session(source())
    do(session, "gravity", value=0.0)
    assert not session.world.gravity.any()
    do(session, "gravity", value=1.0)
    assert session.world.gravity[2] == pytest.approx(-9.81)
    do(session, "friction", value=0.3)
    assert session.world.friction == 0.3
    do(session, "pause", on=True)
    do(session, "step")
    assert session.paused and session.world.time == pytest.approx(1e-3)


def test_files_with_parts_are_laid_out_beside_each_other(tmp_path):
    for name, size in (("large", 0.1), ("small", 0.02)):
        trimesh.creation.box((1e3 * size,) * 3).export(tmp_path / f"{name}.stl")
    found = open_source([str(tmp_path / "large.stl"), str(tmp_path / "small.stl")], unit="mm")
    masses = [body.mass for body in found.scene.world.bodies]
    assert np.isinf(masses[0]) and np.isfinite(masses[1])
    assert Session(found).step() is not None


def test_what_is_not_there_is_said_in_a_sentence():
    with pytest.raises(AbutError, match="there is no such file or demonstration"):
        open_source(["no_such_thing"])


def test_parts_of_a_file_that_are_drawn_touching_are_set_free(tmp_path):
    ring = Solid.revolve([(3e-3, -2e-3), (9e-3, -2e-3), (9e-3, 2e-3), (3e-3, 2e-3)], segments=32)
    pin, block = Solid.cylinder(3e-3, 0.01, segments=32), Solid.box(0.01)
    parts = [("ring", ring, Pose()), ("pin", pin, Pose()), ("block", block, Pose((0.05, 0, 0)))]
    parts.append(("sunk", block, Pose((0.059, 0, 0))))
    save_assembly([PlacedPart(*part) for part in parts], tmp_path / "press.glb")
    found = open_source([str(tmp_path / "press.glb")])
    world = found.scene.world
    assert found.note.startswith("surfaces that are drawn touching were moved by up to ") and "µm" in found.note
    assert found.note.endswith("; 1 pairs are drawn into each other and pass through each other")
    assert [*world._rules.values()] == ["interference"]
    world.run(0.02)
    assert world.report.time_given_up == 0.0


def test_the_distance_of_two_parts_is_measured_while_they_move():
    session = Session(source(gravity=(0.0, 0.0, 0.0)))
    do(session, "measure", body=BLOCK, other=FLOOR)
    measured = session._status(session.world.contacts, 1.0)["measured"]
    assert measured["lower"] <= 0.01 <= measured["upper"] and measured["upper"] - measured["lower"] < 1e-6
    session.world.body("block").pose = Pose((0.0, 0.0, 0.05))
    measured = session._status(session.world.contacts, 1.0)["measured"]
    assert measured["upper"] == pytest.approx(0.03) and measured["from"][2] == pytest.approx(0.03)
    do(session, "unmeasure")
    assert session._status(session.world.contacts, 1.0)["measured"] is None


def test_touched_edges_are_told_with_their_ends():
    world = World(gravity=(0.0, 0.0, -9.81), dt=1e-3)
    roof = Solid.box((0.04, 0.04, 0.04))
    turned = Pose.from_rotvec((0.0, 0.0, 0.04 / np.sqrt(2) + 1e-5), (np.pi / 4, 0.0, 0.0))
    world.add_body(
        roof, "floor", pose=Pose.from_rotvec((0.0, 0.0, -0.04 / np.sqrt(2)), (0.0, np.pi / 4, 0.0)), fixed=True
    )
    world.add_body(roof, "block", pose=turned, density=2700.0)
    session = Session(Source(Scene(world, 1.0), "roofs", "look"))
    for _ in range(20):
        session.step()
    rows = touched_edges(session.world.contacts, [roof, roof])
    assert set(rows[:, 0]) == {0.0, 1.0}
    for row in rows:
        ends = session.world.bodies[int(row[0])].pose.apply(row[1:].reshape(2, 3))
        assert np.abs(ends[:, 2]).max() < 1e-4 and np.linalg.norm(ends[1] - ends[0]) == pytest.approx(0.04)


def test_what_overlaps_is_moved_apart_by_the_shortest_way():
    session = Session(source(height=0.015))
    session.step()
    assert session.overlapping == ("floor", "block") and "(5 mm deep)" in session.problem
    do(session, "part")
    block = session.world.body("block")
    assert block.pose.position[2] == pytest.approx(0.02, abs=1.6e-3)
    assert not session.overlapping and not session.problem and not session.paused and "block" in session.said
    steps(session, 50)
    assert block.pose.position[2] == pytest.approx(0.02, abs=1e-4), "it lies on the floor"
    do(session, "undo")
    assert block.pose.position[2] == 0.015


def test_what_cannot_be_moved_apart_stays_red():
    world = World()
    for k, name in enumerate(("one", "other")):
        world.add_body(Solid.box((0.1, 0.1, 0.1)), name, pose=Pose((0.05 * k, 0.0, 0.0)), fixed=True)
    world.add_body(Solid.box((0.01, 0.01, 0.01)), "small", pose=Pose((0.0, 0.0, 0.0)))
    session = Session(Source(Scene(world, 1.0), "boxes", ""))
    session.step()
    do(session, "part")
    assert "small" in session.overlapping and session.paused and "overlap" in session.problem


def test_time_that_is_given_up_is_told_with_the_bodies():
    session = Session(source())
    session.step()
    for _ in range(20):
        session._note_given_up(StepReport(time_given_up=session.world.dt, stuck=(BLOCK,)))
    told = session._status(session.world.contacts, 1.0)
    assert 0.5 < told["givenUp"] < 1.0 and told["stuck"] == ["block"]
    for _ in range(200):
        session._note_given_up(StepReport())
    told = session._status(session.world.contacts, 1.0)
    assert told["givenUp"] == 0.0 and told["stuck"] == []


def test_without_a_name_there_is_nothing_yet():
    session = Session(open_source([]))
    assert session.paused and session.world.bodies == []
    for word, given in (("pause", {"on": False}), ("step", {}), ("reset", {}), ("undo", {}), ("part", {})):
        do(session, word, **given)
        assert session.paused and not session.problem
    assert session.frame(1.0)


def test_a_name_of_the_library_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gears").write_text("solid")
    assert len(open_source(["gears"], library=True).scene.world.bodies) == 2
    with pytest.raises(AbutError, match="the library has no scene"):
        open_source(["../gears"], library=True)


def test_contact_regions_are_told_when_they_are_asked_for():
    """A surface of 16 cm2 under the block, with its weight; nothing before, and nothing after."""
    session = Session(source(height=0.02001))
    steps(session, 100)

    def told():
        return session._status(session.world.contacts, 1.0)["regions"]

    assert told() is None
    do(session, "regions", on=True)
    (region,) = told()
    assert (region["a"], region["b"], region["dim"]) == (FLOOR, BLOCK, 2)
    corners = np.array(region["points"]).reshape(-1, 3, 3)
    np.testing.assert_allclose(np.abs(corners[:, :, :2]), 0.02, atol=1e-8)
    np.testing.assert_allclose(region["force"], (0, 0, 0.04**3 * 2700.0 * 9.81), rtol=1e-3, atol=1e-6)
    assert "of floor on face" in region["text"] and "of block, 1600 mm², 1.7 N" in region["text"]
    do(session, "regions", on=False)
    assert told() is None


def test_a_region_tells_the_moment_of_its_friction():
    """A block that spins on a floor: friction turns against it, about where it presses."""
    session = Session(source(height=0.02001, friction=0.3))
    steps(session, 50)
    world = session.world
    world.body("block").angular_velocity = (0.0, 0.0, 20.0)
    steps(session, 3)
    do(session, "regions", on=True)
    (region,) = session._status(world.contacts, 1.0)["regions"]
    found = world.contacts
    pushes = found["force"][:, None] * found["normal"] + found["friction"]
    arms = np.cross(found["point"] - np.array(region["at"]), pushes)
    assert region["moment"][2] < -1e-3
    assert region["moment"][2] == pytest.approx(arms[:, 2].sum(), rel=0.05)


def test_what_a_scene_does_by_itself_begins_at_its_start():
    session = Session(open_source(["peg_in_hole"]))
    steps(session, 30)
    do(session, "drive", on=True)
    assert session.drive is not None and session.world.time == 0.0
    there = session.world.body("peg").pose.position
    steps(session, 60)
    assert session.world.body("peg").pose.position[2] < there[2] - 1e-3
    do(session, "undo")
    assert session.world.time > 0.0


def test_time_stands_still_where_parts_would_fly_out_of_sight():
    slow, fast = source(), source()
    slow.scene.world.body("block").velocity = (0.05, 0.0, 0.0)
    fast.scene.world.body("block").velocity = (3.0, 0.0, 0.0)
    assert not Session(slow).paused
    session = Session(fast)
    assert session.paused and "space lets it run" in session.said
    do(session, "pause", on=False)
    assert not session.paused and not session.said


def test_a_bolt_is_the_first_to_be_taken_out(tmp_path):
    box = Solid.box((0.01, 0.01, 0.01))
    parts = [
        PlacedPart("plate", Solid.box((0.1, 0.1, 0.01)), Pose()),
        PlacedPart("bracket", box, Pose((0.0, 0.0, 0.05))),
        PlacedPart("Bolt M3", box, Pose((0.0, 0.0, 0.09))),
    ]
    save_assembly(parts, tmp_path / "parts.glb")
    assert open_source([str(tmp_path / "parts.glb")]).hint == "take Bolt M3 out and put it back; plate is fixed"
