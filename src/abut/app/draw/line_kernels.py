"""Thin lines along edges, hidden where the parts hide them."""

from math import hypot, inf

from ..._jit import kernel
from .raster_kernels import depth_of


@kernel
def _is_visible(x, y, q_line, q, lens, bias):
    """Whether a point of a line is in front of the farthest of the 3 x 3 samples around it.

    The farthest, because a line lies on the surface itself and half of its width beside it.
    """
    n_y, n_x = q.shape
    farthest = inf
    for v in range(max(0, y - 1), min(n_y, y + 2)):
        for u in range(max(0, x - 1), min(n_x, x + 2)):
            farthest = min(farthest, q[v, u])
    return farthest == -inf or depth_of(q_line, lens) <= depth_of(farthest, lens) + bias


@kernel
def _coverage(x, y, ax, ay, bx, by, half_width):
    """Share of the sample at (x, y) that a round-ended line from a to b covers."""
    dx, dy = bx - ax, by - ay
    length2 = dx * dx + dy * dy
    t = 0.0 if length2 == 0.0 else min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / length2))
    return min(1.0, max(0.0, half_width + 0.5 - hypot(ax + t * dx - x, ay + t * dy - y)))


@kernel
def _draw_line(a, b, half_width, q, lens, bias, ink_out):
    n_y, n_x = q.shape
    steep = abs(b[1] - a[1]) > abs(b[0] - a[0])
    major, minor = (1, 0) if steep else (0, 1)
    n_major, n_minor = (n_y, n_x) if steep else (n_x, n_y)
    low, high = min(a[major], b[major]) - half_width, max(a[major], b[major]) + half_width
    run = b[major] - a[major]
    reach = 1.5 * half_width + 1.0  # a line at 45 degrees is sqrt(2) wider along one axis
    for i in range(max(0, int(low)), min(n_major - 1, int(high)) + 1):
        t = 0.0 if run == 0.0 else min(1.0, max(0.0, (i + 0.5 - a[major]) / run))
        middle = a[minor] + t * (b[minor] - a[minor])
        if not -reach < middle < n_minor + reach:
            continue
        along = min(n_major - 1, max(0, int(a[major] + t * run)))
        across = min(n_minor - 1, max(0, int(middle)))
        u, v = (across, along) if steep else (along, across)
        if not _is_visible(u, v, a[2] + t * (b[2] - a[2]), q, lens, bias):
            continue
        for j in range(max(0, int(middle - reach)), min(n_minor - 1, int(middle + reach)) + 1):
            x, y = (j, i) if steep else (i, j)
            share = _coverage(x + 0.5, y + 0.5, a[0], a[1], b[0], b[1], half_width)
            ink_out[y, x] = max(ink_out[y, x], share)


@kernel
def draw_lines(starts, ends, half_width, q, lens, bias, ink_out):
    """Ink (n_y, n_x) from 0 to 1 of lines between (n, 3) picture points with nearness; `bias` [m] lifts them."""
    for i in range(starts.shape[0]):
        if starts[i, 2] > -inf and ends[i, 2] > -inf:
            a = (starts[i, 0], starts[i, 1], starts[i, 2])
            b = (ends[i, 0], ends[i, 1], ends[i, 2])
            _draw_line(a, b, half_width, q, lens, bias, ink_out)


@kernel
def blend_ink(ink, tint, strength, colour_out):
    """Draw ink over the colours (n_y, n_x, 3)."""
    for y in range(ink.shape[0]):
        for x in range(ink.shape[1]):
            share = strength * ink[y, x]
            if share > 0.0:
                for c in range(3):
                    colour_out[y, x, c] += share * (tint[c] - colour_out[y, x, c])
