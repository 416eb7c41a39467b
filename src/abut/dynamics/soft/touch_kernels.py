"""Contacts of deformable bodies: where they are, how wide they are open, and what their impulses do."""

from math import hypot

from ..._jit import inner_kernel, kernel, lean_kernel
from ...fem.skin_check_kernels import VERTEX_FACE, nearest_at
from ...math.vec_kernels import add, cross, dot, norm, orthonormal_basis, row, scale, sub
from .soft_tables import EndMotion, Links, Rigid, SoftNodes, Spread, Touches, Vertices

LINK, NODE = 2, 3
"""Kinds of rows that hold something to a point along three axes, both ways: three vertices of a skin, and a node."""
UPRIGHT = 0.9
"""Cosine of the angle between the normals of a contact and of its face up to which it goes on in the next step."""
ENOUGH_SETTLED = 1e-3
"""Share of an impulse below which taking back more of it is not worth a sweep."""


@kernel
def move_vertices(vertices, velocities, h, n, end_out):
    """Where the first n vertices, those of soft bodies, end a step in which nodes move with these velocities."""
    vertices = Vertices(*vertices)
    for i in range(n):
        a, b, c, e = vertices.carrier[i, 0], vertices.carrier[i, 1], vertices.carrier[i, 2], vertices.carrier[i, 3]
        for d in range(3):
            speed = (
                vertices.share[i, 0] * velocities[a, d]
                + vertices.share[i, 1] * velocities[b, d]
                + vertices.share[i, 2] * velocities[c, d]
                + vertices.share[i, 3] * velocities[e, d]
            )
            end_out[i, d] = vertices.start[i, d] + h * speed


@inner_kernel
def put_axes(normal, k, axes_out):
    """The normal of a contact and two tangents."""
    u, v = orthonormal_basis(normal)
    for d in range(3):
        axes_out[k, 0, d], axes_out[k, 1, d], axes_out[k, 2, d] = normal[d], u[d], v[d]


@inner_kernel
def put_shares(kind, shares, k, share_out):
    """Shares of the four vertices, negative on A."""
    cut = 1 if kind == VERTEX_FACE else 2
    for m in range(4):
        share_out[k, m] = -shares[m] if m < cut else shares[m]


@kernel
def place_touches(touches_io, vertices, first, last, gap_out):
    """Normals, shares and distances of contacts where the step begins; tables of rows first .. last - 1."""
    touches, vertices = Touches(*touches_io), Vertices(*vertices)
    for k in range(first, last):
        kind = touches.name[k, 0]
        if kind >= LINK:
            gap_out[k] = 0.0
            continue
        ids = (touches.name[k, 1], touches.name[k, 2], touches.name[k, 3], touches.name[k, 4])
        shares, way, distance = nearest_at(kind, vertices.start, vertices.start, ids, 0.0)
        gap_out[k] = distance
        if distance > 0.0:
            put_axes(scale(1.0 / distance, way), k, touches.axes)
            put_shares(kind, shares, k, touches.share)


@kernel
def start_apart(touches_io, vertices, first, last, gap_out):
    """Place contacts as the step begins where their features would overlap then along the normal; rows as above.

    Features are apart there. What a trial motion far from the last one brings together may have a normal along which
    they are millimetres on the wrong side: to push them to the right one would give them energy from nowhere.
    """
    touches, vertices = Touches(*touches_io), Vertices(*vertices)
    for k in range(first, last):
        begin = sub(way_of(touches, vertices, k, False), way_of(touches, vertices, k, True))
        if dot(begin, row(touches.axes[k], 0)) < 0.0:
            place_touches(touches_io, vertices, k, k + 1, gap_out)


@kernel
def find_leaning(touches, vertices, n, leaning_out):
    """Which contacts of a vertex and a face push aside rather than away: the vertex has left the face over a side.

    A neighbour of the face is nearer then, or will be.
    """
    touches, vertices = Touches(*touches), Vertices(*vertices)
    for k in range(n):
        leaning_out[k] = False
        if touches.name[k, 0] == VERTEX_FACE:
            a, b = row(vertices.start, touches.name[k, 2]), row(vertices.start, touches.name[k, 3])
            up = cross(sub(b, a), sub(row(vertices.start, touches.name[k, 4]), a))
            leaning_out[k] = abs(dot(up, row(touches.axes[k], 0))) < UPRIGHT * norm(up)


@inner_kernel
def place_hit(name, value, k, touches_io):
    """Normal and shares of a contact as a hit found them."""
    put_shares(name[0], (value[1], value[2], value[3], value[4]), k, touches_io.share)
    put_axes((value[5], value[6], value[7]), k, touches_io.axes)


@kernel
def shortfalls(touches, vertices, left, rows, short_out):
    """By how much contacts are nearer at the end of the motion than their frozen normals say [m]."""
    touches, vertices = Touches(*touches), Vertices(*vertices)
    for i in range(rows.shape[0]):
        k = rows[i]
        ids = (touches.name[k, 1], touches.name[k, 2], touches.name[k, 3], touches.name[k, 4])
        _, way, distance = nearest_at(touches.name[k, 0], vertices.end, vertices.end, ids, 0.0)
        found = distance if dot(way, row(touches.axes[k], 0)) > 0.0 else -distance
        short_out[i] = max(0.0, left[k, 0] + touches.target[k] - found)


@kernel
def put_touches(names, values, chosen, n_chosen, first, touches_io):
    """Make contacts of the chosen hits, from row `first` on."""
    touches = Touches(*touches_io)
    for c in range(n_chosen):
        i, n = chosen[c], first + c
        for m in range(5):
            touches.name[n, m] = names[i, m]
        place_hit(names[i], values[i], n, touches)


@inner_kernel
def _add_node(node, share, k, count, spread_io):
    """Add a node to those of a contact, or to its share where it is among them; how many there are."""
    for i in range(count):
        if spread_io.node[k, i] == node:
            spread_io.share[k, i] += share
            return count
    spread_io.node[k, count], spread_io.share[k, count] = node, share
    return count + 1


@inner_kernel
def point_of(name, share, k, table, side):
    """The point of a contact on A (side 0) or on B (1)."""
    p = (0.0, 0.0, 0.0)
    for m in range(4):
        s = share[k, m]
        if (s < 0.0) == (side == 0) and s != 0.0:
            p = add(p, scale(abs(s), row(table, name[k, 1 + m])))
    return p


@inner_kernel
def _first_vertex(touches, k, side):
    """A vertex of a contact on A (side 0) or on B (1)."""
    return touches.name[k, 1 if side == 0 else (2 if touches.name[k, 0] == VERTEX_FACE else 3)]


@kernel
def spread_touches(touches, vertices, centre, first, last, spread_io):
    """On which nodes and rigid bodies contacts `first` to `last` - 1 act; `centre` (n_body, 3) of rigid bodies."""
    touches, vertices, spread = Touches(*touches), Vertices(*vertices), Spread(*spread_io)
    for k in range(first, last):
        count = 0
        spread.body[k, 0], spread.body[k, 1] = -1, -1
        if touches.name[k, 0] == NODE:
            spread.body[k, 0], spread.count[k] = touches.name[k, 2], 1
            spread.node[k, 0], spread.share[k, 0] = touches.name[k, 1], 1.0
            continue
        for m in range(4):
            v, s = touches.name[k, 1 + m], touches.share[k, m]
            if v < 0 or s == 0.0:
                continue
            if vertices.body[v] >= 0:
                spread.body[k, 0 if s < 0.0 else 1] = vertices.body[v]
                continue
            for i in range(4):
                count = _add_node(vertices.carrier[v, i], s * vertices.share[v, i], k, count, spread)
        spread.count[k] = count
        for side in range(2):
            body = spread.body[k, side]
            if body >= 0:
                arm = sub(point_of(touches.name, touches.share, k, vertices.start, side), row(centre, body))
                beyond = vertices.margin[_first_vertex(touches, k, side)]
                arm = add(arm, scale(beyond if side == 0 else -beyond, row(touches.axes[k], 0)))
                for d in range(3):
                    spread.arm[k, side, d] = arm[d]


@inner_kernel
def way_of(touches, vertices, k, from_start):
    """The way from A to B at the end of a step, less that at its start where asked for."""
    w = (0.0, 0.0, 0.0)
    for m in range(4):
        v, s = touches.name[k, 1 + m], touches.share[k, m]
        if v >= 0:
            p = row(vertices.end, v)
            w = add(w, scale(s, sub(p, row(vertices.start, v)) if from_start else p))
    return w


@inner_kernel
def _shifted(spread, extra, k, h):
    """By how much the way from A to B grows with what rigid bodies move beyond their known motion."""
    w = (0.0, 0.0, 0.0)
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            v, turn = (extra[b, 0], extra[b, 1], extra[b, 2]), (extra[b, 3], extra[b, 4], extra[b, 5])
            moved = add(v, cross(turn, row(spread.arm[k], side)))
            w = add(w, scale(-h if side == 0 else h, moved))
    return w


@inner_kernel
def _rolled(touches, vertices, k):
    """By how much surfaces of round bodies slip with their turns, beyond their cores: B beside A."""
    a, b = row(vertices.roll, _first_vertex(touches, k, 0)), row(vertices.roll, _first_vertex(touches, k, 1))
    return cross(row(touches.axes[k], 0), add(a, b))


@kernel
def measure_touches(touches, vertices, spread, links, nodes, extra, h, left_out):
    """What is left at the end of the step: distance less target along normals, slip along tangents [m].

    Points that are held are measured along all axes against their aims. `extra` (n_body, 6) are velocities of rigid
    bodies beyond their known motion; rows are those of `left_out`.
    """
    touches, vertices, spread = Touches(*touches), Vertices(*vertices), Spread(*spread)
    links, nodes = Links(*links), SoftNodes(*nodes)
    for k in range(left_out.shape[0]):
        shift = _shifted(spread, extra, k, h)
        if touches.name[k, 0] == NODE:
            i = touches.name[k, 1]
            for d in range(3):
                left_out[k, d] = nodes.start[i, d] + h * nodes.velocity[i, d] + shift[d] - links.aim[k, d]
            continue
        way, slip = add(way_of(touches, vertices, k, False), shift), add(way_of(touches, vertices, k, True), shift)
        if touches.name[k, 0] == LINK:
            for d in range(3):
                left_out[k, d] = way[d] - links.aim[k, d] + links.soft[k] * touches.impulse[k, d]
            continue
        slip = add(slip, _rolled(touches, vertices, k))
        left_out[k, 0] = dot(way, row(touches.axes[k], 0)) - touches.target[k]
        left_out[k, 1] = dot(slip, row(touches.axes[k], 1))
        left_out[k, 2] = dot(slip, row(touches.axes[k], 2))


@kernel
def touch_errors(touches, vertices, left, limit):
    """By how much contacts are off their laws [m]: too narrow; pushing but open; slipping but sticking, or not held.

    The last number is the longest way of a pushing contact's points past each other.
    """
    touches, vertices = Touches(*touches), Vertices(*vertices)
    narrow, wide, off, longest = 0.0, 0.0, 0.0, 0.0
    for k in range(left.shape[0]):
        p = (touches.impulse[k, 0], touches.impulse[k, 1], touches.impulse[k, 2])
        if touches.name[k, 0] >= LINK:
            if norm(p) < (1.0 - 1e-9) * limit[k]:
                off = max(off, abs(left[k, 0]), abs(left[k, 1]), abs(left[k, 2]))
            continue
        narrow = max(narrow, -left[k, 0])
        if p[0] > 0.0:
            wide = max(wide, left[k, 0])
            longest = max(longest, norm(way_of(touches, vertices, k, True)))
            if hypot(p[1], p[2]) < (1.0 - 1e-9) * touches.friction[k] * p[0]:
                off = max(off, abs(left[k, 1]), abs(left[k, 2]))
    return narrow, wide, off, longest


@inner_kernel
def _along(axes, k, p):
    """The vector with components p along the axes of a contact."""
    x = (0.0, 0.0, 0.0)
    for d in range(3):
        x = add(x, scale(p[d], row(axes[k], d)))
    return x


@kernel
def push_all(touches, spread, n, node_out, wrench_out):
    """What the impulses of n contacts are on nodes (n_node, 3) [N s] and on rigid bodies (n_body, 6) [N s], [N m s]."""
    touches, spread = Touches(*touches), Spread(*spread)
    for i in range(node_out.shape[0]):
        for d in range(3):
            node_out[i, d] = 0.0
    for b in range(wrench_out.shape[0]):
        for d in range(6):
            wrench_out[b, d] = 0.0
    for k in range(n):
        p = (touches.impulse[k, 0], touches.impulse[k, 1], touches.impulse[k, 2])
        if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
            continue
        x = _along(touches.axes, k, p)
        for i in range(spread.count[k]):
            node, s = spread.node[k, i], spread.share[k, i]
            for d in range(3):
                node_out[node, d] += s * x[d]
        for side in range(2):
            b = spread.body[k, side]
            if b < 0:
                continue
            y = scale(-1.0 if side == 0 else 1.0, x)
            turn = cross(row(spread.arm[k], side), y)
            for d in range(3):
                wrench_out[b, d] += y[d]
                wrench_out[b, 3 + d] += turn[d]


@kernel
def settle_velocities(touches, spread, most_sweeps, motion_io, impulse_io):
    """Take from contacts that pushed the velocity with which they would part: restitution 0.

    The scheme of the material lets impulses overshoot; what is taken back is never more than they were. Contacts that
    stick lose their slip. `impulse_io` (n, 3) are the step's.
    """
    touches, spread, motion = Touches(*touches), Spread(*spread), EndMotion(*motion_io)
    for _ in range(most_sweeps):
        largest = 0.0
        for k in range(impulse_io.shape[0]):
            if touches.name[k, 0] < LINK and impulse_io[k, 0] > 0.0:
                largest = max(largest, _settle(touches, spread, k, motion, impulse_io))
        if largest < ENOUGH_SETTLED:
            break


@inner_kernel
def _answer_along(touches, spread, motion, k, axis):
    """How much the velocity of B beside A along an axis of a contact changes with an impulse along it [1/kg]."""
    inverse, e, rigid = 0.0, row(touches.axes[k], axis), Rigid(*motion.rigid)
    for i in range(spread.count[k]):
        m = motion.mass[spread.node[k, i]]
        if m > 0.0:
            inverse += spread.share[k, i] * spread.share[k, i] / m
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            turn, I = cross(row(spread.arm[k], side), e), rigid.inertia[b]
            spun = dot(row(I, 0), turn), dot(row(I, 1), turn), dot(row(I, 2), turn)
            inverse += rigid.mass[b] + dot(turn, spun)
    return inverse


@inner_kernel
def _velocity_along(touches, spread, motion, k, axis):
    """Velocity of B beside A along an axis of a contact."""
    v, twist = (0.0, 0.0, 0.0), motion.twist
    for i in range(spread.count[k]):
        v = add(v, scale(spread.share[k, i], row(motion.velocity, spread.node[k, i])))
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            speed, spin = (twist[b, 0], twist[b, 1], twist[b, 2]), (twist[b, 3], twist[b, 4], twist[b, 5])
            moved = add(speed, cross(spin, row(spread.arm[k], side)))
            v = add(v, scale(-1.0 if side == 0 else 1.0, moved))
    return dot(v, row(touches.axes[k], axis))


@lean_kernel
def _settle(touches, spread, k, motion_io, impulse_io):
    """One contact of these; by which share of its impulse that changed."""
    before, largest = impulse_io[k, 0], 0.0
    sticks = hypot(impulse_io[k, 1], impulse_io[k, 2]) < touches.friction[k] * before
    for axis in range(3 if sticks else 1):
        inverse = _answer_along(touches, spread, motion_io, k, axis)
        v = _velocity_along(touches, spread, motion_io, k, axis)
        if inverse == 0.0 or (axis == 0 and v <= 0.0):
            continue
        old = impulse_io[k, axis]
        bound = touches.friction[k] * impulse_io[k, 0]
        new = max(0.0, old - v / inverse) if axis == 0 else min(bound, max(-bound, old - v / inverse))
        impulse_io[k, axis] = new
        _kick(spread, k, scale(new - old, row(touches.axes[k], axis)), motion_io)
        largest = max(largest, abs(new - old) / before)
    return largest


@inner_kernel
def _kick(spread, k, x, motion_io):
    """Velocities after an impulse on B of a contact."""
    rigid = Rigid(*motion_io.rigid)
    for i in range(spread.count[k]):
        node, s = spread.node[k, i], spread.share[k, i]
        if motion_io.mass[node] > 0.0:
            for d in range(3):
                motion_io.velocity[node, d] += s * x[d] / motion_io.mass[node]
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            y = scale(-1.0 if side == 0 else 1.0, x)
            turn = cross(row(spread.arm[k], side), y)
            for d in range(3):
                motion_io.twist[b, d] += rigid.mass[b] * y[d]
                motion_io.twist[b, 3 + d] += dot(row(rigid.inertia[b], d), turn)
