"""Rows of hinges for motors, for points of contact, and for the tangents of those that friction holds."""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import cross, dot, norm, row, scale, unit
from .hinge_kernels import rub_along, slip_of
from .motion_kernels import pose_of
from .motion_tables import CONSTANT, LIMIT, MOTOR, NORMAL, SPEED, TANGENT
from .search_tables import ACTIVE, FIRM, HINGES, KEEPS, SLIPS, STICKS, SWINGING, UP
from .support_kernels import bodies_of, number_of_points
from .swing_kernels import all_swing

NO_SLIP, NOTHING_LEFT = 1e-8, 1e-12
"""[m/s] below which a point does not slip, and what is rounding of one that slips and goes on."""
TURNED = 0.995
"""Cosine below which friction on a slow slip has turned so far that this is taken for the direction of the slip."""


@inner_kernel
def put_motors(scene_io, struck):
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
def put_point(p, r, scene_io):
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
def _direction_of(slip, before, slow):
    """Unit vector along which a point slips; one that is slow goes on in a direction from before as far as it can."""
    speed, along = norm(slip), dot(slip, before)
    if speed > slow or (along <= 0.0 and speed > NO_SLIP):
        return scale(1.0 / speed, slip)
    turned = rub_along(slip, before, slow)
    return turned if dot(turned, before) < TURNED else before


@inner_kernel
def is_slip(p, slip, scene):
    """Whether point p slips: fast enough, or as before along its direction."""
    points = scene.points
    goes_on = points.mode[p] == SLIPS and not points.gripped[p]
    return norm(slip) > NO_SLIP or (goes_on and dot(slip, row(points.direction, p)) > NOTHING_LEFT)


@inner_kernel
def put_slip(p, r, slip, scene_io):
    """Let point p, whose row is r, push with friction against a slip."""
    hinges, slow = scene_io.system.hinges, scene_io.points.slow[p]
    t, hinges.slow[r] = _direction_of(slip, row(scene_io.points.direction, p), slow), slow
    hinges.mu[r] = scene_io.points.friction[p]
    for c in range(3):
        hinges.direction[r, c] = t[c]


@inner_kernel
def put_tangents(p, r, scene_io, normal):
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
def slip_at(p, y, scene):
    """Normal of point p, a contact, in a state, and the velocity of B's surface along A's."""
    a, b = bodies_of(p, scene)
    k = p - scene.limits.index.shape[0]
    _, n, v = slip_of(k, a, b, scene.system.tables, pose_of(y, a), pose_of(y, b), y, SPEED)
    return n, v


@lean_kernel
def hold_active(scene_io):
    """Let the joints, the motors that keep to their speeds and the active points be hinges, with their friction."""
    m, points, hinges, y = put_motors(scene_io, False), scene_io.points, scene_io.system.hinges, scene_io.step.y
    for p in range(number_of_points(scene_io)):
        if points.status[p] != ACTIVE:
            continue
        put_point(p, m, scene_io)
        if points.mode[p] == SLIPS:
            put_slip(p, m, slip_at(p, y, scene_io)[1], scene_io)
            for c in range(3):
                points.direction[p, c] = hinges.direction[m, c]
        m += 1
    for p in range(number_of_points(scene_io)):
        if points.status[p] == ACTIVE and points.mode[p] == STICKS:
            put_tangents(p, m, scene_io, slip_at(p, y, scene_io)[0])
            m += 2
    scene_io.count[HINGES] = m
    scene_io.count[SWINGING] = m if all_swing(m, y, scene_io.system) else 0


@inner_kernel
def any_in(mode, scene):
    """Whether an active point is in a mode."""
    for p in range(number_of_points(scene)):
        if scene.points.status[p] == ACTIVE and scene.points.mode[p] == mode:
            return True
    return False
