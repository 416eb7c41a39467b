"""What the regions of a world are found from, and what is found of them.

Tables that stay where they are reach kernels in packets (see _jit/packet.py).
"""

from __future__ import annotations

from typing import NamedTuple

from ..._jit import Layout
from ...arrays import Floats, Ints
from ...query.regions.region_tables import FOUND, GROUPS, SCRATCH, Found, Groups, Longs, Memory, Scratch
from ..contacts.contact_tables import PartNumbers


class GivenContacts(NamedTuple):
    """Contacts as the world has them: those that are, then those that have let go in the step."""

    name: Ints
    """(n, 7) as contact_kernels write them."""
    place: Floats
    """(n, 17) as contact_kernels write them."""
    acted: Floats
    """(n, 12) as account_kernels write them."""
    n: int
    """How many there are."""
    n_touching: int
    """Contacts from this number on have let go."""


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
    margin: Floats
    """(n_part,) [m] how far a part reaches beyond its core."""


class StillBodies(NamedTuple):
    """What of bodies does not change from moment to moment, see `BodyTables`."""

    shape: Ints
    centre: Floats
    radius: Floats
    feature_shape: Ints
    margin: Floats


class ContactFrames(NamedTuple):
    """What is found of contacts first."""

    entity: Ints
    """(room, 2) numbers of the features in their parts."""
    point: Floats
    """(room, 3) [m] in the world."""
    normal: Floats
    """(room, 3) from A to B."""
    push: Floats
    """(room,) [N] along the normal."""


class ContactTables(NamedTuple):
    """Contacts that are or were in a step: `GivenContacts`, then `ContactFrames`."""

    name: Ints
    place: Floats
    acted: Floats
    n_touching: int
    entity: Ints
    point: Floats
    normal: Floats
    push: Floats


class PairContacts(NamedTuple):
    """Contacts of one pair of bodies, from the last one back."""

    contacts: ContactTables
    before: Ints
    """(n_contact,) the contact of the same pair before each of them, -1 for none."""
    last: int
    """The last of the pair."""


class Given(NamedTuple):
    """What regions are found from, beside parts."""

    bodies: BodyTables
    contacts: ContactTables
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
    frames: ContactFrames


KNOWN, MOMENT, MEASURED, WORK = Layout(), Layout(), Layout(), Layout()
bodies_of, _ = KNOWN.section(StillBodies, "i1 f2 f1 i1 f1")
numbers_of, _ = KNOWN.section(PartNumbers, "i1 i2")
regions_of, _ = MOMENT.section(Found, FOUND)
pairs_of, _ = MOMENT.section(Pairs, "i1 i2 f2 i1 i1 i1 i1")
reading_of, _ = MOMENT.section(Reading, "l1 l1 i2 i1 f2 f2 f2 f2 i1 i1 i1")
frames_of, _ = MOMENT.section(ContactFrames, "i2 f2 f2 f1")
measured_of, _ = MEASURED.section(Found, FOUND)
scratch_of, _ = WORK.section(Scratch, SCRATCH)
groups_of, _ = WORK.section(Groups, GROUPS)
memory_of, _ = WORK.section(Memory, "l1 f2 i1 l1 f2 l1 i2")
