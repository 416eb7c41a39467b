"""Contacts of a motion: those of the last step, and those that hits tell of."""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...fem.skin_check_kernels import EDGE_EDGE, VERTEX_FACE
from ...math.vec_kernels import add, dot, norm, row, scale
from .beside_kernels import go_on_beside, hit_beside, leaning_edges
from .law_kernels import ask_farther, keep_touches, most_raised, set_laws
from .name_kernels import choose_first, find_rows
from .soft_packet_tables import (
    fans_of,
    felt_of,
    hit_of,
    laws_of,
    links_of,
    nodes_of,
    spread_of,
    states_of,
    touches_of,
    vertices_of,
)
from .soft_tables import KeptTouches
from .touch_kernels import (
    find_leaning,
    place_hit,
    place_touches,
    push_all,
    put_touches,
    shortfalls,
    spread_touches,
    start_apart,
)

STILL_NEAR = 2.0
"""In contact gaps: contacts that are farther open are not solved for, and let go after the step."""
ASKED_SHARE_OF_WAY, MOST_ASKED = 0.02, 8.0
"""Of the way that the points of a contact make past each other, and in contact gaps: how much farther than a gap it is
asked to keep. What moves fast is off its target by more, and need not be solved for again as long as it is free."""
RAISE = 0.5
"""In contact gaps: by how much more a contact is asked to keep that came too near on the way, at least."""
MOST_MISSED = 8.0
"""In contact gaps: a contact whose normal misses more is placed anew."""
NEARLY_RIGHT = 0.2
"""In contact gaps: a contact that is off its gap by less keeps the one it has."""
SPARED, SPARED_AT = 0.2, 0.01
"""In contact gaps: by how much less edges are asked to keep where the way between them leans, as a sine."""
VIOLATED = 0.35
"""In contact gaps: by how much contacts that are solved for are too narrow at most."""


@lean_kernel
def _recall(kept, h, touches_io, states_io, links_io):
    """Rows of contacts that were kept, with the forces that they had."""
    for k in range(kept.name.shape[0]):
        for m in range(5):
            touches_io.name[k, m] = kept.name[k, m]
        for d in range(3):
            touches_io.impulse[k, d] = h * kept.impulse[k, d]
            for e in range(3):
                touches_io.axes[k, d, e] = kept.axes[k, d, e]
        states_io.label[k] = kept.label[k]
        _free_link(links_io, k)


@lean_kernel
def _free_link(links_io, k):
    """A row of a contact: what a hand left there in an earlier step does not count."""
    for d in range(3):
        links_io.aim[k, d] = 0.0
    links_io.soft[k], links_io.limit[k] = 0.0, np.inf


@lean_kernel
def _move_row(touches_io, states_io, k, n):
    """Row k becomes row n."""
    for m in range(5):
        touches_io.name[n, m] = touches_io.name[k, m]
    for m in range(4):
        touches_io.share[n, m] = touches_io.share[k, m]
    for d in range(3):
        touches_io.impulse[n, d] = touches_io.impulse[k, d]
        for e in range(3):
            touches_io.axes[n, d, e] = touches_io.axes[k, d, e]
    states_io.label[n], states_io.gap[n] = states_io.label[k], states_io.gap[k]


@kernel
def _join(touches_io, count, dropped_out):
    """Contacts that have become one: the first of each has the impulses of all, the others go."""
    twin = np.empty(count, np.int32)
    find_rows(touches_io.name, count, touches_io.name[:count], twin)
    for k in range(count):
        if twin[k] != k:
            dropped_out[k] = True
            for d in range(3):
                touches_io.impulse[twin[k], d] += touches_io.impulse[k, d]


@lean_kernel
def _spare_leaning(touches_io, packet, gap, span, times):
    """Let edges between which the way leans keep less: what is nearer beside them holds."""
    fans, vertices, (first, last) = fans_of(packet), vertices_of(packet), span
    for k in range(first, last):
        if touches_io.name[k, 0] == EDGE_EDGE:
            leaning = leaning_edges(fans, vertices, touches_io, k, times[k - first])
            touches_io.target[k] -= SPARED * gap * min(1.0, leaning / SPARED_AT)


@lean_kernel
def _keep_right_gaps(touches_io, begin, n, gap):
    """A gap that is nearly right stays as it is: nothing has to move to make it exact.

    Edges that do not push and are farther than they must be go on as what only may push.
    """
    for k in range(n):
        off = begin[k] - touches_io.target[k]
        spared = touches_io.name[k, 0] == EDGE_EDGE and touches_io.impulse[k, 0] == 0.0 and off > 0.0
        if abs(off) <= NEARLY_RIGHT * gap and not spared:
            touches_io.target[k] = begin[k]


@kernel
def recall_contacts(packet_io, kept, h, gap):
    """Begin with the contacts of the last step: their forces are felt, and those that last go on; how many do."""
    kept, touches, states, links = KeptTouches(*kept), touches_of(packet_io), states_of(packet_io), links_of(packet_io)
    vertices, spread, felt, nodes = (
        vertices_of(packet_io),
        spread_of(packet_io),
        felt_of(packet_io),
        nodes_of(packet_io),
    )
    count, n = kept.name.shape[0], 0
    _recall(kept, h, touches, states, links)
    place_touches(touches, vertices, 0, count, states.gap)
    go_on_beside(packet_io, count)
    spread_touches(touches, vertices, felt.centre, 0, count, spread)
    push_all(touches, spread, count, nodes.pushed, felt.wrench)
    leaning = np.empty(count, np.bool_)
    find_leaning(touches, vertices, count, leaning)
    _join(touches, count, leaning)
    for k in range(count):
        near = STILL_NEAR + MOST_ASKED if touches.impulse[k, 0] > 0.0 else STILL_NEAR
        if kept.gap[k] < near * gap and not leaning[k]:
            _move_row(touches, states, k, n)
            n += 1
    set_laws(touches, laws_of(packet_io), gap, 0, n)
    _spare_leaning(touches, packet_io, gap, (0, n), np.zeros(n))
    _keep_right_gaps(touches, states.gap, n, gap)
    return n


@kernel
def spread_contacts(packet_io, first, n):
    """On which nodes and bodies contacts `first` to n - 1 act."""
    spread_touches(
        touches_of(packet_io), vertices_of(packet_io), felt_of(packet_io).centre, first, n, spread_of(packet_io)
    )


@kernel
def ask_contacts(packet_io, gap, first, n):
    """Ask contacts `first` to n - 1 to keep farther, by how far their points move past each other."""
    asked = (gap, ASKED_SHARE_OF_WAY, MOST_ASKED * gap)
    ask_farther(touches_of(packet_io), vertices_of(packet_io), laws_of(packet_io), asked, first, n)


@lean_kernel
def _place_again(packet_io, k, i, gap):
    """Place contact k as hit i found it on its way, not as the motion begins; it pushes on along its normal."""
    touches, hit, vertices = touches_of(packet_io), hit_of(packet_io), vertices_of(packet_io)
    push = (0.0, 0.0, 0.0)
    for d in range(3):
        push = add(push, scale(touches.impulse[k, d], row(touches.axes[k], d)))
    place_hit(hit.name[i], hit.value[i], k, touches)
    start_apart(touches, vertices, k, k + 1, states_of(packet_io).gap)
    touches.impulse[k, 0] = max(0.0, dot(push, row(touches.axes[k], 0)))
    touches.impulse[k, 1], touches.impulse[k, 2] = 0.0, 0.0
    set_laws(touches, laws_of(packet_io), gap, k, k + 1)
    ask_contacts(packet_io, gap, k, k + 1)
    spread_contacts(packet_io, k, k + 1)


@kernel
def _come_too_near(packet_io, rows, hits, gap, others):
    """Contacts that came too near though they are solved for; what is not solved for yet will be.

    Edges are left to vertices beside them, unless there are no `others` to solve for: between edges that are nearly
    parallel, normals are not sure.
    """
    names, left, count = touches_of(packet_io).name, states_of(packet_io).left, rows.shape[0]
    found, edges, seen = np.empty(count, np.int64), np.empty(count, np.int64), np.zeros(left.shape[0], np.bool_)
    n, m = 0, 0
    for i in range(count):
        k = rows[i]
        if hits.value[i, 8] > 1.0 or k < 0 or seen[k]:
            continue
        seen[k] = True
        if left[k, 0] < -VIOLATED * gap:
            others = True
        elif names[k, 0] == EDGE_EDGE:
            edges[m] = k
            m += 1
        else:
            found[n] = k
            n += 1
    return found[:n] if n > 0 or others else edges[:m]


@lean_kernel
def _first_of(rows, k):
    """The first hit of a contact."""
    i = 0
    while rows[i] != k:
        i += 1
    return i


@kernel
def _raise_contacts(packet_io, again, rows, gap):
    """Ask contacts to keep farther that came too near: by what their frozen normals miss, and more.

    Where that is much, they are placed anew as their first hit says; `rows` are the contacts of hits. Returns how many
    there are, and how many are placed anew.
    """
    touches, vertices, laws, left = (
        touches_of(packet_io),
        vertices_of(packet_io),
        laws_of(packet_io),
        states_of(packet_io).left,
    )
    n, placed = again.shape[0], 0
    hits, short = hit_of(packet_io), np.empty(n)
    shortfalls(touches, vertices, left, again, short)
    for i in range(n):
        k = again[i]
        first = _first_of(rows, k)
        if short[i] > MOST_MISSED * gap and norm(row(hits.value[:, 5:8], first)) > 0.0:
            _place_again(packet_io, k, first, gap)
            placed += 1
            continue
        second = touches.name[k, 2 if touches.name[k, 0] == VERTEX_FACE else 3]
        margin = laws.margin[laws.surface[touches.name[k, 1]]] + laws.margin[laws.surface[second]]
        touches.target[k] = max(touches.target[k] + RAISE * gap, gap + margin + short[i])
    return n, placed


@kernel
def admit_hits(packet_io, hits, n, gap, label, raising):
    """Make contacts of so many hits, after n others; how many there are then, keep farther, and have other normals.

    `label` is that of the next new contact; if `raising`, contacts that came too near must keep farther.
    """
    touches, hit, states, links = touches_of(packet_io), hit_of(packet_io), states_of(packet_io), links_of(packet_io)
    names, values = hit.name[:hits], hit.value[:hits]
    hit_beside(packet_io, hits)
    rows, chosen = np.empty(hits, np.int32), np.empty(hits, np.int64)
    find_rows(touches.name, n, names, rows)
    count, again, placed = choose_first(names, rows, chosen), 0, 0
    if raising:
        near = _come_too_near(packet_io, rows, hit, gap, count > 0)
        again, placed = _raise_contacts(packet_io, near, rows, gap)
    put_touches(names, values, chosen, count, n, touches)
    start_apart(touches, vertices_of(packet_io), n, n + count, states.gap)
    for k in range(n, n + count):
        for d in range(3):
            touches.impulse[k, d] = 0.0
        states.label[k] = label + k - n
        _free_link(links, k)
    set_laws(touches, laws_of(packet_io), gap, n, n + count)
    times = np.minimum(values[chosen[:count], 0], 1.0)
    _spare_leaning(touches, packet_io, gap, (n, n + count), times)
    ask_contacts(packet_io, gap, n, n + count)
    spread_contacts(packet_io, n, n + count)
    return n + count, again, placed


@kernel
def most_asked(packet, n):
    """By how much one of n contacts is asked to keep farther than round shapes reach, at most [m]."""
    return most_raised(touches_of(packet), laws_of(packet), n)


@kernel
def keep_contacts(packet_io, n, impulse, h, near, kept_out):
    """Contacts that pushed or are nearer than `near` [m], with the normals along which they did; how many."""
    tables = touches_of(packet_io), spread_of(packet_io), vertices_of(packet_io), laws_of(packet_io)
    touches, spread, vertices, laws = tables
    return keep_touches(touches, spread, vertices, laws, impulse, states_of(packet_io).label[:n], (h, near), kept_out)
