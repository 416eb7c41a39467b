"""What acted on a way: means of the forces of hinges, springs, hands and drag, taken where they act while bodies move.

Of a step that was made as a whole, the means are those of the method of integration, else those of Gauss' rule, which
is of the same order.
"""

from ..._jit import inner_kernel, lean_kernel
from ..accounts.account_kernels import DAMPING, FRICTION, HAND, JOINTS, PRESSURE, TORQUE_A, TORQUE_B
from .dop853_kernels import dense_state
from .mean_kernels import ASIDE, FORCE, ON_A, ON_B, add_means, add_pair, aside_of, clear_means
from .motion_kernels import derivative, is_symmetric
from .motion_tables import LIMIT, NORMAL, TANGENT
from .search_tables import CONTACTS

GAUSS = (
    (0.06943184420297371, 0.17392742256872693),
    (0.33000947820757187, 0.32607257743127307),
    (0.66999052179242813, 0.32607257743127307),
    (0.93056815579702629, 0.17392742256872693),
)
"""Shares of a way at which forces are looked at, and their weights in the mean."""


@inner_kernel
def put_means(scene_io, system_io, way_io, share, means_out):
    """Means over the first share of a way."""
    clear_means(system_io.hinges.kind.shape[0], means_out)
    for x, weight in GAUSS:
        dense_state(way_io.y, way_io.dense, x * share, way_io.here)
        derivative(way_io.here, system_io, scene_io.step.forces[0], scene_io.work.change)
        add_means(weight, way_io.here, system_io, scene_io.step.forces[0], means_out)


@inner_kernel
def _note_joint(k, a, b, factor, mean, sign, scene_io):
    """Add the share `factor` of a mean to what row k of the joints exerted on bodies a and b."""
    joints, n = scene_io.joints, scene_io.acted.shape[0]
    joints.acted[k] += factor * sign * mean[FORCE]
    for c in range(3):
        joints.wrench[k, c] += factor * mean[ON_B + c]
        joints.wrench[k, 3 + c] += factor * mean[ASIDE + c]
    for c in range(6):
        if a < n:
            scene_io.acted[a, JOINTS, c] += factor * mean[ON_A + c]
        if b < n:
            scene_io.acted[b, JOINTS, c] += factor * mean[ON_B + c]


@inner_kernel
def _note_contact(k, kind, factor, mean, contacts_io):
    """The same of contact k: pushes along the normal, and friction."""
    for c in range(3):
        push = mean[ASIDE + c] if kind == NORMAL else 0.0
        contacts_io.acted[k, PRESSURE + c] += factor * push
        contacts_io.acted[k, FRICTION + c] += factor * (mean[ON_B + c] - push)
        contacts_io.acted[k, TORQUE_A + c] += factor * mean[ON_A + 3 + c]
        contacts_io.acted[k, TORQUE_B + c] += factor * mean[ON_B + 3 + c]


@inner_kernel
def note_contact(k, factor, mean, contacts_io):
    """The same of all that contact k exerts, with what it exerts now."""
    _note_contact(k, NORMAL, factor, mean, contacts_io)
    contacts_io.force[k] += mean[FORCE]
    for c in range(3):
        contacts_io.friction[k, c] += mean[ON_B + c] - mean[ASIDE + c]


@inner_kernel
def note_means(factor, system, means, scene_io):
    """Add the share `factor` of the step of what acted in the mean."""
    hinges, springs, contacts, joints = system.hinges, system.springs, scene_io.contacts, scene_io.joints
    for k in range(scene_io.count[CONTACTS]):
        contacts.force[k] = 0.0
        for c in range(3):
            contacts.friction[k, c] = 0.0
    for k in range(joints.force.shape[0]):
        joints.force[k] = 0.0
    for r in range(hinges.kind.shape[0]):
        kind, k, mean = hinges.kind[r], hinges.index[r], means.hinge[r]
        if kind == NORMAL or kind == TANGENT:
            _note_contact(k, kind, factor, mean, contacts)
            contacts.force[k] += mean[FORCE] if kind == NORMAL else 0.0
            for c in range(3):
                contacts.friction[k, c] += mean[ON_B + c] - (mean[ASIDE + c] if kind == NORMAL else 0.0)
            continue
        sign = hinges.mu[r] if kind == LIMIT else 1.0
        joints.force[k] += sign * mean[FORCE]
        _note_joint(k, hinges.body[r, 0], hinges.body[r, 1], factor, mean, sign, scene_io)
    for s in range(springs.index.shape[0]):
        joints.force[springs.index[s]] += means.spring[s, FORCE]
        a, b = springs.body[s, 0], springs.body[s, 1]
        _note_joint(springs.index[s], a, b, factor, means.spring[s], 1.0, scene_io)
    for i in range(scene_io.acted.shape[0]):
        for c in range(6):
            scene_io.acted[i, HAND, c] += factor * means.body[i, c]
            scene_io.acted[i, DAMPING, c] += factor * means.body[i, 6 + c]


@lean_kernel
def note_blows(system, impulse, scene_io):
    """Add the impulses [N s] of hinges whose rows and pushes stand in the room."""
    hinges, room, means, dt = system.hinges, system.room, scene_io.means, scene_io.options.dt
    clear_means(hinges.kind.shape[0], means)
    symmetric = is_symmetric(hinges)
    for r in range(hinges.kind.shape[0]):
        k, kind, aside = hinges.index[r], hinges.kind[r], aside_of(r, hinges, system.tables, room)
        push = room.row[r] if symmetric else room.push[r]
        add_pair(1.0, impulse[r], push, aside, r, means.hinge)
        if kind == NORMAL or kind == TANGENT:
            _note_contact(k, kind, 1.0 / dt, means.hinge[r], scene_io.contacts)
        else:
            sign = hinges.mu[r] if kind == LIMIT else 1.0
            _note_joint(k, hinges.body[r, 0], hinges.body[r, 1], 1.0 / dt, means.hinge[r], sign, scene_io)
