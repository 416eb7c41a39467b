"""Distance: known answers, brute force and exact arithmetic, budgets, starts."""

import csv
import itertools
import math
import sys

import numpy as np
import pytest

import abut
from abut import Pose
from abut.query.distance import distance_kernels
from abut.query.distance.triangle_pair_kernels import triangle_gap2
from abut.query.volumes.hierarchy import VOLUMES
from query import naive


def at(x, y, z, rotvec=(0.0, 0.0, 0.0)):
    return Pose.from_rotvec((x, y, z), rotvec)


BOX = naive.box()
RING, BUMPY = naive.torus(), naive.torus(20, 12, bumps=0.3)


@pytest.mark.parametrize(
    ("X", "gap", "kinds"),
    [
        pytest.param(at(3, 0, 0, (0.3, 0, 0)), 2.0, {"face", "vertex", "edge"}, id="two faces"),
        pytest.param(
            at(3, 0, 0, (0, 0, math.pi / 4)), 2.5 - math.sqrt(0.5), {"face", "edge", "vertex"}, id="an edge to a face"
        ),
        pytest.param(at(2, 2, 0), math.sqrt(2), {"edge", "vertex"}, id="two parallel edges"),
        pytest.param(at(2, 2, 2), math.sqrt(3), {"vertex"}, id="two corners"),
        pytest.param(
            at(0, 0, 2.0, (math.pi / 4, 0, 0)),
            1.5 - math.sqrt(0.5),
            {"face", "edge", "vertex"},
            id="an edge above a face",
        ),
    ],
)
def test_known_answers_of_two_boxes(X, gap, kinds):
    found = abut.distance(BOX, BOX, None, X)
    assert found.exact and found.distance == pytest.approx(gap, rel=1e-12)
    assert {found.feature_a.kind, found.feature_b.kind} <= kinds
    assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(gap, rel=1e-12)


def test_two_crossed_edges_are_named():
    upper = abut.Solid([(-1, 0, 1), (1, 0, 1), (0, 1, 3), (0, -1, 3)], [(0, 1, 2), (1, 0, 3), (2, 3, 0), (3, 2, 1)])
    lower = abut.Solid([(0, -1, 0), (0, 1, 0), (1, 0, -2), (-1, 0, -2)], [(0, 1, 2), (1, 0, 3), (2, 3, 0), (3, 2, 1)])
    found = abut.distance(upper, lower)
    assert found.distance == 1.0
    assert upper.edges.vertices[found.feature_a.index].tolist() == [0, 1] and found.feature_a.kind == "edge"
    assert lower.edges.vertices[found.feature_b.index].tolist() == [0, 1] and found.feature_b.kind == "edge"


def test_a_flat_diagonal_is_the_face():
    pin = abut.Solid([(0, 0, 1), (1, 0, 2), (0, 1, 2), (-1, -1, 2)], [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)])
    found = abut.distance(BOX, pin)  # the pin's tip is above the middle of the box's top, on its diagonal
    assert found.distance == 0.5 and found.feature_b == abut.Feature("vertex", 0)
    assert found.feature_a.kind == "face" and BOX.faces.normal[found.feature_a.index].tolist() == [0, 0, 1]


def test_parts_that_overlap_are_at_distance_zero_with_a_common_point():
    found = abut.distance(RING, BUMPY, None, at(1.0, 0, 0, (1.2, 0.3, 0)))
    assert (found.distance, found.lower, found.exact) == (0.0, 0.0, True)
    np.testing.assert_allclose(found.point_a, found.point_b, atol=1e-12)


def test_a_part_inside_another_is_at_distance_zero_but_not_one_in_a_cavity():
    small = naive.box((0.5, 0.5, 0.5))
    inside = abut.distance(BOX, small)
    assert inside.distance == 0.0 and inside.exact and inside.feature_a.kind == "inside"
    assert abut.distance(small, BOX).feature_b.kind == "inside"
    assert abut.distance(naive.hollow_box(), small).distance == pytest.approx(1.25)


def test_open_surfaces_have_no_inside():
    lid = abut.Solid(BOX.vertices, BOX.triangles[:-1])
    assert abut.distance(lid, naive.box((0.5, 0.5, 0.5))).distance == pytest.approx(0.25)


@pytest.mark.parametrize("volume", VOLUMES)
@pytest.mark.parametrize("strategy", ["depth", "best"])
def test_every_volume_and_strategy_agrees_with_brute_force(volume, strategy, rng, random_pose):
    for _ in range(6):
        X_a, X_b = random_pose(), random_pose(1.7)
        found = abut.distance(RING, BUMPY, X_a, X_b, volume=volume, strategy=strategy)
        assert found.distance == pytest.approx(naive.pair_distances(RING, BUMPY, X_a, X_b).min(), rel=1e-9, abs=1e-14)
        assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-12)


def random_triangles(rng):
    """Pairs with small integer corners: many touch, are coplanar, share corners or have no area."""
    while True:
        A, B = rng.integers(-3, 4, (2, 3, 3))
        if rng.random() < 0.3:
            B[rng.integers(3)] = A[rng.integers(3)]
        if rng.random() < 0.2:
            A[:, 2] = B[:, 2] = 0
        if rng.random() < 0.1:
            A[2] = 2 * A[1] - A[0]
        yield A, B


def test_exact_arithmetic_confirms_the_distance_of_two_triangles(rng):
    for A, B in itertools.islice(random_triangles(rng), 3000):
        exact = math.sqrt(naive.exact_triangle_distance2(A, B))
        found2, gap = triangle_gap2(*(tuple(tuple(map(float, p)) for p in T) for T in (A, B)), math.inf)
        assert math.sqrt(found2) == pytest.approx(exact, rel=1e-9, abs=1e-15), (A.tolist(), B.tolist())
        n = np.divide(gap, np.linalg.norm(gap) or 1.0)
        assert (B @ n).min() - (A @ n).max() == pytest.approx(exact, rel=1e-9, abs=1e-12) or exact < 1e-12


def test_exact_arithmetic_confirms_parts_of_one_triangle(rng):
    for A, B in itertools.islice(random_triangles(rng), 200):
        exact = naive.exact_triangle_distance2(A, B)
        found = abut.distance(abut.Solid(A, [(0, 1, 2)]), abut.Solid(B, [(0, 1, 2)])).distance
        assert found == pytest.approx(math.sqrt(exact), rel=1e-9, abs=1e-15), (A.tolist(), B.tolist())
        assert bool(abut.intersect(abut.Solid(A, [(0, 1, 2)]), abut.Solid(B, [(0, 1, 2)]))) == (exact == 0)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8])
def test_small_gaps_between_large_parts(gap, rng):
    """Other libraries return zero here."""
    for _ in range(20):
        X = Pose(rng.uniform(-1, 1, 3), quat_wxyz=rng.normal(size=4))
        found = abut.distance(BOX, BOX, X, X @ at(1.0 + gap, 0.2, -0.1, (0.4, 0, 0)))
        assert found.distance == pytest.approx(gap, abs=2e-15) and found.exact
        assert not abut.intersect(BOX, BOX, X, X @ at(1.0 + gap, 0.2, -0.1, (0.4, 0, 0)))


def test_robot_in_its_rooms(shared_data):
    env, rob, poses = environment(shared_data("fcl-env-rob"))
    for X, collides, distance in poses:
        found = abut.distance(env, rob, None, X).distance
        assert bool(abut.intersect(env, rob, None, X)) == collides
        assert found == pytest.approx(0.0 if collides else distance, abs=1e-9 * max(1.0, distance))


def environment(folder):
    parts = []
    for name in ("env", "rob"):
        words = [line.split() for line in (folder / f"{name}.obj").read_text().splitlines() if line]
        vertices = [[float(x) for x in w[1:4]] for w in words if w[0] == "v"]
        faces = np.array([[int(x.split("/")[0]) - 1 for x in w[1:4]] for w in words if w[0] == "f"])
        parts.append(abut.Solid(vertices, faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]))
    with (folder / "poses.csv").open() as file:
        table = [[float(x) for x in row.values()] for row in csv.DictReader(file)]
    return *parts, [(Pose(r[4:7], quat_wxyz=r[:4]), bool(r[7]), r[8]) for r in table]


def test_order_and_common_motion_do_not_matter(random_pose):
    for _ in range(10):
        X_a, X_b, M = random_pose(), random_pose(2.5), random_pose(10.0)
        one = abut.distance(RING, BUMPY, X_a, X_b).distance
        assert abut.distance(BUMPY, RING, X_b, X_a).distance == pytest.approx(one, rel=1e-9, abs=1e-13)
        assert abut.distance(RING, BUMPY, M @ X_a, M @ X_b).distance == pytest.approx(one, rel=1e-9, abs=1e-13)


def test_bounds_at_two_poses_differ_by_no_more_than_the_motion(rng, random_pose):
    """The triangle inequality: no part comes closer than by the way it goes, whatever is known of it on either side."""
    for _ in range(30):
        X_b, way = random_pose(2.0), rng.normal(size=3) * rng.choice([1e-6, 0.01, 0.5])
        moved = Pose(X_b.position + way, quat_wxyz=X_b.quat_wxyz)
        one, other = (
            abut.distance(RING, BUMPY, None, X, pairs=int(rng.choice([0, 5, 50, 10**6]))) for X in (X_b, moved)
        )
        length = np.linalg.norm(way) * (1 + 1e-12) + 1e-15
        assert one.lower <= other.upper + length and other.lower <= one.upper + length


@pytest.mark.parametrize("strategy", ["depth", "best"])
@pytest.mark.parametrize("volume", ["obb", "sphere"])
def test_a_larger_budget_only_narrows_the_bounds(strategy, volume):
    X = at(2.5, 0.3, 0.2, (0.3, 0.5, 0.1))
    exact = abut.distance(RING, BUMPY, None, X).distance
    assert exact > 0.05
    last = (0.0, math.inf)
    for pairs in (0, 1, 3, 10, 30, 100, 300, 1000, 10**6):
        found = abut.distance(RING, BUMPY, None, X, pairs=pairs, strategy=strategy, volume=volume)
        assert last[0] <= found.lower <= exact * (1 + 1e-12) and exact * (1 - 1e-12) <= found.upper <= last[1]
        assert found.exact == (found.upper - found.lower < 1e-12)
        last = (found.lower, found.upper)
    assert found.exact and last == pytest.approx((exact, exact), rel=1e-12)


def test_a_budget_of_time_returns_bounds():
    X = at(2.8, 0.3, 0.2)
    hasty, patient = (abut.distance(RING, BUMPY, None, X, budget_ms=ms, volume="sphere") for ms in (0.0, 1e4))
    assert hasty.lower < patient.distance <= hasty.upper and patient.exact
    assert "between" in repr(hasty) and not hasty.exact


@pytest.mark.parametrize("room", [0, 5, 4096])
def test_a_full_queue_changes_the_order_and_not_the_answer(room, monkeypatch):
    """A search once stopped where there were more open pairs than it had room for, and said so by its bounds only."""
    monkeypatch.setattr(sys.modules["abut.query.distance.distance"], "_ROOM", room)
    X = at(0.0, 0.0, 1.2)
    found = abut.distance(RING, BUMPY, None, X, volume="sphere", strategy="best")
    assert found.exact and found.distance == pytest.approx(
        naive.pair_distances(RING, BUMPY, Pose(), X).min(), rel=1e-12
    )


def test_many_levels_look_at_fewer_pairs_than_one():
    X = at(0.0, 0.0, 1.2)
    best, depth = (abut.distance(RING, BUMPY, None, X, volume="sphere", strategy=s) for s in ("best", "depth"))
    assert best.tested[0] < depth.tested[0]


def test_a_start_changes_the_effort_and_not_the_answer(rng):
    last, effort, cold_effort = None, 0, 0
    for s in np.linspace(0, 1, 150):
        X = at(1.8 + 0.6 * math.sin(3 * s), 0.4 * s, 0.1, (0.5 * s, 0.9 * s, 0))
        last = abut.distance(RING, BUMPY, None, X, start=last)
        cold = abut.distance(RING, BUMPY, None, X)
        assert last.distance == pytest.approx(cold.distance, rel=1e-12, abs=1e-15) and last.exact
        effort, cold_effort = effort + last.tested[0], cold_effort + cold.tested[0]
    assert effort < 0.3 * cold_effort


def test_faces_that_slide_along_each_other_are_followed(rng):
    """A prism turns and sinks in a hole of the same shape: hundreds of pairs are as close as the closest."""
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    i = np.arange(24)
    side = np.concatenate(
        (np.stack((i, (i + 1) % 24, i + 24), 1), np.stack(((i + 1) % 24, (i + 1) % 24 + 24, i + 24), 1))
    )
    tube = [abut.Solid(np.concatenate((np.c_[r * rim, 0 * i - 1], np.c_[r * rim, 0 * i + 1])), side) for r in (1, 1.01)]
    last, effort, cold_effort = None, 0, 0
    for s in np.linspace(0, 1, 60):
        X = at(0, 0, -0.3 * s, (0, 0, 0.4 * s))
        last, cold = (abut.distance(*tube, X, start=start) for start in (last, None))
        assert last.exact and last.distance == pytest.approx(cold.distance, rel=1e-12)
        effort, cold_effort = effort + sum(last.tested), cold_effort + sum(cold.tested)
    assert effort < 0.4 * cold_effort
    assert cold.distance == pytest.approx(naive.pair_distances(*tube, X, Pose()).min(), rel=1e-9)


def test_any_start_is_right(rng, random_pose):
    """Answers of one motion used in random order at unrelated poses, through overlaps."""
    kept = [abut.distance(RING, BUMPY, None, random_pose(2.0))]
    for _ in range(60):
        X_a, X_b = random_pose(), random_pose(2.0)
        found = abut.distance(RING, BUMPY, X_a, X_b, start=kept[rng.integers(len(kept))])
        assert found.distance == pytest.approx(abut.distance(RING, BUMPY, X_a, X_b).distance, rel=1e-12, abs=1e-15)
        kept.append(found)


@pytest.mark.parametrize("volume", ["obb", "sphere", "rss", "dop18"])
def test_a_start_is_right_for_every_volume_and_within_a_budget(volume):
    last = None
    for s in np.linspace(0, 1, 15):
        X = at(1.8 + 0.6 * math.sin(3 * s), 0.4 * s, 0.1, (0.5 * s, 0.9 * s, 0))
        last = abut.distance(RING, BUMPY, None, X, start=last, volume=volume)
        hasty = abut.distance(RING, BUMPY, None, X, start=last, volume=volume, pairs=3)
        assert last.exact and last.distance == pytest.approx(
            abut.distance(RING, BUMPY, None, X).distance, rel=1e-12, abs=1e-15
        )
        assert hasty.lower <= last.distance * (1 + 1e-12) and hasty.upper == pytest.approx(last.distance, rel=1e-12)


def test_spheres_and_half_spaces():
    ball, floor = abut.Sphere(0.5), abut.HalfSpace()
    assert abut.distance(ball, ball, None, at(3, 0, 0)).distance == 2.0
    assert abut.distance(floor, ball, None, at(1, 1, 2)).point_b.tolist() == [1, 1, 1.5]
    assert abut.distance(BOX, floor, at(0, 0, 2)).distance == 1.5
    assert abut.distance(floor, abut.HalfSpace((0, 0, -1), -2.0)).distance == 2.0
    assert abut.distance(floor, abut.HalfSpace((0, 1, 0))).distance == 0.0
    found = abut.distance(ball, BOX, at(0.1, 0.2, 3))
    assert found.distance == 2.0 and found.feature_b.kind == "face" and found.feature_a == abut.Feature("face", 0)
    assert abut.distance(BOX, abut.Sphere(0.01)).distance == 0.0


def test_triangles_of_no_area_never_make_a_distance_nan(rng):
    vertices = np.concatenate((BOX.vertices, BOX.vertices[:1], [(0.5, 0.5, 0.5)] * 2))
    solid = abut.Solid(vertices, np.concatenate((BOX.triangles, [(0, 8, 1), (7, 9, 10)])))
    found = abut.distance(solid, solid, None, at(2, 2, 2))
    assert found.distance == pytest.approx(math.sqrt(3)) and np.isfinite(found.point_a).all()
    assert abut.distance(solid, solid, None, at(2, 2, 2), volume="rss").distance == found.distance


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget_ms": -1.0}, "budget_ms: expected a number not smaller than 0, got -1"),
        ({"pairs": -1}, "pairs: expected at least 0, got -1"),
        ({"strategy": "luck"}, "strategy: expected one of depth, best, got 'luck'"),
        ({"volume": "egg"}, "volume: expected one of obb, .*, got 'egg'"),
        ({"start": 3}, "start: expected an earlier Distance, got int"),
        ({"X_b": np.full((4, 4), np.nan)}, "M: row 0 is not finite"),
        ({"X_b": (0, 0, 1)}, "X_b: expected a Pose or a 4x4 matrix"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(options, message):
    with pytest.raises(abut.InputError, match=message):
        abut.distance(BOX, RING, **options)


def test_a_start_about_other_parts_and_a_shape_that_is_none_are_refused():
    with pytest.raises(abut.InputError, match="the earlier answer is about other parts"):
        abut.distance(BOX, RING, start=abut.distance(RING, BOX))
    with pytest.raises(abut.InputError, match="b: expected a Solid, Sphere, Capsule or HalfSpace, got str"):
        abut.distance(BOX, "bolt")


def test_boxes_are_compiled_once_and_the_other_volumes_together_once(compiled_signatures):
    """`table` is None for oriented boxes, so that nothing else is compiled for them."""
    for volume in VOLUMES:
        last = abut.distance(RING, BUMPY, None, at(9, 0, 0), volume=volume)
        assert abut.distance(RING, BUMPY, None, at(9, 0, 1e-3), start=last, volume=volume).distance > 0.0
    assert len(compiled_signatures(distance_kernels.advance)) == 2
    assert len(compiled_signatures(distance_kernels.follow)) == 2
