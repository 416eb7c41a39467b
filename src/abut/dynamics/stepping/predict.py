"""The first part of a step: how bodies would move without contacts, and how they answer to forces."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ..bodies.body_kernels import FROZEN, find_before
from ..bodies.response_kernels import build_responses
from ..state import Model, State
from .levels import FIRMNESS, want_twists
from .predict_kernels import begin_prediction
from .workspace import StepTables


def predict(
    model: Model,
    state: State,
    tables: StepTables,
    h: float,
    gravity: Floats,
    gamma: float | None,
    still_for: float | None,
) -> tuple[int, ...]:
    """Fill the tables of bodies for a motion of length h; returns the bodies that are not finite, now frozen.

    Below the dynamic level, bodies are at rest and go where they are wanted within `still_for` [s].
    """
    n, kind_then = len(state.kind), state.kind.copy()
    drag, hold, wrench = (model.drag, state.hold, state.wrench)
    if still_for is not None:
        drag, hold, wrench, gravity = (np.zeros_like(table) for table in (drag, hold, wrench, gravity))
    bodies = (state.kind, model.mass, model.inertia, state.pose, state.twist, model.locked, state.hold, state.target)
    found = (tables.middle, tables.error, tables.twist, tables.free, tables.motion, tables.movable)
    broken, tables.scale = begin_prediction(bodies, wrench, gravity, h, found)
    free = tables.free
    held = None if still_for is None else want_twists(state, tables.error, still_for, free[:n])
    held_by = (drag, hold, tables.error, model.locked)
    answers = (tables.grip, tables.weight, tables.response)
    tables.any_held = build_responses(state.kind, model.mass, tables.middle, *held_by, h, tables.scale, free, *answers)
    if held is not None:
        tables.weight[:n][held] *= FIRMNESS
        tables.response[:n][held] /= FIRMNESS
    tables.before = tables.twist
    if gamma is not None:
        # The step moves with gamma v_1 + (1 - gamma) v_0 (Galluzzo & Wendt), so that only that share answers. Of
        # rotation, the same is said of momenta: a body that nothing touches keeps its own, however it turns.
        before = tables.before = tables.twist.copy()
        find_before(state.kind, model.inertia, tables.middle, tables.motion, tables.twist, before)
        free[:n] = before[:n] + gamma * (free[:n] - before[:n])
        tables.response *= gamma
        tables.weight /= gamma
    return tuple(np.flatnonzero((state.kind == FROZEN) & (kind_then != FROZEN)).tolist()) if broken else ()
