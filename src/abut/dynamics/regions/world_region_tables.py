"""What the regions of a world are found from, and what is found of them."""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Floats, Ints
from ...query.regions.region_tables import Found, Longs


class PartTables(NamedTuple):
    """Parts of all bodies, one after the other; see `layout_kernels.part_of`."""

    floats: Floats
    ints: Ints
    starts: Ints
    """(n_part + 1, STARTS) where each part begins."""
    margin: Floats
    """(n_part,) [m] how far a part reaches beyond its core."""
    number: Ints
    first: Ints
    """How features are numbered in their parts, see `PartNumbers`."""


class RoomTables(NamedTuple):
    """Three arrays in which tables lie; see `layout_kernels`."""

    floats: Floats
    ints: Ints
    longs: Longs
    room: int
    """For how many regions."""
    width: int
    """For how many contacts, or levels of trees."""


class GivenContacts(NamedTuple):
    """Contacts as the world has them."""

    name: Ints
    """(n, 7) as contact_kernels write them."""
    place: Floats
    """(n, 17) as contact_kernels write them."""
    acted: Floats
    """(n, 12) as account_kernels write them."""
    n: int


class BodyTables(NamedTuple):
    """Bodies as the search takes them."""

    shape: Ints
    """(n_body,) number of its part in the stack."""
    centre: Floats
    """(n_body, 3) centre of mass in the part's frame [m]."""
    pose: Floats
    """(n_body, 7) of centre-of-mass frames."""
    twist: Floats
    """(n_body, 6) velocity of the centre of mass, angular velocity."""
    radius: Floats
    """(n_body,) [m] how far bodies reach beyond their points and edges."""
    feature_shape: Ints
    """(n_body,) number of its shape among those whose features contacts name."""


class ContactTables(NamedTuple):
    """Contacts that are or were in a step."""

    name: Ints
    """(n, 7) as contact_kernels write them."""
    place: Floats
    """(n, 17) as contact_kernels write them."""
    acted: Floats
    """(n, 12) as account_kernels write them."""
    entity: Ints
    """(room, 2) numbers of the features in their parts; this and the following are found from the others."""
    point: Floats
    """(room, 3) [m] in the world."""
    normal: Floats
    """(room, 3) from A to B."""
    push: Floats
    """(room,) [N] along the normal."""


class Given(NamedTuple):
    """What regions are found from, beside parts and contacts."""

    bodies: BodyTables
    tolerance: float
    """[m]."""
    fastest: float
    """[m/s] at which a region does not yet slide."""


class Pairs(NamedTuple):
    """Pairs of bodies that have contacts."""

    counts: Ints
    """(1,) how many."""
    body: Ints
    """(room, 2)."""
    pose: Floats
    """(room, 14) of the parts of both bodies, when their regions were found."""
    start: Ints
    """(room + 1,) where the regions of each pair begin."""
    last: Ints
    """(room,) the last contact of each pair, -1 for none."""
    slots: Ints
    """(4 room,) places of a hash table: number of a pair + 1, or 0."""
    slot: Ints
    """(room,) the place of each pair."""


class Reading(NamedTuple):
    """What acted on regions, and how they move."""

    label: Longs
    """(room,)."""
    counts: Longs
    """(1,) next label."""
    owner: Ints
    """(room, 2) numbers of both bodies."""
    made: Ints
    """(room,) 1 for a region that is nothing but a contact: of features that are not parallel, or have let go."""
    wrench: Floats
    """(room, 12) force [N] and moment [N m] about the centre of mass, on B and on A."""
    pressure: Floats
    """(room, 8) sum of the forces of contacts [N], and of their points times these [N m]; how many there are, and
    the sum of their points [m]."""
    friction: Floats
    """(room, 3) [N] on B."""
    slip: Floats
    """(room, 3) [m/s] of B along A, in the middle of the contacts."""
    sliding: Ints
    """(room,) whether it slides."""
    region: Ints
    """(n_contact,) the region of each contact."""
    before: Ints
    """(n_contact,) the contact of the same pair before each of them, -1 for none."""


class Moments(NamedTuple):
    """All that is known of the regions of a moment."""

    found: Found
    pairs: Pairs
    reading: Reading
    contacts: ContactTables
