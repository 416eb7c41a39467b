"""A record as it is read: every whole message, also of a file whose writer was killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from os import cpu_count
from pathlib import Path
from struct import Struct
from threading import local
from typing import NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError
from .layout import CHANNELS
from .mcap_file import MAGIC
from .source import Source
from .unpack_kernels import (
    CHANNEL,
    END,
    FIRST,
    KIND,
    MESSAGE,
    STAMP,
    copy_pieces,
    count_records,
    find_records,
)
from .wire import Ints64

Item = TypeVar("Item")
Found = TypeVar("Found")
SLICE = 64
"""Chunks that a thread takes at a time."""
LARGEST = 1 << 30
"""[bytes] of one chunk or message; more is damage."""
_FOOTER, _CHANNEL, _CHUNK, _METADATA = 2, 4, 6, 12
"""Kinds of records (MCAP specification)."""
_RECORD = Struct("<BQ")
MOST_NAME = 64
"""[bytes] of the name of a compression that are read."""
_CHUNK_HEAD = Struct("<QQQII")
"""Times of its first and last message, size and checksum of what it holds, length of the compression's name."""
LARGE = ("/contacts", "/soft")
"""Channels that take most of the room."""
UNKNOWN = 1 << 16
"""A channel that no message is of."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as it stands in the file."""

    topic: str
    stamp: int
    """[ns] of the world."""
    data: bytes | memoryview


class StoredChunk(NamedTuple):
    """A chunk as it stands in the file."""

    source: Source
    place: int
    length: int
    """[bytes] in the file, from its place on."""
    compression: str
    size: int
    """[bytes] of what it holds."""
    checksum: int

    def opened(self) -> NDArray[np.uint8]:
        """What it holds; one whose bytes were changed is refused."""
        data = self._content()
        if len(data) != self.size or (self.checksum and crc32(data) != self.checksum):
            raise EOFError
        return np.frombuffer(data, np.uint8)

    def opened_again(self) -> NDArray[np.uint8]:
        """The same, of a chunk that was looked into before."""
        try:
            data = self._content()
        except Exception:  # the decompressor raises what it likes
            data = b""
        if len(data) != self.size:
            raise FileError(f"{self.source.file}: was changed after it was opened; open the run again")
        return np.frombuffer(data, np.uint8)

    def _content(self) -> bytes:
        if self.size > LARGEST:
            raise EOFError
        packed = self.source.read(self.place, self.length)
        return _decompress(packed, self.size) if self.compression == "zstd" else packed


class _Content(NamedTuple):
    """What was found in a chunk."""

    chunk: StoredChunk
    records: Ints64
    """(n, END + 1) kind, channel, time [ns] and span of each record, see find_records."""
    kept: NDArray[np.uint8]
    """Contents of all records but those of large channels, one after the other: a small part of the whole."""


class Spans(NamedTuple):
    """Messages of one channel."""

    data: NDArray[np.uint8]
    span: Ints64
    """(n, 2) where in the data each begins and ends."""


class RecordFile:
    """What was read; contacts and soft bodies, by far the most, are opened when they are asked for."""

    def __init__(
        self, metadata: dict[str, str], contents: Sequence[_Content], topics: dict[int, str], complete: bool
    ) -> None:
        self.metadata, self.complete = metadata, complete
        """What the writer said of itself, and whether it closed the file; if not, the last chunk may be lost."""
        self._contents, self._topics = contents, topics

    @property
    def messages(self) -> Iterator[Stored]:
        """All messages, in the order in which they were written."""
        for content in self._contents:
            data = content.chunk.opened_again().data.toreadonly()
            for kind, channel, stamp, start, end in content.records.tolist():
                topic = self._topics.get(channel, "")
                if kind == MESSAGE and topic in CHANNELS:
                    yield Stored(topic, stamp, data[start:end])

    def spans(self, topic: str) -> Spans:
        """Messages of a channel that is not large."""
        data, channel, length = self._kept
        ends = np.cumsum(length)
        mine = self._is_of(topic, channel)
        return Spans(data, np.stack((ends - length, ends), axis=1)[mine])

    @cached_property
    def _kept(self) -> tuple[NDArray[np.uint8], Ints64, Ints64]:
        """Contents of records, and their channels and lengths; of large ones, nothing."""
        records = np.concatenate([content.records for content in self._contents] or [np.zeros((0, END + 1), np.int64)])
        data = np.concatenate([content.kept for content in self._contents] or [np.zeros(0, np.uint8)])
        channel = records[:, CHANNEL]
        large = np.logical_or.reduce([self._is_of(topic, channel) for topic in LARGE])
        length = np.where(large, 0, records[:, END] - records[:, FIRST])
        return data, channel, length

    def large(self, topic: str, stamps: Ints64 | None = None) -> list[tuple[StoredChunk, Ints64]]:
        """Chunks with messages of a large channel and their spans (n, 2); only those at `stamps` [ns], if given."""
        found = []
        for content in self._contents:
            mine = self._is_of(topic, content.records[:, CHANNEL])
            if stamps is not None:
                mine &= np.isin(content.records[:, STAMP], stamps)
            if mine.any():
                found.append((content.chunk, np.ascontiguousarray(content.records[mine, FIRST:])))
        return found

    def _is_of(self, topic: str, channel: Ints64) -> NDArray[np.bool_]:
        """Which records are messages of a channel; records that are none are of channel 0, which does not exist."""
        number = next((number for number, known in self._topics.items() if known == topic), -1)
        return np.asarray(channel == number)


def read_record(file: Path, *, empty: bool = False) -> RecordFile:
    """All that can be read of a record; whether it may be `empty`, killed before its first chunk was written."""
    metadata: dict[str, str] = {}
    topics: dict[int, str] = {}
    chunks: list[StoredChunk] = []
    complete = False
    source = Source(file)
    for kind, start, end in _records(source):
        if kind == _CHUNK:
            chunks.append(_chunk(source, start, end))
        elif kind == _CHANNEL:
            topics |= _channel(source.read(start, end - start))
        elif kind == _METADATA:
            metadata = _metadata(source.read(start, end - start)) or metadata
        complete |= kind == _FOOTER
    contents = _contents(chunks, topics)
    if not metadata and not contents and not empty:
        raise FileError(f"{file}: is no record of abut, or was killed before its first chunk was written")
    return RecordFile(metadata, contents, topics, complete and len(contents) == len(chunks))


def _contents(chunks: Sequence[StoredChunk], topics_io: dict[int, str]) -> list[_Content]:
    """What is in the chunks, up to the first that is damaged; and channels, where chunks announce them."""
    for chunk in chunks[:1]:
        topics_io |= _announced(chunk)
    large = [number for number, topic in topics_io.items() if topic in LARGE]
    found = in_threads(lambda chunk: _looked_into(chunk, large), chunks)
    return [content for content in takewhile(lambda content: content is not None, found) if content is not None]


def _records(source: Source) -> Iterator[tuple[int, int, int]]:
    """Kinds and spans of the records of a file, up to where it was cut off."""
    begin = source.peek(0, len(MAGIC))
    if begin != MAGIC[: len(begin)]:
        raise FileError(f"{source.file}: is no record of abut: it does not begin as MCAP files do")
    at = len(MAGIC)
    while len(head := source.peek(at, _RECORD.size)) == _RECORD.size:
        kind, length = _RECORD.unpack(head)
        start, at = at + _RECORD.size, at + _RECORD.size + length
        if at > source.size:
            return
        yield kind, start, at


def _chunk(source: Source, start: int, end: int) -> StoredChunk:
    head = source.peek(start, _CHUNK_HEAD.size + MOST_NAME)
    if len(head) < _CHUNK_HEAD.size:
        return StoredChunk(source, start, 0, "damaged", LARGEST + 1, 0)
    _, _, size, checksum, length = _CHUNK_HEAD.unpack_from(head)
    compression = head[_CHUNK_HEAD.size : _CHUNK_HEAD.size + length].decode(errors="replace")
    place = start + _CHUNK_HEAD.size + length + 8
    return StoredChunk(source, place, max(0, end - place), compression, size, checksum)


def _looked_into(chunk: StoredChunk, large: Sequence[int] = ()) -> _Content | None:
    """The records in a chunk, and all of them kept but those of large channels; None if it is damaged."""
    try:
        data = chunk.opened()
    except Exception:  # the decompressor raises what it likes
        return None
    n = count_records(data)
    if n < 0:
        return None
    records = np.empty((n, END + 1), np.int64)
    find_records(data, records)
    kept = records[~np.isin(records[:, CHANNEL], large), FIRST:]
    length = kept[:, 1] - kept[:, 0]
    content = np.empty(int(length.sum()), np.uint8)
    copy_pieces(data, kept[:, 0].copy(), length, content)
    return _Content(chunk, records, content)


def _announced(chunk: StoredChunk) -> dict[int, str]:
    """Channels of which a chunk says the topics."""
    found = _looked_into(chunk)
    channels: dict[int, str] = {}
    if found is not None:
        ends = np.cumsum(found.records[:, END] - found.records[:, FIRST])
        for k in np.flatnonzero(found.records[:, KIND] == _CHANNEL).tolist():
            start = int(ends[k] - found.records[k, END] + found.records[k, FIRST])
            channels |= _channel(found.kept[start : int(ends[k])].data)
    return channels


def _channel(data: bytes | memoryview) -> dict[int, str]:
    """Number and topic: two numbers of 16 bits, then a text with its length in front."""
    length = int.from_bytes(data[4:8], "little")
    number = int.from_bytes(data[:2], "little") or UNKNOWN  # 0 is that of other records
    return {number: bytes(data[8 : 8 + length]).decode(errors="replace")}


def _metadata(data: bytes) -> dict[str, str]:
    """Texts by name, of what abut says; each has its length in front."""
    texts, at = list[str](), 0
    while at + 4 <= len(data):
        length = int.from_bytes(data[at : at + 4], "little")
        if len(texts) == 1 and length == len(data) - at - 4:  # of all that follows
            at += 4
            continue
        texts.append(bytes(data[at + 4 : at + 4 + length]).decode(errors="replace"))
        at += 4 + length
    return dict(zip(texts[1::2], texts[2::2], strict=False)) if texts[:1] == ["abut"] else {}


_mine = local()
"""Of each thread: what decompresses must not be shared, and is costly to make."""


def _decompress(data: bytes, size: int) -> bytes:
    from zstandard import ZstdDecompressor

    if not hasattr(_mine, "decompressor"):
        _mine.decompressor = ZstdDecompressor()
    return bytes(_mine.decompressor.decompress(data, size))


def in_threads(work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
    """What is found of each item: decompressing and kernels let other threads work."""
    slices = [items[k : k + SLICE] for k in range(0, len(items), SLICE)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        return [found for some in pool.map(lambda some: [work(item) for item in some], slices) for found in some]
