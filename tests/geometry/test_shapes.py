"""What every shape answers, and the closed forms of capsules."""

import pickle

import numpy as np
import pytest

import abut
from abut import Capsule, HalfSpace, Solid, Sphere
from abut.geometry import FORMULAS, Shape, size_of
from geometry.capsules import circumscribed, inscribed

EVERY = [Solid.box(1.0), Sphere(0.5), Capsule(0.2, 0.7), HalfSpace((0.0, 1.0, 0.0), 0.3)]
BOUNDED = EVERY[:3]


@pytest.mark.parametrize("shape", EVERY, ids=lambda shape: shape.kind)
def test_every_shape_answers_what_is_asked_of_shapes(shape):
    assert isinstance(shape, Shape) and shape.closed
    assert (shape.kind, shape.polyhedral, shape.bounded) == (shape.kind, shape is EVERY[0], shape is not EVERY[3])
    assert shape.bounds.shape == (2, 3) and shape.reach >= shape.core_ball[1] and shape.margin >= 0.0
    assert np.isfinite(size_of(shape)) == shape.bounded and shape.identity == shape.identity


@pytest.mark.parametrize("shape", EVERY[1:], ids=lambda shape: shape.kind)
def test_a_formula_is_made_again_from_its_words(shape):
    again = FORMULAS[shape.kind](**shape.words)
    assert type(again) is type(shape) and again.identity == shape.identity == pickle.loads(pickle.dumps(shape)).identity


def test_shapes_that_differ_have_another_identity():
    shapes = [Sphere(0.5), Sphere(0.6), Capsule(0.5, 0.6), Capsule(0.6, 0.5), HalfSpace(), HalfSpace(offset=0.1)]
    assert len({shape.identity for shape in shapes}) == len(shapes)


@pytest.mark.parametrize("shape", BOUNDED, ids=lambda shape: shape.kind)
def test_cores_margins_and_bounds_agree(shape, rng):
    """The support of a shape is that of its core and its margin; nothing reaches beyond its bounds and its reach."""
    corners = shape.vertices if shape.polyhedral else shape.ends
    n = rng.normal(size=(500, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    farthest = corners[(n @ corners.T).argmax(axis=1)] + shape.margin * n
    low, high = shape.bounds
    assert (farthest >= low - 1e-15).all() and (farthest <= high + 1e-15).all()
    assert np.linalg.norm(farthest, axis=1).max() <= shape.reach * (1.0 + 1e-15)
    assert abut.contains(shape, (1.0 - 1e-9) * farthest).all()
    centre, radius = shape.core_ball
    assert np.linalg.norm(corners - centre, axis=1).max() <= radius * (1.0 + 1e-12)


@pytest.mark.parametrize(("radius", "length"), [(0.1, 0.4), (1.0, 0.01), (0.02, 3.0)])
def test_mass_of_a_capsule_lies_between_those_of_polyhedra_in_it_and_around_it(radius, length):
    capsule = Capsule(radius, length)
    inner, outer = inscribed(capsule), circumscribed(capsule)
    assert inner.volume < capsule.volume < outer.volume
    moments = [np.diag(shape.inertia) for shape in (inner, capsule, outer)]
    assert (moments[0] < moments[1]).all() and (moments[1] < moments[2]).all()
    assert moments[0] == pytest.approx(moments[1], rel=0.02) and capsule.volume == pytest.approx(inner.volume, rel=0.01)


def test_inertia_of_a_capsule_by_integration_over_its_slices():
    """Disks of radius rho(z) have the moments rho^2 / 2 about the axis and rho^2 / 4 + z^2 across it, per mass."""
    capsule = Capsule(0.3, 0.8)
    node, weight = np.polynomial.legendre.leggauss(60)
    total = np.zeros(3)
    for low, high in ((-0.7, -0.4), (-0.4, 0.4), (0.4, 0.7)):
        z = 0.5 * (high - low) * node + 0.5 * (high + low)
        rho2 = 0.3**2 - np.maximum(np.abs(z) - 0.4, 0.0) ** 2
        slices = 0.5 * (high - low) * weight * np.pi * rho2
        total += [slices.sum(), (slices * 0.5 * rho2).sum(), (slices * (0.25 * rho2 + z**2)).sum()]
    assert total[0] == pytest.approx(capsule.volume, rel=1e-14)
    assert np.diag(capsule.inertia) == pytest.approx([total[2], total[2], total[1]], rel=1e-14)


def test_a_short_capsule_is_nearly_a_ball_and_a_thin_one_nearly_a_rod():
    ball, short = Sphere(0.5), Capsule(0.5, 1e-9)
    assert short.volume == pytest.approx(ball.volume) and short.inertia == pytest.approx(ball.inertia)
    rod = Capsule(1e-6, 2.0)
    assert rod.inertia[0, 0] / rod.volume == pytest.approx(2.0**2 / 12.0, rel=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Capsule(0.0, 1.0), "radius: expected a number greater than 0, got 0"),
        (lambda: Capsule(1.0, 0.0), "length: expected a number greater than 0, got 0"),
        (lambda: Capsule(1.0, np.nan), "length: expected a finite number"),
        (lambda: HalfSpace().inertia, "shape: a half_space has no mass"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(make, message):
    with pytest.raises(abut.InputError, match=message):
        make()
