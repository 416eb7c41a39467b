"""Forces or impulses of unilateral contacts: which of them push (Lötstedt 1984).

0 <= x, W x + q >= 0, one of both 0 in each row. An active set is guessed and mended; Lemke's method has the last word.
Of redundant contacts, only as many push as are independent: the n + 1 points that hold an n-dimensional region.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...solve import Status, lcp

MENDINGS = 20
LEAST_SINGULAR = 1e-9
"""Least singular value of rows that do not depend on each other, beside a diagonal of 1."""
NOTHING = 1e-11
"""Of forces and of what they hold, beside the largest ones."""


def eliminate(W: Floats, q: Floats, m: int) -> tuple[Floats, Floats, Floats]:
    """The problem without its first m rows, which are equations: matrix, right side, and what gives those back."""
    if m == 0:
        return W, q, np.zeros((0, len(q) + 1))
    back: Floats = -np.linalg.lstsq(W[:m, :m], np.column_stack((W[:m, m:], q[:m])), rcond=1e-12)[0].astype(np.float64)
    return W[m:, m:] + W[m:, :m] @ back[:, :-1], q[m:] + W[m:, :m] @ back[:, -1], back


def solve_unilateral(W: Floats, q: Floats) -> Floats | None:
    """Such x, with as few that push as possible; None if there is none."""
    x = _by_guess(W, q)
    if x is None:
        result = lcp(W, q, "lemke")
        if result.status != Status.CONVERGED:
            return None
        x = _polished(W, q, result.x > NOTHING * np.abs(result.x).max(initial=0.0))
        if x is None:
            x = result.x
    return basic(W, x)


def _by_guess(W: Floats, q: Floats) -> Floats | None:
    active, known = q < 0.0, set()
    for _ in range(MENDINGS):
        x, fits = _held(W, q, active)
        w, scale = W @ x + q, NOTHING * np.abs(q).max(initial=0.0)
        pulls, sinks = active & (x < 0.0), ~active & (w < -scale)
        if fits and not pulls.any() and not sinks.any():
            return x
        active = (active & ~pulls) | sinks
        key = active.tobytes()
        if key in known:
            return None
        known.add(key)
    return None


def _held(W: Floats, q: Floats, active: NDArray[np.bool_]) -> tuple[Floats, bool]:
    """Forces that hold all active rows, and whether there are such."""
    x = np.zeros(len(q))
    if not active.any():
        return x, True
    part = W[np.ix_(active, active)]
    x[active] = np.linalg.lstsq(part, -q[active], rcond=1e-12)[0]
    left = part @ x[active] + q[active]
    return x, bool(np.abs(left).max() <= 1e-9 * np.abs(q).max())


def _polished(W: Floats, q: Floats, active: NDArray[np.bool_]) -> Floats | None:
    x, fits = _held(W, q, active)
    return x if fits and not (x < 0.0).any() else None


def basic(W: Floats, x: Floats) -> Floats:
    """The same motion by forces of rows that do not depend on each other."""
    x = x.copy()
    while True:
        active = np.flatnonzero(x > NOTHING * np.abs(x).max(initial=0.0))
        x[np.setdiff1d(np.arange(len(x)), active)] = 0.0
        if len(active) < 2:
            return x
        size = 1.0 / np.sqrt(np.maximum(np.diag(W)[active], 1e-300))
        _, s, V = np.linalg.svd(W[np.ix_(active, active)] * np.outer(size, size))
        if s[-1] > 1e-10 * s[0]:
            return x
        z = V[-1] * size
        z = -z if z[np.abs(z).argmax()] < 0.0 else z
        falls = z > 1e-9 * np.abs(z).max()
        steps = np.where(falls, x[active] / np.where(falls, z, 1.0), np.inf)
        k = int(steps.argmin())
        x[active] -= steps[k] * z
        x[active[k]] = 0.0


def completed(W: Floats, pushes: NDArray[np.bool_], still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows that push, and as many of those that are still as do not depend on each other and on these.

    A part that stands on a line of points would else be free to turn about it.
    """
    size = 1.0 / np.sqrt(np.maximum(np.diag(W), 1e-300))
    scaled, chosen = W * np.outer(size, size), list[int]()
    for k in (*np.flatnonzero(pushes), *np.flatnonzero(still & ~pushes)):
        part = scaled[np.ix_([*chosen, k], [*chosen, k])]
        if pushes[k] or np.linalg.svd(part, compute_uv=False)[-1] > LEAST_SINGULAR:
            chosen.append(int(k))
    result = np.zeros(len(W), np.bool_)
    result[chosen] = True
    return result
