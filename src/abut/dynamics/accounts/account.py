"""What acted on the bodies of a world over a step: the forces that changed their momenta (docs/step.md)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ..stepping.packet_tables import Noted
from ..stepping.workspace import Workbench
from .account_kernels import WRENCHES, note_contacts, note_joints, note_locks, note_resistance


class Account:
    """Adds up what acts in the motions of a step, in the tables of bodies, contacts and joints.

    What a step does not need costs it nothing: tables of hands, damping and locks are written where there are any.
    """

    def __init__(self, bench: Workbench) -> None:
        self._model, self._state, self._contacts, self._joints, _, self._tables = bench
        self._dt = 1.0
        """Of the step."""
        model, n = bench.model, len(bench.model.mass)
        self._nothing, self._written = np.zeros((n, WRENCHES, 6)), False
        """Wrenches of a step in which no hand, damping, joint or lock acted; whether they did in this one."""
        self.stays, self._any_stay = np.zeros(n, np.bool_), False
        """(n_body,) which bodies did not do all that forces would have them do; whether there are any."""
        bench.tables.packet.put(Noted, (self.stays, np.zeros((n, 6))))
        self._any_locked, self._any_drag = bool(model.locked.any()), bool(model.drag.any())

    def begin(self, dt: float, gravity: Floats) -> None:
        """Nothing but loads acted yet in a step of `dt`."""
        self._dt, self._state.gravity = dt, gravity
        self._state.acted, self._written = self._nothing, False
        if self._any_stay:
            self.stays[:], self._any_stay = False, False

    @property
    def resisted(self) -> bool:
        """Whether hands or drag act on any body."""
        return self._any_drag or self._tables.any_held

    def of_motion(self) -> tuple[bool, Floats]:
        """Whether hands or drag act in a motion that is about to be made, and where what acts is noted."""
        resisted = self.resisted
        return resisted, self.wrenches() if resisted or self._joints.n else self._nothing

    def note_blows(self, h: float, force: Floats, joint_force: Floats, velocity: Floats) -> None:
        """Add impulses at the end of a motion, as forces over it, and the changes of velocity that they give."""
        contacts, tables, share = self._contacts, self._tables, h / self._dt
        places, turning = (contacts.name, contacts.place, tables.radius), (tables.motion, tables.spin, 0.0)
        note_contacts(contacts.n, places, turning, force, np.zeros((contacts.n, 3)), share, contacts.acted)
        joints = self._joints
        if joints.n:
            rows, written = (joints.name, joints.place, joints.last), (self.wrenches(), joints.acted, joints.wrench)
            note_joints(joints.n, rows, tables.motion, joint_force, share, *written)
        if self.resisted:
            note_resistance(tables.rigid(self._state), tables.prediction, velocity, h, 0.0, share, self.wrenches())

    def note_staying(self, stays: NDArray[np.bool_]) -> None:
        """Note bodies that stay where they are, though they could move."""
        self.stays |= stays
        self._any_stay = True

    def note_marked(self, any_marked: bool) -> None:
        """Note whether kernels marked bodies in `stays`."""
        self._any_stay = self._any_stay or any_marked

    def settle(self) -> None:
        """At the end of a step: what bodies did not do in spite of all that acted on them, something kept them from."""
        if not (self._any_locked or self._any_stay):
            return
        state, contacts, n = self._state, self._contacts, len(self._state.hold)
        wrench = np.zeros((n, 6)) if contacts.gone is None else contacts.gone.wrenches(n)
        acted = ((contacts.n, contacts.name, contacts.acted), wrench, self.wrenches())
        note_locks(self._tables.words, state.blocks[0], state.gravity, self._dt, *acted)

    def wrenches(self) -> Floats:
        """(n_body, WRENCHES, 6) the table of wrenches of this step, to be written to."""
        if not self._written:
            self._state.acted, self._written = np.zeros(self._nothing.shape), True
        return self._state.acted
