"""Finer skins: the same surface with more triangles."""

from __future__ import annotations

import numpy as np

from ...geometry import Solid


def divided(part: Solid, times: int) -> Solid:
    """The same part with every triangle divided into four, some times over: a skin that is finer than its cage."""
    vertices, triangles = np.asarray(part.vertices), np.asarray(part.triangles)
    for _ in range(times):
        sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        edges, number = np.unique(sides, axis=0, return_inverse=True)
        middle = len(vertices) + number.reshape(-1, 3)
        vertices = np.concatenate((vertices, vertices[edges].mean(axis=1)))
        (a, b, c), (ab, bc, ca) = triangles.T, middle.T
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return Solid(vertices, triangles, name=part.name) if times else part
