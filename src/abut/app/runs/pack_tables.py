"""What travels between the kernels of records: bodies before and after a step, contacts, and where they are written."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Left(NamedTuple):
    """Bodies as the last step left them."""

    twist: NDArray[np.float64]
    """(n_body, 6) [m/s], [rad/s], a copy: the world's own may be written to."""
    hold: NDArray[np.float64]
    """(n_body, 10) hands, see hold_kernels."""
    target: NDArray[np.float64]
    """(n_body, 7) to where they draw."""


class Found(NamedTuple):
    """Bodies as the next step finds them."""

    twist: NDArray[np.float64]
    """(n_body, 6) [m/s], [rad/s]."""
    wrench: NDArray[np.float64]
    """(n_body, 6) applied [N], [N m]."""
    hold: NDArray[np.float64]
    """(n_body, 10)."""
    target: NDArray[np.float64]
    """(n_body, 7)."""


class When(NamedTuple):
    """Which step a message is of."""

    step: Any
    """Number of the step."""
    time: Any
    """[s] of the world."""
    stamp: Any
    """[ns] the same."""


class StepBodies(NamedTuple):
    """Bodies after a step."""

    pose: Any
    """(n_body, 7)."""
    twist: Any
    """(n_body, 6) [m/s], [rad/s]."""
    radius: Any
    """(n_body,) [m] by which each reaches beyond its features."""
    shape_of: Any
    """(n_body,) the shape of each."""
    numbers: Any
    """Numbers of vertices, edges and faces of shapes, see contact_table_kernels."""


class StepContacts(NamedTuple):
    """Contacts after a step, as tables of a ContactSet hold them."""

    name: Any
    """(n or more, NAME_WIDTH)."""
    place: Any
    """(n or more, PLACE_WIDTH)."""
    acted: Any
    """(n or more, ACTED_WIDTH)."""
    n: Any
    """How many there are."""


class ContactFrames(NamedTuple):
    """The same contacts as users see them."""

    entity: Any
    """(n, 2) vertices, edges or faces."""
    point: Any
    """(n, 3) [m]."""
    normal: Any
    """(n, 3)."""
    force: Any
    """(1, n) [N]."""


class Messages(NamedTuple):
    """Where messages of a chunk are written."""

    cursor: Any
    """(2,) where the next one begins in the buffer, and how many there are."""
    index: Any
    """(room, 3) channel, time [ns] and place of each."""
    buffer: Any
    """(room,) bytes."""


class Fields(NamedTuple):
    """How fields of a message become columns of a table of bytes."""

    size: Any
    """(n_field,) [bytes] of an item."""
    single: Any
    """(n_field,) whether one item stands for all rows of a message."""
    place: Any
    """(n_field,) [bytes] where items go in a row; negative: nowhere."""
    kinds: Any
    """(n_kind, width) texts for the numbers of one field, as bytes."""
    kind_field: Any
    """Which field that is, -1 for none."""
