"""Friction as a linear problem: a pyramid in place of the cone, or a given sliding direction in place of the law.

The pyramid is Stewart & Trinkle's (1996): each contact has a normal impulse, `sides` tangential impulses along fixed
directions, and a slip speed; the matrix is copositive, so that Lemke's method ends.
"""

import numpy as np

from ..arrays import Floats, count
from .lcp import lcp
from .result import Result, Settings


def solve_pyramid(W: Floats, q: Floats, mu: Floats, sides: int, settings: Settings) -> Result:
    """Impulses with |r_t| <= mu r_n replaced by a pyramid with corners on the cone."""
    A, b, spread = pyramid_problem(W, q.ravel(), mu, sides)
    result = lcp(A, b, "lemke", settings=settings)
    return _renamed(result, spread @ result.x[: spread.shape[1]], "polyhedral")


def pyramid_problem(W: Floats, q: Floats, mu: Floats, sides: int) -> tuple[Floats, Floats, Floats]:
    """Matrix and vector of the linear problem, and what its first unknowns mean as unknowns of W.

    W has three rows per contact; rows behind those of the contacts stay what they are. The unknowns are the normal
    impulses, the `sides` tangential ones of each contact, those of the rows behind, and the slip speeds.
    """
    count("sides", sides, least=3)
    n, rest = len(mu), len(q) - 3 * len(mu)
    angle = 2.0 * np.pi * np.arange(sides) / sides
    m = n * (1 + sides) + rest
    spread, selector = np.zeros((len(q), m)), np.zeros((m, n))
    for i in range(n):
        spread[3 * i, i] = 1.0
        sheet = slice(n + i * sides, n + (i + 1) * sides)
        spread[3 * i + 1, sheet], spread[3 * i + 2, sheet] = np.cos(angle), np.sin(angle)
        selector[sheet, i] = 1.0
    spread[3 * n :, n * (1 + sides) :] = np.eye(rest)
    A, b = np.zeros((m + n, m + n)), np.zeros(m + n)
    A[:m, :m], A[:m, m:], A[m:, :m] = spread.T @ W @ spread, selector, -selector.T
    A[m + np.arange(n), np.arange(n)] = mu
    b[:m] = spread.T @ q
    return A, b, spread


def solve_sliding(W: Floats, q: Floats, mu: Floats, along: Floats, settings: Settings) -> Result:
    """Impulses f (n - mu v / |v|) with f >= 0 perp the normal velocity: Buck & Schömer, section 5.

    A contact whose direction is zero is frictionless.
    """
    n = len(mu)
    spread = np.zeros((3 * n, n))
    for i in range(n):
        spread[3 * i : 3 * i + 3, i] = 1.0, -mu[i] * along[i, 0], -mu[i] * along[i, 1]
    A = np.ascontiguousarray((W @ spread)[::3])
    result = lcp(A, q[:, 0], settings=settings)
    return _renamed(result, spread @ result.x, "sliding")


def _renamed(result: Result, r: Floats, method: str) -> Result:
    return Result(r, r, result.status, result.residual, result.iterations, result.history, method)
