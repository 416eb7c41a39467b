"""What the process leaves behind: `parts.json` with names, colours, places and surfaces, `parts.npz` with triangles.

parts.json: {"shapes": [{"name", "colour", "faces": [facts of `faces.py` and "deviation"]}], "instances": [{"shape",
"names", "matrix", "colour"}]}, lengths in metres. parts.npz, for shape i: `vertices_i` (n, 3) float64 [m], not merged;
`triangles_i` (m, 3) int32; `faces_i` (m,) int32, the face of each triangle. Nothing is pickled.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .document import MM, Document, Instance, Shape, faces_of
from .faces import face_facts
from .triangles import ShapeMesh, cut_shape

NO_SOLIDS = 3
"""Exit code of the process where a file holds no solids."""


def write_answer(folder: Path, document: Document, tolerance: float) -> None:
    """Cut every shape into triangles and write all that is known."""
    arrays: dict[str, NDArray[Any]] = {}
    shapes = []
    for i, shape in enumerate(document.shapes):
        mesh = cut_shape(shape.shape, tolerance)
        arrays |= _arrays(i, mesh)
        shapes.append(_shape_facts(shape, mesh, document.entities))
    np.savez(folder / "parts.npz", allow_pickle=False, **arrays)
    facts = {"shapes": shapes, "instances": [_instance_facts(instance) for instance in document.instances]}
    (folder / "parts.json").write_text(json.dumps(facts), encoding="utf-8")


def _arrays(i: int, mesh: ShapeMesh) -> dict[str, NDArray[Any]]:
    starts = np.cumsum([0, *(len(face.points) for face in mesh.faces)])
    triangles = [face.triangles + start for face, start in zip(mesh.faces, starts, strict=False)]
    owners = [np.full(len(face.triangles), k, np.int32) for k, face in enumerate(mesh.faces)]
    return {
        f"vertices_{i}": np.concatenate([face.points for face in mesh.faces]) * MM,
        f"triangles_{i}": np.concatenate(triangles).astype(np.int32),
        f"faces_{i}": np.concatenate(owners),
    }


def _shape_facts(shape: Shape, mesh: ShapeMesh, entities: Any) -> dict[str, Any]:
    facts = [face_facts(face, entities) for face in faces_of(shape.shape)]
    faces = [{**fact, "deviation": deviation} for fact, deviation in zip(facts, mesh.deviation, strict=True)]
    return {"name": shape.name, "colour": shape.colour, "faces": faces}


def _instance_facts(instance: Instance) -> dict[str, Any]:
    matrix = instance.matrix.copy()
    matrix[:3, 3] *= MM
    return {
        "shape": instance.shape,
        "names": instance.names,
        "matrix": matrix.tolist(),
        "colour": instance.colour,
    }
