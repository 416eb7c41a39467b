"""Scene files: worlds as text, and every mistake with its line."""

import random
import time
import tomllib
import zlib

import numpy as np
import pytest

import abut
from abut.scene import files, scenes
from abut.scene.files.problems import spelled
from abut.scene.files.read import change_of, read
from abut.scene.scenes.library import FOLDER

DRIVER = """
title = "A cross-head driver finds the recess of its screw"
[parameters]
press = { value = 5.0, unit = "N", about = "along the axis", least = 0.0, most = 100.0 }
twist = 1e-3
angle = "=8*deg"
[world]
gravity = [0, 0, 0]
duration = 0.04
[parts.screw]
library = "cross_recess_screw"
[parts.driver]
library = "cross_recess_driver"
[bodies.screw]
part = "screw"
fixed = true
[bodies.driver]
part = "driver"
position = [0, 0, 3e-3]
rotation = { rotvec = [0, 0, "=angle"] }
mass = 0.1
locked = ["x", "y", "rx", "ry"]
[drives.hand]
body = "driver"
force = [0, 0, "=-press"]
torque = [0, 0, "=-twist"]
[measures]
depth = "pose.z of driver at end"
push = "largest force of driver and screw"
[view]
cut = ["screw"]
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="scene.toml"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def problems(file, **changes):
    with pytest.raises(files.SceneError) as caught:
        files.load(file, **changes)
    return caught.value.problems


BALL = """
[world]
dt = 1e-2
{world}
[bodies.ball]
shape = "sphere"
radius = 0.1
{body}
"""


def ball(write, *, world="", body="", more=""):
    return files.load(write(BALL.format(world=world, body=body) + more))


# Known answers


def test_a_file_gives_the_same_bits_as_the_scene_in_python(write):
    ours, theirs = files.load(write(DRIVER)), scenes.driver()
    for _ in zip(ours.run(0.01), theirs.run(0.01), strict=True):
        pass
    for name in ("screw", "driver"):
        assert (ours.world.body(name).pose.row == theirs.world.body(name).pose.row).all()


def test_parameters_and_other_keys_can_be_changed_from_outside(write):
    file = write(DRIVER)
    assert files.load(file, **{"world.dt": 5e-4}).world.dt == 5e-4
    assert files.load(file, angle=0.5).world.body("driver").pose.rotvec[2] == pytest.approx(0.5)
    assert change_of("world.dt=1e-4") == ("world.dt", 1e-4)
    assert change_of("world.method=velocity") == ("world.method", "velocity")


def test_repeated_bodies_know_their_number(write):
    text = """
    [parameters]
    n = 4
    [world]
    gravity = [0, 0, 0]
    [parts.link]
    library = "box"
    size = [0.1, 0.02, 0.02]
    [bodies.link]
    repeat = "=n"
    part = "link"
    group = 0
    position = ["=0.1*i", 0, 0]
    [joints.first]
    type = "hinge"
    body = "link 0"
    anchor = [-0.05, 0, 0]
    axis = [0, 1, 0]
    [joints.pin]
    repeat = "=n-1"
    type = "hinge"
    body = "link {i+1}"
    other = "link {i}"
    anchor = ["=0.1*i + 0.05", 0, 0]
    axis = [0, 1, 0]
    """
    world = files.load(write(text)).world
    assert [body.name for body in world.bodies] == [f"link {i}" for i in range(4)]
    assert [joint.name for joint in world.joints] == ["first", "pin 0", "pin 1", "pin 2"]
    np.testing.assert_allclose([body.pose.position[0] for body in world.bodies], [0.0, 0.1, 0.2, 0.3])


def test_a_file_overrules_what_it_includes(write):
    write(DRIVER, "common.toml")
    file = write('include = ["common.toml"]\n[world]\nduration = 2.0\n[bodies.driver]\nmass = 0.2\n')
    scene = files.load(file)
    assert scene.duration == 2.0 and scene.world.body("driver").mass == 0.2
    assert (scene.world.gravity == 0.0).all()


def test_parts_are_looked_for_beside_the_file_that_names_them(tmp_path, write):
    inner = tmp_path / "inner"
    inner.mkdir()
    lines = ["OFF", "4 4 0", "0 0 0", "1 0 0", "0 1 0", "0 0 1", "3 0 2 1", "3 0 1 3", "3 1 2 3", "3 0 3 2"]
    (inner / "tetra.off").write_text("\n".join(lines))
    (inner / "part.toml").write_text('[parts.t]\nfile = "tetra.off"\nunit = "m"\n[bodies.t]\npart = "t"\n')
    world = files.load(write('include = ["inner/part.toml"]\n')).world
    assert world.body("t").shape.volume == pytest.approx(1.0 / 6.0)


def test_parts_can_be_moved_and_combined(write):
    text = """
    [parts.block]
    library = "box"
    size = [0.1, 0.1, 0.1]
    [parts.drill]
    library = "cylinder"
    radius = 0.02
    height = 0.2
    segments = 16
    euler_xyz_deg = [90, 0, 0]
    [parts.drilled]
    subtract = ["block", "drill"]
    [bodies.drilled]
    part = "drilled"
    """
    shape = files.load(write(text)).world.body("drilled").shape
    assert shape.genus == 1 and 0.0 < shape.volume < 1e-3


@pytest.mark.parametrize(("pair", "mu"), [("", 0.2), ('[[pairs]]\na = "box"\nb = "floor"\nfriction = 0.05\n', 0.05)])
def test_laws_between_materials_hold_unless_a_pair_says_otherwise(write, pair, mu):
    text = """
    [materials.steel]
    density = 7850
    friction = { ice = 0.2, steel = 0.4 }
    [materials.ice]
    friction = 0.9
    [parts.box]
    library = "box"
    [parts.slab]
    library = "box"
    size = [4.0, 1.0, 0.1]
    [bodies.box]
    part = "box"
    material = "steel"
    position = [0, 0, 0.05001]
    velocity = [1, 0, 0]
    [bodies.floor]
    part = "slab"
    material = "ice"
    fixed = true
    position = [0, 0, -0.05]
    """
    scene = files.load(write(text + pair))
    body = scene.world.body("box")
    assert body.mass == pytest.approx(7.85)
    list(scene.run(0.1))
    before = body.velocity[0]
    list(scene.run(0.1))
    assert before - body.velocity[0] == pytest.approx(mu * 9.81 * 0.1, rel=1e-3)


def test_forces_follow_expressions_over_time_and_rows(write):
    drives = '[drives.a]\nbody = "ball"\nforce = ["=2*t", 0, 0]\n'
    scene = ball(write, world="gravity = [0, 0, 0]", body="mass = 1.0", more=drives)
    list(scene.run(1.0))
    v = sum(2.0 * 0.01 * k * 0.01 for k in range(100))
    assert scene.world.body("ball").velocity[0] == pytest.approx(v, rel=1e-12)
    rows = '[drives.a]\nbody = "ball"\nforce = [{time = 0, value = [0, 0, 0]}, {time = 1, value = [2, 0, 0]}]\n'
    scene = ball(write, world="gravity = [0, 0, 0]", body="mass = 1.0", more=rows)
    list(scene.run(1.0))
    assert scene.world.body("ball").velocity[0] == pytest.approx(v, rel=1e-12)


def test_a_drive_has_a_beginning_and_an_end(write):
    drives = '[drives.a]\nbody = "ball"\nforce = [1, 0, 0]\nstart = 0.2\nend = 0.5\n'
    scene = ball(write, world="gravity = [0, 0, 0]", body="mass = 1.0", more=drives)
    list(scene.run(1.0))
    assert scene.world.body("ball").velocity[0] == pytest.approx(0.3)


@pytest.mark.parametrize("where", ["inline", "csv"])
def test_a_kinematic_body_goes_along_its_track(write, tmp_path, where):
    half = np.pi / 2
    (tmp_path / "t.csv").write_text(
        f"time,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,1,0,0,{np.cos(half / 2)!r},0,0,{np.sin(half / 2)!r}\n".replace(
            "np.float64(", ""
        ).replace(")", "")
    )
    rows = f"[{{time = 0}}, {{time = 1, position = [1, 0, 0], rotvec = [0, 0, {half!r}]}}]"
    track = '"t.csv"' if where == "csv" else rows
    more = f'[drives.a]\nbody = "ball"\ntrack = {track}\n'
    scene = ball(write, body="kinematic = true", more=more)
    list(scene.run(0.5))
    pose = scene.world.body("ball").pose
    np.testing.assert_allclose(pose.position, (0.5, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(pose.rotvec, (0.0, 0.0, 0.5 * half), atol=1e-12)
    list(scene.run(1.0))
    np.testing.assert_allclose(scene.world.body("ball").pose.position, (1.0, 0.0, 0.0), atol=1e-12)


def test_a_hand_leads_a_free_body(write):
    more = '[drives.a]\nbody = "ball"\nhand = { position = [0.2, 0, 0], stiffness = 1e4 }\nend = 1.0\n'
    scene = ball(write, world="gravity = [0, 0, 0]", body="mass = 1.0", more=more)
    list(scene.run(0.9))
    np.testing.assert_allclose(scene.world.body("ball").pose.position, (0.2, 0.0, 0.0), atol=1e-4)
    list(scene.run(0.2))
    assert scene.world._state.hold[0, 0] == 0.0, "the hand has let go"


def test_a_hand_may_hold_a_point(write):
    more = '[drives.a]\nbody = "ball"\nhand = { position = [0.2, 0, 0], point = [0, 0, 0.01], stiffness = 1e4 }\n'
    scene = ball(write, world="gravity = [0, 0, 0]", body="mass = 1.0", more=more)
    list(scene.run(2.0))
    body = scene.world.body("ball")
    np.testing.assert_allclose(body.pose.apply((0.0, 0.0, 0.01)), (0.2, 0.0, 0.0), atol=1e-4)
    assert abs(body.pose.rotvec[1]) > 1e-5, "the pull beside its centre turns it"


def test_a_hand_that_holds_a_point_does_not_turn_the_body(write):
    more = '[drives.a]\nbody = "ball"\nhand = { point = [0, 0, 0.01], max_torque = 1.0 }\n'
    with pytest.raises(abut.InputError, match="expected point or max_torque, got both"):
        ball(write, body="mass = 1.0", more=more)


def test_measures_follow_a_run(write):
    more = """
    [bodies.floor]
    shape = "half_space"
    fixed = true
    [measures]
    low = "smallest pose.z of ball"
    at = "pose.z of ball at 0.1"
    fast = "largest speed of ball"
    weight = "force of ball and floor at end"
    gap = "smallest gap"
    landed = { reached = { body = "ball", position = [0, 0, 0.1], within = 1e-3 } }
    never = { reached = { body = "ball", position = [9, 0, 0], within = 1e-3 } }
    """
    scene = ball(write, world="contact_gap = 1e-5", body="mass = 1.0\nposition = [0, 0, 0.6]", more=more)
    for report in scene.run(1.0):
        for measure in scene.measures.values():
            measure.see(scene.world, report)
    values = {name: measure.value for name, measure in scene.measures.items()}
    assert values["never"] is None
    assert values["landed"] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=0.02)
    assert values["low"] == pytest.approx(0.1 + 1e-5, abs=1e-6)
    assert values["weight"] == pytest.approx(9.81, rel=1e-6)
    assert values["at"] == pytest.approx(0.6 - 0.5 * 9.81 * 0.1 * 0.11, abs=1e-6)
    assert 3.0 < values["fast"] < 3.2 and 0.0 < values["gap"] <= 1.01e-5


# Laws


def test_the_schema_knows_every_key_of_the_example(write):
    table = tomllib.loads(DRIVER)
    schema = files.schema()
    assert set(table) <= set(schema["properties"])
    assert schema["$defs"]["BodyTable"]["properties"]["mass"]["description"].startswith("[kg]")


def test_damaged_files_are_refused_in_sentences(write, times):
    """Whatever is changed, dropped or doubled: a scene, or an error of ours, never a traceback, never a hang."""
    dice, outcomes = random.Random(zlib.crc32(b"damaged")), {"fine": 0, "refused": 0}
    texts = [DRIVER, *(file.read_text() for file in sorted(FOLDER.glob("*.toml")))]
    for _ in range(times(300, 10_000)):
        text, begin = damaged(dice, dice.choice(texts).splitlines()), time.process_time()
        try:
            read(write(text))
            outcomes["fine"] += 1
        except abut.AbutError as error:
            outcomes["refused"] += 1
            assert str(error)
        assert time.process_time() - begin < 10.0, text
    assert outcomes["refused"] > 100 and outcomes["fine"] > 5


def test_damaged_scenes_that_can_be_read_are_built_or_refused(write, times):
    """Numbers that a file may hold, but no part or body."""
    dice = random.Random(zlib.crc32(b"damaged and built"))
    texts = [DRIVER, *((FOLDER / f"{name}.toml").read_text() for name in ("stack", "pendulum", "slider_crank"))]
    built = 0
    for _ in range(times(40, 1000)):
        begin = time.process_time()
        try:
            abut.scene.load(write(damaged(dice, dice.choice(texts).splitlines()))).world.step()
            built += 1
        except abut.AbutError as error:
            assert str(error)
        assert time.process_time() - begin < 60.0
    assert built > 0


def damaged(dice, lines):
    """One to three small mutations of lines and characters."""
    kept = list(lines)
    for _ in range(dice.randint(1, 3)):
        kind, k = dice.randrange(5), dice.randrange(len(kept))
        line = kept[k]
        at = dice.randrange(len(line)) if line else 0
        if kind == 0:
            del kept[k]
        elif kind == 1:
            kept.insert(dice.randrange(len(kept)), line)
        elif kind == 2:
            kept[k] = line[:at] + chr(dice.choice([0, 34, 39, 44, 61, 91, 93, 123, 125, 92, 255, 0x2028])) + line[at:]
        elif kind == 3:
            kept[k] = line[:at] + line[at + 1 :]
        else:
            kept[k] = line.replace("0", dice.choice(["1e999", "nan", '"=1/0"', "true", '"=x"', "[]", "-1"]), 1)
    return "\n".join(kept)


# Bad input


def test_all_problems_are_told_at_once_each_with_its_line(write):
    text = """[parameters]
a = "=b"
b = "=a"
c = "=1/0"
[world]
dtt = 1
dt = -1.0
[bodies.peg]
part = "pig"
position = [0.0,
   "up",
   0.06]
fixed = "maybe"
[bodies."the plate"]
part = "q"
shape = "sphere"
[parts.q]
library = "peg"
[joints.x]
type = "hing"
body = "peg"
[[pairs]]
a = "peg"
[drives.d]
body = "pge"
force = [0, 0, "=3*cc"]
"""
    found = {(p.line, p.column): (p.key, p.message) for p in problems(write(text))}
    wanted = {
        (2, 1): ("parameters.a", "refers to itself: a -> b -> a"),
        (4, 1): ("parameters.c", "divides by zero"),
        (6, 1): ("world.dtt", "did you mean 'dt'?"),
        (7, 1): ("world.dt", "expected a number greater than 0, got -1.0"),
        (9, 1): ("bodies.peg.part", "there is no part 'pig'"),
        (11, 4): ("bodies.peg.position[1]", "expected a number, got 'up'"),
        (13, 1): ("bodies.peg.fixed", "expected true or false"),
        (14, 1): ("bodies.the plate", "expected either part = or shape ="),
        (20, 1): ("joints.x.type", "'hinge'"),
        (22, 1): ("pairs[0].b", "is missing"),
        (25, 1): ("drives.d.body", "did you mean 'peg'?"),
        (26, 16): ("drives.d.force[2]", "did you mean 'c'?"),
    }
    assert set(found) == set(wanted)
    for place, (key, words) in wanted.items():
        assert found[place][0] == key and words in found[place][1]


def test_a_mass_of_its_own_stands_above_the_density_of_its_material(write):
    text = '[materials.steel]\ndensity = 7850\n[bodies.a]\nshape = "sphere"\nradius = 0.1\nmaterial = "steel"\n'
    world = abut.scene.load(write(text + "mass = 3\n")).world
    assert world.body("a").mass == 3.0


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("[world\n", 1, "is no TOML here", id="syntax"),
        pytest.param('include = ["nowhere.toml"]\n', 1, "there is no file 'nowhere.toml'", id="missing include"),
        pytest.param('include = ["scene.toml"]\n', 1, "goes round in a circle", id="circle"),
        pytest.param('[bodies.a]\nshape = "sphere"\n', 1, "a sphere needs radius", id="no radius"),
        pytest.param('[parts.a]\nlibrary = "pg"\n[bodies.a]\npart = "a"\n', 2, "did you mean 'peg'", id="library"),
        pytest.param('[parts.a]\nlibrary = "peg"\nlenth = 1\n[bodies.a]\npart = "a"\n', 3, "'length'", id="argument"),
        pytest.param('[parts.a]\nfile = "no.stl"\n[bodies.a]\npart = "a"\n', 2, "no.stl", id="missing part file"),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = "10 mm"\n', 3, "write '=10*mm'", id="unit beside a number"
        ),
        pytest.param('[bodies.a]\nshape = "sphere"\nradius = "=1e1 mm"\n', 3, "write '=1e1*mm'", id="unit without a *"),
        pytest.param('[bodies.a]\nshape = "sphere"\nradius = "=2*mmm"\n', 3, "did you mean 'mm'", id="mistyped unit"),
        pytest.param(
            '[parameters]\nr = "big"\n[bodies.a]\nshape = "sphere"\nradius = "=r"\n', 2, "a number", id="parameter"
        ),
        pytest.param('[parameters]\nr = nan\nq = "=2*r"\n', 2, "expected a finite number", id="nan that others need"),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\nquat_wxyz = [0, 0, 0, 0]\n', 4, "zero length", id="key named"
        ),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\n[drives.d]\nbody = "a"\nforce = [0, 0]\n',
            6,
            "missing",
            id="short force",
        ),
        pytest.param('[parts.a]\nunion = ["a"]\n[bodies.a]\npart = "a"\n', 1, "is made of itself", id="own part"),
        pytest.param('[measures]\nx = "pose.q of a"\n', 2, "there is no quantity", id="quantity"),
        pytest.param('[measures]\nx = "how are you?"\n', 2, "expected [largest", id="measure"),
        pytest.param("[parameters]\na = { value = 5, most = 3 }\n", 2, "expected at most 3, got 5", id="range"),
        pytest.param("[world]\ndt = inf\n", 2, "finite", id="infinite dt"),
        pytest.param("[world]\nthreads = true\n", 2, "expected a whole number", id="true is no number"),
        pytest.param('[bodies.a]\nrepeat = 2.5\nshape = "sphere"\n', 2, "whole number", id="repeat"),
        pytest.param('[bodies.a]\nrepeat = -2\nshape = "sphere"\n', 2, "whole number", id="fewer than no copies"),
        pytest.param("title = 3\n", 1, "expected a text, got 3", id="title"),
        pytest.param(
            '[parameters]\nr = { value = "big" }\n', 2, "expected a number, got 'big'", id="table of a parameter"
        ),
        pytest.param("[bodies.a]\nfixed = true\n", 1, "got neither", id="no shape"),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\nmass = 1\ndensity = 2\n',
            1,
            "either density = or mass =, got both",
            id="density beside mass",
        ),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\nfixed = true\n[drives.d]\nbody = "a"\nforce = [0, 0, 1]\n',
            5,
            "'a' is fixed and cannot be pushed",
            id="push of a fixed body",
        ),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\nkinematic = true\n[drives.d]\nbody = "a"\nhand = {}\n',
            5,
            "'a' is kinematic and cannot be held by a hand; give it a velocity",
            id="hand at a kinematic body",
        ),
        pytest.param(
            '[bodies.a]\nshape = "sphere"\nradius = 1\n[drives.d]\nbody = "a"\ntrack = "no.csv"\n',
            4,
            "no.csv: there is no such file",
            id="missing track",
        ),
    ],
)
def test_one_mistake_one_sentence(write, text, line, words):
    found = problems(write(text))
    assert len(found) == 1 and found[0].line == line
    assert words in found[0].message


def test_problems_of_included_files_name_those(write):
    write("[world]\ndt = 0\n", "inner.toml")
    (found,) = problems(write('include = ["inner.toml"]\n[world]\nduration = 1\n'))
    assert found.file.endswith("inner.toml") and found.line == 2


def test_unknown_changes_are_refused(write):
    with pytest.raises(abut.InputError, match=r"pres: the scene has no such parameter \(did you mean 'press'\?\)"):
        files.load(write(DRIVER), pres=3.0)
    (found,) = problems(write(DRIVER), press=1000.0)
    assert "expected at most 100, got 1000" in found.message


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(abut.FileError, match="no UTF-8"):
        files.load(tmp_path / "a.toml")
    with pytest.raises(abut.FileError, match="there is no such file"):
        files.load(tmp_path / "b.toml")
    with pytest.raises(abut.FileError, match="is a folder, expected a file"):
        files.load(tmp_path)


def test_paths_are_spelled_as_one_would_write_them():
    assert spelled(("bodies", "peg", "position", 1)) == "bodies.peg.position[1]"
