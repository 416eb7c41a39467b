"""What happens to points on the way of a step: gaps that close, supports that are left, forces that cease."""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B, gap_row, place_contact
from ...contact.contact_tables import ContactRows, Sides
from ..joints.joint_kernels import ROW_KIND, joint_row
from .apart_kernels import EXACT, far_out, time_apart
from .dop853_kernels import dense_body, dense_state
from .hinge_kernels import rate_of
from .motion_kernels import derivative, pose_of
from .motion_tables import LIMIT, MOTOR, NORMAL, SPEED, Equations, Hinges
from .search_tables import (
    ACTIVE,
    CONTACTS,
    DEAD,
    HINGES,
    INACTIVE,
    KEEPS,
    LEAVE,
    PAUSE,
    PULL,
    RETURN,
    SWINGING,
    SWITCH,
    UP,
    Span,
)
from .touch_kernels import MOST_ADVANCES, NO_PROGRESS

SINKING = 1e-3
"""Share of the contact gap by which a point that rests and bears nothing may come nearer unnoticed."""
MOMENTS, RATE_MARGIN = 8, 1.5
"""Moments of a way at which rates of gaps are looked at, and by how much they may bend more between them."""
LOOKS = 4
"""Moments of a way at which forces are looked at."""
MOST_REFINEMENTS = 60
NOT_A_PULL = 1e-10
"""Share of the largest force below which one is rounding."""


@inner_kernel
def bodies_of(p, scene):
    """The two bodies of point p."""
    limits = scene.limits.index.shape[0]
    if p < limits:
        return scene.limits.body[p, 0], scene.limits.body[p, 1]
    return scene.contacts.name[p - limits, BODY_A], scene.contacts.name[p - limits, BODY_B]


@inner_kernel
def gap_of(p, scene, y, row_out):
    """Gap of point p in a state, and its rate."""
    limits, tables = scene.limits, scene.system.tables
    a, b = bodies_of(p, scene)
    n = limits.index.shape[0]
    if p >= n:
        radii = tables.radius[a] + tables.radius[b]
        gap = gap_row(scene.contacts.place, p - n, pose_of(y, a), pose_of(y, b), radii, row_out)
        return gap, rate_of(row_out, a, b, y, SPEED)
    k, sign = limits.index[p], limits.sign[p]
    kind, last = tables.joint_name[k, ROW_KIND], tables.joint_last[k]
    q = joint_row(kind, tables.joint_place, k, pose_of(y, a), pose_of(y, b), last, row_out)
    return sign * (q - limits.value[p]), sign * rate_of(row_out, a, b, y, SPEED)


@lean_kernel
def put_gaps(scene_io, y, gap_out, rate_out):
    """Gaps of all points in a state, and their rates."""
    for p in range(number_of_points(scene_io)):
        gap_out[p], rate_out[p] = gap_of(p, scene_io, y, scene_io.system.room.line[0])


@inner_kernel
def number_of_points(scene):
    """Limits of joints and contacts."""
    return scene.limits.index.shape[0] + scene.count[CONTACTS]


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
def _faces(k, scene, y, slack):
    """Whether the features of contact k face each other in a state; it is placed there."""
    shapes, name, place = scene.shapes, scene.contacts.name, scene.contacts.place
    a, b = name[k, BODY_A], name[k, BODY_B]
    poses, shape = Sides(pose_of(y, a), pose_of(y, b)), Sides(shapes.shape_of[a], shapes.shape_of[b])
    rows = ContactRows(name, place, scene.contacts.extra)
    return place_contact(rows, k, shapes.table, shapes.surfaces, shape, poses, slack)


@inner_kernel
def _copy_row(k, scene_io, at):
    """Copy a contact to another row, which is scratch."""
    name, place = scene_io.contacts.name, scene_io.contacts.place
    for c in range(name.shape[1]):
        name[at, c] = name[k, c]
    for c in range(place.shape[1]):
        place[at, c] = place[k, c]


@lean_kernel
def faces_in(k, scene_io, y, slack):
    """Whether the features of contact k face each other in a state; it stays as it is."""
    at = scene_io.contacts.name.shape[0] - 1  # the last row is nobody's
    _copy_row(k, scene_io, at)
    return _faces(at, scene_io, y, slack)


@inner_kernel
def place_points(scene, alive_out):
    """Place contacts where bodies are; which of them have features that face each other."""
    for k in range(scene.count[CONTACTS]):
        alive_out[k] = _faces(k, scene, scene.step.y, inf)


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


@inner_kernel
def system_of(scene, m):
    """The equations with the first m of the hinges that have rows."""
    system = scene.system
    hinges, radius, length = system.hinges, system.tables.radius, inf
    for r in range(m):
        if hinges.kind[r] == NORMAL:
            radii = radius[hinges.body[r, 0]] + radius[hinges.body[r, 1]]
            length = min(length, radii) if radii > 0.0 else length
    rows = Hinges(
        hinges.kind[:m],
        hinges.index[:m],
        hinges.body[:m],
        hinges.target[:m],
        hinges.mu[:m],
        hinges.direction[:m],
        length,
        m > 0 and scene.count[SWINGING] == m,
    )
    return Equations(system.bodies, system.springs, rows, system.tables, system.room)


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
def _first_pull(scene_io, way_io, span):
    """Share of the way at which an active point would begin to pull; inf if none does."""
    low, f_low = span.start, _least_push(scene_io, way_io, span.start)
    for i in range(1, LOOKS + 1):
        high = span.start + (span.until - span.start) * i / LOOKS
        f_high = _least_push(scene_io, way_io, high)
        if f_high < 0.0:
            return _vanishing(scene_io, way_io, low, high, f_low, f_high) if f_low > 0.0 else low
        low, f_low = high, f_high
    return inf


@inner_kernel
def speed_at(motors, k, q):
    """Speed [m/s] that motor k wants where its coordinate is q, and how that changes with q [1/s]."""
    if motors.response[k] == 0.0:
        return motors.speed[k], 0.0
    speed = (motors.place[k] - q) / motors.response[k]
    if abs(speed) <= motors.speed[k]:
        return speed, -1.0 / motors.response[k]
    return (motors.speed[k] if speed > 0.0 else -motors.speed[k]), 0.0


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
        sinks = SINKING * scene_io.options.gap if points.status[p] == INACTIVE else 0.0
        x = _return_of(p, points.target[p] - sinks, scene_io, way_io, Span(span.start, share))
        if abs(x) < share:
            share, what = abs(x), RETURN if x >= 0.0 else PAUSE
    for p in range(limits, number_of_points(scene_io)):
        if points.status[p] != DEAD:
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
