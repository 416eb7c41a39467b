"""The oracles of random queries, against answers known beforehand, and against wrong answers."""

from fractions import Fraction

import numpy as np
import pytest
from torture.oracle import enclosed, first_touch, surface_distance2

import abut
from torture import queries

BOX = abut.Solid.box((1.0, 1.0, 1.0))


def test_distance_of_boxes():
    other = BOX.translated((2.0, 2.0, 0.0))
    assert surface_distance2(BOX, other) == 2
    assert surface_distance2(BOX, BOX.translated((1.0, 0.5, 0.0))) == 0
    assert surface_distance2(BOX, abut.Solid.box((0.5, 0.5, 0.5))) == Fraction(1, 16)


def test_what_is_enclosed():
    small = abut.Solid.box((0.5, 0.5, 0.5))
    assert enclosed(small, BOX) and not enclosed(BOX, small)
    for p, expected in (((0.0, 0.0, 0.5), None), ((0.0, 0.0, 0.6), False), ((0.1, 0.2, 0.3), True)):
        assert queries.enclosed_point(np.array(p), BOX) is expected


@pytest.mark.parametrize(
    ("offset", "move", "time"),
    [
        ((3.0, 0.0, 0.0), (-4.0, 0.0, 0.0), Fraction(1, 2)),
        ((3.0, 0.0, 0.0), (-1.0, 0.0, 0.0), None),
        ((3.0, 1.0, 0.0), (-4.0, 0.0, 0.0), Fraction(1, 2)),
        ((3.0, 1.125, 0.0), (-4.0, 0.0, 0.0), None),
        ((0.5, 0.5, 0.0), (0.0, 0.0, 1.0), Fraction(0)),
        ((2.0, 2.0, 0.0), (-2.0, -2.0, 0.0), Fraction(1, 2)),
    ],
)
def test_first_touch_of_boxes(offset, move, time):
    assert first_touch(BOX, BOX.translated(offset), np.array(move)) == time


QUERY = {
    "a": {"make": "box", "size": [1.0, 1.0, 1.0], "turn": [0.0] * 3},
    "b": {"make": "box", "size": [1.0, 1.0, 1.0], "turn": [0.0] * 3},
    "size": 1.0,
    "offset": [3.0, 0.0, 0.0],
    "move": [-4.0, 0.0, 0.0],
    "rotvec": [0.0, 0.0, 0.3],
    "points": [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
}


@pytest.mark.parametrize("about", ["distance", "contains", "slide", "turn"])
def test_right_answers_are_no_findings(about):
    verdict = queries.judge_queries({"kind": "queries", "seed": 0, "queries": [QUERY | {"about": about}]})
    assert verdict.findings == []
    assert verdict.counts == {"queries": 1}


class Late:
    time = 0.51


@pytest.mark.parametrize(
    ("about", "function", "answer"),
    [
        ("distance", "distance", lambda a, b: abut.distance(a, b.translated((1e-9, 0.0, 0.0)))),
        ("distance", "intersect", lambda a, b: True),
        ("contains", "contains", lambda a, points: [True, True]),
        ("slide", "time_of_impact", lambda *args: Late()),
        ("slide", "time_of_impact", lambda *args: None),
        ("turn", "time_of_impact", lambda *args: None),
    ],
)
def test_wrong_answers_are_findings(monkeypatch, about, function, answer):
    monkeypatch.setattr(queries, function, answer)
    verdict = queries.judge_queries({"kind": "queries", "seed": 0, "queries": [QUERY | {"about": about}]})
    assert verdict.findings
