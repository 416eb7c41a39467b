"""Peg and hole: the plainest fit."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import number
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.primitives import lengths
from ...geometry.making.rings import circumscribed
from ...geometry.making.sweep import revolve


def peg(diameter: float = 0.05, length: float = 0.1, *, chamfer: float = 0.0, segments: int = 64) -> Solid:
    """A round peg along z, standing on z = 0 [m], with an optional 45 degree chamfer at its lower end.

    The corners of its polygon lie on the circle: no point of it is farther from the axis than diameter / 2.
    """
    radius, length = 0.5 * number("diameter", diameter, above=0.0), number("length", length, above=0.0)
    chamfer = number("chamfer", chamfer, least=0.0)
    if chamfer >= min(radius, length):
        raise InputError(f"chamfer: expected less than the peg's radius and length, got {chamfer:g} m")
    tip = [(radius - chamfer, 0.0), (radius, chamfer)] if chamfer else [(radius, 0.0)]
    return Solid(*revolve([(0.0, 0.0), *tip, (radius, length), (0.0, length)], segments=segments), name="peg")


def hole_plate(
    diameter: float = 0.05,
    clearance: float = 50e-6,
    *,
    size: Sequence[float] = (0.1, 0.1, 0.08),
    chamfer: float = 0.0,
    segments: int = 64,
) -> Solid:
    """A plate of the given size (x, y, z) [m] from z = 0 upwards, with a round hole through it along z.

    The hole takes a peg of the given diameter with `clearance` [m] to spare in diameter. The middles of its sides, not
    its corners, lie on the circle, so that the play is true for the polyhedra at every angle of the peg. Hole corners
    stand half a step beside those of the peg: in the common frame the gap is clearance / 2. `chamfer` widens the
    upper mouth at 45 degrees.
    """
    x, y, z = lengths("size", size)
    chamfer = number("chamfer", chamfer, least=0.0)
    free = 0.5 * (number("diameter", diameter, above=0.0) + number("clearance", clearance, least=0.0))
    radius, mouth = circumscribed(free, segments), circumscribed(free + chamfer, segments)
    if 2.0 * mouth >= min(x, y) or chamfer >= z:
        raise InputError(f"size: a hole of {2e3 * mouth:.4g} mm does not fit a plate of {1e3 * x:g} x {1e3 * y:g} mm")
    top = [(mouth, z), (mouth, 2.0 * z)] if chamfer else [(radius, 2.0 * z)]
    wall = [(radius, -z), (radius, z - chamfer)] if chamfer else [(radius, -z)]
    drill = Solid(*revolve([(0.0, -z), *wall, *top, (0.0, 2.0 * z)], segments=segments, half_step=True))
    return (Solid.box((x, y, z)).translated((0.0, 0.0, 0.5 * z)) - drill).renamed("hole plate")
