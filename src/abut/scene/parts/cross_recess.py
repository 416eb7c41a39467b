"""Cross recess type H of ISO 4757 (Phillips): a screw and the driver that fits it.

Both come from one description of the recess by planes. Its envelope is a square pyramid whose faces rise by 28 degrees
to the width g and then stand 26.5 degrees off the axis. Between its wings four posts reach in from the corners: their
faces meet in an angle alpha at the core of diameter b, turn after a width e into the flanks of two wings, which
enclose 92 degrees, and lean outwards by beta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, radians, sin, sqrt, tan

import numpy as np

from ...arrays import Floats, count, number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.sweep import loft, revolve
from .countersunk import Countersink
from .sizes import MM, look_up

_BOTTOM = radians(28.0)
_WING_END = radians(26.5)
_FLANK = radians(46.0)


@dataclass(frozen=True)
class CrossRecess:
    """A size of type H [mm, degrees]; b, e, g, alpha, beta of ISO 4757 and the screw it is drawn in, ISO 7046."""

    b: float
    """Diameter of the core at the bottom."""
    e: float
    """Width of a post's nose."""
    g: float
    """Width across the wings where the bottom turns into the wing ends."""
    alpha: float
    """Angle of a post's nose."""
    beta: float
    """By how much the posts lean away from the axis."""
    mouth: float
    """Width m across the wings at the top of the head."""
    shank: float
    """Screw diameter d."""
    head: float
    """Head diameter dk."""
    head_height: float
    """Head height k."""
    blade: float
    """Diameter of the driver's blade, ISO 8764-1."""

    @property
    def bottom_height(self) -> float:
        """From the recess's deepest point to where it has the width g."""
        return 0.5 * self.g * tan(_BOTTOM)

    @property
    def depth(self) -> float:
        """From the top of the head to the recess's deepest point."""
        return self.bottom_height + 0.5 * (self.mouth - self.g) / tan(_WING_END)


ISO_4757_H = {
    "PH1": CrossRecess(0.97, 0.435, 1.27, 138.0, 7.0, 3.2, 3.0, 5.5, 1.65, 4.5),
    "PH2": CrossRecess(1.47, 0.815, 2.29, 140.0, 5.75, 4.6, 4.0, 8.4, 2.7, 6.0),
}


def cross_recess_screw(size: str = "PH2", length: float = 0.012, *, segments: int = 24) -> Solid:
    """A countersunk screw (M3 for PH1, M4 for PH2, ISO 7046) with a cross recess H of ISO 4757 and a plain shank.

    Axis z, top of the head at z = 0, tip at z = -length [m]; the wings lie along x and y.
    """
    recess = look_up("size", size, ISO_4757_H)
    radius, rim, length = 0.5 * MM * recess.shank, 0.5 * MM * recess.head, number("length", length, above=0.0)
    neck, chamfer = MM * recess.head_height, 0.15 * radius
    land = neck - (rim - radius)
    if length <= neck + chamfer or length <= MM * recess.depth:
        raise InputError(
            f"length: {size} needs more than {max(neck + chamfer, MM * recess.depth):.4g} m, got {length:g}"
        )
    tip = [(0.0, -length), (radius - chamfer, -length), (radius, chamfer - length)]
    blank = Solid(*revolve([*tip, (radius, -neck), (rim, -land), (rim, 0.0), (0.0, 0.0)], segments=segments))
    above = MM
    cutter = _envelope(recess, 0.0, MM * recess.depth + above) - _posts(recess, 0.0, _straight(recess, above))
    return (blank - cutter).renamed(f"screw {size}")


def cross_recess_driver(
    size: str = "PH2", clearance: float = 30e-6, *, length: float = 0.03, segments: int = 20
) -> Solid:
    """The driver for `cross_recess_screw`, drawn in its recess: axis z, upper end at z = length [m] above the head.

    In this pose every face of the bit keeps the distance `clearance` [m] to its counterpart. Pushed down it comes to
    rest on the four bottom faces after clearance / cos 28 degrees, with play about the axis left over. The point of the
    bit is cut off, as on real ones.
    """
    recess = look_up("size", size, ISO_4757_H)
    gap, length = number("clearance", clearance, least=0.0), number("length", length, above=0.0)
    depth, blade = MM * recess.depth, 0.5 * MM * recess.blade
    if gap >= 0.1 * MM * recess.e:
        raise InputError(f"clearance: expected less than a tenth of the nose width, {0.1 * MM * recess.e:.3g} m")
    if length <= 4.0 * blade:
        raise InputError(f"length: {size} needs more than {4 * blade:.3g} m, got {length:g}")
    n = count("segments", segments, least=8)
    shaft = Solid(
        *revolve([(0.0, -depth), (blade, -depth), (blade, length), (0.0, length)], segments=n, half_step=True)
    )
    wedge = _envelope(recess, gap, depth + length, blunt=0.25 * MM * recess.b)
    return ((shaft & wedge) - _posts(recess, gap, _flute(recess))).renamed(f"driver {size}")


def screw_block(
    size: str = "PH2",
    clearance: float = 30e-6,
    *,
    block: Sequence[float] = (0.02, 0.02, 0.014),
    segments: int = 25,
) -> Solid:
    """A block of the given size (x, y, z) [m] below z = 0 with a plain countersunk hole for `cross_recess_screw`.

    In the common frame the screw keeps the distance `clearance` [m] to every wall. The number of corners has no divisor
    in common with the screw's 24: wherever the screw stands, a corner of its head is near the middle of a side, so that
    it turns without rising and sinking.
    """
    recess, gap = look_up("size", size, ISO_4757_H), number("clearance", clearance, least=0.0)
    rim, shank = 0.5 * MM * recess.head, 0.5 * MM * recess.shank
    hole = Countersink(rim, shank, shank + MM * recess.head_height)
    return hole.cut_into(block, gap, segments).renamed(f"screw block {size}")


def _envelope(recess: CrossRecess, gap: float, height: float, *, blunt: float = 0.0) -> Solid:
    """The square pyramid around the wings, moved inwards by `gap`, up to `height` above the recess's deepest point."""
    lift = gap / cos(_BOTTOM)
    shrink = gap / cos(_WING_END)
    # Where the two slopes z = w tan 28 + lift and w = g / 2 - shrink + (z - bottom) tan 26.5 meet.
    slope, bottom = tan(_WING_END), MM * recess.bottom_height
    knee = (0.5 * MM * recess.g - shrink + (lift - bottom) * slope) / (1.0 - tan(_BOTTOM) * slope)
    half = 0.5 * MM * recess.g - shrink + (height - bottom) * slope
    start = [(blunt, blunt * tan(_BOTTOM) + lift)] if blunt else []
    profile = [(0.0, start[0][1] if start else lift), *start, (knee, knee * tan(_BOTTOM) + lift)]
    profile += [(half, height), (0.0, height)]
    square = revolve([(sqrt(2.0) * w, z) for w, z in profile], segments=4, half_step=True)
    return Solid(*square).translated((0.0, 0.0, -MM * recess.depth))


def _posts(recess: CrossRecess, gap: float, path: list[tuple[float, float]]) -> Solid:
    """Four posts, grown by `gap`, along a path of (z, distance moved outwards)."""
    post = _post_outline(recess, gap)
    quarters = []
    for k in range(4):
        turn = 0.25 * pi + 0.5 * pi * k
        R = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
        rings = [np.column_stack(((post + np.array([shift, 0.0])) @ R, np.full(len(post), z))) for z, shift in path]
        quarters.append(Solid(*loft(np.array(rings))))
    return quarters[0] | quarters[1] | quarters[2] | quarters[3]


def _post_outline(recess: CrossRecess, gap: float) -> Floats:
    """(5, 2) nose, shoulders and far corners of a post on the level of the core diameter b; it points along -x."""
    half, lean = radians(0.5 * recess.alpha), tan(radians(recess.beta))
    nose_normal, flank_normal = np.array([sin(half), -cos(half)]), np.array([sin(_FLANK), -cos(_FLANK)])
    nose = 0.5 * MM * recess.b
    shoulder = np.array([nose / sin(half) + 0.5 * MM * recess.e / tan(half), 0.5 * MM * recess.e])
    # A face that leans by s per unit of height must move sideways by gap * sqrt(1 + s^2).
    nose_line = nose - gap * hypot(1.0, lean * nose_normal[0])
    flank_line = flank_normal @ shoulder - gap * hypot(1.0, lean * flank_normal[0])
    apex = np.array([nose_line / sin(half), 0.0])
    shoulder = np.linalg.solve(np.array([nose_normal, flank_normal]), np.array([nose_line, flank_line]))
    far = shoulder + 2.0 * MM * recess.blade * np.array([cos(_FLANK), sin(_FLANK)])
    right = np.array([shoulder, far])
    left = right[::-1] * (1.0, -1.0)
    return np.array([apex, *left[::-1], *right[::-1]])


def _straight(recess: CrossRecess, above: float) -> list[tuple[float, float]]:
    """The posts of the recess: from below its bottom to above the head."""
    lean = tan(radians(recess.beta))
    level = 0.5 * MM * recess.b * tan(_BOTTOM) - MM * recess.depth
    low, high = -MM * recess.depth - 0.1 * MM, 2.0 * above
    return [(low, lean * (low - level)), (high, lean * (high - level))]


def _flute(recess: CrossRecess) -> list[tuple[float, float]]:
    """The flutes of the driver: as in the recess, then out of the blade at 45 degrees."""
    low = _straight(recess, 0.0)[0]
    z = MM * recess.blade * 0.5
    shift = low[1] + (z - low[0]) * tan(radians(recess.beta))
    return [low, (z, shift), (z + MM * recess.blade, shift + MM * recess.blade)]
