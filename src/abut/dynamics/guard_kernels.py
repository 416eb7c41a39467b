"""Which pairs of bodies have to be looked at again after their motions have changed."""

from .._jit import kernel


@kernel
def choose_pairs(motion, pairs, due, seen, chosen_out):
    """Choose the pairs with a body that is due or moves otherwise than when it was last seen; see all motions.

    `seen` (n, 6) are displacements and rotation vectors.
    """
    for i in range(seen.shape[0]):
        for k in range(6):
            if motion[i, 12 + k] != seen[i, k]:
                due[i] = True
                seen[i, k] = motion[i, 12 + k]
    for k in range(pairs.shape[0]):
        chosen_out[k] = due[pairs[k, 0]] or due[pairs[k, 1]]


@kernel
def mark_bodies(pairs, pair_of_hit, n, due_out):
    """Let the bodies of n hits, and no others, be due."""
    due_out[:] = False
    for h in range(n):
        due_out[pairs[pair_of_hit[h], 0]] = True
        due_out[pairs[pair_of_hit[h], 1]] = True
