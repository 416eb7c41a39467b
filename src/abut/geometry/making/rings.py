"""Surfaces strung between rings of points, and the caps that close them."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints, count

Arrays = tuple[Floats, Ints]
"""Vertices (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside."""


def ring_angles(segments: int, *, half_step: bool = False) -> Floats:
    """Angles [rad] of the corners of a regular polygon, the first at 0 or, with `half_step`, half a side before it."""
    return 2.0 * np.pi * (np.arange(segments) - (0.5 if half_step else 0.0)) / segments


def circumscribed(radius: float, segments: int) -> float:
    """Corner radius of the polygon whose sides touch the circle of the given radius from outside."""
    return float(radius / np.cos(np.pi / count("segments", segments, least=3)))


def band(lower: Ints, upper: Ints) -> Ints:
    """Triangles between two rings of equal length that run counter-clockwise seen from above."""
    lower_next, upper_next = np.roll(lower, -1), np.roll(upper, -1)
    first = np.stack((lower, lower_next, upper_next), axis=1)
    second = np.stack((lower, upper_next, upper), axis=1)
    return np.concatenate((first, second))


def fan(ring: Ints, apex: int) -> Ints:
    """Triangles from each side of a ring to one point."""
    return np.stack((ring, np.roll(ring, -1), np.full(len(ring), apex, np.int32)), axis=1)


def convex_cap(ring: Ints) -> Ints:
    """Triangles of a convex polygon: every second corner is cut off, again and again, which avoids slivers."""
    triangles: list[Ints] = []
    while len(ring) > 3:
        kept = ring[::2]
        cut = ring[1::2]
        following = np.roll(kept, -1)[: len(cut)]
        triangles.append(np.stack((kept[: len(cut)], cut, following), axis=1))
        ring = kept
    if len(ring) == 3:
        triangles.append(ring[None])
    return np.concatenate(triangles)
