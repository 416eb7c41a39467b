"""Assemblies as bodies of a world: loosened, fixed by name, with interferences declared and told."""

import warnings

import numpy as np
import pytest

import abut
from abut import AssemblyWarning, InputError, PlacedPart, Pose, Solid, World
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit

BOLT = Solid.revolve([(0, -8e-3), (3e-3, -8e-3), (3e-3, 6e-3), (5e-3, 6e-3), (5e-3, 0.01), (0, 0.01)], segments=32)
RING = Solid.revolve([(3e-3, -2e-3), (9e-3, -2e-3), (9e-3, 2e-3), (3e-3, 2e-3)], segments=32)
PARTS = [
    PlacedPart("plate", RING, Pose((0, 0, 0))),
    PlacedPart("washer", RING, Pose((0, 0, 4e-3))),
    PlacedPart("bolt_1", BOLT, Pose.from_rotvec((0, 0, 0), (0, 0, 0.05))),
]


def test_an_assembly_drawn_touching_starts_and_stays():
    world = World()
    bodies = world.add_assembly(PARTS, fixed="plate", density=7850.0, friction=0.2)
    assert [body.name for body in bodies] == ["plate", "washer", "bolt_1"] == [body.name for body in world.bodies]
    assert [np.isfinite(body.mass) for body in bodies] == [False, True, True]
    assert world.body("bolt_1").mass == pytest.approx(7850.0 * BOLT.volume, rel=0.02)
    judge = Judge(world)
    for _ in range(100):
        assert world.step().time_given_up == 0.0 and judge.overlap() is None
    for body, part in zip(bodies, PARTS, strict=True):
        np.testing.assert_allclose(body.pose.position, part.pose.position, atol=2e-5)


def test_a_pose_moves_the_whole():
    X = Pose.from_rotvec((0.1, 0.2, 0.3), (0.3, 0, 0.5))
    world = World()
    world.add_assembly(PARTS, pose=X)
    for body, part in zip(world.bodies, PARTS, strict=True):
        np.testing.assert_allclose(body.pose.matrix, (X @ part.pose).matrix, atol=1e-12)


def test_what_was_loosened_is_taken_as_it_is():
    free = abut.loosen(PARTS)
    world = World()
    world.add_assembly(free, fixed=("plate",))
    assert [body.shape for body in world.bodies] == [part.solid for part in free.parts]
    world.step()


def test_a_limit_may_be_given_and_loosening_left_out():
    world = World()
    world.add_assembly(PARTS, loosen=1e-4, fixed=("pl*",))
    world.step()
    drawn = World()
    drawn.add_assembly(PARTS, loosen=False, fixed=("plate",))
    assert [body.shape for body in drawn.bodies] == [part.solid for part in PARTS]
    with pytest.raises(abut.OverlapError, match=r"abut\.loosen"):
        drawn.step()


def test_true_interferences_are_declared_and_told_where_the_user_is():
    parts = {"a": Solid.box(0.1), "b": (Solid.box(0.1), Pose((0.099, 0, 0))), "c": (Solid.box(0.1), Pose((0, 0.1, 0)))}
    world = World(gravity=(0, 0, 0))
    with pytest.warns(AssemblyWarning, match=r"1 pair is drawn .*'a' and 'b' \(1 mm deep\); mend") as said:
        world.add_assembly(parts)
    assert said[0].filename == __file__
    world.step()
    assert [(one.a, one.b) for one in world.interferences] == [("a", "b")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World().add_assembly(parts, fixed=("a", "b"))


def test_fits_that_are_narrower_than_the_contact_gap_lower_it():
    """Contacts on both sides of such a fit cannot be held at the gap: steps took a hundred times as long."""
    wide, narrow = World(), World()
    wide.add_assembly(abut.loosen(PARTS), fixed=("plate",))
    free = abut.loosen(PARTS, gap=1e-7)
    narrow.add_assembly(free, fixed=("plate",))
    assert narrow.contact_gap == pytest.approx(0.5e-7) and wide.contact_gap > 3e-7
    assert World.restore(narrow.save()).contact_gap == narrow.contact_gap
    drawn = World()
    drawn.add_assembly(free.parts, fixed=("plate",), loosen=False)
    assert 0.4e-7 < drawn.contact_gap < 0.6e-7
    reports = [narrow.step() for _ in range(50)]
    assert all(report.parts <= 1 for report in reports) and Judge(narrow).overlap() is None
    own = World(contact_gap=1e-6)
    own.add_assembly(free, fixed=("plate",))
    assert own.contact_gap == 1e-6


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        (PARTS, {"fixed": ("plat",)}, "fixed: no part is called 'plat'; there are plate, washer, bolt_1"),
        (PARTS, {"fixed": 3}, "fixed: expected names or patterns of parts, got 3"),
        (PARTS, {"loosen": -1.0}, "loosen: expected a number greater than 0, got -1"),
        (PARTS, {"loosen": 1e-8}, "limit: expected at least 0.*half of the gap"),
        (PARTS, {"density": 0.0}, "body 'plate': .*density|density"),
        ([], {}, "parts: expected parts, got none"),
        (RING, {}, "parts: expected a list of parts, as load_assembly returns, got Solid"),
    ],
)
def test_bad_input_is_answered_with_a_sentence_and_nothing_is_added(parts, options, message):
    world = World()
    with pytest.raises(InputError, match=message):
        world.add_assembly(parts, **options)
    assert world.bodies == []


def test_an_open_part_can_only_be_fixed():
    lid = Solid(RING.vertices, RING.triangles[:-1])
    with pytest.raises(InputError, match="body 'lid': its part is not closed and has no mass; add it with fixed=True"):
        World().add_assembly({"lid": lid})
    World().add_assembly({"lid": lid, "box": (Solid.box(0.01), Pose((1, 0, 0)))}, fixed="lid")


SCENE = """
[materials.steel]
density = 7850
friction = {{ steel = 0.3 }}

[assemblies.press]
file = "press.glb"
fixed = ["plate"]
material = "steel"
position = [0, 0, 0.1]
{}

[bodies.bolt_1]
shape = "sphere"
radius = 0.01
position = [1, 0, 0]
"""


@pytest.fixture
def folder(tmp_path):
    abut.save_assembly(PARTS, tmp_path / "press.glb")
    return tmp_path


def test_assemblies_of_scene_files_are_loosened(folder):
    (folder / "scene.toml").write_text(SCENE.format(""))
    world = abut.scene.load(folder / "scene.toml").world
    assert [body.name for body in world.bodies] == ["bolt_1", "press/bolt_1", "plate", "washer"]
    assert world.body("plate").pose.position.tolist() == pytest.approx([0, 0, 0.1])
    assert world.body("washer").mass == pytest.approx(7850 * RING.volume, rel=0.02)
    for _ in range(20):
        assert world.step().time_given_up == 0.0
    assert (world.contacts["friction"] != 0.0).any(), "the friction of the file acts"
    abut.scene.save(world, folder / "saved.toml")
    assert abut.scene.load(folder / "saved.toml").world.save() == world.save()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("loosen = false", "bodies overlap or touch"),
        ('file = "none.glb"', "none.glb"),
        ('fixed = ["foot"]', "no part is called 'foot'"),
    ],
)
def test_faults_of_assemblies_are_told(folder, more, message):
    text = SCENE.format(more)
    for word in ("file", "fixed"):
        if more.startswith(word):
            text = "\n".join(line for line in text.splitlines() if not line.startswith(word) or line == more)
    (folder / "scene.toml").write_text(text)
    with pytest.raises(abut.AbutError, match=message):
        abut.scene.load(folder / "scene.toml").world.step()
