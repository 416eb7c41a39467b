"""Deformable bodies in pictures, coloured by stress: bands of one colour each, from calm to strained."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import Solid
from .item import Item, Section

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


def ramps(stress: Floats, top: float) -> Floats:
    """(n, 3) colours of stresses (n,) [Pa], of which `top` has the last one."""
    share = np.clip(stress / top, 0.0, 1.0) if top > 0.0 else np.zeros(len(stress))
    place = np.linspace(0.0, 1.0, len(RAMP))
    return np.stack([np.interp(share, place, RAMP[:, k]) for k in range(3)], axis=1)


def cut_items(nodes: Floats, tetrahedra: Ints, stress: Floats, top: float, section: Section) -> list[Item]:
    """What a section shows of tetrahedra (m, 4) with a stress (m,) [Pa] each, as items."""
    band = _bands(stress, top)
    items = []
    for b in np.unique(band):
        corners = _cut(nodes, tetrahedra[band == b], section)
        if len(corners):
            flat = Solid(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
            items.append(Item(flat, colour=ramp((b + 0.5) / BANDS), edges=False, cut=False))
    return items


def _cut(nodes: Floats, tetrahedra: Ints, section: Section) -> Floats:
    """(k, 3, 3) triangles where a plane cuts tetrahedra, seen from the side that is taken away."""
    height = section.height(nodes)[tetrahedra]
    order = np.argsort(-height, axis=1)
    corner, high = np.take_along_axis(tetrahedra, order, axis=1), np.take_along_axis(height, order, axis=1)
    above = (high > 0.0).sum(axis=1)

    def crossing(rows: np.ndarray, a: int, b: int) -> Floats:
        share = high[rows, a] / (high[rows, a] - high[rows, b])
        p, q = nodes[corner[rows, a]], nodes[corner[rows, b]]
        return np.asarray(p + share[:, None] * (q - p))

    one, two, three = (np.flatnonzero(above == k) for k in (1, 2, 3))
    found = [
        np.stack([crossing(one, 0, b) for b in (1, 2, 3)], axis=1),
        np.stack([crossing(three, a, 3) for a in (0, 1, 2)], axis=1),
        np.stack([crossing(two, *pair) for pair in ((0, 2), (0, 3), (1, 3))], axis=1),
        np.stack([crossing(two, *pair) for pair in ((0, 2), (1, 3), (1, 2))], axis=1),
    ]
    triangles = np.concatenate(found)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normal, axis=1)
    triangles[normal @ section.normal < 0.0] = triangles[normal @ section.normal < 0.0][:, ::-1]
    return np.asarray(triangles[size > 0.0])


def _bands(stress: Floats, top: float) -> Ints:
    share = np.clip(stress / top, 0.0, 1.0) if top > 0.0 else np.zeros(len(stress))
    return np.minimum((share * BANDS).astype(np.int32), BANDS - 1)


def stress_items(vertices: Floats, triangles: Ints, stress: Floats, top: float, *, cut: bool = True) -> list[Item]:
    """A skin (n, 3), (m, 3) whose vertices have a stress (n,) [Pa], as items; `top` [Pa] has the last colour."""
    band = _bands(stress[triangles].mean(axis=1), top)
    items = []
    for b in np.unique(band):
        used, corners = np.unique(triangles[band == b], return_inverse=True)
        piece = Solid(vertices[used], corners.reshape(-1, 3))
        items.append(Item(piece, colour=ramp((b + 0.5) / BANDS), edges=False, cut=cut))
    return items
