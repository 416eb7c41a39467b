"""The first part of a step: how bodies would move without contacts, and how they answer to forces."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ..bodies.body_kernels import FROZEN, find_movable, predict_bodies
from ..bodies.hold_kernels import hold_errors
from ..bodies.response_kernels import build_responses
from ..state import Model, State
from .levels import FIRMNESS, want_twists
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
    free = tables.free[:n]
    tables.twist[:n] = state.twist
    drag, hold, wrench = (model.drag, state.hold, state.wrench)
    if still_for is not None:
        drag, hold, wrench, gravity = (np.zeros_like(table) for table in (drag, hold, wrench, gravity))
    given = (state.kind, model.mass, model.inertia, state.pose, state.twist, wrench, gravity, h, model.locked)
    broken = predict_bodies(*given, tables.middle, free, tables.motion[:n])
    tables.scale = find_movable(state.kind, model.mass, tables.movable[:n])
    hold_errors(state.hold, state.pose, state.target, tables.error)
    held = None if still_for is None else want_twists(state, tables.error, still_for, free)
    held_by = (drag, hold, tables.error, model.locked)
    answers = (tables.grip, tables.weight[:n], tables.response[:n])
    tables.any_held = build_responses(state.kind, model.mass, tables.middle, *held_by, h, tables.scale, free, *answers)
    if held is not None:
        tables.weight[:n][held] *= FIRMNESS
        tables.response[:n][held] /= FIRMNESS
    if gamma is not None:
        # The step moves with gamma v_1 + (1 - gamma) v_0 (Galluzzo & Wendt), so that only that share answers.
        free[:] = state.twist + gamma * (free - state.twist)
        tables.response *= gamma
        tables.weight /= gamma
    return tuple(np.flatnonzero((state.kind == FROZEN) & (kind_then != FROZEN)).tolist()) if broken else ()
