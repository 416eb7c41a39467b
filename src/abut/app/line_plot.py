"""Lines over a common axis as a picture: enough for a clearance or a force over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Floats
from .draw import Image
from .draw.palette import Colour, srgb

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 30, 40, 60
"""Margins [pixels]."""
_FINER = 3
"""Lines are drawn this much larger and then reduced, which smooths them."""


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a plot."""

    x: Floats
    y: Floats
    name: str
    colour: Colour = "blue"


def line_plot(
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    *,
    mark: tuple[float, str] | None = None,
    size: tuple[int, int] = (900, 480),
) -> Image:
    """Lines over a common axis, from zero up; `mark` is a place on the axis with a word beside it."""
    from PIL import Image as pil
    from PIL import ImageDraw

    width, height = size
    x_ticks = ticks(min(float(line.x.min()) for line in lines), max(float(line.x.max()) for line in lines))
    place = _Frame(x_ticks, ticks(0.0, max(float(line.y.max()) for line in lines)), width, height)
    picture = pil.new("RGB", (_FINER * width, _FINER * height), "white")
    _draw_lines(ImageDraw.Draw(picture), place, lines, mark)
    picture = picture.resize((width, height), pil.Resampling.LANCZOS)
    pen = ImageDraw.Draw(picture)
    _write_axes(pen, place, x_label, y_label, mark)
    _write_names(pen, width - _RIGHT, lines)
    return np.asarray(picture).copy()


def _draw_lines(pen: ImageDraw, place: _Frame, lines: Sequence[Line], mark: tuple[float, str] | None) -> None:
    """A grid through the ticks, the mark and the lines."""
    (left, *_, right), (low, *_, high) = place.x_ticks, place.y_ticks
    for x in place.x_ticks:
        pen.line([place(x, low), place(x, high)], _rgb("ink", 0.8), _FINER)
    for y in place.y_ticks:
        pen.line([place(left, y), place(right, y)], _rgb("ink", 0.8), _FINER)
    if mark is not None:
        pen.line([place(mark[0], low), place(mark[0], high)], _rgb("rust", 0.0), 2 * _FINER)
    for line in lines:
        points = [place(float(x), float(y)) for x, y in zip(line.x, line.y, strict=True)]
        pen.line(points, _rgb(line.colour, 0.0), 3 * _FINER, joint="curve")


def _write_axes(pen: ImageDraw, place: _Frame, x_label: str, y_label: str, mark: tuple[float, str] | None) -> None:
    """Numbers at the ticks, what the axes are of, and the word beside the mark."""
    font, ink = _font(), _rgb("ink", 0.0)
    for x in place.x_ticks:
        pen.text(_shrunk(place(x, place.y_ticks[0]), 0, 8), f"{x:g}", ink, font, "ma")
    for y in place.y_ticks:
        pen.text(_shrunk(place(place.x_ticks[0], y), -8, 0), f"{y:g}", ink, font, "rm")
    pen.text((place.width / 2, place.height - 12), x_label, ink, font, "ms")
    pen.text((12, 12), y_label, ink, font, "la")
    if mark is not None:
        x, word = mark
        pen.text(_shrunk(place(x, place.y_ticks[-1]), 6, 4), word, _rgb("rust", 0.0), font, "la")


def _write_names(pen: ImageDraw, across: int, lines: Sequence[Line]) -> None:
    """Names of the lines, the last one ending `across` [pixels]."""
    font = _font()
    for line in reversed(lines):
        pen.text((across, 12), line.name, _rgb(line.colour, 0.0), font, "ra")
        across -= int(pen.textlength(line.name, font)) + 20


def _font() -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(15)


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers that span an interval."""
    if not high > low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / 5.0
    unit = 10.0 ** floor(log10(rough))
    step = next(factor * unit for factor in (1.0, 2.0, 5.0, 10.0) if factor * unit >= rough * (1.0 - 1e-9))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


@dataclass(frozen=True)
class _Frame:
    """Where values lie in the picture."""

    x_ticks: list[float]
    y_ticks: list[float]
    width: int
    height: int

    def __call__(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self.x_ticks[0]) / (self.x_ticks[-1] - self.x_ticks[0])
        up = (y - self.y_ticks[0]) / (self.y_ticks[-1] - self.y_ticks[0])
        return (
            _FINER * (_LEFT + across * (self.width - _LEFT - _RIGHT)),
            _FINER * (self.height - _BOTTOM - up * (self.height - _TOP - _BOTTOM)),
        )


def _shrunk(point: tuple[float, float], right: float, down: float) -> tuple[float, float]:
    return point[0] / _FINER + right, point[1] / _FINER + down


def _rgb(colour: Colour, pale: float) -> tuple[int, ...]:
    """A colour of the palette, mixed with white."""
    rgb = srgb("colour", colour)
    return tuple(int(v) for v in (255.0 * (rgb + pale * (1.0 - rgb))).round())
