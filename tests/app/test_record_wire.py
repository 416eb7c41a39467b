"""Messages of records: our few wire types against the reference implementation of Protocol Buffers."""

import numpy as np
import pytest

import abut
from abut import FileError
from abut.app.runs.background import Background
from abut.app.runs.chunk import Chunk
from abut.app.runs.layout import CHANNELS, CONTACTS, COUNTED, INPUT, REPORT, STATE
from abut.app.runs.pack_tables import Left
from abut.app.runs.reader import Stored
from abut.app.runs.unpack_kernels import count_records, find_records
from abut.app.runs.wire import Field, Message
from abut.dynamics.contacts.contact_table import KIND_NAMES

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


def test_steps_are_packed_as_the_schemas_say(rng):
    """What kernels write is what `encode` makes of what users see."""
    world = abut.scenes.stack(n=3).world
    world.run(0.05)
    world.body("box 2").velocity = (1.0, 0.2, 2.0)  # some contacts let go
    chunk = Chunk(1 << 20)
    for k in range(1, 4):
        left = Left(world._state.twist.copy(), world._state.hold, world._state.target)
        world.body("box 1").apply_force(rng.normal(size=3))
        before = world._now
        chunk.put_input(k, before, left)
        world.step()
        chunk.put_step(k, world._now, world._model_of(world._now.setup))
        found = {m.topic: m.data for m in messages_of(chunk)[-4:]}
        contacts, time = world.contacts, world.time
        columns = {name: contacts[name] for name in contacts.dtype.names if name != "kind"}
        columns["kind"] = (contacts["kind"][:, None] == KIND_NAMES).argmax(axis=1)
        state = {"step": k, "time": time, "pose": world._state.pose, "twist": world._state.twist}
        report = {name: float(getattr(world.report, name)) for name in COUNTED}
        pushed = {name: getattr(before.state, name)[[2]] for name in ("twist", "wrench", "hold", "target")}
        assert found["/state"] == STATE.encode(state)
        assert found["/contacts"] == CONTACTS.encode({"step": k, "time": time, **columns})
        assert found["/report"] == REPORT.encode({"step": k, "time": time, **report})
        assert found["/input"] == INPUT.encode({"step": k, "body": [2], **pushed})
    assert len(chunk.index) == 12


def messages_of(chunk):
    data, topics = chunk.data.tobytes(), list(CHANNELS)
    records = np.empty((count_records(np.frombuffer(data, np.uint8)), 5), np.int64)
    find_records(np.frombuffer(data, np.uint8), records)
    return [Stored(topics[channel - 1], stamp, data[start:end]) for _, channel, stamp, start, end in records.tolist()]


def test_a_step_in_which_nothing_was_done_has_no_input():
    world = abut.scenes.free_fall(height=1e-3).world
    chunk = Chunk(1 << 16)
    chunk.put_input(1, world._now, Left(world._state.twist.copy(), world._state.hold, world._state.target))
    chunk.put_start(0, world._now, world._model_of(world._now.setup))
    chunk.put("/note", 5, b"abc")
    assert [(m.topic, m.stamp) for m in messages_of(chunk)] == [("/state", 0), ("/note", 5)]


def test_what_fails_in_the_background_is_told_to_who_goes_on():
    def fail():
        raise FileError("the disk is full")

    background, done = Background("test", 2), []
    background.do(lambda: done.append(1))
    background.wait()
    background.do(fail)
    with pytest.raises(FileError, match="full"):
        background.wait()
    with pytest.raises(FileError, match="full"):
        background.do(lambda: done.append(2))
    background.stop()
    assert done == [1]
