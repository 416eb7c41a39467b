"""Capsules in every query: closed forms, brute force, and polyhedra that bracket the truth."""

import numpy as np
import pytest

import abut
from abut import Capsule, HalfSpace, Motion, Pose, Solid, Sphere
from abut.query import ImpactPair
from abut.query.distance.analytic_kernels import triangles_within
from abut.query.features import SURFACE
from geometry.capsules import circumscribed, inscribed

ROD = Capsule(0.1, 0.6)
BOX = Solid.box(1.0)
ALONG_X = Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.5 * np.pi, 0.0))


def axis(capsule, pose):
    return pose.apply(np.array([(0.0, 0.0, -0.5 * capsule.length), (0.0, 0.0, 0.5 * capsule.length)]))


def sampled_gap(a, b, X_a, X_b, n=201):
    """Of two capsules, by samples of one axis against the other's: too large by the square of their spacing at most."""
    (p0, p1), (q0, q1) = axis(a, X_a), axis(b, X_b)
    points = p0 + np.linspace(0.0, 1.0, n)[:, None] * (p1 - p0)
    u = q1 - q0
    s = np.clip((points - q0) @ u / (u @ u), 0.0, 1.0)
    return np.linalg.norm(points - q0 - s[:, None] * u, axis=1).min() - a.radius - b.radius


# Known answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "X_rod", "X_other", "distance"),
    [
        pytest.param(HalfSpace(), Pose((3, 1, 1.0)), Pose(), 0.6, id="standing above a floor"),
        pytest.param(HalfSpace(), Pose((0, 0, 1.0)) @ ALONG_X, Pose(), 0.9, id="lying above a floor"),
        pytest.param(Sphere(0.2), Pose(), Pose((1.0, 0, 0.25)), 0.7, id="a ball beside the barrel"),
        pytest.param(Sphere(0.2), Pose(), Pose((0.4, 0, 0.6)), 0.2, id="a ball beyond a cap"),
        pytest.param(ROD, Pose(), Pose((0.5, 0, 0.2)), 0.3, id="side by side"),
        pytest.param(ROD, Pose(), Pose((0.5, 0, 0)) @ Pose.from_rotvec((0, 0, 0), (1.0, 0, 0)), 0.3, id="crossed"),
        pytest.param(ROD, Pose(), Pose((0, 0, 1.0)), 0.2, id="in one line"),
        pytest.param(ROD, Pose(), Pose((0.7, 0, 0)) @ ALONG_X, 0.2, id="end on"),
        pytest.param(BOX, Pose((0.9, 0.1, 0.2)), Pose(), 0.3, id="beside a face"),
        pytest.param(BOX, Pose((0.8, 0.9, 0.1)), Pose(), 0.4, id="beside an edge"),
        pytest.param(BOX, Pose((0.8, 0.9, 0.8 + 0.5)), Pose(), np.sqrt(0.3**2 + 0.4**2 + 0.5**2) - 0.1, id="a corner"),
        pytest.param(BOX, Pose((0, 0, 0.85)) @ ALONG_X, Pose(), 0.25, id="across a face"),
        pytest.param(Solid.box((2.0, 0.1, 0.1)), Pose((0, 0, 0.3)) @ ALONG_X, Pose(), 0.15, id="above a narrow face"),
    ],
)
def test_known_distances(other, X_rod, X_other, distance):
    found, turned = abut.distance(ROD, other, X_rod, X_other), abut.distance(other, ROD, X_other, X_rod)
    assert found.distance == pytest.approx(distance, abs=1e-14) and turned.distance == found.distance
    assert np.linalg.norm(found.point_b - found.point_a) == pytest.approx(distance, abs=1e-14)
    assert found.feature_a == turned.feature_b == SURFACE and found.feature_b == turned.feature_a
    assert not abut.intersect(ROD, other, X_rod, X_other)
    np.testing.assert_array_equal(found.point_a, turned.point_b)


@pytest.mark.parametrize(
    ("place", "feature"),
    [
        pytest.param(Pose((0.9, 0.1, 0.1)), "face", id="face"),
        pytest.param(Pose((0.8, 0.9, 0.1)), "edge", id="edge"),
        pytest.param(Pose((0.8, 0.9, 1.3)), "vertex", id="vertex"),
    ],
)
def test_features_of_a_part_are_named_and_a_capsule_has_one_surface(place, feature):
    found = abut.distance(BOX, ROD, None, place)
    assert (found.feature_a.kind, found.feature_b) == (feature, SURFACE)


@pytest.mark.parametrize(
    ("other", "X_rod", "depth"),
    [
        pytest.param(HalfSpace(), Pose((0, 0, 0.37)), 0.03, id="standing in a floor"),
        pytest.param(HalfSpace(), Pose((0, 0, -1.0)) @ ALONG_X, 1.1, id="buried in a floor"),
        pytest.param(Sphere(0.2), Pose((0.25, 0, 0)), 0.05, id="a ball"),
        pytest.param(ROD, Pose((0.15, 0, 0.1)), 0.05, id="side by side"),
        pytest.param(ROD, ALONG_X, 0.2, id="through each other"),
        pytest.param(BOX, Pose((0.55, 0, 0)), 0.05, id="in a face, its axis outside"),
        pytest.param(BOX, Pose((0.45, 0, 0)), 0.15, id="in a face, its axis inside"),
        pytest.param(BOX, Pose((0, 0, 0.6)), 0.3, id="head first, its axis through the face"),
        pytest.param(BOX, Pose((0.1, 0, 0)), 0.5, id="all inside"),
    ],
)
def test_known_depths(other, X_rod, depth):
    for found in (abut.intersect(ROD, other, X_rod), abut.intersect(other, ROD, None, X_rod)):
        assert found and found.depth == pytest.approx(depth, rel=2e-6)
        assert found.depth <= depth + 1e-15 and depth <= found.depth_upper * (1.0 + 1e-12)
    assert abut.distance(ROD, other, X_rod).distance == 0.0


def test_a_capsule_in_a_part_and_a_part_in_a_capsule():
    assert abut.intersect(BOX, ROD).contained == "b" and abut.intersect(ROD, BOX).contained == "a"
    assert abut.intersect(Solid.box(0.05), ROD)
    assert abut.intersect(BOX, ROD, None, Pose((0.3, 0, 0.15))).contained == ""


def test_a_capsule_holds_the_points_near_its_axis(random_pose, rng):
    X = random_pose()
    points = rng.uniform(-0.5, 0.5, (2000, 3))
    inside = (
        np.linalg.norm(points - np.column_stack((0 * points[:, :2], np.clip(points[:, 2], -0.3, 0.3))), axis=1) <= 0.1
    )
    np.testing.assert_array_equal(abut.contains(ROD, points), inside)
    assert (abut.contains(ROD, X.apply(points), X) == inside).mean() > 0.999


# Laws and oracles ---------------------------------------------------------------------------------------------------


def test_two_capsules_against_samples_of_their_axes(random_pose, rng):
    for _ in range(200):
        a, b = Capsule(*rng.uniform(0.05, 0.4, 2)), Capsule(*rng.uniform(0.05, 0.4, 2))
        X_a, X_b = random_pose(0.8), random_pose(0.8)
        brute, gap = sampled_gap(a, b, X_a, X_b), abut.distance(a, b, X_a, X_b).distance
        assert gap == pytest.approx(max(brute, 0.0), abs=1e-4) and gap <= max(brute, 0.0) + 1e-14
        assert bool(abut.intersect(a, b, X_a, X_b)) == (gap == 0.0)


@pytest.mark.parametrize("part", [BOX, Solid.torus(0.5, 0.15, segments=24, sides=10), Solid.cone(0.4, 0.9)])
def test_polyhedra_in_a_capsule_and_around_it_bracket_its_distance(part, random_pose, rng):
    apart, sizes = 0, [Capsule(*rng.uniform(0.05, 0.4, 2)) for _ in range(4)]
    brackets = [(capsule, circumscribed(capsule), inscribed(capsule)) for capsule in sizes]
    for k in range(60):
        (capsule, *around), X = brackets[k % 4], random_pose(1.2)
        outer, inner = (abut.distance(part, shape, None, X).distance for shape in around)
        found = abut.distance(part, capsule, None, X)
        assert outer - 1e-12 <= found.distance <= inner + 1e-12
        apart += found.distance > 0.0
        assert bool(abut.intersect(part, capsule, None, X)) == (found.distance == 0.0)
        if found.distance > 0.0:
            reach = capsule.nearest_of_core(X.inverse().apply(found.point_b[None]))
            assert np.linalg.norm(X.apply(reach)[0] - found.point_b) == pytest.approx(capsule.radius, rel=1e-12)
            assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-12)
    assert 10 < apart < 60


def test_triangles_that_a_capsule_meets_are_those_near_its_axis(random_pose):
    part = Solid.sphere(0.5)
    for _ in range(20):
        X = random_pose(0.6)
        listed = set(abut.intersect(part, ROD, None, X, every=True).pairs[:, 0].tolist())
        for i in range(0, len(part.triangles), 37):
            alone = Solid(part.vertices[part.triangles[i]], [(0, 1, 2)])
            assert (abut.distance(alone, ROD, None, X).distance == 0.0) == (i in listed)


def test_moving_everything_rigidly_changes_nothing(random_pose):
    for _ in range(20):
        X, X_a, X_b = random_pose(), random_pose(), random_pose()
        for other in (BOX, ROD, Sphere(0.2), HalfSpace((0.6, 0.0, 0.8), -0.5)):
            here, there = abut.distance(ROD, other, X_a, X_b), abut.distance(ROD, other, X @ X_a, X @ X_b)
            assert here.distance == pytest.approx(there.distance, abs=1e-13)


# Motion -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "time"),
    [
        pytest.param(HalfSpace(), 1.6 / 2.0, id="a floor"),
        pytest.param(Sphere(0.2), 1.4 / 2.0, id="a ball"),
        pytest.param(Capsule(0.2, 0.5), 1.15 / 2.0, id="a capsule in line"),
        pytest.param(Solid.box((1.0, 1.0, 0.4)), 1.4 / 2.0, id="a face"),
        pytest.param(Solid.box(0.1), 1.55 / 2.0, id="a small part"),
    ],
)
def test_a_capsule_that_falls_upright_touches_in_time(other, time):
    impact = abut.time_of_impact(ROD, other, (Pose((0, 0, 2.0)), Pose()))
    assert impact.time <= time and impact.time == pytest.approx(time, abs=1e-6)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-5)
    assert impact.feature_a == SURFACE and not impact.overlapping
    turned = abut.time_of_impact(other, ROD, None, (Pose((0, 0, 2.0)), Pose()))
    assert turned.time == pytest.approx(impact.time, abs=1e-9) and turned.feature_b == SURFACE


def test_a_capsule_that_turns_hits_a_ball_with_its_cap():
    """The ball stands just within the circle of the cap's tip: cos(angle) from the law of cosines."""
    ball, far = Sphere(0.05), 0.42
    impact = abut.time_of_impact(ROD, ball, Motion(Pose(), rotvec=(0.0, np.pi, 0.0)), Pose((far, 0, 0)))
    # Centre of the cap on a circle of radius 0.3, the ball's at 0.42: they touch at a distance of 0.15.
    angle = np.arccos((0.3**2 + far**2 - 0.15**2) / (2 * 0.3 * far))
    assert impact.time == pytest.approx((0.5 * np.pi - angle) / np.pi, abs=1e-6)


@pytest.mark.needs_jit
@pytest.mark.parametrize("other", [BOX, ROD, Sphere(0.3), Solid.torus(0.4, 0.1, segments=16, sides=8)])
def test_first_touches_on_random_motions_against_samples(other, random_pose, rng):
    """Never late: no sample before it overlaps; hardly early: the distance there is within the tolerance."""
    pair, touches = ImpactPair(ROD, other), 0
    for _ in range(20):
        start = random_pose(0.2) @ Pose(1.5 * rng.normal(size=3))
        motion = Motion(start, -2.0 * start.position + rng.normal(size=3) * 0.2, rng.normal(size=3) * 2.0)
        if abut.intersect(ROD, other, start):
            continue
        impact = pair.time_of_impact(motion, Pose())
        times = np.linspace(0.0, 1.0, 101)
        gaps = np.array([abut.distance(ROD, other, motion.at(t)).distance for t in times])
        if impact is None:
            assert gaps.min() > 0.0
            continue
        touches += 1
        assert (gaps[times < impact.time] > 0.0).all()
        assert abut.distance(ROD, other, motion.at(impact.time)).distance <= 2e-8
        assert all(a == SURFACE for a, _ in impact.features)
    assert touches > 5


def test_a_path_past_others_is_free_or_not():
    others = [(ROD, Pose((0.5, 0, 0))), (BOX, Pose((0, 0, -2.0))), HalfSpace(offset=-5.0)]
    path = [Pose((0, 0, 2)), Pose((0, 0, -1.0))]
    free = abut.swept_free(ROD, path, others)
    assert free and free.clearance[-1] == pytest.approx([0.3 + np.hypot(0.5, 0.4) - 0.5, 0.1, 3.6])
    touch = abut.swept_free(ROD, path, others, gap=0.31).touch
    assert touch.other == 0 and not touch.impact.overlapping


# Bad input and compile guard ----------------------------------------------------------------------------------------


def test_an_open_surface_is_met_and_has_no_inside():
    sheet = Solid([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    assert abut.intersect(sheet, ROD) and abut.distance(sheet, ROD, None, Pose((0, 0, 0.5))).distance == pytest.approx(
        0.1
    )
    assert not abut.intersect(sheet, ROD, None, Pose((0, 0, -0.5)))


@pytest.mark.needs_jit
def test_one_specialisation_is_compiled(compiled_signatures):
    for shape in (ROD, Sphere(0.1)):
        assert abut.intersect(BOX, shape, None, Pose((0.5, 0, 0)))
    assert len(compiled_signatures(triangles_within)) == 1
