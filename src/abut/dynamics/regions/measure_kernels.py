"""Areas, centres, corners and labels of corners of a world's regions, when they are asked for."""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_pose_row, pose_relative
from ...math.vec_kernels import mat_vec, row, sub
from ...query.regions.group_kernels import FULL, ID_A, ID_B, clear_groups, find_group
from ...query.regions.region_kernels import POINTS, REGIONS, carry_points, place_parts, surface_hull, write_surface
from ...query.regions.region_tables import Search, Settings
from ...query.regions.scan_kernels import HYSTERESIS
from ...query.regions.surface_kernels import clip_faces
from .layout_kernels import found_in, memory_in, moment_tables, part_of, work_in
from .pair_kernels import find_pair
from .world_region_kernels import copy_region
from .world_region_tables import BodyTables, Given, PartTables, RoomTables


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
    j = work.found.counts[REGIONS] - 1
    work.found.group[j] = found.group[i]
    for c in range(2):
        work.found.witness[j, c] = found.witness[i, c]


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
def _search_of(pair, pairs, parts_io, bodies, tolerance, room, groups_io):
    """The parts of a pair as they were when its regions were found."""
    a, b = pairs.body[pair, 0], pairs.body[pair, 1]
    X_a = _pose_then(pairs.pose, pair, 0, row(bodies.centre, a))
    X = pose_relative(X_a, _pose_then(pairs.pose, pair, 7, row(bodies.centre, b)))
    part_a, part_b = part_of(parts_io, bodies.shape[a]), part_of(parts_io, bodies.shape[b])
    place_parts(part_a, part_b, X, groups_io)
    settings = Settings(tolerance, parts_io.margin[bodies.shape[a]], parts_io.margin[bodies.shape[b]], False)
    return Search(part_a, part_b, X_a, X, settings, memory_in(room.floats, room.ints, room.longs, 0))


@lean_kernel
def _measure(parts_io, given, now, old, old_full, room_io, full_io):
    """What `measure_regions` does; only kernels that count no references may take tables out of long arrays."""
    moment = moment_tables(now)
    before = moment_tables(old)
    known = found_in(old_full.floats, old_full.ints, old_full.longs, old_full.room)
    found = found_in(full_io.floats, full_io.ints, full_io.longs, full_io.room)
    work = work_in(room_io.floats, room_io.ints, room_io.longs, room_io.room, room_io.width, found)
    found.counts[REGIONS] = found.counts[POINTS] = 0
    for pair in range(moment.pairs.counts[0]):
        was = find_pair(before.pairs, moment.pairs.body[pair, 0], moment.pairs.body[pair, 1])
        still = was >= 0 and _same_poses(moment.pairs, pair, before.pairs, was)
        search = _search_of(pair, moment.pairs, parts_io, given.bodies, given.tolerance, room_io, work.groups)
        for i in range(moment.pairs.start[pair], moment.pairs.start[pair + 1]):
            k = _find_old(known, before.pairs, was, moment.found.key[i])
            if moment.found.dim[i] < 2:
                copy_region(moment.found, i, found, work.groups)
            elif still and k >= 0:
                copy_region(known, k, found, work.groups)
            else:
                _measure_surface(search, i, moment.found, work)
            if work.groups.counts[FULL]:
                return 1
            first, end = (known.start[k], known.start[k + 1]) if k >= 0 else (0, 0)
            carry_points(known, first, end, given.tolerance, i, found)
    return 0


@kernel
def measure_regions(parts_io, bodies, tolerance, now, old, old_full, room_io, full_io):
    """All that was found at a moment, with measures, and with the labels that points had when last measured.

    Returns 1 where there was too little room, else 0.
    """
    parts, given = PartTables(*parts_io), Given(BodyTables(*bodies), tolerance, 0.0)
    then = (RoomTables(*now), RoomTables(*old), RoomTables(*old_full))
    return _measure(parts, given, *then, RoomTables(*room_io), RoomTables(*full_io))
