"""What a motion makes of the energy of bodies: whether they gain what nothing gave them, and what they lose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..joints.joint_set import JointSet
from ..state import Model
from ..stepping.workspace import StepTables
from .balance_kernels import find_losses, largest_gain
from .balance_tables import Balance

MOST_FROM_NOWHERE = 1e-4
"""Share of the energy of bodies that push each other, and of the work on them, that a motion may add; rounding and the
tolerance of forces are below that, and turns of more than a few hundredths of a radian may be above it."""


def _balance(model: Model, tables: StepTables, joints: JointSet, mu: Floats) -> tuple[Any, ...]:
    """The motion in the tables, as kernels take it."""
    balance = Balance(
        mass=model.mass,
        inertia=model.inertia,
        middle=tables.middle,
        movable=tables.movable,
        motion=tables.motion,
        free=tables.free,
        twist=tables.twist,
        weight=tables.weight,
        body=tables.rows.body,
        push=tables.rows.push,
        x=tables.rows.x,
        mu=mu,
        law=joints.law[: joints.n],
        joint_name=joints.name,
        joint_place=joints.place,
        joint_last=joints.last,
        joint_force=joints.force,
    )
    return tuple(balance)


def gains_energy(model: Model, tables: StepTables, n: int, joints: JointSet, mu: Floats, h: float, gap: float) -> bool:
    """Whether the motion of length h in the tables, with n contacts, gives bodies energy from nowhere."""
    balance = _balance(model, tables, joints, mu)
    return bool(largest_gain(n, balance, tables.scale, h, gap) > MOST_FROM_NOWHERE)


def energy_lost(model: Model, tables: StepTables, n: int, joints: JointSet, mu: Floats, h: float) -> Floats:
    """[J] what every island of the motion in the tables has lost by contacts, as they are found by find_islands."""
    lost = np.zeros(n + joints.n)
    find_losses(n, _balance(model, tables, joints, mu), tables.scale, h, lost)
    return lost
