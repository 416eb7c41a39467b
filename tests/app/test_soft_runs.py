"""Soft bodies in records: nodes, hands, contacts, energies; killed runs, exports, reports."""

import csv
import json
import struct

import numpy as np
import pytest

import abut
from abut.app.exports import save_animation, save_csv
from abut.app.reports import figures, write_report
from abut.app.runs import scene_run
from abut.app.runs.folder import RunFolder
from app.commands import run

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

SCENE = """
title = "A block is pulled over a floor and bends"
[world]
dt = 4e-3
duration = 0.12
friction = 0.4
[parts.block]
library = "box"
size = [0.1, 0.06, 0.06]
[parts.cube]
library = "box"
size = 0.03
[bodies.floor]
shape = "half_space"
fixed = true
[bodies.cube]
part = "cube"
position = [0.01, 0, 0.0756]
[bodies.jaw]
part = "cube"
position = [-0.066, 0, 0.03]
kinematic = true
[soft.block]
part = "block"
cell = 0.03
young = 5e4
poisson = 0.3
density = 1000
damping = [0.1, 5e-3]
position = [0, 0, 0.0302]
attach = [{ body = "jaw", box = [[-0.051, -1, -1], [-0.049, 1, 1]] }]
[drives.pull]
body = "block"
start = 0.02
end = 0.08
hand.point = [0.05, 0, 0.03]
hand.track = [{ time = 0, position = [0.05, 0, 0.06] }, { time = 0.1, position = [0.08, 0, 0.1] }]
[measures]
stress = "largest stress of block"
tip = { place = { body = "block", point = [0.05, 0, 0.03], axis = "z", how = "largest" } }
[view]
cut = ["block"]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("soft") / "block.toml"
    path.write_text(SCENE)
    return path


@pytest.fixture(scope="module")
def whole(file):
    """A run that was never stopped, and what the world said of itself on the way."""
    out = file.parent / "whole"
    going, seen = scene_run.begin(file, out, {}), []
    soft = going.world.deformable("block")
    for _ in going.steps():
        table = going.world.contacts
        seen.append((soft.nodes, soft.skin_stress, soft.strain_energy, going.world.energy, table))
    going.close("finished")
    return out, seen


def test_nodes_skins_and_energies_come_back(whole):
    out, seen = whole
    run = abut.Run(out)
    nodes, skin = run.nodes("block"), run.skin_stress("block")
    assert len(run) == 31 and nodes.shape == (31, *seen[0][0].shape)
    size = np.ptp(nodes[0], axis=0).max()
    for k, (exact, stress, strain, energy, _) in enumerate(seen, 1):
        assert np.abs(nodes[k] - exact).max() <= 1.2e-7 * size
        np.testing.assert_allclose(skin[k], stress, atol=2e-3 * stress.max())
        assert run.strain_energy("block")[k] == strain
        assert run.kinetic_energy()[k] + run.potential_energy()[k] + strain == pytest.approx(energy, rel=1e-6)
    assert run.stress("block").max() == run.summary["measures"]["stress"] > 0
    assert run.vertices("block", [3]).shape[1] == 8
    with pytest.raises(abut.InputError, match="no soft body 'clip'"):
        run.nodes("clip")


def test_contacts_of_soft_bodies_are_recorded_with_their_names(whole):
    out, seen = whole
    run = abut.Run(out)
    for k, (*_, table) in enumerate(seen, 1):
        mine = run.contacts[run.contacts["step"] == k]
        assert len(mine) == len(table)
        for name in ("label", "body_a", "body_b", "kind", "entity_a", "force", "point", "torque_b"):
            assert (np.sort(mine[name], axis=0) == np.sort(table[name], axis=0)).all()
    assert max(len(table) for *_, table in seen) > 2
    names = {run.body_name(int(number)) for number in np.unique(run.contacts["body_b"])}
    assert names <= {"floor", "cube", "jaw", "block"} and "block" in names | {
        run.body_name(int(number)) for number in np.unique(run.contacts["body_a"])
    }


def bits(world):
    soft = world.deformables[0]
    hands = [None if h is None else (h.target.tobytes(), h.shares.tobytes()) for h in world._now.soft.hands]
    return (soft.nodes.tobytes(), soft.velocities.tobytes(), world._state.pose.tobytes(), hands)


@pytest.mark.parametrize("step", [0, 7, 20, 30])
def test_the_world_at_a_time_is_the_same_to_the_bit(whole, file, step):
    scene = abut.scene.load(file)
    for _ in range(step):
        scene.step()
    found = abut.Run(whole[0]).world_at(step * scene.world.dt)
    assert bits(found)[:3] == bits(scene.world)[:3]


def test_a_run_that_was_cut_off_goes_on_to_the_same_record(whole, file):
    out = file.parent / "cut"
    going = scene_run.begin(file, out, {})
    for _ in range(13):
        going.step()
    going.recorder._write_snapshot()
    for _ in range(4):
        going.step()
    going.recorder._snapshots.wait()
    going.recorder._writer.flush()
    going.recorder._writer.abandon()
    again = scene_run.resume(file, out, {})
    assert again.done == 13
    for _ in again.steps():
        pass
    again.close("finished")
    one, other = abut.Run(whole[0]), abut.Run(out)
    assert one.nodes("block").tobytes() == other.nodes("block").tobytes()
    assert (one.contacts == other.contacts).all() and one.summary["measures"] == other.summary["measures"]


def test_what_is_done_to_soft_bodies_from_python_is_repeated(tmp_path):
    part = abut.Solid.box((0.1, 0.04, 0.04))
    world = abut.World(dt=4e-3, gravity=(0, 0, 0))
    soft = world.add_deformable(
        abut.fem.TetMesh.from_solid(part, 0.02), "bar", surface=part, young=1e5, poisson=0.3, density=1000.0
    )
    jaw = world.add_body(abut.Solid.box(0.02), "jaw", pose=abut.Pose((0.2, 0, 0)), kinematic=True, velocity=(0, 0, 0.1))
    kept = [bits(world)]
    with abut.recording(world, tmp_path / "run") as recorder:
        for k in range(20):
            if k == 3:
                soft.grab((0.05, 0, 0), (0.06, 0, 0.02), max_force=3.0)
            if k == 6:
                soft.move_hand((0.05, 0.03, 0))
            if k == 9:
                soft.release()
                soft.attach([0, 1, 2], jaw)
            if k == 12:
                soft.detach()
            if k == 15:
                soft.velocities = soft.velocities + np.array((0.1, 0, 0))
            recorder.step()
            kept.append(bits(world))
    run = abut.Run(tmp_path / "run")
    for k in (2, 4, 8, 11, 14, 17, 20):
        assert bits(run.world_at(run.times[k]))[:3] == kept[k][:3]


def test_a_damaged_hand_is_refused(whole):
    run = abut.Run(whole[0])
    inputs = run._inputs
    step = next(k for k, given in inputs.items() if "/hands" in given)
    given = inputs[step]["/hands"]
    inputs[step]["/hands"] = {**given, "vertices": given["vertices"] + 10**6}
    with pytest.raises(abut.FileError, match="a hand that holds nothing"):
        run.world_at(run.times[-2])


def test_a_frozen_scene_with_a_mesh_file_runs_from_its_folder(tmp_path):
    meshio = pytest.importorskip("meshio")
    mesh = abut.fem.TetMesh.from_solid(abut.Solid.box((0.1, 0.04, 0.04)), 0.02)
    meshio.write(tmp_path / "bar.vtk", meshio.Mesh(mesh.nodes, [("tetra", np.asarray(mesh.tetrahedra))]))
    text = '[world]\ndt = 4e-3\nduration = 0.02\n[soft.bar]\nmesh = "bar.vtk"\nyoung = 1e5\npoisson = 0.3\n'
    (tmp_path / "bar.toml").write_text(text)
    going = scene_run.begin(tmp_path / "bar.toml", tmp_path / "run", {})
    for _ in going.steps():
        pass
    going.close("finished")
    (tmp_path / "bar.vtk").unlink()
    folder = RunFolder(tmp_path / "run")
    again = abut.scene.load(folder.scene)
    for _ in again.run():
        pass
    assert (
        again.world.deformables[0].nodes.tobytes()
        == abut.Run(tmp_path / "run").world_at(1.0).deformables[0].nodes.tobytes()
    )
    going = scene_run.resume(folder.scene, folder.path, {})
    assert going.done == 5
    going.close("finished")


def test_tables_have_nodes_and_stress(whole, tmp_path):
    save_csv(abut.Run(whole[0]), tmp_path)
    run = abut.Run(whole[0])
    with (tmp_path / "nodes.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(run) * run.nodes("block").shape[1]
    last = rows[-1]
    assert [float(last[axis]) for axis in "xyz"] == run.nodes("block")[-1, -1].tolist()
    with (tmp_path / "soft.csv").open() as stream:
        assert [float(row["stress"]) for row in csv.DictReader(stream)] == run.stress("block").tolist()
    with (tmp_path / "contacts.csv").open() as stream:
        assert {"block", "floor"} <= {row[k] for row in csv.DictReader(stream) for k in ("body_a", "body_b")}


def test_an_animation_has_the_shapes_of_the_skin(whole, tmp_path):
    run = abut.Run(whole[0])
    blob = save_animation(run, tmp_path, 1.0).read_bytes()
    length = struct.unpack_from("<I", blob, 12)[0]
    document, data = json.loads(blob[20 : 20 + length]), blob[28 + length :]

    def table(number, width):
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        return np.frombuffer(data, np.float32, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)

    mesh = next(mesh for mesh in document["meshes"] if mesh["name"] == "block")
    (primitive,) = mesh["primitives"]
    shapes = len(primitive["targets"]) + 1
    assert len(mesh["weights"]) == shapes - 1 > 3
    last = table(primitive["attributes"]["POSITION"], 3) + table(primitive["targets"][-1]["POSITION"], 3)
    np.testing.assert_allclose(last, run.vertices("block", [-1])[0], atol=1e-7)
    (channel,) = [c for c in document["animations"][0]["channels"] if c["target"]["path"] == "weights"]
    sampler = document["animations"][0]["samplers"][channel["sampler"]]
    weights = table(sampler["output"], 1).reshape(-1, shapes - 1)
    np.testing.assert_array_equal(weights, np.eye(shapes)[:, 1:])
    assert document["nodes"][channel["target"]["node"]]["name"] == "block"


def test_a_report_shows_stress_and_strain_energy(whole, tmp_path):
    run = abut.Run(whole[0])
    told = figures(run)
    assert told["curves"]["energy"]["lines"]["strain"] == run.strain_energy("block").tolist()
    assert max(told["curves"]["stress"]["lines"]["block"]) == run.stress("block").max()
    assert any("block" in pair["name"] for pair in told["pairs"])
    write_report(run, tmp_path / "report.html")
    assert "block" in (tmp_path / "report.html").read_text()


def test_a_coarse_mesh_is_told_in_a_sentence_on_the_command_line(capsys, file, tmp_path):
    """Not as a warning of Python, with the line of a program that the reader has not written."""
    code, _, err = run(capsys, "run", file, "--out", tmp_path / "out", "--duration", "4e-3")
    told = [line for line in err.splitlines() if "cells lie through the thickness" in line]
    assert code == 0 and len(told) == 1 and told[0].startswith("abut: part 'block': only 2.")
    assert "Warning" not in err
