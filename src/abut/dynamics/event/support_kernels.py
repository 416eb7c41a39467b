"""Points of contact where bodies are: their gaps, whether their features face each other, and the hinges that hold."""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B, gap_row, place_contact
from ...contact.contact_tables import ContactRows, Sides
from ..joints.joint_kernels import ROW_KIND, joint_row
from .hinge_kernels import rate_of
from .motion_kernels import pose_of
from .motion_tables import NORMAL, SPEED, Equations, Hinges
from .search_tables import (
    CONTACTS,
    SWINGING,
)


@inner_kernel
def bodies_of(p, scene):
    """The two bodies of point p."""
    limits = scene.limits.index.shape[0]
    if p < limits:
        return scene.limits.body[p, 0], scene.limits.body[p, 1]
    return scene.contacts.name[p - limits, BODY_A], scene.contacts.name[p - limits, BODY_B]


@inner_kernel
def gap_of(p, scene, y, row_out):
    """Gap of point p in a state, and its rate."""
    limits, tables = scene.limits, scene.system.tables
    a, b = bodies_of(p, scene)
    n = limits.index.shape[0]
    if p >= n:
        radii = tables.radius[a] + tables.radius[b]
        gap = gap_row(scene.contacts.place, p - n, pose_of(y, a), pose_of(y, b), radii, row_out)
        return gap, rate_of(row_out, a, b, y, SPEED)
    k, sign = limits.index[p], limits.sign[p]
    kind, last = tables.joint_name[k, ROW_KIND], tables.joint_last[k]
    q = joint_row(kind, tables.joint_place, k, pose_of(y, a), pose_of(y, b), last, row_out)
    return sign * (q - limits.value[p]), sign * rate_of(row_out, a, b, y, SPEED)


@lean_kernel
def put_gaps(scene_io, y, gap_out, rate_out):
    """Gaps of all points in a state, and their rates."""
    for p in range(number_of_points(scene_io)):
        gap_out[p], rate_out[p] = gap_of(p, scene_io, y, scene_io.system.room.line[0])


@inner_kernel
def number_of_points(scene):
    """Limits of joints and contacts."""
    return scene.limits.index.shape[0] + scene.count[CONTACTS]


@inner_kernel
def _faces(k, scene, y, slack):
    """Whether the features of contact k face each other in a state; it is placed there."""
    shapes, name, place = scene.shapes, scene.contacts.name, scene.contacts.place
    a, b = name[k, BODY_A], name[k, BODY_B]
    poses, shape = Sides(pose_of(y, a), pose_of(y, b)), Sides(shapes.shape_of[a], shapes.shape_of[b])
    rows = ContactRows(name, place, scene.contacts.extra)
    return place_contact(rows, k, shapes.table, shapes.surfaces, shape, poses, slack)


@inner_kernel
def _copy_row(k, scene_io, at):
    """Copy a contact to another row, which is scratch."""
    name, place = scene_io.contacts.name, scene_io.contacts.place
    for c in range(name.shape[1]):
        name[at, c] = name[k, c]
    for c in range(place.shape[1]):
        place[at, c] = place[k, c]


@lean_kernel
def faces_in(k, scene_io, y, slack):
    """Whether the features of contact k face each other in a state; it stays as it is."""
    at = scene_io.contacts.name.shape[0] - 1  # the last row is nobody's
    _copy_row(k, scene_io, at)
    return _faces(at, scene_io, y, slack)


@inner_kernel
def place_points(scene, alive_out):
    """Place contacts where bodies are; which of them have features that face each other."""
    for k in range(scene.count[CONTACTS]):
        alive_out[k] = _faces(k, scene, scene.step.y, inf)


@inner_kernel
def system_of(scene, m):
    """The equations with the first m of the hinges that have rows."""
    system = scene.system
    hinges, radius, length = system.hinges, system.tables.radius, inf
    for r in range(m):
        if hinges.kind[r] == NORMAL:
            radii = radius[hinges.body[r, 0]] + radius[hinges.body[r, 1]]
            length = min(length, radii) if radii > 0.0 else length
    rows = Hinges(
        hinges.kind[:m],
        hinges.index[:m],
        hinges.body[:m],
        hinges.target[:m],
        hinges.mu[:m],
        hinges.direction[:m],
        hinges.slow[:m],
        length,
        m > 0 and scene.count[SWINGING] == m,
    )
    return Equations(system.bodies, system.springs, rows, system.tables, system.room)


@inner_kernel
def speed_at(motors, k, q):
    """Speed [m/s] that motor k wants where its coordinate is q, and how that changes with q [1/s]."""
    if motors.response[k] == 0.0:
        return motors.speed[k], 0.0
    speed = (motors.place[k] - q) / motors.response[k]
    if abs(speed) <= motors.speed[k]:
        return speed, -1.0 / motors.response[k]
    return (motors.speed[k] if speed > 0.0 else -motors.speed[k]), 0.0
