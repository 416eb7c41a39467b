"""Messages of records, found and taken apart; whatever stands in a file, nothing is read or written beyond an end.

A span is where something begins in `data` (bytes) and where it ends.
"""

import numpy as np

from ..._jit import inner_kernel, kernel
from .pack_tables import Fields

RECORD = 9
"""[bytes] of the kind and length before each record."""
MESSAGE, MESSAGE_HEAD = 5, 22
BYTES_FOLLOW = 2
BAD = -1
KIND, CHANNEL, STAMP, FIRST, END = 0, 1, 2, 3, 4
"""Columns of found records: the span of the content is from FIRST to END."""


@inner_kernel
def _number(data, at, width):
    """Little-endian; the sign bit is that of the number."""
    value = np.int64(0)
    for i in range(width):
        value |= np.int64(data[at + i]) << np.int64(8 * i)
    return value


@kernel
def count_records(data):
    """How many records stand one after the other, or BAD if the last one is cut off."""
    n, at, end = 0, 0, len(data)
    while at < end:
        if at + RECORD > end:
            return BAD
        length = _number(data, at + 1, 8)
        if length < 0 or length > end - at - RECORD:
            return BAD
        at += RECORD + length
        n += 1
    return n


@kernel
def find_records(data, found_out):
    """Kinds, channels, times [ns] and spans of the contents of records (n, END + 1), as many as were counted."""
    at = 0
    for k in range(len(found_out)):
        kind, length = data[at], _number(data, at + 1, 8)
        start, at = at + RECORD, at + RECORD + length
        channel = stamp = np.int64(0)
        if kind == MESSAGE:
            if length < MESSAGE_HEAD:
                kind = 0
            else:
                channel, stamp = _number(data, start, 2), _number(data, start + 6, 8)
                start += MESSAGE_HEAD
        found_out[k, KIND], found_out[k, CHANNEL], found_out[k, STAMP] = kind, channel, stamp
        found_out[k, FIRST], found_out[k, END] = start, at


@inner_kernel
def _varint(data, at, end):
    """A number with seven bits a byte, and where it ends; BAD if it does not."""
    value, shift = np.int64(0), np.int64(0)
    while at < end and shift < 56:
        byte = np.int64(data[at])
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    return np.int64(BAD), end


@inner_kernel
def _find(data, start, end, m, first_out, length_out):
    """Where the fields of a message stand; False if they cannot be read."""
    at = start
    while at < end:
        key, at = _varint(data, at, end)
        length, at = _varint(data, at, end)
        if key < 0 or key & 7 != BYTES_FOLLOW or length < 0 or length > end - at:
            return False
        field = (key >> 3) - 1
        if 0 <= field < len(first_out):
            first_out[field, m], length_out[field, m] = at, length
        at += length
    return True


@kernel
def find_fields(data, span, first_out, length_out):
    """Where fields (n_field, n) of messages stand and how long [bytes] they are; returns whether all could be read."""
    for m in range(len(span)):
        if not _find(data, span[m, 0], span[m, 1], m, first_out, length_out):
            return False
    return True


@inner_kernel
def _copy(data, start, length, at, out_io):
    for i in range(length):  # indices that are never negative: the loop becomes a copy of whole words
        out_io[np.uint64(at + i)] = data[np.uint64(start + i)]


@kernel
def copy_pieces(data, first, length, out):
    """Put pieces of `data` one after the other."""
    at = np.int64(0)
    for m in range(len(first)):
        _copy(data, first[m], length[m], at, out)
        at += length[m]


@inner_kernel
def _copy_item(data, start, size, row, place, out_io):
    for i in range(size):
        out_io[row, np.uint64(place + i)] = data[np.uint64(start + i)]


@inner_kernel
def _fill(data, first, fields, row, k, out_io):
    """One contact: an item of each field, and the name of its kind."""
    size, single, place, kinds, kind_field = fields
    for f in range(len(size)):
        at = first[f, 0] + (0 if single[f] else k * size[f])
        if place[f] < 0:
            continue
        if f == kind_field:
            kind = _number(data, at, 4)
            kind = kind if 0 <= kind < len(kinds) else 0
            _copy_item(kinds[kind], 0, kinds.shape[1], row, place[f], out_io)
        else:
            _copy_item(data, at, size[f], row, place[f], out_io)


@kernel
def fill_contacts(data, span, counts, fields, out):
    """Contacts of messages as rows of a table of bytes; returns which field was not as long as it should be, or -1.

    `counts` is how many contacts each message has.
    """
    fields = Fields(*fields)
    size, single = fields.size, fields.single
    n_field, row = len(size), 0
    first, length = np.empty((n_field, 1), np.int64), np.empty((n_field, 1), np.int64)
    for m in range(len(span)):
        for f in range(n_field):
            first[f, 0], length[f, 0] = 0, 0
        if not _find(data, span[m, 0], span[m, 1], 0, first, length):
            return n_field
        for f in range(n_field):
            if length[f, 0] != size[f] * (1 if single[f] else counts[m]):
                return f
        for k in range(counts[m]):
            _fill(data, first, fields, row, k, out)
            row += 1
    return BAD
