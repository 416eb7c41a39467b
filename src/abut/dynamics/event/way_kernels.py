"""What happens to points and motors on the way of a step: gaps that close, supports that are left, forces that end."""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B
from ..joints.joint_kernels import ROW_KIND, joint_row
from .apart_kernels import EXACT, far_out, time_apart
from .dop853_kernels import dense_body, dense_state
from .hinge_kernels import rate_of
from .motion_kernels import derivative, pose_of
from .motion_tables import LIMIT, MOTOR, NORMAL, SPEED
from .point_kernels import any_in
from .search_tables import (
    ACTIVE,
    DEAD,
    HINGES,
    INACTIVE,
    KEEPS,
    LEAVE,
    PAUSE,
    PULL,
    RETURN,
    STICKS,
    STRIDES,
    SWITCH,
    UP,
    Span,
)
from .slip_kernels import LOOKS, MOST_REFINEMENTS, any_rises
from .storm_kernels import OFF_TARGET, STRIDING
from .support_kernels import bodies_of, faces_in, gap_of, number_of_points, speed_at, system_of
from .touch_kernels import MOST_ADVANCES, NO_PROGRESS

SINKING = 1e-3
"""Share of the contact gap by which a point that rests and bears nothing may come nearer unnoticed."""
MOMENTS, RATE_MARGIN = 8, 1.5
"""Moments of a way at which rates of gaps are looked at, and by how much they may bend more between them."""
NOT_A_PULL = 1e-10
"""Share of the largest force below which one is rounding."""


@inner_kernel
def _gap_on(p, scene_io, way_io, x):
    a, b = bodies_of(p, scene_io)
    dense_body(way_io.y, way_io.dense, x, a, way_io.here)
    dense_body(way_io.y, way_io.dense, x, b, way_io.here)
    return gap_of(p, scene_io, way_io.here, scene_io.system.room.line[0])


@inner_kernel
def _bend_of_gap(p, scene_io, way_io, span):
    """Largest second derivative of a gap on the way [m/s^2], by its rates at some moments."""
    last, bend, step = _gap_on(p, scene_io, way_io, span.start)[1], 0.0, (span.until - span.start) / MOMENTS
    for i in range(1, MOMENTS + 1):
        rate = _gap_on(p, scene_io, way_io, span.start + i * step)[1]
        bend = max(bend, abs(rate - last) / (step * way_io.h))
        last = rate
    return RATE_MARGIN * bend


@lean_kernel
def _return_of(p, keep, scene_io, way_io, span):
    """Share of the way in a span at which the gap of point p falls to `keep`; inf if it does not."""
    x, bend = span.start, _bend_of_gap(p, scene_io, way_io, span)
    a, b = bodies_of(p, scene_io)
    far = EXACT * far_out(way_io.y, a, b)
    for _ in range(MOST_ADVANCES):
        gap, rate = _gap_on(p, scene_io, way_io, x)
        if gap - keep <= far and rate < 0.0:
            return x
        share = time_apart(max(gap - keep, 0.0), rate, bend) / way_io.h
        if share <= NO_PROGRESS and gap - keep <= far:
            return inf  # at rest where it is to be kept
        x += max(share, NO_PROGRESS)
        if x >= span.until:
            return inf
    return -x


@inner_kernel
def _faces_on(k, scene_io, way_io, x, slack):
    a, b = scene_io.contacts.name[k, BODY_A], scene_io.contacts.name[k, BODY_B]
    dense_body(way_io.y, way_io.dense, x, a, way_io.here)
    dense_body(way_io.y, way_io.dense, x, b, way_io.here)
    return faces_in(k, scene_io, way_io.here, slack)


@lean_kernel
def _leaving(k, slack, scene_io, way_io, span):
    """Share of the way in a span at which the features of contact k cease to face each other; inf if they do not."""
    low, high = span.start, span.start
    for i in range(1, MOMENTS + 1):
        high = span.start + (span.until - span.start) * i / MOMENTS
        if not _faces_on(k, scene_io, way_io, high, slack):
            break
        low = high
        if i == MOMENTS:
            return inf
    while high - low > NO_PROGRESS:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if _faces_on(k, scene_io, way_io, middle, slack):
            low = middle
        else:
            high = middle
    return high


@lean_kernel
def _least_push(scene_io, way_io, x):
    """The smallest force of the active points at a share of the way, up to rounding."""
    dense_state(way_io.y, way_io.dense, x, way_io.here)
    m, force, kind = scene_io.count[HINGES], scene_io.step.forces[0], scene_io.system.hinges.kind
    derivative(way_io.here, system_of(scene_io, m), force, scene_io.work.change)
    least, most = inf, 0.0
    for r in range(m):
        if kind[r] == NORMAL or kind[r] == LIMIT:
            least, most = min(least, force[r]), max(most, abs(force[r]))
    return least + NOT_A_PULL * most


@lean_kernel
def _vanishing(scene_io, way_io, low, high, f_low, f_high):
    """Where the smallest force vanishes (Illinois' variant of regula falsi); just beyond it."""
    for _ in range(MOST_REFINEMENTS):
        x = (low * f_high - high * f_low) / (f_high - f_low)
        if not low < x < high or high - low < 1e-14:
            break
        f = _least_push(scene_io, way_io, x)
        if f < 0.0:
            high, f_high, f_low = x, f, 0.5 * f_low
        elif f > 0.0:
            low, f_low, f_high = x, f, 0.5 * f_high
        else:
            return x
    return high


@lean_kernel
def _rising(scene_io, way_io, low, high):
    """Share of the way at which an active point begins to rise, however forces are shared; one does at the second."""
    for _ in range(MOST_REFINEMENTS):
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low < NO_PROGRESS:
            break
        if _least_push(scene_io, way_io, middle) < 0.0 and any_rises(scene_io, way_io.here):
            high = middle
        else:
            low = middle
    return high


@lean_kernel
def _first_pull(scene_io, way_io, span):
    """Share of the way at which an active point would begin to pull; inf if none does.

    Where points stick, forces are shared out in one way of many: a pull is one if no other way is without.
    """
    low, f_low, sticking = span.start, _least_push(scene_io, way_io, span.start), any_in(STICKS, scene_io)
    for i in range(1, LOOKS + 1):
        high = span.start + (span.until - span.start) * i / LOOKS
        f_high = _least_push(scene_io, way_io, high)
        if f_high < 0.0 and sticking:
            if any_rises(scene_io, way_io.here):
                return _rising(scene_io, way_io, low, high)
        elif f_high < 0.0:
            return _vanishing(scene_io, way_io, low, high, f_low, f_high) if f_low > 0.0 else low
        low, f_low = high, f_high
    return inf


@lean_kernel
def _motor_switches(scene_io, way_io, x):
    """Whether a motor has passed its speed, or would need more force than it has to keep to it."""
    motors, tables = scene_io.motors, scene_io.system.tables
    dense_state(way_io.y, way_io.dense, x, way_io.here)
    row, keeps = scene_io.system.room.line[0], False
    for k in range(motors.index.shape[0]):
        keeps = keeps or motors.mode[k] == KEEPS
        if motors.mode[k] != KEEPS or motors.response[k] > 0.0:
            j, a, b = motors.index[k], motors.body[k, 0], motors.body[k, 1]
            kind, last = tables.joint_name[j, ROW_KIND], tables.joint_last[j]
            q = joint_row(kind, tables.joint_place, j, pose_of(way_io.here, a), pose_of(way_io.here, b), last, row)
            speed, slope = speed_at(motors, k, q)
            if motors.mode[k] == KEEPS:
                if slope != motors.slope[k]:
                    return True
                continue
            missing = (speed if motors.response[k] > 0.0 else motors.wanted[k]) - rate_of(row, a, b, way_io.here, SPEED)
            if (motors.mode[k] == UP and missing < 0.0) or (motors.mode[k] != UP and missing > 0.0):
                return True
    if not keeps:
        return False
    m, force, hinges = scene_io.count[HINGES], scene_io.step.forces[0], scene_io.system.hinges
    derivative(way_io.here, system_of(scene_io, m), force, scene_io.work.change)
    k = 0
    for r in range(m):
        if hinges.kind[r] == MOTOR:
            while motors.index[k] != hinges.index[r]:
                k += 1
            room = NOT_A_PULL * (motors.high[k] - motors.low[k])
            if motors.high[k] < inf and not motors.low[k] - room <= force[r] <= motors.high[k] + room:
                return True
    return False


@lean_kernel
def _first_switch(scene_io, way_io, span):
    """Share of the way at which a motor begins or ceases to keep to its speed; inf if none does."""
    low, high = span.start, span.start
    for i in range(1, LOOKS + 1):
        high = span.start + (span.until - span.start) * i / LOOKS
        if _motor_switches(scene_io, way_io, high):
            break
        low = high
        if i == LOOKS:
            return inf
    while high - low > NO_PROGRESS:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if _motor_switches(scene_io, way_io, middle):
            high = middle
        else:
            low = middle
    return high


@inner_kernel
def first_of_points(scene_io, way_io, span, what):
    """Share of the way in a span at which something happens to a point, and what; else what was known."""
    share, points, limits = span.until, scene_io.points, scene_io.limits.index.shape[0]
    active = False
    for p in range(number_of_points(scene_io)):
        if points.status[p] == ACTIVE:
            active = True
            continue
        share_of_gap = OFF_TARGET if scene_io.count[STRIDES] == STRIDING else SINKING
        sinks = share_of_gap * scene_io.options.gap if points.status[p] == INACTIVE else 0.0
        x = _return_of(p, points.target[p] - sinks, scene_io, way_io, Span(span.start, share))
        if abs(x) < share:
            share, what = abs(x), RETURN if x >= 0.0 else PAUSE
    for p in range(limits, number_of_points(scene_io)):
        if points.status[p] != DEAD and scene_io.count[STRIDES] != STRIDING:
            x = _leaving(p - limits, points.slack[p], scene_io, way_io, Span(span.start, share))
            if x < share:
                share, what = x, LEAVE
    if active:
        x = _first_pull(scene_io, way_io, Span(span.start, share))
        if x < share:
            share, what = x, PULL
    if scene_io.motors.index.shape[0] > 0:
        x = _first_switch(scene_io, way_io, Span(span.start, share))
        if x < share:
            share, what = x, SWITCH
    return share, what
