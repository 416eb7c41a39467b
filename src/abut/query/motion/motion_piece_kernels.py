"""Do two features stay apart when a motion is looked at in pieces?

Between pieces, poses are exact; within one, paths leave their chords by a bow that goes with the square of its length,
and so does what they bulge beyond it (see relative_motion_kernels.curved_paths). Where one direction does not separate
features during the whole motion, pieces of a half, a quarter or an eighth may have one each.

`work` (1 + 2 x 9, 12) is scratch of one pair: row 0 = [latest time that matters, effort so far, effort at which to
stop], then the poses of A in B and those of B in A as [rotation (9), position (3)] at times 0, 1/8 .. 1. Effort is in
units of about 10 ns.
"""

import numpy as np

from ..._jit import lean_kernel
from ...math.pose_kernels import frame_at, load_frame, pose_apply, pose_relative, put_frame
from ...math.vec_kernels import scale
from .separation_kernels import separation_from_segment, separation_from_triangle

# Which part moves in the frame of which; typed, because every plain number would get machine code of its own.
A_IN_B, B_IN_A = np.int64(0), np.int64(1)
PIECES = 8
ROWS = 1 + 2 * (PIECES + 1)
UNTIL, EFFORT, MOST_EFFORT = 0, 1, 2
NOT_YET = 2.0
"""In place of the first entry of a rotation: the pose is not filled in."""


@lean_kernel
def start_work(most_effort, work_out):
    """Nothing has been found or filled in."""
    work_out[0, UNTIL], work_out[0, EFFORT], work_out[0, MOST_EFFORT] = 1.0, 0.0, most_effort
    for i in range(1, ROWS):
        work_out[i, 0] = NOT_YET


@lean_kernel
def is_spent(work):
    """Whether more effort was made than there may be; what is found from then on is worth nothing."""
    return work[0, EFFORT] > work[0, MOST_EFFORT]


@lean_kernel
def _pose(motions, k, work_out):
    """Pose at the time k / PIECES of what is Seen, worked out when it is first asked for."""
    moving, other, side = motions
    i = 1 + side * (PIECES + 1) + k
    if work_out[i, 0] == NOT_YET:
        t = k / PIECES
        put_frame(pose_relative(frame_at(other, t), frame_at(moving, t)), i, work_out)
    return load_frame(work_out, i)


@lean_kernel
def _next_piece(k, n, shown):
    """Begin and length of the piece after [k, k + n], or of its first half if that was not shown to be free."""
    if not shown:
        return k, n // 2
    k += n
    while k % (2 * n) == 0 and 2 * n < PIECES:
        n *= 2
    return k, n


@lean_kernel
def vertex_apart_until(v, bow, triangle, gap, bulge, motions, work_out):
    """Until when pieces show the vertex `v` to stay beyond `gap` of a triangle, to the latest time that matters."""
    k, n = 0, PIECES // 2
    y0 = pose_apply(_pose(motions, 0, work_out), v)
    while k < PIECES * work_out[0, UNTIL] and n > 0:
        y1 = pose_apply(_pose(motions, k + n, work_out), v)
        h2 = (n / PIECES) ** 2
        reach = gap + bulge * h2
        shown = separation_from_triangle(y0, y1, scale(h2, bow), triangle, reach) > reach
        y0 = y1 if shown else y0
        k, n = _next_piece(k, n, shown)
    return k / PIECES


@lean_kernel
def _edge_at(motions, k, edge, work_out):
    X, (p, q) = _pose(motions, k, work_out), edge
    return pose_apply(X, p), pose_apply(X, q)


@lean_kernel
def edge_apart_until(edge, bows, f, gap, bulge, motions, work_out):
    """Until when pieces show an edge to stay beyond `gap` of the edge `f`, likewise."""
    k, n = 0, PIECES // 2
    e0 = _edge_at(motions, 0, edge, work_out)
    bow_p, bow_q = bows
    while k < PIECES * work_out[0, UNTIL] and n > 0:
        e1 = _edge_at(motions, k + n, edge, work_out)
        h2 = (n / PIECES) ** 2
        reach = gap + bulge * h2
        shown = separation_from_segment(e0, e1, (scale(h2, bow_p), scale(h2, bow_q)), f, reach)[0] > reach
        e0 = e1 if shown else e0
        k, n = _next_piece(k, n, shown)
    return k / PIECES
