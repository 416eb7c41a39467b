"""The events of a step, one after the other, in the order of time.

A kernel goes from event to event until the step ends, or until two bodies are to be looked at whose shapes have no
closed form: then it hands over to Python, which asks for their distance and tells it with `answer`. Polyhedra and
half-spaces are looked at here, corner by corner, so that what rests on a floor never needs Python.
"""

from ..._jit import inlined_kernel, inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import load_pose, put_frame
from ...math.vec_kernels import add, add_scaled, dot, norm, row, scale, sub
from ...query.motion.feature_tables import Hulls
from ..accounts.account_kernels import FRICTION, PRESSURE, TORQUE_A, TORQUE_B
from ..contacts.pair_kernels import pair_value
from .agenda_kernels import END_OF_ROOM, give_room, know_free, look_anew
from .blow_kernels import impulse_of_blow, strike
from .flight_kernels import (
    NO_BLOW,
    PLANE,
    bring_to,
    has_sunk,
    hop_speed,
    is_blow,
    is_exact,
    point_velocity,
)
from .flight_tables import Agenda, Bodies, Book, Clock, Corners, Laws, PairLaw, Seen, Sky, Touch
from .nearing_kernels import free_time, strikes, ways_nearer
from .sight_kernels import has_corners, has_hull, see_hulls, see_plane, see_sinking

DONE, LOOK, FULL, CROWDED, STORM, WORN = 0, 1, 2, 3, 4, 5
"""Why `fly` stops: at the end of the step; to look at two bodies; as there is no room for what happened, or for
neighbours; as there are too many blows, or too much work."""
SLOWLY, STRUCK, STORMED = 0, 1, 2
"""What becomes of two bodies that are looked at: nothing yet, a blow, or one too many."""
SINCE, NOW = 1, 0
TIME, IMPULSE, CLOSING = 0, 1, 4
"""Columns of events in a book: when, the impulse on the second body, the closing speed."""
STORMY, BLOWS, LOOKS, ROOMS, WORK = 0, 1, 2, 3, 4
WORK_OF_EVENT, WORK_OF_HULLS = 100, 300
"""And 1 for each corner that is looked at; of a look at two convex parts."""
IMPACT, TRAIN = 0, 1


@lean_kernel
def _law(laws, column, i, j):
    """Friction (0) or restitution (1) of two bodies."""
    return pair_value(i, j, laws.of_body[column], laws.default[column], laws.pairs, laws.of_pair[column])


@lean_kernel
def _row_of(book_io, i, j):
    """The row of a pair in the book, i < j; a new one if it has none."""
    k = book_io.first[i]
    while k >= 0:
        if book_io.pair[k, 1] == j:
            return k, False
        k = book_io.following[k]
    k = book_io.size[0]
    book_io.size[0] = k + 1
    book_io.pair[k, 0], book_io.pair[k, 1] = i, j
    book_io.following[k], book_io.first[i], book_io.train[k] = book_io.first[i], k, 0.0
    book_io.what[k, 0] = -1
    for c in range(book_io.acted.shape[1]):
        book_io.acted[k, c] = 0.0
    return k, True


@lean_kernel
def _note(book_io, k, p, touch, torques, closing, is_train):
    """Enter a blow with the impulse p on the second body of pair k into the book."""
    push, n = dot(p, touch.n), touch.n
    for c in range(3):
        book_io.acted[k, PRESSURE + c] += push * n[c]
        book_io.acted[k, FRICTION + c] += p[c] - push * n[c]
        book_io.acted[k, TORQUE_A + c] += torques[0][c]
        book_io.acted[k, TORQUE_B + c] += torques[1][c]
    begins = is_train and book_io.train[k] == 0.0
    book_io.last[k] = touch.t
    book_io.train[k] += push if is_train else 0.0
    if not is_train or begins:
        e = book_io.size[1]
        book_io.size[1] = e + 1
        book_io.event[e, TIME], book_io.event[e, CLOSING] = touch.t, closing
        for c in range(3):
            book_io.event[e, IMPULSE + c] = p[c]
        book_io.event_pair[e, 0], book_io.event_pair[e, 1] = k, TRAIN if begins else IMPACT


@lean_kernel
def _blow(sky_io, i, j, touch):
    """Let bodies strike each other; returns the row of the pair in the book."""
    bodies, agenda, laws, book = sky_io.bodies, sky_io.agenda, sky_io.laws, sky_io.book
    if i > j:
        i, j, touch = j, i, Touch(touch.x, scale(-1.0, touch.n), touch.t, touch.has_sunk)
    law = PairLaw(_law(laws, 1, i, j), _law(laws, 0, i, j), hop_speed(bodies, i, j, laws.gap))
    p, closing, is_train = impulse_of_blow(bodies, i, j, touch, law)
    torques = strike(bodies, i, touch.x, scale(-1.0, p)), strike(bodies, j, touch.x, p)
    agenda.change[i] += 1
    agenda.change[j] += 1
    k, _ = _row_of(book, i, j)
    _note(book, k, p, touch, torques, closing, is_train)
    return k


@lean_kernel
def _meeting(bodies, i, j):
    """Distance of balls, or of a ball and a half-space, that stand at one time; the normal from i to j, the point."""
    p_i = (bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2])
    p_j = (bodies.pose[j, 0], bodies.pose[j, 1], bodies.pose[j, 2])
    if bodies.core[j] == PLANE or bodies.core[i] == PLANE:
        ball, plane = (p_i, j) if bodies.core[j] == PLANE else (p_j, i)
        m = row(bodies.normal, plane)
        radius = bodies.radius[i] + bodies.radius[j]
        distance = dot(m, sub(ball, p_j if plane == j else p_i)) - bodies.offset[plane] - radius
        return distance, (scale(-1.0, m) if plane == j else m), add_scaled(ball, -radius - 0.5 * distance, m)
    way = sub(p_j, p_i)
    away = norm(way)
    n, distance = scale(1.0 / away, way), away - bodies.radius[i] - bodies.radius[j]
    return distance, n, add_scaled(p_i, bodies.radius[i] + 0.5 * distance, n)


@inner_kernel
def _closing(bodies, i, j, x, n):
    """Speed at which bodies close at the point x."""
    return -dot(sub(point_velocity(bodies, j, x), point_velocity(bodies, i, x)), n)


@lean_kernel
def _is_storm(clock_io, t):
    """Count a blow; whether there are too many in too short a time."""
    if t > clock_io.now[SINCE] + clock_io.storm[0]:
        clock_io.now[SINCE], clock_io.count[STORMY] = t, 0
    clock_io.count[STORMY] += 1
    clock_io.count[BLOWS] += 1
    return clock_io.count[STORMY] > clock_io.storm[1]


@lean_kernel
def _meet(sky_io, i, j, t):
    """Let two bodies that touch, by a closed form, strike each other, or come nearer if they are too slow."""
    bodies, agenda, laws, end = sky_io.bodies, sky_io.agenda, sky_io.laws, sky_io.clock.end
    distance, n, x = _meeting(bodies, i, j)
    slow = NO_BLOW * hop_speed(bodies, i, j, laws.gap)
    if is_blow(distance, _closing(bodies, i, j, x, n), laws.gap, slow):
        _blow(sky_io, i, j, Touch(x, n, t, has_sunk(distance, laws.gap)))
    look_anew(bodies, agenda, laws, i, t, end)
    look_anew(bodies, agenda, laws, j, t, end)


@inlined_kernel
def _named(sky):
    bodies, agenda, laws, book, clock, corners, hulls = sky
    of_bodies = Bodies(*bodies), Agenda(*agenda), Laws(*laws)
    return Sky(*of_bodies, Book(*book), Clock(*clock), Corners(*corners), Hulls(*hulls))


@lean_kernel
def _tell_of(sky_io, i, j, seen, corners, what, directed):
    """Tell of two bodies that are seen, and note which of their features touched: SLOWLY, STRUCK or STORMED."""
    outcome, k = _tell(sky_io, i, j, seen, corners, directed)
    if k >= 0:
        for c in range(len(what)):
            sky_io.book.what[k, c] = what[c]
        for c in range(3):
            sky_io.book.where[k, c] = 0.5 * (seen.x_i[c] + seen.x_j[c])
    return outcome


@lean_kernel
def _look(sky_io, i, j):
    """Look at two bodies without closed form, i < j: SLOWLY, STRUCK or STORMED; and whether they are seen from here."""
    bodies, clock, (point, start) = sky_io.bodies, sky_io.clock, (sky_io.corners.point, sky_io.corners.start)
    if has_corners(sky_io, i, j) or has_corners(sky_io, j, i):
        part, plane = (i, j) if bodies.core[j] == PLANE else (j, i)
        clock.count[WORK] += start[part, 1] - start[part, 0]
        corners = point[start[part, 0] : start[part, 1]], sky_io.corners.touched
        seen, what = see_plane(sky_io, part, plane)
        sinks, outcome = has_sunk(seen.distance, sky_io.laws.gap), STRUCK
        while sinks and outcome == STRUCK:
            sinks, seen, what = see_sinking(sky_io, part, plane)
            if sinks:
                outcome = _tell_of(sky_io, part, plane, seen, corners, what, False)
        if outcome == STORMED:
            return STORMED, True
        seen, what = see_plane(sky_io, part, plane)
        return _tell_of(sky_io, part, plane, seen, corners, what, True), True
    if not (has_hull(sky_io, i) and has_hull(sky_io, j)):
        return SLOWLY, False
    clock.count[WORK] += WORK_OF_HULLS
    found, seen, what = see_hulls(sky_io, i, j)
    corners = point[start[i, 0] : start[i, 1]], point[start[j, 0] : start[j, 1]]
    return (_tell_of(sky_io, i, j, seen, corners, what, True) if found else SLOWLY), found


@lean_kernel
def _fly(sky_io):
    """Go on from event to event; returns why it stops."""
    bodies, agenda, laws, book, clock = sky_io.bodies, sky_io.agenda, sky_io.laws, sky_io.book, sky_io.clock
    while agenda.heap.shape[0] > 0:
        i = agenda.heap[0]
        if not agenda.due[i] < clock.end:
            break
        if book.size[0] >= book.pair.shape[0] or book.size[1] >= book.event.shape[0]:
            return FULL
        clock.count[WORK] += WORK_OF_EVENT
        if clock.count[WORK] > clock.storm[2]:
            return WORN
        t, j = max(agenda.due[i], clock.now[NOW]), agenda.partner[i]
        clock.now[NOW] = t
        if j == END_OF_ROOM:
            clock.count[ROOMS] += 1
            if not give_room(bodies, agenda, laws, i, t):
                return CROWDED
            look_anew(bodies, agenda, laws, i, t, clock.end)
            continue
        clock.pair[0], clock.pair[1] = i, j
        bring_to(bodies, i, t)
        bring_to(bodies, j, t)
        if not is_exact(bodies, i, j):
            clock.count[LOOKS] += 1
            outcome, found = _look(sky_io, min(i, j), max(i, j))
            if not found:
                return LOOK
            if outcome == STORMED:
                return STORM
            continue
        if _is_storm(clock, t):
            return STORM
        _meet(sky_io, i, j, t)
    return DONE


@kernel
def fly(sky_io):
    """The same, from Python."""
    return _fly(_named(sky_io))


@lean_kernel
def _tell(sky_io, i, j, seen, corners, directed):
    """Tell of two bodies how far apart they are: SLOWLY, STRUCK or STORMED, and the pair's row, -1 for none."""
    bodies, agenda, laws, clock = sky_io.bodies, sky_io.agenda, sky_io.laws, sky_io.clock
    t, n, outcome, k = clock.now[NOW], seen.n, SLOWLY, -1
    x = scale(0.5, add(seen.x_i, seen.x_j))
    hop = hop_speed(bodies, i, j, laws.gap)
    if strikes(seen.distance, _closing(bodies, i, j, x, n), laws.gap, NO_BLOW * hop):
        outcome = STORMED if _is_storm(clock, t) else STRUCK
        k = _blow(sky_io, i, j, Touch(x, n, t, has_sunk(seen.distance, laws.gap)))
    if directed:
        nearer = ways_nearer(seen.distance, -_closing(bodies, i, j, x, n), laws.gap, hop)
        free = free_time(bodies, i, j, seen, corners, nearer, clock.end - t)
        _go_on(bodies, agenda, laws, i, j, t, t + free, clock.end)
    return outcome, k


@kernel
def answer(sky_io, seen, corners, directed):
    """The same of the two bodies of the clock, from Python.

    `directed` says that the way between the two points separates them; where it does not, `go_on` must follow.
    """
    sky = _named(sky_io)
    return _tell(sky, sky.clock.pair[0], sky.clock.pair[1], Seen(*seen), corners, directed)[0]


@lean_kernel
def _go_on(bodies, agenda_io, laws, i, j, t, until, end):
    """Two bodies that were looked at do not touch until a time: find what is due next."""
    know_free(agenda_io, i, j, until)
    look_anew(bodies, agenda_io, laws, i, t, end)
    look_anew(bodies, agenda_io, laws, j, t, end)


@kernel
def go_on(sky_io, until):
    """The same for the two bodies of the clock."""
    sky = _named(sky_io)
    clock = sky.clock
    _go_on(sky.bodies, sky.agenda, sky.laws, clock.pair[0], clock.pair[1], clock.now[NOW], until, clock.end)


@kernel
def end_flight(bodies_io, end):
    """Bring all bodies to the end of the step."""
    bodies = Bodies(*bodies_io)
    for i in range(bodies.kind.shape[0]):
        bring_to(bodies, i, end)


@kernel
def put_frames(pose, frame_out):
    """Poses (n, 7) as rotations and positions (n, 12)."""
    for i in range(pose.shape[0]):
        put_frame(load_pose(pose, i), i, frame_out)
