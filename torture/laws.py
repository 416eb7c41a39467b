"""The laws of every step, checked on what a world shows: forces, momentum, energy, and that nothing is kept silent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .facts import Facts
from .finding import Finding
from .reading import Actor, Floats, Snapshot, turn_between

FORCES_AGREE = 1e-9
"""Of the sum of all forces on a body."""
ROUNDING = 1e-12
"""Of a momentum, or of a spin times the largest moment of inertia, for every motion of a step."""
ENERGY_ROUNDING = 1e-9
"""Of the kinetic energy of a step in which nothing touches."""
ENERGY_SHARE = 2e-4
"""Of the kinetic energy of a step in which something does: twice what the step itself tolerates, as energies between
its motions are not seen."""
TOGETHER = 1e-15
"""Of the sum of all forces in a world: those of bodies that touch or are joined are solved for together, and each is
rounded by the largest."""
NOTHING = 1e-30
"""[m/s] and [rad/s] of velocities that mean nothing: what is left where a body is held."""
CREEP = 0.01
"""Of the contact gap, by which errors of joints and locks are taken back in a step."""


def step_findings(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> Iterator[Finding]:
    """What a step did wrong."""
    yield from finite(cast, before, after, facts)
    if facts.level != "geometric":
        yield from silent_loss(cast, before, after, facts)
    if facts.level == "dynamic":
        yield from forces(cast, before, after, facts)
        yield from energy(cast, before, after, facts)


def finite(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> Iterator[Finding]:
    """Numbers stay finite, and who is stopped for that is reported."""
    for i, actor in enumerate(cast):
        if not np.isfinite(after.position[i]).all() or not np.isfinite(after.velocity[i]).all():
            yield Finding("finite", f"'{actor.name}' is no longer at a finite place")
        if after.frozen[i] and not before.frozen[i] and i not in facts.report.frozen:
            yield Finding("silence", f"'{actor.name}' was stopped, and the report does not say so")


def moved_apart(cast: list[Actor], facts: Facts) -> Iterator[Finding]:
    """Bodies that touch before a step are moved by no more than a contact gap along an axis for each body there is."""
    for one in facts.report.moved_apart:
        if not float(np.abs(one.way).max()) <= len(cast) * facts.contact_gap * (1.0 + ENERGY_ROUNDING):
            yield Finding("moved apart", f"'{one.body}' was moved by {one.way} m as it touched another body")


def silent_loss(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> Iterator[Finding]:
    """A kinematic body goes as far as it was told, or time was given up and the report says so."""
    if facts.report.time_given_up > 0.0 or facts.report.frozen:
        return
    for i, actor in enumerate(cast):
        if actor.kind != "kinematic" or before.frozen[i]:
            continue
        moved, told = after.position[i] - before.position[i], facts.dt * before.velocity[i]
        room = 1e-8 * float(np.abs(told).max()) + 4e-16 * float(np.abs(after.position[i]).max())
        if float(np.abs(moved - told).max()) > room:
            yield Finding("silence", f"'{actor.name}' moved {moved} m, not {told} m, and no time was given up")


def forces(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> Iterator[Finding]:
    """Forces and torques that are told add up to the change of momentum, to a share of their sum."""
    total, size = facts.total()
    live = _live(cast, after)
    all_forces, all_torques = (TOGETHER * float(x) for x in size[live].sum(axis=0))
    for i, actor in enumerate(cast):
        if actor.kind != "dynamic" or before.frozen[i] or after.frozen[i]:
            continue
        p0, p1 = actor.mass * before.velocity[i], actor.mass * after.velocity[i]
        L0, L1 = spin_momentum(actor, before, i), spin_momentum(actor, after, i)
        arm = size[i, 0] * actor.reach
        rounded = ROUNDING * max(facts.report.parts, 1) / facts.dt
        room = FORCES_AGREE * size[i, 0] + all_forces + rounded * float(np.abs((p0, p1)).sum())
        room += NOTHING * actor.mass / facts.dt
        yield from _balance(f"force on '{actor.name}'", "N", total[i, :3], (p1 - p0) / facts.dt, room)
        # Spins are rounded as vectors: of a needle that turns about its axis, that is much of its momentum.
        spins = float(np.trace(actor.inertia) * np.abs((before.spin[i], after.spin[i])).sum())
        room = FORCES_AGREE * (size[i, 1] + arm) + all_torques + all_forces * actor.reach + rounded * spins
        room += NOTHING * float(np.trace(actor.inertia)) / facts.dt
        yield from _balance(f"torque on '{actor.name}'", "N m", total[i, 3:], (L1 - L0) / facts.dt, room)


def _balance(what: str, unit: str, told: Floats, change: Floats, room: float) -> Iterator[Finding]:
    off = float(np.linalg.norm(change - told))
    if not off <= room:
        acted = float(np.linalg.norm(change))
        law = "forces" if float(np.linalg.norm(told)) > 0.0 else "momentum"
        told_size = float(np.linalg.norm(told))
        text = f"{what}: told {told_size:.6g} {unit}, acted {acted:.6g} {unit}, they differ by {off:.3g} {unit}"
        yield Finding(law, text, size=off / max(room, 1e-300))


def spin_momentum(actor: Actor, now: Snapshot, i: int) -> Floats:
    """(3,) angular momentum about the centre of mass [N m s]."""
    R = now.rotation[i]
    return np.asarray(R @ (actor.inertia @ (R.T @ now.spin[i])))


def spin_energy(actor: Actor, rotation: Floats, momentum: Floats) -> float:
    """Of an angular momentum, for a body that stands like this [J]."""
    local = rotation.T @ momentum
    return 0.5 * float(local @ np.linalg.solve(actor.inertia, local))


def kinetic_energy(actor: Actor, now: Snapshot, i: int) -> float:
    """[J]."""
    moving = 0.5 * actor.mass * float(now.velocity[i] @ now.velocity[i])
    return moving + 0.5 * float(now.spin[i] @ spin_momentum(actor, now, i))


def energy(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> Iterator[Finding]:
    """Kinetic energy grows by no more than the work of what drives the bodies, and force times contact gap."""
    if facts.report.frozen:
        return
    start, end, work = energy_balance(cast, before, after, facts)
    room = ENERGY_ROUNDING * (start + end)
    if _constrained(facts):
        most = max([start, end, *(sum_of_energy(cast, m.after) for m in facts.motions)])
        room = ENERGY_SHARE * (most + abs(work)) + _restored(cast, before, after, facts)
    gain = end - start - work
    if not gain <= room:
        share = gain / max(start, end, 1e-300)
        text = f"kinetic energy {start:.6g} to {end:.6g} J: {gain:.3g} J ({share:.2%}) too much, {room:.3g} J allowed"
        yield Finding("energy", text, size=share)


def _restored(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> float:
    """[J] that gaps, joints and locks give at most where they are restored, motion by motion, and what is not known."""
    live, gap = _live(cast, after), facts.contact_gap
    if not facts.motions:
        pushed = float(np.abs(facts.contacts["force"]).sum()) if len(facts.contacts) else 0.0
        unknown = sum(_unknown_of_hand(before, after, facts, i) for i in live)
        return pushed * gap * facts.report.parts + _creep(cast, live, facts) + unknown
    room = 0.0
    for motion in facts.motions:
        held = float(np.linalg.norm(motion.wrenches["joint"][:, :3], axis=1).sum())
        room += motion.pushed * gap + held * CREEP * gap
        room += sum(_unknown_of_hand(motion.before, motion.after, motion.as_facts(facts), i) for i in live)
    return room + _creep(cast, live, facts)


def sum_of_energy(cast: list[Actor], now: Snapshot) -> float:
    """Kinetic energy of all bodies that move by themselves [J]."""
    return sum(kinetic_energy(cast[i], now, i) for i in _live(cast, now))


def _live(cast: list[Actor], after: Snapshot) -> list[int]:
    """Bodies that move by themselves."""
    return [i for i, actor in enumerate(cast) if actor.kind == "dynamic" and not after.frozen[i]]


def energy_balance(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> tuple[float, float, float]:
    """Kinetic energy before and after a step, and the work on the bodies at most [J]."""
    live = _live(cast, after)
    start = sum(kinetic_energy(cast[i], before, i) for i in live)
    end = sum(kinetic_energy(cast[i], after, i) for i in live)
    parts = [(m.before, m.after, m.as_facts(facts)) for m in facts.motions] or [(before, after, facts)]
    work = sum(_outside_work(cast, parts, facts, i) for i in live) + facts.driven
    return start, end, work + _kinematic_work(cast, before, facts)


def work_along(cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts) -> float:
    """[J] on bodies whose velocities are those of the ends of a step: of loads along their ways, and of what drives."""
    work = facts.driven + _kinematic_work(cast, before, facts)
    for i in _live(cast, after):
        force = facts.wrenches["weight"][i, :3] + facts.wrenches["applied"][i, :3]
        work += float(force @ (after.position[i] - before.position[i]))
    return work


def _constrained(facts: Facts) -> bool:
    """Whether contacts, joints, locks, hands or damping acted in the step."""
    return any(facts.wrenches[source].any() for source in ("contact", "joint", "lock", "hand", "damping"))


def _creep(cast: list[Actor], live: list[int], facts: Facts) -> float:
    """[J] of bodies and forces that move by a hundredth of the contact gap a step: where errors are taken back."""
    held = sum(float(np.linalg.norm(facts.wrenches[source][:, :3], axis=1).sum()) for source in ("joint", "lock"))
    moving = 0.5 * sum(cast[i].mass for i in live) * (CREEP * facts.contact_gap / facts.dt) ** 2
    return moving + held * CREEP * facts.contact_gap


def _unknown_of_hand(before: Snapshot, after: Snapshot, facts: Facts, i: int) -> float:
    """[J] of a hand's work on a body that something touches or joins: its velocity changes within the motion.

    A force F works between F . v h at the velocity of the start and that of the end: half of F times their difference
    is not known.
    """
    if not (facts.wrenches["contact"][i].any() or facts.wrenches["joint"][i].any()):
        return 0.0
    hand, faster = facts.wrenches["hand"][i], after.velocity[i] - before.velocity[i]
    slide = np.linalg.norm(hand[:3]) * np.linalg.norm(faster)
    turn = np.linalg.norm(hand[3:]) * np.linalg.norm(after.spin[i] - before.spin[i])
    return 0.5 * facts.dt * float(slide + turn)


def _outside_work(cast: list[Actor], parts: list[tuple[Snapshot, Snapshot, Facts]], facts: Facts, i: int) -> float:
    """[J] of weight, applied forces and hands on a body in the motions of a step, by the measure that gives more.

    Velocities are those of the middle of a step. Energy is measured with them, or with those half a step later: by the
    first, a force works along the way, by the second, as much less as loads gained meanwhile. A gain is one by both.
    A torque works along the turn, or by what it makes of the spin at the start.
    """
    by_way = by_speeds = lead = turn = 0.0
    for before, after, part in parts:
        loads, hand = part.wrenches["weight"][i] + part.wrenches["applied"][i], part.wrenches["hand"][i]
        way, gained = after.position[i] - before.position[i], after.velocity[i] - before.velocity[i]
        pull = loads[:3] + hand[:3]
        by_way += float(pull @ way)
        by_speeds += 0.5 * part.dt * float(pull @ (before.velocity[i] + after.velocity[i]))
        lead += 0.5 * facts.dt * float(loads[:3] @ gained)
        turn += _work_of_torque(cast[i], before, after, part, i, loads[3:] + hand[3:])
    return max(by_way, by_way - lead, by_speeds) + turn


def _work_of_torque(actor: Actor, before: Snapshot, after: Snapshot, facts: Facts, i: int, torque: Floats) -> float:
    """[J] at most."""
    if not torque.any():
        return 0.0
    L = spin_momentum(actor, before, i)
    alone = spin_energy(actor, before.rotation[i], L + facts.dt * torque) - spin_energy(actor, before.rotation[i], L)
    along = float(torque @ turn_between(before.rotation[i], after.rotation[i]))
    speeds = 0.5 * facts.dt * float(torque @ (before.spin[i] + after.spin[i]))
    return max(alone, along, speeds)


def _kinematic_work(cast: list[Actor], before: Snapshot, facts: Facts) -> float:
    """[J] that kinematic bodies do at contacts and joints: against what these exert on them, along their motion."""
    work = 0.0
    for i, actor in enumerate(cast):
        if actor.kind == "kinematic":
            wrench = facts.wrenches["contact"][i] + facts.wrenches["joint"][i]
            given = -facts.dt * float(wrench[:3] @ before.velocity[i] + wrench[3:] @ before.spin[i])
            # A body that was held for the time given up did none in it.
            work += max(given, 0.0) if facts.report.time_given_up > 0.0 else given
    return work
