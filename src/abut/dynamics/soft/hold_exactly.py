"""Points that are held to rigid bodies, all at once: their rows hang together too closely for sweeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats

RIDGE = 1e-12
"""Of the largest answer: nodes of one tetrahedron that are all held to one body answer alike."""


def hold_exactly(answer: Floats, rows: NDArray[np.int64], enough: float, left: Floats, impulse: Floats) -> None:
    """Change impulses of some rows so that nothing is left of them, unless that is so, to `enough` [m]."""
    if np.abs(left[rows]).max(initial=0.0) < enough:
        return
    own = answer[np.ix_(rows, rows)]
    own[np.diag_indices(len(rows))] += RIDGE * own.diagonal().max()
    change = -np.linalg.solve(own, left[rows])
    impulse[rows] += change
    left += answer[:, rows] @ change
