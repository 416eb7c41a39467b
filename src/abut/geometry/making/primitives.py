"""Boxes, balls, cylinders, cones and rings, as vertices and triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, count, number, three, vector
from ...errors import InputError
from .rings import Arrays, ring_angles
from .sweep import revolve


def box(size: ArrayLike) -> Arrays:
    """A box of the given size (x, y, z), centred on the origin."""
    extents = lengths("size", three("size", size))
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * extents
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[q[i] for i in half] for q in quads for half in ((0, 1, 2), (0, 2, 3))]
    return corners, np.array(triangles, np.int32)


def lengths(name: str, value: ArrayLike) -> Floats:
    """`value` as three lengths greater than 0."""
    array = vector(name, value)
    if (array <= 0.0).any():
        raise InputError(f"{name}: expected three lengths greater than 0, got {array.tolist()}")
    return array


def ico_sphere(radius: float, *, subdivisions: int) -> Arrays:
    """A ball with corners on the sphere: an icosahedron whose triangles are cut in four `subdivisions` times."""
    radius = number("radius", radius, above=0.0)
    vertices, triangles = _icosahedron()
    for _ in range(count("subdivisions", subdivisions, least=0)):
        vertices, triangles = _cut_in_four(vertices, triangles)
    return radius * vertices, triangles


def uv_sphere(radius: float, *, segments: int, rings: int) -> Arrays:
    """A ball with corners on the sphere: `segments` meridians and `rings` bands from pole to pole along z."""
    radius = number("radius", radius, above=0.0)
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count("rings", rings, least=2) + 1)
    profile = radius * np.stack((np.cos(latitude), np.sin(latitude)), axis=1)
    profile[[0, -1], 0] = 0.0
    return revolve(profile, segments=segments)


def cylinder(radius: float, height: float, *, segments: int, circumscribed: bool = False) -> Arrays:
    """A cylinder along z, centred on the origin; its polygon lies inside the circle, or outside if `circumscribed`."""
    return cone(radius, radius, height, segments=segments, circumscribed=circumscribed)


def cone(
    bottom_radius: float, top_radius: float, height: float, *, segments: int, circumscribed: bool = False
) -> Arrays:
    """A cone or frustum along z, centred on the origin; one of the radii may be 0."""
    bottom, top = number("bottom_radius", bottom_radius, least=0.0), number("top_radius", top_radius, least=0.0)
    if bottom == top == 0.0:
        raise InputError("bottom_radius, top_radius: at least one must be greater than 0")
    height = number("height", height, above=0.0)
    factor = 1.0 / np.cos(np.pi / count("segments", segments, least=3)) if circumscribed else 1.0
    return revolve(cone_profile(factor * bottom, factor * top, height), segments=segments)


def cone_profile(bottom: float, top: float, height: float) -> list[tuple[float, float]]:
    """The profile (radius, z) of a frustum; a tip is one point of it, not two."""
    half = 0.5 * height
    profile = [(0.0, -half), (bottom, -half), (top, half), (0.0, half)]
    return [p for i, p in enumerate(profile) if not (i == 1 and bottom == 0.0) and not (i == 2 and top == 0.0)]


def torus(major_radius: float, minor_radius: float, *, segments: int, sides: int) -> Arrays:
    """A ring about the z axis: a `sides`-gon of circumradius `minor_radius` carried around at `major_radius`."""
    minor = number("minor_radius", minor_radius, above=0.0)
    major = number("major_radius", major_radius)
    if major <= minor:
        raise InputError(f"major_radius: expected more than the minor radius {minor:g}, got {major:g}")
    t = ring_angles(count("sides", sides, least=3))
    return revolve(np.stack((major + minor * np.cos(t), minor * np.sin(t)), axis=1), segments=segments)


def _icosahedron() -> Arrays:
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    corners = [(0.0, a, b * golden) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    vertices = np.array([np.roll(c, k) for k in range(3) for c in corners])
    # The 20 triples of corners that are mutually at the edge length 2, turned to face outwards.
    near = np.abs(np.linalg.norm(vertices[:, None] - vertices[None], axis=2) - 2.0) < 1e-9
    triples = [
        (i, j, k) for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]
    ]
    triangles = np.array(triples, np.int32)
    inward = np.linalg.det(vertices[triangles]) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    return vertices / np.linalg.norm(vertices[0]), triangles


def _cut_in_four(vertices: Floats, triangles: Ints) -> Arrays:
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, edge_of_side = np.unique(sides, axis=0, return_inverse=True)
    middle = vertices[edges].sum(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    ab, bc, ca = (edge_of_side.reshape(-1, 3) + len(vertices)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    finer = np.concatenate([np.stack(part, axis=1) for part in parts])
    return np.concatenate((vertices, middle)), finer.astype(np.int32)
