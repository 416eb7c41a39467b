"""Non-linear complementarity problems: find x >= 0 with g(x) >= 0 and one of the two zero in every row.

Methods, by name (docs/solvers.md says which to take when):

newton          semi-smooth Newton in x alone (SiLVIA, eq. 7), with a line search; also with bounds
pair            the same in x and w = g(x) as separate unknowns, reduced to n x n (Buck & Schömer, section 4)
linearised      the problem replaced by its linearisation, an LCP, again and again (Josephy-Newton)
naive           Newton-Raphson on g(x) = 0, then rows with negative x released (SiLVIA, section 3.1); a baseline
auto            newton; from a bad start that leads it to a local minimum, linearised and other NCP functions too
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, is_one_of, values
from ..errors import InputError, ShapeError
from . import ncp_kernels, newton_kernels
from .lcp import lcp, newton_work
from .linear import bound
from .result import FUNCTIONS, Outcome, Result, Settings, Status, Workspace, judged

NCP_TOLERANCE = 1e-10
_HALVINGS, _DESCENT = 25, 1e-4
"""How often a step is halved, and by which share of its length it must lower the merit (Armijo)."""
_STEPS_TRIED, _WORSE = (1.0, 0.5, 0.25, 0.125, 0.0625), 10.0
"""Parts of a step that are tried in turn, until its end is worse than the best so far by less than this factor."""


@dataclass(frozen=True, slots=True)
class NonlinearProblem:
    """0 <= g(x) perp x >= 0, or its mixed form with bounds, in unknowns y = x scale."""

    g: Callable[[Floats], ArrayLike]
    """(n,) -> (n,)"""
    jacobian: Callable[[Floats], ArrayLike]
    """(n,) -> (n, n), dg/dx."""
    scale: Floats
    """(n,) sizes of g over those of x; makes the two comparable."""
    lower: Floats
    """(n,) of y, may be -inf."""
    upper: Floats
    """(n,) of y, may be inf."""

    def value(self, y: Floats) -> Floats:
        """The function at y; what is not finite is left for the solver to refuse."""
        w = np.ascontiguousarray(self.g(y / self.scale), np.float64)
        if w.shape != y.shape:
            raise ShapeError(f"g: expected to return ({len(y)},), got {w.shape}")
        return w

    def slope(self, y: Floats) -> Floats:
        """dg/dy at y."""
        J = np.ascontiguousarray(self.jacobian(y / self.scale), np.float64)
        if J.shape != (len(y), len(y)):
            raise ShapeError(f"jacobian: expected to return ({len(y)}, {len(y)}), got {J.shape}")
        return np.ascontiguousarray(J / self.scale)

    def residual(self, y: Floats, w: Floats) -> float:
        """Largest |y - clip(y - w)|; |min(y, w)| in ordinary rows."""
        return float(ncp_kernels.largest_residual(y, w, self.lower, self.upper))


def ncp(
    g: Callable[[Floats], ArrayLike],
    jacobian: Callable[[Floats], ArrayLike],
    start: ArrayLike,
    method: str = "auto",
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    scale: ArrayLike | str | None = None,
    from_lcp: bool = False,
    settings: Settings | None = None,
    workspace: Workspace | None = None,
) -> Result:
    """Solve 0 <= g(x) perp x >= 0 from the values `start`, or with `lower` and `upper` the mixed problem with bounds.

    `scale` (n,) multiplies x where it is compared with g, or "diagonal" for the diagonal of the Jacobian at the start.
    `from_lcp` first solves the problem linearised at the start and begins at its solution. The residual is
    max |min(scale x, g)|, the default tolerance 1e-10. Not converging is a status, never an exception.
    """
    if not is_one_of(method, METHODS):
        raise InputError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    x = values("start", start).copy()
    settings, workspace = settings or Settings(), workspace or Workspace()
    problem = _problem(g, jacobian, x, lower, upper, scale)
    if method in BOUNDS_ZERO_ONLY and not ((problem.lower == 0.0).all() and (problem.upper == np.inf).all()):
        raise InputError(f"method: {method} takes no bounds other than 0 and inf; take newton or linearised")
    y = np.ascontiguousarray(x * problem.scale)
    if from_lcp:
        y = _linear_step(problem, y)
    y, status, iterations, history = METHODS[method](problem, y, settings, workspace)
    w = problem.value(y)
    residual = problem.residual(y, w)
    status = judged(status, residual, settings.tolerance or NCP_TOLERANCE)
    return Result(y / problem.scale, w, status, residual, iterations, np.array(history), method)


def _problem(
    g: Callable[[Floats], ArrayLike],
    jacobian: Callable[[Floats], ArrayLike],
    x: Floats,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    scale: ArrayLike | str | None,
) -> NonlinearProblem:
    n = len(x)
    if isinstance(scale, str):
        if scale != "diagonal":
            raise InputError(f'scale: expected numbers or "diagonal", got {scale!r}')
        diagonal = np.abs(np.diagonal(np.asarray(jacobian(x), np.float64)))
        scale = np.where(diagonal > 0.0, diagonal, 1.0)
    factors = np.ones(n) if scale is None else values("scale", scale, n)
    if not (factors > 0.0).all():
        raise InputError(f"scale: row {int((factors <= 0.0).argmax())} is not positive")
    low, high = bound("lower", lower, 0.0, n), bound("upper", upper, np.inf, n)
    return NonlinearProblem(g, jacobian, factors, low * factors, high * factors)


def _newton(problem: NonlinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    limit = settings.max_iterations or 200
    options = (settings.tolerance or NCP_TOLERANCE, settings.regularisation, FUNCTIONS[settings.function], limit)
    work = newton_work(workspace, len(y), limit)
    w, J = problem.value(y), np.zeros((len(y), len(y)))
    request = newton_kernels.newton_start(y, w, problem.lower, problem.upper, options, work)
    while request != newton_kernels.FINISHED:
        if request == newton_kernels.LINEARISE:
            J = problem.slope(y)
        else:
            w = problem.value(y)
        request = newton_kernels.newton_resume(y, w, J, problem.lower, problem.upper, options, work)
    counters, history = work[1], work[-1]
    steps = int(counters[newton_kernels.ITERATION])
    return Outcome(y, Status(int(counters[newton_kernels.STATUS])), steps, np.array(history[: steps + 1]))


def _pair(problem: NonlinearProblem, f: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """Unknowns (f, w): (phi_f + phi_w g') df = -phi - phi_w (g - w), then dw = g' df + g - w; steps halved."""
    function, tolerance = FUNCTIONS[settings.function], settings.tolerance or NCP_TOLERANCE
    g = problem.value(f)
    w, history = g.copy(), [problem.residual(f, g)]
    for step in range(settings.max_iterations or 200):
        if not tolerance < history[-1] < np.inf:
            return Outcome(f, Status.CONVERGED, step, np.array(history))
        J = problem.slope(f)
        phi, by_f, by_w = _pair_equations(function, f, w)
        matrix = by_w[:, None] * J
        matrix[np.diag_indices_from(matrix)] += by_f + by_w * settings.regularisation * np.abs(J.diagonal())
        df = _solve(matrix, -phi - by_w * (g - w))
        dw = J @ df + g - w
        moved = _pair_search(problem, function, f, w, g, df, dw)
        if moved is None:
            return Outcome(f, Status.STALLED, step, np.array(history))
        f, w, g = moved
        history.append(problem.residual(f, g))
    return Outcome(f, Status.MAX_ITERATIONS, len(history) - 1, np.array(history))


def _pair_equations(function: int, f: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    pairs = zip(f, w, strict=True)
    rows = [(ncp_kernels.ncp_value(function, a, b), *ncp_kernels.ncp_slopes(function, a, b)) for a, b in pairs]
    phi, by_f, by_w = np.array(rows).reshape(-1, 3).T
    return phi, by_f, by_w


def _pair_search(
    problem: NonlinearProblem, function: int, f: Floats, w: Floats, g: Floats, df: Floats, dw: Floats
) -> tuple[Floats, Floats, Floats] | None:
    """The first of the whole, half, quarter ... step that lowers |F|^2 of eq. 16, with g there; None if none does."""

    def merit(f: Floats, w: Floats, g: Floats) -> float:
        phi, _, _ = _pair_equations(function, f, w)
        return float(phi @ phi + (g - w) @ (g - w))

    before, t = merit(f, w, g), 1.0
    for _ in range(_HALVINGS):
        new_f, new_w = f + t * df, w + t * dw
        new_g = problem.value(new_f)
        if merit(new_f, new_w, new_g) <= (1.0 - _DESCENT * t) * before:
            return new_f, new_w, new_g
        t *= 0.5
    return None


def _naive(problem: NonlinearProblem, f: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """Solve g = 0 on the held rows by Newton-Raphson; a row whose force turns out negative is released for good."""
    tolerance = settings.tolerance or NCP_TOLERANCE
    held = np.ones(len(f), bool)
    w = problem.value(f)
    history = [problem.residual(f, w)]
    for step in range(settings.max_iterations or 100):
        if not np.isfinite(history[-1]):
            return Outcome(f, Status.NOT_FINITE, step, np.array(history))
        if np.abs(w[held]).max(initial=0.0) <= tolerance:
            if not (f < 0.0).any():
                return Outcome(f, Status.CONVERGED, step, np.array(history))
            held &= f >= 0.0
        f = np.where(held, f, 0.0)
        w, J = problem.value(f), problem.slope(f)
        f[held] += _solve(J[np.ix_(held, held)], -w[held])
        w = problem.value(f)
        history.append(problem.residual(f, w))
    return Outcome(f, Status.MAX_ITERATIONS, len(history) - 1, np.array(history))


def _linearised(problem: NonlinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """Each step goes to the solution of the linearised problem, or as far towards it as is safe."""
    tolerance = settings.tolerance or NCP_TOLERANCE
    history = [problem.residual(y, problem.value(y))]
    for step in range(settings.max_iterations or 100):
        if not tolerance < history[-1] < np.inf:
            return Outcome(y, Status.CONVERGED, step, np.array(history))
        target = _linear_step(problem, y)
        if target is y:
            return Outcome(y, Status.STALLED, step, np.array(history))
        # Watchdog: a whole step may pass through worse points, but not through points much worse than the best.
        for t in _STEPS_TRIED:
            trial = y + t * (target - y)
            residual = problem.residual(trial, problem.value(trial))
            if residual < _WORSE * min(history):
                break
        y = trial
        history.append(residual)
    return Outcome(y, Status.MAX_ITERATIONS, len(history) - 1, np.array(history))


def _linear_step(problem: NonlinearProblem, y: Floats) -> Floats:
    """Solution of the problem linearised at y, or y where it has none."""
    J, w = problem.slope(y), problem.value(y)
    if not (np.isfinite(J).all() and np.isfinite(w).all()):
        return y
    result = lcp(J, w - J @ y, lower=problem.lower, upper=problem.upper, start=np.clip(y, problem.lower, problem.upper))
    return result.x if result.converged else y


def _solve(matrix: Floats, rhs: Floats) -> Floats:
    """Solution of the linear system; of the least length where redundant rows make it singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, rhs))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, rhs, rcond=1e-12)[0])


def _auto(problem: NonlinearProblem, y: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """The first attempt that converges, each from the start values; else the one that came nearest."""
    outcomes = []
    attempts = [(_newton, settings), (_linearised, settings)]
    attempts += [(_newton, replace(settings, function=name)) for name in FUNCTIONS if name != settings.function]
    for method, options in attempts:
        outcomes.append(method(problem, y.copy(), options, workspace))
        if outcomes[-1].history[-1] <= (settings.tolerance or NCP_TOLERANCE):
            break
    return min(outcomes, key=_last_residual)


def _last_residual(outcome: Outcome) -> float:
    last = float(outcome.history[-1])
    return last if np.isfinite(last) else np.inf


METHODS: dict[str, Callable[[NonlinearProblem, Floats, Settings, Workspace], Outcome]] = {
    "newton": _newton,
    "pair": _pair,
    "linearised": _linearised,
    "naive": _naive,
    "auto": _auto,
}
"""Every method for non-linear problems, by name."""
BOUNDS_ZERO_ONLY = ("pair", "naive")
