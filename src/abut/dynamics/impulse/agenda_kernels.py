"""What is due next: a heap of bodies by the time at which something happens to each, and who is near whom.

Every body that moves has a room, within which it stays until it gets another. Only bodies whose rooms meet are asked
when they touch. A body whose flight has changed is asked anew with all its neighbours; a neighbour that was due with it
looks for another partner (Donev, Torquato & Stillinger 2005).
"""

from math import inf

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.vec_kernels import row, sub
from ..bodies.body_kernels import DYNAMIC
from .crossing_kernels import descent_of_parabola
from .flight_kernels import place_at, time_of_pair
from .flight_tables import Agenda, Bodies, Laws

END_OF_ROOM = -1


@inner_kernel
def _is_earlier(agenda, a, b):
    """Whether body a is due before b; of two at the same time, the smaller number is first."""
    return agenda.due[a] < agenda.due[b] or (agenda.due[a] == agenda.due[b] and a < b)


@lean_kernel
def sift(agenda_io, i):
    """Put body i where it belongs in the heap after the time at which it is due has changed."""
    heap, place = agenda_io.heap, agenda_io.place
    k, n = place[i], heap.shape[0]
    while k > 0 and _is_earlier(agenda_io, i, heap[(k - 1) >> 1]):
        heap[k] = heap[(k - 1) >> 1]
        place[heap[k]] = k
        k = (k - 1) >> 1
    while 2 * k + 1 < n:
        c = 2 * k + 1
        if c + 1 < n and _is_earlier(agenda_io, heap[c + 1], heap[c]):
            c += 1
        if not _is_earlier(agenda_io, heap[c], i):
            break
        heap[k] = heap[c]
        place[heap[k]] = k
        k = c
    heap[k], place[i] = i, k


@lean_kernel
def _sees(bodies, laws, i, j):
    """Whether two bodies may touch."""
    if i == j or not (bodies.kind[i] == DYNAMIC or bodies.kind[j] == DYNAMIC):
        return False
    if laws.group[i] >= 0 and laws.group[i] == laws.group[j]:
        return False
    for k in range(laws.ignored.shape[0]):
        if laws.ignored[k, 0] == min(i, j) and laws.ignored[k, 1] == max(i, j):
            return False
    return True


@inner_kernel
def _rooms_meet(agenda, i, j, gap):
    meet = True
    for k in range(3):
        meet &= (agenda.low[i, k] <= agenda.high[j, k] + gap) & (agenda.low[j, k] <= agenda.high[i, k] + gap)
    return meet


@inner_kernel
def _slot(agenda, i, j):
    """Where j is among the neighbours of i; -1 if it is not."""
    for k in range(agenda.count[i]):
        if agenda.neighbour[i, k] == j:
            return k
    return -1


@lean_kernel
def _add(agenda_io, i, j):
    """Let j be a neighbour of i; False if there is no room."""
    if _slot(agenda_io, i, j) >= 0:
        return True
    k = agenda_io.count[i]
    if k >= agenda_io.neighbour.shape[1]:
        return False
    agenda_io.neighbour[i, k], agenda_io.until[i, k], agenda_io.stamp[i, k] = j, -inf, -1
    agenda_io.count[i] = k + 1
    return True


@lean_kernel
def _drop(agenda_io, i, k):
    """Let the neighbour in slot k be none of i any more."""
    last = agenda_io.count[i] - 1
    agenda_io.neighbour[i, k] = agenda_io.neighbour[i, last]
    agenda_io.until[i, k], agenda_io.stamp[i, k] = agenda_io.until[i, last], agenda_io.stamp[i, last]
    agenda_io.count[i] = last


@lean_kernel
def give_room(bodies, agenda_io, laws, i, t):
    """A room for body i around where it is at the time t, and its neighbours; False if these do not fit."""
    p, _ = place_at(bodies, i, t)
    for k in range(3):
        agenda_io.centre[i, k] = p[k]
        size = agenda_io.margin[i] + bodies.reach[i]
        agenda_io.low[i, k], agenda_io.high[i, k] = p[k] - size, p[k] + size
    for k in range(agenda_io.count[i] - 1, -1, -1):
        j = agenda_io.neighbour[i, k]
        if not _rooms_meet(agenda_io, i, j, laws.gap):
            _drop(agenda_io, i, k)
            if agenda_io.place[j] >= 0:
                _drop(agenda_io, j, _slot(agenda_io, j, i))
    for j in range(bodies.kind.shape[0]):
        if not _rooms_meet(agenda_io, i, j, laws.gap) or not _sees(bodies, laws, i, j):
            continue
        if not _add(agenda_io, i, j) or (agenda_io.place[j] >= 0 and not _add(agenda_io, j, i)):
            agenda_io.centre[i, 0] = inf  # this is no room
            return False
    return True


@lean_kernel
def _end_of_room(bodies, agenda, i, t):
    """When the centre of body i leaves its room."""
    p, v = place_at(bodies, i, t)
    p, a, first = sub(p, row(agenda.centre, i)), row(bodies.acceleration, i), inf
    for k in range(3):
        above = descent_of_parabola(agenda.margin[i] - p[k], -v[k], -a[k])
        below = descent_of_parabola(agenda.margin[i] + p[k], v[k], a[k])
        first = min(first, above, below)
    return t + first


@lean_kernel
def _due_with(bodies, agenda, laws, i, slot, end):
    """When body i and a neighbour touch, or are to be looked at."""
    j = agenda.neighbour[i, slot]
    if agenda.stamp[i, slot] == agenda.change[i] + agenda.change[j]:
        return agenda.until[i, slot]
    return time_of_pair(bodies, i, j, laws.gap, end)


@inner_kernel
def _set_due(agenda_io, i, when, partner):
    """Enter what is due next of body i; the heap is in order before and after."""
    agenda_io.due[i], agenda_io.partner[i] = when, partner
    sift(agenda_io, i)


@lean_kernel
def look_around(bodies, agenda_io, laws, i, t, end):
    """Find what is due next of body i, which flies on as it did."""
    first, partner = _end_of_room(bodies, agenda_io, i, t), END_OF_ROOM
    for k in range(agenda_io.count[i]):
        when = _due_with(bodies, agenda_io, laws, i, k, end)
        if when < first:
            first, partner = when, agenda_io.neighbour[i, k]
    _set_due(agenda_io, i, first, partner)


@lean_kernel
def look_anew(bodies, agenda_io, laws, i, t, end):
    """Find what is due next of body i, whose flight or neighbours have changed at the time t, and tell these."""
    if agenda_io.place[i] < 0:
        return
    first, partner = _end_of_room(bodies, agenda_io, i, t), END_OF_ROOM
    for k in range(agenda_io.count[i]):
        j, when = agenda_io.neighbour[i, k], _due_with(bodies, agenda_io, laws, i, k, end)
        if when < first:
            first, partner = when, j
        if agenda_io.place[j] < 0:
            continue
        if when < agenda_io.due[j]:
            _set_due(agenda_io, j, when, i)
        elif agenda_io.partner[j] == i and when != agenda_io.due[j]:
            look_around(bodies, agenda_io, laws, j, t, end)
    _set_due(agenda_io, i, first, partner)


@lean_kernel
def know_free(agenda_io, i, j, until):
    """Note that two bodies do not touch until a time, as they fly now."""
    stamp = agenda_io.change[i] + agenda_io.change[j]
    for a, b in ((i, j), (j, i)):
        k = _slot(agenda_io, a, b) if agenda_io.place[a] >= 0 else -1
        if k >= 0:
            agenda_io.until[a, k], agenda_io.stamp[a, k] = until, stamp


@inner_kernel
def _is_in_room(bodies, agenda, i):
    """Whether body i is in the room it has; without one, it is not."""
    inside = True
    for k in range(3):
        inside &= abs(bodies.pose[i, k] - agenda.centre[i, k]) <= agenda.margin[i]
    return inside


@kernel
def begin_agenda(bodies, agenda_io, laws, end):
    """Rooms of bodies that left theirs, and what is due next of all in a step; False if neighbours do not fit."""
    bodies, agenda_io, laws = Bodies(*bodies), Agenda(*agenda_io), Laws(*laws)
    for i in agenda_io.heap:
        if not _is_in_room(bodies, agenda_io, i) and not give_room(bodies, agenda_io, laws, i, 0.0):
            return False
        agenda_io.due[i], agenda_io.partner[i], agenda_io.change[i] = inf, END_OF_ROOM, 0
        for k in range(agenda_io.count[i]):
            agenda_io.stamp[i, k] = -1
    order = np.sort(agenda_io.heap)
    for k in range(agenda_io.heap.shape[0]):  # all are due at the same time, never: in the order of their numbers
        agenda_io.heap[k], agenda_io.place[order[k]] = order[k], k
    for i in order:
        look_around(bodies, agenda_io, laws, i, 0.0, end)
    return True
