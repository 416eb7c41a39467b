"""Shells: the connected surfaces of a mesh, and the solid angle under which a surface is seen."""

from math import atan2, pi

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import cross, dot, norm, row, sub


@kernel
def number_shells(twin, shell_out):
    """Number the parts of the surface that hang together across edges; returns how many there are."""
    n = twin.shape[0] // 3
    shell_out[:] = -1
    stack = np.empty(n, np.int32)
    n_shell = 0
    for seed in range(n):
        if shell_out[seed] >= 0:
            continue
        shell_out[seed] = n_shell
        stack[0], depth = seed, 1
        while depth > 0:
            depth -= 1
            t = stack[depth]
            for k in range(3):
                h = twin[3 * t + k]
                if h >= 0 and shell_out[h // 3] < 0:
                    shell_out[h // 3] = n_shell
                    stack[depth] = h // 3
                    depth += 1
        n_shell += 1
    return n_shell


@kernel
def solid_angle(p, a, b, c):
    """Signed solid angle of the triangle abc seen from `p` (van Oosterom and Strackee 1983)."""
    a, b, c = sub(a, p), sub(b, p), sub(c, p)
    la, lb, lc = norm(a), norm(b), norm(c)
    numerator = dot(a, cross(b, c))
    denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return 2.0 * atan2(numerator, denominator)


@kernel
def winding_number(p, vertices, triangles, chosen):
    """How often the chosen triangles wind around `p`: 1 inside a closed outward shell, 0 outside it."""
    total = 0.0
    for i in range(chosen.shape[0]):
        t = chosen[i]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        total += solid_angle(p, row(vertices, a), row(vertices, b), row(vertices, c))
    return total / (4.0 * pi)
