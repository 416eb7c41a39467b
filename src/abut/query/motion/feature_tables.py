"""Exposed features as kernels take them: of many shapes in flat tables, and of one shape.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class Features(NamedTuple):
    """Features of all shapes, one after another; `start` says where the rows of each shape begin."""

    start: Any
    """(n_shape + 1, 10), see the columns in feature_table_kernels."""
    point: Any
    """(n_point, 3) [m] vertices that can touch first, then ends of edges that cannot."""
    point_centre: Any
    """(n_block, 3) [m] of balls around blocks of points."""
    point_radius: Any
    """(n_block,) [m] of these balls."""
    segment: Any
    """(n_segment, 6) [m] both ends of edges."""
    segment_centre: Any
    """(n_block, 3) [m] of balls around blocks of edges."""
    segment_radius: Any
    """(n_block,) [m] of these balls."""
    segment_box: Any
    """(n_segment, 6) [m] lowest and highest coordinates of edges."""
    segment_bounds: Any
    """(n_shape, 6) [m] those of all edges of a shape."""
    segment_frame: Any
    """(n_shape, 8) of grids of edges, see cell_grid_kernels; likewise the next three."""
    segment_cell: Any
    """(n_cell,) where the groups of cells begin."""
    segment_item: Any
    """(n_group, 19) edges in groups."""
    segment_code: Any
    """(n_group, 6, 16) their boxes."""
    corner: Any
    """(n_triangle, 9) [m] the corners of triangles."""
    plane: Any
    """(n_triangle, 4) unit normals and offsets [m]; zero where there is no telling."""
    triangle_box: Any
    """(n_triangle, 6) [m] lowest and highest coordinates of triangles."""
    triangle_bounds: Any
    """(n_shape, 6) [m] those of all triangles of a shape."""
    triangle_frame: Any
    """(n_shape, 8) of grids of triangles; likewise the next three."""
    triangle_cell: Any
    """(n_cell,) where the groups of cells begin."""
    triangle_item: Any
    """(n_group, 19) triangles in groups."""
    triangle_code: Any
    """(n_group, 6, 16) their boxes."""
    half_space: Any
    """(n_plane, 4) unit normals and offsets [m] of half-spaces."""
    radius: Any
    """(n_shape,) [m] how far shapes reach beyond their points and edges."""
    size: Any
    """(n_shape,) [m] typical lengths of edges."""
    ball: Any
    """(n_shape, 4) [m] centre and radius of a ball around all points."""
    peaks: Any
    """(n_shape,) how many points of each shape, the first ones, can touch first."""


class Searched(NamedTuple):
    """Features of one shape that look for those of another, in blocks that lie next to each other."""

    feature: Any
    """(n, 3) points or (n, 6) edges [m]."""
    centre: Any
    """(n_block, 3) [m] of balls around blocks."""
    radius: Any
    """(n_block,) [m] of these balls."""


class Grid(NamedTuple):
    """A grid of cells, see cell_grid_kernels."""

    frame: Any
    """(8,) origin [m], cells per length [1/m], cells along the axes, codes per length [1/m]."""
    start: Any
    """(n_cell + 2,) where the groups of cells begin."""
    items: Any
    """(n_group, 19) elements in groups."""
    codes: Any
    """(n_group, 6, 16) their boxes."""


class Target(NamedTuple):
    """Elements of one shape that features of another may meet: triangles or edges."""

    bounds: Any
    """(1, 6) [m] lowest and highest coordinates of all."""
    grid: Any
    """Grid."""
    box: Any
    """(n, 6) [m] lowest and highest coordinates of each."""
    element: Any
    """(n, 9) triangles or (n, 6) edges [m]."""
    plane: Any
    """(n, 4) unit normals and offsets [m] of triangles; none of edges."""


class ExposedShape(NamedTuple):
    """Features of one shape."""

    points: Any
    """Searched: vertices that can touch first."""
    segments: Any
    """Searched: edges that can touch first."""
    edges: Any
    """Target: the same edges."""
    triangles: Any
    """Target."""
    half_space: Any
    """(1, 4) unit normal and offset [m] of a half-space; (0, 4) of other shapes."""
    radius: Any
    """[m] how far the shape reaches beyond its points and edges."""
    size: Any
    """[m] typical length of an edge."""


class Hulls(NamedTuple):
    """Convex shapes of few faces, one after another (hulls.py)."""

    start: Any
    """(n_shape + 1, 3) where corners, normals and directions of each shape begin."""
    corner: Any
    """(n_corner, 3) [m]."""
    normal: Any
    """(n_face, 4) unit normals of faces, and how far [m] the farthest corner lies along them."""
    direction: Any
    """(n_edge, 3) unit vectors along edges."""
