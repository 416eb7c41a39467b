"""The laws of a step notice a wrong force, energy from nothing, and what is kept silent."""

from dataclasses import replace

import numpy as np
import pytest
from torture.finding import Verdict
from torture.laws import step_findings
from torture.play import Game
from torture.reading import look

import abut

BOX = {"make": "box", "size": [0.1, 0.1, 0.1]}
REST = {"rotvec": [0.0] * 3, "velocity": [0.0] * 3, "spin": [0.0] * 3}


def case_of(*bodies, **world):
    options = {"dt": 1e-3, "gravity": [0.0, 0.0, -9.81]} | world
    return {
        "kind": "worlds",
        "seed": 0,
        "steps": 5,
        "world": options,
        "bodies": list(bodies),
        "joints": [],
        "events": [],
    }


def body(name, position, kind="dynamic", **more):
    return {"name": name, "shape": BOX, "position": position, "kind": kind} | REST | more


@pytest.fixture
def resting():
    """A box at rest on another one: the snapshots around a step, and what it says."""
    game = Game(case_of(body("lower", [0, 0, 0], "fixed"), body("upper", [0, 0, 0.1001])))
    verdict = Verdict()
    for k in range(30):
        game.turn(k, verdict)
    assert verdict.counts["steps"] == 30
    before, applied = look(game.world), game.world._state.wrench.copy()
    game._speeds = {}
    report = game.world.step()
    return game, before, look(game.world), game._facts(applied, report, 0.0, before)


def laws(game, before, after, facts):
    return {finding.law for finding in step_findings(game.cast, before, after, facts)}


def test_a_box_at_rest_breaks_no_law(resting):
    assert laws(*resting) == set()


def test_a_wrong_force_is_noticed(resting):
    game, before, after, facts = resting
    wrong = facts.wrenches | {"contact": facts.wrenches["contact"] * (1.0 + 1e-6)}
    assert "forces" in laws(game, before, after, replace(facts, wrenches=wrong))


def test_a_wrong_torque_is_noticed(resting):
    game, before, after, facts = resting
    contact = facts.wrenches["contact"].copy()
    contact[1, 3] += 1e-6
    assert "forces" in laws(game, before, after, replace(facts, wrenches=facts.wrenches | {"contact": contact}))


def test_energy_from_nothing_is_noticed(resting):
    game, before, after, facts = resting
    moving = replace(before, velocity=before.velocity + np.array(((0, 0, 0), (1.0, 0, 0))))
    faster = replace(after, velocity=after.velocity + np.array(((0, 0, 0), (1.001, 0, 0))))
    assert "energy" in laws(game, moving, faster, facts)
    slower = replace(after, velocity=after.velocity + np.array(((0, 0, 0), (0.999, 0, 0))))
    assert "energy" not in laws(game, moving, slower, facts)


def test_a_place_that_is_no_number_is_noticed(resting):
    game, before, after, facts = resting
    position = after.position.copy()
    position[1, 0] = np.nan
    assert "finite" in laws(game, before, replace(after, position=position), facts)


def test_a_kinematic_body_that_is_held_up_in_silence_is_noticed():
    game = Game(case_of(body("mover", [0, 0, 0], "kinematic", velocity=[1.0, 0, 0]), body("b", [1.0, 0, 0])))
    game.turn(0, Verdict())
    before, applied = look(game.world), game.world._state.wrench.copy()
    game._speeds = {}
    report = game.world.step()
    after, facts = look(game.world), game._facts(applied, report, 0.0, before)
    assert laws(game, before, after, facts) == set()
    held = replace(after, position=before.position)
    assert "silence" in laws(game, before, held, facts)


def test_lost_momentum_of_a_free_body_is_noticed():
    game = Game(case_of(body("b", [0, 0, 0], spin=[1.0, 20.0, 3.0]), gravity=[0.0] * 3))
    before, applied = look(game.world), game.world._state.wrench.copy()
    game._speeds = {}
    report = game.world.step()
    after, facts = look(game.world), game._facts(applied, report, 0.0, before)
    assert laws(game, before, after, facts) == set()
    assert "momentum" in laws(game, before, replace(after, spin=after.spin * (1 - 1e-9)), facts)


def test_overlap_set_by_hand_is_refused_and_agrees_with_the_judge():
    case = case_of(body("lower", [0, 0, 0], "fixed"), body("upper", [0, 0, 0.1001]))
    case["events"] = [{"at": 2, "do": "pose", "body": "upper", "move": [0, 0, -0.05], "turn": [0, 0, 0]}]
    game, verdict = Game(case), Verdict()
    assert [game.turn(k, verdict) for k in range(3)] == [True, True, False]
    assert verdict.findings == []
    with pytest.raises(abut.AbutError):
        game.world.step()
