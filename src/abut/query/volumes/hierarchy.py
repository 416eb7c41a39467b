"""Bounding volume hierarchies of parts: built when a query first needs them, and kept with the part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats, Ints, is_one_of
from ...errors import InputError
from . import tree_kernels as kernels
from .dop_kernels import WIDTH as DOP_WIDTH
from .obb_kernels import HALF, SIZE
from .obb_kernels import WIDTH as OBB_WIDTH
from .reference_kernels import put_references
from .rss_kernels import WIDTH as RSS_WIDTH
from .sphere_kernels import WIDTH as SPHERE_WIDTH
from .volume_kernels import OBB, RSS, SPHERE

if TYPE_CHECKING:
    from ...geometry import Solid

VOLUMES = {"obb": OBB, "rss": RSS, "sphere": SPHERE, "aabb": 6, "dop6": 6, "dop14": 14, "dop18": 18, "dop26": 26}
"""Names of the bounding volumes and their codes in kernels."""

_WIDTHS = {OBB: OBB_WIDTH, RSS: RSS_WIDTH, SPHERE: SPHERE_WIDTH}


@dataclass(frozen=True, eq=False)
class Tree:
    """How the triangles of a part are divided, with an oriented box for each node."""

    corners: Floats
    """(n_triangle, 9) corner coordinates [m], in the order of the leaves."""
    order: Ints
    """(n_triangle,) which triangle of the part each of them is."""
    child: Ints
    """(n_node,) the first of a node's two children, which lie side by side; -1 - t for the leaf of triangle t."""
    span: Ints
    """(n_node, 2) the triangles [first, last) of a node."""
    boxes: Floats
    """(n_node, 16) oriented boxes, see `obb_kernels`."""
    depth: int
    """Number of nodes on the longest way from the root to a leaf."""

    @cached_property
    def rank(self) -> Ints:
        """(n_triangle,) place in the order of the leaves of each triangle of the part."""
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank), dtype=np.int32)
        return rank


class Hierarchy:
    """A tree of bounding volumes of one kind over the triangles of a part."""

    __slots__ = ("code", "depth", "extent", "kind", "part", "reach", "rows", "tables", "tree")

    def __init__(self, kind: str, tree: Tree, volumes: Floats) -> None:
        self.kind = kind
        self.code = VOLUMES[kind]
        self.tree = tree
        self.rows = volumes
        self.tables = (tree.corners, tree.child, volumes, tree.boxes)
        self.depth = tree.depth + 2
        # Radius of the ball about the origin of the part's frame, with something to spare for rounding.
        self.reach = 1.000001 * float(np.sqrt((tree.corners.reshape(-1, 3) ** 2).sum(axis=1).max()))
        # Diagonal of the box around the part, and the part as SweptPart; `tables` is Part, both as plain tuples.
        self.extent = 2.0 * float(np.linalg.norm(tree.boxes[0, HALF:SIZE]))
        self.part = (tree.corners, tree.child, tree.boxes, self.reach)

    def table(self) -> Floats | None:
        """Scratch space for what a query prepares once, see `volume_kernels`; None for oriented boxes."""
        return None if self.code == OBB else np.empty((2, 13, 8))


def hierarchy_of(solid: Solid, volume: str = "obb") -> Hierarchy:
    """The hierarchy of a part with this kind of bounding volume, built at the first call."""
    try:
        found: Hierarchy = solid.__dict__["_hierarchies"][volume]
    except KeyError:
        found = _build_hierarchy(solid, volume)
        solid.__dict__.setdefault("_hierarchies", {})[volume] = found
    return found


def _build_hierarchy(solid: Solid, volume: str) -> Hierarchy:
    if not is_one_of(volume, VOLUMES):
        raise InputError(f"volume: expected one of {', '.join(VOLUMES)}, got {volume!r}")
    if not solid:
        raise InputError(f"{solid.label} is empty: it is nowhere, and nothing can be near it; ask bool(part) first")
    if volume == "obb":
        tree = build_tree(solid.mesh.vertices, solid.mesh.triangles)
        return Hierarchy(volume, tree, tree.boxes)
    tree = hierarchy_of(solid).tree
    code = VOLUMES[volume]
    volumes = np.zeros((len(tree.child), _WIDTHS.get(code, DOP_WIDTH)))
    kernels.fit_volumes(code, tree.corners, tree.span, tree.boxes, volumes)
    return Hierarchy(volume, tree, volumes)


def build_tree(vertices: Floats, triangles: Ints) -> Tree:
    """Divide triangles by SiLVIA's rule, down to single ones."""
    n = len(triangles)
    corners, moments = np.empty((n, 9)), np.empty((n, 13))
    kernels.gather(vertices, triangles, corners)
    middle = 0.5 * (corners.reshape(-1, 3).min(axis=0) + corners.reshape(-1, 3).max(axis=0))
    kernels.measure(corners, (float(middle[0]), float(middle[1]), float(middle[2])), moments)
    put_references(corners, triangles, len(vertices), moments[:, 10:])
    order = np.arange(n, dtype=np.int32)
    child, span, boxes = np.empty(2 * n - 1, np.int32), np.empty((2 * n - 1, 2), np.int32), np.empty((2 * n - 1, 16))
    depth = kernels.build_tree(corners, moments, order, child, span, boxes)
    return Tree(corners, order, child, span, boxes, int(depth))
