"""What elements suffer: strain energy, von Mises stress, change of volume."""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import mat_t_mul
from .elastic_tables import Elements
from .flat_kernels import firmness, flat_stress, may_be_flat, turned_lane
from .rotation_kernels import (
    F_ROW,
    LANE_COUNT,
    LANE_ROWS,
    QUAT_ROW,
    STRAIN_ROW,
    load_gradients,
    load_lanes,
    multiply_lanes,
    nearest_rotation,
    rotation_of,
    turn_lanes,
)


@lean_kernel
def deformation_gradient(nodes, elements, e):
    """F of element `e`, nine floats."""
    f0, f1, f2, f3, f4, f5, f6, f7, f8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(4):
        i = elements.corner[e, k]
        x, y, z = nodes[i, 0], nodes[i, 1], nodes[i, 2]
        a, b, c = elements.gradient[e, k, 0], elements.gradient[e, k, 1], elements.gradient[e, k, 2]
        f0, f1, f2 = f0 + x * a, f1 + x * b, f2 + x * c
        f3, f4, f5 = f3 + y * a, f4 + y * b, f5 + y * c
        f6, f7, f8 = f6 + z * a, f7 + z * b, f8 + z * c
    return f0, f1, f2, f3, f4, f5, f6, f7, f8


@kernel
def rotations_from_scratch(nodes, elements, rotations_out):
    """The rotation of each element, without start values."""
    elements = Elements(*elements)
    for e in range(elements.corner.shape[0]):
        q = nearest_rotation(deformation_gradient(nodes, elements, e))
        for k in range(4):
            rotations_out[e, k] = q[k]


@kernel
def _turn_some(nodes, elements, first, count, rotations_io, work):
    """F and the rotations of some elements, side by side."""
    load_gradients(elements, first, count, work)
    load_lanes(nodes, elements, first, count, work)
    multiply_lanes(count, F_ROW, work)
    turn_lanes(rotations_io, first, count, work)


@kernel
def turn_all(nodes, elements, rotations_io):
    """The rotation of each element, from start values."""
    elements = Elements(*elements)
    work, n = np.empty(LANE_ROWS * LANE_COUNT), elements.corner.shape[0]
    for first in range(0, n, LANE_COUNT):
        _turn_some(nodes, elements, first, min(LANE_COUNT, n - first), rotations_io, work)


@lean_kernel
def _energy_of_lanes(elements, first, count, work):
    """V (μ |F - R|² + λ/2 tr(Rᵀ F - I)²) of all lanes, added up, and squares of strains."""
    n = LANE_COUNT
    f, q, total = F_ROW * n, QUAT_ROW * n, 0.0
    for l in range(count):
        w, x, y, z = work[q + l], work[q + n + l], work[q + 2 * n + l], work[q + 3 * n + l]
        f0, f1, f2 = work[f + l], work[f + n + l], work[f + 2 * n + l]
        f3, f4, f5 = work[f + 3 * n + l], work[f + 4 * n + l], work[f + 5 * n + l]
        f6, f7, f8 = work[f + 6 * n + l], work[f + 7 * n + l], work[f + 8 * n + l]
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = quat_to_mat((w, x, y, z))
        trace = r0 * f0 + r1 * f1 + r2 * f2 + r3 * f3 + r4 * f4 + r5 * f5 + r6 * f6 + r7 * f7 + r8 * f8 - 3.0
        f0, f1, f2, f3, f4, f5, f6, f7, f8 = (
            f0 - r0,
            f1 - r1,
            f2 - r2,
            f3 - r3,
            f4 - r4,
            f5 - r5,
            f6 - r6,
            f7 - r7,
            f8 - r8,
        )
        square = f0 * f0 + f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4 + f5 * f5 + f6 * f6 + f7 * f7 + f8 * f8
        total += elements.shear[first + l] * square + 0.5 * elements.bulk[first + l] * trace * trace
        work[STRAIN_ROW * n + l] = square
    return total


@lean_kernel
def _energy_of_flat_lanes(elements, first, count, work):
    """What flat ones of the lanes have besides, and the smallest stretch of what may be flat."""
    total, smallest = 0.0, inf
    for l in range(count):
        if may_be_flat(work[STRAIN_ROW * LANE_COUNT + l]):
            _, S = turned_lane(l, work)
            _, energy, stretch = flat_stress(S)
            total, smallest = total + firmness(elements, first + l) * energy, min(smallest, stretch)
    return total, smallest


@kernel
def strain_energy(nodes, elements, rotations_io):
    """Strain energy of all elements [J], and their rotations, from start values.

    Returns the smallest stretch of what may be flat, too.
    """
    elements = Elements(*elements)
    work, n, total, smallest = np.empty(LANE_ROWS * LANE_COUNT), elements.corner.shape[0], 0.0, inf
    for first in range(0, n, LANE_COUNT):
        count = min(LANE_COUNT, n - first)
        _turn_some(nodes, elements, first, count, rotations_io, work)
        total += _energy_of_lanes(elements, first, count, work)
        more, stretch = _energy_of_flat_lanes(elements, first, count, work)
        total, smallest = total + more, min(smallest, stretch)
    return total, smallest


@lean_kernel
def _size2(S):
    """Trace of a matrix, and |sym S|²."""
    yz, xz, xy = 0.5 * (S[5] + S[7]), 0.5 * (S[2] + S[6]), 0.5 * (S[1] + S[3])
    square = S[0] * S[0] + S[4] * S[4] + S[8] * S[8] + 2.0 * (yz * yz + xz * xz + xy * xy)
    return S[0] + S[4] + S[8], square


@lean_kernel
def _less(a, s, b):
    """Difference a - s b of nine floats each."""
    return (
        a[0] - s * b[0],
        a[1] - s * b[1],
        a[2] - s * b[2],
        a[3] - s * b[3],
        a[4] - s * b[4],
        a[5] - s * b[5],
        a[6] - s * b[6],
        a[7] - s * b[7],
        a[8] - s * b[8],
    )


@kernel
def measure(nodes, elements, rotations, filled, energy_out, stress_out, volume_out):
    """Strain energy [J], von Mises stress [Pa], and volume over that at rest, of each element.

    `filled` (n_e,) is the volume of the material of each element at rest [m³].
    """
    elements = Elements(*elements)
    for e in range(elements.corner.shape[0]):
        F, shear = deformation_gradient(nodes, elements, e), elements.shear[e]
        S = mat_t_mul(rotation_of(rotations, e), F)
        pressed, more, _ = flat_stress(S)
        k = firmness(elements, e)
        strain = S[0] - 1.0, S[1], S[2], S[3], S[4] - 1.0, S[5], S[6], S[7], S[8] - 1.0
        trace, square = _size2(strain)
        energy_out[e] = shear * square + 0.5 * elements.bulk[e] * trace * trace + k * more
        # The stress deviator is 2μ times that of the strain, and what presses against flatness.
        if more > 0.0:
            trace, square = _size2(_less(strain, 0.5 * k / shear, pressed))
        stress_out[e] = 2.0 * shear / filled[e] * sqrt(1.5 * max(0.0, square - trace * trace / 3.0))
        volume_out[e] = (
            F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6])
        )
