"""Contact regions of two parts: pairs of features that touch, sorted out, measured and written in the world's frame."""

from math import sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import load_pose, pose_apply, pose_apply_inverse, pose_inverse, pose_relative
from ...math.vec_kernels import (
    add,
    add_scaled,
    dot,
    mat_t_vec,
    mat_vec,
    norm,
    orthonormal_basis,
    put_row,
    row,
    scale,
    sub,
)
from ..volumes.obb_kernels import put_box
from .clip_kernels import onto_plane, piece_corner
from .group_kernels import (
    EDGE,
    FACE,
    FATE,
    FULL,
    GROUPS,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    OPEN,
    SMALL,
    SUSPECT,
    clear_groups,
    find_key,
)
from .hull_kernels import convex_hull, measure_pieces, perimeter, sort_corners
from .normal_kernels import edge_way, region_normal
from .region_tables import (
    NEXT_LABEL,
    POINTS,
    REGIONS,
    Memory,
    RegionPart,
    Search,
    Settings,
    Work,
    found_of,
    groups_of,
    scratch_of,
)
from .resolve_kernels import (
    cover_lines,
    cover_points,
    drop_leaning,
    edge_length,
    is_line,
    line_ends,
    merge_spans,
    resolve_lines,
    resolve_points,
)
from .scan_kernels import collect_close, test_pairs
from .surface_kernels import STAYS_WIDE

CENTRE, AREA, LENGTH, GAP, NUMBERS = 3, 6, 7, 8, 9
"""Columns of Found.number; the normal comes first."""

_STRAIGHT = 0.01
"""Of the tolerance: corners of a hull that stand out less are left out."""
_SAME_POINT = 4.0
"""Of the tolerance: a point that is so near to where one was before is the same."""


@lean_kernel
def place_half_space(part_io, X, other):
    """Let the triangle of a half-space, in its frame, lie below all of another part, at pose X."""
    part = part_io
    if part.vertex[0, 0] >= 0 or part.face[0] < 0:
        return
    boxes = other.boxes
    radius = norm((boxes[0, 12], boxes[0, 13], boxes[0, 14])) * 1.01 + 1e-9
    centre = pose_apply(X, (boxes[0, 9], boxes[0, 10], boxes[0, 11]))
    n = row(part.normal, 0)
    middle = add_scaled(centre, part.offset[0] - dot(centre, n), n)
    u, v = orthonormal_basis(n)
    wide = sqrt(3.0) * radius
    ends = (
        add_scaled(add_scaled(middle, -radius, v), -wide, u),
        add_scaled(add_scaled(middle, -radius, v), wide, u),
        add_scaled(middle, 2.0 * radius, v),
    )
    for k in range(3):
        for c in range(3):
            part_io.corners[0, 3 * k + c] = ends[k][c]
    axes = (u[0], u[1], u[2], v[0], v[1], v[2], n[0], n[1], n[2])
    put_box(axes, middle, (2.0 * radius, 2.0 * radius, 0.0), 0, part_io.boxes)


@inner_kernel
def add_region(search, group, dim, normal, centre, size, work):
    """Append a region without points: its middle, and its area or length; returns whether there was room."""
    groups, found = work.groups, work.found
    i = found.counts[REGIONS]
    if i == found.key.shape[0]:
        groups.counts[FULL] = 1
        return False
    found.counts[REGIONS] = i + 1
    for k in range(4):
        found.name[i, k] = groups.name[group, k]
    found.key[i], found.dim[i], found.group[i] = groups.key[group], dim, group
    put_row(mat_vec(search.X_a.R, normal), i, found.number)
    middle = pose_apply(search.X_a, centre)
    for k in range(3):
        found.number[i, CENTRE + k] = middle[k]
    found.number[i, AREA], found.number[i, LENGTH] = (size, 0.0) if dim == 2 else (0.0, size)
    found.number[i, GAP] = 1e300
    put_row(mat_t_vec(search.X.R, normal), i, found.normal_b)
    found.start[i] = found.start[i + 1] = found.counts[POINTS]
    return True


@lean_kernel
def _add_point(p, q, normal, code, X_a, groups_io, found_io):
    """Append a point to the last region: on A and on B, in the frame of A."""
    i = found_io.counts[POINTS]
    if i == found_io.code.shape[0]:
        groups_io.counts[FULL] = 1
        return
    found_io.counts[POINTS] = i + 1
    region = found_io.counts[REGIONS] - 1
    found_io.start[region + 1] = i + 1
    on_a, on_b = pose_apply(X_a, p), pose_apply(X_a, q)
    for k in range(3):
        found_io.point[i, k], found_io.point[i, 3 + k] = on_a[k], on_b[k]
        found_io.place[i, k] = p[k]
    found_io.code[i], found_io.label[i] = code, -1
    found_io.number[region, GAP] = min(found_io.number[region, GAP], dot(sub(q, p), normal))


@inner_kernel
def face_outward(search, face):
    """Normal of a face of B, in the frame of A."""
    return mat_vec(search.X.R, row(search.part_b.normal, face))


@inner_kernel
def surface_hull(search, group, scratch_io, groups):
    """Hull of the pieces of a surface, into the scratch: its corners, the area, that times its centre, and the least
    area with which it is wide enough.
    """
    outward, tolerance = face_outward(search, groups.name[group, ID_B]), search.settings.tolerance
    u, v = orthonormal_basis(outward)
    flat, order, hull = scratch_io.flat, scratch_io.order, scratch_io.hull
    n, area, moment = measure_pieces(groups, group, outward, u, v, flat, order)
    sort_corners(flat, n, order)
    m = convex_hull(flat, order, n, _STRAIGHT * tolerance, hull)
    least = 0.5 * tolerance * perimeter(flat, hull, m)
    known = find_key(search.memory.key, groups.key[group]) >= 0
    return m, area, moment, (STAYS_WIDE * least if known else least)


@inner_kernel
def write_surface(search, group, m, area, moment, work):
    """Append the region of two faces, with the corners of its hull."""
    groups, found, hull = work.groups, work.found, work.scratch.hull
    outward = face_outward(search, groups.name[group, ID_B])
    normal = scale(-1.0, outward)
    if add_region(search, group, 2, normal, scale(1.0 / area, moment), area, work):
        for k in range(m):
            p = piece_corner(groups, hull[k])
            q = onto_plane(p, groups.corner[hull[k], 3], outward)
            _add_point(p, q, normal, groups.code[hull[k]], search.X_a, groups, found)


@inner_kernel
def _other_side(search, groups, group, p):
    """The point of the other feature that is closest to a point of the edge on which a group's intervals lie."""
    name, part_a, part_b, X = groups.name[group], search.part_a, search.part_b, search.X
    if name[KIND_B] == FACE:
        height = dot(row(part_b.normal, name[ID_B]), pose_apply_inverse(X, p)) - part_b.offset[name[ID_B]]
        return onto_plane(p, height, face_outward(search, name[ID_B]))
    if name[KIND_A] == FACE:
        n = row(part_a.normal, name[ID_A])
        return onto_plane(p, dot(n, p) - part_a.offset[name[ID_A]], n)
    along = mat_vec(X.R, edge_way(part_b, name[ID_B]))
    origin = pose_apply(X, row(part_b.point, part_b.edge_end[name[ID_B], 0]))
    return add_scaled(origin, dot(sub(p, origin), along), along)


@inner_kernel
def write_line(search, group, work):
    """Write the region of an edge along a face or another edge."""
    groups, settings, X = work.groups, search.settings, search.X
    on_a = groups.name[group, KIND_A] == EDGE
    n, spans = merge_spans(groups, group, 0, work.scratch.flat), work.scratch.flat
    if on_a:
        edge = groups.name[group, ID_A]
        size = edge_length(search.part_a, edge)
        P, Q = line_ends(search.part_a, edge, spans[0, 0], spans[n - 1, 1])
    else:
        edge = groups.name[group, ID_B]
        size = edge_length(search.part_b, edge)
        P, Q = line_ends(search.part_b, edge, spans[0, 0], spans[n - 1, 1])
        P, Q = pose_apply(X, P), pose_apply(X, Q)
    covered, middle = 0.0, 0.0
    for k in range(n):
        covered += spans[k, 1] - spans[k, 0]
        middle += 0.5 * (spans[k, 1] + spans[k, 0]) * (spans[k, 1] - spans[k, 0])
    normal = region_normal(search, groups, group)
    t = (middle / covered - spans[0, 0]) / (spans[n - 1, 1] - spans[0, 0])
    centre = add_scaled(P, t, sub(Q, P))
    if add_region(search, group, 1, normal, centre, covered * size, work):
        for k in range(2):
            here = P if k == 0 else Q
            there = _other_side(search, groups, group, here)
            p, q = (here, there) if on_a else (there, here)
            p, q = add_scaled(p, settings.margin_a, normal), add_scaled(q, -settings.margin_b, normal)
            _add_point(p, q, normal, k, search.X_a, groups, work.found)


@inner_kernel
def _find_point(search, group, work):
    """Write the region of two features that touch in a point."""
    near, settings = work.groups.near[group], search.settings
    normal = region_normal(search, work.groups, group)
    p = add_scaled((near[1], near[2], near[3]), settings.margin_a, normal)
    q = add_scaled((near[4], near[5], near[6]), -settings.margin_b, normal)
    if add_region(search, group, 0, normal, scale(0.5, add(p, q)), 0.0, work):
        _add_point(p, q, normal, 0, search.X_a, work.groups, work.found)


@lean_kernel
def carry_points(before, first, end, tolerance, region, found_io):
    """Give points of a region the labels that points `first` to `end` had before: by their code, else by their place.

    `before` is a Memory or what was found. Points that were not there get new labels.
    """
    for i in range(found_io.start[region], found_io.start[region + 1]):
        found_io.label[i] = -1
        for k in range(first, end):
            if before.code[k] == found_io.code[i]:
                found_io.label[i] = before.label[k]
                break
    for i in range(found_io.start[region], found_io.start[region + 1]):
        if found_io.label[i] >= 0:
            continue
        best, label = _SAME_POINT * tolerance, -1
        for k in range(first, end):
            away = norm(sub(row(before.place, k), row(found_io.place, i)))
            if away < best and not _is_used(found_io, region, before.label[k]):
                best, label = away, before.label[k]
        found_io.label[i] = label
    for i in range(found_io.start[region], found_io.start[region + 1]):
        if found_io.label[i] < 0:
            found_io.label[i] = found_io.counts[NEXT_LABEL]
            found_io.counts[NEXT_LABEL] += 1


@inner_kernel
def _is_used(found, region, label):
    for i in range(found.start[region], found.start[region + 1]):
        if found.label[i] == label:
            return True
    return False


@lean_kernel
def carry_labels(memory, tolerance, found_io):
    """Labels of points, which last as long as the points do."""
    for region in range(found_io.counts[REGIONS]):
        place = find_key(memory.key, found_io.key[region])
        first, end = (memory.start[place], memory.start[place + 1]) if place >= 0 else (0, 0)
        carry_points(memory, first, end, tolerance, region, found_io)


@inner_kernel
def write_surfaces(search, work):
    """Faces that lie on each other."""
    groups = work.groups
    for group in range(groups.counts[GROUPS]):
        if groups.name[group, KIND_A] == FACE and groups.name[group, KIND_B] == FACE:
            m, area, moment, least = surface_hull(search, group, work.scratch, groups)
            if m < 3 or area <= least:
                groups.state[group, FATE] = SMALL
            else:
                write_surface(search, group, m, area, moment, work)


@inner_kernel
def write_the_rest(search, work):
    """Lines, then points; each of them where none of a higher dimension is."""
    part_a, part_b, groups = search.part_a, search.part_b, work.groups
    n = groups.counts[GROUPS]
    resolve_lines(part_a, part_b, search.settings, search.memory, groups, work.scratch.flat)
    drop_leaning(part_a, part_b, search.X, groups)
    cover_lines(part_a, part_b, search.X, groups)
    resolve_points(part_a, part_b, groups)
    cover_points(search, work.scratch, groups)
    for group in range(n):
        if groups.state[group, FATE] == OPEN and is_line(groups, group):
            write_line(search, group, work)
    for group in range(n):
        faces = groups.name[group, KIND_A] == FACE and groups.name[group, KIND_B] == FACE
        if groups.state[group, FATE] == OPEN and not faces and not is_line(groups, group):
            _find_point(search, group, work)


@inner_kernel
def place_parts(part_a_io, part_b_io, X, groups_io):
    """Make ready for two parts, B at pose X in A."""
    place_half_space(part_a_io, X, part_b_io)
    place_half_space(part_b_io, pose_inverse(X), part_a_io)
    clear_groups(groups_io)


@kernel
def find_regions(part_a_io, part_b_io, poses, settings, memory, room_io):
    """All contact regions of two parts at poses (2, 7); returns 1 where there was too little room, else 0, and whether
    there are signs of overlap. `room_io` is a packet.
    """
    work = Work(scratch_of(room_io), groups_of(room_io), found_of(room_io))
    groups, found = work.groups, work.found
    found.counts[REGIONS] = found.counts[POINTS] = 0
    X_a, X_b = load_pose(poses, 0), load_pose(poses, 1)
    part_a, part_b, X = RegionPart(*part_a_io), RegionPart(*part_b_io), pose_relative(X_a, X_b)
    search = Search(part_a, part_b, X_a, X, Settings(*settings), Memory(*memory))
    place_parts(part_a, part_b, X, groups)
    test_pairs(collect_close(search, work.scratch, groups), search, work.scratch, groups)
    if groups.counts[FULL] == 0 and groups.counts[GROUPS] > 0:
        write_surfaces(search, work)
        write_the_rest(search, work)
        carry_labels(search.memory, search.settings.tolerance, found)
    return groups.counts[FULL], groups.counts[SUSPECT]
