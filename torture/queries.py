"""Random questions about small shapes, with answers in exact arithmetic.

The second shape is placed before it is asked about, so that the vertices of the question are those of the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import abut
from abut import contains, distance, intersect, time_of_impact

from .dice import Dice
from .finding import Case, Finding, Verdict
from .judge import holds, surfaces_meet
from .oracle import enclosed, first_touch, surface_distance2
from .place_kernels import rotation_of
from .reading import Floats
from .shapes import build_shape

Query = dict[str, Any]
BATCH = 12
EXACT = 1e-12
"""Of the size: how far the bounds of an exact distance may be from each other."""
SAMPLES = 48


def draw_queries(seed: int) -> Case:
    """A batch of questions."""
    dice = Dice(2, seed)
    return {"kind": "queries", "seed": seed, "queries": [_draw_query(dice) for _ in range(BATCH)]}


def _draw_query(dice: Dice) -> Query:
    size = dice.pick((1.0, 1.0, 1e-4, 1e3))
    about = dice.pick(("distance", "distance", "contains", "slide", "turn"))
    query: Query = {"about": about, "a": _draw_solid(dice), "b": _draw_solid(dice), "size": size}
    query["offset"] = dice.pick((_on_grid, _any_offset, _hardly_apart))(dice)
    if about == "contains":
        query["points"] = [dice.pick((_on_grid, _any_offset))(dice) for _ in range(8)]
    if about in ("slide", "turn"):
        query["move"] = [-2.0 * x for x in query["offset"]] if dice.chance(0.5) else dice.along(3.0)
        query["rotvec"] = dice.along(dice.scale(0.01, 6.0)) if about == "turn" else [0.0] * 3
    return query


def _on_grid(dice: Dice) -> list[float]:
    """Places where faces, edges and corners meet exactly."""
    return [dice.whole(-8, 8) / 8.0 for _ in range(3)]


def _any_offset(dice: Dice) -> list[float]:
    return dice.along(dice.between(0.0, 2.5))


def _hardly_apart(dice: Dice) -> list[float]:
    return [
        dice.whole(-4, 4) / 8.0,
        dice.whole(-4, 4) / 8.0,
        1.0 + dice.pick((1e-15, 1e-12, 1e-8, 1e-5, -1e-12, -1e-8)),
    ]


def _draw_solid(dice: Dice) -> dict[str, Any]:
    """Few triangles, often on a grid, often flat."""
    how = dice.whole(0, 4)
    if how == 4:
        return _draw_flat(dice)
    if how == 0:
        return {"make": "box", "size": [dice.whole(1, 8) / 8.0 for _ in range(3)], "turn": [0.0] * 3}
    flat = dice.pick((1.0, 1.0, 1e-3, 1e-8))
    points = [
        [x, y, flat * z] for x, y, z in ((_on_grid if how == 1 else _any_point)(dice) for _ in range(dice.whole(4, 7)))
    ]
    corner = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5 * flat], [-0.5, -0.5, -0.5 * flat]]
    return {"make": "hull", "points": points + corner, "turn": dice.rotvec() if how == 3 else [0.0] * 3}


def _draw_flat(dice: Dice) -> dict[str, Any]:
    """A pyramid over three or four corners, hardly higher than nothing."""
    n, height = dice.pick((3, 4)), dice.scale(1e-10, 1e-3)
    ring = [[np.cos(2 * np.pi * i / n) * 0.5, np.sin(2 * np.pi * i / n) * 0.5, 0.0] for i in range(n)]
    apex = [dice.between(-0.1, 0.1), dice.between(-0.1, 0.1), height]
    sides = [[i, (i + 1) % n, n] for i in range(n)]
    below = [[0, i + 1, i] for i in range(1, n - 1)]
    turn = dice.along(dice.scale(1e-9, 1e-3)) if dice.chance(0.7) else dice.rotvec()
    return {"make": "solid", "vertices": [*ring, apex], "triangles": sides + below, "turn": turn}


def _any_point(dice: Dice) -> list[float]:
    return [0.5 * x for x in dice.normals()]


def _solid(recipe: dict[str, Any], size: float, offset: list[float]) -> abut.Solid:
    """Placed by plain arithmetic."""
    shape = build_shape({key: value for key, value in recipe.items() if key != "turn"})
    R = rotation_of(np.array(recipe["turn"]))
    return abut.Solid(size * (shape.vertices @ R.T + np.array(offset)), shape.triangles)


def judge_queries(case: Case) -> Verdict:
    """Ask every question of a case."""
    verdict = Verdict()
    for i, query in enumerate(case["queries"]):
        try:
            a, b = _solid(query["a"], query["size"], [0.0] * 3), _solid(query["b"], query["size"], query["offset"])
        except abut.AbutError:  # too flat to be a solid
            verdict.count("refusals")
            continue
        verdict.count("queries")
        try:
            found = _ASKED[query["about"]](query, a, b)
        except abut.AbutError as error:
            found = [Finding("refused", f"{query['about']}: {error}")]
        except Exception as error:
            found = [Finding("exception", f"{query['about']}: {type(error).__name__}: {error}")]
        for finding in found:
            finding.text = f"query {i}: {finding.text}"
        verdict.findings += found
    return verdict


def _ask_distance(query: Query, a: abut.Solid, b: abut.Solid) -> list[Finding]:
    d, met = distance(a, b), bool(intersect(a, b))
    truth2 = surface_distance2(a, b)
    inside = truth2 > 0 and (enclosed(a, b) or enclosed(b, a))
    truth2 = Fraction(0) if inside else truth2
    found, size = [], float(np.linalg.norm(a.extents) + np.linalg.norm(b.extents))
    truth = float(truth2) ** 0.5
    if met != (truth2 == 0):
        found.append(Finding("intersect", f"intersect says {met}, the shapes are {truth:.3g} m apart"))
    if met and d.distance != 0.0:
        found.append(Finding("distance", f"distance {d.distance:.3g} m where intersect says they meet"))
    if Fraction(d.lower) ** 2 > truth2:
        found.append(Finding("distance", f"lower bound {d.lower:.17g} m above the truth {truth:.17g} m"))
    if Fraction(d.upper) ** 2 < truth2:
        found.append(Finding("distance", f"upper bound {d.upper:.17g} m below the truth {truth:.17g} m"))
    if d.upper - truth > EXACT * size and d.exact:
        found.append(Finding("distance", f"distance {d.upper:.17g} m is not the truth {truth:.17g} m"))
    return found


def _ask_contains(query: Query, a: abut.Solid, b: abut.Solid) -> list[Finding]:
    points = query["size"] * np.array(query["points"])
    answers = contains(a, points)
    found = []
    for p, answer in zip(points, answers, strict=True):
        truth = enclosed_point(p, a)
        if truth is not None and truth != bool(answer):
            found.append(Finding("contains", f"{p.tolist()}: contains says {bool(answer)}"))
    return found


def enclosed_point(p: Floats, a: abut.Solid) -> bool | None:
    """Whether a solid holds a point; None on its surface."""
    return enclosed(np.asarray(p), a, on_surface=None)


def _ask_slide(query: Query, a: abut.Solid, b: abut.Solid) -> list[Finding]:
    move = query["size"] * np.array(query["move"])
    impact = time_of_impact(a, b, None, abut.Motion(abut.Pose(), move, (0.0, 0.0, 0.0)))
    truth = first_touch(a, b, move)
    if truth is None or truth >= 1:
        return []
    if impact is None:
        return [Finding("impact", f"no impact, the shapes touch at {float(truth):.9g}")]
    if Fraction(impact.time) > truth + Fraction(1, 10**13):
        return [Finding("impact", f"impact at {impact.time:.17g}, the shapes touch at {float(truth):.17g}")]
    return []


def _ask_turn(query: Query, a: abut.Solid, b: abut.Solid) -> list[Finding]:
    """The shapes are apart at all times before the impact."""
    move, rotvec = query["size"] * np.array(query["move"]), np.array(query["rotvec"])
    impact = time_of_impact(a, b, None, abut.Motion(abut.Pose(), move, rotvec))
    end = 1.0 if impact is None else impact.time
    p, local = a.vertices[a.triangles].reshape(-1, 9), b.vertices[b.triangles]
    for t in np.linspace(0.0, 1.0, SAMPLES, endpoint=False) * end:
        q = np.ascontiguousarray((local @ rotation_of(t * rotvec).T + t * move).reshape(-1, 9))
        inside = (a.closed and holds(p, q[0, :3])) or (b.closed and holds(q, p[0, :3]))
        met = inside or surfaces_meet(p, q) is not None
        if met and t < end * (1.0 - 1e-12):
            when = "no impact" if impact is None else f"impact at {end:.9g}"
            return [Finding("impact", f"{when}, the shapes overlap at {t:.9g}")]
    return []


_ASKED: dict[str, Callable[[Query, abut.Solid, abut.Solid], list[Finding]]] = {
    "distance": _ask_distance,
    "contains": _ask_contains,
    "slide": _ask_slide,
    "turn": _ask_turn,
}
