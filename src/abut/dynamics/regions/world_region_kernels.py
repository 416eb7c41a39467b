"""Contact regions of all pairs of bodies that have contacts, and the forces of these contacts, region by region.

Regions grow around contacts, and each of them has one at least. A pair that has not moved keeps its regions. Of one
that has, those are kept that are still there (`kept_kernels`). Every contact belongs to one region of its pair: one
whose features hold its own, else the nearest that faces the same way, else one that is made of it alone. So nothing
that acted is left out.

Surfaces, and lines that are kept, are not measured: areas, lengths, centres and corners are found when somebody asks.

Where words are handed on in place of tables, these are packets, which `reader_kernels` reads.
"""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...contact.contact_kernels import GAP as CONTACT_GAP
from ...contact.contact_kernels import KIND
from ...math.frame_tables import IDENTITY
from ...math.pose_kernels import pose_apply_inverse, pose_relative
from ...math.vec_kernels import mat_t_vec, put_row, row
from ...query.regions.group_kernels import (
    FACE,
    FATE,
    FULL,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    SMALL,
    find_group,
    find_key,
    key_of,
)
from ...query.regions.region_kernels import (
    AREA,
    CENTRE,
    GAP,
    LENGTH,
    NUMBERS,
    place_parts,
    surface_hull,
    write_the_rest,
)
from ...query.regions.region_tables import POINTS, REGIONS, Search, SeedSide, Settings, part_of
from ...query.regions.scan_kernels import test_pairs
from ...query.regions.seed_kernels import collect_near, may_be_more, seed_sides
from ...query.regions.surface_kernels import APART, TOUCHING, UNSURE, next_surface
from ..block_kernels import bodies_in
from ..contacts.contact_table_kernels import contact_entities, contact_frames
from .kept_kernels import add_surface, is_kept, keep_known, note_triangle, write_kept_lines
from .pair_kernels import find_pair, list_pairs, part_pose, put_poses, stood_still
from .reader_kernels import moment_of, moving_bodies, room_to_remember, work_of
from .reading_kernels import clear_reading, find_slip, give_label, kinds_of, read_contact, region_of
from .world_region_tables import ContactTables, Given, GivenContacts, PairContacts, bodies_of, numbers_of

_STILL = 0.01
"""Of the tolerance: a pair that has moved by no more keeps its regions as they are."""


@inner_kernel
def _remember(found, first, end, memory_out):
    """What was known of the regions of a pair, by rising keys."""
    for k in range(end - first):
        m = k
        key = found.key[first + k]
        while m > 0 and memory_out.key[m - 1] > key:
            memory_out.key[m], memory_out.witness[m, 0] = memory_out.key[m - 1], memory_out.witness[m - 1, 0]
            m -= 1
        memory_out.key[m], memory_out.witness[m, 0] = key, first + k
    for m in range(end - first):
        i = memory_out.witness[m, 0]
        memory_out.witness[m, 0], memory_out.witness[m, 1] = found.witness[i, 0], found.witness[i, 1]
        for c in range(3):
            memory_out.normal[m, c] = found.normal_b[i, c]


@lean_kernel
def copy_region(old, i, found_io, groups_io):
    """Append a region as it was, if there is room."""
    j, points = found_io.counts[REGIONS], found_io.counts[POINTS]
    n = old.start[i + 1] - old.start[i]
    if j == found_io.key.shape[0] or points + n > found_io.code.shape[0]:
        groups_io.counts[FULL] = 1
        return
    found_io.key[j], found_io.dim[j], found_io.group[j] = old.key[i], old.dim[i], old.group[i]
    for c in range(4):
        found_io.name[j, c] = old.name[i, c]
    for c in range(2):
        found_io.witness[j, c] = old.witness[i, c]
    for c in range(NUMBERS):
        found_io.number[j, c] = old.number[i, c]
    for c in range(3):
        found_io.normal_b[j, c] = old.normal_b[i, c]
    for k in range(n):
        p = old.start[i] + k
        found_io.code[points + k], found_io.label[points + k] = old.code[p], old.label[p]
        for c in range(6):
            found_io.point[points + k, c] = old.point[p, c]
        for c in range(3):
            found_io.place[points + k, c] = old.place[p, c]
    found_io.start[j], found_io.start[j + 1] = points, points + n
    found_io.counts[REGIONS], found_io.counts[POINTS] = j + 1, points + n


@inner_kernel
def _plant_contacts(search, listed, scratch_io, groups_io):
    """Seeds: features of contacts that are of no region that stays and may be part of more, where they touch.

    Returns how many.
    """
    contacts, n, k = listed.contacts, 0, listed.last
    while k >= 0:
        if n == scratch_io.seed.shape[0]:
            groups_io.counts[FULL] = 1
            return n
        if not is_kept(search, contacts, k, groups_io):
            kind_a, kind_b = kinds_of(contacts.name[k, KIND])
            side_a = SeedSide(search.part_a, kind_a, contacts.entity[k, 0], IDENTITY)
            side_b = SeedSide(search.part_b, kind_b, contacts.entity[k, 1], search.X)
            if not _is_planted(scratch_io.seed, n, side_a, side_b) and may_be_more(side_a, side_b):
                scratch_io.seed[n, 0], scratch_io.seed[n, 1] = kind_a, side_a.id
                scratch_io.seed[n, 2], scratch_io.seed[n, 3] = kind_b, side_b.id
                put_row(pose_apply_inverse(search.X_a, row(contacts.point, k)), n, scratch_io.seed_point)
                n += 1
        k = listed.before[k]
    return n


@inner_kernel
def _is_planted(seed, n, side_a, side_b):
    for k in range(n):
        same = seed[k, 0] == side_a.kind and seed[k, 1] == side_a.id
        if same and seed[k, 2] == side_b.kind and seed[k, 3] == side_b.id:
            return True
    return False


@inner_kernel
def _make_region(contacts, k, X_a, X_b, found_io, groups_io):
    """Append a region that is nothing but a contact; returns its number."""
    i, p = found_io.counts[REGIONS], found_io.counts[POINTS]
    if i == found_io.key.shape[0] or p == found_io.code.shape[0]:
        groups_io.counts[FULL] = 1
        return i - 1
    kind_a, kind_b = kinds_of(contacts.name[k, KIND])
    a, b = contacts.entity[k, 0], contacts.entity[k, 1]
    found_io.name[i, KIND_A], found_io.name[i, ID_A] = kind_a, a
    found_io.name[i, KIND_B], found_io.name[i, ID_B] = kind_b, b
    found_io.key[i], found_io.dim[i], found_io.group[i] = key_of(kind_a, a, kind_b, b), 0, 0
    found_io.witness[i, 0] = found_io.witness[i, 1] = -1
    point, normal = row(contacts.point, k), row(contacts.normal, k)
    put_row(pose_apply_inverse(X_a, point), p, found_io.place)
    put_row(normal, i, found_io.number)
    put_row(mat_t_vec(X_b.R, normal), i, found_io.normal_b)
    for c in range(3):
        found_io.number[i, CENTRE + c] = point[c]
        found_io.point[p, c], found_io.point[p, 3 + c] = point[c], point[c]
    found_io.number[i, AREA] = found_io.number[i, LENGTH] = 0.0
    found_io.number[i, GAP], found_io.code[p] = contacts.place[k, CONTACT_GAP], 0
    found_io.start[i], found_io.start[i + 1] = p, p + 1
    found_io.counts[REGIONS], found_io.counts[POINTS] = i + 1, p + 1
    return i


@inner_kernel
def _grow_surfaces(n_seed, search, work):
    """Append the surfaces to which seeds belong."""
    scratch, groups = work.scratch, work.groups
    for seed in range(n_seed):
        side_a, side_b = seed_sides(search, scratch.seed, seed)
        p, place = row(scratch.seed_point, seed), 0
        while place >= 0 and groups.counts[FULL] == 0:
            place, told, f, g, i, j = next_surface(search, side_a, side_b, p, place, scratch, groups)
            if told == UNSURE:
                group = find_group(groups, key_of(FACE, f, FACE, g))
                m, area, _, least = surface_hull(search, group, scratch, groups)
                told = TOUCHING if m > 2 and area > least else APART
                if told == APART:
                    groups.state[group, FATE] = SMALL
            group = find_group(groups, key_of(FACE, f, FACE, g)) if told == TOUCHING else -1
            if group >= 0:
                add_surface(search, group, (i, j), work)


@inner_kernel
def _grow_seeds(n_seed, search, first, work):
    """Append the regions around seeds: surfaces first, then what belongs to none of them; and lines that stay."""
    groups, found = work.groups, work.found
    _grow_surfaces(n_seed, search, work)
    write_kept_lines(search, work)
    start = found.counts[REGIONS]
    n = collect_near(n_seed, search, work.scratch, groups)
    test_pairs(n, search, work.scratch, groups)
    if groups.counts[FULL]:
        return
    if n > 0:
        write_the_rest(search, work)
    for i in range(first, found.counts[REGIONS]):
        if i >= start:
            note_triangle(groups, i, found)
        found.group[i] = 1 if find_key(search.memory.key, found.key[i]) >= 0 else 0


@lean_kernel
def _keep_those_with_contacts(first, found_io, groups_io, reading_io):
    """Leave out regions that no contact is in, which have 0 in `sliding`; `label` tells for each its new number."""
    n = found_io.counts[REGIONS]
    if n == first:
        return
    found_io.counts[REGIONS], found_io.counts[POINTS] = first, found_io.start[first]
    for i in range(first, n):
        if reading_io.sliding[i]:
            j = found_io.counts[REGIONS]
            reading_io.label[i], reading_io.made[j] = j, reading_io.made[i]
            copy_region(found_io, i, found_io, groups_io)


@inner_kernel
def _give_contacts(pair, contacts, search, X_b, first, work, now_io):
    """Find the region of each contact of a pair, and keep those that have one."""
    reading, found = now_io.reading, now_io.found
    for i in range(first, found.counts[REGIONS]):
        reading.made[i], reading.sliding[i] = 0, 0
    k = now_io.pairs.last[pair]
    while k >= 0 and work.groups.counts[FULL] == 0:
        i = region_of(search, contacts, k, first, work.scratch, found)
        if i < 0:
            i = _make_region(contacts, k, search.X_a, X_b, found, work.groups)
            reading.made[i] = 1
        reading.region[k], reading.sliding[i] = i, 1
        k = reading.before[k]
    _keep_those_with_contacts(first, found, work.groups, reading)


@inner_kernel
def _read_contacts(pair, given, old, was, first, now_io):
    """What acted on the regions of a pair, their labels, and how they slide."""
    reading, found, pairs = now_io.reading, now_io.found, now_io.pairs
    for i in range(first, found.counts[REGIONS]):
        clear_reading(i, reading)
        reading.owner[i, 0], reading.owner[i, 1] = pairs.body[pair, 0], pairs.body[pair, 1]
    k = pairs.last[pair]
    while k >= 0:
        reading.region[k] = reading.label[reading.region[k]]
        read_contact(given.contacts, k, reading.region[k], reading)
        k = reading.before[k]
    old_first, old_end = (old.pairs.start[was], old.pairs.start[was + 1]) if was >= 0 else (0, 0)
    for i in range(first, found.counts[REGIONS]):
        slid = give_label(old, old_first, old_end, i, found.key[i], reading)
        find_slip(given.bodies, i, row(found.number, i), slid, given.fastest, reading)


@inner_kernel
def _regions_of_pair(pair, parts_io, given, old, room_io, work, now_io):
    """All regions of a pair of bodies with what acted on them."""
    bodies, pairs, found = given.bodies, now_io.pairs, now_io.found
    a, b = pairs.body[pair, 0], pairs.body[pair, 1]
    part_a, part_b = part_of(parts_io[bodies.shape[a]]), part_of(parts_io[bodies.shape[b]])
    X_a, X_b = part_pose(bodies, a), part_pose(bodies, b)
    first, was = found.counts[REGIONS], find_pair(old.pairs, a, b)
    old_first, old_end = (old.pairs.start[was], old.pairs.start[was + 1]) if was >= 0 else (0, 0)
    settings = Settings(given.tolerance, bodies.margin[bodies.shape[a]], bodies.margin[bodies.shape[b]], False)
    memory, X = room_to_remember(room_io, old_end - old_first), pose_relative(X_a, X_b)
    search = Search(part_a, part_b, X_a, X, settings, memory)
    if was >= 0 and stood_still(bodies, part_a, part_b, old.pairs, was, _STILL * given.tolerance):
        for k in range(14):
            pairs.pose[pair, k] = old.pairs.pose[was, k]
        for i in range(old_first, old_end):
            if old.reading.made[i] == 0:
                copy_region(old.found, i, found, work.groups)
    else:
        put_poses(bodies, a, b, pair, pairs.pose)
        _remember(old.found, old_first, old_end, memory)
        place_parts(part_a, part_b, X, work.groups)
        listed = PairContacts(given.contacts, now_io.reading.before, pairs.last[pair])
        keep_known(search, old, old_first, old_end, listed, work)
        _grow_seeds(_plant_contacts(search, listed, work.scratch, work.groups), search, first, work)
    if work.groups.counts[FULL]:
        return 1
    _give_contacts(pair, given.contacts, search, X_b, first, work, now_io)
    _read_contacts(pair, given, old, was, first, now_io)
    pairs.start[pair + 1] = found.counts[REGIONS]
    return work.groups.counts[FULL]


@inner_kernel
def _framed(given, frames):
    """Contacts with room for where they are."""
    return ContactTables(
        given.name, given.place, given.acted, given.n_touching, frames.entity, frames.point, frames.normal, frames.push
    )


@lean_kernel
def _update(known, parts_io, moving, given, limits, old, room_io, now_io):
    """What `update_regions` does; only kernels that count no references may take tables out of packets."""
    before = moment_of(old)
    moment = moment_of(now_io)
    moment.found.counts[REGIONS] = moment.found.counts[POINTS] = moment.pairs.start[0] = 0
    moment.reading.counts[0] = before.reading.counts[0]  # labels go on where they were
    bodies, contacts, n = moving_bodies(known, moving), _framed(given, moment.frames), given.n
    m = list_pairs(contacts, n, moment.pairs, moment.reading.before)
    contact_entities(contacts.name, n, bodies.feature_shape, numbers_of(known), contacts.entity)
    frames = (contacts.point, contacts.normal, contacts.push)
    contact_frames(contacts.name, contacts.place, bodies.radius, contacts.acted, n, bodies.pose, frames)
    work, known_now = work_of(room_io, moment.found), Given(bodies, contacts, *limits)
    for pair in range(m):
        if _regions_of_pair(pair, parts_io, known_now, before, room_io, work, moment):
            return -1
    return moment.found.counts[REGIONS]


@kernel
def update_regions(known, parts_io, block, given, limits, old, room_io, now_io):
    """All regions of a world from those of an earlier moment; returns how many, -1 where there was too little room.

    known, parts_io, old, room_io and now_io are packets. `block` has the bodies as of block_kernels; given = contacts;
    limits = (tolerance [m], speed of slip [m/s]).
    """
    _, pose, twist, _ = bodies_in(block, bodies_of(known).shape.shape[0])
    return _update(known, parts_io, (pose, twist), GivenContacts(*given), limits, old, room_io, now_io)
