"""Panels of a complete factor, beside the factor taken block by block."""

import numpy as np
import pytest

from abut import Solid
from abut.fem import ElasticBody, TetMesh
from abut.fem.elastic.factor_kernels import apply_factor
from abut.fem.elastic.panel_kernels import apply_panels, fill_panels
from abut.fem.elastic.panels import LEAST_WIDTH, find_panels, panels_of
from abut.fem.elastic.tables import factorise_shifted


@pytest.fixture(scope="module")
def body():
    part = Solid.box((0.1, 0.04, 0.04))
    return ElasticBody(TetMesh.from_solid(part, 0.012), young=1e6, poisson=0.4, density=1000.0, solver="direct")


def test_columns_of_panels_have_the_same_rows_and_all_columns_are_in_one(body):
    pattern = body.pattern
    panels, start, row = find_panels(pattern), pattern.factor_start, pattern.factor_row
    assert panels.first[0] == 0 and panels.first[-1] == len(pattern.order) and (np.diff(panels.first) > 0).all()
    wide = 0
    for p in np.flatnonzero(panels.height > 0):
        first, last = panels.first[p], panels.first[p + 1]
        wide += last - first
        assert last - first >= LEAST_WIDTH and panels.height[p] >= 3 * (start[first + 1] - start[first])
        rows = row[start[first] : start[first + 1]]
        for j in range(first, last):
            np.testing.assert_array_equal(row[start[j] : start[j + 1]], rows[j - first :])
    assert wide > 0.1 * len(pattern.order)


def test_panels_solve_as_the_factor_does_but_for_single_precision(body, rng):
    body.predict(2e-3)
    pattern, matrix = body.pattern, body.matrix
    assert factorise_shifted(tuple(pattern), tuple(matrix))
    fields = panels_of(pattern, matrix.factor, find_panels(pattern))
    panels = find_panels(pattern)._replace(**{word.removeprefix("panel_"): table for word, table in fields.items()})
    exact = np.zeros((len(pattern.order), 4))
    exact[:, :3] = rng.normal(size=(len(exact), 3))
    near = exact.copy()
    apply_factor(pattern, matrix.factor, matrix.pivot, exact)
    apply_panels(pattern, matrix.factor, matrix.pivot, panels, near)
    error = np.abs(near[:, :3] - exact[:, :3]).max() / np.abs(exact[:, :3]).max()
    assert 0.0 < error < 1e-5


def test_panels_hold_the_blocks_of_the_factor(body, rng):
    pattern = body.pattern
    panels, factor = find_panels(pattern), rng.normal(size=(len(pattern.factor_row), 3, 3))
    fill_panels(tuple(pattern), factor, tuple(panels))
    p = int(np.argmax(panels.height))
    first, height, begin = panels.first[p], panels.height[p], panels.start[p]
    column = panels.data[begin : begin + height]
    blocks = factor[pattern.factor_start[first] + 1 : pattern.factor_start[first + 1], 0]
    np.testing.assert_allclose(column[3 : 3 + blocks.size], blocks.ravel(), rtol=1e-6)
    assert not column[:3].any() and not column[3 + blocks.size :].any()


def test_a_body_with_a_factor_at_rest_moves_as_one_solved_exactly():
    part = Solid.box((0.1, 0.04, 0.04))
    mesh, ways = TetMesh.from_solid(part, 0.012), []
    for solver in ("rest", "direct"):
        body = ElasticBody(mesh, young=1e7, poisson=0.4, density=1000.0, solver=solver, tolerance=1e-10)
        body.velocities = np.asarray(mesh.nodes) @ np.array([[0.0, 3.0, 0.0], [-3.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
        for _ in range(5):
            assert body.step(2e-3).converged
        ways.append(body.nodes.copy())
    np.testing.assert_allclose(*ways, atol=1e-9)
