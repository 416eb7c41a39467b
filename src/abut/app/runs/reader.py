"""A record as it is read: every whole message, also of a file whose writer was killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING
from zlib import crc32

from ...errors import FileError
from .layout import CHANNELS

if TYPE_CHECKING:
    from mcap.records import Chunk

LARGEST = 1 << 30
"""[bytes] of one chunk or message; more is damage."""
_CHANNEL, _MESSAGE = 4, 5
"""Kinds of records in chunks (MCAP specification)."""
_RECORD, _HEAD = Struct("<BQ"), Struct("<HIQQ")
"""Kind and length of a record; channel, number and both times [ns] of a message."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as it stands in the file."""

    topic: str
    stamp: int
    """[ns] of the world."""
    data: bytes | memoryview


@dataclass(frozen=True)
class RecordFile:
    """What was read."""

    metadata: dict[str, str]
    messages: list[Stored]
    complete: bool
    """Whether the writer closed the file; if not, the last chunk may be lost."""


def read_record(file: Path, *, empty: bool = False) -> RecordFile:
    """All that can be read of a record; whether it may be `empty`, killed before its first chunk was written."""
    metadata: dict[str, str] = {}
    messages: list[Stored] = []
    complete = False
    try:
        with file.open("rb") as stream:
            for item in _records(stream, file):
                if isinstance(item, list):
                    messages += item
                elif isinstance(item, dict):
                    metadata = item
                else:
                    complete = True
    except OSError as error:
        raise FileError(f"{file}: cannot be read ({error.strerror})") from None
    if not metadata and not messages and not empty:
        raise FileError(f"{file}: is no record of abut, or was killed before its first chunk was written")
    return RecordFile(metadata, messages, complete)


def _records(stream: object, file: Path) -> Iterator[list[Stored] | dict[str, str] | None]:
    """Messages of a chunk, the metadata, and None at the end of a record that was closed."""
    from mcap.exceptions import McapError
    from mcap.records import Channel, Chunk, Footer, Metadata
    from mcap.stream_reader import StreamReader

    topics: dict[int, str] = {}
    try:
        for record in StreamReader(stream, emit_chunks=True, record_size_limit=LARGEST).records:  # type: ignore[arg-type]
            if isinstance(record, Chunk):
                yield _messages(_opened(record), topics)
            elif isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Metadata) and record.name == "abut":
                yield dict(record.metadata)
            elif isinstance(record, Footer):
                yield None
    except (McapError, EOFError):
        return  # the writer was killed in the middle of a chunk
    except Exception as error:  # a damaged file makes the decompressor and the parser raise whatever they like
        if not topics:
            raise FileError(f"{file}: is no record of abut ({type(error).__name__})") from None
        return


def _opened(chunk: Chunk) -> bytes:
    """What a chunk holds; one whose bytes were changed is refused."""
    from zstandard import ZstdDecompressor

    if chunk.uncompressed_size > LARGEST:
        raise EOFError
    packed = chunk.compression == "zstd"
    data = ZstdDecompressor().decompress(chunk.data, chunk.uncompressed_size) if packed else bytes(chunk.data)
    if len(data) != chunk.uncompressed_size or (chunk.uncompressed_crc and crc32(data) != chunk.uncompressed_crc):
        raise EOFError
    return data


def _messages(data: bytes, topics: dict[int, str]) -> list[Stored]:
    """Messages in a chunk, and names of the channels that it announces."""
    found, at, view, end = [], 0, memoryview(data), len(data)
    while at + _RECORD.size <= end:
        kind, length = _RECORD.unpack_from(data, at)
        start, at = at + _RECORD.size, at + _RECORD.size + length
        if at > end:
            raise EOFError
        if kind == _MESSAGE:
            channel, _, stamp, _ = _HEAD.unpack_from(data, start)
            topic = topics.get(channel)
            if topic in CHANNELS:
                found.append(Stored(topic, stamp, view[start + _HEAD.size : at]))
        elif kind == _CHANNEL:
            number, topic = _channel(data[start:at])
            topics[number] = topic
    return found


def _channel(data: bytes) -> tuple[int, str]:
    """Number and topic: two numbers of 16 bits, then a text with its length in front."""
    length = int.from_bytes(data[4:8], "little")
    return int.from_bytes(data[:2], "little"), data[8 : 8 + length].decode()
