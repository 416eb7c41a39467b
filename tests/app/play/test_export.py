"""A recorded run as one page: what is inside, and that a browser shows it with the network off."""

import struct

import numpy as np

from abut import Run, recording, scenes
from abut.app.play.export import chosen_states, page_of_run, record_of


def recorded(folder):
    scene = scenes.free_fall(height=2e-3)
    with recording(scene.world, folder) as recorder:
        for _ in range(60):
            recorder.step()
    return Run(folder)


def pieces(data):
    at, found = 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def test_a_record_holds_the_scene_and_its_states(tmp_path):
    run = recorded(tmp_path / "run")
    scene, *frames = pieces(record_of(run))
    assert struct.unpack_from("<I", scene)[0] == 0xAB06
    shown = chosen_states(run.times)
    assert len(frames) == len(shown) and shown[0] == 0 and shown[-1] == len(run.times) - 1
    n = len(run.bodies)
    last = np.frombuffer(frames[-1], "<f8", 7 * n, 32).reshape(n, 7)
    for body, row in zip(run.bodies, last, strict=True):
        assert (row == run.poses(body)[-1]).all()
    assert struct.unpack_from("<I", frames[-1], 8)[0] == (run.contacts["step"] == run.steps[-1]).sum()
    page = page_of_run(run)
    assert page.count('id="abut-record"') == 1 and len(page) < 1_500_000


def test_long_runs_are_thinned():
    assert len(chosen_states(np.arange(0.0, 100.0, 1e-3))) <= 3002
    assert len(chosen_states(np.array([0.0]))) == 1
