"""Healing of what exporters do to solids; every change is counted, and no vertex moves further than stated.

Done: vertices on open edges are welded, T-junctions are healed (a vertex on an open edge splits the triangle on the
other side), triangles of no area, repeated triangles and fins that enclose nothing go, orientation becomes consistent
and outward, vertices that no triangle uses go. Not done: holes are never capped, since nobody knows what was there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats, Ints, indices, number, rows
from .. import mass_kernels
from ..topology import shell_kernels
from ..topology.csr import Csr
from . import repair_kernels, thin_kernels

REACH = 1e-4
"""Default of `reach`, as a fraction of the part's size: how far welding and T-junctions may bridge."""
THINNEST = 2e-7
"""Triangles of less height, as a fraction of the part's size, are no more than rounding of float32 files."""

_LADDER = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
_ROUNDS = 24

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class RepairReport:
    """What a repair did, in numbers."""

    merged_vertices: int = 0
    """Vertices that stood in the same place as another, to the last bit."""
    welded_vertices: int = 0
    """Vertices moved onto another one."""
    largest_move: float = 0.0
    """[m] the longest way a vertex was moved."""
    split_edges: int = 0
    """Vertices inserted into an open edge on the other side of a T-junction."""
    largest_gap: float = 0.0
    """[m] the longest way between such a vertex and the edge it was inserted into, or the largest height of a triangle
    whose edge was swapped: how far the surface was moved without moving a vertex."""
    collapsed_triangles: int = 0
    """Triangles of no area that were taken out."""
    swapped_edges: int = 0
    """Edges swapped with the other diagonal to give a triangle of no area some height."""
    duplicate_triangles: int = 0
    """Triangles that stood twice in the file."""
    flipped_triangles: int = 0
    """Triangles turned over."""
    unused_vertices: int = 0
    """Vertices that belonged to no triangle."""
    open_edges: int = 0
    """Edges still open."""
    crowded_edges: int = 0
    """Edges where more than two triangles still meet: several wedges of material touch there, and are kept apart."""

    @property
    def changed(self) -> bool:
        """Whether the surface was touched: merging identical vertices and dropping unused ones leave it as it is."""
        harmless = ("merged_vertices", "unused_vertices", "open_edges", "crowded_edges")
        return any(getattr(self, f.name) for f in fields(self) if f.name not in harmless)

    def __str__(self) -> str:
        parts = [
            (self.welded_vertices, f"welded {self.welded_vertices} vertices (at most {self.largest_move:.3g} m away)"),
            (self.split_edges, f"healed {self.split_edges} T-junctions"),
            (self.collapsed_triangles, f"removed {self.collapsed_triangles} triangles of no area"),
            (self.swapped_edges, f"swapped {self.swapped_edges} edges of triangles of no height"),
            (self.duplicate_triangles, f"removed {self.duplicate_triangles} repeated triangles"),
            (self.flipped_triangles, f"turned over {self.flipped_triangles} triangles"),
            (self.largest_gap, f"moved the surface by at most {self.largest_gap:.3g} m"),
            (self.open_edges, f"{self.open_edges} edges are still open"),
            (self.crowded_edges, f"more than two triangles still meet at {self.crowded_edges} edges"),
        ]
        return ", ".join(text for n, text in parts if n) or "nothing to repair"


@dataclass(frozen=True, eq=False)
class _State:
    vertices: Floats
    triangles: Ints
    report: RepairReport


def repair_mesh(
    vertices: ArrayLike, triangles: ArrayLike, *, reach: float | None = None
) -> tuple[Floats, Ints, RepairReport]:
    """Healed vertices and triangles, and a report.

    `reach` [m] bounds how far a vertex may be welded or inserted; the default is 1e-4 of the part's size. The smallest
    distance that closes the surface is tried first.
    """
    points = rows("vertices", vertices, 3)
    corners = indices("triangles", triangles, 3, below=len(points))
    size = float(np.linalg.norm(np.ptp(points[corners.ravel()], axis=0))) if len(corners) else 0.0
    reach = REACH * size if reach is None else number("reach", reach, least=0.0)
    state = _without_folds(_without_duplicates(_without_collapsed(_merged(_State(points, corners, RepairReport())))))
    state = _without_slivers(_closed(state, size, reach), size, reach)
    state = _oriented(state)
    return *drop_unused(state.vertices, state.triangles), state.report


def weld_open_vertices(vertices: Floats, triangles: Ints, reach: float) -> tuple[Floats, Ints, RepairReport]:
    """Weld the vertices on open edges that are no further apart than `reach` [m], and do nothing else."""
    state = _welded(_State(vertices, triangles, RepairReport()), reach)
    return *drop_unused(state.vertices, state.triangles), state.report


def merge_identical(vertices: Floats) -> tuple[Ints, int]:
    """For each vertex the first one with the same coordinates to the last bit, and how many are not the first."""
    points = vertices + 0.0  # -0.0 and 0.0 are one place
    order = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    first = order[np.flatnonzero(fresh)]  # lexsort is stable: the smallest index of each place
    target = np.empty(len(order), np.int32)
    target[order] = first[np.cumsum(fresh) - 1]
    return target, int(len(order) - len(first))


def has_repeated_corner(triangles: Ints) -> Bools:
    """(m,) whether a triangle names a vertex twice."""
    return np.asarray((triangles == np.roll(triangles, 1, axis=1)).any(axis=1))


def drop_unused(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Only the vertices that triangles use, in the same order."""
    used = np.zeros(len(vertices), np.bool_)
    used[triangles.ravel()] = True
    number_of = (np.cumsum(used) - 1).astype(np.int32)
    return vertices[used], number_of[triangles]


def repeated_triangles(triangles: Ints) -> Bools:
    """(m,) whether an earlier triangle has the same corners in the same turn."""
    first = triangles.argmin(axis=1)
    turned = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    order = np.lexsort((turned[:, 2], turned[:, 1], turned[:, 0]))
    repeated = np.zeros(len(triangles), np.bool_)
    repeated[order[1:]] = (turned[order[1:]] == turned[order[:-1]]).all(axis=1)
    return repeated


def folded_pairs(triangles: Ints, mate: Ints) -> Bools:
    """(m,) whether a triangle lies back to back on its own neighbour: a fin or pillow that encloses nothing.

    Back to back triangles of two lumps that touch are not neighbours and do not count.
    """
    fold = np.zeros(len(triangles), np.bool_)
    corners = np.sort(triangles, axis=1)
    for k in range(3):
        across = mate[k::3]
        neighbour = np.where(across >= 0, across // 3, 0)
        fold |= (across >= 0) & (corners == corners[neighbour]).all(axis=1)
    return fold


def _merged(state: _State) -> _State:
    vertices, triangles = drop_unused(state.vertices, state.triangles)
    unused = len(state.vertices) - len(vertices)
    target, merged = merge_identical(vertices)
    vertices, triangles = drop_unused(vertices, target[triangles])
    return _State(vertices, triangles, replace(state.report, unused_vertices=unused, merged_vertices=merged))


def _without_collapsed(state: _State) -> _State:
    bad = has_repeated_corner(state.triangles)
    return _dropped(state, bad, "collapsed_triangles")


def _without_duplicates(state: _State) -> _State:
    return _dropped(state, repeated_triangles(state.triangles), "duplicate_triangles")


def _dropped(state: _State, bad: Bools, counter: str) -> _State:
    if not bad.any():
        return state
    report = replace(state.report, **{counter: getattr(state.report, counter) + int(bad.sum())})
    return _State(state.vertices, np.ascontiguousarray(state.triangles[~bad]), report)


def _mates(state: _State) -> tuple[Ints, int]:
    mate = np.empty(3 * len(state.triangles), np.int32)
    n_open = repair_kernels.find_mates(state.triangles, len(state.vertices), mate)
    return mate, int(n_open)


def _open_count(state: _State) -> int:
    _, n_open = _mates(state)
    return n_open


def _closed(state: _State, size: float, reach: float) -> _State:
    """Weld and heal with growing reach until nothing is open; keep the best that was found."""
    best, fewest = state, _open_count(state)
    for step in (*(x * size for x in _LADDER if x * size < reach), reach):
        if fewest == 0:
            break
        tried = _healed(_welded(best, step), step)
        n_open = _open_count(tried)
        if n_open < fewest:
            best, fewest = tried, n_open
    return best


def _welded(state: _State, reach: float) -> _State:
    mate, n_open = _mates(state)
    if n_open == 0 or reach <= 0.0:
        return state
    active = np.zeros(len(state.vertices), np.bool_)
    active[_ends_of(state.triangles, np.flatnonzero(mate < 0))] = True
    return _weld(state, active, reach)


def _weld(state: _State, active: Bools, reach: float) -> _State:
    target = np.empty(len(state.vertices), np.int32)
    longest = repair_kernels.weld(state.vertices, active, reach, target)
    moved = int((target != np.arange(len(target))).sum())
    report = replace(
        state.report,
        welded_vertices=state.report.welded_vertices + moved,
        largest_move=max(state.report.largest_move, float(longest)),
    )
    return _without_duplicates(_without_collapsed(_State(state.vertices, target[state.triangles], report)))


def _ends_of(triangles: Ints, half_edges: NDArray[np.integer]) -> Ints:
    t, k = half_edges // 3, half_edges % 3
    return np.concatenate((triangles[t, k], triangles[t, (k + 1) % 3]))


def _healed(state: _State, reach: float) -> _State:
    """Split triangles at T-junctions, round by round, until no open edge has a vertex on it."""
    for _ in range(_ROUNDS):
        mate, n_open = _mates(state)
        if n_open == 0:
            break
        edge, vertex, gap = _find_splits(state, mate, reach)
        if len(edge) == 0:
            break
        out = np.empty((len(state.triangles) + len(edge), 3), np.int32)
        n = repair_kernels.split_triangles(state.triangles, edge, vertex, out)
        report = replace(
            state.report,
            split_edges=state.report.split_edges + n - len(state.triangles),
            largest_gap=max(state.report.largest_gap, float(gap.max())),
        )
        state = _without_duplicates(_State(state.vertices, out[:n].copy(), report))
    return state


def _find_splits(state: _State, mate: Ints, reach: float) -> tuple[Ints, Ints, Floats]:
    alone = np.flatnonzero(mate < 0).astype(np.int32)
    candidates = np.unique(_ends_of(state.triangles, alone))
    axis = int(np.ptp(state.vertices[candidates], axis=0).argmax())
    candidates = candidates[np.argsort(state.vertices[candidates, axis], kind="stable")].astype(np.int32)
    capacity = 4 * len(alone)
    while True:
        edge, vertex = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
        t, gap = np.empty(capacity), np.empty(capacity)
        splits = (edge, vertex, t, gap)
        n = repair_kernels.find_splits(state.vertices, state.triangles, alone, candidates, axis, reach, splits)
        if n <= capacity:
            break
        capacity = n
    order = np.lexsort((t[:n], edge[:n]))
    return edge[order], vertex[order], gap[order]


def _without_slivers(state: _State, size: float, reach: float) -> _State:
    """Get rid of triangles of no height, and of thin ones that rounding has turned over."""
    thinnest = min(THINNEST * size, reach)
    state = _swapped(_welded_points(state, thinnest), thinnest, reach)
    for _ in range(_ROUNDS):
        thin = _thin(state, thinnest)
        tried = _swapped(_stitched(_dropped(state, thin, "collapsed_triangles"), reach), thinnest, reach)
        if _thin(tried, thinnest).sum() >= thin.sum() or _open_count(tried) > _open_count(state):
            break
        state = tried
    return state


def _thin(state: _State, thinnest: float) -> Bools:
    height = np.empty(len(state.triangles))
    repair_kernels.heights(state.vertices, state.triangles, height)
    return np.asarray(height <= thinnest)


def _swapped(state: _State, thinnest: float, reach: float) -> _State:
    """Edges swapped where that gives a thin triangle some height; not possible where its neighbours are as thin."""
    triangles, (mate, _) = state.triangles.copy(), _mates(state)
    n, height = thin_kernels.swap_thin_triangles(state.vertices, triangles, mate, thinnest, reach)
    swapped, largest = state.report.swapped_edges + int(n), max(state.report.largest_gap, float(height))
    return _State(state.vertices, triangles, replace(state.report, swapped_edges=swapped, largest_gap=largest))


def _stitched(state: _State, reach: float) -> _State:
    """The slit that a strip of triangles without area leaves, closed by splitting the triangles on both sides."""
    return _without_folds(_healed(state, reach))


def _welded_points(state: _State, thinnest: float) -> _State:
    """Collapse edges of no length; undone where that opens the surface."""
    if not _thin(state, thinnest).any():
        return state
    welded = _without_folds(_weld(state, np.ones(len(state.vertices), np.bool_), thinnest))
    return welded if _open_count(welded) <= _open_count(state) else state


def _without_folds(state: _State) -> _State:
    while (folds := _folds(state)).any():
        state = _dropped(state, folds, "collapsed_triangles")
    return state


def _folds(state: _State) -> Bools:
    mate, _ = _mates(state)
    return folded_pairs(state.triangles, mate)


def _oriented(state: _State) -> _State:
    """Turn triangles so that neighbours agree and every closed shell has its material inside."""
    triangles = state.triangles
    mate, n_open = _mates(state)
    component, flip = np.empty(len(triangles), np.int32), np.empty(len(triangles), np.bool_)
    n, _ = repair_kernels.orient_components(triangles, mate, component, flip)
    members = Csr.inverse_of(component, n)
    turned = triangles.copy()
    turned[flip] = turned[flip][:, ::-1]
    complete = np.ones(n, np.bool_)
    complete[component[np.flatnonzero(mate < 0) // 3]] = False
    inverted = _inverted_components(state.vertices, turned, members, complete, flip, component)
    flip ^= inverted[component]
    turned = triangles.copy()
    turned[flip] = turned[flip][:, ::-1]
    crowded = _crowded_count(turned)
    report = replace(state.report, flipped_triangles=int(flip.sum()), open_edges=n_open, crowded_edges=crowded)
    return _State(state.vertices, np.ascontiguousarray(turned), report)


def _crowded_count(triangles: Ints) -> int:
    ends = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    _, counts = np.unique(ends[:, 0] << 32 | ends[:, 1], return_counts=True)
    return int((counts > 2).sum())


def _inverted_components(
    vertices: Floats, triangles: Ints, members: Csr, complete: Bools, flip: Bools, component: Ints
) -> Bools:
    """Which components to turn over as a whole.

    A component that was consistent keeps its orientation inside another shell (it is a cavity or, if not, a finding for
    `problems`), and has its material inside where it lies on its own. One that was not is material at even depth and
    a cavity at odd depth.
    """
    mixed = np.bincount(component, weights=flip, minlength=len(members)) > 0
    inverted = np.zeros(len(members), np.bool_)
    boxes = _boxes(vertices, triangles, members)
    for i in range(len(members)):
        negative = _signed_volume(vertices, triangles, members[i]) < 0.0
        if not complete[i]:
            inverted[i] = bool(mixed[i]) and negative
        elif _depth(vertices, triangles, members, complete, boxes, i) % 2 == 0:
            inverted[i] = negative
        else:
            inverted[i] = bool(mixed[i]) and not negative
    return inverted


def _boxes(vertices: Floats, triangles: Ints, members: Csr) -> tuple[Floats, Floats]:
    """Lowest and highest coordinates of each component."""
    corners = vertices[triangles[members.items]]
    low, high = corners.min(axis=1), corners.max(axis=1)
    return np.minimum.reduceat(low, members.start[:-1]), np.maximum.reduceat(high, members.start[:-1])


def _depth(
    vertices: Floats, triangles: Ints, members: Csr, complete: Bools, boxes: tuple[Floats, Floats], inner: int
) -> int:
    """How many complete components lie around this one."""
    low, high = boxes
    around = complete & (low <= low[inner]).all(axis=1) & (high >= high[inner]).all(axis=1)
    around[inner] = False
    probe = tuple(float(x) for x in vertices[triangles[members[inner][0], 0]])
    turns = (shell_kernels.winding_number(probe, vertices, triangles, members[int(i)]) for i in np.flatnonzero(around))
    return sum(abs(turn) > 0.5 for turn in turns)


def _signed_volume(vertices: Floats, triangles: Ints, members: Ints) -> float:
    integrals = np.empty(10)
    corners = vertices[triangles[members].ravel()]
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    mass_kernels.volume_integrals(vertices, triangles, members, tuple(middle.tolist()), integrals)
    return float(integrals[0])
