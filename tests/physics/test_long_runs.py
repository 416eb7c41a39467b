"""Thousands of steps: nothing drifts, heats up or stays behind in memory; another process gets the same bits.

`python -m bench long_runs` does the same for 100,000 steps.
"""

import hashlib
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import abut
from abut.query.motion.feature_table import FEW_PAIRS
from abut.scene import scenes
from physics.energy import run_watched
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit


def places(world):
    return np.array([[*body.pose.position, *body.pose.rotvec] for body in world.bodies])


def test_a_resting_stack_stays_where_it_is():
    scene = scenes.stack(n=5)
    world, judge = scene.world, Judge(scene.world)
    for _ in scene.run(0.2):
        pass
    start, gap = places(world), world.contact_gap
    forces = []
    for k, report in enumerate(scene.run(2.0)):
        assert report.time_given_up == 0.0 and report.rounds == 0, "a stack at rest sleeps"
        assert k % 100 or judge.overlap() is None
        forces.append(sum(c["force"] for c in world.contacts if c["body_a"] == 0) if k % 50 == 0 else forces[-1])
    moved = np.abs(places(world) - start)
    assert moved[:, 2].max() < 0.01 * gap and moved[:, :2].max() < 1e-12 and moved[:, 3:].max() < 1e-9
    assert world.kinetic_energy < 1e-10
    np.testing.assert_allclose(forces, 5 * world.body("box 0").mass * 9.81, rtol=1e-3)


def test_a_chain_that_swings_loses_energy_only():
    scene = scenes.chain(n=4, segments=16, sides=8)
    reports = run_watched(scene, 1.5, every=100)
    assert sum(report.time_given_up for report in reports) < 1e-3
    assert max(report.contacts for report in reports[1000:]) < 40, "contacts that no longer push are dropped"


@pytest.mark.parametrize(
    "make", [lambda: scenes.stack(n=4), lambda: scenes.chain(n=3, segments=12, sides=6)], ids=["stack", "rings"]
)
def test_steps_leave_nothing_behind_in_memory(make):
    scene = make()
    for _ in range(300):
        scene.step()
    tracemalloc.start()
    try:
        for _ in range(50):
            scene.step()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(500):
            scene.step()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000, "less than 40 bytes a step: tables that grow once, and no more"


def hash_after(name, steps, **options):
    """Hash of the state and the contacts after so many steps."""
    scene = getattr(scenes, name)(**options)
    for _ in range(steps):
        scene.step()
    world = scene.world
    return hashlib.sha256(
        world._state.pose.tobytes() + world._state.twist.tobytes() + world.contacts.tobytes()
    ).hexdigest()


RUNS = (
    ("chain", 100, {"n": 4, "segments": 12, "sides": 6}),
    ("stack", 100, {"n": 4}),
    ("screwdriver", 30, {}),
    ("bullet", 10, {"tilt": 0.3}),
)


def hashes():
    return [hash_after(name, steps, **options) for name, steps, options in RUNS]


def test_another_process_with_one_thread_gets_the_same_bits():
    tests = Path(__file__).resolve().parents[1]
    paths = os.pathsep.join([str(tests), str(tests.parent / "src")])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "7"}
    code = "from physics.test_long_runs import hashes; print(*hashes())"
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.split() == hashes()


def pile(threads):
    """Cubes that fall through each other's way, each near many others."""
    rng = np.random.default_rng(5)
    world = abut.World(threads=threads)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    cube = abut.Solid.box(0.1)
    for i in range(64):
        place = 0.175 * np.array([i % 4, i // 4 % 4, 0.6 + i // 16])
        world.add_body(cube, pose=abut.Pose.from_rotvec(place, rng.normal(size=3)), velocity=-2.0 * place)
    return world


def test_any_number_of_threads_gives_the_same_bits():
    results, most = [], 0
    for threads in (1, 2, 3):
        world = pile(threads)
        for _ in range(100):
            most = max(most, world.step().pairs)
        results.append(world._state.pose.tobytes() + world._state.twist.tobytes() + world.contacts.tobytes())
    assert most >= FEW_PAIRS, "else no thread was asked for"
    assert world.report.contacts > 20
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("threads", [0, 1.5, "two"])
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads):
    with pytest.raises(abut.InputError, match="threads"):
        abut.World(threads=threads)
