"""Gears as exporters leave them: with triangles of no area where one side of an edge was split, then subdivided."""

import numpy as np

from abut import Solid


def gear(teeth=20, module=1e-3, width=0.005, bore=0.004):
    """A spur gear with straight flanks and a round bore."""
    pitch, turn = 0.5 * module * teeth, 2.0 * np.pi / teeth
    radii = np.array([pitch - 1.25 * module, pitch + module, pitch + module, pitch - 1.25 * module])
    angles = np.array([-0.36, -0.14, 0.14, 0.36]) * turn
    t = (angles[None] + turn * np.arange(teeth)[:, None]).ravel()
    r = np.tile(radii, teeth)
    outline = np.stack((r * np.cos(t), r * np.sin(t)), axis=1)
    s = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    return Solid.extrude(outline, width, holes=[bore * np.stack((np.cos(s), np.sin(s)), axis=1)], name="gear")


def with_caps(vertices, triangles, seed, share=0.15, offset=0.5):
    """Some edges split on one side only, and the slit closed by a triangle of no area; each triangle is split once."""
    rng = np.random.default_rng(seed)
    edges = {}
    for t, corners in enumerate(triangles):
        for k in range(3):
            edges.setdefault(frozenset((int(corners[k]), int(corners[(k + 1) % 3]))), []).append((t, k))
    points, kept, used, new = list(vertices), {t: [tuple(c)] for t, c in enumerate(triangles.tolist())}, set(), []
    for sides in edges.values():
        t, k = sides[rng.integers(len(sides))]
        if t in used or rng.random() > share:
            continue
        used.add(t)
        a, b, c = (int(triangles[t][(k + i) % 3]) for i in range(3))
        m = len(points)
        points.append((1.0 - offset) * vertices[a] + offset * vertices[b])
        kept[t] = [(a, m, c), (m, b, c)]
        new.append((a, b, m))
    out = [corners for rows in kept.values() for corners in rows] + new
    return np.array(points), np.array(out, np.int32)


def subdivided(vertices, triangles, times=1):
    """Every triangle cut in four; corners that fall in one place are one vertex."""
    corners = np.asarray(vertices)[triangles]
    for _ in range(times):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    points, where = np.unique(corners.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    faces = where.reshape(-1, 3).astype(np.int32)
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return points, faces[whole]
