"""Bodies in a snapshot, with their state, and what holds for pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.culling_kernels import ABSENT
from ...geometry import Shape, size_of
from ..accounts.account_kernels import WRENCHES
from ..bodies.body import AXES, BodySpec, body_spec
from ..bodies.body_kernels import DYNAMIC, FIXED, FROZEN, KINEMATIC
from ..bodies.hold_kernels import ARM, HOLD_WIDTH, HOLDS_POINT
from ..contacts.pair_laws import PairLaws
from ..moment import Moment, Setup
from ..state import State
from .archive import MOST_32, Section

RULES = ("ignore", "interference")
VERSION = 2
"""Of the section; the first one had no arms of hands in `hold`."""
TABLES = ("pose", "twist", "wrench", "hold", "target", "applied", "acted", "gravity")
"""Floats of a State."""
ROUNDED_IN_FILES = 1e-6
"""By which what is saved may differ from what follows from the part, as another version may have computed it."""


def write_bodies(now: Moment, part_of: Ints) -> Section:
    """What bodies are and how they move."""
    specs, state, n = now.setup.specs, now.state, len(now.setup.specs)
    arrays = {
        "part": part_of,
        "kind": np.array([spec.kind for spec in specs], np.int32),
        "mass": np.array([spec.mass for spec in specs]),
        "centre": np.array([spec.centre for spec in specs]).reshape(n, 3),
        "inertia": np.array([spec.inertia for spec in specs]).reshape(n, 3, 3),
        "group": np.array([spec.group for spec in specs], np.int32),
        "locked": np.array([spec.locked for spec in specs], np.bool_).reshape(n, 6),
        "drag": np.array([spec.drag for spec in specs]).reshape(n, 2),
        "state": state.kind,
        **{name: getattr(state, name) for name in TABLES},
        "suspects": np.array(sorted(now.suspects), np.int32),
    }
    return Section("bodies", {"names": [spec.name for spec in specs]}, arrays, VERSION)


def read_bodies(section: Section, parts: Sequence[Shape]) -> tuple[tuple[BodySpec, ...], State, frozenset[int]]:
    """The bodies of a section, their state, and which of them may overlap others."""
    names = section.texts("names")
    n = len(names)
    if len(set(names)) < n or "" in names:
        section.refuse("names of bodies are not unique")
    specs = _read_specs(section, names, parts)
    suspects = frozenset(section.integers("suspects", None, least=-1, below=n).tolist())
    return specs, _read_state(section, specs), suspects


def _read_specs(section: Section, names: list[str], parts: Sequence[Shape]) -> tuple[BodySpec, ...]:
    n = len(names)
    part = section.integers("part", n, least=0, below=len(parts)).tolist()
    kind = section.integers("kind", n, least=DYNAMIC, below=FROZEN).tolist()
    mass, centre, inertia = (
        section.floats("mass", n),
        section.floats("centre", n, 3),
        section.floats("inertia", n, 3, 3),
    )
    group = section.integers("group", n, least=ABSENT, below=MOST_32).tolist()
    locked, drag = section.flags("locked", n, 6).tolist(), section.floats("drag", n, 2).tolist()
    specs = []
    for i, name in enumerate(names):
        spec = body_spec(
            parts[part[i]],
            name,
            density=None,
            mass=float(mass[i]),
            inertia=None,
            fixed=kind[i] == FIXED,
            kinematic=kind[i] == KINEMATIC,
            group=None if group[i] < 0 else group[i],
            locked=[axis for axis, held in zip(AXES, locked[i], strict=True) if held],
            drag=tuple(drag[i]),
        )
        _check_inertia(section, spec, centre[i], inertia[i])
        exact = {"mass": float(mass[i]), "centre": centre[i].copy(), "inertia": inertia[i].copy()}
        specs.append(replace(spec, group=group[i], **exact))
    return tuple(specs)


def _check_inertia(section: Section, spec: BodySpec, centre: Floats, inertia: Floats) -> None:
    size = size_of(spec.shape) if spec.shape.bounded else 0.0
    if np.abs(centre - spec.centre).max() > ROUNDED_IN_FILES * size:
        section.refuse(f"the centre of body '{spec.name}' is not that of its part")
    scale = np.abs(inertia).max()
    symmetric = np.abs(inertia - inertia.T).max() <= ROUNDED_IN_FILES * scale
    # A needle's least moment may be lost in rounding.
    if not symmetric or scale == 0.0 or np.linalg.eigvalsh(inertia / scale)[0] < -1e-9:
        section.refuse(f"the inertia of body '{spec.name}' is not symmetric and positive")


def _read_state(section: Section, specs: Sequence[BodySpec]) -> State:
    n = len(specs)
    kind = section.integers("state", n, least=DYNAMIC, below=FROZEN + 1)
    for spec, now in zip(specs, kind.tolist(), strict=True):
        if now not in (spec.kind, FROZEN):
            section.refuse(f"body '{spec.name}' has become another kind of body")
    state = State(
        kind,
        section.floats("pose", n, 7),
        section.floats("twist", n, 6),
        section.floats("wrench", n, 6),
        _read_hold(section, n),
        section.floats("target", n, 7),
        section.floats("applied", n, 6),
        section.floats("acted", n, WRENCHES, 6),
        section.floats("gravity", 3),
    )
    for name, table in (("pose", state.pose), ("target", state.target)):
        if (np.abs(np.linalg.norm(table[:, 3:], axis=1) - 1.0) > ROUNDED_IN_FILES).any():
            section.refuse(f"{name} holds a quaternion whose length is not 1")
    _check_hold(section, state.hold)
    return state


def _read_hold(section: Section, n: int) -> Floats:
    """Hands; those of the first version hold frames of bodies, not points."""
    table = section.arrays.get("hold")
    if section.version > 1 or table is None or table.shape != (n, ARM):
        return section.floats("hold", n, HOLD_WIDTH, infinite=True)
    return np.concatenate((section.floats("hold", n, ARM, infinite=True), np.zeros((n, HOLD_WIDTH - ARM))), axis=1)


def _check_hold(section: Section, hold: Floats) -> None:
    springs = hold[:, :ARM]
    if (springs < 0.0).any() or not np.isfinite(springs[:, (0, 1, 2, 4, 5)]).all():
        section.refuse("hold holds a stiffness that is not finite, or a number below 0")
    if (hold[:, 0] > HOLDS_POINT).any() or not np.isfinite(hold[:, ARM:]).all():
        section.refuse("hold holds a hand that does not exist, or one that holds no point")


def write_pairs(setup: Setup) -> Section:
    """Friction, restitution and rules of bodies and of pairs of them."""
    laws, rules = setup.laws, setup.rules
    arrays: dict[str, NDArray[Any]] = {
        "of_body": laws.of_body,
        "pairs": laws.pairs,
        "of_pair": laws.of_pair,
        "ruled": np.array(list(rules), np.int32).reshape(-1, 2),
        "rule": np.array([RULES.index(rule) for rule in rules.values()], np.int32),
    }
    return Section("pairs", {"rules": list(RULES)}, arrays)


def read_pairs(section: Section, laws: PairLaws, n: int) -> tuple[PairLaws, dict[tuple[int, int], str]]:
    """A world's laws with those of its n bodies and of pairs of them, and the rules of pairs."""
    pairs = _pairs(section, "pairs", n)
    of_body, of_pair = _laws(section, "of_body", n), _laws(section, "of_pair", len(pairs))
    ruled = _pairs(section, "ruled", n)
    rule = section.integers("rule", len(ruled), least=0, below=len(RULES)).tolist()
    rules = {(a, b): RULES[r] for (a, b), r in zip(ruled.tolist(), rule, strict=True)}
    return replace(laws, of_body=of_body, pairs=pairs, of_pair=of_pair), rules


def _pairs(section: Section, name: str, n: int) -> Ints:
    pairs = section.integers(name, None, 2, least=0, below=n)
    if (pairs[:, 0] >= pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) < len(pairs):
        section.refuse(f"{name} holds a pair twice, or not with its smaller number first")
    return pairs


def _laws(section: Section, name: str, n: int) -> Floats:
    """(n, 2) friction and restitution, nan where none is given."""
    laws = section.floats(name, n, 2, missing=True)
    if (laws < 0.0).any() or (laws[:, 1] > 1.0).any():
        section.refuse(f"{name} holds a friction below 0 or a restitution that is not from 0 to 1")
    return laws
