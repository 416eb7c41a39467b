"""Areas, lengths, centres, corners and labels of corners of a world's regions, when they are asked for.

A pair that stands where it stood when it was last measured keeps what was found of it.
"""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_pose_row, pose_relative
from ...math.vec_kernels import mat_vec, row, sub
from ...query.regions.face_kernels import triangle_at, triangles_of
from ...query.regions.group_kernels import (
    FULL,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    LAST,
    add_span,
    clear_groups,
    find_group,
    group_of,
)
from ...query.regions.line_kernels import line_over_triangle, line_sides
from ...query.regions.region_kernels import (
    carry_points,
    place_parts,
    surface_hull,
    write_line,
    write_surface,
)
from ...query.regions.region_tables import POINTS, REGIONS, Search, Settings, part_of
from ...query.regions.scan_kernels import HYSTERESIS, margin_of
from ...query.regions.surface_kernels import clip_faces
from .pair_kernels import find_pair
from .reader_kernels import moment_of, room_to_remember, work_of
from .world_region_kernels import copy_region
from .world_region_tables import bodies_of, measured_of


@inner_kernel
def _measure_surface(search, i, found, work):
    """Append a surface with its measures and corners."""
    f, g = found.name[i, ID_A], found.name[i, ID_B]
    limit = search.settings.tolerance * (HYSTERESIS if found.group[i] else 1.0)
    clear_groups(work.groups)
    clip_faces(search, f, g, limit, 1e300, work.scratch, work.groups)
    group = find_group(work.groups, found.key[i])
    if work.groups.counts[FULL]:
        return
    if group < 0:
        copy_region(found, i, work.found, work.groups)
        return
    m, area, moment, _ = surface_hull(search, group, work.scratch, work.groups)
    write_surface(search, group, m, area, moment, work)
    _note_origin(i, found, work.found)


@inner_kernel
def _note_origin(i, found, found_io):
    """Note by what a region that was just measured was found."""
    j = found_io.counts[REGIONS] - 1
    found_io.group[j] = found.group[i]
    for c in range(2):
        found_io.witness[j, c] = found.witness[i, c]


@inner_kernel
def _measure_line(search, i, found, work):
    """Append the line of an edge along a face with its length and its ends."""
    name, groups, settings = found.name[i], work.groups, search.settings
    limit = settings.tolerance * (HYSTERESIS if found.group[i] else 1.0)
    clear_groups(groups)
    group = group_of(groups, name[KIND_A], name[ID_A], name[KIND_B], name[ID_B])
    on_edge, on_face = line_sides(search, name)
    first, end = triangles_of(on_face.part, on_face.id)
    for k in range(first, end):
        triangle = triangle_at(on_face.part, on_face.id, k)
        low, high = line_over_triangle(on_edge, on_face, triangle, limit, margin_of(settings))
        if low < high:
            add_span(groups, group, triangle, (low, high), (0.0, 0.0))
    if groups.counts[FULL]:
        return
    if groups.state[group, LAST] < 0:
        copy_region(found, i, work.found, groups)
        return
    write_line(search, group, work)
    _note_origin(i, found, work.found)


@inner_kernel
def _find_old(found, pairs, pair, key):
    """The region of this key that a pair had before, -1 for none."""
    if pair >= 0:
        for k in range(pairs.start[pair], pairs.start[pair + 1]):
            if found.key[k] == key:
                return k
    return -1


@inner_kernel
def _same_poses(pairs, i, others, k):
    for c in range(14):
        if pairs.pose[i, c] != others.pose[k, c]:
            return False
    return True


@inner_kernel
def _pose_then(pose, pair, first, centre):
    """Pose of a part when the regions of its pair were found."""
    X = load_pose_row(pose[pair, first : first + 7])
    return Frame(X.R, sub(X.p, mat_vec(X.R, centre)))


@inner_kernel
def _search_of(pair, pairs, parts_io, bodies, tolerance, room_io, groups_io):
    """The parts of a pair as they were when its regions were found."""
    a, b = pairs.body[pair, 0], pairs.body[pair, 1]
    X_a = _pose_then(pairs.pose, pair, 0, row(bodies.centre, a))
    X = pose_relative(X_a, _pose_then(pairs.pose, pair, 7, row(bodies.centre, b)))
    part_a, part_b = part_of(parts_io[bodies.shape[a]]), part_of(parts_io[bodies.shape[b]])
    place_parts(part_a, part_b, X, groups_io)
    settings = Settings(tolerance, bodies.margin[bodies.shape[a]], bodies.margin[bodies.shape[b]], False)
    return Search(part_a, part_b, X_a, X, settings, room_to_remember(room_io, 0))


@lean_kernel
def _measure(bodies, parts_io, tolerance, now, old, old_full, room_io, full_io):
    """What `measure_regions` does; only kernels that count no references may take tables out of packets."""
    moment = moment_of(now)
    before = moment_of(old)
    known, found = measured_of(old_full), measured_of(full_io)
    work = work_of(room_io, found)
    found.counts[REGIONS] = found.counts[POINTS] = 0
    for pair in range(moment.pairs.counts[0]):
        was = find_pair(before.pairs, moment.pairs.body[pair, 0], moment.pairs.body[pair, 1])
        still = was >= 0 and _same_poses(moment.pairs, pair, before.pairs, was)
        search = _search_of(pair, moment.pairs, parts_io, bodies, tolerance, room_io, work.groups)
        for i in range(moment.pairs.start[pair], moment.pairs.start[pair + 1]):
            k = _find_old(known, before.pairs, was, moment.found.key[i])
            if moment.found.start[i + 1] > moment.found.start[i]:
                copy_region(moment.found, i, found, work.groups)
            elif still and k >= 0:
                copy_region(known, k, found, work.groups)
            elif moment.found.dim[i] == 2:
                _measure_surface(search, i, moment.found, work)
            else:
                _measure_line(search, i, moment.found, work)
            if work.groups.counts[FULL]:
                return 1
            first, end = (known.start[k], known.start[k + 1]) if k >= 0 else (0, 0)
            carry_points(known, first, end, tolerance, i, found)
    return 0


@kernel
def measure_regions(known, parts_io, tolerance, now, old, old_full, room_io, full_io):
    """All that was found at a moment, with measures, and with the labels that points had when last measured.

    All but the tolerance are packets. Returns 1 where there was too little room, else 0.
    """
    return _measure(bodies_of(known), parts_io, tolerance, now, old, old_full, room_io, full_io)
