"""Ways of bodies that no force moves."""

from math import isfinite

from ..._jit import lean_kernel
from ..bodies.body_kernels import KINEMATIC


@lean_kernel
def find_ways(bodies, kind, pose, twist, dt, pose_out, way_out):
    """Poses and ways (displacement, rotation vector) of the listed bodies over a step of length dt.

    Those that are not kinematic stay, and those whose ways would not be finite: the step freezes them.
    """
    for k in range(bodies.shape[0]):
        i = bodies[k]
        for c in range(7):
            pose_out[k, c] = pose[i, c]
        moves = kind[i] == KINEMATIC
        for c in range(6):
            way_out[k, c] = dt * twist[i, c] if moves else 0.0
            moves = moves and isfinite(way_out[k, c])
        if not moves:
            for c in range(6):
                way_out[k, c] = 0.0
