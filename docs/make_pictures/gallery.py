"""Draw the pictures of the part library: `python docs/make_pictures/gallery.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path

from rich.progress import track

from abut import HalfSpace, Pose
from abut.app.draw import Camera, Image, Item, Section, draw, save_png, strip
from abut.app.portrait import portrait
from abut.scene import parts

PICTURES = Path(__file__).parents[1] / "pictures"


def write(name: str, image: Image, colours: int = 256) -> None:
    """Save one picture; a palette keeps it well below 200 kB without visible steps."""
    save_png(PICTURES / f"{name}.png", image, colours)


def part_pictures() -> None:
    """Each part alone, and all of them on one sheet."""
    names = list(parts.catalogue())
    solids = [parts.make(name) for name in names]
    for name, solid in track(list(zip(names, solids, strict=True)), "parts"):
        write(f"part_{name}", portrait([Item(solid)], (640, 480), samples=3))
    tiles = [portrait([Item(solid)], (240, 180), samples=4) for solid in track(solids, "sheet")]
    write("library", strip(tiles, 6, [name.replace("_", " ") for name in names], gap=6, text_size=14), colours=64)


def driver_in_recess() -> Image:
    """Both are cut open along two wings of the recess."""
    screw = Item(parts.cross_recess_screw(length=0.009, segments=96), colour="steel")
    driver = Item(parts.cross_recess_driver(length=0.0125, segments=96), colour="amber")
    return portrait([screw, driver], azimuth=22.0, elevation=22.0, cut=-22.0, samples=3)


def nut_on_bolt() -> Image:
    """The nut is cut open, the bolt in it is whole."""
    bolt, nut = parts.hex_bolt(length=0.045, segments=96), parts.hex_nut(segments=96)
    items = [Item(bolt, colour="steel", cut=False), Item(nut, parts.on_thread("M20", 0.018), colour="amber")]
    return portrait(items, azimuth=25.0, elevation=22.0, cut=0.0, samples=3)


def radio_in_console() -> Image:
    """The radio half way into the console, through which one can see."""
    fit = parts.fits()["radio in console"]
    radio = Item(fit.moving(), Pose((0.0, -0.09, 0.0)) @ fit.pose, colour="amber")
    return portrait([Item(fit.fixed(), colour="blue", alpha=0.25), radio], azimuth=32.0, elevation=24.0, samples=3)


def hero(size: tuple[int, int] = (1280, 560)) -> Image:
    """Three tight fits in a row, cut open by one plane: small ones are enlarged."""
    items = [*_bolted(-0.095, 1.4), *_screwed(-0.005, 4.5), *_plated(0.095, 1.8)]
    floor = Item(HalfSpace((0, 0, 1), 0.0))
    camera = Camera.fit(items, azimuth=16.0, elevation=22.0, fov=13.0, size=size, margin=1.06)
    return draw([*items, floor], camera, size, section=Section((0, 0, 0), (0, -1, 0)), samples=4)


def _bolted(x: float, scale: float) -> list[Item]:
    """A cut nut on a whole bolt."""
    bolt, nut = parts.hex_bolt(length=0.055, segments=96), parts.hex_nut(segments=96)
    nut = nut.transformed(parts.on_thread("M20", 0.02)).scaled(scale)
    bolt = bolt.scaled(scale)
    stand = Pose((x, 0.0, -bolt.bounds[0, 2]))
    return [Item(bolt, stand, "steel", cut=False), Item(nut, stand, "amber")]


def _screwed(x: float, scale: float) -> list[Item]:
    """A whole driver over the recess of a cut screw."""
    screw = parts.cross_recess_screw(segments=96).scaled(scale)
    driver = parts.cross_recess_driver(length=0.0121, segments=96).scaled(scale)
    stand = Pose((x, 0.0, -screw.bounds[0, 2]))
    return [Item(screw, stand, "steel"), Item(driver, stand @ Pose((0, 0, 0.0022 * scale)), "rust", cut=False)]


def _plated(x: float, scale: float) -> list[Item]:
    """A cut countersunk bolt in its cut plate."""
    plate = parts.countersunk_plate(segments=96).scaled(scale)
    bolt = parts.countersunk_bolt(length=0.03, segments=96).scaled(scale)
    stand = Pose((x, 0.0, -min(plate.bounds[0, 2], bolt.bounds[0, 2])))
    return [Item(plate, stand, "sand"), Item(bolt, stand, "blue")]


def main() -> None:
    """Draw everything."""
    part_pictures()
    write("driver_in_recess", driver_in_recess())
    write("nut_on_bolt", nut_on_bolt())
    write("radio_in_console", radio_in_console())
    write("hero", hero())


if __name__ == "__main__":
    main()
