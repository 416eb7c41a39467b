"""Soft bodies in scene files: every way to make one, what holds and measures it, mistakes with their line, saving."""

import numpy as np
import pytest

import abut
from abut.scene import files

meshio = pytest.importorskip("meshio")

pytestmark = pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")

BAR = """
[world]
dt = 5e-3
duration = 0.05
{world}
[parts.bar]
library = "box"
size = [0.2, 0.04, 0.04]
[materials.rubber]
density = 900
friction = 0.7
[bodies.jaw]
part = "bar"
position = [0.4, 0, 0]
kinematic = true
[soft.bar]
part = "bar"
cell = 0.02
material = "rubber"
young = 1e5
poisson = 0.3
damping = [0, 5e-3]
{soft}
"""


@pytest.fixture
def load(tmp_path):
    def load(soft="", world="", more="", **changes):
        (tmp_path / "bar.toml").write_text(BAR.format(soft=soft, world=world) + more)
        return files.load(tmp_path / "bar.toml", **changes)

    return load


def faults(load, *args, **more):
    with pytest.raises(files.SceneError) as caught:
        load(*args, **more)
    return [(problem.key, problem.message, problem.line) for problem in caught.value.problems]


def test_a_soft_body_is_what_python_would_make_of_the_same_words(load):
    soft = load("position = [0, 0, 1]\neuler_xyz_deg = [0, 90, 0]\nvelocity = [1, 0, 0]").world.deformable("bar")
    part = abut.Solid.box((0.2, 0.04, 0.04))
    world = abut.World(dt=5e-3)
    other = world.add_deformable(
        abut.fem.TetMesh.from_solid(part, 0.02),
        "bar",
        surface=part,
        young=1e5,
        poisson=0.3,
        density=900.0,
        friction=0.7,
        damping=(0.0, 5e-3),
        pose=abut.Pose.from_rotvec((0, 0, 1), (0, np.pi / 2, 0)),
        velocity=(1, 0, 0),
    )
    np.testing.assert_allclose(soft.nodes, other.nodes, atol=1e-15)
    assert soft._spec.says_the_same(other._spec) and (soft.velocities == other.velocities).all()


def test_nodes_are_fixed_and_attached_where_tables_say(load):
    scene = load(
        "fixed = [{ box = [[-0.11, -1, -1], [-0.099, 1, 1]] }, { near = [0, 0, 0.02] }]\n"
        'attach = [{ body = "jaw", near = [0.1, 0, 0], within = 0.03 }]'
    )
    soft = scene.world.deformable("bar")
    rest = np.asarray(soft.mesh.nodes)
    fixed, (link,) = soft._spec.fixed_nodes, soft._attached
    assert (rest[fixed[:-1]][:, 0] == -0.1).sum() >= 9 and (np.abs(rest[fixed]) < 1e-9).all(axis=1).sum() == 0
    assert len(fixed) == (rest[:, 0] < -0.099).sum() + 1
    np.testing.assert_array_equal(link.nodes, np.flatnonzero(np.linalg.norm(rest - (0.1, 0, 0), axis=1) <= 0.03))


@pytest.mark.parametrize("ending", [".msh", ".vtk", ".inp"])
def test_tetrahedra_of_other_programs_with_a_skin_of_their_own(tmp_path, ending, load):
    part = abut.Solid.box((0.2, 0.04, 0.04))
    mesh = abut.fem.TetMesh.from_solid(part, 0.02)
    content = meshio.Mesh(1e3 * np.asarray(mesh.nodes), [("tetra", np.asarray(mesh.tetrahedra))])
    meshio.write(tmp_path / f"bar{ending}", content)
    text = BAR.replace('part = "bar"\ncell = 0.02', f'mesh = "bar{ending}"\nunit = "mm"\ndivide = 1')
    (tmp_path / "file.toml").write_text(text.format(soft="", world=""))
    soft = files.load(tmp_path / "file.toml").world.deformable("bar")
    assert len(soft.mesh.tetrahedra) == len(mesh.tetrahedra)
    assert len(soft.triangles) == 4 * len(mesh.boundary)
    np.testing.assert_allclose(np.ptp(soft.vertices, axis=0), (0.2, 0.04, 0.04), atol=1e-9)


def test_a_hand_holds_a_point_of_the_skin_for_its_time_and_measures_follow(load):
    more = """
[drives.lift]
body = "bar"
end = 0.1
hand = { point = [0.1, 0, 0], position = [0.1, 0, 0.05], max_force = 100 }
[measures]
tip = { place = { body = "bar", point = [0.1, 0, 0], axis = "z", how = "largest" } }
stress = "stress of bar"
bent = "largest strain_energy of bar"
volume = "volume_change of bar at end"
inverted = "inverted of bar"
height = "pose.z of bar at end"
"""
    scene = load(world="gravity = [0, 0, 0]", more=more, **{"world.duration": 0.2})
    soft, tip, stress, held = scene.world.deformable("bar"), [], [], []
    for _ in scene.run():
        tip.append(soft.place_of((0.1, 0, 0))[2])
        stress.append(soft.stress.max())
        held.append(scene.world._now.soft.hands[0] is not None)
        for measure in scene.measures.values():
            measure.see(scene.world, scene.world.report)
    found = {name: measure.value for name, measure in scene.measures.items()}
    assert found["tip"] == max(tip) > 0.03 and found["stress"] == max(stress) > 0
    assert found["bent"] > 0 and found["inverted"] == 0 and abs(found["volume"]) < 0.05
    assert found["height"] == pytest.approx(soft.centre[2]) and soft.centre[2] > 0.005
    assert held[:20] == [True] * 20 and not any(held[21:])


@pytest.mark.parametrize(
    ("soft", "more", "key", "words"),
    [
        ('surface = "bear"', "", "soft.bar.surface", "there is no part 'bear' (did you mean 'bar'?)"),
        ('attach = [{ body = "jar", near = [0, 0, 0] }]', "", "soft.bar.attach[0].body", "did you mean 'jaw'?"),
        ('attach = [{ body = "jaw" }]', "", "soft.bar.attach[0]", "expected one of box, near, nodes, got none of them"),
        ("fixed = [{ box = [[1, 1, 1], [2, 2, 2]] }]", "", "soft.bar.fixed[0]", "there is no node of the cage in it"),
        ("fixed = [{ nodes = [100000] }]", "", "soft.bar.fixed[0].nodes", "expected numbers from 0 to"),
        ("fixed = [{ box = [[0, 0, 0], [1, 1, 1]], within = 1 }]", "", "soft.bar.fixed[0]", "within only beside near"),
        ('mesh = "bar.msh"', "", "soft.bar", "expected either part = or mesh ="),
        ("yung = 1", "", "soft.bar.yung", "did you mean 'young'?"),
        ("exact = true", "", "soft.bar", "cannot stand beside exact = true"),
        ("", '[drives.push]\nbody = "bar"\nforce = [1, 0, 0]', "drives.push", "a hand at a point of its skin"),
        ("", '[measures]\nspeed = "speed of bar"', "measures.speed", "'bar' is soft and has no speed"),
        ("", '[measures]\nstress = "stress of jaw"', "measures.stress", "'jaw' is rigid and has no stress"),
        ("", '[view]\ncut = ["ball"]', "view.cut[0]", "there is no body 'ball'"),
        (
            'fixed = [{ near = [0, 0, 0] }]\nattach = [{ body = "jaw", near = [0, 0, 0] }]',
            "",
            "soft.bar.attach[0]",
            "fixed or attached already",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(load, soft, more, key, words):
    ((found, message, line),) = faults(load, soft, more=more)
    assert found == key and words in message and line > 1


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ({"soft.bar.poisson": 0.5}, "soft.bar.poisson", "less than 0.5"),
        ({"soft.bar.young": -1.0}, "soft.bar.young", "greater than 0"),
        ({"soft.bar.cell": 0.5}, "soft.bar", "cell"),
        ({"soft.bar.young": 1.0}, "soft.bar", "weight"),
        ({"soft.bar.part": "bart"}, "soft.bar.part", "did you mean 'bar'?"),
        ({"soft.bar.divide": 9}, "soft.bar.divide", "less than or equal to 6"),
    ],
)
def test_wrong_numbers_are_told_with_their_place(load, change, key, words):
    found, message, _ = faults(load, **change)[0]
    assert found == key and words in message


def test_a_mesh_file_that_is_not_there_is_a_sentence(tmp_path, load):
    text = BAR.replace('part = "bar"\ncell = 0.02', 'mesh = "gone.msh"')
    (tmp_path / "file.toml").write_text(text.format(soft="", world=""))
    with pytest.raises(files.SceneError, match=r"soft\.bar: .*gone\.msh: there is no such file"):
        files.load(tmp_path / "file.toml")


def bits(world):
    soft = world.deformables[0]
    return b"".join(
        np.asarray(t).tobytes() for t in (soft.nodes, soft.velocities, world._state.pose, world._state.twist)
    )


@pytest.mark.parametrize("steps", [0, 4])
def test_a_saved_world_comes_back_to_the_bit_with_attached_nodes_and_hands(load, tmp_path, steps):
    scene = load(
        'attach = [{ body = "jaw", near = [0.1, 0, 0], within = 0.03 }]\nfixed = [{ near = [0, 0.02, 0] }]',
        more='[drives.lift]\nbody = "bar"\nhand = { point = [-0.1, 0, 0], position = [-0.1, 0, 0.02] }',
    )
    for _ in range(steps):
        scene.step()
    abut.scene.save(scene, tmp_path / "saved.toml")
    other = files.load(tmp_path / "saved.toml")
    assert other.world.save() == scene.world.save()
    assert (tmp_path / "saved_files" / "start.abut").exists() == bool(steps)
    for _ in range(3):
        scene.step()
        other.step()
    assert bits(other.world) == bits(scene.world)


def test_an_edited_file_with_a_snapshot_of_another_world_is_refused(load, tmp_path):
    scene = load()
    scene.step()
    abut.scene.save(scene.world, tmp_path / "saved.toml")
    text = (tmp_path / "saved.toml").read_text()
    (tmp_path / "saved.toml").write_text(text + '\n[[soft.bar.attach]]\nbody = "jaw"\nnodes = [0]\n')
    with pytest.raises(files.SceneError, match="soft body 'bar'"):
        files.load(tmp_path / "saved.toml")
