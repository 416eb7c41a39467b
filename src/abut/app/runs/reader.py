"""A record as it is read: every whole message, also of a file whose writer was killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import FileError
from .layout import CHANNELS

LARGEST = 1 << 30
"""[bytes] of one chunk or message; more is damage."""


@dataclass(frozen=True)
class Stored:
    """A message as it stands in the file."""

    topic: str
    stamp: int
    """[ns] of the world."""
    data: bytes


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
                if isinstance(item, Stored):
                    messages.append(item)
                elif isinstance(item, dict):
                    metadata = item
                else:
                    complete = True
    except OSError as error:
        raise FileError(f"{file}: cannot be read ({error.strerror})") from None
    if not metadata and not messages and not empty:
        raise FileError(f"{file}: is no record of abut, or was killed before its first chunk was written")
    return RecordFile(metadata, messages, complete)


def _records(stream: object, file: Path) -> Iterator[Stored | dict[str, str] | None]:
    """Messages, the metadata, and None at the end of a record that was closed."""
    from mcap.exceptions import McapError
    from mcap.records import Channel, Footer, Message, Metadata
    from mcap.stream_reader import StreamReader

    topics: dict[int, str] = {}
    try:
        for record in StreamReader(stream, record_size_limit=LARGEST).records:  # type: ignore[arg-type]
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Message) and topics.get(record.channel_id) in CHANNELS:
                yield Stored(topics[record.channel_id], record.log_time, record.data)
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
