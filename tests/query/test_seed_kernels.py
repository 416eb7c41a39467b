"""Triangles near a feature that touches: found by the tree where faces have many, beside a look at each of them."""

import numpy as np
import pytest

import abut
from abut.math.frame_tables import IDENTITY
from abut.query.regions.group_kernels import EDGE, FACE, VERTEX
from abut.query.regions.region_part import region_part
from abut.query.regions.region_tables import SeedSide
from abut.query.regions.seed_kernels import _MANY, _list_near


def sieve():
    """A plate with 30 holes: its two large faces have hundreds of triangles, the others two each."""
    ring = 0.004 * np.array([(np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3])
    holes = [ring + np.array((i, j)) * 0.014 for i in range(6) for j in range(5)]
    return abut.Solid.extrude([(-0.01, -0.01), (0.08, -0.01), (0.08, 0.07), (-0.01, 0.07)], 0.01, holes=holes)


def faces_around(part, kind, feature):
    if kind == VERTEX:
        return part.face_item[part.face_start[feature] : part.face_start[feature + 1]]
    return part.edge_face[feature] if kind == EDGE else [feature]


def listed_by_all(part, kind, feature, low, high, only_edge):
    """Face by face, and by rising numbers: those whose box meets a box, or only those with the edge."""
    found = []
    for face in faces_around(part, kind, feature):
        triangles = np.flatnonzero(part.face == face)
        box = part.triangle_box[triangles]
        meets = (box[:, :3] <= high).all(axis=1) & (box[:, 3:] >= low).all(axis=1)
        if only_edge:
            meets &= (part.side[triangles] == feature).any(axis=1)
        found += triangles[meets].tolist()
    return found


@pytest.mark.parametrize("solid", [sieve(), abut.parts.gear()], ids=["sieve", "gear"])
@pytest.mark.parametrize("kind", [VERTEX, EDGE, FACE])
def test_triangles_near_a_feature_are_those_that_a_look_at_all_finds(rng, times, solid, kind):
    part = region_part(solid)
    size, (least, most) = solid.bounds[1] - solid.bounds[0], solid.bounds
    can_touch = {
        VERTEX: np.arange(len(solid.vertices)),
        EDGE: np.flatnonzero(solid.edges.kind == abut.EdgeKind.CONVEX),
        FACE: np.arange(6),  # the largest
    }[kind]
    stack, room = np.empty((64, 2), np.int32), np.empty(len(solid.triangles) + 1, np.int32)
    many = few = 0
    for _ in range(times(200, 5000)):
        feature, middle = int(rng.choice(can_touch)), rng.uniform(least, most)
        half, only_edge = size * rng.uniform(0.0, 0.4), bool(kind == EDGE and rng.integers(2))
        low, high = tuple((middle - half).tolist()), tuple((middle + half).tolist())
        n = _list_near(SeedSide(part, kind, feature, IDENTITY), only_edge, low, high, stack, room)
        expected = listed_by_all(part, kind, feature, low, high, only_edge)
        assert room[:n].tolist() == expected
        by_tree = sum((part.face == face).sum() for face in faces_around(part, kind, feature)) > _MANY
        many, few = many + (by_tree and n > 0), few + (not by_tree and n > 0)
    assert many > 0 and (few > 0 or kind == VERTEX)  # each vertex is at a large face


def test_where_there_is_no_room_for_all_the_list_is_full():
    solid = sieve()
    part, room = region_part(solid), np.empty(20, np.int32)
    side = SeedSide(part, FACE, int(np.bincount(part.face).argmax()), IDENTITY)
    everywhere = (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)
    assert _list_near(side, False, *everywhere, np.empty((64, 2), np.int32), room) == 20
