"""Products of blocks with vectors of the processor, beside those of NumPy."""

import numpy as np

from abut._jit import NO_PRODUCTS, QUAD, add_block, dot_block, kernel


@kernel
def multiply_both_ways(blocks, places, x, y_io):
    """Add each block times a row of x to a row of y; sums of the columns times that row."""
    u, v, w = NO_PRODUCTS
    for s in range(places.shape[0]):
        add_block(blocks, s, x[places[s, 0], 0], x[places[s, 0], 1], x[places[s, 0], 2], y_io, places[s, 1])
        u, v, w = dot_block(blocks, s, x, places[s, 1], (u, v, w))
    return u[0] + u[1] + u[2], v[0] + v[1] + v[2], w[0] + w[1] + w[2]


def test_products_are_those_of_columns_and_neighbours_stay(rng):
    room = rng.normal(size=(8, 3, 3))
    blocks, places = room[:-1], rng.integers(0, 5, (7, 2)).astype(np.int32)
    x, y = rng.normal(size=(5, QUAD)), rng.normal(size=(5, QUAD))
    wanted, sums = y.copy(), np.zeros(3)
    for block, (i, j) in zip(blocks, places, strict=True):
        wanted[j, :3] += block.T @ x[i, :3]
        sums += block @ x[j, :3]
    found = multiply_both_ways(blocks, places, x, y)
    np.testing.assert_allclose(y[:, :3], wanted[:, :3], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(found, sums, rtol=1e-13, atol=1e-13)
