"""Plain parts: plates, boxes, brackets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.primitives import lengths
from ...geometry.making.rings import circumscribed, ring_angles
from ...math import Pose


def thin_plate(size: Sequence[float] = (0.2, 0.2, 0.0005)) -> Solid:
    """A sheet of the given size (x, y, z) [m] centred on the origin; by default half a millimetre thick."""
    return Solid.box(lengths("size", size), name="thin plate")


def stack_box(size: Sequence[float] = (0.1, 0.1, 0.1)) -> Solid:
    """A box of the given size (x, y, z) [m] standing on z = 0, for stacks and walls."""
    extents = lengths("size", size)
    return Solid.box(extents, name="box").translated((0.0, 0.0, 0.5 * extents[2]))


def l_bracket(
    leg: float = 0.06, width: float = 0.04, thickness: float = 0.005, *, hole: float = 0.0066, segments: int = 24
) -> Solid:
    """An angle bracket with two equal legs along +x and +z and a hole in each, by default for M6 (ISO 273, medium).

    `leg`, `width` (along y, centred), `thickness` and the hole's diameter [m]; the outer corner runs along the y axis.
    """
    leg, width = number("leg", leg, above=0.0), number("width", width, above=0.0)
    thickness = number("thickness", thickness, above=0.0)
    radius = circumscribed(0.5 * number("hole", hole, above=0.0), segments)
    if thickness >= leg or 2.0 * radius >= min(width, leg - thickness):
        raise InputError(f"hole: {1e3 * hole:g} mm does not fit the legs, {1e3 * leg:g} x {1e3 * width:g} mm")
    flat = Solid.box((leg, width, thickness)).translated((0.5 * leg, 0.0, 0.5 * thickness))
    upright = Solid.box((thickness, width, leg)).translated((0.5 * thickness, 0.0, 0.5 * leg))
    t = ring_angles(segments)
    pin = Solid.extrude(radius * np.stack((np.cos(t), np.sin(t)), axis=1), 4.0 * thickness)
    middle = 0.5 * (leg + thickness)
    down = pin.translated((middle, 0.0, -thickness))
    across = pin.transformed(Pose.from_rotvec((-thickness, 0.0, middle), (0.0, 0.5 * np.pi, 0.0)))
    return ((flat | upright) - down - across).renamed("L-bracket")
