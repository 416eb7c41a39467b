"""A block that slides across a support of four fingers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import count, number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.primitives import lengths


def finger_support(
    fingers: int = 4,
    *,
    spacing: float = 0.04,
    finger: Sequence[float] = (0.012, 0.06, 0.03),
    base: float = 0.01,
) -> Solid:
    """A comb: upright fingers of size `finger` (x, y, z) [m] in a row along x, on a base plate of height `base`.

    The fingers end at z = 0 and stand `spacing` apart, the row centred on the origin.
    """
    n, spacing = count("fingers", fingers, least=1), number("spacing", spacing, above=0.0)
    x, y, z = lengths("finger", finger)
    base = number("base", base, above=0.0)
    if spacing <= x:
        raise InputError(f"spacing: expected more than the finger's width {x:g} m, got {spacing:g}")
    left = spacing * (np.arange(n) - 0.5 * (n - 1)) - 0.5 * x
    half, floor = 0.5 * spacing * (n - 1) + x, -z
    comb = [(-half, floor - base), (half, floor - base), (half, floor)]
    for a in left[::-1]:
        comb += [(a + x, floor), (a + x, 0.0), (a, 0.0), (a, floor)]
    outline = np.array([*comb, (-half, floor)])
    part = Solid.extrude(outline, y)
    # The outline was drawn in (x, z): turn it upright, and centre it in y.
    upright = part.vertices[:, [0, 2, 1]] * (1.0, -1.0, 1.0) + (0.0, 0.5 * y, 0.0)
    return Solid(upright, part.triangles, name="finger support")


def sliding_block(size: Sequence[float] = (0.1, 0.05, 0.03)) -> Solid:
    """A block of the given size (x, y, z) [m] that stands on z = 0, as on the fingers of `finger_support`."""
    extents = lengths("size", size)
    return Solid.box(extents, name="block").translated((0.0, 0.0, 0.5 * extents[2]))
