"""The moment at the end of a motion of soft bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Floats
from ..moment import Moment
from .admit_kernels import STILL_NEAR, keep_contacts
from .rigid_part import RigidPart
from .soft_bench import SoftBench
from .soft_spec import KeptTouches, SoftState, no_touches
from .soft_tables import EndMotion
from .touch_kernels import settle_velocities

SETTLING_SWEEPS = 30
REST, GOING_AGAIN = 2e-3, 1e-2
"""In contact gaps: a body whose nodes all move by less in a step rests: it stays where it is, with no velocity. One
that rests goes again if a node would move by more than the second."""


def finished(bench: SoftBench, rigid: RigidPart, now: Moment, h: float, gap: float, next_label: int) -> Moment:
    """The moment at the end of the motion that was found."""
    contacts, account, n = bench.contacts, bench.account, bench.contacts.n
    twist, answers = rigid.settled()
    impulse = contacts.touches.impulse[:n].copy()
    motion = EndMotion(bench.holds.free, tuple(answers), account.velocity, twist)
    settle_velocities(tuple(contacts.touches), tuple(contacts.spread), SETTLING_SWEEPS, tuple(motion), impulse)
    account.keep_spins(contacts, bench.skins.vertices, impulse)
    states = _states(bench, now, h, gap)
    account.remember(states)
    acted = bench.holds.with_reactions(rigid.then.state.acted, contacts, impulse / h)
    kept, answer = _kept(bench, impulse, h, gap), bench.problem.first_scale
    soft = replace(
        now.soft,
        states=tuple(states),
        touches=kept,
        told=None,
        suspect=False,
        answer=answer,
        next_label=next_label,
    )
    touched = contacts.spread.body[:n][impulse[:, 0] > 0.0]
    pose = rigid.stop(touched, REST * gap, twist)
    state = rigid.then.state.with_tables(pose=pose, twist=twist, acted=acted)
    return rigid.then._replace(state=state, soft=soft)


def _states(bench: SoftBench, now: Moment, h: float, gap: float) -> list[SoftState]:
    """Soft bodies at the end; those that hardly move stay where they are."""
    states, account = [], bench.account
    speeds = account.fastest(bench.nodes.velocity)
    for k, (body, before, speed) in enumerate(zip(bench.bodies, now.soft.states, speeds, strict=True)):
        if speed <= (REST if before.velocities.any() else GOING_AGAIN) * gap / h:
            states.append(SoftState(before.nodes, np.zeros_like(before.nodes), before.rotations))
        else:
            mine = bench.mine(k)
            tables = account.end[mine], account.velocity[mine], body.state.rotations
            states.append(SoftState(*(table.copy() for table in tables)))
    return states


def _kept(bench: SoftBench, impulse: Floats, h: float, gap: float) -> KeptTouches:
    """Contacts that pushed or are near, with the normals along which they did."""
    kept, n = no_touches(len(impulse)), len(impulse)
    count = keep_contacts(bench.packet.words, n, impulse, h, STILL_NEAR * gap, tuple(kept))
    return KeptTouches(*(table[:count].copy() for table in kept))
