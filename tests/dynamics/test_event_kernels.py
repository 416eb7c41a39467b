"""Parts of the event method by themselves: integrator, dependent equations, unilateral problems, bends of hinges."""

import numpy as np
import pytest

from abut import Pose, Solid, World
from abut.dynamics.event.dop853_tables import STAGES, A, B, D, E
from abut.dynamics.event.event_scene import scratch
from abut.dynamics.event.linear_kernels import SURELY_LEFT, solve_dependent, solve_symmetric
from abut.dynamics.event.motion_kernels import set_up
from abut.dynamics.event.motion_tables import Bodies, Equations, Hinges, Room, Springs, Tables
from abut.dynamics.event.search_tables import Work
from abut.dynamics.event.system import System
from abut.dynamics.event.unilateral_kernels import (
    PUSHES,
    RESTS,
    STILL,
    complete,
    eliminate_first,
    solve_by_lemke,
    solve_unilateral,
)
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


def problem(W, q):
    """Scratch with a unilateral problem all of whose rows may push."""
    work, n = Work(*scratch(len(q), 1)), len(q)
    work.matrix[:n, :n], work.right[:n], work.flag[:n, RESTS] = W, q, True
    return work


@pytest.mark.parametrize("solve", [solve_unilateral, solve_by_lemke])
@pytest.mark.parametrize("seed", range(20))
def test_forces_are_those_of_the_complementarity_problem_and_few(seed, solve):
    random = np.random.default_rng(seed)
    n, rank = 8, 5
    J = random.normal(size=(n, rank))
    W, q = J @ J.T, J @ random.normal(size=rank)
    x, after = np.zeros(n), np.zeros(n)
    assert solve(0, n, problem(W, q), x, after)
    w = W @ x + q
    np.testing.assert_allclose(after, w, atol=1e-12)
    assert x.min() >= 0.0 and w.min() > -1e-9 and np.abs(x * w).max() < 1e-9
    np.testing.assert_allclose(w, lcp(W, q, "lemke").w, atol=1e-8)
    active = np.flatnonzero(x)
    assert np.linalg.matrix_rank(W[np.ix_(active, active)], tol=1e-9) == len(active)


def test_where_no_forces_keep_apart_none_are_found():
    W, q = np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([-1.0, -1.0])  # the first row pulls whoever pushes there
    for solve in (solve_unilateral, solve_by_lemke):
        assert not solve(0, 2, problem(W, q), np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("slipping", [0.0, 0.3])
def test_a_line_of_support_is_completed_by_what_does_not_depend_on_it(slipping):
    """Also where pushes have friction, so that the matrix is not symmetric."""
    corners = np.array([(1.0, x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    W = corners @ (corners + slipping * np.array((0.0, 1.0, 0.5))).T
    for still, count in ((True, 3), (False, 2)):
        work = problem(W, np.zeros(4))
        work.flag[:4, PUSHES], work.flag[:4, STILL] = (True, False, False, True), still
        complete(0, 4, work)
        assert work.flag[:4, PUSHES].sum() == count and work.flag[[0, 3], PUSHES].all()


def test_equations_are_taken_out_of_a_problem():
    random = np.random.default_rng(1)
    J = random.normal(size=(6, 9))
    W, q, x = J @ J.T, random.normal(size=6), random.normal(size=4)
    matrix, right = W.copy(), q.copy()
    eliminate_first(2, 6, matrix, right, np.zeros(6))
    whole = np.concatenate((np.linalg.solve(W[:2, :2], -q[:2] - W[:2, 2:] @ x), x))
    np.testing.assert_allclose(W[2:] @ whole + q[2:], matrix[2:, 2:] @ x + right[2:], atol=1e-9)


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
    now = world._now
    system = System(world._model_of(now.setup))
    system.begin(now.state, now.contacts, now.joints, np.zeros(3))
    bend = _without_gyration(system)
    tau, start, rates = 1e-5, system.y.copy(), []
    for t in (-tau, tau):
        system.y[:] = start
        for i in range(2):
            moved = Pose.from_rotvec(start[i, :3] + t * start[i, 7:10], t * start[i, 10:])
            turned = moved @ Pose((0.0, 0.0, 0.0), quat_wxyz=start[i, 3:7])
            system.y[i, :3], system.y[i, 3:7] = turned.position, turned.quat_wxyz
        rates.append(measured(system)[1])
    np.testing.assert_allclose(bend, (rates[1] - rates[0]) / (2.0 * tau), atol=1e-7)


def measured(system):
    """Accelerations and rates of all rows of joints."""
    bodies, springs, hinges, tables, room = system.equations
    m = len(system.held)
    rows = Hinges(*(table[:m] for table in hinges[:-2]), *hinges[-2:])
    room, change = Room(*room), np.zeros_like(system.y)
    set_up(system.y, Equations(Bodies(*bodies), Springs(*springs), rows, Tables(*tables), room), change)
    a, b = rows.body.T
    rate = (room.row[:m, :6] * system.y[a, 7:] + room.row[:m, 6:] * system.y[b, 7:]).sum(axis=1)
    return room.right[:m].copy(), rate


def _without_gyration(system):
    """Accelerations of hinges less what they have by those of the bodies, as these turn by themselves."""
    acceleration, y = measured(system)[0], system.y.copy()
    system.y[:, 7:] = _as_they_turn(system, y)
    rate = measured(system)[1]
    system.y[:] = y
    return acceleration - rate


def _as_they_turn(system, y):
    """(n + 1, 6) accelerations of free bodies by Euler's equations."""
    free = np.zeros((len(y), 6))
    for i, inertia in enumerate(system._model.inertia):
        R, w = Pose((0.0, 0.0, 0.0), quat_wxyz=y[i, 3:7]).rotation, y[i, 10:]
        turned = R @ inertia @ R.T
        free[i, 3:] = np.linalg.solve(turned, -np.cross(w, turned @ w))
    return free
