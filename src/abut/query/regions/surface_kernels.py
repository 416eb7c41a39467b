"""Where two faces lie on each other: all of it, as much as is enough, or what is near a point.

Triangles of both are clipped, pair by pair. Whether faces touch over an area is known as soon as pieces of it are
large enough; the rest is found when somebody wants to see it.
"""

from math import pi, sqrt

from ..._jit import inner_kernel
from ...math.vec_kernels import cross, dot, mat_vec, norm, row, sub
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle
from .clip_kernels import add_piece, clip_triangles, piece_holds, polygon_area
from .face_kernels import around, beside, count_faces, face_of, triangles_of, wider
from .group_kernels import (
    CORNERS,
    ELEMENTS,
    FACE,
    FATE,
    LAST,
    RESOLVED,
    TAKEN,
    VERTEX,
    find_group,
    find_key,
    group_of,
    key_of,
)
from .region_tables import Facet
from .scan_kernels import HYSTERESIS, PARALLEL, WIDEST, allowed, heights_of, out_of_reach

NOT_HERE, APART, TOUCHING, UNSURE = 0, 1, 2, 3
"""What is known of two faces."""
AROUND_CONTACT = 8.0
"""Of the tolerance: how far a contact may be from a region to which it belongs."""
STAYS_WIDE = 0.5
"""A surface that was one stays one until it is this much narrower than it had to be."""


@inner_kernel
def face_each_other(search, f, g):
    """Whether a face of A and one of B do, up to the angle at which they may lie on each other."""
    if f < 0 or g < 0:
        return False
    n_a, n_b = row(search.part_a.normal, f), mat_vec(search.X.R, row(search.part_b.normal, g))
    return dot(n_a, n_b) < 0.0 and norm(cross(n_a, n_b)) <= WIDEST


@inner_kernel
def _clip_pair(search, i, j, limit, scratch_io):
    """Two triangles, and the polygon of the scratch where they lie on each other: which one, and its corners."""
    part_a, part_b = search.part_a, search.part_b
    A, B = load_triangle(part_a.corners, i), moved_triangle(part_b.corners, j, search.X)
    n_a, n_b = row(part_a.normal, part_a.face[i]), mat_vec(search.X.R, row(part_b.normal, part_b.face[j]))
    h, level = heights_of(A, B[0], n_b), (0.0, 0.0, 0.0)
    which, n = 0, 0
    if not out_of_reach(h, limit):
        which, n = clip_triangles(A, B, n_b, h, limit, scratch_io)
    return Facet(part_a, i, A, n_a, h, 0), Facet(part_b, j, B, n_b, level, 0), which, n


@inner_kernel
def _highest(T, inward, origin):
    """How far a triangle reaches in a direction from a point."""
    return max(dot(sub(T[0], origin), inward), dot(sub(T[1], origin), inward), dot(sub(T[2], origin), inward))


@inner_kernel
def _all_outside(A, B, normal):
    """Whether a triangle lies outside one side of another, which runs counter-clockwise seen against the normal."""
    for k in range(3):
        if _highest(A, cross(normal, sub(B[(k + 1) % 3], B[k])), B[k]) < 0.0:
            return True
    return False


@inner_kernel
def clip_faces(search, f, g, limit, enough, scratch_io, groups_io):
    """Append to the group of two faces the pieces where they lie on each other, until their area is `enough` [m^2].

    Returns the area and the triangles of the largest piece.
    """
    part_a, part_b = search.part_a, search.part_b
    first_a, end_a = triangles_of(part_a, f)
    first_b, end_b = triangles_of(part_b, g)
    total, largest, best_a, best_b = 0.0, 0.0, -1, -1
    normal = mat_vec(search.X.R, row(part_b.normal, g))
    for m in range(first_b, end_b):
        j = part_b.triangle_item[m]
        B = moved_triangle(part_b.corners, j, search.X)
        low, high = around(B[0], B[0], B[1])
        low, high = around(low, high, B[2])
        low, high = wider(low, high, limit)
        if beside(low, high, part_a.face_box, f):
            continue
        for k in range(first_a, end_a):
            i = part_a.triangle_item[k]
            if beside(low, high, part_a.triangle_box, i):
                continue
            A = load_triangle(part_a.corners, i)
            if _all_outside(A, B, normal) or _all_outside(B, A, row(part_a.normal, f)):
                continue
            facet_a, facet_b, which, n = _clip_pair(search, i, j, limit, scratch_io)
            if n > 0:
                add_piece(groups_io, group_of(groups_io, FACE, f, FACE, g), facet_a, facet_b, scratch_io, which, n)
                area, _ = polygon_area(scratch_io.polygon, which, n, facet_b.normal)
                total += area
                if area > largest:
                    largest, best_a, best_b = area, i, j
                if total > enough:
                    return total, best_a, best_b
    return total, best_a, best_b


@inner_kernel
def piece_near(search, f, g, p, limit, scratch_io):
    """The largest of the pieces within `limit` of a point where two faces lie on each other: its area and triangles.

    The triangles are -1 where there is none.
    """
    part_a, part_b, largest, best_a, best_b = search.part_a, search.part_b, -1.0, -1, -1
    reach = allowed(search.memory, key_of(FACE, f, FACE, g), search.settings.tolerance)
    low, high = wider(p, p, limit)
    first_a, end_a = triangles_of(part_a, f)
    first_b, end_b = triangles_of(part_b, g)
    for m in range(first_b, end_b):
        j = part_b.triangle_item[m]
        B = moved_triangle(part_b.corners, j, search.X)
        least, most = around(B[0], B[0], B[1])
        least, most = around(least, most, B[2])
        least, most = wider(least, most, limit + reach)
        if not (least[0] <= p[0] <= most[0] and least[1] <= p[1] <= most[1] and least[2] <= p[2] <= most[2]):
            continue
        for k in range(first_a, end_a):
            i = part_a.triangle_item[k]
            if beside(low, high, part_a.triangle_box, i):
                continue
            _, facet_b, which, n = _clip_pair(search, i, j, reach, scratch_io)
            if n > 0 and piece_holds(scratch_io.polygon[which], 0, n, p, facet_b.normal, limit):
                area, _ = polygon_area(scratch_io.polygon, which, n, facet_b.normal)
                if area > largest:
                    largest, best_a, best_b = area, i, j
    return largest, best_a, best_b


@inner_kernel
def on_both_faces(search, f, g, p, limit, scratch_io):
    """Whether a point is within `limit` of the pieces where two faces lie on each other."""
    _, i, _ = piece_near(search, f, g, p, limit, scratch_io)
    return i >= 0


@inner_kernel
def _width(box, f):
    """[m] diagonal of the box around a face."""
    return sqrt((box[f, 3] - box[f, 0]) ** 2 + (box[f, 4] - box[f, 1]) ** 2 + (box[f, 5] - box[f, 2]) ** 2)


@inner_kernel
def _girth(search, f, g):
    """[m] more than around any convex piece of both faces: a figure of no more than that width is no longer around."""
    return pi * min(_width(search.part_a.face_box, f), _width(search.part_b.face_box, g))


@inner_kernel
def _wide_enough(search, f, g):
    """[m^2] area of which a figure on both faces is wider than the tolerance, whatever its shape."""
    return 0.5 * search.settings.tolerance * _girth(search, f, g)


@inner_kernel
def still_touch(search, f, g, triangles, scratch_io):
    """Whether two triangles of faces that lay on each other still do, over an area that is enough by itself."""
    i, j = triangles
    if i < 0 or not face_each_other(search, f, g):
        return False
    _, facet_b, which, n = _clip_pair(search, i, j, HYSTERESIS * search.settings.tolerance, scratch_io)
    enough = STAYS_WIDE * _wide_enough(search, f, g)
    return n > 0 and polygon_area(scratch_io.polygon, which, n, facet_b.normal)[0] > enough


@inner_kernel
def take_faces(f, g, groups_io):
    """Note of two faces that all is known."""
    groups_io.state[group_of(groups_io, TAKEN, f, VERTEX, g), FATE] = RESOLVED


@inner_kernel
def _touch_over_area(search, f, g, p, scratch_io, groups_io):
    """Whether two faces lie on each other at a point, and over an area that is wide enough; and triangles that do.

    Returns one of `NOT_HERE`, `APART`, `TOUCHING` and `UNSURE`: then it takes the hull to tell, and their group has all
    pieces.
    """
    settings, memory, X = search.settings, search.memory, search.X
    key = key_of(FACE, f, FACE, g)
    limit, place = allowed(memory, key, settings.tolerance), find_key(memory.key, key)
    turn = norm(cross(row(search.part_a.normal, f), mat_vec(X.R, row(search.part_b.normal, g))))
    if turn > PARALLEL * limit / settings.tolerance:
        return APART, -1, -1
    enough = _wide_enough(search, f, g) * (STAYS_WIDE if place >= 0 else 1.0)
    area, i, j = piece_near(search, f, g, p, AROUND_CONTACT * settings.tolerance, scratch_io)
    if i < 0:
        return NOT_HERE, -1, -1
    if area > enough:
        group_of(groups_io, FACE, f, FACE, g)
        return TOUCHING, i, j
    elements, corners = groups_io.counts[ELEMENTS], groups_io.counts[CORNERS]
    area, i, j = clip_faces(search, f, g, limit, enough, scratch_io, groups_io)
    if area > enough:
        groups_io.counts[ELEMENTS], groups_io.counts[CORNERS] = elements, corners
        groups_io.state[group_of(groups_io, FACE, f, FACE, g), LAST] = -1
        return TOUCHING, i, j
    return (UNSURE if area > 0.0 else APART), i, j


@inner_kernel
def next_surface(search, side_a, side_b, p, start, scratch_io, groups_io):
    """The next pair of faces, from a place in the list of all of two features, that lie on each other over an area.

    `p` is where the features touch. Returns the place behind it (-1 at the end), what `_touch_over_area` says, its
    faces and its triangles. Faces of which all is known are looked at once: a group that is no region says that they
    were.
    """
    n_b = count_faces(side_b.part, side_b.kind, side_b.id)
    for place in range(start, count_faces(side_a.part, side_a.kind, side_a.id) * n_b):
        f = face_of(side_a.part, side_a.kind, side_a.id, place // n_b)
        g = face_of(side_b.part, side_b.kind, side_b.id, place % n_b)
        if not face_each_other(search, f, g) or find_group(groups_io, key_of(TAKEN, f, VERTEX, g)) >= 0:
            continue
        told, i, j = _touch_over_area(search, f, g, p, scratch_io, groups_io)
        if told != NOT_HERE:
            take_faces(f, g, groups_io)
        if told == TOUCHING or told == UNSURE:
            return place + 1, told, f, g, i, j
    return -1, APART, 0, 0, -1, -1
