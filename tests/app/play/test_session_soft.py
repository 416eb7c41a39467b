"""Soft bodies in a session: grabbed at the skin, undone, kept as a track; frames stay small."""

import struct

import numpy as np
import pytest

import abut
from abut.app.play.commands import Command
from abut.app.play.keep import Keeper
from abut.app.play.scene_message import extent
from abut.app.play.session import Session
from abut.app.play.soft_rows import MOST, soft_of_world
from abut.app.play.sources import Source

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

SCENE = """
[world]
dt = 5e-3
[parts.strip]
library = "box"
size = [0.1, 0.03, 0.03]
[bodies.floor]
shape = "half_space"
fixed = true
[soft.strip]
part = "strip"
cell = 0.015
young = 1e5
poisson = 0.35
damping = [0.5, 5e-3]
position = [0, 0, 0.0152]
"""


@pytest.fixture
def session(tmp_path):
    (tmp_path / "strip.toml").write_text(SCENE)
    scene = abut.scene.load(tmp_path / "strip.toml")
    return Session(Source(scene, "strip", ""), Keeper(tmp_path, "strip"))


def bits(world):
    soft = world.deformables[0]
    return soft.nodes.tobytes() + soft.velocities.tobytes()


def lift(session, steps=12):
    session.obey(Command("grab", {"body": 1, "point": (0.05, 0, 0.03), "target": (0.05, 0, 0.03)}))
    for k in range(steps):
        session.obey(Command("move", {"target": (0.05, 0, 0.03 + 2e-3 * k)}))
        assert session.step() is not None


def test_a_skin_is_grabbed_lifted_undone_and_done_again(session):
    begin = bits(session.world)
    lift(session)
    status = session._held_status()
    assert status["body"] == 1 and np.linalg.norm(status["force"]) > 0.0
    high = session.world.deformables[0].place_of((0.05, 0, 0.015))[2]
    assert high > 0.035
    session.obey(Command("release", {}))
    assert session.world._now.soft.hands == (None,)
    lifted = bits(session.world)
    session.obey(Command("undo", {}))
    assert bits(session.world) == begin and session.held is None
    session.obey(Command("redo", {}))
    assert bits(session.world) == lifted


def test_what_the_hand_did_is_kept_and_repeats_to_the_bit(session, tmp_path):
    lift(session)
    session.obey(Command("release", {}))
    for _ in range(5):
        session.step()
    session.obey(Command("keep", {}))
    assert session.problem == "" and "kept what the hand did" in session.said
    again = abut.scene.load(session.said.rpartition(" ")[2])
    for _ in range(session.steps):
        again.step()
    assert bits(again.world) == bits(session.world)


@pytest.mark.parametrize(
    "command",
    [
        Command("fix", {"body": 1, "on": True}),
        Command("nudge", {"body": 1, "shift": (0, 0, 1e-3), "turn": (0, 0, 0)}),
        Command("measure", {"body": 0, "other": 1}),
    ],
)
def test_what_is_for_rigid_parts_is_a_sentence(session, command):
    session.obey(command)
    assert session.problem.startswith("'strip' is soft: drag it at a point of its skin")


def test_frames_hold_nodes_in_eight_bytes_each(session):
    lift(session)
    world = session.world
    origin, size = extent(world)
    block = soft_of_world(world, origin, size)
    soft = world.deformables[0]
    n = len(soft.mesh.nodes)
    assert len(block) == 32 + 8 * n
    head, rows = np.frombuffer(block, "<f4", 8), np.frombuffer(block, "<u2", 4 * n, 32).reshape(n, 4)
    places = origin + size * (head[:3] + rows[:, :3] / MOST * head[3:6])
    assert np.abs(places - soft.nodes).max() < 1e-5 * np.ptp(soft.nodes, axis=0).max()
    assert head[6] * rows[:, 3].max() / MOST == pytest.approx(float(head[6])) and head[6] > 0
    message = session.frame(1.0)
    _, bodies, *_, soft_bytes, _ = struct.unpack_from("<IIIIdIIII", message)
    assert (bodies, soft_bytes) == (2, len(block))


def test_a_skin_on_a_page_keeps_its_sharp_edges(session):
    import json

    message = session.scene({})
    length = struct.unpack_from("<I", message, 4)[0]
    head = json.loads(message[8 : 8 + length])
    skin = head["shapes"][head["bodies"][1]["shape"]]["soft"]
    assert skin["corner"][1] == 4 * 4 * 24, "a box has 8 corners on 3 faces each"
    assert skin["edges"][1] == 4 * 2 * 12 and skin["index"][1] == 4 * 3 * 12


def test_a_world_of_soft_bodies_alone_has_no_regions_and_says_no_word(tmp_path):
    (tmp_path / "alone.toml").write_text(SCENE.replace('[bodies.floor]\nshape = "half_space"\nfixed = true\n', ""))
    alone = Session(Source(abut.scene.load(tmp_path / "alone.toml"), "strip", ""))
    alone.obey(Command("regions", {"on": True}))
    assert alone._status(alone.world.contacts, 1.0)["regions"] == [] and not alone.problem
