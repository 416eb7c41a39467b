"""The server with clients of all kinds: strangers, babblers, those that leave in the middle of a drag."""

import contextlib
import json
import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from abut import Pose, Solid, World
from abut.app.play.commands import NEEDS
from abut.app.play.sources import open_source
from abut.dynamics.methods.registry import PLAYED_METHODS
from abut.scene import save
from play_clients import Client, served, socket_address
from step_file import write_step

pytestmark = pytest.mark.needs_jit
PEG = 1
SERVER_ALONE = """
import sys
import abut.app.cli, abut.app.play.server
assert not {"numba", "numpy"} & set(sys.modules)
"""


def test_the_server_needs_no_kernels():
    """So that it is there as soon as the physics is."""
    subprocess.run([sys.executable, "-c", SERVER_ALONE], check=True, timeout=90.0)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served("peg_in_hole", cwd=tmp_path_factory.mktemp("served")) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        yield process, address
        assert process.poll() is None, "nothing that pages sent has ended the server"


@pytest.fixture
def address(server):
    return server[1]


def answer(address, path="/", host=None, **headers):
    """Status and headers of a plain request."""
    parts = urlsplit(address)
    request = urllib.request.Request(f"http://{parts.netloc}{path}", headers=headers)
    if host is not None:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=20.0) as found:
            return found.status, found.headers, found.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def query(address):
    return f"?{urlsplit(address).query}"


def test_the_page_allows_only_itself(address):
    status, headers, page = answer(address, f"/{query(address)}")
    policy = headers["Content-Security-Policy"]
    assert status == 200 and page.startswith(b"<!")
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/ws", "/ws?token=wrong"])
def test_who_lacks_the_token_gets_nothing(address, path):
    assert answer(address, path)[0] == 403


def test_other_names_and_other_pages_are_refused(address):
    path, port = f"/{query(address)}", urlsplit(address).port
    assert answer(address, path, host="evil.example")[0] == 403
    assert answer(address, path, host=f"evil.example:{port}")[0] == 403
    assert answer(address, path, Origin="http://evil.example")[0] == 403
    for origin in ("http://evil.example", "null", f"http://localhost:{port}", f"http://127.0.0.1:{port + 1}"):
        with pytest.raises(InvalidStatus) as refused:
            connect(socket_address(address), additional_headers={"Origin": origin})
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize("path", ["/etc/passwd", "/../../etc/passwd", "/index.html", "//", "/ws/../"])
def test_there_is_one_page_only(address, path):
    status, _, body = answer(address, f"{path}{query(address)}")
    assert status == 404 and b"root:" not in body


def memory(process):
    """[MB] of the server and the processes it started."""
    total = 0.0
    for pid in (process.pid, *children(process.pid)):
        with open(f"/proc/{pid}/status") as file:
            total += next(float(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024.0
    return total


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        pytest.skip("this system does not tell the processes of a process")


def babble(rng):
    """A message of some kind: well formed, nearly so, or noise."""
    numbers = [0, -1, 1, 2**31, 2**70, 1e-300, 1e300, 1e6, -0.0, 0.5, float("nan"), float("inf")]
    values = [None, True, "x" * rng.randrange(50), [], {}, [[]], *numbers, [rng.choice(numbers) for _ in range(3)]]
    values += [[rng.choice(numbers) for _ in range(7)], [rng.random() * 0.1 for _ in range(3)], "normal", "ncp"]
    kind = rng.randrange(10)
    if kind == 0:
        return rng.randbytes(rng.randrange(300))
    if kind == 1:
        return "".join(chr(rng.randrange(1, 0xD7FF)) for _ in range(rng.randrange(200)))
    if kind == 2:
        return rng.choice(
            ["[" * 2000, '{"do":' * 500, "9" * 4000, '"\\ud800"', "{}", "[]", "null", '{"do": "__init__"}']
        )
    word = rng.choice([*NEEDS, "tell", "watched", "obey", "remember", "", "do_keep"])
    needs = NEEDS.get(word, {})
    table = {"do": word, **{key: rng.choice(values) for key in needs}}
    if kind > 5:
        table |= {key: good(rng, wanted) for key, wanted in needs.items()}
    if word == "open":  # what there is would be shown; see test_dropped
        table["number"] = rng.choice([-1, 4000, 2**30, 2**31, 2**70, 0.5, None, "gears", "../scene.toml", [0]])
    if kind == 3:
        table |= {rng.choice(["path", "file", "body", "target"]): rng.choice(values)}
    return json.dumps(table)


def good(rng, kind):
    """A value as a command needs it."""
    if isinstance(kind, tuple):
        return rng.choice(kind)
    if kind is str:
        return rng.choice([*PLAYED_METHODS, "event", "impulse", "no_method"])
    if kind in (3, 7):
        return [rng.uniform(-1.0, 1.0) * 10.0 ** rng.randrange(-6, 5) for _ in range(kind)]
    return {bool: rng.random() < 0.5, int: rng.randrange(2), float: rng.uniform(-2.0, 2.0)}[kind]


def load_kernels(address):
    """Let every method step for once: to compile what it needs takes memory, too."""
    with Client(address) as page:
        page.say(do="take")
        page.until(lambda f: f["driving"])
        for name in PLAYED_METHODS[::-1]:
            page.say(do="method", name=name)
            first = page.until(lambda f: not f["paused"])
            page.until(lambda f, then=first["time"]: f["time"] > then + 0.02)


@pytest.mark.parametrize("seed", range(3))
def test_babble_neither_stops_the_physics_nor_ends_the_server(server, seed):
    process, address = server
    load_kernels(address)
    rng, sent, before = random.Random(seed), 0, memory(process)
    while sent < 2500:
        with Client(address) as babbler:
            babbler.say(do="take")
            try:
                for _ in range(400):
                    babbler.socket.send(babble(rng))
                    sent += 1
            except ConnectionClosed:
                pass
    with Client(address) as page:
        page.say(do="take")
        page.until(lambda f: f["driving"])
        for word in ("release", "reset"):
            page.say(do=word)
        page.say(do="pause", on=False)
        page.say(do="speed", value=1.0)
        page.say(do="method", name="ncp")
        first = page.until(lambda f: not f["paused"])
        later = page.until(lambda f: f["time"] > first["time"] + 0.05)
        assert np.isfinite(later["poses"]).all() and later["problem"] == ""
    assert memory(process) < before + 150.0, "[MB] 60 snapshots for undo and what a track may hold, no more"


def test_messages_that_are_too_long_end_the_connection_and_nothing_else(address):
    with Client(address) as page, Client(address) as other:
        page.socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            for _ in range(1000):
                page.socket.recv(20.0)
        other.until(lambda f: f["watchers"] == 1)


def test_a_flood_ends_the_connection_and_nothing_else(address):
    with Client(address) as other, Client(address) as page:
        message = json.dumps({"do": "move", "target": [0.0, 0.0, 0.0]})
        with pytest.raises(ConnectionClosed):
            for _ in range(100_000):
                page.socket.send(message)
        first = other.frame()
        other.until(lambda f: f["time"] > first["time"] and f["watchers"] == 1)


def test_there_is_room_for_sixteen_pages(address):
    with Client(address) as first, contextlib.ExitStack() as others:
        first.until(lambda f: f["watchers"] == 1)  # those of other tests have left
        for _ in range(15):
            others.enter_context(Client(address))
        with pytest.raises(ConnectionClosed):
            Client(address)
        others.close()
        first.until(lambda f: f["watchers"] == 1)
        with Client(address) as page:
            page.until(lambda f: f["watchers"] == 2)


def test_one_drives_others_watch_and_can_ask_for_the_hand(address):
    with Client(address) as first, Client(address) as second:
        assert first.until(lambda f: f["watchers"] == 2)["driving"] and not second.frame()["driving"]
        second.say(do="pause", on=True)
        second.say(do="grab", body=PEG, point=[0, 0, 0], target=[0, 0, 1])
        for _ in range(10):
            found = second.frame()
            assert not found["paused"] and found["held"] is None
        first.say(do="grab", body=PEG, point=[0, 0, 0], target=found["poses"][PEG, :3].tolist())
        second.until(lambda f: f["held"] is not None)
        second.say(do="take")
        assert second.until(lambda f: f["driving"])["driving"]
        assert not first.until(lambda f: not f["driving"])["driving"]
        assert first.until(lambda f: f["held"] is None)["held"] is None


def test_who_is_gone_in_the_middle_of_a_drag_lets_go(address):
    with Client(address) as page:
        gone = Client(address)
        gone.say(do="take")
        start = gone.until(lambda f: f["driving"])
        gone.say(do="grab", body=PEG, point=[0, 0, 0], target=start["poses"][PEG, :3].tolist())
        page.until(lambda f: f["held"] is not None)
        gone.socket.socket.shutdown(socket.SHUT_RDWR)  # a cable that is pulled, not a page that says goodbye
        page.until(lambda f: f["held"] is None and f["driving"])


def test_a_port_that_is_taken_is_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "abut", "play", "free_fall", "--no-browser", "--port", str(port)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=90.0)
    assert found.returncode != 0
    assert f"port {port} of 127.0.0.1: cannot be used" in found.stderr and "--port" in found.stderr
    assert "Traceback" not in found.stderr


def test_a_scene_that_starts_overlapped_is_shown_and_moved_apart(tmp_path):
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.01)))
    save(world, tmp_path / "scene.toml")
    with served(tmp_path / "scene.toml") as (process, address), Client(address) as page:
        found = page.until(lambda f: f["overlapping"])
        assert found["paused"] and set(found["overlapping"]) == {"floor", "block"}
        assert "'floor' and 'block'" in found["problem"]
        page.say(do="grab", body=1, point=[0, 0, 0], target=[0, 0, 0.01])
        page.say(do="move", target=[0, 0, 0.05])
        page.say(do="release")
        page.say(do="pause", on=False)
        found = page.until(lambda f: f["time"] > 0.01)
        assert found["overlapping"] == [] and found["problem"] == "" and not found["paused"]
        assert process.poll() is None


def begun_again(page):
    """The frame in which time begins again, however late it is seen."""
    page.say(do="pause", on=True)
    page.say(do="reset")
    found = page.until(lambda f: f["paused"] and f["time"] == 0.0 and f["held"] is None)
    page.say(do="pause", on=False)
    return found


def test_a_bolt_is_taken_out_of_an_assembly_without_a_scene_file(tmp_path):
    pytest.importorskip("OCP", reason="reading STEP needs Open CASCADE: pip install 'abut[cad]'")
    plate = Solid.box((0.06, 0.06, 0.02)) - Solid.cylinder(0.0051, 0.04, segments=24)
    bolt = Solid.cylinder(0.005, 0.02, segments=24) | Solid.box((0.016, 0.016, 0.006)).transformed(Pose((0, 0, 0.013)))
    write_step(tmp_path / "bolted.step", [plate.renamed("plate"), bolt.renamed("bolt")])
    with served(tmp_path / "bolted.step") as (_, address), Client(address) as page:
        page.until(lambda f: not f["said"])
        assert [(body["name"], body["fixed"]) for body in page.scene["bodies"]] == [("plate", True), ("bolt", False)]
        assert page.scene["hint"] == "take bolt out and put it back; plate is fixed"
        for height in (0.1, -0.1):  # the head keeps it from going through
            start = begun_again(page)["poses"][1, :3]
            page.say(do="grab", body=1, point=[0, 0, 0], target=[start[0], start[1], start[2] + height])
            held = page.until(lambda f: f["held"] is not None)
            found = page.until(lambda f, then=held["time"]: f["time"] > then + 1.0)
            moved = found["poses"][1, :3] - start
            assert moved[2] == pytest.approx(0.1, abs=0.01) if height > 0.0 else abs(moved[2]) < 1e-5
            page.say(do="release")


def test_parts_of_a_file_are_shown_before_they_are_set_free(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((30.0, 30.0, 30.0)).export(tmp_path / "part.stl")
    seen = []
    found = open_source([str(tmp_path / "part.stl")] * 2, unit="mm", seen=seen.append)
    (early,) = seen
    assert [b.name for b in early.scene.world.bodies] == [b.name for b in found.scene.world.bodies]
    assert early.hint == found.hint


def test_simulated_time_keeps_with_the_clock(address):
    with Client(address) as page:
        begun_again(page)
        first, then = page.frame(), time.monotonic()
        last = page.until(lambda f: f["time"] > first["time"] + 1.5)
        elapsed = time.monotonic() - then
        # on a busy machine time is given up, and then the pace says so
        assert last["time"] - first["time"] <= elapsed + 0.1
        assert last["time"] - first["time"] > 0.8 * min(1.0, last["pace"]) * elapsed - 0.1
