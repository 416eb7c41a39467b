"""What the search for a depth works with."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...arrays import Floats, Ints


class Work(NamedTuple):
    """Room for the pieces of a surface that wait, and scratch."""

    pieces: Floats
    """(room, 12) three corners [m] in the frame of the other part, and the depth of each [m]."""
    names: Ints
    """(room, 4) the other part's facet nearest to each corner, and the node of the tree; -1 for part of a triangle."""
    waiting: Ints
    """(room, 2) heap of pieces, in the first column."""
    keys: Floats
    """(room,) their upper bounds, less than 0."""
    stack: Ints
    """(depth,) nodes still to be looked at."""
    bounds: Floats
    """(depth,) lower bounds of their squared distances."""
    found: Ints
    """(k,) facets near a triangle."""
    polygon: Floats
    """(2, 9, 3) a facet while it is cut, before and after."""
    spent: Ints
    """(1,) nodes and facets that were looked at."""


class Piece(NamedTuple):
    """Part of a triangle of A, and what is known of its corners."""

    T: Any
    """Three corners [m] in the frame of B."""
    depth: Any
    """(3) [m] depth of each in B."""
    facets: Any
    """(3) the facet of B nearest to each."""


class Near(NamedTuple):
    """The facets of B that are looked at for a bound."""

    limit: float
    """[m] all within this distance of a piece."""
    proven: bool
    """Whether that is known to be a bound of the piece's depth; else the result has to confirm it."""


class Line(NamedTuple):
    """Pieces in line, by numbers that change with each that comes or goes."""

    waiting: int
    """How many wait in the heap."""
    used: int
    """How many slots of the tables have ever been used."""


class Wanted(NamedTuple):
    """How deep is A in this part, and how well is that to be known?"""

    part: Any
    """Part B."""
    slack: float
    """[m] height by which rounding may carry a corner above the plane it lies in."""
    tolerances: Any
    """Tolerances of the answer."""


class Tolerances(NamedTuple):
    """How well the bounds of a depth are to agree."""

    share: float
    """Of the depth."""
    length: float
    """[m] beyond that share."""


class DepthLimits(NamedTuple):
    """How much effort may be made."""

    pieces: int
    """That are divided."""
    looks: int
    """At nodes and facets, for bounds."""
