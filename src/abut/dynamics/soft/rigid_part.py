"""The rigid bodies of a world during a motion of soft ones: they take steps of their own under its impulses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...math.quat_kernels import quat_to_mat
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from .soft_tables import Rigid

MOST_RIGID_STEPS = 6
"""How often they step again under other forces in a motion; then they give way no more."""
MOST_TURN_BESIDE_SOFT = 0.5
"""[rad] by which a rigid body may turn in a motion that soft bodies are checked against."""


class RigidPart:
    """Where rigid bodies go in a motion, and how they would answer to more impulses."""

    def __init__(self, stepper: Any, now: Moment, h: float, gravity: Floats, tolerance: float) -> None:
        self._stepper, self._now, self._h, self._gravity = stepper, now, h, gravity
        self._tolerance = tolerance
        self.start = self.end = now.state.pose
        """(n, 7) rows of poses of centre-of-mass frames at both ends of the motion."""
        n = len(self.start)
        self.straight = np.ones(n, np.bool_)
        """(n,) which of them make one motion and turn little."""
        self.reach = stepper.model.reach if stepper is not None else np.zeros(0)
        self.wrench = np.zeros((n, 6))
        """(n, 6) impulses of contacts with soft bodies [N s] and their moments about the centres [N m s]."""
        self.extra = np.zeros((n, 6))
        """(n, 6) velocities [m/s], [rad/s] by which they would move beyond what was found, as free bodies do."""
        self.answers = _answers_of(now)
        """How they answer to impulses in this motion; 0 if they give way no more."""
        self._stepped, self._steps, self.then = np.full((n, 6), np.nan), 0, now
        """`then` is the moment to which they come."""

    @property
    def due(self) -> bool:
        """Whether impulses have changed so that bodies move otherwise than was found."""
        ways = np.abs(self.extra) * self._h
        ways[:, 3:] *= np.where(np.isfinite(self.reach), self.reach, 0.0)[:, None]
        return bool((ways > self._tolerance).any())

    def answer(self) -> None:
        """How impulses as they are now move them beyond what was found."""
        if not len(self.start):
            return
        change = self.wrench - np.where(np.isnan(self._stepped), 0.0, self._stepped)
        self.extra[:, :3] = self.answers.mass[:, None] * change[:, :3]
        self.extra[:, 3:] = np.einsum("bij,bj->bi", self.answers.inertia, change[:, 3:])

    def settled(self) -> tuple[Floats, Rigid]:
        """(n, 6) velocities at the end with all impulses as they are, and how they answer to more of them there.

        What came too late for bodies to step again belongs to their momentum all the same.
        """
        answers, twist = _answers_of(self.then), self.then.state.twist
        late = self.wrench - np.where(np.isnan(self._stepped), 0.0, self._stepped)
        extra = (answers.mass[:, None] * late[:, :3], np.einsum("bij,bj->bi", answers.inertia, late[:, 3:]))
        return twist + np.concatenate(extra, axis=1), answers

    def stop(self, touched: Ints, way: float, twist_io: Floats) -> Floats:
        """(n, 7) poses at the end: bodies touched by soft ones that move by less than `way` [m] rest where they are.

        `twist_io` (n, 6) are their velocities at the end.
        """
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
        self.extra[:] = 0.0
        if self._stepper is None or np.array_equal(self.wrench, self._stepped):
            return
        self._stepped, self._steps = self.wrench.copy(), self._steps + 1
        state = self._now.state
        pushed = self._now._replace(state=state.with_tables(wrench=state.wrench + self.wrench / self._h))
        self.then = self._stepper.step(pushed, self._h, self._gravity)
        self.end = self.then.state.pose
        turn = np.linalg.norm(self.then.state.twist[:, 3:], axis=1) * self._h
        self.straight = (turn < MOST_TURN_BESIDE_SOFT) & (self.then.report.parts <= 1)
        if self._steps >= MOST_RIGID_STEPS:
            self.answers = Rigid(np.zeros_like(self.answers.mass), np.zeros_like(self.answers.inertia))


def _answers_of(now: Moment) -> Rigid:
    """1 over masses and inverse inertias along the world's axes; 0 for bodies that do not give way."""
    n = len(now.state.kind)
    mass, inertia = np.zeros(n), np.zeros((n, 3, 3))
    for b in np.flatnonzero(now.state.kind == DYNAMIC):
        spec = now.setup.specs[b]
        R = np.array(quat_to_mat(tuple(now.state.pose[b, 3:].tolist()))).reshape(3, 3)
        mass[b] = 1.0 / spec.mass
        inertia[b] = R @ np.linalg.inv(spec.inertia) @ R.T
    return Rigid(mass, inertia)
