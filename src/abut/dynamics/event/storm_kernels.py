"""Storms of friction are crossed in strides: points that stick and slip in turn are no longer followed one by one.

Many points that lean on each other stick and slip hundreds of times within a millisecond. During a storm, forces are
constant over strides, and such that at the end of each, velocities obey the laws of contact and Coulomb's law: points
do not come nearer, push only where they do not part, and slip only against friction at its limit. These are the laws
of time-stepping (Moreau 1988; Stewart & Trinkle 1996), which have a solution where many points are redundant, and where
forces that obey the laws for accelerations jump from one set of points to another. Bodies move smoothly under these
forces, and whatever touches on the way is found as without a storm.
"""

from ..._jit import inner_kernel, lean_kernel
from .account_kernels import note_contact
from .mean_kernels import FORCE, ON_A, ON_B, add_pair
from .measure_kernels import measure_ahead
from .point_kernels import hold_active, put_point
from .rub_kernels import SOFTLY, may_stride, rub
from .search_tables import (
    AT_ONCE,
    CONTACTS,
    DEAD,
    HINGES,
    INACTIVE,
    NOW,
    SPENT,
    STALLS,
    STORM_LENGTH,
    STORM_SINCE,
    STORM_UNTIL,
    STORMY,
    STRIDES,
    WORK,
)
from .support_kernels import bodies_of, number_of_points, put_gaps
from .unilateral_kernels import RESTS, eliminate_first

LONGEST_STRIDE = 5e-5
"""[s] over which forces are constant."""
SHORTEST_STORM, LONGEST_STORM = 1e-3, 1.6e-2
"""[s] that are crossed in strides: at first, and where one storm follows the other, each twice as long, at last."""
MORE_PUSH, SHORTER = 4.0, 16.0
"""By how much more points may push in a stride that is so many times shorter: more is an impulse and no force."""
COUNTED_FOR, MANY_CHANGES, MOST_SHARE = 1e-4, 20, 0.05
"""A storm begins when friction or pushes change more often than that within so many seconds, or when these take more
than this share of the work of a step."""
MANY_AT_ONCE, TOO_MANY_AT_ONCE = 30, 100
"""Events at one moment after which one begins as well, and after which it is over, as strides do not get on either."""
SLOW_BLOW = 1e-3
"""[m/s] of approach in a storm that is no impact."""
OFF_TARGET = 0.1
"""Share of the contact gap by which points may be off their targets in a storm."""


NO_STRIDE, STRIDING, LANDED = 0, 1, 2
"""Whether the way is a stride, or was one."""


@inner_kernel
def in_storm(scene):
    """Whether strides are taken."""
    return scene.clock[NOW] < scene.clock[STORM_UNTIL]


@inner_kernel
def begin_storm(scene_io):
    """Take strides from now on, for longer if a storm is just over."""
    clock = scene_io.clock
    follows = clock[NOW] < clock[STORM_UNTIL] + SHORTEST_STORM
    clock[STORM_LENGTH] = min(2.0 * clock[STORM_LENGTH], LONGEST_STORM) if follows else SHORTEST_STORM
    clock[STORM_UNTIL], scene_io.count[STALLS] = clock[NOW] + clock[STORM_LENGTH], 0


@inner_kernel
def notice_storm(scene_io, turns):
    """Count changes of friction and pushes, and work; begin a storm if there is too much of them."""
    clock, count = scene_io.clock, scene_io.count
    if clock[NOW] > clock[STORM_SINCE] + COUNTED_FOR:
        clock[STORM_SINCE], count[STORMY], count[SPENT] = clock[NOW], 0, count[WORK]
    count[STORMY] += turns
    spent = count[WORK] - count[SPENT] > MOST_SHARE * scene_io.options.most_work
    if count[AT_ONCE] > TOO_MANY_AT_ONCE:
        clock[STORM_UNTIL] = min(clock[STORM_UNTIL], clock[NOW])
        return
    many = count[STORMY] > MANY_CHANGES or count[AT_ONCE] > MANY_AT_ONCE or spent
    if many and may_stride(scene_io) and number_of_points(scene_io) > 0 and not in_storm(scene_io):
        begin_storm(scene_io)


@inner_kernel
def length_of_stride(scene):
    """[s] so short that points which approach slowly stay near their targets."""
    return min(LONGEST_STRIDE, OFF_TARGET * scene.options.gap / SLOW_BLOW)


@inner_kernel
def _put_resting(scene_io):
    """List the points that do not approach, or slowly; these rest, others fly. How many there are."""
    work, points, k = scene_io.work, scene_io.points, 0
    put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    for p in range(number_of_points(scene_io)):
        points.status[p] = DEAD
        if work.rate[p] >= -SLOW_BLOW:
            points.status[p], work.near[k], work.flag[k, RESTS] = INACTIVE, p, True
            points.target[p] = min(points.target[p], work.gap[p])
            k += 1
    return k


@inner_kernel
def _clear_rows(n, table_out):
    for i in range(n):
        for c in range(table_out.shape[1]):
            table_out[i, c] = 0.0


@lean_kernel
def _push(scene_io, p, r, force, along):
    """Let row r, which is of point p, push with a constant force; `along` is 1 for its normal and 0 for a tangent."""
    row, thrust, (a, b) = scene_io.system.room.row[r], scene_io.work.thrust, bodies_of(p, scene_io)
    add_pair(1.0, force, row, (along * row[6], along * row[7], along * row[8]), p, scene_io.work.steady)
    scene_io.work.steady[p, FORCE] -= (1.0 - along) * force
    for c in range(6):
        thrust[a, c] += force * row[ON_A + c]
        thrust[b, c] += force * row[ON_B + c]


@lean_kernel
def _put_thrust(scene_io, m, k, h):
    """Wrenches by the impulses of the k listed points over a stride; they are loads of the bodies until it ends."""
    work, load = scene_io.work, scene_io.system.bodies.load
    _clear_rows(scene_io.count[CONTACTS], work.steady)
    _clear_rows(work.thrust.shape[0], work.thrust)
    for i in range(k):
        p, side = work.near[i], work.side[i]
        if work.force[i] <= 0.0:
            continue
        _push(scene_io, p, m + i, work.force[i] / h, 1.0)
        for r in range(side, side + 2 if side >= 0 else side):
            _push(scene_io, p, r, work.force[r - m] / h, 0.0)
    for i in range(load.shape[0]):
        for c in range(6):
            work.load[i, c] = load[i, c]
            load[i, c] += work.thrust[i, c]


@lean_kernel
def _impulses(scene_io, h):
    """Impulses of points over a stride: how many points and rows there are, and whether they were found."""
    work, points, k = scene_io.work, scene_io.points, _put_resting(scene_io)
    m, n = measure_ahead(scene_io, k, scene_io.step.y, h)
    for i in range(k):
        p = work.near[i]
        work.right[m + i] += (work.gap[p] - points.target[p]) / h
    eliminate_first(m, n, work.matrix, work.right, work.line[0])
    return m, k, rub(scene_io, m, k, n, SOFTLY)


@lean_kernel
def _total_push(scene_io, h):
    """[N] of all points in a stride; negative if there are no forces."""
    _, k, found = _impulses(scene_io, h)
    total = 0.0
    for i in range(k):
        total += scene_io.work.force[i] / h
    return total if found else -1.0


@lean_kernel
def can_stride(scene_io):
    """Whether the points push with forces in a stride: with Painleve's paradox, they need impulses, however short."""
    if not may_stride(scene_io) or in_storm(scene_io):
        return False
    h = length_of_stride(scene_io)
    long, short = _total_push(scene_io, h), _total_push(scene_io, h / SHORTER)
    return 0.0 <= short <= MORE_PUSH * long


@lean_kernel
def begin_stride(scene_io, h):
    """Find the constant forces of a stride, which are loads until it ends; whether there are such."""
    m, k, found = _impulses(scene_io, h)
    if not found:
        return False
    _put_thrust(scene_io, m, k, h)
    scene_io.count[STRIDES] = STRIDING
    hold_active(scene_io)
    return True


@inner_kernel
def end_stride(factor, scene_io):
    """Note the forces of a stride as the share `factor` of the step; loads are what they were."""
    work, load, contacts = scene_io.work, scene_io.system.bodies.load, scene_io.contacts
    for k in range(scene_io.count[CONTACTS]):
        note_contact(k, factor, work.steady[k], contacts)
    for i in range(load.shape[0]):
        for c in range(6):
            load[i, c] = work.load[i, c]
    scene_io.count[STRIDES] = LANDED


@inner_kernel
def hold_pushed(scene_io):
    """Let points that pushed in the last stride be hinges behind all others: they are brought back to their targets."""
    for p in range(scene_io.count[CONTACTS]):
        if scene_io.work.steady[p, FORCE] > 0.0:
            put_point(p, scene_io.count[HINGES], scene_io)
            scene_io.count[HINGES] += 1


@inner_kernel
def let_go_far(scene_io, far):
    """Points farther away than `far` rest no longer, and none are hinges."""
    work = scene_io.work
    hold_active(scene_io)
    put_gaps(scene_io, scene_io.step.y, work.gap, work.rate)
    for p in range(number_of_points(scene_io)):
        if work.gap[p] > far:
            scene_io.points.status[p] = DEAD
