"""Loading, repair and the search for self-intersections, beside trimesh where it has the same."""

import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import abut
from abut.geometry import repair_mesh
from abut.geometry.soundness.problems import self_intersecting_pairs
from bench.timing import medians
from bench.topology import sphere


def loose(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every triangle with corners of its own, moved by rounding, and one in ten turned over."""
    rng = np.random.default_rng(0)
    corners = vertices[triangles].reshape(-1, 3)
    corners = corners + rng.uniform(-1e-9, 1e-9, corners.shape)
    soup = np.arange(len(corners)).reshape(-1, 3)
    turned = rng.uniform(size=len(soup)) < 0.1
    soup[turned] = soup[turned][:, ::-1]
    return corners, soup


def heal_trimesh(vertices: np.ndarray, triangles: np.ndarray) -> object:
    import trimesh

    mesh = trimesh.Trimesh(vertices.copy(), triangles.copy(), process=False)
    mesh.merge_vertices()
    mesh.update_faces(mesh.nondegenerate_faces() & mesh.unique_faces())
    trimesh.repair.fix_normals(mesh)
    return mesh


def write_stl(path: Path, vertices: np.ndarray, triangles: np.ndarray) -> None:
    rows = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows["corners"] = vertices[triangles]
    path.write_bytes(bytes(80) + len(triangles).to_bytes(4, "little") + rows.tobytes())


def run(console: Console) -> None:
    import trimesh

    mesh = sphere(100_000)
    soup, solid = loose(*mesh), abut.Solid(*mesh)
    _ = solid.topology
    table = Table("100,000 triangles", "abut ms", "trimesh ms", "ratio")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sphere.stl"
        write_stl(path, *mesh)
        tasks = {
            "load a binary STL": (lambda: abut.Solid.load(path), lambda: trimesh.load_mesh(path)),
            "weld and orient a soup": (lambda: repair_mesh(*soup), lambda: heal_trimesh(*soup)),
            "find self-intersections": (lambda: self_intersecting_pairs(solid), None),
        }
        for name, (ours, theirs) in tasks.items():
            seconds = medians({"abut": ours, **({"trimesh": theirs} if theirs else {})}, repeats=5)
            cells = [f"{1e3 * s:.0f}" for s in seconds.values()]
            ratio = f"{seconds['abut'] / seconds['trimesh']:.2f}" if theirs else "no such thing there"
            table.add_row(name, *cells, *([""] if not theirs else []), ratio)
    console.print(table)
