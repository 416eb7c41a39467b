"""What a path along which two parts kept a distance proves about another motion; see path_memory_kernels."""

from ..._jit import kernel
from ...math.pose_kernels import motion_at, pose_relative
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import norm
from ..motion.motion_tables import Chord
from ..motion.path_memory_kernels import REST, path_end, remember_path
from ..motion.relative_motion_kernels import relative_motion, way_between

# Of the lengths that went into a way: rounding.
_ROUNDING = 1e-13


@kernel
def _motion(pose_position, quat_wxyz, displacement, rotvec):
    """A motion from its arrays: handing these over takes a third of the time that tuples take."""
    p, q, d, r = pose_position, quat_wxyz, displacement, rotvec
    X = quat_to_mat((q[0], q[1], q[2], q[3])), (p[0], p[1], p[2])
    return X, (d[0], d[1], d[2]), (r[0], r[1], r[2])


@kernel
def proven_free(memory, centre, radius, p_m, q_m, d_m, r_m, p_o, q_o, d_o, r_o, gap):
    """Whether the parts are apart at the start of a motion, and farther than `gap` during all of it.

    Row 0 of `memory` is a path of the moving part m, whose points are within `radius` of `centre`. Motions of m and of
    the other part o are positions, quaternions, displacements and rotation vectors.
    """
    X_0, X_1, bounds = relative_motion(_motion(p_m, q_m, d_m, r_m), _motion(p_o, q_o, d_o, r_o))
    arm = norm(centre) + radius
    rest, slack = memory[0, REST], _ROUNDING * (arm + norm(X_0[1]))
    K_0, K_1 = path_end(memory, 0, 0), path_end(memory, 0, 1)
    from_begin, from_end = way_between(K_0, X_0, centre, radius), way_between(K_1, X_0, centre, radius)
    way = max(from_begin, way_between(K_1, X_1, centre, radius)) + bounds.bend + bounds.bend_per_arm * arm
    return min(from_begin, from_end) <= rest + slack, way + gap < rest - slack


@kernel
def keep_path(centre, radius, moving, other, distance, gap, memory_out):
    """Write the path of a motion that kept `distance`; the chords of its points are off by their bend.

    Where that is not enough for another such motion, write the pose at its end, when the parts are `gap` apart.
    """
    X_0, X_1, bounds = relative_motion(moving, other)
    rest = distance - bounds.bend - bounds.bend_per_arm * (norm(centre) + radius)
    if rest > gap + way_between(X_0, X_1, centre, radius):
        remember_path(Chord(X_0, X_1), rest, 0, memory_out)
    else:
        remember_path(Chord(X_1, X_1), gap, 0, memory_out)


@kernel
def keep_pose(moving, other, time, distance, memory_out):
    """Write the pose of a motion at a time, when the distance was known."""
    (X_m, d_m, r_m), (X_o, d_o, r_o) = moving, other
    X = pose_relative(motion_at(X_o, d_o, r_o, time), motion_at(X_m, d_m, r_m, time))
    remember_path(Chord(X, X), distance, 0, memory_out)
