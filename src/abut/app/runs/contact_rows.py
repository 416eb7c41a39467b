"""The contacts of a record as one table: filled chunk by chunk, by as many threads as there are processors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics import CONTACT_TYPE
from ...dynamics.contacts.contact_table import KIND_NAMES
from ...errors import FileError
from .layout import CONTACTS
from .reader import RecordFile, StoredChunk, in_threads
from .unpack_kernels import fill_contacts, find_fields
from .wire import Ints64, item_bytes

RECORDED_CONTACT = np.dtype(
    [("step", np.int64), ("time", np.float64), *(field for field in CONTACT_TYPE.descr if field[0] != "region")]
)
"""Fields of `Run.contacts`: those of `world.contacts` but their regions, and the step after which they are."""
_NAMES = [field.name for field in CONTACTS.fields]
_LABEL, _KIND = _NAMES.index("label"), _NAMES.index("kind")
_SIZE = np.array([item_bytes(field) for field in CONTACTS.fields], np.int64)
_SINGLE = np.array([name in ("step", "time") for name in _NAMES])


def read_contacts(
    file: RecordFile, dtype: np.dtype[Any] = RECORDED_CONTACT, stamps: Ints64 | None = None
) -> np.ndarray:
    """Contacts step by step, those at the times `stamps` [ns] only if these are given.

    Of RECORDED_CONTACT, or with some of its fields and numbers of KIND_NAMES in the place of texts.
    """
    chunks = file.large("/contacts", stamps)
    counts = in_threads(lambda item: _counts(*item), chunks)
    ends = np.cumsum([0, *(int(count.sum()) for count in counts)])
    table = np.empty(int(ends[-1]), dtype)
    rows = table.view(np.uint8).reshape(len(table), dtype.itemsize)
    shares = [(*item, count, rows[a:b]) for item, count, a, b in zip(chunks, counts, ends, ends[1:], strict=False)]
    in_threads(lambda share: _fill(dtype, *share), shares)
    return table


def _counts(chunk: StoredChunk, span: Ints64) -> Ints64:
    """(n,) contacts in each message of a chunk."""
    first, length = (np.zeros((len(_NAMES), len(span)), np.int64) for _ in range(2))
    if not find_fields(chunk.opened_again(), span, first, length):
        raise FileError("a record holds contacts that cannot be read; it is damaged, or of a newer abut")
    return np.asarray(length[_LABEL] // _SIZE[_LABEL])


def _fill(dtype: np.dtype[Any], chunk: StoredChunk, span: Ints64, counts: Ints64, rows: NDArray[np.uint8]) -> None:
    """Put the contacts of a chunk into their rows of the table."""
    fields = dict(dtype.fields or {})
    place = np.array([fields[name][1] if name in fields else -1 for name in _NAMES], np.int64)
    as_text = "kind" in fields and dtype["kind"].kind == "U"
    kinds = KIND_NAMES.astype(CONTACT_TYPE["kind"])
    texts = kinds.view(np.uint8).reshape(len(kinds), -1)
    data = chunk.opened_again()
    missing = fill_contacts(data, span, counts, (_SIZE, _SINGLE, place, texts, _KIND if as_text else -1), rows)
    if missing >= 0:
        name = _NAMES[missing] if missing < len(_NAMES) else "all of their fields"
        raise FileError(f"a record holds contacts without {name!r}; it is damaged")
