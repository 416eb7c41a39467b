"""Exact integrals of 1, x, and x x^T over a polyhedron.

The solid is the signed sum of the tetrahedra that its triangles form with a reference point; over the tetrahedron
(0, a, b, c) of signed volume V the integrals are V, V s / 4 and V / 20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c.
"""

from .._jit import kernel
from ..math.vec_kernels import add, cross, dot, row, sub


@kernel
def _second_moment(a, b, c, s, i, j):
    return s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]


@kernel
def volume_integrals(vertices, triangles, chosen, origin, integrals_out):
    """Integrals over the volume behind the chosen triangles, about `origin`: 1, x, y, z, xx, yy, zz, yz, zx, xy."""
    integrals_out[:] = 0.0
    for t in chosen:
        a = sub(row(vertices, triangles[t, 0]), origin)
        b = sub(row(vertices, triangles[t, 1]), origin)
        c = sub(row(vertices, triangles[t, 2]), origin)
        volume = dot(a, cross(b, c)) / 6.0
        s = add(a, add(b, c))
        integrals_out[0] += volume
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            integrals_out[1 + i] += 0.25 * volume * s[i]
            integrals_out[4 + i] += 0.05 * volume * _second_moment(a, b, c, s, i, i)
            integrals_out[7 + i] += 0.05 * volume * _second_moment(a, b, c, s, j, k)
