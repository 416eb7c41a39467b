"""How nodes answer to impulses by a complete factor of the matrix of a step, beside conjugate gradients."""

import numpy as np
import pytest

from abut.fem import ElasticBody, TetMesh
from abut.fem.elastic.exact_answers import ExactAnswers

pytestmark = pytest.mark.needs_jit

THETA = 0.7


@pytest.fixture(scope="module")
def body():
    """A bent bar in a step of 10 ms, held at an end."""
    x, y, z = np.meshgrid(np.linspace(0, 0.4, 9), np.linspace(0, 0.1, 3), np.linspace(0, 0.1, 3), indexing="ij")
    nodes = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    corner = np.arange(len(nodes)).reshape(x.shape)
    cubes = [corner[i : i + 2, j : j + 2, k : k + 2].ravel() for i in range(8) for j in range(2) for k in range(2)]
    cuts = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))
    mesh = TetMesh(nodes, [[cube[c] for c in cut] for cube in cubes for cut in cuts], repair=True)
    held = np.flatnonzero(nodes[:, 0] == 0.0)
    made = ElasticBody(mesh, young=1e5, poisson=0.3, density=1e3, fixed_nodes=held)
    bent = nodes.copy()
    bent[:, 2] += 0.8 * nodes[:, 0] ** 2
    made.nodes = bent
    made.predict(1e-2, theta=THETA)
    return made


@pytest.fixture(scope="module")
def answers(body):
    exact, held = ExactAnswers(body), np.zeros(len(body.masses), np.int32)
    assert exact.factorise(body)
    held[body.fixed_nodes] = 1
    return exact.in_step(THETA, held)


def test_nodes_answer_as_the_matrix_of_the_step_says(body, answers, rng):
    impulses = rng.normal(size=(len(body.masses), 3))
    found, expected = answers.respond(impulses), body.respond(impulses, tolerance=1e-12)
    assert np.allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    assert not found[body.fixed_nodes].any()


def test_the_matrix_of_some_nodes_is_part_of_the_whole_inverse(body, answers, rng):
    """Also where nodes come later than others, and where more come than are looked at side by side."""
    nodes = rng.permutation(len(body.masses))[:50].astype(np.int32)
    square = np.full((150, 150), np.nan)
    for begin, end in ((0, 7), (7, 44), (44, 50)):
        answers.fill(nodes[:end], begin, square)
    assert np.isfinite(square).all()
    assert np.allclose(square, square.T, rtol=0.0, atol=1e-12 * square.max())
    impulses = np.zeros((len(body.masses), 3))
    impulses[nodes] = rng.normal(size=(50, 3))
    expected = answers.respond(impulses)[nodes].ravel()
    assert np.allclose(square @ impulses[nodes].ravel(), expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
