"""Bodies that sleep cost next to nothing: their part of a step would come out the same again, to the bit.

Bodies come to rest together, an island at a time (rest_kernels). One that moves into them finds new contacts, which
wake their island; whatever else changes for them wakes them here. So nothing tells afterwards that they slept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ..contacts.contact_set import ContactForces, ContactSet
from ..joints.joint_kernels import JOINT_A, JOINT_B
from ..state import State
from ..stepping.workspace import StepTables, Workbench
from .sleep_kernels import fall_asleep, mark_restless, wake_touched


class Sleepers:
    """Knows which bodies sleep."""

    def __init__(self, bench: Workbench) -> None:
        self._contacts, self._joints, n = bench.contacts, bench.joints, len(bench.model.mass)
        self.awake = bench.tables.awake
        """(n_body + 1,) the last one stands for the world."""
        self._restless = np.zeros(n + 1, np.bool_)
        self._pose = np.full((n, 7), np.nan)
        self._anyone, self._then = False, (0.0,)
        """Whether anyone sleeps, and the time and gravity of the last motion."""

    def wake(self) -> None:
        """Wake all."""
        if self._anyone:
            self.awake[:], self._anyone = True, False

    def look_around(self, state: State, h: float, gravity: Floats) -> bool:
        """Wake those for whom something has changed in a state; whether anyone is awake."""
        if not self._anyone:
            return True
        if self._then != (h, *gravity):
            self.wake()
            return True
        return bool(wake_touched(state.block(), state.hold, self._pose, self.awake) > 0)

    def settle(
        self, tables: StepTables, alive: NDArray[np.bool_], then: ContactForces | ContactSet, h: float, gravity: Floats
    ) -> None:
        """Let those fall asleep who did not move in a motion of `h` seconds, and whose contacts are the same as `then`.

        Those of joints are not looked at: their bodies never sleep.
        """
        contacts, joints = self._contacts, self._joints
        self._restless[:] = False
        self._restless[joints.name[: joints.n, JOINT_A : JOINT_B + 1]] = True
        forces = (contacts.force, contacts.friction, then.force[: then.n], then.friction[: then.n])
        mark_restless(contacts.name, contacts.n, alive, *forces, self._restless)
        fall_asleep(tables.words, self._restless, self._pose, self.awake)
        self.awake[-1], self._anyone, self._then = False, True, (h, *gravity)
