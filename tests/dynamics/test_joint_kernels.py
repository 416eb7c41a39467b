"""Rows of joints: known answers, derivatives against differences, turns, references of laws, energy of springs."""

import numpy as np
import pytest

import abut
from abut.dynamics.joints import joint_kernels as kernels
from abut.dynamics.joints.joint_kernels import (
    ALIGNED,
    APART,
    AT_LEAST,
    AT_MOST,
    AXIAL,
    EQUAL,
    POSITION,
    SCREWED,
    SPRING,
    TURNED,
    VELOCITY,
    joint_references,
    joint_row,
)
from abut.math.frame_tables import Frame

KINDS = {"axial": AXIAL, "aligned": ALIGNED, "apart": APART, "turned": TURNED, "screwed": SCREWED}
X, Y, Z = np.eye(3)
ORIGIN = np.zeros(3)


def place_of(*, p_a=ORIGIN, p_b=ORIGIN, axis=Z, a=X, b=X, factor=1.0):
    return np.concatenate((p_a, p_b, axis, a, b, [factor]))[None]


def random_place(rng):
    """Vectors of any direction, the side of A perpendicular to the axis."""
    axis, a = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    p_a, p_b, b = rng.normal(size=(3, 3))
    return place_of(p_a=p_a, p_b=p_b, axis=axis, a=a, b=b, factor=rng.uniform(0.1, 2.0))


def row_at(kind, place, pose_a, pose_b, last=0.0):
    row = np.empty(12)
    return joint_row(kind, place, 0, Frame(*pose_a.frame), Frame(*pose_b.frame), last, row), row


def moved(pose, twist, t):
    """The pose after a motion of constant twist [v w]."""
    turn = abut.Pose.from_rotvec(ORIGIN, t * twist[3:])
    return abut.Pose(pose.position + t * twist[:3]) @ turn @ abut.Pose(ORIGIN, quat_wxyz=pose.quat_wxyz)


def standing(*poses):
    """Motions of bodies at rest."""
    table = np.zeros((len(poses), 18))
    for row, pose in zip(table, poses, strict=True):
        row[:9], row[9:12] = pose.rotation.ravel(), pose.position
    return table


@pytest.mark.parametrize(
    ("kind", "place", "pose_b", "q"),
    [
        pytest.param(AXIAL, place_of(p_a=Z), abut.Pose((1, 2, 4)), 3.0, id="height of one point over another"),
        pytest.param(
            ALIGNED, place_of(a=X, b=Y, factor=2.0), abut.Pose.from_rotvec(ORIGIN, (0, 0, -0.5 * np.pi)), 2.0,
            id="directions that coincide",
        ),
        pytest.param(APART, place_of(p_b=(0, 0, 1.0)), abut.Pose((3, 0, 3)), 5.0, id="three four five"),
        pytest.param(TURNED, place_of(factor=0.5), abut.Pose.from_rotvec((9, 9, 9), (0, 0, 0.6)), 0.3, id="turned"),
        pytest.param(
            SCREWED, place_of(factor=0.2), abut.Pose.from_rotvec((0, 0, 0.5), (0, 0, 1.0)), 0.3, id="half screwed in"
        ),
    ],
)  # fmt: skip
def test_known_coordinates(kind, place, pose_b, q):
    assert row_at(kind, place, abut.Pose(), pose_b)[0] == pytest.approx(q, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_row_is_the_derivative_by_the_twists(kind, rng, random_pose):
    for _ in range(20):
        place, poses = random_place(rng), (random_pose(), random_pose())
        twist, h = rng.normal(size=12), 1e-5
        last = row_at(TURNED, place, *poses)[0] / place[0, 15]
        ends = [
            row_at(kind, place, moved(poses[0], twist[:6], t), moved(poses[1], twist[6:], t), last)[0] for t in (-h, h)
        ]
        assert row_at(kind, place, *poses, last)[1] @ twist == pytest.approx(
            (ends[1] - ends[0]) / (2 * h), rel=1e-6, abs=2e-8
        )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_moving_both_bodies_together_changes_nothing(kind, rng, random_pose):
    for _ in range(10):
        place, a, b, common = random_place(rng), random_pose(), random_pose(), random_pose()
        before, after = row_at(kind, place, a, b)[0], row_at(kind, place, common @ a, common @ b)[0]
        assert after == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_forces_on_the_two_bodies_balance(kind, rng, random_pose):
    """Action and reaction: no net force and no net torque about the origin."""
    for _ in range(10):
        a, b = random_pose(), random_pose()
        row = row_at(kind, random_place(rng), a, b)[1]
        torque = row[3:6] + np.cross(a.position, row[:3]) + row[9:] + np.cross(b.position, row[6:9])
        np.testing.assert_allclose(row[:3] + row[6:9], 0.0, atol=1e-12)
        np.testing.assert_allclose(torque, 0.0, atol=1e-12)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_angles_go_on_over_many_turns(direction):
    """Ten turns in steps of just under half a turn: the angle never jumps."""
    place, name = place_of(), np.array([[TURNED, 0, 1, 0]], np.int32)
    step, last = direction * 3.1, np.zeros(1)
    for i in range(20):
        motion = standing(abut.Pose(), abut.Pose.from_rotvec(ORIGIN, (0, 0, i * step)))
        motion[1, 17] = step
        kernels.joint_advance(name, place, 1, motion, last)
        assert last[0] == pytest.approx((i + 1) * step, abs=1e-9)


def references(law, value, *, height, speed=0.0, dt=0.1):
    """Reference and compliance of a height."""
    name, place = np.array([[AXIAL, 0, 1, 0]], np.int32), place_of()
    twist = np.zeros((2, 6))
    twist[1, 2] = speed
    ref, compliance = np.empty(1), np.empty(1)
    rows, laws = (name, place, np.zeros(1)), (np.array([law], np.int32), np.array([(*value, -1.0, 0.9)], float))
    motion = standing(abut.Pose(), abut.Pose((0, 0, height)))
    joint_references(rows, laws, motion, twist, dt, ref, compliance)
    return ref[0], compliance[0]


@pytest.mark.parametrize(
    ("law", "value", "ref"),
    [
        pytest.param(EQUAL, (0.3, 0, 0), 0.3, id="held"),
        pytest.param(AT_LEAST, (0.2, 0, 0), 0.2, id="lower limit"),
        pytest.param(AT_MOST, (0.9, 0, 0), 0.9, id="upper limit"),
        pytest.param(VELOCITY, (3.0, 0, 0), 0.8, id="velocity"),
        pytest.param(POSITION, (0.8, np.inf, 0), 0.8, id="position at once"),
        pytest.param(VELOCITY, (30.0, 0, 0), 0.9, id="no farther than the limit of the coordinate"),
        pytest.param(POSITION, (-7.0, np.inf, 0), -1.0, id="nor the lower one"),
        pytest.param(POSITION, (7.0, 2.0, 0), 0.7, id="position at its largest speed"),
        pytest.param(POSITION, (-7.0, 2.0, 0), 0.3, id="and backwards"),
        pytest.param(POSITION, (0.9, np.inf, 0.4), 0.6, id="position with a response of four steps"),
    ],
)
def test_references_of_laws(law, value, ref):
    assert references(law, value, height=0.5) == pytest.approx((ref, 0.0))


def test_a_spring_at_rest_pushes_with_its_stretch():
    """Held where it is, its force is k times the stretch, whatever the step."""
    ref, compliance = references(SPRING, (200.0, 0.0, 0.3), height=0.5)
    assert -(0.5 - ref) / compliance == pytest.approx(-200.0 * 0.2)


def test_a_damper_opposes_the_speed_over_the_step():
    ref, compliance = references(SPRING, (0.0, 50.0, 0.0), height=0.5, dt=0.1)
    assert -(0.6 - ref) / compliance == pytest.approx(-50.0 * 1.0)


@pytest.mark.parametrize("dt", [1e-3, 0.05, 10.0])
def test_an_undamped_spring_swings_for_ever(dt):
    """Mass 1 kg on 100 N/m over 2000 steps, from resolved to hopelessly coarse: the swing keeps its size."""
    k, q, v, largest = 100.0, 0.1, 0.0, []
    for _ in range(2000):
        ref, compliance = references(SPRING, (k, 0.0, 0.0), height=q, speed=v, dt=dt)
        # q_end = q + dt (v + dt f) and q_end - ref + compliance f = 0.
        f = -(q + dt * v - ref) / (dt * dt + compliance)
        v += dt * f
        q += dt * v
        largest.append(abs(q))
    assert max(largest[1000:]) == pytest.approx(max(largest[:1000]), rel=2e-2)
    assert max(largest) < 0.1 * (1.0 + k * dt * dt)


def test_points_that_coincide_can_be_parted():
    """Two points at no distance have no direction between them; the row must still be finite."""
    q, row = row_at(APART, place_of(), abut.Pose(), abut.Pose())
    assert q == 0.0 and np.isfinite(row).all()
