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


class Blows(NamedTuple):
    """What a bounce would do to bodies."""

    pose: Any
    """(n_body, 7) where they have come to."""
    twist: Any
    """(n_body, 6) with which they have come."""
    change: Any
    """(n_body, 6) by what that changes."""
    books: Any
    """(n_row, BOOK_WIDTH) [J] of islands in the motion, see balance_kernels."""
    unit: Any
    """[kg/s^2] what makes work of a force as a length times a way."""


class Struck(NamedTuple):
    """What contacts strike on."""

    n: Any
    """Contacts; larger items are rows of joints."""
    approach: Any
    """(n,) [m] as in Strikes."""
    body: Any
    """(n_item, 2) bodies of each item."""
    push: Any
    """(n_row, 12) wrenches of unit forces on both bodies."""
    response: Any
    """(n_body + 1, 6, 6) how bodies answer to wrenches."""
    held: Any
    """(n_joint,) which rows of joints keep the rates they have."""


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
