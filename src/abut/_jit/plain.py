"""Plain compilation, where Numba is not one that this package knows from the inside.

The compiler, the code of callees and the cache hook into names of Numba that are not public. Where these are missing,
or the version is one that was never tried, kernels are compiled as Numba does it: the same answers, but each process
compiles anew. Numba's own cache is not used, as it serves code of older sources.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba

from .progress import say

TRIED = (0, 63), (0, 68)
"""The first and the last version (major, minor) whose inside is known."""


def check_version() -> None:
    """Refuse versions that were never tried."""
    major, minor = numba.__version__.split(".")[:2]
    first, last = TRIED
    if not first <= (int(major), int(minor)) <= last:
        raise ImportError(f"versions {first[0]}.{first[1]} to {last[0]}.{last[1]} are known")


@cache
def say_why(why: str) -> None:
    """One line, once in a process."""
    say(f"abut: Numba {numba.__version__} is compiled with as it is, in every process anew: {why}")


def plainly_compiled(function: Callable[..., Any], parallel: bool, inline: str) -> Any:
    """A function compiled by Numba alone."""
    return numba.njit(error_model="numpy", nogil=True, parallel=parallel, inline=inline)(function)
