"""What each type of joint asks of its two bodies, written as rows (Haug 1989, section 9.4).

The first body is B of every row and the other one, or the world, is A: coordinates grow when the first body moves along
the axis or turns about it. Frames are given in the world as the bodies stand when the joint is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, flag, is_one_of, number, unit_vector, vector
from ...errors import InputError, meant
from ...geometry import size_of
from ...math import Pose
from ..bodies.body import Body
from ..bodies.body_kernels import DYNAMIC
from .joint_kernels import ALIGNED, APART, AXIAL, EQUAL, SCREWED, TURNED
from .joint_set import WATCHED, WORLD, JointSpec, Row

ANCHOR_TOLERANCE = 1e-6
"""Share of a joint's reach by which its anchors may disagree; they are then taken as equal."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Where a joint sits, in the world, when it is made."""

    name: str
    bodies: tuple[int, int]
    """A (the other) and B (the first)."""
    poses: tuple[Pose, Pose]
    """Of their centre-of-mass frames."""
    anchors: tuple[Floats, Floats]
    basis: tuple[Floats, Floats, Floats]
    """The axis and two directions across it."""
    reach: float

    def row(
        self,
        kind: int,
        axis: Floats | None = None,
        side_a: Floats | None = None,
        side_b: Floats | None = None,
        *,
        factor: float = 1.0,
        equal: float = 0.0,
        turned: bool = False,
    ) -> Row:
        """A row from directions of the world; `turned` swaps the roles of the bodies."""
        (a, b), (X_a, X_b), (x_a, x_b) = self.bodies, self.poses, self.anchors
        if turned:
            a, b, X_a, X_b, x_a, x_b = b, a, X_b, X_a, x_b, x_a
        none = np.zeros(3)
        parts = (
            X_a.inverse().apply(x_a),
            X_b.inverse().apply(x_b),
            X_a.rotation.T @ (none if axis is None else axis),
            X_a.rotation.T @ (none if side_a is None else side_a),
            X_b.rotation.T @ (none if side_b is None else side_b),
            np.array([factor]),
        )
        return Row(kind, a, b, np.concatenate(parts), EQUAL, (equal, 0.0, 0.0))

    def pinned(self) -> list[Row]:
        """The anchors coincide."""
        return [self.row(AXIAL, direction) for direction in self.basis]

    def beside(self) -> list[Row]:
        """The first body's anchor stays on the axis."""
        return [self.row(AXIAL, direction) for direction in self.basis[1:]]

    def parallel(self) -> list[Row]:
        """The axis is the same for both bodies, up to its place."""
        n, *across = self.basis
        return [self.row(ALIGNED, side_a=side, side_b=n, factor=self.reach) for side in across]

    def unturned(self) -> Row:
        """The bodies do not turn against each other about the axis."""
        return self.row(ALIGNED, side_a=self.basis[1], side_b=self.basis[2], factor=self.reach)

    def travel(self) -> Row:
        """How far the first body's anchor is along the axis."""
        return self.row(AXIAL, self.basis[0])

    def angle(self) -> Row:
        """By how much the first body is turned about the axis."""
        n, side, _ = self.basis
        return self.row(TURNED, n, side, side, factor=self.reach)

    @property
    def offset(self) -> Floats:
        """From the other's anchor to the first body's."""
        return self.anchors[1] - self.anchors[0]


@dataclass(frozen=True)
class _Type:
    """What a type of joint needs to be told, and what it leaves free."""

    axis: bool
    agree: str
    """Where the anchors must agree: in a "point", up to the axis ("line"), along it ("plane"), or "nowhere"."""
    coordinates: tuple[str, ...]
    rows: Callable[[Frame], list[Row]]


TYPES: dict[str, _Type] = {
    "ball": _Type(False, "point", (), Frame.pinned),
    "hinge": _Type(True, "point", ("angle",), lambda f: [*f.pinned(), *f.parallel()]),
    "slider": _Type(True, "line", ("travel",), lambda f: [*f.beside(), *f.parallel(), f.unturned()]),
    "cylindrical": _Type(True, "line", ("travel", "angle"), lambda f: [*f.beside(), *f.parallel()]),
    "universal": _Type(True, "point", ("angle", "angle_other"), lambda f: [*f.pinned(), _crossed(f)]),
    "fixed": _Type(False, "point", (), lambda f: [*f.pinned(), *f.parallel(), f.unturned()]),
    "point_on_plane": _Type(True, "plane", (), lambda f: [f.travel()]),
    "point_on_line": _Type(True, "line", ("travel",), Frame.beside),
    "distance": _Type(False, "nowhere", ("distance",), lambda f: [_rod(f)]),
    "screw": _Type(True, "line", ("travel", "angle"), lambda f: [*f.beside(), *f.parallel()]),
}


def _crossed(f: Frame) -> Row:
    """The axis of the first body (basis 0) and that of the other (basis 1) stay perpendicular."""
    return f.row(ALIGNED, side_a=f.basis[1], side_b=f.basis[0], factor=f.reach)


def _rod(f: Frame) -> Row:
    return f.row(APART, equal=float(np.linalg.norm(f.offset)))


def _threaded(f: Frame, pitch: float) -> Row:
    """Travel grows by the pitch in every turn."""
    n, side, _ = f.basis
    return f.row(SCREWED, n, side, side, factor=pitch / (2.0 * np.pi), equal=float(n @ f.offset))


def _coordinate(f: Frame, joint_type: str, coordinate: str) -> tuple[Row, float]:
    """The row that measures a coordinate, and q [m] per unit of it."""
    if coordinate == "travel":
        return f.travel(), 1.0
    if coordinate == "distance":
        return f.row(APART), 1.0
    if joint_type != "universal":
        return f.angle(), f.reach
    n, n_other, _ = f.basis
    if coordinate == "angle_other":  # the cross about the axis that the other body carries
        return f.row(TURNED, n_other, n, n, factor=f.reach), f.reach
    # The other's axis seen from the first body turns backwards when the first body turns about its own.
    return f.row(TURNED, n, n_other, n_other, factor=-f.reach, turned=True), f.reach


def make_joint(
    joint_type: str,
    name: str,
    body: Body,
    other: Body | None,
    *,
    anchor: ArrayLike | None,
    axis: ArrayLike | None,
    anchor_other: ArrayLike | None,
    axis_other: ArrayLike | None,
    length: float | None,
    pitch: float | None,
    rigid: bool,
    contact: bool,
) -> tuple[JointSpec, list[Row], list[Row]]:
    """Check what a user says about a joint; the rows that hold it and those of its coordinates.

    `rigid` False leaves the distance of a distance joint free, for its limits, motor or spring to act on.
    """
    kind = _known_type(joint_type, name)
    _check_bodies(name, body, other)
    _check_words(
        joint_type, name, {"axis": axis, "axis_other": axis_other, "length": length, "pitch": pitch}, kind.axis
    )
    frame = _frame(joint_type, name, body, other, (anchor, anchor_other), (axis, axis_other))
    frame = _agreeing(frame, kind.agree)
    _check_distance(joint_type, frame, length, rigid)
    rows = kind.rows(frame) if joint_type != "distance" or rigid else []
    if joint_type == "screw":
        rows.append(_threaded(frame, _pitch(name, pitch)))
    coordinates = () if joint_type == "distance" and rigid else kind.coordinates
    measured = [_coordinate(frame, joint_type, coordinate) for coordinate in coordinates]
    watched = [
        Row(row.kind, row.body_a, row.body_b, row.place, WATCHED, slot=i + 1) for i, (row, _) in enumerate(measured)
    ]
    spec = JointSpec(
        type=joint_type,
        name=name,
        body=frame.bodies[1],
        other=frame.bodies[0],
        reach=frame.reach,
        coordinates=coordinates,
        per_unit=tuple(per_unit for _, per_unit in measured),
        contact=flag(f"joint '{name}': contact", contact),
    )
    return spec, rows, watched


def _known_type(joint_type: str, name: str) -> _Type:
    if not is_one_of(joint_type, TYPES):
        told = f"there is no joint type {joint_type!r}{meant(joint_type, TYPES)}"
        raise InputError(f"joint '{name}': {told}; the types are {', '.join(TYPES)}")
    return TYPES[joint_type]


def _check_bodies(name: str, body: Body, other: Body | None) -> None:
    if other is not None and other.index == body.index:
        raise InputError(f"joint '{name}': a joint of body '{body.name}' with itself holds nothing; name two bodies")
    if body.spec.kind != DYNAMIC and (other is None or other.spec.kind != DYNAMIC):
        what = "the world" if other is None else f"body '{other.name}'"
        raise InputError(
            f"joint '{name}': neither body '{body.name}' nor {what} can move freely; one of them must be dynamic"
        )


def _check_words(joint_type: str, name: str, words: dict[str, object], axis: bool) -> None:
    """Each type is told what it needs and nothing else."""
    wanted = {"axis": axis, "axis_other": joint_type == "universal", "pitch": joint_type == "screw", "length": False}
    allowed = {**wanted, "length": joint_type == "distance"}
    for word, value in words.items():
        if wanted[word] and value is None:
            missing = [key for key, given in words.items() if wanted[key] and given is None]
            raise InputError(f"joint '{name}': a {joint_type} joint needs {'= and '.join(missing)}=")
        if value is not None and not allowed[word]:
            raise InputError(f"joint '{name}': a {joint_type} joint has no {word}; leave {word}= out")


def _frame(
    joint_type: str,
    name: str,
    body: Body,
    other: Body | None,
    anchors: tuple[ArrayLike | None, ArrayLike | None],
    axes: tuple[ArrayLike | None, ArrayLike | None],
) -> Frame:
    anchor, anchor_other = anchors
    if anchor is None and joint_type != "fixed":
        raise InputError(f"joint '{name}': a {joint_type} joint needs anchor=, a point in the world's frame [m]")
    if joint_type == "distance" and anchor_other is None:
        raise InputError(f"joint '{name}': a distance joint needs anchor_other=, the point of the other body")
    x_b = body._centre_pose.position if anchor is None else vector("anchor", anchor)
    x_a = x_b if anchor_other is None else vector("anchor_other", anchor_other)
    return Frame(
        name=name,
        bodies=(WORLD if other is None else other.index, body.index),
        poses=(Pose() if other is None else other._centre_pose, body._centre_pose),
        anchors=(x_a, x_b),
        basis=_basis(name, *axes),
        reach=_reach(body, other),
    )


def _basis(name: str, axis: ArrayLike | None, axis_other: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """The axis and two directions across it; the first of them is the other body's axis where that is given."""
    if axis is None:
        return (np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    n = _axis(name, "axis", axis)
    if axis_other is None:
        guess = np.eye(3)[int(np.abs(n).argmin())]
    else:
        guess = _axis(name, "axis_other", axis_other)
        if abs(n @ guess) > ANCHOR_TOLERANCE:
            angle = np.degrees(np.arccos(np.clip(n @ guess, -1.0, 1.0)))
            raise InputError(
                f"joint '{name}': axes of a universal joint are perpendicular; these enclose {angle:.6g} degrees"
            )
    side = guess - (guess @ n) * n
    side /= np.linalg.norm(side)
    return n, side, np.cross(n, side)


def _axis(name: str, word: str, axis: ArrayLike) -> Floats:
    array = vector(word, axis)
    if not array.any():
        raise InputError(f"joint '{name}': {word} is a vector of zero length and has no direction")
    return unit_vector(word, array)


def _reach(body: Body, other: Body | None) -> float:
    """Half the size of the smaller body [m]."""
    sizes = [size_of(given.shape) for given in (body, other) if given is not None]
    return 0.5 * min(sizes)


def _agreeing(frame: Frame, where: str) -> Frame:
    """The frame with anchors that agree exactly, where they agree as well as can be said in numbers."""
    n, d = frame.basis[0], frame.offset
    along = (n @ d) * n
    fault = {"point": d, "line": d - along, "plane": along, "nowhere": np.zeros(3)}[where]
    distance = float(np.linalg.norm(fault))
    if distance > ANCHOR_TOLERANCE * frame.reach:
        how = {"point": "", "line": " across the axis", "plane": " along the axis"}[where]
        raise InputError(
            f"joint '{frame.name}': its anchors are {distance:.6g} m apart{how}; move the bodies until they agree"
        )
    anchors = (frame.anchors[0] + fault, frame.anchors[1])
    return Frame(frame.name, frame.bodies, frame.poses, anchors, frame.basis, frame.reach)


def _check_distance(joint_type: str, frame: Frame, length: float | None, rigid: bool) -> None:
    if joint_type != "distance":
        return
    apart = float(np.linalg.norm(frame.offset))
    if rigid and apart <= ANCHOR_TOLERANCE * frame.reach:
        raise InputError(
            f"joint '{frame.name}': its anchors coincide; a distance joint needs a distance, a ball joint has none"
        )
    if length is None:
        return
    wanted = number("length", length, above=0.0)
    if not rigid:
        raise InputError(
            f"joint '{frame.name}': length is for a rigid rod; limits, motor or spring already say how far apart"
        )
    if abs(apart - wanted) > ANCHOR_TOLERANCE * frame.reach:
        raise InputError(
            f"joint '{frame.name}': its anchors are {apart:.6g} m apart, {abs(apart - wanted):.6g} m from its length "
            f"of {wanted:.6g} m; move the bodies until they agree"
        )


def _pitch(name: str, pitch: float | None) -> float:
    value = number("pitch", pitch)
    if value == 0.0:
        raise InputError(f"joint '{name}': a screw joint of pitch 0 does not travel; use a hinge")
    return value
