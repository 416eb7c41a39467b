"""The problem of impulses of a motion: which of them keep contacts to their laws, by how bodies answer at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .compliance import Compliance, compliance_of
from .hold_exactly import hold_exactly
from .name_kernels import choose_first
from .response_kernels import (
    add_rigid_answers,
    add_soft_answers,
    clear_answers,
    sweep_impulses,
    touch_nodes,
    turn_rows,
)
from .rigid_part import RigidPart
from .soft_spec import SoftSpec
from .soft_tables import Rows, SoftAnswers, Span
from .touch_kernels import LINK, NODE
from .touch_set import TouchSet

SWEEPS = 200
MOST_AT_ONCE = 48
"""Of more contacts than these that come at once, some wait until others have pushed."""
MOST_SCALE = 2.0
"""By how much more or less bodies may be found to answer than was thought, at once."""


class ImpulseProblem:
    """Contacts that may push, in the order in which they were found to, and how each answers to each."""

    def __init__(self, specs: Sequence[SoftSpec], node_first: NDArray[np.int64]) -> None:
        self._specs, self._first = specs, node_first
        self._compliance: dict[tuple[int, float, float, bytes], Compliance] = {}
        self._turn = np.zeros((int(node_first[-1]), 4))
        self._place, self._node = np.full(len(self._turn), -1, np.int32), np.full(len(self._turn), -1, np.int32)
        self.scale = 1.0
        """How much more bodies answer than at rest."""
        self._make(64, 1)

    def _make(self, room: int, dim: int) -> None:
        """Tables for so many contacts, empty."""
        self._dim, self._n = dim, 0
        self._rows = Rows(
            np.zeros(room, np.int32),
            np.zeros((room * dim, 16, 3)),
            np.zeros(room, np.int32),
            np.zeros(room),
            np.zeros(room),
        )
        self._answer = np.zeros((room * dim, room * dim))
        self._is_row = np.zeros(0, np.bool_)

    def begin(self, h: float, theta: float, held: Sequence[Ints], turns: Sequence[Floats]) -> None:
        """Another motion, of nodes that have turned."""
        self._h, self._theta, self._held, self.scale = h, theta, held, 1.0
        np.concatenate(turns, out=self._turn)
        self.forget()

    def forget(self) -> None:
        """Contacts have changed: find their answers anew."""
        self._n = 0
        self._is_row = np.zeros(0, np.bool_)
        self._place[:], self._node[:] = -1, -1

    def correct(self, contacts: TouchSet, rigid: RigidPart, near: float, enough: float) -> Floats:
        """Change impulses, and say by how much contacts are expected to open by it (n,).

        Contacts take part that push, or are open by less than `near` [m]; sweeps may leave `enough` [m].
        """
        self._choose(contacts, rigid, near)
        n, dim, touches = self._n, self._dim, contacts.touches
        active = self._rows.contact[:n]
        impulse = np.ascontiguousarray(touches.impulse[active, :dim].reshape(-1))
        left = np.ascontiguousarray(contacts.left[active, :dim].reshape(-1)) / self.scale
        before = left[::dim].copy()
        self._sweep(enough / self.scale, left, impulse)
        expected = np.zeros(contacts.n)
        expected[active] = self.scale * (left[::dim] - before)
        touches.impulse[active, :dim] = impulse.reshape(-1, dim)
        return expected

    def learn(self, expected: Floats, found: Floats) -> None:
        """How much more contacts have opened than was expected."""
        size = float(expected @ expected)
        if size > 0.0:
            self.scale *= min(MOST_SCALE, max(1.0 / MOST_SCALE, float(found @ expected) / size))

    def _sweep(self, enough: float, left_io: Floats, impulse_io: Floats) -> None:
        n, dim = self._n, self._dim
        answer = self._answer[: n * dim, : n * dim]
        attached = np.flatnonzero(np.repeat(self._rows.kind[:n] == NODE, dim))
        for _ in range(SWEEPS if len(attached) else 1):
            if len(attached):
                hold_exactly(answer, attached, enough, left_io, impulse_io)
            sweep_impulses(self._answer, tuple(self._rows), dim, SWEEPS, enough, left_io, impulse_io)
            if np.abs(left_io[attached]).max(initial=0.0) < enough:
                break

    def _choose(self, contacts: TouchSet, rigid: RigidPart, near: float) -> None:
        """Take in contacts that may push and are not known yet."""
        n, touches = contacts.n, contacts.touches
        kind = touches.name[:n, 0]
        dim = 3 if (touches.friction[:n] > 0.0).any() or (kind >= LINK).any() else 1
        if dim != self._dim:
            self._make(max(64, n), dim)
            self.forget()
        known = np.zeros(n, np.bool_)
        known[: len(self._is_row)] = self._is_row
        may_push = (touches.impulse[:n, 0] > 0.0) | (contacts.left[:n, 0] < near) | (kind >= LINK)
        new = np.flatnonzero(may_push & ~known)
        if len(new) > MOST_AT_ONCE:
            new = self._worst(contacts, new)
        known[new] = True
        self._is_row = known
        if len(new):
            self._take(contacts, rigid, new)

    def _worst(self, contacts: TouchSet, new: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of many contacts the narrowest at each node of a cage: they push most of the others open, too."""
        sorted_ = new[np.argsort(contacts.left[new, 0], kind="stable")]
        names = np.ones((len(new), 5), np.int32)
        names[:, 1] = contacts.spread.node[sorted_, 0]
        chosen = np.empty(len(new), np.int64)
        pushing = contacts.touches.impulse[new, 0] > 0.0
        n = choose_first(names, np.full(len(new), -1, np.int32), chosen)
        return np.union1d(sorted_[chosen[:n]], new[pushing])

    def _take(self, contacts: TouchSet, rigid: RigidPart, new: NDArray[np.int64]) -> None:
        begin, end, touches = self._n, self._n + len(new), contacts.touches
        self._grow(end)
        rows, span = self._rows, Span(self._dim, begin, end)
        rows.contact[begin:end], rows.kind[begin:end] = new, touches.name[new, 0]
        rows.friction[begin:end], rows.limit[begin:end] = touches.friction[new], contacts.links.limit[new]
        self._n = end
        tables = tuple(touches), tuple(contacts.spread)
        turn_rows(*tables, self._turn, tuple(span), tuple(rows))
        clear_answers(tuple(span), self._answer)
        for k in range(len(self._specs)):
            self._add_soft(k, contacts, span)
        if len(rigid.start):
            add_rigid_answers(*tables, tuple(rows), tuple(span), tuple(rigid.answers), self._h, self._answer)
        if self._dim == 3:
            mine = np.arange(3 * begin, 3 * end)
            self._answer[mine, mine] += np.repeat(contacts.links.soft[new], 3)

    def _add_soft(self, k: int, contacts: TouchSet, span: Span) -> None:
        """How soft body k answers."""
        first, last = int(self._first[k]), int(self._first[k + 1])
        place, node = self._place[first:last], self._node[first:last]
        spread, rows = tuple(contacts.spread), tuple(self._rows)
        count = touch_nodes(spread, rows, tuple(span), first, place, node)
        if count:
            known = self._compliance_of(k)
            known.need(node[:count])
            body = SoftAnswers(first, last, self._h, known.columns, known.slot, node, place)
            add_soft_answers(spread, rows, tuple(span), tuple(body), count, self._answer)

    def _grow(self, n: int) -> None:
        if n <= len(self._rows.kind):
            return
        old, answer, known, dim = self._rows, self._answer, self._n, self._dim
        chosen = self._is_row
        self._make(2 * n, dim)
        self._n, self._is_row = known, chosen
        for table, before in zip(self._rows, old, strict=True):
            m = known * (dim if before.ndim == 3 else 1)
            table[:m] = before[:m]
        self._answer[: known * dim, : known * dim] = answer[: known * dim, : known * dim]

    def _compliance_of(self, k: int) -> Compliance:
        key = (k, self._h, self._theta, self._held[k].tobytes())
        if key not in self._compliance:
            if len(self._compliance) > 8 * len(self._specs):
                self._compliance.clear()
            self._compliance[key] = compliance_of(self._specs[k], self._held[k], self._h, self._theta)
        return self._compliance[key]

    def prepare(self, h: float, theta: float, held: Sequence[Ints]) -> None:
        """Find what bodies answer in steps of this length before it is needed, where that does not take long."""
        self._h, self._theta, self._held = h, theta, held
        for k, spec in enumerate(self._specs):
            self._compliance_of(k).prepare(spec.embedding.corner)
