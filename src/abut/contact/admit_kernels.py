"""Which of the touches that a motion check found become contacts (Buck & Schömer's canonical contact set).

Of each pair of bodies the earliest touch and a few of those that follow within a fraction of the step, as far from
each other as can be. A touch of features that are in contact already means that the gap dips on the way: the normal of
two edges then turns with them, else the contact's target is raised.
"""

from math import sqrt

from .._jit import lean_kernel
from ..math.vec_kernels import distance2, dot, sub
from ..query.motion_candidate_kernels import FACE_VERTEX, VERTEX_FACE
from .contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIER,
    EDGE_VERTEX,
    FEATURE_A,
    FEATURE_B,
    KIND,
    LABEL,
    NEARLY_NORMAL,
    NO_CARRIER,
    VERTEX_EDGE,
    VERTEX_VERTEX,
    contact_frame,
    let_normal_turn,
    name_hit,
    place_contact,
    poses_at,
    same_contact,
)


@lean_kernel
def _find_same(name, k, n):
    """The first of n rows that names the same contact as row k, -1 if there is none."""
    for i in range(n):
        if same_contact(name, i, k):
            return i
    return -1


@lean_kernel
def _exchange_rows(name, place, source, target):
    for c in range(name.shape[1]):
        name[target, c], name[source, c] = name[source, c], name[target, c]
    for c in range(place.shape[1]):
        place[target, c], place[source, c] = place[source, c], place[target, c]


@lean_kernel
def _world_point(name, place, k, motions):
    poses = poses_at(motions, name[k, BODY_A], 0.0), poses_at(motions, name[k, BODY_B], 0.0)
    x_a, _, _ = contact_frame(place, k, poses[0], poses[1])
    return x_a


@lean_kernel
def _farthest(name, place, n, first, last, motions):
    """Of the rows first .. last the one farthest from the rows n .. first chosen before."""
    best, largest = first, -1.0
    for k in range(first, last):
        x, nearest = _world_point(name, place, k, motions), 1e300
        for i in range(n, first):
            nearest = min(nearest, distance2(x, _world_point(name, place, i, motions)))
        if nearest > largest:
            best, largest = k, nearest
    return best


@lean_kernel
def _gap_without_balls(name, place, k, motions, t):
    poses = poses_at(motions, name[k, BODY_A], t), poses_at(motions, name[k, BODY_B], t)
    x_a, x_b, n = contact_frame(place, k, poses[0], poses[1])
    return dot(n, sub(x_b, x_a))


@lean_kernel
def _rise_without_dip(name, place, k, motions, dip):
    """By how much a gap has to grow over the motion so that it does not dip by more than a quarter of `dip`.

    Points of bodies that turn go along arcs, so that gaps follow a t - 4 s t (1 - t) with a sag s, about: where
    a < 4 s, they fall by (4 s - a)^2 / 16 s on the way.
    """
    before, middle, after = (
        _gap_without_balls(name, place, k, motions, 0.0),
        _gap_without_balls(name, place, k, motions, 0.5),
        _gap_without_balls(name, place, k, motions, 1.0),
    )
    sag = 0.5 * (before + after) - middle
    return 4.0 * sag - 2.0 * sqrt(sag * dip) if sag > 0.0 else 0.0


@lean_kernel
def _raise_target(name, place, k, motions, dip, extra):
    """Raise the target gap of a contact whose path dips: as its arc asks for, else by 1/4, 1, 4, 8 times `dip`.

    Returns 1, or 0 if the target is as high as it may be.
    """
    rise = _rise_without_dip(name, place, k, motions, dip)
    if rise > 1.01 * extra[k]:
        extra[k] = rise
        return 1
    if extra[k] >= 8.0 * dip:
        return 0
    extra[k] = min(max(0.25 * dip, 4.0 * extra[k]), 8.0 * dip)
    return 1


@lean_kernel
def _candidates_of_pair(found, group, pairs, shape_of, motions, table, surfaces, slack, dip, n, name, place, extra):
    """Write the touches of one pair as rows from n on, leaving out those that are known; returns their number."""
    times, hits, pair_of_hit = found
    first, last, latest = group
    a, b = pairs[pair_of_hit[first], 0], pairs[pair_of_hit[first], 1]
    shapes = (shape_of[a], shape_of[b])
    count, raised = 0, 0
    for h in range(first, last):
        k = n + count
        if times[h + 1] > latest or k >= name.shape[0]:
            continue
        poses = (poses_at(motions, a, times[h + 1]), poses_at(motions, b, times[h + 1]))
        name_hit(hits[h], (a, b), shapes, poses, table, surfaces, name, k)
        known = _find_same(name, k, k)
        place[k, CARRIER] = NO_CARRIER
        if known >= n:
            continue
        if known >= 0:
            turned = let_normal_turn(name, place, known, table, shapes, poses)
            raised += 1 if turned else _raise_target(name, place, known, motions, dip, extra)
        elif place_contact(name, place, k, table, surfaces, shapes, poses, slack):
            count += 1
    return count, raised


@lean_kernel
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


@lean_kernel
def _world_normal(name, place, k, motions):
    return contact_frame(place, k, poses_at(motions, name[k, BODY_A], 0.0), poses_at(motions, name[k, BODY_B], 0.0))[2]


@lean_kernel
def _face_instead(name, place, k, n, motions):
    """The contact among n rows that holds a vertex of contact k on a face in nearly the same direction; -1 if none."""
    for i in range(n):
        if i != k and _has_the_vertex_of(name, k, i):
            if dot(_world_normal(name, place, i, motions), _world_normal(name, place, k, motions)) > NEARLY_NORMAL:
                return i
    return -1


@lean_kernel
def _drop_borders(name, place, extra, dip, n, count, motions):
    """Leave out candidates with the border of a face that holds the same vertex; returns what is left and was raised.

    Where equal parts stand on each other, vertices stand above vertices. The direction between two such vertices is
    that of rounding: it pushes them apart, and the farther they are, the more. The face's normal is the right one.
    """
    raised, k = 0, n
    while k < n + count:
        i = _face_instead(name, place, k, n + count, motions)
        if i < 0:
            k += 1
            continue
        raised += _raise_target(name, place, i, motions, dip, extra) if i < n else 0
        count -= 1
        _exchange_rows(name, place, k, n + count)
    return count, raised


@lean_kernel
def _end_of_group(pair_of_hit, first, n_hit):
    last = first + 1
    while last < n_hit and pair_of_hit[last] == pair_of_hit[first]:
        last += 1
    return last


@lean_kernel
def _earliest(times, first, last):
    earliest = times[first + 1]
    for h in range(first + 1, last):
        earliest = min(earliest, times[h + 1])
    return earliest


@lean_kernel
def admit_hits(found, n_hit, pairs, shape_of, motions, table, surfaces, options, n, label, name, place, extra):
    """Add contacts for the hits; returns the numbers of contacts, of targets raised and the next label.

    found = (times, hits, pair of each hit) as check_pairs leaves them, grouped by pair; options = (slack, dip, window,
    most): how far a vertex may lie beyond its face, by what to raise targets, which part of the step after the earliest
    touch counts, and how many contacts a pair may gain.
    """
    slack, dip, window, most = options
    times, _, pair_of_hit = found
    first, n_raised = 0, 0
    while first < n_hit:
        last = _end_of_group(pair_of_hit, first, n_hit)
        group = (first, last, _earliest(times, first, last) + window)
        count, raised = _candidates_of_pair(
            found, group, pairs, shape_of, motions, table, surfaces, slack, dip, n, name, place, extra
        )
        count, raised_faces = _drop_borders(name, place, extra, dip, n, count, motions)
        n_raised += raised + raised_faces
        chosen = 0
        while chosen < min(count, most):
            best = _farthest(name, place, n, n + chosen, n + count, motions)
            _exchange_rows(name, place, best, n + chosen)
            extra[n + chosen] = 0.0
            name[n + chosen, LABEL] = label
            label += 1
            chosen += 1
        n += chosen
        first = last
    return n, n_raised, label
