"""Impacts of features of bodies that move and turn: known answers, chords as oracle, recorded queries, laws."""

import csv
import json

import numpy as np
import pytest

import abut
from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from abut.query import impact_edge_edge, impact_vertex_face
from abut.query.impact.impact_rigid_kernels import (
    FREE,
    TOUCH,
    impact_edge_edge_rigid,
    impact_vertex_face_rigid,
    lasting,
)

FACE = ((-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 2.0, 0.0))
EDGE = ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
REST = abut.Motion(abut.Pose())


def tuples(array):
    return tuple(map(tuples, array)) if np.ndim(array) > 1 else tuple(map(float, array))


def kernel_motion(motion):
    """A motion as kernels take it: ((R, p), d, r)."""
    pose = (tuples(motion.start.rotation.ravel()), tuples(motion.start.position))
    return pose, tuples(motion.displacement), tuples(motion.rotvec)


def impact(a, motion_a, b, motion_b, gap=0.0, tolerance=1e-9):
    """Time and status for a vertex (3,) and a face (3, 3), or for two edges (2, 3)."""
    kernel = impact_vertex_face_rigid if np.ndim(a) == 1 else impact_edge_edge_rigid
    return kernel(tuples(a), kernel_motion(motion_a), tuples(b), kernel_motion(motion_b), gap, tolerance, 1.0)


def distance_at(a, motion_a, b, motion_b, t):
    a, b = motion_a.at(t).apply(a), motion_b.at(t).apply(b)
    if a.ndim == 1:
        return np.linalg.norm(a - closest_point_triangle(tuples(a), *tuples(b))[0])
    return np.linalg.norm(np.subtract(*closest_segment_segment(*tuples(a), *tuples(b))[:2]))


def swing(angle, axis=(0, 1, 0), start=(0, 0, 0), displacement=(0, 0, 0)):
    return abut.Motion(abut.Pose(start), displacement, np.multiply(angle, axis))


@pytest.mark.parametrize(
    ("a", "motion", "gap", "time"),
    [
        pytest.param((0, 0, 1), swing(0, displacement=(0, 0, -2)), 0.0, 0.5, id="a vertex comes straight down"),
        pytest.param((0, 0, 1), swing(0, displacement=(0, 0, -2)), 0.5, 0.25, id="straight down to a gap"),
        pytest.param((0, 0, 1), swing(0, displacement=(0, 0, -0.5)), 0.0, None, id="not far enough"),
        pytest.param((0.4, 0, 0.4), swing(np.pi), 0.0, 0.25, id="on a half circle through the face"),
        pytest.param((0.4, 0, 0.4), swing(20 * np.pi), 0.0, 0.0125, id="on ten turns through the face"),
        pytest.param((3, 0, 3), swing(20 * np.pi), 0.0, None, id="ten turns around the face"),
        pytest.param((0, 0, 2), swing(2000.5 * np.pi, start=(0, 0, 5), displacement=(0, 0, -1.9)), 0.0, None,
                     id="a thousand turns above the face"),
        pytest.param((0, 0, 0.1), swing(5, (0, 0, 1)), 0.1, 0.0, id="starts at the gap"),
        pytest.param((0.3, 0, 1e-7), swing(6, (0, 0, 1)), 0.0, None, id="turns in a plane just above the face"),
    ],
)  # fmt: skip
def test_a_turning_vertex_meets_a_resting_face(a, motion, gap, time):
    found, status = impact(a, motion, FACE, REST, gap)
    if time is None:
        assert (found, status) == (np.inf, FREE)
    else:
        assert status == TOUCH and found <= time + 1e-15 and found == pytest.approx(time, abs=1e-8)


@pytest.mark.parametrize("turns", [0, 3])
def test_a_turning_edge_meets_a_resting_edge(turns):
    """An edge on a wheel of radius 1 comes down on another after a quarter turn."""
    angle = np.pi + 2 * np.pi * turns
    wheel = ((0.0, -1.0, 1.0), (0.0, 1.0, 1.0))
    time, status = impact(wheel, swing(angle), ((0.5, 0.0, 0.0), (2.0, 0.0, 0.0)), REST)
    assert status == TOUCH
    assert time == pytest.approx(0.5 * np.pi / angle, abs=1e-9) and time <= 0.5 * np.pi / angle


def random_query(rng, features, spin):
    if features == "vertex-face":
        a, b = rng.normal(size=3), rng.normal(size=(3, 3))
    else:
        a, b = rng.normal(size=(2, 2, 3))
    starts = rng.normal(size=(2, 3))
    # Both bodies pass near the origin half way.
    motions = [
        abut.Motion(
            abut.Pose(p, quat_wxyz=rng.normal(size=4)), -2.0 * p + 0.3 * rng.normal(size=3), spin * rng.normal(size=3)
        )
        for p in starts
    ]
    return a, motions[0], b, motions[1]


def chord_impact(a, motion_a, b, motion_b, pieces, gap):
    """First touch when all points run straight between the poses at `pieces` equal times, by the linear test."""
    times = np.linspace(0, 1, pieces + 1)
    path_a = np.array([motion_a.at(t).apply(a) for t in times])
    path_b = np.array([motion_b.at(t).apply(b) for t in times])
    test = impact_vertex_face if np.ndim(a) == 1 else impact_edge_edge
    found = test(path_a[:-1], path_b[:-1], path_a[1:], path_b[1:], gap=gap)
    hits = np.flatnonzero(np.isfinite(found))
    return (hits[0] + found[hits[0]]) / pieces if len(hits) else np.inf


@pytest.mark.parametrize("features", ["vertex-face", "edge-edge"])
@pytest.mark.parametrize(("spin", "pieces"), [(0.0, 1), (1.5, 150), (12.0, 500)])
def test_no_impact_of_the_chords_is_missed(rng, features, spin, pieces):
    """Oracle: points on chords are within (angle / pieces)^2 radius / 8 of their arcs."""
    hits = 0
    for _ in range(40 if pieces < 500 else 10):
        query = random_query(rng, features, spin)
        a, motion_a, b, motion_b = query
        bend = sum(
            (np.linalg.norm(m.rotvec) / pieces) ** 2 / 8 * np.linalg.norm(x, axis=-1).max()
            for m, x in ((motion_a, a), (motion_b, b))
        )
        chord = chord_impact(*query, pieces, gap=0.0)
        time, status = impact(*query, gap=bend + 1e-12)
        hits += np.isfinite(chord)
        assert status != FREE or np.isinf(chord)
        assert time <= chord
        if status == TOUCH:
            assert distance_at(*query, time) <= bend + 1e-8
    assert hits


@pytest.mark.parametrize("features", ["vertex-face", "edge-edge"])
@pytest.mark.parametrize("gap", [0.0, 0.2])
def test_before_the_time_features_are_apart_and_at_it_within_the_tolerance(rng, features, gap):
    touched = 0
    for _ in range(60):
        query = random_query(rng, features, 4.0)
        time, status = impact(*query, gap=gap, tolerance=1e-7)
        touched += status == TOUCH
        if status == TOUCH:
            assert distance_at(*query, time) <= gap + 1e-7
        if time > 0.0:
            before = np.linspace(0.0, min(time, 1.0), 30)[: -1 if status == TOUCH else None]
            assert min(distance_at(*query, t) for t in before) > gap
    assert touched > 3


def test_without_turning_the_time_is_that_of_straight_motion(rng):
    for _ in range(60):
        a, motion_a, b, motion_b = random_query(rng, "edge-edge", 0.0)
        ends = [m.at(t).apply(x) for t in (0.0, 1.0) for m, x in ((motion_a, a), (motion_b, b))]
        straight = impact_edge_edge(*ends, gap=0.1)[0]
        time, status = impact(a, motion_a, b, motion_b, gap=0.1)
        assert np.isfinite(straight) == (status == TOUCH)
        assert time == pytest.approx(straight, abs=1e-6)


@pytest.mark.parametrize("height", [1e-4, 1e-6, 1e-8])
def test_turning_together_or_sliding_is_no_approach(height):
    """Directions carried by the body of the closest feature last: no need for steps as short as the height."""
    spin = (0.3, 0.2, 0.4)
    for slide in ((0.0, 0.0, 0.0), (0.02, 0.0, 0.0)):
        together = abut.Motion(abut.Pose(), (0, 0, 0), spin)
        vertex_body = abut.Motion(abut.Pose(), slide if slide[0] == 0.0 else (0, 0, 0), spin)
        assert impact((0.1, 0.1, height), vertex_body, FACE, together, tolerance=1e-3 * height)[1] == FREE
        across = ((0.1, -1.0, height), (0.1, 1.0, height))
        assert impact(across, vertex_body, EDGE, together, tolerance=1e-3 * height)[1] == FREE
        sliding = abut.Motion(abut.Pose(), slide, (0.0, 0.0, 2.0))
        assert impact((0.1, 0.1, height), sliding, FACE, REST, tolerance=1e-3 * height)[1] == FREE
        assert impact(across, sliding, EDGE, REST, tolerance=1e-3 * height)[1] == FREE


def interpolated_pose(feature, t):
    """Pose of a recorded query: position and rotation vector linear in time."""
    ends = [(np.array(feature[f"pose_t{k}"]["position"]), np.array(feature[f"pose_t{k}"]["rotation"])) for k in (0, 1)]
    return abut.Pose.from_rotvec(*((1 - t) * x + t * y for x, y in zip(*ends, strict=True)))


def piece(feature, points, start, stop):
    """Motion of constant angular velocity between two times, and how far points stray from the recorded one."""
    motion = abut.Motion.between(interpolated_pose(feature, start), interpolated_pose(feature, stop))
    recorded = [interpolated_pose(feature, (1 - s) * start + s * stop).apply(points) for s in (0.25, 0.5, 0.75)]
    strays = recorded - np.array([motion.at(s).apply(points) for s in (0.25, 0.5, 0.75)])
    return motion, 1.2 * np.linalg.norm(strays, axis=-1).max()


def recorded_impact(query, pieces=8):
    """First touch over pieces of the recorded motion, with the stray as gap; inf for none."""
    first, second = ("vertex", "face") if query["type"] == "fv" else ("edge0", "edge1")
    points = [np.array([query[f][k] for k in sorted(query[f]) if k.startswith("vertex")]) for f in (first, second)]
    for i in range(pieces):
        parts = [piece(query[f], x, i / pieces, (i + 1) / pieces) for f, x in zip((first, second), points, strict=True)]
        a = points[0][0] if query["type"] == "fv" else points[0]
        gap = parts[0][1] + parts[1][1]
        time, status = impact(a, parts[0][0], points[1], parts[1][0], gap=gap, tolerance=1e-10)
        if status != FREE:
            return (i + time) / pieces
    return np.inf


def test_recorded_rigid_queries_are_neither_missed_nor_frozen_at_the_start(shared_data):
    folder = shared_data("rigid-ipc") / "ccd-curved"
    with (folder / "truth.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 100
    for entry in rows:
        time = recorded_impact(json.loads((folder / entry["file"]).read_text()))
        if entry["impact"] == "1":
            truth = float(entry["toi"])
            assert 0.9 * truth < time <= truth, entry["file"]
        else:
            assert time == np.inf, entry["file"]


def test_a_tolerance_below_rounding_is_raised_to_it():
    far = abut.Motion(abut.Pose((1e6, 0, 1)), (0, 0, -2), (0, 0, 1.0))
    time, status = impact((0, 0, 0), far, np.add(FACE, (1e6, 0, 0)), REST, tolerance=0.0)
    assert status == TOUCH and time == pytest.approx(0.5, abs=1e-7) and time <= 0.5


@pytest.mark.parametrize(
    ("value", "rate", "curvature", "expected"),
    [
        (1.0, -2.0, 0.0, 0.5),
        (1.0, 2.0, 0.0, np.inf),
        (1.0, 0.0, 2.0, 1.0),
        (1.0, 0.0, 0.0, np.inf),
        (4.0, 3.0, 2.0, 4.0),
    ],
)
def test_how_long_a_bound_lasts(value, rate, curvature, expected):
    assert lasting(value, rate, curvature) == pytest.approx(expected)


def test_each_kernel_is_compiled_once(compiled_signatures):
    impact((0, 0, 1), REST, FACE, swing(1))
    impact(EDGE, REST, EDGE, swing(1))
    assert len(compiled_signatures(impact_vertex_face_rigid)) == 1
    assert len(compiled_signatures(impact_edge_edge_rigid)) == 1
