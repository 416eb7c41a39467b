"""Convex stand-ins of a part: its hull, or the pieces that CoACD cuts it into."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from abut import Solid

Mesh = tuple[np.ndarray, np.ndarray]
STORE = Path("out/peers/coacd")
THRESHOLD = 0.02
"""Concavity down to which CoACD cuts, as a share of the part's size; its own default is 0.05."""


def hull(part: Solid) -> list[Mesh]:
    """The convex hull of a part."""
    from scipy.spatial import ConvexHull

    vertices = np.asarray(part.vertices)
    used = np.unique(ConvexHull(vertices).vertices)
    return [(vertices[used], oriented_hull(vertices[used]))]


def oriented_hull(points: np.ndarray) -> np.ndarray:
    """(m, 3) triangles of the hull of points, seen counter-clockwise from outside."""
    from scipy.spatial import ConvexHull

    found = ConvexHull(points)
    triangles = found.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return np.asarray(triangles)


def coacd_pieces(part: Solid) -> list[Mesh]:
    """The convex pieces of a part; kept on disk, for a part may take a minute."""
    vertices, triangles = np.asarray(part.vertices), np.asarray(part.triangles)
    key = hashlib.sha256(vertices.tobytes() + triangles.tobytes() + str(THRESHOLD).encode()).hexdigest()[:16]
    file = STORE / f"{key}.npz"
    if not file.exists():
        import coacd

        coacd.set_log_level("error")
        found = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=THRESHOLD, preprocess_mode="auto", seed=1)
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, *(np.asarray(v) for v, _ in found))
    with np.load(file) as stored:
        points = [stored[name] for name in stored.files]
    return [(p, oriented_hull(p)) for p in points]
