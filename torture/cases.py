"""From a seed to a case, and from a case to a verdict: the same for every kind."""

from __future__ import annotations

from collections.abc import Callable

from .cold import draw_cold, judge_cold
from .files import draw_files, judge_files
from .finding import Case, Verdict
from .flight_play import play_flight
from .flights import draw_flight
from .inputs import draw_inputs, judge_inputs
from .play import play
from .queries import draw_queries, judge_queries
from .soft_play import play_soft
from .softs import draw_soft
from .worlds import draw_world

KINDS: dict[str, tuple[Callable[[int], Case], Callable[[Case], Verdict]]] = {
    "worlds": (draw_world, play),
    "flights": (draw_flight, play_flight),
    "softs": (draw_soft, play_soft),
    "queries": (draw_queries, judge_queries),
    "files": (draw_files, judge_files),
    "inputs": (draw_inputs, judge_inputs),
    "cold": (draw_cold, judge_cold),
}
MIX = ("worlds", "worlds", "queries", "worlds", "softs", "files", "worlds", "flights", "inputs", "worlds")
"""Kinds of cases by turns, where nobody asks for one; those of kind "cold" take minutes each, for who asks."""


def draw(kind: str, seed: int) -> Case:
    """The case of a seed."""
    return KINDS[kind][0](seed)


def judge(case: Case) -> Verdict:
    """Play a case."""
    return KINDS[case["kind"]][1](case)


def nth(n: int, kind: str | None) -> tuple[str, int]:
    """Kind and seed of the nth case of a run."""
    return (kind or MIX[n % len(MIX)]), n
