"""What happens at an event without friction, in the published order: collisions until no velocity is negative, then the
active points.

All is done at one moment: positions stay, velocities change by impulses, and points become hinges or cease to be.
"""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import cross, norm, unit
from ..joints.joint_kernels import ROW_KIND, joint_row
from .account_kernels import note_blows
from .hinge_kernels import rate_of, slip_of
from .linear_kernels import solve_dependent
from .motion_kernels import add_answers, pose_of, set_up
from .motion_tables import CONSTANT, LIMIT, MOTOR, NORMAL, SPEED, TANGENT
from .note_kernels import has_room_for_notes, note_point
from .projection_kernels import project
from .search_tables import (
    ACTIVE,
    BREAK_NOTE,
    DEAD,
    DOWN,
    FIRM,
    HINGES,
    IMPACT_NOTE,
    INACTIVE,
    KEEPS,
    LAST_EVENT,
    NOW,
    SLIPS,
    STICKS,
    TOUCH_NOTE,
    UP,
)
from .support_kernels import bodies_of, number_of_points, put_gaps, system_of
from .unilateral_kernels import PUSHES, RESTS, SETTLES, STILL, complete, eliminate_first, solve_unilateral

AT_REST = 1e-9
"""[m/s] of approach or separation that is none."""
SHORTEST_FLIGHT = 1e-6
"""[s] of flight between two bounces below which the infinite sequence that follows counts as over."""
MOST_BLOWS = 10_000
"""That follow each other at one moment."""
AT_TARGET = 1e-6
"""Share of the contact gap by which a point may be farther away and take part in a collision."""
LIGHT = 1e-8
"""Accelerations below this share of the largest are none."""
NO_SLIP = 1e-8
"""[m/s] below which a point does not slip."""
MOST_SWITCHES = 50
"""Of motors at one moment."""
# What resolving came to.
RESOLVED, TOO_HARD = 0, 1


@lean_kernel
def _put_motors(scene):
    """Hinges of motors that keep to their speeds, behind those of joints; how many there are of both."""
    m, motors, hinges = scene.count[FIRM], scene.motors, scene.system.hinges
    for k in range(motors.index.shape[0]):
        keeps = motors.mode[k] == KEEPS
        force = 0.0 if keeps else (motors.high[k] if motors.mode[k] == UP else motors.low[k])
        scene.system.springs.value[motors.spring[k], CONSTANT] = force
        if not keeps:
            continue
        hinges.kind[m], hinges.index[m], hinges.mu[m] = MOTOR, motors.index[k], 0.0
        hinges.body[m, 0], hinges.body[m, 1] = motors.body[k, 0], motors.body[k, 1]
        hinges.target[m] = motors.speed[k]
        m += 1
    return m


@lean_kernel
def _put_point(p, r, scene):
    """Let row r of the hinges be that of point p."""
    hinges, limits = scene.system.hinges, scene.limits
    n = limits.index.shape[0]
    hinges.body[r, 0], hinges.body[r, 1] = bodies_of(p, scene)
    if p < n:
        hinges.kind[r], hinges.index[r], hinges.mu[r] = LIMIT, limits.index[p], limits.sign[p]
        hinges.target[r] = limits.sign[p] * limits.value[p]
    else:
        hinges.kind[r], hinges.index[r], hinges.mu[r] = NORMAL, p - n, 0.0
        hinges.target[r] = scene.points.target[p]
    for c in range(3):
        hinges.direction[r, c] = 0.0


@inner_kernel
def _is_near(p, scene):
    return scene.work.gap[p] <= scene.points.target[p] + AT_TARGET * scene.options.gap


@lean_kernel
def _put_near(scene):
    """List the points at their targets; how many there are."""
    k = 0
    put_gaps(scene, scene.step.y, scene.work.gap, scene.work.rate)
    for p in range(number_of_points(scene)):
        if _is_near(p, scene):
            scene.work.near[k] = p
            k += 1
    return k


@lean_kernel
def any_rubs(scene):
    """Whether points at their targets have friction."""
    for i in range(_put_near(scene)):
        if scene.points.friction[scene.work.near[i]] > 0.0:
            return True
    return False


@lean_kernel
def _measure(scene, k, accelerate):
    """Matrix and right side of joints, motors and k points that are near: accelerations, or rates."""
    m, work = _put_motors(scene), scene.work
    for i in range(k):
        _put_point(work.near[i], m + i, scene)
    system = system_of(scene, m + k)
    set_up(scene.step.y, system, work.change)
    room, hinges = system.room, system.hinges
    for r in range(m + k):
        right = room.right[r]
        if not accelerate:
            right = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], scene.step.y, SPEED)
            right -= hinges.target[r] if hinges.kind[r] == MOTOR else 0.0
        work.right[r] = room.right[r] = right
        for s in range(m + k):
            work.matrix[r, s] = room.matrix[r, s]
    return m


@lean_kernel
def _firm_forces(scene, m, k, x, force_out):
    """Forces of m joints and motors while k points push with forces x; the room's matrix is used up."""
    room = scene.system.room
    for r in range(m):
        room.right[r] = -room.right[r]
        for i in range(k):
            room.right[r] -= room.matrix[r, m + i] * x[i]
    solve_dependent(room.matrix, room.right, m, room.order, room.size, force_out)
    for i in range(k):
        force_out[m + i] = x[i]


@lean_kernel
def _blow(scene, k):
    """One collision of the k points listed, all at once; whether impulses were found."""
    work, y, step = scene.work, scene.step.y, scene.step
    m = _measure(scene, k, False)
    for i in range(k):
        work.flag[i, RESTS] = True
        work.acceleration[i] = work.right[m + i]
        work.right[m + i] += scene.points.restitution[work.near[i]] * min(work.right[m + i], 0.0)
    eliminate_first(m, m + k, work.matrix, work.right, work.line[0])
    before = work.line[3]
    for i in range(k):
        before[i] = work.acceleration[i]
    if not solve_unilateral(m, k, work, work.force, work.acceleration):
        return False
    impulse = step.forces[0]
    _firm_forces(scene, m, k, work.force, impulse)
    system = system_of(scene, m + k)
    add_answers(system.hinges, system.room.answer, impulse, SPEED, y)
    note_blows(system, impulse, scene)
    for i in range(k):
        p = work.near[i]
        work.blows[p] += work.force[i]
        if work.force[i] > 0.0 and before[i] < -AT_REST:
            note_point(scene, p, IMPACT_NOTE, scene.clock[NOW], work.force[i])
    return True


@lean_kernel
def _keep_nearest(scene, k):
    """Of the k points listed, list only the one that approaches fastest; its rate."""
    work, best = scene.work, 0
    for i in range(1, k):
        if work.rate[work.near[i]] < work.rate[work.near[best]]:
            best = i
    p = work.near[best]
    return p, work.rate[p]


@lean_kernel
def _collide(scene):
    """Collisions, until no point at its target approaches; whether impulses were found."""
    for _ in range(MOST_BLOWS):
        k = _put_near(scene)
        if k == 0:
            return True
        if not has_room_for_notes(scene):
            return False
        p, rate = _keep_nearest(scene, k)
        if rate >= -AT_REST:
            return True
        if scene.options.in_turn:
            scene.work.near[0], k = p, 1
        if not _blow(scene, k):
            return False
    return False


@lean_kernel
def _missing_speed(scene, k):
    """By how much motor k is too slow."""
    motors, tables, y, row_io = scene.motors, scene.system.tables, scene.step.y, scene.system.room.line[0]
    j, a, b = motors.index[k], motors.body[k, 0], motors.body[k, 1]
    kind, last = tables.joint_name[j, ROW_KIND], tables.joint_last[j]
    joint_row(kind, tables.joint_place, j, pose_of(y, a), pose_of(y, b), last, row_io)
    return motors.speed[k] - rate_of(row_io, a, b, y, SPEED)


@lean_kernel
def start_motors(scene):
    """Which motors keep to their speeds: those that have them, or that have any force that is needed."""
    motors, struck = scene.motors, False
    for k in range(motors.index.shape[0]):
        missing = _missing_speed(scene, k)
        boundless = motors.high[k] == inf if missing > 0.0 else motors.low[k] == -inf
        if abs(missing) <= AT_REST:
            motors.mode[k] = KEEPS
        elif boundless:
            motors.mode[k], struck = KEEPS, True
        else:
            motors.mode[k] = UP if missing > 0.0 else DOWN
    return struck


@lean_kernel
def _switch_motors(scene, m, force):
    """Let motors that need more force than they have push as hard as they can; whether there are such."""
    motors, r, switched = scene.motors, scene.count[FIRM], False
    for k in range(motors.index.shape[0]):
        if motors.mode[k] != KEEPS:
            continue
        room = LIGHT * (motors.high[k] - motors.low[k])
        if force[r] > motors.high[k] + room:
            motors.mode[k], switched = UP, True
        elif force[r] < motors.low[k] - room:
            motors.mode[k], switched = DOWN, True
        r += 1
    return switched


@lean_kernel
def _forces(scene, k):
    """Forces of the points listed that rest, and accelerations of all of them; number of joints and motors, or -1."""
    work = scene.work
    for _ in range(MOST_SWITCHES):
        m = _measure(scene, k, True)
        eliminate_first(m, m + k, work.matrix, work.right, work.line[0])
        if not solve_unilateral(m, k, work, work.force, work.acceleration):
            return -1
        if scene.motors.index.shape[0] == 0:
            return m
        _firm_forces(scene, m, k, work.force, scene.step.forces[0])
        if not _switch_motors(scene, m, scene.step.forces[0]):
            return m
    return -1


@lean_kernel
def _settle_short_flights(scene, k):
    """Let points rest that move apart, but will be back very soon; whether there are such."""
    work, found = scene.work, False
    for i in range(k):
        if work.flag[i, RESTS]:
            continue
        p, falls = work.near[i], -min(work.acceleration[i], -1e-300)
        flight = 2.0 * work.rate[p] / falls
        if flight < SHORTEST_FLIGHT:
            e = scene.points.restitution[p]
            work.flag[i, SETTLES], found = True, True
            work.delay[p] = flight / (1.0 - e) if e < 1.0 else 0.0
    return found


@lean_kernel
def _stop_separation(scene, k):
    """Take away velocities of separation of the points listed that rest or settle."""
    work, chosen = scene.work, 0
    m = _put_motors(scene)
    for i in range(k):
        if work.flag[i, RESTS] or work.flag[i, SETTLES]:
            _put_point(work.near[i], m + chosen, scene)
            chosen += 1
    project(system_of(scene, m + chosen), work.shift, scene.step.forces[0], scene.step.y)


@lean_kernel
def _choose(scene):
    """Which points rest, and which of these push; others are dead. Bounces that are too short are over."""
    work, points = scene.work, scene.points
    k = _put_near(scene)
    for i in range(k):
        work.flag[i, SETTLES] = False
    for p in range(number_of_points(scene)):
        work.delay[p] = 0.0
    while True:
        for i in range(k):
            work.flag[i, RESTS] = work.rate[work.near[i]] <= AT_REST or work.flag[i, SETTLES]
        m = _forces(scene, k)
        if m < 0:
            return False
        if not _settle_short_flights(scene, k):
            break
        _stop_separation(scene, k)
        put_gaps(scene, scene.step.y, work.gap, work.rate)
    largest = 0.0
    for i in range(k):
        largest = max(largest, abs(work.right[m + i]))
    for i in range(k):
        rises = work.acceleration[i] > LIGHT * largest
        work.flag[i, STILL] = work.flag[i, RESTS] and not rises and not points.pulled[work.near[i]]
        work.flag[i, SETTLES] = work.force[i] == 0.0 and rises  # it parts
        work.flag[i, PUSHES] = work.force[i] > 0.0
    complete(m, k, work)
    _note_touches(scene, k)
    return True


@lean_kernel
def _note_touches(scene, k):
    """Set the states of points; note those that touch from now on, and those that part: they bear nothing and rise."""
    work, points, now, at = scene.work, scene.points, scene.clock[NOW], 0
    for p in range(number_of_points(scene)):
        status, parts = DEAD, False
        if at < k and work.near[at] == p:
            status = ACTIVE if work.flag[at, PUSHES] else (INACTIVE if work.flag[at, RESTS] else DEAD)
            parts = work.flag[at, SETTLES]
            at += 1
        points.status[p], points.mode[p] = status, 0
        stays = status != DEAD and not parts
        if stays and not points.touching[p]:
            note_point(scene, p, TOUCH_NOTE, now + work.delay[p], 0.0)
        elif not stays and points.touching[p]:
            note_point(scene, p, BREAK_NOTE, now, 0.0)
        points.touching[p] = stays


@lean_kernel
def _put_tangents(p, r, scene, normal):
    """Let rows r and r + 1 of the hinges be the tangents of point p, which sticks."""
    hinges, k = scene.system.hinges, p - scene.limits.index.shape[0]
    least = 0
    for c in range(1, 3):
        least = c if abs(normal[c]) < abs(normal[least]) else least
    axis = (1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0)
    across = unit(cross(normal, axis))
    for side, t in ((0, across), (1, cross(normal, across))):
        hinges.kind[r + side], hinges.index[r + side] = TANGENT, k
        hinges.body[r + side, 0], hinges.body[r + side, 1] = bodies_of(p, scene)
        hinges.target[r + side], hinges.mu[r + side] = 0.0, 0.0
        for c in range(3):
            hinges.direction[r + side, c] = t[c]


@lean_kernel
def _slip_at(p, scene):
    """Normal of point p, a contact, and the velocity of B's surface along A's."""
    y, (a, b) = scene.step.y, bodies_of(p, scene)
    k = p - scene.limits.index.shape[0]
    _, n, v = slip_of(k, a, b, scene.system.tables, pose_of(y, a), pose_of(y, b), y, SPEED)
    return n, v


@lean_kernel
def hold_active(scene):
    """Let the joints, the motors that keep to their speeds and the active points be hinges, with their friction."""
    m, points, hinges = _put_motors(scene), scene.points, scene.system.hinges
    for p in range(number_of_points(scene)):
        if points.status[p] != ACTIVE:
            continue
        _put_point(p, m, scene)
        if points.mode[p] == SLIPS:
            _, v = _slip_at(p, scene)
            speed = norm(v)
            hinges.mu[m] = points.friction[p]
            for c in range(3):
                points.direction[p, c] = v[c] / speed if speed > NO_SLIP else points.direction[p, c]
                hinges.direction[m, c] = points.direction[p, c]
        m += 1
    for p in range(number_of_points(scene)):
        if points.status[p] == ACTIVE and points.mode[p] == STICKS:
            _put_tangents(p, m, scene, _slip_at(p, scene)[0])
            m += 2
    scene.count[HINGES] = m


@lean_kernel
def hold_exactly(scene):
    """Let hinges hold to rounding."""
    project(system_of(scene, scene.count[HINGES]), scene.work.shift, scene.step.forces[0], scene.step.y)


@lean_kernel
def resolve(scene):
    """Collisions, then hinges, of points without friction; RESOLVED, or TOO_HARD for it."""
    scene.clock[LAST_EVENT] = scene.clock[NOW]
    struck = start_motors(scene)
    if number_of_points(scene) == 0 and scene.motors.index.shape[0] == 0:
        hold_active(scene)
        return RESOLVED
    if struck and not _blow(scene, _put_near(scene)):
        return TOO_HARD
    if not _collide(scene) or not _choose(scene):
        return TOO_HARD
    hold_active(scene)
    hold_exactly(scene)
    return RESOLVED


@lean_kernel
def let_rise(scene):
    """Points that rested and bore nothing, and rise now, are dead; they began to with the last event."""
    points, work = scene.points, scene.work
    put_gaps(scene, scene.step.y, work.gap, work.rate)
    for p in range(number_of_points(scene)):
        if points.status[p] == INACTIVE and work.rate[p] > AT_REST:
            if points.touching[p]:
                note_point(scene, p, BREAK_NOTE, scene.clock[LAST_EVENT], 0.0)
            points.status[p], points.touching[p] = DEAD, False
