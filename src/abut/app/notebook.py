"""How things show themselves in a notebook: in three dimensions where there is JavaScript, as a picture where not.

The page of `abut play` with the thing inside it goes into a frame; a picture lies below it and is seen where frames or
scripts are not allowed. Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import io
from collections.abc import Iterable
from html import escape
from typing import Any

from ..dynamics import World
from ..geometry import PlacedPart, Solid
from ..math import Pose
from ..query import ClearanceReport
from ..scene.scenes import Scene
from .clearance.clearance import cells
from .draw import Image
from .play.export import page_of, page_of_run, record_of_world
from .reports.pictures import moments_at, pictures
from .runs import Run
from .scene_run import camera_for, moment, picture

SIZE = (720, 460)
"""[pixels]."""
MOST_PAIRS = 20
"""Of a clearance, that are listed."""
_HEADS = ("A", "B", "state", "distance", "true shapes", "depth", "nominal gap", "where")
_UNPACK = (
    "(async()=>{{const b=Uint8Array.from(atob('{data}'),c=>c.charCodeAt(0));"
    "const s=new Blob([b]).stream().pipeThrough(new DecompressionStream('gzip'));"
    "const t=await new Response(s).text();document.open();document.write(t);document.close()}})()"
)
Bundle = dict[str, Any]
"""What a notebook shows, by kind."""


def show_world(world: World) -> Bundle:
    """A world as it is now, with its contacts."""
    if not world.bodies and not world.deformables:
        return {"text/plain": "World(no bodies)"}
    if not _can_be_seen(world):
        return {"text/plain": f"World({len(world.bodies)} bodies without end, {world.time:g} s)"}
    words = (
        f"World({len(world.bodies) + len(world.deformables)} bodies, {len(world.contacts)} contacts, {world.time:g} s)"
    )
    return _bundle(words, _portrait(world), page_of(record_of_world(world, "world")))


def _can_be_seen(world: World) -> bool:
    """Whether there is a body with a size, for a camera to look at."""
    return bool(world.deformables) or any(body.shape.bounded for body in world.bodies)


def show_solid(solid: Solid) -> Bundle:
    """A part."""
    if not solid:
        return {"text/plain": repr(solid)}
    world = _as_drawn([PlacedPart(solid.name or "part", solid, Pose())])
    return _bundle(repr(solid), _portrait(world), page_of(record_of_world(world, solid.name or "part")))


def show_run(run: Run) -> Bundle:
    """A run, with its timeline; the picture is of its end."""
    if len(run) == 0 or not _can_be_seen(run.first_world):
        return {"text/plain": repr(run)}
    (image,) = pictures(run, moments_at(run, [len(run) - 1]), SIZE)
    return _bundle(repr(run), image, page_of_run(run))


def show_clearance(report: ClearanceReport) -> Bundle:
    """The worst pairs of an assembly as a table, and its parts, those that overlap in red."""
    table = _table(report)
    if not report.placed:
        return {"text/plain": repr(report), "text/html": table}
    world = _as_drawn(report.placed)
    red = sorted({name for pair in report.interferences for name in (pair.a, pair.b)})
    page = page_of(record_of_world(world, repr(report), overlapping=red))
    bundle = _bundle(repr(report), _portrait(world), page)
    return {**bundle, "text/html": bundle["text/html"] + table}


def _as_drawn(parts: Iterable[PlacedPart]) -> World:
    world = World(gravity=(0.0, 0.0, 0.0))
    for part in parts:
        world.add_body(part.solid, part.name, pose=part.pose, fixed=True)
    return world


def _portrait(world: World) -> Image:
    scene, now = Scene(world, 0.0), moment(world)
    return picture(scene, now, camera_for(scene, [now], SIZE), SIZE)


def _bundle(words: str, image: Image, page: str) -> Bundle:
    """Words, a picture, and the page over it."""
    png = _png(image)
    inner = _UNPACK.format(data=base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode())
    frame = escape(f"<!doctype html><meta charset=utf-8><script>{inner}</script>", quote=True)
    below = f'<img src="data:image/png;base64,{png}" alt="{escape(words, quote=True)}" style="width:100%">'
    over = (
        f'<iframe title="{escape(words, quote=True)}" srcdoc="{frame}" loading="lazy" '
        'style="position:absolute;inset:0;width:100%;height:100%;border:0"></iframe>'
    )
    html = f'<div style="position:relative;max-width:{SIZE[0]}px;aspect-ratio:{SIZE[0]}/{SIZE[1]}">{below}{over}</div>'
    return {"text/plain": words, "image/png": png, "text/html": html}


def _png(image: Image) -> str:
    from PIL import Image as pil

    stream = io.BytesIO()
    pil.fromarray(image).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode()


def _table(report: ClearanceReport) -> str:
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    shown = ((pair.a, pair.b, pair.state, *cells(pair)) for pair in report.pairs[:MOST_PAIRS])
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in shown)
    more = len(report.pairs) - MOST_PAIRS
    note = f"<p>and {more} more pairs</p>" if more > 0 else ""
    return f"<p>{escape(repr(report))}</p><table><tr>{heads}</tr>{rows}</table>{note}"
