"""Regions of a pair that were there a moment before, and still are: little has to be looked at to know that.

A surface stays where two of its triangles lie on each other as before, or where three contacts hold it that are not in
line. An edge stays along a face where it lies on the same triangle. Contacts of such regions need no search; other
contacts have one, and find what is new. Lines that stay are measured when somebody asks.
"""

from ..._jit import inner_kernel
from ...contact.contact_kernels import KIND
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import add, add_scaled, cross, dot, mat_vec, neg, norm, norm2, row, scale, sub
from ...query.distance.triangle_pair_kernels import moved_triangle
from ...query.regions.group_kernels import (
    COVERED,
    EDGE,
    FACE,
    FATE,
    GROUPS,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    LAST,
    TAKEN,
    add_span,
    find_key,
    group_of,
)
from ...query.regions.line_kernels import ends_of, line_over_triangle, line_sides, outward_of
from ...query.regions.region_kernels import add_region
from ...query.regions.region_tables import REGIONS
from ...query.regions.resolve_kernels import faces_rise, surface_of
from ...query.regions.scan_kernels import HYSTERESIS, WIDEST, margin_of
from ...query.regions.surface_kernels import face_each_other, still_touch, take_faces
from .reading_kernels import belongs, kinds_of

_HELD = 2.0
"""Of the tolerance: contacts that are farther out of line hold a surface."""
_SHORTEST = 1.0
"""Of the tolerance: how long a line must be to stay one."""


@inner_kernel
def _is_of(search, contacts, k, name):
    """Whether the features of a contact are those of a region, or lie on their borders."""
    kind_a, kind_b = kinds_of(contacts.name[k, KIND])
    a, b = contacts.entity[k, 0], contacts.entity[k, 1]
    return belongs(search.part_a, kind_a, a, name[KIND_A], name[ID_A]) and belongs(
        search.part_b, kind_b, b, name[KIND_B], name[ID_B]
    )


@inner_kernel
def is_kept(search, contacts, k, groups):
    """Whether a contact is of a region that stays; no other has a group yet."""
    for group in range(groups.counts[GROUPS]):
        name = groups.name[group]
        if name[KIND_A] != TAKEN and _is_of(search, contacts, k, name):
            return True
    return False


@inner_kernel
def _next_that_holds(search, listed, k, name):
    """The next contact of a surface, from the k-th back, that has not let go; -1 for none."""
    while k >= 0 and (k >= listed.contacts.n_touching or not _is_of(search, listed.contacts, k, name)):
        k = listed.before[k]
    return k


@inner_kernel
def _held(search, listed, name):
    """Whether three contacts of a surface are not in line."""
    first = _next_that_holds(search, listed, listed.last, name)
    if first < 0 or not face_each_other(search, name[ID_A], name[ID_B]):
        return False
    point, k = listed.contacts.point, first
    p, farthest = row(point, first), (0.0, 0.0, 0.0)
    while k >= 0:
        way = sub(row(point, k), p)
        if norm2(way) > norm2(farthest):
            farthest = way
        k = _next_that_holds(search, listed, listed.before[k], name)
    k, least = first, _HELD * search.settings.tolerance * norm(farthest)
    while k >= 0:
        if norm(cross(sub(row(point, k), p), farthest)) > least:
            return True
        k = _next_that_holds(search, listed, listed.before[k], name)
    return False


@inner_kernel
def _at_rim(on_face, i, p, normal, limit):
    """Whether a point of a triangle is within `limit` of a convex edge: it is that which touches there."""
    T = moved_triangle(on_face.part.corners, i, on_face.X)
    for k in range(3):
        inward = cross(normal, sub(T[(k + 1) % 3], T[k]))
        if on_face.part.side[i, k] >= 0 and dot(inward, sub(p, T[k])) < limit * norm(inward):
            return True
    return False


@inner_kernel
def _lies_still(search, name, witness):
    """Whether an edge that lay along a face still does."""
    on_edge, on_face = line_sides(search, name)
    triangle = witness[1] if name[KIND_A] == EDGE else witness[0]
    if triangle < 0:
        return False
    ends, normal = ends_of(on_edge), outward_of(on_face)
    way = sub(ends[1], ends[0])
    length, settings = norm(way), search.settings
    if abs(dot(way, normal)) > WIDEST * length:
        return False
    limit = HYSTERESIS * settings.tolerance
    low, high = line_over_triangle(on_edge, on_face, triangle, limit, margin_of(settings))
    middle = add_scaled(ends[0], 0.5 * (low + high), way)
    if (high - low) * length <= _SHORTEST * settings.tolerance or _at_rim(on_face, triangle, middle, normal, limit):
        return False
    return faces_rise(on_edge.part, on_edge.id, on_edge.X.R, normal)


@inner_kernel
def keep_known(search, old, first, end, listed, work):
    """Regions from `first` to `end` of a moment before that are still there: surfaces are appended to what is found,
    lines are groups that `write_kept_lines` appends when all surfaces are known.
    """
    for k in range(first, end):
        name, witness, dim = old.found.name[k], old.found.witness[k], old.found.dim[k]
        if dim == 2:
            f, g, triangles = name[ID_A], name[ID_B], (witness[0], witness[1])
            if still_touch(search, f, g, triangles, work.scratch) or _held(search, listed, name):
                take_faces(f, g, work.groups)
                add_surface(search, group_of(work.groups, FACE, f, FACE, g), triangles, work)
        elif dim == 1 and max(name[KIND_A], name[KIND_B]) == FACE and _lies_still(search, name, witness):
            group = group_of(work.groups, name[KIND_A], name[ID_A], name[KIND_B], name[ID_B])
            work.groups.state[group, FATE] = COVERED
            add_span(work.groups, group, -1, (0.0, 1.0), (0.0, 0.0))


@inner_kernel
def add_surface(search, group, triangles, work):
    """Append the region of two faces, without its measures; a point of B's face stands for its middle."""
    g, part_b = work.groups.name[group, ID_B], search.part_b
    normal = neg(mat_vec(search.X.R, row(part_b.normal, g)))
    on_b = pose_apply(search.X, scale(part_b.offset[g], row(part_b.normal, g)))
    if add_region(search, group, 2, normal, on_b, 0.0, work):
        i = work.found.counts[REGIONS] - 1
        work.found.witness[i, 0], work.found.witness[i, 1] = triangles


@inner_kernel
def _bounds_surface(search, name, groups):
    """Whether a face beside the edge of a line has turned out to lie on its face."""
    for k in range(2):
        if name[KIND_A] == EDGE:
            surface = surface_of(groups, search.part_a.edge_face[name[ID_A], k], name[ID_B])
        else:
            surface = surface_of(groups, name[ID_A], search.part_b.edge_face[name[ID_B], k])
        if surface >= 0:
            return True
    return False


@inner_kernel
def write_kept_lines(search, work):
    """Append lines that stay, without their measures; the middle of the edge stands for theirs."""
    groups, found = work.groups, work.found
    for group in range(groups.counts[GROUPS]):
        name = groups.name[group]
        if groups.state[group, FATE] != COVERED or _bounds_surface(search, name, groups):
            continue
        on_edge, on_face = line_sides(search, name)
        ends, outward = ends_of(on_edge), outward_of(on_face)
        normal = neg(outward) if name[KIND_A] == EDGE else outward
        if add_region(search, group, 1, normal, scale(0.5, add(ends[0], ends[1])), 0.0, work):
            i, place = found.counts[REGIONS] - 1, find_key(search.memory.key, groups.key[group])
            for c in range(2):
                found.witness[i, c] = search.memory.witness[place, c]


@inner_kernel
def note_triangle(groups, i, found_io):
    """Note the triangle on which most of a line lies, by which it is known again; regions of other kinds have none."""
    group, longest, triangle = found_io.group[i], 0.0, -1
    name = groups.name[group]
    if found_io.dim[i] == 1 and max(name[KIND_A], name[KIND_B]) == FACE:
        element = groups.state[group, LAST]
        while element >= 0:
            length = groups.span[element, 1] - groups.span[element, 0]
            if length > longest:
                longest, triangle = length, groups.element[element, 1]
            element = groups.element[element, 0]
    on_a = name[KIND_A] == FACE
    found_io.witness[i, 0], found_io.witness[i, 1] = (triangle, -1) if on_a else (-1, triangle)
