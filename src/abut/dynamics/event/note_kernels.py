"""Events as they are noted while the loop of a step goes on."""

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import scale
from ..joints.joint_kernels import ROW_KIND, joint_row
from .hinge_kernels import slip_of
from .motion_kernels import pose_of
from .motion_tables import SPEED
from .search_tables import CONTACTS, NOTED, OF_JOINT


@inner_kernel
def _normal_of(k, scene):
    """Normal of contact k where bodies are."""
    name, y, tables = scene.contacts.name, scene.step.y, scene.system.tables
    a, b = name[k, 0], name[k, 1]
    return slip_of(k, a, b, tables, pose_of(y, a), pose_of(y, b), y, SPEED)[1]


@inner_kernel
def _pull_of(p, scene_io):
    """Force on B by a unit of force along the coordinate of limit p."""
    k, tables, y = scene_io.limits.index[p], scene_io.system.tables, scene_io.step.y
    row, body = scene_io.system.room.line[1], scene_io.limits.body
    X_a, X_b = pose_of(y, body[p, 0]), pose_of(y, body[p, 1])
    joint_row(tables.joint_name[k, ROW_KIND], tables.joint_place, k, X_a, X_b, tables.joint_last[k], row)
    return row[6], row[7], row[8]


@inner_kernel
def has_room_for_notes(scene):
    """Whether there is room for notes of all points, several times."""
    n = scene.limits.index.shape[0] + scene.count[CONTACTS]
    return scene.count[NOTED] + 4 * n + 4 < scene.notes.kind.shape[0]


@lean_kernel
def note_point(scene_io, p, kind, time, push):
    """Note what happens at point p, with an impulse along its normal [N s]."""
    notes, limits, e = scene_io.notes, scene_io.limits, scene_io.count[NOTED]
    notes.kind[e], notes.time[e], n = kind, time, limits.index.shape[0]
    impulse = (0.0, 0.0, 0.0)
    if p < n:
        for c in range(notes.name.shape[1]):
            notes.name[e, c] = OF_JOINT
        notes.name[e, 0], notes.name[e, 1] = limits.body[p, 0], limits.body[p, 1]
        notes.name[e, 3] = limits.index[p]
        impulse = scale(push * limits.sign[p], _pull_of(p, scene_io))
    else:
        for c in range(notes.name.shape[1]):
            notes.name[e, c] = scene_io.contacts.name[p - n, c]
        if push != 0.0:
            impulse = scale(push, _normal_of(p - n, scene_io))
    for c in range(3):
        notes.impulse[e, c] = impulse[c]
    scene_io.count[NOTED] = e + 1


@inner_kernel
def note_friction(scene_io, impulse):
    """Add an impulse of friction [N s] to the last note."""
    for c in range(3):
        scene_io.notes.impulse[scene_io.count[NOTED] - 1, c] += impulse[c]
