"""What a step says it did: forces of contacts, joints and hands, copied after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import abut
from abut.dynamics.joints.joint_kernels import JOINT

from .reading import Actor, Floats, Snapshot


@dataclass(frozen=True)
class MotionFacts:
    """Of one motion of a step that took several."""

    h: float
    """[s]."""
    before: Snapshot
    after: Snapshot
    pushed: float
    """[N] sum of the forces of contacts."""
    wrenches: dict[str, Floats]
    """(n, 6) of joints and hands."""

    def as_facts(self, facts: Facts) -> Facts:
        """The motion as if it were a step of its own."""
        return replace(facts, dt=self.h, wrenches=facts.wrenches | self.wrenches, motions=())


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
    reactions: Floats
    """(n, 2) lengths of forces and torques of all joints of a body, which may cancel each other."""
    driven: float
    """[J] work of motors and springs of joints, at the mean of the speeds before and after."""
    level: str
    """Of the world: laws of forces and energy hold where there is inertia, at level "dynamic"."""
    motions: tuple[MotionFacts, ...] = ()
    """Of a step that took several; else none."""

    def total(self) -> tuple[Floats, Floats]:
        """Sum of all wrenches, and sum of the lengths of forces and torques in it."""
        every = np.array([*self.wrenches.values()])
        total = every.sum(axis=0)
        lengths = np.sqrt((every.reshape(len(every), -1, 2, 3) ** 2).sum(axis=3))
        return total, lengths.sum(axis=0) + pushes(self.contacts, len(total)) + self.reactions


TOLD = ("joint", "hand", "lock", "damping")
"""Sources of force of which a body tells by a method `..._wrench()`, beside contacts."""


def gather_wrenches(
    world: abut.World, bodies: list[abut.Body], cast: list[Actor], applied: Floats, contacts: Any
) -> dict[str, Floats]:
    """All forces of the last step on dynamic bodies."""
    n = len(cast)
    mass = np.array([actor.mass if actor.kind == "dynamic" else 0.0 for actor in cast])
    weight = np.zeros((n, 6))
    weight[:, :3] = mass[:, None] * np.asarray(world.gravity)
    on_contacts = contact_wrenches(contacts, n)
    wrenches = {"weight": weight, "applied": applied, "contact": on_contacts}
    moving = [(i, body) for i, body in enumerate(bodies) if cast[i].kind == "dynamic"]
    for source in TOLD:
        wrenches[source] = np.zeros((n, 6))
        for i, body in moving:
            wrenches[source][i] = getattr(body, f"{source}_wrench")()
    return wrenches


def reactions(world: abut.World, cast: list[Actor]) -> Floats:
    """(n, 2) lengths of the forces and torques of all joints of a body; torques about anchors that are near.

    Within a joint, a motor may push against a limit, of which nobody outside sees but the difference.
    """
    size = np.zeros((len(cast), 2))
    table = world._now.joints
    for joint in world.joints:
        force, torque = (float(np.linalg.norm(part)) for part in joint.reaction)
        rows = float(np.abs(table.acted[table.name[:, JOINT] == joint._id]).sum())
        force, torque = force + rows, torque + rows
        for body in (joint.body, joint.other):
            if body is not None:
                reach = cast[body.index].reach
                size[body.index] += (force + torque / reach, torque + force * reach)
    return size


def pushes(contacts: Any, n: int) -> Floats:
    """(n, 2) lengths of the forces and torques of all contacts of a body, which may cancel each other."""
    size = np.zeros((n, 2))
    for side in ("body_a", "body_b") if len(contacts) else ():
        push = contacts["force"] + np.linalg.norm(contacts["friction"], axis=1)
        torque, rigid = np.linalg.norm(contacts[f"torque{side[4:]}"], axis=1), contacts[side] < n
        np.add.at(size, contacts[side][rigid], np.stack((push, torque), axis=1)[rigid])
    return size


def contact_wrenches(contacts: Any, n: int) -> Floats:
    """(n, 6) force and torque on every body, added up from the list of contacts."""
    wrenches = np.zeros((n, 6))
    if len(contacts):
        push = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
        for side, along in (("body_a", -1.0), ("body_b", 1.0)):
            wrench, rigid = np.concatenate((along * push, contacts[f"torque{side[4:]}"]), axis=1), contacts[side] < n
            np.add.at(wrenches, contacts[side][rigid], wrench[rigid])
    return wrenches
