"""A record as it is written: an MCAP file of small compressed chunks, of which a kill loses the last one at most."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ...errors import FileError
from .layout import CHANNELS

CHUNK = 64 * 1024
"""[bytes] before compression; small, so that writing one out stops a step for half a millisecond, not for five."""
NANOSECONDS = 1_000_000_000


class RecordWriter:
    """Appends messages to a record."""

    def __init__(self, file: Path, metadata: Mapping[str, str]) -> None:
        from mcap.writer import CompressionType, Writer

        self._file = file
        try:
            self._stream = _Unbuffered(file)
        except OSError as error:
            raise FileError(f"{file}: cannot be written ({error.strerror})") from None
        self._writer = Writer(cast(Any, self._stream), chunk_size=CHUNK, compression=CompressionType.ZSTD)
        with self._failing():
            self._writer.start(profile="abut", library="abut")
            self._writer.add_metadata("abut", dict(metadata))
            self._channels = {topic: self._register(topic) for topic in CHANNELS}

    def _register(self, topic: str) -> int:
        message = CHANNELS[topic]
        schema = self._writer.register_schema(message.full_name, "protobuf", message.schema())
        return int(self._writer.register_channel(topic, "protobuf", schema))

    def write(self, topic: str, time: float, values: Mapping[str, Any]) -> None:
        """Append a message of a channel; `time` [s] of the world."""
        self.write_encoded(topic, round(time * NANOSECONDS), CHANNELS[topic].encode(values))

    def write_encoded(self, topic: str, stamp: int, data: bytes | memoryview) -> None:
        """Append a message as it stands in another record; `stamp` [ns]."""
        with self._failing():
            self._writer.add_message(self._channels[topic], stamp, bytes(data), stamp)

    def close(self) -> None:
        """Write the index and close the file; without it, the record can be read all the same."""
        if not self._stream.closed:
            with self._failing():
                self._writer.finish()  # type: ignore[no-untyped-call]
            self._stream.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        self._stream.close()

    def _failing(self) -> _Failing:
        return _Failing(self._file)


class _Unbuffered:
    """A file that keeps nothing back: what was written is there after a kill."""

    def __init__(self, file: Path) -> None:
        self._raw = file.open("wb", buffering=0)

    @property
    def closed(self) -> bool:
        return self._raw.closed

    def write(self, data: bytes) -> int:
        """Write all of it; the system may take less at once."""
        left = memoryview(data)
        while len(left):
            left = left[self._raw.write(left) :]
        return len(data)

    def tell(self) -> int:
        return self._raw.tell()

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        self._raw.close()


class _Failing:
    """Turns a full disk into a sentence."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, OSError):
            raise FileError(
                f"{self._file}: cannot be written ({error.strerror}); what was written before can still be read"
            ) from None
