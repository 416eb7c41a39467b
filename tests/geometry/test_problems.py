"""Soundness: nothing to say about sound parts, and each fault found where it is."""

import numpy as np
import pytest

from abut import Solid
from geometry.shapes import cube, inside_out, joined, square_frame, tetrahedron, welded

trimesh = pytest.importorskip("trimesh")


def kinds(solid):
    return {problem.kind: problem for problem in solid.problems()}


@pytest.mark.parametrize("mesh", [cube(), square_frame(), tetrahedron()], ids=["cube", "frame", "tetrahedron"])
def test_a_sound_part_has_no_problems(mesh):
    assert Solid(*mesh).problems() == []


def test_a_cavity_and_a_part_in_it_are_sound():
    nested = joined(cube(), inside_out(cube((0.1,) * 3, (0.8,) * 3)), cube((0.3,) * 3, (0.4,) * 3))
    assert Solid(*nested).problems() == []


def test_a_missing_face_is_a_loop_of_open_edges():
    vertices, faces = cube()
    (problem,) = Solid(vertices, faces[1:]).problems()
    assert (problem.kind, problem.severity, problem.count) == ("open edges", "error", 4)
    assert problem.indices[0] == problem.indices[-1] and set(problem.indices) == set(faces[0])
    assert (problem.where[:, 0] == 0.0).all()
    assert "4 open edges in a closed loop: a hole, first at (0, " in problem.message


def test_two_missing_faces_are_two_loops():
    vertices, faces = cube()
    assert [p.count for p in Solid(vertices, faces[2:]).problems()] == [4, 4]


def test_of_many_loops_the_longest_are_listed_and_the_rest_counted():
    vertices, faces = joined(*(cube((2 * i, 0, 0)) for i in range(20)))
    found = Solid(vertices, [face for i, face in enumerate(faces) if i % 6]).problems()
    assert len(found) == 13 and found[-1].count == 8 * 4 and "in 8 more loops" in found[-1].message


def test_one_triangle_turned_over_is_inconsistent_along_its_sides():
    vertices, faces = tetrahedron()
    problem = kinds(Solid(vertices, [faces[0][::-1], *faces[1:]]))["inconsistent orientation"]
    assert problem.count == 3 and {tuple(e) for e in problem.indices.tolist()} == {(0, 1), (0, 2), (1, 2)}


def test_an_inside_out_part_is_found():
    (problem,) = Solid(*inside_out(cube())).problems()
    assert (problem.kind, problem.severity) == ("inside out", "error")


def test_material_inside_material_is_found():
    problem = kinds(Solid(*joined(cube(), cube((0.25,) * 3, (0.5,) * 3))))["nested material"]
    assert problem.count == 1 and problem.where[0] == pytest.approx((0.25, 0.25, 0.25))


def test_a_flat_triangle_is_degenerate():
    vertices = np.concatenate((tetrahedron()[0], [(0.5, 0, 0)]))
    found = kinds(Solid(vertices, [[0, 2, 1], [0, 1, 4], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3]]))
    assert found["degenerate triangles"].indices.tolist() == [1]


def test_a_triangle_that_is_there_twice_is_found():
    vertices, faces = tetrahedron()
    assert kinds(Solid(vertices, [*faces, faces[2][1:] + faces[2][:1]]))["duplicate triangles"].indices.tolist() == [4]


def test_cubes_that_pass_through_each_other_intersect():
    found = kinds(Solid(*joined(cube(), cube((0.5, 0.3, 0.2)))))
    problem = found["self-intersection"]
    assert problem.severity == "error" and problem.count > 0
    assert ((problem.where > -0.01) & (problem.where < 1.51)).all()


def test_cubes_side_by_side_overlap_in_their_common_planes():
    """Shifted along one axis, no edge passes through a face: only the coplanar faces show the overlap."""
    problem = kinds(Solid(*joined(cube(), cube((0.5, 0, 0)))))["self-intersection"]
    assert "cover each other in one plane" in problem.message


def test_cubes_that_lie_against_each_other_touch_and_are_sound():
    found = kinds(Solid(*joined(cube(), cube((1, 0.25, 0.25), (0.5, 0.5, 0.5)))))
    assert set(found) == {"touching"} and found["touching"].severity == "warning"


def test_a_face_folded_onto_its_neighbour_is_found():
    vertices = np.array([(0, 0, 0), (2, 0, 0), (0, 2, 0), (0.5, 0.5, 0), (0, 0, 1)], float)
    found = kinds(Solid(vertices, [[0, 2, 1], [0, 1, 3], [0, 3, 4], [3, 1, 4], [1, 2, 4], [2, 0, 4]]))
    assert "folded onto each other" in found["self-intersection"].message


@pytest.mark.parametrize(
    ("offset", "kind"),
    [((1, 1, 0), "non-manifold edges"), ((1, 1, 1), "non-manifold vertices")],
    ids=["edge", "vertex"],
)
def test_lumps_that_share_an_edge_or_a_vertex_are_worth_a_warning(offset, kind):
    (problem,) = Solid(*welded(*joined(cube(), cube(offset)))).problems()
    assert (problem.kind, problem.severity, problem.count) == (kind, "warning", 1)


def test_intersections_are_those_that_a_search_over_all_pairs_finds(rng):
    """Oracle: every pair of triangles of two bodies against each other, as trimesh-free brute force."""
    from abut.geometry.soundness.problems import self_intersecting_pairs
    from abut.geometry.triangles.intersect_kernels import CROSS, triangle_relation

    ball = trimesh.creation.icosphere(subdivisions=2)
    vertices = np.concatenate((ball.vertices, ball.vertices * 0.7 + rng.uniform(0.3, 0.5, 3)))
    triangles = np.concatenate((ball.faces, ball.faces + len(ball.vertices))).astype(np.int32)
    pairs, kind, n = self_intersecting_pairs(Solid(vertices, triangles))
    found = {tuple(pair) for pair in pairs[kind == CROSS].tolist()}
    corners = [tuple(map(tuple, vertices[t].tolist())) for t in triangles]
    m = len(ball.faces)
    expected = {
        (i, j) for i in range(m) for j in range(m, 2 * m) if triangle_relation(*corners[i], *corners[j]) == CROSS
    }
    assert found == expected and n == len(pairs) > 20


@pytest.mark.needs_jit
def test_all_findings_of_real_parts_are_expected(shared_data):
    meshes = shared_data("bench-meshes")
    for name in ("driver", "hole64", "lbracket", "link", "peg256", "plate", "ring", "torus2k"):
        assert Solid.load(meshes / f"{name}.ply").problems() == [], name
