"""Where skins come too near each other in a motion: lists of features, and checks of these.

Features that may come near are listed once for a motion, with room for what impulses change about it; the list is made
anew where a vertex leaves its room. What a table has no room for is told, and Python makes room and asks again.
"""

from math import inf, isfinite

import numpy as np

from ..._jit import kernel, lean_kernel
from ...fem.skin_check_kernels import check_near, farthest, leaves_ways, near_features
from ...fem.skin_cluster_kernels import fit_clusters, triangle_pairs
from ...fem.skin_kernels import sweep_beside, sweep_vertices
from ...fem.skin_normal_kernels import fit_cluster_normals, own_triangle_pairs
from ...fem.skin_tables import Hit, Near, Reach, SkinFaces, Ways
from .skin_packet_tables import clusters_of, parts_of
from .soft_packet_tables import (
    found_of,
    hit_of,
    near_of,
    near_pairs_of,
    surfaces_of,
    vertices_of,
    watched_of,
)

LISTED, FULL_OF_PAIRS, FULL_OF_FEATURES = 0, 1, 2
"""What became of a list: it is made, or a table has no room for all."""
MUST_LIST = -1
"""In the place of the number of hits: features must be listed first."""


@lean_kernel
def _box_skins(swept, surfaces, pad, box_out):
    """Boxes (n, 6) around the ways of all skins, each wider by its pad [m]."""
    for i in range(box_out.shape[0]):
        for d in range(3):
            low, high = inf, -inf
            for v in range(surfaces.first[i], surfaces.first[i + 1]):
                low, high = min(low, swept[v, d]), max(high, swept[v, d + 3])
            box_out[i, d], box_out[i, d + 3] = low - pad[i], high + pad[i]


@lean_kernel
def _see_each_other(surfaces, box, i, j):
    """Whether two skins may meet."""
    if surfaces.ignored[i, j]:
        return False
    for d in range(3):
        if box[i, d] > box[j, d + 3] or box[j, d] > box[i, d + 3]:
            return False
    return True


@lean_kernel
def _pads(surfaces, noted, room, pad_out):
    """How much wider boxes around skins are [m]."""
    for i in range(pad_out.shape[0]):
        spare = surfaces.spare[i] if isfinite(surfaces.spare[i]) else 0.0
        pad_out[i] = 0.5 * noted + room + surfaces.margin[i] + spare


@lean_kernel
def _fit(swept, surfaces, pad, i, skin_io):
    """Fit boxes around the clusters of a skin; one side of a search."""
    parts, clusters, mine = parts_of(skin_io), clusters_of(skin_io), swept[surfaces.first[i] : surfaces.first[i + 1]]
    fit_clusters(mine, pad, parts, clusters)
    return mine, pad, parts, clusters


@kernel
def list_near(packet_io, skins_io, noted, room):
    """List features of different skins that may come near each other, with so much `room` for changes [m].

    `noted` are the distances for a vertex and a face, and for edges, which is no more [m].
    Returns what became of it, how many features there are or how many places are needed, and how many pairs of skins
    are near that move in no straight way.
    """
    vertices, surfaces, watched = vertices_of(packet_io), surfaces_of(packet_io), watched_of(packet_io)
    near, pairs, listed = near_of(packet_io), found_of(packet_io).triangles, near_pairs_of(packet_io)
    count = surfaces.number.shape[0]
    pad, box = np.empty(count), np.empty((count, 6))
    sweep_vertices(vertices.start, vertices.end, watched.swept)
    far, edges_far = noted
    _pads(surfaces, far, room, pad)
    _box_skins(watched.swept, surfaces, pad, box)
    n, hopeless, number = 0, 0, 0
    for i in range(count):
        for j in range(i + 1, count if surfaces.number[i] >= 0 else 0):
            if not _see_each_other(surfaces, box, i, j):
                continue
            a, b = parts_of(skins_io[i]), parts_of(skins_io[j])
            first = _fit(watched.swept, surfaces, pad[i], i, skins_io[i])
            second = _fit(watched.swept, surfaces, pad[j], j, skins_io[j])
            m = triangle_pairs(first, second, pairs)
            if m > pairs.shape[0]:
                return FULL_OF_PAIRS, m, hopeless
            spare, margin = surfaces.spare[i] + surfaces.spare[j], surfaces.margin[i] + surfaces.margin[j]
            if m == 0 or not isfinite(spare):
                hopeless += 0 if m == 0 else 1
                continue
            sides = (
                SkinFaces(a.triangles, a.owned, surfaces.faces[i]),
                SkinFaces(b.triangles, b.owned, surfaces.faces[j]),
            )
            more, begin = 2.0 * room + spare + margin, n
            reach = far + more, edges_far + more
            n = near_features(watched.swept, sides, reach, pairs, m, begin, near)
            if n > near.pair.shape[0]:
                return FULL_OF_FEATURES, n, hopeless
            for k in range(begin, n):
                near.pair[k] = number
            listed.spare[number], listed.margin[number] = spare, margin
            number += 1
    _copy_rows(vertices.end, watched.thought)
    return LISTED, n, hopeless


@lean_kernel
def _copy_rows(table, copy_out):
    for i in range(table.shape[0]):
        for d in range(table.shape[1]):
            copy_out[i, d] = table[i, d]


@kernel
def look_at_ways(packet_io, reach, listed, way, edges):
    """Hits of listed features, the earliest first; those of edges only if asked for.

    `reach` are the first numbers of `Reach`, `listed` says how many features there are, whether the list is new, and
    how far vertices may leave the ways for which it was made [m]; `way` [m] is how far they have moved in all since
    then. Returns how many hits there are, how many of them must not be, how many begin without room, and `way`.
    """
    vertices, watched, hit, pairs = (
        vertices_of(packet_io),
        watched_of(packet_io),
        hit_of(packet_io),
        near_pairs_of(packet_io),
    )
    ways, (noted, refused, beside), (count, new, room) = Ways(vertices.start, vertices.end), reach, listed
    if not new:
        if leaves_ways(ways.start, watched.thought, ways.end, room):
            return MUST_LIST, 0, 0, way
        way += farthest(watched.last, ways.end)
    _copy_rows(ways.end, watched.last)
    limits = Reach(noted, refused, beside, pairs.spare, pairs.margin)
    n, stuck = check_near(ways, near_of(packet_io), count, limits, way, edges, hit)
    if n > hit.name.shape[0]:
        return n, 0, stuck, way
    return n, _sort_hits(hit, 0, n), stuck, way


@kernel
def _sort_hits(hit_io, first, last):
    """Sort hits by time, equal ones as they are; how many must not be."""
    n, refused = last - first, 0
    name, value = hit_io.name[first:last].copy(), hit_io.value[first:last].copy()
    order = np.argsort(value[:, 0].copy(), kind="mergesort")
    for i in range(n):
        for m in range(5):
            hit_io.name[first + i, m] = name[order[i], m]
        for m in range(9):
            hit_io.value[first + i, m] = value[order[i], m]
        refused += 1 if hit_io.value[first + i, 8] <= 1.0 else 0
    return refused


@kernel
def look_at_own(packet_io, skins_io, near):
    """Hits of skins of soft bodies with themselves, nearer than `near` [m]; as `look_at_ways`, without the way.

    Returns -1 hits where there is no room for pairs of triangles, and how many they are.
    """
    vertices, surfaces, swept = vertices_of(packet_io), surfaces_of(packet_io), watched_of(packet_io).swept
    hit, pairs, n, refused, stuck = hit_of(packet_io), found_of(packet_io).triangles, 0, 0, 0
    for i in range(surfaces.number.shape[0]):
        if surfaces.number[i] < 0:
            break
        a, b, skin = surfaces.first[i], surfaces.first[i + 1], parts_of(skins_io[i])
        start, end = vertices.start[a:b], vertices.end[a:b]
        sweep_beside(start, end, swept[a:b])
        side = _fit(swept, surfaces, 0.5 * near + surfaces.margin[i], i, skins_io[i])
        fit_cluster_normals((start, end), skin, clusters_of(skins_io[i]))
        count = own_triangle_pairs(side, (start, end), pairs)
        if count > pairs.shape[0]:
            return -1, count, 0
        if count > 0:
            faces, first = SkinFaces(skin.triangles, skin.owned, surfaces.faces[i]), n
            n, more = _check_own(Ways(vertices.start, vertices.end), swept, faces, pairs, count, near, n, hit)
            stuck += more
            if n <= hit.name.shape[0]:
                refused += _sort_hits(hit, first, n)
    return n, refused, stuck


MOST_OF_TWO = 15
"""Pairs of features that two triangles have."""


@kernel
def _check_own(ways, swept, faces, pairs, count, near, n, hit_io):
    """Add hits of pairs of triangles of one skin to n others; how many there are, and how many begin without room."""
    room = MOST_OF_TWO * count
    table = Near(np.empty((room, 5), np.int32), np.zeros(room, np.int32), np.empty(room))
    own = Hit(np.empty((room, 5), np.int32), np.empty((room, 9)))
    features = near_features(swept, (faces, faces), (near, near), pairs, count, 0, table)
    limits = Reach(near, near, 0.0, np.zeros(1), np.zeros(1))
    found, stuck = check_near(ways, table, features, limits, 0.0, True, own)
    for k in range(found):
        if n + k < hit_io.name.shape[0]:
            for m in range(5):
                hit_io.name[n + k, m] = own.name[k, m]
            for m in range(9):
                hit_io.value[n + k, m] = own.value[k, m]
    return n + found, stuck
