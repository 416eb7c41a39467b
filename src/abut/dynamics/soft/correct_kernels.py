"""A correction of impulses: what contacts ask for by how bodies answer at rest, and what becomes of the motion.

What tables have no room for is told, and Python makes room and asks again.
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...fem.elastic.body_kernels import push_body
from ...math.vec_kernels import dot, row
from .response_kernels import (
    add_changes,
    add_due,
    add_rows,
    add_ways,
    choose_rows,
    localise,
    missing_nodes,
    push_nodes,
)
from .soft_packet_tables import (
    answers_of,
    chosen_of,
    felt_of,
    links_of,
    local_of,
    masses_of,
    nodes_of,
    rows_of,
    spread_of,
    states_of,
    surfaces_of,
    touched_of,
    touches_of,
    vertices_of,
)
from .soft_tables import Problem, Rigid
from .sweep_kernels import gather_rows, spread_rows, sweep_impulses
from .touch_kernels import LINK, measure_touches, move_vertices, push_all, touch_errors

SWEEPS = 200
MOST_TAKEN = 4
"""How often contacts are taken in that others have pushed together, before bodies are asked."""


@kernel
def feel_impulses(packet_io, known, n):
    """Impulses of n contacts as they are, on nodes and rigid bodies; how many nodes answer in a way not known yet.

    Says, too, whether any contact from `known` on has axes besides its normal.
    """
    touches, spread, nodes, felt = touches_of(packet_io), spread_of(packet_io), nodes_of(packet_io), felt_of(packet_io)
    touched, rough = touched_of(packet_io), False
    push_all(touches, spread, n, nodes.push, felt.wrench)
    for i in range(nodes.due.shape[0]):
        for d in range(3):
            nodes.due[i, d] = nodes.push[i, d] - nodes.pushed[i, d]
    for k in range(known, n):
        rough = rough or touches.friction[k] > 0.0 or touches.name[k, 0] >= LINK
    count = missing_nodes(spread, known, n, nodes.due, answers_of(packet_io).dof, touched.used, touched.missing)
    return count, rough


@kernel
def axes_wanted(axes, known, rough):
    """How many axes contacts have where so many are known: 1 as long as none of them needs 3."""
    if rough or (axes == 3 and known > 0):
        return 3
    return axes if known > 0 else 1


@lean_kernel
def _any(table):
    for i in range(table.shape[0]):
        if table[i, 0] != 0.0 or table[i, 1] != 0.0 or table[i, 2] != 0.0:
            return True
    return False


@kernel
def begin_rest(packet_io, problem):
    """What is left of contacts before impulses are looked for: with what those do that bodies have not felt yet."""
    problem, touches, spread = Problem(*problem), touches_of(packet_io), spread_of(packet_io)
    local, states, touched, nodes = (
        local_of(packet_io),
        states_of(packet_io),
        touched_of(packet_io),
        nodes_of(packet_io),
    )
    n = problem.n
    localise(touches, spread, touched.turned, problem.known, n, local)
    for k in range(n):
        for d in range(local.axis.shape[1]):
            states.rest[k, d] = states.left[k, d] / problem.scale
    if _any(nodes.due):
        answers = answers_of(packet_io)
        add_due(spread, local, answers, touched.turned, problem.h, nodes.due, states.rest[:n])


@kernel
def begin_whole(packet_io, problem, force_out):
    """What is left of contacts before impulses are looked for, and impulses (n, 3) that nodes have not felt yet.

    Returns ways of rigid bodies by these: none.
    """
    problem, touches, spread = Problem(*problem), touches_of(packet_io), spread_of(packet_io)
    local, rest, left = local_of(packet_io), states_of(packet_io).rest, states_of(packet_io).left
    localise(touches, spread, touched_of(packet_io).turned, problem.known, problem.n, local)
    for k in range(problem.n):
        for d in range(local.axis.shape[1]):
            rest[k, d] = left[k, d]
    due = nodes_of(packet_io).due
    for i in range(due.shape[0]):
        for d in range(3):
            force_out[i, d] = due[i, d]
    return np.zeros((felt_of(packet_io).mass.shape[0], 6))


@kernel
def wanted_nodes(packet_io, problem, node_out):
    """Nodes of contacts that may push and are no rows yet, some of them more than once; how many."""
    touches, spread, rows, n = touches_of(packet_io), spread_of(packet_io), rows_of(packet_io), 0
    chosen, problem, best = chosen_of(packet_io).row, Problem(*problem), touched_of(packet_io).best
    count = choose_rows(touches, spread, rows, states_of(packet_io).rest, problem, best, chosen)
    for c in range(count):
        k = chosen[c]
        for i in range(spread.count[k]):
            node_out[n], n = spread.node[k, i], n + 1
    return n


@kernel
def push_whole(packet_io, problem, rows, impulse, force_out):
    """Let the contacts of some rows push so: what that is on nodes, and how rigid bodies go with it."""
    touches, spread, local, felt = touches_of(packet_io), spread_of(packet_io), local_of(packet_io), felt_of(packet_io)
    problem = Problem(*problem)
    change, rigid = np.zeros((problem.n, local.axis.shape[1])), Rigid(felt.mass, felt.inertia)
    spread_rows(rows_of(packet_io), rows, impulse, touches.impulse, change)
    return push_nodes(touches, spread, local, rigid, problem.h, change, force_out)


@kernel
def move_whole(packet_io, problem, velocity, twist):
    """What velocities of nodes, and ways of rigid bodies, change about what is left of all contacts."""
    problem, rest = Problem(*problem), states_of(packet_io).rest
    touches, spread, local = touches_of(packet_io), spread_of(packet_io), local_of(packet_io)
    add_ways(touches, spread, local, problem.h, velocity, twist, rest[: problem.n])


@kernel
def take_rows(packet_io, problem, begin):
    """Take in contacts that may push and are no rows yet, after `begin` others, if there is room; how many."""
    touches, spread, local, rows = touches_of(packet_io), spread_of(packet_io), local_of(packet_io), rows_of(packet_io)
    felt, links, chosen, rest = (
        felt_of(packet_io),
        links_of(packet_io),
        chosen_of(packet_io).row,
        states_of(packet_io).rest,
    )
    problem = Problem(*problem)
    count = choose_rows(touches, spread, rows, rest, problem, touched_of(packet_io).best, chosen)
    end, dim = begin + count, local.axis.shape[1]
    if count == 0 or end > rows.kind.shape[0]:
        return count
    for a in range(begin, end):
        k = chosen[a - begin]
        rows.contact[a], rows.kind[a], rows.row[k] = k, touches.name[k, 0], a
        rows.friction[a], rows.limit[a] = touches.friction[k], links.limit[k]
    span, rigid = (problem.h, begin, end), Rigid(felt.mass, felt.inertia)
    add_rows(touches, spread, local, answers_of(packet_io), rigid, span, rows)
    if dim == 3:
        for r in range(3 * begin, 3 * end):
            rows.answer[r, r] += links.soft[chosen[r // 3 - begin]]
    return count


@kernel
def gather(packet, n, left_out, impulse_out):
    """What is left of the contacts of n rows, and their impulses, one after the other."""
    dim = local_of(packet).axis.shape[1]
    gather_rows(rows_of(packet), n, dim, states_of(packet).rest, touches_of(packet).impulse, left_out, impulse_out)


@kernel
def sweep(packet, enough, left_io, impulse_io):
    """Impulses of rows by sweeps, from where they are."""
    sweep_impulses(rows_of(packet), local_of(packet).axis.shape[1], SWEEPS, enough, left_io, impulse_io)


@kernel
def take_impulses(packet_io, problem, rows, impulse):
    """Let the contacts of some rows push so, and see what that leaves of all contacts."""
    touches, spread, local, felt = touches_of(packet_io), spread_of(packet_io), local_of(packet_io), felt_of(packet_io)
    problem = Problem(*problem)
    change, rigid = np.zeros((problem.n, local.axis.shape[1])), Rigid(felt.mass, felt.inertia)
    spread_rows(rows_of(packet_io), rows, impulse, touches.impulse, change)
    rest = states_of(packet_io).rest[: problem.n]
    add_changes(touches, spread, local, answers_of(packet_io), rigid, problem.h, change, rest)


@kernel
def nearer(problem, taken):
    """The same problem after contacts have been taken in so often: what others have pushed together pushes, too."""
    problem = Problem(*problem)
    near = problem.near if taken == 0 else -problem.enough
    return Problem(problem.h, problem.scale, near, problem.enough, problem.n, problem.known)


@kernel
def solve_impulses(packet_io, problem, rows, taken):
    """Change impulses so that contacts keep to their laws, as far as bodies answer as at rest.

    `rows` are there, and have been taken in `taken` times. Returns both as they are then, and how many rows there
    should be room for, 0 where there is.
    """
    problem = Problem(*problem)
    if taken == 0:
        begin_rest(packet_io, problem)
    while taken < MOST_TAKEN:
        now = nearer(problem, taken)
        count = take_rows(packet_io, now, rows)
        if rows + count > rows_of(packet_io).kind.shape[0]:
            return rows, taken, rows + count
        if count == 0 and now.near < 0.0:
            break
        rows, taken = rows + count, taken + 1
        size = rows * local_of(packet_io).axis.shape[1]
        left, impulse = np.empty(size), np.empty(size)
        gather(packet_io, rows, left, impulse)
        sweep(packet_io, now.enough, left, impulse)
        take_impulses(packet_io, now, rows, impulse)
    return rows, taken, 0


@lean_kernel
def _answer_rigid(felt_io):
    """How impulses as they are move rigid bodies beyond what was found."""
    wrench, stepped = felt_io.wrench, felt_io.stepped
    for b in range(felt_io.mass.shape[0]):
        turn = wrench[b, 3] - stepped[b, 3], wrench[b, 4] - stepped[b, 4], wrench[b, 5] - stepped[b, 5]
        for d in range(3):
            felt_io.extra[b, d] = felt_io.mass[b] * (wrench[b, d] - stepped[b, d])
            felt_io.extra[b, 3 + d] = dot(row(felt_io.inertia[b], d), turn)


@kernel
def _push_bodies(packet_io, bodies_io, tolerance):
    """Velocities of soft bodies with what their nodes have not felt yet; iterations."""
    nodes, first, iterations = nodes_of(packet_io), masses_of(packet_io).first, 0
    for i in range(nodes.due.shape[0]):
        for d in range(3):
            nodes.due[i, d] = nodes.push[i, d] - nodes.pushed[i, d]
            nodes.pushed[i, d] = nodes.push[i, d]
    for k in range(first.shape[0] - 1):
        i, j = first[k], first[k + 1]
        if _any(nodes.due[i:j]):
            iterations += push_body(bodies_io[k], nodes.due[i:j], tolerance, nodes.velocity[i:j])
    return iterations


@kernel
def move_skins(packet_io, h):
    """Where the skins of soft bodies end a motion, as their nodes move now."""
    vertices, bodies = vertices_of(packet_io), masses_of(packet_io).drag.shape[0]
    n = surfaces_of(packet_io).first[bodies]
    move_vertices(vertices, nodes_of(packet_io).velocity, h, n, vertices.end)


@kernel
def measure(packet_io, h, n):
    """By how much n contacts are off their laws, and the largest of these, as of touch_errors."""
    touches, vertices, nodes, links = (
        touches_of(packet_io),
        vertices_of(packet_io),
        nodes_of(packet_io),
        links_of(packet_io),
    )
    left = states_of(packet_io).left[:n]
    measure_touches(touches, vertices, spread_of(packet_io), links, nodes, felt_of(packet_io).extra, h, left)
    return touch_errors(touches, vertices, left, links.limit)


@lean_kernel
def _compare(touches, before, states, problem, dim):
    """How far contacts have opened, and held points moved, times how far they were expected to, and these squared."""
    found, known = 0.0, 0.0
    for k in range(before.shape[0]):
        for d in range(dim if touches.name[k, 0] >= LINK else 1):
            expected = problem.scale * states.rest[k, d] - before[k, d]
            found += (states.left[k, d] - before[k, d]) * expected
            known += expected * expected
    return found, known


@kernel
def apply_impulses(packet_io, bodies_io, problem, tolerance):
    """Let bodies move under impulses as they are now; conjugate gradients leave the share `tolerance`.

    Returns iterations, what `_compare` says, and what `measure` does.
    """
    problem, touches, states, felt = Problem(*problem), touches_of(packet_io), states_of(packet_io), felt_of(packet_io)
    n, dim = problem.n, local_of(packet_io).axis.shape[1]
    push_all(touches, spread_of(packet_io), n, nodes_of(packet_io).push, felt.wrench)
    _answer_rigid(felt)
    iterations = _push_bodies(packet_io, bodies_io, tolerance)
    move_skins(packet_io, problem.h)
    before = states.left[:n].copy()
    errors = measure(packet_io, problem.h, n)
    return iterations, _compare(touches, before, states, problem, dim), errors


FEEL, SOLVE, APPLY, DONE = 0, 1, 2, 3
"""Stages of a correction."""


@kernel
def correct_impulses(packet_io, bodies_io, problem, tolerance, begun):
    """Change impulses and let bodies move under them: all of it, or from a stage that has begun, (stage, rows, taken).

    Returns where it came to, likewise: DONE, or a stage for which something is missing; what is missing: nodes of which
    answers are not known and whether contacts need three axes, or how many rows there should be room for; and what
    `apply_impulses` returns.
    """
    named, (stage, rows, taken), nothing = Problem(*problem), begun, (0, (0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    if stage == FEEL:
        missing, rough = feel_impulses(packet_io, named.known, named.n)
        room, axes = local_of(packet_io).axis.shape[0], local_of(packet_io).axis.shape[1]
        if missing > 0 or named.n > room or axes_wanted(axes, named.known, rough) != axes:
            return (FEEL, rows, taken), (missing, rough), nothing
        stage = SOLVE
    if stage == SOLVE:
        rows, taken, wanted = solve_impulses(packet_io, problem, rows, taken)
        if wanted > 0:
            return (SOLVE, rows, taken), (wanted, False), nothing
    return (DONE, rows, taken), (0, False), apply_impulses(packet_io, bodies_io, problem, tolerance)
