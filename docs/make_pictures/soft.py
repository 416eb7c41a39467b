"""Draw the pictures of docs/soft.md: `python docs/make_pictures/soft.py` writes docs/pictures/."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

import abut
from abut.app.draw import Camera, Dot, Image, Item, draw, save_png, strip
from abut.app.draw import Path as Line
from abut.app.scene_run import camera_for, moment, pictures
from abut.scene import scenes

PICTURES = Path(__file__).parents[1] / "pictures"
SIZE = (440, 380)
TIMES = {
    "spheres": (0.005, 0.03, 0.055, 0.1),
    "clip": (0.04, 0.12, 0.2, 0.32),
    "seal": (0.02, 0.06, 0.1),
    "gripper": (0.004, 0.1, 0.25, 0.44),
}
"""[s] when demonstrations are looked at."""


def detection() -> Image:
    """Two spheres, the common part of their boxes, candidate faces in it, and the vertices found inside."""
    parts = [abut.Solid.sphere(0.1, segments=40).translated((x, y, 0)) for x, y in ((-0.085, -0.01), (0.085, 0.01))]
    found = abut.fem.detect(*parts)
    assert found.box is not None
    marks: list[Line | Dot] = [Line(side, "ink", 2.0) for side in _sides(found.box)]
    for part, entered, colour in zip(parts, (found.a, found.b), ("blue", "amber"), strict=True):
        corners = np.asarray(part.vertices)[np.asarray(part.triangles)[entered.faces]]
        marks += [Line(triangle, colour, 1.0, closed=True) for triangle in corners]
        marks += [Dot(p, "rust", 6.0) for p in np.asarray(part.vertices)[entered.vertices]]
    items = [Item(part, alpha=0.25, edges=False) for part in parts]
    camera = Camera.fit(items, azimuth=-70.0, size=(960, 600))
    return draw(items, camera, (960, 600), marks=marks)


def demonstration(name: str, times: tuple[float, ...]) -> Image:
    """Moments of a demonstration side by side, in all of which a colour of soft bodies means the same stress."""
    scene, looks = scenes.make(name), []
    for time in times:
        while scene.world.time < time - 1e-9:
            assert scene.step().time_given_up == 0.0
        looks.append(replace(moment(scene.world), contacts=scene.world.contacts[:0]))
    camera = camera_for(scene, looks, SIZE)
    return strip(pictures(scene, looks, camera, SIZE), captions=[f"{1e3 * look.time:.0f} ms" for look in looks])


def _sides(box: np.ndarray) -> list[np.ndarray]:
    """The twelve edges of a box."""
    corners = [np.where(ends, box[3:], box[:3]) for ends in product((0, 1), repeat=3)]
    return [np.array((p, q)) for i, p in enumerate(corners) for q in corners[i + 1 :] if (p != q).sum() == 1]


if __name__ == "__main__":
    for name in sys.argv[1:] or ["detection", *TIMES]:
        image = detection() if name == "detection" else demonstration(f"soft_{name}", TIMES[name])
        save_png(PICTURES / f"soft_{name}.png", image, 256)
