"""Friction and restitution of pairs of bodies."""

from math import isnan, sqrt

from ..._jit import kernel
from .contact_tables import PairTable


@kernel
def _combined(a, b, default):
    """What two bodies give together: the geometric mean, the one that is known, or the world's number."""
    if isnan(a):
        return default if isnan(b) else b
    return a if isnan(b) else sqrt(a * b)


@kernel
def pair_value(a, b, of_body, default, pairs, of_pair):
    """Friction or restitution of two bodies; nan in `of_body` means not given, `pairs` overrule bodies."""
    value = _combined(of_body[a], of_body[b], default)
    for i in range(pairs.shape[0]):
        if min(a, b) == pairs[i, 0] and max(a, b) == pairs[i, 1] and not isnan(of_pair[i]):
            value = of_pair[i]
    return value


@kernel
def pair_values(name, n, table, value_out):
    """The same of n contacts."""
    table = PairTable(*table)
    for k in range(n):
        value_out[k] = pair_value(name[k, 0], name[k, 1], table.of_body, table.default, table.pairs, table.of_pair)
