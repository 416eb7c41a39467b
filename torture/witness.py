"""What a judge sees of the motions of a step, where there are several: states and forces after each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from abut.dynamics.accounts.account_kernels import HAND, JOINTS
from abut.dynamics.stepping.step import Stepper

from .reading import Floats

SOURCES = {"joint": JOINTS, "hand": HAND}
"""Where forces come from that are noted motion by motion."""


class Motion(NamedTuple):
    """One motion of a step."""

    h: float
    """[s]."""
    state: Any
    joints: Any
    """After it, as a world would hold them; forces of joints are those of the motion."""
    pushed: float
    """[N] sum of the forces of contacts in it."""
    wrenches: dict[str, Floats]
    """(n, 6) on bodies in it, by where they come from."""


@contextmanager
def witnessed(dt: float) -> Iterator[list[Motion]]:
    """The motions of all steps of length dt that are made meanwhile."""
    seen: list[Motion] = []
    before: dict[str, Floats | float] = {}

    def note(stepper: Any, h: float) -> None:
        state, joints, contacts = stepper.state, stepper.joints.copy(), stepper.contacts
        acted, share = state.acted.copy(), dt / h
        wrenches = {name: share * (acted[:, k] - before.get(name, 0.0)) for name, k in SOURCES.items()}
        pushed = float(np.abs(contacts.force[: contacts.n]).sum())
        total = joints.acted.copy()
        joints.acted = share * (total - before.get("rows", 0.0))
        before.update({name: acted[:, k] for name, k in SOURCES.items()}, rows=total)
        now = state.with_tables(pose=state.pose.copy(), twist=state.twist.copy(), kind=state.kind.copy())
        seen.append(Motion(h, now, joints, pushed, wrenches))

    Stepper.witness = note
    try:
        yield seen
    finally:
        Stepper.witness = None
