"""Preconditioners that outlive a step: incomplete factors of a body's matrix at rest, which turn with its nodes.

The matrix of a step differs from that at rest by the rotations of its elements alone. Where these differ little from
element to element, the factor at rest, turned with each node, is as good as one of the matrix itself.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Ints
from .assembly_kernels import assemble
from .elastic_tables import Elements, Matrix, NodeData, Pattern, StepSettings
from .panels import find_panels, panels_of
from .tables import empty_matrix, factorise_shifted

MOST_KEPT = 8
"""Factors of so many lengths of steps are kept."""


class RestFactors:
    """The factors of one body, by the settings of a step and by the nodes that are held."""

    def __init__(self, elements: Elements, pattern: Pattern, shift: float) -> None:
        self._elements, self._pattern, self._shift = elements, pattern, shift
        complete = len(pattern.factor_row) > len(pattern.row)
        self._panels = find_panels(pattern) if complete else None
        self._unturned = np.tile((1.0, 0.0, 0.0, 0.0), (len(elements.corner), 1))
        self._known: dict[tuple[StepSettings, bytes], Matrix | None] = {}

    def of(self, data: NodeData, settings: StepSettings, held: Ints) -> Matrix | None:
        """The matrix at rest with its factor; None where it has none."""
        key = settings._replace(tolerance=0.0, max_iterations=0), held.tobytes()
        if key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[key] = self._factor(data, settings)
        return self._known[key]

    def _factor(self, data: NodeData, settings: StepSettings) -> Matrix | None:
        matrix, pattern = empty_matrix(self._pattern), tuple(self._pattern)
        assemble(tuple(self._elements), self._unturned, pattern, tuple(data), tuple(settings), matrix.block)
        if not factorise_shifted(pattern, tuple(matrix), self._shift):
            return None
        if self._panels is None:
            return matrix
        return matrix._replace(**panels_of(self._pattern, matrix.factor, self._panels))
