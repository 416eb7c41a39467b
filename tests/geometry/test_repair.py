"""Repair: each fault by itself, then real files with all of them, then what must not be touched."""

import inspect
import re

import numpy as np
import pytest

from abut import InputError, Pose, Solid
from abut.geometry import repair_mesh
from abut.geometry.making.triangulate import triangulate_polygons
from abut.geometry.soundness import problems, repair
from geometry.gears import gear, subdivided, with_caps
from geometry.shapes import cube, inside_out, joined, square_frame, tetrahedron

trimesh = pytest.importorskip("trimesh")


def triangles_of(mesh):
    vertices, faces = mesh
    return np.asarray(vertices, float), triangulate_polygons(np.asarray(vertices, float), faces)


def repaired(vertices, triangles, **options):
    points, corners, report = repair_mesh(vertices, triangles, **options)
    return Solid(points, corners), report


def soup(vertices, triangles):
    """Every triangle with corners of its own, as in an STL file."""
    return vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


def test_a_sound_part_is_left_as_it_is():
    vertices, triangles = triangles_of(square_frame())
    points, corners, report = repair_mesh(vertices, triangles)
    assert not report.changed and str(report) == "nothing to repair"
    assert (points == vertices).all() and (corners == triangles).all()


def test_loose_triangles_with_noise_are_welded_and_no_vertex_moves_too_far(rng):
    vertices, triangles = soup(*triangles_of(square_frame()))
    solid, report = repaired(vertices + rng.uniform(-1e-7, 1e-7, vertices.shape), triangles)
    assert solid.closed and solid.genus == 1 and len(solid.vertices) == 16
    assert solid.volume == pytest.approx(3.0, rel=1e-6)
    assert 0 < report.largest_move <= 2e-7 * np.sqrt(3)
    assert report.welded_vertices == len(vertices) - 16 - report.merged_vertices


def test_welding_stops_at_the_stated_reach(rng):
    vertices, triangles = soup(*triangles_of(cube()))
    _, _, report = repair_mesh(vertices + rng.uniform(-1e-3, 1e-3, vertices.shape), triangles, reach=1e-5)
    assert report.largest_move <= 1e-5 and report.open_edges > 0


def test_a_vertex_on_an_edge_of_the_other_side_splits_it():
    vertices, triangles = triangles_of(cube())
    # Cut one triangle at the middle of its first side; its neighbour keeps the whole side.
    a, b, c = triangles[0]
    middle = len(vertices)
    vertices = np.concatenate((vertices, [0.5 * (vertices[a] + vertices[b])]))
    triangles = np.concatenate((triangles[1:], [[a, middle, c], [middle, b, c]])).astype(np.int32)
    assert not Solid(vertices, triangles).closed
    solid, report = repaired(vertices, triangles)
    assert solid.closed and solid.volume == pytest.approx(1.0, rel=1e-15)
    assert (report.split_edges, report.welded_vertices, report.largest_gap) == (1, 0, 0.0)
    assert (solid.vertices == vertices).all()


def test_collapsed_and_repeated_triangles_and_unused_vertices_go():
    vertices, triangles = triangles_of(cube())
    vertices = np.concatenate((vertices, [(7, 7, 7)]))
    triangles = np.concatenate((triangles, [[0, 0, 1], [*triangles[3][[1, 2, 0]]]]))
    solid, report = repaired(vertices, triangles)
    assert solid.closed and len(solid.triangles) == 12 and len(solid.vertices) == 8
    assert (report.collapsed_triangles, report.duplicate_triangles, report.unused_vertices) == (1, 1, 1)


def test_a_flat_triangle_in_an_edge_is_swapped_away():
    """Triangle 0, 1, 4 has no area, since vertex 4 lies on the edge from 0 to 1."""
    vertices, _ = tetrahedron()
    vertices = np.concatenate((vertices, [(0.5, 0, 0)]))
    triangles = [[0, 2, 1], [0, 1, 4], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3]]
    solid, report = repaired(vertices, triangles)
    assert report.swapped_edges == 1 and report.open_edges == 0
    assert solid.closed and solid.volume == pytest.approx(1 / 6, rel=1e-14)
    assert solid.problems() == []


def test_random_flips_are_undone(rng):
    vertices, triangles = triangles_of(square_frame())
    flipped = rng.uniform(size=len(triangles)) < 0.4
    triangles[flipped] = triangles[flipped][:, ::-1]
    solid, report = repaired(vertices, triangles)
    assert solid.closed and solid.volume == pytest.approx(3.0, rel=1e-14)
    assert report.flipped_triangles == flipped.sum()


def test_an_inside_out_part_is_turned_and_its_cavity_is_kept():
    hollow = joined(cube(), inside_out(cube((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))))
    for mesh in (hollow, inside_out(hollow)):
        solid, report = repaired(*triangles_of(joined(mesh)))
        outer = solid.shells.volume[solid.shells.depth == 0]
        assert outer == pytest.approx([1.0])
    assert report.flipped_triangles == 12  # the outer shell; a consistent inner one is left for problems()


def test_the_cavity_of_a_part_with_random_flips_becomes_a_cavity(rng):
    vertices, triangles = triangles_of(joined(cube(), cube((0.25, 0.25, 0.25), (0.5, 0.5, 0.5))))
    triangles[[1, 5, 17, 20]] = triangles[[1, 5, 17, 20]][:, ::-1]
    solid, _ = repaired(vertices, triangles)
    assert solid.cavities == 1 and solid.volume == pytest.approx(0.875, rel=1e-14)


def test_cubes_that_share_an_edge_stay_closed_with_four_faces_at_it():
    solid, report = repaired(*soup(*triangles_of(joined(cube(), cube((1, 1, 0))))))
    assert solid.closed and solid.volume == pytest.approx(2.0) and (solid.edges.crowd == 4).sum() == 2
    assert report.open_edges == 0


@pytest.mark.needs_jit
@pytest.mark.parametrize("single", [False, True], ids=["double", "single"])
@pytest.mark.parametrize("offset", [0.5, 0.37])
@pytest.mark.parametrize("times", [0, 1, 2])
def test_gears_with_triangles_of_no_area_come_out_sound(times, offset, single):
    """As exporters leave them: slits closed by triangles of no area, then cut in four again and again."""
    whole = gear().transformed(Pose.from_rotvec((0.01, 0.02, 0.03), (0.3, 0.5, 0.7)))
    vertices, triangles = subdivided(*with_caps(whole.vertices, whole.triangles, times, offset=offset), times)
    if single:
        vertices = vertices.astype(np.float32).astype(float)
    found = {problem.kind for problem in Solid(vertices, triangles).problems()}
    assert {"degenerate triangles", "self-intersection"} <= found
    solid, report = repaired(vertices, triangles)
    assert solid.problems() == [] and (report.open_edges, report.crowded_edges) == (0, 0)
    assert solid.volume == pytest.approx(whole.volume, rel=1e-7 if single else 1e-12)
    assert max(report.largest_move, report.largest_gap) < (1e-8 if single else 1e-15)


def test_fins_that_enclose_nothing_go(rng):
    part = gear()
    points, fins = [*part.vertices], []
    for a, b, c in part.triangles[rng.choice(len(part.triangles), 10, replace=False)]:
        fins += [(a, b, len(points)), (b, a, len(points))]
        points.append(part.vertices[[a, b, c]].mean(axis=0))
    faulty = np.vstack((part.triangles, np.array(fins, np.int32)))
    assert "non-manifold edges" in {problem.kind for problem in Solid(points, faulty).problems()}
    solid, report = repaired(points, faulty)
    assert solid.problems() == [] and report.collapsed_triangles == 20 and report.crowded_edges == 0
    assert (solid.vertices == part.vertices).all()


def test_edges_of_four_faces_that_stay_are_counted():
    two = triangles_of(joined(cube(), cube((1, 1, 0))))
    _, report = repaired(*two)
    assert report.crowded_edges == 1 and "more than two triangles still meet at 1 edges" in str(report)


def test_a_hole_is_reported_and_never_capped():
    vertices, triangles = triangles_of(cube())
    solid, report = repaired(vertices, triangles[2:])
    assert not solid.closed and report.open_edges == 4 and len(solid.triangles) == 10


@pytest.mark.needs_jit
@pytest.mark.parametrize(
    "name", ["nut_m16_loose", "nut_m16_tight", "round_hole_8mm", "round_hole_16mm", "rectangular_hole_8mm"]
)
def test_factory_nuts_and_plates_become_closed(shared_data, name):
    path = shared_data("factory-assembly") / "mesh" / f"factory_{name}_subdiv_3x.obj"
    assert not Solid.load(path).closed
    solid = Solid.load(path, repair=True)
    assert solid.closed and solid.genus == 1 and len(solid.shells) == 1
    report = solid.origin.repair
    assert report.split_edges > 0 and report.largest_move == 0.0 and report.largest_gap < 1e-8
    assert [p for p in solid.problems() if p.severity == "error"] == []


@pytest.mark.needs_jit
def test_the_plate_has_the_volume_of_its_drawing(shared_data):
    path = shared_data("factory-assembly") / "mesh" / "factory_round_hole_8mm_subdiv_3x.obj"
    hole = Solid.load(path, repair=True)
    corners = hole.vertices[(np.hypot(hole.vertices[:, 0], hole.vertices[:, 1]) < 0.005) & (hole.vertices[:, 2] == 0)]
    n, radius = len(corners), np.hypot(corners[:, 0], corners[:, 1]).mean()
    area = 0.025**2 - 0.5 * n * radius**2 * np.sin(2 * np.pi / n)
    assert hole.volume == pytest.approx(area * 0.008992, rel=1e-5)


def test_the_screw_loses_its_needles(shared_data):
    path = shared_data("bench-meshes") / "screw.ply"
    before, after = Solid.load(path), Solid.load(path, repair=True)
    assert before.closed and after.closed
    assert "degenerate triangles" in {p.kind for p in before.problems()}
    assert "degenerate triangles" not in {p.kind for p in after.problems()}
    assert after.volume == pytest.approx(before.volume, rel=1e-7)


@pytest.mark.needs_jit
def test_a_large_soup_is_repaired_in_about_a_second(rng):
    """Guards against a loop over triangles in Python: 80,000 loose triangles."""
    ball = trimesh.creation.icosphere(subdivisions=6)
    vertices, triangles = soup(np.asarray(ball.vertices), np.asarray(ball.faces))
    solid, _ = repaired(vertices + rng.uniform(-1e-9, 1e-9, vertices.shape), triangles)
    assert solid.closed and len(solid.vertices) == len(ball.vertices)


def test_bad_input_names_the_argument():
    vertices, triangles = triangles_of(cube())
    with pytest.raises(InputError, match="triangles: row 0"):
        repair_mesh(vertices, [[0, 1, 99]])
    with pytest.raises(InputError, match="reach"):
        repair_mesh(vertices, triangles, reach=-1.0)


def test_one_specialisation_per_kernel(compiled_signatures, rng):
    vertices, triangles = soup(*triangles_of(square_frame()))
    for points in (vertices, np.asfortranarray(vertices), vertices + rng.uniform(-1e-7, 1e-7, vertices.shape)):
        solid, _ = repaired(points, triangles.astype(np.int64))
        solid.problems()
        repaired(*triangles_of(cube()))
        repaired(*triangles_of(joined(cube(), cube((0.2, 0.2, 0.2), (0.5, 0.5, 0.5)))))
    # What kernels call among themselves may be compiled for int32 and int64 indices; what Python calls, once.
    for home in (repair, problems):
        called = re.findall(r"\b(\w+_kernels)\.(\w+)\(", inspect.getsource(home))
        assert len(called) > 2
        for module, name in called:
            assert len(compiled_signatures(getattr(getattr(home, module), name))) == 1, name
