"""An airliner on its landing gear, and a runway."""

from __future__ import annotations

from math import cos, pi

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.rings import ring_angles
from ...geometry.making.sweep import loft, revolve

_AXIS_HEIGHT = 3.8
"""[m] of the fuselage's middle above the ground."""
_FUSELAGE = (
    (-37.57, 0.25, 0.95), (-34.0, 0.70, 0.75), (-29.0, 1.45, 0.38), (-24.0, 1.975, 0.0), (-5.5, 1.975, 0.0),
    (-3.0, 1.70, -0.10), (-1.2, 1.15, -0.30), (-0.25, 0.55, -0.48), (0.0, 0.20, -0.52),
)  # fmt: skip
"""Stations behind the nose: x, radius, rise of the middle [m]."""
_WHEELS = (
    (-5.07, 0.25, 0.38, 0.22), (-5.07, -0.25, 0.38, 0.22),
    (-17.71, 3.33, 0.585, 0.43), (-17.71, 4.26, 0.585, 0.43),
    (-17.71, -3.33, 0.585, 0.43), (-17.71, -4.26, 0.585, 0.43),
)  # fmt: skip
"""Wheels: x, y, radius, width [m]."""


def aircraft(scale: float = 1.0) -> Solid:
    """A low-poly airliner of the size of an Airbus A320: 37.57 m long, 34.1 m span, wheelbase 12.64 m, track 7.59 m.

    One closed solid: fuselage, wings, tail, engines, landing gear down. The nose, at x = 0, points along +x, y is to
    the left, and the flats under its six wheels stand on z = 0. `scale` makes a model of it.
    """
    half = [_wing(), _tailplane(), _engine(), *_main_gear()]
    parts = [_fuselage(), _fin(), *_nose_gear(), *half, *(part.mirrored((0.0, 1.0, 0.0)) for part in half)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole | part
    return whole.scaled(number("scale", scale, above=0.0)).renamed("aircraft")


def runway(length: float = 120.0, width: float = 45.0, thickness: float = 0.5, *, slope: float = 0.0) -> Solid:
    """A slab along x with its crest at z = 0, by default 45 m wide (ICAO Annex 14, which allows a `slope` of 0.015).

    It runs from x = -length / 2 to length / 2 [m], and falls by `slope` (metres per metre) to both sides.
    """
    x, y = 0.5 * number("length", length, above=0.0), 0.5 * number("width", width, above=0.0)
    bottom, fall = -number("thickness", thickness, above=0.0), number("slope", slope, least=0.0) * y
    if fall >= -bottom:
        raise InputError(
            f"slope: {slope:g} makes the slab's edge thinner than nothing; its thickness is {thickness:g} m"
        )
    crest = [(s * x, 0.0, 0.0) for s in (-1, 1)]
    edges = [(s * x, t * y, z) for s in (-1, 1) for t in (-1, 1) for z in (bottom, -fall)]
    return Solid.hull([*edges, *crest] if fall else edges, name="runway")


def _fuselage() -> Solid:
    t = ring_angles(16)
    circle = np.stack((np.cos(t), np.sin(t)), axis=1)
    rings = [np.column_stack((r * circle + (0.0, _AXIS_HEIGHT + rise), np.full(len(t), x))) for x, r, rise in _FUSELAGE]
    vertices, triangles = loft(np.array(rings))
    return Solid(np.roll(vertices, 1, axis=1), triangles)  # (y, z, x) to (x, y, z)


def _section(x: float, chord: float, y: float, z: float, thickness: float = 0.12) -> Floats:
    """(6, 3) an aerofoil with its leading edge at (x, y, z), chord backwards."""
    along = -chord * np.array([0.0, 0.18, 0.6, 1.0, 0.6, 0.18])
    upwards = chord * thickness * np.array([0.0, 0.55, 0.45, 0.0, -0.25, -0.4])
    return np.stack((x + along, np.full(6, y), z + upwards), axis=1)


def _wing() -> Solid:
    """Left wing, in two panels with the kink at the engine."""
    root, kink = _section(-11.3, 7.2, 0.5, 2.7), _section(-14.4, 3.9, 6.4, 3.2)
    tip = _section(-19.8, 1.5, 17.05, 4.1)
    return Solid.hull([*root, *kink]) | Solid.hull([*kink, *tip])


def _tailplane() -> Solid:
    return Solid.hull([*_section(-31.0, 3.4, 0.2, 4.8, 0.1), *_section(-34.6, 1.3, 6.22, 5.4, 0.1)])


def _fin() -> Solid:
    low, high = _section(-28.6, 5.8, 0.0, 0.0, 0.1), _section(-34.3, 2.0, 0.0, 0.0, 0.1)
    upright = [np.stack((s[:, 0], _symmetric(s[:, 2]), np.full(6, z)), axis=1) for s, z in ((low, 4.6), (high, 11.76))]
    return Solid.hull(np.concatenate(upright))


def _symmetric(upwards: Floats) -> Floats:
    """Half thickness to both sides, from a section whose lower side is the flatter one."""
    return np.asarray(0.5 * (upwards - upwards[[0, 5, 4, 3, 2, 1]]))


def _engine() -> Solid:
    """Nacelle with an open intake, and its pylon."""
    profile = [
        (0.0, -4.4),
        (0.45, -4.2),
        (0.75, -3.3),
        (1.1, -1.8),
        (1.18, -0.6),
        (1.02, 0.0),
        (0.85, -0.5),
        (0.0, -0.5),
    ]
    vertices, triangles = revolve(profile, segments=12)
    nacelle = Solid(np.roll(vertices, 1, axis=1), triangles).translated((-11.2, 5.75, 1.75))
    low, high = [(-12.0, 2.7), (-15.2, 2.2)], [(-13.4, 3.3), (-17.0, 3.15)]
    return nacelle | Solid.hull([(x, 5.75 + side, z) for x, z in (*low, *high) for side in (-0.18, 0.18)])


def _main_gear() -> list[Solid]:
    """Left wheels, their axle, and a strut that leans forward into the wing."""
    wheels = [_wheel(*wheel) for wheel in _WHEELS if wheel[1] > 1.0]
    ends = [(-17.71, 0.5), (-16.6, 2.95)]
    strut = Solid.hull([(x + a, 3.795 + b, z) for x, z in ends for a in (-0.17, 0.17) for b in (-0.165, 0.165)])
    return [*wheels, strut, _box((-17.8, 3.2, 0.49), (-17.62, 4.4, 0.67))]


def _nose_gear() -> list[Solid]:
    wheels = [_wheel(*wheel) for wheel in _WHEELS if abs(wheel[1]) < 1.0]
    return [*wheels, _box((-5.19, -0.11, 0.3), (-4.95, 0.11, 2.4)), _box((-5.12, -0.3, 0.32), (-5.02, 0.3, 0.42))]


def _wheel(x: float, y: float, radius: float, width: float) -> Solid:
    """A 16-sided wheel that stands on one of its flats, with bevelled edges."""
    inner, half = 0.88 * radius, 0.5 * width
    profile = [(0, -half), (inner, -half), (radius, -0.6 * half), (radius, 0.6 * half), (inner, half), (0, half)]
    vertices, triangles = revolve(profile, segments=16, half_step=True)
    return Solid(vertices[:, [1, 2, 0]], triangles).translated((x, y, radius * cos(pi / 16)))


def _box(low: ArrayLike, high: ArrayLike) -> Solid:
    a, b = np.asarray(low, float), np.asarray(high, float)
    return Solid.box(b - a).translated(0.5 * (a + b))
