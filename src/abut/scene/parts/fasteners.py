"""Hexagon bolts and nuts with real threads."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians, tan

import numpy as np

from ...arrays import number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.rings import ring_angles
from ...geometry.making.sweep import revolve
from ...geometry.making.thread import coarse_pitch, thread_depth
from ...math import Pose
from .sizes import MM, look_up


@dataclass(frozen=True)
class Hexagon:
    """A size [mm] of ISO 4014 / 4017 bolts and ISO 4032 nuts."""

    diameter: float
    """Nominal thread diameter d."""
    flats: float
    """Width across flats s."""
    head: float
    """Height of the bolt's head k."""
    nut: float
    """Height of the nut m (largest)."""


ISO_HEXAGON = {
    "M6": Hexagon(6, 10, 4.0, 5.2),
    "M8": Hexagon(8, 13, 5.3, 6.8),
    "M10": Hexagon(10, 16, 6.4, 8.4),
    "M12": Hexagon(12, 18, 7.5, 10.8),
    "M16": Hexagon(16, 24, 10.0, 14.8),
    "M20": Hexagon(20, 30, 12.5, 18.0),
    "M24": Hexagon(24, 36, 15.0, 21.5),
}


def hex_bolt(
    size: str = "M20", length: float = 0.06, *, thread_length: float | None = None, segments: int = 32
) -> Solid:
    """A hexagon head bolt with a true coarse thread, up to its head (ISO 4017) or over `thread_length` (ISO 4014).

    Axis z; the head lies below z = 0, the shank points up to z = length [m].
    """
    hexagon = look_up("size", size, ISO_HEXAGON)
    diameter, length = MM * hexagon.diameter, number("length", length, above=0.0)
    head = _chamfered_hexagon(hexagon, MM * hexagon.head, segments, both=False).translated((0, 0, -MM * hexagon.head))
    if thread_length is None:
        return (head | _shank(diameter, -0.25 * MM * hexagon.head, length, segments)).renamed(f"bolt {size}")
    start = length - number("thread_length", thread_length, above=0.0)
    if start <= 0.0:
        raise InputError(f"thread_length: expected less than the length {length:g} m, got {thread_length:g}")
    bury = 0.25 * MM * hexagon.head
    plain = Solid.cylinder(0.5 * diameter, start + bury, segments=segments).translated((0, 0, 0.5 * (start - bury)))
    overlap = min(0.5 * coarse_pitch(diameter), 0.5 * start)
    return (head | plain | _shank(diameter, start - overlap, length, segments)).renamed(f"bolt {size}")


def hex_nut(size: str = "M20", clearance: float = 1e-4, *, segments: int = 32) -> Solid:
    """A hexagon nut of ISO 4032 with a true coarse thread, axis z, standing on z = 0 [m].

    It is free of the bolt of the same size by `clearance` [m] in radius, and by half of that along the normals of the
    flanks. It fits wherever it is moved up the bolt by z and turned by 2 pi z / pitch: see `on_thread`.
    """
    hexagon = look_up("size", size, ISO_HEXAGON)
    diameter, height = MM * hexagon.diameter, MM * hexagon.nut
    tap = Solid.thread(
        diameter, height, internal=True, clearance=clearance, segments=segments, chamfer=0.04 * diameter, runout=0.25
    )
    return (_chamfered_hexagon(hexagon, height, segments, both=True) - tap).renamed(f"nut {size}")


def on_thread(size: str, z: float) -> Pose:
    """Where a nut stands on its bolt when its lower face is at height z [m]: turned so that the threads match."""
    pitch = coarse_pitch(MM * look_up("size", size, ISO_HEXAGON).diameter)
    return Pose.from_rotvec((0.0, 0.0, z), (0.0, 0.0, 2.0 * pi * (z / pitch - round(z / pitch))))


def _shank(diameter: float, low: float, high: float, segments: int) -> Solid:
    """A threaded rod between two heights, with its ridge where a thread from z = 0 would have it."""
    pitch = coarse_pitch(diameter)
    if high - low < 4.0 * pitch:
        raise InputError(f"length: too short for a thread of pitch {pitch:g} m; {4 * pitch:g} m is enough")
    rod = Solid.thread(diameter, high - low, segments=segments, chamfer=0.5 * thread_depth(pitch))
    return rod.transformed(Pose.from_rotvec((0.0, 0.0, low), (0.0, 0.0, 2.0 * pi * (low / pitch % 1.0))))


def _chamfered_hexagon(hexagon: Hexagon, height: float, segments: int, *, both: bool) -> Solid:
    """A hexagonal prism on z = 0 whose corners are bevelled by 30 degrees at the bottom, or at both ends."""
    flats = 0.5 * MM * hexagon.flats
    corner = flats / cos(pi / 6.0)
    t = ring_angles(6)
    prism = Solid.extrude(corner * np.stack((np.cos(t), np.sin(t)), axis=1), height)
    inner, outer = 0.95 * flats, 1.1 * corner
    rise = (outer - inner) * tan(radians(30.0))
    profile = [(0.0, 0.0), (inner, 0.0), (outer, rise)]
    profile += [(outer, height - rise), (inner, height)] if both else [(outer, height)]
    return prism & Solid(*revolve([*profile, (0.0, height)], segments=segments))
