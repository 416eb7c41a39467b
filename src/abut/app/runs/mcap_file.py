"""The frame of a record: chunks of messages with their indexes, as the MCAP specification has them.

The mcap package writes a message with a dozen calls; here, those of a chunk stand in its buffer. What is done once a
chunk or once a file is left to the package.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import accumulate
from struct import Struct
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .chunk import Chunk
from .wire import Ints64, Message

if TYPE_CHECKING:
    from mcap.records import ChunkIndex, McapRecord

MAGIC = b"\x89MCAP0\r\n"
_MESSAGE_INDEX = 7
_INDEX = Struct("<BQHI")
"""Kind and length of a record; channel and length of its list."""
_FOOTER = Struct("<BQQQ")


class Stream(Protocol):
    """What a record is written to."""

    def write(self, data: bytes) -> int:
        """Write all of it."""

    def tell(self) -> int:
        """How much was written."""


class McapFile:
    """A record, from its first bytes to its last; channels are numbered from 1."""

    def __init__(self, stream: Stream, name: str, metadata: Mapping[str, str], channels: Mapping[str, Message]) -> None:
        from mcap.records import Channel, Header, Metadata, MetadataIndex, Schema, Statistics
        from zstandard import ZstdCompressor

        # The frames' own checksums take a tenth of the time of those of MCAP, which are left out.
        self._stream, self._squeeze = stream, ZstdCompressor(write_checksum=True).compress
        self._chunks: list[ChunkIndex] = []
        self._statistics = Statistics(
            attachment_count=0,
            channel_count=len(channels),
            channel_message_counts=dict.fromkeys(range(1, len(channels) + 1), 0),
            chunk_count=0,
            message_count=0,
            message_end_time=0,
            message_start_time=0,
            metadata_count=1,
            schema_count=len(channels),
        )
        schemas = [Schema(n, m.schema(), "protobuf", m.full_name) for n, m in enumerate(channels.values(), 1)]
        self._kinds: list[McapRecord] = [
            *schemas,
            *(Channel(n, t, "protobuf", {}, n) for n, t in enumerate(channels, 1)),
        ]
        stream.write(MAGIC + _bytes_of(Header(name, name)))
        at, said = stream.tell(), _bytes_of(Metadata(name, dict(metadata)))
        self._metadata = MetadataIndex(at, len(said), name)
        stream.write(said + _bytes_of(*self._kinds))

    def add_chunk(self, chunk: Chunk) -> None:
        """Compress and write messages, and where they stand."""
        from mcap.records import Chunk as ChunkRecord
        from mcap.records import ChunkIndex

        data, entries = chunk.data, chunk.index
        compressed = self._squeeze(data)
        channel, first, last = entries[:, 0], int(entries[:, 1].min()), int(entries[:, 1].max())
        start = self._stream.tell()
        body = _bytes_of(ChunkRecord("zstd", compressed, last, first, 0, len(data)))
        channels = np.unique(channel).tolist()
        indexes = [_message_index(number, entries[channel == number, 1:]) for number in channels]
        ends = list(accumulate(map(len, indexes), initial=start + len(body)))
        self._stream.write(b"".join((body, *indexes)))
        self._chunks.append(
            ChunkIndex(
                chunk_length=len(body),
                chunk_start_offset=start,
                compression="zstd",
                compressed_size=len(compressed),
                message_end_time=last,
                message_index_length=ends[-1] - ends[0],
                message_index_offsets=dict(zip(channels, ends, strict=False)),
                message_start_time=first,
                uncompressed_size=len(data),
            )
        )
        self._count(channel, first, last)

    def _count(self, channel: Ints64, first: int, last: int) -> None:
        told = self._statistics
        told.message_start_time = min(first, told.message_start_time) if told.chunk_count else first
        told.message_end_time = max(last, told.message_end_time)
        told.chunk_count += 1
        told.message_count += len(channel)
        for number, count in enumerate(np.bincount(channel)[1:].tolist(), 1):
            told.channel_message_counts[number] += count

    def finish(self) -> None:
        """Write what lets readers find their way without reading all."""
        from mcap.opcode import Opcode
        from mcap.records import DataEnd, Footer

        self._stream.write(_bytes_of(DataEnd(0)))
        start = self._stream.tell()
        summary = _bytes_of(*self._kinds, self._statistics, *self._chunks, self._metadata)
        crc = zlib.crc32(_FOOTER.pack(Opcode.FOOTER, 20, start, 0), zlib.crc32(summary))
        self._stream.write(summary + _bytes_of(Footer(start, 0, crc)) + MAGIC)


def _message_index(channel: int, entries: Ints64) -> bytes:
    """Times and places (n, 2) of a channel's messages."""
    data = entries.astype("<u8").tobytes()
    return _INDEX.pack(_MESSAGE_INDEX, 6 + len(data), channel, len(data)) + data


def _bytes_of(*records: McapRecord) -> bytes:
    from mcap.data_stream import RecordBuilder

    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return bytes(builder.end())  # type: ignore[no-untyped-call]
