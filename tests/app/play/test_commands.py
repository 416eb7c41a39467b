"""What a page may ask for: every command as it is meant, and nothing else."""

import contextlib
import json
import random

import pytest

from abut.app.play.commands import NEEDS, Refused, parse


def test_commands_are_read():
    command = parse('{"do": "grab", "body": 1, "point": [0, 0, 0.1], "target": [1, 2, 3]}', 2)
    assert command.do == "grab" and command["body"] == 1 and command["target"] == (1.0, 2.0, 3.0)
    assert parse('{"do": "hand", "name": "strong"}', 2)["name"] == "strong"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "nonsense",
        "[]",
        "[" * 3000,
        '{"do": "open", "path": "/etc/passwd"}',
        '{"do": "grab", "body": 2, "point": [0, 0, 0], "target": [0, 0, 0]}',
        '{"do": "grab", "body": -1, "point": [0, 0, 0], "target": [0, 0, 0]}',
        '{"do": "grab", "body": true, "point": [0, 0, 0], "target": [0, 0, 0]}',
        '{"do": "grab", "body": 0, "point": [0, 0], "target": [0, 0, 0]}',
        '{"do": "measure", "body": 0, "other": 2}',
        '{"do": "regions", "on": 1}',
        '{"do": "move", "target": [0, 0, NaN]}',
        '{"do": "move", "target": [0, 0, 1e300]}',
        '{"do": "move", "target": [0, 0, "1"]}',
        '{"do": "hand", "name": "__class__"}',
        '{"do": "pause", "on": 1}',
        '{"do": "speed"}',
        '{"do": ["grab"]}',
        '{"do": "move", "target": [' + "0," * 4000 + "0]}",
        b"\xff\xfe",
    ],
)
def test_anything_else_is_refused(message):
    with pytest.raises(Refused):
        parse(message, 2)


def test_random_messages_are_commands_or_refused():
    rng = random.Random(1)
    values = [None, True, -1, 0, 1, 2**40, 1e9, float("nan"), "gentle", [], [0, 0, 0], [0] * 7, {}, "x" * 100]
    keys = sorted({key for needs in NEEDS.values() for key in needs})
    for _ in range(3000):
        table = {"do": rng.choice([*NEEDS, "", None, 3]), **{rng.choice(keys): rng.choice(values) for _ in range(4)}}
        with contextlib.suppress(Refused):
            assert parse(json.dumps(table), 2).do in NEEDS
