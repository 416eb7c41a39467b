"""Spans of segments within the tolerance of spheres, capsules and half-spaces: of their one face, number 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...geometry import PLANE
from .brep_index_tables import FACE, OPEN, Items, Spans
from .classification import Place


def signed_distances(shape: Any, points: Floats) -> Floats:
    """(n,) [m] heights above the surface of a shape in its frame, less than 0 inside."""
    if shape.core == PLANE:
        return np.asarray(points @ shape.normal - shape.offset)
    return np.asarray(np.linalg.norm(points - shape.nearest_of_core(points), axis=1) - shape.margin)


def spans_of_formula(shape: Any, starts: Floats, ends: Floats, tolerance: float) -> tuple[Spans, NDArray[np.int32]]:
    """Spans of segments near the surface, and where those of each segment begin."""
    d = ends - starts
    parts = (
        _plane_parts(shape, starts, d, tolerance) if shape.core == PLANE else _shell_parts(shape, starts, d, tolerance)
    )
    parts[..., 0], parts[..., 1] = np.maximum(parts[..., 0], 0.0), np.minimum(parts[..., 1], 1.0)
    real = parts[..., 0] <= parts[..., 1]
    of, slot = np.nonzero(real)
    part = np.ascontiguousarray(parts[of, slot])
    rank = _slopes(shape, starts[of] + part.mean(axis=1)[:, None] * d[of], d[of])
    first = np.concatenate(([0], np.cumsum(real.sum(axis=1)))).astype(np.int32)
    return Spans(np.full(len(of), FACE, np.int8), np.zeros(len(of), np.int32), part, rank), first


def _between(a: Floats, s: Floats, low: float, high: float) -> Floats:
    """(n, 2) parameters between which low <= a + s t <= high; the last before the first where there are none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = (low - a) / s, (high - a) / s
    always = np.where((low <= a) & (a <= high), np.inf, -np.inf)
    return np.where((s == 0.0)[:, None], np.stack((-always, always), axis=-1), np.sort(np.stack((x, y), axis=-1)))


def _plane_parts(shape: Any, p: Floats, d: Floats, tolerance: float) -> Floats:
    return _between(p @ shape.normal - shape.offset, d @ shape.normal, -tolerance, tolerance)[:, None, :]


def _shell_parts(shape: Any, p: Floats, d: Floats, tolerance: float) -> Floats:
    """(n, 2, 2) where segments are within the outer and not within the inner of two rounded shapes."""
    outer = _rounded_parts(shape, shape.margin + tolerance, p, d)
    inner = _rounded_parts(shape, shape.margin - tolerance, p, d)
    misses = (inner[:, 0] > inner[:, 1])[:, None]
    nothing = np.array([1.0, 0.0])
    before = np.where(misses, outer, np.column_stack((outer[:, 0], inner[:, 0])))
    after = np.where(misses, nothing, np.column_stack((inner[:, 1], outer[:, 1])))
    return np.stack((before, after), axis=1)


def _rounded_parts(shape: Any, radius: float, p: Floats, d: Floats) -> Floats:
    """(n, 2) where lines are within `radius` of the core: in a ball about either end or the cylinder between them."""
    half = np.array([0.0, 0.0, shape.half_length])
    parts = [_ball_parts(p - half, d, radius), _ball_parts(p + half, d, radius)]
    flat = np.array([1.0, 1.0, 0.0])
    across, along = _ball_parts(p * flat, d * flat, radius), _between(p[:, 2], d[:, 2], -half[2], half[2])
    parts.append(np.column_stack((np.maximum(across[:, 0], along[:, 0]), np.minimum(across[:, 1], along[:, 1]))))
    stacked = np.stack(parts)
    empty = stacked[..., 0] > stacked[..., 1]
    return np.column_stack(
        (np.where(empty, np.inf, stacked[..., 0]).min(axis=0), np.where(empty, -np.inf, stacked[..., 1]).max(axis=0))
    )


def _ball_parts(w: Floats, d: Floats, radius: float) -> Floats:
    """(n, 2) where w + t d is within `radius` of the origin."""
    dd = (d * d).sum(axis=1)
    moving = dd > 0.0
    safe = np.where(moving, dd, 1.0)
    t = np.where(moving, -(w * d).sum(axis=1) / safe, 0.0)
    room = radius**2 - ((w + t[:, None] * d) ** 2).sum(axis=1)
    half = np.where(moving, np.sqrt(np.maximum(room, 0.0) / safe), np.inf)
    return np.where((room >= 0.0)[:, None], np.column_stack((t - half, t + half)), np.array([np.inf, -np.inf]))


def _slopes(shape: Any, at: Floats, d: Floats) -> Floats:
    """(n,) sine of the angle between segments and the surface; round directions are never along it."""
    length = np.linalg.norm(d, axis=1)
    u = d / np.where(length > 0.0, length, 1.0)[:, None]
    if shape.core == PLANE:
        return np.asarray(np.abs(u @ shape.normal))
    arm = at - shape.nearest_of_core(at)
    rise = np.abs((arm * u).sum(axis=1)) / shape.margin
    off_axis = np.linalg.norm(u[:, :2], axis=1) if shape.half_length > 0.0 else np.ones(len(u))
    return np.asarray(np.maximum(rise, off_axis))


def place_by_formula(shape: Any, starts: Floats, ends: Floats, items: Items) -> None:
    """IN or OUT for every stretch that is OPEN, and for the ends of segments beside it."""
    of = np.repeat(np.arange(len(starts)), np.diff(items.first))
    place = np.arange(len(of)) - items.first[of]
    single = np.diff(items.first)[of] == 1
    open_items = np.flatnonzero((items.kind == OPEN) & ((place % 2 == 1) | single))
    t = items.part[open_items].mean(axis=1)[:, None]
    middle = starts[of[open_items]] * (1.0 - t) + ends[of[open_items]] * t
    items.kind[open_items] = np.where(signed_distances(shape, middle) <= 0.0, Place.IN, Place.OUT)
    first, last = items.first[:-1], items.first[1:] - 1
    items.kind[first] = np.where(items.kind[first] == OPEN, items.kind[np.minimum(first + 1, last)], items.kind[first])
    items.kind[last] = np.where(items.kind[last] == OPEN, items.kind[np.maximum(last - 1, first)], items.kind[last])
