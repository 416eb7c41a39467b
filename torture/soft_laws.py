"""The laws of soft bodies, from nodes, velocities and what the world tells: momentum, spin and energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from abut.dynamics.soft.soft_spec import SOFT_NUMBER
from abut.fem.elastic.flat_kernels import FLAT, RESISTANCE

from .facts import Facts
from .finding import Finding
from .laws import energy_balance
from .reading import Actor, Floats, Snapshot

MOMENTUM = 1e-9
"""Of mass times speed and of impulses."""
SPIN = 1e-3
"""Of masses times speeds times the size of all: where it would take energy to keep it, a step keeps less of it."""
ENERGY_SHARE, TINY_ENERGY = 1e-2, 1e-12
"""Of the energy of motion and strain and of the work, and [J], that may come from nowhere in a motion."""


class Cage(NamedTuple):
    """What a soft body is."""

    name: str
    mass: Floats
    """(n,) [kg] of the nodes."""
    tetrahedra: np.ndarray
    inverse: Floats
    """(m, 3, 3) of the edges at rest."""
    volume: Floats
    lame: tuple[float, float]
    drag: float
    """[1/s] Rayleigh's factor of mass."""
    triangles: np.ndarray


def make_cage(soft: Any, recipe: dict[str, Any], mass: Floats) -> Cage:
    """From what was asked for."""
    mesh, E, nu = soft.mesh, recipe["young"], recipe["poisson"]
    x = mesh.nodes[mesh.tetrahedra]
    edges = np.swapaxes(x[:, 1:] - x[:, :1], 1, 2)
    lame = E / (2.0 * (1.0 + nu)), E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    volume = np.abs(np.linalg.det(edges)) / 6.0
    drag = float(recipe["damping"][0])
    triangles = np.asarray(soft.triangles, np.int64)
    return Cage(recipe["name"], mass, mesh.tetrahedra, np.linalg.inv(edges), volume, lame, drag, triangles)


def strain_energy(cage: Cage, nodes: Floats) -> float:
    """[J] V (mu |F - R|^2 + lambda / 2 tr(R^T F - I)^2) with the nearest rotation R, by singular values.

    Singular values below FLAT have more.
    """
    x = nodes[cage.tetrahedra]
    F = np.swapaxes(x[:, 1:] - x[:, :1], 1, 2) @ cage.inverse
    U, s, V = np.linalg.svd(F)
    s[:, 2] *= np.sign(np.linalg.det(U) * np.linalg.det(V))
    mu, lam = cage.lame
    density = mu * ((s - 1.0) ** 2).sum(axis=1) + 0.5 * lam * (s - 1.0).sum(axis=1) ** 2
    flat = np.maximum(0.0, 1.0 - s / FLAT)
    more = FLAT * np.where(flat < 1.0, flat**3 / 3.0, flat**2 - flat + 1.0 / 3.0)
    density += RESISTANCE * (lam + 2.0 * mu) * more.sum(axis=1)
    return float(cage.volume @ density)


def soft_energy(cages: list[Cage], now: Snapshot) -> float:
    """Of motion and strain [J]."""
    moving = (0.5 * float(c.mass @ (v * v).sum(axis=1)) for c, v in zip(cages, now.speeds, strict=True))
    return sum(moving) + sum(strain_energy(c, x) for c, x in zip(cages, now.nodes, strict=True))


def soft_findings(
    cages: list[Cage], cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts, bonds: Bonds
) -> Iterator[Finding]:
    """What a step did wrong to soft bodies."""
    for k, cage in enumerate(cages):
        if not (np.isfinite(after.nodes[k]).all() and np.isfinite(after.speeds[k]).all()):
            yield Finding("finite", f"'{cage.name}' is no longer at a finite place")
            return
    if facts.report.time_given_up == 0.0:
        yield from told_forces(cages, before, after, facts, bonds)
        yield from whole_momentum(cages, cast, before, after, facts, bonds)
    yield from energy(cages, cast, before, after, facts, bonds)


class Bonds(NamedTuple):
    """What else acts on soft bodies in a step."""

    held: set[int]
    """Soft bodies with fixed or attached nodes, or hands."""
    work: float
    """[J] of hands, at most."""
    driven: bool
    """Whether nodes are attached to bodies that move as they were told to."""
    outside: bool
    """Whether anything but weights acts on the world from outside."""
    creep: float = 0.0
    """[J] of what is attached to each other, if it moves by a hundredth of the contact gap in a step, as joints may."""


def _pushes(k: int, contacts: Any) -> tuple[Floats, float]:
    """(3,) [N] on soft body k, and the sum of the lengths of all of them."""
    total, size = np.zeros(3), 0.0
    for side, along in (("body_a", -1.0), ("body_b", 1.0)) if len(contacts) else ():
        mine = contacts[contacts[side] == SOFT_NUMBER + k]
        push = mine["force"][:, None] * mine["normal"] + mine["friction"]
        total += along * push.sum(axis=0)
        size += float(np.linalg.norm(push, axis=1).sum())
    return total, size


def told_forces(cages: list[Cage], before: Snapshot, after: Snapshot, facts: Facts, bonds: Bonds) -> Iterator[Finding]:
    """Weight, contacts and drag are the change of momentum of a soft body that nothing else holds."""
    for k, cage in enumerate(cages):
        if k in bonds.held or not after.speeds[k].any():  # one that rests is stopped
            continue
        push, size = _pushes(k, facts.contacts)
        m, dt = float(cage.mass.sum()), facts.dt
        gained = cage.mass @ (after.speeds[k] - before.speeds[k])
        drag = cage.drag * (cage.mass @ (after.nodes[k] - before.nodes[k]))
        off = float(np.linalg.norm(gained - dt * (push + m * facts.gravity) + drag))
        speeds = float(cage.mass @ np.linalg.norm(before.speeds[k], axis=1))
        speeds += float(cage.mass @ np.linalg.norm(after.speeds[k], axis=1))
        room = MOMENTUM * (dt * (size + m * float(np.linalg.norm(facts.gravity))) + speeds)
        if not off <= room:
            text = f"'{cage.name}': momentum and forces differ by {off:.3g} N s, {room:.3g} allowed"
            yield Finding("forces", text, size=off / max(room, 1e-300))


def whole_momentum(
    cages: list[Cage], cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts, bonds: Bonds
) -> Iterator[Finding]:
    """A world on which nothing but weights acts keeps its momentum; soft bodies alone, without weights, their spin."""
    if bonds.outside or any(c.drag for c in cages) or any(not v.any() for v in after.speeds):
        return
    (p_0, L_0, s_0, r_0), (p_1, L_1, s_1, r_1) = _momenta(cages, cast, before), _momenta(cages, cast, after)
    mass = sum(float(c.mass.sum()) for c in cages) + sum(a.mass for a in cast)
    given = mass * facts.gravity * facts.dt
    room = MOMENTUM * (s_0 + s_1 + float(np.linalg.norm(given)))
    off = float(np.linalg.norm(p_1 - p_0 - given))
    if not off <= room:
        yield Finding("momentum", f"the world's momentum is off by {off:.3g} N s, {room:.3g} allowed", size=off / room)
    off, room = float(np.linalg.norm(L_1 - L_0)), SPIN * max(r_0, r_1) * (s_0 + s_1)
    if not facts.gravity.any() and not cast and not off <= room:
        yield Finding("momentum", f"the world's spin is off by {off:.3g} N m s, {room:.3g} allowed", size=off / room)


def _momenta(cages: list[Cage], cast: list[Actor], now: Snapshot) -> tuple[Floats, Floats, float, float]:
    """Momentum, spin about the origin, masses times speeds, and how far things are from the origin."""
    p, L, size, reach = np.zeros(3), np.zeros(3), 0.0, 0.0
    for c, x, v in zip(cages, now.nodes, now.speeds, strict=True):
        p += c.mass @ v
        L += (c.mass[:, None] * np.cross(x, v)).sum(axis=0)
        size += float(c.mass @ np.linalg.norm(v, axis=1))
        reach = max(reach, float(np.abs(x).max()))
    for i, actor in enumerate(cast):
        R = now.rotation[i]
        p += actor.mass * now.velocity[i]
        L += actor.mass * np.cross(now.position[i], now.velocity[i]) + R @ actor.inertia @ R.T @ now.spin[i]
        size += actor.mass * float(np.linalg.norm(now.velocity[i]) + actor.reach * np.linalg.norm(now.spin[i]))
        reach = max(reach, float(np.abs(now.position[i]).max()) + actor.reach)
    return p, L, size, reach


def energy(
    cages: list[Cage], cast: list[Actor], before: Snapshot, after: Snapshot, facts: Facts, bonds: Bonds
) -> Iterator[Finding]:
    """Energy of motion and strain grows by no more than the work of weights, loads, hands and driven bodies."""
    if bonds.driven or (facts.report.parts > 1 and any(actor.kind == "kinematic" for actor in cast)):
        return
    rigid_start, rigid_end, work = energy_balance(cast, before, after, facts)
    start, end = rigid_start + soft_energy(cages, before), rigid_end + soft_energy(cages, after)
    for k, cage in enumerate(cages):
        work += float(cage.mass @ ((after.nodes[k] - before.nodes[k]) @ facts.gravity))
    work += bonds.work
    contacts = facts.contacts
    opened = (
        float((np.abs(contacts["force"]) * np.maximum(contacts["gap"], facts.contact_gap)).sum())
        if len(contacts)
        else 0.0
    )
    motions = max(facts.report.parts, 1)
    gain = end - start - work
    room = motions * (ENERGY_SHARE * (max(start, end) + abs(work)) + 2.0 * opened + TINY_ENERGY) + bonds.creep
    if not gain <= room:
        text = f"energy {start:.6g} to {end:.6g} J: {gain:.3g} J too much, {room:.3g} J allowed"
        yield Finding("energy", text, size=gain / max(start, end, 1e-300))
