"""Random rigid motions of thin, sharp and bumpy parts: does any touch go unseen or come late?

As many as the environment variable ABUT_MOTIONS says, 20,000 if it is not set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.progress import Progress
from rich.table import Table

import abut
from abut.query.feature_table import ROWS
from abut.query.hierarchy import hierarchy_of
from abut.query.motion_pair import MotionPair

GAP, TOLERANCE = 1e-3, 1e-6
BATCH = 500


def run(console: Any) -> None:
    count = int(os.environ.get("ABUT_MOTIONS", "20000"))
    families = _families()
    total = np.zeros((2, 5), np.int64)
    table = Table("motions", "apart at start", "touch", "missed or late", "too early", "undecided", "ms each")
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("judging motions", total=count)
        for name, (a, b, spin, aim) in families.items():
            begin, reports = time.process_time(), np.zeros((2, 5), np.int64)
            for done in _judged(a, b, spin, aim, -(-count // len(families)), reports):
                progress.advance(task, done)
            spent = time.process_time() - begin
            total += reports
            _add_rows(table, name, reports, 1e3 * spent / max(1, reports[0, 0]))
    _add_rows(table, "all", total, None)
    console.print(table)


def _add_rows(table: Table, name: str, reports: Any, each: float | None) -> None:
    cost = "" if each is None else f"{each:.2f}"
    table.add_row(f"{name}, by features", *(f"{x:,}" for x in reports[0]), cost)
    table.add_row("    by hierarchies", *(f"{x:,}" for x in reports[1]), "")


def _families() -> dict[str, tuple[abut.Solid, abut.Solid, float, str]]:
    """Parts, how far they turn [rad], and how A comes to B."""
    plate, needle = abut.Solid.box((2.0, 2.0, 0.01)), abut.Solid.box((0.02, 0.02, 2.0))
    ring, bumpy = abut.Solid.torus(0.8, 0.2, segments=8, sides=4), _bumpy()
    return {
        "plates crossing": (plate, plate, 1.0, "any"),
        "plates face on": (plate, plate, 0.02, "face on"),
        "plates, half a turn": (plate, plate, np.pi, "any"),
        "plates, many turns": (plate, plate, 40.0, "any"),
        "needle and plate": (needle, plate, 1.0, "any"),
        "needles": (needle, needle, 3.0, "any"),
        "ring and needle": (ring, needle, 1.0, "any"),
        "bumpy solids": (bumpy, bumpy, 2.0, "any"),
    }


def _bumpy() -> abut.Solid:
    """An icosahedron with its corners moved in and out."""
    import trimesh

    mesh = trimesh.creation.icosahedron()
    radius = np.random.default_rng(3).uniform(0.6, 1.2, (len(mesh.vertices), 1))
    return abut.Solid(np.array(mesh.vertices) * radius, np.array(mesh.faces))


def _judged(a: abut.Solid, b: abut.Solid, spin: float, aim: str, count: int, reports: Any) -> Iterator[int]:
    """Judge `count` motions in batches, each with samples of its own; yields how many were done."""
    from .motion_oracle_kernels import judge_motions, scratch_of

    rng, pair = np.random.default_rng(count), MotionPair(a, b)
    trees = hierarchy_of(a), hierarchy_of(b)
    parts = tuple((h.tree.corners, h.tree.child, h.tree.boxes, h.reach) for h in trees)
    scratch = scratch_of(ROWS, 4096, 40000)
    for first in range(0, count, BATCH):
        n = min(BATCH, count - first)
        samples = np.sort(rng.uniform(size=16))
        motions = _motions(rng, n, spin, aim)
        judge_motions(
            (pair.a.arrays, pair.b.arrays), parts, motions, samples, (GAP, TOLERANCE), pair.memory, scratch, reports
        )
        yield n


def _motions(rng: np.random.Generator, n: int, spin: float, aim: str) -> Any:
    """(2 n, 18) rows of A and B in turn: A flies at B, both turn."""
    rows = np.zeros((n, 2, 18))
    towards = rng.normal(size=(n, 3))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    if aim == "face on":
        rows[:, :, :9] = np.eye(3).ravel()
        towards = np.tile((0.0, 0.0, 1.0), (n, 1)) + 0.02 * towards
    else:
        rows[:, :, :9] = _rotations(rng, 2 * n).reshape(n, 2, 9)
    far = 3.0 if aim != "face on" else 0.1
    rows[:, 0, 9:12] = far * towards
    rows[:, 0, 12:15] = -rng.uniform(0.6, 1.6, (n, 1)) * far * towards + 0.1 * far * rng.normal(size=(n, 3))
    rows[:, :, 15:] = spin * rng.normal(size=(n, 2, 3)) / np.sqrt(3.0)
    return rows.reshape(2 * n, 18)


def _rotations(rng: np.random.Generator, n: int) -> Any:
    """Random rotation matrices, by their quaternions."""
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]
    return np.stack(rows, axis=1)
