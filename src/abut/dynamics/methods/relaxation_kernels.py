"""Plain sweeps over the items of a linear problem: each is solved for the forces of the others (Jean & Moreau 1992)."""

from ..._jit import kernel
from ...math.vec_kernels import load_mat
from ...solve.cone_kernels import solve_contact
from ..solver.law_kernels import joint_force
from ..solver.row_kernels import first_row, rows_of, three


@kernel
def prepare_sweeps(items, contacts, rows, response, answer_out, own_out):
    """How the bodies answer to each push, and what of it each item meets again itself."""
    push, slope = rows.push, rows.slope
    for item in items:
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            for side in range(2):
                b = rows.body[item, side]
                for i in range(6):
                    s = 0.0
                    for j in range(6):
                        s += response[b, i, j] * push[r, 6 * side + j]
                    answer_out[r, 6 * side + i] = s
        for p in range(last - first):
            for q in range(last - first):
                s = 0.0
                for i in range(12):
                    s += slope[first + p, i] * answer_out[first + q, i]
                own_out[item, p, q] = s


@kernel
def _value(r, a, b, rows, bodies):
    """Of row r of bodies a and b, which was found at the reference."""
    slope, shift, reference, value = rows.slope, bodies.shift, bodies.step, rows.w[r]
    for i in range(6):
        value += slope[r, i] * (shift[a, i] - reference[a, i]) + slope[r, 6 + i] * (shift[b, i] - reference[b, i])
    return value


@kernel
def _push(r, a, b, change, answer, shift_io):
    """Let bodies a and b be pushed by a change of the force of row r."""
    for i in range(6):
        shift_io[a, i] += change * answer[r, i]
        shift_io[b, i] += change * answer[r, 6 + i]


@kernel
def sweep(items, contacts, bodies, rows_io, answer, own, moved_io):
    """Solve every item once; returns the largest change of a force.

    Values are those of the shifts; what the forces do goes to `moved_io`, the same table for Gauss-Seidel, another one
    for Jacobi.
    """
    n, mu, x, largest = contacts.n, contacts.mu, rows_io.x, 0.0
    for item in items:
        r, a, b = first_row(item, n), rows_io.body[item, 0], rows_io.body[item, 1]
        if item < n and mu[item] > 0.0:
            W = load_mat(own, item)
            value = (
                _value(r, a, b, rows_io, bodies),
                _value(r + 1, a, b, rows_io, bodies),
                _value(r + 2, a, b, rows_io, bodies),
            )
            old = three(x, r)
            q = (
                value[0] - W[0] * old[0] - W[1] * old[1] - W[2] * old[2],
                value[1] - W[3] * old[0] - W[4] * old[1] - W[5] * old[2],
                value[2] - W[6] * old[0] - W[7] * old[1] - W[8] * old[2],
            )
            new = solve_contact(W, q, mu[item])
            for k in range(3):
                _push(r + k, a, b, new[k] - old[k], answer, moved_io)
                x[r + k] = new[k]
                largest = max(largest, abs(new[k] - old[k]))
            continue
        if not own[item, 0, 0] > 0.0:
            continue
        value, old = _value(r, a, b, rows_io, bodies), x[r]
        new = max(old - value / own[item, 0, 0], 0.0)
        if item >= n:
            j = item - n
            law = (rows_io.compliance[j], rows_io.lower[j], rows_io.upper[j])
            new, _ = joint_force(old, value, *law, 1.0 / own[item, 0, 0])
        _push(r, a, b, new - old, answer, moved_io)
        x[r] = new
        largest = max(largest, abs(new - old))
    return largest
