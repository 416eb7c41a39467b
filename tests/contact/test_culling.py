"""Object culling: known answers, then both methods against brute force on all sorts of boxes, then bad input."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.contact import HashGrid, SweepAndPrune, culling, make_culling
from abut.contact import culling_kernels as kernels
from abut.contact import culling_sort_kernels as sort_kernels
from physics.interrupting import broken_off

METHODS = ["sort", "grid"]


def brute_force(low, high):
    """Sorted pairs of overlapping boxes, by the definition."""
    found = [np.empty((0, 2), int)]
    for begin in range(0, len(low), 100):
        a, b = low[begin : begin + 100, None], high[begin : begin + 100, None]
        i, j = np.nonzero(((a <= high) & (low <= b)).all(axis=2))
        found.append(np.column_stack((i + begin, j))[i + begin < j])
    return np.concatenate(found)


def assert_same(found, expected):
    assert found.dtype == np.int32 and found.shape == expected.shape and (found == expected).all()


def take_no_short_cut(patch):
    """Few boxes take the same way as many."""
    patch.setattr(culling, "FEW_BOXES", 0)


@pytest.fixture
def no_short_cut(monkeypatch):
    take_no_short_cut(monkeypatch)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("second", "overlap"),
    [
        pytest.param([(0.5, 0.5, 0.5), (2, 2, 2)], True, id="overlapping"),
        pytest.param([(1, 0, 0), (2, 1, 1)], True, id="face to face"),
        pytest.param([(1, 1, 1), (2, 2, 2)], True, id="corner to corner"),
        pytest.param([(np.nextafter(1, 2), 0, 0), (2, 1, 1)], False, id="one rounding apart"),
        pytest.param([(0, 0, 0), (1, 1, 1)], True, id="identical"),
        pytest.param([(0.2, 0.2, 0.2), (0.3, 0.3, 0.3)], True, id="inside"),
        pytest.param([(0.5, 0.5, 1), (0.5, 0.5, 1)], True, id="a point on the surface"),
        pytest.param([(-1, -1, 0.5), (2, 2, 0.5)], True, id="a sheet"),
        pytest.param([(-np.inf, -np.inf, -np.inf), (np.inf, np.inf, 0)], True, id="a half-space it rests on"),
        pytest.param([(-np.inf, -np.inf, -np.inf), (np.inf, np.inf, -1e-9)], False, id="a half-space below"),
        pytest.param([(-np.inf,) * 3, (np.inf,) * 3], True, id="everything"),
    ],
)
def test_two_boxes(no_short_cut, method, second, overlap):
    low, high = np.array([[(0, 0, 0), (1, 1, 1)], second], float).transpose(1, 0, 2)
    assert_same(make_culling(method).pairs(low, high), np.array([(0, 1)] if overlap else np.empty((0, 2))))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("few", [0, 64])
def test_groups_fixed_boxes_and_ignored_pairs_make_no_pair(monkeypatch, method, few):
    monkeypatch.setattr(culling, "FEW_BOXES", few)
    low, high = np.zeros((6, 3)), np.ones((6, 3))
    found = make_culling(
        method, group=[7, 7, -1, -1, 2, 0], fixed=[0, 0, 0, 0, 1, 1], ignored=[(3, 2), (0, 5), (2, 3)]
    ).pairs(low, high)
    left_out = {(0, 1), (4, 5), (2, 3), (0, 5)}
    assert [tuple(p) for p in found] == [tuple(p) for p in brute_force(low, high) if tuple(p) not in left_out]


@pytest.mark.parametrize("method", METHODS)
def test_a_table_that_is_just_full_loses_no_pair_to_one_that_is_not_allowed(no_short_cut, method):
    """Pairs of neighbours in a row, which fill the table at some number, and two fixed boxes behind all of them."""
    for n in range(2, 120):
        low = 0.9 * np.array([(k, k, k) for k in (*range(n), 200.0, 200.0)])
        high = low + 1.0
        found = make_culling(method, fixed=np.arange(n + 2) >= n).pairs(low, high)
        assert_same(found, np.array([(k, k + 1) for k in range(n - 1)]))


@pytest.mark.parametrize("method", METHODS)
def test_a_new_filter_holds_from_the_next_call_on(no_short_cut, method):
    low, high = np.zeros((3, 3)), np.ones((3, 3))
    finder = make_culling(method)
    assert len(finder.pairs(low, high)) == 3
    finder.set_filter(ignored=[(0, 1)])
    assert finder.pairs(low, high).tolist() == [[0, 2], [1, 2]]
    finder.set_filter()
    assert len(finder.pairs(low, high)) == 3


@pytest.mark.parametrize("method", METHODS)
def test_no_boxes_and_one_box_make_no_pairs(no_short_cut, method):
    for n in (0, 1, 0):
        assert make_culling(method).pairs(np.zeros((n, 3)), np.zeros((n, 3))).shape == (0, 2)


whole = st.integers(0, 6)
corner = st.tuples(whole, whole, whole)
extent = st.tuples(*[st.sampled_from([0, 0, 1, 2, 5, 1e-7, 1e6, np.inf])] * 3)


@given(
    boxes=st.lists(st.tuples(corner, extent), min_size=1, max_size=30), scale=st.sampled_from([1.0, 1e-9, 1e9, 1e200])
)
@pytest.mark.parametrize("method", METHODS)
def test_boxes_on_a_lattice_that_touch_coincide_and_vanish(method, boxes, scale):
    low = scale * np.array([c for c, _ in boxes], float)
    high = low + scale * np.array([e for _, e in boxes], float)
    low[np.isinf(high) & (low > 3 * scale)] = -np.inf
    finder = make_culling(method)
    with pytest.MonkeyPatch.context() as patch:
        take_no_short_cut(patch)
        for _ in range(2):
            assert_same(finder.pairs(low, high), brute_force(low, high))


def cubes(rng, n):
    return rng.uniform(0, 1, (n, 3)), np.full((n, 3), 0.7 * n ** (-1 / 3))


def plate(rng, n):
    return rng.uniform(0, 1, (n, 3)) * (1, 1, 0), np.full((n, 3), 0.7 * n ** (-1 / 2))


def column(rng, n):
    return rng.uniform(0, 1, (n, 3)) * (0, 0, 1), np.full((n, 3), 1.0 / n)


def needles(rng, n):
    long = np.eye(3)[rng.integers(0, 3, n)]
    return rng.uniform(0, 1, (n, 3)), 1e-3 + 0.5 * long


def all_sizes(rng, n):
    return rng.uniform(0, 1, (n, 3)), np.repeat(10.0 ** rng.uniform(-9, 0, (n, 1)) ** 3, 3, axis=1) * 0.3


def clusters(rng, n):
    centre = rng.uniform(-1e3, 1e3, (12, 3))[rng.integers(0, 12, n)]
    return centre + 1e-3 * rng.normal(size=(n, 3)), np.full((n, 3), 1e-4)


def points(rng, n):
    return np.round(rng.uniform(0, 8, (n, 3))), np.zeros((n, 3))


def sheets(rng, n):
    thin = 1.0 - np.eye(3)[rng.integers(0, 3, n)]
    return rng.uniform(0, 1, (n, 3)), 0.1 * thin


def with_half_spaces(rng, n):
    x, size = cubes(rng, n)
    x[:3], size[:3] = -np.inf, np.inf
    size[3] = (1e3, 1e3, 0.0)
    return x, size


def lattice(rng, n):
    """A pile in contact: every face at the same coordinates as many others."""
    side = round(n ** (1 / 3))
    return rng.permutation(np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)) * 1.0, np.ones(
        (side**3, 3)
    )


FAMILIES = [cubes, plate, column, needles, all_sizes, clusters, points, sheets, with_half_spaces, lattice]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_pairs_at_one_instant_and_after_small_large_and_few_moves(rng, method, family):
    x, size = family(rng, 1200)
    finder = make_culling(method)
    step = 0.02 * np.where(np.isfinite(size), size, 0.0).max(axis=1, keepdims=True).mean() * rng.normal(size=x.shape)
    moves = [
        0.0,
        step,
        step,
        5.0 * step,
        rng.permutation(x) - x,
        np.where(np.arange(len(x)) < 9, 1.0, 0.0)[:, None],
        step,
    ]
    for move in moves:
        with np.errstate(invalid="ignore"):
            x = np.where(np.isfinite(x), x + move, x)
            high = np.where(np.isfinite(x), x + size, np.inf)
        assert_same(finder.pairs(x, high), brute_force(x, high))


@pytest.mark.needs_jit
@pytest.mark.parametrize("kind", ["straight", "jitter", "bursts", "growing"])
def test_thousands_of_frames_of_coherent_motion(rng, kind):
    """Both methods, with all they remember, against brute force in every frame."""
    n = 120
    x, v = rng.uniform(0, 1, (n, 3)), 0.002 * rng.normal(size=(n, 3))
    half = 0.04 * rng.uniform(0.2, 1.5, (n, 1)) ** 2
    finders = [make_culling(m, group=np.arange(n) % 40 - 20) for m in METHODS]
    group = np.arange(n) % 40 - 20
    for frame in range(1000):
        if kind == "jitter":
            v = 0.003 * rng.normal(size=(n, 3))
        if kind == "bursts" and frame % 20 == 0:
            v = np.where(rng.uniform(size=(n, 1)) < 0.03, 0.3, 1e-4) * rng.normal(size=(n, 3))
        x = x + v
        v = np.where((x < 0) & (v < 0) | (x > 1) & (v > 0), -v, v)
        size = half * (1.0 + 0.8 * np.sin(0.05 * frame)) if kind == "growing" else half
        low, high = x - size, x + size
        expected = brute_force(low, high)
        a, b = group[expected.T]
        expected = expected[(a < 0) | (a != b)]
        for finder in finders:
            assert_same(finder.pairs(low, high), expected)


@pytest.mark.parametrize("method", METHODS)
def test_a_few_boxes_that_jump_anywhere_and_change_their_size(rng, method):
    """Six of 500 in each frame, so that the others keep their places, near and far beyond where all were at first."""
    x, size = cubes(rng, 500)
    low, high = x, x + size
    low[0], high[0] = -np.inf, np.inf
    finder = make_culling(method)
    for _ in range(120):
        jump = rng.choice(np.arange(1, 500), 6, replace=False)
        low[jump] = rng.uniform(0, 1, (6, 3)) * rng.choice([1.0, 1.0, 1.0, 3.0, 1e6, 1e250], (6, 1))
        high[jump] = low[jump] + rng.choice([0.0, 0.01, 0.1, 0.3, 50.0, 1e250, np.inf], (6, 1))
        assert_same(finder.pairs(low, high), brute_force(low, high))


def test_pairs_are_sorted_by_any_number_of_digits(rng):
    for n in (1, 2, 2048, 2049, 2**22, 2**22 + 1, 2**31 - 1):
        pairs = rng.integers(0, n, (300, 2)).astype(np.int32)
        expected = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        kernels.sort_pairs(n, 300, np.empty(1 << kernels.DIGIT, np.int32), np.empty_like(pairs), pairs)
        assert (pairs == expected).all()


@pytest.mark.parametrize("method", METHODS)
def test_what_is_remembered_never_changes_the_answer(rng, method):
    """A finder with any past gives the same bits as a new one, whatever the number of boxes was before."""
    finder = make_culling(method)
    for n in (300, 300, 20, 300, 301, 90):
        x, size = cubes(rng, n)
        assert_same(finder.pairs(x, x + size), make_culling(method).pairs(x, x + size))


@pytest.mark.parametrize("method", METHODS)
def test_pairs_do_not_depend_on_the_order_of_boxes(rng, method):
    x, size = all_sizes(rng, 500)
    shuffled = rng.permutation(500)
    found = shuffled[make_culling(method).pairs(x[shuffled], (x + size)[shuffled])]
    found = np.sort(found, axis=1)
    assert_same(found[np.lexsort((found[:, 1], found[:, 0]))].astype(np.int32), make_culling(method).pairs(x, x + size))


@pytest.mark.needs_jit
def test_boxes_that_defeat_tubes_and_windows_are_divided(rng, monkeypatch):
    """Clusters and needles, so many that one axis and tubes leave too many tests; windows likewise."""
    calls = []
    divide = sort_kernels.pairs_of_chosen
    monkeypatch.setattr(sort_kernels, "pairs_of_chosen", lambda *a: calls.append(a) or divide(*a))
    finder = SweepAndPrune()
    x = np.concatenate((1e-3 * rng.uniform(size=(5000, 3)), rng.uniform(0, 1e3, (50, 3))))
    for _ in range(3):
        assert_same(finder.pairs(x, x + 4e-5), brute_force(x, x + 4e-5))
        x[:60] += 1e-4 * rng.uniform(size=(60, 3))
    assert calls


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ([(0, 0, 0)], [(1, 1)], r"high: expected \(n, 3\), got \(1, 2\)"),
        ([(0, 0, 0)], [(1, 1, 1)] * 2, r"high: expected \(1, 3\) like low, got \(2, 3\)"),
        ([(0, 0, 0), (0, 2, 0)], [(1, 1, 1)] * 2, "box 1 runs from .* to .*; expected low <= high, and no NaN"),
        ([(0, np.nan, 0)], [(1, 1, 1)], "box 0 runs from"),
        ([("a", 0, 0)], [(1, 1, 1)], r"low: expected \(n, 3\) numbers"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("few", [0, 64])
def test_bad_boxes_are_refused_in_a_sentence(monkeypatch, method, few, low, high, message):
    monkeypatch.setattr(culling, "FEW_BOXES", few)
    with pytest.raises(abut.InputError, match=message):
        make_culling(method).pairs(low, high)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_culling("magic"), 'method: expected "sort" or "grid", got \'magic\''),
        (lambda: make_culling(group=[0.5]), r"group: expected \(n,\) integers"),
        (lambda: make_culling(fixed=[[True]]), r"fixed: expected \(n,\) booleans"),
        (lambda: make_culling(ignored=[(1, 1)]), "ignored: row 0 pairs box 1 with itself"),
        (lambda: make_culling(ignored=[(1, -1)]), "ignored: row 0 is"),
        (
            lambda: make_culling(group=[1, 2]).pairs(np.zeros((3, 3)), np.ones((3, 3))),
            "group: there are 3 boxes, but 2 values",
        ),
    ],
)
def test_bad_filters_are_refused_in_a_sentence(call, message):
    with pytest.raises(abut.InputError, match=message):
        call()


def test_after_a_bad_box_the_next_frame_is_right(no_short_cut):
    for method in METHODS:
        finder = make_culling(method)
        low, high = np.zeros((3, 3)), np.ones((3, 3))
        finder.pairs(low, high)
        with pytest.raises(abut.InputError):
            finder.pairs(low + np.array([[0], [5], [0]]), high)
        low[2], high[2] = 3.0, 4.0
        assert finder.pairs(low, high).tolist() == [[0, 1]]


def test_one_specialisation_of_each_kernel_is_compiled(rng, compiled_signatures):
    x, size = cubes(rng, 100)
    one, wide = np.zeros((100, 1)), np.zeros((100, 1))
    one[7], wide[9] = 0.3, 5.0
    for finder in (SweepAndPrune(), HashGrid(group=[1] * 100, fixed=[True] * 100)):
        for cast in (list, np.float32, np.asfortranarray):
            finder.pairs(cast(x), cast(x + size))
            x = x + 0.01
        finder.pairs(x + one, x + size + one)
        finder.pairs(x, x + size + wide)
        make_culling().pairs(x[:9], x[:9] + size[:9])
    called = re.findall(r"(\w*)kernels\.([a-z]\w+)\(", inspect.getsource(culling))
    assert len(called) > 15
    for module, name in called:
        home = getattr(culling, f"{module}kernels")
        assert len(compiled_signatures(getattr(home, name))) == 1, name


@pytest.mark.parametrize("method", ["sort", "grid"])
def test_culling_that_was_interrupted_at_any_line_goes_on_with_the_right_pairs(method, rng):
    """Boxes that drift, more of them from time to time: tables grow, are repaired, and are begun anew."""
    culling, broken = make_culling(method), 0
    low = rng.uniform(0.0, 3.0, (300, 3))
    for frame in range(40):
        low = low + rng.normal(scale=0.02, size=low.shape) * (rng.random((len(low), 1)) < 0.1)
        if frame % 10 == 9:
            low = np.concatenate((low, rng.uniform(0.0, 3.0, (200, 3))))
        line = int(rng.integers(1, 60))
        broken += broken_off(lambda boxes=low: culling.pairs(boxes, boxes + 0.3), line)
        assert culling.pairs(low, low + 0.3).tolist() == make_culling(method).pairs(low, low + 0.3).tolist()
    assert broken > 20
