"""The problem of impulses of a motion: which of them keep contacts to their laws, by how bodies answer at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem.elastic.turn_kernels import put_turns
from .compliance import Answers
from .hold_exactly import hold_exactly
from .node_answers import NodeAnswers
from .response_kernels import add_changes, add_due, add_rows, choose_rows, localise, missing_nodes
from .rigid_part import RigidPart
from .soft_spec import SoftSpec
from .soft_tables import Local, Problem, Rows
from .sweep_kernels import gather_rows, spread_rows, sweep_impulses
from .touch_kernels import LINK, NODE
from .touch_set import TouchSet

SWEEPS = 200
MOST_AT_ONCE = 16
"""Of more contacts than these that come at once, some wait until others have pushed."""
MOST_TAKEN = 4
"""How often contacts are taken in that others have pushed together, before bodies are asked."""
MOST_SCALE = 2.0
"""By how much more or less bodies may be found to answer than was thought, at once."""


class ImpulseProblem:
    """Contacts that may push, in the order in which they were found to, and how each answers to each."""

    def __init__(self, specs: Sequence[SoftSpec], node_first: NDArray[np.int64]) -> None:
        n, self._first = int(node_first[-1]), node_first
        self._answers = NodeAnswers(specs, node_first)
        self._turned, self._order = np.zeros((n, 3, 3)), np.arange(n, dtype=np.int32)
        self._missing, self._best = np.empty(n, np.int64), np.full(n, -1, np.int64)
        self.scale = self.first_scale = 1.0
        """How much more bodies answer than at rest: now, and to the first impulses of the motion."""
        self._learned = self._exact = False
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
        self._local, self._known = Local(self._dim, np.zeros((room, self._dim, 16, 3))), 0
        self._chosen = np.empty(room, np.int64)
        self._rows = self._rows._replace(row=np.full(room, -1, np.int32))
        self._n = 0

    def begin(self, h: float, theta: float, held: Sequence[Ints], turns: Sequence[Floats], scale: float) -> None:
        """Another motion, of nodes that have turned; bodies answered `scale` as much as at rest in the last one."""
        self._h, self.scale, self._known = h, scale, 0
        self.first_scale, self._learned, self._exact = scale, False, False
        self._answers.begin(h, theta, held)
        put_turns(np.concatenate(turns), self._order, self._turned)
        self.forget()

    def answer_exactly(self, answers: dict[int, Answers]) -> None:
        """Let bodies, by number, answer so for the rest of the motion."""
        for k, exact in answers.items():
            self._answers.replace(k, exact)
            self._turned[int(self._first[k]) : int(self._first[k + 1])] = np.eye(3)
        self.scale, self._known, self._exact = 1.0, 0, True
        self.forget()

    def forget(self) -> None:
        """Answers have changed: find them anew."""
        self._n = 0
        self._rows.row[:] = -1

    def correct(self, contacts: TouchSet, rigid: RigidPart, due: Floats, near: float, enough: float) -> Floats:
        """Change impulses, and say by how much contacts are expected to open by it, and held points to move (n, dim).

        Impulses (n_node, 3) [N s] are `due` that the bodies have not felt yet. Contacts take part that push, or are
        open by less than `near` [m]; sweeps may leave `enough` [m].
        """
        n = contacts.n
        self._take_in(contacts, due)
        left = contacts.left[:n, : self._dim] / self.scale
        if due.any():
            tables = tuple(contacts.spread), tuple(self._local), tuple(self._answers.table)
            add_due(*tables, self._turned, self._h, due, left)
        problem = Problem(self._h, self.scale, near / self.scale, enough / self.scale, n, MOST_AT_ONCE)
        for _ in range(MOST_TAKEN):
            if not self._choose(contacts, rigid, left, problem) and problem.near < 0.0:
                break
            self._solve(contacts, rigid, left, problem)
            problem = problem._replace(near=-problem.enough)
        expected = self.scale * left - contacts.left[:n, : self._dim]
        expected[contacts.touches.name[:n, 0] < LINK, 1:] = 0.0
        return expected

    def learn(self, expected: Floats, found: Floats) -> None:
        """How much more contacts have opened, and held points moved, than was expected."""
        known = expected.ravel()
        size = float(known @ known)
        if size > 0.0 and not self._exact:
            share = float(found[:, : expected.shape[1]].ravel() @ known) / size
            self.scale *= min(MOST_SCALE, max(1.0 / MOST_SCALE, share))
            if not self._learned:
                self.first_scale, self._learned = self.scale, True

    def _take_in(self, contacts: TouchSet, due: Floats) -> None:
        """Contacts that are new to the motion, and the nodes on which they hang."""
        n, touches = contacts.n, contacts.touches
        known = self._known
        new = touches.friction[known:n] > 0.0, touches.name[known:n, 0] >= LINK
        dim = 3 if self._dim == 3 and known else (3 if new[0].any() or new[1].any() else (self._dim if known else 1))
        if dim != self._dim:
            self._make(max(64, n), dim)
            self._make_local(len(self._chosen))
        if n > len(self._chosen):
            self._make_local(2 * n)
        known, spread = self._known, tuple(contacts.spread)
        answers = self._answers
        count = missing_nodes(spread, known, n, due, answers.table.dof, answers.used, self._missing)
        if count:
            answers.need(self._missing[:count])
        localise(tuple(touches), spread, self._turned, known, n, tuple(self._local))
        self._known = n

    def _choose(self, contacts: TouchSet, rigid: RigidPart, left: Floats, problem: Problem) -> bool:
        """Take in contacts that may push and are no rows yet; whether there are any."""
        tables = tuple(contacts.touches), tuple(contacts.spread)
        count = choose_rows(*tables, tuple(self._rows), left, tuple(problem), self._best, self._chosen)
        if count == 0:
            return False
        begin, end, touches, new = self._n, self._n + count, contacts.touches, self._chosen[:count]
        self._grow(end)
        rows = self._rows
        rows.contact[begin:end], rows.kind[begin:end] = new, touches.name[new, 0]
        rows.friction[begin:end], rows.limit[begin:end] = touches.friction[new], contacts.links.limit[new]
        rows.row[new] = np.arange(begin, end)
        self._n = end
        span = self._h, begin, end
        add_rows(*tables, tuple(self._local), tuple(self._answers.table), tuple(rigid.answers), span, tuple(rows))
        if self._dim == 3:
            mine = np.arange(3 * begin, 3 * end)
            rows.answer[mine, mine] += np.repeat(contacts.links.soft[new], 3)
        return True

    def _solve(self, contacts: TouchSet, rigid: RigidPart, left_io: Floats, problem: Problem) -> None:
        """Impulses of the rows, and what they leave of all contacts (n, dim) [m]."""
        n, dim, touches = self._n, self._dim, contacts.touches
        impulse, left, change = np.empty(n * dim), np.empty(n * dim), np.zeros((contacts.n, dim))
        rows = tuple(self._rows)
        gather_rows(rows, n, left_io, touches.impulse, left, impulse)
        self._sweep(problem.enough, left, impulse)
        spread_rows(rows, n, impulse, touches.impulse, change)
        tables = tuple(touches), tuple(contacts.spread), tuple(self._local), tuple(self._answers.table)
        add_changes(*tables, tuple(rigid.answers), self._h, change, left_io)

    def _sweep(self, enough: float, left_io: Floats, impulse_io: Floats) -> None:
        n, dim = self._n, self._dim
        rows = tuple(self._rows)
        held = self._rows.kind[:n] == NODE
        if not held.any():
            sweep_impulses(rows, dim, SWEEPS, enough, left_io, impulse_io)
            return
        answer, attached = self._rows.answer[: n * dim, : n * dim], np.flatnonzero(np.repeat(held, dim))
        for _ in range(SWEEPS):
            hold_exactly(answer, attached, enough, left_io, impulse_io)
            sweep_impulses(rows, dim, SWEEPS, enough, left_io, impulse_io)
            if np.abs(left_io[attached]).max(initial=0.0) < enough:
                break

    def _grow(self, n: int) -> None:
        if n <= len(self._rows.kind):
            return
        old, known, dim = self._rows, self._n, self._dim
        self._make(2 * n, dim)
        self._n, self._rows = known, self._rows._replace(row=old.row)
        for name in ("contact", "kind", "friction", "limit"):
            getattr(self._rows, name)[:known] = getattr(old, name)[:known]
        self._rows.answer[: known * dim, : known * dim] = old.answer[: known * dim, : known * dim]

    def prepare(self, h: float, theta: float, held: Sequence[Ints]) -> None:
        """Find what bodies answer in steps of this length before it is needed, where that does not take long."""
        self._answers.prepare(h, theta, held)
