"""Options, problems and scratch as the kernels of solvers take them.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class NewtonOptions(NamedTuple):
    """Of Newton's method and of pivoting on rows with bounds."""

    tolerance: Any
    """Largest residual of a solution, in the unit of w."""
    regularisation: Any
    """Added to the diagonal: a share of its entries in Newton's method, an amount in pivoting."""
    function: Any
    """Code of the NCP function, see ncp_kernels."""
    max_iterations: Any


class FrictionNewtonOptions(NamedTuple):
    """Of Newton's method for contacts with friction."""

    tolerance: Any
    """Largest residual of a solution, in the unit of u."""
    regularisation: Any
    """Share of the diagonal that is added to it."""
    max_rounds: Any
    sweeps: Any
    """Of Gauss-Seidel before Newton's first steps."""


class NewtonWork(NamedTuple):
    """What Newton's method on n rows remembers between its calls; tables may be larger."""

    memory: Any
    """(16,) residual, merit, step, slope and the last merits, see newton_kernels."""
    counters: Any
    """(8,) phase, iteration, halvings, status."""
    vectors: Any
    """(4, n) accepted point, its equations, direction, scratch."""
    matrix: Any
    """(n, n)."""
    pivot: Any
    """(n,)."""
    history: Any
    """(max_iterations + 1,) residuals."""


class FrictionProblem(NamedTuple):
    """Contacts with friction: velocities are u = W r + q."""

    W: Any
    """Blocks by rows: first block of each row, columns, (n_block, 3, 3), diagonal block of each row."""
    q: Any
    """(n, 3) velocities without impulses."""
    mu: Any
    """(n,)."""


class FrictionNewtonWork(NamedTuple):
    """Scratch of Newton's method for n contacts; tables may be larger."""

    tables: Any
    """(4, n, 3), see alart_kernels."""
    matrix: Any
    """(3 n, 3 n)."""
    pivot: Any
    """(3 n,)."""
    flat: Any
    """(3 n,)."""
    blocks: Any
    """(2, n, 3, 3) slopes by r and by u."""
