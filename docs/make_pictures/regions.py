"""Draw the pictures of docs/regions.md: `python docs/make_pictures/regions.py` writes docs/pictures/."""

from __future__ import annotations

from pathlib import Path as FilePath

import abut
from abut.app.draw import Camera, Dot, Image, Item, Label, Mark, Path, draw, region_marks, save_png, strip
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


def spike() -> abut.Solid:
    """A pyramid with its tip at the origin, pointing up."""
    base = [(-0.03, -0.03, -0.04), (0.03, -0.03, -0.04), (0.03, 0.03, -0.04), (-0.03, 0.03, -0.04)]
    return abut.Solid([*base, (0.0, 0.0, 0.0)], [(3, 2, 1, 0), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])


def roof() -> abut.Solid:
    """A prism with a ridge along x through the origin, on top."""
    ends = [(x, *p) for x in (-0.04, 0.04) for p in ((-0.03, -0.04), (0.03, -0.04), (0.0, 0.0))]
    return abut.Solid(ends, [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)])


def block() -> abut.Solid:
    """A box whose top lies at height 0."""
    box = abut.Solid.box((0.06, 0.06, 0.04))
    return abut.Solid(box.vertices - (0.0, 0.0, 0.02), box.triangles)


TOUCHING = {"vertex": spike, "edge": roof, "face": block}


def touching(lower: str, upper: str) -> tuple[list[Item], abut.Regions]:
    """Two parts of which a feature of one kind touches one of the other, and their contact regions."""
    below, above = TOUCHING[lower](), TOUCHING[upper]()
    # Upside down, and turned so that ridges cross and corners do not lie above corners.
    X = abut.Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.0, 0.6)) @ abut.Pose.from_rotvec(
        (0, 0, 0), (3.14159265358979, 0, 0)
    )
    items = [Item(below, colour="steel"), Item(above, X, "amber", alpha=0.35)]
    return items, abut.contact_regions(below, above, None, X)


def touching_gallery() -> Image:
    """A vertex, an edge and a face on a vertex, an edge and a face."""
    tiles, words, size = [], [], (360, 300)
    for lower in TOUCHING:
        for upper in TOUCHING:
            items, regions = touching(lower, upper)
            camera = Camera.fit(items, azimuth=24.0, elevation=16.0, size=size, margin=1.15)
            marks = region_marks(regions, normals=0.022)
            tiles.append(draw(items, camera, size, marks=marks, samples=2))
            words.append(f"{upper} on {lower}")
    return strip(tiles, 3, words)


def two_rings() -> Image:
    """A ring that slides in another one, which is fixed: contact points and normals."""
    world = abut.World(friction=0.1)
    upper = world.add_body(abut.parts.ring(), "upper", pose=upright(0.0), fixed=True)
    lower = world.add_body(
        abut.parts.ring(), "lower", pose=abut.Pose((0.0, 0.0, -0.0835)) @ upright(1.2), density=7850.0
    )
    world.run(0.12)
    regions = abut.contact_regions(upper.shape, lower.shape, upper.pose, lower.pose, tolerance=2.0 * world.contact_gap)
    items = [Item(upper.shape, upper.pose, "steel", alpha=0.35), Item(lower.shape, lower.pose, "amber", alpha=0.35)]
    camera = Camera(regions[0].centre, span=0.075, azimuth=62.0, elevation=24.0)
    return draw(items, camera, (760, 560), marks=region_marks(regions, normals=0.02, colour="ink"))


def upright(turn: float) -> abut.Pose:
    """A ring that stands, turned about the vertical by an angle [rad]."""
    about_z = abut.Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.0, turn))
    return about_z @ abut.Pose.from_rotvec((0.0, 0.0, 0.0), (1.5707963267948966, 0.0, 0.0))


if __name__ == "__main__":
    save_png(PICTURES / "two_rings.png", two_rings(), 128)
    save_png(PICTURES / "touching_gallery.png", touching_gallery(), 128)
    save_png(PICTURES / "classified_segment.png", classified_segment(), 128)
