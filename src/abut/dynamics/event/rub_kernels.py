"""Friction at an event: impulses or forces of points in their cones, with Coulomb's law where they grip.

Points that slip push with friction along with their normals. Those without slip are solved for with their cones: they
stick where that keeps them, else they begin to slip against friction at its limit.
"""

from math import sqrt

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import put_row, row
from ...solve.alart_kernels import friction_newton
from ...solve.friction_kernels import friction_gauss_seidel, friction_residual
from .search_tables import STALLS, WORK
from .unilateral_kernels import RESTS, put_after, solve_unilateral

SWEEPS, ROUNDS, LAST_SWEEPS, BETWEEN = 2, 24, 2_000, 20
"""Before Newton's first steps; rounds of these; sweeps where that fails, and between looks at what they came to."""
STALLED = 1e-8
"""Residual beyond which Newton's method has failed; below, redundant points keep it from what is asked."""
REGULARISATION = 1e-10
"""Share of the diagonal that lets redundant points have an answer."""
COARSE, ENOUGH_IN_STORM = 1e-8, 1e-6
"""Residuals that are asked in a storm and on the way to harder points, and that are taken in a storm."""
PATIENTLY, QUICKLY, SOFTLY = 0, 1, 2
"""How impulses are looked for."""
SOFTEST, HARDER, HARDEST = 1e-3, 0.1, 3e-9
"""Of what the most movable point gives way to an impulse, by which all give way on top in a storm, or where the method
stalls: at first, what is left of that each time, and below what it is nothing. It gives redundant points one answer.
In a storm, points that stick creep by some micrometres a second."""
CONE_TOLERANCE, GOOD_ENOUGH = 1e-11, 1e-4
"""Residuals that are asked of the solver of friction, and that are taken where it stalls: blows are repeated, and which
points stick or slip is seen all the same."""
NOT_A_PUSH = 1e-7
"""Share of the largest force, or acceleration, below which one with friction is an error of its solver."""
WORK_OF_NEWTON, WORK_OF_SWEEP = 60, 10
"""Of a round and of a sweep for each point, in units of about 10 ns; for n points, n^3 / 3 and n^2 come on top."""


@inner_kernel
def _row_of(c, i, m, side):
    """Row of direction c of listed point i: its normal, or a tangent; -1 if it has none."""
    if c == 0:
        return m + i
    return side[i] + c - 1 if side[i] >= 0 else -1


@inner_kernel
def _put_block(scale, i, j, m, work, block_out):
    """What point i feels of point j; one that has no tangents is as if it had some that nothing else feels."""
    for a in range(3):
        row = _row_of(a, i, m, work.side)
        for b in range(3):
            column = _row_of(b, j, m, work.side)
            if row >= 0 and column >= 0:
                block_out[a, b] = scale * work.matrix[row, column]
            else:
                block_out[a, b] = 1.0 if i == j and a == b else 0.0


@lean_kernel
def _put_problem(scene_io, m, k):
    """Blocks and right sides of the points that rest; how many these are, and by what their matrix is scaled."""
    work, cones, n = scene_io.work, scene_io.cones, 0
    largest = 0.0
    for i in range(k):
        if work.flag[i, RESTS]:
            cones.point[n] = i
            n += 1
    for a in range(n):
        for c in range(3):
            row = _row_of(c, cones.point[a], m, work.side)
            for b in range(3 * n):
                column = _row_of(b % 3, cones.point[b // 3], m, work.side)
                if row >= 0 and column >= 0:
                    largest = max(largest, abs(work.matrix[row, column]))
    scale = 1.0 / largest if largest > 0.0 else 1.0
    cones.first[0] = 0
    for a in range(n):
        i = cones.point[a]
        cones.first[a + 1], cones.diagonal[a] = (a + 1) * n, a * n + a
        cones.mu[a] = scene_io.points.friction[work.near[i]] if work.side[i] >= 0 else 0.0
        for c in range(3):
            row = _row_of(c, i, m, work.side)
            cones.q[a, c], cones.r[a, c] = work.right[row] if row >= 0 else 0.0, 0.0
        for b in range(n):
            cones.column[a * n + b] = b
            _put_block(scale, i, cones.point[b], m, work, cones.block[a * n + b])
        for c in range(3):
            cones.firm[a, c] = cones.block[cones.diagonal[a], c, c]
    return n, scale


@inner_kernel
def _copy_rows(rows, rows_out):
    for i in range(rows.shape[0]):
        put_row(row(rows, i), i, rows_out)


@lean_kernel
def _by_newton(scene_io, W, q, mu, tolerance, r_io, u_out):
    """Newton's method from the impulses there are, to a tolerance; their residual."""
    cones, n = scene_io.cones, mu.shape[0]
    options = (tolerance, REGULARISATION, ROUNDS, SWEEPS)
    tables = (cones.tables, cones.matrix, cones.pivot, cones.flat, cones.slopes)
    residual, rounds = friction_newton(W, q, mu, options, r_io, tables, cones.history, u_out)
    scene_io.count[WORK] += rounds * n * (WORK_OF_NEWTON + n * n // 3)
    return residual


@lean_kernel
def _by_sweeps(scene_io, W, q, mu, residual, r_io, u_out):
    """Sweeps from impulses with a residual, which are kept if these lead astray; the residual then."""
    cones, n = scene_io.cones, mu.shape[0]
    _copy_rows(r_io, cones.before)
    options = (CONE_TOLERANCE, 1.0, LAST_SWEEPS, BETWEEN)
    _, swept, sweeps, _ = friction_gauss_seidel(W, q, mu, options, r_io, cones.history, u_out)
    scene_io.count[WORK] += sweeps * n * (WORK_OF_SWEEP + n)
    if not swept < residual:
        _copy_rows(cones.before[:n], r_io)
    return friction_residual(W, q, mu, r_io, u_out)


@inner_kernel
def may_stride(scene):
    """Whether storms of friction can be crossed: not with limits and motors, whose laws are those of accelerations."""
    return scene.limits.index.shape[0] == 0 and scene.motors.index.shape[0] == 0


@inner_kernel
def how_to_rub(scene):
    """How forces are looked for: where the solver stalls, a storm is crossed if it can be."""
    return QUICKLY if may_stride(scene) else PATIENTLY


@inner_kernel
def _soften(cones_io, n, soft):
    """Let each of n points give way to its own impulse by a share of what the most movable one does, on top."""
    for a in range(n):
        for c in range(3):
            cones_io.block[cones_io.diagonal[a], c, c] = cones_io.firm[a, c] + soft


@lean_kernel
def _by_hardening(scene_io, W, q, mu, span, r_io, u_out):
    """Newton's method for points that give way ever less, each time from the last answer; the residual at the last.

    Softer points have one answer, which it finds from far off.
    """
    n, (soft, last, tolerance) = mu.shape[0], span
    for i in range(n):
        put_row((0.0, 0.0, 0.0), i, r_io)
    while soft > max(2.0 * last, HARDEST):
        _soften(scene_io.cones, n, soft)
        _by_newton(scene_io, W, q, mu, COARSE, r_io, u_out)
        soft *= HARDER
    _soften(scene_io.cones, n, last)
    return _by_newton(scene_io, W, q, mu, tolerance, r_io, u_out)


@lean_kernel
def _solve(scene_io, n, how):
    """Impulses of the n points of the problem; whether they obey the laws."""
    cones = scene_io.cones
    W = (cones.first[: n + 1], cones.column[: n * n], cones.block[: n * n], cones.diagonal[:n])
    q, mu, r, u = cones.q[:n], cones.mu[:n], cones.r[:n], cones.u[:n]
    softly = how == SOFTLY
    first, last, tolerance = (1.0, SOFTEST, COARSE) if softly else (SOFTEST, 0.0, CONE_TOLERANCE)
    _soften(cones, n, last)
    residual = _by_newton(scene_io, W, q, mu, tolerance, r, u)
    if residual > (ENOUGH_IN_STORM if softly else STALLED):
        residual = _by_hardening(scene_io, W, q, mu, (first, last, tolerance), r, u)
    if residual > STALLED and how == QUICKLY:
        scene_io.count[STALLS] = 1
        return False
    if residual > (GOOD_ENOUGH if may_stride(scene_io) else STALLED):
        residual = _by_sweeps(scene_io, W, q, mu, residual, r, u)
    if residual > STALLED:
        residual = _by_newton(scene_io, W, q, mu, tolerance, r, u)
    return residual <= GOOD_ENOUGH


@inner_kernel
def _take(scene_io, m, n, scale):
    """Put impulses of the n points of the problem into the scratch of events, with how these points begin to slip."""
    work, cones = scene_io.work, scene_io.cones
    for a in range(n):
        i = cones.point[a]
        cones.push[i], cones.creep[i] = scale * cones.r[a, 0], 0.0
        work.force[i] = cones.push[i]
        if work.side[i] >= 0:
            for c in range(2):
                cones.rub[i, c] = work.force[work.side[i] + c - m] = scale * cones.r[a, 1 + c]
            cones.creep[i] = sqrt(cones.u[a, 1] ** 2 + cones.u[a, 2] ** 2)


@lean_kernel
def rub(scene_io, m, k, n, how):
    """Impulses or forces of the k listed points that rest, and of their tangents, where all n rows were measured.

    Rows of joints and motors are out of the matrix and the right side. Returns whether impulses were found. `how` is
    PATIENTLY, or QUICKLY, where nothing is found once the solver has stalled, or SOFTLY: points give way a little.
    """
    if how == QUICKLY and scene_io.count[STALLS]:
        return False
    work, cones = scene_io.work, scene_io.cones
    if n == m + k:  # nothing grips
        found = solve_unilateral(m, k, work, work.force, work.acceleration)
        for i in range(k):
            cones.push[i], cones.creep[i] = work.force[i], 0.0
        return found
    for s in range(n - m):
        work.force[s] = 0.0
    for i in range(k):
        cones.push[i] = cones.creep[i] = 0.0
    gripping, scale = _put_problem(scene_io, m, k)
    if not _solve(scene_io, gripping, how):
        return False
    _take(scene_io, m, gripping, scale)
    put_after(m, k, n - m, work, work.force, work.acceleration)
    return True


@inner_kernel
def free_of(m, n, work):
    """The largest right side of points and tangents."""
    largest = 0.0
    for r in range(m, n):
        largest = max(largest, abs(work.right[r]))
    return largest


@lean_kernel
def share_out(scene_io, m, k, n):
    """Let as few of the k points push as hold the others, while friction does what it does; the motion is the same.

    Where none of these sets is found, all of them push that do.
    """
    work, cones, right = scene_io.work, scene_io.cones, scene_io.work.line[4]
    free, most = free_of(m, n, work), 0.0
    for i in range(k):
        right[i] = work.right[m + i]
        most = max(most, work.force[i])
    for i in range(k):
        work.right[m + i] = work.acceleration[i]
        for j in range(k):
            work.right[m + i] -= work.matrix[m + i, m + j] * work.force[j]
    if not solve_unilateral(m, k, work, work.force, work.acceleration):
        for i in range(k):
            work.force[i] = cones.push[i]
        put_after(m, k, k, work, work.force, work.acceleration)
    for i in range(k):
        work.right[m + i] = right[i]
        if work.force[i] <= NOT_A_PUSH * most:
            work.force[i] = 0.0
        if abs(work.acceleration[i]) <= NOT_A_PUSH * free:
            work.acceleration[i] = 0.0
