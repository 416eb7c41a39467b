"""How nodes of a body answer to impulses in the step that is predicted: by a complete factor of its matrix as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .elastic_tables import Pattern
from .factor_kernels import answer_square, solve_forces
from .pattern import elimination_order, make_pattern, sorted_corners
from .tables import empty_matrix, factorise_shifted

if TYPE_CHECKING:
    from .elastic_body import ElasticBody

NODES_AT_ONCE = 32
"""Answers to impulses on so many nodes are found side by side."""


class ExactAnswers:
    """A complete factor for a body, of the matrix of one step after the other."""

    def __init__(self, body: ElasticBody) -> None:
        tetrahedra = np.array(body.mesh.tetrahedra)
        order = elimination_order(tetrahedra, len(body.mesh.nodes), True)
        self._pattern = make_pattern(sorted_corners(tetrahedra, order), order, True)
        self._matrix = empty_matrix(self._pattern)
        self._slot, self._across = _same_blocks(body.pattern, self._pattern)

    def factorise(self, body: ElasticBody) -> bool:
        """Take over the matrix of the step that the body has predicted; False where it has no factor."""
        block = body.matrix.block
        self._matrix.block[self._slot] = np.where(self._across[:, None, None], block.transpose(0, 2, 1), block)
        return factorise_shifted(tuple(self._pattern), tuple(self._matrix))

    def in_step(self, theta: float, held: Ints) -> StepAnswers:
        """Its answers in a step with forces taken at `theta`; nodes with `held` (n,) 1 stay."""
        return StepAnswers((tuple(self._pattern), tuple(self._matrix)), theta, held)


class StepAnswers:
    """How nodes answer to impulses in one step."""

    def __init__(self, tables: tuple[Any, Any], theta: float, held: Ints) -> None:
        self._tables, self._theta, self._held = tables, theta, held

    def fill(self, nodes: Ints, begin: int, square_out: Floats) -> None:
        """Rows and columns of the nodes from place `begin` on, in the matrix of how nodes (k,) answer to each other."""
        place = Pattern(*self._tables[0]).place
        order = begin + np.argsort(place[nodes[begin:]], kind="stable")
        for first in range(0, len(order), NODES_AT_ONCE):
            some = order[first : first + NODES_AT_ONCE]
            answer_square(*self._tables, nodes, some, begin, self._theta, self._held, square_out)

    def respond(self, impulses: Floats) -> Floats:
        """(n, 3) velocities of the nodes for impulses (n, 3) on them."""
        answer = np.empty_like(impulses)
        solve_forces(*self._tables, impulses, self._theta, self._held, answer)
        return answer


def _same_blocks(one: Pattern, other: Pattern) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where the blocks of one pattern stand in another of the same mesh, and which stand there transposed."""
    n = len(one.order)
    columns = [np.repeat(np.arange(n), np.diff(pattern.start)) for pattern in (one, other)]
    column, row = other.place[one.order[columns[0]]], other.place[one.order[one.row]]
    across = row < column
    keys = np.where(across, row, column).astype(np.int64) * n + np.where(across, column, row)
    return np.searchsorted(columns[1].astype(np.int64) * n + other.row, keys), across
