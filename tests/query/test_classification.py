"""Points and segments against the index of a B-rep: the published sequence, rational oracles, degenerate cases."""

from fractions import Fraction as F

import numpy as np
import pytest

import abut
from abut.query import Place, classify_edges, classify_points, classify_segment, classify_segments
from abut.query.classification import classify as classification
from abut.query.classification import edge_kernels, few_edges_kernels, place_kernels, sequence_kernels, span_kernels
from abut.query.classification.brep_index import brep_index_of
from query import naive
from query.exact_classification import ExactPart, fractions


def extruded(outline, height, holes=()):
    return abut.Solid.extrude(np.array(outline, float), height, holes=[np.array(h, float) for h in holes])


def gridded_box():
    """A box of side 4 about the origin, each face of eight triangles around a vertex in its middle."""
    quads = [(u, v) for u in (-2, 0) for v in (-2, 0)]
    points, faces = {}, []
    for axis in range(3):
        for side in (-2, 2):
            for u, v in quads:
                square = [(u, v), (u + 2, v), (u + 2, v + 2), (u, v + 2)]
                corners = [tuple(np.roll((side, a, b), axis)) for a, b in square]
                ids = [points.setdefault(corner, len(points)) for corner in corners]
                faces.append(ids if side > 0 else ids[::-1])
    return abut.Solid(np.array(list(points), float), faces)


def two_cubes(offset):
    a, b = naive.box((2, 2, 2), (-1, -1, -1)), naive.box((2, 2, 2), np.array(offset, float))
    vertices, inverse = np.unique(np.concatenate((a.vertices, b.vertices)), axis=0, return_inverse=True)
    faces = np.concatenate((a.triangles, b.triangles + len(a.vertices)))
    return abut.Solid(vertices, inverse.reshape(-1)[faces])


PARTS = {
    "box": naive.box((4, 4, 4)),
    "gridded box": gridded_box(),
    "tetrahedron": abut.Solid(
        [(-2, -2, -2), (3, -2, -1), (-1, 3, -2), (0, 0, 3)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    ),
    "L": extruded([(-2, -2), (2, -2), (2, 0), (0, 0), (0, 2), (-2, 2)], 2),
    "with a hole": extruded([(-3, -3), (3, -3), (3, 3), (-3, 3)], 2, [[(-1, -1), (1, -1), (1, 1), (-1, 1)]]),
    "hollow": naive.hollow_box(4.0, 2.0),
    "cubes with a common edge": two_cubes((1, 1, -1)),
    "cubes with a common corner": two_cubes((1, 1, 1)),
}


@pytest.fixture(scope="module", params=list(PARTS))
def part(request):
    solid = PARTS[request.param]
    assert solid.closed
    return solid, ExactPart(solid)


# Known answers -------------------------------------------------------------------------------------------------------


def test_the_published_sequence():
    """[(q1, out), out, (e1, p1), in, (f1, p2), out, (e2, p3), f2, (v1, p4), out, (q2, out)] of Bouma and Vaněček."""
    ridge = extruded([(0.5, -3), (6, -3), (5, 0), (3, 0), (2.5, -1), (1.5, 1), (1, 0)], 2)
    top = ridge.bounds[1, 2]
    found = classify_segment(ridge, (0, 0, top - 1.5), (7, 0, top + 0.6))
    assert [word if word in ("in", "out") else word[0] for word in found.words] == [
        *("out", "out", "e", "in", "f", "out", "e", "f", "v", "out", "out")
    ]
    np.testing.assert_allclose([point.point[0] for point in found.points], [0, 1, 2, 3, 5, 7], atol=1e-9)
    np.testing.assert_allclose(ridge.vertices[found.points[4].what.index], (5, 0, top))
    assert repr(found).startswith("[(q1, out), out, (e") and repr(found).endswith(", p4), out, (q2, out)]")


@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        pytest.param(
            (-2, 0.1, 0.2), (2, 0.1, 0.2), "[(q1, out), out, (f0, p1), in, (f1, p2), out, (q2, out)]", id="through"
        ),
        pytest.param(
            (-2, 1, 0), (2, 1, 0), "[(q1, out), out, (e9, p1), f3, (e17, p2), out, (q2, out)]", id="in a face"
        ),
        pytest.param(
            (-2, 1, 1), (2, 1, 1), "[(q1, out), out, (v3, p1), e12, (v7, p2), out, (q2, out)]", id="along an edge"
        ),
        pytest.param((0, 0, 0), (2, 2, 2), "[(q1, in), in, (v7, p1), out, (q2, out)]", id="out of a corner"),
        pytest.param((0, 0, 1), (0.0, 0.5, 1), "[(f5, p1), f5, (f5, p2)]", id="all in a face"),
        pytest.param((0, 0, 0), (0, 0, 0), "[(q1, in)]", id="a point"),
        pytest.param((0, 0, 1), (0, 0, 1), "[(f5, p1)]", id="a point of a face"),
        pytest.param((3, 0, 0), (4, 0, 0), "[(q1, out), out, (q2, out)]", id="far away"),
        pytest.param((0, 2, 0), (2, 0, 0), "[(q1, out), out, (e17, p1), out, (q2, out)]", id="touching an edge"),
        pytest.param((1, 0, 0), (3, 0, 0), "[(f1, p1), out, (q2, out)]", id="from a face"),
        pytest.param((0, 0, 1 - 1e-7), (0, 0, 1 + 1e-7), "[(f5, p1), f5, (f5, p2)]", id="shorter than the tolerance"),
    ],
)
def test_segments_and_a_box(p, q, said):
    assert repr(classify_segment(abut.Solid.box((2, 2, 2)), p, q)) == said


def test_points_are_where_the_segment_meets_things():
    found = classify_segment(abut.Solid.box((2, 2, 2)), (-2, 0, 0), (2, 0, 0))
    assert [point.t for point in found.points] == [0.0, 0.25, 0.75, 1.0]
    np.testing.assert_allclose([point.point for point in found.points], [(-2, 0, 0), (-1, 0, 0), (1, 0, 0), (2, 0, 0)])
    assert found.stretches[1].what == "in" and found.points[1].what == abut.Feature("face", 0)


def test_points_and_a_box():
    found = classify_points(abut.Solid.box((2, 2, 2)), [(0, 0, 0), (3, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)])
    assert [found[i] for i in range(5)] == [
        *("in", "out"),
        *(abut.Feature("face", 1), abut.Feature("edge", 17), abut.Feature("vertex", 7)),
    ]
    assert found.inside.tolist() == [True, False, False, False, False]
    assert found.on.tolist() == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("shape", "p", "q", "words"),
    [
        (abut.Sphere(1.0), (-2, 0, 0), (2, 0, 0), "out out f0 in f0 out out"),
        (abut.Sphere(1.0), (-2, 0, 1), (2, 0, 1), "out out f0 out out"),
        (abut.Sphere(1.0), (0, 0, 0), (0, 0, 0), "in"),
        (abut.Capsule(1.0, 2.0), (0, 1, -3), (0, 1, 3), "out out f0 f0 f0 out out"),
        (abut.Capsule(1.0, 2.0), (0, 0, -4), (0, 0, 4), "out out f0 in f0 out out"),
        (abut.Capsule(1.0, 2.0), (0, 0, 3), (0, 0, 4), "out out out"),
        (abut.HalfSpace((0, 0, 1), 1.0), (0, 0, 0), (0, 3, 4), "in in f0 out out"),
        (abut.HalfSpace((0, 0, 1), 1.0), (0, 0, 1), (0, 3, 1), "f0 f0 f0"),
    ],
)
def test_formulas_have_one_face(shape, p, q, words):
    assert classify_segment(shape, p, q).words == words.split()


def test_points_and_formulas():
    assert classify_points(abut.Sphere(1.0), [(0, 0, 0), (0, 0, 1), (0, 2, 0)]).place.tolist() == [3, 2, 4]
    assert classify_points(abut.HalfSpace(), [(0, 0, -1), (5, 5, 1e-7), (0, 2, 1)]).place.tolist() == [3, 2, 4]


# Laws and oracles ----------------------------------------------------------------------------------------------------


def test_points_on_a_grid_are_where_rational_arithmetic_says(part, rng, times):
    """Most of them lie on vertices, edges, in planes of faces and in the extensions of these."""
    solid, exact = part
    points = rng.integers(-8, 9, (times(150, 2000), 3)) / 2.0
    found = classify_points(solid, points, tolerance=1e-9)
    assert words_of(found) == [exact.name(fractions(p)) for p in points]


def test_points_near_the_surface_are_where_rational_arithmetic_says(part, rng, times):
    """At distances of up to two tolerances from vertices, edges and faces; the nearest of several is named."""
    solid, exact = part
    tolerance = 2.0**-7
    corners = solid.vertices[solid.triangles[rng.integers(0, len(solid.triangles), times(150, 2000))]]
    weights = rng.choice(
        [(1, 0, 0), (0.5, 0.5, 0), (0.25, 0.25, 0.5), (0.99, 0.01, 0), (0.5, 0.49, 0.01)], len(corners)
    )
    points = np.einsum("nk,nkc->nc", weights, corners) + tolerance * rng.uniform(-2, 2, corners[:, 0].shape)
    found = classify_points(solid, points, tolerance=tolerance)
    assert words_of(found) == [exact.name(fractions(p), F(tolerance) ** 2) for p in points]


def test_segments_between_points_of_a_grid_run_as_rational_arithmetic_says(part, rng, times):
    """Through vertices, along edges, in faces, across holes, through cavities and edges with two wedges of material."""
    solid, exact = part
    p, q = rng.integers(-4, 5, (2, times(150, 3000), 3)).astype(float)
    q[(p == q).all(axis=1)] += 1.0
    found = classify_segments(solid, p, q, tolerance=1e-9)
    for i in range(len(p)):
        assert found[i].words == exact.sequence(fractions(p[i]), fractions(q[i])), (p[i], q[i])


def test_random_segments_run_as_rational_arithmetic_says(part, rng, times):
    solid, exact = part
    p, q = rng.uniform(-4, 4, (2, times(60, 1000), 3))
    found = classify_segments(solid, p, q, tolerance=1e-9)
    for i in range(len(p)):
        assert found[i].words == exact.sequence(fractions(p[i]), fractions(q[i])), (p[i], q[i])


@pytest.mark.parametrize("tolerance", [1e-9, 1e-6, 1e-3])
def test_every_item_is_true_within_the_tolerance(part, rng, tolerance):
    """Of what lies near in the middle of an item, none is lower, and the item is among the lowest."""
    solid, exact = part
    p, q = rng.integers(-4, 5, (2, 60, 3)) + tolerance * rng.uniform(-1, 1, (2, 60, 3))
    found = classify_segments(solid, p, q, tolerance=tolerance)
    stretch, words = found.stretch, [word for one in found for word in one.words]
    for k in np.flatnonzero(stretch & (found.part[:, 1] > found.part[:, 0])):
        middle = fractions(found.points[k])
        names = {f"{a}{b}" for (a, b), _ in exact.within(middle, F(tolerance) ** 2 * F(1001, 1000))}
        if words[k] in ("in", "out"):
            assert not {f"{a}{b}" for (a, b), _ in exact.within(middle, F(tolerance) ** 2 * F(999, 1000))}
            assert words[k] == ("in" if exact.winding(middle) else "out")
        else:
            assert words[k] in names


def test_sequences_alternate_from_end_to_end(part, rng):
    solid, _ = part
    p, q = rng.integers(-4, 5, (2, 200, 3)) + 1e-7 * rng.uniform(-1, 1, (2, 200, 3))
    found = classify_segments(solid, p, q)
    for one in found:
        assert len(one) % 2 == 1 and one.points[0].t == 0.0 and one.points[-1].t == 1.0
        t = [point.t for point in one.points]
        assert t == sorted(t)
        assert all(w != "v" for w in (s.what if isinstance(s.what, str) else s.what.kind[0] for s in one.stretches))


def test_backwards_is_the_same_in_reverse(part, rng):
    solid, _ = part
    p, q = rng.integers(-4, 5, (2, 200, 3)).astype(float)
    there, back = classify_segments(solid, p, q, tolerance=1e-9), classify_segments(solid, q, p, tolerance=1e-9)
    assert [one.words for one in there] == [one.words[::-1] for one in back]


def test_a_pose_carries_the_part(random_pose, rng):
    solid, X = PARTS["L"], random_pose(3.0)
    p, q = rng.integers(-3, 4, (2, 100, 3)).astype(float)
    here = classify_segments(solid, p, q)
    there = classify_segments(solid, X.apply(p), X.apply(q), pose=X)
    assert [one.words for one in here] == [one.words for one in there]
    np.testing.assert_allclose(X.apply(here.points), there.points, atol=1e-9)
    np.testing.assert_array_equal(classify_points(solid, p).place, classify_points(solid, X.apply(p), pose=X).place)


def test_in_and_out_are_those_of_contains(rng):
    for solid in (naive.torus(40, 24, bumps=0.2), abut.Solid.sphere(1.0), abut.Solid.cylinder(1.0, 1.0, segments=256)):
        points = rng.uniform(-1.4, 1.4, (3000, 3))
        np.testing.assert_array_equal(
            classify_points(solid, points, tolerance=1e-11).inside, abut.contains(solid, points)
        )


def test_own_vertices_edges_and_faces_are_named(rng):
    """Of round parts, too, where features are many and angles small."""
    for solid in (naive.torus(40, 24), abut.Solid.sphere(1.0), abut.Solid.cylinder(1.0, 1.0, segments=200)):
        sharp = np.flatnonzero(solid.edges.kind != abut.EdgeKind.FLAT)
        vertices = np.unique(solid.edges.vertices[sharp])
        on = classify_points(solid, solid.vertices[vertices], tolerance=1e-9)
        assert (on.place == Place.VERTEX).all() and (on.index == vertices).all()
        a, b = solid.vertices[solid.edges.vertices[sharp]].transpose(1, 0, 2)
        on = classify_points(solid, 0.5 * (a + b), tolerance=1e-9)
        assert (on.place == Place.EDGE).all() and (on.index == sharp).all()
        along = classify_segments(solid, a, b, tolerance=1e-9)
        assert (np.diff(along.first) == 3).all()
        assert (along.index.reshape(-1, 3)[:, 1] == sharp).all()
        on = classify_points(solid, solid.vertices[solid.triangles].mean(axis=1), tolerance=1e-9)
        assert (on.place == Place.FACE).all() and (on.index == solid.faces.of_triangle).all()


def test_edges_of_another_part_are_as_its_segments(random_pose, rng):
    a, b = PARTS["L"], naive.torus(24, 10)
    X_a, X_b = random_pose(1.0), random_pose(1.0)
    numbers, found = classify_edges(a, b, X_a, X_b)
    sharp = np.flatnonzero(b.edges.kind != abut.EdgeKind.FLAT)
    ends = X_b.apply(b.vertices)[b.edges.vertices[sharp]]
    every = classify_segments(a, ends[:, 0], ends[:, 1], pose=X_a)
    met = [i for i in range(len(sharp)) if set(every[i].words) != {"out"}]
    assert numbers.tolist() == sharp[met].tolist() and len(met) > 3
    assert [one.words for one in found] == [every[i].words for i in met]


def test_edges_that_are_far_or_inside():
    box, small = naive.box((4, 4, 4)), naive.box()
    numbers, found = classify_edges(box, small, None, abut.Pose((9, 0, 0)))
    assert len(numbers) == len(found) == 0
    numbers, found = classify_edges(box, small)
    assert len(numbers) == 12 and {word for one in found for word in one.words} == {"in"}
    assert len(classify_edges(abut.HalfSpace(), small, None, abut.Pose((0, 0, 0.5)))[0]) == 8


def test_parts_that_are_apart_nested_or_within_the_tolerance():
    """One look at both hierarchies says that all edges are out; it must not where a part is inside or just touches."""
    hollow = abut.Solid.box(0.2) - abut.Solid.box(0.1)
    small, shift = abut.Solid.box(0.02), 0.11
    assert len(classify_edges(hollow, small)[0]) == 0  # in the cavity
    assert len(classify_edges(hollow, small, None, abut.Pose((0.075, 0, 0)))[0]) == 12  # in the material
    assert len(classify_edges(hollow, small, None, abut.Pose((0, 0, shift + 1e-4)))[0]) == 0
    edges, places = classify_edges(hollow, small, None, abut.Pose((0, 0, shift + 5e-7)), tolerance=1e-6)
    assert len(edges) == 8 and all("f" in str(place) for place in places)  # four lie on it, four end there
    assert len(classify_edges(hollow, small, None, abut.Pose((0, 0, shift + 2e-6)), tolerance=1e-6)[0]) == 0
    two = abut.Solid.box(0.02) | abut.Solid.box(0.02).transformed(abut.Pose((0.075, 0, 0)))
    assert len(classify_edges(hollow, two)[0]) == 12  # of its two shells one is in the cavity, one in the material


@pytest.mark.parametrize("deep", [-1e-4, 0.0, 1e-7, 1e-4, 1e-2, 0.2])
def test_edges_of_parts_that_touch_in_a_few_places(random_pose, deep, times):
    """Only triangles that are near are looked at, if that is all that can be: the same as of all edges."""
    a, b, found_any = naive.torus(40, 24, bumps=0.2), naive.torus(24, 14, bumps=0.3), 0
    sharp = np.flatnonzero(b.edges.kind != abut.EdgeKind.FLAT)
    for _ in range(times(4, 40)):
        X_a, X_b = random_pose(0.1), random_pose(0.1)
        way = np.array((9.0, 0.3, 0.2))
        for _ in range(60):  # until they touch
            gap = abut.distance(a, b, X_a, abut.Pose(X_b.position + way, quat_wxyz=X_b.quat_wxyz)).distance
            way = way * (1.0 - gap / np.linalg.norm(way))
        way = way * (1.0 - deep / np.linalg.norm(way))
        X_b = abut.Pose(X_b.position + way, quat_wxyz=X_b.quat_wxyz)
        numbers, found = classify_edges(a, b, X_a, X_b)
        ends = X_b.apply(b.vertices)[b.edges.vertices[sharp]]
        every = classify_segments(a, ends[:, 0], ends[:, 1], pose=X_a)
        met = [i for i in range(len(sharp)) if set(every[i].words) != {"out"}]
        assert numbers.tolist() == sharp[met].tolist()
        assert [one.words for one in found] == [every[i].words for i in met]
        found_any += len(met)
    assert found_any > 0 or deep < 0


def on_a_grid(rng):
    """A pose that carries a grid to itself, so that edges lie along edges and in faces, and corners on corners."""
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3)[rng.permutation(3)] * rng.choice((-1, 1), 3)
    matrix[:3, 2] *= np.linalg.det(matrix[:3, :3])
    matrix[:3, 3] = rng.integers(-5, 6, 3)
    return abut.Pose.from_matrix(matrix)


@pytest.mark.parametrize(("anywhere", "places"), [(False, {0, 1, 2, 4}), (True, {2, 3, 4})])
def test_a_few_edges_in_one_call_are_said_as_many_are(monkeypatch, random_pose, rng, times, anywhere, places):
    """With and without room for a few triangles: the same edges, sequences and points."""
    parts, say, calls, said = list(PARTS.values()), classification.say_edges, [], set()
    monkeypatch.setattr(classification, "say_edges", lambda *given: calls.append(1) or say(*given))
    for _ in range(times(300, 5000)):
        a, b = (parts[k] for k in rng.integers(0, len(parts), 2))
        X_a, X_b = (random_pose(2.5), random_pose(2.5)) if anywhere else (on_a_grid(rng), on_a_grid(rng))
        before = len(calls)
        numbers, found = classify_edges(a, b, X_a, X_b)
        if len(calls) == before:
            continue
        said |= set(found.place.tolist())
        with monkeypatch.context() as many:
            many.setattr(classification, "_FEW", 0)
            others, expected = classify_edges(a, b, X_a, X_b)
        assert len(calls) == before + 1 and numbers.tolist() == others.tolist()
        for table in ("first", "place", "index", "part"):
            np.testing.assert_array_equal(getattr(found, table), getattr(expected, table))
        np.testing.assert_allclose(found.points, expected.points, rtol=0, atol=1e-14)
    assert len(calls) > 15 and said >= places


def test_size_grows_with_the_number_of_triangles():
    """The planes of a cylinder or a sphere form a chain as deep as they are many; those of the index do not."""
    for solid in (abut.Solid.cylinder(1.0, 1.0, segments=512), abut.Solid.sphere(1.0, subdivisions=4)):
        index, n = brep_index_of(solid), len(solid.triangles)
        assert index.depth < 30 and len(index.axis) < 6 * n and len(index.filed) < 12 * n


def test_an_index_is_built_once():
    solid = abut.Solid.box()
    assert brep_index_of(solid) is brep_index_of(solid)


# Bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classify_points(OPEN_BOX, (0, 0, 0)), "the surface of part 'lid' is not closed"),
        (lambda: classify_segment(OPEN_BOX, (0, 0, 0), (1, 0, 0)), "the surface of part 'lid' is not closed"),
        (
            lambda: classify_points(naive.box(), (0, 0, 0), tolerance=2.0),
            r"tolerance: 2 m is not less than half .* \(1 m\)",
        ),
        (lambda: classify_points(abut.Sphere(0.1), (0, 0, 0), tolerance=0.1), "tolerance: 0.1 m is not less than half"),
        (lambda: classify_points(naive.box(), (0, 0, 0), tolerance=1e-15), "tolerance: 1e-15 m is less than rounding"),
        (lambda: classify_points(naive.box(), (0, 0, 0), tolerance=0.0), "tolerance: expected a number greater than 0"),
        (lambda: classify_points(naive.box(), (0, 0, 0), tolerance=np.nan), "tolerance: expected a finite number"),
        (lambda: classify_points(naive.box(), (0, 0, np.inf)), "points: row 0 is not finite"),
        (lambda: classify_points("box", (0, 0, 0)), "part: expected a Solid, Sphere, Capsule or HalfSpace"),
        (lambda: classify_segment(naive.box(), (0, 0, np.nan), (1, 0, 0)), "p: row 2 is not finite"),
        (lambda: classify_segment(naive.box(), (0, 0), (1, 0, 0)), "p: expected 3 numbers"),
        (
            lambda: classify_segments(naive.box(), np.zeros((2, 3)), np.zeros((3, 3))),
            "ends: expected one for each of 2",
        ),
        (lambda: classify_edges(naive.box(), abut.Sphere(1.0)), "other: expected a Solid, whose edges"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, message):
    with pytest.raises(abut.InputError, match=message):
        call()


OPEN_BOX = abut.Solid(naive.box().vertices, naive.box().triangles[1:], name="lid")


def test_one_specialisation_is_compiled(compiled_signatures):
    for cast in (list, np.float32, np.asfortranarray):
        classify_segments(naive.box(), cast(np.zeros((2, 3))), np.ones((2, 3)))
        classify_points(naive.box(), cast(np.zeros((2, 3))))
    classify_segments(abut.Sphere(1.0), np.zeros((2, 3)), np.ones((2, 3)))
    classify_edges(naive.box(), naive.box())
    for kernel in (
        *(span_kernels.find_spans, sequence_kernels.put_sequences, sequence_kernels.place_stretches),
        *(place_kernels.name_points, edge_kernels.edges_not_out, few_edges_kernels.say_edges),
    ):
        assert len(compiled_signatures(kernel)) == 1


def words_of(found):
    names = [found[i] for i in range(len(found))]
    return [name if isinstance(name, str) else f"{name.kind[0]}{name.index}" for name in names]
