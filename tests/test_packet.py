"""Packets: tables that kernels find by their addresses are the ones that were put there."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from abut._jit import Layout, Packet, kernel


class Some(NamedTuple):
    """Tables of every kind of number."""

    marks: Any
    counts: Any
    codes: Any
    values: Any
    blocks: Any


class Others(NamedTuple):
    """Tables that are replaced by a kernel."""

    values: Any
    rows: Any


LAYOUT = Layout()
some_of, _ = LAYOUT.section(Some, "b1 l2 h3 f1 f3")
others_of, put_others = LAYOUT.section(Others, "f1 i2")


@kernel
def _sum_1(table):
    """Each entry times its place."""
    total = 0.0
    for i in range(table.shape[0]):
        total += (i + 1) * 1.0 * table[i]
    return total


@kernel
def _sum_2(table):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += (10 * i + j + 1) * 1.0 * table[i, j]
    return total


@kernel
def _sum_3(table):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            for k in range(table.shape[2]):
                total += (100 * i + 10 * j + k + 1) * 1.0 * table[i, j, k]
    return total


@kernel
def _sums(packet_io):
    """Of every table; values are doubled then."""
    some, others = some_of(packet_io), others_of(packet_io)
    first = (_sum_1(some.marks), _sum_2(some.counts), _sum_3(some.codes), _sum_1(some.values), _sum_3(some.blocks))
    for i in range(some.values.shape[0]):
        some.values[i] *= 2.0
    return (*first, _sum_1(others.values), _sum_2(others.rows))


@kernel
def _replace(tables, packet_out):
    """Put other tables into a section."""
    put_others(tables, packet_out)


def place(table):
    """What _sums multiplies entries by."""
    index = np.indices(table.shape)
    weight = 10 ** np.arange(table.ndim - 1, -1, -1).reshape(-1, *(1,) * table.ndim)
    return (index * weight).sum(axis=0) + 1


def random_tables(rng):
    some = (
        rng.random(7) < 0.5,
        rng.integers(-9, 9, (3, 4)),
        rng.integers(-9, 9, (2, 3, 5)).astype(np.int16),
        rng.normal(size=6),
        rng.normal(size=(3, 2, 4)),
    )
    return some, (rng.normal(size=5), rng.integers(-9, 9, (4, 2)).astype(np.int32))


def test_kernels_find_the_tables_that_were_put_into_a_packet(rng):
    some, others = random_tables(rng)
    packet = Packet(LAYOUT)
    packet.put(Some, some)
    packet.put(Others, others)
    expected = [(place(table) * table).sum() for table in (*some, *others)]
    doubled = 2.0 * some[3]
    np.testing.assert_allclose(_sums(packet.words), expected, rtol=1e-12)
    np.testing.assert_array_equal(some[3], doubled)


def test_a_kernel_replaces_a_section_and_leaves_the_others(rng):
    some, others = random_tables(rng)
    packet = Packet(LAYOUT)
    packet.put(Some, some)
    packet.put(Others, others)
    before, longer = _sums(packet.words), (np.append(others[0], 1.0), np.vstack((others[1], [[3, 4]])).astype(np.int32))
    _replace(longer, packet.words)
    after = _sums(packet.words)
    np.testing.assert_allclose(after[:3], before[:3], rtol=1e-12)
    np.testing.assert_allclose(after[5:], [(place(table) * table).sum() for table in longer], rtol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(np.zeros(5, np.float32), id="single precision"),
        pytest.param(np.zeros((5, 1)), id="too many axes"),
        pytest.param(np.zeros(10)[::2], id="strided"),
    ],
)
def test_tables_that_do_not_fit_are_refused(wrong):
    with pytest.raises(TypeError, match="Others: expected f1"):
        Packet(LAYOUT).put(Others, (wrong, np.zeros((2, 2), np.int32)))


def test_a_section_has_a_table_for_every_field():
    with pytest.raises(ValueError, match="Others: expected 2 tables, got 1"):
        Layout().section(Others, "f1")
