"""Soft bodies of a scene file: a cage with its skin, the nodes that are held, and files that hold one to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats, Ints
from ...dynamics import Deformable, World
from ...dynamics.snapshots.archive import pack, unpack
from ...dynamics.snapshots.snapshot import VERSIONS
from ...dynamics.snapshots.snapshot_soft import read_soft, write_soft
from ...dynamics.soft.soft_spec import SoftMoment, SoftSpec, SoftState
from ...errors import FileError, InputError, unreadable
from ...fem import TetMesh
from ...fem.meshing.divide import divided
from ...geometry import Solid
from .place import pose_of
from .positions import Path
from .problems import Fault

if TYPE_CHECKING:
    from .model import NodesTable, SoftTable

DENSITY = 1000.0
"""[kg/m^3] where neither the body nor its material says anything, as for rigid bodies."""


def add_soft(
    world: World,
    name: str,
    table: SoftTable,
    part: Callable[[str], Solid],
    file: FilePath | None,
    laws: dict[str, float],
) -> None:
    """Put a soft body into a world, and hold its nodes; `file` is where its tetrahedra are, `laws` what it is of."""
    soft = _as_saved(world, name, file) if table.exact and file else _as_told(world, name, table, part, file, laws)
    for i, link in enumerate(table.attach):
        path = ("soft", name, "attach", i)
        nodes = chosen_nodes(np.asarray(soft.mesh.nodes), link, path)
        try:
            soft.attach(nodes, world.body(link.body))
        except InputError as error:
            raise Fault(path, str(error)) from None


def _as_told(
    world: World,
    name: str,
    table: SoftTable,
    part: Callable[[str], Solid],
    file: FilePath | None,
    laws: dict[str, float],
) -> Deformable:
    mesh, skin = _cage(table, part, file)
    fixed = [
        chosen_nodes(np.asarray(mesh.nodes), choice, ("soft", name, "fixed", i)) for i, choice in enumerate(table.fixed)
    ]
    return world.add_deformable(
        mesh,
        name,
        surface=None if skin is None else divided(skin, table.divide),
        young=table.young or 0.0,
        poisson=table.poisson or 0.0,
        density=laws.get("density", DENSITY),
        friction=laws.get("friction"),
        pose=pose_of(table),
        velocity=table.velocity,
        damping=table.damping,
        fixed_nodes=np.concatenate(fixed) if fixed else (),
    )


def _cage(table: SoftTable, part: Callable[[str], Solid], file: FilePath | None) -> tuple[TetMesh, Solid | None]:
    """Tetrahedra, and the skin they carry; None: their own surface."""
    if file is not None:
        mesh = TetMesh.load(file, unit=table.unit, repair=table.repair)
        skin = mesh.surface() if table.divide else None
    else:
        skin = part(str(table.part))
        mesh = TetMesh.from_solid(skin, table.cell or 0.0, fit=table.fit)
    return mesh, skin if table.surface is None else part(table.surface)


def chosen_nodes(rest: Floats, choice: NodesTable, path: Path) -> Ints:
    """Numbers of the nodes (n, 3) at rest that a table speaks of; none at all is a fault."""
    if choice.nodes is not None:
        numbers = np.array(choice.nodes, np.int64)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < len(rest)):
            raise Fault((*path, "nodes"), f"expected numbers from 0 to {len(rest) - 1}, got {numbers.max()}")
        return numbers.astype(np.int32)
    if choice.box is not None:
        low, high = np.array(choice.box)
        found = np.flatnonzero(((rest >= low) & (rest <= high)).all(axis=1))
    else:
        away = np.linalg.norm(rest - np.array(choice.near), axis=1)
        found = np.flatnonzero(away <= choice.within) if choice.within is not None else away.argmin(keepdims=True)
    if len(found) == 0:
        low, high = rest.min(axis=0), rest.max(axis=0)
        reach = " to ".join("[" + ", ".join(f"{x:g}" for x in corner) + "]" for corner in (low, high))
        raise Fault(path, f"there is no node of the cage in it; the cage reaches from {reach}")
    return found.astype(np.int32)


def write_body(spec: SoftSpec, state: SoftState) -> bytes:
    """A soft body as it is, without what holds it."""
    return pack([write_soft(SoftMoment().with_body(spec, state))])


def _as_saved(world: World, name: str, file: FilePath) -> Deformable:
    """A soft body as abut.scene.save wrote it."""
    try:
        blob = file.read_bytes()
    except OSError as error:
        raise unreadable(file, error) from None
    sections = unpack(blob, VERSIONS)
    found = read_soft(sections["soft"], ()) if "soft" in sections else SoftMoment()
    if len(found.specs) != 1 or found.specs[0].name != name:
        raise FileError(f"{file}: expected the soft body '{name}', as abut.scene.save writes it")
    return world._add_soft(found.specs[0], found.states[0])
