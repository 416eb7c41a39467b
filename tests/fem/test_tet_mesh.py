"""Cages of tetrahedra: known ones, laws of their surfaces and volumes, bad input."""

import contextlib
import sys

import numpy as np
import pytest

import abut
from abut.fem import MeshWarning, TetMesh

pytestmark = [
    pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"),  # small meshes are coarse
    pytest.mark.needs_jit,
]

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
KUHN = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]])


def test_a_cube_of_six_tetrahedra():
    mesh = TetMesh(CUBE, KUHN)
    assert mesh.volume == pytest.approx(1.0, abs=1e-15)
    assert len(mesh.boundary) == 12
    assert mesh.surface().volume == pytest.approx(1.0, abs=1e-15)
    quality = mesh.quality()
    assert np.degrees(quality.smallest_dihedral) == pytest.approx(45.0)
    assert np.degrees(quality.largest_dihedral) == pytest.approx(90.0)


@pytest.mark.parametrize("fit", ["stuffed", "cage"])
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(abut.Solid.sphere(0.1, name="ball"), id="a ball"),
        pytest.param(abut.Solid.box((0.1, 0.08, 0.12)) - abut.Solid.cylinder(0.02, 0.3), id="a box with a hole"),
        pytest.param(abut.Solid.torus(0.06, 0.03), id="a ring"),
    ],
)
def test_a_part_is_filled(part, fit):
    mesh = TetMesh.from_solid(part, 0.02, fit=fit)
    assert mesh.volume == pytest.approx(part.volume, rel=0.06)
    assert np.degrees(mesh.quality().smallest_dihedral) > 14.0
    assert mesh.surface().closed
    embedded = mesh.embed(part)
    np.testing.assert_allclose(embedded.positions(mesh.nodes), part.vertices, atol=1e-15)


def test_loads_on_a_skin_push_and_turn_its_cage_alike(rng):
    part = abut.Solid.sphere(0.1)
    mesh = TetMesh.from_solid(part, 0.04)
    loads = rng.normal(size=part.vertices.shape)
    spread = mesh.embed(part).spread(loads, len(mesh.nodes))
    np.testing.assert_allclose(spread.sum(axis=0), loads.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        np.cross(mesh.nodes, spread).sum(axis=0), np.cross(part.vertices, loads).sum(axis=0), atol=1e-12
    )


def test_a_divided_skin_is_the_same_surface():
    part = abut.Solid.torus(0.06, 0.03)
    finer = abut.fem.divided(part, 2)
    assert len(finer.triangles) == 16 * len(part.triangles) and finer.closed
    assert finer.volume == pytest.approx(part.volume, rel=1e-12)
    assert abut.fem.divided(part, 0) is part


def test_a_box_is_filled_exactly():
    mesh = TetMesh.from_solid(abut.Solid.box((0.3, 0.1, 0.05)), 0.0125)
    assert mesh.volume == pytest.approx(0.3 * 0.1 * 0.05, rel=1e-14)
    assert mesh.quality().cells_through_thickness == pytest.approx(4.0, rel=1e-6)


def test_the_cage_of_a_box_is_half_full_at_its_faces():
    mesh = TetMesh.from_solid(abut.Solid.box((0.3, 0.1, 0.1)), 0.025, fit="cage")
    assert mesh.volume == pytest.approx(0.3 * 0.1 * 0.1, rel=1e-12)
    assert set(mesh.fill) == {0.5, 1.0}


def test_nodes_of_a_stuffed_ball_lie_on_it():
    mesh = TetMesh.from_solid(abut.Solid.sphere(0.1), 0.03)
    radii = np.linalg.norm(mesh.nodes[np.unique(mesh.boundary)], axis=1)
    assert len(mesh.tetrahedra) == 2496
    assert radii.max() < 0.1001
    assert radii.min() > 0.0975


def test_wild_meshes_keep_sharp_edges():
    pytest.importorskip("wildmeshing")
    part = abut.Solid.box((0.1, 0.08, 0.06))
    mesh = TetMesh.from_solid(part, 0.03, fit="wild")
    assert mesh.volume == pytest.approx(part.volume, rel=1e-3)
    assert mesh.embed(part).weight.min() > -0.01


def test_without_its_package_a_wild_mesh_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "wildmeshing", None)
    with pytest.raises(abut.MissingExtraError, match=r"fit='wild' needs the package wildmeshing.*abut\[wild\]"):
        TetMesh.from_solid(abut.Solid.box(0.1), 0.03, fit="wild")


def test_without_its_package_a_file_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "meshio", None)
    (tmp_path / "part.msh").write_text("")
    with pytest.raises(abut.MissingExtraError, match=r"reading tetrahedra from part.msh needs the package meshio"):
        TetMesh.load(tmp_path / "part.msh")


def test_a_mesh_that_lost_thin_places_says_so():
    """Two blocks on a rod that is thinner than a cell: stuffed, it vanishes."""
    rod = abut.Solid.box((0.4, 0.004, 0.004))
    dumbbell = rod | abut.Solid.box(0.1).translated((-0.15, 0, 0)) | abut.Solid.box(0.1).translated((0.15, 0, 0))
    with pytest.warns(
        MeshWarning, match="fall into 2 pieces, thin places between them are lost; use a smaller cell, or"
    ):
        assert TetMesh.from_solid(dumbbell, 0.025).pieces == 2
    whole = TetMesh.from_solid(dumbbell, 0.025, fit="cage")
    assert whole.pieces == 1
    with pytest.raises(abut.InputError, match="no tetrahedron fits into it"):
        TetMesh.from_solid(abut.parts.l_bracket(), 0.0133)


def test_the_same_part_gives_the_same_mesh():
    part = abut.Solid.torus(0.06, 0.03)
    a, b = (TetMesh.from_solid(part, 0.015) for _ in range(2))
    assert (a.nodes == b.nodes).all()
    assert (a.tetrahedra == b.tetrahedra).all()


def test_files_of_other_programs(shared_data):
    folder = shared_data("fem-tet")
    with pytest.warns(MeshWarning, match="cells lie through the thickness: bending will come out about"):
        bar = TetMesh.load(folder / "bar-186.msh")
    assert (len(bar.nodes), len(bar.tetrahedra)) == (86, 186)
    assert bar.volume == pytest.approx(5.0)
    block = TetMesh.load(folder / "blockC3D4.inp", unit="mm")
    assert (len(block.nodes), len(block.tetrahedra)) == (214, 767)
    assert block.volume == pytest.approx(4e-9)


FORMATS = {
    "ball.msh": {"file_format": "gmsh"},
    "ball22.msh": {"file_format": "gmsh22"},
    "ball.vtk": {"binary": False},
    "ball.vtu": {"binary": True},
    "ball.inp": {},
}


@pytest.fixture
def ball_file(tmp_path):
    """A ball of tetrahedra, and a file of it in one of the formats."""
    meshio = pytest.importorskip("meshio")
    ball = TetMesh.from_solid(abut.Solid.sphere(0.1), 0.05)

    def write(name, *more_cells):
        cells = [("tetra", ball.tetrahedra), *more_cells]
        meshio.Mesh(ball.nodes, cells).write(tmp_path / name, **FORMATS[name])
        return tmp_path / name

    return ball, write


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_comes_back(ball_file, name):
    ball, write = ball_file
    again = TetMesh.load(write(name))
    np.testing.assert_allclose(again.nodes, ball.nodes, atol=1e-12)
    assert (again.tetrahedra == ball.tetrahedra).all()


def test_cells_that_would_be_missing_are_named(ball_file):
    ball, write = ball_file
    with pytest.raises(abut.FileError, match="it holds wedge beside linear tetrahedra"):
        TetMesh.load(write("ball.vtu", ("wedge", np.arange(6)[None])))
    assert len(TetMesh.load(write("ball.vtu", ("triangle", ball.boundary))).tetrahedra) == len(ball.tetrahedra)


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_told(ball_file, name, rng):
    """What the package behind it raises is anything, and so are the numbers that it reads."""
    content = np.frombuffer(ball_file[1](name).read_bytes(), np.uint8)
    file = ball_file[1](name)
    for k in range(40):
        damaged = content.copy()
        damaged[rng.integers(min(len(content), 2000 if k % 2 else len(content)))] = rng.integers(256)
        file.write_bytes(bytes(damaged[: len(content) if k % 4 else rng.integers(len(content))]))
        with contextlib.suppress(abut.AbutError):
            TetMesh.load(file)


@pytest.mark.parametrize(
    ("tetrahedra", "message", "repairs"),
    [
        pytest.param(
            KUHN[:, [0, 1, 3, 2]], "all are numbered the wrong way round", "6 tetrahedra were turned", id="winding"
        ),
        pytest.param(
            np.vstack([KUHN[:2], KUHN[2:, [0, 1, 3, 2]]]),
            r"numbers 2, 3, 4, \.\.\. \(4 in all\) have a negative volume: inverted, or numbered the wrong way round",
            "4 tetrahedra were turned",
            id="some inverted",
        ),
        pytest.param(
            np.vstack([KUHN, [0, 1, 2, 3]]), "number 6 has no volume", "1 flat tetrahedra were dropped", id="flat"
        ),
        pytest.param(np.vstack([KUHN, KUHN[:1]]), "some of them occur twice", "1 doubled", id="doubled"),
        pytest.param(KUHN[:2], r"node 1 belongs to no tetrahedron \(3 such\)", "3 nodes that belong to no", id="loose"),
    ],
)
def test_unsound_tetrahedra_are_named_and_repaired_if_asked(tetrahedra, message, repairs):
    with pytest.raises(abut.InputError, match=message):
        TetMesh(CUBE, tetrahedra)
    mesh = TetMesh(CUBE, tetrahedra, repair=True)
    assert (mesh.volumes > 0).all()
    assert any(note.startswith(repairs) for note in mesh.repairs)


def test_tetrahedra_that_overlap_are_named():
    nodes = np.vstack([CUBE[[0, 4, 2, 1]], [[0.2, 0.2, 0.5]]])
    with pytest.raises(abut.InputError, match=r"0 and 1 lie on the same side of their common face \[0, 2, 1\]"):
        TetMesh(nodes, [[0, 1, 2, 3], [0, 1, 2, 4]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: TetMesh(CUBE, []), "expected at least one", id="nothing"),
        pytest.param(lambda: TetMesh(CUBE, [[0, 1, 2, 9]]), "indices run from 0 to 7", id="a node that is not there"),
        pytest.param(lambda: TetMesh(CUBE, KUHN, fill=[1, 1, 1, 1, 1, 0]), "entry 5 is 0", id="an empty element"),
        pytest.param(
            lambda: TetMesh.from_solid(abut.Solid.box((0.1, 0.1, 0.001), name="sheet"), 0.01),
            "cell: 0.01 m is too large for part 'sheet', which is 0.001 m thin",
            id="too thin for the cell",
        ),
        pytest.param(
            lambda: TetMesh.from_solid(abut.Solid.box((1, 1, 1), name="box"), 1e-3), "1e.09 cells", id="too many cells"
        ),
        pytest.param(lambda: TetMesh.from_solid(abut.Sphere(0.1), 0.01), "expected a Solid", id="not a polyhedron"),
        pytest.param(lambda: TetMesh.from_solid(7, 0.01), "part", id="not a part at all"),
        pytest.param(
            lambda: TetMesh(CUBE, KUHN).embed([[0.5, 0.5, 0.5], [0.5, 0.5, 2.6]]),
            r"point 1 at \(0.5, 0.5, 2.6\) m lies outside the cage",
            id="a skin outside its cage",
        ),
    ],
)
def test_what_cannot_be_used_is_told(call, message):
    with pytest.raises(abut.InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("part.stl", "solid", "tetrahedra are read from files that end in .msh"),
        ("part.msh", "nonsense", "cannot be read as a mesh"),
        (
            "part.inp",
            "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n",
            "no linear tetrahedra, only",
        ),
    ],
)
def test_unreadable_files_are_told(tmp_path, name, text, message, capsys):
    (tmp_path / name).write_text(text)
    with pytest.raises(abut.FileError, match=message):
        TetMesh.load(tmp_path / name)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(abut.FileError, match="no such file"):
        TetMesh.load(tmp_path / "absent.msh")
