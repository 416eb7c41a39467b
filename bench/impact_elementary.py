"""Elementary impacts of straight moving features, in batches, beside ipctk's additive CCD and Tight Inclusion.

ipctk answers one query per call, so that its times hold a Python call of about 2 microseconds each. False alarms and
misses are counted on the queries with exact truth where they lie beside the checkout.
"""

import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.query import impact_edge_edge, impact_vertex_face

QUERIES = Path(__file__).resolve().parents[2] / "shared" / "data" / "ccd-queries"
# Tight Inclusion gives up refining after this many boxes; its default, ten million, changes no count below.
TIGHT_INCLUSION_BOXES = 100_000


def abut_times(kind: str, points: np.ndarray, method: str = "conservative") -> np.ndarray:
    if kind == "vertex-face":
        return impact_vertex_face(points[:, 0], points[:, 1:4], points[:, 4], points[:, 5:8], method=method)
    return impact_edge_edge(points[:, 0:2], points[:, 2:4], points[:, 4:6], points[:, 6:8], method=method)


def ipctk_hits(solver: object, kind: str, points: np.ndarray) -> np.ndarray:
    query = solver.point_triangle_ccd if kind == "vertex-face" else solver.edge_edge_ccd
    return np.array([query(*rows)[0] for rows in points])


def random_points(kind: str, count: int, motion: float) -> np.ndarray:
    """Features of size 1 about 1 apart that move by about `motion`."""
    rng = np.random.default_rng(0)
    start = rng.normal(size=(count, 4, 3))
    return np.concatenate((start, start + motion * rng.normal(size=(count, 4, 3))), axis=1)


def recorded_queries() -> list[tuple[str, np.ndarray, np.ndarray]]:
    """(kind, points (n, 8, 3), truth (n,)) of every file."""
    found = []
    for path in sorted(QUERIES.glob("*/*/*.csv")):
        with path.open() as file:
            table = np.array([[int(cell) for cell in line] for line in csv.reader(file)], object)
        points = (table[:, 0:6:2] / table[:, 1:6:2]).astype(float)
        found.append((path.parent.name, points.reshape(-1, 8, 3), table[::8, 6].astype(bool)))
    return found


def best_of(call: Callable[[], list[np.ndarray]]) -> tuple[float, list[np.ndarray]]:
    """Shortest seconds of a few calls, or of one that takes seconds, and the answer."""
    best, spent = np.inf, 0.0
    for _ in range(9):
        start = time.perf_counter()
        answer = call()
        seconds = time.perf_counter() - start
        best, spent = min(best, seconds), spent + seconds
        if spent > 2.0:
            break
    return best, answer


def speed_table(console: Console, ipctk: object) -> None:
    table = Table("features", "motion", "touch", "abut µs/query", "additive CCD", "ratio", title="time per query")
    for kind in ("vertex-face", "edge-edge"):
        for motion in (0.01, 0.1, 1.0):
            points = random_points(kind, 4000, motion)
            ours = 1e6 * best_of(lambda k=kind, p=points: [abut_times(k, p)])[0] / len(points)
            theirs = np.nan
            if ipctk is not None:
                solver = ipctk.AdditiveCCD()
                theirs = 1e6 * best_of(lambda s=solver, k=kind, p=points: [ipctk_hits(s, k, p)])[0] / len(points)
            touch = f"{np.isfinite(abut_times(kind, points)).mean():.1%}"
            table.add_row(kind, f"{motion:g}", touch, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.3f}")
    console.print(table)


def count_table(console: Console, ipctk: object) -> None:
    queries = recorded_queries()
    if not queries:
        console.print("The queries with known truth are not beside this checkout; counts are omitted.")
        return
    answers: dict[str, Callable[[str, np.ndarray], np.ndarray]] = {
        "abut": lambda kind, points: np.isfinite(abut_times(kind, points)),
        "abut interpolated (SiLVIA)": lambda kind, points: np.isfinite(abut_times(kind, points, "interpolated")),
    }
    if ipctk is not None:
        additive, tight = ipctk.AdditiveCCD(), ipctk.TightInclusionCCD(max_iterations=TIGHT_INCLUSION_BOXES)
        answers["ipctk additive CCD"] = lambda kind, points: ipctk_hits(additive, kind, points)
        answers["ipctk Tight Inclusion"] = lambda kind, points: ipctk_hits(tight, kind, points)
    total = sum(len(truth) for _, _, truth in queries)
    negatives = sum((~truth).sum() for _, _, truth in queries)
    title = f"{total} recorded queries, {negatives} of them free"
    table = Table("method", "missed", "false alarms", "µs/query", "times abut", title=title)
    base = 0.0
    for name, answer in answers.items():
        each, hits = best_of(lambda a=answer: [a(kind, points) for kind, points, _ in queries])
        each /= total
        base = base or each
        missed = sum((truth & ~hit).sum() for (_, _, truth), hit in zip(queries, hits, strict=True))
        false = sum((hit & ~truth).sum() for (_, _, truth), hit in zip(queries, hits, strict=True))
        table.add_row(name, str(missed), str(false), f"{1e6 * each:.2f}", f"{each / base:.3g}")
    console.print(table)


def run(console: Console) -> None:
    try:
        import ipctk
    except ImportError:
        ipctk = None
        console.print("ipctk is not installed; its columns are omitted.")
    speed_table(console, ipctk)
    count_table(console, ipctk)
