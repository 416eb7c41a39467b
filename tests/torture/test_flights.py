"""The judge of worlds that go from event to event, and of the motions of a step, notices planted faults."""

import time
from dataclasses import replace

import numpy as np
import pytest
from torture.cases import draw, judge
from torture.clock import working_time
from torture.facts import MotionFacts
from torture.finding import Verdict
from torture.flight_play import Flight, TooLong, patience
from torture.laws import energy, moved_apart
from torture.play import Game
from torture.reading import look

from torture import clock, flight_play

BALL = {"make": "ball", "radius": 0.1}
BALLS = (("left", -0.1), ("right", 0.1))
REST = {"rotvec": [0.0] * 3, "velocity": [0.0] * 3, "spin": [0.0] * 3}


def case_of(method, **world):
    floor = {"name": "floor", "shape": {"make": "half_space", "normal": [0.0, 0.0, 1.0]}, "kind": "fixed"}
    ball = {"name": "ball", "shape": BALL, "kind": "dynamic", "position": [0.0, 0.0, 0.15]}
    options = {"dt": 0.01, "gravity": [0.0, 0.0, -9.81], "restitution": 0.8, "method": method} | world
    bodies = [REST | floor | {"position": [0.0] * 3}, REST | ball]
    return {"kind": "flights", "seed": 0, "steps": 30, "world": options, "bodies": bodies, "joints": [], "events": []}


@pytest.fixture(params=["event", "impulse"])
def bouncing(request):
    """A ball in the step in which it strikes the floor: snapshots around it, and what it says."""
    game, verdict = Flight(case_of(request.param)), Verdict()
    k = 0
    while not game.world.events:
        before, applied = look(game.world), game.world._state.wrench.copy()
        assert game.turn(k, verdict) and k < 30
        k += 1
    assert verdict.findings == [] and verdict.counts["steps"] == k
    game._speeds, game.told = {}, 0
    return game, before, game.last, game._facts(applied, game.world.report, 0.0, before)


def laws(game, before, after, facts):
    game.told = 0
    return {finding.law for finding in game._law_findings(before, after, facts)}


def test_a_bounce_breaks_no_law(bouncing):
    assert laws(*bouncing) == set()


def test_a_wrong_force_is_noticed(bouncing):
    game, before, after, facts = bouncing
    wrong = facts.wrenches | {"contact": facts.wrenches["contact"] * 1.05}
    assert "forces" in laws(game, before, after, replace(facts, wrenches=wrong))


def test_energy_from_nothing_is_noticed(bouncing):
    game, before, after, facts = bouncing
    up = replace(after, velocity=after.velocity * 2.0)
    assert "energy" in laws(game, before, up, facts)


@pytest.fixture(params=["event", "impulse"])
def held(request):
    """The same of a ball that a hand presses on the floor, on which it bounces."""
    case = case_of(request.param, gravity=[0.0, 0.0, 0.0], restitution=1.0)
    case["events"] = [{"do": "grab", "at": 0, "body": "ball", "move": [0.02, 0.0, -0.3], "turn": [0.1, 0.0, 0.0]}]
    game, verdict = Flight(case), Verdict()
    while not game.world.events:
        before, applied = look(game.world), game.world._state.wrench.copy()
        assert game.turn(game.played, verdict) and game.played < 30
    assert verdict.findings == []
    return game, before, game.last, game._facts(applied, game.world.report, 0.0, before)


def test_a_hand_that_does_work_breaks_no_law(held):
    _, _, _, facts = held
    assert facts.wrenches["hand"].any() and laws(*held) == set()


def test_energy_that_no_hand_gave_is_noticed(held):
    game, before, after, facts = held
    faster = replace(after, velocity=after.velocity * (1.0 + 1e-7))
    assert "energy" in laws(game, before, faster, facts)


def test_a_hand_that_is_told_to_exert_other_forces_is_noticed(held):
    """The forces add up to the change of momentum, but who exerted them is wrong."""
    game, before, after, facts = held
    hand = 1e-6 * facts.wrenches["hand"]
    wrong = facts.wrenches | {"hand": facts.wrenches["hand"] + hand, "contact": facts.wrenches["contact"] - hand}
    assert laws(game, before, after, replace(facts, wrenches=wrong)) == {"forces"}


def test_bodies_that_are_moved_apart_do_no_work_by_it_and_go_no_farther_than_they_may():
    """Of two balls that touch, one is moved against a force: by 1 % of the work that the force does in the step."""
    case = case_of("impulse", gravity=[0.0, 0.0, 0.0], dt=1e-3)
    case["bodies"] = [REST | {"name": n, "shape": BALL, "kind": "dynamic", "position": [x, 0.0, 0.0]} for n, x in BALLS]
    case["events"] = [{"do": "force", "at": 0, "body": "left", "force": [2.0, 0.0, 0.0], "torque": [0.0] * 3}]
    game, verdict = Flight(case), Verdict()
    assert game.turn(0, verdict) and verdict.findings == []
    report = game.world.report
    moved = [one for one in report.moved_apart if one.body == "left"]
    assert moved and moved[0].way[0] < 0.0
    facts = game._facts(np.zeros((2, 6)), report, 0.0, game.last)
    assert not [*moved_apart(game.cast, facts)]
    report.moved_apart = (replace(moved[0], way=(-3.0 * game.gap, 0.0, 0.0)),)
    assert [finding.law for finding in moved_apart(game.cast, facts)] == ["moved apart"]


def test_events_out_of_order_or_of_nobody_are_noticed(bouncing, monkeypatch):
    game, before, after, facts = bouncing
    event = game.world.events[0]
    for wrong in (
        [event._replace(time=before.time - 1e-3)],
        [event._replace(time=after.time + 1e-3)],
        [event, event._replace(time=event.time - 1e-4)],
        [event._replace(body_b="nobody")],
        [event._replace(kind="rumour")],
    ):
        monkeypatch.setattr(type(game.world), "events", wrong)
        assert "events" in laws(game, before, after, facts)


def test_an_overlap_between_is_noticed(monkeypatch):
    game = Flight(case_of("impulse"))
    assert game._between(0) == []
    seen = []

    def at_the_fourth(stage, now, pairs):
        seen.append(now.time)
        return flight_overlaps(stage, replace(now, position=now.position * (1, 1, 0)) if len(seen) == 4 else now, pairs)

    flight_overlaps = flight_play.overlaps
    monkeypatch.setattr(flight_play, "overlaps", at_the_fourth)
    assert [finding.law for finding in game._between(0)] == ["overlap on the way"]


def test_a_step_that_takes_long_is_broken_off():
    with pytest.raises(TooLong), patience(working_time() + 0.05):
        while True:
            pass


def test_a_step_that_compiles_is_not_broken_off(monkeypatch):
    begin = time.process_time()
    monkeypatch.setattr(clock, "seconds_compiled", lambda: min(time.process_time() - begin, 0.3))
    with pytest.raises(TooLong), patience(working_time() + 0.05):
        while True:
            pass
    assert time.process_time() - begin > 0.3


@pytest.mark.parametrize("seed", range(6))
def test_flights_break_no_law(seed):
    assert judge(draw("flights", seed)).findings == []


@pytest.fixture(scope="module")
def several():
    """A step that took several motions, and what was seen of them."""
    game, verdict = Game(draw("worlds", 5000986) | {"events": []}), Verdict()
    for k in range(200):
        before, applied, speeds = look(game.world), game.world._state.wrench.copy(), game._coordinates()
        game.turn(k, verdict)
        if len(game._seen) > 1:
            game._speeds = speeds
            facts = game._facts(applied, game.world.report, 0.0, before)
            return game, before, look(game.world), facts
    raise AssertionError("no step took several motions")


def test_all_motions_of_a_step_are_seen(several):
    _, before, after, facts = several
    assert sum(motion.h for motion in facts.motions) == pytest.approx(facts.dt)
    np.testing.assert_array_equal(facts.motions[-1].after.position, after.position)
    np.testing.assert_array_equal(facts.motions[0].before.position, before.position)


def test_energy_from_nothing_is_noticed_in_a_step_of_several_motions(several):
    game, before, after, facts = several
    assert list(energy(game.cast, before, after, facts)) == []
    faster = replace(after, velocity=after.velocity * 1.01)
    last = facts.motions[-1]
    motions = (*facts.motions[:-1], MotionFacts(last.h, last.before, faster, last.pushed, last.wrenches))
    assert len(list(energy(game.cast, before, faster, replace(facts, motions=motions)))) == 1


def test_an_overlap_between_motions_is_noticed(several):
    game, before, after, facts = several
    first, *rest = facts.motions
    wrong = replace(first, after=replace(first.after, position=np.zeros_like(first.after.position)))
    pairs, game.pairs = game.pairs, [(0, 2)]
    found = game._overlaps(before, after, replace(facts, motions=(wrong, *rest)), Verdict())
    game.pairs = pairs
    assert "overlap on the way" in {finding.law for finding in found}
