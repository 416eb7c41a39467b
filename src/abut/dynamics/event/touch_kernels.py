"""When features meet on the way of a step, and which of them become contacts.

Candidates are either all features of pairs that have few, or those found along the chord of the way.
"""

from math import floor, inf, log

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B, FEATURE_A, FEATURE_B, INSIDE, KIND
from ...math.vec_kernels import dot, mat_vec, norm, row, sub
from ...query.motion.feature_table_kernels import PLANE, SEGMENT, TRIANGLE
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from .apart_kernels import EXACT, far_out, features_apart
from .dop853_kernels import dense_body
from .motion_kernels import pose_of
from .motion_tables import SPEED
from .search_tables import AT_ONCE, BY_HITS, CONTACTS, HITS, Span

ARMED = 1e-3
"""Features that are farther apart than the contact gap by this share of it touch when they are back at the gap."""
SHARE_KEPT = 0.99
"""Features that are nearer than that from the beginning touch at the next lower level: each is this share of the one
above it, and the first one is the contact gap."""
SHARE_GRAZED = 0.9
"""To this share of the gap, features beside those in contact may dip and be back unnoticed."""
OFF_LEVEL, APPROACH = 1e-6, -1e-9
"""Share of a level beyond which features are not at it, and their rate [m/s] below which they approach."""
MOST_ADVANCES, FEW_ADVANCES = 400, 40
SHORT_STRIDE, LONG_STRIDE = 1.0 / 64.0, 1.0 / 8.0
"""Shares of a way between moments at which features are looked at that are near each other from the beginning."""
MOST_TOUCHES_AT_ONCE = 3
"""Events at one moment after which bodies at the gap no longer count as just come there."""
# How two bodies stand: no contact holds them; one does, beside which others may touch; they touch without end.
FRESH, BESIDE, STUCK = 0, 1, 2
NO_PROGRESS = 1e-13
"""Share of a step below which there is no progress."""


@inner_kernel
def _put_pair(way_io, x, a, b):
    """States of two bodies at the share x of a way."""
    dense_body(way_io.y, way_io.dense, x, a, way_io.here)
    dense_body(way_io.y, way_io.dense, x, b, way_io.here)


@lean_kernel
def _nearer_than(hit, a, b, shapes, way_io, keep, span):
    """Where between two shares of the way features come nearer than `keep`; they are at the second."""
    low, high = span.start, span.until
    while high - low > NO_PROGRESS:
        middle = 0.5 * (low + high)
        _put_pair(way_io, middle, a, b)
        if features_apart(hit, a, b, shapes, way_io.here, way_io.bounds, keep)[0] <= keep:
            high = middle
        else:
            low = middle
    return high


@inner_kernel
def _level_below(d, rate, gap, standing):
    """Distance at which features that are d apart at the beginning of a way touch.

    It does not depend on where the way began, so that features come no nearer on many short ways than on a long one.
    Features at the gap are beside those in contact, unless they are of a fresh pair: these have just come there.
    """
    beyond = ARMED
    if rate < APPROACH and standing != STUCK:
        beyond = -OFF_LEVEL if standing == FRESH else OFF_LEVEL
    if d > (1.0 + beyond) * gap:
        return gap
    if d <= OFF_LEVEL * gap:
        return SHARE_KEPT * d
    levels = floor(log(d / ((1.0 + OFF_LEVEL) * gap)) / log(SHARE_KEPT))
    return gap * SHARE_KEPT ** (1.0 + max(levels, 0.0))


@lean_kernel
def touch_of(hit, a, b, shapes, way_io, gap, span, standing):
    """Share of the way in a span at which two features touch, by how their bodies stand; inf if they do not.

    Features that are at the gap already, as others beside those that are held there, touch at the next level below,
    unless they have been farther apart before; for these, strides of the way_io are looked at. Where contacts hold
    the bodies, features may stay just beyond the gap: after some advances, they may sink by a share in each.
    """
    x, before, keep = span.start, span.start, -1.0
    for i in range(MOST_ADVANCES):
        _put_pair(way_io, x, a, b)
        d, rate, apart = features_apart(hit, a, b, shapes, way_io.here, way_io.bounds, gap)
        if keep < 0.0 or d > (1.0 + ARMED) * gap:
            keep = _level_below(d, rate, gap, standing)
        grazes = i >= FEW_ADVANCES and keep == gap and standing != FRESH and d <= (1.0 + ARMED) * gap
        if keep < gap or grazes:
            least = SHARE_GRAZED * gap if grazes else keep
            d, rate, apart = features_apart(hit, a, b, shapes, way_io.here, way_io.bounds, least)
            if d < keep:
                return _nearer_than(hit, a, b, shapes, way_io, keep, Span(before, x))
        elif (d - gap <= EXACT * far_out(way_io.here, a, b) and rate <= 0.0) or apart <= NO_PROGRESS * way_io.h:
            return x
        before = x
        x += apart / way_io.h if keep == gap else min(max(apart / way_io.h, SHORT_STRIDE), LONG_STRIDE)
        if x >= span.until:
            return inf
    return -x  # it takes too long: nobody has touched up to here


@lean_kernel
def _facet(shapes, body, triangle):
    """Of a triangle of a body, as contacts name it."""
    s = shapes.shape_of[body]
    if shapes.table.start[s + 1, PLANE] > shapes.table.start[s, PLANE]:
        return 0
    return shapes.surfaces.region[shapes.surfaces.start[s, 0] + triangle, 2 * INSIDE + 1]


@lean_kernel
def _is_held(hit, a, b, shapes, name, n):
    """Whether contacts hold two features."""
    for k in range(n):
        if name[k, BODY_A] != a or name[k, BODY_B] != b or name[k, KIND] != hit[0]:
            continue
        f_a, f_b = hit[1], hit[2]
        if hit[0] == VERTEX_FACE:
            f_b = _facet(shapes, b, f_b)
        elif hit[0] == FACE_VERTEX:
            f_a = _facet(shapes, a, f_a)
        if name[k, FEATURE_A] == f_a and name[k, FEATURE_B] == f_b:
            return True
    return False


@inner_kernel
def _standing(a, b, scene):
    """Whether contacts hold two bodies; if none does, they may have come to each other just now.

    If bodies touch again and again while time does not go on, no contact can be made of what touches.
    """
    if scene.count[AT_ONCE] > MOST_TOUCHES_AT_ONCE:
        return STUCK
    for k in range(scene.count[CONTACTS]):
        if scene.contacts.name[k, BODY_A] == a and scene.contacts.name[k, BODY_B] == b:
            return BESIDE
    return FRESH


@inner_kernel
def _room_of(shapes, way, i):
    """[m] from where the centre of mass of body i is to whatever it may reach on a way."""
    y, h = way.y, way.h
    speed = norm((y[i, SPEED], y[i, SPEED + 1], y[i, SPEED + 2]))
    return shapes.reach[i] + h * (speed + 0.5 * h * way.bounds[i, 0])


@inner_kernel
def may_meet(a, b, shapes, way, gap):
    """Whether two bodies may come nearer to each other than twice the gap on a way."""
    y = way.y
    for v, f in ((a, b), (b, a)):
        s = shapes.shape_of[f]
        if shapes.table.start[s + 1, PLANE] > shapes.table.start[s, PLANE]:
            still = way.bounds[f, 0] == 0.0 and way.bounds[f, 2] == 0.0 and y[f, SPEED] == 0.0
            if not (still and y[f, SPEED + 1] == 0.0 and y[f, SPEED + 2] == 0.0):
                return True
            plane, X = shapes.table.half_space[shapes.table.start[s, PLANE]], pose_of(y, f)
            n = mat_vec(X.R, (plane[0], plane[1], plane[2]))
            return dot(n, sub(row(y, v), X.p)) - plane[3] <= _room_of(shapes, way, v) + 2.0 * gap
    return norm(sub(row(y, a), row(y, b))) <= _room_of(shapes, way, a) + _room_of(shapes, way, b) + 2.0 * gap


@inner_kernel
def _sizes(shapes, body):
    """Vertices, edges and triangles of a body; a half-space is one triangle."""
    s, start = shapes.shape_of[body], shapes.table.start
    faces = start[s + 1, TRIANGLE] - start[s, TRIANGLE] + start[s + 1, PLANE] - start[s, PLANE]
    return shapes.table.peaks[s], start[s + 1, SEGMENT] - start[s, SEGMENT], faces


@inner_kernel
def _hit_number(k, size_a, size_b):
    """Feature pair k of two bodies with these features; kind -1 behind the last."""
    n = size_a[0] * size_b[2]
    if k < n:
        return VERTEX_FACE, k // size_b[2], k % size_b[2]
    k -= n
    n = size_a[2] * size_b[0]
    if k < n:
        return FACE_VERTEX, k // size_b[0], k % size_b[0]
    k -= n
    n = size_a[1] * size_b[1]
    if k < n:
        return EDGE_EDGE, k // size_b[1], k % size_b[1]
    return -1, 0, 0


@inner_kernel
def _is_far(hit, a, b, shapes, way, gap, span):
    """Whether two features are too far apart at the start of a way to touch in a span that begins there."""
    if span.start > 0.0:
        return False
    d, _, apart = features_apart(hit, a, b, shapes, way.y, way.bounds, gap)
    return d > (1.0 + ARMED) * gap and apart >= span.until * way.h


@lean_kernel
def _first_of_pair(a, b, scene, way_io, span):
    """The first of all feature pairs of two bodies that touch: share and whether it is one."""
    size_a, size_b = _sizes(scene.shapes, a), _sizes(scene.shapes, b)
    best, touches, k, standing = span.until, False, 0, _standing(a, b, scene)
    name, n, gap = scene.contacts.name, scene.count[CONTACTS], scene.options.gap
    while True:
        hit = _hit_number(k, size_a, size_b)
        if hit[0] < 0:
            return best, touches
        k += 1
        if _is_far(hit, a, b, scene.shapes, way_io, gap, Span(span.start, best)):
            continue
        if n > 0 and _is_held(hit, a, b, scene.shapes, name, n):
            continue
        x = touch_of(hit, a, b, scene.shapes, way_io, gap, Span(span.start, best), standing)
        if x == inf:
            continue
        best, touches = abs(x), x >= 0.0


@inner_kernel
def _first_of_hits(scene, way_io, span):
    """The same of candidates that were found along the chord of the way."""
    best, touches, pairs = span.until, False, scene.pairs
    name, n, gap = scene.contacts.name, scene.count[CONTACTS], scene.options.gap
    for k in range(scene.count[HITS]):
        a, b = pairs.found[pairs.of_hit[k], 0], pairs.found[pairs.of_hit[k], 1]
        hit = (pairs.hits[k, 0], pairs.hits[k, 1], pairs.hits[k, 2])
        if n > 0 and _is_held(hit, a, b, scene.shapes, name, n):
            continue
        x = touch_of(hit, a, b, scene.shapes, way_io, gap, Span(span.start, best), _standing(a, b, scene))
        if x == inf:
            continue
        best, touches = abs(x), x >= 0.0
    return best, touches


@inner_kernel
def first_touch(scene, way_io, span):
    """Share of the way in a span at which the first features touch that no contact holds, and whether some do.

    The share is the end of the span if none do, and less where a search took too long and the way_io is to end.
    """
    if scene.count[BY_HITS]:
        return _first_of_hits(scene, way_io, span)
    best, touches, bodies = span.until, False, scene.pairs.bodies
    for p in range(bodies.shape[0]):
        a, b = bodies[p, 0], bodies[p, 1]
        if not may_meet(a, b, scene.shapes, way_io, scene.options.gap):
            continue
        x, found = _first_of_pair(a, b, scene, way_io, Span(span.start, best))
        if x < best:
            best, touches = x, found
    return best, touches


@inner_kernel
def need_hits(scene, way):
    """Whether bodies that have many features may meet on a way, and whether any bodies may."""
    pairs, any_near = scene.pairs, False
    for p in range(pairs.bodies.shape[0]):
        if may_meet(pairs.bodies[p, 0], pairs.bodies[p, 1], scene.shapes, way, scene.options.gap):
            any_near = True
            if not pairs.plain[p]:
                return True, True
    return False, any_near


@inner_kernel
def put_touching(scene, limit, touches_out):
    """Candidates that are not farther apart than `limit` where bodies are; returns how many, also beyond the room."""
    pairs, n, y, bounds = scene.pairs, 0, scene.step.y, scene.step.bounds
    room = touches_out.pair.shape[0]
    if scene.count[BY_HITS]:
        for k in range(scene.count[HITS]):
            a, b = pairs.found[pairs.of_hit[k], 0], pairs.found[pairs.of_hit[k], 1]
            hit = (pairs.hits[k, 0], pairs.hits[k, 1], pairs.hits[k, 2])
            if features_apart(hit, a, b, scene.shapes, y, bounds, 0.0)[0] <= limit:
                if n < room:
                    _put_touch(hit, pairs.of_hit[k], n, touches_out)
                n += 1
        return n
    for p in range(pairs.bodies.shape[0]):
        a, b = pairs.bodies[p, 0], pairs.bodies[p, 1]
        size_a, size_b, k = _sizes(scene.shapes, a), _sizes(scene.shapes, b), 0
        while pairs.plain[p]:
            hit = _hit_number(k, size_a, size_b)
            if hit[0] < 0:
                break
            k += 1
            if features_apart(hit, a, b, scene.shapes, y, bounds, 0.0)[0] <= limit:
                if n < room:
                    _put_touch(hit, p, n, touches_out)
                n += 1
    return n


@inner_kernel
def _put_touch(hit, pair, n, touches_out):
    for c in range(3):
        touches_out.hits[n, c] = hit[c]
    touches_out.pair[n], touches_out.times[n + 1] = pair, 0.0
