"""What the part library holds, and which of its parts belong together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import cos, pi, radians

from ...errors import InputError, meant
from ...geometry import Solid
from ...math import Pose
from . import airfield, chain, countersunk, cross_recess, fasteners, gears, masonry, pegs, plates, radio, supports

_MAKERS: tuple[Callable[..., Solid], ...] = (
    pegs.peg,
    pegs.hole_plate,
    countersunk.countersunk_bolt,
    countersunk.countersunk_plate,
    cross_recess.cross_recess_screw,
    cross_recess.cross_recess_driver,
    cross_recess.screw_block,
    chain.ring,
    chain.chain_link,
    fasteners.hex_bolt,
    fasteners.hex_nut,
    gears.gear,
    supports.finger_support,
    supports.sliding_block,
    radio.car_radio,
    radio.radio_console,
    airfield.aircraft,
    airfield.runway,
    masonry.voussoir,
    plates.thin_plate,
    plates.stack_box,
    plates.l_bracket,
)


@dataclass(frozen=True)
class Entry:
    """A part of the library."""

    name: str
    """Name of its function in `abut.parts`."""
    description: str
    """One sentence."""
    make: Callable[..., Solid]
    """The function; every argument has a default."""


@dataclass(frozen=True)
class Fit:
    """Two parts of the library, assembled."""

    name: str
    """What to call the pair."""
    moving: Callable[[], Solid]
    """Makes the part that is put in."""
    fixed: Callable[[], Solid]
    """Makes the part that receives it."""
    gap: float
    """[m] the smallest distance between the two, at least."""
    pose: Pose = field(default_factory=Pose)
    """Of the moving part in the frame of the fixed one."""


def catalogue() -> dict[str, Entry]:
    """Every part of the library by name."""
    return {make.__name__: Entry(make.__name__, _first_sentence(make), make) for make in _MAKERS}


def make(name: str) -> Solid:
    """A part of the library by name, with its default dimensions."""
    entries = catalogue()
    if name not in entries:
        raise InputError(f"the part library has no {name!r}{meant(name, entries)}; it has {', '.join(entries)}")
    return entries[name].make()


def fits() -> dict[str, Fit]:
    """Every pair of parts that belongs together, with default dimensions, by name."""
    pairs = (
        Fit("peg in hole", pegs.peg, pegs.hole_plate, 25e-6),
        Fit("countersunk bolt", countersunk.countersunk_bolt, countersunk.countersunk_plate, 50e-6),
        Fit("driver in recess", cross_recess.cross_recess_driver, cross_recess.cross_recess_screw, 30e-6),
        Fit("screw in block", cross_recess.cross_recess_screw, cross_recess.screw_block, 30e-6),
        Fit("nut on bolt", fasteners.hex_nut, fasteners.hex_bolt, 50e-6, fasteners.on_thread("M20", 0.02)),
        Fit("gears", gears.gear, gears.gear, 25e-6 * cos(radians(20.0)), gears.meshing(20, 20, 0.002)),
        Fit("rings", chain.ring, chain.ring, 3.9e-3, _linked(0.08, 0.5 * pi)),
        Fit("chain links", chain.chain_link, chain.chain_link, 1.5e-4, _linked(0.0238, 0.5 * pi)),
        Fit("radio in console", radio.car_radio, radio.radio_console, 2.5e-4),
        Fit("block on fingers", supports.sliding_block, supports.finger_support, 1e-3, Pose((0.0, 0.0, 1e-3))),
        Fit("aircraft on runway", airfield.aircraft, airfield.runway, 0.01, Pose((15.0, 0.0, 0.01))),
    )
    return {pair.name: pair for pair in pairs}


def _linked(distance: float, turn: float) -> Pose:
    return Pose.from_rotvec((distance, 0.0, 0.0), (turn, 0.0, 0.0))


def _first_sentence(make: Callable[..., Solid]) -> str:
    text = " ".join((make.__doc__ or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".") + "."
