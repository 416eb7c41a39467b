"""What a motion is predicted from, and what is found of it before contacts are."""

from __future__ import annotations

from typing import Any, NamedTuple


class Bodies(NamedTuple):
    """One row a body."""

    kind: Any
    """(n,) dynamic, fixed, kinematic or frozen."""
    mass: Any
    """(n,) [kg]."""
    inertia: Any
    """(n, 3, 3) about the centre of mass, along the part's axes [kg m^2]."""
    pose: Any
    """(n, 7) of the centre-of-mass frames."""
    twist: Any
    """(n, 6) velocity of the centre of mass, angular velocity."""
    locked: Any
    """(n, 6) world directions and rotations that are held."""
    hold: Any
    """(n, HOLD_WIDTH) what hands hold, see hold_kernels."""
    target: Any
    """(n, 7) to where hands draw bodies."""


class Prediction(NamedTuple):
    """One row a body, and one more for the world, which stays as it is."""

    middle: Any
    """(n, 3, 3) inertia in the middle of the motion, along the world's axes [kg m^2]."""
    error: Any
    """(n, ERROR_WIDTH) from held bodies to their targets, see hold_kernels."""
    twist: Any
    """(n + 1, 6) at the start."""
    free: Any
    """(n + 1, 6) over the motion, without contacts."""
    motion: Any
    """(n + 1, 18) rotation and position at the start, room for displacement and turn."""
    movable: Any
    """(n + 1,) whether forces move the body."""
