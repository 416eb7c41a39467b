"""Systems of 6 x 6 blocks, one row of blocks per body, factored within their envelope.

Bodies that push each other give a matrix whose blocks (i, j) and (j, i) are filled where i and j are neighbours. In the
order of Cuthill & McKee (1969), reversed, row i is empty before its first neighbour, and elimination fills only from
there on (George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, ch. 4): a chain of bodies or
a stack costs as much as it is long.

The matrix stands in four arrays: `first` (n,) the first column of each row, `start` (n,) where the row's blocks begin,
`low` and `up` the blocks below and above the diagonal (row i of `low`, column i of `up`), `diagonal` (n, 6, 6).
"""

import numpy as np

from .._jit import kernel, lean_kernel


@kernel
def cuthill_mckee(n, neighbours, begin, order_out):
    """Reversed Cuthill-McKee order of a connected graph; the neighbours of i are neighbours[begin[i] : begin[i+1]]."""
    _breadth_first(n, neighbours, begin, 0, order_out)
    # The node found last is far from all: a good one to begin with.
    _breadth_first(n, neighbours, begin, order_out[n - 1], order_out)
    for i in range(n // 2):
        order_out[i], order_out[n - 1 - i] = order_out[n - 1 - i], order_out[i]


@kernel
def _breadth_first(n, neighbours, begin, root, order_out):
    seen = np.zeros(n, np.bool_)
    seen[root] = True
    order_out[0] = root
    head, tail = 0, 1
    while head < tail:
        i = order_out[head]
        head += 1
        for k in range(begin[i], begin[i + 1]):
            j = neighbours[k]
            if not seen[j]:
                seen[j] = True
                order_out[tail] = j
                tail += 1


@kernel
def envelope(n, first, start_out):
    """Where the blocks of each row begin; returns their number and the number of block products of a factorisation."""
    total, work = 0, 0
    for i in range(n):
        start_out[i] = total
        width = i - first[i]
        total += width
        work += width * width + 1
    return total, work


@lean_kernel
def _add_product(sign, a, b, out):
    """Out += sign * a b."""
    for i in range(6):
        for k in range(6):
            factor = sign * a[i, k]
            for j in range(6):
                out[i, j] += factor * b[k, j]


@lean_kernel
def _invert(a, out):
    """Inverse of a 6 x 6 matrix by elimination with row exchanges, `a` is overwritten; False where it is singular."""
    for i in range(6):
        for j in range(6):
            out[i, j] = 1.0 if i == j else 0.0
    for c in range(6):
        p = c
        for i in range(c + 1, 6):
            if abs(a[i, c]) > abs(a[p, c]):
                p = i
        if not abs(a[p, c]) > 0.0:
            return False
        if p != c:
            for j in range(6):
                a[p, j], a[c, j] = a[c, j], a[p, j]
                out[p, j], out[c, j] = out[c, j], out[p, j]
        inverse = 1.0 / a[c, c]
        for j in range(6):
            a[c, j] *= inverse
            out[c, j] *= inverse
        for i in range(6):
            factor = a[i, c]
            if i != c and factor != 0.0:
                for j in range(6):
                    a[i, j] -= factor * a[c, j]
                    out[i, j] -= factor * out[c, j]
    return True


@lean_kernel
def envelope_factor(n, first, start, low, up, diagonal, work):
    """Factors of A = L D U in place: L in `low`, D U in `up`, D's inverse in `diagonal`; False if A is singular.

    `work` (2, 6, 6) is scratch.
    """
    block, inverse = work[0], work[1]
    for i in range(n):
        row, f = start[i], first[i]
        for j in range(f, i):
            lower, upper = low[row + j - f], up[row + j - f]
            for k in range(max(f, first[j]), j):
                other = start[j] + k - first[j]
                _add_product(-1.0, low[row + k - f], up[other], lower)
                _add_product(-1.0, low[other], up[row + k - f], upper)
            # `lower` is L D and `upper` is D U: the one becomes L, the other stays, and both give the next diagonal.
            _copy_block(lower, block)
            lower[:, :] = 0.0
            _add_product(1.0, block, diagonal[j], lower)
            _add_product(-1.0, lower, upper, diagonal[i])
        if not _invert(diagonal[i], inverse):
            return False
        _copy_block(inverse, diagonal[i])
    return True


@lean_kernel
def _copy_block(a, out):
    for i in range(6):
        for j in range(6):
            out[i, j] = a[i, j]


@lean_kernel
def envelope_solve(n, first, start, low, up, diagonal, work, x):
    """Solve A x = b in place, x (n, 6) holding b on entry and the factors of A standing in the arrays."""
    column = work[0, 0]
    for i in range(n):
        for j in range(first[i], i):
            _add_times(-1.0, low[start[i] + j - first[i]], x[j], x[i])
    for i in range(n):
        for r in range(6):
            column[r] = x[i, r]
        for r in range(6):
            s = 0.0
            for c in range(6):
                s += diagonal[i, r, c] * column[c]
            x[i, r] = s
    for i in range(n - 1, -1, -1):
        for j in range(first[i], i):
            # `up` holds D U: the rows of U follow by the inverse of D.
            column[:] = 0.0
            _add_times(-1.0, up[start[i] + j - first[i]], x[i], column)
            _add_times(1.0, diagonal[j], column, x[j])


@lean_kernel
def _add_times(sign, block, x, out):
    """Out += sign * block x."""
    for r in range(6):
        s = 0.0
        for c in range(6):
            s += block[r, c] * x[c]
        out[r] += sign * s
