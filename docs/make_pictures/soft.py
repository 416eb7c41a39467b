"""Draw the pictures of docs/soft.md: `python docs/make_pictures/soft.py` writes docs/pictures/."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
from soft_demos import DEMOS, Demo

import abut
from abut.app.draw import Camera, Dot, Image, Item, draw, save_png, strip
from abut.app.draw import Path as Line
from abut.app.draw.stress import stress_items

PICTURES = Path(__file__).parents[1] / "pictures"


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


def demonstration(demo: Demo) -> Image:
    """The moments of a demonstration side by side, soft bodies coloured by stress up to the largest of all moments."""
    size, looks = (380, 340), []
    for time in demo.moments():
        soft = [(b.vertices, np.asarray(b.triangles), b.skin_stress) for b in demo.world.deformables]
        rigid = [(b.name, b.shape, b.pose) for b in demo.world.bodies]
        looks.append((time, soft, rigid))
    top = max(float(stress.max()) for _, soft, _ in looks for *_, stress in soft)
    points = np.concatenate([vertices for _, soft, _ in looks for vertices, *_ in soft])
    camera = Camera.fit(points, demo.azimuth, demo.elevation, size=size, margin=1.25)
    images = []
    for _, soft, rigid in looks:
        items = [item for skin in soft for item in stress_items(*skin, top)]
        for name, shape, pose in rigid:
            items.append(Item(shape, pose, "steel", alpha=0.3 if name in demo.clear else 1.0))
        images.append(draw(items, camera, size))
    return strip(images, captions=[f"{1e3 * time:.0f} ms" for time, *_ in looks])


def _sides(box: np.ndarray) -> list[np.ndarray]:
    """The twelve edges of a box."""
    corners = [np.where(ends, box[3:], box[:3]) for ends in product((0, 1), repeat=3)]
    return [np.array((p, q)) for i, p in enumerate(corners) for q in corners[i + 1 :] if (p != q).sum() == 1]


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["detection", *DEMOS]
    for name in wanted:
        image = detection() if name == "detection" else demonstration(DEMOS[name]())
        save_png(PICTURES / f"soft_{name}.png", image, 256)
