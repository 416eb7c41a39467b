"""Time of impact of parts on recorded curved motions: the two features of each query, as features of two parts."""

import csv
import json

import numpy as np
import pytest

import abut
from abut import Motion, Solid
from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from query.brute import surface_distance
from query.test_impact_rigid import interpolated_pose, piece, tuples

PIECES = 8


@pytest.fixture
def queries(shared_data):
    """(file, query, true time or inf) of every recorded query."""
    folder = shared_data("rigid-ipc") / "ccd-curved"
    with (folder / "truth.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [(row["file"], json.loads((folder / row["file"]).read_text()), float(row["toi"] or np.inf)) for row in rows]


def moving_features(query):
    """The two recorded features with their poses, and their corners in their own frames."""
    names = ("vertex", "face") if query["type"] == "fv" else ("edge0", "edge1")
    corners = [[query[name][key] for key in sorted(query[name]) if key.startswith("vertex")] for name in names]
    return [query[name] for name in names], [np.reshape(points, (-1, 3)) for points in corners]


def tetrahedron_behind(points, away):
    """A tetrahedron with a vertex, edge or face at `points` whose other corners lie in the direction `away`."""
    away = away / np.linalg.norm(away)
    size = max(np.linalg.norm(points[-1] - points[0]), 0.1)
    along = points[1] - points[0] if len(points) == 2 else np.eye(3)[np.argmin(np.abs(away))]
    u = np.cross(away, along)
    u *= 0.3 * size / np.linalg.norm(u)
    v = np.cross(away, u)
    more = {1: (u, -u + v, -u - v), 2: (u, -u), 3: (0 * u,)}[len(points)]
    vertices = np.vstack((points, points.mean(axis=0) + 0.5 * size * away + np.array(more)))
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])
    solid = Solid(vertices, faces)
    return solid if solid.volume > 0.0 else Solid(vertices, faces[:, ::-1])


def parts_of(query):
    """The features with their poses, and parts that have them and lie behind them as seen from each other."""
    features, corners = moving_features(query)
    starts = [interpolated_pose(feature, 0.0) for feature in features]
    a, b = (X.apply(points) for X, points in zip(starts, corners, strict=True))
    if len(a) == 1:
        p, q = a[0], np.array(closest_point_triangle(tuples(a[0]), *tuples(b))[0])
    else:
        p, q = np.array(closest_segment_segment(*tuples(a), *tuples(b))[:2])
    ways = [X.rotation.T @ way for X, way in zip(starts, (p - q, q - p), strict=True)]
    return features, [tetrahedron_behind(*each) for each in zip(corners, ways, strict=True)], np.linalg.norm(p - q)


def first_impact(features, parts):
    """Time of the first touch over pieces of the recorded motion, with what they stray from it as gap; inf for none."""
    for i in range(PIECES):
        span = i / PIECES, (i + 1) / PIECES
        pieces = [piece(f, part.vertices, *span) for f, part in zip(features, parts, strict=True)]
        gap = pieces[0][1] + pieces[1][1]
        impact = abut.time_of_impact(*parts, pieces[0][0], pieces[1][0], gap=gap, tolerance=1e-10)
        if impact is not None:
            assert not impact.overlapping
            return (i + impact.time) / PIECES
    return np.inf


def test_parts_on_recorded_motions_are_neither_missed_nor_stopped_without_cause(queries):
    assert len(queries) > 100
    for name, query, truth in queries:
        features, parts, _ = parts_of(query)
        time = first_impact(features, parts)
        assert (time == np.inf) == (truth == np.inf), name
        assert truth == np.inf or 0.98 * truth < time <= truth, name


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0.6, 0, -0.8)])
def test_parts_a_micrometre_apart_that_turn_65_000_times_are_not_stopped_at_the_start(queries, axis):
    """As in a line search that tries a wild step: the touch comes within a turn, but not at the start."""
    n_touch = 0
    for _, query, truth in queries:
        if truth == np.inf:
            continue
        features, parts, start = parts_of(query)
        X_a, X_b = (interpolated_pose(feature, 0.0) for feature in features)
        motions = Motion(X_a, (0, 0, 0), np.multiply(409327.0, axis)), Motion(X_b)
        impact = abut.time_of_impact(*parts, *motions, tolerance=1e-8)
        end = 1e-10 if impact is None else impact.time
        before = [surface_distance(*parts, motions[0].at(t), motions[1].at(t)) for t in np.linspace(0, end, 200)[:-1]]
        assert start > 1e-7 and end > 0.0 and min(before) > 0.0
        if impact is not None:
            n_touch += 1
            assert surface_distance(*parts, motions[0].at(end), motions[1].at(end)) <= 1.01e-8
    assert n_touch > 0
