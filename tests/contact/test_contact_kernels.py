"""Contacts of two edges whose normal turns with them: the gap is the distance of the lines, at any poses."""

import numpy as np
import pytest

import abut
from abut.contact.contact_kernels import (
    CARRIED_BY_BOTH,
    CARRIER,
    EDGE_A,
    EDGE_B,
    NORMAL,
    POINT_A,
    POINT_B,
    contact_frame,
    gap_row,
)
from abut.math.frame_tables import Frame


def frame(X):
    """A pose as kernels take it."""
    return Frame(*X.frame)


def moved(X, twist):
    """Pose after a small displacement and turn about its own origin."""
    return abut.Pose.from_rotvec(X.position + twist[:3], twist[3:]) @ abut.Pose((0.0, 0.0, 0.0), quat_wxyz=X.quat_wxyz)


def crossing_edges(rng, random_pose):
    """Row of a contact of two random edges, their bodies' poses, and the lines in the bodies' frames."""
    place = np.zeros((1, 17))
    X_a, X_b = random_pose(), random_pose()
    lines = [(rng.normal(size=3), rng.normal(size=3)) for _ in range(2)]
    (p, u), (q, v) = lines
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    normal = np.cross(X_a.rotation @ u, X_b.rotation @ v)
    if normal @ (X_b.apply(q) - X_a.apply(p)) < 0.0:
        u = -u
    place[0, POINT_A : POINT_A + 3], place[0, POINT_B : POINT_B + 3] = p, q
    place[0, EDGE_A : EDGE_A + 3], place[0, EDGE_B : EDGE_B + 3] = u, v
    place[0, NORMAL : NORMAL + 3] = normal / np.linalg.norm(normal)
    place[0, CARRIER] = CARRIED_BY_BOTH
    return place, X_a, X_b, (p, u), (q, v)


def line_distance(X_a, X_b, line_a, line_b):
    """Of two lines, positive on the side on which the contact was made."""
    (p, u), (q, v) = line_a, line_b
    normal = np.cross(X_a.rotation @ u, X_b.rotation @ v)
    return normal @ (X_b.apply(q) - X_a.apply(p)) / np.linalg.norm(normal)


def test_the_gap_is_the_distance_of_the_lines_and_its_row_the_derivative(rng, random_pose):
    row, unused = np.zeros(12), np.zeros(12)
    for _ in range(50):
        place, X_a, X_b, line_a, line_b = crossing_edges(rng, random_pose)
        gap = gap_row(place, 0, frame(X_a), frame(X_b), 0.0, row)
        assert gap == pytest.approx(line_distance(X_a, X_b, line_a, line_b), abs=1e-12)
        assert gap > 0.0
        twist = rng.normal(size=12)
        h = 1e-6
        ahead, behind = (
            gap_row(place, 0, frame(moved(X_a, s * twist[:6])), frame(moved(X_b, s * twist[6:])), 0.0, unused)
            for s in (h, -h)
        )
        scale = np.abs(row).max()
        assert (ahead - behind) / (2.0 * h) == pytest.approx(row @ twist, abs=1e-5 * scale * np.abs(twist).sum())


def test_the_points_of_the_contact_face_each_other_along_the_normal(rng, random_pose):
    for _ in range(20):
        place, X_a, X_b, line_a, _ = crossing_edges(rng, random_pose)
        x_a, x_b, n = (np.array(v) for v in contact_frame(place, 0, frame(X_a), frame(X_b)))
        assert np.cross(x_b - x_a, n) == pytest.approx(np.zeros(3), abs=1e-9 * (1.0 + np.abs(x_a).max()))
        along = X_a.inverse().apply(x_a) - line_a[0]
        assert np.cross(along, line_a[1]) == pytest.approx(np.zeros(3), abs=1e-9 * (1.0 + np.abs(x_a).max()))
