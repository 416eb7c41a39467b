"""Time of impact of parts: known touches, oracles over random motions, defined starts, independence of memory."""

import numpy as np
import pytest

import abut
from abut import HalfSpace, Motion, Pose, Solid, Sphere
from abut.query import ImpactPair
from abut.query.impact import swept_search_kernels
from geometry.shapes import cube, square_frame, tetrahedron
from query.brute import surface_distance
from query.test_motion_pair import bumpy, plate, wedge_faces

DIE, FLOOR = Solid(*cube()), Solid(*cube((-5, -5, -1), (10, 10, 1)))


def needle():
    return Solid(*cube(low=(-1, -0.005, -0.005), size=(2, 0.01, 0.01)))


def test_a_falling_die_touches_the_floor_with_a_face():
    impact = abut.time_of_impact(DIE, FLOOR, (Pose((0, 0, 1)), Pose((0, 0, -0.5))))
    assert impact.time <= 1 / 1.5 and impact.time == pytest.approx(1 / 1.5, abs=1e-7)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-6)
    assert abs(impact.point[2]) < 1e-7 and not impact.overlapping and impact.depth is None
    kinds = {(a.kind, b.kind) for a, b in impact.features}
    assert ("vertex", "face") in kinds and len({a.index for a, b in impact.features if a.kind == "vertex"}) == 4


def test_the_gap_is_kept():
    impact = abut.time_of_impact(DIE, FLOOR, (Pose((0, 0, 1)), Pose((0, 0, -1))), gap=0.25)
    assert impact.time == pytest.approx(0.375, abs=1e-3) and impact.time <= 0.375
    assert 0.25 <= impact.distance <= 0.25 * 1.0011


def test_crossed_edges_touch_edge_on_edge():
    roof = Solid([(-1, 0, 0), (1, 0, 0), (-1, 1, -1), (1, 1, -1), (-1, -1, -1), (1, -1, -1)], wedge_faces())
    upside_down = Pose((0, 0, 1), quat_wxyz=(0, np.sqrt(0.5), np.sqrt(0.5), 0))
    impact = abut.time_of_impact(roof, roof, Motion(upside_down, (0, 0, -2)))
    assert (impact.feature_a.kind, impact.feature_b.kind) == ("edge", "edge")
    assert impact.time == pytest.approx(0.5, abs=1e-8)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "time"),
    [
        pytest.param(Sphere(0.5), HalfSpace((0, 0, 1), 0.0), 0.75, id="ball on half-space"),
        pytest.param(HalfSpace((0, 0, -1), 0.0), Sphere(0.5), 0.75, id="half-space on ball"),
        pytest.param(Sphere(0.5), Sphere(0.25), 0.625, id="ball on ball"),
        pytest.param(Sphere(0.5), FLOOR, 0.75, id="ball on face"),
        pytest.param(Solid(*cube((-0.5, -0.5, -0.5))), HalfSpace((0, 0, 1), 0.0), 0.75, id="die on half-space"),
    ],
)
def test_balls_and_half_spaces_touch_when_they_should(a, b, time):
    impact = abut.time_of_impact(a, b, (Pose((0, 0, 2)), Pose()))
    assert impact.time <= time and impact.time == pytest.approx(time, abs=1e-6)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-6)


def test_a_spinning_part_far_away_is_settled_at_once():
    spin = Motion(Pose((0, 0, 100)), (0, 0, -90), (6e4, 0, 0))
    assert abut.time_of_impact(plate(), DIE, spin) is None


def test_many_turns_find_what_one_turn_misses():
    """The blade turns a thousand times while it comes nearer: it hits when its tip reaches the post, to a turn."""
    blade, post = needle(), Solid(*cube((-0.1, -0.1, -0.1), (0.2, 0.2, 0.2)))
    motion = Motion(Pose((2, 0, 0)), (-1, 0, 0), (0, 0, 2000 * np.pi))
    impact = abut.time_of_impact(blade, post, motion)
    assert 0.9 - 2e-5 <= impact.time <= 0.9 + 2e-3


@pytest.mark.parametrize("turn", [0.0, 0.5, 3.0, 12.0], ids=["straight", "turning", "half a turn", "two turns"])
def test_no_random_motion_touches_unseen_or_is_reported_late(rng, turn):
    shapes = [Solid(*tetrahedron()), Solid(*square_frame()), plate(), needle(), bumpy(rng, 1)]
    n_touch = 0
    for trial in range(20):
        a, b = shapes[trial % 5], shapes[(trial // 5) % 5]
        gap = 10.0 ** rng.uniform(-4, -2)
        towards = rng.normal(size=3)
        start = 3.5 * towards / np.linalg.norm(towards)
        motion_a = Motion(Pose(start, quat_wxyz=rng.normal(size=4)), -1.2 * start, turn * rng.normal(size=3))
        motion_b = Motion(
            Pose((0, 0, 0), quat_wxyz=rng.normal(size=4)), 0.2 * rng.normal(size=3), turn * rng.normal(size=3)
        )
        impact = abut.time_of_impact(a, b, motion_a, motion_b, gap)
        end = 1.0 if impact is None else impact.time
        before = [surface_distance(a, b, motion_a.at(t), motion_b.at(t)) for t in np.linspace(0.0, end, 40)[:-1]]
        assert min(before) > gap
        if impact is not None:
            n_touch += 1
            there = surface_distance(a, b, motion_a.at(end), motion_b.at(end))
            assert gap * (1 - 1e-9) <= there <= gap * 1.0011
            assert there == pytest.approx(impact.distance, rel=1e-6)
            assert np.linalg.norm(impact.point_b - impact.point_a - there * impact.normal) < 1e-9
    assert n_touch > 5


def test_windows_and_search_agree(rng, monkeypatch):
    """A search that gives up at once leaves everything to windows."""
    a, b = bumpy(rng, 1), plate()
    for _ in range(15):
        motion = Motion(Pose((0, 0, 1.6), quat_wxyz=rng.normal(size=4)), rng.normal(size=3), 2 * rng.normal(size=3))
        searched = abut.time_of_impact(a, b, motion, gap=1e-3)
        with monkeypatch.context() as patch:
            patch.setattr("abut.query.impact.impact._EFFORT", (10, 10))
            crept = abut.time_of_impact(a, b, motion, gap=1e-3)
        assert (searched is None) == (crept is None)
        if searched is not None:
            assert searched.time == pytest.approx(crept.time, abs=2e-5)


def test_a_peg_slides_in_its_hole_without_touching():
    ring = peg_ring(0.025025)
    peg = Solid.cylinder(radius=0.025, height=0.08, segments=64)
    assert abut.time_of_impact(peg, ring, (Pose((0, 0, 0.02)), Pose())) is None
    tilted = abut.time_of_impact(peg, ring, Motion(Pose((0, 0, 0.02)), (0, 0, -0.02), (0.01, 0, 0)))
    assert tilted is not None and 0.0 < tilted.time < 0.5


def peg_ring(radius):
    """A ring of 64 sides around the z axis."""
    angle = 2 * np.pi * np.arange(64) / 64
    circle = np.column_stack((np.cos(angle), np.sin(angle)))
    rings = [(0.06, 0.0), (radius, 0.0), (radius, 0.05), (0.06, 0.05)]
    vertices = np.concatenate([np.column_stack((r * circle, np.full(64, z))) for r, z in rings])
    faces = [
        [64 * k + i, 64 * k + (i + 1) % 64, 64 * ((k + 1) % 4) + (i + 1) % 64, 64 * ((k + 1) % 4) + i]
        for k in range(4)
        for i in range(64)
    ]
    solid = Solid(vertices, faces)
    return solid if solid.volume > 0 else Solid(vertices, [face[::-1] for face in faces])


def test_touching_starts_touch_at_time_zero():
    impact = abut.time_of_impact(DIE, FLOOR, (Pose((0, 0, 0)), Pose((0, 0, 1))))
    assert (impact.time, impact.overlapping) == (0.0, False)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-9)
    near = abut.time_of_impact(DIE, FLOOR, (Pose((0, 0, 0.005)), Pose((0, 0, 1))), gap=0.01)
    assert (near.time, near.overlapping) == (0.0, False) and near.distance == pytest.approx(0.005)


@pytest.mark.parametrize("gap", [0.0, 1e-3])
@pytest.mark.parametrize(("height", "touches"), [(-1e-6, True), (-1e-9, True), (1e-5, False)])
def test_sliding_in_over_an_edge_grazes_only_what_is_in_the_way(gap, height, touches):
    """A die comes from beside the floor, its lowest face that much above or below the height of the gap."""
    slide = Motion(Pose((-8, 0, gap + height)), (4, 0, 0))
    impact = abut.time_of_impact(DIE, FLOOR, slide, gap=gap, tolerance=1e-8)
    assert (impact is not None) == touches
    assert impact is None or 0.49 < impact.time <= 0.5


@pytest.mark.parametrize(("height", "touches"), [(-1e-7, True), (1e-7, False)])
@pytest.mark.parametrize("turns", [0.5, 20.0])
def test_a_turning_edge_grazes_the_ground(height, touches, turns):
    """Edges of a die that turns about an axis through two faces, on a circle that dips into the ground or not."""
    die = Solid(*cube((-0.5, -0.5, -0.5)))
    turn = Motion(Pose((0, 0, np.sqrt(0.5) + height)), (3, 0, 0), (2 * np.pi * turns, 0, 0))
    for ground in (HalfSpace((0, 0, 1), 0.0), FLOOR):
        impact = abut.time_of_impact(die, ground, turn, tolerance=1e-9)
        assert (impact is not None) == touches
        # The lowest edge is at 45 degrees after an eighth of a turn.
        assert impact is None or 0.9 < impact.time * 8 * turns <= 1.0


@pytest.mark.parametrize(("offset", "touches"), [(-1e-6, True), (1e-6, False)])
@pytest.mark.parametrize(("other", "side", "height"), [(Sphere(0.5), 0.0, 1.5), (DIE, 0.3, 2.0)], ids=["ball", "die"])
def test_a_ball_grazes_what_it_flies_past(other, side, height, offset, touches):
    flight = Motion(Pose((-5, side, height + offset)), (10, 0, 0))
    assert (abut.time_of_impact(Sphere(1.0), other, flight, tolerance=1e-8) is not None) == touches


@pytest.mark.parametrize("depth", [0.0, 1e-12, -1e-12])
@pytest.mark.parametrize(
    ("a", "b", "height"),
    [
        pytest.param(Sphere(1.0), HalfSpace((0, 0, 1), 0.0), 1.0, id="ball on half-space"),
        pytest.param(Sphere(1.0), Sphere(0.5), 1.5, id="ball on ball"),
        pytest.param(Sphere(1.0), FLOOR, 1.0, id="ball on face"),
        pytest.param(DIE, HalfSpace((0, 0, 1), 0.0), 0.0, id="die on half-space"),
        pytest.param(DIE, FLOOR, 0.0, id="die on face"),
    ],
)
def test_parts_that_rest_on_each_other_touch_and_do_not_overlap(a, b, height, depth):
    impact = abut.time_of_impact(a, b, (Pose((0, 0, height - depth)), Pose((0, 0, height - 1))))
    assert impact.time <= 1e-11 and not impact.overlapping and impact.depth is None
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-6)


def test_all_corners_of_a_die_touch_a_half_space():
    impact = abut.time_of_impact(DIE, HalfSpace((0, 0, 1), 0.0), (Pose((0, 0, 1)), Pose((0, 0, -1))))
    assert {(a.kind, a.index, b.kind) for a, b in impact.features} == {("vertex", i, "face") for i in (0, 2, 4, 6)}


def test_a_ball_that_falls_into_a_square_hole_touches_its_four_edges():
    frame = Solid(*square_frame(inner=1.0))
    impact = abut.time_of_impact(Sphere(0.6), frame, (Pose((0, 0, 5)), Pose((0, 0, -5))))
    features = {b for _, b in impact.features}
    assert len(features) == 4 and {b.kind for b in features} == {"edge"}


@pytest.mark.parametrize(
    ("a", "b", "z", "depth"),
    [
        pytest.param(Sphere(1.0), HalfSpace((0, 0, 1), 0.0), 0.9, 0.1, id="ball in half-space"),
        pytest.param(Sphere(1.0), Sphere(0.5), 1.4, 0.1, id="ball in ball"),
        pytest.param(Sphere(1.0), FLOOR, 0.9, 0.1, id="ball in face"),
        pytest.param(DIE, HalfSpace((0, 0, 1), 0.0), -0.1, 0.1, id="die in half-space"),
    ],
)
def test_the_depth_of_balls_and_half_spaces_is_told(a, b, z, depth):
    impact = abut.time_of_impact(a, b, (Pose((0, 0, z)), Pose((0, 0, 5))))
    assert impact.overlapping and impact.depth == pytest.approx(depth)
    np.testing.assert_allclose(impact.normal, (0, 0, -1), atol=1e-9)


@pytest.mark.parametrize(
    ("b", "place", "depth"),
    [
        pytest.param(DIE, (0, 0, 0), 0.0, id="in the same place"),
        pytest.param(DIE, (0.5, 0, 0), 0.5, id="shifted along four faces"),
        pytest.param(Solid(*cube((-1, -1, 0), (3, 3, 1))), (0, 0, 0), 0.5, id="let into a plate"),
        pytest.param(Solid(*cube((-1, -1, -2), (3, 3, 3))), (0, 0, 0), 1.0, id="flush with a face from inside"),
        pytest.param(DIE, (1, 0, 0), None, id="face to face"),
        pytest.param(DIE, (1, 1, 0), None, id="edge to edge"),
        pytest.param(DIE, (1, 1, 1), None, id="corner to corner"),
    ],
)
def test_parts_that_are_flush_overlap_where_they_share_material(b, place, depth):
    """No triangle passes through another in any of these."""
    impact = abut.time_of_impact(DIE, b, (Pose(place), Pose((9, 9, 9))))
    assert (impact.time, impact.overlapping) == (0.0, depth is not None)
    assert impact.depth == (None if depth is None else pytest.approx(depth, rel=1e-3, abs=1e-12))


@pytest.mark.parametrize("z", [-0.125, -0.5])
def test_a_start_in_overlap_is_reported_with_its_depth(z):
    impact = abut.time_of_impact(Solid(*tetrahedron()), FLOOR, (Pose((0, 0, z)), Pose((0, 0, 5))))
    assert impact.overlapping and impact.time == 0.0 and 0.0 < impact.depth <= abs(z) + 1e-12


def test_a_part_inside_another_overlaps():
    small = Solid(*cube((-0.1, -0.1, -0.6), (0.2, 0.2, 0.2)))
    impact = abut.time_of_impact(small, FLOOR, (Pose(), Pose((0, 0, 1))))
    assert impact.overlapping and impact.depth == pytest.approx(0.5, rel=1e-3)


def test_the_memory_changes_no_answer(rng):
    a, b = bumpy(rng), bumpy(rng)
    old, X = ImpactPair(a, b), Pose((0, 0, 2.35))
    n_touch = 0
    for step in range(150):
        large = step % 25 == 24
        way, turn = rng.normal(size=(2, 3)) * np.array((0.5, 0.5) if large else (0.01, 0.02))[:, None]
        motion = Motion(X, way - (0, 0, 0.02), turn)
        seen, new = old.time_of_impact(motion, gap=1e-4), abut.time_of_impact(a, b, motion, gap=1e-4)
        assert (seen is None) == (new is None)
        if new is not None:
            n_touch += 1
            assert seen.time == pytest.approx(new.time, abs=1e-4) and seen.overlapping == new.overlapping
            X = Pose((0, 0, 2.35), quat_wxyz=X.quat_wxyz)
        else:
            X = motion.at(1.0)
    assert 2 < n_touch < 100


@pytest.mark.parametrize("b", [FLOOR, HalfSpace((0, 0, 1), 0.0)])
def test_a_start_within_a_gap_is_not_remembered_as_that_far_apart(b):
    """A pair that was asked with a gap of 10 mm while it was 5 mm apart let the next motion pass through."""
    pair = ImpactPair(DIE, b)
    assert pair.time_of_impact((Pose((0, 0, 0.005)), Pose((0, 0, 1))), gap=0.01).time == 0.0
    assert pair.time_of_impact((Pose((0, 0, 0.005)), Pose((0, 0, -0.003)))).time == pytest.approx(0.625, abs=1e-3)


def test_a_pair_that_knows_itself_apart_looks_at_nothing(monkeypatch):
    pair = ImpactPair(DIE, FLOOR)
    assert pair.time_of_impact((Pose((0, 0, 1)), Pose((0, 0, 1.01)))) is None
    monkeypatch.setattr(pair, "_first_touch", lambda *_: pytest.fail("looked again"))
    assert pair.time_of_impact((Pose((0, 0, 1.01)), Pose((0, 0, 0.9)))) is None


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_peg_that_knows_its_clearance_looks_at_nothing(monkeypatch, exchanged):
    """Also where it is the larger part that moves."""
    ring, peg = peg_ring(0.025025), Solid.cylinder(radius=0.025, height=0.08, segments=64)
    pair, step = ImpactPair(*((ring, peg) if exchanged else (peg, ring))), (0, 0, -2e-6)
    for k in range(3):
        assert pair.time_of_impact(Motion(Pose((0, 0, 0.01 + k * step[2])), step), Pose()) is None
    monkeypatch.setattr(pair, "_first_touch", lambda *_: pytest.fail("looked again"))
    assert pair.time_of_impact(Motion(Pose((0, 0, 0.01 + 3 * step[2])), step), Pose()) is None
    with pytest.raises(pytest.fail.Exception, match="looked again"):
        pair.time_of_impact(Motion(Pose((0, 0, 0.01)), (3e-5, 0, 0)), Pose())


def test_a_walk_through_a_narrow_place_asks_for_overlap_only_once(monkeypatch):
    """Where one motion ends the next begins, and no overlap need be looked for, however little is left to remember."""
    ring, peg = peg_ring(0.025025), Solid.cylinder(radius=0.025, height=0.08, segments=64)
    pair, X, step = ImpactPair(peg, ring), Pose((0, 0, 0.01)), Motion(Pose(), (4e-6, 0, -2e-6), (0, 0, 1e-5))
    for k in range(6):
        motion = Motion(X, step.displacement, step.rotvec)
        assert pair.time_of_impact(motion, Pose()) is None
        X = motion.at(1.0)
        if k == 0:
            monkeypatch.setattr(pair, "_overlap", lambda *_: pytest.fail("asked again"))


@pytest.mark.parametrize("a", ["peg", "ring"])
def test_the_memory_changes_no_answer_in_a_narrow_place(rng, a):
    """Steps that use up the clearance after a while, asked of a pair that remembers and of a new one."""
    ring, peg = peg_ring(0.025025), Solid.cylinder(radius=0.025, height=0.08, segments=64)
    parts = (peg, ring) if a == "peg" else (ring, peg)
    old, X, n_touch = ImpactPair(*parts), Pose((0, 0, 0.01)), 0
    for _ in range(150):
        motion = Motion(X, 4e-6 * rng.normal(size=3), 4e-5 * rng.normal(size=3))
        seen, new = old.time_of_impact(motion, gap=1e-6), abut.time_of_impact(*parts, motion, gap=1e-6)
        assert (seen is None) == (new is None)
        if new is not None:
            n_touch += 1
            assert seen.time == pytest.approx(new.time, abs=1e-3)
            X = Pose((0, 0, 0.01))
        else:
            X = motion.at(1.0)
    assert 2 < n_touch < 75


@pytest.mark.parametrize("a", [HalfSpace((0, 0, 1), 0.0), Sphere(0.5), DIE])
@pytest.mark.parametrize("b", [Sphere(0.5), DIE])
def test_the_memory_changes_no_answer_of_balls_and_half_spaces(rng, a, b):
    old, X, n_touch = ImpactPair(a, b), Pose((0, 0, 1.8)), 0
    for _ in range(60):
        motion = Motion(X, 0.1 * rng.normal(size=3), 0.2 * rng.normal(size=3))
        seen, new = old.time_of_impact(None, motion, gap=1e-3), abut.time_of_impact(a, b, None, motion, gap=1e-3)
        assert (seen is None) == (new is None)
        assert new is None or seen.time == pytest.approx(new.time, abs=1e-3)
        n_touch += new is not None
        X = motion.at(1.0) if new is None else Pose((0, 0, 1.8), quat_wxyz=X.quat_wxyz)
    assert n_touch < 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((DIE, "floor"), "b: expected a Solid, Sphere, Capsule or HalfSpace, got str"),
        ((DIE, FLOOR, 3.0), r"motion_a: expected \(X_0, X_1\), a Motion or a Pose, got float"),
        ((DIE, FLOOR, None, None, -1.0), "gap: expected a number not smaller than 0, got -1"),
        ((DIE, FLOOR, None, None, np.nan), "gap: expected a finite number"),
        ((HalfSpace((0, 0, 1), 0.0), HalfSpace((0, 0, 1), 0.0)), "two half-spaces have no bounds"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(abut.InputError, match=message):
        abut.time_of_impact(*arguments)


def test_whatever_the_caller_passes_one_specialisation_is_compiled(compiled_signatures):
    for gap in (0, 1, np.float32(0.5)):
        abut.time_of_impact(DIE, FLOOR, (Pose((0, 0, 3)), np.eye(4)), gap=gap)
    assert len(compiled_signatures(swept_search_kernels.first_touch)) == 1
