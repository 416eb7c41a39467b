"""All parts of an assembly as bodies of a world, set free where they are drawn touching."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ...arrays import number
from ...errors import AssemblyWarning, InputError, warn_caller
from ...geometry import PlacedPart, size_of
from ...math import Pose
from ...query.clearance.loosen import LIMIT, Left, Loosened, loosen
from ...query.clearance.parts import as_parts, near_pairs, world_boxes
from ...query.distance.distance import distance_within

if TYPE_CHECKING:
    from ..world_contents import WorldContents
    from .body import Body

SHOWN = 5
"""How many pairs a warning lists."""
SPARE = 2.0
"""In contact gaps: what is left between parts that are loosened."""


def add_assembly(
    world: WorldContents, parts: Any, limit: bool | float, fixed: Any, pose: Pose, **given: Any
) -> list[Body]:
    """Add the parts to a world, after loosening by at most `limit` [m] unless that was done."""
    placed = [*parts.parts] if isinstance(parts, Loosened) else as_parts("parts", parts)
    held = _chosen("fixed", fixed, [part.name for part in placed])
    gap = world._gap_with([size_of(part.solid) for part in placed if part.name not in held])
    free = parts if isinstance(parts, Loosened) else _loosened(placed, limit, SPARE * gap)
    bodies = [
        world.add_body(part.solid, part.name, pose=pose @ part.pose, fixed=part.name in held, **given)
        for part in free.parts
    ]
    by_name = {body.name: body for body in bodies}
    for left in free.left:
        world.set_pair(by_name[left.a], by_name[left.b], "interference")
    if free.gap < SPARE * gap:
        world._make_room(free.gap / SPARE)
    _say(free.left, held)
    return bodies


def _loosened(parts: list[PlacedPart], limit: bool | float, gap: float) -> Loosened:
    if limit is False:
        return Loosened(tuple(parts), (), (), _room(parts, gap), 0.0, 0.0)
    return loosen(parts, LIMIT if limit is True else number("loosen", limit, above=0.0), gap)


def _room(parts: list[PlacedPart], most: float) -> float:
    """[m] between the nearest parts that do not touch, at most `most`."""
    near = [(parts[i], parts[j]) for i, j in near_pairs(*world_boxes(parts), most)]
    found = [distance_within(a.solid, b.solid, a.pose, b.pose, most) for a, b in near]
    return min((one.distance for one in found if one is not None and one.lower > 0.0), default=most)


def _chosen(word: str, patterns: Any, names: Sequence[str]) -> set[str]:
    """Names that one of the patterns fits; each pattern must fit one."""
    wanted = [patterns] if isinstance(patterns, str) or not isinstance(patterns, Iterable) else list(patterns)
    if not all(isinstance(pattern, str) for pattern in wanted):
        raise InputError(f"{word}: expected names or patterns of parts, got {patterns!r}")
    found: set[str] = set()
    for pattern in wanted:
        fitting = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not fitting:
            raise InputError(f"{word}: no part is called {pattern!r}; there are {', '.join(names[:12])}")
        found |= fitting
    return found


def _say(left: Sequence[Left], held: set[str]) -> None:
    """Warn of pairs that pass through each other."""
    moving = [one for one in left if not {one.a, one.b} <= held]
    if moving:
        more = f" and {len(moving) - SHOWN} more" if len(moving) > SHOWN else ""
        pairs = "pair is" if len(moving) == 1 else "pairs are"
        warn_caller(
            f"{len(moving)} {pairs} drawn into each other farther than loosening may move surfaces, and will pass "
            f"through each other: {', '.join(map(str, moving[:SHOWN]))}{more}; "
            "mend the drawing, or give a larger limit",
            AssemblyWarning,
        )


def renamed(parts: Iterable[PlacedPart], taken: Iterable[str], prefix: str) -> list[PlacedPart]:
    """The parts; those whose name is taken are called prefix/name."""
    known = set(taken)
    return [replace(part, name=f"{prefix}/{part.name}") if part.name in known else part for part in parts]
