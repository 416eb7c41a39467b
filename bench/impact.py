"""Time of impact of moving parts, beside a loop over coal.distance and ipctk's collision-free step."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table

import abut
from abut import Motion, Pose
from abut.query import ImpactPair
from abut.query.motion.motion_pair import as_tuples

from .motion_oracle_kernels import frame_of
from .query_cases import DATA, Coal, part, seconds

MOST_STEPS, MOST_SECONDS = 800, 8.0
REST = Motion(Pose())


def run(console: Any) -> None:
    if not DATA.exists():
        console.print("The parts of this benchmark are not beside this checkout; nothing to measure.")
        return
    try:
        coal: Coal | None = Coal()
    except ImportError:
        coal = None
        console.print("coal is not installed, so its columns are left out: pip install 'abut[bench]'.")
    _free_space(console, coal)
    _narrow(console, coal)
    _steps(console)


def plate() -> abut.Solid:
    """A thin plate: 2 m square, 1 cm thick."""
    x, y, z = np.meshgrid((-1.0, 1.0), (-1.0, 1.0), (-0.005, 0.005), indexing="ij")
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return abut.Solid(np.column_stack((x.ravel(), y.ravel(), z.ravel())), faces)


def flights(a: abut.Solid, b: abut.Solid, n: int, seed: int = 4) -> list[tuple[Motion, Motion]]:
    """Motions that bring A to B from a part's size away, both turning by up to a radian or two."""
    rng = np.random.default_rng(seed)
    size = float(max(np.linalg.norm(a.extents), np.linalg.norm(b.extents)))
    found = []
    for _ in range(n):
        u = rng.normal(size=3)
        u *= size / np.linalg.norm(u)
        way = -1.7 * u + 0.1 * size * rng.normal(size=3)
        a_moves = Motion(Pose(u, quat_wxyz=rng.normal(size=4)), way, rng.normal(size=3))
        found.append((a_moves, Motion(Pose((0, 0, 0), quat_wxyz=rng.normal(size=4)), (0, 0, 0), rng.normal(size=3))))
    return found


def coal_loop(
    coal: Any, a: Any, b: Any, motions: tuple[Motion, Motion], radii: tuple[float, float], size: float
) -> Any:
    """Conservative advancement by hand: step on by distance / speed until the parts are within 1e-6 of their size,
    up to a number of steps and seconds.
    """
    m_a, m_b = motions
    speed = float(np.linalg.norm(m_a.displacement - m_b.displacement))
    speed += sum(r * float(np.linalg.norm(m.rotvec)) for r, m in zip(radii, motions, strict=True))
    rows, request, t = (as_tuples(m_a), as_tuples(m_b)), coal.coal.DistanceRequest(), 0.0
    begin = time.perf_counter()
    for step in range(MOST_STEPS):
        result = coal.coal.DistanceResult()
        d = coal.coal.distance(a, _transform(coal, rows[0], t), b, _transform(coal, rows[1], t), request, result)
        if d <= 1e-6 * size:
            return t, step
        t += d / speed
        if t >= 1.0:
            return None, step
        if time.perf_counter() - begin > MOST_SECONDS:
            break
    return "unresolved", step + 1


def _transform(coal: Any, motion: Any, t: float) -> Any:
    """Coal's pose at a time of a motion, at little cost."""
    R, p = frame_of(motion, t)
    transform = coal.coal.Transform3s()
    transform.setRotation(np.array(R).reshape(3, 3))
    transform.setTranslation(np.array(p))
    return transform


def _coal_call(coal: Coal, a: abut.Solid, b: abut.Solid) -> Callable[..., Any]:
    models = coal.built(a)[0], coal.built(b)[0]
    radius_a, radius_b = (float(np.linalg.norm(solid.vertices, axis=1).max()) for solid in (a, b))
    size = float(np.linalg.norm(a.extents) + np.linalg.norm(b.extents))
    return lambda *motions: coal_loop(coal, *models, (motions[0], motions[1]), (radius_a, radius_b), size)


def _median(call: Callable[..., Any], motions: list[tuple[Motion, Motion]], repeats: int = 3) -> float:
    """Median seconds over the motions."""
    return float(np.median([seconds(partial(call, *m), repeats) for m in motions]))


def _free_space(console: Any, coal: Coal | None) -> None:
    table = Table("parts", "motions", "touch", "abut ms", "coal loop ms", "ratio", title="In free space, per motion")
    thin = plate()
    cases = [("plates", thin, thin)]
    cases += [(f"{n}-{n}", part(n), part(n)) for n in ("torus2k", "bumpy5k", "bumpy20k")]
    for name, a, b in cases:
        motions = flights(a, b, 12)
        hits = sum(abut.time_of_impact(a, b, *m) is not None for m in motions)
        mine = _median(partial(abut.time_of_impact, a, b), motions)
        cells = [name, str(len(motions)), str(hits), f"{1e3 * mine:.3f}"]
        if coal is not None:
            theirs = _median(_coal_call(coal, a, b), motions, 1)
            cells += [f"{1e3 * theirs:.3f}", f"{mine / theirs:.2f}"]
        table.add_row(*cells)
    console.print(table)


def _narrow(console: Any, coal: Coal | None) -> None:
    table = Table("motion", "abut", "abut ms", "coal loop", "ms", title="Within clearances")
    slide = (Motion(Pose((0, 0, 0.02)), (0, 0, -0.02)), REST)
    cases = [("peg64 slides 20 mm", part("peg64"), part("hole64"), slide)]
    for angle in (0.5, -1.5):
        turn = (Motion(Pose((0, 0, 0.0125)), (0, 0, 0), (0, 0, angle)), REST)
        cases.append((f"nut turns {angle} rad", part("nut"), part("bolt"), turn))
    for name, a, b, motions in cases:
        answer = abut.time_of_impact(a, b, *motions)
        mine = seconds(lambda a=a, b=b, m=motions: abut.time_of_impact(a, b, *m))
        cells = [name, "free" if answer is None else f"{answer.time:.6f}", f"{1e3 * mine:.2f}"]
        if coal is not None:
            begin = time.perf_counter()
            found = _coal_call(coal, a, b)(*motions)
            cells += [f"{found[0]} after {found[1]} steps", f"{1e3 * (time.perf_counter() - begin):.0f}"]
        table.add_row(*cells)
    console.print(table)


def _steps(console: Any) -> None:
    """A step-sized motion, a tenth of the clearance, asked again and again along the way."""
    try:
        import ipctk
    except ImportError:
        ipctk = None
        console.print("ipctk is not installed, so its column is left out: pip install 'abut[bench]'.")
    heads = ("step of", "proven µs", "far apart µs", "one way µs", "ipctk ms", "ratio of one way")
    table = Table(*heads, title="Steps of a tenth of the clearance")
    cases = [
        ("peg256 in hole256", part("peg256"), part("hole256"), Pose((0, 0, 0.01)), (0, 0, -2.5e-6), (0, 0, 0)),
        ("nut on bolt", part("nut"), part("bolt"), Pose((0, 0, 0.0125)), (0, 0, 0), (0, 0, -4e-4)),
    ]
    for name, a, b, X, way, turn in cases:
        proven = _walk(ImpactPair(a, b), X, way, turn)
        far = _walk(ImpactPair(a, b), Pose((0.0, 0.0, 0.2)), way, turn)
        mine = _walk(ImpactPair(a, b), X, way, turn, one_way=True)
        cells = [name, f"{1e6 * proven:.0f}", f"{1e6 * far:.0f}", f"{1e6 * mine:.0f}"]
        if ipctk is not None:
            theirs = seconds(_ipctk_step(ipctk, a, b, Motion(X, way, turn)), 1)
            cells += [f"{1e3 * theirs:.2f}", f"{mine / theirs:.4f}"]
        table.add_row(*cells)
    console.print(table)


def _walk(pair: ImpactPair, X: Pose, way: Any, turn: Any, one_way: bool = False) -> float:
    """Seconds of a step in processor time, of 180 after some that fill the memory.

    Forth and back, three steps each way, it is the median; one way, where the memory is used up again and again, the
    mean.
    """
    spent = []
    for k in range(240):
        sign = 1.0 if one_way or k // 3 % 2 == 0 else -1.0
        motion = Motion(X, sign * np.array(way), sign * np.array(turn))
        begin = time.process_time()
        assert pair.time_of_impact(motion, REST) is None
        spent.append(time.process_time() - begin)
        X = motion.at(1.0)
    return float(np.mean(spent[60:]) if one_way else np.median(spent[60:]))


def _ipctk_step(ipctk: Any, a: abut.Solid, b: abut.Solid, motion: Motion) -> Callable[[], float]:
    start = np.concatenate((motion.at(0.0).apply(a.vertices), b.vertices))
    end = np.concatenate((motion.at(1.0).apply(a.vertices), b.vertices))
    faces = np.concatenate((a.triangles, b.triangles + len(a.vertices)))
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
    solver = ipctk.AdditiveCCD()
    return lambda: ipctk.compute_collision_free_stepsize(mesh, start, end, narrow_phase_ccd=solver)
