"""Levels of abstraction (SiLVIA, section 4), from parts that refuse to penetrate to full dynamics.

geometric   bodies go where they are drawn or with the velocity they were given as far as nothing is in the way
kinematic   the same with contacts and joints, along which bodies slide and by which they take each other along
dynamic     with inertia, gravity and forces
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, is_one_of
from ...errors import InputError
from ...math.motion_tables import WAY

LEVELS = ("geometric", "kinematic", "dynamic")
SHORTEST_SHARE = 2.0**-12
"""Of a step's motion; a body of the geometric level that is not free to go even that far stays where it is."""


def check_level(level: str) -> None:
    """Refuse names that do not exist."""
    if not is_one_of(level, LEVELS):
        raise InputError(f"level: expected one of {', '.join(LEVELS)}, got {level!r}")


def shorten(motion: Floats, share: Floats, hit: NDArray[np.bool_]) -> None:
    """Halve the motions of bodies that hit something; stop those that are left with next to nothing."""
    factor = np.where(hit, 0.5, 1.0)
    share *= factor
    factor[share < SHORTEST_SHARE] = 0.0
    motion[:, WAY:] *= factor[:, None]
