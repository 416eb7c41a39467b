"""Units of length: everything inside abut is in metres, and only loading converts."""

from __future__ import annotations

import numpy as np

from ..errors import InputError

METRES = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
"""Length of each unit [m]."""

_SPELLINGS = {
    "meter": "m",
    "metre": "m",
    "millimeter": "mm",
    "millimetre": "mm",
    "centimeter": "cm",
    "centimetre": "cm",
    "micron": "um",
    "micrometer": "um",
    "micrometre": "um",
    "µm": "um",
    "inch": "in",
    "inche": "in",
    "foot": "ft",
    "feet": "ft",
}


def unit_symbol(unit: str) -> str:
    """The symbol of a unit given by symbol or by name, as `METRES` knows it."""
    symbol = str(unit).strip().lower()
    symbol = _SPELLINGS.get(symbol.removesuffix("s"), symbol)
    if symbol not in METRES:
        raise InputError(f"unit: {unit!r} is not a unit of length that abut knows; use one of {', '.join(METRES)}")
    return symbol


def metres_per(unit: str) -> float:
    """Length of one `unit` [m]."""
    return METRES[unit_symbol(unit)]


_SCALES = (("m", 1.0, 1.0), ("mm", 1e-3, 2e-4), ("µm", 1e-6, 2e-7), ("nm", 1e-9, 0.0))
"""Units, their lengths, and from which length on they are used."""


def length_text(length: float, digits: int = 3) -> str:
    """A length [m] in words: some digits and the unit of that scale, "0.5 mm", "6.02 µm"."""
    if length == 0.0:
        return "0 mm"
    unit, size = next((unit, size) for unit, size, least in _SCALES if abs(length) >= least)
    return f"{length / size:.{digits}g} {unit}"


def plain(value: float, digits: int = 3) -> str:
    """A number with so many digits, or as many as its whole part has: never with an exponent."""
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")
