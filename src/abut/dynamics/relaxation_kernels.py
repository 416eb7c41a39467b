"""Plain sweeps over the items of a linear problem: each is solved for the forces of the others (Jean & Moreau 1992)."""

from .._jit import kernel
from ..math.vec_kernels import load_mat
from ..solve.cone_kernels import solve_contact
from .law_kernels import joint_force
from .row_kernels import first_row, three


@kernel
def prepare_sweeps(items, n, mu, rows, response, answer, own):
    """How the bodies answer to each push, and what of it each item meets again itself."""
    body, push, slope = rows[0], rows[1], rows[2]
    for item in items:
        first = first_row(item, n)
        count = 3 if item < n and mu[item] > 0.0 else 1
        for r in range(first, first + count):
            for side in range(2):
                b = body[item, side]
                for i in range(6):
                    s = 0.0
                    for j in range(6):
                        s += response[b, i, j] * push[r, 6 * side + j]
                    answer[r, 6 * side + i] = s
        for p in range(count):
            for q in range(count):
                s = 0.0
                for i in range(12):
                    s += slope[first + p, i] * answer[first + q, i]
                own[item, p, q] = s


@kernel
def _value(r, a, b, base, slope, shift, reference):
    value = base[r]
    for i in range(6):
        value += slope[r, i] * (shift[a, i] - reference[a, i]) + slope[r, 6 + i] * (shift[b, i] - reference[b, i])
    return value


@kernel
def _push(r, a, b, change, answer, shift):
    for i in range(6):
        shift[a, i] += change * answer[r, i]
        shift[b, i] += change * answer[r, 6 + i]


@kernel
def sweep(items, n, mu, rows, answer, own, reference, shift, moved):
    """Solve every item once; returns the largest change of a force.

    Values are those of `shift`; what the forces do goes to `moved`, the same table for Gauss-Seidel, another one
    for Jacobi.
    """
    body, _push_rows, slope, w, x, _y, _rho, compliance, lower, upper = rows
    largest = 0.0
    for item in items:
        r, a, b = first_row(item, n), body[item, 0], body[item, 1]
        if item < n and mu[item] > 0.0:
            W = load_mat(own, item)
            value = (
                _value(r, a, b, w, slope, shift, reference),
                _value(r + 1, a, b, w, slope, shift, reference),
                _value(r + 2, a, b, w, slope, shift, reference),
            )
            old = three(x, r)
            q = (
                value[0] - W[0] * old[0] - W[1] * old[1] - W[2] * old[2],
                value[1] - W[3] * old[0] - W[4] * old[1] - W[5] * old[2],
                value[2] - W[6] * old[0] - W[7] * old[1] - W[8] * old[2],
            )
            new = solve_contact(W, q, mu[item])
            for k in range(3):
                _push(r + k, a, b, new[k] - old[k], answer, moved)
                x[r + k] = new[k]
                largest = max(largest, abs(new[k] - old[k]))
            continue
        if not own[item, 0, 0] > 0.0:
            continue
        value, old = _value(r, a, b, w, slope, shift, reference), x[r]
        new = max(old - value / own[item, 0, 0], 0.0)
        if item >= n:
            j = item - n
            new, _ = joint_force(old, value, compliance[j], lower[j], upper[j], 1.0 / own[item, 0, 0])
        _push(r, a, b, new - old, answer, moved)
        x[r] = new
        largest = max(largest, abs(new - old))
    return largest
