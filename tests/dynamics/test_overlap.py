"""A world that starts with overlap is refused, with the pairs and how deep they are in each other."""

import numpy as np
import pytest

from abut import HalfSpace, OverlapError, Pose, Solid, Sphere, World
from abut.dynamics.stepping.overlap import find_overlaps

pytestmark = pytest.mark.needs_jit

PEG = Solid.cylinder(5e-3, 0.012, segments=64).transformed(Pose.from_rotvec((0, 0, 0), (0, 0, np.pi / 64)))
HOLE = Solid.box((0.02, 0.02, 0.01)) - Solid.cylinder(5e-3, 0.03, segments=64)
BOX, OPEN = Solid.box(0.1), Solid(Solid.box(0.1).vertices, Solid.box(0.1).triangles[2:])


@pytest.mark.parametrize(
    ("a", "b", "apart", "depth"),
    [
        pytest.param(BOX, BOX, (0.08, 0, 0), 0.02, id="boxes"),
        pytest.param(BOX, Solid.box(0.02), (0, 0, 0), 0.04, id="one inside the other"),
        pytest.param(BOX, HalfSpace(), (0, 0, -0.03), 0.02, id="box and plane"),
        pytest.param(Sphere(0.05), HalfSpace(), (0, 0, -0.03), 0.02, id="ball and plane"),
        pytest.param(Sphere(0.05), Sphere(0.03), (0, 0.06, 0), 0.02, id="balls"),
        pytest.param(BOX, Sphere(0.05), (0, 0, 0.08), 0.02, id="ball from outside"),
        pytest.param(BOX, Sphere(0.05), (0, 0, 0.04), 0.06, id="ball whose centre is inside"),
        pytest.param(BOX, BOX, (0.1, 0, 0), 0.0, id="touching"),
        pytest.param(OPEN, OPEN, (0.08, 0, 0), np.nan, id="not closed"),
        pytest.param(BOX, BOX, (0, 0, 0), 0.0, id="at the same place"),
        pytest.param(PEG, HOLE, (0, 0, 0), 5e-3 * (1.0 - np.cos(np.pi / 64)), id="a peg in a hole of its diameter"),
    ],
)
def test_depths(a, b, apart, depth):
    for pair in ((("a", a, Pose()), ("b", b, Pose(apart))), (("a", b, Pose(apart)), ("b", a, Pose()))):
        (found,) = find_overlaps([pair])
        assert found.depth == pytest.approx(depth, abs=1e-12, nan_ok=True)


def test_parts_that_are_apart_do_not_overlap():
    assert find_overlaps([(("a", BOX, Pose()), ("b", BOX, Pose((0.1 + 1e-9, 0, 0))))]) == []


@pytest.mark.parametrize(
    ("n", "end"), [(2, r"deep\); move"), (4, "and 1 more pair; move"), (5, "and 5 more pairs; move")]
)
def test_a_world_names_pairs_depths_and_the_remedy(n, end):
    world = World()
    for i in range(n):
        world.add_body(BOX, f"box {i}", pose=Pose((0.01 * i, 0.0, 0.0)))
    with pytest.raises(OverlapError, match=end) as raised:
        world.step()
    assert "'box 0' and 'box 1' (10 mm deep)" in str(raised.value)
    assert "at least 3.46 µm apart" in str(raised.value)
    assert "world.set_pair(a, b, 'ignore')" in str(raised.value)
    assert len(raised.value.overlaps) == n * (n - 1) // 2


@pytest.mark.parametrize(
    ("a", "b", "apart", "words"),
    [
        pytest.param(PEG, HOLE, (0, 0, 0), "'a' and 'b' (6.02 µm deep)", id="a depth in its unit"),
        pytest.param(BOX, BOX, (0.1, 0, 0), "'a' and 'b' (touching)", id="touching"),
        pytest.param(BOX, Solid.box(0.03), (0.02, 0.01, 0.065), "'a' and 'b' (touching)", id="small on large"),
        pytest.param(BOX, BOX, (0, 0, 0), "'a' and 'b' (at the same place)", id="copies"),
        pytest.param(OPEN, OPEN, (0.08, 0, 0), "'a' and 'b'", id="open surfaces"),
    ],
)
def test_what_is_said_of_an_overlap(a, b, apart, words):
    (found,) = find_overlaps([(("a", a, Pose()), ("b", b, Pose(apart)))])
    assert str(found) == words


def test_bodies_that_are_moved_into_each_other_are_refused():
    world = World()
    world.add_body(BOX, "a", fixed=True)
    b = world.add_body(BOX, "b", pose=Pose((0.2, 0.0, 0.0)))
    world.step()
    b.pose = Pose((0.05, 0.0, 0.0))
    with pytest.raises(OverlapError, match=r"'a' and 'b' \(50 mm deep\)"):
        world.step()
