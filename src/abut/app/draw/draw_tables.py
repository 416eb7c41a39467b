"""What travels between the kernels that draw.

A picture is made once in a while: Python passes these as they are. Points and directions are in the eye's frame
(right, up, depth).
"""

from typing import Any, NamedTuple

# Columns of a table of materials, behind the colour (3): kind, origin (3) [m], two axes (3 each), line spacing [m],
# reach [m], line width as a share of the spacing.
KIND, ORIGIN, ALONG, ACROSS, SPACING, REACH, LINE_WIDTH, MATERIAL_WIDTH = 3, 4, 7, 10, 13, 14, 15, 16


class Lens(NamedTuple):
    """Where points of the scene lie in the picture."""

    x: float
    """[samples] middle of the picture, from the left."""
    y: float
    """[samples] middle of the picture, from above."""
    scale: float
    """[samples/m] at depth 1 in perspective, everywhere else in an orthographic view."""
    perspective: float
    """1.0 for perspective, else 0.0."""


class Samples(NamedTuple):
    """What each sample of a picture sees."""

    q: Any
    """(n_y, n_x) nearness, -inf for nothing."""
    material: Any
    """(n_y, n_x) row of the table of materials, -1 for none."""
    normal: Any
    """(n_y, n_x, 3)."""


class Surfaces(NamedTuple):
    """Triangles in the picture."""

    screen: Any
    """(n, 3) x, y and nearness of their corners."""
    triangles: Any
    """(m, 3)."""
    normals: Any
    """(m, 3, 3) at each corner."""
    surface: Any
    """(m,) material of each triangle."""
    cap: Any
    """(m,) material of the cut faces of its part, -1 where it is not cut."""


class Shadow(NamedTuple):
    """The key light's own orthographic picture."""

    matrix: Any
    """(3, 4) by which a point (right, up, depth, 1) becomes x, y [texels] and nearness [m].

    The last row begins with the unit vector towards the light.
    """
    q: Any
    """(texels, texels) nearness of what the light reaches."""


class Lights(NamedTuple):
    """Unit vectors towards what gives light, and what is seen where nothing is.

    They are (3,) arrays, as parallel loops take no tuples within tuples.
    """

    key: Any
    fill: Any
    sky: Any
    background: Any
    """(3,) colour, as light intensity."""
