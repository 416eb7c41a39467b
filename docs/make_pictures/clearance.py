"""Draw the pictures of docs/clearance.md: `python docs/make_pictures/clearance.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path

import abut
from abut.app.clearance.page import picture
from abut.app.draw import Image, save_png, strip
from abut.app.scene_run import camera_for, run_scene
from abut.app.scene_run import picture as moment_picture
from abut.scene import scenes

PICTURES = Path(__file__).parents[1] / "pictures"


def assembly() -> list[abut.PlacedPart]:
    """A plate with two holes, a bolt that fits, and a pin that is 50 µm too thick."""
    plate = abut.Solid.box((0.06, 0.03, 0.01), name="plate")
    for x in (-0.015, 0.015):
        plate = plate - abut.Solid.cylinder(5e-3, 0.02, segments=64).translated((x, 0, 0))
    bolt = abut.Solid.cylinder(5e-3, 0.02, segments=64) | abut.Solid.cylinder(8e-3, 5e-3, segments=6).translated(
        (0, 0, 0.0075)
    )
    pin = abut.Solid.cylinder(5.05e-3, 0.018, segments=64)
    return [
        abut.PlacedPart("plate", plate, abut.Pose()),
        abut.PlacedPart("bolt", bolt, abut.Pose((-0.015, 0, 0))),
        abut.PlacedPart("pin", pin, abut.Pose.from_rotvec((0.015, 0, 0), (0, 0, 0.02))),
    ]


def taken_apart() -> Image:
    """The assembly that ships with abut, and how its shaft is pulled out."""
    scene = scenes.make("assembly")
    record = run_scene(scene, 4, lambda _: None)
    camera = camera_for(scene, record.moments, (400, 400))
    images = [moment_picture(scene, moment, camera, (400, 400)) for moment in record.moments]
    return strip(images, captions=[f"{1e3 * moment.time:.0f} ms" for moment in record.moments])


if __name__ == "__main__":
    save_png(PICTURES / "scene_assembly.png", taken_apart(), 128)
    parts = assembly()
    placed = {part.name: part for part in parts}
    report = abut.clearance(parts)
    images = [picture(placed[pair.a], placed[pair.b], pair, (480, 360)) for pair in report.pairs]
    save_png(PICTURES / "clearance.png", strip(images, 2, [str(pair).replace("µ", "u") for pair in report.pairs]), 128)
