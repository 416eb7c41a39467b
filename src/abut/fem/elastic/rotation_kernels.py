"""The rotation of an element: the one nearest to its deformation gradient F, warm-started, for many elements at once.

R maximises tr(Rᵀ F). With B = Rᵀ F, Newton's step o on it solves (tr(B) I - sym B) o = axial B, and R becomes R
exp(o). A few elements at a time stand side by side in `lanes` of one table, so that the compiler can take them
together; each lane computes exactly what it would alone. Where Newton's matrix is not positive definite, which is
where an element is inverted or has turned too far, the answer is the largest eigenvector of a symmetric 4 x 4 matrix
(Horn 1987): the same rotation as that of a singular value decomposition with the sign put right.

Rows of the table, each LANE_COUNT wide: 0-8 edges of the element now, 9-17 gradients, 18-26 F, 27-30 quaternion,
31 square of the last step, 32-40 stress, 41 and 42 moduli, 43 square of strains.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.quat_kernels import quat_to_mat
from ...math.symmetric_kernels import diagonalise

LANE_COUNT = 32
LANE_ROWS = 44
EDGE_ROW, GRADIENT_ROW, F_ROW, QUAT_ROW, STEP_ROW, STRESS_ROW, SHEAR_ROW, BULK_ROW = 0, 9, 18, 27, 31, 32, 41, 42
STRAIN_ROW = 43
MOST_TURNS = 12
TURNED_ENOUGH2 = 1e-18
"""Square of a Newton step [rad²] after which the error is far below rounding."""


@lean_kernel
def load_lanes(table, elements, first, count, work):
    """Edges of elements `first`, ... between the rows of a node table, into rows EDGE_ROW ... of the lanes."""
    n = LANE_COUNT
    for lane in range(count):
        a = elements.corner[first + lane, 0]
        for k in range(3):
            b = elements.corner[first + lane, k + 1]
            for d in range(3):
                work[(EDGE_ROW + 3 * k + d) * n + lane] = table[b, d] - table[a, d]


@lean_kernel
def load_gradients(elements, first, count, work):
    """Gradients of the shape functions of corners 1 to 3, into the lanes."""
    n = LANE_COUNT
    for lane in range(count):
        for k in range(3):
            for d in range(3):
                work[(GRADIENT_ROW + 3 * k + d) * n + lane] = elements.gradient[first + lane, k + 1, d]


@lean_kernel
def multiply_lanes(count, to, work):
    """Sum over k of edge k times gradient k (a 3 x 3 matrix), into nine rows from `to`."""
    n, g = LANE_COUNT, GRADIENT_ROW
    for i in range(3):
        for j in range(3):
            for lane in range(count):
                work[(to + 3 * i + j) * n + lane] = (
                    work[i * n + lane] * work[(g + j) * n + lane]
                    + work[(3 + i) * n + lane] * work[(g + 3 + j) * n + lane]
                    + work[(6 + i) * n + lane] * work[(g + 6 + j) * n + lane]
                )


@lean_kernel
def _newton(count, work):
    """One Newton step of all lanes; rows STEP_ROW get the square of the step, inf where there is no maximum nearby."""
    n = LANE_COUNT
    f, q = F_ROW * n, QUAT_ROW * n
    for l in range(count):
        w, x, y, z = work[q + l], work[q + n + l], work[q + 2 * n + l], work[q + 3 * n + l]
        f0, f1, f2 = work[f + l], work[f + n + l], work[f + 2 * n + l]
        f3, f4, f5 = work[f + 3 * n + l], work[f + 4 * n + l], work[f + 5 * n + l]
        f6, f7, f8 = work[f + 6 * n + l], work[f + 7 * n + l], work[f + 8 * n + l]
        r0, r1, r2 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        r3, r4, r5 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        r6, r7, r8 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        b0, b1, b2 = r0 * f0 + r3 * f3 + r6 * f6, r0 * f1 + r3 * f4 + r6 * f7, r0 * f2 + r3 * f5 + r6 * f8
        b3, b4, b5 = r1 * f0 + r4 * f3 + r7 * f6, r1 * f1 + r4 * f4 + r7 * f7, r1 * f2 + r4 * f5 + r7 * f8
        b6, b7, b8 = r2 * f0 + r5 * f3 + r8 * f6, r2 * f1 + r5 * f4 + r8 * f7, r2 * f2 + r5 * f5 + r8 * f8
        g0, g1, g2 = b7 - b5, b2 - b6, b3 - b1
        h0, h1, h2 = b4 + b8, b0 + b8, b0 + b4
        h3, h4, h5 = -0.5 * (b1 + b3), -0.5 * (b2 + b6), -0.5 * (b5 + b7)
        c0, c1, c2 = h1 * h2 - h5 * h5, h4 * h5 - h3 * h2, h3 * h5 - h4 * h1
        c3, c4, c5 = h0 * h2 - h4 * h4, h3 * h4 - h0 * h5, h0 * h1 - h3 * h3
        det = h0 * c0 + h3 * c1 + h4 * c2
        good = (h0 > 0.0) & (c5 > 0.0) & (det > 1e-12 * h0 * h1 * h2)
        s = 1.0 / det if good else 0.0
        ox, oy, oz = (
            s * (c0 * g0 + c1 * g1 + c2 * g2),
            s * (c1 * g0 + c3 * g1 + c4 * g2),
            s * (c2 * g0 + c4 * g1 + c5 * g2),
        )
        nw, nx = w - 0.5 * (x * ox + y * oy + z * oz), x + 0.5 * (w * ox + y * oz - z * oy)
        ny, nz = y + 0.5 * (w * oy + z * ox - x * oz), z + 0.5 * (w * oz + x * oy - y * ox)
        t = 1.0 / sqrt(nw * nw + nx * nx + ny * ny + nz * nz)
        work[q + l], work[q + n + l], work[q + 2 * n + l], work[q + 3 * n + l] = t * nw, t * nx, t * ny, t * nz
        work[STEP_ROW * n + l] = ox * ox + oy * oy + oz * oz if good else inf


@lean_kernel
def _largest_step(count, work):
    largest = 0.0
    for lane in range(count):
        largest = max(largest, work[STEP_ROW * LANE_COUNT + lane])
    return largest


@kernel
def turn_lanes(rotations_io, first, count, work):
    """Rotations of the lanes from their F; returns how many had to be found without a start value."""
    n = LANE_COUNT
    for lane in range(count):
        for k in range(4):
            work[(QUAT_ROW + k) * n + lane] = rotations_io[first + lane, k]
    for _ in range(MOST_TURNS):
        _newton(count, work)
        if _largest_step(count, work) <= TURNED_ENOUGH2:
            break
    lost = 0
    for lane in range(count):
        if work[STEP_ROW * n + lane] > TURNED_ENOUGH2:
            _turn_alone(lane, work)
            lost += 1
        for k in range(4):
            rotations_io[first + lane, k] = work[(QUAT_ROW + k) * n + lane]
    return lost


@kernel
def _turn_alone(lane, work):
    """Rotation of a lane for which Newton's steps did not end."""
    n, f = LANE_COUNT, F_ROW * LANE_COUNT + lane
    q = nearest_rotation(
        (
            work[f],
            work[f + n],
            work[f + 2 * n],
            work[f + 3 * n],
            work[f + 4 * n],
            work[f + 5 * n],
            work[f + 6 * n],
            work[f + 7 * n],
            work[f + 8 * n],
        )
    )
    for k in range(4):
        work[(QUAT_ROW + k) * n + lane] = q[k]


@kernel
def nearest_rotation(f):
    """Unit quaternion of the rotation R that maximises tr(Rᵀ F), whatever F is; of the identity where F is zero."""
    a = np.empty((4, 4))
    a[0, 0] = f[0] + f[4] + f[8]
    a[1, 1], a[2, 2], a[3, 3] = f[0] - f[4] - f[8], f[4] - f[0] - f[8], f[8] - f[0] - f[4]
    a[0, 1], a[0, 2], a[0, 3] = f[7] - f[5], f[2] - f[6], f[3] - f[1]
    a[1, 2], a[1, 3], a[2, 3] = f[1] + f[3], f[2] + f[6], f[5] + f[7]
    for i in range(4):
        for j in range(i):
            a[i, j] = a[j, i]
    vectors = np.zeros((4, 4))
    for i in range(4):
        vectors[i, i] = 1.0
    diagonalise(a, vectors)
    best = 0
    for k in range(1, 4):
        if a[k, k] > a[best, best]:
            best = k
    s = 1.0 if vectors[0, best] >= 0.0 else -1.0
    return s * vectors[0, best], s * vectors[1, best], s * vectors[2, best], s * vectors[3, best]


@lean_kernel
def rotation_of(rotations, e):
    """Rotation matrix of element `e`."""
    return quat_to_mat((rotations[e, 0], rotations[e, 1], rotations[e, 2], rotations[e, 3]))
