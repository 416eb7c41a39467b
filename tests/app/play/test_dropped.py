"""Files dropped on a page: shown instead of what was shown, or refused in words; nothing else is read."""

import json
import re
import signal

import pytest
from websockets.sync.client import connect

from abut import Solid, scenes
from abut.app.play.dropped import MOST_BYTES, announced, check_scene, to_open
from abut.errors import AbutError
from play_clients import PATIENCE, Client, served

SCENE = """
[parts.block]
file = "block.stl"
unit = "mm"

[bodies.dropped]
part = "block"
density = 1000.0
"""


def dropped(address, files):
    """What the server answers to files, given as names and bytes."""
    with connect(address.replace("http", "ws", 1).replace("/?", "/drop?"), compression=None) as socket:
        socket.send(json.dumps({"files": [{"name": name, "size": len(data)} for name, data in files]}))
        answer = json.loads(socket.recv(PATIENCE))
        if "problem" in answer:
            return answer["problem"]
        for _, data in files:
            for at in range(0, len(data), 4096):
                socket.send(data[at : at + 4096])
        return json.loads(socket.recv(PATIENCE))["problem"]


@pytest.fixture(scope="module")
def block(tmp_path_factory):
    """Bytes of an STL file."""
    file = tmp_path_factory.mktemp("parts") / "block.stl"
    Solid.box((30.0, 20.0, 10.0)).save(file)
    return file.read_bytes()


@pytest.mark.needs_jit
def test_what_is_dropped_is_shown_or_refused_while_the_physics_goes_on(tmp_path, block):
    (tmp_path / "secret.stl").write_bytes(block)
    with served("peg_in_hole", cwd=tmp_path) as (_, address), Client(address) as page:
        before = page.until(lambda f: f["time"] > 0.0)
        elsewhere = SCENE.replace("block.stl", str(tmp_path / "secret.stl"))
        for files, words in (
            ([("scene.toml", elsewhere.encode()), ("block.stl", block)], "only name files dropped with it"),
            ([("scene.toml", b'include = ["x.toml"]')], "includes other scenes"),
            ([("scene.toml", SCENE.encode())], "block.stl"),
            ([("../../evil.stl", block)], "name with other characters"),
            ([("bad.step", b"nonsense")], "bad.step"),
            ([("program.py", b"print()")], "expected a file of the kinds"),
        ):
            problem = dropped(address, files)
            assert words in problem and "abut-dropped" not in problem, (files[0][0], problem)
        assert page.until(lambda f: f["time"] > before["time"] + 0.02)["driving"]
        assert dropped(address, [("scene.toml", SCENE.encode()), ("block.stl", block)]) == ""
        page.until(lambda f: len(f["poses"]) == 1)
        assert [body["name"] for body in page.scene["bodies"]] == ["dropped"]
        assert dropped(address, [("block.stl", block), ("other.stl", block)]) == ""
        page.until(lambda f: len(f["poses"]) == 2 and f["time"] > 0.0)
        assert [body["fixed"] for body in page.scene["bodies"]].count(True) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["secret.stl"]


def announce(address):
    """A socket on which a file was announced, and the answer to that."""
    socket = connect(address.replace("http", "ws", 1).replace("/?", "/drop?"), compression=None)
    socket.send(json.dumps({"files": [{"name": "a.stl", "size": 10}]}))
    return socket, json.loads(socket.recv(PATIENCE))


@pytest.mark.needs_jit
def test_one_drop_at_a_time_and_who_leaves_in_the_middle_is_no_hindrance(tmp_path, block):
    with served("peg_in_hole", cwd=tmp_path) as (_, address), Client(address) as page:
        first, answer = announce(address)
        assert answer == {"ready": True}
        second, answer = announce(address)
        assert "other files are being opened" in answer["problem"]
        second.close()
        first.send(b"12345")
        first.close()
        for wrong in ("text", b"12345678901"):
            third, answer = announce(address)
            while "problem" in answer:  # the server has not yet heard that the first has left
                third.close()
                third, answer = announce(address)
            third.send(wrong)
            assert "a.stl: came incomplete" in json.loads(third.recv(PATIENCE))["problem"]
            third.close()
        assert dropped(address, [("block.stl", block)]) == ""
        page.until(lambda f: len(f["poses"]) == 1)
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_a_scene_of_the_library_is_chosen_on_the_page(tmp_path, block):
    (tmp_path / "gears").write_bytes(block)  # a file of that name is no scene
    with served(cwd=tmp_path) as (_, address), Client(address) as page, Client(address) as other:
        assert page.frame()["paused"] and page.scene["bodies"] == []
        names = [name for name, sentence in page.scene["choices"] if sentence]
        assert names == list(scenes.NAMES)
        other.say(do="open", number=names.index("driver"))  # does not drive
        for number in (-1, len(names), 2**30):
            page.say(do="open", number=number)
        page.say(do="open", number=names.index("gears"))
        page.until(lambda f: len(f["poses"]) == 2 and f["time"] > 0.0)
        assert page.scene["title"] == "gears"
        assert dropped(address, [("block.stl", block)]) == ""
        page.until(lambda f: len(f["poses"]) == 1)
        page.say(do="open", number=names.index("countersunk"))
        page.until(lambda f: page.scene["title"] == "countersunk" and f["time"] > 0.0)


def test_what_is_odd_about_a_file_is_said_on_the_page(tmp_path):
    Solid.box((50.0, 20.0, 10.0)).save(tmp_path / "large.stl")
    with served("large.stl", cwd=tmp_path) as (process, address), Client(address) as page:
        page.until(lambda f: f["said"] == "")
        assert "50 m long" in page.scene["note"]
        process.send_signal(signal.SIGINT)
        assert "LoadWarning" not in process.stderr.read()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("nonsense", "something else than files"),
        ('{"files": []}', "0 files"),
        ('{"files": [{"name": "a.stl"}]}', "something else than files"),
        ('{"files": [{"name": "a.stl", "size": 0}]}', "empty"),
        ('{"files": [{"name": "a.stl", "size": true}]}', "empty"),
        ('{"files": [{"name": ["a.stl"], "size": 1}]}', "characters"),
        ('{"files": [{"name": "/etc/a.stl", "size": 1}]}', "characters"),
        ('{"files": [{"name": "a..stl", "size": 1}]}', "characters"),
        ('{"files": [{"name": ".stl", "size": 1}]}', "characters"),
        ('{"files": [{"name": "a.stl", "size": 1}, {"name": "A.STL", "size": 1}]}', "same name"),
        (json.dumps({"files": [{"name": "a.stl", "size": MOST_BYTES + 1}]}), "MB together"),
        (json.dumps({"files": [{"name": f"{k}.stl", "size": 1} for k in range(21)]}), "21 files"),
        ("[" * 4000, "something else than files"),
    ],
)
def test_what_is_announced_is_checked(message, words):
    with pytest.raises(AbutError, match=re.escape(words)):
        announced(message)


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.stl", "a/../../b.stl", "/dev/zero"])
def test_a_scene_names_nothing_elsewhere(tmp_path, name):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.replace("block.stl", name))
    with pytest.raises(AbutError, match="only name files dropped with it"):
        check_scene(file)
    file.write_text('title = "7/8 of a turn"\n[world]\ndt = "1e-3/2"\n')
    check_scene(file)


def test_one_scene_or_parts_are_opened(tmp_path):
    scene, part, track = (tmp_path / name for name in ("a.toml", "b.stl", "c.csv"))
    scene.write_text(SCENE)
    assert to_open([part, scene, track]) == [scene] and to_open([part, track]) == [part]
    for wrong in ([scene, scene], [track]):
        with pytest.raises(AbutError):
            to_open(wrong)
