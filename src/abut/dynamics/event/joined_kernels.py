"""Rows of joints that hold points and directions of two bodies, with how they bend along a motion with constant twists.

All rows of a joint hold the same two points: what these need is found once for all of them.
"""

from ..._jit import inner_kernel
from ...math.pose_kernels import load_frame
from ...math.vec_kernels import add, cross, dot, mat_vec, scale, sub
from ..joints.joint_kernels import (
    ALIGNED,
    AXIAL,
    AXIS,
    FACTOR,
    POINT_A,
    POINT_B,
    ROW_KIND,
    SIDE_A,
    SIDE_B,
)
from .motion_tables import JOINT, Joined


@inner_kernel
def vector_of(table, k, first):
    """Three columns of row k."""
    return table[k, first], table[k, first + 1], table[k, first + 2]


@inner_kernel
def is_joined(r, hinges, tables):
    """Whether hinge r holds points or directions of a joint along each other."""
    if hinges.kind[r] != JOINT:
        return False
    kind = tables.joint_name[hinges.index[r], ROW_KIND]
    return kind == AXIAL or kind == ALIGNED


@inner_kernel
def nowhere():
    """Stands for two bodies before there are any."""
    zero, unturned = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return Joined(unturned, unturned, zero, zero, zero, zero, zero, zero)


@inner_kernel
def join(r, hinges, tables, frames, y, first):
    """What the rows of the joint of hinge r share; twists begin in column `first`."""
    place, k, a, b = tables.joint_place, hinges.index[r], hinges.body[r, 0], hinges.body[r, 1]
    X_a, X_b = load_frame(frames, a), load_frame(frames, b)
    w_a, w_b = vector_of(y, a, first + 3), vector_of(y, b, first + 3)
    r_a, r_b = mat_vec(X_a.R, vector_of(place, k, POINT_A)), mat_vec(X_b.R, vector_of(place, k, POINT_B))
    turn_a, turn_b = cross(w_a, r_a), cross(w_b, r_b)
    way = sub(add(X_b.p, r_b), add(X_a.p, r_a))
    rate = sub(add(vector_of(y, b, first), turn_b), add(vector_of(y, a, first), turn_a))
    # Seen from A, which turns: Coriolis' and the centrifugal acceleration.
    seen = cross(w_a, sub(cross(w_a, way), scale(2.0, rate)))
    bend = add(sub(cross(w_b, turn_b), cross(w_a, turn_a)), seen)
    return Joined(X_a.R, X_b.R, w_a, w_b, add(r_a, way), r_b, way, bend)


@inner_kernel
def joined_row(k, tables, joined, row_out):
    """Row k of a joint, its value, and how that bends."""
    place = tables.joint_place
    if tables.joint_name[k, ROW_KIND] == AXIAL:
        n = mat_vec(joined.R_a, vector_of(place, k, AXIS))
        turn_a, turn_b = cross(joined.arm_a, n), cross(joined.arm_b, n)
        for i in range(3):
            row_out[i], row_out[3 + i] = -n[i], -turn_a[i]
            row_out[6 + i], row_out[9 + i] = n[i], turn_b[i]
        return dot(n, joined.way), dot(n, joined.bend)
    factor, w_a, w_b = place[k, FACTOR], joined.w_a, joined.w_b
    a, b = mat_vec(joined.R_a, vector_of(place, k, SIDE_A)), mat_vec(joined.R_b, vector_of(place, k, SIDE_B))
    turn = cross(b, a)
    for i in range(3):
        row_out[i], row_out[3 + i] = 0.0, -factor * turn[i]
        row_out[6 + i], row_out[9 + i] = 0.0, factor * turn[i]
    rate_a, rate_b = cross(w_a, a), cross(w_b, b)
    bend = 2.0 * dot(rate_a, rate_b) - dot(rate_a, cross(w_a, b)) - dot(rate_b, cross(w_b, a))
    return factor * dot(a, b), factor * bend
