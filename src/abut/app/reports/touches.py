"""Who touched whom, when, with which features and how hard: the contacts of a run by pairs of bodies."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Floats
from ..runs import Run

SPANS = 400
"""Most stretches of time of a pair that are told one by one; shorter breaks between them are then left out."""
FEATURES = 6
"""Features of a pair that are told, those that pushed most."""


class Touches:
    """The contacts of a run, by pairs of bodies."""

    def __init__(self, run: Run) -> None:
        self._run, self._contacts = run, run.contacts
        keys = self._contacts["body_a"].astype(np.int64) << 32 | self._contacts["body_b"]
        found, first, self._pair = np.unique(keys, return_index=True, return_inverse=True)
        self._bodies = [tuple(self._contacts[i][["body_a", "body_b"]].item()) for i in first]
        self._n = len(found)
        pushes = self._contacts["force"][:, None] * self._contacts["normal"] + self._contacts["friction"]
        self._step = self._contacts["step"]
        self._force = pushes

    @cached_property
    def _sums(self) -> list[tuple[np.ndarray, Floats]]:
        """Of each pair, the steps in which it touched and the force of all its contacts [N] in them."""
        return [self._sum(k) for k in range(self._n)]

    def _sum(self, pair: int) -> tuple[np.ndarray, Floats]:
        mine = self._pair == pair
        steps, place = np.unique(self._step[mine], return_inverse=True)
        total = np.stack([np.bincount(place, self._force[mine, i], len(steps)) for i in range(3)], axis=1)
        return steps, np.linalg.norm(total, axis=1)

    def _name(self, pair: int) -> str:
        a, b = (self._run.body_name(i) for i in self._bodies[pair])
        return f"{a} and {b}"

    def forces(self, most: int) -> tuple[Floats, dict[str, Floats]]:
        """Times of the steps, and the force of each of the pairs that pushed hardest over them."""
        steps = self._run.reports["step"].astype(np.int64)
        order = sorted(range(self._n), key=lambda k: -float(self._sums[k][1].max(initial=0.0)))[:most]
        lines = {}
        for k in order:
            touched, force = self._sums[k]
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
        steps, force = self._sums[pair]
        mine = self._contacts[self._pair == pair]
        spans = self._spans(steps)
        return {
            "name": self._name(pair),
            "first": spans[0][0],
            "spans": spans,
            "time": float(len(steps) * self._run.info.get("dt", 0.0)),
            "largest_force": float(force.max(initial=0.0)),
            "mean_force": float(force.mean()),
            "smallest_gap": float(mine["gap"].min()),
            "contacts_at_most": int(np.unique(mine["step"], return_counts=True)[1].max()),
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
        kinds = np.unique(mine["kind"], return_inverse=True)
        key = np.stack((kinds[1], mine["entity_a"], mine["entity_b"]), axis=1)
        found, place = np.unique(key, axis=0, return_inverse=True)
        place = place.ravel()
        impulse = np.bincount(place, mine["force"], len(found))
        names = [self._run.body_name(i) for i in self._bodies[pair]]
        told = []
        for k in np.argsort(-impulse, kind="stable")[:FEATURES].tolist():
            parts = str(kinds[0][found[k, 0]]).split("-")
            chosen = mine[place == k]
            told.append(
                {
                    "a": f"{parts[0]} {found[k, 1]} of {names[0]}",
                    "b": f"{parts[1]} {found[k, 2]} of {names[1]}",
                    "steps": len(chosen),
                    "largest_force": float(chosen["force"].max()),
                    "smallest_gap": float(chosen["gap"].min()),
                }
            )
        return told
