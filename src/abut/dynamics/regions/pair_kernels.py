"""Pairs of bodies that have contacts, by a hash table, and the poses at which their regions were found."""

from ..._jit import inner_kernel, kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import mat_vec, norm, row, sub
from .world_region_tables import Pairs


@inner_kernel
def _slot_of(a, b, n_slot):
    mixed = (a * 73856093) ^ (b * 19349663)
    return (mixed ^ (mixed >> 13)) & (n_slot - 1)


@inner_kernel
def find_pair(pairs, a, b):
    """Number of a pair of bodies, -1 where it is not."""
    slot = _slot_of(a, b, pairs.slots.shape[0])
    while pairs.slots[slot] != 0:
        pair = pairs.slots[slot] - 1
        if pairs.body[pair, 0] == a and pairs.body[pair, 1] == b:
            return pair
        slot = (slot + 1) & (pairs.slots.shape[0] - 1)
    return -1


@inner_kernel
def _let_be_found(pairs_io, pair):
    slot = _slot_of(pairs_io.body[pair, 0], pairs_io.body[pair, 1], pairs_io.slots.shape[0])
    while pairs_io.slots[slot] != 0:
        slot = (slot + 1) & (pairs_io.slots.shape[0] - 1)
    pairs_io.slots[slot], pairs_io.slot[pair] = pair + 1, slot


@kernel
def note_pair(pairs_io, pair):
    """Let a pair be found."""
    _let_be_found(Pairs(*pairs_io), pair)


@lean_kernel
def list_pairs(contacts, n, pairs_io, before_out):
    """Pairs of bodies that n contacts name, in the order of these, with the contacts of each."""
    for k in range(pairs_io.counts[0]):
        pairs_io.slots[pairs_io.slot[k]] = 0
    m = 0
    for k in range(n):
        a, b = contacts.name[k, BODY_A], contacts.name[k, BODY_B]
        pair = find_pair(pairs_io, a, b)
        if pair < 0:
            pair, m = m, m + 1
            pairs_io.body[pair, 0], pairs_io.body[pair, 1], pairs_io.last[pair] = a, b, -1
            _let_be_found(pairs_io, pair)
        before_out[k] = pairs_io.last[pair]
        pairs_io.last[pair] = k
    pairs_io.counts[0] = m
    return m


@inner_kernel
def part_pose(bodies, i):
    """Pose of the frame in which a body's part was drawn."""
    X = load_pose(bodies.pose, i)
    return Frame(X.R, sub(X.p, mat_vec(X.R, row(bodies.centre, i))))


@inner_kernel
def put_poses(bodies, a, b, i, pose_out):
    """Note where two bodies are."""
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
def stood_still(bodies, part_a, part_b, pairs, i, limit):
    """Whether the two bodies of a pair are where they were, but for much less than the tolerance."""
    moved = _moved(bodies, pairs.body[i, 0], part_a, pairs.pose, i, 0)
    return moved + _moved(bodies, pairs.body[i, 1], part_b, pairs.pose, i, 7) <= limit
