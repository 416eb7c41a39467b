"""Momentum after a way: what it was at the start, and what is told of forces and torques.

Integrated velocities err by what a step of the integration may. Those are taken in their place with which what is told
is the change of momentum, to rounding: they err as little, being of the same order.
"""

from ..._jit import inner_kernel
from ..bodies.body_kernels import DYNAMIC
from .mean_kernels import ON_A, ON_B
from .motion_kernels import UNLOCKED, put_frames, put_inverse, spin_of
from .motion_tables import SPEED, SPIN

# Columns of the momenta of a body.
PUSHED, TURNED = 0, 3


@inner_kernel
def _add(factor, table, i, first, k, momentum_io):
    """Add a share of a wrench of a table to the momenta of body k."""
    for c in range(6):
        momentum_io[k, c] += factor * table[i, first + c]


@inner_kernel
def put_present_momenta(y, system_io, momentum_out):
    """Momenta of bodies in a state."""
    bodies, frames = system_io.bodies, system_io.room.frames
    put_frames(y, frames)
    for i in range(y.shape[0]):
        L = spin_of(y, i, bodies, frames)
        for c in range(3):
            momentum_out[i, PUSHED + c] = bodies.mass[i] * y[i, SPEED + c]
            momentum_out[i, TURNED + c] = L[c]


@inner_kernel
def put_momenta(h, y, system_io, means, momentum_out):
    """Momenta of bodies after a way of h [s] from a state, by the means of what acts on it."""
    bodies, springs, hinges = system_io.bodies, system_io.springs, system_io.hinges
    put_present_momenta(y, system_io, momentum_out)
    for i in range(y.shape[0]):
        _add(h, bodies.load, i, 0, i, momentum_out)
        _add(h, means.body, i, 0, i, momentum_out)
        _add(h, means.body, i, 6, i, momentum_out)
    for body, table in ((hinges.body, means.hinge), (springs.body, means.spring)):
        for r in range(body.shape[0]):
            _add(h, table, r, ON_A, body[r, 0], momentum_out)
            _add(h, table, r, ON_B, body[r, 1], momentum_out)


@inner_kernel
def take_momenta(momentum, system_io, y_io):
    """Let bodies move with these momenta where they are, but not along and about axes that are locked."""
    bodies, room = system_io.bodies, system_io.room
    put_frames(y_io, room.frames)
    for i in range(y_io.shape[0]):
        if bodies.kind[i] != DYNAMIC:
            continue
        put_inverse(i, bodies, room)
        for c in range(3):
            if not bodies.locked[i, c]:
                y_io[i, SPEED + c] = momentum[i, PUSHED + c] / bodies.mass[i]
            spin = 0.0
            for k in range(3):
                spin += room.inverse[i, UNLOCKED + 3 * c + k] * momentum[i, TURNED + k]
            y_io[i, SPIN + c] = spin
