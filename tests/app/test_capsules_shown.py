"""Capsules in pictures, files, pages and records."""

import json
import struct

import numpy as np
import pytest

import abut
from abut.app.draw import Camera, Item, Section, draw
from abut.app.draw.item import facets
from abut.app.gltf import Track, save_glb
from abut.app.play.export import page_of_run
from abut.app.play.frame import touched_edges
from abut.app.play.scene_message import scene_message
from abut.app.reports.page import write_report
from abut.scene.scenes.scene import View

ROD = abut.Capsule(0.2, 0.6)


def test_facets_are_on_the_surface_with_its_normals():
    found = facets(ROD)
    corners = found.vertices[found.triangles]
    foot = np.clip(corners[..., 2:], -0.3, 0.3) * (0.0, 0.0, 1.0)
    np.testing.assert_allclose(corners - foot, 0.2 * found.normals, atol=1e-12)
    assert len(found.sharp) == 0
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", outward, found.normals.mean(axis=1)) > 0.0).all()
    assert abut.Solid(found.vertices, found.triangles).closed


def test_the_picture_of_a_capsule_is_as_large_as_it_is():
    camera = Camera((0, 0, 0), 2.0, 0.0, 0.0)
    image = draw([Item(ROD, edges=False)], camera, (200, 200), samples=1)
    seen = (image != image[0, 0]).any(axis=2).sum() / 200.0**2 * 4.0
    assert seen == pytest.approx(0.4 * 0.6 + np.pi * 0.04, rel=0.03)
    cut = draw([Item(ROD, edges=False)], camera, (200, 200), samples=1, section=Section())
    assert (cut != image).any()


@pytest.mark.needs_jit
def test_edges_that_touch_are_shown_of_polyhedra_only():
    world = abut.World()
    box = world.add_body(
        abut.Solid.box(0.4), "box", fixed=True, pose=abut.Pose.from_rotvec((0, 0, 0), (np.pi / 4, 0, 0))
    )
    across = abut.Pose.from_rotvec((0, 0, 0.2 + 0.2 * np.sqrt(2.0) + 1e-6), (0.5 * np.pi, 0, 0))
    world.add_body(ROD, "rod", pose=across)
    world.run(0.01)
    assert world.contacts["kind"].tolist() == ["edge-edge"]
    edges = touched_edges(world.contacts, [body.shape for body in world.bodies])
    assert edges[:, 0].tolist() == [box.index]
    assert np.abs(edges[0, 1:]).max() == pytest.approx(0.2)


@pytest.mark.needs_jit
def test_a_run_with_a_capsule_is_recorded_replayed_exported_and_shown(tmp_path):
    world = abut.World(dt=2e-3, friction=0.4)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    rod = world.add_body(ROD, "rod", pose=abut.Pose.from_rotvec((0, 0, 0.6), (1.0, 0.2, 0.0)))
    with abut.recording(world, tmp_path / "run") as recorder:
        for _ in range(200):
            recorder.step()
    run = abut.Run(tmp_path / "run")
    assert run.poses("rod")[-1] == pytest.approx(rod.pose.row, abs=1e-15)
    assert run.world_at(world.time)._state.pose.tobytes() == world._state.pose.tobytes()
    assert len(run.contacts) > 0 and np.abs(run.contacts["point"][:, 2]).max() < 1e-3
    assert "rod" in page_of_run(run)
    track = Track("rod", ROD, run.poses("rod"))
    assert save_glb(tmp_path / "rod.glb", [track], run.times).stat().st_size > 1000
    write_report(run, tmp_path / "report.html")
    message = scene_message(world, View(), {})
    length = struct.unpack_from("<II", message)[1]
    shapes = json.loads(message[8 : 8 + length])["shapes"]
    assert shapes[1]["extents"] == pytest.approx([0.4, 0.4, 1.0])
    assert shapes[1]["triangles"] == len(facets(ROD).triangles)
