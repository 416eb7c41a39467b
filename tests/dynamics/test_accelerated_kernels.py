"""Forces of large islands: the law of linear gaps, faster than by plain sweeps, and heaps that keep to the laws."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, World
from abut.dynamics.solver import accelerated_kernels as kernels
from abut.dynamics.solver.direct_kernels import MOST_ITEMS
from abut.dynamics.solver.problem_tables import Aim, Run, Sweeps
from physics.judge import Judge

ENOUGH = 1e-9


def octets(rows):
    """Twelve numbers a row as two octets."""
    return np.pad(rows.reshape(-1, 2, 6), ((0, 0), (0, 0), (0, 2))).reshape(-1, 16)


def slopes(table):
    return table[:, kernels.SLOPE :][:, :16].reshape(-1, 2, 8)[:, :, :6].reshape(-1, 12)


def answers(table):
    return table[:, kernels.ANSWER :][:, :16].reshape(-1, 2, 8)[:, :, :6]


def no_shifts(n):
    """Of n bodies, with room for the values without forces."""
    shift = np.zeros((n, 8))
    shift[:, kernels.ONE] = 1.0
    return shift


def linear_problem(pair, jacobian, base):
    """Contacts of bodies that a wrench of 1 shifts by 1; a body behind the last one cannot move."""
    moves = np.repeat(pair < pair.max(), 6, axis=1)
    table = np.concatenate((octets(jacobian), octets(jacobian * moves)), axis=1)
    table[:, kernels.BASE] = base
    table[:, kernels.OWN] = (jacobian**2 * moves).sum(axis=1)
    table[:, kernels.INVERSE] = 1.0 / table[:, kernels.OWN]
    return pair.astype(np.int32), table


def smooth_problem(pair, table):
    """Items without friction, one row each."""
    m, none = len(pair), np.zeros(0)
    items, first = np.arange(m, dtype=np.int32), np.arange(m + 1, dtype=np.int32)
    return Sweeps(items, first, pair, table, np.zeros((0, 3, 3)), m, np.zeros(m), none, none, none)


def start(n_row, n_body):
    """No forces and no shifts."""
    return Run(np.zeros(n_row), np.zeros(n_row), no_shifts(n_body), no_shifts(n_body))


def solve(pair, table, sweeps=5000):
    """Forces, shifts and the number of sweeps."""
    run = start(len(pair), pair.max() + 1)
    used = kernels._solve_linear(smooth_problem(pair, table), Aim(ENOUGH, 0, sweeps), run)
    return run.x, run.shift[:, :6], used


def gaps(pair, table, shift):
    both = np.concatenate((shift[pair[:, 0]], shift[pair[:, 1]]), axis=1)
    return table[:, kernels.BASE] + (slopes(table) * both).sum(axis=1)


def tower(n):
    """Bodies one above the other that all fall by 1: the force at the bottom is n."""
    pair = np.array([(k, k + 1) for k in range(n)])
    jacobian = np.zeros((n, 12))
    jacobian[:, 2], jacobian[:, 8] = 1.0, -1.0
    base = np.zeros(n)
    base[-1] = -1.0
    return linear_problem(pair, jacobian, base)


def test_what_is_not_a_number_is_the_largest_residual():
    """Wherever it comes among the others."""
    assert kernels.larger(1.0, 2.0) == kernels.larger(2.0, 1.0) == 2.0
    assert np.isnan(kernels.larger(1.0, np.nan)) and np.isnan(kernels.larger(np.nan, 1.0))


def test_a_tower_stands_on_the_force_of_all_of_it():
    pair, table = tower(20)
    x, shift, _ = solve(pair, table)
    np.testing.assert_allclose(x, np.arange(1.0, 21.0), atol=1e-4)
    np.testing.assert_allclose(shift[:-1, 2], 1.0, atol=1e-6)
    assert 0.0 == np.abs(shift[-1]).max()


def test_momentum_saves_most_of_the_sweeps():
    pair, table = tower(30)
    _, _, used = solve(pair, table)
    linear, run, plain = smooth_problem(pair, table), start(30, 31), 0
    while kernels._sweep(linear, 0.0, ENOUGH, run)[0] > 0:
        plain += 1
    assert used < 0.2 * plain


@pytest.mark.parametrize(("bodies", "contacts"), [(5, 8), (40, 100), (40, 300), (200, 700)])
def test_the_law_holds_also_where_contacts_are_redundant(rng, bodies, contacts):
    for _ in range(3):
        pair = np.stack((rng.integers(0, bodies, contacts), rng.integers(1, bodies + 1, contacts)), axis=1)
        pair = pair[pair[:, 0] != pair[:, 1]]
        jacobian = rng.normal(size=(len(pair), 12))
        # Gaps that some motion of the bodies opens, so that there are forces that do.
        way = np.append(rng.normal(size=(bodies, 6)), np.zeros((1, 6)), axis=0)
        base = (jacobian * np.concatenate((way[pair[:, 0]], way[pair[:, 1]]), axis=1)).sum(axis=1)
        pair, table = linear_problem(np.where(pair == bodies, bodies, pair), jacobian, base)
        x, shift, used = solve(pair, table)
        assert used < 5000 and (x >= 0.0).all()
        assert np.abs(np.minimum(x, gaps(pair, table, shift))).max() <= 100.0 * ENOUGH
        pushed = np.zeros_like(shift)
        for side in range(2):
            np.add.at(pushed, pair[:, side], x[:, None] * answers(table)[:, side])
        np.testing.assert_allclose(shift, pushed, atol=1e-9)


def test_rows_of_joints_stay_between_their_bounds_and_give_with_their_compliance(rng):
    n, bodies = 40, 30
    pair = np.stack((rng.integers(0, bodies, 2 * n), np.full(2 * n, bodies)), axis=1)
    jacobian = rng.normal(size=(2 * n, 12))
    pair, table = linear_problem(pair, jacobian, rng.normal(size=2 * n) - 0.5)
    compliance, lower, upper = 0.1 * rng.random(n), np.full(n, -0.05), np.full(n, 0.2)
    laws = {"n": n, "mu": np.zeros(n), "compliance": compliance, "lower": lower, "upper": upper}
    linear, run = smooth_problem(pair, table)._replace(**laws), start(2 * n, bodies + 1)
    used = kernels._solve_linear(linear, Aim(ENOUGH, 0, 5000), run)
    x, value = run.x, gaps(pair, table, run.shift[:, :6])
    assert used < 5000 and np.abs(np.minimum(x[:n], value[:n])).max() <= 100.0 * ENOUGH
    held, soft = x[n:], value[n:] + compliance * x[n:]
    inside = (held > lower) & (held < upper)
    assert 0 < inside.sum() < n and (held >= lower).all() and (held <= upper).all()
    np.testing.assert_allclose(soft[inside], 0.0, atol=100.0 * ENOUGH)
    assert (soft[held == lower] >= -100.0 * ENOUGH).all() and (soft[held == upper] <= 100.0 * ENOUGH).all()


def heap(n, seed, **laws):
    """Boxes that fall into a narrow bin."""
    rng, world = np.random.default_rng(seed), World(dt=1e-3, **laws)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for k, normal in enumerate(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))):
        world.add_body(HalfSpace(normal=normal, offset=-0.22), f"wall {k}", fixed=True)
    for k in range(n):
        place = (0.19 * (k % 2 - 0.5), 0.19 * (k // 2 % 2 - 0.5), 0.1 + 0.18 * (k // 4))
        pose = Pose(place, quat_wxyz=rng.normal(size=4))
        world.add_body(Solid.box(0.1), f"box {k}", pose=pose, velocity=(0.0, 0.0, -4.0))
    return world


@pytest.mark.parametrize(("friction", "seed"), [(0.0, 3), (0.5, 3), (0.5, 5), (0.5, 2)])
def test_a_heap_keeps_to_its_laws(friction, seed):
    """The momentum that the boxes lose is what floor and walls gave, friction stays in its cone, energy gets less."""
    world, rough, whole = heap(80, seed, friction=friction), 0, 0
    judge, mass, energy = Judge(world), sum(body.mass for body in world.bodies[5:]), world.energy
    tolerance = 1.0001 * kernels.OF_GAP * world.contact_gap
    # Of each of two tangents.
    force_of_tolerance = np.sqrt(2.0) * tolerance * world.bodies[-1].mass / world.dt**2
    for k in range(400):
        before, report = world.momentum[0], world.step()
        assert report.unsolved == 0 and report.time_given_up == 0.0
        assert max(report.residual, report.friction_residual) <= tolerance
        rough += report.residual > 1.0001e-4 * world.contact_gap
        contacts = world.contacts
        slip = np.linalg.norm(contacts["friction"], axis=1)
        assert (slip <= friction * contacts["force"] + force_of_tolerance).all()
        forces = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
        if report.parts == 1:  # else the forces of its last part are left only
            taken = world.dt * (forces[contacts["body_a"] < 5].sum(axis=0) + mass * world.gravity)
            np.testing.assert_allclose(world.momentum[0] - before, taken, atol=1e-12 * mass)
            whole += 1
        if k % 10 == 9:
            assert world.energy <= energy + 1e-6 * mass
            energy = world.energy
        if k % 100 == 99:
            assert judge.overlap() is None
    assert world.report.contacts > MOST_ITEMS and rough > 20 and whole > 350, "else nothing large was solved"


def test_a_large_wall_without_friction_stands_on_its_weight():
    """From a fall, where gaps need not be so exact, to all but rest, where they are."""
    world, brick = World(dt=1e-3), Solid.box((0.2, 0.1, 0.1))
    world.add_body(HalfSpace(), "floor", fixed=True)
    for row in range(6):
        for k in range(6 - row % 2):
            place = (0.2002 * (k + 0.5 * (row % 2)), 0.0, 0.051 + 0.1005 * row)
            world.add_body(brick, f"brick {row} {k}", pose=Pose(place))
    world.run(0.5)
    mass = sum(body.mass for body in world.bodies[1:])
    floor = world.contacts[world.contacts["body_a"] == 0]
    np.testing.assert_allclose(floor["force"].sum(), 9.81 * mass, rtol=1e-3)
    assert max(np.linalg.norm(body.velocity) for body in world.bodies) < 1e-5
    assert world.report.residual <= 1.0001e-4 * world.contact_gap
