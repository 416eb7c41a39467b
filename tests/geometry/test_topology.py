"""Faces, edges, fans and shells: known solids, Euler's formula and other laws, non-manifold and open meshes."""

import inspect
import re

import numpy as np
import pytest

import abut
from abut import EdgeKind, Solid
from abut.geometry.topology import csr, topology
from geometry.shapes import cube, grid_plate, inside_out, joined, square_frame, tetrahedron, welded

ICOSAHEDRON = 0.7297276562269663  # angle between the normals of neighbouring faces: pi - acos(-sqrt(5) / 3)


def l_block():
    """A cube with a quarter taken away: one concave edge."""
    plan = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = np.array([(x, y, z) for z in (0, 1) for x, y in plan], float)
    sides = [[i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6] for i in range(6)]
    return vertices, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides]


def icosphere(levels):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=levels)
    return np.array(mesh.vertices), np.array(mesh.faces)


def kinds(solid):
    return {kind.name: solid.edges.count(kind) for kind in EdgeKind if solid.edges.count(kind)}


def test_a_cube_has_six_faces_and_twelve_convex_edges():
    solid = Solid(*cube())
    assert len(solid.faces) == 6 and kinds(solid) == {"FLAT": 6, "CONVEX": 12}
    sharp = solid.edges.kind == EdgeKind.CONVEX
    np.testing.assert_allclose(solid.edges.dihedral[sharp], np.pi / 2, rtol=1e-15)
    assert (solid.edges.dihedral[~sharp] == 0.0).all()
    assert solid.closed and solid.genus == 0 and solid.cavities == 0
    assert {tuple(n) for n in solid.faces.normal} == {tuple(s * e) for e in np.eye(3) for s in (1, -1)}
    assert sorted(solid.faces.offset) == [0, 0, 0, 1, 1, 1]


def test_an_l_block_has_one_concave_edge():
    solid = Solid(*l_block())
    assert len(solid.faces) == 8 and kinds(solid)["CONCAVE"] == 1
    edge = int(np.flatnonzero(solid.edges.kind == EdgeKind.CONCAVE)[0])
    np.testing.assert_allclose(solid.vertices[solid.edges.vertices[edge]], [(1, 1, 0), (1, 1, 1)])
    assert solid.edges.dihedral[edge] == pytest.approx(-np.pi / 2)


def test_faces_with_holes_have_inner_loops():
    solid = Solid(*square_frame())
    assert solid.genus == 1 and len(solid.faces) == 10
    holed = [f for f in range(10) if len(solid.faces.loops[f]) == 2]
    assert sorted(solid.faces.normal[holed, 2]) == [-1, 1]
    for f in holed:
        outer, inner = solid.faces.polygons(f)
        assert np.abs(solid.vertices[outer, :2]).max() == 1.0 and np.abs(solid.vertices[inner, :2]).max() == 0.5
        assert signed_area(solid, f, outer) == pytest.approx(4.0) and signed_area(solid, f, inner) == pytest.approx(
            -1.0
        )
        assert solid.faces.area[f] == pytest.approx(3.0)


def signed_area(solid, face, loop):
    points = solid.vertices[loop]
    return 0.5 * solid.faces.normal[face] @ np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)


def test_dihedral_angles_of_the_icosahedron():
    solid = Solid(*icosphere(0))
    assert len(solid.faces) == 20 and kinds(solid) == {"CONVEX": 30}
    np.testing.assert_allclose(solid.edges.dihedral, ICOSAHEDRON, rtol=1e-9)


def test_a_cavity_is_a_shell_of_negative_volume():
    solid = Solid(*joined(cube(size=(3, 3, 3)), inside_out(cube(low=(1, 1, 1)))))
    assert solid.cavities == 1 and list(solid.shells.depth) == [0, 1]
    np.testing.assert_allclose(solid.shells.volume, (27, -1), rtol=1e-14)
    assert solid.volume == pytest.approx(26.0, rel=1e-14)


def test_a_part_inside_a_cavity_is_material_again():
    nested = joined(cube(size=(5, 5, 5)), inside_out(cube((1, 1, 1), (3, 3, 3))), cube((2, 2, 2)))
    assert list(Solid(*nested).shells.depth) == [0, 1, 2] and Solid(*nested).cavities == 1


def test_two_cubes_on_a_common_edge_are_two_wedges_of_material():
    """Four faces on one edge: each cube keeps a convex edge of its own, and no shell mixes the two."""
    solid = Solid(*welded(*joined(cube(), cube(low=(1, 1, 0)))))
    crowded = np.flatnonzero(solid.edges.crowd == 4)
    assert len(crowded) == 2 and (solid.edges.kind[crowded] == EdgeKind.CONVEX).all()
    np.testing.assert_allclose(solid.edges.dihedral[crowded], np.pi / 2)
    assert solid.closed and len(solid.shells) == 2 and solid.genus == 0
    normals = solid.edges.normal[crowded]
    np.testing.assert_allclose(normals[0], -normals[1], atol=1e-15)
    pinched = np.flatnonzero(solid.fans.of_vertex.counts == 2)
    np.testing.assert_allclose(solid.vertices[pinched], [(1, 1, 0), (1, 1, 1)])


def test_two_cubes_on_a_common_vertex_have_two_fans_there():
    solid = Solid(*welded(*joined(cube(), cube(low=(1, 1, 1)))))
    pinched = np.flatnonzero(solid.fans.of_vertex.counts == 2)
    np.testing.assert_allclose(solid.vertices[pinched], [(1, 1, 1)])
    a, b = solid.fans.of_vertex[int(pinched[0])]
    np.testing.assert_allclose(solid.fans.normal[a], -solid.fans.normal[b], atol=1e-15)
    assert len(solid.shells) == 2 and solid.closed


def test_coincident_faces_pair_with_their_own_part():
    """Two cubes that share a whole face, doubled: the void between them is empty but it is there."""
    solid = Solid(*welded(*joined(cube(), cube(low=(1, 0, 0)))))
    assert solid.closed and len(solid.shells) == 2
    np.testing.assert_allclose(solid.shells.volume, (1, 1))


def test_an_open_box_has_a_border():
    vertices, faces = cube()
    solid = Solid(vertices, faces[:-1])
    assert not solid.closed and kinds(solid)["BOUNDARY"] == 4
    assert (~solid.fans.closed).sum() == 4
    with pytest.raises(abut.InputError, match="not closed \\(4 open edges\\)"):
        _ = solid.volume


def test_faces_turned_against_each_other_are_not_paired():
    vertices, faces = cube()
    solid = Solid(vertices, [faces[0][::-1], *faces[1:]])
    assert not solid.closed and kinds(solid)["NON_MANIFOLD"] == 8


@pytest.mark.parametrize("mesh", [cube(), l_block(), square_frame(), tetrahedron()], ids=["cube", "L", "frame", "tet"])
def test_euler_formula_with_polygonal_faces(mesh):
    solid = Solid(*mesh)
    edges = (solid.edges.kind != EdgeKind.FLAT).sum()
    inner_loops = len(solid.faces.loop_vertices) - len(solid.faces)
    assert len(solid.vertices) - edges + len(solid.faces) - inner_loops == 2 - 2 * solid.genus


@pytest.mark.parametrize("mesh", [square_frame(), l_block(), icosphere(2)], ids=["frame", "L", "icosphere"])
def test_adjacencies_agree_in_both_directions(mesh):
    solid = Solid(*mesh)
    edges, faces, fans = solid.edges, solid.faces, solid.fans
    for e, (a, b) in enumerate(edges.vertices):
        assert e in edges.of_vertex[a] and e in edges.of_vertex[b]
    for t in range(len(solid.triangles)):
        assert t in faces.triangles[faces.of_triangle[t]] and t in solid.shells.triangles[solid.shells.of_triangle[t]]
        for k in range(3):
            assert t in edges.triangles[edges.of_triangle[t, k]]
            assert set(edges.vertices[edges.of_triangle[t, k]]) == {
                solid.triangles[t, k],
                solid.triangles[t, (k + 1) % 3],
            }
    for f in range(len(faces)):
        assert set(faces.edges[f]) == {e for e in range(len(edges)) if (edges.faces[e] == f).sum() == 1}
        for loop in faces.loops[f]:
            around = faces.loop_vertices[loop]
            for a, b, e in zip(around, np.roll(around, -1), faces.loop_edges[loop], strict=True):
                assert set(edges.vertices[e]) == {a, b}
                assert f in faces.of_vertex[a]
    for v in range(len(solid.vertices)):
        around = np.concatenate([fans.triangles[f] for f in fans.of_vertex[v]])
        assert sorted(around) == sorted(np.flatnonzero((solid.triangles == v).any(axis=1)))


def test_fans_turn_from_neighbour_to_neighbour():
    solid = Solid(*icosphere(1))
    for fan in solid.fans.triangles:
        for a, b in zip(fan, np.roll(fan, -1), strict=True):
            assert len(set(solid.triangles[a]) & set(solid.triangles[b])) == 2


def test_normal_cones_hold_every_face_normal(rng):
    solid = Solid(*icosphere(1))
    for fan in range(len(solid.fans)):
        normals = solid.faces.normal[solid.faces.of_triangle[solid.fans.triangles[fan]]]
        assert (normals @ solid.fans.normal[fan]).min() == pytest.approx(solid.fans.cosine[fan], abs=1e-15)
    assert (solid.fans.cosine > 0.8).all()


@pytest.mark.parametrize("noise", [0.0, 1e-7], ids=["exact", "rounded"])
def test_noise_below_the_tolerance_is_flat_and_no_vertex_moves(noise):
    vertices, faces = grid_plate(6, noise)
    solid = Solid(vertices, faces)
    assert len(solid.faces) == 6
    np.testing.assert_array_equal(solid.vertices, vertices)


def test_bumps_above_the_tolerance_are_shape():
    solid = Solid(*grid_plate(6, noise=1e-4))
    top = solid.faces.normal[:, 2] > 0.5
    assert top.sum() > 36 and (~top).sum() == 5


def test_merging_does_not_creep_around_a_fine_sphere():
    """Neighbouring triangles of a fine sphere are nearly coplanar; faces must not grow from one to the next."""
    solid = Solid(*icosphere(4), tolerance=1e-4)
    for f in range(len(solid.faces)):
        corners = solid.vertices[solid.triangles[solid.faces.triangles[f]].ravel()]
        assert np.abs(corners @ solid.faces.normal[f] - solid.faces.offset[f]).max() < 2e-4


def test_rigid_motion_changes_no_topology(random_pose):
    vertices, faces = square_frame()
    still = Solid(vertices, faces)
    moved = Solid(random_pose().apply(vertices), still.triangles)
    assert kinds(still) == kinds(moved) and len(still.faces) == len(moved.faces)
    np.testing.assert_allclose(moved.edges.dihedral, still.edges.dihedral, atol=1e-12)


def test_the_order_of_triangles_changes_nothing_but_names(rng):
    vertices, faces = icosphere(2)
    still, mixed = Solid(vertices, faces), Solid(vertices, rng.permutation(faces))
    np.testing.assert_array_equal(still.edges.vertices, mixed.edges.vertices)
    np.testing.assert_allclose(still.edges.dihedral, mixed.edges.dihedral, atol=1e-15)


def test_a_cone_of_thousands_of_triangles_at_one_vertex_is_built_in_linear_time():
    """Edges were once matched by searching the list of their vertex."""
    n = 20000
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    rim = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(n)))
    vertices = np.concatenate((rim, [(0, 0, 1), (0, 0, 0)]))
    i = np.arange(n)
    j = (i + 1) % n
    faces = np.concatenate((np.column_stack((i, j, np.full(n, n))), np.column_stack((j, i, np.full(n, n + 1)))))
    solid = Solid(vertices, faces, tolerance=0.0)
    assert solid.closed and solid.edges.of_vertex.counts[n] == n


def test_one_specialisation_per_kernel(compiled_signatures):
    for mesh in (
        cube(),
        icosphere(0),
        joined(cube(), cube((5, 5, 5))),
        joined(cube(), cube((0.2, 0.2, 0.2), (0.5, 0.5, 0.5))),
    ):
        _ = Solid(*mesh).topology
    # What kernels call among themselves may be compiled for int32 and int64 indices; what Python calls, once.
    for home in (topology, csr):
        called = re.findall(r"\b(\w+_kernels)\.(\w+)\(", inspect.getsource(home))
        assert len(called) > 2
        for module, name in called:
            assert len(compiled_signatures(getattr(getattr(home, module), name))) == 1, name
