"""The library of scenes, shared by tests, demonstrations and benchmarks: functions that return a `Scene` to run."""

from .fits import countersunk, driver, gears, nut_on_bolt, peg_in_hole, radio, screwdriver
from .library import Entry, catalogue, make
from .motion import aircraft, blade, brackets, bullet, chain, thrown_blade
from .scene import Drive, Scene, View
from .textbook import between_walls, free_fall, incline, mass_ratio, stack, tumbling

__all__ = [
    "Drive",
    "Entry",
    "Scene",
    "View",
    "aircraft",
    "between_walls",
    "blade",
    "brackets",
    "bullet",
    "catalogue",
    "chain",
    "countersunk",
    "driver",
    "free_fall",
    "gears",
    "incline",
    "make",
    "mass_ratio",
    "nut_on_bolt",
    "peg_in_hole",
    "radio",
    "screwdriver",
    "stack",
    "thrown_blade",
    "tumbling",
]
