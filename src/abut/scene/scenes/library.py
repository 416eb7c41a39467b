"""What the library of scenes holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import InputError
from . import fits, friction, impacts, mechanisms, motion, textbook
from .scene import Scene

_MAKERS: tuple[Callable[..., Scene], ...] = (
    fits.driver,
    fits.peg_in_hole,
    fits.screwdriver,
    fits.nut_on_bolt,
    fits.countersunk,
    fits.radio,
    fits.gears,
    motion.chain,
    motion.brackets,
    motion.aircraft,
    motion.bullet,
    motion.blade,
    motion.thrown_blade,
    mechanisms.slider_crank,
    mechanisms.four_bar,
    mechanisms.universal_shaft,
    mechanisms.gimbal,
    mechanisms.spinning_top,
    mechanisms.screw_press,
    mechanisms.pendulum,
    friction.rough_incline,
    friction.stopping,
    friction.diagonal_push,
    friction.rolling_coin,
    friction.spinning_coin,
    friction.arch,
    friction.card_house,
    friction.held_nut,
    friction.jamming_peg,
    impacts.bounces,
    impacts.cradle,
    impacts.struck_stick,
    impacts.struck_pendulum,
    textbook.stack,
    textbook.free_fall,
    textbook.incline,
    textbook.tumbling,
    textbook.mass_ratio,
    textbook.between_walls,
)


@dataclass(frozen=True)
class Entry:
    """A scene of the library."""

    name: str
    """Name of its function in `abut.scenes`."""
    sentence: str
    """What happens in it."""
    make: Callable[..., Scene]
    """The function; every argument has a default."""


def catalogue() -> dict[str, Entry]:
    """Every scene of the library by name."""
    return {make.__name__: Entry(make.__name__, _sentence(make), make) for make in _MAKERS}


def make(name: str) -> Scene:
    """A scene of the library by name."""
    entries = catalogue()
    if name not in entries:
        raise InputError(f"the library has no scene {name!r}; it has {', '.join(entries)}")
    return entries[name].make()


def _sentence(make: Callable[..., Scene]) -> str:
    return " ".join((make.__doc__ or "").split("\n\n")[0].split())
