"""Tetrahedra from files of other programs."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...errors import FileError, MissingExtraError
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
    cells = [block.data for block in mesh.cells if block.type == "tetra"]
    if not cells:
        found = sorted({block.type for block in mesh.cells})
        raise FileError(
            f"{file}: it holds no linear tetrahedra, only {', '.join(found) or 'nothing'}; "
            "mesh the volume with tetrahedra of first order"
        )
    used, corner = np.unique(np.vstack(cells), return_inverse=True)
    points = np.ascontiguousarray(np.asarray(mesh.points, np.float64)[used] * scale)
    return points, np.ascontiguousarray(corner.reshape(-1, 4), np.int32)


def _read(file: Path) -> Any:
    try:
        import meshio
    except ImportError:
        raise MissingExtraError("meshio", "soft", f"reading tetrahedra from {file.name}") from None
    try:
        with redirect_stderr(StringIO()), redirect_stdout(StringIO()):  # meshio prints errors before it raises them
            return meshio.read(file)
    except (meshio.ReadError, ValueError, KeyError, IndexError, TypeError, UnicodeDecodeError, AssertionError) as error:
        raise FileError(f"{file}: it cannot be read as a mesh ({error or 'no reason was given'})") from error
    except SystemExit:
        raise FileError(f"{file}: it cannot be read as a mesh") from None
