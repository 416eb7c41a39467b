"""NCP functions, and the rows of a mixed complementarity problem written as equations with them.

An NCP function phi has phi(a, b) = 0 exactly where a >= 0, b >= 0 and a b = 0 (Buck & Schömer, eq. 14). All here share
one sign: positive where a or b is negative, and phi -> -b as a -> +inf.

A row has an unknown x within [lower, upper] and a value w: w >= 0 at the lower bound, w <= 0 at the upper one, w = 0
between. lower = 0 and upper = inf is a contact, -inf and inf a joint, finite bounds a motor or a limited friction.
"""

from math import inf, nan, sqrt

from .._jit import kernel

# Codes of functions, see result.FUNCTIONS; any other code is Fischer's.
MIN = 1
PENALISED = 2

# Weight of the Fischer part in the penalised function: Chen, Chen & Kanzow, Math. Programming 88 (2000).
FISCHER_SHARE = 0.95
# Slopes of the Fischer function at its kink, an element of the generalised gradient: 1/sqrt(2) - 1.
KINK = -0.2928932188134524
_AT_KINK = 1e-150
"""Below it, squares are lost to underflow."""


@kernel
def fischer(a, b):
    """sqrt(a^2 + b^2) - a - b, without cancellation where both are positive."""
    root = sqrt(a * a + b * b)
    total = a + b
    return -2.0 * a * b / (root + total) if total > 0.0 else root - total


@kernel
def fischer_slopes(a, b):
    """Derivatives of `fischer` by a and b."""
    root = sqrt(a * a + b * b)
    if root < _AT_KINK:
        return KINK, KINK
    return a / root - 1.0, b / root - 1.0


@kernel
def ncp_value(function, a, b):
    """phi(a, b) of the NCP function with this code."""
    if function == MIN:
        return -min(a, b)
    if function == PENALISED:
        return FISCHER_SHARE * fischer(a, b) - (1.0 - FISCHER_SHARE) * max(a, 0.0) * max(b, 0.0)
    return fischer(a, b)


@kernel
def ncp_slopes(function, a, b):
    """Derivatives of phi by a and b; at a kink, an element of the generalised gradient."""
    if function == MIN:
        return (-1.0, 0.0) if a < b else (0.0, -1.0)
    by_a, by_b = fischer_slopes(a, b)
    if function == PENALISED:
        rest = 1.0 - FISCHER_SHARE
        by_a = FISCHER_SHARE * by_a - (rest * b if a > 0.0 and b > 0.0 else 0.0)
        by_b = FISCHER_SHARE * by_b - (rest * a if a > 0.0 and b > 0.0 else 0.0)
    return by_a, by_b


@kernel
def row_value(function, x, w, lower, upper):
    """phi(x - lower, phi(upper - x, -w)), the row as an equation (Billups, PhD thesis 1995); -w for a joint."""
    c = w if upper == inf else ncp_value(function, upper - x, -w)
    return -c if lower == -inf else ncp_value(function, x - lower, c)


@kernel
def row_slopes(function, x, w, lower, upper):
    """Derivatives of `row_value` by x and w."""
    c, c_by_x, c_by_w = w, 0.0, 1.0
    if upper != inf:
        c = ncp_value(function, upper - x, -w)
        by_a, by_b = ncp_slopes(function, upper - x, -w)
        c_by_x, c_by_w = -by_a, -by_b
    if lower == -inf:
        return -c_by_x, -c_by_w
    by_a, by_b = ncp_slopes(function, x - lower, c)
    return by_a + by_b * c_by_x, by_b * c_by_w


@kernel
def row_residual(x, w, lower, upper):
    """Natural residual |x - clip(x - w, lower, upper)|: |min(x, w)| for a contact, |w| for a joint."""
    if x != x or w != w:
        return nan  # min and max would lose it
    # Written so that a large x does not swallow w.
    return abs(max(min(x - lower, w), x - upper))


@kernel
def largest_residual(x, w, lower, upper):
    """Largest natural residual of all rows; nan where a number is nan."""
    largest = 0.0
    for i in range(x.shape[0]):
        residual = row_residual(x[i], w[i], lower[i], upper[i])
        if not residual <= largest:
            largest = residual
    return largest


@kernel
def affine(A, b, x, w_out):
    """A x + b."""
    n = x.shape[0]
    for i in range(n):
        s = b[i]
        for j in range(n):
            s += A[i, j] * x[j]
        w_out[i] = s
