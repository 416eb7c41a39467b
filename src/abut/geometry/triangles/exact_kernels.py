"""Signs of determinants that are right for every input: a filter first, expansions where rounding could decide.

An expansion is a sum of doubles that do not overlap, smallest first, and equals a real number exactly (Shewchuk,
Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997, sections 2 and 4). Right as
long as no product of three coordinate differences over- or underflows: lengths from 1e-90 to 1e90 are safe.
"""

import numpy as np

from ..._jit import kernel

_EPS = 2.0**-53
_SPLITTER = 2.0**27 + 1.0
# Shewchuk's bound A for the error of the plain formula, relative to the sum of its absolute terms.
_BOUND_3D = (7.0 + 56.0 * _EPS) * _EPS
# The same for pairs of doubles, generously: their operations err by a few 2^-104.
_BOUND_PAIRS = 2.0**-96


@kernel
def two_sum(a, b):
    """A + b as rounded sum and exact error."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@kernel
def two_product(a, b):
    """A b as rounded product and exact error (Dekker)."""
    p = a * b
    c = _SPLITTER * a
    a_high = c - (c - a)
    a_low = a - a_high
    d = _SPLITTER * b
    b_high = d - (d - b)
    b_low = b - b_high
    return p, a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)


@kernel
def _pair_product(a, b):
    """Product of two numbers that are (high, low), to about 2^-104."""
    p, e = two_product(a[0], b[0])
    return two_sum(p, e + (a[0] * b[1] + a[1] * b[0]))


@kernel
def _pair_difference(a, b):
    """Difference of two numbers that are (high, low), to about 2^-104 of the larger."""
    s, e = two_sum(a[0], -b[0])
    return two_sum(s, e + (a[1] - b[1]))


@kernel
def _pair_minor(a, b, c, d):
    """Determinant a d - b c of numbers that are (high, low), rounded once at the end."""
    return _pair_difference(_pair_product(a, d), _pair_product(b, c))[0]


@kernel
def careful_cross(a, b, c):
    """(b - a) x (c - a), right to about 2^-100 of the product of the two lengths: slivers have a direction, too."""
    ux, uy, uz = two_sum(b[0], -a[0]), two_sum(b[1], -a[1]), two_sum(b[2], -a[2])
    vx, vy, vz = two_sum(c[0], -a[0]), two_sum(c[1], -a[1]), two_sum(c[2], -a[2])
    return _pair_minor(uy, uz, vy, vz), _pair_minor(uz, ux, vz, vx), _pair_minor(ux, uy, vx, vy)


@kernel
def _pair_determinant(a, b, c):
    """Determinant of three rows whose entries are (high, low), rounded once at the end."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = a, b, c
    first = _pair_product(az, _pair_difference(_pair_product(bx, cy), _pair_product(cx, by)))
    second = _pair_product(bz, _pair_difference(_pair_product(ax, cy), _pair_product(cx, ay)))
    third = _pair_product(cz, _pair_difference(_pair_product(ax, by), _pair_product(bx, ay)))
    return _pair_difference(first, _pair_difference(second, third))[0]


@kernel
def _grow(expansion_io, n, b):
    """Add the number `b` to an expansion of n terms in place; returns the new number of terms, zeros dropped."""
    q, kept = b, 0
    for i in range(n):
        q, error = two_sum(q, expansion_io[i])
        if error != 0.0:
            expansion_io[kept] = error
            kept += 1
    if q != 0.0:
        expansion_io[kept] = q
        kept += 1
    return kept


@kernel
def _add_product(expansion_io, n, sign, a, b, c):
    """Add sign * a b c to an expansion, where each factor is (high, low): eight products of three doubles."""
    for i in range(2):
        for j in range(2):
            p, p_low = two_product(a[i], b[j])
            for k in range(2):
                if p == 0.0 or c[k] == 0.0:
                    continue
                q, q_low = two_product(p, sign * c[k])
                r, r_low = two_product(p_low, sign * c[k])
                if r != 0.0:
                    n = _grow(expansion_io, n, r_low)
                    n = _grow(expansion_io, n, r)
                if q_low != 0.0:
                    n = _grow(expansion_io, n, q_low)
                n = _grow(expansion_io, n, q)
    return n


@kernel
def _exact_sign(a, b, c, d, permanent):
    """Sign of the determinant of a - d, b - d, c - d, exactly; `permanent` is the sum of its absolute terms."""
    ax, ay, az = two_sum(a[0], -d[0]), two_sum(a[1], -d[1]), two_sum(a[2], -d[2])
    bx, by, bz = two_sum(b[0], -d[0]), two_sum(b[1], -d[1]), two_sum(b[2], -d[2])
    cx, cy, cz = two_sum(c[0], -d[0]), two_sum(c[1], -d[1]), two_sum(c[2], -d[2])
    determinant = _pair_determinant((ax, ay, az), (bx, by, bz), (cx, cy, cz))
    if abs(determinant) > _BOUND_PAIRS * permanent:
        return 1 if determinant > 0.0 else -1
    terms = np.empty(6 * 32 + 1)
    n = _add_product(terms, 0, 1.0, az, bx, cy)
    n = _add_product(terms, n, -1.0, az, cx, by)
    n = _add_product(terms, n, 1.0, bz, cx, ay)
    n = _add_product(terms, n, -1.0, bz, ax, cy)
    n = _add_product(terms, n, 1.0, cz, ax, by)
    n = _add_product(terms, n, -1.0, cz, bx, ay)
    if n == 0:
        return 0
    return 1 if terms[n - 1] > 0.0 else -1


@kernel
def _same(a, b):
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2]


@kernel
def orient3d(a, b, c, d):
    """Side of the plane abc on which d lies: 1 below (abc clockwise seen from d), -1 above, 0 in the plane. Exact."""
    adx, ady, adz = a[0] - d[0], a[1] - d[1], a[2] - d[2]
    bdx, bdy, bdz = b[0] - d[0], b[1] - d[1], b[2] - d[2]
    cdx, cdy, cdz = c[0] - d[0], c[1] - d[1], c[2] - d[2]
    bdxcdy, cdxbdy = bdx * cdy, cdx * bdy
    cdxady, adxcdy = cdx * ady, adx * cdy
    adxbdy, bdxady = adx * bdy, bdx * ady
    determinant = adz * (bdxcdy - cdxbdy) + bdz * (cdxady - adxcdy) + cdz * (adxbdy - bdxady)
    permanent = (
        (abs(bdxcdy) + abs(cdxbdy)) * abs(adz)
        + (abs(cdxady) + abs(adxcdy)) * abs(bdz)
        + (abs(adxbdy) + abs(bdxady)) * abs(cdz)
    )
    bound = _BOUND_3D * permanent
    if determinant > bound:
        return 1
    if determinant < -bound:
        return -1
    # Shared corners, or a zero factor in every term as in axis-aligned planes: rounding cannot make a difference zero.
    if permanent == 0.0 or _same(a, b) or _same(b, c) or _same(c, a):
        return 0
    return _exact_sign(a, b, c, d, permanent)


@kernel
def orient2d(a, b, c, u, v):
    """Turn abc in the coordinates u and v: 1 counter-clockwise, -1 clockwise, 0 in a line. Exact."""
    left = (a[u] - c[u]) * (b[v] - c[v])
    right = (a[v] - c[v]) * (b[u] - c[u])
    determinant = left - right
    # Shewchuk's bound A for two dimensions: (3 + 16 eps) eps.
    bound = (3.0 + 16.0 * _EPS) * _EPS * (abs(left) + abs(right))
    if determinant > bound:
        return 1
    if determinant < -bound:
        return -1
    if (left == 0.0 and right == 0.0) or (a[u] == b[u] and a[v] == b[v]):
        return 0
    # The same determinant in three dimensions, with a fourth point one unit off the plane of the three.
    scale = abs(left) + abs(right)
    return _exact_sign((a[u], a[v], 0.0), (b[u], b[v], 0.0), (c[u], c[v], 1.0), (c[u], c[v], 0.0), scale)
