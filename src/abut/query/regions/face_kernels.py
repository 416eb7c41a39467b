"""Faces around features, their triangles, and boxes around these."""

from ..._jit import inner_kernel
from .group_kernels import EDGE, VERTEX


@inner_kernel
def count_faces(part, kind, id):
    """How many faces a feature belongs to; the core of a ball or capsule counts as one."""
    if part.face[0] < 0:
        return 1
    if kind == VERTEX:
        return part.face_start[id + 1] - part.face_start[id]
    return 2 if kind == EDGE else 1


@inner_kernel
def face_of(part, kind, id, k):
    """The k-th of them; -1 for a core."""
    if part.face[0] < 0:
        return -1
    if kind == VERTEX:
        return part.face_item[part.face_start[id] + k]
    return part.edge_face[id, k] if kind == EDGE else id


@inner_kernel
def triangles_of(part, face):
    """First and last place of a face's triangles in the list; a core is one triangle."""
    return (0, 1) if face < 0 else (part.triangle_start[face], part.triangle_start[face + 1])


@inner_kernel
def triangle_at(part, face, k):
    """The triangle at a place of the list."""
    return 0 if face < 0 else part.triangle_item[k]


@inner_kernel
def beside(low, high, boxes, i):
    """Whether a box misses another one, which is a row (lowest, highest) of a table."""
    return (
        boxes[i, 0] > high[0] or boxes[i, 1] > high[1] or boxes[i, 2] > high[2]
        or boxes[i, 3] < low[0] or boxes[i, 4] < low[1] or boxes[i, 5] < low[2]
    )  # fmt: skip


@inner_kernel
def around(low, high, p):
    """A box made to hold a point, too."""
    return (
        (min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2])),
        (max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2])),
    )


@inner_kernel
def wider(low, high, by):
    """A box made larger on all sides."""
    return (low[0] - by, low[1] - by, low[2] - by), (high[0] + by, high[1] + by, high[2] + by)
