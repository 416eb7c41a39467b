"""Pictures of parts, made without a display: the steps from items to an image, top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, count
from ...errors import InputError
from ...geometry import is_half_space
from . import light_kernels, line_kernels, raster_kernels
from .camera import FRAME, Camera
from .draw_tables import KIND, MATERIAL_WIDTH, ORIGIN, REACH, Lens, Lights
from .geometry_buffer import (
    Buffer,
    Placed,
    Singles,
    Soup,
    fill,
    front_sides,
    lens_of,
    make_soup,
    project,
    shadow_map,
    unlimited,
    view_plane,
)
from .image import Image, write
from .item import Facets, Item, Section, facets, scene_points
from .marks import Label, Mark, mark_facets, mark_points
from .palette import Colour, linear, nth_colour, srgb

_TEXELS = 1024
_TAPS = 10
_LAYERS = 6
"""How many transparent surfaces may lie behind each other."""
_LINE = 1.15
"""Thickness of edges [pixels]."""


@dataclass(frozen=True, eq=False)
class _View:
    """Everything that stays the same while a picture is made."""

    camera: Camera
    lens: Lens
    width: int
    """[samples]."""
    height: int
    """[samples]."""
    samples: int
    size: float
    """Diagonal of the scene [m]."""
    section: Section | None
    plane: tuple[float, ...]
    """The section's (normal, offset) in the eye's frame; zeros for none."""
    lights: Lights
    materials: Floats
    """(k, 16), columns as in draw_tables; rows 2 i and 2 i + 1 are the surface and the cut faces of item i."""
    alpha: Floats
    """(k,) of each material."""


def draw(
    items: Sequence[Item],
    camera: Camera | None = None,
    size: tuple[int, int] = FRAME,
    *,
    marks: Sequence[Mark] = (),
    section: Section | None = None,
    background: Colour = "white",
    samples: int = 2,
) -> Image:
    """Make a picture (h, w, 3) of uint8; without a camera, one that shows everything.

    `size` is (width, height) in pixels; `samples` x `samples` rays are averaged for each pixel.
    """
    width, height = _checked_size(size)
    _check_items(items)
    if camera is None:
        camera = Camera.fit(np.concatenate((scene_points(items), mark_points(marks))), size=(width, height))
    view = _make_view(items, camera, width, height, count("samples", samples, least=1), section, background)
    placed = [_place(i, item, section) for i, item in enumerate(items) if item.shape.bounded]
    opaque = [p for p in placed if view.alpha[p.surface] == 1.0]
    clear = [p for p in placed if view.alpha[p.surface] < 1.0]

    buffer, soup = Buffer.empty(view.width, view.height), make_soup(opaque, camera, view.lens, section)
    fill(buffer, soup, unlimited(buffer), view.plane, view.lens)
    _lay_floors(items, view, buffer)
    colour = _shaded(buffer, _exposure(buffer, soup, view), view)
    _ink(colour, buffer, opaque, soup, view, 0.85)
    _veil(colour, buffer, clear, view)
    _overlay(colour, buffer, [m for m in marks if not isinstance(m, Label)], view)
    return _labelled(_developed(colour, view), [m for m in marks if isinstance(m, Label)], camera)


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    if np.shape(size) != (2,):
        raise InputError(f"size: expected (width, height) in pixels, got {size!r}")
    return count("size[0]", size[0], least=1), count("size[1]", size[1], least=1)


def _check_items(items: Sequence[Item]) -> None:
    if len(items) == 0:
        raise InputError("items: expected at least one Item to draw, got none")
    for i, item in enumerate(items):
        if not isinstance(item, Item):
            raise InputError(f"items[{i}]: expected an Item, got {type(item).__name__}; wrap it as Item(part, pose)")


def _make_view(
    items: Sequence[Item],
    camera: Camera,
    width: int,
    height: int,
    samples: int,
    section: Section | None,
    background: Colour,
) -> _View:
    points = scene_points(items)
    low, high = points.min(axis=0), points.max(axis=0)
    diagonal = float(np.linalg.norm(high - low))
    paper = linear(srgb("background", background))
    return _View(
        camera=camera,
        lens=lens_of(camera, width * samples, height * samples),
        width=width * samples,
        height=height * samples,
        samples=samples,
        size=diagonal,
        section=section,
        plane=(0.0, 0.0, 0.0, 0.0) if section is None else view_plane(section.normal, section.point, camera),
        lights=_lights(camera, paper),
        materials=_materials(items, camera, section, 0.5 * (low + high), diagonal),
        alpha=np.repeat([item.alpha for item in items], 2),
    )


def _lights(camera: Camera, background: Floats) -> Lights:
    """Key light from the upper left, a weak fill from the right, the sky above: they turn with the camera."""
    turn = np.radians(camera.azimuth)
    right, back = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([np.sin(turn), -np.cos(turn), 0.0])
    sky = np.array([0.0, 0.0, 1.0])
    key, fill_in = -0.62 * right + 0.55 * back + 0.95 * sky, 0.85 * right + 0.6 * back + 0.15 * sky
    to_key, to_fill, to_sky = (camera.axes @ (d / np.linalg.norm(d)) for d in (key, fill_in, sky))
    return Lights(to_key, to_fill, to_sky, background)


def _materials(items: Sequence[Item], camera: Camera, section: Section | None, middle: Floats, size: float) -> Floats:
    table = np.zeros((2 * len(items), MATERIAL_WIDTH))
    solids = 0
    for i, item in enumerate(items):
        colour = nth_colour(solids) if item.colour is None else item.colour
        solids += item.shape.bounded
        table[2 * i : 2 * i + 2, :3] = linear(srgb("colour", colour))
        if not item.shape.bounded:
            table[2 * i] = _floor_row(item, camera, middle, size)
        elif section is not None:
            table[2 * i + 1, KIND:] = _hatch_row(section, camera, left=i % 2 == 1)
            table[2 * i + 1, :3] = 0.75 * table[2 * i + 1, :3] + 0.25  # cut faces are paler than the surface
    return table


def _floor_row(item: Item, camera: Camera, middle: Floats, size: float) -> Floats:
    """A grid whose spacing is a round number; it fades out around the scene."""
    normal, point = _floor_plane(item)
    origin = middle - ((middle - point) @ normal) * normal
    u, v = _plane_axes(normal)
    spacing = _round_length(size / 6.0)
    origin -= (origin @ u) % spacing * u + (origin @ v) % spacing * v  # lines lie at multiples of the spacing
    width = 0.012 * size / spacing if item.edges else 0.0
    frame = np.concatenate((camera.to_view(origin)[0], camera.axes @ u, camera.axes @ v))
    return np.concatenate(([0.0, 0.0, 0.0, light_kernels.FLOOR], frame, [spacing, 1.6 * size, 0.35 * width]))


def _hatch_row(section: Section, camera: Camera, left: bool) -> Floats:
    u, v = _plane_axes(section.normal)
    diagonal = camera.axes @ ((u - v if left else u + v) / np.sqrt(2.0))
    frame = np.concatenate((camera.to_view(section.point)[0], diagonal, diagonal))
    return np.concatenate(([light_kernels.HATCHED], frame, [camera.span / 48.0, 0.0, 0.16]))


def _plane_axes(normal: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors in a plane, the first one level where that is possible."""
    u = np.cross((0.0, 0.0, 1.0), normal)
    length = float(np.linalg.norm(u))
    u = u / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    return u, np.cross(normal, u)


def _round_length(length: float) -> float:
    """The largest of 1, 2 or 5 times a power of ten that is not above `length`."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1.0 + 1e-12)))


def _floor_plane(item: Item) -> tuple[Floats, Floats]:
    """Normal and a point, in the world, of a half space."""
    assert is_half_space(item.shape)
    return item.pose.rotation @ item.shape.normal, item.pose.apply(item.shape.offset * item.shape.normal)


def _place(i: int, item: Item, section: Section | None) -> Placed:
    shape = facets(item.shape)
    cut = section is not None and item.cut
    solid = cut and item.alpha == 1.0 and item.shape.closed
    return Placed(
        facets=shape,
        points=item.pose.apply(shape.vertices),
        normals=shape.normals @ item.pose.rotation.T,
        surface=2 * i,
        cap=2 * i + 1 if solid else -1,
        cut=cut,
        lined=item.edges,
    )


def _lay_floors(items: Sequence[Item], view: _View, buffer: Buffer) -> None:
    for i, item in enumerate(items):
        if not item.shape.bounded:
            normal, point = _floor_plane(item)
            # A little lower than it is, so that the underside of a part that stands on it stays hidden.
            plane = view_plane(normal, point - 3e-4 * view.size * normal, view.camera)
            row = view.materials[2 * i]
            origin, reach = tuple(row[ORIGIN : ORIGIN + 3].tolist()), float(row[REACH])
            raster_kernels.lay_floor(plane, origin, reach, 2 * i, view.lens, buffer.q, buffer.material, buffer.normal)


@cache
def _taps() -> Floats:
    """(16, n, 2) places in the unit disc, evenly spread (Vogel's spiral), turned differently in each of 16 sets."""
    i, turn = np.arange(_TAPS), np.arange(16)[:, None]
    order = (turn * 7) % 16  # neighbouring sets should differ much
    radius = np.sqrt((i + (order + 0.5) / 16.0) / _TAPS)
    angle = i * np.pi * (3.0 - np.sqrt(5.0)) + order * (2.0 * np.pi / 16.0)
    return np.ascontiguousarray(np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=2))


def _exposure(buffer: Buffer, soup: Soup, view: _View) -> Singles:
    """Key light and openness at each sample."""
    rough = np.ones((view.height, view.width, 2), np.float32)
    if len(soup.triangles) == 0:
        return rough
    shadow = shadow_map(soup.points, soup.triangles, soup.height, view.lights.key, _TEXELS)
    light_kernels.expose(buffer.samples, view.lens, shadow, 0.06 * view.size, _taps(), rough)
    even = np.empty_like(rough)
    light_kernels.smooth(buffer.material, buffer.normal, rough, even)
    return even


def _shaded(buffer: Buffer, exposure: Singles, view: _View) -> Singles:
    colour = np.empty((view.height, view.width, 3), np.float32)
    light_kernels.shade(buffer.samples, exposure, view.materials, view.lens, view.lights, colour)
    return colour


def _ink(colour: Singles, buffer: Buffer, placed: Sequence[Placed], soup: Soup, view: _View, strength: float) -> None:
    """Draw the edges of parts, and the outlines of their cut faces, over the colours."""
    segments = _lines(placed, front_sides(soup), view)
    if len(segments) == 0:
        return
    ends = project(view.camera.to_view(segments.reshape(-1, 3)), view.lens).reshape(-1, 2, 3)
    starts, stops = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    ink = np.zeros(buffer.q.shape, np.float32)
    half_width = 0.5 * _LINE * view.samples
    line_kernels.draw_lines(starts, stops, half_width, buffer.q, view.lens, 2e-4 * view.size, ink)
    line_kernels.blend_ink(ink, tuple(float(x) for x in linear(srgb("ink", "ink"))), strength, colour)


def _lines(placed: Sequence[Placed], front: Any, view: _View) -> Floats:
    """(n, 2, 3) lines in the world [m]."""
    pieces, first = [np.zeros((0, 2, 3))], 0
    for p in placed:
        here = front[first : first + len(p.facets.triangles)]
        first += len(here)
        if not p.lined:
            continue
        pair = here[p.facets.sides]
        ends = np.concatenate((p.facets.sharp, p.facets.inner[pair[:, 0] != pair[:, 1]]))
        lines = p.points[ends]
        if view.section is not None and p.cut:
            lines = np.concatenate((_clipped(lines, view.section), _cut_outline(p.points, p.facets, view.section)))
        pieces.append(lines)
    return np.concatenate(pieces)


def _clipped(lines: Floats, section: Section) -> Floats:
    """What the section leaves of lines (n, 2, 3)."""
    height = section.height(lines)
    lines, height = lines[height.min(axis=1) < 0.0], height[height.min(axis=1) < 0.0]
    crossing = height.max(axis=1) > 0.0
    a, b, ha, hb = lines[crossing, 0], lines[crossing, 1], height[crossing, :1], height[crossing, 1:]
    point = a + ha / (ha - hb) * (b - a)
    kept = lines.copy()
    kept[crossing] = np.where((height[crossing] > 0.0)[:, :, None], point[:, None], lines[crossing])
    return kept


def _cut_outline(points: Floats, shape: Facets, section: Section) -> Floats:
    """(n, 2, 3) where the section's plane crosses the triangles."""
    corners = points[shape.triangles]
    above = section.height(corners) > 0.0
    crossed = above.any(axis=1) & ~above.all(axis=1)
    corners, above = corners[crossed], above[crossed]
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    rows: Ints = np.arange(len(corners), dtype=np.int32)
    apex = corners[rows, alone]
    ends = [_crossing(apex, corners[rows, (alone + k) % 3], section) for k in (1, 2)]
    return np.stack(ends, axis=1)


def _crossing(a: Floats, b: Floats, section: Section) -> Floats:
    ha, hb = section.height(a)[:, None], section.height(b)[:, None]
    return np.asarray(a + ha / (ha - hb) * (b - a))


def _veil(colour: Singles, buffer: Buffer, clear: Sequence[Placed], view: _View) -> None:
    """Lay transparent parts over the colours, layer by layer from the front (depth peeling)."""
    if not clear:
        return
    soup = make_soup(clear, view.camera, view.lens, view.section)
    light = np.zeros_like(colour)
    through = np.ones(buffer.q.shape, np.float32)
    layer, ceiling = Buffer.empty(view.width, view.height), unlimited(buffer)
    layer.q[:] = buffer.q
    for _ in range(_LAYERS):
        if not fill(layer, soup, ceiling, view.plane, view.lens):
            break
        light_kernels.veil(
            layer.material, layer.normal, view.materials, view.alpha, view.lens, view.lights, light, through
        )
        layer, ceiling = layer.behind(buffer)
    colour *= through[:, :, None]
    colour += light
    _ink(colour, buffer, clear, soup, view, 0.45)


def _overlay(colour: Singles, buffer: Buffer, marks: Sequence[Any], view: _View) -> None:
    """Draw marks over the picture; what lies behind a part shines through it."""
    shapes = [mark_facets(mark, view.camera, view.height // view.samples) for mark in marks]
    shown = [(mark, shape) for mark, shape in zip(marks, shapes, strict=True) if shape is not None]
    if not shown:
        return
    placed = [Placed(s, s.vertices, s.normals, i, -1, False, False) for i, (_, s) in enumerate(shown)]
    soup, layer = make_soup(placed, view.camera, view.lens, None), Buffer.empty(view.width, view.height)
    fill(layer, soup, unlimited(layer), (0.0, 0.0, 0.0, 0.0), view.lens)
    table = np.zeros((len(shown), MATERIAL_WIDTH))
    table[:, :3] = [linear(srgb("colour", mark.colour)) for mark, _ in shown]
    painted = np.empty_like(colour)
    exposure = np.ones((view.height, view.width, 2), np.float32)
    light_kernels.shade(layer.samples, exposure, table, view.lens, view.lights, painted)
    seen = layer.material >= 0
    share = np.where(layer.q >= buffer.q, 1.0, 0.3).astype(np.float32)[seen][:, None]
    colour[seen] = share * painted[seen] + (1.0 - share) * colour[seen]


def _developed(colour: Singles, view: _View) -> Image:
    """Average the samples of each pixel and encode as sRGB."""
    pixels = np.empty((view.height // view.samples, view.width // view.samples, 3), np.float32)
    raster_kernels.average(colour, view.samples, pixels)
    steps = (np.clip(pixels, 0.0, 1.0) * 4095.0 + 0.5).astype(np.int32)
    return _srgb_of_step()[steps]


@cache
def _srgb_of_step() -> Image:
    light = np.arange(4096) / 4095.0
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return (255.0 * encoded + 0.5).astype(np.uint8)


def _labelled(image: Image, labels: Sequence[Label], camera: Camera) -> Image:
    size = image.shape[1], image.shape[0]
    return write(
        image,
        [
            (mark.text, camera.to_pixels(mark.position, size)[0] + mark.shift, mark.colour, mark.size, "ls")
            for mark in labels
        ],
    )
