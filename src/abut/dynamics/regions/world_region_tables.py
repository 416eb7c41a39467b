"""What the regions of a world are found from, and what is found of them."""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Floats, Ints
from ...query.regions.region_tables import Longs


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
    """(room, 12) force [N] and moment [N m] about the region's centre, on B and on A."""
    pressure: Floats
    """(room, 4) sum of the forces of contacts [N], and of their points times these [N m]."""
    friction: Floats
    """(room, 3) [N] on B."""
    slip: Floats
    """(room, 3) [m/s] of B along A, at the centre."""
    sliding: Ints
    """(room,) whether it slides."""
    region: Ints
    """(n_contact,) the region of each contact."""
    before: Ints
    """(n_contact,) the contact of the same pair before each of them, -1 for none."""
