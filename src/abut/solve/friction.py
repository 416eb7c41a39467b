"""Coulomb friction in three dimensions: impulses r in their cones with u = W r + q, sticking or slipping.

Methods, by name (docs/solvers.md says which to take when):

gauss-seidel    each contact in turn solved exactly; any size, robust, slow where contacts are redundant
newton          semi-smooth Newton of Alart & Curnier, set on its way and helped out by Gauss-Seidel sweeps
polyhedral      the cone replaced by a pyramid and solved by Lemke; approximate, for comparison
sliding         friction against given sliding directions (Buck & Schömer, section 5); no sticking
auto            gauss-seidel, and newton where that is slow
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, is_one_of, values
from ..errors import InputError, ShapeError
from . import alart_kernels, friction_kernels
from .linear import square
from .pyramid import solve_pyramid, solve_sliding
from .result import Outcome, Result, Settings, Status, Workspace, judged

FRICTION_TOLERANCE = 1e-8
FIRST_SWEEPS, FIRST_SWEEPS_SPARSE = 10, 1000
"""Gauss-Seidel sweeps before Newton's first steps; a sparse factorisation costs as much as hundreds of them."""
DENSE_LIMIT = 120
"""Contacts up to which Newton's matrix is factored dense."""


class Measured(NamedTuple):
    """What scaled impulses come to."""

    residual: float
    velocities: Floats
    """(n, 3) [m/s] that they leave."""


@dataclass(frozen=True, slots=True)
class FrictionProblem:
    """Contacts with u = W r + q, scaled to max|W| = 1, in 3x3 blocks by rows."""

    indptr: Ints
    """(n + 1,) where each contact's row of blocks begins."""
    indices: Ints
    """(k,) the other contact of each block."""
    blocks: Floats
    """(k, 3, 3)"""
    diagonal: Ints
    """(n,) place of each contact's own block."""
    q: Floats
    """(n, 3) velocities without impulses: normal, tangent, tangent."""
    mu: Floats
    """(n,) coefficients of friction."""
    scale: float
    """1 / max|W| of the problem as given; impulses here are those given divided by it."""

    @property
    def W(self) -> tuple[Ints, Ints, Floats, Ints]:
        """The matrix as kernels take it."""
        return self.indptr, self.indices, self.blocks, self.diagonal

    def measure(self, r: Floats) -> Measured:
        """What scaled impulses mean."""
        u = np.empty_like(r)
        return Measured(float(friction_kernels.friction_residual(self.W, self.q, self.mu, r, u)), u)


Method = Callable[[FrictionProblem, Floats, Settings, Workspace], Outcome]


def friction(
    W: Any,
    q: ArrayLike,
    mu: ArrayLike,
    method: str = "auto",
    *,
    start: ArrayLike | None = None,
    directions: ArrayLike | None = None,
    sides: int = 8,
    settings: Settings | None = None,
    workspace: Workspace | None = None,
) -> Result:
    """Solve u = W r + q with r_i in the cone |r_t| <= mu r_n and Coulomb's law between u_i and r_i.

    W is (3 n, 3 n), dense or scipy sparse, q (3 n,), `mu` one number or (n,); each contact has the order normal,
    tangent, tangent. `start` warm-starts; `directions` (n, 2) are the sliding velocities of method "sliding", whose
    length does not matter; `sides` is the number of sides of the pyramid of method "polyhedral".

    With s = 1 / max|W|, r' = r / s and u^ = (u_n + mu |u_t|, u_t), the residual is |r' - P_K(r' - u^)| / |q|, P_K the
    projection on the cones. The default tolerance is 1e-8. `polyhedral` and `sliding` solve another law: there the
    residual is that of their own linear problem.
    """
    problem = friction_problem(W, q, mu)
    settings, workspace = settings or Settings(), workspace or Workspace()
    n = len(problem.mu)
    r = np.zeros((n, 3)) if start is None else values("start", start, 3 * n).reshape(n, 3) / problem.scale
    if method == "polyhedral":
        return _unscaled(problem, solve_pyramid(_dense(problem), problem.q, problem.mu, sides, settings))
    if method == "sliding":
        along = _directions(directions, n)
        return _unscaled(problem, solve_sliding(_dense(problem), problem.q, problem.mu, along, settings))
    if not is_one_of(method, METHODS):
        raise InputError(f"method: expected one of {', '.join([*METHODS, 'polyhedral', 'sliding'])}, got {method!r}")
    r, status, iterations, history = METHODS[method](problem, np.ascontiguousarray(r), settings, workspace)
    residual, u = problem.measure(r)
    status = judged(status, residual, settings.tolerance or FRICTION_TOLERANCE)
    return Result(problem.scale * r.ravel(), u.ravel(), status, residual, iterations, history, method)


def friction_problem(W: Any, q: ArrayLike, mu: ArrayLike) -> FrictionProblem:
    """A checked and scaled problem from what a user passes."""
    q = values("q", q)
    if len(q) % 3:
        raise ShapeError(f"q: expected three numbers per contact, got {len(q)}")
    n = len(q) // 3
    mu = values("mu", np.full(n, mu) if np.ndim(mu) == 0 else mu, n)
    if (mu < 0.0).any():
        row = int((mu < 0.0).argmax())
        raise InputError(f"mu: row {row} is {mu[row]:g}, but a coefficient of friction is not negative")
    matrix = square("W", W, 3 * n)
    indptr, indices, blocks, diagonal = (
        _dense_blocks(matrix, n) if isinstance(matrix, np.ndarray) else _blocks(matrix, n)
    )
    largest = float(np.abs(blocks).max(initial=0.0)) or 1.0
    return FrictionProblem(indptr, indices, blocks / largest, diagonal, q.reshape(n, 3), mu, 1.0 / largest)


def _dense_blocks(matrix: Floats, n: int) -> tuple[Ints, Ints, Floats, Ints]:
    """Blocks by rows, sorted, that are not zero, and one of each contact for itself even where it is."""
    blocks = matrix.reshape(n, 3, n, 3).swapaxes(1, 2)
    present = np.asarray(blocks.any(axis=(2, 3)))
    np.fill_diagonal(present, True)
    rows, columns = np.nonzero(present)
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(np.int32)
    diagonal = np.flatnonzero(rows == columns).astype(np.int32)
    return indptr, columns.astype(np.int32), np.ascontiguousarray(blocks[rows, columns]), diagonal


def _blocks(matrix: Any, n: int) -> tuple[Ints, Ints, Floats, Ints]:
    """The same of a sparse matrix, with all blocks that it has."""
    from scipy.sparse import bsr_array

    matrix = bsr_array(matrix, blocksize=(3, 3)) if n else bsr_array((0, 0))
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr)) if n else np.zeros(0, int)
    present = np.zeros(n, bool)
    present[rows[rows == matrix.indices]] = True
    missing = np.flatnonzero(~present)
    rows, columns = np.concatenate([rows, missing]), np.concatenate([matrix.indices, missing])
    blocks = np.concatenate([matrix.data.reshape(-1, 3, 3), np.zeros((len(missing), 3, 3))])
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(np.int32)
    diagonal = np.flatnonzero(rows == columns).astype(np.int32)
    return indptr, columns.astype(np.int32), np.ascontiguousarray(blocks[order]), diagonal


def _unscaled(problem: FrictionProblem, result: Result) -> Result:
    r = result.x.reshape(-1, 3)
    u = problem.measure(r).velocities
    x = problem.scale * result.x
    return Result(x, u.ravel(), result.status, result.residual, result.iterations, result.history, result.method)


def _directions(directions: ArrayLike | None, n: int) -> Floats:
    if directions is None:
        raise InputError("directions: the method sliding needs the sliding velocity of each contact, (n, 2)")
    array = values("directions", np.asarray(directions, np.float64).ravel(), 2 * n).reshape(n, 2)
    length = np.linalg.norm(array, axis=1, keepdims=True)
    return np.asarray(array / np.where(length > 0.0, length, 1.0))


def _sparse(problem: FrictionProblem) -> Any:
    from scipy.sparse import bsr_array

    n = len(problem.mu)
    return bsr_array((problem.blocks, problem.indices, problem.indptr), shape=(3 * n, 3 * n))


def _dense(problem: FrictionProblem) -> Floats:
    return np.ascontiguousarray(_sparse(problem).toarray())


def _gauss_seidel(problem: FrictionProblem, r: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    limit, every = settings.max_iterations or 10_000, 5
    options = (settings.tolerance or FRICTION_TOLERANCE, settings.relaxation, limit, every)
    history, u = np.empty(limit // every + 3), np.empty_like(r)
    status, _, sweeps, measured = friction_kernels.friction_gauss_seidel(
        problem.W, problem.q, problem.mu, options, r, history, u
    )
    return Outcome(r, Status(status), int(sweeps), history[:measured])


def _newton(problem: FrictionProblem, r: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    if len(r) > DENSE_LIMIT:
        return _newton_sparse(problem, r, settings)
    n, limit = len(r), settings.max_iterations or 200
    workspace.reserve(3 * n)
    options = (settings.tolerance or FRICTION_TOLERANCE, settings.regularisation, limit, FIRST_SWEEPS)
    history, u = np.empty(limit + 1), np.empty_like(r)
    work = (np.empty((4, n, 3)), workspace.matrix, workspace.pivot, workspace.vectors[0], np.empty((2, n, 3, 3)))
    _, steps = alart_kernels.friction_newton(problem.W, problem.q, problem.mu, options, r, work, history, u)
    return Outcome(r, Status.MAX_ITERATIONS, int(steps), history[: steps + 1])


def _newton_sparse(problem: FrictionProblem, r: Floats, settings: Settings) -> Outcome:
    """The same iteration as `friction_newton`, with Newton's matrix kept sparse and factored by SuperLU."""
    limit, tolerance = settings.max_iterations or 200, settings.tolerance or FRICTION_TOLERANCE
    rho = np.empty((len(r), 2))
    alart_kernels.alart_weights(problem.W, rho)
    history, sweeps = [problem.measure(r).residual], FIRST_SWEEPS_SPARSE
    while len(history) <= limit and tolerance < history[-1] < np.inf:
        for _ in range(sweeps):
            friction_kernels.friction_sweep(problem.W, problem.q, problem.mu, 1.0, r)
        before = problem.measure(r).residual
        history.append(before)
        r, burst = _burst(problem, r, rho, settings.regularisation, tolerance)
        history += burst
        failed = history[-1] > 0.5 * before
        sweeps = min(2 * sweeps, alart_kernels.MAX_SWEEPS) if failed else FIRST_SWEEPS_SPARSE
    return Outcome(r, Status.MAX_ITERATIONS, len(history) - 1, np.array(history))


def _burst(
    problem: FrictionProblem, r: Floats, rho: Floats, regularisation: float, tolerance: float
) -> tuple[Floats, list[float]]:
    """Whole Newton steps, through worse points if need be: the best point, and the best residual after each step."""
    best, start = r.copy(), problem.measure(r).residual
    lowest, history = start, []
    for _ in range(alart_kernels.BURST):
        direction = _sparse_direction(problem, r, rho, regularisation) if lowest > tolerance else None
        if direction is None:
            break
        r = r + direction
        residual = problem.measure(r).residual
        if residual < lowest:
            best, lowest = r, residual
        history.append(lowest)
        if not residual < alart_kernels.LOST * start:
            break
    return best, history


def _sparse_direction(problem: FrictionProblem, r: Floats, rho: Floats, regularisation: float) -> Floats | None:
    from scipy.sparse import bsr_array
    from scipy.sparse.linalg import splu

    value, u = np.empty_like(r), problem.measure(r).velocities
    alart_kernels.alart_values(r, u, problem.mu, rho, value)
    n = len(r)
    by_r, by_u = np.empty((n, 3, 3)), np.empty((n, 3, 3))
    alart_kernels.alart_slopes(r, u, problem.mu, rho, by_r, by_u)
    rows = np.repeat(np.arange(n), np.diff(problem.indptr))
    blocks = by_u[rows] @ problem.blocks
    blocks[problem.diagonal] += by_r + regularisation * by_u
    matrix = bsr_array((blocks, problem.indices, problem.indptr), shape=(3 * n, 3 * n)).tocsc()
    try:
        direction = splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(-value.ravel()).reshape(n, 3)
    except RuntimeError:  # exactly singular
        return None
    return np.ascontiguousarray(direction) if np.isfinite(direction).all() else None


def _auto(problem: FrictionProblem, r: Floats, settings: Settings, workspace: Workspace) -> Outcome:
    """Sweeps while they are cheap, then Newton from where they came to, then sweeps to the end."""
    tolerance = settings.tolerance or FRICTION_TOLERANCE
    quick = Settings(tolerance, min(settings.max_iterations or 100, 100), relaxation=settings.relaxation)
    r, status, iterations, history = _gauss_seidel(problem, r, quick, workspace)
    for method, limit in ((_newton, 60), (_gauss_seidel, 10_000)):
        if history[-1] <= tolerance or not np.isfinite(history[-1]):
            break
        rest = (settings.max_iterations or 20_000) - iterations
        if rest <= 0:
            break
        next_settings = Settings(tolerance, min(limit, rest), regularisation=settings.regularisation)
        r, status, more, tail = method(problem, r, next_settings, workspace)
        iterations, history = iterations + more, np.concatenate([history, tail[1:]])
    return Outcome(r, status, iterations, history)


METHODS: dict[str, Method] = {"auto": _auto, "gauss-seidel": _gauss_seidel, "newton": _newton}
"""Methods for the full cone, by name."""
