"""Which points stick and which slip: at an event, and the first moment on a way at which that changes."""

from math import floor, log2, sqrt

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import dot, norm, row, unit
from .dop853_kernels import dense_state
from .measure_kernels import measure
from .motion_kernels import derivative
from .note_kernels import note_point
from .point_kernels import NO_SLIP, NOTHING_LEFT, any_in, hold_active, is_slip, slip_at
from .rub_kernels import NOT_A_PUSH, free_of, how_to_rub, rub
from .search_tables import (
    ACTIVE,
    CREEP,
    DEAD,
    HINGES,
    NOW,
    SLIP_NOTE,
    SLIPS,
    SMOOTH,
    STICK_NOTE,
    STICKS,
    STOP,
)
from .support_kernels import bodies_of, number_of_points, system_of
from .unilateral_kernels import RESTS, eliminate_first

AT_THE_LIMIT = 1e-6
"""Share of the friction that is possible up to which a point may slip."""
ACROSS = 1e-3
"""Of a slip that has ended, the share that may go along its direction."""
LOOKS = 4
"""Moments of a way at which forces are looked at."""
MOST_REFINEMENTS = 60
"""Of the moment at which forces change."""
CLOSE_ENOUGH = 1e-13
"""Share of a way up to which the moment is found at which friction changes."""
SLOW_SLIP, TURN_TIME = 1e-4, 4e-6
"""[m/s] of slip below which friction turns as if it were as fast, and [s] in which it stops a slip that is slow.

Friction against the direction of a slip makes equations the stiffer, the slower that is. Its size stays Coulomb's.
"""


@inner_kernel
def _slips(p, scene):
    return scene.points.status[p] == ACTIVE and scene.points.mode[p] == SLIPS


@lean_kernel
def _any_goes_back(scene, y):
    """Whether the slip of a point is over in a state."""
    for p in range(number_of_points(scene)):
        if _slips(p, scene) and dot(slip_at(p, y, scene)[1], row(scene.points.direction, p)) < 0.0:
            return True
    return False


@lean_kernel
def note_gripped(scene_io):
    """Remember the points whose slip has ended now, until time goes on; what is left of it goes across."""
    points = scene_io.points
    for p in range(number_of_points(scene_io)):
        if not _slips(p, scene_io):
            continue
        slip = slip_at(p, scene_io.step.y, scene_io)[1]
        if dot(slip, row(points.direction, p)) < max(ACROSS * norm(slip), NOTHING_LEFT):
            points.gripped[p], across = True, unit(slip)
            for c in range(3):
                points.direction[p, c] = across[c] if norm(slip) > NO_SLIP else points.direction[p, c]


@lean_kernel
def _all_within_cones(scene_io, y):
    """Whether the forces of all points that stick are within their cones in a state."""
    points, m, force = scene_io.points, scene_io.count[HINGES], scene_io.step.forces[0]
    derivative(y, system_of(scene_io, m), force, scene_io.work.change)
    active = sticking = 0
    for p in range(number_of_points(scene_io)):
        if points.status[p] == ACTIVE:
            active, sticking = active + 1, sticking + (1 if points.mode[p] == STICKS else 0)
    tangent = m - 2 * sticking
    normal = tangent - active
    for p in range(number_of_points(scene_io)):
        if points.status[p] != ACTIVE:
            continue
        if points.mode[p] == STICKS:
            rub = sqrt(force[tangent] ** 2 + force[tangent + 1] ** 2)
            if rub > points.friction[p] * force[normal] * (1.0 + AT_THE_LIMIT):
                return False
            tangent += 2
        normal += 1
    return True


@lean_kernel
def _share_out_at(scene_io, y):
    """How all points that rest would move in a state, whatever forces they share: how many they are, the largest
    acceleration without forces, and whether there are such forces.
    """
    points, work, k = scene_io.points, scene_io.work, 0
    for p in range(number_of_points(scene_io)):
        if points.status[p] != DEAD:
            work.near[k], work.flag[k, RESTS] = p, True
            k += 1
    m, n = measure(scene_io, k, y, False)
    eliminate_first(m, n, work.matrix, work.right, work.line[0])
    found = rub(scene_io, m, k, n, how_to_rub(scene_io))
    hold_active(scene_io)  # their rows were those of all that rests
    return k, free_of(m, n, work), found


@lean_kernel
def _any_creeps(scene_io, y):
    """Whether a point that sticks would begin to slip in a state, whatever forces those that rest share."""
    points, creeps = scene_io.points, False
    k, free, found = _share_out_at(scene_io, y)
    for i in range(k):
        p = scene_io.work.near[i]
        sticks = points.mode[p] == STICKS and not points.gripped[p]
        creeps = creeps or (sticks and scene_io.cones.creep[i] > AT_THE_LIMIT * free)
    return creeps or not found


@lean_kernel
def any_rises(scene_io, y):
    """Whether an active point would rise in a state, whatever forces those that rest share."""
    k, free, found = _share_out_at(scene_io, y)
    rises = False
    for i in range(k):
        active = scene_io.points.status[scene_io.work.near[i]] == ACTIVE
        rises = rises or (active and scene_io.work.acceleration[i] > NOT_A_PUSH * free)
    return rises or not found


@inner_kernel
def _has_changed(what, scene_io, way_io, x):
    """Whether a slip is over, or a point that sticks begins to slip, at a share of the way."""
    dense_state(way_io.y, way_io.dense, x, way_io.here)
    if what == STOP:
        return _any_goes_back(scene_io, way_io.here)
    return not _all_within_cones(scene_io, way_io.here) and _any_creeps(scene_io, way_io.here)


@lean_kernel
def _narrowed(what, scene_io, way_io, low, high):
    """Share of the way at which friction changes; it has at the second, not at the first."""
    for _ in range(MOST_REFINEMENTS):
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low < CLOSE_ENOUGH:
            break
        if _has_changed(what, scene_io, way_io, middle):
            high = middle
        else:
            low = middle
    return high


@lean_kernel
def first_change(scene_io, way_io, span, known):
    """Share of the way in a span at which friction changes, and how; else what was known.

    In a span of no length it does not: a slip that has just begun there is rounding, and so is where it goes.
    """
    share = span.until
    if share <= span.start:
        return share, known
    for what, mode in ((STOP, SLIPS), (CREEP, STICKS)):
        if not any_in(mode, scene_io):
            continue
        low = span.start
        for i in range(1, LOOKS + 1):
            high = span.start + (share - span.start) * i / LOOKS
            if _has_changed(what, scene_io, way_io, high):
                share, known = _narrowed(what, scene_io, way_io, low, high), what
                break
            low = high
    return share, known


@inner_kernel
def _mode_of(i, p, free, slip, scene_io):
    """Whether the listed point i, which is point p and pushes with friction, sticks or slips from now on."""
    work, cones, points = scene_io.work, scene_io.cones, scene_io.points
    if is_slip(p, slip, scene_io):
        return SLIPS
    if work.side[i] < 0 or points.gripped[p] or cones.creep[i] <= AT_THE_LIMIT * free:
        return STICKS
    a, b = cones.rub[i, 0], cones.rub[i, 1]
    size = sqrt(a * a + b * b)
    if size < (1.0 - AT_THE_LIMIT) * points.friction[p] * cones.push[i]:
        return STICKS
    direction, r = scene_io.system.hinges.direction, work.side[i]
    for c in range(3):
        points.direction[p, c] = -(a * direction[r, c] + b * direction[r + 1, c]) / max(size, 1e-300)
    return SLIPS


@lean_kernel
def put_slow_slips(scene_io, k):
    """Which slips of the k listed points are slow, by how fast friction stops them.

    In powers of 2, so that it is the same in the next step, where forces are nearly the same.
    """
    work, points, inverse, most = scene_io.work, scene_io.points, scene_io.system.bodies.inverse, 0.0
    for i in range(k):
        most = max(most, work.force[i])
    for i in range(k):
        p = work.near[i]
        a, b = bodies_of(p, scene_io)
        light = max(inverse[a, 0], inverse[a, 1], inverse[a, 2]) + max(inverse[b, 0], inverse[b, 1], inverse[b, 2])
        slow = TURN_TIME * points.friction[p] * light * most
        points.slow[p] = min(SLOW_SLIP, 2.0 ** floor(log2(slow))) if slow > 0.0 else 0.0


@lean_kernel
def choose_modes(scene_io, k, free):
    """Which active points stick and which slip, by what friction makes of the k points listed; notes what is new."""
    points, work, at = scene_io.points, scene_io.work, 0
    for p in range(number_of_points(scene_io)):
        before, mode = points.mode[p], SMOOTH
        if at < k and work.near[at] == p:
            if points.status[p] == ACTIVE and points.friction[p] > 0.0:
                mode = _mode_of(at, p, free, slip_at(p, scene_io.step.y, scene_io)[1], scene_io)
            at += 1
        points.mode[p] = mode
        if mode != SMOOTH and before != SMOOTH and before != mode:
            note_point(scene_io, p, SLIP_NOTE if mode == SLIPS else STICK_NOTE, scene_io.clock[NOW], 0.0)


@lean_kernel
def recall_modes(scene_io):
    """At the start of a step: points that rest and do not slip along the way that they went have stuck before."""
    points = scene_io.points
    for p in range(number_of_points(scene_io)):
        points.mode[p] = SMOOTH
        if points.touching[p] and points.friction[p] > 0.0:
            slip = slip_at(p, scene_io.step.y, scene_io)[1]
            points.mode[p] = SLIPS
            points.mode[p] = SLIPS if is_slip(p, slip, scene_io) else STICKS
