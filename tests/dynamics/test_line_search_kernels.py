"""How much of Newton's step is taken: against the potential itself, written down anew and searched on a fine grid."""

import numpy as np
import pytest

from abut.dynamics.solver import line_search_kernels as kernels
from abut.dynamics.solver import problem_tables as tables
from abut.dynamics.solver.law_kernels import LAGGED
from abut.dynamics.solver.problem_tables import Bodies, Contacts, Rows, Search
from abut.dynamics.solver.row_kernels import FRAME_WIDTH

FACTOR = 100.0


class Island:
    """Random contacts and rows of joints of a few bodies and the world, with a step along which to look."""

    def __init__(self, rng, n_contact, n_joint, n_body=3, mu=0.0):
        n_row, n_item = 3 * n_contact + n_joint, n_contact + n_joint
        self.n = n_contact
        self.items = np.arange(n_item, dtype=np.int32)
        self.bodies = np.arange(n_body, dtype=np.int32)[::-1].copy()
        self.position = np.append(np.argsort(self.bodies), -1).astype(np.int32)
        self.body = np.array([rng.choice(n_body + 1, 2, replace=False) for _ in range(n_item)], np.int32)
        self.push = self.slope = rng.normal(size=(n_row, 12))
        self.w, self.x, self.rho = 0.1 * rng.normal(size=n_row), np.abs(rng.normal(size=n_row)), np.full(n_row, 0.1)
        self.mu, self.compliance = np.full(n_contact, mu), 0.01 * rng.random(n_joint)
        self.lower, self.upper = np.full(n_joint, -2.0), np.full(n_joint, 2.0)
        root = rng.normal(size=(n_body + 1, 6, 6))
        self.weight = root @ root.transpose(0, 2, 1) + np.eye(6)
        self.shift, self.direction = 0.1 * rng.normal(size=(n_body + 1, 6)), rng.normal(size=(n_body, 6))

    def moved(self, length):
        """Shifts and values of the rows this far along the direction."""
        shift = self.shift.copy()
        shift[self.bodies] += length * self.direction
        way = shift - self.shift
        both = np.concatenate((way[self.body[:, 0]], way[self.body[:, 1]]), axis=1)
        rows = np.concatenate((np.repeat(both[: self.n], 3, axis=0), both[self.n :]))
        return shift, self.w + np.einsum("ri,ri->r", self.slope, rows)

    def potential(self, length):
        """Work of inertia, and what answers store: squares of forces by twice their weights (and compliances)."""
        shift, w = self.moved(length)
        rho, last = FACTOR * self.rho, 3 * self.n
        total = 0.5 * np.einsum("bi,bij,bj->", shift[:-1], self.weight[:-1], shift[:-1])
        z = self.x - rho * w
        total += (np.maximum(z[:last:3], 0.0) ** 2 / (2.0 * rho[:last:3])).sum()
        slip = np.hypot(z[1:last:3], z[2:last:3])
        radius = self.mu * self.x[:last:3]
        beyond = np.maximum(slip - radius, 0.0)
        total += np.where(self.mu > 0.0, (slip**2 - beyond**2) / (2.0 * rho[1:last:3]), 0.0).sum()
        stiffness = rho[last:] / (1.0 + rho[last:] * self.compliance)
        force = z[last:] * stiffness / rho[last:]
        past = force - np.clip(force, self.lower, self.upper)
        return total + ((force**2 - past**2) / (2.0 * stiffness)).sum()

    def go_downhill(self):
        """Let the direction be one along which the potential falls."""
        if self.potential(1e-7) > self.potential(0.0):
            self.direction *= -1.0

    def length(self):
        """The part of the direction that the kernel would take."""
        n_row = len(self.w)
        empty = np.zeros(0)
        contacts = Contacts(self.n, empty, empty, empty, empty, self.mu, empty, 1.0)
        bodies = Bodies(*(empty for _ in Bodies._fields))
        bodies = bodies._replace(weight=self.weight, shift=self.shift, step=self.direction)
        frame, laws = np.zeros((self.n, FRAME_WIDTH)), (self.compliance, self.lower, self.upper)
        rows = Rows(self.body, self.push, self.slope, self.w, self.x, np.zeros(n_row), self.rho, frame, *laws)
        island, search = tables.Island(self.items, self.bodies, self.position), Search(FACTOR, LAGGED, 0.0, False)
        rate = np.full((3 * len(self.items), 2), np.nan)
        return kernels.length_ahead(island, contacts, bodies, rows, search, rate)


@pytest.mark.parametrize(("contacts", "joints", "mu"), [(6, 0, 0.0), (0, 5, 0.0), (5, 4, 0.0), (6, 3, 0.5)])
def test_it_stops_where_the_potential_is_lowest(rng, contacts, joints, mu):
    shorter = 0
    for _ in range(30):
        island = Island(rng, contacts, joints, mu=mu)
        island.go_downhill()
        found = island.length()
        h = 1e-6
        slope = lambda t: (island.potential(t + h) - island.potential(t - h)) / (2.0 * h)  # noqa: B023, E731
        assert 0.0 < found <= 1.0
        if found == 1.0:
            assert slope(1.0) <= 1.01 * kernels.NEAR_FLAT * abs(slope(0.0))
        else:
            shorter += 1
            assert abs(slope(found)) <= 1.01 * kernels.NEAR_FLAT * abs(slope(0.0))
            grid = np.linspace(0.0, 1.0, 201)
            values = np.array([island.potential(t) for t in grid])
            assert island.potential(found) - values.min() <= 0.1 * (values[0] - values.min())
    assert shorter > 5


def test_a_step_that_falls_all_the_way_is_taken_whole(rng):
    island = Island(rng, 4, 2)
    island.go_downhill()
    island.direction *= 1e-6
    assert island.length() == 1.0
