"""What resists elements that are pressed flat: the energy of co-rotated linear elasticity ends at a finite height.

The deformation gradient F = R S of an element stretches it by the eigenvalues σ of S, of which one is negative where it
is inside out. With s = 1 - σ / FLAT, its volume V at rest and k = V RESISTANCE (λ + 2μ), each σ < FLAT has

    k FLAT s³ / 3   where s < 1, and   k FLAT (s² - s + 1/3)   beyond,

more energy. It presses along its eigenvector v with k s², or k (2 s - 1) beyond. So the stress of the element changes
by the sum of -k s² R v vᵀ. Of what is stretched by more than FLAT there is nothing. The second derivative of a sum over
eigenvalues (with R held) is a sum over modes R (vᵢ vⱼᵀ + vⱼ vᵢᵀ): all of these have positive stiffness here, and stand
in the matrix of a step.
"""

from math import inf

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.quat_kernels import quat_to_mat
from ...math.symmetric_kernels import diagonalise
from ...math.vec_kernels import mat_mul, mat_t_mul
from .rotation_kernels import F_ROW, LANE_COUNT, QUAT_ROW, STRAIN_ROW, STRESS_ROW

FLAT = 0.3
"""Stretch below which an element is flat."""
RESISTANCE = 5.0
"""Pressure where nothing is left of the thickness, in moduli λ + 2μ."""
NEARLY_EQUAL = 1e-6
"""Difference of two stretches below which their mode is as stiff as either."""


@lean_kernel
def may_be_flat(strain2):
    """Whether a stretch can be below FLAT, by the square |F - R|² of strains: a cheap look at all elements."""
    return strain2 > (1.0 - FLAT) * (1.0 - FLAT)


@kernel
def stretches(S, value_out, vector_out):
    """Stretches (3,) by a symmetric matrix of nine floats, and their directions in the columns of `vector_out`."""
    a = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            a[i, j] = 0.5 * (S[3 * i + j] + S[3 * j + i])
            vector_out[i, j] = 1.0 if i == j else 0.0
    diagonalise(a, vector_out)
    for i in range(3):
        value_out[i] = a[i, i]


@lean_kernel
def flat_energy(stretch):
    """Energy of one stretch, over k."""
    s = max(0.0, 1.0 - stretch / FLAT)
    return FLAT * (s * s * s / 3.0 if s < 1.0 else s * s - s + 1.0 / 3.0)


@lean_kernel
def flat_pressure(stretch):
    """What presses against it, over k: less the slope of the energy."""
    s = max(0.0, 1.0 - stretch / FLAT)
    return s * s if s < 1.0 else 2.0 * s - 1.0


@lean_kernel
def flat_stiffness(a, b):
    """Stiffness over k of the mode of two stretches, or of one with itself."""
    if abs(a - b) > NEARLY_EQUAL:
        return (flat_pressure(b) - flat_pressure(a)) / (a - b)
    s = max(0.0, 1.0 - 0.5 * (a + b) / FLAT)
    return 2.0 * min(s, 1.0) / FLAT


@kernel
def flat_stress(S):
    """Sum of what presses along each stretch of S, over k, as a symmetric matrix; the energy, over k, and the smallest.

    All zero and inf where the strains S - I are so small that no stretch can be below FLAT.
    """
    if not may_be_flat(strain2(S)):
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, inf
    value, v = np.empty(3), np.empty((3, 3))
    stretches(S, value, v)
    xx, yy, zz, yz, xz, xy, energy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        p, energy = flat_pressure(value[i]), energy + flat_energy(value[i])
        xx, yy, zz = xx + p * v[0, i] * v[0, i], yy + p * v[1, i] * v[1, i], zz + p * v[2, i] * v[2, i]
        yz, xz, xy = yz + p * v[1, i] * v[2, i], xz + p * v[0, i] * v[2, i], xy + p * v[0, i] * v[1, i]
    return (xx, xy, xz, xy, yy, yz, xz, yz, zz), energy, min(value[0], value[1], value[2])


@lean_kernel
def strain2(S):
    """|S - I|²."""
    x, y, z = S[0] - 1.0, S[4] - 1.0, S[8] - 1.0
    off = S[1] * S[1] + S[2] * S[2] + S[3] * S[3] + S[5] * S[5] + S[6] * S[6] + S[7] * S[7]
    return x * x + y * y + z * z + off


@lean_kernel
def firmness(elements, e):
    """The factor k of an element [J]."""
    return RESISTANCE * (elements.bulk[e] + 2.0 * elements.shear[e])


@lean_kernel
def turned_lane(l, work):
    """R and S of a lane."""
    q, f, n = QUAT_ROW * LANE_COUNT + l, F_ROW * LANE_COUNT + l, LANE_COUNT
    R = quat_to_mat((work[q], work[q + n], work[q + 2 * n], work[q + 3 * n]))
    rows = (
        (work[f], work[f + n], work[f + 2 * n]),
        (work[f + 3 * n], work[f + 4 * n], work[f + 5 * n]),
        (work[f + 6 * n], work[f + 7 * n], work[f + 8 * n]),
    )
    return R, mat_t_mul(R, (*rows[0], *rows[1], *rows[2]))


@kernel
def add_flat_stress(elements, first, count, work):
    """Add the stress of flat lanes, times their volumes, to the rows from STRESS_ROW; the smallest stretch, or inf."""
    smallest = inf
    for l in range(count):
        if may_be_flat(work[STRAIN_ROW * LANE_COUNT + l]):
            R, S = turned_lane(l, work)
            pressed, _, stretch = flat_stress(S)
            push, k = mat_mul(R, pressed), firmness(elements, first + l)
            for i in range(9):
                work[(STRESS_ROW + i) * LANE_COUNT + l] -= k * push[i]
            smallest = min(smallest, stretch)
    return smallest
