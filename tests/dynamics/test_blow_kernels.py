"""Single blows, the order of what is due, and times for which features stay apart."""

import numpy as np
import pytest

from abut.dynamics.bodies.body_kernels import DYNAMIC
from abut.dynamics.event.apart_kernels import time_apart
from abut.dynamics.impulse.agenda_kernels import sift
from abut.dynamics.impulse.blow_kernels import impulse_of_blow, strike
from abut.dynamics.impulse.flight_kernels import point_velocity
from abut.dynamics.impulse.flight_tables import Agenda, Bodies, PairLaw, Touch


@pytest.fixture
def pair(rng, random_pose):
    """Two bodies of any inertia that run into each other at a point between them."""

    def make():
        axes = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2)]
        inertia = np.array([Q @ np.diag(rng.uniform(0.3, 0.5, 3)) @ Q.T for Q in axes])
        poses = [random_pose(0.2), random_pose(0.2)]
        turn, inverse = rng.normal(scale=0.3, size=(2, 3)), np.ascontiguousarray(np.linalg.inv(inertia))
        tensors = [X.rotation @ I @ X.rotation.T for X, I in zip(poses, inertia, strict=True)]
        tables = {
            "kind": np.full(2, DYNAMIC, np.int8),
            "mass": rng.uniform(0.5, 2.0, 2),
            "inertia": inertia,
            "inverse": inverse,
            "is_round": np.zeros(2, np.bool_),
            "reach": np.ones(2),
            "pose": np.array([X.row for X in poses]),
            "velocity": np.array([(0.0, 0.0, 3.0), (0.0, 0.0, -3.0)]) + rng.normal(scale=(1.0, 1.0, 0.3), size=(2, 3)),
            "spin": np.array([I @ w for I, w in zip(tensors, turn, strict=True)]),
            "turn": turn,
        }
        blank = dict.fromkeys(Bodies._fields)
        return Bodies(**{**blank, **tables}), Touch((0.1, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0, False)

    return make


def energy(bodies):
    linear = 0.5 * (bodies.mass * (bodies.velocity**2).sum(axis=1)).sum()
    return linear + 0.5 * (bodies.spin * bodies.turn).sum()


def past_each_other(bodies, x):
    return np.array(point_velocity(bodies, 1, x)) - np.array(point_velocity(bodies, 0, x))


@pytest.mark.parametrize("mu", [0.0, 0.2, 2.0])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_bodies_part_with_the_share_of_their_speed_within_the_cone_and_gain_nothing(pair, mu, restitution):
    for _ in range(10):
        bodies, touch = pair()
        before, u = energy(bodies), past_each_other(bodies, touch.x)
        momentum = bodies.mass @ bodies.velocity
        p, closing, is_gentle = impulse_of_blow(bodies, 0, 1, touch, PairLaw(restitution, mu, 0.0))
        assert closing == pytest.approx(-u[2]) and closing > 0.0 and not is_gentle
        assert np.hypot(p[0], p[1]) <= mu * p[2] * (1.0 + 1e-9) + 1e-15
        strike(bodies, 1, touch.x, p)
        strike(bodies, 0, touch.x, tuple(-np.array(p)))
        np.testing.assert_allclose(bodies.mass @ bodies.velocity, momentum, atol=1e-12)
        assert energy(bodies) <= before * (1.0 + 1e-12)
        parting = past_each_other(bodies, touch.x)[2]
        if mu == 0.0:
            assert parting == pytest.approx(restitution * closing, abs=1e-12)
        assert parting <= restitution * closing + 1e-9


def test_bodies_that_have_sunk_part_at_the_speed_of_a_hop(pair):
    bodies, touch = pair()
    bodies.velocity[:], bodies.turn[:], bodies.spin[:] = 0.0, 0.0, 0.0
    p, _, is_gentle = impulse_of_blow(bodies, 0, 1, touch._replace(has_sunk=True), PairLaw(0.0, 0.0, 0.01))
    strike(bodies, 1, touch.x, p)
    strike(bodies, 0, touch.x, tuple(-np.array(p)))
    assert is_gentle and past_each_other(bodies, touch.x)[2] == pytest.approx(0.01)


def test_the_first_of_the_heap_is_always_the_one_that_is_due_first(rng):
    n = 20
    heap, place = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
    blank = dict.fromkeys(Agenda._fields)
    agenda = Agenda(**{**blank, "heap": heap, "place": place, "due": np.zeros(n)})
    for _ in range(200):
        i = int(rng.integers(n))
        agenda.due[i] = rng.integers(0, 12)  # many at the same time
        sift(agenda, i)
        assert heap[0] == np.lexsort((np.arange(n), agenda.due))[0]
        assert (place[heap] == np.arange(n)).all()


@pytest.mark.parametrize(
    ("value", "rate", "bound", "expected"),
    [
        (1.0, 0.0, 2.0, 1.0),
        (0.0, 3.0, 2.0, 3.0),
        (1.0, -1.0, 0.0, 1.0),
        (1.0, 1.0, 0.0, np.inf),
        (0.0, -1.0, 1.0, 0.0),
        (-1.0, 0.0, 1.0, 0.0),
    ],
)
def test_points_stay_apart_until_the_parabola_says(value, rate, bound, expected):
    assert time_apart(value, rate, bound) == pytest.approx(expected)


def test_until_then_the_parabola_is_positive(rng):
    for value, bound in rng.uniform(0.0, 2.0, (60, 2)):
        rate = rng.normal()
        t = time_apart(value, rate, bound)
        assert value + rate * t - 0.5 * bound * t**2 == pytest.approx(0.0, abs=1e-9)
        early = np.linspace(0.0, 0.999 * t, 20)
        assert (value + rate * early - 0.5 * bound * early**2 > 0.0).all()
