"""Contact regions of two parts: pairs of features that touch, sorted out, measured and written in the world's frame."""

from math import sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import load_pose_row, pose_apply, pose_inverse, pose_relative
from ...math.vec_kernels import (
    add,
    add_scaled,
    cross,
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
    LAST,
    OPEN,
    SMALL,
    SUSPECT,
    clear_groups,
    find_key,
)
from .normal_kernels import edge_way, region_normal
from .region_tables import Found, Groups, Memory, RegionPart, Scratch, Settings
from .resolve_kernels import (
    back,
    cover_lines,
    cover_points,
    drop_leaning,
    edge_length,
    line_ends,
    merge_spans,
    resolve_lines,
    resolve_points,
)
from .scan_kernels import collect_close, slack_of, test_pairs

CENTRE, AREA, LENGTH, GAP, NUMBERS = 3, 6, 7, 8, 9
"""Columns of Found.number; the normal comes first."""
REGIONS, POINTS, NEXT_LABEL = 0, 1, 3
"""Columns of Found.counts; 2 is the number of borders."""

_STRAIGHT = 0.01
"""Of the tolerance: corners of a hull that stand out less are left out."""
_SAME_POINT = 4.0
"""Of the tolerance: a point that is so near to where one was before is the same."""
_SURE = 0.5
"""A surface that was one stays one until it is this much narrower than it had to be."""


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
def _before(flat, i, j):
    return flat[i, 0] < flat[j, 0] or (flat[i, 0] == flat[j, 0] and flat[i, 1] < flat[j, 1])


@lean_kernel
def _sort(flat, n, order_io):
    """Shell sort: corners from left to right."""
    step = 1
    while step < n // 3:
        step = 3 * step + 1
    while step > 0:
        for k in range(step, n):
            i, m = order_io[k], k
            while m >= step and _before(flat, i, order_io[m - step]):
                order_io[m] = order_io[m - step]
                m -= step
            order_io[m] = i
        step //= 3


@inner_kernel
def _turns_right(flat, i, j, k):
    """Whether j does not stand out to the right of the way from i to k."""
    x, y = flat[k, 0] - flat[i, 0], flat[k, 1] - flat[i, 1]
    return (flat[j, 0] - flat[i, 0]) * y - (flat[j, 1] - flat[i, 1]) * x <= 0.0


@inner_kernel
def _is_straight(flat, i, j, k, least):
    """Whether j lies between i and k and stands out by no more than `least`."""
    x, y = flat[k, 0] - flat[i, 0], flat[k, 1] - flat[i, 1]
    u, v = flat[j, 0] - flat[i, 0], flat[j, 1] - flat[i, 1]
    length2, along = x * x + y * y, u * x + v * y
    return u * y - v * x <= least * sqrt(length2) and 0.0 <= along <= length2


@lean_kernel
def _hull(flat, order, n, least, hull_out):
    """Convex hull of sorted corners, counter-clockwise (Andrew's monotone chain); returns how many."""
    m = 0
    for k in range(n):
        while m > 1 and _turns_right(flat, hull_out[m - 2], hull_out[m - 1], order[k]):
            m -= 1
        hull_out[m] = order[k]
        m += 1
    base = m
    for k in range(n - 2, -1, -1):
        while m > base and _turns_right(flat, hull_out[m - 2], hull_out[m - 1], order[k]):
            m -= 1
        hull_out[m] = order[k]
        m += 1
    return _without_straight(flat, m - 1, least, hull_out)


@lean_kernel
def _without_straight(flat, m, least, hull_io):
    """Leave out corners at which a hull is straight, as at the ends of both chains; returns how many are left."""
    k = 0
    while k < m and m > 3:
        if _is_straight(flat, hull_io[(k + m - 1) % m], hull_io[k], hull_io[(k + 1) % m], least):
            for i in range(k, m - 1):
                hull_io[i] = hull_io[i + 1]
            m -= 1
        else:
            k += 1
    return m


@lean_kernel
def _measure_pieces(groups, group, normal, u, v, flat_out, order_out):
    """Corners of all pieces in the plane; returns their number, the area, and the area times its centre."""
    n, area, moment = 0, 0.0, (0.0, 0.0, 0.0)
    element = groups.state[group, LAST]
    while element >= 0:
        first, end = groups.element[element, 1], groups.element[element, 1] + groups.element[element, 2]
        origin, before = piece_corner(groups, first), piece_corner(groups, end - 1)
        for k in range(first, end):
            here = piece_corner(groups, k)
            part = -0.5 * dot(cross(sub(before, origin), sub(here, origin)), normal)
            moment = add_scaled(moment, part / 3.0, add(origin, add(before, here)))
            area += part
            before = here
            flat_out[k, 0], flat_out[k, 1] = dot(here, u), dot(here, v)
            order_out[n] = k
            n += 1
        element = groups.element[element, 0]
    return n, area, moment


@inner_kernel
def _perimeter(flat, hull, m):
    total = 0.0
    for k in range(m):
        i, j = hull[k], hull[(k + 1) % m]
        total += sqrt((flat[j, 0] - flat[i, 0]) ** 2 + (flat[j, 1] - flat[i, 1]) ** 2)
    return total


@lean_kernel
def _add_region(groups_io, group, dim, normal, centre, area, length, X_a, X, found_io):
    """Append a region without points; returns whether there was room."""
    i = found_io.counts[REGIONS]
    if i == found_io.key.shape[0]:
        groups_io.counts[FULL] = 1
        return False
    found_io.counts[REGIONS] = i + 1
    for k in range(4):
        found_io.name[i, k] = groups_io.name[group, k]
    found_io.key[i], found_io.dim[i], found_io.group[i] = groups_io.key[group], dim, group
    put_row(mat_vec(X_a[0], normal), i, found_io.number)
    middle = pose_apply(X_a, centre)
    for k in range(3):
        found_io.number[i, CENTRE + k] = middle[k]
    found_io.number[i, AREA], found_io.number[i, LENGTH], found_io.number[i, GAP] = area, length, 1e300
    put_row(mat_t_vec(X[0], normal), i, found_io.normal_b)
    found_io.start[i] = found_io.start[i + 1] = found_io.counts[POINTS]
    return True


@lean_kernel
def _add_point(groups_io, p, q, normal, code, X_a, found_io):
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


@lean_kernel
def _find_surface(part_b, X_a, X, settings, memory, groups_io, group, scratch_io, found_io):
    """Write the region of two faces, if it is wide enough."""
    outward = mat_vec(X[0], row(part_b.normal, groups_io.name[group, ID_B]))
    u, v = orthonormal_basis(outward)
    flat, order, hull = scratch_io.flat, scratch_io.order, scratch_io.hull
    n, area, moment = _measure_pieces(groups_io, group, outward, u, v, flat, order)
    _sort(flat, n, order)
    m = _hull(flat, order, n, _STRAIGHT * settings.tolerance, hull)
    least = 0.5 * settings.tolerance * _perimeter(flat, hull, m)
    known = find_key(memory.key, groups_io.key[group]) >= 0
    if m < 3 or area <= (_SURE * least if known else least):
        groups_io.state[group, FATE] = SMALL
        return
    normal = scale(-1.0, outward)
    if _add_region(groups_io, group, 2, normal, scale(1.0 / area, moment), area, 0.0, X_a, X, found_io):
        for k in range(m):
            p = piece_corner(groups_io, hull[k])
            q = onto_plane(p, groups_io.corner[hull[k], 3], outward)
            _add_point(groups_io, p, q, normal, groups_io.code[hull[k]], X_a, found_io)


@lean_kernel
def _other_side(part_a, part_b, X, groups, group, p):
    """The point of the other feature that is closest to a point of the edge on which a group's intervals lie."""
    name = groups.name[group]
    if name[KIND_B] == FACE:
        n = mat_vec(X[0], row(part_b.normal, name[ID_B]))
        height = dot(row(part_b.normal, name[ID_B]), back(X, p)) - part_b.offset[name[ID_B]]
        return onto_plane(p, height, n)
    if name[KIND_A] == FACE:
        n = row(part_a.normal, name[ID_A])
        return onto_plane(p, dot(n, p) - part_a.offset[name[ID_A]], n)
    along = mat_vec(X[0], edge_way(part_b, name[ID_B]))
    origin = pose_apply(X, row(part_b.point, part_b.edge_end[name[ID_B], 0]))
    return add_scaled(origin, dot(sub(p, origin), along), along)


@lean_kernel
def _find_line(part_a, part_b, X_a, X, settings, memory, groups_io, group, scratch_io, found_io):
    """Write the region of an edge along a face or another edge."""
    on_a = groups_io.name[group, KIND_A] == EDGE
    n, spans = merge_spans(groups_io, group, 0, scratch_io.flat), scratch_io.flat
    if on_a:
        edge = groups_io.name[group, ID_A]
        size = edge_length(part_a, edge)
        P, Q = line_ends(part_a, edge, spans[0, 0], spans[n - 1, 1])
    else:
        edge = groups_io.name[group, ID_B]
        size = edge_length(part_b, edge)
        P, Q = line_ends(part_b, edge, spans[0, 0], spans[n - 1, 1])
        P, Q = pose_apply(X, P), pose_apply(X, Q)
    covered, middle = 0.0, 0.0
    for k in range(n):
        covered += spans[k, 1] - spans[k, 0]
        middle += 0.5 * (spans[k, 1] + spans[k, 0]) * (spans[k, 1] - spans[k, 0])
    normal = region_normal(part_a, part_b, X, settings, memory, groups_io, group)
    t = (middle / covered - spans[0, 0]) / (spans[n - 1, 1] - spans[0, 0])
    centre = add_scaled(P, t, sub(Q, P))
    if _add_region(groups_io, group, 1, normal, centre, 0.0, covered * size, X_a, X, found_io):
        for k in range(2):
            here = P if k == 0 else Q
            there = _other_side(part_a, part_b, X, groups_io, group, here)
            p, q = (here, there) if on_a else (there, here)
            p, q = add_scaled(p, settings.margin_a, normal), add_scaled(q, -settings.margin_b, normal)
            _add_point(groups_io, p, q, normal, k, X_a, found_io)


@lean_kernel
def _find_point(part_a, part_b, X_a, X, settings, memory, groups_io, group, found_io):
    """Write the region of two features that touch in a point."""
    near = groups_io.near[group]
    normal = region_normal(part_a, part_b, X, settings, memory, groups_io, group)
    p = add_scaled((near[1], near[2], near[3]), settings.margin_a, normal)
    q = add_scaled((near[4], near[5], near[6]), -settings.margin_b, normal)
    centre = scale(0.5, add(p, q))
    if _add_region(groups_io, group, 0, normal, centre, 0.0, 0.0, X_a, X, found_io):
        _add_point(groups_io, p, q, normal, 0, X_a, found_io)


@lean_kernel
def _carry_region(memory, place, tolerance, region, found_io):
    """Give points of a region the labels that they had before: by their code, else by their place."""
    taken = memory.start[place]
    for i in range(found_io.start[region], found_io.start[region + 1]):
        for k in range(taken, memory.start[place + 1]):
            if memory.code[k] == found_io.code[i]:
                found_io.label[i] = memory.label[k]
                break
    for i in range(found_io.start[region], found_io.start[region + 1]):
        if found_io.label[i] >= 0:
            continue
        best, label = _SAME_POINT * tolerance, -1
        for k in range(taken, memory.start[place + 1]):
            away = norm(sub(row(memory.place, k), row(found_io.place, i)))
            if away < best and not _is_used(found_io, region, memory.label[k]):
                best, label = away, memory.label[k]
        found_io.label[i] = label


@inner_kernel
def _is_used(found, region, label):
    for i in range(found.start[region], found.start[region + 1]):
        if found.label[i] == label:
            return True
    return False


@lean_kernel
def carry_labels(memory, tolerance, first, found_io):
    """Labels of points, which last as long as the points do."""
    for region in range(first, found_io.counts[REGIONS]):
        place = find_key(memory.key, found_io.key[region])
        if place >= 0:
            _carry_region(memory, place, tolerance, region, found_io)
        for i in range(found_io.start[region], found_io.start[region + 1]):
            if found_io.label[i] < 0:
                found_io.label[i] = found_io.counts[NEXT_LABEL]
                found_io.counts[NEXT_LABEL] += 1


@lean_kernel
def write_surfaces(part_b, X_a, X, settings, memory, scratch_io, groups_io, found_io):
    """Faces that lie on each other."""
    for group in range(groups_io.counts[GROUPS]):
        if groups_io.name[group, KIND_A] == FACE and groups_io.name[group, KIND_B] == FACE:
            _find_surface(part_b, X_a, X, settings, memory, groups_io, group, scratch_io, found_io)


@inner_kernel
def _is_line(groups, group):
    kind_a, kind_b = groups.name[group, KIND_A], groups.name[group, KIND_B]
    along_face = max(kind_a, kind_b) == FACE and min(kind_a, kind_b) == EDGE
    return along_face or (kind_a == EDGE and kind_b == EDGE and groups.state[group, LAST] >= 0)


@lean_kernel
def write_the_rest(part_a, part_b, X_a, X, settings, memory, scratch_io, groups_io, found_io):
    """Lines, then points; each of them where none of a higher dimension is."""
    n = groups_io.counts[GROUPS]
    resolve_lines(part_a, part_b, settings, memory, groups_io, scratch_io.flat)
    drop_leaning(part_a, part_b, X, groups_io)
    cover_lines(part_a, part_b, X, groups_io, found_io)
    resolve_points(part_a, part_b, groups_io)
    cover_points(part_a, part_b, X, slack_of(settings, memory), groups_io)
    for group in range(n):
        if groups_io.state[group, FATE] == OPEN and _is_line(groups_io, group):
            _find_line(part_a, part_b, X_a, X, settings, memory, groups_io, group, scratch_io, found_io)
    for group in range(n):
        faces = groups_io.name[group, KIND_A] == FACE and groups_io.name[group, KIND_B] == FACE
        if groups_io.state[group, FATE] == OPEN and not faces and not _is_line(groups_io, group):
            _find_point(part_a, part_b, X_a, X, settings, memory, groups_io, group, found_io)


@lean_kernel
def place_parts(part_a_io, part_b_io, X, groups_io):
    """Make ready for two parts, B at pose X in A."""
    place_half_space(part_a_io, X, part_b_io)
    place_half_space(part_b_io, pose_inverse(X), part_a_io)
    clear_groups(groups_io)


@kernel
def find_regions(part_a_io, part_b_io, pose_a, pose_b, settings, memory, scratch_io, groups_io, found_io):
    """All contact regions of two parts at poses (7,); returns 1 where there was too little room, else 0, and whether
    there are signs of overlap.
    """
    groups, found, scratch = Groups(*groups_io), Found(*found_io), Scratch(*scratch_io)
    found.counts[REGIONS] = found.counts[POINTS] = found.counts[2] = 0
    X_a, X_b = load_pose_row(pose_a), load_pose_row(pose_b)
    part_a, part_b, X = RegionPart(*part_a_io), RegionPart(*part_b_io), pose_relative(X_a, X_b)
    settings, memory = Settings(*settings), Memory(*memory)
    place_parts(part_a, part_b, X, groups)
    slack = slack_of(settings, memory) + settings.margin_a + settings.margin_b
    n = collect_close(part_a, part_b, X, slack, scratch, groups)
    test_pairs(part_a, part_b, n, False, X, settings, memory, scratch, groups)
    if groups.counts[FULL] == 0 and groups.counts[GROUPS] > 0:
        write_surfaces(part_b, X_a, X, settings, memory, scratch, groups, found)
        write_the_rest(part_a, part_b, X_a, X, settings, memory, scratch, groups, found)
        carry_labels(memory, settings.tolerance, 0, found)
    return groups.counts[FULL], groups.counts[SUSPECT]
