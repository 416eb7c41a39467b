"""Bodies that are put into a world touching each other are moved apart before its first step, by the least ways.

How far is a linear programme. Its unknowns are ways of bodies, and of those that joints hold together as one. Where
two of them are nearer than they should be, in the direction n from A to B, n . (u_B - u_A) is to open a contact gap
between them. The sum of all ways is made as small as can be. What comes too near by that is measured, and gives
further rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import Shape
from ...math import Pose
from ...query.impact.openings import are_nearer, openings
from ..bodies.body_kernels import DYNAMIC
from ..joints.joint_set import WORLD
from ..moment import Moment
from .overlap import MovedApart, Overlap, OverlapError, Placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPENING, NARROW = 0.99, 0.57
"""In contact gaps: how far bodies are moved apart, and how far at least where there is not the room for that."""
ENOUGH = 0.5
"""In contact gaps: who is farther apart than that may start."""
SHALLOW = 0.1
"""In contact gaps: what overlaps by no more was meant to touch, as parts from files of single precision do."""
ROUNDS = 24
"""How often what is too near is measured."""
BEARS = 1e-9
"""Multipliers of a linear programme below this are rounding: their rows do not bear."""


class Row(NamedTuple):
    """Two groups of bodies that are to be moved apart."""

    a: int
    b: int
    normal: Floats
    """(3,) from A to B."""
    way: float
    """How far along it B is to be moved away from A, in contact gaps."""
    pair: int
    """Of which two bodies."""


def move_apart(
    now: Moment,
    placed: Sequence[Placed],
    touching: Mapping[tuple[int, int], Overlap],
    contact_gap: float,
    near_pairs: Callable[[Moment], Ints],
) -> tuple[Moment, tuple[MovedApart, ...]]:
    """The moment with bodies moved apart, and which they are; an OverlapError names those that cannot be parted.

    `placed` are all bodies, `touching` pairs of them that overlap or touch, `near_pairs` lists pairs within reach.
    """
    deep = [one for one in touching.values() if not _only_touch(one, contact_gap)]
    if deep:
        raise OverlapError([*deep, *(one for one in touching.values() if one not in deep)], contact_gap)
    ways, stuck = _Parting(now, placed, contact_gap).find([*touching], near_pairs)
    if stuck:
        raise OverlapError([touching.get(pair) or _touch(pair, placed) for pair in stuck], contact_gap)
    moved = np.flatnonzero(ways.any(axis=1)).tolist()
    return now.with_ways(ways), tuple(MovedApart(placed[i].name, tuple(ways[i].tolist())) for i in moved)


def _touch(pair: tuple[int, int], placed: Sequence[Placed]) -> Overlap:
    """Bodies that would touch once others are parted."""
    a, b = pair
    return Overlap(placed[a].name, placed[b].name, 0.0)


def _only_touch(overlap: Overlap, contact_gap: float) -> bool:
    """Whether bodies that overlap were meant to touch; not where it is unknown how deep they are."""
    return not overlap.same_place and overlap.depth <= SHALLOW * contact_gap


class _Parting:
    """Looks for the least ways that part the bodies of a world."""

    def __init__(self, now: Moment, placed: Sequence[Placed], contact_gap: float) -> None:
        self._now, self._placed, self._gap = now, placed, contact_gap
        self._group = _groups(now)
        self._free = _freedom(now, self._group)
        self._touching: list[tuple[int, int]] = []

    def find(
        self, touching: list[tuple[int, int]], near_pairs: Callable[[Moment], Ints]
    ) -> tuple[Floats, list[tuple[int, int]]]:
        """(n, 3) [m] by which bodies are moved, and the pairs of which some cannot be parted; none if all can be."""
        self._touching = touching
        stuck: list[tuple[int, int]] = []
        for opening in (OPENING, NARROW):
            ways, stuck = self._search(opening, near_pairs)
            if not stuck:
                return ways, []
        return np.zeros((len(self._group), 3)), stuck

    def _search(self, opening: float, near_pairs: Callable[[Moment], Ints]) -> tuple[Floats, list[tuple[int, int]]]:
        rows: list[Row] = []
        pairs: list[tuple[int, int]] = []
        ways = np.zeros((len(self._group), 3))
        new = self._touching
        for _ in range(ROUNDS):
            for pair in new:
                pairs.append(pair)
                rows += self._rows(pair, ways, opening, len(pairs) - 1)
            moved = least_ways(rows, self._free)
            if moved is None:
                return ways, sorted({pairs[row.pair] for row in conflict(rows, self._free)})
            ways = self._gap * moved[self._group]
            near = near_pairs(self._now.with_ways(ways)).tolist()
            new = [(a, b) for a, b in near if self._too_near((a, b), ways)]
            if not new:
                return ways, []
        return ways, new

    def _rows(self, pair: tuple[int, int], ways: Floats, opening: float, number: int) -> list[Row]:
        i, j = pair
        a, b = self._group[list(pair)].tolist()
        already = (ways[j] - ways[i]) / self._gap
        return [
            Row(a, b, found.normal, float(found.normal @ already) + opening - self._share(found.gap), number)
            for found in openings(*self._shapes(pair, ways), self._gap, SHALLOW * self._gap)
        ]

    def _share(self, gap: float) -> float:
        """A gap in contact gaps; 0 for an overlap that was meant to be a touch."""
        share = gap / self._gap
        return 0.0 if -SHALLOW <= share < 0.0 else share

    def _too_near(self, pair: tuple[int, int], ways: Floats) -> bool:
        a, b = pair
        if pair not in self._touching and (ways[a] == ways[b]).all():
            return False
        return are_nearer(*self._shapes(pair, ways), ENOUGH * self._gap)

    def _shapes(self, pair: tuple[int, int], ways: Floats) -> tuple[Shape, Shape, Pose, Pose]:
        i, j = pair
        a, b = self._placed[i], self._placed[j]
        return a.shape, b.shape, a.pose.moved(ways[i]), b.pose.moved(ways[j])


def _groups(now: Moment) -> Ints:
    """(n,) number of the group of each body: those that joints hold together; 0 for all that cannot be moved."""
    n = len(now.setup.specs)
    root = list(range(n + 1))

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    for spec in now.joints.specs.values():
        one, two = find(spec.body + 1), find(0 if spec.other == WORLD else spec.other + 1)
        root[max(one, two)] = min(one, two)
    for i in np.flatnonzero(now.state.kind != DYNAMIC).tolist():
        one = find(i + 1)
        root[one] = 0
    found = [find(i + 1) for i in range(n)]
    return np.unique([0, *found], return_inverse=True)[1][1:].astype(np.int32)


def _freedom(now: Moment, group: Ints) -> NDArray[np.bool_]:
    """(n_group, 3) along which axes each group can be moved."""
    free = np.ones((int(group.max(initial=0)) + 1, 3), np.bool_)
    free[0] = False
    for i, spec in enumerate(now.setup.specs):
        free[group[i]] &= ~np.asarray(spec.locked, np.bool_)[:3]
    return free


def least_ways(rows: Sequence[Row], free: NDArray[np.bool_]) -> Floats | None:
    """(n_group, 3) ways with the least sum, in contact gaps; None where there are none.

    Along an axis, none is longer than there are groups that touch each other, directly or not.
    """
    if not rows:
        return np.zeros(free.shape)
    matrix, limit = _matrix(rows, len(free)), _longest(rows, free)
    n = free.size
    result = _solve(np.ones(2 * n), _both_signs(matrix), [row.way for row in rows], np.tile(limit, 2))
    return None if result.x is None or result.status != 0 else (result.x[:n] - result.x[n:]).reshape(-1, 3)


def conflict(rows: Sequence[Row], free: NDArray[np.bool_]) -> list[Row]:
    """Rows that cannot hold together: those that bear on the least sum by which all are violated."""
    from scipy.sparse import hstack, identity

    matrix, limit = _matrix(rows, len(free)), _longest(rows, free)
    n, m = free.size, len(rows)
    costs = np.append(np.zeros(2 * n), np.ones(m))
    elastic = hstack((_both_signs(matrix), identity(m))).tocsr()
    result = _solve(costs, elastic, [row.way for row in rows], np.concatenate((limit, limit, np.full(m, np.inf))))
    if result.x is None:
        return list(rows)
    bearing = np.abs(result.ineqlin.marginals) > BEARS
    return [row for row, bears in zip(rows, bearing.tolist(), strict=True) if bears] or list(rows)


def _matrix(rows: Sequence[Row], n_group: int) -> Any:
    """(n_row, 3 n_group) how fast each opens with the ways of the groups."""
    from scipy.sparse import coo_matrix

    k = np.repeat(np.arange(len(rows)), 6)
    columns = np.concatenate([[*range(3 * row.a, 3 * row.a + 3), *range(3 * row.b, 3 * row.b + 3)] for row in rows])
    entries = np.concatenate([np.concatenate((-row.normal, row.normal)) for row in rows])
    return coo_matrix((entries, (k, columns)), shape=(len(rows), 3 * n_group)).tocsr()


def _both_signs(matrix: Any) -> Any:
    from scipy.sparse import hstack

    return hstack((matrix, -matrix)).tocsr()


def _longest(rows: Sequence[Row], free: NDArray[np.bool_]) -> Floats:
    """(3 n_group,) how far each group may go along each axis: as many contact gaps as groups touch it in turn."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = np.array([(row.a, row.b) for row in rows if row.a and row.b]).reshape(-1, 2)
    shape = (len(free), len(free))
    _, label = connected_components(coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape), False)
    layers = np.bincount(label)[label].astype(float)
    return np.where(free, layers[:, None], 0.0).ravel()


def _solve(costs: Floats, matrix: Any, ways: Sequence[float], limit: Floats) -> Any:
    from scipy.optimize import linprog

    bounds = np.stack((np.zeros(len(limit)), limit), axis=1)
    return linprog(costs, -matrix, -np.asarray(ways), bounds=bounds, method="highs")
