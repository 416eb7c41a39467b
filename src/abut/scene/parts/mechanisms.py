"""Simple shapes of mechanisms: bars with eyes, rings, wheels, shafts with forks, tops, coins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, vector
from ...geometry import Solid
from ...math import Pose

UPRIGHT = Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0))
"""Stands a plane part up: its y becomes z, its thickness lies along y."""


def bar(length: float, width: float, thickness: float, *, hole: float = 0.35, segments: int = 24) -> Solid:
    """A flat bar in the plane of x and z with eyes at the origin and at x = length, `hole` times as wide as the bar."""
    half = np.linspace(-0.5 * np.pi, 0.5 * np.pi, segments // 2 + 1)
    end = np.array([length, 0.0])
    right = _polar(0.5 * width, half) + end
    left = _polar(0.5 * width, half + np.pi)
    eye = _polar(0.5 * hole * width, np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False))
    plate = Solid.extrude(np.concatenate((right, left)), thickness, holes=(eye, eye + end))
    return plate.translated((0.0, 0.0, -0.5 * thickness)).transformed(UPRIGHT)


def flat_ring(radius: float, width: float, thickness: float, *, segments: int = 48) -> Solid:
    """A flat ring about the z axis; `radius` is that of its middle."""
    r, w = 0.5 * thickness, 0.5 * width
    corners = ((radius - r, -w), (radius + r, -w), (radius + r, w), (radius - r, w))
    return Solid.revolve(corners, segments=segments)


def wheel(radius: float, thickness: float, axle: float, length: float, *, segments: int = 48) -> Solid:
    """A disc about the z axis on an axle of radius `axle`."""
    t, l = 0.5 * thickness, 0.5 * length
    profile = ((0.0, -l), (axle, -l), (axle, -t), (radius, -t), (radius, t), (axle, t), (axle, l), (0.0, l))
    return Solid.revolve(profile, segments=segments)


def top(radius: float, height: float, *, segments: int = 48) -> Solid:
    """A spinning top about the z axis, its tip in the origin."""
    profile = (
        (0.0, 0.0),
        (0.08 * radius, 0.25 * height),
        (radius, 0.55 * height),
        (radius, 0.7 * height),
        (0.12 * radius, 0.75 * height),
        (0.12 * radius, height),
        (0.0, height),
    )
    return Solid.revolve(profile, segments=segments)


def fork_shaft(
    length: float, radius: float, *, start: ArrayLike | None = None, end: ArrayLike | None = None, segments: int = 32
) -> Solid:
    """A shaft along x from the origin; the forks at its start and end have pins along the given directions."""
    forks = [None if pin is None else vector("pin", pin) for pin in (start, end)]
    reach = 3.0 * radius
    first, last = (reach if fork is not None else 0.0 for fork in forks)
    rod = Solid.cylinder(radius, length - first - last, segments=segments)
    middle = 0.5 * (first + length - last)
    solid = rod.transformed(Pose.from_rotvec((middle, 0.0, 0.0), (0.0, 0.5 * np.pi, 0.0)))
    if forks[0] is not None:
        solid = solid | _fork(radius, reach, forks[0]).mirrored((1.0, 0.0, 0.0)).translated((reach, 0.0, 0.0))
    if forks[1] is not None:
        solid = solid | _fork(radius, reach, forks[1]).translated((length - reach, 0.0, 0.0))
    return solid


def coin(radius: float = 12.9e-3, thickness: float = 2.3e-3, *, segments: int = 96) -> Solid:
    """A coin with its axis along y, standing on a side of its polygon."""
    disk = Solid.cylinder(radius, thickness, segments=segments)
    half_side = Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.0, np.pi / segments))
    return disk.transformed(Pose.from_rotvec((0.0, 0.0, 0.0), (-0.5 * np.pi, 0.0, 0.0)) @ half_side)


SHAPES = (bar, flat_ring, wheel, top, fork_shaft, coin)
"""What scene files may name as `library =`, beside the parts of the catalogue."""


def _fork(radius: float, reach: float, pin: Floats) -> Solid:
    """A yoke from x = 0 to the pins at x = reach, which lie along +-y or +-z."""
    across = 0.8 * radius
    gap, thickness = 1.9 * radius, 0.7 * radius
    outer = gap + thickness
    along_y = Solid.box((radius, 2.0 * outer, 2.0 * across)).translated((0.2 * radius, 0.0, 0.0))
    length = reach + across
    for side in (-1.0, 1.0):
        prong = Solid.box((length, thickness, 2.0 * across))
        along_y = along_y | prong.translated((0.5 * length, side * (gap + 0.5 * thickness), 0.0))
    turn = (0.0, 0.0, 0.0) if abs(pin[1]) > abs(pin[2]) else (0.5 * np.pi, 0.0, 0.0)
    return along_y.transformed(Pose.from_rotvec((0.0, 0.0, 0.0), turn))


def _polar(radius: float, angles: Floats) -> Floats:
    return np.asarray(radius * np.stack((np.cos(angles), np.sin(angles)), axis=1))
