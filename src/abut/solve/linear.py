"""Linear complementarity problems as data: checked, scaled to unit diagonal, and brought to standard form.

Row i of a mixed problem has w = A x + b and lower <= x <= upper with w >= 0 where x is at its lower bound, w <= 0 where
it is at its upper one and w = 0 between. The LCP has bounds 0 and inf everywhere; a bilateral row has -inf and inf.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, matrix, values
from ..errors import InputError, ShapeError
from . import ncp_kernels


@dataclass(frozen=True, slots=True)
class LinearProblem:
    """0 <= A x + b perp x >= 0, or its mixed form with bounds."""

    A: Any
    """(n, n), dense or scipy CSR."""
    b: Floats
    """(n,)"""
    lower: Floats
    """(n,) may be -inf."""
    upper: Floats
    """(n,) may be inf."""

    @property
    def standard(self) -> bool:
        """Whether every row has the bounds 0 and inf."""
        return bool((self.lower == 0.0).all() and (self.upper == np.inf).all())

    @property
    def sparse(self) -> bool:
        """Whether A is kept row-compressed."""
        return not isinstance(self.A, np.ndarray)

    def dense(self) -> "LinearProblem":
        """The same problem with A as an array."""
        if not self.sparse:
            return self
        return LinearProblem(np.ascontiguousarray(self.A.toarray()), self.b, self.lower, self.upper)

    def slack(self, x: Floats) -> Floats:
        """A x + b."""
        if self.sparse:
            return np.asarray(self.A @ x + self.b)
        w = np.empty_like(x)
        ncp_kernels.affine(self.A, self.b, x, w)
        return w

    def residual(self, x: Floats) -> float:
        """Largest |x - clip(x - w, lower, upper)|: |min(x, w)| in a standard row, |w| in a bilateral one."""
        return float(ncp_kernels.largest_residual(x, self.slack(x), self.lower, self.upper))

    def rows(self) -> tuple[Any, ...]:
        """A as the arrays (indptr, indices, data, inverse) that the sparse kernels take, the last 1 / A_ii or 0."""
        A = compressed(self.A)
        diagonal = A.diagonal()
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0.0)
        return A.indptr, A.indices, A.data, inverse


def linear_problem(A: Any, b: ArrayLike, lower: ArrayLike | None, upper: ArrayLike | None) -> LinearProblem:
    """A checked problem from what a user passes."""
    b = values("b", b)
    n = len(b)
    low, high = bound("lower", lower, 0.0, n), bound("upper", upper, np.inf, n)
    if (low > high).any():
        row = int((low > high).argmax())
        raise InputError(f"lower: row {row} is {low[row]:g}, above upper, which is {high[row]:g}")
    if (low == np.inf).any() or (high == -np.inf).any():
        raise InputError("lower and upper: no number lies above inf or below -inf")
    return LinearProblem(square("A", A, n), b, low, high)


def square(name: str, value: Any, n: int) -> Any:
    """`value` as an (n, n) array, or as CSR where it is a scipy sparse matrix."""
    if not hasattr(value, "tocsr"):
        return matrix(name, value, n, n)
    if value.shape != (n, n):
        raise ShapeError(f"{name}: expected ({n}, {n}), got {value.shape}")
    result = compressed(value)
    if not np.isfinite(result.data).all():
        row = int(np.searchsorted(result.indptr, (~np.isfinite(result.data)).argmax(), side="right")) - 1
        raise InputError(f"{name}: row {row} is not finite")
    return result


def compressed(A: Any) -> Any:
    """A as CSR with int32 indices and float64 data, writeable, as kernels take them."""
    from scipy.sparse import csr_array

    result = csr_array(A, dtype=np.float64)
    result.sum_duplicates()
    if result.indices.dtype != np.int32 or result.indptr.dtype != np.int32:
        result = csr_array((result.data, result.indices.astype(np.int32), result.indptr.astype(np.int32)), result.shape)
    return result


@dataclass(frozen=True, slots=True)
class Scaling:
    """Unknowns and rows divided so that diag(A) = 1 and max|b| = 1; tolerances then mean the same for every problem."""

    root: Floats
    """(n,) square roots of the diagonal, 1 where it is not positive."""
    size: float
    """Largest |b|, divided by the roots."""

    def into(self, x: Floats) -> Floats:
        """Unknowns of the problem as unknowns of the scaled one."""
        return np.ascontiguousarray(x * self.root / self.size)

    def back(self, y: Floats) -> Floats:
        """Unknowns of the scaled problem as those of the problem."""
        return np.asarray(y * self.size / self.root)


def scaled(problem: LinearProblem) -> tuple[LinearProblem, Scaling]:
    """The problem with unit diagonal and unit b, symmetric where it was."""
    diagonal = np.asarray(problem.A.diagonal())
    root = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    b = problem.b / root
    size = float(np.abs(b).max(initial=0.0)) or 1.0
    scaling = Scaling(root, size)
    if problem.sparse:
        from scipy.sparse import diags_array

        over = diags_array(1.0 / root)
        A = compressed(over @ problem.A @ over)
    else:
        A = np.ascontiguousarray(problem.A / root[:, None] / root)
    return LinearProblem(A, b / size, scaling.into(problem.lower), scaling.into(problem.upper)), scaling


def standard_form(problem: LinearProblem) -> tuple[LinearProblem, Callable[[Floats], Floats]]:
    """An equivalent problem with bounds 0 and inf (A dense), and the way back from its unknowns.

    Bilateral rows are solved for their unknowns; an unknown with an upper bound only is mirrored; one with two bounds
    gets a second row, 0 <= upper - x perp v >= 0, whose multiplier v enters the first.
    """
    if problem.standard:
        return problem, lambda y: y
    A, b = problem.A, problem.b
    bilateral = ~np.isfinite(problem.lower) & ~np.isfinite(problem.upper)
    kept = np.flatnonzero(~bilateral)
    mirrored = ~np.isfinite(problem.lower[kept])
    sign = np.where(mirrored, -1.0, 1.0)
    origin = np.where(mirrored, problem.upper[kept], problem.lower[kept])
    free = np.flatnonzero(bilateral)
    # Redundant joints make the block singular; the pseudo-inverse picks the least forces that satisfy them.
    inverse = np.linalg.pinv(A[np.ix_(free, free)], rcond=1e-12) if len(free) else np.zeros((0, 0))
    coupling = A[np.ix_(kept, free)] @ inverse
    reduced = A[np.ix_(kept, kept)] - coupling @ A[np.ix_(free, kept)]
    rest = b[kept] - coupling @ b[free] + reduced @ origin
    boxed = np.flatnonzero(np.isfinite(problem.upper[kept]) & ~mirrored)
    n, m = len(kept), len(boxed)
    big, rhs = np.zeros((n + m, n + m)), np.zeros(n + m)
    big[:n, :n], rhs[:n] = sign[:, None] * reduced * sign, sign * rest
    big[boxed, n + np.arange(m)], big[n + np.arange(m), boxed] = 1.0, -1.0
    rhs[n:] = (problem.upper - problem.lower)[kept][boxed]

    def back(y: Floats) -> Floats:
        x = np.empty(len(b))
        x[kept] = origin + sign * y[:n]
        x[free] = -inverse @ (A[np.ix_(free, kept)] @ x[kept] + b[free])
        return x

    return LinearProblem(big, rhs, np.zeros(n + m), np.full(n + m, np.inf)), back


def bound(name: str, value: ArrayLike | None, default: float, n: int) -> Floats:
    """A bound of every row from one number, one per row, or None for the default."""
    if value is None:
        return np.full(n, default)
    array = np.asarray(value, np.float64)
    if np.isnan(array).any():
        raise InputError(f"{name}: row {int(np.isnan(np.atleast_1d(array)).argmax())} is not a number")
    if array.shape not in ((), (n,)):
        raise ShapeError(f"{name}: expected one number or ({n},), got {array.shape}")
    return np.array(np.broadcast_to(array, (n,)))
