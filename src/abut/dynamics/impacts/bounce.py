"""What touched hard parts again: velocities after impacts, where restitution asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..accounts.account import Account
from ..accounts.balance import EnergyBalance
from ..bodies.response_kernels import respond_at_end
from ..joints.joint_kernels import EQUAL
from ..report import StepReport
from ..solver.problem_kernels import ITERATIONS, N_REPORT, UNSOLVED
from ..stepping.workspace import Workbench
from .impact_kernels import add_velocities, ask_for_speeds, bounce, shares_without_gain
from .sequence_tables import Strikes
from .turn_kernels import bounce_in_turn


class Bouncer:
    """Gives bodies at the end of a motion the velocities with which they part."""

    def __init__(self, bench: Workbench, account: Account, balance: EnergyBalance) -> None:
        self._model, self._state, self._contacts, self._joints, self._laws, self._tables = bench
        self._account, self._balance = account, balance
        self._found, self._strikes = np.zeros(N_REPORT), _strikes(0)

    def bounce(self, h: float, options: tuple[Any, ...], report: StepReport) -> Floats | None:
        """Let contacts bounce that were run into; arguments beyond h as for the forces of the motion.

        Returns (n_island,) [J] what bodies that move as they were told to gave; None if nothing bounced.
        """
        touching = self._tables.touching(self._contacts, self._tables.smooth)
        return self._part(h, touching, options, report) if self._ask_for_speeds(h, touching) else None

    def _ask_for_speeds(self, h: float, touching: tuple[Any, ...]) -> bool:
        """Whether contacts were run into so that they bounce; the velocities they ask for stand in the rows."""
        contacts, m, tables = self._contacts, self._joints.n, self._tables
        if contacts.n > len(self._strikes.restitution):
            self._strikes = _strikes(len(contacts.force))
        asked = (m, self._laws.of_restitution, contacts.force)
        return bool(ask_for_speeds(touching, asked, tables.bodies(h), tables.row_tables, tuple(self._strikes)))

    def _part(self, h: float, touching: tuple[Any, ...], options: tuple[Any, ...], report: StepReport) -> Floats:
        """Give the bodies the velocities with which they part after impacts, and no more energy than they lost."""
        contacts, joints, n, m, tables = self._contacts, self._joints, self._contacts.n, self._joints.n, self._tables
        # Joints keep the rates they have; motors, springs and stops have no part in an impact.
        free = np.where(joints.law[:m] == EQUAL, np.inf, 0.0)
        shift = tables.shift.copy()  # those who sleep need theirs again
        tables.limit(np.zeros(m), -free, free)
        # Impulses act where the bodies have come to.
        respond_at_end(tables.rigid(self._state), h, tables.scale, tables.prediction)
        joined, held = (joints.name, joints.place, joints.last, np.zeros(m)), tables.held(self._state.pose)
        problem = (touching, joined, tables.bodies(h), held, tables.row_tables, options)
        if self._laws.in_turn:
            bounce_in_turn(*problem, tuple(self._strikes), self._found)
        else:
            bounce(*problem, self._found)
        report.iterations += int(self._found[ITERATIONS])
        report.count_solvers(self._found.tolist())
        report.unsolved += int(self._found[UNSOLVED])
        share, of_item, given = self._add_velocities(h)
        x, to_force = tables.rows.x, of_item * tables.scale / (h * h)
        blow, joint_blow = to_force[:n] * x[: 3 * n : 3], to_force[n:] * x[3 * n : 3 * n + m]
        self._account.note_blows(h, blow, joint_blow, share[:, None] / h * tables.shift[:-1])
        tables.shift[:] = shift
        # What was struck in turn may have been pushed by less than by one law for all.
        contacts.force[:n] = np.maximum(contacts.force[:n] + blow, 0.0)
        return given

    def _add_velocities(self, h: float) -> tuple[Floats, Floats, Floats]:
        """Give the bodies their shifts as velocities beyond those they have, or the share of them that is returned.

        The shares of bodies, and of contacts and rows of joints, and what islands were given in the bounce [J].
        """
        state, tables, model = self._state, self._tables, self._model
        n_item = self._contacts.n + self._joints.n
        change, share, of_item, given = np.zeros_like(state.twist), np.ones(len(state.kind)), *np.ones((2, n_item))
        add_velocities(state.kind, model.inertia, tables.middle, tables.shift, h, state.pose, change)
        blows = (state.pose, state.twist, change, self._balance.drawn, tables.scale / (h * h))
        balance = self._balance.tables(np.zeros(0))
        shares_without_gain(self._contacts.n, tables.row_tables, balance, blows, share, of_item, given)
        state.twist += share[:, None] * change
        return share, of_item, given


def _strikes(n: int) -> Strikes:
    """Tables for n contacts."""
    return Strikes(*np.zeros((len(Strikes._fields), n)))
