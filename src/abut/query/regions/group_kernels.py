"""Pairs of features that are close to each other, found by a key, and what is known of each."""

import numpy as np

from ..._jit import inner_kernel, lean_kernel

VERTEX, EDGE, FACE, TAKEN = 0, 1, 2, 3
"""Kinds of features; the last marks pairs of faces that were looked at."""

GROUPS, ELEMENTS, CORNERS, FULL, SUSPECT = 0, 1, 2, 3, 4
"""Columns of Groups.counts: how many there are, whether there was too little room, whether there are signs of
overlap."""

KIND_A, ID_A, KIND_B, ID_B, SLOT = 0, 1, 2, 3, 4
"""Columns of Groups.name."""

FATE, LAST = 0, 1
"""Columns of Groups.state."""

OPEN, RESOLVED, COVERED, SMALL = 0, 1, 2, 3
"""What becomes of a group: a region, nothing beside a lower feature, the border of a larger one, or nothing."""

_ID, _LOW = 1 << 29, (1 << 31) - 1
_KINDS = 3


@inner_kernel
def key_of(kind_a, id_a, kind_b, id_b):
    """One number for a pair of features."""
    return ((np.int64(kind_a) * _KINDS + kind_b) * _ID + id_a) * _ID + id_b


@inner_kernel
def key_either_way(flip, kind, id, other_kind, other_id):
    """`key_of` where the first feature is that of B if `flip`."""
    if flip:
        return key_of(other_kind, other_id, kind, id)
    return key_of(kind, id, other_kind, other_id)


@lean_kernel
def find_key(keys, key):
    """Place of a key among rising ones, -1 where it is not."""
    low, high = 0, keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


@inner_kernel
def _slot_of(key, n_slot):
    mixed = ((key ^ (key >> 27)) & _LOW) * 73856093
    return (mixed ^ (mixed >> 15)) & (n_slot - 1)


@lean_kernel
def clear_groups(groups_io):
    """Begin anew."""
    for i in range(groups_io.counts[GROUPS]):
        groups_io.slots[groups_io.name[i, SLOT]] = 0
    for k in range(groups_io.counts.shape[0]):
        groups_io.counts[k] = 0


@lean_kernel
def find_group(groups, key):
    """Number of the group of a key, -1 where there is none."""
    slot = _slot_of(key, groups.slots.shape[0])
    while groups.slots[slot] != 0:
        group = groups.slots[slot] - 1
        if groups.key[group] == key:
            return group
        slot = (slot + 1) & (groups.slots.shape[0] - 1)
    return -1


@lean_kernel
def group_of(groups_io, kind_a, id_a, kind_b, id_b):
    """Number of the group of a pair of features, which is made if there is none."""
    key = key_of(kind_a, id_a, kind_b, id_b)
    slot = _slot_of(key, groups_io.slots.shape[0])
    while groups_io.slots[slot] != 0:
        group = groups_io.slots[slot] - 1
        if groups_io.key[group] == key:
            return group
        slot = (slot + 1) & (groups_io.slots.shape[0] - 1)
    group = groups_io.counts[GROUPS]
    if group == groups_io.key.shape[0]:
        groups_io.counts[FULL] = 1
        return group - 1
    groups_io.counts[GROUPS] = group + 1
    groups_io.slots[slot] = group + 1
    groups_io.key[group] = key
    name = (kind_a, id_a, kind_b, id_b, slot)
    for k in range(5):
        groups_io.name[group, k] = name[k]
    groups_io.state[group, FATE], groups_io.state[group, LAST] = OPEN, -1
    groups_io.near[group, 0] = 1e300
    return group


@lean_kernel
def add_element(groups_io, group, first, n):
    """Append an element to a group; returns its number."""
    element = groups_io.counts[ELEMENTS]
    if element == groups_io.element.shape[0]:
        groups_io.counts[FULL] = 1
        return element - 1
    groups_io.counts[ELEMENTS] = element + 1
    groups_io.element[element, 0] = groups_io.state[group, LAST]
    groups_io.element[element, 1], groups_io.element[element, 2] = first, n
    groups_io.state[group, LAST] = element
    return element


@lean_kernel
def add_span(groups_io, group, triangle, span, other):
    """Append an interval to a group: (low, high) on its edge, and on the edge of B where both are edges.

    `triangle` is the one of its face over which it lies, -1 for none.
    """
    element = add_element(groups_io, group, triangle, 0)
    groups_io.span[element, 0], groups_io.span[element, 1] = span
    groups_io.span[element, 2], groups_io.span[element, 3] = other


@inner_kernel
def note_nearest(groups_io, group, flip, p, q, gap):
    """Keep the points p of one part and q of the other if they are nearer to touching than those before."""
    if gap >= groups_io.near[group, 0]:
        return
    groups_io.near[group, 0] = gap
    first, second = (4, 1) if flip else (1, 4)
    for k in range(3):
        groups_io.near[group, first + k] = p[k]
        groups_io.near[group, second + k] = q[k]
