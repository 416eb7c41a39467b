"""Tables of the search for events on the way of a step."""

from typing import Any, NamedTuple


class Way(NamedTuple):
    """A step of the integration, as far as it is looked at: states between its ends come from the dense output."""

    y: Any
    """(n, 13) state at its start."""
    dense: Any
    """(7, n, 13) coefficients."""
    h: float
    """[s] its length."""
    bounds: Any
    """(n, 3) largest acceleration [m/s^2], angular acceleration [rad/s^2] and angular velocity [rad/s] on the way."""


class Shapes(NamedTuple):
    """What bodies look like."""

    table: Any
    """Of feature_table_kernels."""
    surfaces: Any
    """Of contact.surface."""
    shape_of: Any
    """(n,)."""
