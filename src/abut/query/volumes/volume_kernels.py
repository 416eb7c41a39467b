"""Bounding volumes of every type behind one interface; a further type is one file and a line in each function here.

`kind` is one of the codes below; the code of a k-DOP is k. `a` and `b` are nodes of the parts of a Pair; `guides` is a
direction that is likely to separate, in the frame of either part (oriented boxes use it). `table` is that of the pair,
what a query prepares once for a relative pose (k-DOPs need it), and an argument of its own: where it is None, which
means oriented boxes, the default, Numba leaves every other type out of what it compiles.
"""

from ..._jit import inner_kernel, lean_kernel
from .dop_kernels import bound2 as _dop_bound2
from .dop_kernels import fit as _dop_fit
from .dop_kernels import prepare as _dop_prepare
from .dop_kernels import size as _dop_size
from .obb_kernels import SIZE
from .obb_kernels import bound2 as _obb_bound2
from .obb_kernels import bounds2_split_a as _obb_split_a
from .obb_kernels import bounds2_split_b as _obb_split_b
from .obb_kernels import overlaps_split_a as _obb_overlaps_split_a
from .obb_kernels import overlaps_split_b as _obb_overlaps_split_b
from .rss_kernels import bound2 as _rss_bound2
from .rss_kernels import fit as _rss_fit
from .sphere_kernels import bound2 as _sphere_bound2
from .sphere_kernels import fit as _sphere_fit
from .sphere_kernels import size as _sphere_size

OBB, RSS, SPHERE = 0, 1, 2


@lean_kernel
def fit_volume(kind, corners, first, last, boxes, i, rows_out):
    """Fit volume `i` to the triangles first .. last - 1, given the oriented boxes of the same tree."""
    if kind == OBB:
        for k in range(boxes.shape[1]):
            rows_out[i, k] = boxes[i, k]
    elif kind == RSS:
        _rss_fit(corners, first, last, boxes, i, rows_out)
    elif kind == SPHERE:
        _sphere_fit(corners, first, last, boxes, i, rows_out)
    else:
        _dop_fit(kind, corners, first, last, i, rows_out)


@lean_kernel
def prepare(kind, X, table_out):
    """What a query needs once for its pose."""
    if table_out is not None:
        if kind > SPHERE:
            _dop_prepare(kind, X, table_out)


@lean_kernel
def volume_size(kind, rows, i, table):
    """The larger of two nodes is the one that is divided."""
    if table is None:
        return rows[i, SIZE]
    if kind == RSS:
        return rows[i, SIZE]
    return _sphere_size(rows, i) if kind == SPHERE else _dop_size(rows, i)


@inner_kernel
def volume_bound2(pair, a, b, table, guides, enough2):
    """Lower bound of the squared distance of two volumes, and the squared distance of their centres.

    The bound may be cheap where it reaches `enough2`.
    """
    if table is None:
        return _obb_bound2(pair.a.rows, a, pair.b.rows, b, pair.X, guides, enough2)
    return _other_bound2(pair.kind, pair.a.rows, a, pair.b.rows, b, pair.X, table, enough2)


@inner_kernel
def volume_bounds2(pair, a, b, split_a, table, guides, enough2):
    """`volume_bound2` of the pairs (a, b) and (a + 1, b), or (a, b) and (a, b + 1): bound, centres, bound, centres."""
    if table is None:
        if split_a:
            return _obb_split_a(pair.a.rows, a, pair.b.rows, b, pair.X, guides, enough2)
        return _obb_split_b(pair.a.rows, a, pair.b.rows, b, pair.X, guides, enough2)
    a_1, b_1 = (a + 1, b) if split_a else (a, b + 1)
    key_0, far_0 = _other_bound2(pair.kind, pair.a.rows, a, pair.b.rows, b, pair.X, table, enough2)
    key_1, far_1 = _other_bound2(pair.kind, pair.a.rows, a_1, pair.b.rows, b_1, pair.X, table, enough2)
    return key_0, far_0, key_1, far_1


@lean_kernel
def _other_bound2(kind, rows_a, a, rows_b, b, X, table, enough2):
    if kind == RSS:
        return _rss_bound2(rows_a, a, rows_b, b, X, enough2)
    if kind == SPHERE:
        return _sphere_bound2(rows_a, a, rows_b, b, X)
    return _dop_bound2(kind, rows_a, a, rows_b, b, table, enough2)


@inner_kernel
def _volumes_overlap(pair, a, b, table, slack):
    """Whether two volumes of another type than oriented boxes may have points within `slack` of each other."""
    bound2, _ = _other_bound2(pair.kind, pair.a.rows, a, pair.b.rows, b, pair.X, table, slack * slack)
    return bound2 <= slack * slack


@inner_kernel
def volumes_overlap_split(pair, a, b, split_a, table, slack):
    """Whether the pairs (a, b) and (a + 1, b), or (a, b) and (a, b + 1), may have points within `slack`."""
    if table is None:
        if split_a:
            return _obb_overlaps_split_a(pair.a.rows, a, pair.b.rows, b, pair.X, slack)
        return _obb_overlaps_split_b(pair.a.rows, a, pair.b.rows, b, pair.X, slack)
    a_1, b_1 = (a + 1, b) if split_a else (a, b + 1)
    return _volumes_overlap(pair, a, b, table, slack), _volumes_overlap(pair, a_1, b_1, table, slack)
