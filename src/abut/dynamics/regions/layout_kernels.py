"""Where the tables of a world's regions lie in three long arrays.

A call from Python takes a fifth of a microsecond for each array it is given, and there are a hundred of these tables.
"""

from ..._jit import inner_kernel
from ...query.regions.region_tables import Found, Groups, Memory, RegionPart, Scratch, Work
from .world_region_tables import ContactTables, Moments, Pairs, Reading

TRIANGLES, NODES, FACES, EDGES, VERTICES, FACE_ITEMS, EDGE_ITEMS, FANS, ITEMS, STARTS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Columns of the starts of parts in their stack."""

FOUND_FLOATS, FOUND_INTS, FOUND_LONGS, FOUND_ROOM = 48, 9, 9, 5
"""Numbers for each region in the three arrays, and integers besides."""
READING_FLOATS, READING_INTS, READING_LONGS, READING_ROOM = 26, 4, 1, 1
"""Those of what acted on regions, which follow."""
CONTACT_FLOATS, CONTACT_INTS, CONTACT_ROOM = 50, 20, 2
"""Those for each contact and pair, which follow."""
WORK_FLOATS, WORK_INTS, WORK_LONGS, WORK_ROOM = 41, 48, 6, 32
"""Numbers for each region in the room for a search, and integers besides; each level of trees takes two more."""
POLYGON_FLOATS = 96
_CORNERS = 12


@inner_kernel
def part_of(parts, s):
    """The tables of one part."""
    f, i, first, end, n_part = parts.floats, parts.ints, parts.starts[s], parts.starts[s + 1], parts.starts.shape[0] - 1
    total = parts.starts[n_part]
    t, n, g, e, v = total[TRIANGLES], total[NODES], total[FACES], total[EDGES], total[VERTICES]
    t_0, t_1, n_0, n_1 = first[TRIANGLES], end[TRIANGLES], first[NODES], end[NODES]
    g_0, g_1, e_0, e_1, v_0, v_1 = first[FACES], end[FACES], first[EDGES], end[EDGES], first[VERTICES], end[VERTICES]
    n_t, n_n, n_g, n_e, n_v = t_1 - t_0, n_1 - n_0, g_1 - g_0, e_1 - e_0, v_1 - v_0
    boxes, normal = 9 * t, 9 * t + 16 * n
    offset, face_box, edge_normal = normal + 3 * g, normal + 4 * g, normal + 10 * g
    point, fan = edge_normal + 3 * e, edge_normal + 3 * e + 3 * v
    vertex, side, duty, face = n, n + 3 * t, n + 6 * t, n + 7 * t
    triangle_start, item = n + 8 * t, n + 8 * t + g + n_part
    edge_face = item + total[ITEMS]
    edge_end, face_start = edge_face + 2 * e, edge_face + 4 * e
    face_item = face_start + v + n_part
    edge_start = face_item + total[FACE_ITEMS]
    edge_item = edge_start + v + n_part
    fan_start = edge_item + total[EDGE_ITEMS]
    # Lists by vertex or face have one entry more than there are of these.
    v_2, v_3, g_2, g_3 = v_0 + s, v_1 + s + 1, g_0 + s, g_1 + s + 1
    return RegionPart(
        f[9 * t_0 : 9 * t_1].reshape((n_t, 9)),
        i[n_0:n_1],
        f[boxes + 16 * n_0 : boxes + 16 * n_1].reshape((n_n, 16)),
        i[vertex + 3 * t_0 : vertex + 3 * t_1].reshape((n_t, 3)),
        i[side + 3 * t_0 : side + 3 * t_1].reshape((n_t, 3)),
        i[duty + t_0 : duty + t_1],
        i[face + t_0 : face + t_1],
        f[normal + 3 * g_0 : normal + 3 * g_1].reshape((n_g, 3)),
        f[offset + g_0 : offset + g_1],
        i[triangle_start + g_2 : triangle_start + g_3],
        i[item + first[ITEMS] : item + end[ITEMS]],
        f[face_box + 6 * g_0 : face_box + 6 * g_1].reshape((n_g, 6)),
        i[edge_face + 2 * e_0 : edge_face + 2 * e_1].reshape((n_e, 2)),
        i[edge_end + 2 * e_0 : edge_end + 2 * e_1].reshape((n_e, 2)),
        f[edge_normal + 3 * e_0 : edge_normal + 3 * e_1].reshape((n_e, 3)),
        f[point + 3 * v_0 : point + 3 * v_1].reshape((n_v, 3)),
        i[face_start + v_2 : face_start + v_3],
        i[face_item + first[FACE_ITEMS] : face_item + end[FACE_ITEMS]],
        i[edge_start + v_2 : edge_start + v_3],
        i[edge_item + first[EDGE_ITEMS] : edge_item + end[EDGE_ITEMS]],
        i[fan_start + v_2 : fan_start + v_3],
        f[fan + 3 * first[FANS] : fan + 3 * end[FANS]].reshape((end[FANS] - first[FANS], 3)),
    )


@inner_kernel
def found_in(floats, ints, longs, r):
    """Room for r regions, four points each; borders are of no use in a world."""
    return Found(
        ints[:4],
        ints[5 + r : 5 + 5 * r].reshape((r, 4)),
        longs[:r],
        ints[5 + 5 * r : 5 + 6 * r],
        floats[: 9 * r].reshape((r, 9)),
        floats[9 * r : 12 * r].reshape((r, 3)),
        ints[4 : 5 + r],
        floats[12 * r : 36 * r].reshape((4 * r, 6)),
        floats[36 * r : 48 * r].reshape((4 * r, 3)),
        longs[r : 5 * r],
        longs[5 * r : 9 * r],
        ints[:0].reshape((0, 3)),
        floats[:0].reshape((0, 2)),
        ints[5 + 6 * r : 5 + 7 * r],
        ints[5 + 7 * r : 5 + 9 * r].reshape((r, 2)),
    )


@inner_kernel
def moment_in(floats, ints, longs, r, c, found):
    """Room for what acted on r regions, which were found before, and for c contacts of a moment."""
    f, i, k = FOUND_FLOATS * r, FOUND_INTS * r + FOUND_ROOM, FOUND_LONGS * r
    reading = Reading(
        longs[k : k + r],
        longs[k + r : k + r + 1],
        ints[i : i + 2 * r].reshape((r, 2)),
        ints[i + 2 * r : i + 3 * r],
        floats[f : f + 12 * r].reshape((r, 12)),
        floats[f + 12 * r : f + 20 * r].reshape((r, 8)),
        floats[f + 20 * r : f + 23 * r].reshape((r, 3)),
        floats[f + 23 * r : f + 26 * r].reshape((r, 3)),
        ints[i + 3 * r : i + 4 * r],
        ints[i + 4 * r : i + 4 * r + c],
        ints[i + 4 * r + c : i + 4 * r + 2 * c],
    )
    f, i = f + 26 * r, i + 4 * r + 2 * c
    pairs = Pairs(
        ints[i : i + 1],
        ints[i + 2 + c : i + 2 + 3 * c].reshape((c, 2)),
        floats[f : f + 14 * c].reshape((c, 14)),
        ints[i + 1 : i + 2 + c],
        ints[i + 2 + 3 * c : i + 2 + 4 * c],
        ints[i + 2 + 4 * c : i + 2 + 8 * c],
        ints[i + 2 + 8 * c : i + 2 + 9 * c],
    )
    f, i = f + 14 * c, i + 2 + 9 * c
    contacts = ContactTables(
        ints[i : i + 7 * c].reshape((c, 7)),
        floats[f : f + 17 * c].reshape((c, 17)),
        floats[f + 17 * c : f + 29 * c].reshape((c, 12)),
        ints[i + 7 * c : i + 9 * c].reshape((c, 2)),
        floats[f + 29 * c : f + 32 * c].reshape((c, 3)),
        floats[f + 32 * c : f + 35 * c].reshape((c, 3)),
        floats[f + 35 * c : f + 36 * c],
    )
    return Moments(found, pairs, reading, contacts)


@inner_kernel
def moment_tables(room):
    """The tables of a moment."""
    found = found_in(room.floats, room.ints, room.longs, room.room)
    return moment_in(room.floats, room.ints, room.longs, room.room, room.width, found)


@inner_kernel
def work_in(floats, ints, longs, r, depth, found):
    """Room for a search that may find r regions, through trees of a depth, and where it writes these."""
    f, i = POLYGON_FLOATS, WORK_ROOM
    scratch = Scratch(
        ints[i : i + 2 * depth].reshape((depth, 2)),
        ints[i + 2 * depth : i + 2 * depth + 16 * r].reshape((4 * r, 4)),
        ints[i + 2 * depth + 16 * r : i + 2 * depth + 20 * r].reshape((r, 4)),
        floats[f : f + 3 * r].reshape((r, 3)),
        floats[:f].reshape((2, _CORNERS, 4)),
        ints[8:i].reshape((2, _CORNERS)),
        floats[f + 3 * r : f + 11 * r].reshape((4 * r, 2)),
        ints[i + 2 * depth + 20 * r : i + 2 * depth + 24 * r],
        ints[i + 2 * depth + 24 * r : i + 2 * depth + 32 * r],
    )
    f, i = f + 11 * r, i + 2 * depth + 32 * r
    groups = Groups(
        ints[:5],
        ints[i : i + 4 * r],
        longs[:r],
        ints[i + 4 * r : i + 9 * r].reshape((r, 5)),
        ints[i + 9 * r : i + 11 * r].reshape((r, 2)),
        floats[f : f + 7 * r].reshape((r, 7)),
        ints[i + 11 * r : i + 14 * r].reshape((r, 3)),
        floats[f + 7 * r : f + 11 * r].reshape((r, 4)),
        floats[f + 11 * r : f + 27 * r].reshape((4 * r, 4)),
        longs[r : 5 * r],
    )
    return Work(scratch, groups, found)


@inner_kernel
def memory_in(floats, ints, longs, n):
    """The first n regions that are remembered, at the end of the room for a search."""
    f, i, k, r = floats.shape[0], ints.shape[0], longs.shape[0], longs.shape[0] // WORK_LONGS
    return Memory(
        longs[k - r : k - r + n],
        floats[f - 3 * r : f - 3 * r + 3 * n].reshape((n, 3)),
        ints[:0],
        longs[:0],
        floats[:0].reshape((0, 3)),
        longs[:0],
        ints[i - 2 * r : i - 2 * r + 2 * n].reshape((n, 2)),
    )
