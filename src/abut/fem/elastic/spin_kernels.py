"""What the nodes of a body do together: the rigid motion that has their momentum and spin."""

import numpy as np

from ..._jit import kernel
from ...math.dense_kernels import inverse3
from ...math.vec_kernels import add, cross, mat_vec, row, scale, sub

# Of the trace of the inertia: bodies whose nodes lie on a line have none about it.
_RIDGE = 1e-9


@kernel
def centre_of(mass, table):
    """Mean of the rows of an (n, 3) table, weighted by masses."""
    total, sum_ = 0.0, (0.0, 0.0, 0.0)
    for i in range(mass.shape[0]):
        total += mass[i]
        sum_ = add(sum_, scale(mass[i], row(table, i)))
    return scale(1.0 / total, sum_)


@kernel
def spin_of(mass, nodes, velocities, centre):
    """Angular momentum about a point [N m s]."""
    spin = (0.0, 0.0, 0.0)
    for i in range(mass.shape[0]):
        spin = add(spin, scale(mass[i], cross(sub(row(nodes, i), centre), row(velocities, i))))
    return spin


@kernel
def _turn_for(mass, nodes, centre, spin):
    """Angular velocity of the rigid motion about the centre that has a spin."""
    xx, yy, zz, yz, xz, xy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(mass.shape[0]):
        m, (x, y, z) = mass[i], sub(row(nodes, i), centre)
        xx, yy, zz = xx + m * (y * y + z * z), yy + m * (x * x + z * z), zz + m * (x * x + y * y)
        yz, xz, xy = yz - m * y * z, xz - m * x * z, xy - m * x * y
    more = _RIDGE * (xx + yy + zz)
    if more == 0.0:
        return 0.0, 0.0, 0.0
    return mat_vec(inverse3((xx + more, xy, xz, xy, yy + more, yz, xz, yz, zz + more)), spin)


@kernel
def common_motion(mass, nodes, velocities, motion_out):
    """Velocities of the nodes in that motion: a guess for the next step without what swings in the material."""
    centre, mean = centre_of(mass, nodes), centre_of(mass, velocities)
    turn = _turn_for(mass, nodes, centre, spin_of(mass, nodes, velocities, centre))
    for i in range(mass.shape[0]):
        v = add(mean, cross(turn, sub(row(nodes, i), centre)))
        for d in range(3):
            motion_out[i, d] = v[d]


@kernel
def follow_held(held, nodes, targets, motion_io):
    """Add the rigid motion with which velocities of held nodes come nearest to their targets.

    `held` (n,) is 1 for these, else 0. A guess in which held nodes alone leave the others would tear at the elements
    between them, and turn them.
    """
    weight = held.astype(np.float64)
    centre, missing = centre_of(weight, nodes), targets - motion_io
    mean = centre_of(weight, missing)
    turn = _turn_for(weight, nodes, centre, spin_of(weight, nodes, missing, centre))
    for i in range(held.shape[0]):
        v = add(mean, cross(turn, sub(row(nodes, i), centre)))
        for d in range(3):
            motion_io[i, d] += v[d]


@kernel
def give_spin(mass, nodes, spin, velocities_io):
    """Turn all nodes alike, so that they have a spin about their centre; momentum stays."""
    centre = centre_of(mass, nodes)
    has = spin_of(mass, nodes, velocities_io, centre)
    turn = _turn_for(mass, nodes, centre, sub(spin, has))
    for i in range(mass.shape[0]):
        v = cross(turn, sub(row(nodes, i), centre))
        for d in range(3):
            velocities_io[i, d] += v[d]


@kernel
def spin_after(spin, torque, settings):
    """Spin of a free body after a step of h, θ and drag α, from its spin before and the moments of impulses [N m s]."""
    h, theta, drag = settings
    kept = 1.0 - h * drag * (1.0 - theta)
    return scale(1.0 / (1.0 + h * drag * theta), add(scale(kept, spin), torque))


@kernel
def lever_point(mass, nodes, velocities, settings):
    """Point about which impulses in a step have the moments that change a body's spin.

    A step moves the centre c so that an impulse changes the angular momentum about the origin as if it acted on the
    centre at c + h (1 - θ) v.
    """
    h, theta, _ = settings
    return add(centre_of(mass, nodes), scale(h * (1.0 - theta), centre_of(mass, velocities)))
