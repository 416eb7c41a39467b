"""Boxes around bodies: known answers, then that nothing ever leaves its box, then bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.contact import BodyBounds
from abut.contact import boxes_kernels as kernels

QUARTER_TURN = (0.0, 0.0, np.pi / 2)
BRICK = abut.Solid(
    [(x, y, z) for x in (0.0, 4.0) for y in (0.0, 2.0) for z in (0.0, 1.0)],
    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
)
AT_ORIGIN = abut.Pose().row


@pytest.mark.parametrize(
    ("shape", "pose", "low", "high"),
    [
        pytest.param(BRICK, abut.Pose((1, 2, 3)), (1, 2, 3), (5, 4, 4), id="a brick that is only shifted"),
        pytest.param(BRICK, abut.Pose.from_rotvec((0, 0, 0), QUARTER_TURN), (-2, 0, 0), (0, 4, 1), id="a quarter turn"),
        pytest.param(
            abut.Sphere(2.0), abut.Pose((1, 0, 0), quat_wxyz=(1, 2, 3, 4)), (-1, -2, -2), (3, 2, 2), id="a turned ball"
        ),
        pytest.param(
            abut.HalfSpace((0, 0, 1), 0.5), abut.Pose((0, 0, 1)), (-np.inf,) * 3, (np.inf, np.inf, 1.5), id="a floor"
        ),
        pytest.param(abut.HalfSpace((0, -1, 0), 2.0), None, (-np.inf, -2, -np.inf), (np.inf,) * 3, id="a wall"),
        pytest.param(abut.HalfSpace((0, 1, 1), 0.5), None, (-np.inf,) * 3, (np.inf,) * 3, id="a slope"),
    ],
)
def test_known_boxes(shape, pose, low, high):
    found = BodyBounds.of([shape]).boxes_at((pose or abut.Pose()).row)
    np.testing.assert_allclose(found[0][0], low, atol=1e-13)
    np.testing.assert_allclose(found[1][0], high, atol=1e-13)


def test_a_straight_motion_gives_the_box_of_both_ends():
    low, high = BodyBounds.of([BRICK]).boxes_over(AT_ORIGIN, (10.0, -1.0, 0.0), (0.0, 0.0, 0.0), margin=0.25)
    np.testing.assert_allclose(low[0], (-0.25, -1.25, -0.25), atol=1e-13)
    np.testing.assert_allclose(high[0], (14.25, 2.25, 1.25), atol=1e-13)


def test_many_turns_stay_within_the_ball():
    low, high = BodyBounds.of([BRICK]).boxes_over(AT_ORIGIN, (0.0, 0.0, 0.0), (0.0, 0.0, 100.0))
    radius = np.sqrt(21.0)
    np.testing.assert_allclose(low[0], (-radius, -radius, 0.0), atol=1e-12)
    np.testing.assert_allclose(high[0], (radius, radius, 1.0), atol=1e-12)


def test_a_half_space_at_rest_keeps_its_plane_and_a_turning_one_has_none():
    floor = BodyBounds.of([abut.HalfSpace((0, 0, 1), 0.0)])
    assert floor.boxes_over(AT_ORIGIN, (1.0, 0.0, 0.5), (0.0, 0.0, 0.0))[1][0, 2] == pytest.approx(0.5, abs=1e-13)
    assert floor.boxes_over(AT_ORIGIN, (1.0, 0.0, 0.5), (0.0, 0.0, 3.0))[1][0, 2] == pytest.approx(0.5, abs=1e-13)
    assert floor.boxes_over(AT_ORIGIN, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0))[1][0, 2] == np.inf


coordinates = st.tuples(*[st.floats(-5.0, 5.0)] * 3)
scales = st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 1.0, 7.0, 50.0])


@given(start=coordinates, turned=coordinates, shift=coordinates, turn=coordinates, size=scales, angle=scales)
def test_nothing_leaves_its_box_during_a_motion(start, turned, shift, turn, size, angle):
    motion = abut.Motion(
        abut.Pose.from_rotvec(start, turned),
        size * np.array(shift),
        angle * np.array(turn) / max(np.linalg.norm(turn), 1),
    )
    low, high = BodyBounds.of([BRICK]).boxes_over(motion.start.row, motion.displacement, motion.rotvec)
    for t in np.linspace(0.0, 1.0, 23):
        points = motion.at(t).apply(BRICK.vertices)
        assert (points >= low[0]).all() and (points <= high[0]).all()


@pytest.mark.parametrize("angle", [1e-4, 1e-2, 0.1])
def test_the_box_of_a_small_turn_is_tight_to_second_order(rng, angle):
    bounds = BodyBounds.of([BRICK])
    for _ in range(20):
        axis = rng.normal(size=3)
        motion = abut.Motion(
            abut.Pose.from_rotvec((0, 0, 0), rng.normal(size=3)), (0, 0, 0), angle * axis / np.linalg.norm(axis)
        )
        low, high = bounds.boxes_over(motion.start.row, motion.displacement, motion.rotvec)
        ends = [bounds.boxes_at(motion.at(t).row) for t in (0.0, 1.0)]
        excess = bounds.radius[0] * angle**2 / 8 + 1e-12
        assert (np.minimum(ends[0][0], ends[1][0]) - low <= excess).all()
        assert (high - np.maximum(ends[0][1], ends[1][1]) <= excess).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BodyBounds.of(["brick"]), "shapes: expected a Solid, Sphere, Capsule or HalfSpace, got str"),
        (lambda: BodyBounds.of([BRICK]).boxes_at(np.zeros((2, 7))), "poses: there are 1 bodies, but 2 rows"),
        (lambda: BodyBounds.of([BRICK]).boxes_at(np.zeros((1, 7))), "poses: the quaternions"),
        (lambda: BodyBounds.of([BRICK]).boxes_at((np.nan, 0, 0, 1, 0, 0, 0)), "poses: row 0 is not finite"),
        (
            lambda: BodyBounds.of([BRICK]).boxes_at(AT_ORIGIN, margin=-1.0),
            "margin: expected a number not smaller than 0",
        ),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, message):
    with pytest.raises(abut.InputError, match=message):
        call()


def test_one_specialisation_is_compiled(compiled_signatures):
    bounds = BodyBounds.of([BRICK, abut.Sphere(1.0)])
    poses = np.array([AT_ORIGIN, AT_ORIGIN])
    for cast in (list, np.float32, np.asfortranarray, lambda v: np.array(v, dtype=int)):
        bounds.boxes_at(cast(poses), margin=1)
        bounds.boxes_over(cast(poses), np.zeros((2, 3)), cast(np.ones((2, 3))))
    assert len(compiled_signatures(kernels.boxes_at_poses)) == 1
    assert len(compiled_signatures(kernels.boxes_over_motions)) == 1
