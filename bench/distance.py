"""Distance of two parts: cold, along a motion, and building of hierarchies, beside coal and python-fcl."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

import abut
from abut.query.volumes.hierarchy import build_tree

from .query_cases import (
    DATA,
    Case,
    Coal,
    cases,
    environment_poses,
    geometric_mean,
    part,
    peers,
    seconds,
    size_of,
)

N_STEP = 1000


def run(console: Any) -> None:
    if not DATA.exists():
        console.print("The parts of this benchmark are not beside this checkout; nothing to measure.")
        return
    others = peers(console)
    everything = cases()
    _cold(console, everything, others)
    _motion(console, everything, others)
    _build(console, others)


def _environment() -> list[Case]:
    poses = environment_poses()
    free, meeting = [X[:2] for X in poses if not X[2]], [X[:2] for X in poses if X[2]]
    return [Case("env", "rob", "free", free[:20]), Case("env", "rob", "colliding", meeting[:20])]


def _cold(console: Any, everything: list[Case], others: list[Any]) -> None:
    table = Table("pair", "pose", "abut µs", *(f"{p.name} µs" for p in others), "ratio", "volumes", "triangles")
    table.title = "Distance from a cold start (ratio: abut / the faster peer)"
    ratios: dict[str, list[float]] = {}
    for case in [*everything, *_environment()]:
        mine, tested, theirs = _time_case(case, others)
        cells = [f"{case.a}-{case.b}", case.name, f"{1e6 * mine:.0f}", *(f"{1e6 * t:.0f}" for t in theirs)]
        if theirs:
            ratios.setdefault(case.name, []).append(mine / min(theirs))
            cells.append(f"{ratios[case.name][-1]:.2f}")
        table.add_row(*cells, f"{tested[0]:.0f}", f"{tested[1]:.0f}")
    console.print(table)
    if others:
        total = [r for values in ratios.values() for r in values]
        parts = ", ".join(f"{name} {geometric_mean(values):.2f}" for name, values in ratios.items())
        console.print(f"geometric mean {geometric_mean(total):.2f} (wanted 0.8), worst {max(total):.2f} (1.5); {parts}")


def _time_case(case: Case, others: list[Any]) -> tuple[float, Any, list[float]]:
    a, b = part(case.a), part(case.b)
    mine, theirs, tested = [], [], []
    for X_a, X_b in case.poses:
        mine.append(seconds(lambda X_a=X_a, X_b=X_b: abut.distance(a, b, X_a, X_b)))
        tested.append(abut.distance(a, b, X_a, X_b).tested)
        theirs.append([seconds(p.distance(case.a, case.b, X_a, X_b)) for p in others])
    return geometric_mean(mine), np.mean(tested, axis=0), [geometric_mean(list(t)) for t in np.array(theirs).T]


def motions(everything: list[Case]) -> Iterator[tuple[Case, list[tuple[Any, Any]]]]:
    """For each pair a smooth motion of N_STEP steps: past each other, and along the fit where assembled."""
    rng = np.random.default_rng(6)
    for case in everything:
        if case.name == "overlap":
            continue
        X_a, X_b = case.poses[0]
        if case.name == "assembled":
            yield case, [(_along_fit(case.a, X_a, s), X_b) for s in np.linspace(0.0, 1.0, N_STEP)]
        else:
            way, turn = rng.normal(size=(2, 3))
            way *= 0.1 * size_of(case.a, case.b) / np.linalg.norm(way)
            turn *= 0.3 / np.linalg.norm(turn)
            centre = part(case.b).bounds.mean(axis=0)
            yield case, [(X_a, _swayed(X_b, centre, s * way, s * turn)) for s in np.linspace(0.0, 1.0, N_STEP)]


def _swayed(X: Any, centre: Any, way: Any, turn: Any) -> Any:
    turned = abut.Pose.from_rotvec((0, 0, 0), turn)
    pivot = X.apply(centre)
    return abut.Pose(pivot + way, quat_wxyz=turned.quat_wxyz) @ abut.Pose(X.position - pivot, quat_wxyz=X.quat_wxyz)


def _along_fit(name: str, X: Any, s: float) -> Any:
    """The nut turns a quarter on its thread, the peg sinks 20 mm and turns 10 degrees, the driver is lifted 0.5 mm."""
    turn, way = {"nut": (np.pi / 2, 0.0025 / 4), "peg256": (0.17, -0.02), "driver": (0.0, 0.0005)}[name]
    return abut.Pose.from_rotvec(X.position + s * way * np.array((0, 0, 1)), (0, 0, s * turn))


def _motion(console: Any, everything: list[Case], others: list[Any]) -> None:
    table = Table("pair", "pose", "abut µs", *(f"{p.name} µs" for p in others), "ratio")
    table.title = f"Distance along a smooth motion of {N_STEP} steps, with start="
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for case, poses in motions(everything):
        a, b, last = part(case.a), part(case.b), None
        abut.distance(a, b, *poses[0], start=abut.distance(a, b, *poses[0]))  # compilers
        begin = time.thread_time()
        for X_a, X_b in poses:
            last = abut.distance(a, b, X_a, X_b, start=last)
        mine = (time.thread_time() - begin) / len(poses)
        theirs = [
            float(np.mean([seconds(p.distance(case.a, case.b, *X), 1, 0.0) for X in poses[:: N_STEP // 25]]))
            for p in others
        ]
        cells = [f"{case.a}-{case.b}", case.name, f"{1e6 * mine:.0f}", *(f"{1e6 * t:.0f}" for t in theirs)]
        if theirs:
            ratios[case.name == "assembled"].append(mine / min(theirs))
            cells.append(f"{mine / min(theirs):.3f}")
        table.add_row(*cells)
    console.print(table)
    if others:
        console.print(f"geometric mean {geometric_mean(ratios[False] + ratios[True]):.3f} (wanted 0.25); ")
        console.print(f"assembled: worst {max(ratios[True]):.3f} (wanted 0.1)")


def _build(console: Any, others: list[Any]) -> None:
    solid = part("bumpy80k")
    mine = seconds(lambda: build_tree(solid.mesh.vertices, solid.mesh.triangles))
    line = f"hierarchy of 81,920 triangles: abut {1e3 * mine:.0f} ms"
    for peer in others:
        if isinstance(peer, Coal):
            theirs = min(peer.built(solid)[1] for _ in range(3))
            line += f", coal {1e3 * theirs:.0f} ms, ratio {mine / theirs:.2f} (wanted 1.0)"
    console.print(line)
