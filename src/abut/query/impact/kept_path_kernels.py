"""What a path along which two parts kept a distance proves about another motion; see path_memory_kernels."""

from ..._jit import kernel
from ...math.frame_tables import Frame
from ...math.motion_tables import MotionArrays, MovingFrame
from ...math.pose_kernels import frame_at, named_motion, pose_relative
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import norm
from ..motion.motion_tables import Chord
from ..motion.path_memory_kernels import REST, path_end, remember_path
from ..motion.relative_motion_kernels import relative_motion, way_between

# Of the lengths that went into a way: rounding.
_ROUNDING = 1e-13


@kernel
def _motion(arrays):
    """A motion from its MotionArrays: handing these over takes a third of the time that tuples of numbers take."""
    p, q, d, r = arrays
    X = Frame(quat_to_mat((q[0], q[1], q[2], q[3])), (p[0], p[1], p[2]))
    return MovingFrame(X, (d[0], d[1], d[2]), (r[0], r[1], r[2]))


@kernel
def proven_free(memory, centre, radius, moving, other, gap):
    """Whether the parts are apart at the start of a motion, and farther than `gap` during all of it.

    Row 0 of `memory` is a path of the moving part, whose points are within `radius` of `centre`. The motions of it and
    of the other part are MotionArrays, as plain tuples.
    """
    X_0, X_1, bounds = relative_motion(_motion(MotionArrays(*moving)), _motion(MotionArrays(*other)))
    arm = norm(centre) + radius
    rest, slack = memory[0, REST], _ROUNDING * (arm + norm(X_0.p))
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
    X = pose_relative(frame_at(named_motion(other), time), frame_at(named_motion(moving), time))
    remember_path(Chord(X, X), distance, 0, memory_out)
