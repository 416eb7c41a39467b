"""Clearance of an assembly, all pairs, beside a loop of coal's distances over the pairs whose boxes are near."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import abut
from abut.query.clearance.parts import near_pairs
from abut.query.distance.distance import distance_within

from .query_cases import Coal, peers
from .timing import medians

WITHIN = 1e-3
WANTED = 0.3


def shape(k: int) -> Any:
    """A bumpy bar of 5,000 triangles, about 60 mm long and 8 mm thick."""
    around, along = np.meshgrid(np.arange(50), np.arange(51), indexing="ij")
    turn, x = 2.0 * np.pi * around / 50, along / 50 - 0.5
    thick = (
        4e-3 * np.sqrt(np.maximum(1.0 - (1.98 * x) ** 6, 1e-3)) * (1.0 + 0.08 * np.sin(5 * turn + k) * np.cos(40 * x))
    )
    grid = np.stack((0.06 * x, thick * np.cos(turn), thick * np.sin(turn)), axis=-1)
    i, j = np.meshgrid(np.arange(50), np.arange(50), indexing="ij")
    a, b, c, d = (51 * ((i + m) % 50) + j + n for m, n in ((0, 0), (0, 1), (1, 1), (1, 0)))
    sides = np.concatenate((np.stack((a, b, c), -1), np.stack((a, c, d), -1))).reshape(-1, 3)
    ring = np.arange(50)
    ends = [[(51 * ring).tolist()[::-1]], [(51 * ring + 50).tolist()]]
    caps = [(r[0], r[k], r[k + 1]) for (r,) in ends for k in range(1, 49)]
    return abut.Solid(grid.reshape(-1, 3), np.concatenate((sides[:, ::-1], caps)), name=f"bar_{k}")


def pile(n: int = 50, seed: int = 7) -> list[Any]:
    """Bars at random places, as close as they come without touching: their boxes overlap, they do not."""
    rng = np.random.default_rng(seed)
    shapes, parts = [shape(k) for k in range(5)], []
    while len(parts) < n:
        turn = rng.normal(size=4)
        part = abut.PlacedPart(
            f"p{len(parts)}", shapes[len(parts) % 5], abut.Pose(rng.uniform(-0.04, 0.04, 3), quat_wxyz=turn)
        )
        if all(distance_within(part.solid, p.solid, part.pose, p.pose, 5e-5) is None for p in parts):
            parts.append(part)
    return parts


def run(console: Any) -> None:
    parts = pile()
    pairs = near_pairs(*_boxes(parts), WITHIN)
    begin = time.perf_counter()
    report = abut.clearance(parts, within=WITHIN)
    first = time.perf_counter() - begin
    console.print(f"{report}; {len(pairs)} pairs of boxes within 1 mm; first call, trees included, {first:.2f} s")
    rivals = {"abut": lambda: abut.clearance(parts, within=WITHIN)}
    coal = next((peer for peer in peers(console) if isinstance(peer, Coal)), None)
    if coal is not None:
        rivals["coal"] = _coal_loop(coal, parts, pairs)
    times = medians(rivals, 5)
    console.print(", ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in times.items()))
    if coal is not None:
        console.print(f"ratio {times['abut'] / times['coal']:.2f} (wanted {WANTED})")


def _boxes(parts: list[Any]) -> tuple[Any, Any]:
    """The tightest boxes along the axes of the world."""
    points = [part.pose.apply(part.solid.vertices) for part in parts]
    return np.array([p.min(axis=0) for p in points]), np.array([p.max(axis=0) for p in points])


def _coal_loop(coal: Coal, parts: list[Any], pairs: list[tuple[int, int]]) -> Any:
    models = {id(part.solid): coal.built(part.solid)[0] for part in parts}
    poses = [coal.pose(part.pose) for part in parts]
    library = coal.coal

    def loop() -> None:
        for i, j in pairs:
            a, b = models[id(parts[i].solid)], models[id(parts[j].solid)]
            library.distance(a, poses[i], b, poses[j], library.DistanceRequest(), library.DistanceResult())

    return loop
