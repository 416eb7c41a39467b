"""What bodies pass through during a step, and which pairs of them have to be looked at again."""

from math import isfinite, sqrt

from ..._jit import lean_kernel
from ...contact.boxes_kernels import box_over_motion
from ...contact.boxes_tables import Extents
from ...math.motion_tables import TURN, WAY
from ...math.pose_kernels import frame_at, put_frame
from ...math.vec_kernels import cross, dot, norm, sub
from ...query.motion.feature_table_kernels import check_range, choose_pairs, load_motion
from .packet_tables import (
    features_of,
    found_of,
    hulls_of,
    looked_of,
    marked_of,
    memories_of,
    paths_of,
    prediction_of,
    put_found,
    put_looked,
    put_memories,
    put_watched,
    shapes_of,
    watched_of,
)
from .step_tables import CheckWork, Paths

IS_SHORT, IS_LONG, GOES_TOO_FAR, TAKES_TOO_MUCH = 0, 1, 2, 3
"""How a check goes on: with motions of which none or some are checked afresh, or not at all."""
ROOM = 0.02
"""By which share of a body's reach there is room around its box, so that small changes of motions need no culling."""


@lean_kernel
def _is_inside(low, high, room_low, room_high, i):
    """Whether box i is within its room."""
    inside = True
    for k in range(3):
        inside &= (room_low[i, k] <= low[i, k]) & (high[i, k] <= room_high[i, k])
    return inside


@lean_kernel
def _change_of_motion(motion, last_io, i, reach):
    """How far a change of the motion of body i takes any point of it, at any time, at most; `last_io` is kept up."""
    way2, turn2 = 0.0, 0.0
    for k in range(6):
        changed = motion[i, WAY + k] - last_io[i, k]
        way2, turn2 = (way2 + changed * changed, turn2) if k < 3 else (way2, turn2 + changed * changed)
        last_io[i, k] = motion[i, WAY + k]
    return sqrt(way2) + (sqrt(turn2) * reach if turn2 > 0.0 else 0.0)


@lean_kernel
def follow_motions(motion, due, margin, paths_io):
    """Poses at the end of the motions of bodies that are due; returns whether boxes around them have left their rooms.

    Boxes are wider than the motions by `margin` [m]. Those that have left get rooms around where they are, wider by a
    share ROOM of the body's reach.
    """
    paths, left = Paths(*paths_io), False
    extents, reach, low, high = Extents(paths.low, paths.high, paths.reach), paths.reach, paths.box_low, paths.box_high
    for i in range(paths.ends.shape[0]):
        paths.change[i] = _change_of_motion(motion, paths.last, i, reach[i]) if due[i] else 0.0
        if not due[i]:
            continue
        path = load_motion(motion, i)
        end = frame_at(path, 1.0)
        put_frame(end, i, paths.ends)
        box_over_motion(extents, i, path, end, margin, low, high)
        if not _is_inside(low, high, paths.room_low, paths.room_high, i):
            left = True
            more = ROOM * reach[i] if isfinite(reach[i]) else 0.0
            for k in range(3):
                paths.room_low[i, k], paths.room_high[i, k] = low[i, k] - more, high[i, k] + more
    return left


@lean_kernel
def _is_long(motion, i, longest):
    """Whether a motion is longer than (way [m], turn [rad]), or not a number."""
    way2 = motion[i, WAY] ** 2 + motion[i, WAY + 1] ** 2 + motion[i, WAY + 2] ** 2
    turn2 = motion[i, TURN] ** 2 + motion[i, TURN + 1] ** 2 + motion[i, TURN + 2] ** 2
    most_way, most_turn = longest
    return not (way2 <= most_way * most_way and turn2 <= most_turn * most_turn)


@lean_kernel
def find_long(pairs, due, motion, longest, long_out):
    """Whether bodies of pairs of which one is due make motions longer than (way [m], turn [rad]), and which."""
    found = False
    for k in range(pairs.shape[0]):
        for side in range(2 if due[pairs[k, 0]] or due[pairs[k, 1]] else 0):
            if _is_long(motion, pairs[k, side], longest):
                found = long_out[pairs[k, side]] = True
    return found


@lean_kernel
def _length(motion, a, b, size):
    """How far bodies move past each other, in sizes of the smaller one, and turn [rad].

    Seen from the larger one, the middle of the smaller one goes this way, up to what a turn bends it.
    """
    s, o = (a, b) if size[a] <= size[b] else (b, a)
    arm = sub((motion[s, 9], motion[s, 10], motion[s, 11]), (motion[o, 9], motion[o, 10], motion[o, 11]))
    _, way_s, turn_s = load_motion(motion, s)
    _, way_o, turn = load_motion(motion, o)
    way = sub(way_s, way_o)
    bend = 0.5 * dot(turn, turn) * norm(arm)
    return (norm(sub(way, cross(turn, arm))) + bend) / max(size[s], 1e-300) + norm(sub(turn_s, turn))


@lean_kernel
def _boxes_meet(low, high, a, b):
    """Whether two boxes have points in common."""
    meet = True
    for k in range(3):
        meet &= (low[a, k] <= high[b, k]) & (low[b, k] <= high[a, k])
    return meet


@lean_kernel
def work_of_check(pairs, due, motion, paths, shapes, counted, looked_out):
    """Work to check pairs of which one body is due and one moves, and the bodies of these; see budget.py.

    Boxes around the motions decide, not the rooms among which pairs were culled: these depend on earlier motions. What
    long motions take cannot be told beforehand: they are to be checked afresh, and counted by the check.
    """
    work, any_long, features, apart = 0.0, False, shapes.features, looked_out.apart
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        apart[k] = looked_out.afresh[k] = False
        if not (due[a] or due[b]):
            continue
        apart[k] = not _boxes_meet(paths.box_low, paths.box_high, a, b)
        length = _length(motion, a, b, shapes.size)
        if length > 0.0 and not apart[k]:
            n = features[a] + features[b]
            looked_out.bodies[a] = looked_out.bodies[b] = True
            looked_out.afresh[k] = length > counted.long
            any_long |= looked_out.afresh[k]
            work += n * counted.of_feature
    return work, any_long


@lean_kernel
def _only(marked, due_out):
    """Let marked bodies, and no others, be due."""
    for b in range(due_out.shape[0]):
        due_out[b] = marked[b]


@lean_kernel
def choose_pairs_to_check(packet_io, counted):
    """Choose the pairs to check, and count the work that it takes at most; returns how it goes on, and the work.

    Bodies that move too far to be followed, or those of pairs for which the budget does not suffice, are due then, and
    no others.
    """
    counted, paths, looked, due = (
        CheckWork(*counted),
        paths_of(packet_io),
        looked_of(packet_io),
        marked_of(packet_io).due,
    )
    pairs, slots, motion = watched_of(packet_io).pairs, watched_of(packet_io).slots, prediction_of(packet_io).motion
    looked.bodies[:] = False
    if find_long(pairs, due, motion, (counted.longest_way, counted.longest_turn), looked.bodies):
        _only(looked.bodies, due)
        return GOES_TOO_FAR, 0.0
    work, any_long = work_of_check(pairs, due, motion, paths, shapes_of(packet_io), counted, looked)
    if counted.left - work < 0.0:
        _only(looked.bodies, due)
        return TAKES_TOO_MUCH, work
    slack = memories_of(packet_io).slack
    choose_pairs(pairs, slots, due, paths.change, looked.apart, looked.afresh, slack, looked.chosen)
    return (IS_LONG if any_long else IS_SHORT), work


@lean_kernel
def mark_costly(pairs, effort, due_out):
    """Let the bodies of pairs that took at least half of what the one took that took most, and no others, be due.

    Returns the latter.
    """
    due_out[:] = False
    most = 0.0
    for k in range(pairs.shape[0]):
        most = max(most, effort[k])
    for k in range(pairs.shape[0]):
        if effort[k] >= 0.5 * most:
            due_out[pairs[k, 0]] = due_out[pairs[k, 1]] = True
    return most


@lean_kernel
def mark_bodies(pairs, pair_of_hit, n, due_out):
    """Let the bodies of n hits, and no others, be due."""
    due_out[:] = False
    for h in range(n):
        due_out[pairs[pair_of_hit[h], 0]] = True
        due_out[pairs[pair_of_hit[h], 1]] = True


@lean_kernel
def find_unyielding(pairs, pair_of_hit, n, movable, due_out):
    """Whether there are hits of two bodies of which neither can give way; these are due then, no others."""
    found = False
    for h in range(n):
        a, b = pairs[pair_of_hit[h], 0], pairs[pair_of_hit[h], 1]
        if not (movable[a] or movable[b]):
            if not found:
                due_out[:] = False
            found = True
            due_out[a] = due_out[b] = True
    return found


@lean_kernel
def _is_behind(a, b):
    """Whether a hit (pair, time, kind, feature, feature) comes behind another one."""
    for k in range(5):
        if a[k] != b[k]:
            return a[k] > b[k]
    return False


@lean_kernel
def _load_hit(times, hits, pair, i):
    return float(pair[i]), times[i + 1], float(hits[i, 0]), float(hits[i, 1]), float(hits[i, 2])


@lean_kernel
def _put_hit(hit, times_io, hits_io, pair_io, i):
    which, time, kind, feature_a, feature_b = hit
    pair_io[i], times_io[i + 1] = int(which), time
    hits_io[i, 0], hits_io[i, 1], hits_io[i, 2] = int(kind), int(feature_a), int(feature_b)


@lean_kernel
def sort_hits(n, times_io, hits_io, pair_io):
    """Bring n hits into an order that does not depend on how they were found (Shell's sort)."""
    step = 1
    while step < n // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, n):
            taken, j = _load_hit(times_io, hits_io, pair_io, i), i
            while j >= step:
                before = _load_hit(times_io, hits_io, pair_io, j - step)
                if not _is_behind(before, taken):
                    break
                _put_hit(before, times_io, hits_io, pair_io, j)
                j -= step
            _put_hit(taken, times_io, hits_io, pair_io, j)
        step //= 3


@lean_kernel
def take_pairs(watched, memories, found, looked, packet_out):
    """Put the tables of pairs that are checked into the packet."""
    put_watched(watched, packet_out)
    put_memories(memories, packet_out)
    put_found(found, packet_out)
    put_looked(looked, packet_out)


@lean_kernel
def take_found(found, packet_out):
    """Put those of what is found into it."""
    put_found(found, packet_out)


@lean_kernel
def follow(packet_io, margin):
    """As follow_motions."""
    return follow_motions(prediction_of(packet_io).motion, marked_of(packet_io).due, margin, paths_of(packet_io))


@lean_kernel
def look_at_motions(packet_io, options, counted):
    """As choose_pairs_to_check, and the check of the chosen pairs; returns the number of hits, too.

    options as check_range takes them, without the effort. The bodies of hits, and no others, are due then.
    """
    goes_on, work, limits = IS_SHORT, 0.0, CheckWork(*counted)
    if not limits.again:
        goes_on, work = choose_pairs_to_check(packet_io, counted)
    if goes_on > IS_LONG:
        return goes_on, work, 0
    looked, watched, found = looked_of(packet_io), watched_of(packet_io), found_of(packet_io)
    objects = (shapes_of(packet_io).shape_of, prediction_of(packet_io).motion, paths_of(packet_io).ends)
    chosen = (watched.pairs, watched.slots, looked.chosen, looked.afresh)
    shapes, span = (features_of(packet_io), hulls_of(packet_io)), (0, watched.pairs.shape[0])
    limited = (*options, min(limits.left - work, limits.most))
    check_range(span, *shapes, objects, chosen, limited, memories_of(packet_io), found)
    n = int(found.times[0])
    if n <= found.hits.shape[0]:
        mark_bodies(watched.pairs, found.pair, n, marked_of(packet_io).due)
        sort_hits(n, found.times, found.hits, found.pair)
    return goes_on, work, n
