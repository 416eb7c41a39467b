"""What the balance of energy of a motion is drawn from."""

from typing import Any, NamedTuple


class Balance(NamedTuple):
    """Bodies and rows of a motion that was found and not yet made."""

    mass: Any
    """(n_body,) [kg]."""
    inertia: Any
    """(n_body, 3, 3) along the axes of each body [kg m^2]."""
    middle: Any
    """(n_body, 3, 3) by which angular velocities of the motion are angular momenta."""
    movable: Any
    """(n_body + 1,) whether a body gives way; the last one is the world."""
    motion: Any
    """(n_body + 1, 18) poses at the start, displacements and rotation vectors."""
    free: Any
    """(n_body + 1, 6) twists without contacts and joints."""
    twist: Any
    """(n_body + 1, 6) twists at the start."""
    weight: Any
    """(n_body + 1, 6, 6) effective masses over `scale`, with what hands and drag add."""
    locked: Any
    """(n_body, 6) which directions a body does not move along or about."""
    before: Any
    """(n_body + 1, 6) the same, with angular velocities as `middle` makes momenta of them."""
    gamma: float
    """Share of the velocities at the end in those of the motion (see pair_laws)."""
    gravity: Any
    """(3,) [m/s^2]."""
    load: Any
    """(n_body, 6) forces and torques that are applied [N, N m]."""
    step: float
    """[s] of the whole step."""
    body: Any
    """(n_item, 2) bodies of contacts, then of rows of joints."""
    push: Any
    """(n_row, 12) wrenches of unit forces, see row_kernels; those of contacts are right."""
    x: Any
    """(n_row,) forces as lengths; those of contacts are right."""
    mu: Any
    """(n_contact,) coefficients of friction."""
    law: Any
    """(n_joint,) laws of the rows of joints."""
    joint_name: Any
    """(n_joint, 4) see joint_kernels."""
    joint_place: Any
    """(n_joint, 16) see joint_kernels."""
    joint_last: Any
    """(n_joint,) coordinates at the start [m]."""
    joint_force: Any
    """(n_joint,) [N]."""
    joint_value: Any
    """(n_joint, 5) numbers of the laws, see joint_kernels."""
    spring_middle: Any
    """(n_joint,) where springs were in the middle of the last motion of this step [m], nan in the first one."""


class Span(NamedTuple):
    """Of the motion whose balance is drawn."""

    n: Any
    """How many contacts there are; rows of joints stand behind them."""
    unit: Any
    """[kg] the mass by which forces are scaled to lengths, f h^2 / unit."""
    h: Any
    """[s] its length."""
    gap: Any
    """[m] the contact gap."""
    last: Any
    """[s] length of the motion before it, in whose middle bodies had the velocities of the start; at first, of the
    step."""


class Scheme(NamedTuple):
    """How a motion is made, as far as its judgement depends on that."""

    gamma: Any
    """Share of the velocities at the end in those of the motion (see pair_laws)."""
    gravity: Any
    """(3,) [m/s^2]."""
    step: Any
    """[s] of the whole step."""
    unit: Any
    """[kg] as in Span."""
    last: Any
    """[s] as in Span."""
    correct: Any
    """Whether forces may still be found again for other turns."""


class Moved(NamedTuple):
    """Bodies after a motion, from which energy is taken."""

    pose: Any
    """(n_body, 7)."""
    twist: Any
    """(n_body, 6)."""
    past: Any
    """(n_body, 2) [J] what they have gained in earlier motions of the step, by both measures."""
    acted: Any
    """(n_body, WRENCHES, 6) where what is taken is noted."""
