"""Involute spur gears."""

from __future__ import annotations

from math import cos, floor, pi, radians, sin, sqrt, tan

import numpy as np

from ...arrays import Floats, count, number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.rings import circumscribed, ring_angles
from ...math import Pose


def gear(
    teeth: int = 20,
    module: float = 0.002,
    *,
    width: float = 0.015,
    bore: float = 0.01,
    backlash: float = 5e-5,
    pressure_angle: float = radians(20.0),
    flank_points: int = 6,
) -> Solid:
    """A spur gear with the basic rack of ISO 53 (addendum 1 m, dedendum 1.25 m), axis z, centred at z = 0.

    `module`, `width`, `bore` (diameter; 0 for none) and `backlash` in metres, `pressure_angle` in radians. A tooth has
    its middle on the x axis. Each tooth is thinner by half of `backlash`, so that two gears at their nominal distance
    have that much play along the pitch circle. `flank_points` lie on each involute; the chords between them run inside
    the tooth, and the play is never less than stated.
    """
    module = number("module", module, above=0.0)
    teeth = _enough_teeth(teeth, number("pressure_angle", pressure_angle, above=0.0))
    play = number("backlash", backlash, least=0.0)
    tooth = _tooth(teeth, module, play, pressure_angle, count("flank_points", flank_points, least=2))
    turns = 2.0 * pi / teeth * np.arange(teeth)
    outline = np.concatenate([tooth @ np.array([[cos(t), sin(t)], [-sin(t), cos(t)]]) for t in turns])
    holes = [_bore(bore, module, teeth)] if bore else []
    half = 0.5 * number("width", width, above=0.0)
    return Solid.extrude(outline, 2.0 * half, holes=holes, name="gear").translated((0.0, 0.0, -half))


def meshing(teeth: int, other_teeth: int, module: float) -> Pose:
    """Where a second gear stands beside the first, on its +x side, with a gap around the first one's tooth."""
    distance = 0.5 * module * (teeth + other_teeth)
    return Pose.from_rotvec((distance, 0.0, 0.0), (0.0, 0.0, pi + pi / other_teeth))


def _tooth(teeth: int, module: float, backlash: float, pressure_angle: float, flank_points: int) -> Floats:
    """(n, 2) outline of one tooth, from the root on its lower flank to the root on its upper flank."""
    pitch_radius = 0.5 * module * teeth
    base, tip, root = pitch_radius * cos(pressure_angle), pitch_radius + module, pitch_radius - 1.25 * module
    half = (0.5 * pi * module - 0.5 * backlash) / (2.0 * pitch_radius)
    at_base = half + tan(pressure_angle) - pressure_angle
    start = max(base, root)
    # Equal steps of the roll angle put more points where the involute is more curved.
    roll = np.linspace(sqrt(max(0.0, (start / base) ** 2 - 1.0)), sqrt((tip / base) ** 2 - 1.0), flank_points)
    radius = base * np.hypot(1.0, roll)
    angle = at_base - (roll - np.arctan(roll))
    if angle[-1] <= 0.0:
        raise InputError(f"teeth: {teeth} teeth of this pressure angle and backlash are pointed")
    if root < base:
        radius, angle = np.append(root, radius), np.append(angle[0], angle)
    flank = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    return np.concatenate((flank * (1.0, -1.0), flank[::-1]))


def _enough_teeth(teeth: int, pressure_angle: float) -> int:
    if pressure_angle >= 0.5 * pi:
        raise InputError(f"pressure_angle: expected radians below pi / 2, got {pressure_angle:g}")
    least = floor(2.0 / sin(pressure_angle) ** 2)
    if count("teeth", teeth, least=3) < least:
        raise InputError(f"teeth: fewer than {least} would be undercut at this pressure angle, got {teeth}")
    return teeth


def _bore(bore: float, module: float, teeth: int) -> Floats:
    radius = circumscribed(0.5 * number("bore", bore, above=0.0), 32)
    if radius >= 0.5 * module * teeth - 1.25 * module:
        raise InputError(f"bore: {bore:g} m does not fit inside the roots of {teeth} teeth of module {module:g} m")
    t = ring_angles(32)
    return radius * np.stack((np.cos(t), np.sin(t)), axis=1)
