"""What is wrong with a surface, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...arrays import TINY, Floats, Ints
from ...errors import LoadWarning, warn_caller
from ..triangles.intersect_kernels import CROSS, OVERLAP, TOUCH
from . import repair_kernels, self_intersect_kernels
from .repair import THINNEST, repeated_triangles

if TYPE_CHECKING:
    from ..solid import Solid

_LOOPS = 12  # loops of open edges that are listed one by one, the longest first
_ROOM = 65536  # pairs of triangles that are listed; more are only counted


@dataclass(frozen=True, eq=False)
class Problem:
    """One finding."""

    kind: str
    """open edges, inconsistent orientation, inside out, nested material, degenerate triangles, duplicate triangles,
    self-intersection, touching, non-manifold edges or non-manifold vertices."""
    severity: str
    """"error": not the boundary of a solid. "warning": a solid, but one to look at."""
    message: str
    """A sentence that says what is wrong and where."""
    count: int
    """How many edges, triangles, pairs, shells or vertices."""
    where: Floats
    """(n, 3) [m] a point at each of them."""
    indices: Ints
    """The vertices of a loop of open edges in order, else one row per item: edges as two vertices, triangles, pairs
    of triangles, shells, vertices."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


def warn_if_unsound(solid: Solid, owner: str) -> None:
    """Say so where a part from a file is not the boundary of a solid; parts that were made are not looked at."""
    errors = [problem for problem in solid.problems() if problem.severity == "error"] if solid.origin else []
    if errors:
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        warn_caller(
            f"{owner}: {solid.label} is not a sound solid: {errors[0].message}{more}; "
            "problems() lists all, and loading with repair=True heals what can be healed",
            LoadWarning,
        )


def find_problems(solid: Solid) -> list[Problem]:
    """All findings, errors first."""
    found = [
        *_open_edges(solid),
        *_inconsistent_edges(solid),
        *_shell_problems(solid),
        *_thin_triangles(solid),
        *_duplicates(solid),
        *_self_intersections(solid),
        *_non_manifold(solid),
    ]
    return sorted(found, key=lambda problem: problem.severity != "error")


def _problem(
    kind: str, severity: str, text: str, where: Floats, indices: NDArray[np.integer], count: int | None = None
) -> Problem:
    n = len(where) if count is None else count
    return Problem(kind, severity, f"{text}, {_place(where)}", n, where, np.asarray(indices, np.int32))


def _place(where: Floats) -> str:
    x, y, z = where[0]
    return f"{'at' if len(where) == 1 else 'first at'} ({x:.6g}, {y:.6g}, {z:.6g}) m"


def _plural(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _middle(solid: Solid, edges: Ints) -> Floats:
    return np.asarray(solid.mesh.vertices[edges].mean(axis=1))


def _centres(solid: Solid, triangles: NDArray[np.integer]) -> Floats:
    return np.asarray(solid.mesh.vertices[solid.mesh.triangles[triangles]].mean(axis=1))


def _unpaired(solid: Solid) -> tuple[Ints, NDArray[np.bool_]]:
    """Ends of the edges without a partner across material, and which of them are a matter of orientation.

    Ends are in the direction in which a cap would run. Where an even number of triangles meet, turning some over would
    pair them.
    """
    edges = solid.edges
    single = (edges.triangles < 0).any(axis=1)
    backward = edges.triangles[single, 0] < 0
    ends = edges.vertices[single]
    ends = np.where(backward[:, None], ends, ends[:, ::-1])
    return np.asarray(ends, np.int32), np.asarray(edges.crowd[single] % 2 == 0)


def _open_edges(solid: Solid) -> Iterator[Problem]:
    ends, even = _unpaired(solid)
    chains = _chains(ends[~even])
    for loop in chains[:_LOOPS]:
        n = len(loop) - 1
        shape = "in a closed loop: a hole" if loop[0] == loop[-1] else "in a chain"
        where = _middle(solid, np.stack((loop[:-1], loop[1:]), axis=1))
        yield _problem("open edges", "error", f"{_plural(n, 'open edge')} {shape}", where, loop)
    if len(chains) > _LOOPS:
        rest = np.concatenate([np.stack((loop[:-1], loop[1:]), axis=1) for loop in chains[_LOOPS:]])
        text = f"{_plural(len(rest), 'open edge')} in {len(chains) - _LOOPS} more loops and chains"
        yield _problem("open edges", "error", text, _middle(solid, rest), rest)


def _chains(ends: Ints) -> list[Ints]:
    """Directed edges joined end to end into loops and chains, the longest first."""
    following: dict[int, list[int]] = {}
    for a, b in ends.tolist():
        following.setdefault(a, []).append(b)
    arrivals = {b for _, b in ends.tolist()}
    chains = []
    for start in sorted(following, key=lambda v: v in arrivals):  # chains begin where no edge arrives
        while following[start]:
            chain = [start]
            while following.get(chain[-1]):
                chain.append(following[chain[-1]].pop())
                if chain[-1] == start:
                    break
            chains.append(np.array(chain, np.int32))
    return sorted(chains, key=len, reverse=True)


def _inconsistent_edges(solid: Solid) -> Iterator[Problem]:
    ends, even = _unpaired(solid)
    wrong = np.unique(np.sort(ends[even], axis=1), axis=0)
    if len(wrong):
        text = f"{_plural(len(wrong), 'edge')} whose triangles are oriented against each other"
        yield _problem("inconsistent orientation", "error", text, _middle(solid, wrong), wrong)


def _shell_problems(solid: Solid) -> Iterator[Problem]:
    shells = solid.shells
    outermost = shells.closed & (shells.depth % 2 == 0) & (shells.volume < 0.0)
    nested = shells.closed & (shells.depth % 2 == 1) & (shells.volume > 0.0)
    deep = shells.closed & (shells.depth % 2 == 0) & (shells.depth > 0) & (shells.volume < 0.0)
    for kind, text, chosen in (
        ("inside out", "{} that encloses its outside: its triangles run clockwise", outermost & ~deep),
        ("inside out", "{} inside a cavity that encloses its outside", deep),
        ("nested material", "{} of material inside the material of another", nested),
    ):
        ids = np.flatnonzero(chosen)
        if len(ids):
            first = np.array([shells.triangles[int(i)][0] for i in ids])
            where = solid.mesh.vertices[solid.mesh.triangles[first][:, 0]]
            yield _problem(kind, "error", text.format(_plural(len(ids), "shell")), where, ids)


def _thin_triangles(solid: Solid) -> Iterator[Problem]:
    height = np.empty(len(solid.triangles))
    repair_kernels.heights(solid.mesh.vertices, solid.mesh.triangles, height)
    thin = np.flatnonzero(height <= THINNEST * float(np.linalg.norm(solid.extents)))
    if len(thin):
        text = f"{_plural(len(thin), 'triangle')} of no area"
        yield _problem("degenerate triangles", "error", text, _centres(solid, thin), thin)


def _duplicates(solid: Solid) -> Iterator[Problem]:
    twice = np.flatnonzero(repeated_triangles(solid.mesh.triangles))
    if len(twice):
        text = f"{_plural(len(twice), 'triangle that is there twice', 'triangles that are there twice')}"
        yield _problem("duplicate triangles", "error", text, _centres(solid, twice), twice)


def self_intersecting_pairs(solid: Solid) -> tuple[Ints, NDArray[np.int8], int]:
    """Pairs of triangles that meet beyond what they share, how they meet, and how many pairs there are."""
    vertices, triangles = solid.mesh.vertices, solid.mesh.triangles
    low, high = np.empty((len(triangles), 3)), np.empty((len(triangles), 3))
    self_intersect_kernels.triangle_boxes(vertices, triangles, low, high)
    # The axis along which the fewest triangles lie beside each other.
    axis = int(((high - low).sum(axis=0) / np.maximum(solid.extents, TINY)).argmin())
    order = np.argsort(low[:, axis], kind="stable").astype(np.int32)
    pairs, kind = np.empty((_ROOM, 2), np.int32), np.empty(_ROOM, np.int8)
    n = self_intersect_kernels.self_intersections(vertices, triangles, low, high, order, axis, pairs, kind)
    return pairs[:n], kind[:n], int(n)


def _self_intersections(solid: Solid) -> Iterator[Problem]:
    pairs, kind, n = self_intersecting_pairs(solid)
    for name, severity, chosen, text in (
        ("self-intersection", "error", kind == CROSS, "{} of triangles that pass through each other"),
        ("self-intersection", "error", kind == OVERLAP, "{} of triangles that cover each other in one plane"),
        ("self-intersection", "error", kind == self_intersect_kernels.FOLD, "{} of neighbours folded onto each other"),
        ("touching", "warning", kind == TOUCH, "{} of triangles that touch without a common corner or edge"),
    ):
        rows = pairs[chosen]
        if len(rows):
            where = 0.5 * (_centres(solid, rows[:, 0]) + _centres(solid, rows[:, 1]))
            more = f" (of {n} pairs that meet)" if n > len(pairs) else ""
            yield _problem(name, severity, text.format(_plural(len(rows), "pair")) + more, where, rows)


def _non_manifold(solid: Solid) -> Iterator[Problem]:
    edges, fans = solid.edges, solid.fans
    crowded = np.unique(edges.vertices[(edges.crowd > 2) & (edges.triangles >= 0).all(axis=1)], axis=0)
    if len(crowded):
        text = f"{_plural(len(crowded), 'edge')} where more than two triangles meet; wedges of material are kept apart"
        yield _problem("non-manifold edges", "warning", text, _middle(solid, crowded), crowded)
    several = np.flatnonzero(fans.of_vertex.counts > 1)
    several = np.setdiff1d(several, crowded.ravel())
    if len(several):
        text = f"{_plural(len(several), 'vertex', 'vertices')} where parts of the surface touch in a point"
        yield _problem("non-manifold vertices", "warning", text, solid.mesh.vertices[several], several)
