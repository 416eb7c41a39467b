"""STEP through Open CASCADE, in a process of its own: damaged files crash it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..._cad.child_process import Outcome
from ..._cad.reading import reading
from ...errors import FileError
from ..surfaces.brep_faces import faces_from_facts
from .raw_mesh import RawFile, RawMesh, checked, shortened
from .scene_files import require

_NO_SOLIDS = 3

# What programs write where nobody gave a name.
_MADE_UP = re.compile(
    r"(NAUO|NEXT_ASSEMBLY_USAGE_OCCURRENCE)?[\W\d_]*|=>\[.*|Open CASCADE STEP translator.*|NONE", re.I
)


def read_step(path: Path, content: bytes, tolerance: float) -> RawFile:
    """A STEP file, cut into triangles that aim to stay within `tolerance` [m] of its surfaces; how far is measured."""
    require("OCP", f"reading {path} (STEP)", "cadquery-ocp-novtk")
    if b"END-ISO-10303-21" not in content[-4096:]:
        raise FileError(f"{path}: breaks off before END-ISO-10303-21; it is truncated, export the part again")
    with reading(path, tolerance) as begun:
        _check_outcome(path, begun.outcome(), begun.seconds)
        return RawFile(_meshes(path, begun.answer), "m")


def _meshes(path: Path, folder: Path) -> list[RawMesh]:
    """Every shape once for each place it has."""
    facts = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    with np.load(folder / "parts.npz", allow_pickle=False) as arrays:
        tables = [
            [arrays[f"{key}_{i}"] for key in ("vertices", "triangles", "faces")] for i in range(len(facts["shapes"]))
        ]
    meshes = []
    for instance in facts["instances"]:
        shape, (vertices, triangles, faces) = facts["shapes"][instance["shape"]], tables[instance["shape"]]
        if len(triangles):
            name = _first_given(instance["names"], path)
            part = _first_given([shape["name"], *instance["names"]], path)
            mesh = checked(path, name, vertices, triangles, np.array(instance["matrix"]), part)
            colour = None if instance["colour"] is None else tuple(instance["colour"])
            meshes.append(replace(mesh, brep=faces_from_facts(shape["faces"], faces), colour=colour))
    if not meshes:
        raise FileError(f"{path}: holds no faces, so there is no part in it; export the part again as STEP AP214")
    return meshes


def _first_given(names: list[str], path: Path) -> str:
    """The first name that a person gave, else that of the file."""
    return next((name.strip() for name in names if not _MADE_UP.fullmatch(name.strip())), path.stem)


def _check_outcome(path: Path, outcome: Outcome, seconds: float) -> None:
    """A sentence where the child did not leave an answer."""
    if outcome.code == 0:
        return
    if outcome.code is None or outcome.crash == "SIGXCPU":
        raise FileError(
            f"{path}: Open CASCADE was not done with it after {seconds:.0f} s; it is damaged, or cut too finely: "
            "export the part again, or give a larger tolerance"
        )
    if outcome.crash:
        raise FileError(
            f"{path}: Open CASCADE crashed while reading it ({outcome.crash}); "
            "the file is damaged, export the part again"
        )
    said = re.sub(r"\x1b\[[0-9;]*m|\*{4}", "", outcome.said).strip().splitlines() or ["it says nothing more"]
    if outcome.code == _NO_SOLIDS:
        reason = shortened(said[0], 120)
        raise FileError(f"{path}: Open CASCADE finds no solids in it ({reason}); export the part again as STEP AP214")
    reason = shortened(said[-1], 120)  # the last line of a traceback
    raise FileError(f"{path}: Open CASCADE cannot read it ({reason}); the file is damaged, export the part again")
