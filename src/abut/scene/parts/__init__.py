"""The part library: functions that make the parts of the demonstrations, with real dimensions as arguments [m].

Parts that belong together are drawn in one frame: with both poses the identity they stand assembled, unless `fits()`
gives another pose.
"""

from typing import TYPE_CHECKING, Any

from ...errors import meant
from .airfield import aircraft, runway
from .chain import chain_link, ring
from .countersunk import countersunk_bolt, countersunk_plate
from .cross_recess import cross_recess_driver, cross_recess_screw, screw_block
from .fasteners import hex_bolt, hex_nut, on_thread
from .gears import gear, meshing
from .library import Entry, Fit, catalogue, fits, make
from .masonry import voussoir
from .pegs import hole_plate, peg
from .plates import l_bracket, stack_box, thin_plate
from .radio import car_radio, radio_console
from .supports import finger_support, sliding_block

__all__ = [
    "Entry",
    "Fit",
    "aircraft",
    "car_radio",
    "catalogue",
    "chain_link",
    "countersunk_bolt",
    "countersunk_plate",
    "cross_recess_driver",
    "cross_recess_screw",
    "finger_support",
    "fits",
    "gear",
    "hex_bolt",
    "hex_nut",
    "hole_plate",
    "l_bracket",
    "make",
    "meshing",
    "on_thread",
    "peg",
    "radio_console",
    "ring",
    "runway",
    "screw_block",
    "sliding_block",
    "stack_box",
    "thin_plate",
    "voussoir",
]


if not TYPE_CHECKING:  # which would take every name for a part

    def __getattr__(name: str) -> Any:
        raise AttributeError(
            f"abut.parts has no {name!r}{meant(name, __all__)}; abut.parts.catalogue() lists its parts"
        )
