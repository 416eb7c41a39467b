"""Random rigid motions of thin, sharp and bumpy parts: does any touch go unseen or come late?

As many as the environment variable ABUT_MOTIONS says, 20,000 if it is not set. With ABUT_MOTIONS_LOG, results are
appended to that file block by block; a second run goes on where the first was stopped.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress
from rich.table import Table

import abut
from abut import Motion, Pose
from abut.query.motion.feature_table import ROWS
from abut.query.motion.motion_pair import MotionPair
from abut.query.volumes.hierarchy import hierarchy_of

GAP, TOLERANCE = 1e-3, 1e-6
BLOCK = 500
METHODS = ("by features", "by hierarchies", "time_of_impact")
Family = tuple[abut.Solid, abut.Solid, float, str]


def run(console: Any) -> None:
    count = int(os.environ.get("ABUT_MOTIONS", "20000"))
    families = _families()
    n_block = max(1, count // (BLOCK * len(families)))
    log = _Log(os.environ.get("ABUT_MOTIONS_LOG"))
    totals = {name: _Total() for name in (*families, "all")}
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("judging motions", total=n_block * len(families))
        for name, result in _blocks(families, n_block, log):
            progress.advance(task)
            totals[name].add(result)
            totals["all"].add(result)
    table = Table("motions", "", "apart", "touch", "late", "early", "undecided", "unproven", "excess", "ms each")
    for name, total in totals.items():
        _add_rows(table, name, total)
    console.print(table)


class _Log:
    """Results of blocks, in a file if there is one."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None
        lines = self._path.read_text().splitlines() if self._path and self._path.exists() else []
        entries = [json.loads(line) for line in lines]
        self._known = {(entry["family"], entry["block"]): entry for entry in entries}

    def known(self, name: str, block: int) -> Any:
        return self._known.get((name, block))

    def append(self, entry: Any) -> None:
        if self._path:
            with self._path.open("a") as file:
                file.write(json.dumps(entry) + "\n")


class _Total:
    """Sums over blocks."""

    def __init__(self) -> None:
        self.reports, self.worst, self.spent = (
            np.zeros((len(METHODS), 6), np.int64),
            np.full(len(METHODS), -np.inf),
            0.0,
        )

    def add(self, result: Any) -> None:
        self.reports += np.array(result["reports"])
        self.worst = np.maximum(self.worst, np.array(result["worst"])[:, 0])
        self.spent += result["seconds"]


def _add_rows(table: Table, name: str, total: _Total) -> None:
    each = 1e3 * total.spent / max(1, total.reports[0, 0])
    for m, method in enumerate(METHODS):
        cells = [f"{x:,}" for x in total.reports[m]]
        table.add_row(name if m == 0 else "", method, *cells, f"{total.worst[m]:.4f}", f"{each:.2f}" if m == 0 else "")


def _families() -> dict[str, Family]:
    """Parts, how far they turn [rad], and how A comes to B."""
    plate, needle = abut.Solid.box((2.0, 2.0, 0.01)), abut.Solid.box((0.02, 0.02, 2.0))
    ring, small = abut.Solid.torus(0.8, 0.2, segments=8, sides=4), abut.Solid.torus(0.8, 0.15, segments=7, sides=3)
    bumpy, ball = _bumpy(0), _bumpy(1)
    return {
        "plates crossing": (plate, plate, 1.0, "any"),
        "plates face on": (plate, plate, 0.02, "face on"),
        "plates, half a turn": (plate, plate, np.pi, "any"),
        "plates, many turns": (plate, plate, 40.0, "any"),
        "needle and plate": (needle, plate, 1.0, "any"),
        "needles": (needle, needle, 3.0, "any"),
        "ring and needle": (ring, needle, 1.0, "any"),
        "rings": (small, small, 2.0, "any"),
        "bumpy solids": (bumpy, bumpy, 2.0, "any"),
        "bumpy ball and ring": (ball, small, 1.0, "any"),
    }


def _bumpy(subdivisions: int) -> abut.Solid:
    """An icosahedron or a finer ball with its corners moved in and out."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=subdivisions)
    radius = np.random.default_rng(3).uniform(0.6, 1.2, (len(mesh.vertices), 1))
    return abut.Solid(np.array(mesh.vertices) * radius, np.array(mesh.faces))


def _blocks(families: dict[str, Family], n_block: int, log: _Log) -> Iterator[tuple[str, Any]]:
    """Results of blocks of motions; each block has a seed of its own, so that it can be repeated alone."""
    judges = {name: _Judge(*family[:2]) for name, family in families.items()}
    for block in range(n_block):
        for name, family in families.items():
            result = log.known(name, block)
            if result is None:
                begin = time.process_time()
                rng = np.random.default_rng((block, *name.encode()))
                reports, worst, intervals = judges[name](*_motions(rng, BLOCK, *family[2:]))
                seconds = time.process_time() - begin
                result = {"family": name, "block": block, "reports": reports.tolist(), "worst": worst.tolist()}
                result |= {"intervals": intervals, "seconds": round(seconds, 3)}
                log.append(result)
            yield name, result


class _Judge:
    """Two parts with everything the kernels need."""

    def __init__(self, a: abut.Solid, b: abut.Solid) -> None:
        from .motion_oracle_kernels import proof_scratch, scratch_of, triangle_balls

        self.a, self.b, self.pair = a, b, MotionPair(a, b)
        trees = hierarchy_of(a), hierarchy_of(b)
        self.parts = tuple((h.tree.corners, h.tree.child, h.tree.boxes, h.reach) for h in trees)
        balls = tuple(np.zeros((len(h.tree.corners), 5)) for h in trees)
        for h, ball in zip(trees, balls, strict=True):
            triangle_balls(h.tree.corners, ball)
        self.sides = tuple((h.tree.corners, ball) for h, ball in zip(trees, balls, strict=True))
        self.scratch = scratch_of(ROWS, 4096, 40000)
        self.proof = proof_scratch(len(balls[0]), len(balls[1]))

    def __call__(self, motions: Any, poses: Any) -> tuple[Any, Any, int]:
        from .motion_oracle_kernels import judge_motions

        reports, worst = np.zeros((len(METHODS), 6), np.int64), np.tile((-np.inf, np.inf), (len(METHODS), 1))
        public = np.array([self._time_of_impact(*pair) for pair in poses])
        intervals = judge_motions(
            (self.pair.a.arrays, self.pair.b.arrays),
            self.parts,
            self.sides,
            motions,
            public,
            (GAP, TOLERANCE),
            self.pair.memory,
            self.scratch,
            self.proof,
            reports,
            worst,
        )
        return reports, worst, int(intervals)

    def _time_of_impact(self, motion_a: Motion, motion_b: Motion) -> float:
        impact = abut.time_of_impact(self.a, self.b, motion_a, motion_b, gap=GAP, tolerance=TOLERANCE)
        return np.inf if impact is None else impact.time


def _motions(rng: np.random.Generator, n: int, spin: float, aim: str) -> tuple[Any, list[tuple[Motion, Motion]]]:
    """A flies at B, both turn: rows (2 n, 18) of A and B in turn, and the same as motions."""
    towards = rng.normal(size=(n, 3))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    quats = rng.normal(size=(n, 2, 4))
    if aim == "face on":
        quats[:] = (1.0, 0.0, 0.0, 0.0)
        towards = np.tile((0.0, 0.0, 1.0), (n, 1)) + 0.02 * towards
    far = 3.0 if aim != "face on" else 0.1
    begin, way = np.zeros((n, 2, 3)), np.zeros((n, 2, 3))
    begin[:, 0] = far * towards
    way[:, 0] = -rng.uniform(0.6, 1.6, (n, 1)) * far * towards + 0.1 * far * rng.normal(size=(n, 3))
    turns = spin * rng.normal(size=(n, 2, 3)) / np.sqrt(3.0)
    motions = [
        tuple(Motion(Pose(begin[i, s], quat_wxyz=quats[i, s]), way[i, s], turns[i, s]) for s in (0, 1))
        for i in range(n)
    ]
    starts = [np.concatenate((m.start.rotation.ravel(), m.start.position)) for pair in motions for m in pair]
    rows = np.concatenate((np.array(starts), way.reshape(-1, 3), turns.reshape(-1, 3)), axis=1)
    return np.ascontiguousarray(rows), motions
