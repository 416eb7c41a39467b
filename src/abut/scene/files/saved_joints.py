"""Joints of a world as tables of a scene file, which make them again where the bodies stand now."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import Joint
from ...dynamics.joints.joint_coordinate import JointCoordinate
from ...dynamics.joints.joint_kernels import (
    ALIGNED,
    AXIS,
    FACTOR,
    JOINT,
    JOINT_A,
    JOINT_B,
    POINT_A,
    POINT_B,
    ROW_KIND,
    SCREWED,
    SIDE_A,
    SIDE_B,
)
from ...dynamics.joints.joint_set import PLACES, WORLD
from ...dynamics.world_contents import WorldContents
from ...math import Pose

POINT_TYPES = ("ball", "hinge", "universal", "fixed")
"""Both anchors are one point."""


def joint_table(joint: Joint) -> dict[str, Any]:
    """A joint as it would be made now: angles are counted from where they are, travels and distances are kept."""
    other = joint.other
    table: dict[str, Any] = {"type": joint.type, "body": joint.body.name}
    if other is not None:
        table["other"] = other.name
    table |= _places(joint)
    for word in ("limits", "motor", "spring"):
        told = {name: _told(joint[name], word) for name in joint.coordinates}
        told = {name: value for name, value in told.items() if value is not None}
        if told:
            table[word] = told
    if joint._spec.contact:
        table["contact"] = True
    return table


def _places(joint: Joint) -> dict[str, Any]:
    """Anchors and axes, in the world."""
    rows, world = _rows(joint), joint._world
    straight = rows[rows["body_b"] == joint._spec.body][0]
    X_a, X_b = _pose(world, joint._spec.other), _pose(world, joint._spec.body)
    place = straight["place"]
    x_a, x_b = X_a.apply(place[POINT_A : POINT_A + 3]), X_b.apply(place[POINT_B : POINT_B + 3])
    places: dict[str, Any] = {"anchor": x_b.tolist()}
    if joint.type not in POINT_TYPES and x_a.tolist() != x_b.tolist():
        places["anchor_other"] = x_a.tolist()
    if joint.type == "universal":
        crossed = rows[rows["kind"] == ALIGNED]["place"][0]
        axis, across = X_b.rotation @ crossed[SIDE_B : SIDE_B + 3], X_a.rotation @ crossed[SIDE_A : SIDE_A + 3]
        return {**places, "axis": axis.tolist(), "axis_other": (across - (across @ axis) * axis).tolist()}
    if joint.type in ("ball", "fixed", "distance"):
        return places
    named = rows[rows["slot"] == 1] if joint.coordinates else rows
    places["axis"] = (X_a.rotation @ named["place"][0, AXIS : AXIS + 3]).tolist()
    if joint.type == "screw":
        places["pitch"] = 2.0 * pi * float(rows[rows["kind"] == SCREWED]["place"][0, FACTOR])
    return places


def _rows(joint: Joint) -> np.ndarray:
    """The rows of a joint, by name."""
    table = joint._world._joints
    mine = table.name[:, JOINT] == joint._id
    kinds = [("kind", "i4"), ("body_a", "i4"), ("body_b", "i4"), ("slot", "i4"), ("place", "f8", PLACES)]
    rows = np.zeros(int(mine.sum()), np.dtype(kinds))
    rows["kind"], rows["place"], rows["slot"] = table.name[mine, ROW_KIND], table.place[mine], table.slot[mine]
    rows["body_a"], rows["body_b"] = table.name[mine, JOINT_A], table.name[mine, JOINT_B]
    return rows


def _told(coordinate: JointCoordinate, word: str) -> Any:
    """Limits, motor or spring of a coordinate; angles less what they are now."""
    zero = coordinate.value if coordinate.name.startswith("angle") else 0.0
    if word == "limits":
        limits = coordinate.limits
        sides = (None, None) if limits is None else limits
        if limits is None:
            return None
        return [-inf if sides[0] is None else sides[0] - zero, inf if sides[1] is None else sides[1] - zero]
    if word == "motor":
        motor = coordinate.motor
        if motor is None:
            return None
        goal = {"velocity": motor.velocity} if motor.position is None else {"position": motor.position - zero}
        bounds = {"max_force": motor.max_force, "max_speed": motor.max_speed, "response": motor.response}
        return {**goal, **{name: value for name, value in bounds.items() if value not in (inf, 0.0)}}
    spring = coordinate.spring
    if spring is None:
        return None
    return {"stiffness": spring.stiffness, "damping": spring.damping, "rest": (spring.rest or 0.0) - zero}


def _pose(world: WorldContents, body: int) -> Pose:
    if body == WORLD:
        return Pose()
    row: Floats = world._state.pose[body]
    return Pose(row[:3], quat_wxyz=row[3:])
