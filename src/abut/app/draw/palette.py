"""Colours: a calm palette that stays distinguishable with red-green blindness, and how colours may be given."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...arrays import Floats
from ...errors import InputError

PALETTE = {
    "steel": "#9fb0c0",
    "amber": "#e6a532",
    "blue": "#2f74b5",
    "rust": "#c8552b",
    "green": "#2f9e7a",
    "plum": "#6b3f74",
    "sky": "#86c5ee",
    "sand": "#ded2ae",
}
"""Names that may be used for a colour, in the order in which parts without one receive them.

Neighbours in the list differ in lightness as well as in hue, the advice of Okabe & Ito, Color Universal Design, 2008.
"""
_MORE = {"white": "#ffffff", "black": "#000000", "ink": "#20242c", "grey": "#8a8f98", "paper": "#f7f6f3"}

Colour = str | Sequence[float]
"""A name of the palette, '#rrggbb', or three numbers from 0 to 1 (sRGB)."""


def nth_colour(i: int) -> str:
    """Colour of the i-th part that was given none."""
    return list(PALETTE.values())[i % len(PALETTE)]


def srgb(name: str, colour: Colour) -> Floats:
    """`colour` as three sRGB numbers from 0 to 1; `name` is what an error calls it."""
    if isinstance(colour, str):
        code = PALETTE.get(colour) or _MORE.get(colour) or colour
        if not re.fullmatch("#[0-9a-fA-F]{6}", code):
            known = ", ".join((*PALETTE, *_MORE))
            raise InputError(f"{name}: no colour is called {colour!r}; use '#rrggbb' or one of {known}")
        return np.array([int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])
    value = np.asarray(colour, np.float64)
    if value.shape != (3,) or not ((value >= 0.0) & (value <= 1.0)).all():
        raise InputError(f"{name}: expected a name, '#rrggbb' or three numbers from 0 to 1, got {colour!r}")
    return value


def linear(rgb: Floats) -> Floats:
    """SRGB to light intensities (IEC 61966-2-1), in which shading and averaging are done."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
