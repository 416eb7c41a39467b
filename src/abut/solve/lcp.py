"""Linear complementarity problems: find x >= 0 with A x + b >= 0 and one of the two zero in every row.

Methods, by name (docs/solvers.md says which to take when):

newton          Fischer-Newton with a line search, dense; a few steps from a good start
pivoting        principal pivoting, dense; exact free set; P-matrices and positive semi-definite ones
lemke           lexicographic complementary pivoting, dense; widest class of matrices, proves infeasibility
gauss-seidel    projected sweeps, dense or sparse; symmetric positive semi-definite
jacobi          the same with all rows at once, damped
subspace        sweeps and conjugate gradients, sparse; symmetric positive semi-definite, large
auto            the first of these that converges, cheapest first
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, is_one_of, values
from ..errors import InputError
from . import lemke_kernels, newton_kernels, pivoting_kernels, subspace_kernels, sweep_kernels
from .linear import LinearProblem, linear_problem, scaled, standard_form
from .result import FUNCTIONS, Outcome, Result, Settings, Status, Workspace, judged

LCP_TOLERANCE = 1e-10
AUTO_LIMITS = {"pivoting": 50, "subspace": 300}
"""Iterations after which `auto` goes on to the next method: where these work at all, they need far fewer."""


def lcp(
    A: Any,
    b: ArrayLike,
    method: str = "auto",
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    start: ArrayLike | None = None,
    settings: Settings | None = None,
    workspace: Workspace | None = None,
) -> Result:
    """Solve 0 <= A x + b perp x >= 0, or with `lower` and `upper` the mixed problem with bounds.

    A is (n, n), dense or scipy sparse. Where a bound is given: w = A x + b is >= 0 where x is at its lower bound, <= 0
    at its upper one, 0 between; lower=-inf and upper=inf makes a row bilateral. `start` warm-starts every method.

    The residual is max |x - clip(x - w)| with rows and unknowns scaled to diag(A) = 1 and max |b| = 1; it is
    |min(x, w)| in ordinary rows. The default tolerance is 1e-10. Not converging is a status, never an exception.
    """
    problem = linear_problem(A, b, lower, upper)
    if not is_one_of(method, ("auto", *METHODS)):
        raise InputError(f"method: expected one of auto, {', '.join(METHODS)}, got {method!r}")
    x = np.zeros(len(problem.b)) if start is None else values("start", start, len(problem.b)).copy()
    settings, workspace = settings or Settings(), workspace or Workspace()
    unit, scaling = scaled(problem)
    y = np.clip(scaling.into(x), unit.lower, unit.upper)
    for name in _candidates(unit) if method == "auto" else [method]:
        limited = replace(settings, max_iterations=AUTO_LIMITS.get(name)) if method == "auto" else settings
        result = _attempt(name, unit, y, limited if settings.max_iterations is None else settings, workspace)
        if result.status in (Status.CONVERGED, Status.INFEASIBLE):
            break
        y = result.x if np.isfinite(result.residual) else y
    x = scaling.back(result.x)
    return Result(x, problem.slack(x), result.status, result.residual, result.iterations, result.history, result.method)


def _candidates(problem: LinearProblem) -> list[str]:
    """Methods in the order in which `auto` tries them: the cheapest for the size first, the most general last."""
    n = len(problem.b)
    dense = ["newton", "pivoting", "lemke"] if n <= 40 else ["pivoting", "newton", "lemke"]
    if not problem.sparse or n <= 100:
        return dense
    large = ["subspace"] if _symmetric(problem) else ["gauss-seidel"]
    return large + (dense if n <= 1000 else [])


def _symmetric(problem: LinearProblem) -> bool:
    difference = abs(problem.A - problem.A.T)
    return bool(difference.max() <= 1e-10)


def _attempt(name: str, problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Result:
    """Run one method and judge its answer by the problem itself, whatever the method says."""
    y, status, iterations, history = METHODS[name](problem, y.copy(), settings, workspace)
    y = np.clip(y, problem.lower, problem.upper)
    residual = problem.residual(y)
    status = judged(status, residual, settings.tolerance or LCP_TOLERANCE)
    return Result(y, y, status, residual, iterations, history, name)


def _newton(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    problem, n = problem.dense(), len(y)
    limit = settings.max_iterations or 100
    options = (settings.tolerance or LCP_TOLERANCE, settings.regularisation, FUNCTIONS[settings.function], limit)
    work = newton_work(workspace, n, limit)
    status, _, iterations = newton_kernels.newton_affine(
        problem.A, problem.b, problem.lower, problem.upper, options, y, work, np.empty(n)
    )
    return Outcome(y, Status(status), int(iterations), work[-1][: iterations + 1])


def newton_work(workspace: Workspace, n: int, max_iterations: int) -> tuple[NDArray[Any], ...]:
    """The scratch that the Newton kernels take."""
    workspace.reserve(n)
    history = np.empty(max_iterations + 1)
    return np.empty(16), np.empty(8, np.int32), workspace.vectors, workspace.matrix, workspace.pivot, history


def _pivoting(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    problem, n = problem.dense(), len(y)
    workspace.reserve(n)
    limit = settings.max_iterations or 300
    options = (settings.tolerance or LCP_TOLERANCE, settings.regularisation, 0, limit)
    side, index, history = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(limit)
    work = (side, index, workspace.vectors, workspace.matrix, workspace.pivot, history)
    status, _, iterations = pivoting_kernels.pivoting(
        problem.A, problem.b, problem.lower, problem.upper, options, y, work, np.empty(n)
    )
    return Outcome(y, Status(status), int(iterations), history[:iterations])


def _lemke(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    standard, back = standard_form(problem.dense())
    warm = y[: len(standard.b)] > 0.0 if problem.standard else np.zeros(len(standard.b), bool)
    status, z, pivots = Status.RAY, np.zeros(len(standard.b)), 0
    if warm.any():
        status, z, pivots = _lemke_from(standard, warm, settings)
    if status != Status.CONVERGED:
        status, z, more = _lemke_run(standard.A, standard.b, settings)
        pivots += more
    z = _polish(standard, z, workspace)
    return Outcome(back(z), status, pivots, np.array([problem.residual(y), standard.residual(z)]))


def _lemke_run(A: Floats, b: Floats, settings: Settings) -> tuple[Status, Floats, int]:
    n = len(b)
    if n == 0:
        return Status.CONVERGED, np.zeros(0), 0
    x, ray = np.zeros(n), np.zeros(n)
    limit = settings.max_iterations or max(1000, 50 * n)
    code, pivots = lemke_kernels.lemke(A, b, limit, np.empty((n, n + 2)), x, ray)
    status = Status(code)
    if status == Status.RAY and _proves_infeasible(A, b, ray):
        status = Status.INFEASIBLE
    return status, x, int(pivots)


def _lemke_from(problem: LinearProblem, active: NDArray[np.bool_], settings: Settings) -> tuple[Status, Floats, int]:
    """Lemke on the problem in which the active x and their w have changed places (principal pivot transform)."""
    f, g = np.flatnonzero(active), np.flatnonzero(~active)
    A = problem.A
    try:
        inverse = np.linalg.inv(A[np.ix_(f, f)])
    except np.linalg.LinAlgError:
        return Status.RAY, np.zeros(len(problem.b)), 0
    new, rest = np.empty_like(A), problem.b.copy()
    new[np.ix_(f, f)], new[np.ix_(f, g)] = inverse, -inverse @ A[np.ix_(f, g)]
    new[np.ix_(g, f)] = A[np.ix_(g, f)] @ inverse
    new[np.ix_(g, g)] = A[np.ix_(g, g)] - new[np.ix_(g, f)] @ A[np.ix_(f, g)]
    rest[f] = -inverse @ problem.b[f]
    rest[g] = problem.b[g] + A[np.ix_(g, f)] @ rest[f]
    status, z, pivots = _lemke_run(new, rest, settings)
    return status, np.where(active, new @ z + rest, z), pivots


def _proves_infeasible(A: Floats, b: Floats, ray: Floats) -> bool:
    """Farkas: y >= 0 with A^T y <= 0 and b.y < 0 leaves no x >= 0 with A x + b >= 0."""
    size = np.abs(ray).sum()
    if not size > 0.0:
        return False
    y = ray / size
    return bool((A.T @ y).max() <= 1e-9 and b @ y < -1e-9)


def _polish(problem: LinearProblem, x: Floats, workspace: Workspace) -> Floats:
    """Solve once more for the positive unknowns: takes away what hundreds of eliminations have added up."""
    n = len(x)
    workspace.reserve(n)
    side, better = np.where(x > 0.0, 0, -1).astype(np.int32), x.copy()
    work = (side, np.empty(n, np.int32), workspace.vectors, workspace.matrix, workspace.pivot, np.empty(0))
    if not pivoting_kernels.solve_free(problem.A, problem.b, problem.lower, problem.upper, 0.0, better, work):
        return x
    better = np.maximum(better, 0.0)
    return better if problem.residual(better) < problem.residual(x) else x


def _sweeps(kind: str, relaxation: float) -> Callable[[LinearProblem, Floats, Settings, Workspace], Outcome]:
    def method(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
        limit = settings.max_iterations or 10_000
        options = (settings.tolerance or LCP_TOLERANCE, relaxation * settings.relaxation, limit)
        history, w = np.empty(limit + 1), np.empty(len(y))
        run = getattr(sweep_kernels, f"{kind}_{'sparse' if problem.sparse else 'dense'}")
        A = problem.rows() if problem.sparse else problem.A
        status, _, sweeps = run(A, problem.b, problem.lower, problem.upper, options, y, history, w)
        return Outcome(y, Status(status), int(sweeps), history[: sweeps + 1])

    return method


def _jacobi(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """Damped by the largest row sum, which bounds the largest eigenvalue: Jacobi converges below 2 / that."""
    bound = float(abs(problem.A).sum(axis=1).max(initial=1.0))
    return _sweeps("jacobi", 1.9 / max(bound, 1.9))(problem, y, settings, workspace)


def _subspace(problem: LinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    n = len(y)
    limit = settings.max_iterations or 1000
    options = (settings.tolerance or LCP_TOLERANCE, limit)
    history, w = np.empty(limit + 1), np.empty(n)
    work = (np.empty(n, np.int32), np.empty((4, n)), history)
    status, _, rounds = subspace_kernels.subspace(
        problem.rows(), problem.b, problem.lower, problem.upper, options, y, work, w
    )
    return Outcome(y, Status(status), int(rounds), history[: rounds + 1])


METHODS: dict[str, Callable[[LinearProblem, Floats, Settings, Workspace], Outcome]] = {
    "newton": _newton,
    "pivoting": _pivoting,
    "lemke": _lemke,
    "gauss-seidel": _sweeps("gauss_seidel", 1.0),
    "jacobi": _jacobi,
    "subspace": _subspace,
}
"""Every method for linear problems, by name."""
