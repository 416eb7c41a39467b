"""How points of a part A move as seen from a part B, when both move rigidly.

In the frame of B a point of A runs from y(0) to y(1) on a path that is nearly straight when little is turned. With
w = d_A - d_B - r_B x s, the velocity of A's origin against B (s from B's origin to A's), and a the arm of the point
about A's origin, the velocity is w + (r_A - r_B) x a and the acceleration is bounded by
|r_B| (|d_A - d_B| + |w|) + |r_A - r_B| (|r_A| + |r_B|) |a|; a path leaves its chord by at most an eighth of that.

It is much nearer to the parabola through its place at half time. As a point is a linear function of its coordinates in
A, so is its bow, the way from the middle of the chord to that place. The third derivative is bounded by
|r_B|^2 (2 |d_A - d_B| + |w|) + |r_A - r_B| (|r_A| + |r_B|)^2 |a|, and a path leaves its parabola by at most
sqrt(3) / 216 of that. Over a part h of the motion, the second derivative differs from its value for the whole by no
more than the third one, so that h^2 of the same bow is right up to an eighth of h^2 of that bound.
"""

from math import sqrt

from ..._jit import inner_kernel, kernel
from ...math.frame_tables import Frame
from ...math.pose_kernels import chord_of_turn, frame_at, named_motion, pose_apply, pose_relative
from ...math.vec_kernels import cross, norm, scale, sub
from .motion_tables import ChordBounds, Parabola, ParabolaBounds, Relative

_MOST_TURNED = 0.5
"""[rad] by both parts together; beyond it a parabola is hardly better than a chord."""
_SWAY = sqrt(3.0) / 216.0


@kernel
def relative_motion(motion_a, motion_b):
    """Poses of A in B at both ends of the motion, and ChordBounds."""
    motion_a, motion_b = named_motion(motion_a), named_motion(motion_b)
    return relative_motion_between(motion_a, motion_b, frame_at(motion_a, 1.0), frame_at(motion_b, 1.0))


@kernel
def bounds_of_chords(motion_a, motion_b):
    """ChordBounds alone, as a plain tuple: Python makes named ones slowly."""
    _, _, bounds = relative_motion(motion_a, motion_b)
    return bounds.speed, bounds.spin, bounds.bend, bounds.bend_per_arm


@inner_kernel
def relative_motion_between(motion_a, motion_b, end_a, end_b):
    """The same for motions whose end poses are known."""
    X_a, d_a, r_a = motion_a
    X_b, d_b, r_b = motion_b
    d, r = sub(d_a, d_b), sub(r_a, r_b)
    turn_a, turn_b, spin, straight = norm(r_a), norm(r_b), norm(r), norm(d)
    speed = norm(sub(d, cross(r_b, sub(X_a.p, X_b.p)))) + turn_b * straight
    bounds = ChordBounds(speed, spin, 0.125 * turn_b * (straight + speed), 0.125 * spin * (turn_a + turn_b))
    return pose_relative(X_b, X_a), pose_relative(end_b, end_a), bounds


@kernel
def bend_seen_back(motion_a, motion_b, arm):
    """How far the path of a point at distance `arm` from B's origin leaves its chord, seen from A."""
    X_a, d_a, r_a = motion_a
    X_b, d_b, r_b = motion_b
    d, turn_a = sub(d_b, d_a), norm(r_a)
    straight = norm(d)
    speed = norm(sub(d, cross(r_a, sub(X_b.p, X_a.p)))) + turn_a * straight
    return 0.125 * (turn_a * (straight + speed) + norm(sub(r_b, r_a)) * (turn_a + norm(r_b)) * arm)


@kernel
def curved_paths(motion_a, motion_b):
    """Paths of points of A seen from B, and of B from A, each as Relative."""
    end_a, end_b = frame_at(motion_a, 1.0), frame_at(motion_b, 1.0)
    half_a, half_b = frame_at(motion_a, 0.5), frame_at(motion_b, 0.5)
    forth = _curved_path(motion_a, motion_b, end_a, end_b, half_a, half_b)
    return forth, _curved_path(motion_b, motion_a, end_b, end_a, half_b, half_a)


@kernel
def _curved_path(motion_a, motion_b, end_a, end_b, half_a, half_b):
    """Paths of points of A seen from B.

    Where much is turned, the bow is none and the bounds are those of the chord.
    """
    X_0, X_1, (speed, spin, bend, bend_per_arm) = relative_motion_between(motion_a, motion_b, end_a, end_b)
    _, d_a, r_a = motion_a
    _, d_b, r_b = motion_b
    turn_b, turn = norm(r_b), norm(r_a) + norm(r_b)
    if turn > _MOST_TURNED:
        nothing = (0.0, 0.0, 0.0)
        path = Parabola(X_0, X_1, Frame((*nothing, *nothing, *nothing), nothing))
        return Relative(path, ParabolaBounds(bend, bend_per_arm, bend, bend_per_arm))
    third = turn_b * turn_b * (2.0 * norm(sub(d_a, d_b)) + speed)
    third_per_arm = spin * turn * turn
    path = Parabola(X_0, X_1, _bow(X_0, pose_relative(half_b, half_a), X_1))
    return Relative(path, ParabolaBounds(_SWAY * third, _SWAY * third_per_arm, 0.125 * third, 0.125 * third_per_arm))


@kernel
def _bow(X_0, X_m, X_1):
    """The middle of a path, seen from the middle of its chord: a linear map, which is kept as a Frame is."""
    (A, p), (M, q), (B, r) = X_0, X_m, X_1
    R = (
        M[0] - 0.5 * (A[0] + B[0]),
        M[1] - 0.5 * (A[1] + B[1]),
        M[2] - 0.5 * (A[2] + B[2]),
        M[3] - 0.5 * (A[3] + B[3]),
        M[4] - 0.5 * (A[4] + B[4]),
        M[5] - 0.5 * (A[5] + B[5]),
        M[6] - 0.5 * (A[6] + B[6]),
        M[7] - 0.5 * (A[7] + B[7]),
        M[8] - 0.5 * (A[8] + B[8]),
    )
    return Frame(R, (q[0] - 0.5 * (p[0] + r[0]), q[1] - 0.5 * (p[1] + r[1]), q[2] - 0.5 * (p[2] + r[2])))


@inner_kernel
def gain_of_map(X):
    """By how much two points can be farther apart, per length, after a map that is like a pose."""
    gain2 = 0.0
    for k in range(9):
        gain2 += X.R[k] ** 2
    return sqrt(gain2)


@inner_kernel
def difference_of_maps(X, Y, centre, radius):
    """How far the images under two linear maps, like poses, of any point within `radius` of `centre` are apart."""
    gain2 = 0.0
    for k in range(9):
        gain2 += (X.R[k] - Y.R[k]) ** 2
    return norm(sub(pose_apply(X, centre), pose_apply(Y, centre))) + sqrt(gain2) * radius


@kernel
def part_of_motion(motion, t, h):
    """The motion over [t, t + h] as a motion over [0, 1]: MovingFrame as a plain tuple, which Python hands on."""
    motion = named_motion(motion)
    X = frame_at(motion, t)
    return (X.R, X.p), scale(h, motion.displacement), scale(h, motion.rotvec)


@inner_kernel
def way_between(X, Y, centre, radius):
    """How far any point within `radius` of `centre` is moved from one pose to another."""
    return norm(sub(pose_apply(X, centre), pose_apply(Y, centre))) + chord_of_turn(X, Y) * radius
