"""Bodies in a motion of a step: what it begins with, and what is found of it before contacts are.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class RigidBodies(NamedTuple):
    """One row a body."""

    kind: Any
    """(n,) dynamic, fixed, kinematic or frozen."""
    mass: Any
    """(n,) [kg]."""
    inertia: Any
    """(n, 3, 3) about the centre of mass, along the part's axes [kg m^2]."""
    drag: Any
    """(n, 2) [1/s] of translation and of rotation."""
    locked: Any
    """(n, 6) world directions and rotations that are held."""
    pose: Any
    """(n, 7) of the centre-of-mass frames."""
    twist: Any
    """(n, 6) velocity of the centre of mass, angular velocity."""
    load: Any
    """(n, 6) force and torque that are applied [N, N m]."""
    hold: Any
    """(n, HOLD_WIDTH) what hands hold, see hold_kernels."""
    target: Any
    """(n, 7) to where hands draw bodies."""


class Prediction(NamedTuple):
    """One row a body; tables of n + 1 rows have one more for the world, which stays as it is."""

    middle: Any
    """(n, 3, 3) inertia in the middle of the motion, along the world's axes [kg m^2]."""
    error: Any
    """(n, ERROR_WIDTH) from held bodies to their targets, see hold_kernels."""
    grip: Any
    """(n, 2) how much of the force and of the torque of hands is within their limits."""
    twist: Any
    """(n + 1, 6) at the start."""
    before: Any
    """(n + 1, 6) the same as find_before gives it, where a motion is not made with the velocities of its end."""
    free: Any
    """(n + 1, 6) over the motion, without contacts."""
    motion: Any
    """(n + 1, 18) rotation and position at the start, displacement and rotation vector."""
    movable: Any
    """(n + 1,) whether forces move the body."""
    weight: Any
    """(n + 1, 6, 6) effective masses over the smallest mass."""
    response: Any
    """(n + 1, 6, 6) inverses of these; zero for what cannot move."""
