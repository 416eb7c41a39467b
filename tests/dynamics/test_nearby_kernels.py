"""Forces near contacts that are not right: the same as all at once, and nothing far away is touched."""

import numpy as np
import pytest

from abut.dynamics.solver import nearby_kernels as kernels
from abut.dynamics.solver.accelerated_kernels import solve_by_sweeps
from abut.dynamics.solver.multiplier_kernels import largest_residuals, measure
from abut.dynamics.solver.problem_kernels import make_room
from abut.dynamics.solver.problem_tables import Bodies, Contacts, Effort, Island, Joints, Marks, Problem, Rows
from abut.dynamics.solver.row_kernels import FRAME_WIDTH

TOLERANCE = 1e-6


class Lattice:
    """Bodies in a row or a grid that lie on each other, as a problem of velocities: values are base + push . shift.

    The last body cannot move; the bodies of the lowest row lie on it.
    """

    def __init__(self, width, height, rng):
        n = self.n_body = width * height
        pairs = [(k, k - width if k >= width else n) for k in range(n)]
        pairs += [(k, k + 1) for k in range(n) if (k + 1) % width]
        self.body = np.array(pairs, np.int32)
        m = self.n = len(pairs)
        self.items = np.arange(m, dtype=np.int32)
        push = rng.normal(scale=0.2, size=(m, 12))
        push[:n, 2], push[:n, 8], push[n:, 0], push[n:, 6] = 1.0, -1.0, -1.0, 1.0
        none, mu, wide = np.zeros(0), np.zeros(m), (np.zeros((3 * m, 12)), np.zeros((3 * m, 12)))
        long = (np.zeros(3 * m) for _ in range(4))
        self.rows = Rows(self.body, *wide, *long, np.zeros((0, FRAME_WIDTH)), none, none, none)
        self.rows.push[::3] = push
        self.base = np.zeros(3 * m)
        # Every body would fall by 1.
        self.base[: 3 * n : 3] = np.where(self.body[:n, 1] == n, -1.0, 0.0)
        joints = Joints(np.zeros((0, 4), np.int32), np.zeros((0, 16)), none, none)
        contacts = Contacts(m, np.zeros((0, 7), np.int32), np.zeros((0, 17)), none, none, mu, none, 1.0)
        self.problem = Problem(contacts, joints, 0, True, self.base)
        self.movable = np.append(np.ones(n, np.bool_), False)
        response = np.zeros((n + 1, 6, 6))
        response[:n] = np.eye(6)
        self.shift, self.others = np.zeros((n + 1, 6)), np.zeros((n + 1, 6))
        self.bodies = Bodies(
            *(np.zeros((n + 1, 18)), np.zeros((n + 1, 6)), response, response.copy(), 1.0, np.ones(n + 1)),
            *(self.shift, np.zeros((n + 1, 12)), np.zeros((n + 1, 6)), np.zeros((n + 1, 6)), self.others),
            *(np.zeros((n + 1, 6)) for _ in range(3)),
        )

    @property
    def force(self):
        return self.rows.x[::3]

    def wrong_by(self):
        """Largest violation, with shifts that the forces give."""
        list_ = np.arange(self.n_body, dtype=np.int32)
        return measure(self.items, list_, self.problem, self.bodies, self.rows)[0]

    def island(self):
        """All of it."""
        members = np.arange(self.n_body, dtype=np.int32)
        return Island(self.items, members, np.append(members, -1).astype(np.int32))

    def solve_as_a_whole(self):
        effort = Effort(0.1 * TOLERANCE, 1.0, 0, 5000)
        solve_by_sweeps(self.island(), self.problem, self.bodies, self.rows, effort, False)

    def sweep_roughly(self, few):
        """Sweep all until a few items are wrong; returns how many are."""
        solve_by_sweeps(self.island(), self.problem, self.bodies, self.rows, Effort(TOLERANCE, 1.0, few, 5000), False)
        return np.count_nonzero(np.abs(np.minimum(self.force, self.rows.w[::3])) > TOLERANCE)

    def mend(self, *due_bodies, look_at_due=True):
        """Solve near what is not right or due: whether that did, and the bodies that moved."""
        due, room = np.zeros(self.n_body + 1, np.bool_), make_room(self.n_body + 1)
        due[list(due_bodies)] = True
        marks = Marks(self.movable, due, True, True)
        right, hard, _, sweeps, _ = kernels.solve_nearby(
            self.items, self.problem, self.bodies, self.rows, TOLERANCE, room, marks, look_at_due
        )
        assert (room.position == -1).all() and (room.near == 0).all() and (self.others == 0.0).all()
        return right, hard, sweeps, due


@pytest.fixture
def solved(rng):
    lattice = Lattice(40, 8, rng)
    lattice.solve_as_a_whole()
    assert lattice.wrong_by() <= TOLERANCE
    return lattice


def test_what_is_right_stays_as_it_is(solved):
    before = solved.force.copy()
    right, hard, sweeps, due = solved.mend()
    assert right and sweeps == 0 and not due.any() and hard <= TOLERANCE
    np.testing.assert_array_equal(solved.force, before)


def test_a_contact_that_wants_more_moves_what_is_near_it_only(solved):
    before, shift = solved.force.copy(), solved.shift.copy()
    k = 7 * 40 + 20  # in the middle of the highest row
    solved.base[3 * k] -= 1e-3
    measure(solved.items[[k]], np.zeros(0, np.int32), solved.problem, solved.bodies, solved.rows)
    assert largest_residuals(solved.items, solved.problem, solved.rows, solved.rows.x)[0] > 1e-4
    right, hard, sweeps, due = solved.mend()
    assert right and hard <= TOLERANCE and sweeps > 0 and solved.wrong_by() <= 1.001 * TOLERANCE
    assert due[k] and due.sum() < 0.7 * solved.n_body
    far = ~due[solved.body].any(axis=1)
    assert far.sum() > 50
    np.testing.assert_array_equal(solved.force[far], before[far])
    np.testing.assert_array_equal(solved.shift[:-1][~due[:-1]], shift[:-1][~due[:-1]])


def test_the_forces_are_those_of_a_solution_as_a_whole(solved, rng):
    for k in rng.integers(solved.n_body // 2, solved.n_body, 5):
        solved.base[3 * k] -= 1e-4
        measure(solved.items[[k]], np.zeros(0, np.int32), solved.problem, solved.bodies, solved.rows)
        assert solved.mend()[0]
    mended = solved.shift.copy()
    solved.solve_as_a_whole()
    # Each gap is right to the tolerance; the way down to the lowest row is eight gaps long.
    np.testing.assert_allclose(mended, solved.shift, atol=100.0 * TOLERANCE)


def test_a_body_that_is_due_moves_as_its_pushes_now_say(solved):
    """Also where all its contacts are right to the tolerance."""
    pressed = int(np.argmax(solved.force[: solved.n_body]))
    solved.rows.push[3 * pressed, :3] += 1e-9
    before = solved.shift.copy()
    right, _, sweeps, due = solved.mend(pressed)
    assert right and sweeps == 0 and 1 < due.sum() < 0.5 * solved.n_body
    moved = solved.shift.copy()
    solved.wrong_by()  # finds the shifts of all bodies
    assert np.abs(moved - before).max() > 1e-10
    np.testing.assert_allclose(moved, solved.shift, atol=1e-13)


def test_where_all_is_wrong_nothing_is_near(solved):
    solved.base[: 3 * solved.n_body : 3] -= 0.1
    list_ = np.arange(solved.n_body, dtype=np.int32)
    measure(solved.items, list_, solved.problem, solved.bodies, solved.rows)
    before = solved.force.copy()
    right, _, sweeps, due = solved.mend()
    assert not right and sweeps == 0 and not due.any()
    np.testing.assert_array_equal(solved.force, before)


def test_what_rough_sweeps_leave_is_mended(rng):
    """Also where a pass leaves some of it to the next; values and shifts are those that belong to the forces."""
    lattice = Lattice(120, 40, rng)
    wrong = lattice.sweep_roughly(few=3000)
    assert 20 < wrong < 3000
    right, hard, _, _ = lattice.mend(look_at_due=False)
    shift, value = lattice.shift.copy(), lattice.rows.w.copy()
    assert right and hard <= TOLERANCE and lattice.wrong_by() <= 1.01 * TOLERANCE
    np.testing.assert_allclose(shift, lattice.shift, rtol=0, atol=1e-12)
    np.testing.assert_allclose(value, lattice.rows.w, rtol=0, atol=1e-12)
