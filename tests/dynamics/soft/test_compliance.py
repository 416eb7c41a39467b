"""Answers of nodes at rest, which worlds share."""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import abut
from abut._jit import Packet
from abut.dynamics.soft import node_answers
from abut.dynamics.soft.compliance import Compliance
from abut.dynamics.soft.response_kernels import fill_answers
from abut.dynamics.soft.soft_packet_tables import LAYOUT

NOBODY = np.zeros(0, np.int32)


@pytest.fixture(scope="module")
def spec():
    part = abut.Solid.box((0.1, 0.1, 0.1))
    world = abut.World()
    soft = world.add_deformable(
        abut.fem.TetMesh.from_solid(part, 0.03), "block", surface=part, young=1e5, poisson=0.3, density=1e3
    )
    return soft._spec


@pytest.fixture
def hasty_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def answers(known, nodes):
    known.need(nodes)
    return known.columns[known.slot[nodes]]


def test_answers_do_not_depend_on_who_else_asks(spec, rng, hasty_threads):
    n = len(spec.mesh.nodes)
    asked = [rng.choice(n, 3, replace=False).astype(np.int32) for _ in range(200)]
    alone = Compliance(spec, NOBODY, 1e-3, 0.55)
    expected = answers(alone, np.arange(n, dtype=np.int32))
    for shared in (Compliance(spec, NOBODY, 1e-3, 0.55) for _ in range(5)):
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(partial(answers, shared), asked))
        assert all(np.array_equal(mine, expected[nodes]) for mine, nodes in zip(found, asked, strict=True))


def test_the_matrix_of_answers_does_not_depend_on_the_order_in_which_nodes_came(spec, rng):
    """Of the answers of two nodes to each other, which differ by rounding, it is always the same one that counts."""
    nodes = rng.choice(len(spec.mesh.nodes), 12, replace=False).astype(np.int32)
    known = Compliance(spec, NOBODY, 1e-3, 0.55)
    known.need(nodes)

    def matrix(order, begin):
        square = np.zeros((3 * len(nodes), 3 * len(nodes)))
        fill_answers(known.columns, known.slot, nodes[order[:begin]], 0, square)
        fill_answers(known.columns, known.slot, nodes[order], begin, square)
        place = (3 * np.argsort(order)[:, None] + np.arange(3)).ravel()
        return square[place][:, place]

    expected = matrix(np.arange(12), 0)
    assert np.array_equal(expected, expected.T)
    for begin in range(12):
        assert np.array_equal(matrix(rng.permutation(12), begin), expected)


def test_a_search_that_is_broken_off_leaves_no_half_answers(spec, monkeypatch):
    known, nodes = Compliance(spec, NOBODY, 1e-3, 0.55), np.arange(5, dtype=np.int32)
    expected = answers(Compliance(spec, NOBODY, 1e-3, 0.55), nodes)
    with monkeypatch.context() as patch:
        patch.setattr(known._body, "answers_of", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            known.need(nodes)
    assert (known.slot[nodes] < 0).all()
    assert np.array_equal(answers(known, nodes), expected)


@pytest.mark.parametrize(("room", "left"), [(0, 1), (2**40, 4)])
def test_answers_in_motions_of_other_lengths_are_kept_while_there_is_room(spec, monkeypatch, room, left):
    monkeypatch.setattr(node_answers, "MOST_BYTES_KEPT", room)
    first = np.array([0, len(spec.mesh.nodes)])
    known = node_answers.NodeAnswers([spec], first, Packet(LAYOUT))
    for h in (1e-3, 2e-3, 3e-3, 4e-3, 1e-3):
        known.begin(h, 0.55, [NOBODY])
        known.need(np.arange(5))
        table = known.table
        alone = Compliance(spec, NOBODY, h, 0.55)
        expected = answers(alone, np.arange(5, dtype=np.int32))[:, :5]
        square = table.data.reshape(table.first[1], table.first[1])[:15, :15].reshape(5, 3, 5, 3)
        assert np.allclose(square.transpose(0, 2, 3, 1), expected, rtol=1e-6)
    assert len(known._compliance) == left
