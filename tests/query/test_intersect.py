"""Intersection: touching, crossing, containing, and all pairs."""

import math

import numpy as np
import pytest

import abut
from abut import Pose
from abut.query.intersection import overlap_kernels
from abut.query.volumes.hierarchy import VOLUMES
from query import naive

BOX = naive.box()
RING, BUMPY = naive.torus(), naive.torus(20, 12, bumps=0.3)


@pytest.mark.parametrize(
    ("position", "meets"),
    [
        pytest.param((1.0, 0, 0), True, id="faces touch"),
        pytest.param((1.0, 0.25, 0.5), True, id="faces overlap in part"),
        pytest.param((1.0, 1.0, 0), True, id="edges touch"),
        pytest.param((1.0, 1.0, 1.0), True, id="corners touch"),
        pytest.param((math.nextafter(1.0, 2.0), 0, 0), False, id="apart by the last bit"),
        pytest.param((1.0, 1.0, math.nextafter(1.0, 2.0)), False, id="corners apart by the last bit"),
        pytest.param((0.5, 0.5, 0.5), True, id="overlap"),
        pytest.param((5.0, 0, 0), False, id="far apart"),
    ],
)
def test_known_answers_of_two_boxes(position, meets):
    found = abut.intersect(BOX, BOX, None, Pose(position))
    assert bool(found) == meets and found.contained == ""
    assert len(found.pairs) == int(meets)


def test_a_part_inside_another_intersects_it():
    small = naive.box((0.5, 0.5, 0.5))
    assert abut.intersect(BOX, small).contained == "b" and abut.intersect(small, BOX).contained == "a"
    assert len(abut.intersect(BOX, small).pairs) == 0 and "inside" in repr(abut.intersect(BOX, small))
    assert not abut.intersect(naive.hollow_box(), small)  # in the cavity
    assert abut.intersect(naive.hollow_box(), small, None, Pose((1.75, 0, 0)))  # through the wall
    assert not abut.intersect(abut.Solid(BOX.vertices, BOX.triangles[1:]), small)  # an open surface means itself


def test_one_piece_of_several_inside_another_part_counts():
    small = naive.box((0.5, 0.5, 0.5))
    vertices = np.concatenate((small.vertices + np.array((5, 0, 0)), small.vertices))
    pair = abut.Solid(vertices, np.concatenate((small.triangles, small.triangles + 8)))
    assert abut.intersect(pair, BOX).contained == "a"
    assert not abut.intersect(pair, BOX, None, Pose((2.5, 0, 0)))


@pytest.mark.parametrize("volume", VOLUMES)
def test_every_pair_is_found_and_no_other(volume, random_pose):
    for _ in range(4):
        X_a, X_b = random_pose(0.5), random_pose(0.8)
        distances = naive.pair_distances(RING, BUMPY, X_a, X_b)
        found = abut.intersect(RING, BUMPY, X_a, X_b, every=True, volume=volume)
        assert {tuple(p) for p in found.pairs.tolist()} == {tuple(p) for p in np.argwhere(distances == 0.0).tolist()}


def test_more_pairs_than_fit_at_once():
    soup = abut.Solid(BOX.vertices, np.tile(BOX.triangles, (20, 1)))
    assert len(abut.intersect(soup, soup, every=True).pairs) == 400 * len(abut.intersect(BOX, BOX, every=True).pairs)


def test_order_does_not_matter(random_pose):
    for _ in range(30):
        X_a, X_b = random_pose(), random_pose(1.5)
        assert bool(abut.intersect(RING, BUMPY, X_a, X_b)) == bool(abut.intersect(BUMPY, RING, X_b, X_a))


def test_spheres_and_half_spaces():
    ball, floor = abut.Sphere(0.5), abut.HalfSpace()
    assert abut.intersect(ball, ball, None, Pose((1.0, 0, 0))) and not abut.intersect(
        ball, ball, None, Pose((1.01, 0, 0))
    )
    assert abut.intersect(floor, ball, None, Pose((0, 0, 0.5))) and not abut.intersect(ball, floor, Pose((0, 0, 0.51)))
    assert abut.intersect(BOX, floor, Pose((0, 0, 0.5))) and not abut.intersect(floor, BOX, None, Pose((0, 0, 0.51)))
    assert len(abut.intersect(BOX, floor, Pose((0, 0, 0.5)), every=True).pairs) == 10  # all but the two of the top
    assert abut.intersect(BOX, ball, None, Pose((0.9, 0, 0)), every=True).pairs[:, 1].tolist() == [0, 0]
    assert abut.intersect(abut.Sphere(0.1), BOX).contained == "a"
    assert abut.intersect(floor, floor) and not abut.intersect(floor, abut.HalfSpace((0, 0, -1), -1.0))


def test_a_box_through_a_wall_is_found_where_only_edges_meet():
    rod = naive.box((0.1, 0.1, 5.0))
    wall = naive.box((5.0, 5.0, 0.1))
    assert abut.intersect(rod, wall) and len(abut.intersect(rod, wall, every=True).pairs) >= 8


@pytest.mark.parametrize(
    ("a", "X", "message"),
    [
        ("ring", None, "a: expected a Solid, Sphere, Capsule or HalfSpace"),
        (BOX, 3, "X_a: expected a Pose or a 4x4 matrix"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(a, X, message):
    with pytest.raises(abut.InputError, match=message):
        abut.intersect(a, BOX, X)


def test_boxes_are_compiled_once_and_the_other_volumes_together_once(compiled_signatures):
    for volume in VOLUMES:
        assert abut.intersect(BOX, RING, volume=volume, every=True)
    assert abut.intersect(BOX, RING)
    assert len(compiled_signatures(overlap_kernels.meet)) == 2
    assert len(compiled_signatures(overlap_kernels.find_meeting)) == 1
