"""How far a motion departs from an earlier one of which something is known.

A row of memory is [pose at the start (12), pose at the end (12), rest]: when paths ran between these poses, they kept
at least `rest` away from what they may touch. Points whose paths begin and end within d of where they did then keep at
least rest - d away, but for the bend of their paths. Poses are those of the moving part in the frame of the other.
"""

from .._jit import lean_kernel
from .relative_motion_kernels import way_between

REST, WIDTH = 24, 25


@lean_kernel
def path_end(memory, i, end):
    """Pose at the start (end = 0) or at the end (1) of the path in row i."""
    m = memory[i]
    k = 12 * end
    R = (m[k], m[k + 1], m[k + 2], m[k + 3], m[k + 4], m[k + 5], m[k + 6], m[k + 7], m[k + 8])
    return R, (m[k + 9], m[k + 10], m[k + 11])


@lean_kernel
def departure(memory, i, centre, radius, poses):
    """How far the ends of the path of any point within `radius` of `centre` are from those in row i."""
    return max(
        way_between(path_end(memory, i, 0), poses[0], centre, radius),
        way_between(path_end(memory, i, 1), poses[1], centre, radius),
    )


@lean_kernel
def remember_path(poses, rest, i, memory_out):
    """Write row i."""
    for end in range(2):
        R, p = poses[end]
        for k in range(9):
            memory_out[i, 12 * end + k] = R[k]
        for k in range(3):
            memory_out[i, 12 * end + 9 + k] = p[k]
    memory_out[i, REST] = rest
