"""Paths of one part seen from another: how far they are from chords and parabolas, and lower bounds along them."""

import numpy as np
import pytest

from abut import Motion, Pose
from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from abut.math.pose_kernels import named_motion
from abut.query.motion.motion_pair import as_tuples
from abut.query.motion.path_memory_kernels import (
    LARGEST_BOW,
    REST,
    WIDTH_WITH_BOW,
    departure,
    departure_of_bow,
    remember_path_with_bow,
)
from abut.query.motion.relative_motion_kernels import curved_paths, relative_motion
from abut.query.motion.separation_kernels import separation_from_segment, separation_from_triangle
from query.test_impact_rigid import tuples

TIMES = np.linspace(0.0, 1.0, 41)


def random_motions(rng, turn):
    """Two motions that turn by about `turn` [rad]."""
    return [
        Motion(
            Pose(rng.normal(size=3), quat_wxyz=rng.normal(size=4)), 0.3 * rng.normal(size=3), turn * rng.normal(size=3)
        )
        for _ in range(2)
    ]


def named(motion):
    """A motion as kernels hand it on."""
    return named_motion(as_tuples(motion))


def seen(moving, other, points):
    """(n_time, n, 3) points of a part in the frame of another."""
    return np.array([(other.at(t).inverse() @ moving.at(t)).apply(points) for t in TIMES])


def image(X, points):
    return points @ np.reshape(X.R, (3, 3)).T + np.array(X.p)


def parabolas(path, points):
    """(n_time, n, 3) the same on the parabolas of a path."""
    y0, y1, bow = (image(X, points) for X in path)
    t = TIMES[:, None, None]
    return (1 - t) * y0 + t * y1 + 4 * t * (1 - t) * bow


@pytest.mark.parametrize("turn", [1.0, 0.2, 0.03])
def test_paths_stay_near_their_parabolas_and_pieces_of_them_too(rng, turn):
    worst = []
    for _ in range(60):
        moving, other = random_motions(rng, turn)
        points = rng.normal(size=(5, 3))
        path, (sway, sway_per_arm, bulge, bulge_per_arm) = curved_paths(named(moving), named(other))[0]
        arm = np.linalg.norm(points, axis=1)
        true = seen(moving, other, points)
        off = np.linalg.norm(true - parabolas(path, points), axis=2)
        assert (off <= sway + sway_per_arm * arm + 1e-13).all()
        first, last, h = 10, 20, 10 / 40
        s = np.linspace(0, 1, 11)[:, None, None]
        piece = (1 - s) * true[first] + s * true[last] + 4 * s * (1 - s) * h**2 * image(path.bow, points)
        off_piece = np.linalg.norm(true[first : last + 1] - piece, axis=2)
        assert (off_piece <= h**2 * (bulge + bulge_per_arm * arm) + 1e-13).all()
        worst.append((off / (sway + sway_per_arm * arm)).max())
    assert max(worst) > 0.2


def test_a_parabola_is_much_nearer_than_a_chord(rng):
    moving, other = random_motions(rng, 0.03)
    bend, bend_per_arm = relative_motion(as_tuples(moving), as_tuples(other))[2][2:]
    sway, sway_per_arm = curved_paths(named(moving), named(other))[0][1][:2]
    assert sway < 0.02 * bend and sway_per_arm < 0.02 * bend_per_arm


@pytest.mark.parametrize("turn", [1.0, 0.2])
def test_a_remembered_path_says_how_far_another_departs_from_it(rng, turn):
    memory, shares = np.full((1, WIDTH_WITH_BOW), -1.0), []
    for _ in range(60):
        moving, other = random_motions(rng, turn)
        again = Motion(moving.start, moving.displacement + 0.01 * rng.normal(size=3), moving.rotvec * 1.02)
        old, new = (curved_paths(named(m), named(other))[0][0] for m in (moving, again))
        centre, radius = rng.normal(size=3), rng.uniform(0.1, 1.0)
        ways = rng.normal(size=(20, 3))
        points = centre + radius * ways / np.linalg.norm(ways, axis=1)[:, None]
        remember_path_with_bow(old, 0.5, 1.0, 0, memory)
        assert (memory[0, REST], memory[0, LARGEST_BOW]) == (1.0, 0.5)
        bound = departure(memory, 0, tuples(centre), radius, new)
        bound += departure_of_bow(memory, 0, tuples(centre), radius, new.bow)
        moved = np.linalg.norm(parabolas(old, points) - parabolas(new, points), axis=2).max()
        assert moved <= bound + 1e-13
        shares.append(moved / bound)
    assert np.median(shares) > 0.4


@pytest.mark.parametrize("kind", ["vertex", "edge"])
def test_no_sample_of_a_parabola_is_nearer_than_its_bound(rng, kind):
    """Also where the bow is large; and most bounds say something."""
    said = 0
    for _ in range(400):
        n = 1 if kind == "vertex" else 2
        y0, y1 = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
        y1, bow = y0 + 0.5 * (y1 - y0), 0.3 * rng.normal(size=(n, 3))
        t = TIMES[:, None, None]
        paths = (1 - t) * y0 + t * y1 + 4 * t * (1 - t) * bow
        if kind == "vertex":
            f = tuples(rng.normal((1, 0, 0), 1.0, (3, 3)))
            bound = separation_from_triangle(tuples(y0[0]), tuples(y1[0]), tuples(bow[0]), f, 1e9)
            apart = [np.linalg.norm(y[0] - closest_point_triangle(tuples(y[0]), *f)[0]) for y in paths]
        else:
            f = tuples(rng.normal((1, 0, 0), 1.0, (2, 3)))
            bound, n = separation_from_segment(tuples(y0), tuples(y1), tuples(bow), f, 1e9)
            assert np.isclose(np.linalg.norm(n), 1.0) or bound <= 0.0
            closest = [closest_segment_segment(*tuples(y), *f) for y in paths]
            apart = [np.linalg.norm(np.subtract(p, q)) for p, q, _, _ in closest]
        assert bound <= min(apart) + 1e-12
        said += bound > 0.5 * min(apart)
    assert said > 100


def test_edges_that_slide_past_each_other_while_they_turn_are_seen_to_stay_apart():
    """The far end of the moving edge dips below the other one, but not above it."""
    e0, bow = ((-1.7, 0.0, 0.012), (0.3, 0.0, 0.012)), (0.0, 0.0, 0.0)
    e1 = ((-1.95, 0.0, -0.08), (0.05, 0.0, 0.012))
    f = ((0.0, -1.0, 0.0), (0.0, 0.1, 0.0))
    assert 0.005 < separation_from_segment(e0, e1, (bow, bow), f, 0.0)[0] <= 0.012
