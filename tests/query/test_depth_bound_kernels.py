"""Bounds of depth: no point of a piece lies deeper than its bound, by brute force over points of the piece."""

import numpy as np
import pytest

from abut import Pose, Solid, parts
from abut.math.frame_tables import Frame
from abut.query.depth.depth_bound_kernels import bound_of, bound_of_node, signed_depth
from abut.query.depth.depth_kernels import _make_work, _named
from abut.query.depth.depth_tables import Piece
from abut.query.volumes.hierarchy import hierarchy_of
from abut.query.volumes.hierarchy_tables import Part
from query import naive

SOLIDS = {
    "box": Solid.box((1.0, 0.7, 0.4)),
    "bumpy ring": naive.torus(20, 12, bumps=0.3),
    "gear": parts.gear().scaled(20.0),
}


class Under:
    """A part under whose surface other things lie."""

    def __init__(self, solid):
        self.solid, tree = solid, hierarchy_of(solid)
        self.wanted = _named((tree.tables, 1e-9 * tree.extent, (1e-3, 1e-9 * tree.extent)))
        self.work = _make_work(64, tree.depth + 4)

    def depth(self, p):
        return signed_depth(tuple(p), self.wanted.part, np.int64(0), self.work)

    def bound(self, triangle, enough=-1e300):
        depth, facets = zip(*(self.depth(p) for p in triangle), strict=True)
        piece = Piece(tuple(map(tuple, triangle.tolist())), depth, tuple(map(np.int64, facets)))
        return bound_of(piece, enough, self.wanted, self.work)

    def deepest(self, triangle, n=24):
        """Of points on a grid over a triangle."""
        shares = [(i / n, j / n, (n - i - j) / n) for i in range(n + 1) for j in range(n + 1 - i)]
        return max(self.depth(p)[0] for p in np.array(shares) @ triangle)


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("size", [0.02, 0.1, 0.5])
def test_no_point_of_a_triangle_is_deeper_than_its_bound(name, size, rng):
    under = Under(SOLIDS[name])
    low, high = SOLIDS[name].vertices.min(axis=0), SOLIDS[name].vertices.max(axis=0)
    inside, spare = 0, []
    for _ in range(40):
        triangle = rng.uniform(low, high) + size * rng.normal(size=(3, 3)) * (high - low).min()
        deepest, bound = under.deepest(triangle), under.bound(triangle)
        assert deepest <= bound + 1e-12
        inside += deepest > 0.0
        spare.append((bound - deepest) / size)
    assert inside > 5 and np.median(spare) < 1.0  # sharp: within the size of the triangle, for most of them


def test_the_depth_of_points_is_that_of_closed_form(rng):
    under, half = Under(SOLIDS["box"]), np.array((0.5, 0.35, 0.2))
    for p in rng.uniform(-0.8, 0.8, (200, 3)):
        beyond = np.abs(p) - half
        expected = -np.linalg.norm(np.maximum(beyond, 0.0)) if beyond.max() > 0.0 else -beyond.max()
        assert under.depth(p)[0] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("name", SOLIDS)
def test_no_point_of_a_node_is_deeper_than_its_bound(name, rng, random_pose):
    """The nodes of a sphere's tree, of which all points are among the triangles."""
    under, ball = Under(SOLIDS[name]), Solid.sphere(0.2, segments=12)
    tree, one = hierarchy_of(ball), Pose()
    for _ in range(5):
        X = random_pose(0.4)
        bound, _ = bound_of_node(0, Part(*tree.tables), Frame(*X.frame), under.wanted.part, np.int64(0), under.work)
        corners = (one @ X).apply(ball.vertices)[ball.triangles]
        assert max(under.deepest(triangle, 3) for triangle in corners) <= bound + 1e-12
