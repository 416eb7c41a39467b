"""Vertices that a plane can touch before any edge beside them, and those that never are the closest point."""

from dataclasses import replace

import numpy as np
import pytest

from abut import EdgeKind, Motion, Pose, Solid, parts
from abut.query.motion.exposed import _blocks, exposed_features
from abut.query.motion.feature_table import blank_memory
from abut.query.motion.motion_pair import MotionPair
from abut.query.motion.peak_kernels import is_peak
from geometry.shapes import cube, square_frame
from query.test_motion_pair import bumpy


def peaks_of(solid):
    """Vertices of a solid that can touch first, and those that have a convex edge but cannot."""
    features = exposed_features(solid)
    return features.point_id[: features.peaks], features.point_id[features.peaks :]


def pair_of_all(a, b):
    """A pair that checks all vertices with a convex edge."""
    pair = MotionPair(a, b)
    pair.a, pair.b = (replace(f, peaks=len(f.point), point_blocks=_blocks(f.point)) for f in (pair.a, pair.b))
    counts = [(f.peaks, len(f.point_blocks.radius)) for f in (pair.a, pair.b)]
    pair.memory = (*(blank_memory(n, m) for n, m in counts), pair.memory[2])
    return pair


def torus(trimesh):
    mesh = trimesh.creation.torus(major_radius=2.0, minor_radius=0.7, major_sections=24, minor_sections=12)
    return Solid(np.array(mesh.vertices), np.array(mesh.faces))


@pytest.mark.parametrize("shape", [cube, square_frame])
def test_corners_that_a_plane_can_rest_on_are_peaks(shape):
    """Also those of a hole, on which a flat part can lie."""
    solid = Solid(*shape())
    peaks, others = peaks_of(solid)
    assert len(peaks) == len(solid.vertices) and len(others) == 0


def test_outside_a_ring_all_vertices_are_peaks_and_inside_none():
    solid = torus(pytest.importorskip("trimesh"))
    peaks, others = peaks_of(solid)
    radius = np.linalg.norm(solid.vertices[:, :2], axis=1)
    assert radius[peaks].min() > 1.9 and radius[others].max() < 2.1
    assert set(np.flatnonzero(radius > 2.1)) <= set(peaks)


def test_a_thread_has_peaks_on_its_outer_crest_only():
    bolt, nut = parts.hex_bolt(segments=32), parts.hex_nut(segments=32)
    features = exposed_features(nut)
    assert features.peaks < 0.4 * len(features.point)
    radius = np.linalg.norm(bolt.vertices[peaks_of(bolt)[1]][:, :2], axis=1)
    assert len(radius) > 1000 and radius.max() < 9.0e-3  # the crest of M20 is at 10 mm


def test_what_any_plane_can_touch_is_a_peak(rng):
    """Oracle: many planes through each vertex."""
    solid = bumpy(rng)
    normals = rng.normal(size=(4000, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    ends, n_peak = solid.edges.vertices[solid.edges.kind != EdgeKind.FLAT], 0
    for v in range(len(solid.vertices)):
        others = np.concatenate((ends[ends[:, 0] == v, 1], ends[ends[:, 1] == v, 0])).astype(np.int32)
        ways = solid.vertices[others] - solid.vertices[v]
        touched = ((ways @ normals.T) <= 0.0).all(axis=0).any()
        peak = is_peak(np.ascontiguousarray(solid.vertices), v, others)
        assert peak or not touched
        n_peak += peak
    assert 20 < n_peak < 0.9 * len(solid.vertices)


def test_leaving_out_what_is_no_peak_changes_no_first_touch(rng):
    a, b = bumpy(rng), bumpy(rng)
    touches = 0
    for k in range(40):
        way = rng.normal(size=3)
        start = Pose(2.3 * way / np.linalg.norm(way), quat_wxyz=rng.normal(size=4))
        motion = Motion(start, -0.7 * start.position, (0.1 if k % 2 else 1.0) * rng.normal(size=3))
        few, all_of_them = (p.check(motion, Motion(Pose()), 1e-3) for p in (MotionPair(a, b), pair_of_all(a, b)))
        assert len(few) <= len(all_of_them) and (len(few) > 0) == (len(all_of_them) > 0)
        if len(few):
            assert few.time[0] == all_of_them.time[0]
            touches += 1
    assert touches > 20
