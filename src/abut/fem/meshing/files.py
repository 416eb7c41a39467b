"""Tetrahedra from files of other programs."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...errors import FileError, MissingExtraError
from ...geometry.files.raw_mesh import check_numbers, shortened
from ...geometry.units import metres_per

ENDINGS = (".msh", ".vtk", ".vtu", ".inp")


def read_tetrahedra(path: str | Path, unit: str) -> tuple[Floats, Ints]:
    """Nodes [m] and linear tetrahedra of a file; nodes that belong to none are left out."""
    file, scale = Path(path), metres_per(unit)
    if file.suffix.lower() not in ENDINGS:
        raise FileError(f"{file}: tetrahedra are read from files that end in {', '.join(ENDINGS)}")
    if not file.is_file():
        raise FileError(f"{file}: there is no such file")
    mesh = _read(file)
    cells = _linear_tetrahedra(file, mesh)
    points = np.asarray(mesh.points, np.float64)
    if cells.min() < 0 or cells.max() >= len(points):
        raise FileError(
            f"{file}: a tetrahedron names a node that is not among the {len(points)} of the file; the file is damaged, "
            "export the mesh again"
        )
    check_numbers(file, "node", points)
    used, corner = np.unique(cells, return_inverse=True)
    return np.ascontiguousarray(points[used] * scale), np.ascontiguousarray(corner.reshape(-1, 4), np.int32)


def _linear_tetrahedra(file: Path, mesh: Any) -> Ints:
    """Corners of all tetrahedra; other cells that fill space are refused, as their part of the volume would be lost."""
    filled = [block for block in mesh.cells if len(block.data)]
    tetrahedra = [block.data for block in filled if block.type == "tetra"]
    remedy = "mesh the whole volume with tetrahedra of first order"
    if not tetrahedra:
        found = ", ".join(sorted({block.type for block in filled}))
        only = f", only {found}" if found else ""
        raise FileError(f"{file}: it holds no linear tetrahedra{only}; {remedy}")
    others = sorted({block.type for block in filled if block.dim == 3 and block.type != "tetra"})
    if others:
        raise FileError(f"{file}: it holds {', '.join(others)} beside linear tetrahedra; {remedy}")
    return np.vstack(tetrahedra)


def _read(file: Path) -> Any:
    try:
        import meshio
    except ImportError:
        raise MissingExtraError("meshio", "soft", f"reading tetrahedra from {file.name}") from None
    try:
        with redirect_stderr(StringIO()), redirect_stdout(StringIO()):  # meshio prints errors before it raises them
            return meshio.read(file)
    except (Exception, SystemExit) as error:  # a damaged file may raise anything inside a reader, or end the program
        reason = "" if isinstance(error, SystemExit) else shortened(str(error).strip() or type(error).__name__, 120)
        raise FileError(f"{file}: it cannot be read as a mesh{f' ({reason})' if reason else ''}") from error
