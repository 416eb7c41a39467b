"""Tables of bodies that are compared before a step, and written down where they differ."""

from typing import NamedTuple

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
