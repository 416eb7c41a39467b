"""What a motion leaves of soft bodies: energies that tell whether any came from nowhere, and spins that are kept."""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel, kernel
from ...fem.elastic.spin_kernels import centre_of, common_motion, give_spin, lever_point, spin_after, spin_of
from ...math.vec_kernels import add, cross, dot, put_row, row, scale, sub
from .soft_tables import Masses, Touches, Vertices
from .touch_kernels import LINK, NODE, point_of

MOST_SPUN = 1e-2
"""Share of its kinetic energy that a body may gain where its spin is put right. What is pressed hard between others has
contact forces whose errors would turn it faster and faster; these others do not let it turn."""


@kernel
def weigh_motions(masses, begin, w, pushed, settings, told_out, end_out, velocity_out):
    """Where nodes end a motion with the mean velocities w, how fast they are there, and what that means for energies.

    `begin` are nodes and their velocities, `pushed` (n_node, 3) impulses [N s], `settings` the length of the motion,
    where forces are taken in it, and gravity. `told_out` (n_body, 4) are kinetic energies before and after, the work
    of gravity and that of the impulses [J].
    """
    masses, (nodes, velocities), (h, theta, gravity) = Masses(*masses), begin, settings
    for k in range(told_out.shape[0]):
        before, after, fell, given = 0.0, 0.0, 0.0, 0.0
        for i in range(masses.first[k], masses.first[k + 1]):
            m, v, speed = masses.node[i], row(velocities, i), row(w, i)
            then = speed if masses.held[i] != 0 else add(v, scale(1.0 / theta, sub(speed, v)))
            put_row(then, i, velocity_out)
            put_row(add(row(nodes, i), scale(h, speed)), i, end_out)
            before, after = before + 0.5 * m * dot(v, v), after + 0.5 * m * dot(then, then)
            fell, given = fell + h * m * dot(gravity, speed), given + dot(row(pushed, i), speed)
        told_out[k, 0], told_out[k, 1], told_out[k, 2], told_out[k, 3] = before, after, fell, given


@kernel
def keep_spins(touches, vertices, impulse, masses, begin, end, settings, velocity_io):
    """Turn each free body so that contacts, and nothing else, have changed its spin.

    The scheme of a step with theta other than 1/2, forces that are linearised and a residual would change it, too.
    `impulse` (n, 3) [N s] is what contacts leave of those of the motion; `end` (n_node, 3) is where nodes end it.
    """
    touches, masses, (nodes, velocities), (h, theta) = Touches(*touches), Masses(*masses), begin, settings
    n = masses.first.shape[0] - 1
    levers, centres, moment = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    for k in range(n):
        i, j = masses.first[k], masses.first[k + 1]
        put_row(lever_point(masses.node[i:j], nodes[i:j], velocities[i:j], (h, theta, 0.0)), k, levers)
        put_row(centre_of(masses.node[i:j], end[i:j]), k, centres)
    during, after = np.empty(impulse.shape), np.empty(impulse.shape)
    for k in range(impulse.shape[0]):
        put_row(_along_world(touches.axes, k, row(touches.impulse, k)), k, during)
        put_row(_along_world(touches.axes, k, sub(row(impulse, k), row(touches.impulse, k))), k, after)
    _add_moments(touches, vertices, nodes, during, levers, masses.first, moment)
    _add_moments(touches, vertices, nodes, after, centres, masses.first, moment)
    alone = np.ones(n, np.bool_)
    _leave_pressed(touches, Vertices(*vertices), masses.first, alone)
    for k in range(n):
        i, j = masses.first[k], masses.first[k + 1]
        if not _any_held(masses.held, i, j):
            wanted = (h, theta, masses.drag[k]), row(moment, k), alone[k]
            _put_spin_right(masses.node[i:j], nodes[i:j], velocities[i:j], wanted, end[i:j], velocity_io[i:j])


@kernel
def _leave_pressed(touches, vertices, node_first, alone_io):
    """Leave out bodies that something rigid or a hand touches, and those that touch them: it may press them hard."""
    changed = True
    while changed:
        changed = False
        for k in range(touches.name.shape[0]):
            bodies = _soft_body(touches, vertices, k, 0, node_first), _soft_body(touches, vertices, k, 1, node_first)
            if touches.name[k, 0] == NODE:
                bodies = _body_of_node(touches.name[k, 1], node_first), -1
            pressed = min(bodies) < 0 or not (alone_io[bodies[0]] and alone_io[bodies[1]])
            for b in bodies:
                if pressed and b >= 0 and alone_io[b]:
                    alone_io[b], changed = False, True


@kernel
def _any_held(held, first, last):
    for i in range(first, last):
        if held[i] != 0:
            return True
    return False


@inner_kernel
def _along_world(axes, k, p):
    """The vector with components p along the axes of a contact."""
    return add(scale(p[0], row(axes[k], 0)), add(scale(p[1], row(axes[k], 1)), scale(p[2], row(axes[k], 2))))


@kernel
def _put_spin_right(mass, nodes, velocities, wanted, end, velocity_io):
    """Give a body the spin that it has after a moment: `wanted` are numbers of the step, the moment, and whether
    nothing but soft bodies touch it, and each other.

    Where that would take more energy than is allowed, what swings in such a body gives the rest, as far as it has it.
    """
    settings, moment, alone = wanted
    spin = spin_of(mass, nodes, velocities, centre_of(mass, nodes))
    spun, together = velocity_io.copy(), np.empty_like(velocity_io)
    give_spin(mass, end, spin_after(spin, moment, settings), spun)
    if alone:
        common_motion(mass, end, velocity_io, together)
    else:
        together[:] = velocity_io
    share, swing = _shares_to_keep(mass, velocity_io, spun, together)
    for i in range(mass.shape[0]):
        for d in range(3):
            v = velocity_io[i, d]
            velocity_io[i, d] = v - (1.0 - swing) * (v - together[i, d]) + share * (spun[i, d] - v)


@kernel
def _shares_to_keep(mass, before, after, together):
    """Shares of a turn to `after`, and of what swings beside what is common, that add no more energy than allowed."""
    straight, square, moving, swinging = 0.0, 0.0, 0.0, 0.0
    for i in range(mass.shape[0]):
        v, change = row(before, i), sub(row(after, i), row(before, i))
        apart = sub(v, row(together, i))
        straight, square = straight + mass[i] * dot(v, change), square + 0.5 * mass[i] * dot(change, change)
        moving, swinging = moving + 0.5 * mass[i] * dot(v, v), swinging + 0.5 * mass[i] * dot(apart, apart)
    allowed = MOST_SPUN * moving
    if straight + square <= allowed:
        return 1.0, 1.0
    most = allowed + swinging
    if straight + square <= most:
        return 1.0, sqrt((most - straight - square) / swinging)
    return (sqrt(straight * straight + 4.0 * square * most) - straight) / (2.0 * square), 0.0


@kernel
def fastest(first, tables, speed_out):
    """(n_body,) the largest component of velocities of the nodes of each body, in three tables."""
    before, through, after = tables
    for k in range(speed_out.shape[0]):
        most = 0.0
        for i in range(first[k], first[k + 1]):
            for d in range(3):
                most = max(most, abs(before[i, d]), abs(through[i, d]), abs(after[i, d]))
        speed_out[k] = most


@kernel
def _add_moments(touches, vertices, nodes, impulse, levers, node_first, moment_io):
    """Add the moments of impulses (n, 3) on B, along the world's axes, about a point (n_soft, 3) of each soft body.

    Both sides of a contact are pushed at one point, where its features are at the end of the step: what one body
    gains in angular momentum the other loses. Nodes are pushed where they begin it.
    """
    touches, vertices = Touches(*touches), Vertices(*vertices)
    for k in range(impulse.shape[0]):
        p, one_sided = row(impulse, k), touches.name[k, 0] == LINK
        if touches.name[k, 0] == NODE:
            i = touches.name[k, 1]
            body = _body_of_node(i, node_first)
            put_row(add(row(moment_io, body), cross(sub(row(nodes, i), row(levers, body)), p)), body, moment_io)
            continue
        a = point_of(touches.name, touches.share, k, vertices.end, 0)
        b = point_of(touches.name, touches.share, k, vertices.end, 1)
        at = b if one_sided else scale(0.5, add(a, b))
        for side in range(2):
            body = _soft_body(touches, vertices, k, side, node_first)
            if body >= 0:
                m = cross(sub(at, row(levers, body)), p)
                for d in range(3):
                    moment_io[body, d] += m[d] if side == 1 else -m[d]


@inner_kernel
def _soft_body(touches, vertices, k, side, node_first):
    """The soft body on one side of a contact, or -1."""
    for m in range(4):
        v, s = touches.name[k, 1 + m], touches.share[k, m]
        if v >= 0 and s != 0.0 and (s < 0.0) == (side == 0) and vertices.body[v] < 0:
            return _body_of_node(vertices.carrier[v, 0], node_first)
    return -1


@inner_kernel
def _body_of_node(node, node_first):
    body = 0
    while node >= node_first[body + 1]:
        body += 1
    return body
