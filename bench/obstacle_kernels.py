"""One body on an obstacle: contact distances at the end of a step as a function of the contact forces.

The problem of Buck & Schömer, eqs. 6 to 13, for vertex-face contacts against fixed planes: the test bed of their table
of solve times. Unknowns are y = f dt^2 / m [m], so that they compare with distances.
"""

from abut._jit import kernel
from abut.math.quat_kernels import quat_from_rotvec, quat_mul, quat_rotate
from abut.math.vec_kernels import add, add_scaled, cross, dot, row, scale
from abut.solve.newton_kernels import FINISHED, LINEARISE, newton_resume, newton_start


@kernel
def end_of_step(y, free, points, normals, dt, inertia):
    """Velocity, angular velocity and pose (p, q) after the step; free = (p, q, v, w) moves without contacts, mass 1."""
    p, q, v, w = free
    for k in range(y.shape[0]):
        impulse = y[k] / dt
        n = row(normals, k)
        arm = cross(quat_rotate(q, row(points, k)), n)
        v = add_scaled(v, impulse, n)
        w = add_scaled(w, impulse / inertia, arm)
    return v, w, add_scaled(p, dt, v), quat_mul(quat_from_rotvec(scale(dt, w)), q)


@kernel
def contact_gaps(y, free, points, normals, offsets, dt, inertia, w_out):
    """Distance of each point from its plane at the end of the step."""
    _, _, p, q = end_of_step(y, free, points, normals, dt, inertia)
    for k in range(y.shape[0]):
        w_out[k] = dot(row(normals, k), add(p, quat_rotate(q, row(points, k)))) - offsets[k]


@kernel
def contact_slopes(y, free, points, normals, dt, inertia, J_out):
    """Derivatives of the distances by y."""
    _, _, _, q = end_of_step(y, free, points, normals, dt, inertia)
    for i in range(y.shape[0]):
        n_i = row(normals, i)
        arm_i = cross(quat_rotate(q, row(points, i)), n_i)
        for j in range(y.shape[0]):
            n_j = row(normals, j)
            arm_j = cross(quat_rotate(free[1], row(points, j)), n_j)
            J_out[i, j] = dot(n_i, n_j) + dot(arm_i, arm_j) / inertia


@kernel
def solve_step(y, free, points, normals, offsets, dt, inertia, bounds, options, work, J, w):
    """Fischer-Newton from the forces in y; the next pose and velocities."""
    lower, upper = bounds
    contact_gaps(y, free, points, normals, offsets, dt, inertia, w)
    request = newton_start(y, w, lower, upper, options, work)
    while request != FINISHED:
        if request == LINEARISE:
            contact_slopes(y, free, points, normals, dt, inertia, J)
        else:
            contact_gaps(y, free, points, normals, offsets, dt, inertia, w)
        request = newton_resume(y, w, J, lower, upper, options, work)
    return end_of_step(y, free, points, normals, dt, inertia)
