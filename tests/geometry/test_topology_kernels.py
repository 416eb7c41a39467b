"""Faces, fans, shells and signs of edges from bare tables, beside closed forms and exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from abut.geometry.topology.face_kernels import area_vectors, loop_areas, outer_loops_first
from abut.geometry.topology.facet_kernels import convex_by_sign
from abut.geometry.topology.fan_kernels import fan_normals, trace_fans
from abut.geometry.topology.shell_kernels import number_shells, solid_angle, winding_number

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32)
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def twins(triangles):
    """The half-edge that runs the other way along the same edge, -1 for none."""
    ends = {(int(t[k]), int(t[(k + 1) % 3])): 3 * i + k for i, t in enumerate(triangles) for k in range(3)}
    return np.array([ends.get((b, a), -1) for a, b in ends], np.int32)


def test_area_vectors_of_a_closed_surface_add_up_to_nothing(rng):
    points = rng.normal(size=(4, 3))
    vectors, areas = np.empty((4, 3)), np.empty(4)
    area_vectors(points, TETRAHEDRON, vectors, areas)
    np.testing.assert_allclose(vectors.sum(axis=0), 0.0, atol=1e-15)
    sides = points[TETRAHEDRON[:, 1:]] - points[TETRAHEDRON[:, :1]]
    np.testing.assert_allclose(areas, 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1), rtol=1e-14)


def test_a_hole_takes_its_area_from_its_face():
    """A square of side 4 with a square hole of side 1, as two loops of half-edges."""
    vertices = np.array([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [1, 1, 0], [1, 2, 0], [2, 2, 0], [2, 1, 0]], float)
    triangles = np.array(
        [[0, 1, 9], [1, 2, 9], [2, 3, 9], [3, 0, 9], [4, 5, 9], [5, 6, 9], [6, 7, 9], [7, 4, 9]], np.int32
    )
    area, first_sides = np.empty(2), 3 * np.arange(8, dtype=np.int32)
    normal, face = np.array([[0.0, 0.0, 1.0]]), np.zeros(8, np.int32)
    loop_areas(vertices, triangles, face, normal, np.array([0, 4, 8], np.int32), first_sides, area)
    assert area.tolist() == [16.0, -1.0]
    order = np.empty(2, np.int32)
    outer_loops_first(np.array([0, 2], np.int32), area[::-1].copy(), order)
    assert order.tolist() == [1, 0]


def test_fans_go_around_each_corner_once():
    triangles = TETRAHEDRON
    corners = np.argsort(triangles.ravel(), kind="stable").astype(np.int32)
    start = np.searchsorted(triangles.ravel()[corners], np.arange(5)).astype(np.int32)
    of_vertex, fan_start = np.empty(5, np.int32), np.empty(13, np.int32)
    members, closed = np.empty(12, np.int32), np.empty(12, np.bool_)
    assert trace_fans(4, start, corners, twins(triangles), of_vertex, fan_start, members, closed) == 4
    assert closed[:4].all() and of_vertex.tolist() == [0, 1, 2, 3, 4]
    for v in range(4):
        fan = members[fan_start[v] : fan_start[v + 1]]
        assert sorted(fan) == np.flatnonzero((triangles == v).any(axis=1)).tolist()


def test_a_fan_without_a_wall_begins_and_ends_there():
    triangles = TETRAHEDRON[1:]
    corners = np.argsort(triangles.ravel(), kind="stable").astype(np.int32)
    start = np.searchsorted(triangles.ravel()[corners], np.arange(5)).astype(np.int32)
    fan_start, members, closed = np.empty(10, np.int32), np.empty(9, np.int32), np.empty(9, np.bool_)
    assert trace_fans(4, start, corners, twins(triangles), np.empty(5, np.int32), fan_start, members, closed) == 4
    assert closed[:4].tolist() == [False, False, False, True]


def test_the_cone_of_a_fan_holds_the_normals_of_its_faces(rng):
    normal = rng.normal(size=(6, 3)) + np.array((0.0, 0.0, 3.0))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    axis, cosine = np.empty((2, 3)), np.empty(2)
    triangles = np.array([0, 1, 2, 3, 4, 5], np.int32)
    fan_normals(np.array([0, 4, 6], np.int32), triangles, triangles, normal, rng.uniform(1.0, 2.0, 6), axis, cosine)
    for fan, faces in enumerate((normal[:4], normal[4:])):
        assert np.linalg.norm(axis[fan]) == pytest.approx(1.0)
        assert (faces @ axis[fan]).min() == pytest.approx(cosine[fan], abs=1e-15)


def test_an_octant_is_an_eighth_of_the_sphere():
    assert solid_angle((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 5.0, 0.0), (0.0, 0.0, 1.0)) == pytest.approx(np.pi / 2)
    assert solid_angle((0.0, 0.0, 0.0), (0.0, 5.0, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 1.0)) == pytest.approx(-np.pi / 2)


def test_a_closed_surface_winds_once_around_what_is_inside(rng):
    chosen = np.arange(4, dtype=np.int32)
    for p in rng.uniform(-0.5, 1.2, (60, 3)):
        inside = (p > 0.0).all() and p.sum() < 1.0
        assert winding_number(tuple(p), CORNERS, TETRAHEDRON, chosen) == pytest.approx(float(inside), abs=1e-9)


def test_what_hangs_together_has_one_number():
    triangles = np.concatenate((TETRAHEDRON, TETRAHEDRON + 4))
    shell = np.empty(8, np.int32)
    assert number_shells(twins(triangles), shell) == 2 and shell.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_signs_of_edges_are_exact():
    """Edges that are flat up to the last bit of a coordinate, beside fractions."""
    for height in (0.3, np.nextafter(0.3, 1.0), np.nextafter(0.3, 0.0)):
        vertices = np.array([[0.1, 0.2, 0.3], [1.3, 0.1, 0.3], [0.6, 1.2, 0.3], [0.7, -0.9, height]])
        triangles = np.array([[0, 1, 2], [1, 0, 3]], np.int32)
        convex = np.empty(1, np.bool_)
        convex_by_sign(
            vertices, triangles, np.array([[0, 1]], np.int32), np.array([[0, 1]], np.int32), np.array([0]), convex
        )
        a, b, c, d = ([Fraction(x) for x in row] for row in vertices.tolist())
        u, v, w = ([q - p for p, q in zip(a, point, strict=True)] for point in (b, c, d))
        below = sum(w[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3)) < 0
        assert convex[0] == below
