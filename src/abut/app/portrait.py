"""Pictures of parts as they stand on a table, alone or put together and cut open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..geometry import HalfSpace
from .draw import Camera, Image, Item, Mark, Section, draw
from .draw.camera import FRAME
from .draw.item import scene_points


def portrait(
    items: Sequence[Item],
    size: tuple[int, int] = FRAME,
    *,
    azimuth: float = 30.0,
    elevation: float = 28.0,
    cut: float | None = None,
    margin: float = 1.15,
    marks: Sequence[Mark] = (),
    samples: int = 2,
) -> Image:
    """The items on a floor, as large as the picture allows.

    With `cut` [degrees] an upright plane through the first item's middle opens them; 0 faces the camera, more turns
    the cut faces to the right.
    """
    points = scene_points(items)
    camera = Camera.fit(points, azimuth, elevation, size=size, margin=margin)
    floor = Item(HalfSpace((0.0, 0.0, 1.0), float(points[:, 2].min())))
    section = None if cut is None else Section(_middle(items[0]), _facing(azimuth + cut))
    return draw([*items, floor], camera, size, section=section, marks=marks, samples=samples)


def _middle(item: Item) -> np.ndarray:
    points = scene_points([item])
    return np.asarray(0.5 * (points.min(axis=0) + points.max(axis=0)))


def _facing(azimuth: float) -> tuple[float, float, float]:
    """The level direction towards a camera at this azimuth [degrees]."""
    turn = np.radians(azimuth)
    return float(np.sin(turn)), float(-np.cos(turn)), 0.0
