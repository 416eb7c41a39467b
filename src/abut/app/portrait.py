"""Pictures of parts as they stand on a table, alone or put together and cut open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..geometry import HalfSpace, Solid
from .draw import Camera, Image, Item, Mark, Section, draw


def portrait(
    items: Sequence[Item],
    size: tuple[int, int] = (960, 720),
    *,
    azimuth: float = 30.0,
    elevation: float = 28.0,
    cut: bool = False,
    margin: float = 1.15,
    marks: Sequence[Mark] = (),
    samples: int = 3,
) -> Image:
    """The items on a floor; with `cut`, opened by an upright plane through their middle that faces the camera."""
    points = np.concatenate([_corners(item) for item in items])
    low, high = points.min(axis=0), points.max(axis=0)
    camera = Camera.fit(items, azimuth, elevation, size=size, margin=margin)
    floor = Item(HalfSpace((0.0, 0.0, 1.0), float(low[2])))
    turn = np.radians(azimuth)
    facing = Section(0.5 * (low + high), (np.sin(turn), -np.cos(turn), 0.0)) if cut else None
    return draw([*items, floor], camera, size, section=facing, marks=marks, samples=samples)


def _corners(item: Item) -> np.ndarray:
    assert isinstance(item.shape, Solid)
    return item.pose.apply(item.shape.vertices)
