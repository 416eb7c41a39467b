"""Facets of faces that are flat only to a tolerance, and which edges can touch first, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from abut import EdgeKind, Pose, Solid
from abut.geometry import Facets
from geometry.reliefs import hilly_plate, pyramid_plate

HEIGHTS = [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5]


def turned(solid, rng):
    return solid.transformed(Pose.from_rotvec(rng.normal(size=3), rng.normal(size=3)))


def leading(solid):
    """Ends of the edges that can touch first."""
    chosen = Facets.of(solid, 0.0).leading(solid)
    return {tuple(ends) for ends in solid.edges.vertices[chosen].tolist()}


@pytest.mark.parametrize("solid", [Solid.box(1.0), Solid.cylinder(0.5, 2.0, segments=48)], ids=["box", "cylinder"])
def test_faces_that_are_flat_but_for_rounding_are_whole(solid, rng):
    for part in (solid, *(turned(solid, rng) for _ in range(5))):
        facets = Facets.of(part, 0.0)
        np.testing.assert_array_equal(facets.of_triangle, part.faces.of_triangle)
        np.testing.assert_array_equal(facets.leading(part), part.edges.kind == EdgeKind.CONVEX)


def test_flat_faces_stay_whole_far_from_the_origin(rng):
    part = Solid.box(1.0).translated((1024.0, -4096.0, 512.0))
    assert (Facets.of(part, 0.0).of_triangle == part.faces.of_triangle).all()


@pytest.mark.parametrize("height", HEIGHTS)
def test_every_ridge_of_a_low_pyramid_can_touch_first(height, rng):
    plate = pyramid_plate(1.0, 0.2, height)
    for part in (plate, turned(plate, rng)):
        assert {(8, 12), (9, 12), (10, 12), (11, 12)} <= leading(part)


@pytest.mark.parametrize("depth", HEIGHTS)
def test_the_rim_of_a_shallow_dent_can_touch_first_and_its_grooves_cannot(depth, rng):
    found = leading(pyramid_plate(1.0, 0.2, -depth))
    assert {(8, 9), (9, 10), (10, 11), (8, 11)} <= found
    assert not {(8, 12), (9, 12), (10, 12), (11, 12)} & found


def exact_sign(solid, edge):
    """Sign of the volume that the neighbour of an edge's first triangle spans with it: > 0 above its plane."""
    i, j = solid.edges.triangles[edge]
    a, b = solid.edges.vertices[edge]
    c = next(v for v in solid.triangles[i] if v not in (a, b))
    d = next(v for v in solid.triangles[j] if v not in (a, b))
    origin, *rest = ([Fraction(float(x)) for x in solid.vertices[v]] for v in (a, b, c, d))
    u, v, w = ([x - o for x, o in zip(point, origin, strict=True)] for point in rest)
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return sum(n * x for n, x in zip(normal, w, strict=True))


@pytest.mark.parametrize("height", HEIGHTS)
def test_edges_that_are_left_out_are_grooves_or_in_one_plane(height, rng):
    part = turned(hilly_plate(1.0, height * rng.uniform(-1.0, 1.0, (7, 7))), rng)
    facets = Facets.of(part, 0.0)
    assert not facets.inner[: len(part.edges)].all()
    left_out = np.flatnonzero(~facets.leading(part) & ~facets.inner)
    assert len(left_out) > 10
    assert all(exact_sign(part, edge) >= 0 for edge in left_out)


@pytest.mark.parametrize("tolerance", [1e-10, 1e-9, 1e-8, 1e-7])
def test_facets_are_parts_of_faces_and_as_flat_as_asked(tolerance, rng):
    part = hilly_plate(1.0, 1e-7 * rng.uniform(-1.0, 1.0, (9, 9)))
    facets = Facets.of(part, tolerance)
    first = np.unique(facets.of_triangle, return_index=True)[1]
    np.testing.assert_array_equal(part.faces.of_triangle[first][facets.of_triangle], part.faces.of_triangle)
    corners = part.vertices[part.triangles]
    height = np.einsum("tkj,tj->tk", corners, facets.normal[facets.of_triangle])
    assert np.abs(height - facets.offset[facets.of_triangle][:, None]).max() <= 2.0 * tolerance
    sides = part.edges.triangles
    np.testing.assert_array_equal(facets.inner, facets.of_triangle[sides[:, 0]] == facets.of_triangle[sides[:, 1]])
