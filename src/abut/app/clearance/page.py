"""The page: one HTML file that needs nothing else, with the worst pairs cut open."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import FileError, InputError
from ...geometry import size_of
from .clearance import cells, verdict

if TYPE_CHECKING:
    from ...geometry import PlacedPart, Solid
    from ...query import ClearanceReport, PairClearance
    from ..draw import Image, Item, Section
    from .sources import Unusable

SHOWN = 8
"""Pairs that are drawn: the worst."""
_SIZE = (480, 360)
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: .3em .6em; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number { white-space: nowrap; }
.overlapping { color: #b3261e; font-weight: 600; } .touching { color: #8a6100; } .free { color: #1b6e3c; }
.allowed { color: #777; font-weight: 400; }
figure { display: inline-block; width: 500px; margin: 1em .5em; vertical-align: top; }
figure img { width: 100%; border: 1px solid #ddd; } figcaption { font-size: 13px; }
.bad { color: #b3261e; }
"""
_HEADS = ("A", "B", "state", "distance", "true shapes", "depth", "nominal gap", "common volume", "where")


def write_page(
    path: Path,
    files: list[str],
    parts: list[PlacedPart],
    report: ClearanceReport,
    allowed: list[bool],
    unusable: list[Unusable],
) -> None:
    """Write the page."""
    placed = dict(zip(report.parts, parts, strict=True))
    known = list(zip(report.pairs, allowed, strict=True))
    rows = "\n".join(_row(pair, mark) for pair, mark in known)
    figures = "\n".join(_figure(pair, placed) for pair, mark in known[:SHOWN])
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    bad = "".join(f"<li class=bad>{escape(one.reason)}</li>" for one in unusable)
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    title = "Clearance of " + ", ".join(Path(file).name for file in files)
    text = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>{escape(verdict(report, allowed))}. Pairs within {1e3 * report.within:g} mm are "
        f"listed; {report.farther} are farther apart.</p><ul>{bad}{notes}</ul>"
        f"<table><tr>{heads}</tr>{rows}</table><h2>The worst pairs, cut open</h2>{figures}</html>\n"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror or error})") from error


def _row(pair: PairClearance, allowed: bool) -> str:
    distance, bounds, depth, nominal, where = cells(pair)
    state = f"<span class={'allowed' if allowed else pair.state}>{pair.state}{' (allowed)' if allowed else ''}</span>"
    volume = "unknown" if pair.volume is None else f"{1e9 * pair.volume:.4g} mm³" if pair.volume else ""
    names = f"<td>{escape(pair.a)}</td><td>{escape(pair.b)}</td><td>{state}</td>"
    numbers = "".join(f"<td class=number>{escape(text)}</td>" for text in (distance, bounds, depth, nominal, volume))
    return f"<tr>{names}{numbers}<td>{escape(where)}</td></tr>"


def _figure(pair: PairClearance, parts: dict[str, PlacedPart]) -> str:
    data = BytesIO()
    _as_png(picture(parts[pair.a], parts[pair.b], pair), data)
    source = b64encode(data.getvalue()).decode("ascii")
    *_, where = cells(pair)
    caption = f"{escape(str(pair))}, {escape(where)}"
    return f'<figure><img alt="" src="data:image/png;base64,{source}"><figcaption>{caption}</figcaption></figure>'


def _as_png(image: Image, data: BytesIO) -> None:
    from PIL import Image as pil

    pil.fromarray(image).quantize(128).save(data, "PNG", optimize=True)


def picture(a: PlacedPart, b: PlacedPart, pair: PairClearance, size: tuple[int, int] = _SIZE) -> Image:
    """Two parts, cut open where they are nearest to each other or deepest in each other."""
    from ..draw import Camera, Dot, draw

    section = section_of(pair)
    items = [_item(a, section, "blue"), _item(b, section, "amber")]
    turn = float(np.degrees(np.arctan2(section.normal[0], -section.normal[1])))
    rise = float(np.degrees(np.arcsin(np.clip(section.normal[2], -1.0, 1.0))))
    elevation = float(np.clip(rise + (12.0 if rise < 60.0 else -12.0), -80.0, 80.0))
    smaller = min(size_of(part.solid) for part in (a, b))
    camera = Camera(section.point, smaller, turn - 15.0, elevation)
    return draw(items, camera, size, marks=[Dot(section.point)])


def _item(part: PlacedPart, section: Section, colour: str) -> Item:
    """A part in the picture of a pair; what is no polyhedron is drawn whole."""
    from ..draw import Item

    if part.solid.polyhedral:
        return Item(opened(part, section), None, colour)
    return Item(part.solid, part.pose, colour)


def opened(part: PlacedPart, section: Section) -> Solid:
    """The part where it stands, without what lies above the plane; whole where it cannot be cut.

    A picture's own section shows what it sees behind the plane, which is not the part itself where another overlaps it.
    """
    from ...geometry import Solid
    from ...geometry.making.boolean import as_manifold, from_manifold

    whole = part.solid.transformed(part.pose)
    if not whole.closed:
        return whole
    try:
        solid = as_manifold(whole.mesh.vertices, whole.mesh.triangles, label=whole.label)
    except InputError:
        return whole
    below = -section.normal
    vertices, triangles = from_manifold(solid.trim_by_plane(below.tolist(), float(below @ section.point)))
    return Solid(vertices, triangles, name=part.name) if len(triangles) else whole


def section_of(pair: PairClearance) -> Section:
    """A plane through the witness point in which the normal lies, seen from where there is most to see."""
    from ..draw import Section

    n = pair.normal
    # Level if it can be: an upright cut that holds the normal; a normal that is upright itself is cut from the front.
    across = np.cross((0.0, 0.0, 1.0), n)
    if float(np.linalg.norm(across)) < 0.1:
        across = np.array((0.0, -1.0, 0.0))
    if across[1] > 0.0:
        across = -across
    return Section(0.5 * (pair.point_a + pair.point_b), across)
