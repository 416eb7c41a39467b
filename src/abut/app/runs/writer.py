"""A record as it is written: an MCAP file of small compressed chunks, of which a kill loses the last one at most.

Messages go into a buffer. When it is full, a thread of its own compresses and writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...errors import FileError
from .background import Background
from .chunk import OTHER_BYTES, Chunk
from .layout import CHANNELS
from .mcap_file import McapFile

CHUNK = 256 * 1024
"""[bytes] before compression: with small ones a kill loses less, with large ones the two threads meet less often."""
WAITING = 16
"""Chunks that may wait for a disk that is slow; as a rule, none does."""


class RecordWriter:
    """Appends messages to a record."""

    def __init__(self, file: Path, metadata: Mapping[str, str]) -> None:
        self._file, self._chunk = file, Chunk(CHUNK)
        with _Failing(file):
            self._stream = _Unbuffered(file)
            self._mcap = McapFile(self._stream, "abut", metadata, CHANNELS)
        self._background = Background("abut-record", WAITING)

    def write(self, topic: str, stamp: int, data: bytes) -> None:
        """Append a message; `stamp` [ns] of the world."""
        self.chunk_for(len(data) + OTHER_BYTES).put(topic, stamp, data)

    def chunk_for(self, room: int) -> Chunk:
        """The chunk into which messages of up to so many bytes can be put."""
        if self._chunk.left < room:
            self.hand_over(room)
        return self._chunk

    def hand_over(self, room: int = 0) -> None:
        """Let the chunk be written as it is, and begin another with room for so many bytes at least."""
        chunk = self._chunk
        if len(chunk.index):
            self._background.do(lambda: self._write_chunk(chunk))
        self._chunk = Chunk(max(room, CHUNK))

    def _write_chunk(self, chunk: Chunk) -> None:
        with _Failing(self._file):
            self._mcap.add_chunk(chunk)

    def flush(self) -> None:
        """Write all that was appended, and wait until it is."""
        self.hand_over()
        self._background.wait()

    def close(self) -> None:
        """Write the index and close the file; without it, the record can be read all the same."""
        if not self._stream.closed:
            self.flush()
            self._background.finish()
            with _Failing(self._file):
                self._mcap.finish()
            self._stream.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        self._background.stop()
        self._stream.close()


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
