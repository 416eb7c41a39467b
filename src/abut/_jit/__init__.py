"""The one place where Numba is configured: every kernel of abut is decorated with `@kernel`.

dispatcher     a kernel is compiled once for Python, and once for the kernels that call it
callee         the latter: code to be linked into its callers, without machine code of its own
compiler       Numba's, without what kernels do not need
typing_memory  the types of calls, each found once
library        code before and after linking
cache          on disk, never stale
plain          what is done where Numba is another one inside
progress       what is seen meanwhile
prefetch       reading ahead in large tables
lanes          comparing many boxes at once
octets         sums and products of eight numbers at once
quads          products of small matrices
panels         columns of single precision times numbers of double precision
packet         many tables as one argument
handle         the same by one word, for what is the same all along
"""

from collections.abc import Callable
from typing import Any

import numba

from .lanes import LANES as LANES
from .lanes import lowest_bit as lowest_bit
from .lanes import meeting_lanes as meeting_lanes
from .octets import OCTET as OCTET
from .octets import add_octets as add_octets
from .octets import dot_octets as dot_octets
from .octets import put_octet as put_octet
from .packet import Layout as Layout
from .packet import Packet as Packet
from .packet import stacked as stacked
from .panels import dot_columns as dot_columns
from .panels import subtract_columns as subtract_columns
from .plain import check_version, plainly_compiled, say_why
from .prefetch import prefetch as prefetch
from .progress import watch
from .quads import NO_PRODUCTS as NO_PRODUCTS
from .quads import QUAD as QUAD
from .quads import add_block as add_block
from .quads import dot_block as dot_block
from .quads import put_less as put_less

UNKNOWN_INSIDE = ""
"""Why kernels are compiled plainly; empty where they are not."""
try:
    check_version()
    from .callee import Callee
    from .dispatcher import Kernel
except (ImportError, AttributeError) as missing:
    UNKNOWN_INSIDE = str(missing)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` at its first call, with the project's options and a cache that is never stale.

    The GIL is released; division by zero gives inf or nan as in NumPy, so a kernel guards its own divisors.
    Under NUMBA_DISABLE_JIT the plain function comes back.
    """
    return _compiled(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, with `prange` over threads; for thin drivers whose loop body is one helper call."""
    return _compiled(function, parallel=True)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, for functions that make no arrays: those that they are given are not counted up and down.

    Counting is atomic; around the calls of an inner loop it can take as long as what is called.
    """
    return _compiled(function, parallel=False, count=False)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Like `lean_kernel`, for small functions in inner loops: its machine code is always part of that of its caller.

    A call copies every word of the arrays and tuples that are handed over, nine of a table and twelve of a pose; that
    can take ten times as long as what is called.
    """
    return _compiled(function, parallel=False, count=False, merge=True)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, written out at every place of call; for inner loops that pass many arrays on.

    Arrays and tuples are handed over word by word, a hundred words and more in a call of a motion check.
    """
    return _compiled(function, parallel=False, inline="always")


prange = numba.prange


def _compiled(
    function: Callable[..., Any], parallel: bool, inline: str = "never", count: bool = True, merge: bool = False
) -> Any:
    if numba.config.DISABLE_JIT:
        return function
    if UNKNOWN_INSIDE:
        say_why(UNKNOWN_INSIDE)
        plain = plainly_compiled(function, parallel, inline)
        watch(type(plain))  # type: ignore[arg-type]
        return plain
    watch(Kernel, Callee)
    # Without `_nrt` and `forceinline` of its own, a function takes those of its first caller.
    return Kernel(
        function,
        nopython=True,
        error_model="numpy",
        nogil=True,
        parallel=parallel,
        inline=inline,
        forceinline=merge,
        _nrt=count,
        no_cfunc_wrapper=True,
    )
