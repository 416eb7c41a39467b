"""What a step says it did: forces of contacts, joints and hands, copied after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import abut

from .reading import Actor, Floats


@dataclass(frozen=True)
class Facts:
    """Of one step."""

    dt: float
    gravity: Floats
    contact_gap: float
    report: Any
    """What `World.step` returned."""
    seconds: float
    """Of processor time that it took."""
    contacts: Any
    """`World.contacts` after it."""
    wrenches: dict[str, Floats]
    """(n, 6) force and torque about the centre of mass on every body, by where they come from."""
    untold: frozenset[int]
    """Bodies on which something acts whose force the world does not tell."""
    driven: float
    """[J] work of motors and springs of joints, at the mean of the speeds before and after."""
    level: str
    """Of the world: laws of forces and energy hold where there is inertia, at level "dynamic"."""

    def total(self) -> tuple[Floats, Floats]:
        """Sum of all wrenches, and sum of the lengths of forces and torques in it."""
        total = sum(self.wrenches.values())
        size = np.zeros((len(total), 2))
        for wrench in self.wrenches.values():
            size += np.stack((np.linalg.norm(wrench[:, :3], axis=1), np.linalg.norm(wrench[:, 3:], axis=1)), axis=1)
        return total, size


TOLD = ("joint", "hand", "lock", "damping")
"""Sources of force of which a body may tell by a method `..._wrench()`."""


def told(body: abut.Body, source: str) -> Floats | None:
    """The wrench of a source on a body; None where the library has no such method."""
    method = getattr(body, f"{source}_wrench", None)
    return None if method is None else np.asarray(method(), float)


def gather_wrenches(world: abut.World, cast: list[Actor], applied: Floats, contacts: Any) -> dict[str, Floats]:
    """All forces of the last step, body by body."""
    n = len(cast)
    mass = np.array([actor.mass if actor.kind == "dynamic" else 0.0 for actor in cast])
    weight = np.zeros((n, 6))
    weight[:, :3] = mass[:, None] * np.asarray(world.gravity)
    on_contacts = contact_wrenches(contacts, world._state.pose[:, :3])
    wrenches = {"weight": weight, "applied": applied, "contact": on_contacts}
    for source in TOLD:
        rows = [told(body, source) for body in world.bodies]
        if rows and rows[0] is not None:
            wrenches[source] = np.array(rows)
    return wrenches


def contact_wrenches(contacts: Any, centres: Floats) -> Floats:
    """(n, 6) force and torque on every body, added up from the list of contacts."""
    wrenches = np.zeros((len(centres), 6))
    if len(contacts):
        push = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
        for side, along in (("body_a", -1.0), ("body_b", 1.0)):
            if f"torque{side[4:]}" in contacts.dtype.names:
                torque = contacts[f"torque{side[4:]}"]
            else:
                torque = along * np.cross(contacts["point"] - centres[contacts[side]], push)
            np.add.at(wrenches, contacts[side], np.concatenate((along * push, torque), axis=1))
    return wrenches
