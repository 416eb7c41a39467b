"""Animated .glb files: read back by hand as the specification says, and by another library."""

import json
import struct

import numpy as np
import pytest

import abut
from abut import Solid
from abut.app.gltf import Track, save_glb

pytestmark = pytest.mark.needs_jit


def read(path):
    """The JSON document and the binary chunk of a .glb."""
    blob = path.read_bytes()
    magic, version, total = struct.unpack_from("<4sII", blob)
    assert (magic, version, total) == (b"glTF", 2, len(blob))
    size, kind = struct.unpack_from("<I4s", blob, 12)
    assert kind == b"JSON" and size % 4 == 0
    document = json.loads(blob[20 : 20 + size])
    rest, kind = struct.unpack_from("<I4s", blob, 20 + size)
    assert kind == b"BIN\0" and rest % 4 == 0 and 28 + size + rest == total
    return document, blob[28 + size :]


def values(document, data, number):
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    kind = {5126: np.float32, 5125: np.uint32}[accessor["componentType"]]
    table = np.frombuffer(data, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert view["byteOffset"] % 4 == 0 and table.nbytes == view["byteLength"]
    return table


@pytest.fixture
def saved(tmp_path):
    turn = [abut.Pose.from_rotvec((0.1 * k, 0.0, 0.0), (0.0, 0.0, 1.5 * k)).row for k in range(5)]
    box = Solid.box(0.1)
    still = abut.Pose((0.0, 1.0, 0.0)).row[None]
    tracks = [Track("moving", box, np.array(turn)), Track("still", abut.Sphere(0.2), still)]
    return tracks, save_glb(tmp_path / "run.glb", tracks, np.linspace(0.0, 1.0, 5))


def test_the_poses_come_back(saved):
    tracks, path = saved
    document, data = read(path)
    (animation,) = document["animations"]
    paths = {c["target"]["path"]: animation["samplers"][c["sampler"]] for c in animation["channels"]}
    assert {c["target"]["node"] for c in animation["channels"]} == {1}, "what stands still is not animated"
    np.testing.assert_allclose(values(document, data, paths["translation"]["input"])[:, 0], np.linspace(0, 1, 5))
    place = values(document, data, paths["translation"]["output"])
    np.testing.assert_allclose(place, tracks[0].poses[:, :3], atol=1e-7)
    turn = values(document, data, paths["rotation"]["output"])
    assert ((turn[1:] * turn[:-1]).sum(axis=1) > 0.0).all(), "neighbours never jump to the opposite quaternion"
    sign = np.sign((turn * tracks[0].poses[:, [4, 5, 6, 3]]).sum(axis=1))[:, None]
    np.testing.assert_allclose(turn * sign, tracks[0].poses[:, [4, 5, 6, 3]], atol=1e-6)


def test_limits_are_those_of_the_numbers(saved):
    document, data = read(saved[1])
    for number, accessor in enumerate(document["accessors"]):
        if "min" in accessor:
            table = values(document, data, number)
            assert accessor["min"] == table.min(axis=0).tolist() and accessor["max"] == table.max(axis=0).tolist()


def test_another_library_reads_the_meshes_upright(saved):
    import trimesh

    scene = trimesh.load_scene(saved[1])
    assert len(scene.geometry) == 2
    # z up becomes y up: the ball one metre along y lies at z = -1.
    moved = [scene.graph[name][0][:3, 3] for name in scene.graph.nodes_geometry]
    assert any(np.allclose(place, (0.0, 0.0, -1.0), atol=1e-6) for place in moved)


def test_bad_input_is_answered_with_a_sentence(tmp_path):
    box = Track("box", Solid.box(0.1), np.tile(abut.Pose().row, (3, 1)))
    with pytest.raises(abut.InputError, match=r"ends in \.glb, got 'run.gltf'"):
        save_glb(tmp_path / "run.gltf", [box], np.arange(3.0))
    with pytest.raises(abut.InputError, match="at least one part"):
        save_glb(tmp_path / "run.glb", [], np.arange(3.0))
    with pytest.raises(abut.InputError, match=r"tracks\[0\]: expected a pose for each of 4 times, got 3"):
        save_glb(tmp_path / "run.glb", [box], np.arange(4.0))
