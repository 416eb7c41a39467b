"""What happens at an event, in the published order: collisions until no velocity is negative, then the active points.

All is done at one moment: positions stay, velocities change by impulses, and points become hinges or cease to be.
"""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ..joints.joint_kernels import ROW_KIND, joint_row
from .account_kernels import note_blows
from .admission_kernels import BORDER
from .hinge_kernels import rate_of
from .measure_kernels import firm_forces, measure, work_of
from .momentum_kernels import put_present_momenta, take_momenta
from .motion_kernels import add_answers, pose_of
from .motion_tables import SPEED
from .note_kernels import has_room_for_notes, note_friction, note_point
from .point_kernels import hold_active, put_motors, put_point
from .projection_kernels import project_places, project_velocities
from .rub_kernels import PATIENTLY, free_of, how_to_rub, rub, share_out
from .search_tables import (
    ACTIVE,
    BLOWS,
    BREAK_NOTE,
    DEAD,
    DONE,
    DOWN,
    FAULT,
    FIRM,
    HAMMERED,
    HINGES,
    IMPACT_NOTE,
    INACTIVE,
    KEEPS,
    LAST_EVENT,
    NEED_NOTES,
    NO_FORCES,
    NO_IMPULSES,
    NO_MOTORS,
    NOW,
    TOUCH_NOTE,
    UP,
    WORK,
)
from .slip_kernels import choose_modes, put_slow_slips, recall_modes
from .storm_kernels import OFF_TARGET, SLOW_BLOW, in_storm
from .support_kernels import number_of_points, put_gaps, speed_at, system_of
from .unilateral_kernels import PUSHES, RESTS, SETTLES, STILL, complete, eliminate_first

AT_REST = 1e-9
"""[m/s] of approach or separation that is none."""
SHORTEST_FLIGHT = 1e-6
"""[s] of flight between two bounces below which the infinite sequence that follows counts as over."""
MOST_BLOWS = 10_000
"""That follow each other at one moment."""
AT_TARGET = 1e-6
"""Share of the contact gap by which a point may be farther away and take part in a collision."""
AS_FAST = 1e-9
"""Share of a rate within which points approach as fast: the first of them is struck, not one that rounding picks."""
LIGHT = 1e-8
"""Accelerations below this share of the largest are none."""
MOST_SWITCHES = 50
"""Of motors at one moment."""
HALVINGS = 30
"""How often a share of restitution is narrowed down."""
ROUNDED_WORK = 1e-11
"""Share of the work of impulses against the velocities at their start that may be gained by rounding."""
WORK_OF_BLOW = 400
"""In units of about 10 ns."""


@inner_kernel
def _is_near(p, scene):
    room = OFF_TARGET if in_storm(scene) else AT_TARGET
    return scene.work.gap[p] <= scene.points.target[p] + room * scene.options.gap


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
def _gains(scene_io, n):
    """Whether the impulses of n rows add kinetic energy, beyond rounding."""
    gained, done = work_of(scene_io, n, scene_io.step.forces[0])
    return gained > ROUNDED_WORK * done


@inner_kernel
def _strike_with(share, scene_io, m, k, n):
    """Impulses with a share of the restitution of k points, whose rates are to be `back` beside `base`."""
    work, back, base = scene_io.work, scene_io.work.line[5], scene_io.work.line[6]
    for i in range(k):
        work.right[m + i] = base[i] + share * back[i]
    found = rub(scene_io, m, k, n, PATIENTLY)
    if found:
        firm_forces(scene_io, m, n, scene_io.step.forces[0])
    return found


@lean_kernel
def _give_back_less(scene_io, m, k, n):
    """Impulses with as much of the restitution as adds no energy.

    Newton's law of restitution may give back more than was lost: where friction turns bodies (Kane's paradox), and
    where points are pushed on that were about to part. Without restitution nothing is gained.
    """
    work, share = scene_io.work, 0.0
    for i in range(k):
        work.line[6, i] = work.right[m + i] - work.line[5, i]
    for h in range(1, HALVINGS + 1):
        more = share + 0.5**h
        if _strike_with(more, scene_io, m, k, n) and not _gains(scene_io, n):
            share = more
    return _strike_with(share, scene_io, m, k, n)


@lean_kernel
def _find_impulses(scene_io, k):
    """Impulses of the k points listed and of what joints and motors hand on: rows of these, and in all, or -1 of none.

    Points with friction grip while they are struck, as far as Coulomb's law lets them.
    """
    work, before, back, bounces = scene_io.work, scene_io.work.line[3], scene_io.work.line[5], False
    for i in range(k):
        work.flag[i, RESTS] = True
    m, n = measure(scene_io, k, scene_io.step.y, True)
    for i in range(k):
        before[i] = work.right[m + i]
        back[i] = scene_io.points.restitution[work.near[i]] * min(before[i], 0.0)
        bounces = bounces or back[i] < 0.0
        work.right[m + i] += back[i]
    eliminate_first(m, n, work.matrix, work.right, work.line[0])
    if not rub(scene_io, m, k, n, PATIENTLY):
        return m, -1
    firm_forces(scene_io, m, n, scene_io.step.forces[0])
    if bounces and _gains(scene_io, n) and not _give_back_less(scene_io, m, k, n):
        return m, -1
    return m, n


@inner_kernel
def _friction_of(i, m, scene):
    """Impulse of friction of listed point i."""
    direction, r, force = scene.system.hinges.direction, scene.work.side[i], scene.work.force
    if r < 0:
        return 0.0, 0.0, 0.0
    a, b = force[r - m], force[r + 1 - m]
    return (
        a * direction[r, 0] + b * direction[r + 1, 0],
        a * direction[r, 1] + b * direction[r + 1, 1],
        a * direction[r, 2] + b * direction[r + 1, 2],
    )


@lean_kernel
def _blow(scene_io, k):
    """One collision of the k points listed, all at once; whether impulses were found."""
    work, impulse, (m, n) = scene_io.work, scene_io.step.forces[0], _find_impulses(scene_io, k)
    if n < 0:
        return False
    system = system_of(scene_io, n)
    add_answers(system.hinges, system.room.answer, impulse, SPEED, scene_io.step.y)
    note_blows(system, impulse, scene_io)
    scene_io.count[WORK] += WORK_OF_BLOW + n * n
    for i in range(k):
        p, push = work.near[i], work.force[i]
        if push > 0.0 and work.line[3, i] < -AT_REST:
            note_point(scene_io, p, IMPACT_NOTE, scene_io.clock[NOW], push)
            note_friction(scene_io, _friction_of(i, m, scene_io))
    return True


@inner_kernel
def _keep_nearest(scene, k):
    """Of the k points listed, list only the one that approaches fastest, the first of several; its rate."""
    work, best = scene.work, 0
    for i in range(1, k):
        if work.rate[work.near[i]] < (1.0 + AS_FAST) * work.rate[work.near[best]]:
            best = i
    p = work.near[best]
    return p, work.rate[p]


@inner_kernel
def _collide(scene_io):
    """Collisions, until no point at its target approaches; DONE, or what is missing."""
    count, slow = scene_io.count, SLOW_BLOW if in_storm(scene_io) else AT_REST
    while True:
        k = _put_near(scene_io)
        if k == 0:
            return DONE
        if not has_room_for_notes(scene_io):
            return NEED_NOTES
        p, rate = _keep_nearest(scene_io, k)
        if rate >= -slow:
            return DONE
        count[BLOWS], count[FAULT] = count[BLOWS] + 1, p
        if count[BLOWS] > MOST_BLOWS:
            return HAMMERED
        if scene_io.options.in_turn:
            scene_io.work.near[0], k = p, 1
        if not _blow(scene_io, k):
            return NO_IMPULSES


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
    """Forces of the points listed that rest, and accelerations of all of them; DONE, or what is missing.

    And how many rows there are of joints and motors, and in all.
    """
    work, m, n = scene_io.work, 0, 0
    for _ in range(MOST_SWITCHES):
        m, n = measure(scene_io, k, scene_io.step.y, False)
        eliminate_first(m, n, work.matrix, work.right, work.line[0])
        if not rub(scene_io, m, k, n, how_to_rub(scene_io)):
            return NO_FORCES, m, n
        if n > m + k:
            share_out(scene_io, m, k, n)
        if scene_io.motors.index.shape[0] == 0:
            return DONE, m, n
        firm_forces(scene_io, m, n, scene_io.step.forces[0])
        if not _switch_motors(scene_io, m, scene_io.step.forces[0]):
            return DONE, m, n
    return NO_MOTORS, m, n


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


@inner_kernel
def _hold_with(scene_io, m, momentum):
    """Let the first m hinges hold to rounding where bodies have these momenta; the impulses of that are noted."""
    system, y, impulse, known = system_of(scene_io, m), scene_io.step.y, scene_io.step.forces[0], False
    if m > 0:
        known = project_places(system, scene_io.work.shift, impulse, y)
    take_momenta(momentum, system, y)
    if m > 0:
        project_velocities(system, known, y, impulse)
        note_blows(system, impulse, scene_io)


@lean_kernel
def _hold(scene_io, m):
    """Let the first m hinges hold to rounding; bodies that are turned for that keep their spin."""
    if m > 0:
        put_present_momenta(scene_io.step.y, scene_io.system, scene_io.work.change)
        _hold_with(scene_io, m, scene_io.work.change)


@lean_kernel
def _stop_separation(scene_io, k):
    """Take away velocities of separation of the points listed that rest or settle."""
    work, chosen = scene_io.work, 0
    m = put_motors(scene_io, False)
    for i in range(k):
        if work.flag[i, RESTS] or work.flag[i, SETTLES]:
            put_point(work.near[i], m + chosen, scene_io)
            chosen += 1
    _hold(scene_io, m + chosen)


@inner_kernel
def _note_fault(scene_io, k):
    """Remember the first of the k points listed that rests."""
    for i in range(k - 1, -1, -1):
        if scene_io.work.flag[i, RESTS] or i == 0:
            scene_io.count[FAULT] = scene_io.work.near[i]


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
        why, m, n = _forces(scene_io, k)
        if why != DONE:
            _note_fault(scene_io, k)
            return why
        if not _settle_short_flights(scene_io, k):
            break
        _stop_separation(scene_io, k)
        put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    free = free_of(m, n, work)
    for i in range(k):
        rises = work.acceleration[i] > LIGHT * free
        work.flag[i, STILL] = work.flag[i, RESTS] and not rises and not points.pulled[work.near[i]]
        work.flag[i, SETTLES] = work.force[i] == 0.0 and rises  # it parts
        work.flag[i, PUSHES] = work.force[i] > 0.0
    complete(m, k, work)
    _note_touches(scene_io, k)
    put_slow_slips(scene_io, k)
    choose_modes(scene_io, k, free)
    return DONE


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
        points.status[p] = status
        stays = status != DEAD and not parts
        if stays and not points.touching[p]:
            note_point(scene_io, p, TOUCH_NOTE, now + work.delay[p], 0.0)
        elif not stays and points.touching[p]:
            note_point(scene_io, p, BREAK_NOTE, now, 0.0)
        points.touching[p] = stays


@inner_kernel
def hold_exactly(scene_io, momentum):
    """Let hinges hold to rounding where bodies have come to with these momenta; the impulses of that are noted."""
    _hold_with(scene_io, scene_io.count[HINGES], momentum)


@lean_kernel
def settle(scene_io):
    """Let what is active be hinges that hold to rounding, and note the impulses that this takes."""
    hold_active(scene_io)
    _hold(scene_io, scene_io.count[HINGES])


@inner_kernel
def resolve(scene_io):
    """Collisions, then the points that rest, and how; DONE, or what is missing."""
    scene_io.clock[LAST_EVENT] = scene_io.clock[NOW]
    if in_storm(scene_io):
        return _collide(scene_io)
    struck = start_motors(scene_io)
    if number_of_points(scene_io) == 0 and scene_io.motors.index.shape[0] == 0:
        settle(scene_io)
        return DONE
    if struck and not _blow(scene_io, 0):
        return NO_IMPULSES
    why = _collide(scene_io)
    if why != DONE:
        return why
    start_motors(scene_io)
    why = _choose(scene_io)
    if why == DONE:
        settle(scene_io)
    return why


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


@lean_kernel
def recall(scene_io):
    """At the start of a step: what rests has been noted before; what flies returns to where it left."""
    points, work, gap, limits = scene_io.points, scene_io.work, scene_io.options.gap, scene_io.limits.index.shape[0]
    put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    for p in range(number_of_points(scene_io)):
        left = gap + scene_io.contacts.extra[p - limits] if p >= limits else 0.0
        rests = abs(work.rate[p]) <= AT_REST and work.gap[p] <= left + AT_TARGET * gap
        points.slack[p] = BORDER * gap
        if p < limits:
            points.target[p], points.touching[p] = 0.0, rests and abs(work.gap[p]) <= AT_REST
        else:
            points.target[p], points.touching[p] = work.gap[p] if rests else min(work.gap[p], left), rests
    recall_modes(scene_io)
