"""Bodies without closed form that were looked at: whether they strike each other, and how long they then are free.

They touch at levels, as others do. What rests on several corners touches with one after the other, and would sink by a
level with each blow. So there are finer steps between levels: a corner that comes down while another one rises is
struck a step lower, and where all rise, they return to the level. Between steps, nothing is struck. Hops that have
become slow would become ever more: they lead to the next level below, which makes them faster again.
"""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import add, cross, dot, mat_t_vec, norm, row, scale, sub
from .flight_kernels import NEARLY_TOUCHING, ROUNDED, RUNGS, bend_of_turn, fastest_turn, level_at, level_below
from .flight_tables import View

STEPS = 4.0 * RUNGS
"""Into which the contact gap is divided."""
HALVINGS_OF_TIME, SURE = 60, 0.01
"""How often a time in which bodies are free is halved, and to which share it is found."""
SLOW_HOP = 0.5
"""Share of the speed of a hop below which a train of blows comes down by a level."""
STILL = (0.0, 0.0, 0.0)


@inner_kernel
def _step_at(distance, gap):
    """The step at which bodies are that are this far apart, or the next one below."""
    step = int(STEPS * distance / gap * (1.0 + ROUNDED))
    return step * gap / STEPS if step >= 1 else 0.5 * distance


@inner_kernel
def _step_below(distance, gap):
    """The step below that."""
    step = _step_at(distance, gap) - gap / STEPS
    return step if step > 0.5 * gap / STEPS else 0.5 * distance


@inner_kernel
def _is_at_step(distance, gap):
    """Whether bodies are at a step, or below the last level."""
    return distance <= _step_at(distance, gap) + NEARLY_TOUCHING * gap or distance < gap / RUNGS


@inner_kernel
def strikes(distance, closing, gap, slow):
    """Whether bodies that were looked at touch and strike each other, and are not let come nearer."""
    if distance > gap * (1.0 + NEARLY_TOUCHING) or not _is_at_step(distance, gap):
        return False
    return closing > slow or (closing > 0.0 and distance < 1.5 * gap / RUNGS)


@inner_kernel
def _home(distance, gap):
    """The level, none below the last, to which a train of blows returns that has come within half a level of it."""
    rung = int(RUNGS * distance / gap + 0.5)
    return min(max(rung, 1), RUNGS) * gap / RUNGS


@inner_kernel
def next_level(distance, gap):
    """To which distance bodies may come, however slowly, before they are looked at again."""
    if distance > gap * (1.0 + NEARLY_TOUCHING):
        return gap
    level = level_at(distance, gap)
    return level_below(level, gap) if _is_at_step(distance, gap) else level


@inner_kernel
def ways_nearer(distance, rising, gap, hop):
    """By how much bodies may come nearer until they are looked at again: where they get apart first, and in any case.

    `rising` is the speed at which they part. The first way is negative where the level to which they return is farther
    apart than they are.
    """
    if rising > SLOW_HOP * hop and distance <= gap * (1.0 + NEARLY_TOUCHING) and _is_at_step(distance, gap):
        return distance - _home(distance, gap), distance - _step_below(distance, gap)
    way = distance - next_level(distance, gap)
    return way, way


@lean_kernel
def _fall(bodies, i, view, longest):
    """[m/s^2] by how much at most points of body i are accelerated along the normal of a view that turns."""
    a, bend, turn = norm(row(bodies.acceleration, i)), bend_of_turn(bodies, i), norm(view.turn)
    speed = norm(sub(row(bodies.velocity, i), view.speed)) + fastest_turn(bodies, i) * bodies.reach[i] + a * longest
    away = norm(sub(row(bodies.pose, i), view.centre)) + bodies.reach[i] + speed * longest
    return a + bend + turn * (2.0 * speed + turn * away)


@lean_kernel
def _falls(bodies, i, j, view, longest):
    """The same of both bodies, along the normal and against it."""
    if norm(view.turn) > 0.0:
        return _fall(bodies, i, view, longest), _fall(bodies, j, view, longest)
    ahead, back = dot(row(bodies.acceleration, i), view.n), -dot(row(bodies.acceleration, j), view.n)
    return ahead + bend_of_turn(bodies, i), back + bend_of_turn(bodies, j)


@lean_kernel
def _farthest(bodies, i, corners, n, view, h):
    """How far along n, which turns with a view, any corner of body i comes at most in the time h, but for its bends."""
    R, w = load_pose(bodies.pose, i).R, sub(row(bodies.turn, i), view.turn)
    n_B, across, best = mat_t_vec(R, n), mat_t_vec(R, cross(n, w)), -inf
    for k in range(corners.shape[0]):
        r = row(corners, k)
        best = max(best, dot(n_B, r) + h * dot(across, r))
    arm = sub(row(bodies.pose, i), view.centre)
    v = sub(sub(row(bodies.velocity, i), view.speed), cross(view.turn, arm))
    return best + dot(n, arm) + h * dot(v, n)


@lean_kernel
def _kept_apart(bodies, i, j, corners, view, falls, h):
    """How far apart two bodies stay along the normal of a view until the time h after now, at least."""
    ahead = _farthest(bodies, i, corners[0], view.n, view, h)
    back = _farthest(bodies, j, corners[1], scale(-1.0, view.n), view, h)
    return -ahead - back - 0.5 * h * h * (falls[0] + falls[1])


@lean_kernel
def _last_time(bodies, i, j, corners, view, falls, least, span):
    """Until when bodies are kept apart by `least`: they are at the start of a span, and not at its end."""
    low, high = span
    for _ in range(HALVINGS_OF_TIME):
        if high - low <= SURE * high:
            break
        h = 0.5 * (low + high)
        if _kept_apart(bodies, i, j, corners, view, falls, h) >= least:
            low = h
        else:
            high = h
    return low


@lean_kernel
def _time_apart(bodies, i, j, corners, view, falls, least, longest):
    """Until when bodies are kept apart by `least`, last; 0 if they never are.

    The way between them is at least a concave function of time: once it shrinks towards the start, it does so for good.
    """
    before = _kept_apart(bodies, i, j, corners, view, falls, longest)
    if before >= least:
        return longest
    at_start, h = _kept_apart(bodies, i, j, corners, view, falls, 0.0), longest
    for _ in range(HALVINGS_OF_TIME):
        h *= 0.5
        apart = _kept_apart(bodies, i, j, corners, view, falls, h)
        if apart >= least:
            return _last_time(bodies, i, j, corners, view, falls, least, (h, 2.0 * h))
        if apart < before and at_start < least:
            break
        before = apart
    return 0.0


@lean_kernel
def _free_time(bodies, i, j, corners, view, nearer, longest):
    """For how long two bodies come nearer along the normal of a view by no more than allowed."""
    falls = _falls(bodies, i, j, view, longest)
    now = _kept_apart(bodies, i, j, corners, view, falls, 0.0)
    free = _time_apart(bodies, i, j, corners, view, falls, now - nearer[0], longest)
    if free > 0.0 or nearer[1] == nearer[0]:
        return free
    return _time_apart(bodies, i, j, corners, view, falls, now - nearer[1], longest)


@lean_kernel
def free_time(bodies, i, j, seen, corners, nearer, longest):
    """For how long two convex bodies, as they stand, come nearer by no more than ways_nearer allows.

    The normal of what is seen separates them. It may turn with either of them, if both are bounded. `corners` are those
    of both, from their centres of mass; of a half-space, where it is touched.
    """
    centre, speed = scale(0.5, add(seen.x_i, seen.x_j)), row(bodies.velocity, j)
    longest_free = _free_time(bodies, i, j, corners, View(seen.n, STILL, centre, STILL), nearer, longest)
    for k in (i, j):
        turn = row(bodies.turn, k)
        if longest_free < longest and norm(turn) > 0.0 and bodies.reach[i] < inf and bodies.reach[j] < inf:
            view = View(seen.n, turn, centre, speed)
            longest_free = max(longest_free, _free_time(bodies, i, j, corners, view, nearer, longest))
    return longest_free
