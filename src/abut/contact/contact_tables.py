"""What travels between the kernels of contacts.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class Sides(NamedTuple):
    """One thing of each body of a pair: bodies, shapes, poses."""

    a: Any
    b: Any


class ContactRows(NamedTuple):
    """Contacts, of which only the first ones are in use."""

    name: Any
    """(capacity, 7) bodies and features, see contact_kernels."""
    place: Any
    """(capacity, 17) points [m], normals and gaps [m], see contact_kernels."""
    extra: Any
    """(capacity,) [m] by how much targets are raised in this step."""


class Surfaces(NamedTuple):
    """Surfaces of all shapes, one after another, see contact.surface."""

    start: Any
    """(n_shape + 1, 2) where the triangles and the facets of each shape begin."""
    region: Any
    """(n_triangle, 14) kind and index of the feature that each region of a triangle belongs to."""
    neighbour: Any
    """(n_triangle, 3) triangle across each side in the same facet, else -1."""
    plane: Any
    """(n_facet, 4) unit normal and offset [m]."""


class Touches(NamedTuple):
    """What a motion check found, grouped by pair."""

    times: Any
    """(room + 1,) the time of each, from the second entry on."""
    hits: Any
    """(room, 3) kind, feature of A, feature of B."""
    pair: Any
    """(room,) the pair of each."""
    n: Any
    """How many there are."""


class Movers(NamedTuple):
    """Bodies in motion, and which of them come near each other."""

    pairs: Any
    """(n_pair, 2) bodies."""
    shape_of: Any
    """(n_body,) the shape of each."""
    motions: Any
    """(n_body + 1, 18) see math.motion_tables."""


class AdmitOptions(NamedTuple):
    """Which touches become contacts."""

    slack: Any
    """[m] how far a vertex may lie beyond its face."""
    gap: Any
    """[m] of contacts."""
    window: Any
    """Part of the motion after the earliest touch of a pair that counts."""
    most: Any
    """How many contacts a pair may gain."""


class Chains(NamedTuple):
    """Contacts of every body B, in ascending order: what is known of a pair is found there."""

    first: Any
    """(n_body,) the first contact of each body, -1 for none."""
    following: Any
    """(n,) the next one of the same body, -1 at the end."""


class Sizes(NamedTuple):
    """Lengths that contacts of a pair are measured by."""

    slack: Any
    """[m] how far a vertex may lie beyond its face."""
    gap: Any
    """[m] of contacts."""
    radii: Any
    """[m] sum of the radii of both shapes."""


class Encounter(NamedTuple):
    """A pair of bodies whose touches are looked at."""

    bodies: Any
    """Sides."""
    shapes: Any
    """Sides."""
    sizes: Any
    """Sizes."""
    motions: Any
    """(n_body + 1, 18) see math.motion_tables."""
    table: Any
    """Features of query.motion.feature_tables."""
    surfaces: Any
    """Surfaces."""


class Moment(NamedTuple):
    """When two bodies touch."""

    at: Any
    """Time, 0 to 1."""
    poses: Any
    """Sides, at that time."""


class Group(NamedTuple):
    """Touches of one pair."""

    first: Any
    """The first of them."""
    last: Any
    """The one after the last."""
    latest: Any
    """Time of the latest that counts."""
