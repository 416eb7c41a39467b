"""Rings and links that hang in each other."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints, count, number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.rings import band, ring_angles


def ring(major_radius: float = 0.05, minor_radius: float = 0.008, *, segments: int = 48, sides: int = 16) -> Solid:
    """A round ring about the z axis [m], to be interlinked with others: the inner width is 2 (major - minor)."""
    return Solid.torus(major_radius, minor_radius, segments=segments, sides=sides, name="ring")


def chain_link(
    wire: float = 0.008, pitch: float = 0.024, width: float = 0.027, *, segments: int = 32, sides: int = 12
) -> Solid:
    """An oval link of round steel chain, by default 8 x 24 of DIN 766, lying in the plane z = 0 along x.

    `wire` is the diameter of the steel, `pitch` the inner length, `width` the outer width [m]. Links hang in each other
    at the distance `pitch`, every second one turned by 90 degrees about x.
    """
    radius, pitch = 0.5 * number("wire", wire, above=0.0), number("pitch", pitch, above=0.0)
    bend = 0.5 * number("width", width, above=0.0) - radius  # of the steel's middle line
    straight = 0.5 * pitch + radius - bend
    if bend <= 2.0 * radius or straight < 0.0:
        raise InputError(
            f"width: a link of {1e3 * wire:g} mm steel and {1e3 * pitch:g} mm pitch needs an outer width "
            f"between {6e3 * radius:g} and {1e3 * (pitch + 4 * radius):g} mm, got {1e3 * width:g} mm"
        )
    return Solid(*_oval(radius, bend, straight, segments, sides), name="chain link")


def _oval(radius: float, bend: float, straight: float, segments: int, sides: int) -> tuple[Floats, Ints]:
    """A polygon carried along two half circles and, between their ends, two straight lines."""
    half = count("segments", segments, least=8) // 2
    t = np.concatenate((np.linspace(-0.5, 0.5, half + 1), np.linspace(0.5, 1.5, half + 1))) * np.pi
    outward = np.stack((np.cos(t), np.sin(t), np.zeros_like(t)), axis=1)
    centre = bend * outward + np.where(np.arange(len(t)) <= half, straight, -straight)[:, None] * (1.0, 0.0, 0.0)
    if straight == 0.0:
        outward, centre = (np.delete(v, (half, len(t) - 1), axis=0) for v in (outward, centre))
    a = ring_angles(count("sides", sides, least=3))
    offset = radius * (np.cos(a)[None, :, None] * outward[:, None] + np.sin(a)[None, :, None] * (0.0, 0.0, 1.0))
    index = np.arange(len(centre) * len(a), dtype=np.int32).reshape(len(centre), -1)
    triangles = [band(there, here) for here, there in zip(index, np.roll(index, -1, axis=0), strict=True)]
    return (centre[:, None] + offset).reshape(-1, 3), np.concatenate(triangles)
