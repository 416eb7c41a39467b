"""How deep parts are in each other: closed forms, then brute force, then what only touches."""

import numpy as np
import pytest

import abut
from abut import Pose, Solid
from abut.query.depth import depth_kernels
from abut.query.depth.depth import depth_of
from abut.query.distance.analytic_kernels import closest_to_point
from abut.query.volumes.hierarchy import hierarchy_of

pytestmark = pytest.mark.needs_jit

BOX = Solid.box(0.1)


def peg_and_hole(n, radius=5e-3):
    peg = Solid.cylinder(radius, 0.012, segments=n)
    return peg, Solid.box((0.02, 0.02, 0.01)) - Solid.cylinder(radius, 0.03, segments=n)


def bounds_hold(found, truth, rel=1e-3, abs=1e-15):
    return (
        found.lower <= truth * (1.0 + 1e-9) + abs
        and truth <= found.upper * (1.0 + 1e-9) + abs
        and (found.upper - found.lower <= rel * found.upper + abs)
    )


@pytest.mark.parametrize(
    ("a", "b", "X", "depth"),
    [
        pytest.param(BOX, BOX, Pose((0.099, 0.01, 0.02)), 1e-3, id="boxes, a millimetre in"),
        pytest.param(BOX, BOX, Pose((0.099, 0, 0)), 1e-3, id="flush boxes"),
        pytest.param(BOX, Solid.box(0.02), Pose(), 0.04, id="a box in a box"),
        pytest.param(BOX, Solid.box((0.3, 0.02, 0.02)), Pose(), 0.04, id="a bar through a box"),
        pytest.param(BOX, BOX, Pose((0.095, 0.095, 0.095)), 5e-3, id="corner in corner"),
        pytest.param(BOX, Solid.cone(0.01, 0.02), Pose((0, 0, 0.069 - 0.02), quat_wxyz=(0, 1, 0, 0)), None, id="a tip"),
    ],
)
def test_known_depths(a, b, X, depth):
    found = depth_of(a, b, Pose(), X)
    if depth is None:
        inside = X.apply(b.vertices)
        inside = inside[abut.contains(a, inside)]
        depth = (0.05 - np.abs(inside).max(axis=1)).max()
    assert bounds_hold(found, depth)
    other = depth_of(b, a, X, Pose())
    assert (other.lower, other.upper) == pytest.approx((found.lower, found.upper), rel=1e-3)


@pytest.mark.parametrize("n", [16, 64])
def test_a_peg_turned_by_half_a_segment_in_a_hole_of_its_diameter(n):
    """Its corners stand in the middle of the hole's facets: vertices alone would tell, but only where rims coincide."""
    peg, hole = peg_and_hole(n)
    found = depth_of(peg, hole, Pose.from_rotvec((0, 0, 0), (0, 0, np.pi / n)), Pose())
    assert bounds_hold(found, 5e-3 * (1.0 - np.cos(np.pi / n)))
    assert found.of == "a" and np.hypot(*found.point[:2]) == pytest.approx(5e-3, rel=1e-9)


def sampled_depth(a, b, X_a, X_b, rng, n=40000):
    """The deepest of random points of A's surface in B."""
    corners = X_b.inverse().apply(X_a.apply(a.vertices))[a.triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    low, high = b.bounds
    near = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
    if not near.any():
        return 0.0
    chosen = rng.choice(len(area), n, p=area * near / (area * near).sum())
    weights = rng.dirichlet((0.5, 0.5, 0.5), n)
    points = np.einsum("ij,ijk->ik", weights, corners[chosen])
    points = points[((points > low) & (points < high)).all(axis=1)]
    points = points[abut.contains(b, points)]
    tree, deepest = hierarchy_of(b), 0.0
    for p in points[:: max(1, len(points) // 8000)]:
        _, distance, _, _ = closest_to_point(tuple(p.tolist()), *tree.tables, tree.depth)
        deepest = max(deepest, distance)
    return deepest


def placed_parts(rng):
    parts = [
        Solid.box((0.03, 0.05, 0.02)),
        Solid.sphere(0.02, subdivisions=2),
        Solid.torus(0.02, 0.007),
        peg_and_hole(16, 5e-3)[1],
        Solid.cone(0.02, 0.03),
    ]
    for _ in range(14):
        i, j = rng.integers(len(parts), size=2)
        yield parts[i], parts[j], *(Pose(0.012 * rng.normal(size=3), quat_wxyz=rng.normal(size=4)) for _ in "ab")


def test_no_sampled_point_is_deeper_and_some_are_almost_as_deep(rng):
    for a, b, X_a, X_b in placed_parts(rng):
        found = depth_of(a, b, X_a, X_b)
        sampled = max(sampled_depth(a, b, X_a, X_b, rng), sampled_depth(b, a, X_b, X_a, rng))
        assert sampled <= found.upper * (1.0 + 1e-9) + 1e-15
        assert sampled >= 0.9 * found.lower - 2e-4
        inside = abut.contains(b if found.of == "a" else a, found.point[None], X_b if found.of == "a" else X_a)
        assert found.lower == 0.0 or inside.all()


def test_a_nut_pushed_along_its_axis_160_micrometres_past_touching(rng):
    bolt, nut = abut.parts.hex_bolt(), abut.parts.hex_nut()
    low, high = 0.0125, 0.0145
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if abut.intersect(bolt, nut, None, Pose((0, 0, middle))) else (middle, high)
    X = Pose((0, 0, low + 160e-6))
    found = abut.intersect(bolt, nut, None, X)
    sampled = max(sampled_depth(bolt, nut, Pose(), X, rng), sampled_depth(nut, bolt, X, Pose(), rng))
    assert sampled <= found.depth_upper and found.depth == pytest.approx(sampled, rel=0.02)
    assert 130e-6 < found.depth < 160e-6, "the flanks of the thread stand at 30 degrees"


@pytest.mark.parametrize(
    ("a", "b", "X"),
    [
        pytest.param(BOX, BOX, Pose((0.1, 0, 0)), id="faces"),
        pytest.param(BOX, BOX, Pose((0.1, 0.03, 0.02)), id="parts of faces"),
        pytest.param(BOX, Solid.box(0.03), Pose((0.01, 0.02, 0.065)), id="small on large"),
        pytest.param(BOX, BOX, Pose((0.1, 0.1, 0)), id="edges"),
        pytest.param(BOX, BOX, Pose((0.1, 0.1, 0.1)), id="corners"),
        pytest.param(*peg_and_hole(64), Pose(), id="every facet of a peg on one of its hole"),
        pytest.param(*peg_and_hole(64), Pose((0, 0, 1e-3)), id="and elsewhere along the axis"),
    ],
)
def test_what_only_touches_has_no_depth(a, b, X):
    found = depth_of(a, b, Pose(), X)
    assert found.nothing and found.lower <= 1e-16 and abut.intersect(a, b, None, X)


def test_intersect_knows_the_depth():
    assert abut.intersect(BOX, BOX, None, Pose((0.099, 0.01, 0.02))).depth == pytest.approx(1e-3, rel=1e-9)
    apart = abut.intersect(BOX, BOX, None, Pose((0.2, 0, 0)))
    assert not apart and apart.depth == apart.depth_upper == 0.0
    ball = abut.intersect(abut.Sphere(0.05), abut.HalfSpace(), Pose((0, 0, 0.03)))
    assert ball.depth == pytest.approx(0.02) == ball.depth_upper


def test_an_open_surface_can_lie_in_a_part_but_nothing_lies_in_it():
    lid = Solid(BOX.vertices, BOX.triangles[:-1])
    inner = Solid.box(0.02)
    assert depth_of(lid, inner, Pose(), Pose()).lower == 0.0
    assert np.isnan(depth_of(lid, lid, Pose(), Pose()).lower)
    assert depth_of(BOX, Solid(inner.vertices, inner.triangles[:-1]), Pose(), Pose()).lower == pytest.approx(0.04)


def test_depth_is_the_same_wherever_both_parts_stand(random_pose):
    peg, hole = peg_and_hole(16)
    X = Pose.from_rotvec((1e-5, 0, 1e-3), (0.001, 0, 0.1))
    one = depth_of(peg, hole, X, Pose())
    for _ in range(3):
        M = random_pose()
        other = depth_of(peg, hole, M @ X, M)
        assert other.lower == pytest.approx(one.lower, rel=2e-3) and other.upper == pytest.approx(one.upper, rel=2e-3)


def test_it_is_compiled_once(compiled_signatures):
    box = Solid.box(0.02)
    sheet = Solid(box.vertices, box.triangles[1:])
    for a, b in ((sheet, box), (box, sheet), (box, box)):
        depth_of(a, b, Pose((0.015, 0, 0)), Pose())
    assert len(compiled_signatures(depth_kernels.reach)) == 1
    assert len(compiled_signatures(depth_kernels.reach_of_triangles)) == 1


def test_bounds_agree_where_thousands_of_small_triangles_meet_long_ones():
    """Corners of the common surface have no depth, and halves of a piece had larger bounds than it: up to 1 mm."""
    rings = [(5e-3, z) for z in np.linspace(-0.01, 0.01, 60)]
    finely = Solid.revolve([(0.0, -0.01), *rings, (0.0, 0.01)], segments=96)
    hole = Solid.revolve([(5e-3, -8e-3), (0.02, -8e-3), (0.02, 8e-3), (5e-3, 8e-3)], segments=64)
    turned = Pose.from_rotvec((0, 0, 0), (0, 0, 0.01))
    found = [depth_of(finely, hole, turned, Pose(), pieces=n) for n in (300, 1000, 3000)]
    assert found[0].upper >= found[1].upper >= found[2].upper >= found[2].lower > 4e-6
    assert found[2].upper < 1.2 * found[2].lower
