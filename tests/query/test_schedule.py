"""The schedule of pairs: known orders, a sorted list and exact times of impact as oracles, misuse."""

from itertools import pairwise

import numpy as np
import pytest

import abut
from abut.query.impact.schedule import Schedule, impact_bound


@pytest.mark.parametrize(
    ("distance", "speed", "acceleration", "time"),
    [(2.0, 4.0, 0.0, 0.5), (2.0, 0.0, 4.0, 1.0), (0.0, 3.0, 1.0, 0.0), (1.0, 0.0, 0.0, np.inf), (3.0, 1.0, 4.0, 1.0)],
)
def test_the_bound_is_when_the_way_is_used_up(distance, speed, acceleration, time):
    assert impact_bound(distance, speed, acceleration) == pytest.approx(time)


def test_the_earliest_pair_comes_first_and_changes_count():
    schedule = Schedule()
    schedule.put("ab", 3.0)
    schedule.put("bc", 1.0)
    schedule.put("ac", np.inf)
    assert schedule.first == ("bc", 1.0) and len(schedule) == 3
    schedule.put("bc", 5.0)
    assert schedule.first == ("ab", 3.0)
    schedule.remove("ab")
    assert schedule.first == ("bc", 5.0) and "ab" not in schedule


def test_random_changes_give_the_order_of_a_sorted_table(rng):
    schedule, table = Schedule(), {}
    for step in range(3000):
        pair = int(rng.integers(40))
        if pair in table and rng.uniform() < 0.2:
            schedule.remove(pair)
            del table[pair]
        else:
            time = float(rng.integers(100))
            schedule.put(pair, time)
            table[pair] = (time, step)
        earliest = min(table.items(), key=lambda item: item[1], default=None)
        assert schedule.first == (None if earliest is None else (earliest[0], earliest[1][0]))
    assert len(schedule._heap) < 64 + 4 * 41


def test_intervals_are_free_and_end_with_the_first_touch(rng):
    """Balls on straight lines: the walk by distance and speed ends at the exact time of impact."""
    position, velocity = 4 * rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    pairs = [(i, j) for i in range(8) for j in range(i)]
    radius = 0.15

    def gap(pair, t):
        i, j = pair
        return float(np.linalg.norm(position[i] - position[j] + t * (velocity[i] - velocity[j]))) - 2 * radius

    def bound(pair, t):
        d = gap(pair, t)
        return t if d < 1e-6 else t + impact_bound(d, float(np.linalg.norm(velocity[pair[0]] - velocity[pair[1]])))

    schedule = Schedule()
    for pair in pairs:
        schedule.put(pair, 0.0)
    intervals = list(schedule.free_intervals(0.0, 50.0, bound))
    assert intervals[0][0] == 0.0
    assert all(one[1] == next_[0] for one, next_ in pairwise(intervals))
    times = np.linspace(0.0, intervals[-1][1], 2000)[:-1]
    assert min(gap(pair, t) for pair in pairs for t in times) > 0.0
    if intervals[-1][2] is None:
        assert intervals[-1][1] == 50.0
    else:
        assert gap(intervals[-1][2], intervals[-1][1]) < 1e-6


def test_a_schedule_without_pairs_is_free_throughout():
    assert list(Schedule().free_intervals(1.0, 2.0, lambda *_: 0.0)) == [(1.0, 2.0, None)]


def test_misuse_is_named():
    with pytest.raises(abut.InputError, match="'ab' is not in the schedule"):
        Schedule().remove("ab")
    with pytest.raises(abut.InputError, match="pair 'ab' is not a number"):
        Schedule().put("ab", np.nan)
    with pytest.raises(abut.InputError, match="speed: expected a number not smaller than 0"):
        impact_bound(1.0, -1.0)
