"""A world that was written to a scene file and read again is the same to the bit, and goes on alike."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import abut
from abut.scene import files, scenes

JOINTS = {
    "ball": {},
    "hinge": {"axis": (0.3, 1.0, 0.2)},
    "slider": {"axis": (1.0, 0.1, 0.0)},
    "cylindrical": {"axis": (0.0, 0.2, 1.0)},
    "universal": {"axis": (1, 0, 0), "axis_other": (0, 1, 0)},
    "fixed": {},
    "point_on_plane": {"axis": (0, 0, 1)},
    "point_on_line": {"axis": (0, 1, 1)},
    "distance": {"anchor_other": (0.31, 0.02, 0.01)},
    "screw": {"axis": (0, 0, 1), "pitch": 0.01},
}


def again(world, path):
    abut.scene.save(world, path)
    return files.load(path).world


def same_after(world, other, steps=3):
    assert world.save() == other.save()
    for _ in range(steps):
        world.step()
        other.step()
    assert world._state.pose.tobytes() == other._state.pose.tobytes()
    assert world._state.twist.tobytes() == other._state.twist.tobytes()
    assert (world.contacts == other.contacts).all()


# Scenes of the library, at their beginning and in the middle


@pytest.mark.parametrize("name", ["stack", "peg_in_hole", "chain", "slider_crank", "gimbal", "screw_press", "cradle"])
@pytest.mark.parametrize("steps", [0, 7])
def test_scenes_come_back_to_the_bit(name, steps, tmp_path):
    scene = scenes.make(name)
    for _ in range(steps):
        scene.step()
    same_after(scene.world, again(scene.world, tmp_path / "saved.toml"))


def test_a_world_without_a_past_needs_no_snapshot(tmp_path):
    world = scenes.make("stack").world
    again(world, tmp_path / "stack.toml")
    text = (tmp_path / "stack.toml").read_text()
    assert "start" not in text and not (tmp_path / "stack_files" / "start.abut").exists()
    world.step()
    again(world, tmp_path / "stack.toml")
    assert 'start = "stack_files/start.abut"' in (tmp_path / "stack.toml").read_text()


@pytest.mark.parametrize("name", ["driver", "nut_on_bolt", "four_bar"])
def test_a_scene_is_saved_with_what_drives_and_measures_it(name, tmp_path):
    scene = scenes.make(name)
    abut.scene.save(scene, tmp_path / "scene.toml")
    other = files.load(tmp_path / "scene.toml")
    assert other.duration == scene.duration and other.view == scene.view
    assert pickle.dumps(other.measures) == pickle.dumps(scene.measures)
    for _ in range(10):
        scene.step()
        other.step()
    assert scene.world._state.pose.tobytes() == other.world._state.pose.tobytes()


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("moved", [0, 5])
def test_joints_with_all_that_acts_on_them(kind, moved, tmp_path):
    world = abut.World(gravity=(0.1, 0.2, -9.0))
    a = world.add_body(abut.Solid.box((0.1, 0.05, 0.04)), "a", pose=abut.Pose((0.3, 0, 0)), angular_velocity=(1, 2, 3))
    b = world.add_body(abut.Solid.box((0.1, 0.05, 0.04)), "b", pose=abut.Pose((0.1, 0, 0)))
    joint = world.add_joint(kind, a, b, name="j", anchor=(0.2, 0.01, 0.02), **JOINTS[kind])
    for name in joint.coordinates:
        joint[name].limits = (-1.0, None)
        joint[name].spring = abut.Spring(3.0, 0.1, rest=0.1)
        joint[name].motor = abut.Motor(position=0.2, max_force=0.5, max_speed=2.0, response=0.01)
    world.add_joint("ball", b, name="wall", anchor=(0.05, 0, 0), contact=True)
    for _ in range(moved):
        world.step()
    other = again(world, tmp_path / "joints.toml")
    same_after(world, other, 5)
    # Without the snapshot, the file describes the same mechanism, with angles counted from where it stands.
    text = (tmp_path / "joints.toml").read_text()
    (tmp_path / "plain.toml").write_text(
        "\n".join(line for line in text.splitlines() if not line.startswith("start ="))
    )
    plain = files.load(tmp_path / "plain.toml").world
    for _ in range(5):
        plain.step()
    np.testing.assert_allclose(plain._state.pose, world._state.pose, atol=1e-6)


# Any world


numbers = st.floats(-1.0, 1.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers)
names = st.text(st.characters(exclude_categories=("Cs",)), max_size=8).filter(lambda s: not s.lstrip().startswith("="))


@st.composite
def worlds(draw):
    world = abut.World(
        gravity=draw(vectors),
        dt=draw(st.floats(1e-4, 1e-2)),
        friction=draw(st.floats(0.0, 2.0)),
        restitution=draw(st.floats(0.0, 1.0)),
        kinematic_overlaps=draw(st.sampled_from(["report", "error"])),
    )
    taken = set()
    for k in range(draw(st.integers(1, 4))):
        name = draw(names)
        name = name if name and name not in taken else f"body number {k}"
        taken.add(name)
        shape = draw(st.sampled_from(["box", "sphere", "half-space", "cone", "capsule"]))
        made = {
            "box": lambda: abut.Solid.box(draw(st.tuples(*[st.floats(0.05, 0.3)] * 3)), name=draw(names)),
            "cone": lambda: abut.Solid.cone(0.1, 0.2, segments=draw(st.integers(3, 9))),
            "sphere": lambda: abut.Sphere(draw(st.floats(0.01, 0.3))),
            "capsule": lambda: abut.Capsule(draw(st.floats(0.01, 0.3)), draw(st.floats(0.01, 0.3))),
            "half-space": lambda: abut.HalfSpace(draw(vectors.filter(lambda v: np.abs(v).max() > 1e-3)), draw(numbers)),
        }[shape]()
        kind = "fixed" if shape == "half-space" else draw(st.sampled_from(["dynamic", "kinematic", "fixed"]))
        options = {} if kind == "dynamic" else {kind: True}
        if kind == "dynamic":
            options["density"] = draw(st.floats(10.0, 1e4))
            options["locked"] = draw(st.sampled_from([(), ("x",), ("rz", "y")]))
            options["damping"] = draw(st.floats(0.0, 3.0))
        if kind != "fixed":
            options["velocity"] = draw(vectors)
        options["group"] = draw(st.sampled_from([None, 0, 7]))
        options["friction"] = draw(st.sampled_from([None, 0.3]))
        pose = abut.Pose.from_rotvec(np.array(draw(vectors)) + np.array((3.0 * k, 0, 0)), draw(vectors))
        world.add_body(made, name, pose=pose, **options)
    bodies = world.bodies
    for i in range(len(bodies) - 1):
        if draw(st.booleans()):
            rule = draw(st.sampled_from(["contact", "ignore", "interference"]))
            world.set_pair(bodies[i + 1], bodies[i], rule, friction=draw(st.sampled_from([None, 0.1])))
    for body in bodies:
        if body.spec.kind == 0 and draw(st.booleans()):
            kind = draw(st.sampled_from(["ball", "hinge", "slider"]))
            axis = {} if kind == "ball" else {"axis": draw(vectors.filter(lambda v: np.abs(v).max() > 1e-3))}
            world.add_joint(kind, body, anchor=body.pose.position + draw(vectors), **axis)
    return world


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(world=worlds())
def test_any_world_comes_back_to_the_bit(world, tmp_path_factory):
    other = again(world, tmp_path_factory.mktemp("saved") / "world.toml")
    assert world.save() == other.save()


# What cannot be saved, and files that were edited


def test_a_drive_of_python_is_refused_by_name(tmp_path):
    def push_gently(world, time):
        pass

    scene = abut.scene.Scene(scenes.make("stack").world, 1.0, push_gently)
    with pytest.raises(abut.InputError, match=r"push_gently is code of Python, which a scene file cannot hold"):
        abut.scene.save(scene, tmp_path / "scene.toml")
    assert not (tmp_path / "scene.toml").exists()


def test_what_cannot_be_written_is_told(tmp_path):
    world = abut.World()
    world.add_body(abut.HalfSpace(), "= floor", fixed=True)
    with pytest.raises(abut.InputError, match="begins with ="):
        abut.scene.save(world, tmp_path / "a.toml")
    with pytest.raises(abut.InputError, match=r"expected the name of a scene file, as a\.txt\.toml"):
        abut.scene.save(world, tmp_path / "a.txt")
    with pytest.raises(abut.InputError, match="expected a World or a Scene, got int"):
        abut.scene.save(3, tmp_path / "a.toml")
    (tmp_path / "file").write_text("")
    with pytest.raises(abut.FileError, match="cannot be written"):
        abut.scene.save(scenes.make("stack").world, tmp_path / "file" / "a.toml")


def test_a_file_that_was_edited_does_not_go_on_from_another_world(tmp_path):
    world = scenes.make("stack", n=2).world
    world.run(0.01)
    file = tmp_path / "stack.toml"
    abut.scene.save(world, file)
    for change, words in (
        ({"world.dt": 5e-3}, "its dt is"),
        ({"world.friction": 0.123}, "bodies and pairs have other friction"),
        ({"bodies.box 1.mass": 99.0}, "its body 'box 1' has another part, mass or setting"),
        ({"bodies.box 1.velocity": [1.0, 0.0, 0.0]}, "body 'box 1' stands or moves differently"),
    ):
        with pytest.raises(files.SceneError, match=f"world.start: is of another world: .*{words}"):
            files.load(file, **change)
    with pytest.raises(files.SceneError, match=r"bodies.box 1.centre: is not where position and rotation put the body"):
        files.load(file, **{"bodies.box 1.position": [0.0, 0.0, 5.0]})
    with pytest.raises(files.SceneError, match=r"world.start: .*nowhere.abut: there is no such file"):
        files.load(file, **{"world.start": "nowhere.abut"})
    (tmp_path / "stack_files" / "start.abut").write_bytes(b"nonsense")
    with pytest.raises(files.SceneError, match=r"world.start: blob: "):
        files.load(file)


def test_a_world_from_which_bodies_were_removed_is_refused_in_a_sentence(tmp_path):
    world = abut.scenes.stack(n=2).world
    world.remove_body(world.body("box 1"))
    with pytest.raises(abut.InputError, match="bodies were removed from it"):
        abut.scene.save(world, tmp_path / "scene.toml")
    assert not (tmp_path / "scene.toml").exists()
