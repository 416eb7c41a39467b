"""Who touched whom, when, with which features and how hard: the contacts of a run by pairs of bodies."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...dynamics.contacts.contact_table import KIND_PARTS
from ..runs import Run

SPANS = 400
"""Most stretches of time of a pair that are told one by one; shorter breaks between them are then left out."""
NEEDED = ("step", "body_a", "body_b", "kind", "entity_a", "entity_b", "normal", "gap", "force", "friction")
MOST_TABLE = 2000
"""Bodies of which a table with a place for each pair is made."""
FEATURES = 6
"""Features of a pair that are told, those that pushed most."""


class _Sum(NamedTuple):
    """What a pair of bodies did to each other."""

    steps: np.ndarray
    """In which they touched."""
    force: Floats
    """[N] of all their contacts in each of them."""
    most: int
    """Contacts at once."""


class Touches:
    """The contacts of a run, by pairs of bodies."""

    def __init__(self, run: Run) -> None:
        self._run = run
        contacts = run.contact_numbers(NEEDED)
        self.largest_force = float(contacts["force"].max(initial=0.0))
        """[N] of a single contact."""
        n_body = 1 + max((int(contacts[name].max(initial=0)) for name in ("body_a", "body_b")), default=0)
        keys = contacts["body_a"].astype(np.int64) * n_body + contacts["body_b"]
        found = np.unique(keys) if n_body > MOST_TABLE else np.flatnonzero(np.bincount(keys, minlength=n_body**2))
        pair = np.searchsorted(found, keys).astype(np.uint16 if len(found) < 1 << 16 else np.int64)
        order = np.argsort(pair, kind="stable")  # steps stay in order
        self._contacts = contacts[order]
        self._bounds = np.searchsorted(pair[order], np.arange(len(found) + 1))
        self._bodies = [divmod(key, n_body) for key in found.tolist()]
        self._n = len(found)

    def _mine(self, pair: int) -> np.ndarray:
        """The contacts of a pair, step by step."""
        return self._contacts[self._bounds[pair] : self._bounds[pair + 1]]

    @cached_property
    def _sums(self) -> list[_Sum]:
        """Of each pair."""
        return [self._sum(k) for k in range(self._n)]

    def _sum(self, pair: int) -> _Sum:
        mine = self._mine(pair)
        step, push = mine["step"], mine["force"][:, None] * mine["normal"] + mine["friction"]
        begins = np.flatnonzero(np.concatenate(([True], step[1:] != step[:-1])))
        total = np.add.reduceat(push, begins, axis=0)
        most = int(np.diff(np.append(begins, len(step))).max())
        return _Sum(step[begins], np.linalg.norm(total, axis=1), most)

    def _name(self, pair: int) -> str:
        a, b = (self._run.body_name(i) for i in self._bodies[pair])
        return f"{a} and {b}"

    def forces(self, most: int) -> tuple[Floats, dict[str, Floats]]:
        """Times of the steps, and the force of each of the pairs that pushed hardest over them."""
        steps = self._run.reports["step"].astype(np.int64)
        order = sorted(range(self._n), key=lambda k: -float(self._sums[k].force.max(initial=0.0)))[:most]
        lines = {}
        for k in order:
            touched, force, _ = self._sums[k]
            line = np.zeros(len(steps))
            at = np.searchsorted(steps, touched)
            inside = (at < len(steps)) & (steps[np.minimum(at, len(steps) - 1)] == touched) if len(steps) else at < 0
            line[at[inside]] = force[inside]
            lines[self._name(k)] = line
        return self._run.reports["time"], lines

    def pairs(self) -> list[dict[str, Any]]:
        """Pairs that touched, those first that began first: stretches of time, forces, gaps and features."""
        told = [self._told(k) for k in range(self._n)]
        return sorted(told, key=lambda pair: float(pair["first"]))

    def _told(self, pair: int) -> dict[str, Any]:
        steps, force, most = self._sums[pair]
        mine = self._mine(pair)
        spans = self._spans(steps)
        return {
            "name": self._name(pair),
            "first": spans[0][0],
            "spans": spans,
            "time": float(len(steps) * self._run.info.get("dt", 0.0)),
            "largest_force": float(force.max(initial=0.0)),
            "mean_force": float(force.mean()),
            "smallest_gap": float(mine["gap"].min()),
            "contacts_at_most": most,
            "features": self._features(mine, pair),
        }

    def _spans(self, steps: np.ndarray) -> list[list[float]]:
        """Stretches of time in which a pair touched [s]."""
        dt, times = float(self._run.info.get("dt", 0.0)), self._run.times
        first = int(self._run.steps[0]) if len(self._run.steps) else 0
        gaps = np.diff(steps)
        least = 1 if (gaps > 1).sum() < SPANS else np.sort(gaps)[-SPANS]
        cuts = np.flatnonzero(gaps > least)
        begins, ends = np.concatenate(([0], cuts + 1)), np.concatenate((cuts, [len(steps) - 1]))
        at = np.clip(steps - first, 0, len(times) - 1)
        return [[float(times[at[b]] - dt), float(times[at[e]])] for b, e in zip(begins, ends, strict=True)]

    def _features(self, mine: np.ndarray, pair: int) -> list[dict[str, Any]]:
        """What touched of both, and how hard at most: the features that pushed most."""
        (a, place_a), (b, place_b) = (np.unique(mine[n], return_inverse=True) for n in ("entity_a", "entity_b"))
        key = (mine["kind"].astype(np.int64) * len(a) + place_a) * len(b) + place_b
        found, place = np.unique(key, return_inverse=True)
        impulse = np.bincount(place, mine["force"], len(found))
        names = [self._run.body_name(i) for i in self._bodies[pair]]
        told = []
        for k in np.argsort(-impulse, kind="stable")[:FEATURES].tolist():
            (kind, of_a), of_b = divmod(int(found[k]) // len(b), len(a)), int(found[k]) % len(b)
            parts = KIND_PARTS[kind % len(KIND_PARTS)]
            chosen = mine[place == k]
            told.append(
                {
                    "a": f"{parts[0]} {a[of_a]} of {names[0]}",
                    "b": f"{parts[1]} {b[of_b]} of {names[1]}",
                    "steps": len(chosen),
                    "largest_force": float(chosen["force"].max()),
                    "smallest_gap": float(chosen["gap"].min()),
                }
            )
        return told
