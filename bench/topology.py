"""Building a solid with all its topology, beside trimesh with adjacency and facets."""

import tracemalloc

import numpy as np
from rich.console import Console
from rich.table import Table

import abut
from bench.timing import medians


def sphere(n_triangle: int) -> tuple[np.ndarray, np.ndarray]:
    """A latitude-longitude sphere of about `n_triangle` triangles, in random order as files have it."""
    rows = int(np.sqrt(n_triangle / 4))
    columns = 2 * rows
    u, v = np.meshgrid(np.linspace(0, np.pi, rows + 2)[1:-1], np.arange(columns) * 2 * np.pi / columns, indexing="ij")
    ring = np.stack((np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)), -1).reshape(-1, 3)
    vertices = np.concatenate((ring, [(0, 0, 1.0), (0, 0, -1.0)]))
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b = index[:-1], np.roll(index[:-1], -1, 1)
    c, d = index[1:], np.roll(index[1:], -1, 1)
    top, bottom = index[0], index[-1]
    north, south = np.full(columns, len(ring)), np.full(columns, len(ring) + 1)
    triangles = np.concatenate(
        [np.stack(t, -1).reshape(-1, 3) for t in ((a, c, d), (a, d, b))]
        + [np.column_stack((north, top, np.roll(top, -1))), np.column_stack((south, np.roll(bottom, -1), bottom))]
    )
    return vertices, np.random.default_rng(0).permutation(triangles)


def build_abut(vertices: np.ndarray, triangles: np.ndarray) -> object:
    return abut.Solid(vertices, triangles).topology


def build_trimesh(vertices: np.ndarray, triangles: np.ndarray) -> object:
    import trimesh

    mesh = trimesh.Trimesh(vertices.copy(), triangles.copy())
    return mesh.face_adjacency, mesh.facets


def peak_megabytes(vertices: np.ndarray, triangles: np.ndarray) -> float:
    tracemalloc.start()
    solid = abut.Solid(vertices, triangles)
    _ = solid.topology
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def run(console: Console) -> None:
    table = Table("triangles", "abut ms", "trimesh ms", "ratio", "abut peak MB")
    for n in (10_000, 100_000, 1_000_000):
        mesh = sphere(n)
        rivals = {"abut": lambda m=mesh: build_abut(*m), "trimesh": lambda m=mesh: build_trimesh(*m)}
        seconds = medians(rivals, repeats=3 if n > 200_000 else 7)
        ratio = seconds["abut"] / seconds["trimesh"]
        figures = (f"{len(mesh[1]):,}", *(f"{1e3 * s:.1f}" for s in seconds.values()), f"{ratio:.2f}")
        table.add_row(*figures, f"{peak_megabytes(*mesh):.0f}")
    console.print(table)
