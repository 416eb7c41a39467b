"""How soft bodies look: skins coloured by stress, and what a section shows of their inside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..dynamics import World
from ..dynamics.soft.soft_measure import skin_stress, stress_of
from ..dynamics.soft.soft_spec import SoftSpec
from .draw import Image, Item, Section
from .draw.image import write
from .draw.stress import cut_items, ramp, stress_items

SCALE = (0.3, 0.025)
"""Width and height of the colour scale in a picture, as shares of its width and height."""


class SoftLook(NamedTuple):
    """A soft body at one moment."""

    spec: SoftSpec
    nodes: Floats
    """(n, 3) [m] of its cage."""
    vertices: Floats
    """(k, 3) [m] of its skin."""
    stress: Floats
    """(m,) von Mises stress of the tetrahedra [Pa]."""
    skin_stress: Floats
    """(k,) at the vertices of the skin [Pa]."""


def look_of(spec: SoftSpec, nodes: Floats) -> SoftLook:
    """A soft body whose cage has its nodes there."""
    stress = stress_of(spec, nodes)
    return SoftLook(spec, nodes, spec.embedding.positions(nodes), stress, skin_stress(spec, stress))


def looks_of(world: World) -> tuple[SoftLook, ...]:
    """All soft bodies of a world as they are."""
    soft = world._now.soft
    return tuple(look_of(spec, state.nodes) for spec, state in zip(soft.specs, soft.states, strict=True))


def largest_stress(looks: Iterable[SoftLook]) -> float:
    """[Pa] at any vertex of any skin."""
    return max((float(look.skin_stress.max(initial=0.0)) for look in looks), default=0.0)


def soft_items(look: SoftLook, top: float, section: Section | None) -> list[Item]:
    """What is drawn of a soft body; `top` [Pa] has the last colour. A section cuts it open, if there is one."""
    items = stress_items(look.vertices, look.spec.triangles, look.skin_stress, top, cut=section is not None)
    if section is not None:
        items += cut_items(look.nodes, look.spec.mesh.tetrahedra, look.stress, top, section)
    return items


def with_scale(image: Image, top: float) -> Image:
    """A copy of a picture with the scale of its colours in the lower left corner."""
    height, width = image.shape[:2]
    w, h, edge = round(SCALE[0] * width), max(4, round(SCALE[1] * height)), round(0.03 * width)
    bar = np.array([ramp((x + 0.5) / w) for x in range(w)])
    copy = image.copy()
    copy[height - edge - h : height - edge, edge : edge + w] = (255.0 * bar).round().astype(np.uint8)
    size = max(9.0, 0.034 * height)
    y = height - edge - h - 0.4 * size
    text = f"von Mises stress, 0 to {pressure_text(top)}"
    return write(copy, [(text, (edge, y), "ink", size, "ls")])


def pressure_text(pascal: float) -> str:
    """A pressure as people write it."""
    for unit, name in ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa")):
        if pascal >= unit:
            return f"{pascal / unit:.3g} {name}"
    return f"{pascal:.3g} Pa"
