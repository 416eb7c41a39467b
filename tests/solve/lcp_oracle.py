"""Slow and obvious: every solution of a small LCP by trying all complementary bases; ready-made hard problems."""

from itertools import product

import numpy as np


def all_solutions(A, b, tolerance=1e-9):
    """Every x found by choosing, for each row, which of x and w is zero (nonsingular choices only)."""
    n, found = len(b), []
    for free in product((False, True), repeat=n):
        f = np.flatnonzero(free)
        x = np.zeros(n)
        if len(f):
            block = A[np.ix_(f, f)]
            if abs(np.linalg.det(block)) < 1e-12:
                continue
            x[f] = np.linalg.solve(block, -b[f])
        if x.min(initial=0.0) >= -tolerance and (A @ x + b).min(initial=0.0) >= -tolerance:
            found.append(x)
    return found


def natural_residual(A, b, x):
    """max |min(x, A x + b)|, by NumPy alone."""
    return np.abs(np.minimum(x, A @ x + b)).max(initial=0.0)


def positive_definite(rng, n):
    """A non-symmetric matrix with a positive definite symmetric part, and b."""
    G, S = rng.normal(size=(2, n, n))
    return G @ G.T / n + 0.1 * np.eye(n) + 0.3 * (S - S.T), rng.normal(size=n)


def contacts_on_one_body(rng, n):
    """n frictionless contacts of a body with six degrees of freedom, solvable and, for n > 6, redundant."""
    J = rng.normal(size=(n, 6))
    return J @ J.T, J @ rng.normal(size=6)


def murty(n):
    """Unit upper triangle of twos: Murty's example on which simple pivoting takes 2^n steps."""
    return np.eye(n) + 2.0 * np.triu(np.ones((n, n)), 1), -np.ones(n)


def fathi(n):
    """Symmetric positive definite version of `murty` (Fathi 1979)."""
    U = murty(n)[0]
    return U @ U.T, -np.ones(n)
