"""Contact regions: which there are, how large they are, which way they face, and that they stay what they are."""

from functools import reduce
from itertools import combinations, product
from math import cos, pi, radians
from operator import or_

import numpy as np
import pytest
from manifold3d import CrossSection, FillRule

import abut
from abut import Feature, InputError, Pose, Solid, contact_regions
from abut.query import classify_points
from query.touching import block, box_between, figure_3, ridge, tip

TURNED = Pose.from_rotvec((0, 0, 0), (0, 0, 0.7))
BELOW = {"vertex": tip, "edge": ridge, "face": lambda up=True: block(up, 0.06)}
DIMS = {("edge", "edge"): 1, ("edge", "face"): 1, ("face", "edge"): 1, ("face", "face"): 2}


def pairs_of(regions):
    return sorted((r.dim, r.feature_a.kind, r.feature_b.kind) for r in regions)


@pytest.mark.parametrize("turn", [Pose(), TURNED], ids=["along", "turned"])
@pytest.mark.parametrize("kinds", list(product(BELOW, BELOW)), ids=lambda k: "-".join(k))
def test_all_nine_pairs_of_features(kinds, turn):
    lower, upper = BELOW[kinds[0]](), BELOW[kinds[1]](False)
    (region,) = contact_regions(lower, upper, X_b=turn)
    crossed = kinds == ("edge", "edge") and turn is TURNED
    assert (region.dim, region.feature_a.kind, region.feature_b.kind) == (
        0 if crossed else DIMS.get(kinds, 0),
        *kinds,
    )
    np.testing.assert_allclose(region.normal, (0, 0, 1), atol=1e-9)
    assert len(region.points_a) == len(region.points_b) >= region.dim + 1
    assert np.abs(region.points_a - region.points_b).max() < 1e-9


@pytest.mark.parametrize("kinds", list(product(BELOW, BELOW)), ids=lambda k: "-".join(k))
def test_regions_do_not_depend_on_the_frame_or_the_order(kinds, random_pose):
    lower, upper = BELOW[kinds[0]](), BELOW[kinds[1]](False)
    (straight,), X = contact_regions(lower, upper), random_pose()
    (moved,) = contact_regions(lower, upper, X, X)
    (swapped,) = contact_regions(upper, lower, X, X)
    assert (moved.feature_a, moved.feature_b) == (straight.feature_a, straight.feature_b)
    assert (swapped.feature_a, swapped.feature_b) == (straight.feature_b, straight.feature_a)
    np.testing.assert_allclose(moved.normal, X.rotation @ straight.normal, atol=1e-6)
    np.testing.assert_allclose(swapped.normal, -moved.normal, atol=1e-6)
    for size in ("area", "length"):
        assert getattr(moved, size) == pytest.approx(getattr(straight, size), abs=1e-9)
        assert getattr(swapped, size) == pytest.approx(getattr(straight, size), abs=1e-9)


# The paper's figure 3 ------------------------------------------------------------------------------------------------


def test_three_regions_out_of_sixteen_pairs_that_meet():
    a, b = figure_3()
    regions = contact_regions(a, b)
    assert pairs_of(regions) == [(0, "vertex", "edge"), (1, "edge", "edge"), (2, "face", "face")]
    surface, line, point = regions
    assert surface.area == pytest.approx(3e-4) and line.length == pytest.approx(0.01)
    np.testing.assert_allclose(surface.normal, (0, 0, -1), atol=1e-12)
    np.testing.assert_allclose(line.normal, (-(0.5**0.5), -(0.5**0.5), 0), atol=1e-9)
    np.testing.assert_allclose(point.normal, (0, 0, -1), atol=1e-9)
    assert count_meeting(a, b) == 16
    # Figure 12: the contact points; of the surface, which is not convex, those of its hull.
    assert [len(region.points_a) for region in regions] == [5, 2, 1]
    corners = [(0, 0, 0), (0.02, 0, 0), (0.02, 0.01, 0), (0.01, 0.02, 0), (0, 0.02, 0)]
    np.testing.assert_allclose(sorted(surface.points_a.tolist()), sorted(corners), atol=1e-9)
    np.testing.assert_allclose(sorted(line.points_a.tolist()), [(0, 0, 0), (0, 0, 0.01)], atol=1e-9)
    np.testing.assert_allclose(point.points_a, [(0.045, 0.005, 0.005)], atol=1e-9)
    for region in regions:
        np.testing.assert_allclose(region.points_b, region.points_a, atol=1e-9)


def count_meeting(a, b, near=1e-9):
    """Pairs of open vertices, edges and faces that have a point in common, by trying the points that matter."""
    points = np.concatenate([_spots(a, b), _spots(b, a), _middles(a, b), _middles(b, a)])
    found = {(_entity(a, p, near), _entity(b, p, near)) for p in points}
    return len({pair for pair in found if None not in pair})


def _spots(a, b):
    """Vertices of a, and where its edges come nearest to those of b."""
    return np.concatenate([a.vertices, *(_crossings(e, b) for e in _segments(a))])


def _segments(part):
    edges = part.edges.vertices[part.edges.kind != abut.EdgeKind.FLAT]
    return part.vertices[edges]


def _crossings(segment, b):
    from abut.geometry.triangles.triangle_kernels import closest_segment_segment

    found = [closest_segment_segment(*map(tuple, segment), *map(tuple, other))[0] for other in _segments(b)]
    return np.array(found)


def _middles(a, b):
    """Middles of the pieces into which all those points cut the edges of a, and of triples of these in faces."""
    cuts = []
    for segment in _segments(a):
        at = np.linalg.norm(np.concatenate([segment, _crossings(segment, b)]) - segment[0], axis=1)
        at = np.unique(np.round(at, 12))
        way = (segment[1] - segment[0]) / np.linalg.norm(segment[1] - segment[0])
        cuts.append(segment[0] + 0.5 * (at[1:] + at[:-1])[:, None] * way)
    cuts = np.concatenate(cuts)
    return np.concatenate([cuts, 0.5 * (cuts[:, None] + cuts[None]).reshape(-1, 3)])


def _entity(part, p, near):
    """The vertex, edge or face in whose interior a point lies."""
    apart = np.linalg.norm(part.vertices - p, axis=1)
    if apart.min() < near:
        return "vertex", int(apart.argmin())
    ends = part.vertices[part.edges.vertices]
    way = ends[:, 1] - ends[:, 0]
    s = np.clip(((p - ends[:, 0]) * way).sum(axis=1) / (way**2).sum(axis=1), 0, 1)
    apart = np.linalg.norm(ends[:, 0] + s[:, None] * way - p, axis=1)
    apart[part.edges.kind == abut.EdgeKind.FLAT] = np.inf
    if apart.min() < near:
        return "edge", int(apart.argmin())
    found = abut.distance(part, abut.Sphere(1e-12), X_b=Pose(p))
    return ("face", found.feature_a.index) if found.distance < near and found.feature_a.kind == "face" else None


# Areas and outlines --------------------------------------------------------------------------------------------------


def star(rng, corners, radius):
    """A plane polygon that is not convex."""
    angles = (np.arange(corners) + rng.uniform(0.1, 0.9, corners)) * (2 * pi / corners)
    return np.column_stack((np.cos(angles), np.sin(angles))) * (radius * rng.uniform(0.3, 1.0, corners))[:, None]


def test_areas_are_those_of_another_library(rng, random_pose, times):
    for _ in range(times(25, 400)):
        outer = [star(rng, rng.integers(7, 30), 0.05) for _ in range(2)]
        hole = [0.15 * star(rng, 7, 0.05) for _ in range(2)]
        lower, upper = (Solid.extrude(o, 0.02, holes=[h]) for o, h in zip(outer, hole, strict=True))
        X, on = random_pose(), Pose.from_rotvec((*rng.uniform(-0.02, 0.02, 2), 0.02), (0, 0, rng.uniform(0, 6)))
        regions = contact_regions(lower, upper, X, X @ on)
        turn, shift = on.rotation[:2, :2], on.position[:2]
        other = [loop @ turn.T + shift for loop in (outer[1], hole[1])]
        common = section(outer[0], hole[0]) ^ section(*other)
        surfaces = [r for r in regions if r.dim == 2]
        assert sum(r.area for r in surfaces) == pytest.approx(common.area() * 1e-6, rel=1e-6, abs=1e-10)
        for region in surfaces:
            assert loop_area(region) == pytest.approx(region.area, rel=1e-5, abs=2e-9)
            inside = X.inverse().apply(region.points_a)
            assert np.abs(inside[:, 2] - 0.02).max() < 1e-12


def section(outer, hole):
    """An outline with a hole, in millimetres."""
    loops = [1e3 * (loop if winding(loop) * sign > 0 else loop[::-1]) for loop, sign in ((outer, 1), (hole, -1))]
    return CrossSection(loops, FillRule.Positive)


def winding(loop):
    after = np.roll(loop, -1, axis=0)
    return 0.5 * float((loop[:, 0] * after[:, 1] - loop[:, 1] * after[:, 0]).sum())


def loop_area(region):
    """Area within the loops, and no less in triangles."""
    vectors = [0.5 * np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0) for p in region.loops]
    area = float(sum(vectors) @ region.normal)
    t = region.triangles
    triangles = 0.5 * np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1).sum()
    assert triangles == pytest.approx(area, rel=1e-6)
    return area


def test_a_region_may_have_holes_and_several_pieces():
    frame = Solid.box((0.1, 0.1, 0.02)) - Solid.box((0.06, 0.06, 0.1))
    comb = box_between((-0.05, -0.02, 0.01), (0.05, 0.02, 0.03))
    (region,) = contact_regions(frame, comb)
    assert len(region.loops) == 2 and region.area == pytest.approx(2 * 0.02 * 0.04)
    lid = box_between((-0.06, -0.06, 0.01), (0.06, 0.06, 0.03))
    (region,) = contact_regions(frame, lid)
    assert sorted(round(winding(p[:, :2]), 9) for p in region.loops) == [-0.0036, 0.01]
    assert len(region.points_a) == 4


def test_only_what_is_within_the_tolerance_belongs_to_a_surface():
    tilt = 5e-4
    lower, upper = block(size=0.1), block(False)
    X = Pose.from_rotvec((0.05, 0, 0), (0, tilt, 0)) @ Pose((-0.05, 0, 0))
    (region,) = contact_regions(lower, upper, X_b=X, tolerance=1e-5)
    assert region.area == pytest.approx(0.1 * 1e-5 / tilt, rel=1e-3)
    assert loop_area(region) == pytest.approx(region.area, rel=1e-3)
    (kept,) = contact_regions(lower, upper, X_b=X, tolerance=1e-5, previous=contact_regions(lower, upper))
    assert kept.area == pytest.approx(2 * region.area, rel=1e-3) == loop_area(kept)


# Which regions there are ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [(0, 0), (0.03, 0.02), (0, 0.02), (0.06, 0.0)])
def test_flush_boxes_have_one_region(shift, rng):
    box = Solid.box(0.1)
    for noise in (0.0, 1e-7):
        X = Pose((*np.array(shift), 0.1) + noise * rng.uniform(-1, 1, 3))
        (region,) = contact_regions(box, box, X_b=X)
        assert region.dim == 2
        assert region.area == pytest.approx((0.1 - shift[0]) * (0.1 - shift[1]), rel=1e-4)


@pytest.mark.parametrize("width", [3e-3, 1e-3, 1e-4])
def test_a_line_ends_where_a_narrow_face_ends(width):
    """The triangles of a long face are thin: their sides, a tolerance farther out, meet far beyond its ends."""
    outline = [(-0.01, -0.01), (0.01, -0.01), (0.01, 0.003), (width, 0.0), (0.0, 0.0), (-0.01, 0.003)]
    groove = Solid.extrude(outline, 0.02).transformed(Pose.from_rotvec((0, 0.01, 0), (pi / 2, 0, 0)))
    for x in (0.0, 0.5 * width, width):
        regions = contact_regions(groove, ridge(False), X_b=Pose((x, 0.0, 0.0)), tolerance=1e-5)
        lines = [region for region in regions if region.dim == 1]
        for line in lines:
            assert line.length == pytest.approx(0.02, abs=2e-5)
            np.testing.assert_allclose(np.abs(line.points_a[:, 1]), 0.01, atol=1e-5)
        assert len(lines) > 0


def test_boxes_that_meet_along_an_edge_or_in_a_corner():
    box = Solid.box(0.1)
    (edge,) = contact_regions(box, box, X_b=Pose((0.1, 0.0, 0.1)))
    assert (edge.dim, edge.feature_a.kind, edge.feature_b.kind) == (1, "edge", "edge")
    np.testing.assert_allclose(edge.normal, np.array((1, 0, 1)) / 2**0.5, atol=1e-9)
    (corner,) = contact_regions(box, box, X_b=Pose((0.1, 0.1, 0.1)))
    assert (corner.dim, corner.feature_a.kind, corner.feature_b.kind) == (0, "vertex", "vertex")
    np.testing.assert_allclose(corner.normal, np.ones(3) / 3**0.5, atol=1e-9)


@pytest.mark.parametrize("lower", [ridge(), block(size=0.1)], ids=["edge", "face"])
def test_a_line_is_where_both_parts_are(lower):
    """A ridge that hangs over one end of what it lies on: the line ends at that end, whichever way edges run."""
    for shift in (-0.07, -0.03, 0.03, 0.07):
        for turn in (0.0, pi):
            X = Pose.from_rotvec((0, shift, 0), (0, 0, turn))
            for a, b, poses in ((lower, ridge(False), (None, X)), (ridge(False), lower, (X, None))):
                (line,) = contact_regions(a, b, *poses)
                ends = sorted(line.points_a[:, 1])
                assert line.dim == 1 and ends == pytest.approx([max(-0.05, shift - 0.05), min(0.05, shift + 0.05)])
                assert line.centre[1] == pytest.approx(0.5 * shift)


def test_a_corner_in_a_groove_touches_both_of_its_walls():
    corner = abut.parts.l_bracket()
    size = 0.01
    thick = float(corner.vertices[:, 2][(corner.vertices[:, 0] > 0.05)].max())
    box = Solid.box(size).translated((0.5 * size, 0.0, 0.5 * size))
    regions = contact_regions(corner, box, X_b=Pose((thick, 0.0, thick)))
    assert pairs_of(regions) == [(2, "face", "face")] * 2
    assert regions.adjacent == [(0, 1)]
    assert abs(regions[0].normal @ regions[1].normal) < 1e-12


def test_a_vertex_on_the_floor_at_the_foot_of_a_wall_touches_the_wall_as_well():
    bracket = abut.parts.l_bracket()
    thick = float(bracket.vertices[:, 2][(bracket.vertices[:, 0] > 0.05)].max())
    wedge = Solid(
        [(0, 0, 0), (0.02, -0.01, 0), (0.02, 0.01, 0), (0.02, 0, 0.02)], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    )
    regions = contact_regions(bracket, wedge, X_b=Pose((thick, 0.0, thick)))
    assert pairs_of(regions) == [(0, "face", "vertex"), (2, "face", "face")]
    np.testing.assert_allclose(regions[1].normal, (1, 0, 0), atol=1e-9)


def test_a_dowel_on_a_plate():
    plate, dowel = Solid.box((0.1, 0.1, 0.01)), Solid.cylinder(0.01, 0.05, segments=256)
    (standing,) = contact_regions(plate, dowel, X_b=Pose((0, 0, 0.03)))
    assert standing.dim == 2 and len(standing.points_a) == 256
    assert standing.area == pytest.approx(128 * 1e-4 * np.sin(2 * pi / 256), rel=1e-9)
    lying = Pose.from_rotvec((0, 0, 0.015), (pi / 2, 0, 0))
    (line,) = contact_regions(plate, dowel, X_b=lying)
    assert line.dim == 1 and line.length == pytest.approx(0.05)
    on_facet = lying @ Pose.from_rotvec((0, 0, 0), (0, 0, pi / 256))
    down = Pose((0, 0, 0.01 * (cos(pi / 256) - 1.0)))
    (facet,) = contact_regions(plate, dowel, X_b=down @ on_facet)
    assert facet.dim == 2 and facet.area == pytest.approx(0.05 * 0.02 * np.sin(pi / 256))


def test_a_shaft_in_its_bore_is_one_region_of_two_cylinders():
    shaft = Solid.cylinder(0.005, 0.04, segments=64)
    hub = Solid.revolve([(0.005, -0.01), (0.02, -0.01), (0.02, 0.01), (0.005, 0.01)], segments=64)
    regions = contact_regions(hub, shaft)
    assert pairs_of(regions) == [(2, "face", "face")] * 64 and len(regions.adjacent) == 64
    (fit,) = regions.by_surface()
    assert (fit.surface_a.kind, fit.surface_a.sense) == ("cylinder", "hole")
    assert (fit.surface_b.kind, fit.surface_b.sense) == ("cylinder", "shaft")
    assert fit.area == pytest.approx(64 * 2 * 0.005 * np.sin(pi / 64) * 0.02)
    assert fit.along == pytest.approx((-0.01, 0.01)) and fit.around == pytest.approx(2 * pi)
    np.testing.assert_allclose(fit.centre, 0.0, atol=1e-9)


SIDES = [tuple(step * np.eye(3, dtype=int)[axis]) for axis in range(3) for step in (-1, 1)]


def of_cells(cells):
    """Cubes of 10 mm, joined."""
    return reduce(or_, (Solid.box(0.01).translated(0.01 * np.array(cell) + 0.005) for cell in cells))


def adjacent_by_cells(a, b, cells_a, cells_b, regions):
    """Pairs of regions that have squares of cells with a common side."""
    place = {(r.feature_a, r.feature_b): i for i, r in enumerate(regions) if r.dim == 2}
    at_side = {}
    for cell, axis, step in product(cells_a, range(3), (-1, 1)):
        beyond = np.array(cell)
        beyond[axis] += step
        if tuple(beyond.tolist()) not in cells_b:
            continue
        middle = 0.5 * (beyond + cell) + 0.5
        name = tuple(classify_points(part, [0.01 * middle])[0] for part in (a, b))
        u, v = (k for k in range(3) if k != axis)
        for along, across, half in ((u, v, 0.5), (u, v, -0.5), (v, u, 0.5), (v, u, -0.5)):
            side = middle.copy()
            side[across] += half
            at_side.setdefault((along, *side.tolist()), set()).add(place[name])
    return sorted({pair for found in at_side.values() for pair in combinations(sorted(found), 2)})


def random_cells(rng):
    """Two parts of random cells of a cube, and their cells; None where joining these leaves a crease in a square."""
    owner = rng.integers(0, 3, (3, 3, 3))
    cells = [{cell for cell in np.ndindex(3, 3, 3) if owner[cell] == k} for k in range(2)]
    try:
        parts = [of_cells(sorted(some)) for some in cells]
    except InputError:
        return None
    ways = np.concatenate([np.abs(np.diff(_segments(part), axis=1)[:, 0]) for part in parts])
    return (*parts, *cells) if ((ways > 1e-6).sum(axis=1) == 1).all() else None


def test_regions_are_adjacent_where_squares_of_cells_have_a_common_side(rng, times, random_pose):
    """Parts of several pieces, too, and with cells that meet in edges and corners: none lies inside another."""
    tried = several = pieces = 0
    while tried < times(15, 200):
        if (made := random_cells(rng)) is None:
            continue
        a, b, cells_a, cells_b = made
        X = random_pose(0.1)
        regions = contact_regions(a, b, X, X)
        squares = sum(tuple(np.add(cell, way).tolist()) in cells_b for cell in cells_a for way in SIDES)
        assert regions.area.sum() == pytest.approx(1e-4 * squares)
        expected = adjacent_by_cells(a, b, cells_a, cells_b, regions)
        assert regions.adjacent == expected
        tried, several = tried + 1, several + (len(expected) > 3)
        pieces += len(a.shells) > 1 or len(b.shells) > 1
    assert several > 5 and pieces > 5


def test_a_shaft_in_its_bore_has_facets_that_are_adjacent_in_turn():
    shaft = Solid.cylinder(0.005, 0.04, segments=12)
    hub = Solid.revolve([(0.005, -0.01), (0.02, -0.01), (0.02, 0.01), (0.005, 0.01)], segments=12)
    adjacent = contact_regions(hub, shaft).adjacent
    assert len(adjacent) == 12 and sorted(sum(adjacent, ())) == [k for k in range(12) for _ in range(2)]


def test_a_gear_on_a_shaft():
    gear = abut.parts.gear()
    bore = gear.vertices[np.linalg.norm(gear.vertices[:, :2], axis=1) < 0.006]
    outline = bore[bore[:, 2] > 0][:, :2]
    outline = outline[np.argsort(np.arctan2(outline[:, 1], outline[:, 0]))]
    shaft = Solid.extrude(outline, 0.06).translated((0, 0, -0.03))
    regions = contact_regions(gear, shaft)
    assert pairs_of(regions) == [(2, "face", "face")] * len(outline)
    width = np.linalg.norm(outline - np.roll(outline, 1, axis=0), axis=1).sum()
    assert regions.area.sum() == pytest.approx(0.015 * width)


def test_a_driver_seated_in_its_screw_stands_on_four_faces():
    driver, screw = abut.parts.cross_recess_driver(), abut.parts.cross_recess_screw()
    regions = contact_regions(driver, screw, Pose((0, 0, -30e-6 / cos(radians(28)))))
    assert pairs_of(regions) == [(2, "face", "face")] * 4
    np.testing.assert_allclose(np.abs(regions.normal[:, 2]), cos(radians(28)), atol=1e-9)
    assert len(set(regions.area.round(15))) == 1


def test_an_assembly_of_eighteen_parts_names_what_touches():
    pytest.importorskip("OCP")
    folder = abut.scene.__path__[0] + "/scenes/demonstrations/assembly.step"
    parts = abut.load_assembly(folder)
    assert len(parts) == 18
    found = {}
    for i, a in enumerate(parts):
        for b in parts[i + 1 :]:
            if abut.distance(a.solid, b.solid, a.pose, b.pose).distance < 1e-6:
                regions = contact_regions(a.solid, b.solid, a.pose, b.pose, tolerance=2e-5)
                assert len(regions) > 0, (a.name, b.name)
                found[a.name, b.name] = regions
    assert len(found) >= 17
    kinds = {frozenset((s.surface_a.kind, s.surface_b.kind)) for r in found.values() for s in r.by_surface() if s.area}
    assert frozenset(("plane",)) in kinds
    assert {name for pair in found for name in pair} == {part.name for part in parts}


# Shapes that are formulas --------------------------------------------------------------------------------------------


def test_half_spaces_balls_and_capsules_take_part_with_their_one_face():
    floor, ball, capsule, box = abut.HalfSpace(), abut.Sphere(0.05), abut.Capsule(0.01, 0.05), Solid.box(0.1)
    one, lying = Feature("face", 0), Pose.from_rotvec((0, 0, 0.01), (pi / 2, 0, 0))
    (region,) = contact_regions(floor, box, X_b=Pose((5.0, 0, 0.05)))
    assert (region.dim, region.feature_a) == (2, one) and region.area == pytest.approx(0.01)
    assert loop_area(region) == pytest.approx(0.01)
    (region,) = contact_regions(box, floor, Pose((5.0, 0, 0.05)))
    assert region.dim == 2 and loop_area(region) == pytest.approx(0.01) and region.normal[2] == -1.0
    (region,) = contact_regions(floor, ball, X_b=Pose((0, 0, 0.05)))
    assert (region.dim, region.feature_a, region.feature_b) == (0, one, one)
    np.testing.assert_allclose(region.points_b, [[0, 0, 0]], atol=1e-12)
    (region,) = contact_regions(floor, capsule, X_b=lying)
    assert region.dim == 1 and region.length == pytest.approx(0.05)
    np.testing.assert_allclose(region.points_b[:, 2], 0, atol=1e-12)
    (region,) = contact_regions(box, capsule, X_b=Pose((0.03, 0, 0.05)) @ lying)
    assert region.dim == 1 and region.feature_b == one and region.feature_a.kind == "face"
    (region,) = contact_regions(capsule, capsule, X_b=Pose((0, 0.02, 0.01)))
    assert region.dim == 1 and region.length == pytest.approx(0.04)
    (region,) = contact_regions(capsule, capsule, X_b=Pose.from_rotvec((0, 0.02, 0), (0, pi / 2, 0)))
    assert region.dim == 0
    np.testing.assert_allclose(region.normal, (0, 1, 0), atol=1e-12)
    (region,) = contact_regions(box, ball, X_b=Pose((0.05 + 0.05 * 0.5**0.5, 0, 0.05 + 0.05 * 0.5**0.5)))
    assert (region.feature_a.kind, region.dim) == ("edge", 0)
    np.testing.assert_allclose(region.normal, np.array((1, 0, 1)) / 2**0.5, atol=1e-7)


def test_a_ball_in_a_corner_touches_two_faces():
    bracket = abut.parts.l_bracket()
    thick = float(bracket.vertices[:, 2][(bracket.vertices[:, 0] > 0.05)].max())
    regions = contact_regions(bracket, abut.Sphere(0.01), X_b=Pose((thick + 0.01, 0.0, thick + 0.01)))
    assert [r.dim for r in regions] == [0, 0]
    assert abs(regions[0].normal @ regions[1].normal) < 1e-9


# Normals -------------------------------------------------------------------------------------------------------------


def test_two_edges_along_each_other_whose_means_are_equal_have_the_normal_of_their_faces():
    a = box_between((-0.1, 0, -0.1), (0.0, 0.1, 0.0))
    b = Solid.extrude([(0, 0), (0.05, -0.05), (0.1, 0.0)], 0.1).transformed(
        Pose.from_rotvec((0, 0.1, 0), (pi / 2, 0, 0))
    )
    (region,) = contact_regions(a, b)
    assert (region.dim, region.feature_a.kind, region.feature_b.kind) == (1, "edge", "edge")
    assert region.normal[0] > 0.5 and abs(region.normal[1]) < 1e-9


def test_a_vertex_where_parts_of_a_solid_meet_takes_the_part_that_is_touched():
    double = abut.Solid(
        np.concatenate([tip().vertices, tip(False).vertices[1:] * (1, 1, 1)]),
        [
            *[list(t) for t in tip().triangles.tolist()],
            *[[0 if v == 0 else v + 4 for v in t] for t in tip(False).triangles.tolist()],
        ],
    )
    assert len(double.fans.of_vertex[0]) == 2
    beside = tip().transformed(Pose.from_rotvec((0, 0, 0), (0, pi / 2, 0)).inverse()).scaled((0.5, 0.2, 0.2))
    (region,) = contact_regions(double, beside)
    assert (region.feature_a, region.feature_b) == (Feature("vertex", 0), Feature("vertex", 0))
    outward = beside.fans.normal[beside.fans.of_vertex[0][0]]
    np.testing.assert_allclose(region.normal, -outward, atol=1e-9)


def test_a_region_keeps_its_normal_where_geometry_does_not_tell_it():
    """The paper's figure 8: a corner of a block that slides over a finger's edge."""
    finger = block(size=0.02)
    on_face = contact_regions(finger, tip(False), X_b=Pose((0.005, 0, 0)))
    on_edge = Pose((0.01, 0, 0))
    alone = contact_regions(finger, tip(False), X_b=on_edge)
    (kept,) = contact_regions(finger, tip(False), X_b=on_edge, previous=on_face)
    assert kept.feature_a.kind == "edge"
    np.testing.assert_allclose(kept.normal, (0, 0, 1), atol=1e-9)
    assert alone[0].normal[2] < 0.95  # without coherence the normal leans against the way of the block


# Labels --------------------------------------------------------------------------------------------------------------


def noisy(rng, place, tolerance, size):
    turn = 0.1 * tolerance / size * rng.uniform(-1, 1, 3)
    return Pose.from_rotvec(np.asarray(place) + 0.1 * tolerance * rng.uniform(-1, 1, 3), turn)


def test_labels_last_over_a_thousand_noisy_steps(rng):
    tolerance, found = 1e-6, None
    plate, slider = block(size=0.1), block(False, 0.04)
    labels, points = [], []
    for x in np.linspace(-0.02, 0.06, 1000):
        found = contact_regions(plate, slider, X_b=noisy(rng, (x, 0.01, 0), tolerance, 0.04), previous=found)
        labels.append([r.label for r in found])
        points.append(tuple(sorted(found.point_label.tolist())))
    assert labels == [[0]] * 1000
    # Once, the corners in front leave the plate, and the plate's edge takes their place.
    assert len(set(points)) <= 3


def test_labels_change_as_rarely_as_they_can(rng):
    """A tip that slides over a plate and off its rim: on the face, at the edge, gone."""
    tolerance, found, seen = 1e-5, None, []
    plate, point = block(size=0.1), tip(False)
    for x in np.linspace(0.05 - 5e-5, 0.05 + 5e-5, 1000):
        found = contact_regions(
            plate, point, X_b=noisy(rng, (x, 0.01, 0), tolerance, 1.0), tolerance=tolerance, previous=found
        )
        now = [(r.label, r.feature_a.kind) for r in found]
        if not seen or seen[-1] != now:
            seen.append(now)
    assert seen == [[(0, "face")], [(1, "edge")], []]


def test_previous_of_other_parts_is_refused():
    found = contact_regions(block(), tip(False))
    with pytest.raises(InputError, match="previous: expected what contact_regions found for the same two parts"):
        contact_regions(block(), block(False), previous=found)


# What is refused -----------------------------------------------------------------------------------------------------

BOX = Solid.box(0.1, name="box")


@pytest.mark.parametrize(
    ("b", "X", "words"),
    [
        (
            BOX,
            Pose((0.03, 0.02, 0.09)),
            r"part 'box' and part 'box' overlap by 10 mm at \(.*\) mm, more than the tolerance of 1 µm",
        ),
        (BOX, Pose((0, 0, 0.1 - 3e-6)), "overlap by 3 µm"),
        (BOX, Pose(), "share their material"),
        (Solid.box(0.05), Pose(), "lies inside part 'box'"),
        (Solid.box(0.05), Pose((0, 0, 0.025)), "overlap by 50 mm"),
        (abut.Sphere(0.05), Pose((0, 0, 0.09)), "overlap by 10 mm"),
        (tip(), Pose((0, 0, 0.05)), "overlap by"),
    ],
)
def test_overlap_is_refused_and_named(b, X, words):
    with pytest.raises(InputError, match=words):
        contact_regions(BOX, b, X_b=X)


def test_of_parts_of_several_pieces_that_touch_none_may_lie_inside_another():
    small, on_top = Solid.box(0.02), Solid.box(0.02).translated((0, 0, 0.06))
    with pytest.raises(InputError, match="an unnamed part lies inside part 'box'"):
        contact_regions(BOX, small | on_top)
    with pytest.raises(InputError, match="an unnamed part lies inside part 'box'"):
        contact_regions(small | on_top, BOX)
    hollow = BOX - Solid.box(0.04)
    (region,) = contact_regions(hollow, small | on_top)
    assert (region.dim, region.area) == (2, pytest.approx(4e-4))
    lying, above = small.translated((0, 0, -0.01)), contact_regions(hollow, small.translated((0, 0, -0.01)) | on_top)
    assert len(contact_regions(hollow, lying)) == 1 and len(above) == 2


def test_overlap_within_the_tolerance_is_contact():
    (region,) = contact_regions(BOX, BOX, X_b=Pose((0.02, 0.03, 0.1 - 8e-7)))
    assert region.dim == 2 and region.gap == pytest.approx(-8e-7)
    (region,) = contact_regions(tip(), tip(False), X_b=Pose((0, 0, -5e-7)))
    assert region.dim == 0 and region.gap == pytest.approx(-5e-7)


def test_what_has_no_regions_is_told_in_a_sentence():
    with pytest.raises(InputError, match="part 'sheet' is not closed"):
        contact_regions(BOX, Solid(BOX.vertices, BOX.triangles[:-1], name="sheet"), X_b=Pose((0, 0, 0.1)))
    with pytest.raises(InputError, match="tolerance: 200 mm is no less than 100 mm, the smallest size of part 'box'"):
        contact_regions(BOX, BOX, X_b=Pose((0, 0, 0.1)), tolerance=0.2)
    with pytest.raises(InputError, match="two half-spaces"):
        contact_regions(abut.HalfSpace(), abut.HalfSpace())
    with pytest.raises(InputError, match="a: expected a Solid"):
        contact_regions("box", BOX)


def test_parts_that_are_apart_have_no_regions():
    regions = contact_regions(BOX, BOX, X_b=Pose((0, 0, 0.1 + 2e-6)))
    assert len(regions) == 0 and repr(regions) == "Regions(none)"
    again = contact_regions(BOX, BOX, X_b=Pose((0, 0, 0.1)), previous=regions)
    assert [r.label for r in again] == [0]


def test_many_regions_find_room():
    """A plate on a bed of 400 tips."""
    tips = [tip().scaled(0.1).translated((0.02 * i, 0.02 * j, 0)) for i in range(20) for j in range(20)]
    base = box_between((-0.01, -0.01, -0.02), (0.4, 0.4, -0.004))
    bed = base
    for one in tips:
        bed = bed | one
    plate = box_between((-0.02, -0.02, 0), (0.41, 0.41, 0.01))
    regions = contact_regions(bed, plate)
    assert pairs_of(regions) == [(0, "vertex", "face")] * 400
