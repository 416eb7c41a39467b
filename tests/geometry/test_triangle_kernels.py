"""Closest points of segments and triangles: known answers, brute force, degenerate shapes."""

import numpy as np
import pytest

from abut.geometry.triangles import triangle_kernels as kernels

A, B, C = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("p", "closest", "region"),
    [
        pytest.param((0.2, 0.3, 2.0), (0.2, 0.3, 0.0), 6, id="above the face"),
        pytest.param((0.2, 0.3, 0.0), (0.2, 0.3, 0.0), 6, id="in the face"),
        pytest.param((-1.0, -2.0, 1.0), A, 0, id="before a"),
        pytest.param((3.0, -1.0, 1.0), B, 1, id="past b"),
        pytest.param((-1.0, 3.0, 0.0), C, 2, id="past c"),
        pytest.param((0.4, -2.0, 1.0), (0.4, 0.0, 0.0), 3, id="beside ab"),
        pytest.param((1.0, 1.0, -1.0), (0.5, 0.5, 0.0), 4, id="beside bc"),
        pytest.param((-2.0, 0.4, 1.0), (0.0, 0.4, 0.0), 5, id="beside ca"),
    ],
)
def test_closest_point_of_a_triangle_and_its_region(p, closest, region):
    q, found = kernels.closest_point_triangle(p, A, B, C)
    assert q == pytest.approx(closest, abs=1e-15) and found == region


@pytest.mark.parametrize(
    ("b0", "b1", "s", "t"),
    [
        pytest.param((0.5, -1.0, 1.0), (0.5, 1.0, 1.0), 0.5, 0.5, id="crossing"),
        pytest.param((2.0, -1.0, 1.0), (2.0, 1.0, 1.0), 1.0, 0.5, id="past the end of a"),
        pytest.param((0.25, 3.0, 1.0), (0.25, 1.0, 1.0), 0.25, 1.0, id="before b crosses"),
        pytest.param((5.0, 1.0, 0.0), (6.0, 1.0, 0.0), 1.0, 0.0, id="parallel, one after the other"),
        pytest.param((6.0, 1.0, 0.0), (5.0, 1.0, 0.0), 1.0, 1.0, id="antiparallel, one after the other"),
        pytest.param((0.5, 1.0, 0.0), (0.5, 1.0, 0.0), 0.5, 0.0, id="b is a point"),
    ],
)
def test_closest_points_of_segments(b0, b1, s, t):
    found = kernels.closest_segment_segment(A, B, b0, b1)
    assert found[2:] == pytest.approx((s, t))
    assert found[0] == pytest.approx((s, 0.0, 0.0))
    assert found[1] == pytest.approx(tuple(np.array(b0) + t * np.subtract(b1, b0)))


def triangle_samples(n=40):
    u, v = (g.ravel() for g in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n)))
    inside = u + v <= 1.0
    return np.stack((1 - u - v, u, v), axis=1)[inside]


@pytest.mark.parametrize("thickness", [1.0, 1e-3, 1e-9, 0.0])
def test_no_sampled_point_of_a_triangle_is_closer(rng, thickness):
    """Oracle: samples of the triangle never beat the answer; thin triangles included."""
    weights = triangle_samples()
    for _ in range(100):
        a, b, p = rng.normal(size=(3, 3))
        c = a + rng.uniform(-0.5, 1.5) * (b - a) + thickness * rng.normal(size=3)
        q, region = kernels.closest_point_triangle(tuple(p), tuple(a), tuple(b), tuple(c))
        sampled = np.linalg.norm(weights @ np.array([a, b, c]) - p, axis=1).min()
        assert np.linalg.norm(p - q) <= sampled + 1e-14
        assert sampled - np.linalg.norm(p - q) < 0.2
        if region < 3:
            assert q == tuple((a, b, c)[region])


@pytest.mark.parametrize("angle", [1.0, 1e-4, 1e-8, 1e-12, 1e-15, 0.0])
def test_distance_of_nearly_parallel_segments_keeps_all_digits(rng, angle):
    """Segments built around a known pair of closest points a distance h apart, at any angle to each other."""
    for h in (1.0, 1e-6, 0.0):
        x, y = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
        z = np.cross(x, y)
        direction = np.cos(angle) * x + np.sin(angle) * y
        s0, s1, t0, t1 = rng.uniform(0.2, 1.0, 4)
        ends = (-s0 * x, s1 * x, h * z - t0 * direction, h * z + t1 * direction)
        p_a, p_b, _, _ = kernels.closest_segment_segment(*(tuple(e) for e in ends))
        assert np.linalg.norm(np.subtract(p_a, p_b)) == pytest.approx(h, abs=1e-15 * 4)


def test_no_sampled_pair_of_points_is_closer(rng):
    s = np.linspace(0, 1, 60)[:, None]
    for _ in range(200):
        a0, a1, b0, b1 = rng.normal(size=(4, 3)) * rng.choice([1.0, 0.01, 0.0], size=(4, 1))
        p_a, p_b, _, _ = kernels.closest_segment_segment(tuple(a0), tuple(a1), tuple(b0), tuple(b1))
        a, b = a0 + s * (a1 - a0), b0 + s * (b1 - b0)
        sampled = np.linalg.norm(a[:, None] - b[None], axis=2).min()
        assert np.linalg.norm(np.subtract(p_a, p_b)) <= sampled + 1e-14


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-200, 1e-60, 1e60])
def test_a_triangle_shrunk_to_a_point_or_blown_up_gives_finite_answers(size):
    q, _ = kernels.closest_point_triangle((0.0, 3.0 * size, 4.0), A, (size, 0.0, 0.0), (0.0, size, 0.0))
    assert q == pytest.approx((0.0, size, 0.0))
    p_a, p_b, s, t = kernels.closest_segment_segment(A, (size, 0.0, 0.0), A, (0.0, size, 0.0))
    assert p_a == p_b == A and np.isfinite((s, t)).all()
