"""How far a target has to be raised so that a gap that sags on the way keeps a distance."""

import numpy as np
import pytest

from abut.contact.contact_kernels import CARRIED_BY_B, CARRIER, GAP, NO_CARRIER, NORMAL, POINT_A, POINT_B
from abut.contact.contact_tables import ContactRows, Sizes
from abut.contact.dip_kernels import KEPT, MOST_GAPS, lift_needed, raise_target

T = np.linspace(0.0, 1.0, 2001)


def test_a_lifted_parabola_just_keeps_what_is_wanted(rng):
    for _ in range(200):
        start, end, bow, at = (
            rng.uniform(1.0, 3.0),
            rng.uniform(-2.0, 3.0),
            rng.uniform(0.1, 20.0),
            rng.uniform(0.02, 0.98),
        )
        lift = lift_needed(start, start + (end - start) * at - bow * at * (1.0 - at), at, end, 0.6)
        gap = start + (end + lift - start) * T - bow * T * (1.0 - T)
        assert gap.min() >= min(0.6, end) - 1e-9
        if lift > 0.0:
            assert gap.min() == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize("middle", [2.0, 2.5])
def test_a_gap_that_does_not_sag_needs_no_lift(middle):
    assert lift_needed(1.0, middle, 0.5, 3.0, 0.6) == 0.0


def rolling(turn, gap):
    """A contact of a vertex, half a metre below its body's middle, with the floor; the body turns about it."""
    name, place, extra = np.zeros((1, 7), np.int32), np.zeros((1, 17)), np.zeros(1)
    name[0, 1] = 1
    place[0, POINT_A + 2], place[0, NORMAL + 2], place[0, GAP], place[0, CARRIER] = -0.5, -1.0, gap, CARRIED_BY_B
    place[0, POINT_B : POINT_B + 3] = 0.0
    motions = np.zeros((2, 18))
    motions[:, :9] = np.eye(3).ravel()
    motions[0, 11] = 0.5 + gap
    motions[0, 14], motions[0, 15] = 0.5 * (np.cos(turn) - 1.0), turn
    return ContactRows(name, place, extra), motions


@pytest.mark.parametrize("turn", [1e-3, 5e-3, 7e-3])
def test_a_body_that_rolls_is_lifted_by_what_its_sag_needs(turn):
    gap = 1e-6
    rows, motions = rolling(turn, gap)
    assert raise_target(rows, 0, motions, Sizes(0.0, gap, 0.0), 0.5) == 1
    height = motions[0, 11] + T * (motions[0, 14] + rows.extra[0]) - 0.5 * np.cos(T * turn)
    assert height.min() >= 0.99 * KEPT * gap
    assert rows.extra[0] == pytest.approx(0.25 * gap) or height.min() <= 1.01 * KEPT * gap


@pytest.mark.parametrize("at", [0.1, 0.3, 0.5])
def test_a_gap_that_is_wider_than_its_target_is_lifted_from_where_it_is(at):
    """Targets below it were raised bit by bit, and nothing moved."""
    gap, turn = 1e-6, 7e-3
    rows, motions = rolling(turn, gap)
    motions[0, 14] += 3.0 * gap
    assert raise_target(rows, 0, motions, Sizes(0.0, gap, 0.0), at) == 1
    way = 0.5 * (np.cos(turn) - 1.0) + rows.extra[0]
    height = motions[0, 11] + T * way - 0.5 * np.cos(T * turn)
    assert height.min() == pytest.approx(KEPT * gap, rel=0.01)


def test_a_target_is_raised_in_a_few_turns_at_most_and_not_for_ever():
    gap, raised = 1e-6, []
    rows, motions = rolling(1e-4, gap)
    for carrier in (CARRIED_BY_B, NO_CARRIER):
        rows.place[0, CARRIER], rows.extra[0] = carrier, 0.0
        while raise_target(rows, 0, motions, Sizes(0.0, gap, 0.0), 0.5):
            raised.append(rows.extra[0] / gap)
    np.testing.assert_allclose(raised, 2 * [0.25, 1.0, 4.0, MOST_GAPS])


@pytest.mark.parametrize(
    ("way", "radii", "most"), [(50, 0.0, 8.0), (200, 0.0, 20.0), (1000, 0.0, 32.0), (1000, 1e-3, 8.0)]
)
def test_targets_of_fast_bodies_are_raised_farther_but_not_those_of_balls(way, radii, most):
    """By a tenth of their way past each other: a ball would be thrown off."""
    gap = 1e-6
    rows, motions = rolling(0.0, gap)
    motions[0, 12] = way * gap
    # The ball lies on the floor.
    motions[0, 11] += radii
    while raise_target(rows, 0, motions, Sizes(0.0, gap, radii), 0.5):
        assert rows.extra[0] <= most * gap * (1.0 + 1e-12)
    assert rows.extra[0] == pytest.approx(most * gap)
