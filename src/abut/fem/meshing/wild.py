"""Tetrahedra by fTetWild (Hu et al. 2020), an optional package: sharp edges stay, every run gives another mesh."""

from __future__ import annotations

from contextlib import chdir
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...errors import InputError, MissingExtraError
from ...geometry import Solid

EDGE_OF_CELL = 0.9
"""Length of an edge over the size of a cell: about that of the lattice."""
QUIET = 6


def wild_tetrahedra(part: Solid, cell: float) -> tuple[Floats, Ints]:
    """Nodes and tetrahedra of a part whose surface keeps within a thousandth of its diagonal."""
    _require_areas(part)
    machine = _machine(edge_length_r=EDGE_OF_CELL * cell / float(np.linalg.norm(part.extents)), max_threads=1)
    machine.set_log_level(QUIET)
    machine.set_mesh(np.array(part.vertices), np.array(part.triangles))
    with TemporaryDirectory() as folder, chdir(folder):  # the package leaves a file where it works
        machine.tetrahedralize()
    nodes, tetrahedra, *_ = machine.get_tet_mesh()
    return np.ascontiguousarray(nodes, np.float64), np.ascontiguousarray(tetrahedra, np.int32)


def _machine(**options: Any) -> Any:
    try:
        from wildmeshing import Tetrahedralizer
    except ImportError:
        raise MissingExtraError("wildmeshing", "wild", "meshing with fit='wild'") from None
    return Tetrahedralizer(**options)


def _require_areas(part: Solid) -> None:
    """Triangles without area would end the whole program inside the package."""
    a, b, c = (part.vertices[part.triangles[:, k]] for k in range(3))
    flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) == 0.0
    if flat.any():
        raise InputError(
            f"fit: 'wild' cannot mesh {part.label}, whose triangle {int(flat.argmax())} has no area; load it with "
            "repair=True, or use 'stuffed'"
        )
