"""3-vectors and 3x3 matrices as tuples.

A vector is `(x, y, z)`; a matrix is nine floats in row order. Tuples live in registers: half the time and a
quarter of the compile time of small arrays. `row` and `put_row` go between tuples and (n, 3) tables.
"""

from math import sqrt

from .._jit import kernel

# Numbers whose inverses are finite.
_SMALLEST, _LARGEST = 1e-300, 1e300


@kernel
def row(table, i):
    """Row `i` of an (n, 3) table as a tuple."""
    return table[i, 0], table[i, 1], table[i, 2]


@kernel
def put_row(v, i, table_out):
    """Write the vector `v` to row `i` of an (n, 3) table."""
    table_out[i, 0] = v[0]
    table_out[i, 1] = v[1]
    table_out[i, 2] = v[2]


@kernel
def add(a, b):
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def sub(a, b):
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def scale(s, a):
    """S a."""
    return s * a[0], s * a[1], s * a[2]


@kernel
def neg(a):
    """-a."""
    return -a[0], -a[1], -a[2]


@kernel
def add_scaled(a, s, b):
    """A + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@kernel
def lerp(a, b, t):
    """The point at `t` on the way from a (t = 0) to b (t = 1)."""
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@kernel
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def norm2(a):
    """Squared length."""
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@kernel
def norm(a):
    """Length."""
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def distance2(a, b):
    """Squared distance of two points."""
    return norm2(sub(a, b))


@kernel
def unit(a):
    """`a` scaled to length 1; a vector of no length stays zero, however small or large its entries are."""
    largest = max(abs(a[0]), abs(a[1]), abs(a[2]))
    if largest == 0.0:
        return 0.0, 0.0, 0.0
    a = scale(1.0 / largest, a) if largest > _SMALLEST else scale(_LARGEST, a)
    length = norm(a)
    return scale(1.0 / length, a) if length > 0.0 else (0.0, 0.0, 0.0)


@kernel
def orthonormal_basis(n):
    """Two unit vectors that complete the unit vector `n` to a right-handed basis (n, t1, t2).

    Duff et al., Building an orthonormal basis, revisited, JCGT 2017: continuous but for one point.
    """
    sign = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    return (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), (b, sign + n[1] * n[1] * a, -n[1])


@kernel
def mat_vec(m, v):
    """M v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@kernel
def mat_t_vec(m, v):
    """M^T v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@kernel
def mat_mul(a, b):
    """A B."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel
def transpose(m):
    """M^T."""
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@kernel
def mat_t_mul(a, b):
    """A^T B."""
    return mat_mul(transpose(a), b)


@kernel
def skew(v):
    """The matrix of `w -> v x w`."""
    return 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0


@kernel
def load_mat(table, i):
    """Matrix `i` of an (n, 3, 3) table as a tuple."""
    return (
        table[i, 0, 0],
        table[i, 0, 1],
        table[i, 0, 2],
        table[i, 1, 0],
        table[i, 1, 1],
        table[i, 1, 2],
        table[i, 2, 0],
        table[i, 2, 1],
        table[i, 2, 2],
    )


@kernel
def put_mat(m, i, table_out):
    """Write the matrix `m` to entry `i` of an (n, 3, 3) table."""
    for r in range(3):
        for c in range(3):
            table_out[i, r, c] = m[3 * r + c]
