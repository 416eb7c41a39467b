"""What every solver returns, what it may be told, and the scratch memory it may be lent."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints, count, is_one_of, number
from ..errors import InputError
from . import status_kernels as codes

FUNCTIONS = {"fischer": 0, "min": 1, "penalised": 2}
"""NCP functions by name, with the code that kernels take."""


class Status(IntEnum):
    """How a solve ended. Only CONVERGED means that the answer meets the tolerance."""

    CONVERGED = codes.CONVERGED
    """The residual is within the tolerance."""
    MAX_ITERATIONS = codes.MAX_ITERATIONS
    """Still improving when the iterations ran out."""
    STALLED = codes.STALLED
    """No step improves the answer any more, and it is not within the tolerance."""
    RAY = codes.RAY
    """Lemke's path left for infinity: no solution was found, and none exists if A is copositive-plus."""
    INFEASIBLE = codes.INFEASIBLE
    """Proven to have no solution: no x >= 0 makes A x + b >= 0."""
    NOT_FINITE = codes.NOT_FINITE
    """The numbers overflowed, or the given function returned something that is not finite."""


@dataclass(frozen=True, slots=True)
class Result:
    """Answer of a solver, with the evidence for it."""

    x: Floats
    """The unknowns: multipliers, forces or impulses."""
    w: Floats
    """What is complementary to them at `x`: A x + b, g(x), or the velocities W r + q."""
    status: Status
    """How the solve ended."""
    residual: float
    """How far `x` is from a solution, as the solver's documentation defines it; 0 is exact."""
    iterations: int
    """Pivots, sweeps or Newton steps, according to the method."""
    history: Floats
    """Residual after each iteration that measured it, beginning with the start values."""
    method: str
    """Name of the method that gave the answer."""

    @property
    def converged(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.status == Status.CONVERGED


class Outcome(NamedTuple):
    """What a method returns, on the scaled problem."""

    x: Floats
    status: Status
    iterations: int
    history: Floats
    """Residuals, as in Result."""


def judged(status: Status, residual: float, tolerance: float) -> Status:
    """The status that the residual allows, whatever the method said."""
    if not np.isfinite(residual):
        return Status.NOT_FINITE
    if residual <= tolerance:
        return Status.CONVERGED
    return Status.STALLED if status == Status.CONVERGED else status


@dataclass(frozen=True, slots=True)
class Settings:
    """What a solver may be told; None leaves the choice to the method."""

    tolerance: float | None = None
    """Residual at which an answer counts as converged."""
    max_iterations: int | None = None
    """Pivots, sweeps or Newton steps allowed."""
    function: str = "fischer"
    """NCP function of the Newton methods: fischer, min or penalised."""
    relaxation: float = 1.0
    """Factor on each correction of Gauss-Seidel and Jacobi: below 1 damps, above 1 (to 2) accelerates."""
    regularisation: float = 1e-10
    """Added to the diagonal of Newton's matrix, relative to it, so that redundant contacts have an answer."""

    def __post_init__(self) -> None:
        if self.tolerance is not None:
            number("tolerance", self.tolerance, above=0.0)
        if self.max_iterations is not None:
            count("max_iterations", self.max_iterations, least=1)
        if not is_one_of(self.function, FUNCTIONS):
            raise InputError(f"function: expected one of {', '.join(FUNCTIONS)}, got {self.function!r}")
        if not number("relaxation", self.relaxation, above=0.0) < 2.0:
            raise InputError(f"relaxation: expected a number between 0 and 2, got {self.relaxation:g}")
        number("regularisation", self.regularisation, least=0.0)


@dataclass(slots=True)
class Workspace:
    """Scratch arrays of the dense methods; grows to the largest problem seen and never shrinks.

    Lend the same one to successive solves to save their allocation. Not to be shared between threads.
    """

    capacity: int = 0
    """Largest number of unknowns that fits."""
    matrix: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(capacity, capacity) for factors."""
    pivot: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """(capacity,) row exchanges."""
    vectors: Floats = field(default_factory=lambda: np.zeros((4, 0)))
    """(4, capacity)."""

    def reserve(self, n: int) -> "Workspace":
        """Make room for `n` unknowns."""
        if n > self.capacity:
            self.capacity = n
            self.matrix = np.zeros((n, n))
            self.pivot = np.zeros(n, np.int32)
            self.vectors = np.zeros((4, n))
        return self
