"""One step that never penetrates, read from top to bottom in `Stepper.step` (docs/step.md).

predict   motion without contacts
solve     forces so that every contact's gap is at least its target at the end of the step
check     the whole motion, for features that come too close on the way
admit     what was found as new contacts, and solve again
advance   as far as the motion is free; what is left of the step becomes a step of its own
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats
from ..contact import SweepAndPrune
from ..contact.admit_kernels import admit_hits
from ..contact.contact_kernels import refresh_contacts
from ..query.feature_table import PairMemory
from .body_kernels import DYNAMIC, FROZEN, advance_bodies, predict_bodies, set_motions, swept_radius_boxes
from .contact_problem_kernels import LARGEST_DENSE, contact_responses, solve_contacts
from .contact_set import ContactSet
from .hold_kernels import hold_errors
from .response_kernels import build_responses
from .state import Model, State

MAX_ROUNDS = 30
MAX_PARTS = 64
"""How many attempts a step may take; where a motion is not free to its end, half of it is tried."""
SHORTEST_PART = 2.0**-12
"""The shortest motion that is tried, as a share of the step."""
NEW_CONTACTS = 4
"""How many contacts a pair of bodies may gain in one round."""
NEWTON = (1e-12, 0, 40)
"""Regularisation, NCP function (Fischer) and iterations of the contact solver."""


@dataclass(slots=True)
class StepReport:
    """What one step took."""

    rounds: int = 0
    """How often contacts were solved and the motion checked."""
    parts: int = 0
    """How many motions were tried, shorter ones where one was not free to its end; 1 as a rule."""
    contacts: int = 0
    pairs: int = 0
    """Pairs of bodies near enough to be checked."""
    iterations: int = 0
    """Newton steps and sweeps of all solves."""
    residual: float = 0.0
    """[m] largest violation of the complementarity conditions in the last solve."""
    unsolved: int = 0
    """Islands whose last solve did not converge."""
    smallest_gap: float = np.inf
    """[m] of the contacts."""
    time_given_up: float = 0.0
    """[s] of the step that could not be used without overlap."""
    frozen: tuple[int, ...] = ()
    """Bodies stopped in this step because their state was no longer finite."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Spent in each phase."""


class Stepper:
    """Advances a state; holds what steps need beyond it."""

    def __init__(self, model: Model, state: State, contacts: ContactSet, contact_gap: float) -> None:
        self.model, self.state, self.contacts = model, state, contacts
        self.contact_gap = contact_gap
        n = len(state.kind)
        self._memory = PairMemory(model.table, model.shape_of)
        self._culling = SweepAndPrune(group=model.group, fixed=state.kind != DYNAMIC)
        self._middle, self._response = np.zeros((n, 3, 3)), np.zeros((n, 6, 6))
        self._free, self._u, self._reference = (np.zeros((n, 6)) for _ in range(3))
        self._error, self._motion = np.zeros((n, 6)), np.zeros((n, 18))
        self._low, self._high = np.zeros((n, 3)), np.zeros((n, 3))
        self._report = np.zeros(4)
        self._work = _newton_work(LARGEST_DENSE, NEWTON[2])
        self._resize()

    def ignore(self, pairs: list[tuple[int, int]]) -> None:
        """Pairs of bodies that may overlap."""
        self._culling.set_filter(group=self.model.group, fixed=self.state.kind != DYNAMIC, ignored=pairs or None)

    def near_pairs(self) -> np.ndarray:
        """Pairs of bodies whose balls are within the contact gap of each other where they stand."""
        swept_radius_boxes(_standing(self.state.pose), self.model.reach, self.contact_gap, self._low, self._high)
        return self._culling.pairs(self._low, self._high).copy()

    def step(self, dt: float, gravity: Floats) -> StepReport:
        """Advance the state by `dt`, or as far as that is possible without overlap."""
        report = StepReport()
        left = h = dt
        while left > 0.0:
            report.parts += 1
            h = min(h, left)
            if self._part(h, gravity, report):
                left = left - h if left - h > 1e-9 * dt else 0.0
            elif report.parts < MAX_PARTS and h > SHORTEST_PART * dt:
                h *= 0.5
            else:
                break
        report.time_given_up = left
        report.contacts, report.pairs = self.contacts.n, len(self._memory.pairs)
        if self.contacts.n:
            report.smallest_gap = float(self.contacts.place[: self.contacts.n, 9].min())
        self.state.wrench[:] = 0.0
        return report

    def _part(self, h: float, gravity: Floats, report: StepReport) -> bool:
        """Advance by `h`; False, and nothing changed, if no motion was found that is free to its end."""
        before = self.contacts.copy()
        with _timed(report, "predict"):
            self._predict(h, gravity, report)
        self.contacts.extra[:] = 0.0
        for _ in range(MAX_ROUNDS):
            report.rounds += 1
            with _timed(report, "solve"):
                solved = self._solve(h, report)
            if not solved:
                break
            with _timed(report, "check"):
                n_hit = self._check()
            if n_hit == 0:
                with _timed(report, "advance"):
                    self._advance(h)
                return True
            with _timed(report, "admit"):
                if not self._admit(n_hit):
                    break
        self.contacts.restore(before)
        return False

    def _predict(self, h: float, gravity: Floats, report: StepReport) -> None:
        model, state = self.model, self.state
        predict_bodies(
            state.kind,
            model.mass,
            model.inertia,
            state.pose,
            state.twist,
            state.wrench,
            gravity,
            h,
            self._middle,
            self._free,
            self._motion,
        )
        report.frozen += self._freeze_broken()
        hold_errors(state.hold, state.pose, state.target, self._error)
        build_responses(
            state.kind,
            model.mass,
            self._middle,
            model.drag,
            state.hold,
            self._error,
            model.locked,
            h,
            self._free,
            self._response,
        )
        self._movable = state.kind == DYNAMIC
        self._scale = float(model.mass[self._movable].min()) if self._movable.any() else 1.0

    def _solve(self, h: float, report: StepReport) -> bool:
        """Forces and twists; False if an island could not be solved and its twists mean nothing."""
        model, contacts = self.model, self.contacts
        n = contacts.n
        if n == 0:
            self._u[:] = self._free
            report.residual, report.unsolved = 0.0, 0
        else:
            table = model.table.arrays
            contact_responses(
                contacts.name,
                contacts.place,
                n,
                table,
                model.shape_of,
                self._motion,
                self._response,
                self._row,
                self._answer,
            )
            to_length = h * h / self._scale
            self._length[:n] = contacts.force[:n] * to_length
            self._target[:n] = self.contact_gap + contacts.extra[:n]
            options = (1e-4 * self.contact_gap, *NEWTON)
            solve_contacts(
                n,
                (contacts.name, contacts.place, table, model.shape_of, self._target, self._answer),
                (self._motion, self._free, self._u),
                self._movable,
                h,
                self._scale,
                options,
                self._length,
                (self._order, self._start, self._reference),
                self._work,
                self._workspace,
                self._report,
            )
            contacts.force[:n] = np.maximum(self._length[:n], 0.0) / to_length
            report.residual, report.unsolved = float(self._report[0]), int(self._report[2])
            report.iterations += int(self._report[1])
        set_motions(self._u, h, self._motion)
        return n == 0 or float(self._report[3]) <= 0.1 * self.contact_gap

    def _check(self) -> int:
        """Number of feature pairs that come within half the contact gap."""
        swept_radius_boxes(self._motion, self.model.reach, self.contact_gap, self._low, self._high)
        self._memory.set_pairs(self._culling.pairs(self._low, self._high).copy())
        chosen = np.ones(len(self._memory.pairs), np.bool_)
        n = self._memory.check(chosen, self._motion, (0.5 * self.contact_gap, 0.01 * self.contact_gap, 0.5))
        if n > 1:
            self._sort_hits(n)
        return n

    def _sort_hits(self, n: int) -> None:
        """Bring hits into an order that does not depend on what the memory held."""
        m = self._memory
        order = np.lexsort((m.hits[:n, 2], m.hits[:n, 1], m.hits[:n, 0], m.times[1 : n + 1], m.pair[:n]))
        m.times[1 : n + 1], m.hits[:n], m.pair[:n] = m.times[1 : n + 1][order], m.hits[:n][order], m.pair[:n][order]

    def _admit(self, n_hit: int) -> bool:
        """Turn hits into contacts; False if nothing could be added or raised."""
        model, contacts, memory = self.model, self.contacts, self._memory
        if contacts.make_room(contacts.n + n_hit):
            self._resize()
        options = (3.0 * self.contact_gap, self.contact_gap, 0.25, NEW_CONTACTS)
        n, n_raised, contacts.next_label = admit_hits(
            (memory.times, memory.hits, memory.pair),
            n_hit,
            memory.pairs,
            model.shape_of,
            self._motion,
            model.table.arrays,
            model.surfaces,
            options,
            contacts.n,
            contacts.next_label,
            contacts.name,
            contacts.place,
            contacts.force,
            contacts.extra,
        )
        grown = n > contacts.n
        contacts.n = n
        return bool(grown or n_raised > 0)

    def _advance(self, h: float) -> None:
        """Move to the end of the motion, and keep the contacts that still touch or push there."""
        state, contacts = self.state, self.contacts
        advance_bodies(state.kind, self.model.inertia, self._middle, self._u, h, state.pose, state.twist)
        alive = np.zeros(contacts.n, np.bool_)
        refresh_contacts(
            contacts.name,
            contacts.place,
            contacts.n,
            self.model.table.arrays,
            self.model.surfaces,
            self.model.shape_of,
            self._motion,
            1.0,
            3.0 * self.contact_gap,
            alive,
        )
        gap = contacts.place[: contacts.n, 9]
        contacts.keep(alive & ((contacts.force[: contacts.n] > 0.0) | (gap < 2.0 * self.contact_gap)))

    def _freeze_broken(self) -> tuple[int, ...]:
        """Stop bodies whose motion is no longer finite, so that the world goes on without them."""
        state = self.state
        broken = ~np.isfinite(self._free).all(axis=1)
        if not broken.any():
            return ()
        state.kind[broken] = FROZEN
        state.twist[broken] = 0.0
        self._free[broken] = 0.0
        return tuple(int(i) for i in np.flatnonzero(broken))

    def _resize(self) -> None:
        """Scratch arrays for as many contacts as the set has room for."""
        capacity = len(self.contacts.force)
        self._row, self._answer = np.zeros((capacity, 12)), np.zeros((capacity, 12))
        self._length, self._target = np.zeros(capacity), np.zeros(capacity)
        self._order, self._start = np.zeros(capacity, np.int32), np.zeros(capacity + 1, np.int32)
        self._workspace = (
            np.zeros(capacity),
            np.zeros((capacity, 12)),
            np.zeros((LARGEST_DENSE, LARGEST_DENSE)),
            np.zeros(capacity),
            np.full(capacity, np.inf),
        )


def _standing(pose: Floats) -> Floats:
    """Motions of bodies that stay where they are, as far as boxes need them."""
    motion = np.zeros((len(pose), 18))
    motion[:, 9:12] = pose[:, :3]
    return motion


def _newton_work(n: int, max_iterations: int) -> tuple[np.ndarray, ...]:
    return (
        np.zeros(16),
        np.zeros(8, np.int32),
        np.zeros((4, n)),
        np.zeros((n, n)),
        np.zeros(n, np.int32),
        np.zeros(max_iterations + 1),
    )


class _timed:
    """Adds the time spent inside to a phase of the report."""

    __slots__ = ("_phase", "_report", "_start")

    def __init__(self, report: StepReport, phase: str) -> None:
        self._report, self._phase = report, phase

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        seconds = self._report.seconds
        seconds[self._phase] = seconds.get(self._phase, 0.0) + time.perf_counter() - self._start
