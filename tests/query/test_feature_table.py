"""Motion checks of many pairs in one call: memory of pairs that come and go, and the window after a first hit."""

import numpy as np
import pytest

from abut import Motion, Pose, Solid, Sphere
from abut.query.motion import feature_table_kernels
from abut.query.motion.exposed import exposed_features, exposed_features_about
from abut.query.motion.feature_table import FeatureTable, PairMemory
from abut.query.motion.motion_pair import MotionPair
from geometry.shapes import cube, square_frame, tetrahedron
from query.test_motion_pair import bumpy

DIE = Solid(*cube((-0.5, -0.5, -0.5)))
SHAPES = [Solid(*tetrahedron()), Solid(*square_frame()), Solid(*cube()), Sphere(0.4)]
GAP, TOLERANCE = 1e-3, 1e-5


def memory_of(shapes):
    """Memory for one object of each shape."""
    table = FeatureTable.of([exposed_features(shape) for shape in shapes])
    return PairMemory(table, np.arange(len(shapes), dtype=np.int32))


def all_pairs(n):
    return np.array([(i, j) for i in range(n) for j in range(i + 1, n)], np.int32)


def row_of(motion):
    X = motion.start
    return np.concatenate((X.rotation.ravel(), X.position, motion.displacement, motion.rotvec))


def hits_of(memory, motions, window=1.0, chosen=None):
    """Set of (pair, kind, feature of A, feature of B) and times, for all pairs or the chosen ones."""
    rows = np.array([row_of(motion) for motion in motions])
    chosen = np.ones(len(memory.pairs), bool) if chosen is None else chosen
    n = memory.check(chosen, rows, (GAP, TOLERANCE, 0.0), window)
    names = [
        (*memory.pairs[p].tolist(), *hit) for p, hit in zip(memory.pair[:n], memory.hits[:n].tolist(), strict=True)
    ]
    return dict(zip(names, memory.times[1 : n + 1].tolist(), strict=True))


def tumbles(rng, n, way=0.3, turn=0.4, spread=1.5):
    """Motions of objects that start close to each other."""
    starts = [Pose(spread * rng.normal(size=3), quat_wxyz=rng.normal(size=4)) for _ in range(n)]
    return [Motion(X, way * rng.normal(size=3), turn * rng.normal(size=3)) for X in starts]


def places_of(memory):
    """Of each pair: its slot, and where its clearances and its blocks lie in the tables."""
    first = memory._first[memory._slots]
    return memory._slots, first[:, [0, 6]], first[:, [1, 7]]


def assert_nothing_is_shared(memory):
    """Every pair has a slot, clearances and blocks of its own, and no slot in use is on the stack of free ones."""
    slots, clearances, blocks = places_of(memory)
    free = memory._free[: memory._n_free]
    assert sorted([*slots, *free]) == list(range(len(memory._ways)))
    for ranges, used, room in zip((clearances, blocks), memory._used, (memory._clearance, memory._blocks), strict=True):
        ranges = ranges[np.argsort(ranges[:, 0], kind="stable")]
        ranges = ranges[ranges[:, 0] < ranges[:, 1]]
        assert (ranges[1:, 0] >= ranges[:-1, 1]).all()
        assert len(ranges) == 0 or (ranges.min() >= 0 and ranges.max() <= used <= len(room))


def mark(memory):
    """Write a number of its own into everything a pair remembers."""
    for (i, j), slot, clearance, block in zip(memory.pairs.tolist(), *places_of(memory), strict=True):
        name = 1000.0 * i + j
        memory._ways[slot], memory._blocks[slice(*block)] = name, name
        memory._clearance[slice(*clearance)], memory._hints[slice(*clearance)] = name, name


def remembered(memory):
    """What each pair remembers, as sets of numbers."""
    found = {}
    for pair, slot, clearance, block in zip(memory.pairs.tolist(), *places_of(memory), strict=True):
        hints, blocks = memory._hints[slice(*clearance)].ravel(), memory._blocks[slice(*block)].ravel()
        tables = memory._ways[slot], memory._clearance[slice(*clearance)], hints, blocks
        found[tuple(pair)] = set(np.concatenate(tables).tolist())
    return found


def test_features_of_a_solid_are_made_once_for_each_origin():
    """A world to which a body was added made those of all its parts again, in 0.1 s for a nut and its bolt."""
    solid, origin = Solid(*cube()), np.array([0.1, 0.2, 0.3])
    about = exposed_features_about(solid, origin)
    assert exposed_features_about(solid, origin.copy()) is about and exposed_features(solid) is not about
    np.testing.assert_allclose(about.point + origin, exposed_features(solid).point, atol=1e-15)


def test_a_pair_keeps_what_it_remembers_until_it_goes_and_a_new_one_remembers_nothing(rng):
    memory = memory_of([SHAPES[k % 4] for k in range(12)])
    every, known, n_moved = all_pairs(12), set(), 0
    for _ in range(100):
        pairs = every[rng.random(len(every)) < rng.choice([0.05, 0.3, 0.9])]
        room = len(memory._clearance)
        memory.set_pairs(pairs)
        n_moved += len(memory._clearance) != room
        assert_nothing_is_shared(memory)
        names = {tuple(pair) for pair in pairs.tolist()}
        for (i, j), found in remembered(memory).items():
            assert found == {1000.0 * i + j} if (i, j) in known else found <= {-1.0, 0.0}
        mark(memory)
        known = names
    assert n_moved > 5  # memory was compacted, not only appended to


def test_each_pair_has_room_for_its_features_and_for_the_edges_of_the_part_with_fewer():
    memory = memory_of(SHAPES)
    memory.set_pairs(all_pairs(4))
    features = [exposed_features(shape) for shape in SHAPES]
    for (i, j), first in zip(memory.pairs, memory._first[memory._slots], strict=True):
        n_edge = min(len(features[i].segment), len(features[j].segment))
        assert np.diff(first[::2]).tolist() == [len(features[i].point), len(features[j].point), n_edge]


def test_answers_do_not_depend_on_pairs_that_came_and_went(rng):
    """Slots are handed on and tables are compacted while the objects move in small steps and sometimes jump."""
    n, n_hit = 7, 0
    memory, every = memory_of([SHAPES[k % 4] for k in range(n)]), all_pairs(n)
    motions = tumbles(rng, n)
    for step in range(120):
        if step % 15 == 0:
            motions = tumbles(rng, n)
        motions = [Motion(motion.at(1.0), 0.02 * rng.normal(size=3), 0.02 * rng.normal(size=3)) for motion in motions]
        pairs = every[rng.random(len(every)) < 0.7]
        memory.set_pairs(pairs)
        fresh = memory_of([SHAPES[k % 4] for k in range(n)])
        fresh.set_pairs(pairs)
        chosen = rng.random(len(pairs)) < 0.8
        seen = hits_of(memory, motions, chosen=chosen)
        assert seen == hits_of(fresh, motions, chosen=chosen)
        n_hit += len(seen)
    assert n_hit > 50


def test_a_table_of_pairs_answers_like_each_pair_alone(rng):
    shapes = [*SHAPES[:3], bumpy(rng, 1)]
    memory = memory_of(shapes)
    memory.set_pairs(all_pairs(4))
    n_hit = 0
    for _ in range(20):
        motions = tumbles(rng, 4)
        seen = hits_of(memory, motions)
        for i, j in memory.pairs.tolist():
            alone = MotionPair(shapes[i], shapes[j]).check(motions[i], motions[j], GAP, TOLERANCE)
            times = sorted(time for name, time in seen.items() if name[:2] == (i, j))
            np.testing.assert_array_equal(times, alone.time)
            n_hit += len(times)
    assert n_hit > 100


def test_more_hits_than_there_is_room_for_are_all_reported(rng):
    memory = memory_of([bumpy(rng), bumpy(rng)])
    memory.set_pairs(all_pairs(2))
    memory.make_room_for_hits(3)
    inside = [Motion(Pose(), (0.1, 0, 0)), Motion(Pose())]
    assert len(hits_of(memory, inside)) > 50


@pytest.mark.parametrize("window", [0.0, 1e-3, 0.05, 0.3])
def test_the_window_leaves_out_what_comes_later_and_nothing_else(rng, window):
    shapes = [SHAPES[1], SHAPES[2], bumpy(rng, 1)]
    n_left_out = n_kept = 0
    for _ in range(25):
        motions = tumbles(rng, 3, way=1.5, turn=1.0, spread=2.0)
        narrow, wide = memory_of(shapes), memory_of(shapes)
        for memory in (narrow, wide):
            memory.set_pairs(all_pairs(3))
        everything, seen = hits_of(wide, motions), hits_of(narrow, motions, window)
        first = {}
        for name, time in everything.items():
            first[name[:2]] = min(time, first.get(name[:2], np.inf))
        assert seen == {name: time for name, time in everything.items() if time <= first[name[:2]] + window}
        n_kept, n_left_out = n_kept + len(seen), n_left_out + len(everything) - len(seen)
    assert n_kept > 5 and n_left_out > 20


def test_a_tilted_die_lands_on_one_corner_then_on_the_others():
    die, floor = Solid(*cube((-0.5, -0.5, -0.5))), Solid(*cube((-5, -5, -1), (10, 10, 1)))
    tilted = Pose.from_rotvec((0, 0, 2), (0.1, 0.2, 0.0))
    landing = np.sort((tilted.apply(die.vertices)[:, 2] - GAP) / 2.0)
    for window, count in ((0.0, 1), (0.12, 3), (1.0, 4)):
        memory = memory_of([die, floor])
        memory.set_pairs(all_pairs(2))
        hits = hits_of(memory, [Motion(tilted, (0, 0, -2)), Motion(Pose())], window)
        times = np.unique([time for name, time in hits.items() if name[2] == 0])
        np.testing.assert_allclose(times, landing[:count], atol=TOLERANCE)


def test_each_kernel_is_compiled_once(compiled_signatures):
    die = Solid(*cube((-0.5, -0.5, -0.5)))
    memory = memory_of([die, die])
    memory.set_pairs(all_pairs(2))
    assert hits_of(memory, [Motion(Pose((0, 0, 3)), (0, 0, -3)), Motion(Pose())], 1.0)
    assert len(compiled_signatures(feature_table_kernels.check_range)) == 1


def changed(rng, motions, size):
    """Other motions from the same places, and how far they lead any point of each object from where it was led."""
    n = len(motions)
    ways, turns = size * rng.normal(size=(n, 3)), size * rng.normal(size=(n, 3))
    others = [
        Motion(m.start, m.displacement + way, m.rotvec + turn)
        for m, way, turn in zip(motions, ways, turns, strict=True)
    ]
    return others, np.linalg.norm(ways, axis=1) + 1.8 * np.linalg.norm(turns, axis=1)


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.3])
def test_pairs_that_small_changes_of_motions_cannot_bring_together_are_left_out(rng, size):
    """What is left out was not among the hits; no point of these shapes is farther than 1.8 from its origin."""
    shapes, left_out, found, due = [*SHAPES, Solid(*cube()), Solid.box((2.0, 0.3, 0.7))], 0, 0, np.ones(6, bool)
    memory = memory_of(shapes)
    memory.set_pairs(all_pairs(6))
    for _ in range(30):
        motions = tumbles(rng, 6)
        memory.begin()
        assert memory.choose(due, np.zeros(6)).all()
        hits_of(memory, motions)
        for _ in range(4):
            motions, change = changed(rng, motions, size)
            chosen, fresh = memory.choose(due, change), memory_of(shapes)
            fresh.set_pairs(all_pairs(6))
            expected = hits_of(fresh, motions)
            assert hits_of(memory, motions, chosen=chosen) == expected
            left_out, found = left_out + np.count_nonzero(~chosen), found + len(expected)
    assert found > 100 and (left_out > 100) == (size < 0.1)


@pytest.mark.parametrize("column", [0, 9, 12, 15])
def test_motions_that_are_not_numbers_are_looked_at_closely(column):
    """Nothing shows these to be free, now or later; what a close look finds is remembered."""
    memory, far = memory_of([DIE, DIE]), [Motion(Pose((3.0 * i, 0, 0)), (0, 0, 0)) for i in range(2)]
    memory.set_pairs(all_pairs(2))
    rows = np.array([row_of(motion) for motion in far])
    rows[1, column] = np.nan
    memory.check(np.ones(1, bool), rows, (GAP, TOLERANCE, 0.0))
    assert not (memory._ways[memory._slots] == -1.0).all()
    assert memory.choose(np.ones(2, bool), np.zeros(2)).all()


def test_a_pair_that_comes_anew_is_looked_at():
    """Whatever the pair knew whose slot it gets."""
    memory, far = memory_of([DIE, DIE, DIE]), [Motion(Pose((3.0 * i, 0, 0)), (0, 0, 0)) for i in range(3)]
    memory.set_pairs(np.array([(0, 1)], np.int32))
    hits_of(memory, far)
    assert not memory.choose(np.ones(3, bool), np.zeros(3)).any()
    memory.set_pairs(np.array([(1, 2)], np.int32))
    assert memory.choose(np.ones(3, bool), np.zeros(3)).all()
