"""How a body answers to an impulse: known answers, then that every way to find them gives the same."""

import numpy as np
import pytest

from abut.dynamics.bodies.body_kernels import DYNAMIC, FIXED
from abut.dynamics.bodies.body_tables import Prediction, RigidBodies
from abut.dynamics.bodies.response_kernels import build_responses

DT, SCALE = 1e-2, 0.5


def random_bodies(rng, n):
    """Masses, inertias in the world, drag, hands that are off, errors and twists."""
    mass, axes = rng.uniform(0.1, 10.0, n), np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    middle = np.einsum("nij,nj,nkj->nik", axes, rng.uniform(0.01, 1.0, (n, 3)), axes)
    return mass, np.ascontiguousarray(middle), rng.uniform(0.0, 3.0, (n, 2)), np.zeros((n, 10)), rng.normal(size=(n, 9))


def respond(bodies, twist, locked, kind=None):
    """Twists, effective masses and responses."""
    mass, middle, drag, hold, error = bodies
    n, free = len(mass), twist.copy()
    kind = np.full(n, DYNAMIC, np.int32) if kind is None else kind
    weight, response = np.full((n, 6, 6), np.nan), np.full((n, 6, 6), np.nan)
    none, pose = np.zeros((n, 6)), np.zeros((n, 7))
    rigid = RigidBodies(kind, mass, middle, drag, locked, pose, none, none, hold, pose)
    movable, motion = np.ones(n, bool), np.zeros((n, 18))
    found = Prediction(middle, error, np.zeros((n, 2)), twist, twist, free, motion, movable, weight, response)
    build_responses(tuple(rigid), hold, DT, SCALE, tuple(found))
    return free, weight, response


def test_a_loose_body_answers_with_the_inverses_of_its_mass_and_inertia(rng):
    bodies, twist = random_bodies(rng, 20), rng.normal(size=(20, 6))
    free, weight, response = respond(bodies, twist, np.zeros((20, 6), bool))
    mass, middle, drag = bodies[:3]
    slower = 1.0 + DT * np.repeat(drag, 3, axis=1)
    np.testing.assert_allclose(free, twist / slower, rtol=1e-14)
    for i in range(20):
        matrix = np.zeros((6, 6))
        matrix[:3, :3], matrix[3:, 3:] = mass[i] * slower[i, 0] * np.eye(3), middle[i] * slower[i, 5]
        np.testing.assert_allclose(weight[i], matrix / SCALE, rtol=1e-14)
        np.testing.assert_allclose(response[i], SCALE * np.linalg.inv(matrix), rtol=1e-12, atol=1e-12)


def test_a_hand_without_stiffness_and_damping_changes_nothing(rng):
    """It makes the body go the way of those that are held."""
    bodies, twist, loose = random_bodies(rng, 20), rng.normal(size=(20, 6)), np.zeros((20, 6), bool)
    expected = respond(bodies, twist, loose)
    bodies[3][:, 0] = 1.0
    for found, wanted in zip(respond(bodies, twist, loose), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("direction", range(6))
def test_a_locked_direction_has_no_answer(rng, direction):
    bodies, twist, locked = random_bodies(rng, 5), rng.normal(size=(5, 6)), np.zeros((5, 6), bool)
    locked[:, direction] = True
    free, _, response = respond(bodies, twist, locked)
    assert (free[:, direction] == 0.0).all()
    assert (response[:, direction] == 0.0).all() and (response[:, :, direction] == 0.0).all()
    assert (np.delete(free, direction, axis=1) != 0.0).all()


def test_a_fixed_body_has_no_answer(rng):
    kind = np.array([FIXED, DYNAMIC], np.int32)
    _, _, response = respond(random_bodies(rng, 2), rng.normal(size=(2, 6)), np.zeros((2, 6), bool), kind)
    assert (response[0] == 0.0).all() and (np.diag(response[1]) > 0.0).all()
