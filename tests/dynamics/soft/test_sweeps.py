"""Sweeps over impulses: laws of contacts that answer alike, and how much sooner mixed sweeps get there."""

import numpy as np
import pytest

from abut.dynamics.soft.soft_tables import Rows
from abut.dynamics.soft.sweep_kernels import sweep_impulses

FRICTION, ENOUGH = 0.4, 1e-9


def crowd(rng, contacts, nodes):
    """Contacts on fewer nodes, pressed upon: rows, and what is left of them [m] without impulses."""
    spread = np.zeros((contacts, nodes))
    for k, row in enumerate(spread):
        row[rng.choice(nodes, 3, replace=False)] = rng.dirichlet((2.0, 2.0, 2.0))
        row[k % nodes] += 0.2
    stiffness = 2.5 * np.eye(nodes) - np.eye(nodes, k=1) - np.eye(nodes, k=-1)
    axes = np.kron(spread, np.eye(3))
    answer = np.ascontiguousarray(axes @ np.kron(np.linalg.inv(stiffness), np.eye(3)) @ axes.T)
    ways = rng.uniform((-1.0, -0.8, -0.8), (-0.2, 0.8, 0.8), (nodes, 3))
    left = axes @ ways.ravel()
    kind = np.zeros(contacts, np.int32)
    friction, limit = np.full(contacts, FRICTION), np.full(contacts, np.inf)
    return Rows(np.arange(contacts, dtype=np.int32), kind.copy(), kind, friction, limit, answer), left


def plain_sweeps(answer, left, most):
    """The same sweeps, none of them mixed: how many until one changes nothing by more than is enough."""
    impulse, left = np.zeros_like(left), left.copy()
    for sweep in range(most):
        largest = 0.0
        for r in range(0, len(left), 3):
            new = max(0.0, impulse[r] - left[r] / (1.0001 * answer[r, r]))
            changes = [(r, new - impulse[r])]
            left += answer[r] * changes[0][1]
            impulse[r] = new
            stiff = 1.0001 * max(answer[r + 1, r + 1], answer[r + 2, r + 2])
            wanted = impulse[r + 1 : r + 3] - left[r + 1 : r + 3] / stiff
            wanted *= min(1.0, FRICTION * new / max(np.hypot(*wanted), 1e-300))
            changes += [(r + 1, wanted[0] - impulse[r + 1]), (r + 2, wanted[1] - impulse[r + 2])]
            for s, change in changes[1:]:
                impulse[s] += change
                left += answer[s] * change
            largest = max(largest, *(abs(change) * answer[s, s] for s, change in changes))
        if largest < ENOUGH:
            return sweep + 1
    return most


@pytest.mark.parametrize(("contacts", "nodes"), [(12, 30), (40, 25), (60, 20)])
def test_mixed_sweeps_keep_the_laws_of_contact(rng, contacts, nodes):
    rows, begin = crowd(rng, contacts, nodes)
    left, impulse = begin.copy(), np.zeros_like(begin)
    sweeps = sweep_impulses(tuple(rows), 3, 5000, ENOUGH, left, impulse)
    assert sweeps < 5000
    np.testing.assert_allclose(left, begin + rows.answer @ impulse, atol=1e-10)
    opening, slip = left[::3], np.stack((left[1::3], left[2::3]), axis=1)
    push, pull = impulse[::3], np.stack((impulse[1::3], impulse[2::3]), axis=1)
    size = np.hypot(*pull.T)
    assert push.min() >= 0.0 and (size <= FRICTION * push * (1 + 1e-12)).all()
    assert opening.min() > -1e-6 and np.abs(opening[push > 0.0]).max() < 1e-6
    sticks = size < FRICTION * push * (1 - 1e-9)
    assert np.abs(slip[sticks]).max(initial=0.0) < 1e-6
    slides = ~sticks & (push > 1e-6)
    assert slides.any()
    along = np.einsum("kd,kd->k", slip[slides], pull[slides]) / size[slides]
    np.testing.assert_allclose(along, -np.hypot(*slip[slides].T), atol=1e-5)


def test_mixed_sweeps_are_fewer_where_contacts_are_more_than_nodes(rng):
    mixed = plain = 0
    for _ in range(5):
        rows, begin = crowd(rng, 60, 20)
        mixed += sweep_impulses(tuple(rows), 3, 5000, ENOUGH, begin.copy(), np.zeros_like(begin))
        plain += plain_sweeps(rows.answer, begin, 5000)
    assert 2 * mixed < plain, (mixed, plain)
