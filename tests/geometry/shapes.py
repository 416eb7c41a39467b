"""Small meshes written by hand, for tests that must not depend on abut's own makers of parts."""

import numpy as np

CUBE_FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def cube(low=(0, 0, 0), size=(1, 1, 1)):
    """Vertices and outward quadrilaterals of an axis-aligned box."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    return np.array(low) + corners * size, [list(face) for face in CUBE_FACES]


def joined(*meshes):
    """Several meshes as one, each with vertices of its own."""
    vertices, faces, n = [], [], 0
    for points, polygons in meshes:
        vertices.append(points)
        faces += [[v + n for v in polygon] for polygon in polygons]
        n += len(points)
    return np.concatenate(vertices), faces


def welded(vertices, faces):
    """The same mesh with equal vertices made one."""
    unique, index = np.unique(vertices, axis=0, return_inverse=True)
    return unique, [[int(index.ravel()[v]) for v in face] for face in faces]


def inside_out(mesh):
    """The mesh with every face turned round."""
    vertices, faces = mesh
    return vertices, [face[::-1] for face in faces]


def square_frame(outer=2.0, inner=1.0, height=1.0):
    """A square block with a square hole through it: genus 1, and two faces with a hole each."""
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float) / 2
    plan = np.concatenate((outer * ring, inner * ring))
    vertices = np.concatenate([np.column_stack((plan, np.full(8, z))) for z in (0.0, height)])
    faces = []
    for i in range(4):
        j = (i + 1) % 4
        faces += [[i, j, j + 8, i + 8], [j + 4, i + 4, i + 12, j + 12]]
        faces += [[j, i, i + 4, j + 4], [i + 8, j + 8, j + 12, i + 12]]
    return vertices, faces


def tetrahedron():
    """The corner of the unit cube at the origin."""
    return np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def grid_plate(n, noise=0.0, seed=0):
    """The unit cube with its top cut into n x n squares, the vertices inside it lifted by at most `noise`."""
    x = np.linspace(0, 1, n + 1)
    top = np.array([(a, b, 1.0) for a in x for b in x])
    inner = (top[:, :2] % 1.0 != 0.0).all(axis=1)
    top[inner, 2] += noise * np.random.default_rng(seed).uniform(-1, 1, inner.sum())
    squares = [
        [i * (n + 1) + j, (i + 1) * (n + 1) + j, (i + 1) * (n + 1) + j + 1, i * (n + 1) + j + 1]
        for i in range(n)
        for j in range(n)
    ]
    sides = _sides_to_grid(n)
    bottom = np.array([(a, b, 0.0) for a in x for b in x])
    flat = [[v + len(top) for v in square[::-1]] for square in squares]
    return np.concatenate((top, bottom)), squares + flat + sides


def _sides_to_grid(n):
    """Quadrilaterals between the borders of an n x n grid and of a second one below it."""
    index = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    border = [*index[0], *index[1:, -1], *index[-1, -2::-1], *index[-2:0:-1, 0]]
    below = (n + 1) ** 2
    return [
        [int(a), int(b), int(b) + below, int(a) + below] for a, b in zip(border, border[1:] + border[:1], strict=True)
    ]
