"""What a guard leaves out of its checks: nothing that a check of all pairs by somebody who knows nothing would find."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, Sphere, World
from abut.dynamics.stepping import guard
from abut.dynamics.stepping.guard_kernels import sort_hits
from abut.query.motion.feature_table import PairMemory


def hits_of(memory, n):
    return memory.pair[:n].tolist(), memory.hits[:n].tolist(), memory.times[1 : n + 1].tolist()


@pytest.fixture
def checks(monkeypatch):
    """How many pairs with a body that is due were there, and how many of them were left out, in checks that agree."""
    seen, check = [0, 0], guard.Guard.look

    def check_twice(self, left_rooms, motion, due_io, budget):
        due = due_io.copy()
        n, memory = check(self, left_rooms, motion, due_io, budget), self._memory
        if n == guard.TOO_LONG or len(memory.pairs) == 0:
            return n
        fresh = PairMemory(self._model.table, self._model.shape_of)
        fresh.set_pairs(memory.pairs)
        options = (0.5 * self.contact_gap, 0.01 * self.contact_gap, 0.5)
        m = fresh.check(np.ones(len(memory.pairs), bool), motion, options, guard.WINDOW)
        sort_hits(m, fresh.times, fresh.hits, fresh.pair)
        assert hits_of(memory, n) == hits_of(fresh, m)
        of_due = due[memory.pairs].any(axis=1)
        seen[0] += np.count_nonzero(of_due)
        seen[1] += np.count_nonzero(memory._slack[memory._slots][of_due] > 0.0)
        return n

    monkeypatch.setattr(guard.Guard, "look", check_twice)
    return seen


@pytest.mark.needs_jit
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_later_rounds_find_what_a_first_look_would(rng, checks, friction):
    world = World(dt=2e-3, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    shapes = [Solid.box((0.1, 0.08, 0.06)), Solid.box((0.3, 0.03, 0.03)), Solid.box(0.05), Sphere(0.04)]
    for k in range(24):
        place = (*(0.3 * (np.array([k % 3, k // 3 % 3]) - 1)), 0.2 + 0.3 * (k // 9))
        pose, spin = Pose.from_rotvec(place, rng.normal(size=3)), 3.0 * rng.normal(size=3)
        world.add_body(shapes[k % 4], f"part {k}", pose=pose, velocity=(0, 0, -1), angular_velocity=spin)
    for _ in range(150):
        world.step()
    assert world.report.contacts > 20 and checks[1] > 0.05 * checks[0] > 100
