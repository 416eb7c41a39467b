"""The index of a B-rep: building it, points beside `contains`, edges beside one intersection query of all pairs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.table import Table

import abut
from abut.query import classify_edges, classify_points
from abut.query.classification.brep_index import build_brep_index

from .query_cases import DATA, part, posed, seconds

POINTS = 20_000
PAIRS = [("nut", "bolt"), ("torus20k", "torus20k"), ("bumpy5k", "bumpy5k"), ("bumpy20k", "bumpy20k")]


def run(console: Any) -> None:
    parts = _round_parts()
    if DATA.exists():
        parts |= {name: part(name) for name in ("nut", "bolt", "torus20k", "bumpy5k", "bumpy20k", "bumpy80k")}
    console.print(_building(parts))
    console.print(_growth())
    if DATA.exists():
        console.print(_edges())
    else:
        console.print("The parts of the table of edges are not beside this checkout.")


def _round_parts() -> dict[str, Any]:
    cylinder = abut.Solid.cylinder(0.05, 0.1, segments=256)
    return {"cylinder": cylinder, "sphere": abut.Solid.sphere(0.05), "globe": globe(10_000)}


def globe(n: int) -> Any:
    """A sphere of about n triangles."""
    rings = max(2, round(np.sqrt(n / 4.0)))
    return abut.Solid.sphere(0.05, segments=2 * rings, rings=rings)


def _building(parts: dict[str, Any]) -> Table:
    table = Table("part", "triangles", "build ms", "MB", "nodes/triangle", "depth", "points ns", "contains ns", "ratio")
    table.title = "The index, and points (ratio: contains / classify_points)"
    for name, solid in parts.items():
        index, build = _built(solid)
        n, places = len(solid.triangles), np.random.default_rng(0).uniform(*solid.bounds, (POINTS, 3))
        mine = seconds(lambda solid=solid, places=places: classify_points(solid, places)) / POINTS
        other = seconds(lambda solid=solid, places=places: abut.contains(solid, places)) / POINTS
        size = sum(table.nbytes for table in index if isinstance(table, np.ndarray)) / 1e6
        cells = [f"{n:,}", f"{1e3 * build:.0f}", f"{size:.1f}", f"{len(index.axis) / n:.1f}", f"{index.depth}"]
        table.add_row(name, *cells, f"{1e9 * mine:.0f}", f"{1e9 * other:.0f}", f"{other / mine:.1f}")
    return table


def _built(solid: Any) -> tuple[Any, float]:
    """The index, and the best of three times in which it is built."""
    _ = solid.topology, build_brep_index(solid)
    best = np.inf
    for _ in range(3):
        begin = time.thread_time()
        index = build_brep_index(solid)
        best = min(best, time.thread_time() - begin)
    return index, best


def _growth() -> Table:
    """How the time to build grows with the number of triangles."""
    sizes = [10_000, 30_000, 100_000]
    solids = [globe(n) for n in sizes]
    counts, times = [len(solid.triangles) for solid in solids], [_built(solid)[1] for solid in solids]
    exponent = np.polyfit(np.log(counts), np.log(times), 1)[0]
    table = Table(*(f"{n:,}" for n in counts), "exponent")
    table.title = "Building the index of a sphere, ms (n log n over this range: 1.09)"
    table.add_row(*(f"{1e3 * t:.0f}" for t in times), f"{exponent:.2f}")
    return table


def _edges() -> Table:
    table = Table("pair", "pose", "edges", "not out", "classify_edges µs", "all pairs µs", "ratio")
    table.title = "All edges of the second part against the first (ratio wanted: at most 3)"
    for a, b in PAIRS:
        for gap in ("near", "touching", "overlap"):
            _edge_row(table, a, b, gap, *posed(a, b, gap, np.random.default_rng(3)))
    for z in (0.0125, 0.005):
        _edge_row(table, "nut", "bolt", "assembled", abut.Pose((0, 0, z)), abut.Pose())
        _edge_row(table, "bolt", "nut", "assembled", abut.Pose(), abut.Pose((0, 0, z)))
    return table


def _edge_row(table: Table, a: str, b: str, pose: str, X_a: Any, X_b: Any) -> None:
    solid_a, solid_b = part(a), part(b)
    mine = seconds(lambda: classify_edges(solid_a, solid_b, X_a, X_b))
    query = seconds(lambda: abut.intersect(solid_a, solid_b, X_a, X_b, every=True))
    sharp = int((solid_b.edges.kind != abut.EdgeKind.FLAT).sum())
    found = len(classify_edges(solid_a, solid_b, X_a, X_b)[0])
    cells = [f"{sharp:,}", f"{found:,}", f"{1e6 * mine:.0f}", f"{1e6 * query:.0f}", f"{mine / query:.1f}"]
    table.add_row(f"{a}-{b}", pose, *cells)
