"""Elementary impacts of straight moving features: known answers, the exact oracle, queries with known truth, laws."""

import csv
from fractions import Fraction

import numpy as np
import pytest

from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from abut.query import impact_edge_edge, impact_vertex_face
from abut.query.impact import impact_interpolated_kernels as interpolated_kernels
from abut.query.impact import impact_linear_kernels as kernels
from query.exact_touch import exact_edge_edge, exact_vertex_face, plain

FACE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
EDGE = ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
KINDS = {
    "vertex-face": (impact_vertex_face, exact_vertex_face, (3,), (3, 3)),
    "edge-edge": (impact_edge_edge, exact_edge_edge, (2, 3), (2, 3)),
}
# What the docstring promises of the distance at the time returned, per largest difference of coordinates.
TOLERANCE = 1e-14


def moved(points, by):
    return np.asarray(points) + np.asarray(by, float)


def distances_at(kind, a_t0, b_t0, a_t1, b_t1, t):
    """Distance of each two features at its time."""
    s = t.reshape(-1, *(1,) * (a_t0.ndim - 1))
    a = a_t0 + s * (a_t1 - a_t0)
    b = b_t0 + t[:, None, None] * (b_t1 - b_t0)
    if kind == "vertex-face":
        ends = [(p, closest_point_triangle(tuple(p), *map(tuple, f))[0]) for p, f in zip(a, b, strict=True)]
    else:
        ends = [closest_segment_segment(*map(tuple, e), *map(tuple, f))[:2] for e, f in zip(a, b, strict=True)]
    return np.array([np.linalg.norm(np.subtract(p, q)) for p, q in ends])


@pytest.mark.parametrize(
    ("v_t0", "v_t1", "gap", "time"),
    [
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, -1), 0.0, 0.5, id="through the middle"),
        pytest.param((0.2, 0.2, -1), (0.2, 0.2, 3), 0.0, 0.25, id="from below: faces are two-sided"),
        pytest.param((0.5, 0.5, 1), (0.5, 0.5, -1), 0.0, 0.5, id="through the border"),
        pytest.param((1.0, 0.0, 1), (1.0, 0.0, -1), 0.0, 0.5, id="through a corner"),
        pytest.param((0.8, 0.8, 1), (0.8, 0.8, -1), 0.0, np.inf, id="past the border"),
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, 0.5), 0.0, np.inf, id="not far enough"),
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, 0.0), 0.0, 1.0, id="just touching at the end"),
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, -1), 0.5, 0.25, id="within a gap of the face"),
        pytest.param((-2.0, 0.5, 0), (2.0, 0.5, 0), 0.0, 0.5, id="in the plane of the face"),
        pytest.param((-2.0, 0.5, 0), (2.0, 0.5, 0), 1.0, 0.25, id="in the plane, within a gap of an edge"),
        pytest.param((-3.0, 0.0, 0.3), (1.0, 0.0, 0.3), 0.5, 0.65, id="within a gap of a corner"),
        pytest.param((0.2, 0.2, 0), (0.2, 0.2, 1), 0.0, 0.0, id="starts touching and leaves"),
        pytest.param((0.2, 0.2, 0.1), (0.2, 0.2, 1), 0.2, 0.0, id="starts closer than the gap"),
        pytest.param((0.2, 0.2, 0), (0.2, 0.2, 0), 0.0, 0.0, id="rests on the face"),
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, 1), 0.0, np.inf, id="rests above the face"),
        pytest.param((0.1, 0.1, 1e-9), (0.3, 0.3, 1e-9), 0.0, np.inf, id="slides along the face a nanometre above"),
    ],
)
def test_a_vertex_meets_a_resting_face(v_t0, v_t1, gap, time):
    assert impact_vertex_face(v_t0, FACE, v_t1, FACE, gap=gap)[0] == pytest.approx(time, abs=1e-14)


@pytest.mark.parametrize(
    ("b_t0", "by", "gap", "time"),
    [
        pytest.param(((0, -1, 1), (0, 1, 1)), (0, 0, -2), 0.0, 0.5, id="crossing"),
        pytest.param(((0, -1, 1), (0, 1, 1)), (0, 0, -2), 0.5, 0.25, id="crossing, within a gap"),
        pytest.param(((2, -1, 1), (2, 1, 1)), (0, 0, -2), 0.0, np.inf, id="past the end"),
        pytest.param(((1, -1, 1), (1, 1, 1)), (0, 0, -2), 0.0, 0.5, id="at the end"),
        pytest.param(((-1, 0, 1), (1, 0, 1)), (0, 0, -2), 0.0, 0.5, id="parallel, on top of each other"),
        pytest.param(((3, 0, 0), (4, 0, 0)), (-4, 0, 0), 0.0, 0.5, id="on one line, head on"),
        pytest.param(((3, 0.1, 0), (4, 0.1, 0)), (-4, 0, 0), 0.0, np.inf, id="parallel, passing beside"),
        pytest.param(((0, 0, 1), (0, 0, 1)), (0, 0, -2), 0.0, 0.5, id="an edge of no length"),
        pytest.param(((0, 0, 0), (0, 1, 0)), (0, 5, 0), 0.0, 0.0, id="starts touching"),
    ],
)
def test_an_edge_meets_a_resting_edge(b_t0, by, gap, time):
    found = impact_edge_edge(EDGE, b_t0, EDGE, moved(b_t0, by), gap=gap)
    assert found[0] == pytest.approx(time, abs=1e-14)
    assert impact_edge_edge(b_t0, EDGE, moved(b_t0, by), EDGE, gap=gap)[0] == pytest.approx(time, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reach", [1, 3])
def test_the_exact_first_touch_is_never_missed_and_never_passed(rng, kind, reach):
    """Oracle: small integer coordinates, in which every degenerate case there is comes up by itself."""
    impact, exact, shape_a, shape_b = KINDS[kind]
    count = 120
    a_t0, a_t1 = rng.integers(-reach, reach + 1, (2, count, *shape_a)).astype(float)
    b_t0, b_t1 = rng.integers(-reach, reach + 1, (2, count, *shape_b)).astype(float)
    times = impact(a_t0, b_t0, a_t1, b_t1)
    truths = [exact(*map(plain, query)) for query in zip(a_t0, b_t0, a_t1, b_t1, strict=True)]
    assert np.array_equal(np.isfinite(times), [truth is not None for truth in truths])
    hit = np.isfinite(times)
    assert hit.sum() > 5
    for time, truth in zip(times[hit], (t for t in truths if t), strict=True):
        assert Fraction(float(time)) <= truth.hi
        assert float(truth.hi) - time < 1e-6
    assert distances_at(kind, a_t0[hit], b_t0[hit], a_t1[hit], b_t1[hit], times[hit]).max() <= 8 * reach * TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
def test_random_impacts_come_at_the_exact_time(rng, kind):
    """Oracle: random coordinates with all their digits; transversal impacts are early by rounding only."""
    impact, exact, shape_a, shape_b = KINDS[kind]
    a_t0, a_t1 = rng.normal(size=(2, 400, *shape_a))
    b_t0, b_t1 = rng.normal(size=(2, 400, *shape_b))
    times = impact(a_t0, b_t0, a_t1, b_t1)
    hits = np.flatnonzero(np.isfinite(times))[:15]
    assert len(hits) == 15
    for i in [*hits, *np.flatnonzero(~np.isfinite(times))[:15]]:
        truth = exact(*(plain(x[i]) for x in (a_t0, b_t0, a_t1, b_t1)))
        if truth is None:
            assert times[i] == np.inf
        else:
            assert truth.hi - Fraction(1, 10**11) < Fraction(float(times[i])) <= truth.hi


def queries(folder):
    """(kind, points (n, 8, 3), truth (n,)) of every file; its rationals are all floats."""
    for path in sorted(folder.glob("*/*/*.csv")):
        with path.open() as file:
            table = np.array([[int(cell) for cell in line] for line in csv.reader(file)], object)
        points = (table[:, 0:6:2] / table[:, 1:6:2]).astype(float)
        yield path.parent.name, points.reshape(-1, 8, 3), table[::8, 6].astype(bool)


def run_queries(kind, points, **options):
    if kind == "vertex-face":
        return impact_vertex_face(points[:, 0], points[:, 1:4], points[:, 4], points[:, 5:8], **options)
    return impact_edge_edge(points[:, 0:2], points[:, 2:4], points[:, 4:6], points[:, 6:8], **options)


def test_no_query_with_known_truth_is_missed(shared_data):
    """2,679 queries; Tight Inclusion reports 233 of the 2,441 negatives, additive CCD 346."""
    missed = false_alarms = negatives = 0
    for kind, points, truth in queries(shared_data("ccd-queries")):
        hit = np.isfinite(run_queries(kind, points))
        missed += (truth & ~hit).sum()
        false_alarms += (hit & ~truth).sum()
        negatives += (~truth).sum()
    assert negatives == 2441
    assert missed == 0
    assert false_alarms <= 18


def test_false_alarms_are_nothing_but_rounding(shared_data):
    """Where a query is reported against the truth, the features come within 4e-15 of their size."""
    for kind, points, truth in queries(shared_data("ccd-queries")):
        times = run_queries(kind, points)
        wrong = points[np.isfinite(times) & ~truth]
        a, b = (wrong[:, 0], wrong[:, 1:4]) if kind == "vertex-face" else (wrong[:, 0:2], wrong[:, 2:4])
        c, d = (wrong[:, 4], wrong[:, 5:8]) if kind == "vertex-face" else (wrong[:, 4:6], wrong[:, 6:8])
        assert (distances_at(kind, a, b, c, d, times[np.isfinite(times) & ~truth]) < 4e-15).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["any", "flat", "thin", "resting", "passing through"])
@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_before_the_time_features_are_apart_and_at_it_within_the_gap(rng, kind, shape, gap):
    impact, _, shape_a, shape_b = KINDS[kind]
    count = 60
    a_t0, a_t1 = rng.normal(size=(2, count, *shape_a))
    b_t0, b_t1 = rng.normal(size=(2, count, *shape_b))
    if shape == "flat":
        for points in (a_t0, a_t1, b_t0, b_t1):
            points[..., 2] = 0.25
    if shape == "thin":
        b_t0[:, -1] = b_t0[:, 0] + 1e-10 * b_t0[:, -1]
        b_t1[:, -1] = b_t1[:, 0] + 1e-10 * b_t1[:, -1]
    if shape == "resting":
        a_t1, b_t1 = a_t0.copy(), b_t0.copy()
    if shape == "passing through":
        middle = 0.5 * (b_t0 + b_t1).mean(axis=1)
        a_t1 = 2.0 * (middle if kind == "vertex-face" else middle[:, None]) - a_t0
    times = impact(a_t0, b_t0, a_t1, b_t1, gap=gap)
    hit = np.isfinite(times)
    assert hit.all() or shape != "passing through"
    at_impact = distances_at(kind, a_t0[hit], b_t0[hit], a_t1[hit], b_t1[hit], times[hit])
    assert (at_impact <= gap + 20 * TOLERANCE).all()
    moving = times > 0.0
    for s in np.linspace(0.0, 1.0, 12):
        before = np.where(hit, s * (1.0 - 1e-12) * np.where(hit, times, 0.0), s)[moving]
        assert (distances_at(kind, *(x[moving] for x in (a_t0, b_t0, a_t1, b_t1)), before) > gap - 1e-14).all()


def turned(points, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points) @ np.array([(c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)])


@pytest.mark.parametrize("height", [1e-3, 1e-6, 1e-9, 1e-12])
def test_staying_close_to_a_turning_feature_is_no_impact(height):
    """Fixed separating planes last for height / (angle size) only: a hundred million of them would be needed."""
    face = np.array([(-1.0, -1.0, 0.0), (2.0, 0.0, 0.0), (-1.0, 1.0, 0.0)])
    above = np.array((0.0, 0.0, height))
    assert impact_vertex_face(above, face, turned(above, 0.3), turned(face, 0.3))[0] == np.inf
    below = np.array([(-2.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    across = np.array([(0.5, -1.0, height), (0.5, 3.0, height)])
    assert impact_edge_edge(across, below, turned(across, 0.3), turned(below, 0.3))[0] == np.inf
    # In the plane of the face, beside its edge.
    beside = np.array((0.5, -0.5 - height, 0.0))
    swap = [0, 2, 1]
    assert (
        impact_vertex_face(beside[swap], face[:, swap], turned(beside, 0.3)[swap], turned(face, 0.3)[:, swap])[0]
        == np.inf
    )


@pytest.mark.parametrize("exponent", [-900, -500, -30, 30, 500, 900])
@pytest.mark.parametrize("kind", KINDS)
def test_powers_of_two_change_no_digit(rng, kind, exponent):
    impact, _, shape_a, shape_b = KINDS[kind]
    a = rng.normal(size=(2, 200, *shape_a))
    b = rng.normal(size=(2, 200, *shape_b))
    factor = 2.0**exponent
    times = impact(a[0], b[0], a[1], b[1], gap=0.125)
    scaled = impact(*(factor * x for x in (a[0], b[0], a[1], b[1])), gap=0.125 * factor)
    assert np.array_equal(times, scaled) and np.isfinite(times).any()


def test_everything_in_one_point_touches_at_the_start():
    assert impact_vertex_face((1, 2, 3), [(1, 2, 3)] * 3, (1, 2, 3), [(1, 2, 3)] * 3)[0] == 0.0
    tiny = 5e-324
    assert impact_edge_edge([(0, 0, 0)] * 2, [(tiny, 0, 0)] * 2, [(0, 0, 0)] * 2, [(tiny, 0, 0)] * 2, gap=1.0)[0] == 0.0


def test_the_time_is_safe_to_move_to(rng):
    """Moving to the time returned, and asking again from there, makes no features pass each other."""
    a_t0, a_t1, b_t0, b_t1 = rng.normal(size=(4, 300, 2, 3))
    times = impact_edge_edge(a_t0, b_t0, a_t1, b_t1, gap=0.01)
    hit = np.isfinite(times) & (times > 0.0)
    s = 0.999 * times[hit, None, None]
    a_s, b_s = (p[hit] + s * (q - p)[hit] for p, q in ((a_t0, a_t1), (b_t0, b_t1)))
    assert np.isinf(impact_edge_edge(a_t0[hit], b_t0[hit], a_s, b_s, gap=0.01)).all()
    again = impact_edge_edge(a_s, b_s, a_t1[hit], b_t1[hit], gap=0.01)
    np.testing.assert_allclose(s[:, 0, 0] + again * (1.0 - s[:, 0, 0]), times[hit], atol=1e-9)


@pytest.mark.parametrize(
    ("v_t0", "v_t1", "time"),
    [
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, -1), 0.5, id="from the front"),
        pytest.param((0.2, 0.2, -1), (0.2, 0.2, 1), np.inf, id="from the wrong side"),
        pytest.param((0.2, 0.2, 1), (0.3, 0.2, 1), np.inf, id="parallel"),
        pytest.param((0.8, 0.8, 1), (0.8, 0.8, -1), np.inf, id="beside the prism"),
        pytest.param((0.2, 0.2, 1), (0.2, 0.2, 0.5), np.inf, id="later than the step"),
    ],
)
def test_interpolated_vertex_face_as_published(v_t0, v_t1, time):
    assert impact_vertex_face(v_t0, FACE, v_t1, FACE, method="interpolated")[0] == time


def test_interpolated_edge_edge_as_published():
    crossing = ((0, -1, 1), (0, 1, 1))
    beside = ((2, -1, 1), (2, 1, 1))
    for edge, time in ((crossing, 0.5), (beside, np.inf)):
        assert impact_edge_edge(EDGE, edge, EDGE, moved(edge, (0, 0, -2)), method="interpolated")[0] == time
    # Sides change during the step: the interval begins when the edge comes above the other.
    late = ((2, -1, 1), (2, 1, 1))
    assert impact_edge_edge(EDGE, late, EDGE, moved(late, (-2, 0, -2)), method="interpolated")[0] == 0.5


def test_interpolated_agrees_where_nothing_turns(rng):
    """Two features that only translate have linear distances: the published test is then exact, from the front."""
    v_t0, step, shift = rng.normal(size=(3, 500, 3))
    f_t0 = rng.normal(size=(500, 3, 3))
    v_t1, f_t1 = v_t0 + step, f_t0 + shift[:, None]
    exact = impact_vertex_face(v_t0, f_t0, v_t1, f_t1)
    front = np.minimum(
        *(
            impact_vertex_face(v_t0, f, v_t1, g, method="interpolated")
            for f, g in ((f_t0, f_t1), (f_t0[:, ::-1], f_t1[:, ::-1]))
        )
    )
    assert np.isfinite(exact).sum() > 10
    np.testing.assert_allclose(front, exact, atol=1e-12)
    a, b, by, shift = rng.normal(size=(500, 2, 3)), rng.normal(size=(500, 2, 3)), *rng.normal(size=(2, 500, 1, 3))
    exact = impact_edge_edge(a, b, a + by, b + shift)
    assert np.isfinite(exact).sum() > 10
    np.testing.assert_allclose(impact_edge_edge(a, b, a + by, b + shift, method="interpolated"), exact, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v_t0": (1, 2)}, r"v_t0: expected \(n, 3\), got \(2,\)"),
        ({"f_t1": np.zeros((4, 3))}, r"f_t1: expected \(n, 3, 3\), got \(4, 3\)"),
        ({"v_t1": (0, np.nan, 0)}, "v_t1: row 0 is not finite"),
        ({"v_t1": np.zeros((2, 3))}, "row counts differ: v_t0 1, f_t0 1, v_t1 2, f_t1 1"),
        ({"v_t1": (0, 1e305, 0)}, r"v_t1: expected coordinates up to 1e\+300, got 1e\+305"),
        ({"gap": -1.0}, "gap: expected a number not smaller than 0, got -1"),
        ({"method": "exact"}, "method: expected 'conservative' or 'interpolated', got 'exact'"),
        ({"gap": 0.1, "method": "interpolated"}, "gap: the interpolated test has no gap, got 0.1"),
    ],
)
def test_bad_input_names_the_argument(change, message):
    arguments = {"v_t0": (0, 0, 1), "f_t0": FACE, "v_t1": (0, 0, -1), "f_t1": FACE} | change
    with pytest.raises(ValueError, match=message):
        impact_vertex_face(**arguments)


def test_no_queries_give_no_times():
    none = np.zeros((0, 2, 3))
    assert impact_edge_edge(none, none, none, none).shape == (0,)


def test_whatever_the_caller_passes_one_specialisation_is_compiled(compiled_signatures):
    for cast in (list, np.float32, np.asfortranarray, lambda v: np.array(v, dtype=int)):
        for method in ("conservative", "interpolated"):
            impact_vertex_face(cast(np.ones((2, 3))), FACE_TABLE, np.zeros((2, 3)), cast(FACE_TABLE), method=method)
            impact_edge_edge(cast(EDGE_TABLE), EDGE_TABLE, EDGE_TABLE, EDGE_TABLE, gap=0, method=method)
    drivers = (
        kernels.impact_vertices_faces,
        kernels.impact_edges_edges,
        interpolated_kernels.interpolated_vertices_faces,
        interpolated_kernels.interpolated_edges_edges,
    )
    assert [len(compiled_signatures(driver)) == 1 for driver in drivers] == [True] * 4


FACE_TABLE = np.array([FACE, FACE])
EDGE_TABLE = np.array([EDGE, EDGE])
