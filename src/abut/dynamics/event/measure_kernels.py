"""What joints, motors and points feel of each other at an event, and how they move: accelerations, or rates in a blow.

First come the rows of joints and motors, then those of the points that are listed, then two tangents of each of these
that friction may hold.
"""

from ..._jit import inner_kernel, lean_kernel
from .hinge_kernels import rate_of
from .linear_kernels import solve_dependent
from .motion_kernels import set_up
from .motion_tables import MOTOR, SPEED
from .point_kernels import is_slip, put_motors, put_point, put_slip, put_tangents, slip_at
from .support_kernels import system_of
from .unilateral_kernels import RESTS

NOWHERE = -1
"""In the place of the row of tangents of a point that has none."""


@inner_kernel
def _put_friction(scene_io, m, k, y, struck):
    """Let those of k listed points that rest push with friction against their slip, or grip; number of rows.

    Blows know no slip before.
    """
    work, n = scene_io.work, m + k
    for i in range(k):
        p = work.near[i]
        work.side[i] = NOWHERE
        if not (work.flag[i, RESTS] and scene_io.points.friction[p] > 0.0):
            continue
        normal, slip = slip_at(p, y, scene_io)
        if is_slip(p, slip, scene_io) and not struck:
            put_slip(p, m + i, slip, scene_io)
            continue
        put_tangents(p, n, scene_io, normal)
        work.side[i] = n
        n += 2
    return n


@inner_kernel
def _put_rows(scene_io, m, k, y, struck):
    """Rows of k points listed, behind the m of joints and motors, with what all feel of each other; how many in all."""
    work = scene_io.work
    for i in range(k):
        put_point(work.near[i], m + i, scene_io)
    n = _put_friction(scene_io, m, k, y, struck)
    set_up(y, system_of(scene_io, n), work.change)
    for r in range(n):
        for s in range(n):
            work.matrix[r, s] = scene_io.system.room.matrix[r, s]
    return n


@lean_kernel
def measure(scene_io, k, y, struck):
    """Matrix and right side of all rows of k points listed in a state; how many are of joints and motors, and in all.

    They stand in the room, where they stay, and in the scratch of events.
    """
    m, work = put_motors(scene_io, struck), scene_io.work
    n = _put_rows(scene_io, m, k, y, struck)
    room, hinges = scene_io.system.room, scene_io.system.hinges
    for r in range(n):
        right = room.right[r]
        if struck:
            right = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED)
            right -= hinges.target[r] if hinges.kind[r] == MOTOR else 0.0
        work.right[r] = room.right[r] = right
    return m, n


@lean_kernel
def measure_ahead(scene_io, k, y, h):
    """The same for impulses over the time h: rates then, as far as they are without these."""
    m, work = put_motors(scene_io, False), scene_io.work
    n = _put_rows(scene_io, m, k, y, True)
    room, hinges = scene_io.system.room, scene_io.system.hinges
    for r in range(n):
        rate = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED)
        work.right[r] = rate + h * room.right[r]
    return m, n


@lean_kernel
def firm_forces(scene_io, m, n, force_out):
    """Forces of all n rows, while those behind the m of joints and motors push with the forces in the scratch."""
    room, work = scene_io.system.room, scene_io.work
    square, right = work.square, work.line[0]
    for r in range(m):
        right[r] = -room.right[r]
        for s in range(m):
            square[r, s] = room.matrix[r, s]
        for s in range(m, n):
            right[r] -= room.matrix[r, s] * work.force[s - m]
    solve_dependent(square, right, m, work.order, work.line[1], force_out)
    for s in range(m, n):
        force_out[s] = work.force[s - m]


@inner_kernel
def work_of(scene, n, impulse):
    """[J] by which n rows that were measured for a blow change the kinetic energy with these impulses.

    And the sum of what each does against the rate at its start, beside which that is rounded.
    """
    room, change, done = scene.system.room, 0.0, 0.0
    for r in range(n):
        felt = 0.0
        for s in range(n):
            felt += room.matrix[r, s] * impulse[s]
        change += impulse[r] * (room.right[r] + 0.5 * felt)
        done += abs(impulse[r] * room.right[r])
    return change, done
