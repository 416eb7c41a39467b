"""Pieces of a motion: each is looked at, none twice, and together they show what the whole motion hides."""

import numpy as np
import pytest

from abut import Motion, Pose
from abut.query.motion import motion_piece_kernels as kernels
from abut.query.motion.motion_piece_kernels import PIECES, ROWS, edge_apart_until, start_work, vertex_apart_until
from abut.query.motion.motion_tables import Seen
from abut.query.motion.relative_motion_kernels import curved_paths
from query.test_impact_rigid import distance_at, tuples
from query.test_relative_motion import named

REST = Motion(Pose())
TURN = Motion(Pose(), (0, 0, 0), (0, 0, 2 * np.pi))
"""One turn about the z axis: an eighth of it is a piece."""


def seen(moving, other, side):
    """Two motions as kernels take them."""
    return Seen(named(moving), named(other), side)


def stays_apart(feature, moving, element, other=REST, gap=1e-3, side=0, until=1.0):
    """What pieces show of a vertex (3,) and a triangle, or of two edges (2, 3)."""
    work = np.full((ROWS, 12), np.nan)
    start_work(np.inf, work)
    work[0, 0] = until
    motions = seen(moving, other, side)
    return shown_by_pieces(feature, element, gap, motions, work)


def shown_by_pieces(feature, element, gap, motions, work):
    path, (_, _, bulge, bulge_per_arm) = curved_paths(motions.moving, motions.other)[0]
    bulge += bulge_per_arm * np.linalg.norm(feature, axis=-1).max()
    R, p = np.reshape(path.bow[0], (3, 3)), np.array(path.bow[1])
    bow = tuples(feature @ R.T + p)
    kernel = vertex_apart_until if np.ndim(feature) == 1 else edge_apart_until
    return kernel(tuples(feature), bow, tuples(element), gap, bulge, motions, work) >= work[0, 0]


def on_circle(angle, radius=1.0):
    return np.array((radius * np.cos(angle), radius * np.sin(angle), 0.0))


def obstacle(kind, angle, radius):
    """A small triangle or edge across a circle about the z axis."""
    if kind == "vertex":
        corners = [(radius - 0.01, 0, -0.01), (radius + 0.01, 0, -0.01), (radius, 0, 0.02)]
    else:
        corners = [(radius - 0.01, 0, 0), (radius + 0.01, 0, 0)]
    return Pose.from_rotvec((0, 0, 0), (0, 0, angle)).apply(np.array(corners))


def tangent(kind, angle):
    """A triangle or edge that touches the circle of radius 1 from outside."""
    corners = [(1, -2, -2), (1, 2, -2), (1, 0, 4)] if kind == "vertex" else [(1, -2, 0), (1, 2, 0)]
    return Pose.from_rotvec((0, 0, 0), (0, 0, angle)).apply(np.array(corners))


FEATURES = {"vertex": np.array((1.0, 0, 0)), "edge": np.array([(1.0, 0, -0.3), (1.0, 0, 0.3)])}


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("piece", range(PIECES))
def test_what_is_met_in_any_one_piece_is_not_shown_to_be_free(kind, piece):
    for share in (0.02, 0.5, 0.98):
        met = obstacle(kind, 2 * np.pi * (piece + share) / PIECES, 1.0)
        assert not stays_apart(FEATURES[kind], TURN, met)
        assert share != 0.5 or stays_apart(FEATURES[kind], TURN, met, until=piece / PIECES)


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("piece", range(PIECES))
def test_what_a_path_touches_beyond_its_chord_is_not_shown_to_be_free(kind, piece):
    assert not stays_apart(FEATURES[kind], TURN, tangent(kind, 2 * np.pi * (piece + 0.5) / PIECES))


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("piece", range(PIECES))
def test_pieces_show_that_a_circle_goes_around_an_obstacle(kind, piece):
    """The chord of the whole turn is a point and that of a half turn runs through the middle."""
    inside, outside = (obstacle(kind, 2 * np.pi * (piece + 0.5) / PIECES, radius) for radius in (0.3, 1.9))
    assert stays_apart(FEATURES[kind], TURN, inside) and stays_apart(FEATURES[kind], TURN, outside)
    assert stays_apart(FEATURES[kind], TURN, obstacle(kind, 0.0, 0.0))


@pytest.mark.parametrize("kind", FEATURES)
def test_each_side_has_poses_of_its_own(kind):
    """Seen from the part that turns, the resting one turns the other way."""
    work = np.full((ROWS, 12), np.nan)
    start_work(np.inf, work)
    forth, back = seen(TURN, REST, 0), seen(REST, TURN, 1)
    angle = 2 * np.pi * 1.5 / PIECES
    for motions, met in ((forth, angle), (back, -angle)):
        assert not shown_by_pieces(FEATURES[kind], obstacle(kind, met, 1.0), 1e-3, motions, work)
        assert shown_by_pieces(FEATURES[kind], obstacle(kind, -met, 0.4), 1e-3, motions, work)


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("turn", [1.0, 0.1], ids=["much turned", "little turned"])
def test_nothing_is_shown_that_is_not_so(rng, kind, turn):
    n_shown = n_met = 0
    for _ in range(100):
        feature, gap = rng.normal(size=FEATURES[kind].shape), rng.uniform(0.0, 0.5)
        element = rng.normal(size=(3, 3) if kind == "vertex" else (2, 3))
        moving, other = (
            Motion(
                Pose(0.5 * rng.normal(size=3), quat_wxyz=rng.normal(size=4)),
                rng.normal(size=3),
                turn * rng.normal(size=3),
            )
            for _ in range(2)
        )
        least = min(distance_at(feature, moving, element, other, t) for t in np.linspace(0.0, 1.0, 30))
        shown = stays_apart(feature, moving, element, other, gap)
        assert not (shown and least <= gap)
        n_shown, n_met = n_shown + shown, n_met + (least <= gap)
    assert n_shown > 20 and n_met > 8


def test_pieces_follow_each_other_without_a_hole_whatever_is_shown(rng):
    for _ in range(200):
        k, n, at = 0, PIECES // 2, 0
        while k < PIECES and n > 0:
            assert k == at and k % n == 0 and k + n <= PIECES
            shown = n == 1 or rng.random() < 0.5
            at = k + n if shown else k
            k, n = kernels._next_piece(k, n, shown)
        assert at == PIECES
    assert kernels._next_piece(5, 1, False) == (5, 0)
