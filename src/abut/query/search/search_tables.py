"""What a search over two hierarchies works with.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple

UNLIMITED = 2**62
"""As many pairs of nodes as it takes: a search with this limit goes on until it is done."""


class Queue(NamedTuple):
    """Open pairs of nodes, see queue_kernels."""

    pairs: Any
    """(room, 2) nodes of A and of B."""
    keys: Any
    """(room,) [m^2] lower bounds of their squared distances; inf in slots that are not used."""
    links: Any
    """(room,) the next slot of the same list."""
    heads: Any
    """(n_level,) the first slot of each level."""
    spare: Any
    """How many slots a descent to the leaves needs; with no more left, the queue goes on as a stack."""


class Discarded(NamedTuple):
    """Pairs that need not be looked at; without room where none are wanted."""

    pairs: Any
    """(room, 2) nodes of A and of B."""
    bounds: Any
    """(room,) [m] lower bounds of their distances, plus the reading of the clock."""


class Front(NamedTuple):
    """All pairs that a search discarded, see front_kernels."""

    pairs: Any
    """As in Discarded; likewise bounds."""
    bounds: Any
    holder: Any
    """(room,) the part that holds the direction along which a pair is apart: NOBODY, A or B."""
    sides: Any
    """(room, 4) that direction, in the frame of its holder, and how far [m] the holder's node reaches along it."""
    doubtful: Any
    """(room,) scratch: a list of entries."""
