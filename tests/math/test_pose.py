"""Poses and motions: known answers, group laws, agreement of kernels and API, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut import Motion, Pose
from abut.math import pose_kernels, quat_kernels
from abut.math.frame_tables import Frame
from abut.math.motion import as_motion
from abut.math.pose import as_pose, turned_rows

QUARTER = np.pi / 2
coordinate = st.floats(-10.0, 10.0)
vectors = st.tuples(coordinate, coordinate, coordinate)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 1e-3)
poses = st.builds(lambda p, q: Pose(p, quat_wxyz=q), vectors, quaternions)


def test_a_quarter_turn_about_z_takes_x_to_y():
    X = Pose.from_rotvec((0, 0, 1), (0, 0, QUARTER))
    np.testing.assert_allclose(X.apply((1, 0, 0)), (0, 1, 1), atol=1e-15)
    np.testing.assert_allclose(X.quat_wxyz, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), atol=1e-15)


def test_a_unit_quaternion_survives_to_the_last_bit(rng):
    for q in rng.normal(size=(100, 4)):
        X = Pose((0, 0, 0), quat_wxyz=q)
        assert (Pose((0, 0, 0), quat_wxyz=X.quat_wxyz).quat_wxyz == X.quat_wxyz).all()


def test_a_quaternion_with_its_scalar_last_is_the_same_rotation(rng):
    w, x, y, z = rng.normal(size=4)
    assert Pose.from_quat_xyzw((1, 2, 3), (x, y, z, w)) == Pose((1, 2, 3), quat_wxyz=(w, x, y, z))
    assert Pose.from_quat_xyzw((0, 0, 1), (0, 0, 0, 1)) == Pose((0, 0, 1))


def test_a_quaternion_without_its_name_is_refused():
    """(0, 0, 0, 1) was read as half a turn by who meant the identity, scalar last."""
    with pytest.raises(abut.InputError, match=r"given by name.*from_quat_xyzw"):
        Pose((0, 0, 1), (0, 0, 0, 1))
    with pytest.raises(abut.InputError, match=r"quat_xyzw: a quaternion of zero length.*identity is .0, 0, 0, 1."):
        Pose.from_quat_xyzw((0, 0, 1), (0, 0, 0, 0))


@pytest.mark.parametrize("array", ["position", "quat_wxyz", "rotation", "row"])
def test_what_a_pose_hands_out_cannot_be_written_to(array):
    X = Pose((1, 2, 3))
    handed = getattr(X, array)
    with pytest.raises(abut.InputError, match="a Pose cannot be changed; make a new one"):
        handed[0] = 5.0
    with pytest.raises(abut.InputError, match="a Pose cannot be changed; make a new one"):
        handed[1:][0] = 5.0
    with pytest.raises(abut.InputError, match=f"{array}: a Pose cannot be changed"):
        setattr(X, array, 5.0)
    assert Pose((1, 2, 3)) == X


def test_what_is_computed_from_a_pose_is_a_plain_array(random_pose):
    X = random_pose()
    for made in (X.position + 1.0, 2.0 * X.position, X.rotation @ X.position, np.concatenate((X.row, X.row)), -X.row):
        assert type(made) is np.ndarray and made.flags.writeable
    assert isinstance(X.position.sum(), float) and isinstance(X.position[0], float)
    assert repr(Pose().position) == "array([0., 0., 0.])"
    position = X.position
    position += (1.0, 0.0, 0.0)
    assert position[0] == X.position[0] + 1.0


def test_matrix_and_back(rng, random_pose):
    for _ in range(50):
        X = random_pose()
        np.testing.assert_allclose(Pose.from_matrix(X.matrix).matrix, X.matrix, atol=1e-14)


@given(poses, poses, poses)
def test_group_laws(X, Y, Z):
    np.testing.assert_allclose(((X @ Y) @ Z).matrix, (X @ (Y @ Z)).matrix, atol=1e-9)
    np.testing.assert_allclose((X @ X.inverse()).matrix, np.eye(4), atol=1e-12)
    np.testing.assert_allclose((X @ Y).matrix, X.matrix @ Y.matrix, atol=1e-11)


@given(poses, vectors)
def test_kernels_agree_with_the_api(X, v):
    kernel_X = Frame(*X.frame)
    np.testing.assert_allclose(pose_kernels.pose_apply(kernel_X, v), X.apply(v), atol=1e-12)
    back = pose_kernels.pose_apply_inverse(kernel_X, tuple(X.apply(v).tolist()))
    np.testing.assert_allclose(back, v, atol=1e-12)


@given(vectors)
def test_rotation_vectors_are_shortest(r):
    X = Pose.from_rotvec((0, 0, 0), r)
    assert np.linalg.norm(X.rotvec) <= np.pi + 1e-12
    np.testing.assert_allclose(Pose.from_rotvec((0, 0, 0), X.rotvec).rotation, X.rotation, atol=1e-12)
    np.testing.assert_allclose(
        quat_kernels.quat_to_mat(quat_kernels.quat_from_rotvec(r)), X.rotation.ravel(), atol=1e-14
    )


def test_a_motion_between_poses_ends_there(random_pose):
    X, Y = random_pose(), random_pose()
    np.testing.assert_allclose(Motion.between(X, Y).at(1.0).matrix, Y.matrix, atol=1e-12)
    assert Motion.between(X, Y).at(0.0) == X


def test_a_motion_of_many_turns_turns_many_times():
    motion = Motion(Pose(), rotvec=(0, 0, 6 * np.pi))
    np.testing.assert_allclose(motion.at(1 / 12).apply((1, 0, 0)), (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(motion.at(1.0).apply((1, 0, 0)), (1, 0, 0), atol=1e-12)


def test_the_motion_kernel_agrees_with_the_api(random_pose, rng):
    X, d, r = random_pose(), rng.normal(size=3), 3 * rng.normal(size=3)
    R, p = pose_kernels.motion_at(Frame(*X.frame), tuple(d), tuple(r), 0.3)
    at = Motion(X, d, r).at(0.3)
    np.testing.assert_allclose(np.reshape(R, (3, 3)), at.rotation, atol=1e-14)
    np.testing.assert_allclose(p, at.position, atol=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pose((0, 0, np.nan)), "position: row 2 is not finite"),
        (lambda: Pose((0, 0)), r"position: expected 3 numbers, got an array of shape \(2,\)"),
        (lambda: Pose((0, 0, 0), quat_wxyz=(0, 0, 0, 0)), "zero length"),
        (lambda: Pose.from_matrix(np.diag([1, 1, -1, 1])), "not a rotation"),
        (lambda: Pose.from_matrix(2 * np.eye(4)), "not a rotation"),
        (lambda: Pose.from_matrix(np.eye(3)), r"M: expected \(4, 4\), got \(3, 3\)"),
        (lambda: as_pose("X_a", "here"), "X_a: expected a Pose or a 4x4 matrix"),
        (lambda: as_motion("motion_a", (1, 2, 3)), "motion_a: expected"),
    ],
)
def test_bad_input_names_the_argument(make, message):
    with pytest.raises(abut.InputError, match=message):
        make()


@given(poses, vectors)
def test_rows_turn_vectors_to_the_bit_as_a_pose_does(X, vector):
    v = np.array(vector)
    np.testing.assert_array_equal(turned_rows(X.quat_wxyz[None], v)[0], X.turned(v))
    np.testing.assert_allclose(X.turned(v), X.apply(v) - X.position, atol=1e-13)
    np.testing.assert_array_equal(Pose.of_row(X.row).row, X.row)
    np.testing.assert_array_equal(X.moved(v).row, [*(X.position + v), *X.quat_wxyz])


def test_the_chord_of_a_turn_is_the_farthest_that_a_point_of_the_unit_sphere_goes(random_pose, rng):
    for _ in range(20):
        X, Y = random_pose(), random_pose()
        chord = pose_kernels.chord_of_turn(Frame(*X.frame), Frame(*Y.frame))
        turn = np.linalg.norm((X.inverse() @ Y).rotvec)
        assert chord == pytest.approx(2.0 * np.sin(0.5 * turn), abs=1e-12)
        v = rng.normal(size=(100, 3))
        v /= np.linalg.norm(v, axis=1)[:, None]
        assert (np.linalg.norm(v @ (X.rotation - Y.rotation).T, axis=1) <= chord + 1e-12).all()
