"""Draw the pictures of the part library: `python docs/make_pictures/gallery.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from abut.scene import parts
from rich.progress import track

from abut.app.draw import Image, Item, save_png, strip
from abut.app.portrait import portrait

PICTURES = Path(__file__).parents[1] / "pictures"
COLOURS = 200
"""Per file: keeps every picture well below 200 kB without visible steps."""


def write(name: str, image: Image) -> None:
    """Save one picture."""
    save_png(PICTURES / f"{name}.png", image, colours=COLOURS)


def part_pictures() -> None:
    """Each part alone, and all of them on one sheet."""
    names = list(parts.catalogue())
    solids = [parts.make(name) for name in names]
    for name, solid in zip(names, track(solids, "parts"), strict=False):
        write(f"part_{name}", portrait([Item(solid)], (640, 480)))
    tiles = [portrait([Item(solid)], (240, 180), samples=4) for solid in track(solids, "sheet")]
    write("library", strip(tiles, 6, [name.replace("_", " ") for name in names], gap=6, text_size=14))


def driver_in_recess(size: tuple[int, int] = (960, 720)) -> Image:
    """The screw is cut open, the driver in it is whole."""
    screw = Item(parts.cross_recess_screw(length=0.009), colour="steel")
    driver = Item(parts.cross_recess_driver(length=0.0125), colour="amber", cut=False)
    return portrait([screw, driver], size, azimuth=35.0, elevation=30.0, cut=8.0)


def nut_on_bolt(size: tuple[int, int] = (960, 720)) -> Image:
    """Both are cut open along their axis."""
    bolt, nut = parts.hex_bolt(length=0.045), parts.hex_nut()
    items = [Item(bolt, colour="steel"), Item(nut, parts.on_thread("M20", 0.015), colour="amber")]
    return portrait(items, size, azimuth=35.0, elevation=24.0, cut=8.0)


def radio_in_console(size: tuple[int, int] = (960, 720)) -> Image:
    """The radio on its way into the console, which is cut open."""
    fit = parts.fits()["radio in console"]
    console, radio = Item(fit.fixed(), colour="steel"), Item(fit.moving(), fit.pose, colour="amber", cut=False)
    return portrait([console, radio], size, azimuth=-50.0, elevation=28.0, cut=0.0)


def hero() -> Image:
    """Three tight fits side by side, for the front page."""
    size = 400, 460
    return np.concatenate([draw_one(size) for draw_one in (driver_in_recess, nut_on_bolt, radio_in_console)], axis=1)


def main() -> None:
    """Draw everything."""
    part_pictures()
    write("driver_in_recess", driver_in_recess())
    write("nut_on_bolt", nut_on_bolt())
    write("hero", hero())


if __name__ == "__main__":
    main()
