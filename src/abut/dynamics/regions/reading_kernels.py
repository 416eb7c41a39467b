"""What acted on regions, which contacts belong to them, and how they slide."""

from ..._jit import inner_kernel
from ...contact.contact_kernels import EDGE_VERTEX, KIND, VERTEX_EDGE
from ...math.pose_kernels import pose_apply_inverse
from ...math.vec_kernels import add, add_scaled, cross, dot, norm, norm2, put_row, row, scale, sub
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from ...query.regions.group_kernels import EDGE, FACE, ID_A, ID_B, KIND_A, KIND_B, VERTEX
from ...query.regions.line_kernels import ends_of, line_sides
from ...query.regions.region_tables import REGIONS
from ...query.regions.surface_kernels import AROUND_CONTACT, on_both_faces
from ..accounts.account_kernels import FRICTION, PRESSURE, TORQUE_A, TORQUE_B

_FACING = 0.7
"""Cosine between the normals of a contact and of a region to which it may belong."""
_CALM = 0.5
"""Of the speed at which a region begins to slide: below, it sticks again."""
_COUNT = 4
"""Column of Reading.pressure: how many contacts there are; the sum of their points follows."""


@inner_kernel
def kinds_of(kind):
    """What touches of A and of B, by the kind of a contact."""
    of_a = EDGE if kind == EDGE_EDGE or kind == EDGE_VERTEX else FACE if kind == FACE_VERTEX else VERTEX
    of_b = EDGE if kind == EDGE_EDGE or kind == VERTEX_EDGE else FACE if kind == VERTEX_FACE else VERTEX
    return of_a, of_b


@inner_kernel
def belongs(part, kind, id, whole, of):
    """Whether a feature is another one, or lies on its border."""
    if kind == whole:
        return id == of
    if kind > whole:
        return False
    if kind == EDGE:
        return part.edge_face[id, 0] == of or part.edge_face[id, 1] == of
    if whole == EDGE:
        return part.edge_end[of, 0] == id or part.edge_end[of, 1] == id
    for k in range(part.face_start[id], part.face_start[id + 1]):
        if part.face_item[k] == of:
            return True
    return False


@inner_kernel
def _distance(search, found, i, p):
    """[m] of a point from a point of contact, from the edge of a line, or from the plane of a surface."""
    if found.dim[i] == 2:
        # A surface has no points before it is measured; the middle is a point of its plane.
        return abs(dot(sub(p, _middle(found, i)), row(found.number, i)))
    if found.dim[i] == 0:
        return norm(sub(p, row(found.point, found.start[i])))
    on_edge, _ = line_sides(search, found.name[i])
    margin = search.settings.margin_a if found.name[i, KIND_A] == EDGE else search.settings.margin_b
    ends, place = ends_of(on_edge), pose_apply_inverse(search.X_a, p)
    way = sub(ends[1], ends[0])
    t = min(1.0, max(0.0, dot(sub(place, ends[0]), way) / max(norm2(way), 1e-300)))
    return abs(norm(sub(place, add_scaled(ends[0], t, way))) - margin)


@inner_kernel
def _middle(found, i):
    return found.number[i, 3], found.number[i, 4], found.number[i, 5]


@inner_kernel
def _is_near(search, found, i, p, limit, scratch_io):
    """Whether a point in the plane of a surface is near it, too."""
    if found.dim[i] < 2:
        return True
    place = pose_apply_inverse(search.X_a, p)
    return on_both_faces(search, found.name[i, ID_A], found.name[i, ID_B], place, limit, scratch_io)


@inner_kernel
def region_of(search, contacts, k, first, scratch_io, found):
    """The region to which a contact belongs, from `first` on; -1 for none."""
    kind_a, kind_b = kinds_of(contacts.name[k, KIND])
    a, b, p, normal = contacts.entity[k, 0], contacts.entity[k, 1], row(contacts.point, k), row(contacts.normal, k)
    best, least, end = -1, 1e300, found.counts[REGIONS]
    for i in range(first, end):
        name = found.name[i]
        if belongs(search.part_a, kind_a, a, name[KIND_A], name[ID_A]) and belongs(
            search.part_b, kind_b, b, name[KIND_B], name[ID_B]
        ):
            away = _distance(search, found, i, p) if end - first > 1 else 0.0
            if away < least:
                best, least = i, away
    if best >= 0:
        return best
    limit = least = AROUND_CONTACT * search.settings.tolerance
    for i in range(first, end):
        if dot(row(found.number, i), normal) > _FACING:
            away = _distance(search, found, i, p)
            if away < least and _is_near(search, found, i, p, limit, scratch_io):
                best, least = i, away
    return best


@inner_kernel
def clear_reading(i, reading_io):
    """Nothing has acted."""
    for c in range(12):
        reading_io.wrench[i, c] = 0.0
    for c in range(8):
        reading_io.pressure[i, c] = 0.0
    for c in range(3):
        reading_io.friction[i, c] = 0.0


@inner_kernel
def read_contact(contacts, k, i, reading_io):
    """Add what acted at a contact to its region; torques are about the centres of mass."""
    pressure, total = norm(row(contacts.acted, k)), 0.0
    for c in range(3):
        rub = contacts.acted[k, FRICTION + c]
        total = contacts.acted[k, PRESSURE + c] + rub
        reading_io.wrench[i, c] += total
        reading_io.wrench[i, 6 + c] -= total
        reading_io.wrench[i, 3 + c] += contacts.acted[k, TORQUE_B + c]
        reading_io.wrench[i, 9 + c] += contacts.acted[k, TORQUE_A + c]
        reading_io.friction[i, c] += rub
        reading_io.pressure[i, 1 + c] += pressure * contacts.point[k, c]
        reading_io.pressure[i, _COUNT + 1 + c] += contacts.point[k, c]
    reading_io.pressure[i, 0] += pressure
    reading_io.pressure[i, _COUNT] += 1.0


@inner_kernel
def _velocity(bodies, i, point):
    v, w = (
        (bodies.twist[i, 0], bodies.twist[i, 1], bodies.twist[i, 2]),
        (bodies.twist[i, 3], bodies.twist[i, 4], bodies.twist[i, 5]),
    )
    centre = (bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2])
    return add(v, cross(w, sub(point, centre)))


@inner_kernel
def find_slip(bodies, i, normal, slid, fastest, reading_io):
    """How a region slides, in the middle of its contacts; `fastest` [m/s] is no slip yet."""
    a, b, n = reading_io.owner[i, 0], reading_io.owner[i, 1], reading_io.pressure[i, _COUNT]
    total = reading_io.pressure[i, _COUNT + 1], reading_io.pressure[i, _COUNT + 2], reading_io.pressure[i, _COUNT + 3]
    middle = scale(1.0 / max(n, 1.0), total)
    slip = sub(_velocity(bodies, b, middle), _velocity(bodies, a, middle))
    slip = add_scaled(slip, -dot(slip, normal), normal)
    put_row(slip, i, reading_io.slip)
    limit = _CALM * fastest if slid else fastest
    reading_io.sliding[i] = 1 if norm(slip) > limit else 0


@inner_kernel
def give_label(before, first, end, i, key, reading_io):
    """Give a region the label it had, or a new one; returns whether it slid before."""
    for k in range(first, end):
        if before.found.key[k] == key:
            reading_io.label[i] = before.reading.label[k]
            return before.reading.sliding[k] == 1
    reading_io.label[i] = reading_io.counts[0]
    reading_io.counts[0] += 1
    return False
