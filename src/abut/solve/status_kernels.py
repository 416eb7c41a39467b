"""How a solve can end, as the integers that kernels return; `Status` gives them their names."""

CONVERGED = 0
MAX_ITERATIONS = 1
STALLED = 2
RAY = 3
INFEASIBLE = 4
NOT_FINITE = 5

DIVERGED = 1e300
"""Residuals from here on are those of a method that has run away."""
