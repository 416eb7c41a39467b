"""Mechanisms put into another position by hand: all that hangs on one side of a joint is moved as one.

A coordinate of a joint can be set where the joint alone decides on it. If the bodies on one of its sides are held by
nothing else, neither by the world nor by a chain of other joints that leads back, they are moved rigidly until the
coordinate is as wanted. They keep the velocities that they had relative to the other side.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...errors import InputError
from ...math import Pose
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from .joint_kernels import (
    APART,
    AXIAL,
    AXIS,
    FACTOR,
    JOINT,
    JOINT_A,
    JOINT_B,
    POINT_A,
    POINT_B,
    ROW_KIND,
    SCREWED,
    TURNED,
)
from .joint_set import WORLD, JointSet, JointSpec

if TYPE_CHECKING:
    from .joint_coordinate import JointCoordinate


def set_coordinate(coordinate: JointCoordinate, change: float) -> Moment:
    """The world after a coordinate of a joint was changed by hand; refused where other joints have a say in it."""
    now, joint = coordinate._joint._world._now, coordinate._joint
    spec, joints = joint._spec, now.joints
    moved, sign = _free_side(now, joint._id, spec)
    still = spec.other if sign > 0 else spec.body
    travel, turn = _ways(joints, joint._id, spec, coordinate._slot, change)
    shift = _shift(now, joints, joints.watched(joint._id, coordinate._slot), spec, travel, turn)
    if sign < 0:
        shift = shift.inverse()
    turned = joints.copy()
    _count_turns(turned, joint._id, spec, coordinate._slot, turn)
    return _moved(now._replace(joints=turned), sorted(moved), shift, still)


def _free_side(now: Moment, joint: int, spec: JointSpec) -> tuple[set[int], int]:
    """Bodies that can be moved without any other joint noticing; 1 if they are on the first body's side, else -1."""
    others = [(s.body, s.other, s.name) for number, s in now.joints.specs.items() if number != joint]
    first, second = (_hanging_on(now, start, others) for start in (spec.body, spec.other))
    if spec.other in first or spec.body in second:
        raise InputError(_closed(spec, others, first))
    if WORLD not in first:
        return first, 1
    if WORLD not in second:
        return second, -1
    raise InputError(_closed(spec, others, first))


def _closed(spec: JointSpec, others: list[tuple[int, int, str]], first: Collection[int]) -> str:
    names = ", ".join(f"'{name}'" for body, other, name in others if body in first or other in first)
    return (
        f"joint '{spec.name}': it is part of a closed chain with {names or 'the world'}, which has a say in its "
        "coordinate; drive it with a motor, or remove one joint, set the coordinate and make the joint anew"
    )


def _hanging_on(now: Moment, start: int, joints: list[tuple[int, int, str]]) -> set[int]:
    """Bodies joined to one, and WORLD where the world, or what does not give way, is among them."""
    found, todo = {start}, [start]
    while todo:
        here = todo.pop()
        if here == WORLD or now.state.kind[here] != DYNAMIC:
            found.add(WORLD)
            continue
        for body, other, _ in joints:
            for near, far in ((body, other), (other, body)):
                if near == here and far not in found:
                    found.add(far)
                    todo.append(far)
    return found


def _ways(joints: JointSet, joint: int, spec: JointSpec, slot: int, change: float) -> tuple[float, float]:
    """How far [m] and by what angle [rad] the first body moves when a coordinate changes."""
    name = spec.coordinates[slot - 1]
    if spec.type == "screw":
        mine = (joints.name[:, JOINT] == joint) & (joints.name[:, ROW_KIND] == SCREWED)
        lead = float(joints.place[mine, FACTOR][0])  # [m/rad]
        return (change, change / lead) if name == "travel" else (lead * change, change)
    return (0.0, change) if name.startswith("angle") else (change, 0.0)


def _shift(now: Moment, joints: JointSet, row: int, spec: JointSpec, travel: float, turn: float) -> Pose:
    """The motion of the first body, in the world, that changes a coordinate whose row is given."""
    kind, a, b = (int(joints.name[row, column]) for column in (ROW_KIND, JOINT_A, JOINT_B))
    place, X_a, X_b = joints.place[row], _pose(now, a), _pose(now, b)
    anchor = X_a.apply(place[POINT_A : POINT_A + 3])
    if kind == APART:
        way = X_b.apply(place[POINT_B : POINT_B + 3]) - anchor
        length = float(np.linalg.norm(way))
        if length == 0.0:
            raise InputError(
                f"joint '{spec.name}': its anchors coincide, so that no direction leads apart; move a body"
            )
        return Pose(travel / length * way)
    if kind not in (AXIAL, TURNED):
        raise InputError(f"joint '{spec.name}': its coordinate cannot be set")
    axis = X_a.rotation @ place[AXIS : AXIS + 3]
    about = Pose(anchor) @ Pose.from_rotvec((0.0, 0.0, 0.0), turn * axis) @ Pose(-anchor)
    return Pose(travel * axis) @ about


def _count_turns(joints: JointSet, joint: int, spec: JointSpec, slot: int, turn: float) -> None:
    """Let angles know by how much they changed; looking at the bodies tells it only up to whole turns."""
    mine = joints.name[:, JOINT] == joint
    angle = mine & (joints.name[:, ROW_KIND] == TURNED)
    if spec.type == "universal":
        angle &= joints.slot == slot
    # Rows in which the bodies have changed roles count backwards.
    joints.last[angle] += np.where(joints.name[angle, JOINT_B] == spec.body, turn, -turn)
    joints.last[mine & (joints.name[:, ROW_KIND] == SCREWED)] += turn


def _moved(now: Moment, bodies: list[int], shift: Pose, still: int) -> Moment:
    """Bodies moved rigidly, with the velocities they had relative to one that stays."""
    pose, twist = now.state.pose.copy(), now.state.twist.copy()
    v, w, x = _twist(now, still)
    for body in bodies:
        X = shift @ _pose(now, body)
        before, after = pose[body, :3] - x, X.position - x
        twist[body, :3] = shift.rotation @ (twist[body, :3] - v - np.cross(w, before)) + v + np.cross(w, after)
        twist[body, 3:] = shift.rotation @ (twist[body, 3:] - w) + w
        pose[body] = X.row
    state, contacts = now.state.with_tables(pose=pose, twist=twist), now.contacts.without_bodies(bodies)
    suspects = now.suspects | frozenset(bodies)
    return now._replace(state=state, contacts=contacts, joints=now.joints.settled(pose), suspects=suspects)


def _pose(now: Moment, body: int) -> Pose:
    if body == WORLD:
        return Pose()
    return Pose.of_row(now.state.pose[body])


def _twist(now: Moment, body: int) -> tuple[Floats, Floats, Floats]:
    """Velocities of a body and where its centre of mass is."""
    if body == WORLD:
        return np.zeros(3), np.zeros(3), np.zeros(3)
    return now.state.twist[body, :3], now.state.twist[body, 3:], now.state.pose[body, :3]
