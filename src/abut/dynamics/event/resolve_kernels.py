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
from .momentum_kernels import take_momenta
from .motion_kernels import add_answers, pose_of, set_up
from .motion_tables import CONSTANT, LIMIT, MOTOR, NORMAL, SPEED, TANGENT
from .note_kernels import has_room_for_notes, note_point
from .projection_kernels import project_places, project_velocities
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
    SWINGING,
    TOUCH_NOTE,
    UP,
)
from .support_kernels import bodies_of, number_of_points, put_gaps, speed_at, system_of
from .swing_kernels import all_swing
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


@inner_kernel
def _put_motors(scene_io, struck):
    """Hinges of motors that keep to their speeds, behind those of joints; how many there are of both.

    In a blow, only those keep to them that have any force that is needed.
    """
    m, motors, hinges = scene_io.count[FIRM], scene_io.motors, scene_io.system.hinges
    for k in range(motors.index.shape[0]):
        keeps = motors.mode[k] == KEEPS
        force = 0.0 if keeps else (motors.high[k] if motors.mode[k] == UP else motors.low[k])
        scene_io.system.springs.value[motors.spring[k], CONSTANT] = force
        if not keeps or (struck and motors.high[k] != inf):
            continue
        hinges.kind[m], hinges.index[m], hinges.mu[m] = MOTOR, motors.index[k], motors.slope[k]
        hinges.body[m, 0], hinges.body[m, 1] = motors.body[k, 0], motors.body[k, 1]
        hinges.target[m] = motors.wanted[k]
        m += 1
    return m


@inner_kernel
def _put_point(p, r, scene_io):
    """Let row r of the hinges be that of point p."""
    hinges, limits = scene_io.system.hinges, scene_io.limits
    n = limits.index.shape[0]
    hinges.body[r, 0], hinges.body[r, 1] = bodies_of(p, scene_io)
    if p < n:
        hinges.kind[r], hinges.index[r], hinges.mu[r] = LIMIT, limits.index[p], limits.sign[p]
        hinges.target[r] = limits.sign[p] * limits.value[p]
    else:
        hinges.kind[r], hinges.index[r], hinges.mu[r] = NORMAL, p - n, 0.0
        hinges.target[r] = scene_io.points.target[p]
    for c in range(3):
        hinges.direction[r, c] = 0.0


@inner_kernel
def _is_near(p, scene):
    return scene.work.gap[p] <= scene.points.target[p] + AT_TARGET * scene.options.gap


@lean_kernel
def _put_near(scene_io):
    """List the points at their targets; how many there are."""
    k = 0
    put_gaps(scene_io, scene_io.step.y, scene_io.work.gap, scene_io.work.rate)
    for p in range(number_of_points(scene_io)):
        if _is_near(p, scene_io):
            scene_io.work.near[k] = p
            k += 1
    return k


@inner_kernel
def any_rubs(scene_io):
    """Whether points at their targets have friction."""
    for i in range(_put_near(scene_io)):
        if scene_io.points.friction[scene_io.work.near[i]] > 0.0:
            return True
    return False


@lean_kernel
def _measure(scene_io, k, accelerate):
    """Matrix and right side of joints, motors and k points that are near: accelerations, or rates."""
    m, work = _put_motors(scene_io, not accelerate), scene_io.work
    for i in range(k):
        _put_point(work.near[i], m + i, scene_io)
    system = system_of(scene_io, m + k)
    set_up(scene_io.step.y, system, work.change)
    room, hinges = system.room, system.hinges
    for r in range(m + k):
        right = room.right[r]
        if not accelerate:
            right = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], scene_io.step.y, SPEED)
            right -= hinges.target[r] if hinges.kind[r] == MOTOR else 0.0
        work.right[r] = room.right[r] = right
        for s in range(m + k):
            work.matrix[r, s] = room.matrix[r, s]
    return m


@inner_kernel
def _firm_forces(scene_io, m, k, x, force_out):
    """Forces of m joints and motors while k points push with forces x; the room's matrix is used up."""
    room = scene_io.system.room
    for r in range(m):
        room.right[r] = -room.right[r]
        for i in range(k):
            room.right[r] -= room.matrix[r, m + i] * x[i]
    solve_dependent(room.matrix, room.right, m, room.order, room.size, force_out)
    for i in range(k):
        force_out[m + i] = x[i]


@lean_kernel
def _blow(scene_io, k):
    """One collision of the k points listed, all at once; whether impulses were found."""
    work, y, step = scene_io.work, scene_io.step.y, scene_io.step
    m = _measure(scene_io, k, False)
    for i in range(k):
        work.flag[i, RESTS] = True
        work.acceleration[i] = work.right[m + i]
        work.right[m + i] += scene_io.points.restitution[work.near[i]] * min(work.right[m + i], 0.0)
    eliminate_first(m, m + k, work.matrix, work.right, work.line[0])
    before = work.line[3]
    for i in range(k):
        before[i] = work.acceleration[i]
    if not solve_unilateral(m, k, work, work.force, work.acceleration):
        return False
    impulse = step.forces[0]
    _firm_forces(scene_io, m, k, work.force, impulse)
    system = system_of(scene_io, m + k)
    add_answers(system.hinges, system.room.answer, impulse, SPEED, y)
    note_blows(system, impulse, scene_io)
    for i in range(k):
        p = work.near[i]
        if work.force[i] > 0.0 and before[i] < -AT_REST:
            note_point(scene_io, p, IMPACT_NOTE, scene_io.clock[NOW], work.force[i])
    return True


@inner_kernel
def _keep_nearest(scene, k):
    """Of the k points listed, list only the one that approaches fastest; its rate."""
    work, best = scene.work, 0
    for i in range(1, k):
        if work.rate[work.near[i]] < work.rate[work.near[best]]:
            best = i
    p = work.near[best]
    return p, work.rate[p]


@inner_kernel
def _collide(scene_io):
    """Collisions, until no point at its target approaches; whether impulses were found."""
    for _ in range(MOST_BLOWS):
        k = _put_near(scene_io)
        if k == 0:
            return True
        if not has_room_for_notes(scene_io):
            return False
        p, rate = _keep_nearest(scene_io, k)
        if rate >= -AT_REST:
            return True
        if scene_io.options.in_turn:
            scene_io.work.near[0], k = p, 1
        if not _blow(scene_io, k):
            return False
    return False


@inner_kernel
def _put_speeds(scene_io):
    """Speeds that motors want, and by how much they are too slow; one with any force stops where its limit is."""
    motors, tables, y, line = scene_io.motors, scene_io.system.tables, scene_io.step.y, scene_io.system.room.line[0]
    for k in range(motors.index.shape[0]):
        j, a, b = motors.index[k], motors.body[k, 0], motors.body[k, 1]
        kind, last = tables.joint_name[j, ROW_KIND], tables.joint_last[j]
        q = joint_row(kind, tables.joint_place, j, pose_of(y, a), pose_of(y, b), last, line)
        (speed, motors.slope[k]), near = speed_at(motors, k, q), AT_TARGET * scene_io.options.gap
        at_end = q >= motors.most[k] - near if speed > 0.0 else q <= motors.least[k] + near
        motors.wanted[k] = 0.0 if at_end and motors.high[k] == inf else speed
        motors.missing[k] = motors.wanted[k] - rate_of(line, a, b, y, SPEED)


@inner_kernel
def follow_motors(scene_io):
    """Let hinges of motors with a position have the speeds that they want where bodies are."""
    hinges, tables, y, line = (
        scene_io.system.hinges,
        scene_io.system.tables,
        scene_io.step.y,
        scene_io.system.room.line[0],
    )
    motors, m = scene_io.motors, scene_io.count[FIRM]
    for k in range(motors.index.shape[0]):
        if motors.mode[k] != KEEPS:
            continue
        if motors.response[k] > 0.0:
            j, a, b = motors.index[k], motors.body[k, 0], motors.body[k, 1]
            kind, last = tables.joint_name[j, ROW_KIND], tables.joint_last[j]
            q = joint_row(kind, tables.joint_place, j, pose_of(y, a), pose_of(y, b), last, line)
            motors.wanted[k] = hinges.target[m] = speed_at(motors, k, q)[0]
        m += 1


@inner_kernel
def start_motors(scene_io):
    """Which motors keep to their speeds: those that have them, or that have any force that is needed."""
    motors, struck = scene_io.motors, False
    _put_speeds(scene_io)
    for k in range(motors.index.shape[0]):
        missing = motors.missing[k]
        if abs(missing) <= AT_REST:
            motors.mode[k] = KEEPS
        elif motors.high[k] == inf:
            motors.mode[k], struck = KEEPS, True
        else:
            motors.mode[k] = UP if missing > 0.0 else DOWN
    return struck


@inner_kernel
def _switch_motors(scene_io, m, force):
    """Let motors that need more force than they have push as hard as they can; whether there are such."""
    motors, r, switched = scene_io.motors, scene_io.count[FIRM], False
    for k in range(motors.index.shape[0]):
        if motors.mode[k] != KEEPS:
            continue
        if motors.high[k] == inf:
            r += 1
            continue
        room = LIGHT * (motors.high[k] - motors.low[k])
        if force[r] > motors.high[k] + room:
            motors.mode[k], switched = UP, True
        elif force[r] < motors.low[k] - room:
            motors.mode[k], switched = DOWN, True
        r += 1
    return switched


@inner_kernel
def _forces(scene_io, k):
    """Forces of the points listed that rest, and accelerations of all of them; number of joints and motors, or -1."""
    work = scene_io.work
    for _ in range(MOST_SWITCHES):
        m = _measure(scene_io, k, True)
        eliminate_first(m, m + k, work.matrix, work.right, work.line[0])
        if not solve_unilateral(m, k, work, work.force, work.acceleration):
            return -1
        if scene_io.motors.index.shape[0] == 0:
            return m
        _firm_forces(scene_io, m, k, work.force, scene_io.step.forces[0])
        if not _switch_motors(scene_io, m, scene_io.step.forces[0]):
            return m
    return -1


@inner_kernel
def _settle_short_flights(scene_io, k):
    """Let points rest that move apart, but will be back very soon; whether there are such."""
    work, found = scene_io.work, False
    for i in range(k):
        if work.flag[i, RESTS]:
            continue
        p, falls = work.near[i], -min(work.acceleration[i], -1e-300)
        flight = 2.0 * work.rate[p] / falls
        if flight < SHORTEST_FLIGHT:
            e = scene_io.points.restitution[p]
            work.flag[i, SETTLES], found = True, True
            work.delay[p] = flight / (1.0 - e) if e < 1.0 else 0.0
    return found


@lean_kernel
def _hold(scene_io, m):
    """Let the first m hinges hold to rounding, and note the impulses that this takes."""
    system, impulse = system_of(scene_io, m), scene_io.step.forces[0]
    if m > 0:
        known = project_places(system, scene_io.work.shift, impulse, scene_io.step.y)
        project_velocities(system, known, scene_io.step.y, impulse)
        note_blows(system, impulse, scene_io)


@lean_kernel
def _stop_separation(scene_io, k):
    """Take away velocities of separation of the points listed that rest or settle."""
    work, chosen = scene_io.work, 0
    m = _put_motors(scene_io, False)
    for i in range(k):
        if work.flag[i, RESTS] or work.flag[i, SETTLES]:
            _put_point(work.near[i], m + chosen, scene_io)
            chosen += 1
    _hold(scene_io, m + chosen)


@inner_kernel
def _choose(scene_io):
    """Which points rest, and which of these push; others are dead. Bounces that are too short are over."""
    work, points = scene_io.work, scene_io.points
    k = _put_near(scene_io)
    for i in range(k):
        work.flag[i, SETTLES] = False
    for p in range(number_of_points(scene_io)):
        work.delay[p] = 0.0
    while True:
        for i in range(k):
            work.flag[i, RESTS] = work.rate[work.near[i]] <= AT_REST or work.flag[i, SETTLES]
        m = _forces(scene_io, k)
        if m < 0:
            return False
        if not _settle_short_flights(scene_io, k):
            break
        _stop_separation(scene_io, k)
        put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    largest = 0.0
    for i in range(k):
        largest = max(largest, abs(work.right[m + i]))
    for i in range(k):
        rises = work.acceleration[i] > LIGHT * largest
        work.flag[i, STILL] = work.flag[i, RESTS] and not rises and not points.pulled[work.near[i]]
        work.flag[i, SETTLES] = work.force[i] == 0.0 and rises  # it parts
        work.flag[i, PUSHES] = work.force[i] > 0.0
    complete(m, k, work)
    _note_touches(scene_io, k)
    return True


@inner_kernel
def _note_touches(scene_io, k):
    """Set the states of points; note those that touch from now on, and those that part: they bear nothing and rise."""
    work, points, now, at = scene_io.work, scene_io.points, scene_io.clock[NOW], 0
    for p in range(number_of_points(scene_io)):
        status, parts = DEAD, False
        if at < k and work.near[at] == p:
            status = ACTIVE if work.flag[at, PUSHES] else (INACTIVE if work.flag[at, RESTS] else DEAD)
            parts = work.flag[at, SETTLES]
            at += 1
        points.status[p], points.mode[p] = status, 0
        stays = status != DEAD and not parts
        if stays and not points.touching[p]:
            note_point(scene_io, p, TOUCH_NOTE, now + work.delay[p], 0.0)
        elif not stays and points.touching[p]:
            note_point(scene_io, p, BREAK_NOTE, now, 0.0)
        points.touching[p] = stays


@inner_kernel
def _put_tangents(p, r, scene_io, normal):
    """Let rows r and r + 1 of the hinges be the tangents of point p, which sticks."""
    hinges, k = scene_io.system.hinges, p - scene_io.limits.index.shape[0]
    least = 0
    for c in range(1, 3):
        least = c if abs(normal[c]) < abs(normal[least]) else least
    axis = (1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0)
    across = unit(cross(normal, axis))
    for side, t in ((0, across), (1, cross(normal, across))):
        hinges.kind[r + side], hinges.index[r + side] = TANGENT, k
        hinges.body[r + side, 0], hinges.body[r + side, 1] = bodies_of(p, scene_io)
        hinges.target[r + side], hinges.mu[r + side] = 0.0, 0.0
        for c in range(3):
            hinges.direction[r + side, c] = t[c]


@inner_kernel
def _slip_at(p, scene):
    """Normal of point p, a contact, and the velocity of B's surface along A's."""
    y, (a, b) = scene.step.y, bodies_of(p, scene)
    k = p - scene.limits.index.shape[0]
    _, n, v = slip_of(k, a, b, scene.system.tables, pose_of(y, a), pose_of(y, b), y, SPEED)
    return n, v


@lean_kernel
def hold_active(scene_io):
    """Let the joints, the motors that keep to their speeds and the active points be hinges, with their friction."""
    m, points, hinges = _put_motors(scene_io, False), scene_io.points, scene_io.system.hinges
    for p in range(number_of_points(scene_io)):
        if points.status[p] != ACTIVE:
            continue
        _put_point(p, m, scene_io)
        if points.mode[p] == SLIPS:
            _, v = _slip_at(p, scene_io)
            speed = norm(v)
            hinges.mu[m] = points.friction[p]
            for c in range(3):
                points.direction[p, c] = v[c] / speed if speed > NO_SLIP else points.direction[p, c]
                hinges.direction[m, c] = points.direction[p, c]
        m += 1
    for p in range(number_of_points(scene_io)):
        if points.status[p] == ACTIVE and points.mode[p] == STICKS:
            _put_tangents(p, m, scene_io, _slip_at(p, scene_io)[0])
            m += 2
    scene_io.count[HINGES] = m
    scene_io.count[SWINGING] = m if all_swing(m, scene_io.step.y, scene_io.system) else 0


@inner_kernel
def hold_exactly(scene_io, momentum):
    """Let hinges hold to rounding where bodies have come to with these momenta; the impulses of that are noted."""
    system, y, impulse = system_of(scene_io, scene_io.count[HINGES]), scene_io.step.y, scene_io.step.forces[0]
    known = False
    if scene_io.count[HINGES] > 0:
        known = project_places(system, scene_io.work.shift, impulse, y)
    take_momenta(momentum, system, y)
    if scene_io.count[HINGES] > 0:
        project_velocities(system, known, y, impulse)
        note_blows(system, impulse, scene_io)


@lean_kernel
def settle(scene_io):
    """Let what is active be hinges that hold to rounding, and note the impulses that this takes."""
    hold_active(scene_io)
    _hold(scene_io, scene_io.count[HINGES])


@inner_kernel
def resolve(scene_io):
    """Collisions, then hinges, of points without friction; RESOLVED, or TOO_HARD for it."""
    scene_io.clock[LAST_EVENT] = scene_io.clock[NOW]
    struck = start_motors(scene_io)
    if number_of_points(scene_io) == 0 and scene_io.motors.index.shape[0] == 0:
        settle(scene_io)
        return RESOLVED
    if struck and not _blow(scene_io, 0):
        return TOO_HARD
    if not _collide(scene_io):
        return TOO_HARD
    start_motors(scene_io)
    if not _choose(scene_io):
        return TOO_HARD
    settle(scene_io)
    return RESOLVED


@inner_kernel
def let_rise(scene_io):
    """Points that rested and bore nothing, and rise now, are dead; they began to with the last event."""
    points, work = scene_io.points, scene_io.work
    put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    for p in range(number_of_points(scene_io)):
        if points.status[p] == INACTIVE and work.rate[p] > AT_REST:
            if points.touching[p]:
                note_point(scene_io, p, BREAK_NOTE, scene_io.clock[LAST_EVENT], 0.0)
            points.status[p], points.touching[p] = DEAD, False
