"""Tables of a step that stand one behind the other in a block of memory: a step asks for one block, and copies it once.

Blocks are rows of float64. Of n bodies they hold poses, twists, loads and kinds, of n rows of joints angles, forces and
what acted.
"""

import numpy as np

from .._jit import inlined_kernel, inner_kernel

POSE, TWIST, LOAD, KIND = 0, 7, 13, 19
"""Columns of bodies: where tables begin, times n; kinds are of 32 bits."""
LAST, FORCE, FORCE_BEFORE, ACTED, WRENCH, JOINT_COLUMNS = 0, 1, 2, 3, 4, 10
"""Columns of joints."""


@inlined_kernel
def column_of(block, first, n):
    """A table of one column."""
    return block[first * n : (first + 1) * n]


@inlined_kernel
def columns_of(block, first, width, n):
    """A table of several columns."""
    return block[first * n : (first + width) * n].reshape((n, width))


@inlined_kernel
def bodies_in(block, n):
    """Kinds, poses, twists and loads of n bodies."""
    kind = block[KIND * n :].view(np.int32)[:n]
    return kind, columns_of(block, POSE, 7, n), columns_of(block, TWIST, 6, n), columns_of(block, LOAD, 6, n)


@inner_kernel
def begin_bodies(then, n, now_out):
    """Copy what a step changes of bodies; nothing is applied after it."""
    for k in range(LOAD * n):
        now_out[k] = then[k]
    for k in range(LOAD * n, KIND * n):
        now_out[k] = 0.0
    for k in range(KIND * n, now_out.shape[0]):
        now_out[k] = then[k]


@inner_kernel
def begin_joints(then, n, now_out):
    """Copy angles and forces, which are those of the motion before; nothing acted yet."""
    for k in range(n):
        now_out[LAST * n + k] = then[LAST * n + k]
        now_out[FORCE * n + k] = now_out[FORCE_BEFORE * n + k] = then[FORCE * n + k]
    for k in range(ACTED * n, JOINT_COLUMNS * n):
        now_out[k] = 0.0
