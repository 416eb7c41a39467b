"""How bodies fly, and when two of them touch.

A body that nothing touches moves on a parabola and turns as its angular momentum takes it. Bodies stand at times of
their own: each is brought to a moment only where something happens to it.

Two bodies touch at the contact gap. Where they are nearer already, as at the start, they touch at the next eighth of it
below, and again where they come too slowly for a blow: a train of blows then stays at that level.
"""

from math import inf, sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import advance_row, load_pose
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import (
    add,
    add_scaled,
    cross,
    dot,
    load_mat,
    mat_t_vec,
    mat_vec,
    norm,
    put_row,
    row,
    scale,
    sub,
)
from ..bodies.body_kernels import DYNAMIC, FIXED, FROZEN, NONE
from ..bodies.tumble_kernels import inertia_in_world, turn_freely
from .crossing_kernels import descent_of_parabola, descent_of_quartic
from .flight_tables import Bodies

BALL, PLANE, OTHER = 0, 1, 2
RUNGS = 8.0
"""Levels into which the contact gap is divided."""
ROUNDED = 1e-9
"""Share of the gap by which bodies at a level may be off it."""
NEARLY_TOUCHING = 1e-3
"""Share of the gap by which bodies that are looked at may be farther apart, and touch."""
NO_BLOW = 0.05
"""Speeds below this share of that of a hop are too slow for a blow, unless bodies are at the last level."""
FINE_TURN, MOST_PARTS = 0.01, 4096.0
"""[rad] by which a body turns in one part of a flight, and how many parts there are at most."""
LEAST_HOP = 10.0
"""Contact gaps a second: the speed of a hop where nothing is accelerated."""


@inner_kernel
def moves(kind):
    """Whether a body of this kind moves."""
    return kind != FIXED and kind != FROZEN


@lean_kernel
def _turn_in_parts(bodies_io, i, L, h):
    """Turn body i for the time h by its angular momentum, but for a last part; returns with what that is made."""
    parts = 1 + int(min(h * norm(row(bodies_io.turn, i)) / FINE_TURN, MOST_PARTS))
    inertia, turn = load_mat(bodies_io.inertia, i), NONE
    for k in range(parts):
        turn, _ = turn_freely(load_pose(bodies_io.pose, i).R, inertia, L, h / parts)
        if k < parts - 1:
            advance_row(bodies_io.pose, i, NONE, scale(h / parts, turn), 1.0, bodies_io.pose)
    return scale(1.0 / parts, turn)


@lean_kernel
def bring_to(bodies_io, i, t):
    """Let body i fly on to the time t."""
    h = t - bodies_io.time[i]
    if h <= 0.0 or not moves(bodies_io.kind[i]):
        return
    bodies_io.time[i] = t
    v, a = row(bodies_io.velocity, i), row(bodies_io.acceleration, i)
    way = add_scaled(scale(h, v), 0.5 * h * h, a)
    turn = row(bodies_io.turn, i)
    if bodies_io.kind[i] == DYNAMIC:
        before = row(bodies_io.spin, i)
        L = add_scaled(before, h, row(bodies_io.torque, i))
        put_row(L, i, bodies_io.spin)
        if bodies_io.is_round[i]:
            turn = scale(0.5 / bodies_io.least[i], add(before, L))
        else:
            turn = _turn_in_parts(bodies_io, i, L, h)
    advance_row(bodies_io.pose, i, way, scale(h, turn), 1.0, bodies_io.pose)
    put_row(add_scaled(v, h, a), i, bodies_io.velocity)
    if bodies_io.kind[i] == DYNAMIC:
        put_row(angular_velocity(bodies_io, i), i, bodies_io.turn)


@lean_kernel
def turned_by(bodies, i, L):
    """Angular velocity that an angular momentum gives body i."""
    if bodies.is_round[i]:
        return scale(bodies.inverse[i, 0, 0], L)
    p = bodies.pose
    R = quat_to_mat((p[i, 3], p[i, 4], p[i, 5], p[i, 6]))
    return mat_vec(R, mat_vec(load_mat(bodies.inverse, i), mat_t_vec(R, L)))


@lean_kernel
def angular_velocity(bodies, i):
    """Of dynamic body i where it stands."""
    return turned_by(bodies, i, row(bodies.spin, i))


@kernel
def set_spins(bodies_io):
    """Angular momenta from angular velocities."""
    bodies = Bodies(*bodies_io)
    for i in range(bodies.kind.shape[0]):
        w = row(bodies.turn, i)
        if bodies.kind[i] == DYNAMIC:
            w = mat_vec(inertia_in_world(load_pose(bodies.pose, i).R, load_mat(bodies.inertia, i)), w)
        put_row(w, i, bodies.spin)


@inner_kernel
def place_at(bodies, i, t):
    """Position and velocity of body i at the time t."""
    h, a = t - bodies.time[i], row(bodies.acceleration, i)
    v = row(bodies.velocity, i)
    p = (bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2])
    return add_scaled(add_scaled(p, h, v), 0.5 * h * h, a), add_scaled(v, h, a)


@inner_kernel
def hop_speed(bodies, i, j, gap):
    """Speed of a hop of a quarter of the gap."""
    a = max(norm(row(bodies.acceleration, i)), norm(row(bodies.acceleration, j)))
    return max(sqrt(0.5 * a * gap), LEAST_HOP * gap)


@inner_kernel
def level_at(distance, gap):
    """The level at which bodies touch that are this far apart."""
    if distance >= gap * (1.0 - ROUNDED):
        return gap
    rung = int(RUNGS * distance / gap * (1.0 + ROUNDED))
    return rung * gap / RUNGS if rung >= 1 else 0.5 * distance


@inner_kernel
def level_below(level, gap):
    """The next level for bodies that come too slowly."""
    return level - gap / RUNGS if level > 1.5 * gap / RUNGS else 0.5 * level


@inner_kernel
def touching_level(distance, closing, gap, slow):
    """At which level bodies that close at this speed touch next."""
    level = level_at(distance, gap)
    if distance <= level + ROUNDED * gap and 0.0 <= closing <= slow:
        return level_below(level, gap)
    return level


@inner_kernel
def is_blow(distance, closing, gap, slow):
    """Whether bodies touch and strike each other, and are not let come nearer."""
    if distance > gap * (1.0 + NEARLY_TOUCHING):
        return False
    return closing > slow or (closing > 0.0 and distance < 1.5 * gap / RUNGS)


@inner_kernel
def has_sunk(distance, gap):
    """Whether bodies are below the last level."""
    return distance < (1.0 - ROUNDED) * gap / RUNGS


@lean_kernel
def time_of_balls(p, v, a, radii, gap, slow, limit):
    """After which time balls touch whose centres are p apart, with v and a between them."""
    away = norm(p)
    closing = -dot(p, v) / away
    reach = radii + touching_level(away - radii, closing, gap, slow)
    over = (away - reach) * (away + reach)
    if a[0] == 0.0 and a[1] == 0.0 and a[2] == 0.0:
        b, v2 = dot(p, v), dot(v, v)
        if b >= 0.0:
            return inf
        square = b * b - v2 * over
        if square < 0.0:
            return inf
        return max(over, 0.0) / (sqrt(square) - b)
    c = (over, 2.0 * dot(p, v), dot(v, v) + dot(p, a), dot(v, a), 0.25 * dot(a, a))
    return descent_of_quartic(c, limit)


@lean_kernel
def time_of_ball_and_plane(bodies, plane, p, v, a, radius, gap, slow):
    """After which time a ball touches a half-space that is p away, with v and a between them."""
    n = row(bodies.normal, plane)
    height = dot(n, p) - bodies.offset[plane] - radius
    speed = dot(n, v)
    level = touching_level(height, -speed, gap, slow)
    return descent_of_parabola(height - level, speed, dot(n, a))


@lean_kernel
def relative(bodies, i, j, t):
    """Place, velocity and acceleration of j seen from i at the time t."""
    p_i, v_i = place_at(bodies, i, t)
    p_j, v_j = place_at(bodies, j, t)
    return sub(p_j, p_i), sub(v_j, v_i), sub(row(bodies.acceleration, j), row(bodies.acceleration, i))


@inner_kernel
def is_exact(bodies, i, j):
    """Whether the time at which two bodies touch has a closed form."""
    return bodies.core[i] != OTHER and bodies.core[j] != OTHER


@lean_kernel
def time_of_pair(bodies, i, j, gap, end):
    """The time at which two bodies touch, if that has a closed form; else one at which they may, by balls around them.

    inf if that is not before `end`. It depends on nothing but where they stood last, so that it is the same to the bit
    whenever it is asked for.
    """
    t, slow, exact = max(bodies.time[i], bodies.time[j]), NO_BLOW * hop_speed(bodies, i, j, gap), is_exact(bodies, i, j)
    if bodies.core[i] == PLANE:
        i, j = j, i
    p, v, a = relative(bodies, j, i, t)
    size = bodies.radius[i] if exact else bodies.reach[i]
    if bodies.core[j] == PLANE:
        if not exact and dot(row(bodies.normal, j), p) - bodies.offset[j] - size <= gap:
            return t
        return t + time_of_ball_and_plane(bodies, j, p, v, a, size, gap, slow)
    size += bodies.radius[j] if exact else bodies.reach[j]
    if not exact and norm(p) - size <= gap:
        return t
    return t + time_of_balls(p, v, a, size, gap, slow, end - t)


@lean_kernel
def point_velocity(bodies, i, x):
    """Velocity of the point x of body i where it stands."""
    arm = sub(x, (bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2]))
    turn = cross(row(bodies.turn, i), arm)
    v = row(bodies.velocity, i)
    return (v[0] + turn[0], v[1] + turn[1], v[2] + turn[2])


@inner_kernel
def fastest_turn(bodies, i):
    """[rad/s] how fast at most body i turns as it flies on without torque."""
    if bodies.kind[i] == DYNAMIC and not bodies.is_round[i]:
        return norm(row(bodies.spin, i)) / bodies.least[i]
    return norm(row(bodies.turn, i))


@lean_kernel
def bend_of_turn(bodies, i):
    """[m/s^2] by how much at most any point of body i departs from a straight way as it turns."""
    if bodies.reach[i] == inf:
        return 0.0
    fastest, more = fastest_turn(bodies, i), 0.0
    if bodies.kind[i] == DYNAMIC:
        more = norm(row(bodies.torque, i)) / bodies.least[i]
        if not bodies.is_round[i]:
            more += fastest * fastest
    return (fastest * fastest + more) * bodies.reach[i]
