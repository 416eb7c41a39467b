"""Clearance of assemblies: closed forms, other ways to the same answer, then what must not be left out."""

import numpy as np
import pytest

import abut
from abut import Pose, Solid
from abut.query.distance.distance import distance_within
from query import naive

pytestmark = pytest.mark.needs_jit

BOX = Solid.box(0.1, name="box")


def at(x, y=0.0, z=0.0):
    return Pose((x, y, z))


def fit(gap, n=64, turn=0.0):
    """A shaft and a plate with a hole that is wider by `gap` [m] all around, as a CAD system would make triangles."""
    shaft = Solid.cylinder(5e-3, 0.012, segments=n, name="shaft")
    ring = [(5e-3 + gap, -5e-3), (0.02, -5e-3), (0.02, 5e-3), (5e-3 + gap, 5e-3)]
    plate = Solid.revolve(ring, segments=n, name="plate")
    return [("shaft", shaft, Pose.from_rotvec((0, 0, 0), (0, 0, turn))), ("plate", plate)]


@pytest.mark.parametrize(
    ("x", "state", "distance", "depth", "volume"),
    [
        pytest.param(0.1005, "free", 5e-4, 0.0, 0.0, id="half a millimetre apart"),
        pytest.param(0.1 + 5e-8, "touching", 5e-8, 0.0, 0.0, id="nearer than the tolerance"),
        pytest.param(0.1, "touching", 0.0, 0.0, 0.0, id="faces on each other"),
        pytest.param(0.1 - 5e-8, "touching", 0.0, 5e-8, 5e-8 * 0.01, id="overlapping by less than the tolerance"),
        pytest.param(0.099, "overlapping", 0.0, 1e-3, 1e-5, id="a millimetre in each other"),
    ],
)
def test_two_boxes(x, state, distance, depth, volume):
    (pair,) = abut.clearance([("a", BOX), ("b", BOX, at(x))]).pairs
    assert (pair.a, pair.b, pair.state) == ("a", "b", state)
    assert pair.distance == pytest.approx(distance, abs=1e-14) and pair.depth == pytest.approx(depth, abs=1e-13)
    assert pair.lower <= distance + 1e-13 and distance - 1e-13 <= pair.upper <= pair.distance + 1e-12
    assert pair.depth_lower <= depth + 1e-13 and depth - 1e-13 <= pair.depth_upper
    assert pair.volume == pytest.approx(volume, rel=1e-6, abs=1e-15)
    assert pair.nominal_gap == pytest.approx(x - 0.1, abs=1e-14)
    np.testing.assert_allclose(pair.normal, (1, 0, 0), atol=1e-9)
    assert pair.feature_a.kind in ("face", "edge", "vertex") and pair.surface_a == "plane"
    assert np.linalg.norm(pair.point_a - pair.point_b) == pytest.approx(max(distance, depth), abs=1e-12)


def test_the_state_counts_chord_errors_and_bounds_hold_for_the_true_shapes():
    """Shaft and hole of one diameter: the triangles overlap by 6 µm, which is what they are known to be wrong by."""
    chord = 5e-3 * (1.0 - np.cos(np.pi / 64))
    (pair,) = abut.clearance(fit(0.0, turn=np.pi / 64)).pairs
    assert pair.state == "touching" and pair.nominal_gap == pytest.approx(0.0, abs=1e-15)
    assert pair.depth == pytest.approx(chord, rel=1e-6) and pair.lower == 0.0 and pair.upper == pytest.approx(chord)
    for gap in (3e-6, 2e-5, 1e-4):
        (pair,) = abut.clearance(fit(gap, turn=0.013)).pairs
        assert pair.lower <= gap <= pair.upper and pair.nominal_gap == pytest.approx(gap, rel=1e-9)
    (pair,) = abut.clearance(fit(-5e-5)).pairs
    assert pair.state == "overlapping" and pair.nominal_gap == pytest.approx(-5e-5, rel=1e-9)
    assert {pair.surface_a, pair.surface_b} == {"shaft Ø10 mm", "hole Ø9.9 mm"}


def test_volumes_agree_with_booleans_and_depth_with_the_normal():
    ball, rod = Solid.sphere(0.02), Solid.cylinder(0.01, 0.1, segments=24)
    X = Pose.from_rotvec((0.022, 0.003, 0.001), (0.3, 0.1, 0))
    (pair,) = abut.clearance([("ball", ball), ("rod", rod, X)]).pairs
    assert pair.state == "overlapping" and pair.volume == pytest.approx((ball & rod.transformed(X)).volume, rel=1e-9)
    freed = Pose(X.position + 1.2 * pair.depth_upper * pair.normal, quat_wxyz=X.quat_wxyz)
    (later,) = abut.clearance([("ball", ball), ("rod", rod, freed)], within=0.05).pairs
    assert (later.depth or 0.0) < 0.3 * pair.depth, "moved along the normal, B leaves A"


def assembly(rng, n=14):
    shapes = [naive.torus(16, 8, 0.01, 0.003), Solid.box(0.012), Solid.sphere(0.007, subdivisions=2)]
    for i in range(n):
        X = Pose(rng.uniform(-0.03, 0.03, 3), quat_wxyz=rng.normal(size=4))
        yield abut.PlacedPart(f"p{i}", shapes[i % 3], X)


def test_every_pair_is_listed_or_counted_as_a_loop_over_all_of_them_would(rng):
    parts = list(assembly(rng))
    report = abut.clearance(parts, within=3e-3)
    near = {}
    for i, a in enumerate(parts):
        for b in parts[i + 1 :]:
            found = abut.distance(a.solid, b.solid, a.pose, b.pose).distance
            if found <= 3e-3:
                near[a.name, b.name] = found
    assert {(p.a, p.b): p.distance for p in report.pairs} == pytest.approx(near, rel=1e-12, abs=1e-15)
    assert len(report) + report.farther == 14 * 13 // 2 and sum(report.counts.values()) == 14 * 13 // 2
    for pair in report:
        a, b = parts[int(pair.a[1:])], parts[int(pair.b[1:])]
        assert (pair.distance == 0.0) == bool(abut.intersect(a.solid, b.solid, a.pose, b.pose))
    order = [{"overlapping": 0, "touching": 1, "free": 2}[p.state] for p in report.pairs]
    assert order == sorted(order) and report.interferences == report.having("overlapping")


def test_within_decides_what_is_looked_for_and_not_what_is_found(rng):
    parts = list(assembly(rng, 6))
    for a in parts:
        for b in parts:
            exact = abut.distance(a.solid, b.solid, a.pose, b.pose).distance
            for reach in (0.0, 0.5 * exact, exact, 2.0 * exact):
                found = distance_within(a.solid, b.solid, a.pose, b.pose, reach)
                assert (found is None) == (exact > reach * (1.0 + 1e-9)) or exact == pytest.approx(reach, rel=1e-9)
                assert found is None or found.distance == pytest.approx(exact, rel=1e-12, abs=1e-15)


def test_a_part_deep_inside_another_is_an_interference():
    (pair,) = abut.clearance([("house", BOX), ("ball", Solid.sphere(0.01))]).pairs
    assert pair.state == "overlapping" and pair.depth > 0.039
    assert pair.volume == pytest.approx(Solid.sphere(0.01).volume)


def test_copies_at_one_place_open_shells_and_a_single_part_are_named():
    report = abut.clearance([("a", BOX), ("a", BOX)])
    (pair,) = report.pairs
    assert report.parts == ("a", "a_2") and pair.state == "overlapping" and pair.volume == pytest.approx(1e-3)
    assert "'a' and 'a_2' stand at one place" in report.notes[0]
    lid = Solid(BOX.vertices, BOX.triangles[:-1], name="lid")
    report = abut.clearance([("lid", lid), ("box", BOX, at(0.05)), ("other", lid, at(0.03, 0.05, 0.02))])
    assert len(report.pairs) == 3 and sum("is not closed" in note for note in report.notes) == 2
    assert report.pair("lid", "other").depth is None and report.pair("lid", "other").state == "overlapping"
    assert report.pair("lid", "box").volume is None and report.pair("lid", "box").depth > 0.04
    assert abut.clearance([BOX]).notes == ("'box' is the only part: there are no pairs",)


def test_names_find_pairs():
    report = abut.clearance({"a": BOX, "b": (BOX, at(0.1003)), "c": (BOX, at(0.5))})
    assert report.pair("b", "a").distance == pytest.approx(3e-4) and report.pair("a", "c") is None
    assert report.farther == 2 and "1 pairs" not in repr(report.pairs[0])
    assert str(report.pairs[0]) == "'a' and 'b': 0.3 mm apart"
    with pytest.raises(abut.InputError, match="none is called 'd'; there are a, b, c"):
        report.pair("a", "d")


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        ([], {}, "parts: expected parts, got none"),
        (BOX, {}, "parts: expected a list of parts, as load_assembly returns, got Solid"),
        ([3], {}, r"parts\[0\]: expected a PlacedPart, a Solid or \(name, solid, pose\), got int"),
        ([("a", 3)], {}, r"parts\[0\]: expected a Solid, Sphere, Capsule or HalfSpace, got int"),
        ([BOX & BOX.translated((1, 0, 0))], {}, r"parts\[0\]: part 'box' is empty; leave it out"),
        ([BOX], {"within": -1.0}, "within: expected a number not smaller than 0, got -1"),
        ([BOX], {"tolerance": "x"}, "tolerance"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(parts, options, message):
    with pytest.raises(abut.InputError, match=message):
        abut.clearance(parts, **options)


def test_an_assembly_from_a_file(shared_data):
    parts = abut.load_assembly(shared_data("cad-step") / "box_sides.STEP")
    report = abut.clearance(parts)
    assert len(report.interferences) == 8
    for pair in report.interferences:
        assert pair.depth == pytest.approx(190.5e-6, rel=1e-6) and pair.nominal_gap == pytest.approx(
            -190.5e-6, rel=1e-6
        )
    assert report.counts == {"free": 29, "touching": 8, "overlapping": 8}


@pytest.mark.parametrize(
    ("z", "state", "distance", "depth"),
    [(0.0605, "free", 5e-4, 0.0), (0.06, "touching", 0.0, 0.0), (0.058, "overlapping", 0.0, 2e-3)],
)
@pytest.mark.parametrize(("ball", "low"), [(abut.Sphere(0.01), 0.01), (abut.Capsule(0.01, 0.03), 0.025)])
def test_shapes_that_are_formulas_are_in_the_matrix(ball, low, z, state, distance, depth):
    floor, z = abut.HalfSpace((0, 0, 1), 0.05), z - 0.01 + low
    for parts in ({"a": BOX, "b": (ball, at(0, 0, z))}, {"a": floor, "b": (ball, at(0, 0, z))}):
        (pair,) = abut.clearance(parts).pairs
        assert (pair.state, pair.volume is None) == (state, depth > 0.0)
        assert pair.distance == pytest.approx(distance, abs=1e-15) and pair.depth == pytest.approx(depth, abs=1e-15)
        np.testing.assert_allclose(pair.normal, (0, 0, 1), atol=1e-9)
        assert pair.surface_b == type(ball).__name__ and pair.nominal_gap is None
    report = abut.clearance([("box", BOX), ("floor", floor), ("ball", ball, at(1.0)), ("far", ball, at(0, 0, 3.0))])
    assert (len(report.pairs), report.farther) == (2, 4), "the ball and the box are on the floor"


def test_balls_in_a_cage_drawn_as_one_solid_are_interferences():
    """A bearing whose cage was drawn without pockets: each ball is in it, and said to be."""
    cage = Solid.revolve([(0.02, -2e-3), (0.03, -2e-3), (0.03, 2e-3), (0.02, 2e-3)], segments=48)
    angles = np.arange(4) * np.pi / 2
    balls = {f"ball_{k}": (Solid.sphere(1e-3), at(0.025 * np.cos(t), 0.025 * np.sin(t))) for k, t in enumerate(angles)}
    report = abut.clearance({"cage": cage, **balls})
    assert len(report.interferences) == 4 and all(pair.a == "cage" for pair in report.interferences)
    free = abut.loosen({"cage": cage, **balls})
    assert [(one.a, one.b) for one in free.left] == [("cage", f"ball_{k}") for k in range(4)] and free.insets == ()
    world = abut.World()
    with pytest.warns(abut.AssemblyWarning, match="4 pairs are drawn into each other"):
        world.add_assembly(free, fixed="cage")
    world.step()
