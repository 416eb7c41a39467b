"""Draw the pictures of docs/regions.md: `python docs/make_pictures/regions.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path as FilePath

import abut
from abut.app.draw import Camera, Dot, Image, Item, Label, Mark, Path, draw, save_png
from abut.query import SegmentPlaces, classify_segment

PICTURES = FilePath(__file__).parents[1] / "pictures"
COLOURS = {"out": "grey", "in": "rust"}


def ridge() -> abut.Solid:
    """A part that a level segment meets in an edge, a face, another edge and a vertex."""
    outline = [(0.5, -3.0), (6.0, -3.0), (5.0, 0.0), (3.0, 0.0), (2.5, -1.0), (1.5, 1.0), (1.0, 0.0)]
    return abut.Solid.extrude(outline, 2.0)


def segment_marks(found: SegmentPlaces, X: abut.Pose) -> list[Mark]:
    """Stretches in colours, and points with their names."""
    marks: list[Mark] = []
    points = [X.apply(point.point) for point in found.points]
    for k, stretch in enumerate(found.stretches):
        colour = COLOURS.get(stretch.what, "blue") if isinstance(stretch.what, str) else "blue"
        marks.append(Path(points[k : k + 2], colour, 6.0))
    for point, place in zip(found.points, points, strict=True):
        word = point.what if isinstance(point.what, str) else f"{point.what.kind} {point.what.index}"
        marks += [Dot(place, "ink", 12.0), Label(place, word, size=20.0, shift=(-18.0, -14.0))]
    return marks


def classified_segment() -> Image:
    """The sequence of Bouma and Vaněček's figure 9, in a part made for it."""
    part, X = ridge(), abut.Pose.from_rotvec((0.0, 0.0, 0.0), (1.5707963, 0.0, 0.0))
    top = float(part.bounds[1, 2])
    found = classify_segment(part, (0.0, 0.0, top - 1.5), (7.0, 0.0, top + 0.6))
    items, size = [Item(part, X, "amber", alpha=0.45)], (1100, 520)
    marks = segment_marks(found, X)
    camera = Camera.fit(items, azimuth=-14.0, elevation=24.0, size=size, margin=1.12)
    return draw(items, camera, size, marks=marks, samples=2)


if __name__ == "__main__":
    save_png(PICTURES / "classified_segment.png", classified_segment(), 128)
