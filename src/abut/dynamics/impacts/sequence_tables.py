"""What impacts that follow each other are worked out from."""

from typing import Any, NamedTuple


class Strikes(NamedTuple):
    """Contacts when bodies meet; lengths are speeds times the length of the motion."""

    restitution: Any
    """(n,) coefficients."""
    approach: Any
    """(n,) [m] way by which a contact would close, below 0 if it opens, -inf if it takes no part."""
    slow: Any
    """(n,) [m] approaches up to this one are of contacts at rest, which do not bounce."""
    lead: Any
    """(n,) [m] by what a velocity after the impact is handed back larger, for the middle of the motion."""
    wanted: Any
    """(n,) [m] way by which a contact opens again by Newton's law for itself, the lead included; 0 if it rests."""


class Row(NamedTuple):
    """The contacts of one island as rows, and how its bodies answer to each."""

    contact: Any
    """(m,) numbers of the contacts."""
    first: Any
    """(n_pair + 1,) places in `contact` where the pairs of bodies begin."""
    reply: Any
    """(m, width, 6) shifts of bodies by a unit push."""
    moved: Any
    """(m, width) the bodies that these are of."""
    through: Any
    """(m, n_row) pushes of rows of joints by a unit push."""
    joint: Any
    """(n_row,) numbers of these rows among the items."""
