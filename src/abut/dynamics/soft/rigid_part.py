"""The rigid bodies of a world during a motion of soft ones: they take steps of their own under its impulses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...math.quat_kernels import quat_to_mat
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from .soft_tables import Felt, Rigid

MOST_RIGID_STEPS = 6
"""How often they step again under other forces in a motion; then they give way no more."""
MOST_TURN_BESIDE_SOFT = 0.5
"""[rad] by which a rigid body may turn in a motion that soft bodies are checked against."""


class RigidPart:
    """Where rigid bodies go in a motion, and how they would answer to more impulses."""

    def __init__(self, stepper: Any, now: Moment, h: float, gravity: Floats, tolerance: float, felt: Felt) -> None:
        self._stepper, self._now, self._h, self._gravity = stepper, now, h, gravity
        self._tolerance, self._felt = tolerance, felt
        self.start = self.end = now.state.pose
        """(n, 7) rows of poses of centre-of-mass frames at both ends of the motion."""
        n = len(self.start)
        self.straight = np.ones(n, np.bool_)
        """(n,) which of them make one motion and turn little."""
        self.reach = stepper.model.reach if stepper is not None else np.zeros(0)
        felt.centre[:], felt.stepped[:], felt.extra[:] = self.start[:, :3], 0.0, 0.0
        self._giving: list[int] = np.flatnonzero(now.state.kind == DYNAMIC).tolist()
        """Bodies that give way."""
        felt.mass[:], felt.inertia[:] = _answers_of(now, self._giving)
        self._steps, self.then = 0, now
        """How often they have stepped, and the moment to which they come."""

    @property
    def gives_way(self) -> bool:
        """Whether they answer to impulses in this motion: not after many steps."""
        return self._steps < MOST_RIGID_STEPS

    @property
    def due(self) -> bool:
        """Whether impulses have changed so that bodies move otherwise than was found."""
        if not self._giving or not self._felt.extra.any():
            return False
        ways = np.abs(self._felt.extra) * self._h
        ways[:, 3:] *= np.where(np.isfinite(self.reach), self.reach, 0.0)[:, None]
        return bool((ways > self._tolerance).any())

    def settled(self) -> tuple[Floats, Rigid]:
        """(n, 6) velocities at the end with all impulses as they are, and how they answer to more of them there.

        What came too late for bodies to step again belongs to their momentum all the same.
        """
        answers, twist = _answers_of(self.then, self._giving), self.then.state.twist
        if not self._giving:
            return twist.copy(), answers
        late = self._felt.wrench - self._felt.stepped
        extra = (answers.mass[:, None] * late[:, :3], np.einsum("bij,bj->bi", answers.inertia, late[:, 3:]))
        return twist + np.concatenate(extra, axis=1), answers

    def stop(self, touched: Ints, way: float, twist_io: Floats) -> Floats:
        """(n, 7) poses at the end: bodies touched by soft ones that move by less than `way` [m] rest where they are.

        `twist_io` (n, 6) are their velocities at the end.
        """
        if set(self._giving).isdisjoint(touched.ravel().tolist()):
            return self.end
        ways = np.abs(self.end[:, :3] - self.start[:, :3]).max(axis=1, initial=0.0)
        fastest, reach = np.zeros(len(self.start)), np.where(np.isfinite(self.reach), self.reach, 0.0)
        for twist in (self._now.state.twist, twist_io):
            linear, turning = np.linalg.norm(twist[:, :3], axis=1), np.linalg.norm(twist[:, 3:], axis=1)
            fastest = np.maximum(fastest, linear + turning * reach)
        rests = (self._now.state.kind == DYNAMIC) & (np.maximum(ways, self._h * fastest) <= way)
        rests[np.setdiff1d(np.arange(len(rests)), touched)] = False
        twist_io[rests] = 0.0
        return np.where(rests[:, None], self.start, self.end)

    def step(self) -> None:
        """Let them step under the impulses as they are now."""
        felt = self._felt
        felt.extra[:] = 0.0
        if self._stepper is None or (self._steps and np.array_equal(felt.wrench, felt.stepped)):
            return
        felt.stepped[:], self._steps = felt.wrench, self._steps + 1
        state = self._now.state
        pushed = self._now._replace(state=state.with_tables(wrench=state.wrench + felt.wrench / self._h))
        self.then = self._stepper.step(pushed, self._h, self._gravity)
        self.end = self.then.state.pose
        turn = np.linalg.norm(self.then.state.twist[:, 3:], axis=1) * self._h
        self.straight = (turn < MOST_TURN_BESIDE_SOFT) & (self.then.report.parts <= 1)
        if not self.gives_way:
            felt.mass[:], felt.inertia[:] = 0.0, 0.0


def _answers_of(now: Moment, giving: Sequence[int]) -> Rigid:
    """1 over masses and inverse inertias along the world's axes; 0 for bodies that do not give way."""
    n = len(now.state.kind)
    mass, inertia = np.zeros(n), np.zeros((n, 3, 3))
    for b in giving:
        spec = now.setup.specs[b]
        R = np.array(quat_to_mat(tuple(now.state.pose[b, 3:].tolist()))).reshape(3, 3)
        mass[b] = 1.0 / spec.mass
        inertia[b] = R @ np.linalg.inv(spec.inertia) @ R.T
    return Rigid(mass, inertia)
