"""Contact problems of a cannonball pyramid of any size: the same physics at every scale, to see how solvers grow."""

from typing import Any

import numpy as np


def pyramid(side: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Centres (n, 3) of unit spheres, each on four others or on the floor, and contacts (k, 2); -1 is the floor.

    Spheres of one layer stand a little apart, as they do where a pile has settled.
    """
    pitch = 2.1
    rise = np.sqrt(4.0 - 0.5 * pitch**2)
    layers = []
    for level in range(side):
        grid = (np.arange(side - level) + 0.5 * level) * pitch
        x, y = np.meshgrid(grid, grid, indexing="ij")
        layers.append(np.column_stack((x.ravel(), y.ravel(), np.full(x.size, 1.0 + level * rise))))
    centres = np.concatenate(layers)
    from scipy.spatial import cKDTree

    pairs = cKDTree(centres).query_pairs(2.0 + 1e-9, output_type="ndarray")
    floor = np.flatnonzero(centres[:, 2] < 1.5)
    contacts = np.concatenate((pairs, np.column_stack((np.full(len(floor), -1), floor))))
    return centres, rng.permutation(contacts)


def frames(centres: np.ndarray, contacts: np.ndarray) -> np.ndarray:
    """(k, 3, 3) with rows normal (from the first sphere to the second), tangent, tangent."""
    a, b = contacts.T
    normal = np.where((a < 0)[:, None], (0.0, 0.0, 1.0), centres[b] - centres[a])
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    helper = np.where(np.abs(normal[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    tangent = np.cross(helper, normal)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    return np.stack((normal, tangent, np.cross(normal, tangent)), 1)


def contact_rows(centres: np.ndarray, contacts: np.ndarray) -> Any:
    """(3 k, 6 n): relative velocity at each contact, in its frame, from velocities and angular velocities."""
    from scipy.sparse import coo_array, csr_array

    E = frames(centres, contacts)
    rows, columns, values = [], [], []
    for sign, body, arm in ((-1.0, contacts[:, 0], E[:, :1]), (1.0, contacts[:, 1], -E[:, :1])):
        moving = np.flatnonzero(body >= 0)
        block = sign * np.concatenate((E, np.cross(arm, E)), 2)[moving]
        r, c = np.meshgrid(np.arange(3), np.arange(6), indexing="ij")
        rows.append((3 * moving[:, None, None] + r).ravel())
        columns.append((6 * body[moving][:, None, None] + c).ravel())
        values.append(block.ravel())
    shape = (3 * len(contacts), 6 * len(centres))
    return csr_array(coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape))


def pile(side: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """W (3 k, 3 k) and q (3 k,) of one step of 1 ms of a pyramid of spheres of unlike mass, pushed from above."""
    from scipy.sparse import block_diag, csr_array

    rng = np.random.default_rng(seed)
    centres, contacts = pyramid(side, rng)
    mass = rng.uniform(0.5, 2.0, len(centres))
    inverse = block_diag([np.diag([1.0 / m] * 3 + [2.5 / m] * 3) for m in mass], format="csr")
    J = contact_rows(centres, contacts)
    velocity = np.zeros((len(centres), 6))
    velocity[:, :3] = rng.normal(scale=1e-3, size=(len(centres), 3)) - (0.0, 0.0, 9.81e-3)
    return csr_array(J @ inverse @ J.T), J @ velocity.ravel()


def frictionless(side: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """The normal rows of `pile` alone: A and b of an LCP."""
    W, q = pile(side, seed)
    return W[::3][:, ::3].tocsr(), q[::3].copy()
