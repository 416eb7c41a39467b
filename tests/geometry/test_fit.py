"""Fits: the polyhedron of a hole contains the true hole, that of a shaft lies within the true shaft."""

import numpy as np
import pytest

import abut
from abut import Solid
from abut.geometry.making.fit import fit_mesh
from abut.geometry.surfaces.surfaces import Surface, Surfaces

pytest.importorskip("OCP")
FILES = ("cube_hole.step", "abstract_pca.step", "dm1-id-214.stp", "sg1-c5-214.stp", "box_sides.STEP")


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", FILES)
def test_holes_contain_and_shafts_are_contained(shared_data, name):
    for part in abut.load_assembly(shared_data("cad-step") / name, fit=True):
        solid, report = part.solid, part.solid.origin.fit
        assert solid.problems() == [] and report.lost < 1e-16
        assert all(s.deviation[1] < 1e-16 for s in solid.surfaces)  # nothing sticks out of the true part
        holes = [s for s in solid.surfaces if s.sense == "hole"]
        assert report.fitted_surfaces == len(holes) and report.gain < 1e-5
        assert report.gain == max((-s.deviation[0] for s in holes), default=0.0)


def test_the_gain_of_a_round_hole_is_that_of_its_polygon(shared_data):
    """Closed form: corners of a polygon around a circle of radius r lie at r / cos(pi / n)."""
    cube = Solid.load(shared_data("cad-step") / "cube_hole.step", fit=True)
    (hole,) = cube.surfaces.find("cylinder")
    n = len(np.unique(cube.triangles[cube.surfaces.triangles(hole)])) // 2
    radius = cube.surfaces[hole].radius
    assert cube.origin.fit.gain == pytest.approx(radius * (1 / np.cos(np.pi / n) - 1), rel=1e-6)


def test_a_nominal_fit_is_free_at_every_turn(shared_data):
    """The bolt's shank has the diameter of the bracket's holes: as read they overlap, fitted they do not."""
    path = shared_data("cad-step") / "dm1-id-214.stp"
    for fit, free in ((False, False), (True, True)):
        bracket, nut = Solid.load(f"{path}#l-bracket_2", fit=fit), Solid.load(f"{path}#nut_6", fit=fit)
        (bore,) = nut.surfaces.find("cylinder", sense="hole")
        s = nut.surfaces[bore]
        pin = Solid.cylinder(s.radius * (1 - 1e-12), 0.5e-2, segments=70)
        turns = np.linspace(0, 0.1, 7)
        z = np.asarray(s.axis)
        x = np.cross(z, (1.0, 0.3, 0.2))
        x /= np.linalg.norm(x)
        hits = []
        for t in turns:
            M = np.eye(4)
            M[:3, 2] = z
            M[:3, 0] = np.cos(t) * x + np.sin(t) * np.cross(z, x)
            M[:3, 1] = np.cross(z, M[:3, 0])
            M[:3, 3] = nut.centroid - ((nut.centroid - s.point) - ((nut.centroid - s.point) @ z) * z)
            hits.append(bool(abut.intersect(nut, pin, abut.Pose(), M)))
        assert not any(hits) if free else any(hits)
        assert len(bracket.surfaces.find("cylinder", sense="hole")) == 4


def slotted_plate(steps):
    """A stadium of radius 1 and length 4 cut through a plate: both ends run into the planes of its sides."""
    t = np.linspace(-0.5 * np.pi, 0.5 * np.pi, steps + 1)
    right = np.stack((2 + np.cos(t), np.sin(t)), axis=1)
    hole = np.concatenate((right, -right))
    plate = Solid.extrude([(-5, -3), (5, -3), (5, 3), (-5, 3)], 1.0, holes=[hole])
    corners = plate.vertices[plate.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    middle = corners.mean(axis=1)
    inner = (np.abs(normal[:, 2]) < 0.5) & (np.abs(middle[:, :2]).max(axis=1) < 3.5) & (np.abs(middle[:, 1]) < 2.0)
    side = inner & (np.abs(normal[:, 1]) > 1 - 1e-9)
    up = (0.0, 0.0, 1.0)
    table = [
        Surface("cylinder", (2.0, 0.0, 0.0), up, 1.0, sense="hole"),
        Surface("cylinder", (-2.0, 0.0, 0.0), up, 1.0, sense="hole"),
        Surface("plane", (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)),
        Surface("plane", (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)),
        Surface("plane", (0.0, 0.0, 0.0), (0.0, 0.0, -1.0)),
        Surface("plane", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)),
    ]
    ids = np.full(len(corners), -1, np.int32)
    ids[inner & (middle[:, 0] > 0)], ids[inner & (middle[:, 0] < 0)] = 0, 1
    ids[side & (middle[:, 1] < 0)], ids[side & (middle[:, 1] > 0)] = 2, 3
    ids[normal[:, 2] < -0.5], ids[normal[:, 2] > 0.5] = 4, 5
    return plate, Surfaces(tuple(table), ids)


def test_a_hole_whose_turning_would_fold_its_rim_is_only_widened_and_says_what_is_lost():
    plate, surfaces = slotted_plate(8)
    vertices, _, report = fit_mesh(plate.mesh.vertices, plate.mesh.triangles, surfaces)
    assert Solid(vertices, plate.triangles).problems() == []
    assert 0 < report.lost < 1 - np.cos(np.pi / 16)  # less than the chords cut in before


@pytest.mark.parametrize("steps", [5, 13])
def test_the_ends_of_a_slot_are_tangents_that_end_with_its_sides(steps):
    plate, surfaces = slotted_plate(steps)
    vertices, _, report = fit_mesh(plate.mesh.vertices, plate.mesh.triangles, surfaces)
    fitted = Solid(vertices, plate.triangles)
    assert fitted.problems() == [] and report.lost < 1e-14
    step = np.pi / steps
    room = 0.5 * step / (1 + step / np.pi)  # closed form: n + 1 equal steps between the planes
    assert report.gain == pytest.approx(1 / np.cos(room) - 1, rel=1e-9)
    assert np.pi / (2 * (steps + 1)) == pytest.approx(room)
