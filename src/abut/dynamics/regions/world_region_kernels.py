"""Contact regions of all pairs of bodies that have contacts, and the forces of these contacts, region by region.

Regions grow around contacts, and each of them has one at least. A pair that has not moved keeps its regions. Every
contact belongs to one region of its pair: one whose features hold its own, else the nearest that faces the same way,
else one that is made of it alone. So nothing that acted is left out.
"""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B, EDGE_VERTEX, KIND, VERTEX_EDGE
from ...contact.contact_kernels import GAP as CONTACT_GAP
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_pose, pose_apply_inverse, pose_relative
from ...math.vec_kernels import add, add_scaled, cross, dot, mat_t_vec, mat_vec, norm, norm2, put_row, row, sub
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from ...query.regions.group_kernels import (
    EDGE,
    FACE,
    FULL,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    VERTEX,
    key_of,
)
from ...query.regions.region_kernels import (
    AREA,
    CENTRE,
    GAP,
    LENGTH,
    NUMBERS,
    POINTS,
    REGIONS,
    carry_labels,
    place_parts,
    write_surfaces,
    write_the_rest,
)
from ...query.regions.region_tables import Found, Groups, Memory, RegionPart, Scratch, Settings
from ...query.regions.scan_kernels import slack_of, test_faces, test_pairs
from ...query.regions.seed_kernels import collect_faces, collect_near, may_be_more
from ..accounts.account_kernels import FRICTION, PRESSURE, TORQUE_A, TORQUE_B
from ..contacts.contact_table_kernels import contact_entities, contact_frames
from .world_region_tables import BodyTables, ContactTables, Pairs, Reading

TRIANGLES, NODES, FACES, EDGES, VERTICES, FACE_ITEMS, EDGE_ITEMS, FANS, ITEMS, STARTS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Columns of the starts of parts in their stack."""
_FACING = 0.7
"""Cosine between the normals of a contact and of a region to which it may belong."""
_NEAR = 8.0
"""Of the tolerance: how far a contact may be from a region to which it may belong."""
_STILL = 0.01
"""Of the tolerance: a pair that has moved by no more keeps its regions as they are."""
_CALM = 0.5
"""Of the speed at which a region begins to slide: below, it sticks again."""


@lean_kernel
def part_of(stack, starts, s):
    """The tables of one part."""
    t, t_1, n, n_1 = starts[s, TRIANGLES], starts[s + 1, TRIANGLES], starts[s, NODES], starts[s + 1, NODES]
    f, f_1, e, e_1 = starts[s, FACES], starts[s + 1, FACES], starts[s, EDGES], starts[s + 1, EDGES]
    v, v_1 = starts[s, VERTICES], starts[s + 1, VERTICES]
    # Lists by vertex have one entry more than there are vertices.
    first, end = v + s, v_1 + s + 1
    return RegionPart(
        stack.corners[t:t_1],
        stack.child[n:n_1],
        stack.boxes[n:n_1],
        stack.vertex[t:t_1],
        stack.side[t:t_1],
        stack.duty[t:t_1],
        stack.face[t:t_1],
        stack.normal[f:f_1],
        stack.offset[f:f_1],
        stack.triangle_start[f + s : f_1 + s + 1],
        stack.triangle_item[starts[s, ITEMS] : starts[s + 1, ITEMS]],
        stack.edge_face[e:e_1],
        stack.edge_end[e:e_1],
        stack.edge_normal[e:e_1],
        stack.point[v:v_1],
        stack.face_start[first:end],
        stack.face_item[starts[s, FACE_ITEMS] : starts[s + 1, FACE_ITEMS]],
        stack.edge_start[first:end],
        stack.edge_item[starts[s, EDGE_ITEMS] : starts[s + 1, EDGE_ITEMS]],
        stack.fan_start[first:end],
        stack.fan_normal[starts[s, FANS] : starts[s + 1, FANS]],
    )


@inner_kernel
def _slot_of(a, b, n_slot):
    mixed = (a * 73856093) ^ (b * 19349663)
    return (mixed ^ (mixed >> 13)) & (n_slot - 1)


@lean_kernel
def find_pair(pairs, a, b):
    """Number of a pair of bodies, -1 where it is not."""
    slot = _slot_of(a, b, pairs.slots.shape[0])
    while pairs.slots[slot] != 0:
        pair = pairs.slots[slot] - 1
        if pairs.body[pair, 0] == a and pairs.body[pair, 1] == b:
            return pair
        slot = (slot + 1) & (pairs.slots.shape[0] - 1)
    return -1


@lean_kernel
def list_pairs(contacts, n, pairs_io, before_out):
    """Pairs of bodies that n contacts name, in the order of these, with the contacts of each."""
    for k in range(pairs_io.counts[0]):
        pairs_io.slots[pairs_io.slot[k]] = 0
    m = 0
    for k in range(n):
        a, b = contacts.name[k, BODY_A], contacts.name[k, BODY_B]
        slot = _slot_of(a, b, pairs_io.slots.shape[0])
        pair = -1
        while pairs_io.slots[slot] != 0 and pair < 0:
            here = pairs_io.slots[slot] - 1
            if pairs_io.body[here, 0] == a and pairs_io.body[here, 1] == b:
                pair = here
            else:
                slot = (slot + 1) & (pairs_io.slots.shape[0] - 1)
        if pair < 0:
            pair = m
            m += 1
            pairs_io.slots[slot], pairs_io.slot[pair] = pair + 1, slot
            pairs_io.body[pair, 0], pairs_io.body[pair, 1], pairs_io.last[pair] = a, b, -1
        before_out[k] = pairs_io.last[pair]
        pairs_io.last[pair] = k
    pairs_io.counts[0] = m
    return m


@inner_kernel
def _part_pose(bodies, i):
    """Pose of the frame in which a body's part was drawn."""
    X = load_pose(bodies.pose, i)
    return Frame(X.R, sub(X.p, mat_vec(X.R, row(bodies.centre, i))))


@inner_kernel
def _put_poses(bodies, a, b, i, pose_out):
    for k in range(7):
        pose_out[i, k], pose_out[i, 7 + k] = bodies.pose[a, k], bodies.pose[b, k]


@inner_kernel
def _moved(bodies, body, part, pose, i, first):
    """[m] how far points of a body have moved at most since its pose was noted; half-spaces do not turn unnoticed."""
    shift = turn = 0.0
    for k in range(3):
        shift += abs(bodies.pose[body, k] - pose[i, first + k])
    for k in range(3, 7):
        turn += abs(bodies.pose[body, k] - pose[i, first + k])
    if turn == 0.0:
        return shift
    box = part.boxes[0]
    middle = sub((box[9], box[10], box[11]), row(bodies.centre, body))
    reach = norm(middle) + norm((box[12], box[13], box[14])) if part.vertex[0, 0] >= 0 else 1e300
    return shift + 2.0 * turn * reach


@inner_kernel
def _stood_still(bodies, a, b, part_a, part_b, pose, i, limit):
    """Whether two bodies are where they were, but for much less than the tolerance."""
    return _moved(bodies, a, part_a, pose, i, 0) + _moved(bodies, b, part_b, pose, i, 7) <= limit


@lean_kernel
def _remember(found, first, end, memory_out):
    """What was known of the regions of a pair, by rising keys; returns how many these are, and their points."""
    n, points = end - first, 0
    for k in range(n):
        m = k
        key = found.key[first + k]
        while m > 0 and memory_out.key[m - 1] > key:
            memory_out.key[m], memory_out.start[m] = memory_out.key[m - 1], memory_out.start[m - 1]
            m -= 1
        memory_out.key[m], memory_out.start[m] = key, first + k
    for m in range(n):
        i = memory_out.start[m]
        memory_out.start[m] = points
        for c in range(3):
            memory_out.normal[m, c] = found.normal_b[i, c]
        for p in range(found.start[i], found.start[i + 1]):
            if points < memory_out.code.shape[0]:
                memory_out.code[points], memory_out.label[points] = found.code[p], found.label[p]
                for c in range(3):
                    memory_out.place[points, c] = found.place[p, c]
                points += 1
    memory_out.start[n] = points
    return n, points


@inner_kernel
def _first_memory(memory, n, points):
    return Memory(
        memory.key[:n],
        memory.normal[:n],
        memory.start[: n + 1],
        memory.code[:points],
        memory.place[:points],
        memory.label[:points],
    )


@lean_kernel
def _copy_region(old, i, found_io, groups_io):
    """Append a region as it was; returns whether there was room."""
    j, points = found_io.counts[REGIONS], found_io.counts[POINTS]
    n = old.start[i + 1] - old.start[i]
    if j == found_io.key.shape[0] or points + n > found_io.code.shape[0]:
        groups_io.counts[FULL] = 1
        return
    found_io.key[j], found_io.dim[j], found_io.group[j] = old.key[i], old.dim[i], old.group[i]
    for c in range(4):
        found_io.name[j, c] = old.name[i, c]
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
def _kinds_of(kind):
    """What touches of A and of B, by the kind of a contact."""
    of_a = EDGE if kind == EDGE_EDGE or kind == EDGE_VERTEX else FACE if kind == FACE_VERTEX else VERTEX
    of_b = EDGE if kind == EDGE_EDGE or kind == VERTEX_EDGE else FACE if kind == VERTEX_FACE else VERTEX
    return of_a, of_b


@inner_kernel
def _belongs(part, kind, id, whole, of):
    """Whether a feature is another one, or lies on its border."""
    if kind == whole:
        return id == of
    if kind > whole:
        return False
    if kind == EDGE:
        return part.edge_face[id, 0] == of or part.edge_face[id, 1] == of
    if whole == EDGE:
        return part.edge_end[of, 0] == id or part.edge_end[of, 1] == id
    for k in range(part.face_start[id], part.face_start[id + 1]):
        if part.face_item[k] == of:
            return True
    return False


@lean_kernel
def _distance(found, i, p):
    """[m] of a point from a region, at most: from its plane and its hull, its line or its point."""
    first, end = found.start[i], found.start[i + 1]
    q = row(found.point, first)
    if found.dim[i] == 0:
        return norm(sub(p, q))
    if found.dim[i] == 1:
        way = sub(row(found.point, first + 1), q)
        t = min(1.0, max(0.0, dot(sub(p, q), way) / max(norm2(way), 1e-300)))
        return norm(sub(p, add_scaled(q, t, way)))
    normal = row(found.number, i)
    away = abs(dot(sub(p, q), normal))
    before = row(found.point, end - 1)
    for k in range(first, end):
        here = row(found.point, k)
        side = sub(here, before)
        outward = cross(normal, side)
        length = norm(side)
        if length > 0.0:
            # The hull runs counter-clockwise seen against the normal of B's face: clockwise along this one.
            away = max(away, dot(outward, sub(p, before)) / length)
        before = here
    return away


@inner_kernel
def _plant_contacts(part_a, part_b, contacts, last, before, X_a, X, scratch_io, groups_io):
    """Seeds: features of contacts that may be part of more, where they touch; returns how many."""
    n = 0
    while last >= 0:
        if n == scratch_io.seed.shape[0]:
            groups_io.counts[FULL] = 1
            return n
        kind_a, kind_b = _kinds_of(contacts.name[last, KIND])
        a, b = contacts.entity[last, 0], contacts.entity[last, 1]
        planted = _is_planted(scratch_io.seed, n, kind_a, a, kind_b, b)
        if not planted and may_be_more(part_a, part_b, X, kind_a, a, kind_b, b):
            scratch_io.seed[n, 0], scratch_io.seed[n, 1] = kind_a, a
            scratch_io.seed[n, 2], scratch_io.seed[n, 3] = kind_b, b
            put_row(pose_apply_inverse(X_a, row(contacts.point, last)), n, scratch_io.seed_point)
            n += 1
        last = before[last]
    return n


@inner_kernel
def _is_planted(seed, n, kind_a, a, kind_b, b):
    for k in range(n):
        if seed[k, 0] == kind_a and seed[k, 1] == a and seed[k, 2] == kind_b and seed[k, 3] == b:
            return True
    return False


@lean_kernel
def _region_of(part_a, part_b, contacts, k, found, first, end, tolerance):
    """The region to which a contact belongs, -1 for none."""
    kind_a, kind_b = _kinds_of(contacts.name[k, KIND])
    a, b, p, normal = contacts.entity[k, 0], contacts.entity[k, 1], row(contacts.point, k), row(contacts.normal, k)
    best, least = -1, 1e300
    for i in range(first, end):
        name = found.name[i]
        if _belongs(part_a, kind_a, a, name[KIND_A], name[ID_A]) and _belongs(
            part_b, kind_b, b, name[KIND_B], name[ID_B]
        ):
            away = _distance(found, i, p) if end - first > 1 else 0.0
            if away < least:
                best, least = i, away
    if best >= 0:
        return best
    least = _NEAR * tolerance
    for i in range(first, end):
        if dot(row(found.number, i), normal) > _FACING:
            away = _distance(found, i, p)
            if away < least:
                best, least = i, away
    return best


@lean_kernel
def _make_region(contacts, k, X_a, X_b, found_io, groups_io):
    """Append a region that is nothing but a contact; returns its number."""
    i, p = found_io.counts[REGIONS], found_io.counts[POINTS]
    if i == found_io.key.shape[0] or p == found_io.code.shape[0]:
        groups_io.counts[FULL] = 1
        return i - 1
    kind_a, kind_b = _kinds_of(contacts.name[k, KIND])
    a, b = contacts.entity[k, 0], contacts.entity[k, 1]
    found_io.name[i, KIND_A], found_io.name[i, ID_A] = kind_a, a
    found_io.name[i, KIND_B], found_io.name[i, ID_B] = kind_b, b
    found_io.key[i], found_io.dim[i], found_io.group[i] = key_of(kind_a, a, kind_b, b), 0, -1
    point, normal = row(contacts.point, k), row(contacts.normal, k)
    put_row(pose_apply_inverse(X_a, point), p, found_io.place)
    put_row(normal, i, found_io.number)
    put_row(mat_t_vec(X_b[0], normal), i, found_io.normal_b)
    for c in range(3):
        found_io.number[i, CENTRE + c] = point[c]
        found_io.point[p, c], found_io.point[p, 3 + c] = point[c], point[c]
    found_io.number[i, AREA], found_io.number[i, LENGTH], found_io.number[i, GAP] = (
        0.0,
        0.0,
        contacts.place[k, CONTACT_GAP],
    )
    found_io.code[p], found_io.label[p] = 0, found_io.counts[3]
    found_io.counts[3] += 1
    found_io.start[i], found_io.start[i + 1] = p, p + 1
    found_io.counts[REGIONS], found_io.counts[POINTS] = i + 1, p + 1
    return i


@inner_kernel
def _clear(i, reading_io):
    for c in range(12):
        reading_io.wrench[i, c] = 0.0
    for c in range(4):
        reading_io.pressure[i, c] = 0.0
    for c in range(3):
        reading_io.friction[i, c] = 0.0


@lean_kernel
def _read_contact(contacts, k, i, reading_io):
    """Add what acted at a contact to its region; torques are still about the centres of mass."""
    force, total = row(contacts.acted, k), 0.0
    pressure = norm(force)
    for c in range(3):
        rub = contacts.acted[k, FRICTION + c]
        total = contacts.acted[k, PRESSURE + c] + rub
        reading_io.wrench[i, c] += total
        reading_io.wrench[i, 6 + c] -= total
        reading_io.wrench[i, 3 + c] += contacts.acted[k, TORQUE_B + c]
        reading_io.wrench[i, 9 + c] += contacts.acted[k, TORQUE_A + c]
        reading_io.friction[i, c] += rub
        reading_io.pressure[i, 1 + c] += pressure * contacts.point[k, c]
    reading_io.pressure[i, 0] += pressure


@inner_kernel
def _about(wrench_io, i, first, arm):
    """Move the moment of a wrench by an arm, from the centre of mass to the point there."""
    force = (wrench_io[i, first], wrench_io[i, first + 1], wrench_io[i, first + 2])
    turn = cross(arm, force)
    for c in range(3):
        wrench_io[i, first + 3 + c] -= turn[c]


@inner_kernel
def _velocity(bodies, i, point):
    v, w = (
        (bodies.twist[i, 0], bodies.twist[i, 1], bodies.twist[i, 2]),
        (bodies.twist[i, 3], bodies.twist[i, 4], bodies.twist[i, 5]),
    )
    centre = (bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2])
    return add(v, cross(w, sub(point, centre)))


@lean_kernel
def _finish(bodies, a, b, i, found, slid, fastest, reading_io):
    """Moments about the region's centre, and how it slides; `fastest` [m/s] is no slip yet."""
    number = found.number
    centre = (number[i, CENTRE], number[i, CENTRE + 1], number[i, CENTRE + 2])
    for side in range(2):
        body = b if side == 0 else a
        com = (bodies.pose[body, 0], bodies.pose[body, 1], bodies.pose[body, 2])
        _about(reading_io.wrench, i, 6 * side, sub(centre, com))
    normal, slip = row(number, i), sub(_velocity(bodies, b, centre), _velocity(bodies, a, centre))
    slip = add_scaled(slip, -dot(slip, normal), normal)
    put_row(slip, i, reading_io.slip)
    reading_io.owner[i, 0], reading_io.owner[i, 1] = a, b
    limit = _CALM * fastest if slid else fastest
    reading_io.sliding[i] = 1 if norm(slip) > limit else 0


@lean_kernel
def _label(old, old_reading, first, end, i, key, reading_io):
    """Give a region the label it had, or a new one; returns whether it slid before."""
    for k in range(first, end):
        if old.key[k] == key:
            reading_io.label[i] = old_reading.label[k]
            return old_reading.sliding[k] == 1
    reading_io.label[i] = reading_io.counts[0]
    reading_io.counts[0] += 1
    return False


@lean_kernel
def _grow_seeds(part_a, part_b, n_seed, X_a, X, settings, memory, scratch_io, groups_io, found_io, first):
    """Append the regions around seeds: surfaces first, then what belongs to none of them."""
    reach = slack_of(settings, memory) + settings.margin_a + settings.margin_b
    n = collect_faces(part_a, part_b, n_seed, X, reach, scratch_io, groups_io)
    test_faces(part_a, part_b, n, X, settings, memory, scratch_io, groups_io)
    if groups_io.counts[FULL]:
        return
    write_surfaces(part_b, X_a, X, settings, memory, scratch_io, groups_io, found_io)
    n = collect_near(part_a, part_b, n_seed, X, reach, scratch_io, groups_io)
    test_pairs(part_a, part_b, n, True, X, settings, memory, scratch_io, groups_io)
    if groups_io.counts[FULL]:
        return
    if n > 0:
        write_the_rest(part_a, part_b, X_a, X, settings, memory, scratch_io, groups_io, found_io)
    carry_labels(memory, settings.tolerance, first, found_io)


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
            _copy_region(found_io, i, found_io, groups_io)


@lean_kernel
def _regions_of_pair(
    pair, stack_io, starts, margin, bodies, contacts, limits, old, old_pairs, old_reading, memory_io, scratch_io,
    groups_io, found_io, pairs_io, reading_io,
):  # fmt: skip
    """All regions of a pair of bodies with what acted on them; limits = (tolerance [m], speed of slip [m/s])."""
    a, b = pairs_io.body[pair, 0], pairs_io.body[pair, 1]
    part_a, part_b = part_of(stack_io, starts, bodies.shape[a]), part_of(stack_io, starts, bodies.shape[b])
    X_a, X_b = _part_pose(bodies, a), _part_pose(bodies, b)
    first, was = found_io.counts[REGIONS], find_pair(old_pairs, a, b)
    old_first, old_end = (old_pairs.start[was], old_pairs.start[was + 1]) if was >= 0 else (0, 0)
    still = was >= 0 and _stood_still(bodies, a, b, part_a, part_b, old_pairs.pose, was, _STILL * limits[0])
    if still:
        for k in range(14):
            pairs_io.pose[pair, k] = old_pairs.pose[was, k]
        for i in range(old_first, old_end):
            if old_reading.made[i] == 0:
                _copy_region(old, i, found_io, groups_io)
    else:
        n, points = _remember(old, old_first, old_end, memory_io)
        settings = Settings(limits[0], margin[bodies.shape[a]], margin[bodies.shape[b]], False)
        memory, X = _first_memory(memory_io, n, points), pose_relative(X_a, X_b)
        place_parts(part_a, part_b, X, groups_io)
        n = _plant_contacts(
            part_a, part_b, contacts, pairs_io.last[pair], reading_io.before, X_a, X, scratch_io, groups_io
        )
        if n > 0:
            _grow_seeds(part_a, part_b, n, X_a, X, settings, memory, scratch_io, groups_io, found_io, first)
    if not still:
        _put_poses(bodies, a, b, pair, pairs_io.pose)
    end = found_io.counts[REGIONS]
    if groups_io.counts[FULL]:
        return
    for i in range(first, end):
        reading_io.made[i], reading_io.sliding[i] = 0, 0
    k = pairs_io.last[pair]
    while k >= 0 and groups_io.counts[FULL] == 0:
        i = _region_of(part_a, part_b, contacts, k, found_io, first, found_io.counts[REGIONS], limits[0])
        if i < 0:
            i = _make_region(contacts, k, X_a, X_b, found_io, groups_io)
            reading_io.made[i] = 1
        reading_io.region[k], reading_io.sliding[i] = i, 1
        k = reading_io.before[k]
    _keep_those_with_contacts(first, found_io, groups_io, reading_io)
    for i in range(first, found_io.counts[REGIONS]):
        _clear(i, reading_io)
    k = pairs_io.last[pair]
    while k >= 0:
        reading_io.region[k] = reading_io.label[reading_io.region[k]]
        _read_contact(contacts, k, reading_io.region[k], reading_io)
        k = reading_io.before[k]
    for i in range(first, found_io.counts[REGIONS]):
        slid = _label(old, old_reading, old_first, old_end, i, found_io.key[i], reading_io)
        _finish(bodies, a, b, i, found_io, slid, limits[1], reading_io)
    pairs_io.start[pair + 1] = found_io.counts[REGIONS]


@kernel
def update_regions(
    stack_io, starts, margin, bodies, contacts_io, numbers, n, limits, old, old_pairs, old_reading, memory_io,
    scratch_io, groups_io, found_io, pairs_io, reading_io,
):  # fmt: skip
    """All regions of a world from those of an earlier moment; returns 1 where there was too little room, else 0."""
    stack, bodies, contacts, memory = (
        RegionPart(*stack_io),
        BodyTables(*bodies),
        ContactTables(*contacts_io),
        Memory(*memory_io),
    )
    old, old_pairs, old_reading = Found(*old), Pairs(*old_pairs), Reading(*old_reading)
    scratch, groups, found = Scratch(*scratch_io), Groups(*groups_io), Found(*found_io)
    pairs, reading = Pairs(*pairs_io), Reading(*reading_io)
    found.counts[REGIONS] = found.counts[POINTS] = 0
    m = list_pairs(contacts, n, pairs, reading.before)
    pairs.start[0] = 0
    contact_entities(contacts.name, n, bodies.feature_shape, numbers, contacts.entity)
    frames = (contacts.point, contacts.normal, contacts.push)
    contact_frames(contacts.name, contacts.place, bodies.radius, contacts.acted, n, bodies.pose, *frames)
    for pair in range(m):
        _regions_of_pair(
            pair, stack, starts, margin, bodies, contacts, limits, old, old_pairs, old_reading, memory, scratch,
            groups, found, pairs, reading,
        )  # fmt: skip
        if groups.counts[FULL]:
            return 1
    return 0
