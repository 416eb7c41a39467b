"""For how long features stay apart: never longer than they do, and not for ever shorter times where faces turn."""

import numpy as np
import pytest

from abut import Pose, Solid, World
from abut.contact.contact_tables import Surfaces
from abut.dynamics.event.apart_kernels import features_apart
from abut.dynamics.event.search_tables import Shapes
from abut.math.quat_kernels import quat_from_rotvec, quat_mul
from abut.query.motion.feature_tables import Features
from abut.query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE

pytestmark = pytest.mark.needs_jit
GAP = 1e-4


def shapes_of(world):
    model = world._steppers[-1]._model
    return Shapes(Features(*model.table.arrays), Surfaces(*model.surfaces), model.shape_of, model.reach)


def two_boxes(poses):
    world = World(method="event", dt=1e-9, gravity=(0.0, 0.0, 0.0), contact_gap=1e-7)
    for i, pose in enumerate(poses):
        world.add_body(Solid.box((0.1, 0.2, 0.3)), f"box {i}", pose=pose)
    world.step()
    return world


def state_of(world, velocity, spin):
    """Rows of two bodies that move with constant velocities and spins, and bounds of these."""
    y = np.zeros((3, 13))
    y[:2, :7] = world._state.pose
    y[2, 3] = 1.0
    y[:2, 7:10], y[:2, 10:] = velocity, spin
    bounds = np.zeros((3, 3))
    bounds[:2, 2] = np.linalg.norm(spin, axis=1)
    return y, bounds


def later(y, t):
    moved = y.copy()
    for i in range(2):
        moved[i, :3] += t * y[i, 7:10]
        turned = quat_mul(quat_from_rotvec(tuple(t * y[i, 10:])), tuple(y[i, 3:7]))
        moved[i, 3:7] = turned
    return moved


def all_hits():
    for kind, first, second in ((VERTEX_FACE, 8, 12), (FACE_VERTEX, 12, 8), (EDGE_EDGE, 18, 18)):
        for i in range(first):
            yield from ((kind, i, j) for j in range(second))


@pytest.mark.parametrize(("near", "fast"), [(False, 1.0), (True, 1.0), (True, 50.0)])
def test_features_stay_apart_for_as_long_as_is_said(rng, near, fast):
    """Also where they are within a few gaps, so that directions are tried that turn with the bodies."""
    looked = 0
    for _ in range(10):
        apart = 0.1 + (2.0 * GAP if near else 0.05)
        turn = 1e-4 * rng.normal(size=3) if near else rng.normal(size=3)
        other = Pose.from_rotvec((apart if near else 0.35, 0.02 * rng.normal(), 0.02 * rng.normal()), turn)
        world = two_boxes((Pose(), other))
        shapes, (y, bounds) = (
            shapes_of(world),
            state_of(world, 0.01 * rng.normal(size=(2, 3)), fast * rng.normal(size=(2, 3))),
        )
        for hit in all_hits():
            d, _, time = features_apart(hit, 0, 1, shapes, y, bounds, GAP)
            if d <= GAP or time == np.inf:
                continue
            looked += d < 4.0 * GAP
            for t in np.linspace(0.0, min(time, 1.0), 8):
                assert features_apart(hit, 0, 1, shapes, later(y, t), bounds, GAP)[0] >= GAP * (1.0 - 1e-9)
    assert not near or looked >= 20


def test_a_corner_that_a_turning_face_comes_to_is_apart_for_as_long_as_that_takes():
    """A face turns about one of its corners, at which the other body stands: its far end is faster by much."""
    world = two_boxes((Pose(), Pose((0.1 + 2.0 * GAP, 0.0, 0.0))))
    pivot = np.array((-0.05, 0.1, 0.15))  # of the second box, where the first one's corner (0.05, 0.1, 0.15) is
    spin = np.array((0.0, 1.0, 0.0))
    towards = np.array((-1e-4, 0.0, 0.0)) - np.cross(spin, pivot)
    shapes, (y, bounds) = shapes_of(world), state_of(world, ((0.0, 0.0, 0.0), towards), ((0.0, 0.0, 0.0), spin))
    best = 0.0
    for hit in all_hits():
        d, rate, time = features_apart(hit, 0, 1, shapes, y, bounds, GAP)
        if d < 2.1 * GAP and abs(rate + 1e-4) < 1e-6:
            best = max(best, time)
    assert best > 0.02  # along a direction that stands still: GAP / 0.3 m/s


def test_a_point_that_is_pushed_towards_a_turning_face_comes_the_sooner_the_faster_it_gets():
    """Seen from the face it is nearly at rest at first, and what turns its way there grows with its velocity."""
    world = two_boxes((Pose(), Pose((0.1 + 2.0 * GAP, 0.0, 0.0))))
    shapes, push, w = shapes_of(world), 50.0, 40.0
    y, bounds = state_of(world, np.zeros((2, 3)), ((0.0, 0.0, w), (0.0, 0.0, w)))
    bounds[1, 0] = push
    # So that the second box rests in the frame of the first one when it begins to be pushed along y.
    y[1, 7:10] = np.cross((0.0, 0.0, w), y[1, :3])
    for hit in all_hits():
        _, _, time = features_apart(hit, 0, 1, shapes, y, bounds, GAP)
        for t in np.linspace(0.0, min(time, 1.0), 8):
            for direction in (1.0, -1.0):
                moved = later(y, t)
                moved[1, 1] += 0.5 * direction * push * t * t
                assert features_apart(hit, 0, 1, shapes, moved, bounds, GAP)[0] >= GAP * (1.0 - 1e-9)
