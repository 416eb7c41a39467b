"""Which of the touches that a motion check found become contacts (Buck & Schömer's canonical contact set).

Of each pair of bodies the earliest touch and a few of those that follow within a fraction of the step, as far from
each other as can be. A touch of features that are in contact already means that the gap dips on the way: the normal of
two edges then turns with them, or, if they are too parallel for that, both ends of the stretch they share are held;
else the contact's target is raised (dip_kernels).
"""

from math import inf

from .._jit import inner_kernel, lean_kernel
from ..math.pose_kernels import load_frame
from ..math.vec_kernels import distance2, dot, norm2, sub
from ..query.motion.feature_table_kernels import load_motion
from ..query.motion.feature_tables import Features
from ..query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from .contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIER,
    EDGE_VERTEX,
    FEATURE_A,
    FEATURE_B,
    FIRST_END,
    KIND,
    LABEL,
    LAST_END,
    NEARLY_NORMAL,
    NO_CARRIER,
    SPOT,
    VERTEX_EDGE,
    VERTEX_VERTEX,
    contact_frame,
    length_of_long_edges,
    let_normal_turn,
    name_hit,
    place_contact,
    same_contact,
)
from .contact_tables import (
    AdmitOptions,
    Chains,
    ContactRows,
    Encounter,
    Group,
    Moment,
    Movers,
    Sides,
    Sizes,
    Surfaces,
    Touches,
)
from .dip_kernels import dips, poses_at, raise_target

HALFWAY = 0.5
"""When a gap is thought to be smallest where no touch tells."""
_OF_GAP = 0.1
"""Of the contact gap: an error of a normal that stands still that is no matter."""


@lean_kernel
def _chain_contacts(name, n, chains_io):
    """Hang n contacts into the chains of their bodies B, in ascending order."""
    first, following = chains_io
    first[:] = -1
    for k in range(n - 1, -1, -1):
        following[k] = first[name[k, BODY_B]]
        first[name[k, BODY_B]] = k


@inner_kernel
def _find_same(name, k, n, chains):
    """The first known contact, else the first of the rows n .. k, that is the same as row k; -1 if there is none."""
    i = chains.first[name[k, BODY_B]]
    while i >= 0:
        if same_contact(name, i, k):
            return i
        i = chains.following[i]
    for i in range(n, k):
        if same_contact(name, i, k):
            return i
    return -1


@lean_kernel
def _exchange_rows(name_io, place_io, source, target):
    for c in range(name_io.shape[1]):
        name_io[target, c], name_io[source, c] = name_io[source, c], name_io[target, c]
    for c in range(place_io.shape[1]):
        place_io[target, c], place_io[source, c] = place_io[source, c], place_io[target, c]


@inner_kernel
def _world_point(name, place, k, motions):
    x_a, _, _ = contact_frame(place, k, load_frame(motions, name[k, BODY_A]), load_frame(motions, name[k, BODY_B]))
    return x_a


@lean_kernel
def _farthest(name, place, n, first, last, motions):
    """Of the rows first .. last the one farthest from the rows n .. first chosen before."""
    best, largest = first, -1.0
    for k in range(first, last):
        x, nearest = _world_point(name, place, k, motions), inf
        for i in range(n, first):
            nearest = min(nearest, distance2(x, _world_point(name, place, i, motions)))
        if nearest > largest:
            best, largest = k, nearest
    return best


@inner_kernel
def _hold_ends(i, count, encounter, moment, n, chains, rows_io):
    """Hold two edges, of contact i, at both ends of the stretch they share; returns how many were added and raised.

    As edges that are nearly parallel pass each other, they cross at one end of it and a moment later at the other. So
    an end is held in this motion however far it is from the other edge now.
    """
    name, place, _ = rows_io
    _, shapes, sizes, motions, table, surfaces = encounter
    added, raised = 0, 0
    for end in (FIRST_END, LAST_END):
        k = n + count + added
        if k >= name.shape[0]:
            continue
        for c in range(SPOT):
            name[k, c] = name[i, c]
        name[k, SPOT], place[k, CARRIER] = end, NO_CARRIER
        known = _find_same(name, k, n, chains)
        if known < 0:
            added += place_contact(rows_io, k, table, surfaces, shapes, moment.poses, inf)
        elif known < n:
            raised += raise_target(rows_io, known, motions, sizes, moment.at)
    return added, raised


@inner_kernel
def _hold_better(known, count, encounter, moment, n, chains, rows_io):
    """Hold features that touch although contact `known` holds them: how many contacts were added and raised."""
    name, place, _ = rows_io
    _, shapes, sizes, motions, table, _ = encounter
    if let_normal_turn(name, place, known, table, shapes, moment.poses):
        return 0, 1
    raised = raise_target(rows_io, known, motions, sizes, moment.at)
    # The ends of a stretch that a capsule shares with an edge are ends of either, and held as such.
    parallel = name[known, KIND] == EDGE_EDGE and place[known, CARRIER] == NO_CARRIER and sizes.radii == 0.0
    if not parallel or (raised == 1 and length_of_long_edges(name, known, table, shapes) == 0.0):
        return 0, raised
    added, raised_ends = _hold_ends(known, count, encounter, moment, n, chains, rows_io)
    return added, raised + raised_ends


@inner_kernel
def _hold_turning(k, count, encounter, moment, turn2, n, chains, rows_io):
    """Let the normal of a new contact of long edges turn with them: how many contacts were added and raised.

    A normal that does not mistakes their distance by the square of the turn. That of a capsule turns in any case.
    """
    name, place, _ = rows_io
    _, shapes, sizes, _, table, _ = encounter
    if sizes.radii > 0.0:
        return 0, 0
    if turn2 * length_of_long_edges(name, k, table, shapes) <= _OF_GAP * sizes.gap:
        return 0, 0
    if let_normal_turn(name, place, k, table, shapes, moment.poses):
        return 0, 0
    return _hold_ends(k, count, encounter, moment, n, chains, rows_io)


@inner_kernel
def _candidates_of_pair(found, group, encounter, n, chains, rows_io):
    """Write the touches of one pair as rows from n on, leaving out those that are known; returns their number."""
    name, place, _ = rows_io
    (a, b), shapes, sizes, motions, table, surfaces = encounter
    turn2 = norm2(sub(load_motion(motions, a).rotvec, load_motion(motions, b).rotvec))
    count, raised = 0, 0
    for h in range(group.first, group.last):
        k, at = n + count, found.times[h + 1]
        if at > group.latest or k >= name.shape[0]:
            continue
        moment = Moment(at, Sides(poses_at(motions, a, at), poses_at(motions, b, at)))
        if not name_hit(found.hits[h], encounter, moment.poses, name, k):
            continue
        known, added, higher = _find_same(name, k, n, chains), 0, 0
        place[k, CARRIER] = NO_CARRIER
        if 0 <= known < n:
            added, higher = _hold_better(known, count, encounter, moment, n, chains, rows_io)
        elif known < 0 and place_contact(rows_io, k, table, surfaces, shapes, moment.poses, sizes.slack):
            count += 1
            added, higher = _hold_turning(k, count, encounter, moment, turn2, n, chains, rows_io)
        count, raised = count + added, raised + higher
    return count, raised


@inner_kernel
def _has_the_vertex_of(name, k, i):
    """Whether contact k, with an edge or a vertex, holds the vertex that contact i holds with a face."""
    if name[k, BODY_A] != name[i, BODY_A] or name[k, BODY_B] != name[i, BODY_B]:
        return False
    kind = name[k, KIND]
    if name[i, KIND] == VERTEX_FACE:
        return (kind == VERTEX_EDGE or kind == VERTEX_VERTEX) and name[k, FEATURE_A] == name[i, FEATURE_A]
    if name[i, KIND] == FACE_VERTEX:
        return (kind == EDGE_VERTEX or kind == VERTEX_VERTEX) and name[k, FEATURE_B] == name[i, FEATURE_B]
    return False


@inner_kernel
def _world_normal(name, place, k, motions):
    X_a, X_b = load_frame(motions, name[k, BODY_A]), load_frame(motions, name[k, BODY_B])
    _, _, normal = contact_frame(place, k, X_a, X_b)
    return normal


@inner_kernel
def _is_face_instead(name, place, k, i, motions):
    """Whether contact i holds a vertex of contact k on a face in nearly the same direction."""
    if i == k or not _has_the_vertex_of(name, k, i):
        return False
    return dot(_world_normal(name, place, i, motions), _world_normal(name, place, k, motions)) > NEARLY_NORMAL


@lean_kernel
def _face_instead(name, place, k, n, count, motions, chains):
    """Such a contact among the known ones and the candidates n .. n + count; -1 if there is none."""
    kind = name[k, KIND]
    if not (kind == VERTEX_EDGE or kind == EDGE_VERTEX or kind == VERTEX_VERTEX):
        return -1
    i = chains.first[name[k, BODY_B]]
    while i >= 0:
        if _is_face_instead(name, place, k, i, motions):
            return i
        i = chains.following[i]
    for i in range(n, n + count):
        if _is_face_instead(name, place, k, i, motions):
            return i
    return -1


@lean_kernel
def _drop_borders(sizes, n, count, motions, chains, rows_io):
    """Leave out candidates with the border of a face that holds the same vertex; returns what is left and was raised.

    Where equal parts stand on each other, vertices stand above vertices. The direction between two such vertices is
    that of rounding: it pushes them apart, and the farther they are, the more. The face's normal is the right one.
    Balls have no such trouble, and leave a face for its border at an angle.
    """
    name, place, _ = rows_io
    raised, k = 0, n
    if sizes.radii > 0.0:
        return count, raised
    while k < n + count:
        i = _face_instead(name, place, k, n, count, motions, chains)
        if i < 0:
            k += 1
            continue
        raised += raise_target(rows_io, i, motions, sizes, HALFWAY) if i < n else 0
        count -= 1
        _exchange_rows(name, place, k, n + count)
    return count, raised


@lean_kernel
def _rather_a_face(name, place, best, first, last, slack, motions):
    """Instead of a contact of two edges one of the rows first .. last that holds the same place by a vertex and a face.

    Where equal parts stand on each other, edges cross at their ends, and the slightest slip takes them apart.
    """
    if name[best, KIND] != EDGE_EDGE:
        return best
    x, n = _world_point(name, place, best, motions), _world_normal(name, place, best, motions)
    for k in range(first, last):
        if name[k, KIND] == VERTEX_FACE or name[k, KIND] == FACE_VERTEX:
            near = distance2(x, _world_point(name, place, k, motions)) <= slack * slack
            if near and dot(n, _world_normal(name, place, k, motions)) > NEARLY_NORMAL:
                return k
    return best


@lean_kernel
def _raise_dips(bodies, at, motions, sizes, chains, rows_io):
    """Raise the targets of the known contacts of a pair whose gaps dip at a time; returns how many.

    Where a vertex has left its face by less than the slack, it is the edge of the face that touches beside the vertex.
    """
    raised, k = 0, chains.first[bodies.b]
    while k >= 0:
        if rows_io.name[k, BODY_A] == bodies.a and dips(rows_io, k, motions, sizes, at):
            raised += raise_target(rows_io, k, motions, sizes, at)
        k = chains.following[k]
    return raised


@inner_kernel
def _end_of_group(pair_of_hit, first, n_hit):
    last = first + 1
    while last < n_hit and pair_of_hit[last] == pair_of_hit[first]:
        last += 1
    return last


@inner_kernel
def _earliest(times, first, last):
    earliest = times[first + 1]
    for h in range(first + 1, last):
        earliest = min(earliest, times[h + 1])
    return earliest


@inner_kernel
def _group_from(found, first, window):
    """The touches of one pair, of which `first` is the first."""
    last = _end_of_group(found.pair, first, found.n)
    return Group(first, last, _earliest(found.times, first, last) + window)


@inner_kernel
def _choose(n, count, most, label, slack, motions, rows_io):
    """Keep the candidates n .. n + count that are farthest from each other, with labels from `label` on; how many."""
    name, place, extra = rows_io
    chosen = 0
    while chosen < min(count, most):
        best = _farthest(name, place, n, n + chosen, n + count, motions)
        best = _rather_a_face(name, place, best, n + chosen, n + count, slack, motions)
        _exchange_rows(name, place, best, n + chosen)
        extra[n + chosen] = 0.0
        name[n + chosen, LABEL] = label + chosen
        chosen += 1
    return chosen


@lean_kernel
def admit_hits(found, movers, table, surfaces, options, so_far, chains_io, rows_io):
    """Add contacts for the hits; returns the numbers of contacts, of targets raised and the next label.

    so_far = (number of contacts, next label). `chains_io` have room for all bodies and all contacts.
    """
    found, movers, table, surfaces = Touches(*found), Movers(*movers), Features(*table), Surfaces(*surfaces)
    options, chains_io, rows_io = AdmitOptions(*options), Chains(*chains_io), ContactRows(*rows_io)
    motions, shape_of = movers.motions, movers.shape_of
    n, label = so_far
    _chain_contacts(rows_io.name, n, chains_io)
    first, n_raised = 0, 0
    while first < found.n:
        group = _group_from(found, first, options.window)
        pair = found.pair[first]
        bodies = Sides(movers.pairs[pair, 0], movers.pairs[pair, 1])
        shapes = Sides(shape_of[bodies.a], shape_of[bodies.b])
        sizes = Sizes(options.slack, options.gap, table.radius[shapes.a] + table.radius[shapes.b])
        encounter = Encounter(bodies, shapes, sizes, motions, table, surfaces)
        count, raised = _candidates_of_pair(found, group, encounter, n, chains_io, rows_io)
        count, raised_faces = _drop_borders(sizes, n, count, motions, chains_io, rows_io)
        raised += raised_faces
        if count + raised == 0:
            raised = _raise_dips(bodies, group.latest - options.window, motions, sizes, chains_io, rows_io)
        n_raised += raised
        chosen = _choose(n, count, options.most, label, options.slack, motions, rows_io)
        n, label, first = n + chosen, label + chosen, group.last
    return n, n_raised, label
