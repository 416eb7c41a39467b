"""Contacts come and go: candidates that touch become points, and points that are far away are dropped."""

from ..._jit import inner_kernel, lean_kernel
from ..._jit.handle import whole
from ...contact.admit_kernels import admit_hits
from ...contact.contact_kernels import (
    BODY_A,
    BODY_B,
    let_normal_turn,
)
from ...contact.contact_tables import Sides
from ...math.pose_kernels import put_frame
from ...math.vec_kernels import dot, norm, sub
from ..contacts.contact_set_kernels import append_pushing, keep_contacts
from ..contacts.pair_kernels import pair_value
from .hinge_kernels import slip_of
from .motion_kernels import pose_of
from .motion_tables import SPEED
from .note_kernels import note_point
from .search_tables import (
    AT_ONCE,
    BY_HITS,
    CONTACTS,
    CONTACTS_OF_TOUCH,
    DEAD,
    DONE,
    GONE,
    LABELS,
    NEED_ROOM,
    NOW,
    PHASE,
    RESOLVE,
    SLIDE_OFF_NOTE,
    TOUCHING,
)
from .support_kernels import faces_in, gap_of, place_points
from .touch_kernels import ARMED, MOST_TOUCHES_AT_ONCE, put_touching

BORDER, BEYOND = 0.01, 1.5
"""Contact gaps by which a point may lie beyond the border of its face: as a rule, and where nothing else holds it."""
NEW_POINTS = 16
"""That a pair of bodies may gain in one event."""
SAME_DIRECTION = 1.0 - 1e-6
"""Cosine above which two normals are one."""


@lean_kernel
def _copy_point(points_io, p, q):
    """Copy what is known of point p to row q."""
    points_io.status[q], points_io.target[q], points_io.slack[q] = (
        points_io.status[p],
        points_io.target[p],
        points_io.slack[p],
    )
    points_io.slow[q] = points_io.slow[p]
    points_io.touching[q], points_io.mode[q] = points_io.touching[p], points_io.mode[p]
    points_io.pulled[q], points_io.gripped[q] = points_io.pulled[p], points_io.gripped[p]
    points_io.restitution[q], points_io.friction[q] = points_io.restitution[p], points_io.friction[p]
    for c in range(3):
        points_io.direction[q, c] = points_io.direction[p, c]


@lean_kernel
def _keep(scene_io, alive):
    """Drop contacts that are not alive, with what is known of their points; whether there are such."""
    count, contacts, gone = scene_io.count, scene_io.contacts, scene_io.gone
    n, limits, at = count[CONTACTS], scene_io.limits.index.shape[0], 0
    for k in range(n):
        if alive[k]:
            if at < k:
                _copy_point(scene_io.points, limits + k, limits + at)
            at += 1
    if at == n:
        return False
    rows = (contacts.name, contacts.place, contacts.force, contacts.friction, contacts.extra, contacts.acted)
    keep_contacts(alive, 1e300, n, rows)
    count[CONTACTS] = at
    gone_rows = (gone.name, gone.place, gone.force, gone.friction, gone.extra, gone.acted)
    count[GONE] = append_pushing(at, n, rows, count[GONE], gone_rows)
    return True


@inner_kernel
def drop_points(scene_io):
    """Place contacts where bodies are, and drop dead ones that are far apart or do not face each other any more."""
    alive, points, limits = scene_io.work.alive, scene_io.points, scene_io.limits.index.shape[0]
    place_points(scene_io, alive)
    far = scene_io.options.gap * (1.0 + ARMED)
    for k in range(scene_io.count[CONTACTS]):
        p = limits + k
        gap, _ = gap_of(p, scene_io, scene_io.step.y, scene_io.system.room.line[0])
        alive[k] = not (points.status[p] == DEAD and (gap > far or not alive[k]))
    return _keep(scene_io, alive)


@inner_kernel
def take_points(scene_io):
    """Place contacts where bodies are, and drop those of other methods that are farther apart than points may be."""
    alive, limits, far = scene_io.work.alive, scene_io.limits.index.shape[0], scene_io.options.gap * (1.0 + ARMED)
    place_points(scene_io, alive)
    for k in range(scene_io.count[CONTACTS]):
        alive[k] = gap_of(limits + k, scene_io, scene_io.step.y, scene_io.system.room.line[0])[0] <= far
    _keep(scene_io, alive)


@inner_kernel
def note_slides(scene_io):
    """Note and drop points that left their faces; whether there are such."""
    alive, points, limits = scene_io.work.alive, scene_io.points, scene_io.limits.index.shape[0]
    for k in range(scene_io.count[CONTACTS]):
        p = limits + k
        alive[k] = points.status[p] == DEAD or faces_in(k, scene_io, scene_io.step.y, points.slack[p])
        if not alive[k] and points.touching[p]:
            note_point(scene_io, p, SLIDE_OFF_NOTE, scene_io.clock[NOW], 0.0)
    return _keep(scene_io, alive)


@inner_kernel
def _grow(scene_io, before, slack):
    """Points of contacts from row `before` on are new, and held at the gaps they have, but no farther than at the gap.

    Those beyond it touch when they are there: else bodies would rest, and strike, where nothing else holds them.
    """
    points, laws, limits = scene_io.points, scene_io.laws, scene_io.limits.index.shape[0]
    for k in range(before, scene_io.count[CONTACTS]):
        p, name, contacts = limits + k, scene_io.contacts.name, scene_io.contacts
        gap, _ = gap_of(p, scene_io, scene_io.step.y, scene_io.system.room.line[0])
        points.status[p], points.target[p], points.slack[p] = DEAD, min(gap, scene_io.options.gap), slack
        points.touching[p], points.mode[p], points.pulled[p], points.gripped[p] = False, 0, False, False
        a, b = name[k, BODY_A], name[k, BODY_B]
        points.friction[p] = pair_value(a, b, laws.of_body[:, 0], laws.default[0], laws.pairs, laws.of_pair[:, 0])
        points.restitution[p] = pair_value(a, b, laws.of_body[:, 1], laws.default[1], laws.pairs, laws.of_pair[:, 1])
        contacts.force[k] = points.slow[p] = 0.0
        for c in range(3):
            contacts.friction[k, c], points.direction[p, c] = 0.0, 0.0
        for c in range(contacts.acted.shape[1]):
            contacts.acted[k, c] = 0.0


@inner_kernel
def _touch(k, scene):
    """Where contact k touches, and its normal."""
    name, y = scene.contacts.name, scene.step.y
    a, b = name[k, BODY_A], name[k, BODY_B]
    c, n, _ = slip_of(k, a, b, scene.system.tables, pose_of(y, a), pose_of(y, b), y, SPEED)
    return c, n


@inner_kernel
def _repeats(i, k, scene):
    """Whether contact k holds its bodies where contact i does, in the same direction."""
    name = scene.contacts.name
    if name[i, BODY_A] != name[k, BODY_A] or name[i, BODY_B] != name[k, BODY_B]:
        return False
    (x_i, n_i), (x_k, n_k) = _touch(i, scene), _touch(k, scene)
    return norm(sub(x_i, x_k)) <= BORDER * scene.options.gap and dot(n_i, n_k) > SAME_DIRECTION


@inner_kernel
def _drop_repeated(scene_io, first):
    """Leave out new points that hold bodies where a point that rests holds them already, in the same direction.

    A vertex or an edge that comes to the border of what it touches has one normal there and goes on with it: that of
    the border is not well determined, and would be a blow against the motion (Bouma & Vanecek, section 8).
    """
    alive, limits = scene_io.work.alive, scene_io.limits.index.shape[0]
    for k in range(scene_io.count[CONTACTS]):
        alive[k] = True
        if k < first:
            continue
        for i in range(first):
            if scene_io.points.status[limits + i] != DEAD and _repeats(i, k, scene_io):
                alive[k] = False
    _keep(scene_io, alive)


@inner_kernel
def _admit_within(scene_io, slack, n_hit, chains_io):
    """Make contacts of touches, which may lie beyond their faces by `slack`."""
    count, touches, shapes = scene_io.count, scene_io.touches, scene_io.shapes
    contacts, y = scene_io.contacts, scene_io.step.y
    before = count[CONTACTS]
    pairs = scene_io.pairs.found if count[BY_HITS] else scene_io.pairs.bodies
    count[CONTACTS], _, count[LABELS] = admit_hits(
        (touches.times, touches.hits, touches.pair, n_hit),
        (pairs, shapes.shape_of, scene_io.work.motion),
        whole(shapes.table),
        whole(shapes.surfaces),
        (slack, scene_io.options.gap, 1.0, NEW_POINTS),
        (before, count[LABELS]),
        chains_io,
        (contacts.name, contacts.place, contacts.extra),
    )
    for k in range(before, count[CONTACTS]):
        a, b = contacts.name[k, BODY_A], contacts.name[k, BODY_B]
        shape, poses = Sides(shapes.shape_of[a], shapes.shape_of[b]), Sides(pose_of(y, a), pose_of(y, b))
        let_normal_turn(contacts.name, contacts.place, k, shapes.table, shape, poses)
    # What left and is back while time does not go on may lie the farther beyond, the more often it has.
    again = max(count[AT_ONCE] - MOST_TOUCHES_AT_ONCE, 0)
    _grow(scene_io, before, slack * 2.0**again)


@inner_kernel
def admit(scene_io):
    """Make contacts of the candidates that touch; DONE, or NEED_ROOM before anything was done."""
    count, gap, motion, y = scene_io.count, scene_io.options.gap, scene_io.work.motion, scene_io.step.y
    n = put_touching(scene_io, gap * (1.0 + 2.0 * ARMED), scene_io.touches)
    room = scene_io.contacts.force.shape[0] - 2
    wanted, count[TOUCHING] = count[CONTACTS] + CONTACTS_OF_TOUCH * n, n
    if n > scene_io.touches.pair.shape[0] or wanted > room:
        return NEED_ROOM
    if scene_io.limits.index.shape[0] + wanted > scene_io.points.status.shape[0]:
        return NEED_ROOM
    for i in range(motion.shape[0]):
        put_frame(pose_of(y, i), i, motion)
        for c in range(12, 18):
            motion[i, c] = 0.0
    before, chains = count[CONTACTS], (scene_io.work.first, scene_io.work.following)
    for slack in (BORDER * gap, BEYOND * gap):
        _admit_within(scene_io, slack, n, chains)
        _drop_repeated(scene_io, before)
        if count[CONTACTS] > before:
            break
    count[PHASE] = RESOLVE
    return DONE
