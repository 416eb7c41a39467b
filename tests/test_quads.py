"""Products of blocks with vectors of the processor, beside those of NumPy."""

import numpy as np

from abut._jit import NO_PRODUCTS, QUAD, add_block, dot_block, dot_columns, kernel, put_less, subtract_columns


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


@kernel
def put_rest(number, table, rows_out):
    """Write three numbers less sums of products to each row."""
    for r in range(rows_out.shape[0]):
        products = dot_block(table, r, rows_out, r, NO_PRODUCTS)
        put_less(number[0], number[1], number[2], products, rows_out, r)


def test_rows_are_written_less_the_sums_of_products(rng):
    room, rows, number = rng.normal(size=(6, 3, 3)), rng.normal(size=(5, QUAD)), rng.normal(size=3)
    wanted = number - np.einsum("rck,rk->rc", room[:-1], rows[:, :3])
    put_rest(number, room[:-1], rows)
    np.testing.assert_allclose(rows[:, :3], wanted, rtol=1e-13, atol=1e-13)


@kernel
def solve_columns(data, height, factors, rows_io, first):
    """Subtract three columns from a vector, from one row on, and multiply them with what comes out."""
    subtract_columns(data, 0, height, (factors[0], factors[1], factors[2]), rows_io, first, height)
    return dot_columns(data, 0, height, rows_io, first, height)


def test_columns_of_single_precision_times_numbers(rng):
    height, first = 40, 16
    data, factors, rows = rng.normal(size=3 * height).astype(np.float32), rng.normal(size=3), rng.normal(size=height)
    columns, wanted = data.reshape(3, height).astype(np.float64), rows.copy()
    wanted[first:] -= (factors @ columns)[first:]
    found = solve_columns(data, height, factors, rows, first)
    np.testing.assert_allclose(rows, wanted, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(found, columns[:, first:] @ wanted[first:], rtol=1e-12, atol=1e-12)
