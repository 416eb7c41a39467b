"""Draw the pictures of docs/distance.md: `python docs/make_pictures/distance.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path as FilePath

import numpy as np

import abut
from abut import Pose
from abut.app.draw import Camera, Dot, Image, Item, Path, draw, save_png, strip
from abut.app.portrait import portrait
from abut.query import hierarchy_of
from abut.scene import parts

PICTURES = FilePath(__file__).parents[1] / "pictures"


def witness_points() -> Image:
    """A nut that comes down to its bolt, at three places: the closest points and the line between them."""
    bolt, nut = parts.hex_bolt(length=0.045), parts.hex_nut()
    tiles = []
    for height, tilt in ((0.075, 0.5), (0.062, 0.35), (0.052, 0.15)):
        X = Pose.from_rotvec((0.004, 0.0, height), (0.0, tilt, 0.2))
        found = abut.distance(bolt, nut, None, X)
        ends = (found.point_a, found.point_b)
        marks = [Path(ends, "rust", 4.0), *(Dot(p, "rust", 11.0) for p in ends)]
        tiles.append(portrait([Item(bolt, colour="steel"), Item(nut, X, "amber", alpha=0.55)], (420, 560), marks=marks))
    return strip(tiles, 3)


def boxes_of_level(solid: abut.Solid, level: int) -> list[Path]:
    """Edges of the oriented boxes at one level of the tree."""
    tree = hierarchy_of(solid).tree
    nodes = [0]
    for _ in range(level):
        nodes = [c for n in nodes for c in ([n] if tree.child[n] < 0 else [tree.child[n], tree.child[n] + 1])]
    return [path for n in nodes for path in box_edges(tree.boxes[n])]


def box_edges(row: np.ndarray) -> list[Path]:
    """The twelve edges of a box in four paths."""
    axes, centre, half = row[:9].reshape(3, 3), row[9:12], row[12:15]

    def corner(*signs: int) -> np.ndarray:
        return centre + (half * signs) @ axes

    rings = [[corner(-1, -1, z), corner(1, -1, z), corner(1, 1, z), corner(-1, 1, z)] for z in (-1, 1)]
    pillars = [Path([a, b], "blue", 1.6) for a, b in zip(*rings, strict=True)]
    return [*(Path(ring, "blue", 1.6, closed=True) for ring in rings), *pillars]


def hierarchy_levels() -> Image:
    """The boxes of four levels around a bolt."""
    bolt = parts.hex_bolt(length=0.045)
    items, size = [Item(bolt, colour="steel")], (300, 460)
    camera = Camera.fit(items, azimuth=30.0, elevation=18.0, size=size, margin=1.25)
    levels = (0, 2, 4, 6)
    tiles = [draw(items, camera, size, marks=boxes_of_level(bolt, level), samples=2) for level in levels]
    return strip(tiles, 4, [f"level {level}" for level in levels])


if __name__ == "__main__":
    save_png(PICTURES / "witness_points.png", witness_points(), 128)
    save_png(PICTURES / "hierarchy_levels.png", hierarchy_levels(), 128)
