"""Momentum and spin of nodes, mean turns, and what passes between a cage and its skin."""

import numpy as np
import pytest

from abut.fem.elastic.spin_kernels import (
    common_motion,
    follow_held,
    give_spin,
    lever_point,
    spin_after,
    spin_of,
)
from abut.fem.elastic.turn_kernels import turn_nodes
from abut.fem.meshing.embedding_kernels import barycentric, carry, locate, spread

N = 12


@pytest.fixture
def cloud(rng):
    return rng.uniform(0.5, 2.0, N), rng.normal(size=(N, 3)), rng.normal(size=(N, 3))


def momentum(mass, nodes, velocities):
    centre = mass @ nodes / mass.sum()
    return mass @ velocities, (mass[:, None] * np.cross(nodes - centre, velocities)).sum(axis=0)


def test_the_common_motion_is_rigid_and_has_the_momentum_and_the_spin(cloud):
    mass, nodes, velocities = cloud
    motion = np.empty((N, 3))
    common_motion(mass, nodes, velocities, motion)
    for had, has in zip(momentum(*cloud), momentum(mass, nodes, motion), strict=True):
        np.testing.assert_allclose(has, had, rtol=1e-7, atol=1e-7)
    ways, rates = nodes[:, None] - nodes, motion[:, None] - motion
    np.testing.assert_allclose((ways * rates).sum(axis=2), 0.0, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_held_nodes_are_followed_by_a_rigid_motion(cloud, count):
    """What they do as parts of a rigid body all nodes do, as far as so few say how it turns."""
    _, nodes, velocities = cloud
    held = np.zeros(N)
    held[:count] = 1.0
    targets, motion = velocities + np.cross((0.3, -1.0, 2.0), nodes) + (1.0, 2.0, 3.0), velocities.copy()
    follow_held(held, nodes, targets, motion)
    added = motion - velocities
    ways, rates = nodes[:, None] - nodes, added[:, None] - added
    np.testing.assert_allclose((ways * rates).sum(axis=2), 0.0, atol=1e-12)
    np.testing.assert_allclose(motion[:count], targets[:count], atol=1e-6)
    if count > 2:
        np.testing.assert_allclose(motion, targets, atol=1e-6)


def test_spin_is_given_and_momentum_stays(cloud):
    mass, nodes, velocities = cloud
    before, wanted = momentum(*cloud)[0], np.array((0.3, -2.0, 1.0))
    give_spin(mass, nodes, tuple(wanted), velocities)
    after = momentum(mass, nodes, velocities)
    np.testing.assert_allclose(after[0], before, atol=1e-12)
    np.testing.assert_allclose(after[1], wanted, rtol=1e-7)
    centre = mass @ nodes / mass.sum()
    np.testing.assert_allclose(spin_of(mass, nodes, velocities, tuple(centre)), after[1], atol=1e-12)


def test_drag_takes_spin_at_its_rate():
    """Of a spin alone, in steps that become short: exp(-α t)."""
    steps, drag = 4000, 2.0
    spin = (1.0, 0.0, 0.0)
    for _ in range(steps):
        spin = spin_after(spin, (0.0, 0.0, 0.0), (1.0 / steps, 0.5, drag))
    assert spin[0] == pytest.approx(np.exp(-drag), rel=1e-6)
    assert spin_after((1.0, 2.0, 3.0), (1.0, 1.0, 1.0), (0.1, 0.5, 0.0)) == (2.0, 3.0, 4.0)


def test_moments_about_the_lever_point_are_the_change_of_spin(cloud, rng):
    """A step x' = x + h (θ v' + (1 - θ) v) of loose nodes, about the origin."""
    (mass, nodes, velocities), impulses, h, theta = cloud, rng.normal(size=(N, 3)), 0.1, 0.7
    after = velocities + impulses / mass[:, None]
    moved = nodes + h * (theta * after + (1.0 - theta) * velocities)
    centres = [(mass @ table) / mass.sum() for table in (nodes, velocities, moved, after)]
    change = mass.sum() * (np.cross(centres[2], centres[3]) - np.cross(centres[0], centres[1]))
    lever = np.array(lever_point(mass, nodes, velocities, (h, theta, 0.0)))
    np.testing.assert_allclose(change, np.cross(lever, impulses.sum(axis=0)), atol=1e-12)


def turns_about_z(angles):
    half = 0.5 * np.asarray(angles)
    return np.stack((np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)), axis=1)


def test_nodes_turn_by_the_mean_of_their_elements_whatever_the_signs(rng):
    corner = rng.permuted(np.tile(np.arange(6), (5, 1)), axis=1)[:, :4].astype(np.int32)
    quaternions, turn = turns_about_z((0.1, 0.4, -0.3, 0.9, 0.6)), np.empty((7, 4))
    turn_nodes(corner, np.array([[1.0], [-1.0], [1.0], [-1.0], [-1.0]]) * quaternions, turn)
    for node in np.unique(corner):
        sum_ = quaternions[(corner == node).any(axis=1)].sum(axis=0)
        assert abs(turn[node] @ sum_) == pytest.approx(np.linalg.norm(sum_), rel=1e-14)
    assert turn[6].tolist() == [1.0, 0.0, 0.0, 0.0]  # no element


@pytest.fixture
def cage(rng):
    """Five tetrahedra of a cube, and points in it."""
    nodes = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
    tetrahedra = np.array([[0, 3, 5, 6], [0, 1, 3, 5], [0, 2, 6, 3], [0, 4, 5, 6], [7, 3, 6, 5]], np.int32)
    inverse = np.linalg.inv((nodes[tetrahedra[:, 1:]] - nodes[tetrahedra[:, :1]]).transpose(0, 2, 1))
    return nodes, tetrahedra, np.ascontiguousarray(inverse), rng.uniform(0.01, 0.99, (40, 3))


def located(cage):
    nodes, tetrahedra, inverse, points = cage
    own, weight = np.empty(len(points), np.int32), np.empty((len(points), 4))
    grid = (np.zeros(3), 0.4, np.array([3, 3, 3], np.int32))
    locate(nodes, tetrahedra, inverse, points, grid, own, weight)
    return own, weight


def test_points_are_found_in_the_tetrahedron_that_holds_them(cage):
    nodes, tetrahedra, inverse, points = cage
    own, weight = located(cage)
    for p, t, shares in zip(points, own, weight, strict=True):
        matrix = np.vstack((nodes[tetrahedra[t]].T, np.ones(4)))
        np.testing.assert_allclose(shares, np.linalg.solve(matrix, (*p, 1.0)), atol=1e-12)
        assert shares.min() >= -1e-12
        np.testing.assert_allclose(barycentric(nodes, tetrahedra, inverse, t, tuple(p)), shares, atol=1e-15)


def test_a_skin_is_carried_along_and_its_loads_do_the_same_work_on_the_cage(cage, rng):
    nodes, tetrahedra, _, points = cage
    own, weight = located(cage)
    corner, A = tetrahedra[own], rng.normal(size=(3, 3))
    moved, loads = np.empty_like(points), rng.normal(size=points.shape)
    carry(corner, weight, nodes @ A.T + 1.0, moved)
    np.testing.assert_allclose(moved, points @ A.T + 1.0, atol=1e-12)
    on_nodes, ways, carried = np.zeros_like(nodes), rng.normal(size=nodes.shape), np.empty_like(points)
    spread(corner, weight, loads, on_nodes)
    carry(corner, weight, ways, carried)
    assert (on_nodes * ways).sum() == pytest.approx((loads * carried).sum())
    np.testing.assert_allclose(on_nodes.sum(axis=0), loads.sum(axis=0), atol=1e-12)
