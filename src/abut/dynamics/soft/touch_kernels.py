"""Contacts of deformable bodies: where they are, how wide they are open, and what their impulses do."""

from math import hypot

from ..._jit import kernel
from ...fem.skin_check_kernels import VERTEX_FACE, nearest_at
from ...math.vec_kernels import add, cross, dot, norm, orthonormal_basis, row, scale, sub
from .soft_tables import Spread, Touches, Vertices

LINK, NODE = 2, 3
"""Kinds of rows that hold something to a point along three axes, both ways: three vertices of a skin, and a node."""
UPRIGHT = 0.9
"""Cosine of the angle between the normals of a contact and of its face up to which it goes on in the next step."""
ENOUGH_SETTLED = 1e-3
"""Share of an impulse below which taking back more of it is not worth a sweep."""


@kernel
def put_axes(normal, k, axes_out):
    """The normal of a contact and two tangents."""
    u, v = orthonormal_basis(normal)
    for d in range(3):
        axes_out[k, 0, d], axes_out[k, 1, d], axes_out[k, 2, d] = normal[d], u[d], v[d]


@kernel
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


@kernel
def put_touches(names, values, chosen, n_chosen, first, touches_io):
    """Make contacts of the chosen hits, from row `first` on."""
    touches = Touches(*touches_io)
    for c in range(n_chosen):
        i, n = chosen[c], first + c
        for m in range(5):
            touches.name[n, m] = names[i, m]
        put_shares(names[i, 0], (values[i, 1], values[i, 2], values[i, 3], values[i, 4]), n, touches.share)
        put_axes((values[i, 5], values[i, 6], values[i, 7]), n, touches.axes)


@kernel
def put_normals(values, hits, rows, touches_io):
    """Shares and axes of contacts that were hit again, as they were then."""
    touches = Touches(*touches_io)
    for i in range(hits.shape[0]):
        k, j = rows[i], hits[i]
        put_shares(touches.name[k, 0], (values[j, 1], values[j, 2], values[j, 3], values[j, 4]), k, touches.share)
        put_axes((values[j, 5], values[j, 6], values[j, 7]), k, touches.axes)


@kernel
def _add_node(node, share, k, count, spread_io):
    """Add a node to those of a contact, or to its share where it is among them; how many there are."""
    for i in range(count):
        if spread_io.node[k, i] == node:
            spread_io.share[k, i] += share
            return count
    spread_io.node[k, count], spread_io.share[k, count] = node, share
    return count + 1


@kernel
def _point(name, share, k, table, side):
    """The point of a contact on A (side 0) or on B (1)."""
    p = (0.0, 0.0, 0.0)
    for m in range(4):
        s = share[k, m]
        if (s < 0.0) == (side == 0) and s != 0.0:
            p = add(p, scale(abs(s), row(table, name[k, 1 + m])))
    return p


@kernel
def spread_touches(touches, vertices, centre, n, spread_io):
    """On which nodes and rigid bodies the first n contacts act; `centre` (n_body, 3) of rigid bodies at the start."""
    touches, vertices, spread = Touches(*touches), Vertices(*vertices), Spread(*spread_io)
    for k in range(n):
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
                arm = sub(_point(touches.name, touches.share, k, vertices.start, side), row(centre, body))
                for d in range(3):
                    spread.arm[k, side, d] = arm[d]


@kernel
def _way(touches, vertices, k, from_start):
    """The way from A to B at the end of a step, less that at its start where asked for."""
    w = (0.0, 0.0, 0.0)
    for m in range(4):
        v, s = touches.name[k, 1 + m], touches.share[k, m]
        if v >= 0:
            p = row(vertices.end, v)
            w = add(w, scale(s, sub(p, row(vertices.start, v)) if from_start else p))
    return w


@kernel
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


@kernel
def measure_touches(touches, vertices, spread, links, nodes, extra, h, n, left_out):
    """What is left at the end of the step: distance less target along normals, slip along tangents [m].

    Points that are held are measured along all axes against `links`, an aim (k, 3) [m] and a compliance (k,) [m/(N s)].
    `nodes` are where nodes begin, and their velocities.
    """
    touches, vertices, spread = Touches(*touches), Vertices(*vertices), Spread(*spread)
    aim, soft = links
    for k in range(n):
        shift = _shifted(spread, extra, k, h)
        if touches.name[k, 0] == NODE:
            i = touches.name[k, 1]
            for d in range(3):
                left_out[k, d] = nodes[0][i, d] + h * nodes[1][i, d] + shift[d] - aim[k, d]
            continue
        way, slip = add(_way(touches, vertices, k, False), shift), add(_way(touches, vertices, k, True), shift)
        if touches.name[k, 0] == LINK:
            for d in range(3):
                left_out[k, d] = way[d] - aim[k, d] + soft[k] * touches.impulse[k, d]
            continue
        left_out[k, 0] = dot(way, row(touches.axes[k], 0)) - touches.target[k]
        left_out[k, 1] = dot(slip, row(touches.axes[k], 1))
        left_out[k, 2] = dot(slip, row(touches.axes[k], 2))


@kernel
def _along(axes, k, p):
    """The vector with components p along the axes of a contact."""
    x = (0.0, 0.0, 0.0)
    for d in range(3):
        x = add(x, scale(p[d], row(axes[k], d)))
    return x


@kernel
def push(touches, spread, impulse, rigid, n, node_io, wrench_io, extra_io):
    """Add impulses (n, 3) along the axes of contacts to those of nodes and of rigid bodies, and what these gain.

    `node_io` (n_node, 3) and `wrench_io` (n_body, 6) in N s and N m s, `extra_io` (n_body, 6) in m/s and rad/s.
    """
    touches, spread = Touches(*touches), Spread(*spread)
    inverse_mass, inverse_inertia = rigid
    for k in range(n):
        p = (impulse[k, 0], impulse[k, 1], impulse[k, 2])
        if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
            continue
        x = _along(touches.axes, k, p)
        for i in range(spread.count[k]):
            node, s = spread.node[k, i], spread.share[k, i]
            for d in range(3):
                node_io[node, d] += s * x[d]
        for side in range(2):
            b = spread.body[k, side]
            if b < 0:
                continue
            y = scale(-1.0 if side == 0 else 1.0, x)
            turn = cross(row(spread.arm[k], side), y)
            for d in range(3):
                wrench_io[b, d] += y[d]
                wrench_io[b, 3 + d] += turn[d]
                extra_io[b, d] += inverse_mass[b] * y[d]
                extra_io[b, 3 + d] += dot(row(inverse_inertia[b], d), turn)


@kernel
def settle_velocities(touches, spread, mass, rigid, n, most_sweeps, velocity_io, twist_io, impulse_io):
    """Take from contacts that pushed the velocity with which they would part: restitution 0.

    The scheme of the material lets impulses overshoot; what is taken back is never more than they were. Contacts that
    stick lose their slip. `velocity_io` (n_node, 3) and `twist_io` (n_body, 6) are those of the end of the step;
    `impulse_io` (n, 3) are the step's. `mass` is 0 for nodes that are held.
    """
    touches, spread = Touches(*touches), Spread(*spread)
    for _ in range(most_sweeps):
        largest = 0.0
        for k in range(n):
            if touches.name[k, 0] < LINK and impulse_io[k, 0] > 0.0:
                largest = max(largest, _settle(touches, spread, mass, rigid, k, velocity_io, twist_io, impulse_io))
        if largest < ENOUGH_SETTLED:
            break


@kernel
def _answer_along(touches, spread, mass, rigid, k, axis):
    """How much the velocity of B beside A along an axis of a contact changes with an impulse along it [1/kg]."""
    inverse, e = 0.0, row(touches.axes[k], axis)
    for i in range(spread.count[k]):
        m = mass[spread.node[k, i]]
        if m > 0.0:
            inverse += spread.share[k, i] * spread.share[k, i] / m
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            turn = cross(row(spread.arm[k], side), e)
            spun = dot(row(rigid[1][b], 0), turn), dot(row(rigid[1][b], 1), turn), dot(row(rigid[1][b], 2), turn)
            inverse += rigid[0][b] + dot(turn, spun)
    return inverse


@kernel
def _velocity_along(touches, spread, k, axis, velocity, twist):
    """Velocity of B beside A along an axis of a contact."""
    v = (0.0, 0.0, 0.0)
    for i in range(spread.count[k]):
        v = add(v, scale(spread.share[k, i], row(velocity, spread.node[k, i])))
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            speed, spin = (twist[b, 0], twist[b, 1], twist[b, 2]), (twist[b, 3], twist[b, 4], twist[b, 5])
            moved = add(speed, cross(spin, row(spread.arm[k], side)))
            v = add(v, scale(-1.0 if side == 0 else 1.0, moved))
    return dot(v, row(touches.axes[k], axis))


@kernel
def _settle(touches, spread, mass, rigid, k, velocity_io, twist_io, impulse_io):
    """One contact of these; by which share of its impulse that changed."""
    before, largest = impulse_io[k, 0], 0.0
    sticks = hypot(impulse_io[k, 1], impulse_io[k, 2]) < touches.friction[k] * before
    for axis in range(3 if sticks else 1):
        inverse = _answer_along(touches, spread, mass, rigid, k, axis)
        v = _velocity_along(touches, spread, k, axis, velocity_io, twist_io)
        if inverse == 0.0 or (axis == 0 and v <= 0.0):
            continue
        old = impulse_io[k, axis]
        bound = touches.friction[k] * impulse_io[k, 0]
        new = max(0.0, old - v / inverse) if axis == 0 else min(bound, max(-bound, old - v / inverse))
        impulse_io[k, axis] = new
        _kick(touches, spread, mass, rigid, k, axis, new - old, velocity_io, twist_io)
        largest = max(largest, abs(new - old) / before)
    return largest


@kernel
def _kick(touches, spread, mass, rigid, k, axis, change, velocity_io, twist_io):
    """Velocities after an impulse along an axis of a contact."""
    x = scale(change, row(touches.axes[k], axis))
    for i in range(spread.count[k]):
        node, s = spread.node[k, i], spread.share[k, i]
        if mass[node] > 0.0:
            for d in range(3):
                velocity_io[node, d] += s * x[d] / mass[node]
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            y = scale(-1.0 if side == 0 else 1.0, x)
            turn = cross(row(spread.arm[k], side), y)
            for d in range(3):
                twist_io[b, d] += rigid[0][b] * y[d]
                twist_io[b, 3 + d] += dot(row(rigid[1][b], d), turn)
