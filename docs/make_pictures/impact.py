"""Draw a swept motion and its first touch: `python docs/make_pictures/impact.py` writes docs/pictures/impact.png."""

from __future__ import annotations

from pathlib import Path as FilePath

import numpy as np

import abut
from abut import Motion, Pose
from abut.app.draw import Arrow, Camera, Dot, Image, Item, Label, Path, draw, save_png
from abut.scene import parts

PICTURES = FilePath(__file__).parents[1] / "pictures"
MOTION = Motion(Pose((-0.16, 0.0, 0.075)), (0.3, 0.0, -0.1), (0.0, 1.7 * np.pi, 0.0))


def swept_bolt(size: tuple[int, int] = (1100, 560)) -> Image:
    """A bolt tumbles towards a nut; ghosts on the way, solid where it first touches."""
    bolt, nut = parts.hex_bolt(length=0.045, segments=64), parts.hex_nut(segments=64)
    stand = Pose((0.03, 0.0, 0.0))
    impact = abut.time_of_impact(bolt, nut, MOTION, stand)
    assert impact is not None
    ghosts = [Item(bolt, MOTION.at(t), colour="steel", alpha=0.22) for t in np.linspace(0.0, impact.time, 7)[:-1]]
    items = [*ghosts, Item(bolt, MOTION.at(impact.time), colour="blue"), Item(nut, stand, colour="amber")]
    tip = bolt.vertices[int(bolt.vertices[:, 2].argmax())]
    trace = [MOTION.at(t).apply(tip) for t in np.linspace(0.0, impact.time, 200)]
    marks = [
        Path(trace, "rust", 2.0),
        Dot(impact.point, "rust"),
        Arrow(impact.point, 0.02 * impact.normal, "rust"),
        Label(impact.point, f"first touch at t = {impact.time:.4f}", shift=(-40.0, -100.0)),
    ]
    camera = Camera.fit(items, azimuth=8.0, elevation=18.0, size=size, margin=1.1)
    return draw(items, camera, size, marks=marks, samples=3)


if __name__ == "__main__":
    save_png(PICTURES / "impact.png", swept_bolt(), 256)
