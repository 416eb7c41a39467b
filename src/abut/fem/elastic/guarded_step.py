"""Steps that never gain energy: a law that is checked after every step, not hoped for.

Forces are linearised, so that a long step of a strongly deformed body could gain energy. Such a step is repeated with
a larger θ, at last 1, which damps most, and if that does not help, in halves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...errors import InputError
from .outcome import Prediction, StepResult

if TYPE_CHECKING:
    from .elastic_body import ElasticBody

MOST_HALVINGS = 10
SAFER = 0.55
"""θ that is tried before 1: it damps little, and gains energy in few steps."""
GAIN_OF_ROUNDING = 1e-12
"""Energy that rounding may add in a step, over the energies at play."""


def guarded_steps(body: ElasticBody, dt: float, targets: ArrayLike | None, rounds: int, substeps: int) -> StepResult:
    """Steps of dt / substeps one after the other, and what they took together."""
    results = [_guarded(body, dt / substeps, targets, rounds, MOST_HALVINGS) for _ in range(substeps)]
    return _together(results)


def _guarded(body: ElasticBody, dt: float, targets: ArrayLike | None, rounds: int, halvings: int) -> StepResult:
    before = body.energy
    iterations = 0
    for theta in dict.fromkeys((body.theta, max(body.theta, SAFER), 1.0)):
        predicted = body.predict(dt, targets=targets, rounds=rounds, theta=theta)
        iterations += predicted.iterations
        gained, allowed = _gain(body, predicted, before, dt)
        last = theta == 1.0 and halvings == 0
        if gained <= allowed or (last and np.isfinite(gained)):
            body.advance(predicted.velocities)
            damped = int(theta != body.theta)
            return StepResult(iterations, predicted.residual, predicted.converged, gained, 1, damped)
    if halvings == 0:
        raise InputError(f"dt: the equation of a step of {dt:g} s has no finite solution; look at loads and stiffness")
    return _together([_guarded(body, 0.5 * dt, targets, rounds, halvings - 1) for _ in range(2)])


def _gain(body: ElasticBody, predicted: Prediction, before: float, dt: float) -> tuple[float, float]:
    """Energy that a step would gain beyond the work done on it, and how much of that its residual explains [J]."""
    w = predicted.velocities
    if not np.isfinite(w).all():
        return np.inf, 0.0
    nodes, velocities = body.state_after(w)
    work = dt * float((body.loads * w).sum()) + _work_of_fixed(body, w, dt)
    after = body.energy_at(nodes, velocities)
    at_play = body.kinetic_energy + abs(before) + abs(after) + abs(work)
    return after - before - work, (10.0 * predicted.residual + GAIN_OF_ROUNDING) * at_play


def _work_of_fixed(body: ElasticBody, w: Floats, dt: float) -> float:
    fixed = body.fixed_nodes
    return dt * float((body.reactions(w)[fixed] * w[fixed]).sum()) if len(fixed) and w[fixed].any() else 0.0


def _together(results: list[StepResult]) -> StepResult:
    return StepResult(
        sum(r.iterations for r in results),
        max(r.residual for r in results),
        all(r.converged for r in results),
        sum(r.energy_gained for r in results),
        sum(r.parts for r in results),
        sum(r.damped for r in results),
    )
