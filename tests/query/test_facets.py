"""Nothing passes a ridge for being low: motions over reliefs of 1e-12 to 1e-5 of a part's size, by brute force."""

import numpy as np
import pytest

from abut import Motion, Pose, Solid, time_of_impact
from abut.query.motion.exposed import _planes, exposed_features
from abut.query.motion.motion_pair import MotionPair
from abut.query.motion.separation_kernels import separation_from_segment
from geometry.reliefs import hilly_plate, pyramid_plate
from query.brute import surface_distance

RELATIVE_HEIGHTS = [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5]


@pytest.mark.parametrize("height", RELATIVE_HEIGHTS)
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_a_small_box_meets_the_tip_of_a_low_pyramid(height, size):
    """It is wider than the pyramid: no corner of it comes near, and its lower side meets the tip alone."""
    plate, box = pyramid_plate(size, 1e-3 * size, height * size), Solid.box(3e-3 * size)
    fall = Motion(Pose((0.0, 0.0, 2e-3 * size)), (0.0, 0.0, -1e-3 * size))
    gap, tolerance = 0.1 * height * size, 0.01 * height * size
    touch = time_of_impact(box, plate, fall, gap=gap, tolerance=tolerance)
    left = 0.5e-3 * size - height * size - 1e-3 * size * touch.time
    assert gap - 1e-15 * size <= left <= gap + tolerance + 1e-15 * size


@pytest.mark.parametrize("height", [1e-11, 1e-9, 1e-7, 5e-7])
def test_a_bar_meets_the_ridge_between_two_facets(height):
    """Its edge crosses the ridge; the ends of it are far beyond the plate."""
    w = 0.5
    ends = [(-w, 0.0, height), (w, 0.0, height), (-w, w, 0), (w, w, 0), (-w, -w, 0), (w, -w, 0)]
    feet = [(x, y, -0.1) for x, y, _ in ends[2:]]
    faces = [[0, 1, 3, 2], [1, 0, 4, 5], [2, 3, 7, 6], [5, 4, 8, 9], [3, 1, 5, 9, 7], [0, 2, 6, 8, 4], [6, 7, 9, 8]]
    roof = Solid(np.array(ends + feet), faces)
    assert roof.closed and len(roof.faces) == 6
    bar = Solid.box((0.01, 0.01, 4.0)).transformed(Pose.from_rotvec((0, 0, 0), (0.0, 0.0, np.pi / 4)))
    turn = Pose.from_rotvec((0.0, 0.0, 0.1), (np.pi / 2, 0.0, 0.0))
    hits = MotionPair(bar, roof).check(Motion(turn, (0.0, 0.0, -0.2)), Motion(Pose()), 0.1 * height, 1e-3 * height)
    touch = 0.1 - 0.01 / np.sqrt(2.0) - 1.1 * height
    assert hits.time[0] * 0.2 == pytest.approx(touch, abs=2e-3 * height + 1e-15)


def random_plate(rng, height):
    if rng.random() < 0.5:
        return hilly_plate(1.0, height * rng.uniform(-1.0, 1.0, (6, 6)))
    return pyramid_plate(1.0, rng.uniform(0.005, 0.5), rng.choice([-1.0, 1.0]) * height)


@pytest.mark.parametrize("height", RELATIVE_HEIGHTS)
def test_checks_agree_with_brute_force_above_low_reliefs(height, rng):
    """Where a check says that the gap is reached it is, and not before."""
    for _ in range(6):
        plate = random_plate(rng, height)
        part = Solid.box(rng.uniform(0.01, 0.3, 3)) if rng.random() < 0.7 else random_plate(rng, height)
        flip = Pose.from_rotvec((0, 0, 0), (np.pi, 0.0, 0.0))
        tilt = Pose.from_rotvec(
            (*rng.uniform(-0.2, 0.2, 2), 0.5), height * rng.choice([0.0, 1.0, 10.0]) * rng.normal(size=3)
        )
        motion = Motion(tilt @ flip, (*height * rng.normal(size=2), -0.6), height * rng.normal(size=3))
        gap, tolerance = 0.3 * height, 0.03 * height
        hits = MotionPair(part, plate).check(motion, Motion(Pose()), gap, tolerance)
        at = hits.time[0]
        assert gap - 3e-15 <= surface_distance(part, plate, motion.at(at), Pose()) <= gap + tolerance + 3e-15
        before = [
            surface_distance(part, plate, motion.at(at - step), Pose()) for step in height * np.array([0.1, 1.0, 10.0])
        ]
        assert min(before) >= gap


def test_parts_slide_along_the_facets_of_a_fine_cylinder(rng):
    """A plate of a few facets' width that sinks to the cylinder meets a line of it, not a chord of many facets."""
    cylinder = Solid.cylinder(0.5, 0.2, segments=5000)
    part = Solid.box((4e-3, 4e-3, 1e-3))
    lying = Pose.from_rotvec((0.0, 0.0, 0.0), (np.pi / 2, 0.0, 0.0))
    for _ in range(16):
        start = Pose.from_rotvec((*rng.uniform(-2e-3, 2e-3, 2), 0.502), (0.0, rng.uniform(-2e-3, 2e-3), 0.0))
        fall = Motion(start, (0.0, 0.0, -3e-3))
        at = MotionPair(part, cylinder).check(fall, Motion(lying), 1e-8, 1e-10).time[0]
        found = surface_distance(part, cylinder, fall.at(at), lying)
        assert 1e-8 - 1e-15 <= found <= 1.01e-8 + 1e-15


def test_planes_of_slivers_do_not_show_more_than_there_is(rng):
    """The normal of a sliver is rounded; a plane that its corners are not in separates nothing."""
    for width in 10.0 ** np.arange(-15.0, -3.0):
        a, u, v = rng.normal(size=(3, 3))
        corner = np.concatenate((a, a + u, a + 0.3 * u + width * v))[None]
        n, offset = _planes(corner)[0, :3], _planes(corner)[0, 3]
        assert np.abs(corner.reshape(3, 3) @ n - offset).max() <= 1e-14 * np.abs(corner).max()


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_nearly_parallel_edges_are_not_found_farther_apart_than_they_are(length, rng):
    for angle in 10.0 ** rng.uniform(-16.0, -2.0, 400):
        u = rng.normal(size=3) / 1.7
        u /= np.linalg.norm(u)
        side = np.cross(u, rng.normal(size=3))
        side /= np.linalg.norm(side)
        apart, (s, t, p, q) = 10.0 ** rng.uniform(-9.0, -3.0), rng.uniform(0.01, 1.0, 4)
        w, centre = np.cos(angle) * u + np.sin(angle) * side, rng.normal(size=3)
        away = centre + apart * np.cross(u, side)
        e, f = (centre - s * u, centre + t * u), (away - p * length * w, away + q * length * w)
        e, f = (tuple(tuple(x.tolist()) for x in ends) for ends in (e, f))
        still = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        found, _ = separation_from_segment(e, e, still, f, np.inf)
        assert found <= apart + 2e-15 * (3.0 + length)


def test_exposed_features_do_not_depend_on_the_tolerance_of_faces(rng):
    heights = 1e-7 * rng.uniform(-1.0, 1.0, (8, 8))
    plate = hilly_plate(1.0, heights)
    exact = Solid(plate.vertices, plate.triangles, tolerance=0.0)
    coarse = Solid(plate.vertices, plate.triangles, tolerance=1e-3)
    features = [exposed_features(solid) for solid in (plate, exact, coarse)]
    for other in features[1:]:
        np.testing.assert_array_equal(other.segment_id, features[0].segment_id)
        np.testing.assert_array_equal(other.point_id, features[0].point_id)
