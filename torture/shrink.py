"""Make a case that fails smaller, as long as it fails by the same law."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from .finding import Case, Verdict
from .shapes import Recipe, build_shape

Judge = Callable[[Case], Verdict]
MOST_TRIES = 300


def shrink(case: Case, law: str, judge: Judge) -> Case:
    """The smallest case found that still breaks the law."""
    best, tries, again = case, 0, True
    while again and tries < MOST_TRIES:
        again = False
        for smaller in _smaller(best, judge, law):
            tries += 1
            if law in judge(smaller).laws():
                best, again = smaller, True
                break
            if tries >= MOST_TRIES:
                break
    return best


def _smaller(case: Case, judge: Judge, law: str) -> Iterator[Case]:
    """Simpler cases, the boldest cuts first."""
    if "bodies" in case:
        yield from _fewer_steps(case, judge, law)
        yield from _without_each(case, "events")
        yield from _without_each(case, "joints")
        yield from _without_bodies(case)
        yield from _plainer_options(case)
        yield from _plainer_bodies(case)
    elif case["kind"] == "queries":
        yield from _without_each(case, "queries", halves=True)
    elif case["kind"] == "inputs":
        yield from _without_each(case, "calls", halves=True)
    else:
        yield from _without_each(case, "edits")


def _changed(case: Case) -> Case:
    return copy.deepcopy(case)


def _fewer_steps(case: Case, judge: Judge, law: str) -> Iterator[Case]:
    steps = [f.step for f in judge(case).findings if f.law == law]
    if steps and 0 <= steps[0] < case["steps"] - 1:
        yield _changed(case) | {"steps": steps[0] + 1}


def _without_each(case: Case, key: str, halves: bool = False) -> Iterator[Case]:
    items = case[key]
    if halves and len(items) > 1:
        half = len(items) // 2
        yield _changed(case) | {key: items[:half]}
        yield _changed(case) | {key: items[half:]}
    for i in range(len(items)):
        if len(items) > 1 or key in ("events", "joints"):
            yield _changed(case) | {key: items[:i] + items[i + 1 :]}


def _without_bodies(case: Case) -> Iterator[Case]:
    for body in case["bodies"]:
        if len(case["bodies"]) > 1:
            smaller, name = _changed(case), body["name"]
            smaller["bodies"] = [b for b in smaller["bodies"] if b["name"] != name]
            smaller["joints"] = [j for j in smaller["joints"] if name not in (j["body"], j["other"])]
            smaller["events"] = [e for e in smaller["events"] if name not in (e["body"], e.get("with"))]
            yield smaller


def _plainer_options(case: Case) -> Iterator[Case]:
    for key in case["world"]:
        if key not in ("dt", "gravity"):
            smaller = _changed(case)
            del smaller["world"][key]
            yield smaller
    if any(case["world"]["gravity"]):
        smaller = _changed(case)
        smaller["world"]["gravity"] = [0.0, 0.0, 0.0]
        yield smaller


def _plainer_bodies(case: Case) -> Iterator[Case]:
    for i, body in enumerate(case["bodies"]):
        for shape in _plainer_shapes(body["shape"]):
            smaller = _changed(case)
            smaller["bodies"][i]["shape"] = shape
            yield smaller
        for key in ("spin", "velocity", "rotvec"):
            if any(body[key]):
                smaller = _changed(case)
                smaller["bodies"][i][key] = [0.0, 0.0, 0.0]
                yield smaller
        for key in set(body) - {"name", "shape", "position", "kind", "rotvec", "velocity", "spin"}:
            smaller = _changed(case)
            del smaller["bodies"][i][key]
            yield smaller


def _plainer_shapes(recipe: Recipe) -> Iterator[Recipe]:
    if recipe["make"] in ("box", "ball", "half_space"):
        return
    if recipe["make"] == "capsule":
        yield {"make": "ball", "radius": recipe["radius"]}
    if recipe["make"] == "boolean":
        yield recipe["a"]
        yield recipe["b"]
    shape = build_shape(recipe)
    if shape.polyhedral:
        yield {"make": "box", "size": [float(x) for x in shape.extents]}
