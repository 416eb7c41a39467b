"""Surfaces that triangles stand for: found on primitives, kept by moves, and measured."""

import pickle

import numpy as np
import pytest

from abut import Pose, Solid
from abut.geometry.surfaces.surfaces import Surface


def kinds(part):
    return sorted((s.kind, s.sense) for s in part.surfaces)


def test_a_cylinder_knows_its_side_and_its_ends():
    peg = Solid.cylinder(0.005, 0.02, segments=64)
    assert kinds(peg) == [("cylinder", "shaft"), ("plane", ""), ("plane", "")]
    (side,) = peg.surfaces.find("cylinder")
    assert peg.surfaces[side].radius == 0.005 and len(peg.surfaces.triangles(side)) == 128
    sag = 0.005 * (1 - np.cos(np.pi / 64))
    assert peg.surfaces[side].deviation == pytest.approx((-sag, 0.0), abs=1e-17)
    assert peg.surfaces.chord_error == pytest.approx(sag, rel=1e-9) and (peg.surfaces.of_triangle >= 0).all()


def test_a_circumscribed_cylinder_deviates_outwards():
    outer = Solid.cylinder(0.005, 0.02, segments=64, circumscribed=True)
    (side,) = outer.surfaces.find("cylinder")
    assert outer.surfaces[side].radius == 0.005
    assert outer.surfaces[side].deviation == pytest.approx((0.0, 0.005 * (1 / np.cos(np.pi / 64) - 1)), abs=1e-17)


PARTS = {
    "box": (Solid.box((1, 2, 3)), [("plane", "")] * 6),
    "sphere": (Solid.sphere(0.3), [("sphere", "shaft")]),
    "globe": (Solid.sphere(0.3, segments=24), [("sphere", "shaft")]),
    "torus": (Solid.torus(0.3, 0.1), [("torus", "shaft")]),
    "cone": (Solid.cone(0.2, 0.3), [("cone", "shaft"), ("plane", "")]),
    "frustum": (Solid.cone(0.2, 0.3, top_radius=0.1), [("cone", "shaft"), ("plane", ""), ("plane", "")]),
    "washer": (
        Solid.revolve([(0.1, 0), (0.2, 0), (0.2, 0.1), (0.15, 0.1), (0.1, 0.05)]),
        [("cone", "hole"), ("cylinder", "hole"), ("cylinder", "shaft"), ("plane", ""), ("plane", "")],
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_every_triangle_lies_on_its_surface_and_faces_the_same_way(name):
    part, expected = PARTS[name]
    assert kinds(part) == expected
    assert (part.surfaces.of_triangle >= 0).all()
    corners = part.vertices[part.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    for i, surface in enumerate(part.surfaces):
        rows = part.surfaces.triangles(i)
        assert np.abs(surface.height(corners[rows].reshape(-1, 3))).max() < 1e-15 + 1e-12
        assert (np.einsum("ij,ij->i", surface.normal(corners[rows].mean(axis=1)), normals[rows]) > 0.9).all()


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("move", ["transformed", "translated", "scaled", "mirrored", "pickled", "renamed"])
def test_moves_keep_the_surfaces(name, move):
    part, expected = PARTS[name]
    moves = {
        "transformed": lambda p: p.transformed(Pose.from_rotvec((1, 2, 3), (0.4, 0.5, 0.6))),
        "translated": lambda p: p.translated((1, 2, 3)),
        "scaled": lambda p: p.scaled(2.5),
        "mirrored": lambda p: p.mirrored((1, 2, 2), 0.7),
        "pickled": lambda p: pickle.loads(pickle.dumps(p)),
        "renamed": lambda p: p.renamed("other"),
    }
    moved = moves[move](part)
    assert kinds(moved) == expected
    for i, (before, after) in enumerate(zip(part.surfaces, moved.surfaces, strict=True)):
        corners = moved.vertices[moved.triangles[moved.surfaces.triangles(i)]].reshape(-1, 3)
        assert np.abs(after.height(corners)).max() < 1e-14
        assert after.chord_error == pytest.approx(before.chord_error * (2.5 if move == "scaled" else 1.0), rel=1e-12)


def test_stretched_parts_and_results_of_operations_know_no_surfaces():
    peg = Solid.cylinder(0.005, 0.02)
    assert len(peg.scaled((1, 2, 1)).surfaces) == 0 and len((peg & Solid.box()).surfaces) == 0
    assert Solid(peg.vertices, peg.triangles).surfaces.chord_error == 0.0


def test_heights_and_normals_of_each_kind():
    at = np.array([(3.0, 0.0, 1.0)])
    up = (0.0, 0.0, 1.0)
    assert Surface("plane", (0, 0, 0.5), up).height(at) == pytest.approx(0.5)
    assert Surface("cylinder", axis=up, radius=2.0, sense="shaft").height(at) == pytest.approx(1.0)
    assert Surface("cylinder", axis=up, radius=2.0, sense="hole").height(at) == pytest.approx(-1.0)
    assert Surface("cone", axis=up, half_angle=np.pi / 4, sense="shaft").height(at) == pytest.approx(np.sqrt(2))
    assert Surface("sphere", radius=1.0, sense="shaft").height(at) == pytest.approx(np.sqrt(10) - 1)
    assert Surface("torus", (0, 0, 1), up, 2.0, 0.5, sense="shaft").height(at) == pytest.approx(0.5)
    assert Surface("torus", (0, 0, 1), up, 2.0, 0.5, sense="shaft").normal(at)[0] == pytest.approx((1, 0, 0))
    assert Surface("cone", axis=up, half_angle=np.pi / 4, sense="hole").normal(at)[0] == pytest.approx(
        (-np.sqrt(0.5), 0, np.sqrt(0.5))
    )
