"""Messages of records: our few wire types against the reference implementation of Protocol Buffers."""

import numpy as np
import pytest

from abut import FileError
from abut.app.runs.layout import CHANNELS, CONTACTS, STATE
from abut.app.runs.wire import Field, Message

SMALL = Message(
    "Small",
    (
        Field("step", "sfixed64", "a number"),
        Field("pose", "double", "rows", (3,)),
        Field("body", "sfixed32", "numbers"),
        Field("text", "string", "words"),
    ),
)


def reference(message):
    """The message's class, made by the reference implementation from our schema."""
    pytest.importorskip("google.protobuf")
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.message_factory import GetMessages

    files = FileDescriptorSet.FromString(message.schema()).file
    return GetMessages(files)[message.full_name]


def test_what_we_write_the_reference_reads(rng):
    pose = rng.normal(size=(200, 3))
    data = SMALL.encode({"step": 7, "pose": pose, "body": [-1, 2, 2**31 - 1], "text": "µm"})
    found = reference(SMALL).FromString(data)
    assert list(found.step) == [7] and list(found.body) == [-1, 2, 2**31 - 1] and found.text == "µm"
    assert (np.array(found.pose).reshape(-1, 3) == pose).all()


def test_what_the_reference_writes_we_read(rng):
    pose = rng.normal(size=12)
    data = reference(SMALL)(step=[3], pose=pose, body=[5], text="abc").SerializeToString()
    found = SMALL.decode(data)
    assert found["step"] == [3] and found["body"] == [5] and found["text"] == "abc"
    assert (found["pose"] == pose.reshape(4, 3)).all()


@pytest.mark.parametrize("message", CHANNELS.values(), ids=lambda message: message.name)
def test_the_schemas_of_records_are_sound(message):
    made = reference(message)
    assert [field.name for field in made.DESCRIPTOR.fields] == [field.name for field in message.fields]


def test_round_trip_keeps_bits_and_leaves_out_what_is_empty(rng):
    twist = rng.normal(size=(20, 6))
    found = STATE.decode(STATE.encode({"step": 1, "time": 0.1, "twist": twist}))
    assert (found["twist"] == twist).all() and found["pose"].shape == (0, 7)
    assert CONTACTS.encode({}) == b""


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x0a\xff", "ends too early|cannot be read"),
        (b"\x0a\x03abc", "3 bytes, which is no array"),
        (b"\x12\x08" + bytes(8), "1 numbers for 'pose', not a multiple of 3"),
        (b"\x08\x01", "cannot be read"),
        (b"\xff" * 20, "ends too early"),
    ],
)
def test_damage_is_told_in_a_sentence(data, words):
    with pytest.raises(FileError, match=words):
        SMALL.decode(data)
