"""What contacts are asked for: how far they keep, with which friction, and what becomes of them after a step."""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...fem.skin_check_kernels import EDGE_EDGE, VERTEX_FACE, nearest_at
from ...math.vec_kernels import add, cross, dot, norm, put_row, row, scale, sub
from .soft_tables import KeptTouches, Laws, Spread, Touches, Vertices
from .touch_kernels import LINK, way_of


@inner_kernel
def _skins_of(touches, laws, k):
    """Skins of A and of B of a contact."""
    second = touches.name[k, 2 if touches.name[k, 0] == VERTEX_FACE else 3]
    return laws.surface[touches.name[k, 1]], laws.surface[second]


@kernel
def set_laws(touches_io, laws, gap, first, last):
    """Distances that contacts keep at rest, and their friction; rows first .. last - 1."""
    touches, laws = Touches(*touches_io), Laws(*laws)
    for k in range(first, last):
        if touches.name[k, 0] < LINK:
            a, b = _skins_of(touches, laws, k)
            touches.target[k] = gap + laws.margin[a] + laws.margin[b]
            touches.friction[k] = laws.friction[a, b]


@kernel
def ask_farther(touches_io, vertices, laws, asked, first, last):
    """Raise targets to those of contacts at rest and a share of the ways of their points, up to a limit.

    `asked` are the contact gap, the share and the limit [m]. Targets are not raised beyond the distance at which
    contacts begin: to push apart what is pressed together would give it energy. Nor are those of edges that keep less.
    """
    touches, vertices, laws, (gap, share, most) = Touches(*touches_io), Vertices(*vertices), Laws(*laws), asked
    for k in range(first, last):
        if touches.name[k, 0] < LINK:
            a, b = _skins_of(touches, laws, k)
            least = gap + laws.margin[a] + laws.margin[b]
            if touches.name[k, 0] == EDGE_EDGE and touches.target[k] < least:
                continue
            slip = way_of(touches, vertices, k, True)
            begin = dot(sub(way_of(touches, vertices, k, False), slip), row(touches.axes[k], 0))
            farther = least + min(most, share * norm(slip))
            touches.target[k] = max(touches.target[k], min(begin, farther))


@lean_kernel
def most_raised(touches, laws, n):
    """By how much one of n contacts is asked to keep farther than round shapes reach, at most [m]."""
    most = 0.0
    for k in range(n):
        if touches.name[k, 0] < LINK:
            a, b = _skins_of(touches, laws, k)
            most = max(most, touches.target[k] - laws.margin[a] - laws.margin[b])
    return most


@kernel
def keep_touches(touches, spread, vertices, laws, impulse, label, span, kept_out):
    """Contacts that pushed or are near at the end of a motion, with the normals along which they did; how many.

    `impulse` (n, 3) [N s] is what acted at them; `span` are the length of the motion and how near they must be [m].
    """
    touches, spread, vertices, laws = Touches(*touches), Spread(*spread), Vertices(*vertices), Laws(*laws)
    kept, (h, near), n = KeptTouches(*kept_out), span, 0
    for k in range(impulse.shape[0]):
        if touches.name[k, 0] >= LINK:
            continue
        p = row(impulse, k)
        point, gap = _place_at_end(touches, vertices, laws, k)
        if (p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0) and gap >= near:
            continue
        for m in range(5):
            kept.name[n, m] = touches.name[k, m]
        force = (0.0, 0.0, 0.0)
        for d in range(3):
            put_row(row(touches.axes[k], d), d, kept.axes[n])
            force = add(force, scale(p[d] / h, row(touches.axes[k], d)))
        kept.label[n], kept.gap[n] = label[k], gap
        put_row(scale(1.0 / h, p), n, kept.impulse)
        put_row(point, n, kept.point)
        for side in range(2):
            arm = row(spread.arm[k], side)
            turn = scale(-1.0 if side == 0 else 1.0, cross(arm, force))
            put_row(turn if spread.body[k, side] >= 0 else (0.0, 0.0, 0.0), side, kept.torque[n])
        n += 1
    return n


@inner_kernel
def _place_at_end(touches, vertices, laws, k):
    """The middle between the surfaces of a contact at the end of a motion, and how far they are apart there."""
    kind, (a, b) = touches.name[k, 0], _skins_of(touches, laws, k)
    ids = (touches.name[k, 1], touches.name[k, 2], touches.name[k, 3], touches.name[k, 4])
    shares, way, distance = nearest_at(kind, vertices.end, vertices.end, ids, 0.0)
    normal = scale(1.0 / distance, way) if distance > 0.0 else row(touches.axes[k], 0)
    point = scale(0.5 * (laws.margin[a] - laws.margin[b]), normal)
    for m in range(4):
        point = add(point, scale(0.5 * shares[m], row(vertices.end, ids[m])))
    return point, distance - laws.margin[a] - laws.margin[b]
