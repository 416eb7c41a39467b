"""Tables of skins that move, by name."""

from __future__ import annotations

from typing import Any, NamedTuple


class Ways(NamedTuple):
    """Straight ways of the vertices of all skins."""

    start: Any
    """(n, 3) [m] where they begin."""
    end: Any
    """(n, 3) [m] where they end."""


class SkinFaces(NamedTuple):
    """The triangles of a skin, and what they answer for."""

    triangles: Any
    """(m, 3) vertices."""
    owned: Any
    """(m, 6) corners and sides that each answers for."""
    faces: Any
    """Whether they are faces: those of balls and capsules are not."""


class SkinTree(NamedTuple):
    """A tree of boxes around the triangles of a skin."""

    child: Any
    """(2 m - 1,) first child of each box, or -1 - triangle."""
    boxes: Any
    """(2 m - 1, 6) low and high ends [m]."""


class Clusters(NamedTuple):
    """Parts of a skin's tree whose boxes are fitted at once; what is below them is fitted when it is looked at."""

    of_node: Any
    """(2 m - 1,) the cluster that begins at each node of the tree, -1 for none."""
    node: Any
    """(c,) the node at which each begins."""
    below: Any
    """(c,) how many nodes are under it: they come one after the other, from its first child on."""
    top: Any
    """(t,) the nodes above them, children first."""
    first_vertex: Any
    """(c + 1,) where the vertices of each begin in `vertex`."""
    vertex: Any
    """Vertices of its triangles, among those of the skin."""
    triangle: Any
    """(c, 32) its own triangles, some of them more than once where they are fewer."""
    first_beside: Any
    """(c + 1,) where the clusters that touch each begin in `beside`."""
    beside: Any
    """Clusters that have a vertex in common with it, itself among them."""
    first_ring: Any
    """(c + 1,) where the triangles of each begin in `ring`."""
    ring: Any
    """Triangles that touch these vertices."""
    first_around: Any
    """(m + 1,) where the triangles that touch each triangle begin in `around`."""
    around: Any
    """Triangles that have a vertex in common with it, itself among them."""
    cone: Any
    """(c, 4) cones around the normals of its own triangles, see skin_normal_kernels."""
    fitted: Any
    """(c,) whether what is below is fitted."""


class SkinParts(NamedTuple):
    """One skin, with boxes that are fitted when they are looked at."""

    triangles: Any
    """(m, 3) vertices, among those of all skins."""
    own: Any
    """(m, 3) the same among its own."""
    owned: Any
    """(m, 6) corners and sides that each triangle answers for."""
    child: Any
    """(2 m - 1,) as of `SkinTree`."""
    boxes: Any
    """(2 m - 1, 6) [m]."""
    normals: Any
    """(2 m - 1, 4) cones around normals, see skin_normal_kernels."""
    of_triangle: Any
    """(m, 4) such a cone of each triangle."""


class Near(NamedTuple):
    """Features of two skins that may come near each other."""

    name: Any
    """(k, 5) kind and four vertices."""
    pair: Any
    """(k,) number of the pair of skins."""
    room: Any
    """(k,) [m] how far both may move in all, by what was seen last, before they must be looked at again."""


class Reach(NamedTuple):
    """How near features may come."""

    noted: Any
    """[m] what comes nearer is a hit."""
    refused: Any
    """[m] what comes nearer must not; it is said of each hit."""
    beside: Any
    """[m] what is nearer at the end, with its nearest points within both features, is a hit at a time beyond 1."""
    spare: Any
    """(n_pair,) [m] by how much vertices of two skins may be off their straight ways."""
    margin: Any
    """(n_pair,) [m] by how much round shapes reach beyond their features."""


class Hit(NamedTuple):
    """What was found, with room for more."""

    name: Any
    """(k, 5) kind and four vertices."""
    value: Any
    """(k, 9) time, shares of the four vertices, normal, and the time of what must not be (2 for never)."""
