"""Isosurface stuffing: a lattice that is cut at a surface (Labelle and Shewchuk 2007).

Lattice points near the surface are moved onto it, so that no cut is near a corner; tetrahedra that are still cut are
divided by number of their corners inside, on and outside the surface. Diagonals of quadrangles start at their lowest
node, so that neighbours agree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .lattice import Lattice
from .shape import EDGES, signed_volumes

TOO_NEAR_LONG = 0.24999
TOO_NEAR_SHORT = 0.41189
"""Cuts nearer than these shares of a long or short edge to its end move the end onto the surface (from the paper)."""

CUT_ROUNDS = 6
"""How often the place of a cut is improved: sharp edges make depths anything but linear."""

Numbers = NDArray[np.int64]


def stuff(lattice: Lattice, depth: Floats, depths_of: Callable[[Floats], Floats]) -> tuple[Floats, Ints]:
    """Nodes and tetrahedra of what lies inside; `depth` of lattice points below the surface [m], < 0 outside.

    `depths_of` finds that of other points.
    """
    tetrahedra = lattice.tetrahedra[(depth[lattice.tetrahedra] > 0.0).any(axis=1)]
    edges, cuts, share = _cuts(lattice, tetrahedra, depth, depths_of)
    points, moved = _moved_to_cuts(lattice, edges, cuts, share)
    depth = np.where(moved, 0.0, depth)
    left = depth[edges[:, 0]] * depth[edges[:, 1]] < 0.0
    cut_nodes = _CutNodes(edges[left], len(points))
    cells = _divide(tetrahedra, np.sign(depth).astype(np.int8), cut_nodes)
    return _wound(np.vstack([points, cuts[left]]), cells)


class _CutNodes:
    """Numbers of the nodes in the middle of cut edges."""

    def __init__(self, edges: Numbers, first: int) -> None:
        self._first, self._n = first, first
        self._keys = edges[:, 0] * first + edges[:, 1]  # edges are sorted, so are these

    def between(self, a: Numbers, b: Numbers) -> Numbers:
        keys = np.minimum(a, b) * self._n + np.maximum(a, b)
        return self._first + np.searchsorted(self._keys, keys)


def _cuts(
    lattice: Lattice, tetrahedra: Ints, depth: Floats, depths_of: Callable[[Floats], Floats]
) -> tuple[Numbers, Floats, Floats]:
    """Edges that pass through the surface, sorted, where they do [m], and at which share of their length."""
    n = len(lattice.points)
    both = np.vstack([np.sort(tetrahedra[:, pair], axis=1) for pair in EDGES]).astype(np.int64)
    keys = np.unique(both[:, 0] * n + both[:, 1])
    edges = np.stack([keys // n, keys % n], axis=1)
    edges = edges[depth[edges[:, 0]] * depth[edges[:, 1]] < 0.0]
    start, way = lattice.points[edges[:, 0]], lattice.points[edges[:, 1]] - lattice.points[edges[:, 0]]
    at = lambda share: depths_of(np.ascontiguousarray(start + share[:, None] * way))  # noqa: E731
    share = _zeros(depth[edges[:, 0]], depth[edges[:, 1]], at)
    return edges, start + share[:, None] * way, share


def _zeros(first: Floats, last: Floats, at: Callable[[Floats], Floats]) -> Floats:
    """Where between 0 and 1 functions with the values `first` and `last` there are zero, by regula falsi (Illinois)."""
    low, high, f_low, f_high = np.zeros_like(first), np.ones_like(first), first.copy(), last.copy()
    last_moved = np.zeros(len(first), np.int8)
    for _ in range(CUT_ROUNDS):
        share = low + (high - low) * f_low / (f_low - f_high)
        f = at(share)
        moved = np.where(np.sign(f) == np.sign(f_low), -1, 1).astype(np.int8)
        # An end that stays for the second time counts half, so that it moves at last.
        half = np.where((moved == last_moved) & (f != 0.0), 0.5, 1.0)
        low, f_low = np.where(moved < 0, share, low), np.where(moved < 0, f, half * f_low)
        high, f_high = np.where(moved > 0, share, high), np.where(moved > 0, f, half * f_high)
        last_moved = moved
    return np.asarray(low + (high - low) * f_low / (f_low - f_high))


def _moved_to_cuts(lattice: Lattice, edges: Numbers, cuts: Floats, share: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Lattice points, those with a cut too near moved onto the nearest one, and which were."""
    is_corner = edges < lattice.n_corner
    limit = np.where(is_corner[:, 0] == is_corner[:, 1], TOO_NEAR_LONG, TOO_NEAR_SHORT)
    ends = np.concatenate([edges[:, 0], edges[:, 1]])
    near = np.concatenate([share < limit, 1.0 - share < limit])
    way = np.linalg.norm(np.vstack([cuts, cuts]) - lattice.points[ends], axis=1)
    chosen = np.flatnonzero(near)
    chosen = chosen[np.lexsort((chosen, way[chosen], ends[chosen]))]
    first = np.ones(len(chosen), np.bool_)
    first[1:] = ends[chosen][1:] != ends[chosen][:-1]
    chosen = chosen[first]
    points, moved = lattice.points.copy(), np.zeros(len(lattice.points), np.bool_)
    points[ends[chosen]] = cuts[chosen % len(cuts)]
    moved[ends[chosen]] = True
    return points, moved


def _divide(tetrahedra: Ints, side: NDArray[np.int8], cuts: _CutNodes) -> Numbers:
    """Tetrahedra inside the surface: whole ones, and pieces of those that are cut."""
    order = np.argsort(-side[tetrahedra], axis=1, kind="stable")  # inside, then on the surface, then outside
    cells = np.take_along_axis(tetrahedra, order, axis=1).astype(np.int64)
    inside, outside = (side[cells] > 0).sum(axis=1), (side[cells] < 0).sum(axis=1)
    whole = cells[(inside > 0) & (outside == 0)]
    pieces = [whole, *(_tips(cells[(inside == 1) & (outside == k)], k, cuts) for k in (1, 2, 3))]
    pieces.append(_pyramids(cells[(inside == 2) & (outside == 1)], cuts))
    pieces.append(_wedges(cells[(inside == 2) & (outside == 2)], cuts))
    pieces.append(_stumps(cells[(inside == 3) & (outside == 1)], cuts))
    return np.vstack(pieces)


def _tips(cells: Numbers, outside: int, cuts: _CutNodes) -> Numbers:
    """One corner inside: the corners outside are replaced by cuts."""
    columns = [cells[:, k] if k < 4 - outside else cuts.between(cells[:, 0], cells[:, k]) for k in range(4)]
    return np.stack(columns, axis=1)


def _pyramids(cells: Numbers, cuts: _CutNodes) -> Numbers:
    """Two inside, one on the surface, one outside: a pyramid with its tip on the surface."""
    a, b, tip, out = cells.T
    base = _lowest_first(np.stack([a, b, cuts.between(b, out), cuts.between(a, out)], axis=1))
    return _halves(tip, base)


def _wedges(cells: Numbers, cuts: _CutNodes) -> Numbers:
    """Two inside, two outside."""
    a, b, c, d = cells.T
    return _prisms(
        np.stack([a, cuts.between(a, c), cuts.between(a, d)], axis=1),
        np.stack([b, cuts.between(b, c), cuts.between(b, d)], axis=1),
    )


def _stumps(cells: Numbers, cuts: _CutNodes) -> Numbers:
    """Three inside, one outside."""
    lid = np.stack([cuts.between(cells[:, k], cells[:, 3]) for k in range(3)], axis=1)
    return _prisms(cells[:, :3], lid)


def _prisms(a: Numbers, b: Numbers) -> Numbers:
    """Three tetrahedra of each prism between triangles a and b, whose corners are joined in order."""
    lowest = np.hstack([a, b]).argmin(axis=1)
    other = (lowest >= 3)[:, None]
    a, b = np.where(other, b, a), np.where(other, a, b)
    turn = ((lowest % 3)[:, None] + np.arange(3)) % 3
    a, b = np.take_along_axis(a, turn, axis=1), np.take_along_axis(b, turn, axis=1)
    far = _lowest_first(np.stack([a[:, 1], a[:, 2], b[:, 2], b[:, 1]], axis=1))
    return np.vstack([np.stack([a[:, 0], *b.T], axis=1), _halves(a[:, 0], far)])


def _lowest_first(quadrangles: Numbers) -> Numbers:
    turn = (quadrangles.argmin(axis=1)[:, None] + np.arange(4)) % 4
    return np.take_along_axis(quadrangles, turn, axis=1)


def _halves(tip: Numbers, base: Numbers) -> Numbers:
    """Two tetrahedra of each pyramid; the diagonal of the base starts at its first corner."""
    return np.vstack([np.stack([tip, base[:, 0], base[:, k], base[:, k + 1]], axis=1) for k in (1, 2)])


def _wound(points: Floats, cells: Numbers) -> tuple[Floats, Ints]:
    tetrahedra = np.ascontiguousarray(cells, np.int32)
    turned = signed_volumes(points, tetrahedra) < 0.0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    return points, tetrahedra
