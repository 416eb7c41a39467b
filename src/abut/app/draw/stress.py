"""Deformable bodies in pictures, coloured by stress: bands of one colour each, from calm to strained."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import Solid
from .item import Item

BANDS = 16
RAMP = np.array(
    (
        (0.27, 0.36, 0.66),
        (0.30, 0.62, 0.74),
        (0.52, 0.78, 0.55),
        (0.93, 0.85, 0.38),
        (0.90, 0.52, 0.22),
        (0.70, 0.13, 0.16),
    )
)
"""Colours from the least to the largest stress, which differ in lightness as well."""


def ramp(share: float) -> tuple[float, float, float]:
    """Colour at a share of the largest stress."""
    place = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    i = min(int(place), len(RAMP) - 2)
    red, green, blue = RAMP[i] + (place - i) * (RAMP[i + 1] - RAMP[i])
    return float(red), float(green), float(blue)


def stress_items(vertices: Floats, triangles: Ints, stress: Floats, top: float, *, cut: bool = True) -> list[Item]:
    """A skin (n, 3), (m, 3) whose vertices have a stress (n,) [Pa], as items; `top` [Pa] has the last colour."""
    share = np.clip(stress[triangles].mean(axis=1) / top, 0.0, 1.0) if top > 0.0 else np.zeros(len(triangles))
    band = np.minimum((share * BANDS).astype(int), BANDS - 1)
    items = []
    for b in np.unique(band):
        used, corners = np.unique(triangles[band == b], return_inverse=True)
        piece = Solid(vertices[used], corners.reshape(-1, 3))
        items.append(Item(piece, colour=ramp((b + 0.5) / BANDS), edges=False, cut=cut))
    return items
