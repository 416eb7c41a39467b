"""Motion checks: known touches, a dense oracle over random motions, independence of the memory."""

import numpy as np
import pytest

from abut import HalfSpace, Motion, Pose, Solid
from abut._jit import kernel, meeting_lanes
from abut.query.motion.cell_grid_kernels import CELLS, box_separation, cells_of, codes_of, seen_first, widened
from abut.query.motion.exposed import exposed_features
from abut.query.motion.motion_pair import MotionPair
from geometry.shapes import cube, square_frame, tetrahedron
from query.brute import surface_distance

TIMES = np.linspace(0.0, 1.0, 201)


@kernel
def lanes_that_meet(codes, items, group, box, cell, first):
    return meeting_lanes(codes, group, box) & seen_first(items, group, cell, first)


def bumpy(rng, n=2):
    """A ball whose vertices are moved in and out: convex and concave edges everywhere."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=n)
    return Solid(np.array(mesh.vertices) * rng.uniform(0.8, 1.2, (len(mesh.vertices), 1)), np.array(mesh.faces))


def plate():
    return Solid(*cube(low=(-1, -1, -0.005), size=(2, 2, 0.01)))


def first_touch(a, b, motion_a, motion_b, gap):
    """Oracle: distances at dense times, and the first of them at which the parts are within the gap."""
    distance = np.array([surface_distance(a, b, motion_a.at(t), motion_b.at(t)) for t in TIMES])
    within = np.flatnonzero(distance <= gap)
    return (TIMES[within[0]] if len(within) else np.inf), distance.min()


def test_a_falling_cube_hits_a_face_with_four_corners():
    floor, die = Solid(*cube((-5, -5, -1), (10, 10, 1))), Solid(*cube())
    hits = MotionPair(die, floor).check(Motion(Pose((0, 0, 1)), (0, 0, -1.5)), Motion(Pose()), gap=1e-3)
    at_face = hits.kind == 0
    assert sorted(set(hits.a[at_face])) == [0, 2, 4, 6]
    np.testing.assert_allclose(hits.time, (1 - 1e-3) / 1.5, atol=1e-5)
    assert (hits.time <= (1 - 1e-3) / 1.5).all()


def test_crossed_edges_hit_edge_on_edge():
    roof = Solid([(-1, 0, 0), (1, 0, 0), (-1, 1, -1), (1, 1, -1), (-1, -1, -1), (1, -1, -1)], wedge_faces())
    upside_down = Pose((0, 0, 1), quat_wxyz=(0, np.sqrt(0.5), np.sqrt(0.5), 0))
    hits = MotionPair(roof, roof).check(Motion(upside_down, (0, 0, -2)), Motion(Pose()), gap=0.0)
    assert set(hits.kind) == {2}
    np.testing.assert_allclose(hits.time[0], 0.5, atol=1e-9)


def wedge_faces():
    return [[0, 1, 3, 2], [1, 0, 4, 5], [2, 3, 5, 4], [0, 2, 4], [1, 5, 3]]


def test_sliding_along_a_face_is_no_hit():
    floor, die = Solid(*cube((-5, -5, -1), (10, 10, 1))), Solid(*cube())
    slide = Motion(Pose((-3, 0, 2e-6)), (3, 0.5, 0), (0, 0, 0.5))
    assert len(MotionPair(die, floor).check(slide, Motion(Pose()), gap=1e-6)) == 0


@pytest.mark.parametrize("turn", [0.0, 0.3, 2.0], ids=["straight", "turning", "spinning"])
def test_no_random_motion_touches_unseen_or_is_reported_late(rng, turn):
    shapes = [Solid(*tetrahedron()), Solid(*square_frame()), plate(), bumpy(rng, 1)]
    n_touch = 0
    for trial in range(24):
        a, b = shapes[trial % 4], shapes[(trial // 4) % 4]
        pair, gap = MotionPair(a, b), 10.0 ** rng.uniform(-4, -2)
        towards = rng.normal(size=3)
        start = 3.0 * towards / np.linalg.norm(towards)
        motion_a = Motion(Pose(start, quat_wxyz=rng.normal(size=4)), -1.2 * start, turn * rng.normal(size=3))
        motion_b = Motion(
            Pose((0, 0, 0), quat_wxyz=rng.normal(size=4)), 0.2 * rng.normal(size=3), turn * rng.normal(size=3)
        )
        hits = pair.check(motion_a, motion_b, gap)
        oracle, nearest = first_touch(a, b, motion_a, motion_b, gap)
        if len(hits) == 0:
            assert nearest > gap
            continue
        n_touch += 1
        assert hits.time[0] <= oracle
        there = surface_distance(a, b, motion_a.at(hits.time[0]), motion_b.at(hits.time[0]))
        assert gap * (1 - 1e-9) <= there <= gap * 1.0101
    assert n_touch > 8


def test_the_memory_changes_no_answer(rng):
    """A pair that has seen a thousand motions answers like a new one, jumps and turns included."""
    a, b = bumpy(rng), bumpy(rng)
    old = MotionPair(a, b)
    X = Pose((0, 0, 2.45))
    for step in range(300):
        jump = step % 50 == 49
        way, turn = rng.normal(size=(2, 3)) * np.array((0.3, 0.5) if jump else (0.004, 0.01))[:, None]
        motion = Motion(X, way, turn)
        seen, new = old.check(motion, Motion(Pose()), 1e-4), MotionPair(a, b).check(motion, Motion(Pose()), 1e-4)
        np.testing.assert_array_equal(seen.time, new.time)
        assert set(zip(seen.kind, seen.a, seen.b, strict=True)) == set(zip(new.kind, new.a, new.b, strict=True))
        X = motion.at(1.0) if len(seen) == 0 else Pose((0, 0, 2.45), quat_wxyz=X.quat_wxyz)


def test_a_nut_that_runs_down_its_bolt_is_checked_as_if_it_were_new():
    """Each motion uses up what is remembered of all edges on the flanks; the last ones touch."""
    pitch, bolt = 1.25e-3, Solid.thread(8e-3, 6e-3, pitch=1.25e-3, segments=48)
    tap = Solid.thread(8e-3, 3.5e-3, pitch=pitch, internal=True, clearance=40e-6, segments=48)
    nut = Solid.cylinder(6e-3, 3.5e-3, segments=12).translated((0, 0, 1.75e-3)) - tap
    old, X, n_hit = MotionPair(nut, bolt), Pose((0, 0, pitch)), 0
    for _ in range(20):
        turn = 6e-3
        motion = Motion(X, (0, 0, pitch * turn / (2 * np.pi) - 1.3e-6), (0, 0, turn))
        seen, new = old.check(motion, Motion(Pose()), 1e-6), MotionPair(nut, bolt).check(motion, Motion(Pose()), 1e-6)
        np.testing.assert_array_equal(seen.time, new.time)
        assert names_of(seen) == names_of(new)
        n_hit, X = n_hit + len(seen), motion.at(1.0)
    assert n_hit > 20 and len(seen) > 0
    for _, hints, _ in old.memory:
        length = np.linalg.norm(hints[:, :3], axis=1)
        assert (np.isclose(length, 1.0, atol=1e-12) | (length == 0.0)).all()


def test_no_hint_changes_an_answer(rng):
    """Whatever directions and looks are remembered of a part that rolls over another: the hits stay the same."""
    a, b = bumpy(rng), bumpy(rng)
    rolling, misled, X, n_hit = MotionPair(a, b), MotionPair(a, b), Pose((0, 0, 2.3)), 0
    for _ in range(200):
        motion = Motion(X, rng.normal(scale=0.01, size=3) - (0, 0, 0.01), rng.normal(scale=0.03, size=3))
        for _, hints, _ in misled.memory:
            hints[:, :3] = (direction := rng.normal(size=(len(hints), 3))) / np.linalg.norm(direction, axis=1)[:, None]
            hints[:, 3] = 10.0 ** rng.uniform(-6, 0, len(hints))
        answers = [pair.check(motion, Motion(Pose()), 1e-3, 1e-3) for pair in (rolling, misled, MotionPair(a, b))]
        n_hit += np.count_nonzero(answers[0].kind == 2)
        for hits in answers[1:]:
            np.testing.assert_array_equal(hits.time, answers[0].time)
            assert names_of(hits) == names_of(answers[0])
        X = motion.at(1.0) if len(answers[0]) == 0 else Pose(np.add(X.position, (0, 0, 0.01)), quat_wxyz=X.quat_wxyz)
    assert n_hit > 50


def names_of(hits):
    return set(zip(hits.kind.tolist(), hits.a.tolist(), hits.b.tolist(), strict=True))


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_half_space_has_one_face(exchanged):
    die, ground = Solid(*cube()), HalfSpace((0, 0, 1), 0.0)
    fall, rest = Motion(Pose((0, 0, 1)), (0, 0, -1.5)), Motion(Pose())
    if exchanged:
        hits = MotionPair(ground, die).check(rest, fall, gap=1e-3)
        corners, faces, kind = hits.b, hits.a, 1
    else:
        hits = MotionPair(die, ground).check(fall, rest, gap=1e-3)
        corners, faces, kind = hits.a, hits.b, 0
    assert sorted(corners) == [0, 2, 4, 6] and set(faces) == {0} and set(hits.kind) == {kind}
    np.testing.assert_allclose(hits.time, (1 - 1e-3) / 1.5, atol=1e-5)


def test_concave_and_flat_features_are_left_out():
    frame = exposed_features(Solid(*square_frame()))
    assert len(frame.point) == 16 and len(frame.segment) == 20  # of 24 sharp edges, four lie inside the hole's corners


def test_the_grid_finds_once_what_a_search_of_all_boxes_finds(rng):
    features = exposed_features(bumpy(rng))
    boxes, grid = features.triangle_grid.elements, features.triangle_grid.arrays
    frame, start, items, codes = grid
    for _ in range(200):
        centre, half, margin = rng.uniform(-1.3, 1.3, 3), rng.uniform(0, 1, 3) ** 4, rng.uniform(0, 0.1)
        low, high = tuple((centre - half).tolist()), tuple((centre + half).tolist())
        wide = widened(low, high, margin)
        first, last, base = cells_of(*wide, frame, start, len(boxes))
        codes_of_box, found = codes_of(*wide, frame), []
        for cell in np.ndindex(*(np.array(last) - first + 1)):
            x, y, z = (int(c) for c in np.array(first) + cell)
            c = base + int((x * frame[CELLS + 1] + y) * frame[CELLS + 2] + z)
            for g in range(start[c], start[c + 1]):
                meeting = lanes_that_meet(codes, items, g, codes_of_box, (x, y, z), first)
                found += [e for lane, e in enumerate(items[g].tolist()) if meeting >> lane & 1]
        found = [e for e in found if box_separation(low, high, boxes, e) <= margin]
        assert sorted(found) == [e for e in range(len(boxes)) if box_separation(low, high, boxes, e) <= margin]
