"""Stones of an arch."""

from __future__ import annotations

from math import pi

import numpy as np

from ...arrays import count, number
from ...errors import InputError
from ...geometry import Solid


def voussoir(
    stones: int = 9,
    index: int = 0,
    *,
    inner_radius: float = 1.0,
    thickness: float = 0.25,
    depth: float = 0.3,
    joint: float = 0.0,
) -> Solid:
    """Stone `index` of a semicircular arch of `stones` stones, drawn in its place: wedge-shaped, all faces plane.

    The arch spans the x axis and stands on z = 0 from x = +radius (index 0) to x = -radius; `depth` is along y,
    centred [m]. Inner corners lie on the inner circle, outer ones on the outer. Neighbours are `joint` [m] apart.
    """
    n, i = count("stones", stones, least=3), count("index", index, least=0)
    if i >= n:
        raise InputError(f"index: an arch of {n} stones has numbers 0 to {n - 1}, got {i}")
    inner, thick = number("inner_radius", inner_radius, above=0.0), number("thickness", thickness, above=0.0)
    half_gap, y = 0.5 * number("joint", joint, least=0.0), 0.5 * number("depth", depth, above=0.0)
    radii, sides = (inner, inner + thick), ((i, half_gap), (i + 1, -half_gap))
    # A side plane stays parallel to the radius it belongs to, at a distance of half a joint.
    corners = [
        (r * np.cos(pi * k / n) - g * np.sin(pi * k / n), v, r * np.sin(pi * k / n) + g * np.cos(pi * k / n))
        for r in radii
        for k, g in sides
        for v in (-y, y)
    ]
    return Solid.hull(corners, name=f"voussoir {i}")
