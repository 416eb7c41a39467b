"""How points of a part A move as seen from a part B, when both move rigidly.

In the frame of B a point of A runs from y(0) to y(1) on a path that is nearly straight when little is turned. With
w = d_A - d_B - r_B x s, the velocity of A's origin against B (s from B's origin to A's), and a the arm of the point
about A's origin, the velocity is w + (r_A - r_B) x a and the acceleration is bounded by
|r_B| (|d_A - d_B| + |w|) + |r_A - r_B| (|r_A| + |r_B|) |a|; a path leaves its chord by at most an eighth of that.
"""

from math import sqrt

from .._jit import kernel
from ..math.pose_kernels import motion_at, pose_apply, pose_relative
from ..math.vec_kernels import cross, norm, scale, sub


@kernel
def relative_motion(motion_a, motion_b):
    """Poses of A in B at both ends of the motion, and the bounds `(speed, spin, bend, bend_per_arm)`.

    A point at distance `arm` from A's origin travels at most speed + spin arm, and its path stays within
    bend + bend_per_arm arm of the chord between its ends.
    """
    X_a, d_a, r_a = motion_a
    X_b, d_b, r_b = motion_b
    ends = motion_at(X_a, d_a, r_a, 1.0), motion_at(X_b, d_b, r_b, 1.0)
    return relative_motion_between(motion_a, motion_b, ends)


@kernel
def relative_motion_between(motion_a, motion_b, ends):
    """The same for motions whose end poses are known."""
    X_a, d_a, r_a = motion_a
    X_b, d_b, r_b = motion_b
    d, r = sub(d_a, d_b), sub(r_a, r_b)
    turn_a, turn_b, spin, straight = norm(r_a), norm(r_b), norm(r), norm(d)
    speed = norm(sub(d, cross(r_b, sub(X_a[1], X_b[1])))) + turn_b * straight
    bounds = (speed, spin, 0.125 * turn_b * (straight + speed), 0.125 * spin * (turn_a + turn_b))
    return pose_relative(X_b, X_a), pose_relative(ends[1], ends[0]), bounds


@kernel
def bend_seen_back(motion_a, motion_b, arm):
    """How far the path of a point at distance `arm` from B's origin leaves its chord, seen from A."""
    X_a, d_a, r_a = motion_a
    X_b, d_b, r_b = motion_b
    d, turn_a = sub(d_b, d_a), norm(r_a)
    straight = norm(d)
    speed = norm(sub(d, cross(r_a, sub(X_b[1], X_a[1])))) + turn_a * straight
    return 0.125 * (turn_a * (straight + speed) + norm(sub(r_b, r_a)) * (turn_a + norm(r_b)) * arm)


@kernel
def part_of_motion(motion, t, h):
    """The motion over [t, t + h] as a motion over [0, 1]."""
    X, d, r = motion
    return motion_at(X, d, r, t), scale(h, d), scale(h, r)


@kernel
def way_between(X, Y, centre, radius):
    """How far any point within `radius` of `centre` is moved from one pose to another."""
    chord2 = 0.0
    for k in range(9):
        chord2 += (X[0][k] - Y[0][k]) ** 2
    # The Frobenius norm of the difference of two rotations is sqrt(2) times its largest gain.
    return norm(sub(pose_apply(X, centre), pose_apply(Y, centre))) + sqrt(0.5 * chord2) * radius
