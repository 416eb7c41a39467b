"""Solving with a complete factor whose neighbouring columns have the same rows: these stand side by side as a panel.

A panel of w columns of blocks is a table of 3 w columns of numbers of single precision: rows of its own nodes first,
then those below. That is enough for a preconditioner, and half of what a processor has to read. Columns that are alone
or few are taken block by block.
"""

from ..._jit import OCTET, dot_columns, kernel, lean_kernel, subtract_columns
from ...math.vec_kernels import load_mat, mat_vec
from .elastic_tables import Panels, Pattern
from .factor_kernels import backward_columns, forward_columns


@kernel
def fill_panels(pattern, factor, panels_out):
    """Write the blocks of a factor into the panels."""
    pattern, panels = Pattern(*pattern), Panels(*panels_out)
    for i in range(panels.data.shape[0]):
        panels.data[i] = 0.0
    for p in range(panels.height.shape[0]):
        first, last, height = panels.first[p], panels.first[p + 1], panels.height[p]
        for j in range(first, last if height > 0 else first):
            begin = pattern.factor_start[j]
            for s in range(begin + 1, pattern.factor_start[j + 1]):
                # Rows of later columns of the panel come first in each column; then all have the same ones.
                i = j - first + s - begin
                for c in range(3):
                    at = panels.start[p] + (3 * (j - first) + c) * height + 3 * i
                    for k in range(3):
                        panels.data[at + k] = factor[s, c, k]


@lean_kernel
def _forward(pattern, panels, p, work, x_io):
    """Columns of a panel, from left to right."""
    first, width, height = panels.first[p], panels.first[p + 1] - panels.first[p], panels.height[p]
    s, last = pattern.factor_start[first], pattern.factor_start[first + 1]
    for k in range(height):
        work[k] = 0.0
    for i in range(width):
        for d in range(3):
            work[3 * i + d] = x_io[first + i, d]
    for i in range(width):
        factors = work[3 * i], work[3 * i + 1], work[3 * i + 2]
        begin = 3 * (i + 1) // OCTET * OCTET
        subtract_columns(panels.data, panels.start[p] + 3 * i * height, height, factors, work, begin, height)
    for i in range(width):
        for d in range(3):
            x_io[first + i, d] = work[3 * i + d]
    for i in range(width, last - s):
        r = pattern.factor_row[s + i]
        for d in range(3):
            x_io[r, d] += work[3 * i + d]


@lean_kernel
def _backward(pattern, pivot, panels, p, work, x_io):
    """Columns of a panel, from right to left."""
    first, width, height = panels.first[p], panels.first[p + 1] - panels.first[p], panels.height[p]
    s, last = pattern.factor_start[first], pattern.factor_start[first + 1]
    for i in range(last - s):
        r = pattern.factor_row[s + i]
        for d in range(3):
            work[3 * i + d] = x_io[r, d]
    for k in range(3 * (last - s), height):
        work[k] = 0.0
    for n in range(width):
        i = width - 1 - n
        a, b, c = mat_vec(load_mat(pivot, first + i), (work[3 * i], work[3 * i + 1], work[3 * i + 2]))
        begin = 3 * (i + 1) // OCTET * OCTET
        u, v, w = dot_columns(panels.data, panels.start[p] + 3 * i * height, height, work, begin, height)
        work[3 * i], work[3 * i + 1], work[3 * i + 2] = a - u, b - v, c - w
    for i in range(width):
        for d in range(3):
            x_io[first + i, d] = work[3 * i + d]


@lean_kernel
def apply_panels(pattern, factor, pivot, panels_io, x_io):
    """Solve L D Lᵀ x = b in place; `x_io` (n, 4), in the order of elimination, holds b on entry."""
    panels, work, count = panels_io, panels_io.work, panels_io.height.shape[0]
    for p in range(count):
        if panels.height[p] > 0:
            _forward(pattern, panels, p, work, x_io)
        else:
            forward_columns(pattern, factor, panels.first[p], panels.first[p + 1], x_io)
    for q in range(count):
        p = count - 1 - q
        if panels.height[p] > 0:
            _backward(pattern, pivot, panels, p, work, x_io)
        else:
            backward_columns(pattern, factor, pivot, panels.first[p], panels.first[p + 1], x_io)
