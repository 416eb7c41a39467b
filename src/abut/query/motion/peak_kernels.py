"""Which vertices can be touched by a plane before any edge beside them is.

Where two parts first come within a distance of each other, the ball of that radius about the point of the one holds
nothing of the other. At a vertex all edges therefore fall away from the plane across the direction between the two
points. A vertex whose edges rise above every plane through it, as at the root of a thread or on the crest of an inner
one, never is the closest point: somewhere along an edge the parts are nearer.
"""

from ..._jit import kernel
from ...math.vec_kernels import cross, dot, norm, row, scale, sub

# Sines: of edges that give a normal, and of the angle by which an edge has to rise to count.
_SINE_OF_NORMAL, _RISES = 1e-6, 0.01


@kernel
def _direction(vertices, v, w):
    way = sub(row(vertices, w), row(vertices, v))
    length = norm(way)
    return scale(1.0 / length if length > 0.0 else 0.0, way)


@kernel
def _fall_on_one_side(n, vertices, v, others):
    """Whether all edges from `v` fall away from the plane across `n` on one side or on the other."""
    lowest, highest = 0.0, 0.0
    for k in range(others.shape[0]):
        height = dot(n, _direction(vertices, v, others[k]))
        lowest, highest = min(lowest, height), max(highest, height)
    return highest <= _RISES or lowest >= -_RISES


@kernel
def is_peak(vertices, v, others):
    """Whether a plane through `v` has all its edges, to the vertices `others`, on one side.

    A plane that has can be turned until it holds two of them.
    """
    found = False
    for i in range(others.shape[0]):
        d = _direction(vertices, v, others[i])
        for j in range(i + 1, others.shape[0]):
            n = cross(d, _direction(vertices, v, others[j]))
            sine = norm(n)
            if sine > _SINE_OF_NORMAL:
                found = True
                if _fall_on_one_side(scale(1.0 / sine, n), vertices, v, others):
                    return True
    return not found


@kernel
def find_peaks(vertices, chosen, start, others, peak_out):
    """Which of the chosen vertices are peaks; edges run from v to others[start[v] : start[v + 1]]."""
    for k in range(chosen.shape[0]):
        v = chosen[k]
        peak_out[k] = is_peak(vertices, v, others[start[v] : start[v + 1]])
