"""What comes of predicting, stepping and settling an elastic body."""

from __future__ import annotations

from dataclasses import dataclass

from ...arrays import Floats


@dataclass(frozen=True, slots=True)
class Prediction:
    """How an elastic body moves through a step, as far as is known."""

    velocities: Floats
    """(n, 3) with which the nodes move straight through the step [m/s]: x₁ = x₀ + dt velocities."""
    iterations: int
    """Conjugate gradients that were needed."""
    residual: float
    """What is left of the imbalance of the step's linear equation, over what it was at the start."""
    converged: bool
    """Whether the residual is within the tolerance."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step of an elastic body by itself took."""

    iterations: int
    """Conjugate gradients that were needed."""
    residual: float
    """Largest relative residual of its linear equations."""
    converged: bool
    """Whether all of them are within the tolerance."""
    energy_gained: float
    """Energy after the step less energy before it and the work of loads and fixed nodes [J]: negative is a loss."""
    parts: int
    """Parts in which the step was made: more than the substeps asked for where it had to be halved."""
    damped: int
    """Parts that were made with a larger θ, as they would have gained energy otherwise."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What came of `settle`."""

    converged: bool
    """Whether the forces left are within the tolerance."""
    residual: float
    """Largest force left on a node, over the largest load or force of the material."""
    rounds: int
    """Linear equations that were solved."""
