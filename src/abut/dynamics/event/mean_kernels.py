"""Means of what acts while bodies move: weighed sums over states of the wrenches of hinges, springs, hands and drag."""

from ..._jit import inner_kernel
from ...math.pose_kernels import load_frame
from ..bodies.body_kernels import DYNAMIC
from ..bodies.hold_kernels import LET_GO
from ..joints.joint_kernels import AXIAL, ROW_KIND, unit_wrench
from .joined_kernels import is_joined
from .motion_kernels import hand_wrench, is_symmetric, spin_of, spring_force
from .motion_tables import NORMAL, SPEED, TANGENT

# Columns of the means of a hinge: wrenches on A and B, the push along the normal or the moment about the joint, force.
ON_A, ON_B, ASIDE, FORCE, MEANS = 0, 6, 12, 15, 16


@inner_kernel
def clear_means(m, means_out):
    """Begin a mean of m hinges, of springs and of bodies."""
    _clear(m, means_out.hinge)
    _clear(means_out.spring.shape[0], means_out.spring)
    _clear(means_out.body.shape[0], means_out.body)


@inner_kernel
def _clear(n, table_out):
    for i in range(n):
        for k in range(table_out.shape[1]):
            table_out[i, k] = 0.0


@inner_kernel
def add_pair(weight, force, push, aside, i, table_io):
    """Add a force with its push, and what goes with it."""
    for k in range(12):
        table_io[i, k] += weight * force * push[k]
    for k in range(3):
        table_io[i, ASIDE + k] += weight * force * aside[k]
    table_io[i, FORCE] += weight * force


@inner_kernel
def aside_of(r, hinges, tables, room):
    """What goes with a unit of force of hinge r: the normal of a contact, the torque of a joint about B's point."""
    push, k = room.row[r], hinges.index[r]
    if hinges.kind[r] == NORMAL or hinges.kind[r] == TANGENT:
        return push[6], push[7], push[8]
    if is_joined(r, hinges, tables):
        turns = 0.0 if tables.joint_name[k, ROW_KIND] == AXIAL else 1.0
        return turns * push[9], turns * push[10], turns * push[11]
    unit = unit_wrench(tables.joint_place, k, load_frame(room.frames, hinges.body[r, 1]), push)
    return unit[3], unit[4], unit[5]


@inner_kernel
def add_means(weight, y, system_io, force, means_io):
    """Add what acts in a state whose derivative has just been taken."""
    bodies, springs, hinges, tables, room = system_io
    symmetric = is_symmetric(hinges)
    for r in range(hinges.kind.shape[0]):
        push = room.row[r] if symmetric else room.push[r]
        add_pair(weight, force[r], push, aside_of(r, hinges, tables, room), r, means_io.hinge)
    for s in range(springs.index.shape[0]):
        row, b = room.line[0], springs.body[s, 1]
        f = spring_force(y, s, springs, tables, room.frames, row)
        unit = unit_wrench(tables.joint_place, springs.index[s], load_frame(room.frames, b), row)
        add_pair(weight, f, row, (unit[3], unit[4], unit[5]), s, means_io.spring)
    for i in range(bodies.kind.shape[0]):
        _add_body(weight, y, i, bodies, room, means_io.body)


@inner_kernel
def _add_body(weight, y, i, bodies, room, body_io):
    """Add what a hand and drag exert on body i."""
    held = bodies.hold[i, 0] > LET_GO
    if bodies.kind[i] != DYNAMIC or not (held or bodies.drag[i, 0] > 0.0 or bodies.drag[i, 1] > 0.0):
        return
    if held:
        force, torque = hand_wrench(y, i, bodies, room.frames)
        for k in range(3):
            body_io[i, k] += weight * force[k]
            body_io[i, 3 + k] += weight * torque[k]
    L = spin_of(y, i, bodies, room.frames)
    for k in range(3):
        body_io[i, 6 + k] -= weight * bodies.drag[i, 0] * bodies.mass[i] * y[i, SPEED + k]
        body_io[i, 9 + k] -= weight * bodies.drag[i, 1] * L[k]
