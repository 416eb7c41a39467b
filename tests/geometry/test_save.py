"""Parts and assemblies written to files and read back."""

import numpy as np
import pytest

import abut
from abut import FileError, PlacedPart, Pose, Solid

EXACT = (".obj", ".ply")


def washer():
    return Solid.revolve([(0.1, 0), (0.2, 0), (0.2, 0.1), (0.1, 0.1)], segments=24, name='washer "<&>"')


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".glb", ".3mf"])
def test_what_is_saved_is_read_back(tmp_path, suffix):
    part, path = washer(), tmp_path / f"part{suffix}"
    part.save(path)
    back = Solid.load(path, unit="m") if suffix in (".stl", *EXACT) else Solid.load(path)
    assert back.problems() == [] and len(back.triangles) == len(part.triangles)
    rounding = 0.0 if suffix in EXACT else 1e-16 if suffix == ".3mf" else 2e-8
    apart = np.linalg.norm(back.vertices[:, None] - part.vertices[None], axis=2).min(axis=1)
    assert apart.max() <= rounding and back.volume == pytest.approx(part.volume, rel=1e-15 + 1e7 * rounding**1)


@pytest.mark.parametrize("suffix", [".stl", *EXACT])
def test_numbers_are_written_in_the_unit_asked_for(tmp_path, suffix):
    washer().save(tmp_path / f"part{suffix}", unit="mm")
    assert Solid.load(tmp_path / f"part{suffix}", unit="mm").extents == pytest.approx(washer().extents, rel=1e-7)


@pytest.mark.parametrize("suffix", [".glb", ".3mf"])
def test_an_assembly_keeps_names_places_and_shared_shapes(tmp_path, suffix):
    ring, box = washer(), Solid.box((0.1, 0.2, 0.3), name="box")
    red, turned = (1.0, 0.25, 0.0), Pose.from_rotvec((1.0, 2.0, 3.0), (0.3, 0.4, 0.5))
    parts = [PlacedPart("a", ring, Pose()), PlacedPart("b", ring, turned, red), PlacedPart("c", box, turned)]
    abut.save_assembly(parts, tmp_path / f"three{suffix}")
    back = {p.name: p for p in abut.load_assembly(tmp_path / f"three{suffix}")}
    assert len(back) == 3
    for part in parts if suffix == ".glb" else ():
        np.testing.assert_allclose(back[part.name].pose.matrix, part.pose.matrix, atol=1e-12)
        assert back[part.name].solid.volume == pytest.approx(part.solid.volume, rel=1e-6)
    volumes = sorted(p.solid.volume for p in back.values())
    assert volumes == pytest.approx(sorted(p.solid.volume for p in parts), rel=1e-6)


def test_two_files_of_one_part_are_the_same(tmp_path):
    for suffix in (".stl", ".obj", ".ply", ".glb", ".3mf"):
        files = [tmp_path / f"{i}{suffix}" for i in range(2)]
        for file in files:
            washer().renamed("same").save(file)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_files_that_cannot_be_written_are_a_sentence(tmp_path):
    with pytest.raises(FileError, match=r"x.step: abut does not write .step; it writes .stl, .obj, .ply, .glb, .3mf"):
        washer().save(tmp_path / "x.step")
    with pytest.raises(FileError, match=r"cannot be written .*; check the folder and its permissions"):
        washer().save(tmp_path / "nowhere" / "x.stl")
    with pytest.raises(FileError, match=r"GLB files state their unit, so unit='mm' cannot be chosen"):
        washer().save(tmp_path / "x.glb", unit="mm")
    with pytest.raises(FileError, match=r"an assembly is written as .glb or .3mf, not as .stl"):
        abut.save_assembly([PlacedPart("a", washer(), Pose())], tmp_path / "x.stl")
    with pytest.raises(FileError, match="there are no parts to write"):
        abut.save_assembly([], tmp_path / "x.glb")
