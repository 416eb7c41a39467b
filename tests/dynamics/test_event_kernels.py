"""Parts of the event method by themselves: integrator, dependent equations, unilateral problems, bends of hinges."""

import numpy as np
import pytest

from abut import Pose, Solid, World
from abut.dynamics.event.complementarity import completed, eliminate, solve_unilateral
from abut.dynamics.event.dop853_tables import STAGES, A, B, D, E
from abut.dynamics.event.linear_kernels import SURELY_LEFT, solve_dependent, solve_symmetric
from abut.dynamics.event.system import System
from abut.solve import lcp


def test_coefficients_obey_conditions_of_order():
    c = A.sum(axis=1)
    for power in range(8):
        assert B @ c[:STAGES] ** power == pytest.approx(1.0 / (power + 1), abs=1e-14)
    assert np.abs(E.sum(axis=1)).max() < 1e-12 and np.abs(D.sum(axis=1)).max() < 1e-10


def dependent(random, n, rank):
    J = random.normal(size=(n, rank))
    return J @ J.T


@pytest.mark.parametrize("seed", range(10))
def test_dependent_equations_are_solved(seed):
    random = np.random.default_rng(seed)
    n, rank = 7, 4
    W = dependent(random, n, rank)
    b, x = W @ random.normal(size=n), np.zeros(n)
    found = solve_dependent(W.copy(), b.copy(), n, np.zeros(n, np.int32), np.zeros(n), x)
    assert found == rank and np.count_nonzero(x) <= rank
    np.testing.assert_allclose(W @ x, b, atol=1e-9 * np.abs(b).max())


@pytest.mark.parametrize("n", range(1, 12))
def test_independent_equations_are_solved_by_threes_and_the_rest(n):
    random = np.random.default_rng(n)
    J = random.normal(size=(n, n + 2))
    W, b, x = J @ J.T, random.normal(size=n), np.full(n, np.nan)
    matrix, right = W.copy(), b.copy()
    assert solve_symmetric(matrix, right, n, np.full((n, n), np.nan), x)
    np.testing.assert_allclose(x, np.linalg.solve(W, b), atol=1e-11 * np.abs(x).max() * np.linalg.cond(W))
    np.testing.assert_array_equal(matrix, W)
    np.testing.assert_array_equal(right, b)


@pytest.mark.parametrize("follows", range(1, 8))
def test_an_equation_that_follows_from_others_is_seen_wherever_it_stands(follows):
    random = np.random.default_rng(follows)
    J = random.normal(size=(8, 12))
    J[follows] = J[:follows].sum(axis=0) + 0.1 * np.sqrt(SURELY_LEFT) * J[follows]
    W = J @ J.T
    assert not solve_symmetric(W, np.ones(8), 8, np.zeros((8, 8)), np.zeros(8))


@pytest.mark.parametrize("seed", range(20))
def test_forces_are_those_of_the_complementarity_problem_and_few(seed):
    random = np.random.default_rng(seed)
    n, rank = 8, 5
    J = random.normal(size=(n, rank))
    W, q = J @ J.T, J @ random.normal(size=rank)
    x = solve_unilateral(W, q)
    w = W @ x + q
    assert x.min() >= 0.0 and w.min() > -1e-9 and np.abs(x * w).max() < 1e-9
    np.testing.assert_allclose(w, lcp(W, q, "lemke").w, atol=1e-8)
    active = np.flatnonzero(x)
    assert np.linalg.matrix_rank(W[np.ix_(active, active)], tol=1e-9) == len(active)


def test_a_line_of_support_is_completed_by_what_does_not_depend_on_it():
    corners = np.array([(1.0, x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    W = corners @ corners.T
    pushes = np.array([True, False, False, True])
    assert completed(W, pushes, np.ones(4, bool)).sum() == 3
    assert completed(W, pushes, np.zeros(4, bool)).tolist() == pushes.tolist()


def test_equations_are_taken_out_of_a_problem():
    random = np.random.default_rng(1)
    J = random.normal(size=(6, 9))
    W, q = J @ J.T, random.normal(size=6)
    S, r, back = eliminate(W, q, 2)
    x = random.normal(size=4)
    whole = np.concatenate((back @ np.append(x, 1.0), x))
    np.testing.assert_allclose(W[:2] @ whole + q[:2], 0.0, atol=1e-9)
    np.testing.assert_allclose(W[2:] @ whole + q[2:], S @ x + r, atol=1e-9)


@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", ["hinge", "ball", "slider", "cylindrical", "universal", "fixed", "distance", "screw"])
def test_bends_of_joints_are_second_derivatives_along_their_motion(kind):
    world = World(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Solid.box((0.4, 0.2, 0.1)), "a")
    b = world.add_body(Solid.box((0.3, 0.2, 0.1)), "b", pose=Pose.from_rotvec((0.5, 0.1, 0.2), (0.3, 0.2, 0.1)))
    given = {
        "ball": {"anchor": (0.2, 0.1, 0.0)},
        "distance": {"anchor": (0.2, 0.1, 0.0), "anchor_other": (0.4, 0.0, 0.1)},
        "screw": {"anchor": (0.2, 0.1, 0.0), "axis": (1.0, 0.5, 0.2), "pitch": 0.01},
        "universal": {"anchor": (0.2, 0.1, 0.0), "axis": (1.0, 0.0, 0.0), "axis_other": (0.0, 1.0, 0.0)},
        "fixed": {},
    }.get(kind, {"anchor": (0.2, 0.1, 0.0), "axis": (1.0, 0.5, 0.2)})
    world.add_joint(kind, b, a, **given)
    random = np.random.default_rng(3)
    for body in world.bodies:
        body.velocity, body.angular_velocity = random.normal(size=3), random.normal(size=3)
    now, none = world._now, np.zeros(0, np.int32)
    system = System(world._model_of(now.setup))
    system.begin(now.state, now.contacts, now.joints, np.zeros(3))
    hinges = system.hinges_of(none, np.zeros(0), np.zeros(0), np.zeros((0, 3)), none, np.zeros((0, 3)))
    bend = _without_gyration(system, hinges)
    tau, start, rates = 1e-5, system.y.copy(), []
    for t in (-tau, tau):
        system.y[:] = start
        for i in range(2):
            moved = Pose.from_rotvec(start[i, :3] + t * start[i, 7:10], t * start[i, 10:])
            turned = moved @ Pose((0.0, 0.0, 0.0), quat_wxyz=start[i, 3:7])
            system.y[i, :3], system.y[i, 3:7] = turned.position, turned.quat_wxyz
        rates.append(system.measure(hinges).rate)
    np.testing.assert_allclose(bend, (rates[1] - rates[0]) / (2.0 * tau), atol=1e-7)


def _without_gyration(system, hinges):
    """Accelerations of hinges less what they have by those of the bodies, as these turn by themselves."""
    found, y = system.measure(hinges), system.y.copy()
    system.y[:, 7:] = _as_they_turn(system, y)
    rate = system.measure(hinges).rate
    system.y[:] = y
    return found.acceleration - rate


def _as_they_turn(system, y):
    """(n + 1, 6) accelerations of free bodies by Euler's equations."""
    free = np.zeros((len(y), 6))
    for i, inertia in enumerate(system._model.inertia):
        R, w = Pose((0.0, 0.0, 0.0), quat_wxyz=y[i, 3:7]).rotation, y[i, 10:]
        turned = R @ inertia @ R.T
        free[i, 3:] = np.linalg.solve(turned, -np.cross(w, turned @ w))
    return free
