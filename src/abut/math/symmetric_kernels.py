"""Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi's rotations."""

from math import sqrt

from .._jit import kernel

MOST_JACOBI_SWEEPS = 30


@kernel
def diagonalise(a_io, vectors_io):
    """Eigenvalues of a symmetric matrix on its diagonal, and eigenvectors in columns, which are those of I at first."""
    n = a_io.shape[0]
    for _ in range(MOST_JACOBI_SWEEPS):
        off, size = 0.0, 0.0
        for i in range(n):
            size = max(size, abs(a_io[i, i]))
            for j in range(i):
                off = max(off, abs(a_io[i, j]))
        if off <= 1e-17 * size or off == 0.0:
            return
        for p in range(n - 1):
            for q in range(p + 1, n):
                _rotate_pair(p, q, a_io, vectors_io)


@kernel
def _rotate_pair(p, q, a_io, vectors_io):
    """Make entry (p, q) zero."""
    if abs(a_io[p, q]) <= 1e-30 * (abs(a_io[p, p]) + abs(a_io[q, q])):
        a_io[p, q], a_io[q, p] = 0.0, 0.0
        return
    tau = (a_io[q, q] - a_io[p, p]) / (2.0 * a_io[p, q])
    t = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + sqrt(1.0 + tau * tau))
    c = 1.0 / sqrt(1.0 + t * t)
    s = t * c
    for k in range(a_io.shape[0]):
        x, y = a_io[k, p], a_io[k, q]
        a_io[k, p], a_io[k, q] = c * x - s * y, s * x + c * y
    for k in range(a_io.shape[0]):
        x, y = a_io[p, k], a_io[q, k]
        a_io[p, k], a_io[q, k] = c * x - s * y, s * x + c * y
        u, v = vectors_io[k, p], vectors_io[k, q]
        vectors_io[k, p], vectors_io[k, q] = c * u - s * v, s * u + c * v
