"""What touched hard parts again: velocities after impacts, where restitution asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..accounts.account import Account
from ..accounts.balance import energy_lost
from ..contacts.contact_set import ContactSet
from ..contacts.pair_laws import PairLaws
from ..joints.joint_kernels import EQUAL
from ..joints.joint_set import JointSet
from ..report import StepReport
from ..solver.problem_kernels import ITERATIONS, N_REPORT, UNSOLVED
from ..state import Model, State
from ..stepping.workspace import StepTables
from .impact_kernels import add_velocities, ask_for_speeds, bounce, share_without_gain, work_of_driven


class Bouncer:
    """Gives bodies at the end of a motion the velocities with which they part."""

    def __init__(
        self,
        model: Model,
        state: State,
        contacts: ContactSet,
        joints: JointSet,
        pairs: PairLaws,
        tables: StepTables,
        account: Account,
    ) -> None:
        self._model, self._state, self._contacts, self._joints = model, state, contacts, joints
        self._pairs, self._tables, self._account, self._found = pairs, tables, account, np.zeros(N_REPORT)

    def bounce(self, h: float, gap: float, mu: Floats, options: tuple[Any, ...], report: StepReport) -> None:
        """Let contacts bounce that were run into; arguments beyond h as for the forces of the motion."""
        contacts = self._contacts
        touching = self._tables.touching(contacts, np.zeros(contacts.n), gap)
        if self._ask_for_speeds(h, touching):
            lost = energy_lost(self._model, self._tables, contacts.n, self._joints, mu, h)
            self._part(h, touching, float(lost.sum()), options, report)

    def _ask_for_speeds(self, h: float, touching: tuple[Any, ...]) -> bool:
        """Whether contacts were run into so that they bounce; the velocities they ask for stand in the rows."""
        contacts, n, m, tables = self._contacts, self._contacts.n, self._joints.n, self._tables
        restitution = self._pairs.restitution_of(contacts.name, n)
        tables.rows.w[3 * n : 3 * n + m] = 0.0
        return bool(ask_for_speeds(touching, restitution, contacts.force, tables.bodies(h), tuple(tables.rows)))

    def _part(
        self, h: float, touching: tuple[Any, ...], lost: float, options: tuple[Any, ...], report: StepReport
    ) -> None:
        """Give the bodies the velocities with which they part after impacts, and no more energy than they lost."""
        contacts, joints, n, m, tables = self._contacts, self._joints, self._contacts.n, self._joints.n, self._tables
        # Joints keep the rates they have; motors, springs and stops have no part in an impact.
        free = np.where(joints.law[:m] == EQUAL, np.inf, 0.0)
        shift = tables.shift.copy()  # those who sleep need theirs again
        tables.limit(np.zeros(m), -free, free)
        bounce(
            touching,
            (joints.name, joints.place, joints.last, np.zeros(m)),
            tables.bodies(h),
            tables.held(),
            tuple(tables.rows),
            options,
            self._state.pose,
            self._found,
        )
        report.iterations += int(self._found[ITERATIONS])
        report.count_solvers(self._found)
        report.unsolved += int(self._found[UNSOLVED])
        share = self._add_velocities(h, touching, lost)
        blow, joint_blow = (share * tables.scale / (h * h) * x for x in np.split(tables.rows.x[: 3 * n + m], [3 * n]))
        self._account.note_blows(h, blow[::3].copy(), joint_blow, share / h * tables.shift[:-1])
        tables.shift[:] = shift
        contacts.force[:n] += blow[::3]

    def _add_velocities(self, h: float, touching: tuple[Any, ...], lost: float) -> float:
        """Give the bodies their shifts as velocities beyond those they have, or the share of them that is returned."""
        state, tables, model = self._state, self._tables, self._model
        change = np.zeros_like(state.twist)
        bodies = (state.kind, model.inertia, tables.middle, tables.shift, h, state.pose)
        self._account.note_marked(add_velocities(*bodies, change, self._account.stays))
        driven = work_of_driven(touching, tables.movable, tables.motion, tuple(tables.rows)) * tables.scale / (h * h)
        moving = (tables.movable, model.mass, model.inertia, state.pose, state.twist, tables.free - tables.twist)
        share = float(share_without_gain(*moving, change, driven, lost))
        state.twist += share * change
        return share
