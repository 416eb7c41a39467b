"""Paths: known touches, what the table says, and input that cannot be used."""

import numpy as np
import pytest

import abut
from abut import HalfSpace, Pose, Solid, Sphere
from geometry.shapes import cube

DIE = Solid(*cube((-0.5, -0.5, -0.5)))
WALL = Solid(*cube((2.0, -5, -5), (1.0, 10, 10)))
PATH = [Pose((0, 0, 0)), Pose((1, 0, 0)), Pose((2, 0, 0)), Pose((2, 3, 0))]


def test_the_first_touch_is_named_with_its_segment_time_and_part():
    found = abut.swept_free(DIE, PATH, [(DIE, Pose((0, 0, 5))), WALL], times=[0, 10, 20, 30])
    assert not found and not found.free
    assert (found.touch.segment, found.touch.other) == (1, 1)
    assert found.touch.time == pytest.approx(15.0, abs=1e-6) and found.touch.time <= 15.0
    np.testing.assert_allclose(found.touch.pose.position, (1.5, 0, 0), atol=1e-6)
    np.testing.assert_allclose(found.touch.impact.normal, (1, 0, 0), atol=1e-6)


def test_a_free_path_has_a_clearance_at_every_time():
    found = abut.swept_free(DIE, PATH[:2], [WALL, Sphere(0.5), HalfSpace((0, 0, 1), -1.0)][::2], samples=4)
    assert found and found.touch is None
    np.testing.assert_allclose(found.times, (0, 0.25, 0.5, 0.75, 1))
    np.testing.assert_allclose(found.clearance[:, 0], (1.5, 1.25, 1.0, 0.75, 0.5), atol=1e-12)
    np.testing.assert_allclose(found.clearance[:, 1], 0.5, atol=1e-12)


def test_a_thin_wall_between_two_poses_is_not_passed():
    sheet = Solid(*cube((0.9, -5, -5), (1e-6, 10, 10)))
    assert abut.swept_free(DIE, [Pose(), Pose((5, 0, 0))], sheet).touch.time == pytest.approx(0.4 / 5, abs=1e-6)


def test_a_gap_shortens_the_way():
    assert abut.swept_free(DIE, PATH[:2], WALL, gap=0.4)
    assert abut.swept_free(DIE, PATH[:2], WALL, gap=0.75).touch.time == pytest.approx(0.75, abs=1e-3)


def test_a_path_that_starts_in_a_part_says_so():
    touch = abut.swept_free(DIE, [Pose((2, 0, 0)), Pose()], WALL).touch
    assert (touch.segment, touch.time, touch.impact.overlapping) == (0, 0.0, True)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((DIE, PATH[:1], WALL), {}, "path: expected at least two poses, got 1"),
        ((DIE, [Pose(), "here"], WALL), {}, r"path\[1\]: expected a Pose or a 4x4 matrix, got str"),
        ((DIE, 5, WALL), {}, "path: expected a sequence of poses, got int"),
        ((DIE, PATH, 5), {}, "others: expected a sequence of parts, got int"),
        ((DIE, PATH, []), {}, "others: expected at least one part, got none"),
        ((DIE, PATH, [3]), {}, r"others\[0\]: expected a Solid, Sphere, Capsule or HalfSpace, got int"),
        ((DIE, PATH, WALL), {"times": [0, 1, 1, 2]}, "times: expected increasing numbers, got 1 and then 1"),
        ((DIE, PATH, WALL), {"times": [0, 1]}, r"times: expected \(4,\), got \(2,\)"),
        ((DIE, PATH, WALL), {"samples": 0}, "samples: expected at least 1, got 0"),
    ],
)
def test_bad_input_is_named(arguments, options, message):
    with pytest.raises(abut.InputError, match=message):
        abut.swept_free(*arguments, **options)


LIFT = [Pose((0, 0, 1)), Pose((0, 0, 2)), Pose((3, 0, 2))]


def test_a_touch_at_the_start_may_open():
    base = (DIE, Pose())
    assert abut.swept_free(DIE, LIFT, [base]).touch.time == 0.0
    found = abut.swept_free(DIE, LIFT, [base], touching=True)
    assert found and found.clearance[:, 0].tolist() == [0.0, 1.0, pytest.approx(np.hypot(2, 1))]
    assert abut.swept_free(DIE, LIFT, [base], touching=True, gap=0.5)
    assert abut.swept_free(Sphere(0.5), LIFT, [base, HalfSpace((0, 0, 1), 0.5)], touching=True)


@pytest.mark.parametrize(
    ("path", "gap"),
    [
        pytest.param([Pose((0, 0, 1)), Pose((0.3, 0, 1)), Pose((0.3, 0, 2))], 0.0, id="slides first"),
        pytest.param([Pose((0, 0, 1)), Pose((0, 0, 0.5))], 0.0, id="goes in"),
        pytest.param([Pose((0, 0, 1)), Pose((0, 0, 1.01)), Pose((0, 0, 1.005))], 0.1, id="turns back in the gap"),
        pytest.param([Pose((0, 0, 1)), Pose.from_rotvec((0, 0, 1.2), (0.9, 0, 0))], 0.0, id="an edge turns into it"),
        pytest.param([Pose((0, 0, 0.9)), Pose((0, 0, 3))], 0.0, id="overlaps"),
    ],
)
def test_a_touch_that_does_not_open_is_one(path, gap):
    touch = abut.swept_free(DIE, path, [(DIE, Pose())], touching=True, gap=gap).touch
    assert touch is not None and touch.time == pytest.approx(0.0 if len(path) == 2 or gap == 0.0 else 1.0)


def test_what_is_touched_after_the_start_has_opened_is_found():
    roof = (DIE, Pose((0, 0, 3)))
    touch = abut.swept_free(DIE, [Pose((0, 0, 1)), Pose((0, 0, 2.5))], [(DIE, Pose()), roof], touching=True).touch
    assert touch.other == 1 and touch.time == pytest.approx(2 / 3, abs=1e-6)
    back = [Pose((0, 0, 1)), Pose((0, 0, 2)), Pose((0, 0, 1))]
    touch = abut.swept_free(DIE, back, [(DIE, Pose())], touching=True).touch
    assert touch.segment == 1 and touch.time == pytest.approx(2.0, abs=1e-6)
