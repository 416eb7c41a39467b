"""The library of scenes, shared by tests, demonstrations and benchmarks: functions that return a `Scene` to run."""

from .fits import countersunk, driver, gears, nut_on_bolt, peg_in_hole, radio, screwdriver
from .friction import (
    arch,
    card_house,
    diagonal_push,
    held_nut,
    jamming_peg,
    rolling_coin,
    rough_incline,
    spinning_coin,
    stopping,
)
from .impacts import bounces, cradle, struck_pendulum, struck_stick
from .library import Entry, catalogue, make
from .mechanisms import four_bar, gimbal, pendulum, screw_press, slider_crank, spinning_top, universal_shaft
from .motion import aircraft, blade, brackets, bullet, chain, thrown_blade
from .scene import Drive, Scene, View
from .textbook import between_walls, free_fall, incline, mass_ratio, stack, tumbling

__all__ = [
    "Drive",
    "Entry",
    "Scene",
    "View",
    "aircraft",
    "arch",
    "between_walls",
    "blade",
    "bounces",
    "brackets",
    "bullet",
    "card_house",
    "catalogue",
    "chain",
    "countersunk",
    "cradle",
    "diagonal_push",
    "driver",
    "four_bar",
    "free_fall",
    "gears",
    "gimbal",
    "held_nut",
    "incline",
    "jamming_peg",
    "make",
    "mass_ratio",
    "nut_on_bolt",
    "peg_in_hole",
    "pendulum",
    "radio",
    "rolling_coin",
    "rough_incline",
    "screw_press",
    "screwdriver",
    "slider_crank",
    "spinning_coin",
    "spinning_top",
    "stack",
    "stopping",
    "struck_pendulum",
    "struck_stick",
    "thrown_blade",
    "tumbling",
    "universal_shaft",
]
