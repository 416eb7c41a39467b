"""Rows of a step's problem as a matrix over the bodies of an island."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints


def jacobian(rows: Floats, bodies: Ints, list_: Ints, n_body: int) -> Floats:
    """(k, n, 6) rows [A, B] spread over the n listed bodies."""
    place = np.full(n_body, -1)
    place[list_] = np.arange(len(list_))
    result = np.zeros((len(rows), len(list_), 6))
    for side in range(2):
        at = place[bodies[:, side]]
        k = np.flatnonzero(at >= 0)
        result[k, at[k]] += rows[k, 6 * side : 6 * side + 6]
    return result
