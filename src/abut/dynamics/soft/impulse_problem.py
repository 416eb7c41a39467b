"""The problem of impulses of a motion: which of them keep contacts to their laws, by how bodies answer at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._jit import Packet
from ...arrays import Floats, Ints
from ...fem.elastic.exact_answers import StepAnswers
from ...fem.elastic.turn_kernels import put_turns
from .correct_kernels import (
    APPLY,
    DONE,
    FEEL,
    MOST_TAKEN,
    SOLVE,
    SWEEPS,
    axes_wanted,
    begin_rest,
    begin_whole,
    correct_impulses,
    feel_impulses,
    gather,
    move_whole,
    nearer,
    push_whole,
    sweep,
    take_impulses,
    take_rows,
    wanted_nodes,
)
from .hold_exactly import hold_exactly
from .node_answers import MOST_SPARE, NodeAnswers
from .soft_spec import SoftSpec
from .soft_tables import NODES_OF_CONTACT, Chosen, Local, Problem, Rows, Touched
from .touch_kernels import NODE

MOST_SCALE = 2.0
"""By how much more or less bodies may be found to answer than was thought, at once."""


class ImpulseProblem:
    """Contacts that may push, in the order in which they were found to, and how each answers to each."""

    def __init__(self, specs: Sequence[SoftSpec], node_first: NDArray[np.int64], packet: Packet) -> None:
        n, self._first, self._packet = int(node_first[-1]), node_first, packet
        self._answers = NodeAnswers(specs, node_first, packet)
        self._order = np.arange(n, dtype=np.int32)
        turned, missing, best = np.zeros((n, 3, 3)), np.empty(n, np.int64), np.full(n, -1, np.int64)
        self._touched = Touched(self._answers.used, turned, missing, best)
        packet.put(Touched, self._touched)
        self.scale = self.first_scale = 1.0
        """How much more bodies answer than at rest: now, and to the first impulses of the motion."""
        self._learned = self._exact = False
        self._whole: list[StepAnswers] = []
        """How all bodies answer, where contacts are so many that only nodes of those that push are taken in."""
        self._force = np.zeros((n, 3))
        self._make(64, 1)
        self._make_local(256)

    def _make(self, room: int, dim: int) -> None:
        """Tables for so many contacts that push, empty."""
        self._dim, self._n = dim, 0
        self._rows = Rows(
            np.zeros(room, np.int32),
            np.zeros(0, np.int32),
            np.zeros(room, np.int32),
            np.zeros(room),
            np.zeros(room),
            np.zeros((room * dim, room * dim)),
        )

    def _make_local(self, room: int) -> None:
        """Tables for so many contacts, of which none is known."""
        self._room, self._known, self._n = room, 0, 0
        self._rows = self._rows._replace(row=np.full(room, -1, np.int32))
        self._packet.put(Local, (np.zeros((room, self._dim, NODES_OF_CONTACT, 3)),))
        self._packet.put(Chosen, (np.empty(room, np.int64),))
        self._packet.put(Rows, self._rows)

    def begin(self, h: float, theta: float, held: Sequence[Ints], turns: Sequence[Floats], scale: float) -> None:
        """Another motion, of nodes that have turned; bodies answered `scale` as much as at rest in the last one."""
        self._h, self.scale, self._known = h, scale, 0
        self.first_scale, self._learned, self._exact = scale, False, False
        self._whole.clear()
        self._answers.begin(h, theta, held)
        put_turns(np.concatenate(turns), self._order, self._touched.turned)
        self.forget()

    def answer_exactly(self, answers: dict[int, StepAnswers], *, whole: bool) -> None:
        """Let bodies, by number, answer so for the rest of the motion; `whole` if all of them, to many contacts."""
        self._whole = [answers[k] for k in sorted(answers)] if whole else []
        for k, exact in answers.items():
            self._answers.replace(k, exact)
            self._touched.turned[int(self._first[k]) : int(self._first[k + 1])] = np.eye(3)
        self.scale, self._known, self._exact = 1.0, 0, True
        self.forget()

    @property
    def whole(self) -> bool:
        """Whether all bodies answer exactly, to many contacts."""
        return bool(self._whole)

    def forget(self) -> None:
        """Answers have changed: find them anew."""
        self._n = 0
        self._rows.row[:] = -1

    def take_anew(self) -> None:
        """Contacts hang on other nodes, or push along other normals."""
        self._known = 0
        self.forget()

    def correct(
        self, n: int, asked: tuple[float, float, float], bodies: Any, *, held: bool
    ) -> tuple[int, tuple[float, ...]]:
        """Change impulses of n contacts so that they keep to their laws, and let bodies move under them.

        Contacts take part that push, or are open by less than the first number asked for [m]; sweeps may leave the
        second [m], and conjugate gradients that share of what they begin with that the third is. `bodies` are the
        packets of the bodies, and `held` says whether nodes are held to rigid bodies. Returns iterations, and how far
        contacts are off their laws then.
        """
        near, enough, tolerance = asked
        stage = FEEL
        if held or self._whole:
            self._make_ready(n, *feel_impulses(self._packet.words, self._known, n))
            stage = APPLY
        problem = self._problem(n, near, enough)
        if self._whole:
            self._solve_whole(problem, held)
        elif held:
            self._solve_held(problem)
        begun = stage, self._n, 0
        while True:
            begun, wanted, told = correct_impulses(self._packet.words, bodies, problem, tolerance, begun)
            stage, self._n, taken = begun
            if stage == DONE:
                break
            if stage == FEEL:
                self._make_ready(n, *wanted)
                problem, begun = self._problem(n, near, enough), (SOLVE, self._n, taken)
            else:
                rows, _ = wanted
                self._grow(rows)
        self._known = n
        iterations, opened, errors = told
        self._learn(*opened)
        return iterations, errors

    def _problem(self, n: int, near: float, enough: float) -> tuple[Any, ...]:
        """The numbers of `Problem`."""
        return self._h, self.scale, near / self.scale, enough / self.scale, n, self._known

    def _learn(self, found: float, known: float) -> None:
        """How much contacts opened, and held points moved, beside what was expected: both times the latter."""
        if known > 0.0 and not self._exact:
            self.scale *= min(MOST_SCALE, max(1.0 / MOST_SCALE, found / known))
            if not self._learned:
                self.first_scale, self._learned = self.scale, True

    def _make_ready(self, n: int, missing: int, rough: bool) -> None:
        """Take in contacts that are new to the motion, and the nodes on which they hang, of which some are missing."""
        dim = axes_wanted(self._dim, self._known, rough)
        if dim != self._dim:
            self._make(max(64, n), dim)
            self._make_local(max(self._room, n))
        if n > self._room:
            self._make_local(2 * n)
        if missing and not self._whole:
            self._answers.need(self._touched.missing[:missing])

    def _solve_held(self, problem: tuple[Any, ...]) -> None:
        """The same where nodes are held: they are solved for all at once, between sweeps."""
        begin_rest(self._packet.words, problem)
        for taken in range(MOST_TAKEN):
            now = tuple(nearer(problem, taken))
            count = self._take_rows(now)
            if count == 0 and taken:
                return
            left, impulse = np.empty(self._n * self._dim), np.empty(self._n * self._dim)
            gather(self._packet.words, self._n, left, impulse)
            self._sweep_held(Problem(*now).enough, left, impulse)
            take_impulses(self._packet.words, now, self._n, impulse)

    def _solve_whole(self, problem: tuple[Any, ...], held: bool) -> None:
        """The same where contacts are many: what they do to those that do not push follows from how all nodes move."""
        words, force = self._packet.words, self._force
        self._move_whole(problem, begin_whole(words, problem, force))
        for taken in range(MOST_TAKEN):
            now = tuple(nearer(problem, taken))
            wanted = np.empty(NODES_OF_CONTACT * Problem(*now).n, np.int64)
            self._answers.need(np.unique(wanted[: wanted_nodes(words, now, wanted)]))
            if self._take_rows(now) == 0 and taken:
                return
            left, impulse = np.empty(self._n * self._dim), np.empty(self._n * self._dim)
            gather(words, self._n, left, impulse)
            if held:
                self._sweep_held(Problem(*now).enough, left, impulse)
            else:
                sweep(words, Problem(*now).enough, left, impulse)
            self._move_whole(now, push_whole(words, now, self._n, impulse, force))

    def _move_whole(self, problem: tuple[Any, ...], twist: Floats) -> None:
        """Let nodes feel impulses on them; rigid bodies go their ways."""
        velocity, force = np.zeros_like(self._force), self._force
        if force.any() or twist.any():
            for body, first, last in zip(self._whole, self._first[:-1], self._first[1:], strict=True):
                velocity[first:last] = body.respond(force[first:last])
            move_whole(self._packet.words, problem, velocity, twist)

    def _take_rows(self, problem: tuple[Any, ...]) -> int:
        count = take_rows(self._packet.words, problem, self._n)
        if self._n + count > len(self._rows.kind):
            self._grow(self._n + count)
            count = take_rows(self._packet.words, problem, self._n)
        self._n += count
        return int(count)

    def _sweep_held(self, enough: float, left_io: Floats, impulse_io: Floats) -> None:
        size = self._n * self._dim
        answer = self._rows.answer[:size, :size]
        attached = np.flatnonzero(np.repeat(self._rows.kind[: self._n] == NODE, self._dim))
        for _ in range(SWEEPS):
            hold_exactly(answer, attached, enough, left_io, impulse_io)
            sweep(self._packet.words, enough, left_io, impulse_io)
            if np.abs(left_io[attached]).max(initial=0.0) < enough:
                break

    def _grow(self, n: int) -> None:
        old, known, dim = self._rows, self._n, self._dim
        self._make(n + min(n, MOST_SPARE), dim)
        self._n, self._rows = known, self._rows._replace(row=old.row)
        for name in ("contact", "kind", "friction", "limit"):
            getattr(self._rows, name)[:known] = getattr(old, name)[:known]
        self._rows.answer[: known * dim, : known * dim] = old.answer[: known * dim, : known * dim]
        self._packet.put(Rows, self._rows)

    def prepare(self, h: float, theta: float, held: Sequence[Ints]) -> None:
        """Find what bodies answer in steps of this length before it is needed, where that does not take long."""
        self._answers.prepare(h, theta, held)
