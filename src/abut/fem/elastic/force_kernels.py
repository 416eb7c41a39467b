"""Forces of elements: co-rotated linear elasticity, R K (Rᵀ x - x₀), as a stress.

With the deformation gradient F and its rotation R, P = 2μ (F - R) + λ tr(Rᵀ F - I) R, and an element of volume V
pushes its corner i with -V P b_i. This is the derivative of the energy V (μ |F - R|² + λ/2 tr(Rᵀ F - I)²). Damping β K
v has the same form with the gradient G of velocities: P = β (μ (G + R Gᵀ R) + λ tr(Rᵀ G) R). What is pressed flat has
more stress (`flat_kernels`).
"""

from math import inf

import numpy as np

from ..._jit import kernel, lean_kernel
from .elastic_tables import Elements
from .flat_kernels import add_flat_stress, may_be_flat
from .rotation_kernels import (
    BULK_ROW,
    EDGE_ROW,
    F_ROW,
    GRADIENT_ROW,
    LANE_COUNT,
    LANE_ROWS,
    QUAT_ROW,
    SHEAR_ROW,
    STRAIN_ROW,
    STRESS_ROW,
    load_gradients,
    load_lanes,
    multiply_lanes,
    turn_lanes,
)


@lean_kernel
def _load_stiffness(elements, first, count, work):
    """Moduli of the lanes, into their rows."""
    for lane in range(count):
        work[SHEAR_ROW * LANE_COUNT + lane] = elements.shear[first + lane]
        work[BULK_ROW * LANE_COUNT + lane] = elements.bulk[first + lane]


@lean_kernel
def _stress(count, work):
    """V P of all lanes, into the nine rows from STRESS_ROW, and squares of strains."""
    n = LANE_COUNT
    f, q, p = F_ROW * n, QUAT_ROW * n, STRESS_ROW * n
    for l in range(count):
        w, x, y, z = work[q + l], work[q + n + l], work[q + 2 * n + l], work[q + 3 * n + l]
        f0, f1, f2 = work[f + l], work[f + n + l], work[f + 2 * n + l]
        f3, f4, f5 = work[f + 3 * n + l], work[f + 4 * n + l], work[f + 5 * n + l]
        f6, f7, f8 = work[f + 6 * n + l], work[f + 7 * n + l], work[f + 8 * n + l]
        r0, r1, r2 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        r3, r4, r5 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        r6, r7, r8 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        m = 2.0 * work[SHEAR_ROW * n + l]
        trace = r0 * f0 + r1 * f1 + r2 * f2 + r3 * f3 + r4 * f4 + r5 * f5 + r6 * f6 + r7 * f7 + r8 * f8 - 3.0
        square = f0 * f0 + f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4 + f5 * f5 + f6 * f6 + f7 * f7 + f8 * f8
        work[STRAIN_ROW * n + l] = square - 2.0 * trace - 3.0
        c = work[BULK_ROW * n + l] * trace - m
        work[p + l], work[p + n + l], work[p + 2 * n + l] = m * f0 + c * r0, m * f1 + c * r1, m * f2 + c * r2
        work[p + 3 * n + l], work[p + 4 * n + l], work[p + 5 * n + l] = (
            m * f3 + c * r3,
            m * f4 + c * r4,
            m * f5 + c * r5,
        )
        work[p + 6 * n + l], work[p + 7 * n + l], work[p + 8 * n + l] = (
            m * f6 + c * r6,
            m * f7 + c * r7,
            m * f8 + c * r8,
        )


@lean_kernel
def _largest_strain(count, work):
    """Largest square of strains of the lanes."""
    largest = 0.0
    for lane in range(count):
        largest = max(largest, work[STRAIN_ROW * LANE_COUNT + lane])
    return largest


@lean_kernel
def _add_rate_stress(count, beta, work):
    """Add β K's stress for the velocity gradients in the rows from F_ROW to the rows from STRESS_ROW."""
    n = LANE_COUNT
    f, q, p = F_ROW * n, QUAT_ROW * n, STRESS_ROW * n
    for l in range(count):
        w, x, y, z = work[q + l], work[q + n + l], work[q + 2 * n + l], work[q + 3 * n + l]
        f0, f1, f2 = work[f + l], work[f + n + l], work[f + 2 * n + l]
        f3, f4, f5 = work[f + 3 * n + l], work[f + 4 * n + l], work[f + 5 * n + l]
        f6, f7, f8 = work[f + 6 * n + l], work[f + 7 * n + l], work[f + 8 * n + l]
        r0, r1, r2 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        r3, r4, r5 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        r6, r7, r8 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        # S = sym(Rᵀ G): the stress is R (2μ S + λ tr S).
        s0, s4, s8 = r0 * f0 + r3 * f3 + r6 * f6, r1 * f1 + r4 * f4 + r7 * f7, r2 * f2 + r5 * f5 + r8 * f8
        s1 = 0.5 * (r0 * f1 + r3 * f4 + r6 * f7 + r1 * f0 + r4 * f3 + r7 * f6)
        s2 = 0.5 * (r0 * f2 + r3 * f5 + r6 * f8 + r2 * f0 + r5 * f3 + r8 * f6)
        s5 = 0.5 * (r1 * f2 + r4 * f5 + r7 * f8 + r2 * f1 + r5 * f4 + r8 * f7)
        m, c = 2.0 * beta * work[SHEAR_ROW * n + l], beta * work[BULK_ROW * n + l] * (s0 + s4 + s8)
        t0, t1, t2, t4, t5, t8 = m * s0 + c, m * s1, m * s2, m * s4 + c, m * s5, m * s8 + c
        work[p + l] += r0 * t0 + r1 * t1 + r2 * t2
        work[p + n + l] += r0 * t1 + r1 * t4 + r2 * t5
        work[p + 2 * n + l] += r0 * t2 + r1 * t5 + r2 * t8
        work[p + 3 * n + l] += r3 * t0 + r4 * t1 + r5 * t2
        work[p + 4 * n + l] += r3 * t1 + r4 * t4 + r5 * t5
        work[p + 5 * n + l] += r3 * t2 + r4 * t5 + r5 * t8
        work[p + 6 * n + l] += r6 * t0 + r7 * t1 + r8 * t2
        work[p + 7 * n + l] += r6 * t1 + r7 * t4 + r8 * t5
        work[p + 8 * n + l] += r6 * t2 + r7 * t5 + r8 * t8


@lean_kernel
def _spread(elements, first, count, work, force_io):
    """Subtract V P b_i at the corners: vectors of corners 1 to 3 over the edges' rows, then to the nodes."""
    n, p, g = LANE_COUNT, STRESS_ROW * LANE_COUNT, GRADIENT_ROW * LANE_COUNT
    for k in range(3):
        for d in range(3):
            for l in range(count):
                work[(EDGE_ROW + 3 * k + d) * n + l] = (
                    work[p + 3 * d * n + l] * work[g + 3 * k * n + l]
                    + work[p + (3 * d + 1) * n + l] * work[g + (3 * k + 1) * n + l]
                    + work[p + (3 * d + 2) * n + l] * work[g + (3 * k + 2) * n + l]
                )
    for l in range(count):
        e = first + l
        a, b, c, o = elements.corner[e, 1], elements.corner[e, 2], elements.corner[e, 3], elements.corner[e, 0]
        for d in range(3):
            x, y, z = work[d * n + l], work[(3 + d) * n + l], work[(6 + d) * n + l]
            force_io[a, d] -= x
            force_io[b, d] -= y
            force_io[c, d] -= z
            force_io[o, d] += x + y + z


@kernel
def elastic_force(nodes, velocities, elements, beta, rotations_io, force_out):
    """Rotations of all elements at `nodes`, and the force [N] of the material, damping by β K included, on each node.

    Returns how many rotations had to be found without a start value, those of inverted elements and of the suddenly
    turned, and the smallest stretch of what may be flat.
    """
    elements = Elements(*elements)
    work = np.empty(LANE_ROWS * LANE_COUNT)
    for i in range(force_out.shape[0]):
        for d in range(3):
            force_out[i, d] = 0.0
    lost, smallest, n = 0, inf, elements.corner.shape[0]
    for first in range(0, n, LANE_COUNT):
        count = min(LANE_COUNT, n - first)
        load_gradients(elements, first, count, work)
        _load_stiffness(elements, first, count, work)
        load_lanes(nodes, elements, first, count, work)
        multiply_lanes(count, F_ROW, work)
        lost += turn_lanes(rotations_io, first, count, work)
        _stress(count, work)
        if may_be_flat(_largest_strain(count, work)):
            smallest = min(smallest, add_flat_stress(elements, first, count, work))
        if beta > 0.0:
            load_lanes(velocities, elements, first, count, work)
            multiply_lanes(count, F_ROW, work)
            _add_rate_stress(count, beta, work)
        _spread(elements, first, count, work, force_out)
    return lost, smallest
