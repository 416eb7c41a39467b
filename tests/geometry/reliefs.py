"""Plates whose upper side is not quite flat: a pyramid, a dent, or hills on a grid."""

import numpy as np

from abut import Solid


def pyramid_plate(width, foot, height):
    """A square plate, its top in z = 0, with a pyramid on a square foot in its middle; a dent if it has no height."""
    w, f, low = 0.5 * width, 0.5 * foot, -0.1 * width
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    rings = [np.column_stack((r * square, np.full(4, z))) for r, z in ((w, low), (w, 0.0), (f, 0.0))]
    sides = [[i + j, i + (j + 1) % 4, i + 4 + (j + 1) % 4, i + 4 + j] for i in (0, 4) for j in range(4)]
    flanks = [[8 + j, 8 + (j + 1) % 4, 12] for j in range(4)]
    return Solid(np.vstack((*rings, [(0.0, 0.0, height)])), [[3, 2, 1, 0], *sides, *flanks])


def hilly_plate(width, heights):
    """A square plate with the heights (n, n) on a grid, those of its border 0; its squares are cut at random."""
    n = len(heights)
    heights = np.pad(heights[1:-1, 1:-1], 1)
    x = np.linspace(-0.5 * width, 0.5 * width, n)
    top = np.column_stack((np.repeat(x, n), np.tile(x, n), heights.ravel()))
    foot = np.array([(x[i], x[j], -0.1 * width) for i, j in ((0, 0), (0, -1), (-1, -1), (-1, 0))])
    number = np.arange(n * n).reshape(n, n)
    squares = [
        (number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1])
        for i in range(n - 1)
        for j in range(n - 1)
    ]
    faces = []
    for k, (a, b, c, d) in enumerate(squares):
        faces += [[a, b, c], [a, c, d]] if (k * 7919) % 3 else [[a, b, d], [b, c, d]]
    p, q, r, s = n * n + np.arange(4)
    borders = ((p, q, number[0]), (q, r, number[:, -1]), (r, s, number[-1, ::-1]), (s, p, number[::-1, 0]))
    faces += [[a, *row, b] for a, b, row in borders]
    return Solid(np.vstack((top, foot)), [list(map(int, f)) for f in (*faces, (p, q, r, s))])
