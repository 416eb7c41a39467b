"""Sets that grow together: each element points to another one of its set, the last of them to itself."""

from .._jit import kernel


@kernel
def find_root(parent_io, i):
    """The element that stands for the set of i; the way to it is halved for the next time."""
    while parent_io[i] != i:
        parent_io[i] = parent_io[parent_io[i]]
        i = parent_io[i]
    return i
