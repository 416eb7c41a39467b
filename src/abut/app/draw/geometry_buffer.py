"""From parts to what each sample of the picture sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from . import raster_kernels as kernels
from .camera import Camera
from .draw_tables import Lens, Samples, Shadow, Surfaces
from .item import Facets, Section

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Soup:
    """The triangles of several surfaces in the eye's frame, and where they lie in the picture."""

    points: Floats
    """(n, 3) right, up and depth [m]."""
    screen: Floats
    """(n, 3) x, y and nearness."""
    height: Floats
    """(n,) over the section plane, scaled as the kernels want it; 0 for parts that are not cut."""
    triangles: Ints
    """(m, 3)."""
    normals: Floats
    """(m, 3, 3) at each corner, in the eye's frame."""
    surface: Ints
    """(m,) material of each triangle."""
    cap: Ints
    """(m,) material of the cut faces of its part, -1 where it is not cut."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A surface in the world with its materials."""

    facets: Facets
    points: Floats
    """(n, 3) vertices in the world [m]."""
    normals: Floats
    """(m, 3, 3) in the world."""
    surface: int
    cap: int
    """Material of cut faces; -1 where the section leaves the part whole."""
    cut: bool
    lined: bool
    """Whether its edges are drawn."""


def lens_of(camera: Camera, width: int, height: int) -> Lens:
    """The camera as kernels take it, for a picture of this many samples."""
    scale = height / camera.span * (camera.distance if camera.perspective else 1.0)
    return Lens(0.5 * width, 0.5 * height, scale, float(camera.perspective))


def project(points: Floats, lens: Lens) -> Floats:
    """(n, 3) x, y and nearness of points in the eye's frame."""
    screen = np.empty_like(points)
    kernels.project(points, lens, screen)
    return screen


def make_soup(placed: Sequence[Placed], camera: Camera, lens: Lens, section: Section | None) -> Soup:
    """Collect surfaces for drawing in one go."""
    if not placed:
        return _empty_soup()
    counts = [len(p.facets.triangles) for p in placed]
    offset = np.cumsum([0, *(len(p.points) for p in placed)])
    points = np.concatenate([p.points for p in placed])
    height = np.concatenate([_heights(p, section) for p in placed])
    view = camera.to_view(points)
    screen = project(view, lens)
    if camera.perspective:
        height = height * np.maximum(screen[:, 2], 0.0)
    return Soup(
        points=view,
        screen=screen,
        height=height,
        triangles=np.concatenate([p.facets.triangles + o for p, o in zip(placed, offset, strict=False)]).astype(
            np.int32
        ),
        normals=np.ascontiguousarray(np.concatenate([p.normals for p in placed]) @ camera.axes.T),
        surface=np.repeat(np.array([p.surface for p in placed], np.int32), counts),
        cap=np.repeat(np.array([p.cap for p in placed], np.int32), counts),
    )


def _empty_soup() -> Soup:
    points, triangles = np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    none = np.zeros(0, np.int32)
    return Soup(points, points, np.zeros(0), triangles, np.zeros((0, 3, 3)), none, none)


def _heights(placed: Placed, section: Section | None) -> Floats:
    if section is None or not placed.cut:
        return np.zeros(len(placed.points))
    return section.height(placed.points)


@dataclass(frozen=True, eq=False)
class Buffer:
    """What each sample sees."""

    q: Floats
    """(h, w) nearness, -inf for nothing."""
    triangle: Ints
    """(h, w) of the soup, -1 for none."""
    material: Ints
    """(h, w) row of the table of materials, -1 for none."""
    normal: Singles
    """(h, w, 3) in the eye's frame; without meaning where there is no material."""

    @property
    def samples(self) -> Samples:
        """As kernels take it."""
        return Samples(self.q, self.material, self.normal)

    @classmethod
    def empty(cls, width: int, height: int) -> Buffer:
        """Nothing seen anywhere."""
        shape = height, width
        none = np.full(shape, -1, np.int32)
        return cls(np.full(shape, -np.inf), none, none.copy(), np.zeros((*shape, 3), np.float32))

    def behind(self, floor: Buffer) -> tuple[Buffer, Floats]:
        """A buffer for the next layer: farther than this one and nearer than `floor`, with the limit to pass on."""
        height, width = self.q.shape
        following = Buffer.empty(width, height)
        following.q[:] = floor.q
        # Two triangles that share an edge may both cover a sample on it, at one depth but for rounding.
        seen = self.triangle >= 0
        return following, np.where(seen, self.q - 1e-7 * np.abs(np.where(seen, self.q, 1.0)), -np.inf)


def unlimited(buffer: Buffer) -> Floats:
    """The limit for a first layer."""
    return np.full_like(buffer.q, np.inf)


def fill(buffer: Buffer, soup: Soup, ceiling: Floats, plane: tuple[float, ...], lens: Lens) -> bool:
    """Draw a soup into a buffer below `ceiling`; says whether anything was seen."""
    kernels.rasterise(soup.screen, soup.height, soup.triangles, ceiling, buffer.q, buffer.triangle)
    if not (buffer.triangle >= 0).any():
        return False
    surfaces = Surfaces(soup.screen, soup.triangles, soup.normals, soup.surface, soup.cap)
    kernels.resolve(surfaces, plane, lens, buffer.triangle, buffer.samples)
    return True


def view_plane(normal: Floats, point: Floats, camera: Camera) -> tuple[float, float, float, float]:
    """A plane of the world as (normal, offset) in the eye's frame."""
    n = camera.axes @ normal
    return float(n[0]), float(n[1]), float(n[2]), float(n @ camera.to_view(point)[0])


def front_sides(soup: Soup) -> NDArray[np.bool_]:
    """(m,) whether each triangle shows its outer side."""
    front = np.empty(len(soup.triangles), np.bool_)
    kernels.facing(soup.screen, soup.triangles, front)
    return front


def shadow_map(points: Floats, triangles: Ints, height: Floats, to_key: Floats, texels: int) -> Shadow:
    """The light's own orthographic picture."""
    helper = np.eye(3)[np.abs(to_key).argmin()]
    u = np.cross(helper, to_key)
    u /= np.linalg.norm(u)
    flat = points @ np.stack((u, np.cross(to_key, u)), axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = (texels - 4) / max(float((high - low).max()), 1e-12)
    rows = scale * np.stack((u, np.cross(to_key, u)))
    matrix = np.zeros((3, 4))
    matrix[:2, :3], matrix[:2, 3], matrix[2, :3] = rows, 2.0 - scale * low, to_key
    screen = np.ascontiguousarray(points @ matrix[:, :3].T + matrix[:, 3])
    q, seen = np.full((texels, texels), -np.inf), np.full((texels, texels), -1, np.int32)
    kernels.rasterise(screen, height, triangles, np.full_like(q, np.inf), q, seen)
    return Shadow(matrix, q)
