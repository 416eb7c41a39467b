"""How far a motion departs from an earlier one of which something is known.

A row of memory is [pose at the start (12), pose at the end (12), rest]: when paths ran between these poses, they kept
at least `rest` away from what they may touch. Points whose paths begin and end within d of where they did then keep at
least rest - d away, but for the bend of their paths. Poses are those of the moving part in the frame of the other.
A row of the memory of a block of features has 13 more columns, the bow of the paths (12) (see relative_motion_kernels.
curved_paths) and the length of the largest: parabolas kept that distance, and those whose bows differ by b keep at
least rest - d - b.
"""

from ..._jit import inner_kernel
from ...math.frame_tables import Frame
from .relative_motion_kernels import difference_of_maps, way_between

# Columns; the bow begins at WIDTH.
END, REST, WIDTH, LARGEST_BOW, WIDTH_WITH_BOW = 12, 24, 25, 37, 38


@inner_kernel
def path_end(memory, i, end):
    """Pose at the start (end = 0) or at the end (1) of the path in row i."""
    return _load_map(memory, i, END * end)


@inner_kernel
def _load_map(memory, i, k):
    m = memory[i]
    R = (m[k], m[k + 1], m[k + 2], m[k + 3], m[k + 4], m[k + 5], m[k + 6], m[k + 7], m[k + 8])
    return Frame(R, (m[k + 9], m[k + 10], m[k + 11]))


@inner_kernel
def departure(memory, i, centre, radius, path):
    """How far the ends of the path of any point within `radius` of `centre` are from those in row i."""
    return max(
        way_between(path_end(memory, i, 0), path.X_0, centre, radius),
        way_between(path_end(memory, i, 1), path.X_1, centre, radius),
    )


@inner_kernel
def departure_of_bow(memory, i, centre, radius, bow):
    """How far the bows of points within `radius` of `centre` are from those in row i."""
    return difference_of_maps(_load_map(memory, i, WIDTH), bow, centre, radius)


@inner_kernel
def _put_map(X, i, k, memory_out):
    for c in range(9):
        memory_out[i, k + c] = X.R[c]
    for c in range(3):
        memory_out[i, k + 9 + c] = X.p[c]


@inner_kernel
def remember_path(path, rest, i, memory_out):
    """Write row i."""
    _put_map(path.X_0, i, 0, memory_out)
    _put_map(path.X_1, i, END, memory_out)
    memory_out[i, REST] = rest


@inner_kernel
def remember_path_with_bow(path, largest_bow, rest, i, memory_out):
    """The same of parabolas."""
    remember_path(path, rest, i, memory_out)
    _put_map(path.bow, i, WIDTH, memory_out)
    memory_out[i, LARGEST_BOW] = largest_bow
