"""A car radio and the console it slides into."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.rings import circumscribed
from ...geometry.making.sweep import loft, revolve
from .sizes import MM

_WIDTH, _HEIGHT = 178.0, 50.0
"""Body of a single DIN head unit, ISO 7736 [mm]."""
_TRIM = (188.0, 58.0, 14.0)
"""Front panel: width, height, thickness [mm]."""
_GROOVE = (3.0, 6.0)
"""Groove for the guide rail on either side: depth, height [mm]."""
_STUD = (4.0, 12.0)
"""Supporting stud on the back: radius, length [mm]."""
_LEAD_IN = 2.0
"""Chamfer around the console's opening, which widens it to the 182 x 54 mm of the standard's cut-out [mm]."""


def car_radio(depth: float = 0.16) -> Solid:
    """A single DIN car radio, ISO 7736: body 178 x 50 mm, `depth` [m] long and bevelled at the back, trim 188 x 58 mm.

    x is its width, z its height; it is pushed along +y. The trim's back lies at y = 0. Each side has a groove for a
    guide rail, the back a stud with a tapered end.
    """
    d = _checked_depth(depth)
    bevel, w, h = 4.0, 0.5 * _WIDTH, 0.5 * _HEIGHT
    body = _tapered([(-1.0, w, h), (d - bevel, w, h), (d, w - bevel, h - bevel)])
    groove, high = _GROOVE
    for side in (-1.0, 1.0):
        body = body - _block((side * w, 0.5 * d, 0.0), (2.0 * groove, 2.0 * d, high))
    tw, th, t = 0.5 * _TRIM[0], 0.5 * _TRIM[1], _TRIM[2]
    front = _tapered([(-t, tw - 3.0, th - 3.0), (3.0 - t, tw, th), (0.0, tw, th)]) - _block((0, -t, 8), (100, 2, 24))
    for x in (-72.0, 72.0):
        front = front | _turned([(0, 2 - t), (12, 2 - t), (12, -4 - t), (10, -8 - t), (0, -8 - t)], (x, 0.0), 16)
    for x in np.arange(-40.0, 41.0, 16.0):
        front = front | _block((x, -t, -16.0), (12.0, 3.0, 8.0))
    radius, reach = _STUD
    stud = _turned([(0, d - 1), (radius, d - 1), (radius, d + reach - 3), (radius - 2, d + reach), (0, d + reach)])
    return (body | front | stud).renamed("car radio")


def radio_console(clearance: float = 2.5e-4, depth: float = 0.16) -> Solid:
    """The console for `car_radio`, drawn around it: a shaft with bevelled mouth, guide rails, back wall and stud hole.

    In the common frame every wall keeps the distance `clearance` [m] to the radio; the front lies that far behind the
    trim, and the radio's end stop is that far away.
    """
    d, gap = _checked_depth(depth), number("clearance", clearance, least=0.0) / MM
    if gap > 1.0:
        raise InputError(f"clearance: expected at most 1 mm, got {gap:g} mm")
    w, h, lead = 0.5 * _WIDTH + gap, 0.5 * _HEIGHT + gap, _LEAD_IN
    shaft = _tapered([(gap - 1, w + lead + 1, h + lead + 1), (gap + lead, w, h), (d + gap, w, h)])
    case = _block((0.0, 0.5 * (d + 20) + gap, 0.0), (240.0, d + 20.0, 110.0)) - shaft
    for side in (-1.0, 1.0):
        case = case | _rail(side, gap, d)
    radius, reach = circumscribed(_STUD[0] + gap, 16), d + 40.0
    mouth = [(radius + 2, d + gap), (radius, d + gap + 2)]
    hole = _turned([(0, d - 1), (radius + 2, d - 1), *mouth, (radius, reach), (0, reach)], half_step=True)
    return (case - hole).renamed("radio console")


def _rail(side: float, gap: float, d: float) -> Solid:
    """A guide rail on the wall, pointed towards the front, with its foot sunk into the wall."""
    groove, high = _GROOVE
    x, half = 0.5 * _WIDTH - groove + gap, 0.5 * high - gap
    wall = 0.5 * _WIDTH + gap + 2.0
    far, near = d + gap + 1.0, 25.0
    tip = [(side * wall, near, z) for z in (-half, half)]
    ramp = [(side * x, near + 8.0, z) for z in (-half, half)]
    back = [(side * v, far, z) for v in (x, wall) for z in (-half, half)]
    return Solid.hull(MM * np.array([*tip, *ramp, *back]))


def _checked_depth(depth: float) -> float:
    d = number("depth", depth, above=0.0) / MM
    if d < 60.0:
        raise InputError(f"depth: expected at least 60 mm, got {d:g} mm")
    return d


def _block(centre: ArrayLike, size: ArrayLike) -> Solid:
    return Solid.box(MM * np.asarray(size, float)).translated(MM * np.asarray(centre, float))


def _tapered(sections: list[tuple[float, float, float]]) -> Solid:
    """A body of rectangles (y, half width, half height) [mm] behind each other."""
    rings = [[(-w, -h, y), (w, -h, y), (w, h, y), (-w, h, y)] for y, w, h in sections]
    vertices, triangles = loft(MM * np.array(rings))
    return Solid(_pushed(vertices), triangles)


def _turned(
    profile: list[tuple[float, float]],
    at: tuple[float, float] = (0.0, 0.0),
    segments: int = 16,
    half_step: bool = False,
) -> Solid:
    """A body of revolution (radius, y) [mm] about an axis along y through (x, z)."""
    vertices, triangles = revolve(MM * np.array(profile, float), segments=segments, half_step=half_step)
    return Solid(_pushed(vertices), triangles).translated((MM * at[0], 0.0, MM * at[1]))


def _pushed(vertices: np.ndarray) -> np.ndarray:
    """Turned about x so that what pointed along z points along y."""
    return np.asarray(vertices[:, [0, 2, 1]] * (1.0, 1.0, -1.0))
