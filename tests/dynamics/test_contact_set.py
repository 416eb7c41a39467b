"""Rows of contacts that come and go."""

import numpy as np

from abut.contact.contact_kernels import GAP
from abut.dynamics.contacts.contact_set import ContactSet


def test_contacts_are_kept_while_they_live_and_push_or_are_near(rng):
    for n in (0, 1, 5, 60):
        contacts = ContactSet()
        contacts.make_room(n)
        contacts.n = n
        contacts.name[:n, 6] = np.arange(n)
        contacts.place[:n], contacts.friction[:n] = rng.normal(size=(n, 17)), rng.normal(size=(n, 3))
        contacts.force[:n], contacts.extra[:n] = rng.choice([0.0, 1.0], n), rng.random(n)
        alive, place, friction = rng.random(n) < 0.8, contacts.place.copy(), contacts.friction.copy()
        force, extra = contacts.force.copy(), contacts.extra.copy()
        rows = np.flatnonzero(alive & ((force[:n] > 0.0) | (place[:n, GAP] < 0.5)))
        contacts.keep(alive, 0.5)
        assert contacts.n == len(rows) and contacts.name[: contacts.n, 6].tolist() == rows.tolist()
        for found, table in ((contacts.place, place), (contacts.friction, friction)):
            np.testing.assert_array_equal(found[: contacts.n], table[rows])
        np.testing.assert_array_equal(contacts.force[: contacts.n], force[rows])
        np.testing.assert_array_equal(contacts.extra[: contacts.n], extra[rows])


def test_room_for_thousands_of_hits_is_not_kept():
    """Steps after one that looked through many hits copied tables of 30,000 rows for 90 contacts."""
    before, after = ContactSet(), ContactSet()
    before.make_room(10_000)
    before.n = 100
    before.force[:100] = np.arange(100)
    after.become(before)
    assert len(after.force) == len(after.acted) == 400 and (after.force[:100] == np.arange(100)).all()
    after.make_room(500)
    assert len(after.force) >= 500 and (after.force[:100] == np.arange(100)).all()
