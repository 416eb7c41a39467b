"""Forces of small islands: the law of linear gaps, forces shared alike, and the same motion as by other means."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, World
from abut.dynamics.solver import direct_kernels as kernels

ENOUGH = 1e-12


def solve(A, b):
    """Forces and gaps of the law 0 <= A x + b, x >= 0."""
    n = len(b)
    work = np.full((kernels.MOST_ITEMS, kernels.WIDTH), np.nan)
    work[:n, :n] = A
    w, x = np.zeros(3 * n), np.zeros(3 * n)
    w[::3] = b
    items, room = np.arange(n, dtype=np.int32), np.empty(kernels.MOST_ITEMS, np.int32)
    kernels._solve_linear(items, w, x, ENOUGH, room, work)
    np.testing.assert_allclose(w[::3], A @ x[::3] + b, atol=1e-9 * np.abs(b).max())
    return x[::3], w[::3]


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (4, 3), (8, 6), (20, 12), (40, 30), (64, 40)])
def test_the_law_holds_also_where_contacts_are_redundant(rng, n, rank):
    for _ in range(20):
        J = rng.normal(size=(n, rank))
        # Bodies that fall apart when nothing pushes, so that there are forces that keep the gaps open.
        b = J @ rng.normal(size=rank) + np.abs(rng.normal(size=n)) * (rng.random(n) < 0.3)
        x, w = solve(J @ J.T, b)
        assert (x >= 0.0).all()
        own = np.einsum("ij,ij->i", J, J)
        assert np.abs(np.minimum(own * x, w)).max() <= 10.0 * ENOUGH + 1e-12 * np.abs(b).max()


def test_contacts_that_are_alike_share_alike():
    """Four corners of a plate that is pushed down in its middle."""
    arms = np.array([(1.0, x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    x, _ = solve(arms @ arms.T, np.full(4, -1.0))
    np.testing.assert_allclose(x, 1.0 / 4.0, rtol=1e-9)


def dropped(rng, n):
    """Boxes, one above the other, turned at random, that fall on a floor."""
    world = World(dt=1e-3)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for k in range(n):
        pose = Pose((0.02 * k, 0.0, 0.1 + 0.19 * k), quat_wxyz=rng.normal(size=4))
        world.add_body(Solid.box(0.1), f"box {k}", pose=pose, velocity=(0.0, 0.0, -1.0))
    return world


def test_forces_keep_to_the_tolerance_and_momentum(rng):
    """Whatever the sides of the law, the impulse that the boxes lose is what the contacts with the floor gave."""
    world, n_step = dropped(rng, 3), 250
    taken, mass = np.zeros(3), sum(body.mass for body in world.bodies[1:])
    before = world.momentum[0]
    for _ in range(n_step):
        report = world.step()
        assert report.unsolved == 0 and report.residual <= 1.0001e-4 * world.contact_gap
        floor = world.contacts[world.contacts["body_a"] == 0]
        taken += world.dt * (floor["force"][:, None] * floor["normal"]).sum(axis=0)
    gravity = n_step * world.dt * mass * world.gravity
    lost = world.momentum[0] - before - gravity
    assert np.linalg.norm(taken) > 1.0
    np.testing.assert_allclose(lost[2], taken[2], rtol=2e-2)
