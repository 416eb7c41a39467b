"""A countersunk bolt and the plate it sinks into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.primitives import lengths
from ...geometry.making.rings import circumscribed, ring_angles
from ...geometry.making.sweep import revolve
from .sizes import MM, look_up


@dataclass(frozen=True)
class CountersunkHead:
    """A size of ISO 10642 [mm]: hexagon socket countersunk head screws, head angle 90 degrees."""

    shank: float
    """Nominal thread diameter d."""
    sharp: float
    """Theoretical head diameter dk, where the cone would meet the top."""
    smallest: float
    """Smallest actual head diameter."""
    socket: float
    """Width across flats s of the hexagon socket."""
    socket_depth: float
    """Depth t of the socket."""

    @property
    def head(self) -> float:
        """Actual head diameter: the middle of what the standard allows."""
        return 0.5 * (self.sharp + self.smallest)


ISO_10642 = {
    "M3": CountersunkHead(3, 6.72, 5.54, 2, 1.1),
    "M4": CountersunkHead(4, 8.96, 7.53, 2.5, 1.5),
    "M5": CountersunkHead(5, 11.20, 9.43, 3, 1.9),
    "M6": CountersunkHead(6, 13.44, 11.34, 4, 2.2),
    "M8": CountersunkHead(8, 17.92, 15.24, 5, 3.0),
    "M10": CountersunkHead(10, 22.40, 19.22, 6, 3.6),
    "M12": CountersunkHead(12, 26.88, 23.12, 8, 4.3),
    "M16": CountersunkHead(16, 33.60, 29.01, 10, 4.8),
    "M20": CountersunkHead(20, 40.32, 36.05, 12, 5.6),
}


def countersunk_bolt(size: str = "M8", length: float = 0.04, *, segments: int = 32) -> Solid:
    """A countersunk bolt, ISO 10642, with a plain shank: axis z, top of the head at z = 0, tip at z = -length [m].

    Its corners lie on the true cone and cylinder, so no point sticks out of them.
    """
    head = look_up("size", size, ISO_10642)
    length = number("length", length, above=0.0)
    radius, rim, land = 0.5 * MM * head.shank, 0.5 * MM * head.head, 0.5 * MM * (head.sharp - head.head)
    neck, chamfer = land + rim - radius, 0.15 * radius
    if length <= neck + chamfer:
        raise InputError(f"length: {size} needs more than {neck + chamfer:.4g} m, got {length:g}")
    tip = [(0.0, -length), (radius - chamfer, -length), (radius, chamfer - length)]
    blank = Solid(*revolve([*tip, (radius, -neck), (rim, -land), (rim, 0.0), (0.0, 0.0)], segments=segments))
    return (blank - _hexagon_socket(head)).renamed(f"countersunk bolt {size}")


def countersunk_plate(
    size: str = "M8",
    clearance: float = 50e-6,
    *,
    plate: Sequence[float] = (0.05, 0.05, 0.02),
    segments: int = 32,
) -> Solid:
    """A plate of the given size (x, y, z) [m] below z = 0 with a countersunk hole along z for the bolt of ISO 10642.

    In the common frame the bolt keeps the distance `clearance` [m] to every wall; it comes to its seat on the cone when
    it sinks by clearance * sqrt(2). The sides of the hole, not its corners, touch the true cone and cylinder, and they
    face the bolt's corners, so the gap holds exactly for the polyhedra.
    """
    head = look_up("size", size, ISO_10642)
    gap = number("clearance", clearance, least=0.0)
    hole = Countersink(0.5 * MM * head.head, 0.5 * MM * head.shank, 0.5 * MM * head.sharp)
    return hole.cut_into(plate, gap, segments).renamed(f"countersunk plate {size}")


@dataclass(frozen=True)
class Countersink:
    """The surface of a countersunk head [m]: land, cone of 90 degrees and shank about z, its top at z = 0."""

    rim: float
    """Radius of the head's land."""
    shank: float
    """Radius of the shank."""
    sharp: float
    """Radius at which the cone would meet the top."""

    def cut_into(self, block: Sequence[float], gap: float, segments: int) -> Solid:
        """A block (x, y, z) below z = 0 with a hole along z that keeps the distance `gap` to this surface."""
        x, y, z = lengths("plate", block)
        rim, shank = self.rim + gap, self.shank + gap
        # The cone r = sharp - depth, moved outwards by `gap` along its normal.
        cone = self.sharp + gap * np.sqrt(2.0)
        profile = [(0.0, -2 * z), (shank, -2 * z), (shank, shank - cone), (rim, rim - cone), (rim, z), (0.0, z)]
        if 2.0 * circumscribed(rim, segments) >= min(x, y) or z <= cone - shank:
            size = f"{1e3 * x:g} x {1e3 * y:g} x {1e3 * z:g} mm"
            raise InputError(f"plate: {size} is too small for a countersink of {2e3 * rim:.3g} mm")
        outline = [(circumscribed(r, segments), h) for r, h in profile]
        cutter = Solid(*revolve(outline, segments=segments, half_step=True))
        return Solid.box((x, y, z)).translated((0.0, 0.0, -0.5 * z)) - cutter


def _hexagon_socket(head: CountersunkHead) -> Solid:
    t = ring_angles(6)
    corner = 0.5 * MM * head.socket / np.cos(np.pi / 6.0)
    depth = MM * head.socket_depth
    outline = corner * np.stack((np.cos(t), np.sin(t)), axis=1)
    return Solid.extrude(outline, 2.0 * depth).translated((0.0, 0.0, -depth))
