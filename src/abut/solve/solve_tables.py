"""Options as the kernels of solvers take them.

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
