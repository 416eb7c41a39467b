"""No energy from nowhere where motors, limits, hands, loads and jaws work: random worlds, held to the law step by step.

The law is the adversary's, which computes all work from what a world tells (torture/laws.py).
"""

import numpy as np
import pytest
from torture.cases import draw
from torture.finding import Verdict
from torture.play import Game

from torture import play

pytestmark = pytest.mark.needs_jit


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Kernels may have to be compiled."""
    monkeypatch.setattr(play, "SLOW_STEP", np.inf)


class Watched(Game):
    """A world in play that notes which sources of force acted in it."""

    def __init__(self, case):
        super().__init__(case)
        self.acted = set()

    def _facts(self, *given):
        facts = super()._facts(*given)
        self.acted.update(source for source, wrench in facts.wrenches.items() if wrench.any())
        self.acted.update(["driven"] if facts.driven != 0.0 else [])
        jaws = [i for i, actor in enumerate(self.cast) if actor.kind == "kinematic"]
        self.acted.update(["jaw"] if facts.wrenches["contact"][jaws].any() else [])
        return facts

    def play(self):
        """What is found in all of its steps."""
        verdict = Verdict()
        for k in range(self.case["steps"]):
            if not self.turn(k, verdict):
                break
        return verdict.findings


def swept(seed):
    """A jaw that moves and turns as it was told to sweeps boxes over a floor, and against each other."""
    rng = np.random.default_rng(seed)
    at_rest = {"rotvec": [0.0] * 3, "velocity": [0.0] * 3, "spin": [0.0] * 3, "kind": "dynamic"}
    floor = at_rest | {"shape": {"make": "half_space", "normal": [0.0, 0.0, 1.0], "offset": 0.0}, "kind": "fixed"}
    jaw = at_rest | {"shape": {"make": "box", "size": [0.02, 0.3, 0.1]}, "kind": "kinematic"}
    jaw |= {"velocity": [rng.uniform(0.5, 5.0), 0.0, 0.0], "spin": [0.0, 0.0, rng.uniform(-20.0, 20.0)]}
    bodies = [floor | {"name": "floor", "position": [0.0] * 3}, jaw | {"name": "jaw", "position": [-0.13, 0.0, 0.06]}]
    for i in range(4):
        size = rng.uniform(0.02, 0.08, size=3)
        place = [0.1 * (i % 2), 0.1 * (i // 2) - 0.05, 0.5 * size[2] + 1e-4]
        box = {"shape": {"make": "box", "size": size.tolist()}, "name": f"box {i}", "position": place}
        bodies.append(at_rest | box)
    laws = {"friction": float(rng.choice([0.0, 0.5])), "restitution": float(rng.choice([0.0, 0.7]))}
    world = {"dt": float(rng.choice([1e-3, 5e-3])), "gravity": [0.0, 0.0, -9.81]} | laws
    return {"kind": "worlds", "seed": seed, "steps": 60, "world": world, "bodies": bodies, "joints": [], "events": []}


@pytest.mark.parametrize(
    ("what", "seeds"),
    [
        ("contact", (304, 316, 325, 333, 347, 403, 404, 413)),
        ("driven", (72, 150, 181, 215, 272, 309, 348, 362)),
        ("joint", (189, 203, 318)),
        ("hand", (366, 405, 416)),
        ("applied", (354, 370)),
    ],
)
def test_energy_is_worked_for(what, seeds):
    """Boxes, hulls and balls in heaps and cages, chains with motors and limits, hands, kinematic jaws, pushes."""
    seen = set()
    for seed in seeds:
        world = Watched(draw("worlds", seed))
        assert not world.play(), f"worlds:{seed}"
        seen |= world.acted
    assert what in seen


def test_jaws_give_what_they_push_with():
    for seed in range(8):
        world = Watched(swept(seed))
        assert not world.play(), seed
        assert "jaw" in world.acted
