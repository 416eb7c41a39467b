"""Normals of contact regions by the rules of Bouma and Vaněček (1991), section 10; names of faces by the file's."""

import re

import numpy as np
import pytest

import abut
from abut import Pose, Solid, contact_regions
from query import naive
from query.touching import block, ridge, tip

UP = np.array((0.0, 0.0, 1.0))


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


def pyramid(rng, sign, mirrored=False):
    """A pyramid with its apex in the origin, below it or (sign = 1) above it; its base leans."""
    turns = np.array([0.8, 2.4, -2.4, -0.8] if mirrored else [0.2, 2.3, 4.4])
    size, height = rng.uniform(0.02, 0.06, len(turns)), rng.uniform(0.03, 0.07, len(turns))
    if mirrored:  # across the plane of x and z
        size[2:], height[2:] = size[1::-1], height[1::-1]
    base = np.column_stack((size * np.cos(turns), size * np.sin(turns), sign * height))
    sides = [[0, k + 1, (k + 1) % len(turns) + 1] for k in range(len(turns))]
    faces = [*sides, list(range(len(turns), 0, -1))]
    return Solid(np.vstack((np.zeros(3), base)), faces if sign < 0 else [face[::-1] for face in faces])


def roof(rng, sign):
    """A roof with its ridge along y through the origin, below it or above it; its base leans."""
    (left, right), (low, lower) = rng.uniform(0.02, 0.06, (2, 2))
    profile = [(0.0, 0.0), (-left, -low), (right, -lower)]
    part = Solid.extrude(-np.array(profile) if sign > 0 else profile, 0.1)
    return part.transformed(Pose.from_rotvec((0.0, 0.05, 0.0), (np.pi / 2, 0.0, 0.0)))


def mean(part, faces):
    """Of the normals of faces, weighted by their areas."""
    return unit(part.faces.area[faces] @ part.faces.normal[faces])


def mean_at_apex(part):
    """Of the faces around the origin."""
    return mean(part, part.faces.of_vertex[int(np.abs(part.vertices).sum(axis=1).argmin())])


def mean_of_ridge(part):
    """Of both faces at the edge through the origin."""
    through = np.abs(part.vertices[part.edges.vertices].mean(axis=1)).sum(axis=1).argmin()
    return mean(part, part.edges.faces[through])


def test_two_vertices(rng):
    """(v_i x v_j) x (v_i + v_j), away from s_j: the rule where it says anything."""
    for _ in range(20):
        a, b = pyramid(rng, -1.0), pyramid(rng, 1.0)
        v_j, v_i = mean_at_apex(a), mean_at_apex(b)
        (region,) = contact_regions(a, b)
        assert (region.feature_a.kind, region.feature_b.kind) == ("vertex", "vertex")
        np.testing.assert_allclose(region.normal, unit(np.cross(np.cross(v_i, v_j), v_i + v_j)), atol=1e-6)


def test_a_vertex_and_an_edge(rng):
    """(e'_j + v_i) x e_j, across the edge on the side to which it faces, for a vertex that leans only across it."""
    for _ in range(20):
        a, b = roof(rng, -1.0), pyramid(rng, 1.0, mirrored=True)
        e_j, v_i = mean_of_ridge(a), mean_at_apex(b)
        (region,) = contact_regions(a, b)
        (swapped,) = contact_regions(b, a)
        assert (region.feature_a.kind, region.feature_b.kind) == ("edge", "vertex")
        published = unit(np.cross(e_j + v_i, (0, 1, 0)))
        np.testing.assert_allclose(region.normal, published * np.sign(published @ e_j), atol=1e-6)
        np.testing.assert_allclose(swapped.normal, -region.normal, atol=1e-9)


def test_two_edges(rng):
    """Across both where they cross; (g_j - g_i) where they lie along each other."""
    for _ in range(20):
        a, b = roof(rng, -1.0), roof(rng, 1.0)
        (along,) = contact_regions(a, b)
        assert (along.dim, along.feature_a.kind, along.feature_b.kind) == (1, "edge", "edge")
        np.testing.assert_allclose(along.normal, unit(mean_of_ridge(a) - mean_of_ridge(b)), atol=1e-6)
        turn = Pose.from_rotvec((0, 0, 0), (0, 0, rng.uniform(0.3, 2.8)))
        (crossing,) = contact_regions(a, b, X_b=turn)
        assert (crossing.dim, crossing.feature_a.kind, crossing.feature_b.kind) == (0, "edge", "edge")
        across = unit(np.cross((0, 1, 0), turn.rotation @ (0, 1, 0)))
        np.testing.assert_allclose(crossing.normal, across * np.sign(across[2]), atol=1e-9)


@pytest.mark.parametrize("upper", [tip, ridge, block])
def test_at_a_face_the_normal_is_that_of_the_face(upper, rng, random_pose):
    """However the other part is turned about the normal, and whichever of the two has the face."""
    X, on = random_pose(), Pose.from_rotvec((0, 0, 0), (0, 0, rng.uniform(0, 6)))
    (region,) = contact_regions(block(), upper(False), X, X @ on)
    (swapped,) = contact_regions(upper(False), block(), X @ on, X)
    np.testing.assert_allclose(region.normal, X.rotation @ UP, atol=1e-9)
    np.testing.assert_allclose(swapped.normal, -(X.rotation @ UP), atol=1e-9)


def test_wedges_that_meet_in_one_edge_have_a_region_each_whose_mean_is_the_published_normal():
    """Two cubes with a common edge, and a tip in the notch between them: k_i k_j normals that are averaged."""
    a, b = naive.box((2, 2, 2), (-1, -1, -1)), naive.box((2, 2, 2), (1, 1, -1))
    vertices, which = np.unique(np.concatenate((a.vertices, b.vertices)), axis=0, return_inverse=True)
    cubes = Solid(vertices, which.reshape(-1)[np.concatenate((a.triangles, b.triangles + len(a.vertices)))])
    out = unit((1, -1, 0))
    base = out + 0.2 * np.array([(0.7, 0.7, 1), (0.7, 0.7, -1), (-0.7, -0.7, -1), (-0.7, -0.7, 1)])
    sides = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [4, 3, 2, 1]]
    regions = contact_regions(cubes, Solid(np.vstack((np.zeros(3), base)), sides), X_b=Pose((0, 0, -1)))
    assert [(r.feature_a.kind, r.feature_b.kind) for r in regions] == [("edge", "vertex")] * 2
    np.testing.assert_allclose(sorted(regions.normal.tolist()), [(0, -1, 0), (1, 0, 0)], atol=1e-9)
    np.testing.assert_allclose(unit(regions.normal.sum(axis=0)), out, atol=1e-9)


def test_faces_of_a_step_assembly_are_called_as_in_the_file(tmp_path):
    """All faces of the 18 solids are named in the file; each region tells the names of both of its faces."""
    pytest.importorskip("OCP")
    source = abut.scene.__path__[0] + "/scenes/demonstrations/assembly.step"
    with open(source) as file:
        text = re.sub(r"#(\d+) = ADVANCED_FACE\(''", r"#\1 = ADVANCED_FACE('face \1'", file.read())
    (tmp_path / "named.step").write_text(text)
    entities = dict(re.findall(r"#(\d+) = (\w+)\(", text))
    on = dict(re.findall(r"'face (\d+)',\s*\([#\d,\s]*\),\s*#(\d+)", text))
    kinds = {f"face {face}": entities[surface].split("_")[0].lower() for face, surface in on.items()}
    parts = {part.name: part for part in abut.load_assembly(tmp_path / "named.step")}
    assert len(parts) == 18 and set(kinds.values()) == {"plane", "cylindrical"}
    told = {}
    for pair in (("plate", "bracket_left"), ("shaft", "collar_left"), ("washer_1", "bolt_1")):
        a, b = (parts[name] for name in pair)
        regions = contact_regions(a.solid, b.solid, a.pose, b.pose, tolerance=2e-5)
        for region in regions:
            for part, feature in ((a, region.feature_a), (b, region.feature_b)):
                if feature.kind == "face":
                    assert part.solid.surfaces.find(name=feature.name) and f"'{feature.name}'" in repr(region)
        told[pair] = {(kinds[s.surface_a.name], kinds[s.surface_b.name]) for s in regions.by_surface() if s.area}
    assert told["plate", "bracket_left"] == {("plane", "plane")}
    assert ("plane", "plane") in told["washer_1", "bolt_1"]
    assert ("cylindrical", "cylindrical") in told["shaft", "collar_left"]
