"""Trees of boxes around skins, nearest points and rays along axes, beside comparisons of all with all."""

import numpy as np
import pytest

from abut import Solid
from abut.fem import Skin
from abut.fem.detect_kernels import INSIDE, UNDECIDED, ray_along_axis
from abut.fem.detect_tables import Surface
from abut.fem.skin_check_kernels import EDGE_EDGE, VERTEX_FACE, face_weights, nearest_at
from abut.fem.skin_cluster_kernels import fit_clusters, triangle_pairs
from abut.fem.skin_kernels import build_boxes, refit_boxes, sweep_vertices, triangles_in_box
from abut.fem.skin_normal_kernels import CONE, COSINE, fit_cluster_normals, open_with_normals, own_triangle_pairs
from abut.fem.skin_point_kernels import nearest_triangle
from abut.fem.skin_tables import SkinParts


@pytest.fixture
def skin():
    part = Solid.sphere(1.0, subdivisions=1)
    return part.mesh.vertices, part.mesh.triangles


def tree(vertices, triangles, end, pad):
    n = len(triangles)
    child = np.empty(2 * n - 1, np.int32)
    assert build_boxes(vertices, triangles, np.empty(n, np.int64), child) == 2 * n - 1
    boxes = np.empty((2 * n - 1, 6))
    refit_boxes(vertices, end, triangles, child, pad, boxes)
    return child, boxes


def leaf_boxes(vertices, triangles, end, pad):
    ways = np.concatenate((vertices[triangles], end[triangles]), axis=1)
    return ways.min(axis=1) - pad, ways.max(axis=1) + pad


@pytest.fixture
def fine():
    part = Solid.sphere(1.0, subdivisions=3)
    return part.mesh.vertices, part.mesh.triangles


def unit_normals(vertices, triangles):
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    n = np.cross(b - a, c - a)
    return n / np.linalg.norm(n, axis=1)[:, None]


def fitted(vertices, triangles, end, pad):
    """One side of a search for pairs of triangles."""
    skin, swept = Skin(vertices, triangles), np.empty((len(vertices), 6))
    normals = np.empty((len(triangles), CONE))
    parts = SkinParts(skin.triangles, skin.triangles, skin.owned, skin.child, skin.boxes, skin.normals, normals)
    sweep_vertices(vertices, end, swept)
    fit_clusters(swept, pad, parts, skin.clusters)
    fit_cluster_normals((vertices, end), parts, skin.clusters)
    return swept, pad, parts, skin.clusters


def opened(side, ways):
    """The same after all has been looked at."""
    for node in side[3].node:
        open_with_normals(side, ways, int(node))
    return side


def test_cones_hold_all_normals_on_the_way(rng, fine):
    """Those of a triangle and of all that it touches; cones above hold those below."""
    vertices, triangles = fine
    end = vertices + rng.normal(scale=0.02, size=vertices.shape)
    parts = opened(fitted(vertices, triangles, end, 0.0), (vertices, end))[2]
    child, cones = parts.child, parts.normals
    touching = (triangles[:, None, :, None] == triangles[None, :, None, :]).any(axis=(2, 3))
    ways = [unit_normals((1.0 - t) * vertices + t * end, triangles) for t in np.linspace(0.0, 1.0, 11)]
    under, narrow = {}, 0
    for node in range(len(child))[::-1]:
        below = int(child[node])
        under[node] = {-1 - below} if below < 0 else under[below] | under[below + 1]
        cosine = cones[node, COSINE]
        if cosine > 0.0:
            narrow += 1
            some = touching[sorted(under[node])].any(axis=0)
            assert all((n[some] @ cones[node, :COSINE] > cosine - 1e-7).all() for n in ways)
    assert narrow > 0.9 * len(child)


def test_a_ball_has_no_pairs_that_may_meet_but_a_folded_one_has(fine):
    vertices, triangles = fine
    for place, any_pairs in ((vertices, False), (vertices * (1.0, 1.0, 1e-4), True)):
        assert (
            own_triangle_pairs(fitted(place, triangles, place, 1e-3), (place, place), np.empty((4, 2), np.int32)) > 0
        ) == any_pairs


def test_what_is_fitted_as_it_is_looked_at_is_as_what_is_fitted_at_once(rng, fine):
    vertices, triangles = fine
    end = vertices + rng.normal(scale=0.05, size=vertices.shape)
    parts, clusters = opened(fitted(vertices, triangles, end, 0.01), (vertices, end))[2:]
    assert len(clusters.node) > 10 and len(clusters.top) == len(clusters.node) - 1 and clusters.fitted.all()
    np.testing.assert_array_equal(parts.boxes, tree(vertices, triangles, end, 0.01)[1])


def test_boxes_hold_what_is_under_them_all_along_its_way(rng, skin):
    vertices, triangles = skin
    end = vertices + rng.normal(scale=0.2, size=vertices.shape)
    child, boxes = tree(vertices, triangles, end, 0.01)
    low, high = leaf_boxes(vertices, triangles, end, 0.01)
    leaves = {-1 - int(c): i for i, c in enumerate(child) if c < 0}
    assert sorted(leaves) == list(range(len(triangles)))
    for t, node in leaves.items():
        np.testing.assert_array_equal(boxes[node], (*low[t], *high[t]))
    for i in np.flatnonzero(child >= 0):
        two = boxes[child[i] : child[i] + 2]
        np.testing.assert_array_equal(boxes[i], (*two[:, :3].min(axis=0), *two[:, 3:].max(axis=0)))


def test_trees_give_the_pairs_of_triangles_whose_boxes_meet(skin):
    vertices, triangles = skin
    other = vertices + np.array((1.5, 0.3, 0.2))
    first = tree(vertices, triangles, vertices, 0.0)
    sides = [fitted(place, triangles, place, 0.0) for place in (vertices, other)]
    (low_a, high_a), (low_b, high_b) = (leaf_boxes(v, triangles, v, 0.0) for v in (vertices, other))
    meets = (low_a[:, None] <= high_b).all(axis=2) & (low_b <= high_a[:, None]).all(axis=2)
    pairs = np.empty((5000, 2), np.int32)
    count = triangle_pairs(*sides, pairs)
    assert sorted(map(tuple, pairs[:count].tolist())) == list(map(tuple, np.argwhere(meets).tolist()))
    box, found = np.concatenate((low_b[3], high_b[3]))[None], np.empty(len(triangles), np.int32)
    count = triangles_in_box(*first, box, found)
    assert sorted(found[:count].tolist()) == np.flatnonzero(meets[:, 3]).tolist()


def test_rays_know_the_inside_of_a_ball(rng, skin):
    """All axes that decide agree; points near the faces are left out, where ball and polyhedron differ."""
    vertices, triangles = skin
    child, boxes = tree(vertices, triangles, vertices, 0.0)
    surface, common = Surface(vertices, triangles, child, boxes), np.array([[-2.0] * 3 + [2.0] * 3])
    decided = 0
    for p in rng.uniform(-1.3, 1.3, (120, 3)):
        if 0.85 < np.linalg.norm(p) < 1.01:
            continue
        for k in range(3):
            answer, face, way = ray_along_axis(surface, common, tuple(p), k)
            if answer == UNDECIDED:
                assert face == -1 and np.linalg.norm(np.delete(p, k)) > 0.8
                continue
            decided += 1
            assert (answer == INSIDE) == (np.linalg.norm(p) < 1.0)
            hit = p + way * np.eye(3)[k]
            assert 0.8 < np.linalg.norm(hit) < 1.001
    assert decided > 100


def test_the_nearest_triangle_is_that_of_many_points_of_all(rng, skin):
    vertices, triangles = skin
    share = np.concatenate((np.eye(3), rng.dirichlet((1.0, 1.0, 1.0), 300)))
    points = np.einsum("sk,tkd->tsd", share, vertices[triangles])
    for p in rng.normal(size=(12, 3)):
        shares = np.empty(3)
        t = nearest_triangle(p[None], vertices, triangles, shares)
        assert shares.sum() == pytest.approx(1.0) and shares.min() >= 0.0
        found = np.linalg.norm(shares @ vertices[triangles[t]] - p)
        sampled = np.linalg.norm(points - p, axis=2).min()
        assert found <= sampled + 1e-12 and sampled - found < 0.02


def test_shares_of_corners_make_the_point_again(rng):
    for a, b, c in rng.normal(size=(20, 3, 3)):
        share = rng.dirichlet((1.0, 1.0, 1.0))
        q = share @ np.array((a, b, c))
        np.testing.assert_allclose(face_weights(*map(tuple, (q, a, b, c))), share, atol=1e-12)


@pytest.mark.parametrize("kind", [VERTEX_FACE, EDGE_EDGE])
def test_the_way_between_features_is_shortest_and_made_of_their_shares(rng, kind):
    signs = np.array((1.0, -1.0, -1.0, -1.0) if kind == VERTEX_FACE else (1.0, 1.0, -1.0, -1.0))
    for _ in range(20):
        start, end, t = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), 0.3
        shares, way, distance = nearest_at(kind, start, end, (0, 1, 2, 3), t)
        places = (1.0 - t) * start + t * end
        np.testing.assert_allclose(-(signs * shares) @ places, way, atol=1e-12)
        assert np.linalg.norm(way) == pytest.approx(distance)
        s, r = rng.dirichlet((1.0, 1.0, 1.0), 400), rng.dirichlet((1.0, 1.0), 400)
        others = (
            np.concatenate((np.ones((400, 1)), s), axis=1)
            if kind == VERTEX_FACE
            else np.concatenate((r, rng.dirichlet((1.0, 1.0), 400)), axis=1)
        )
        assert np.linalg.norm((signs * others) @ places, axis=1).min() >= distance - 1e-12
