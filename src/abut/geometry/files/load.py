"""Parts from files: units, identical vertices, repair, and where an assembly puts each part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ..._cad.reading import CHORD
from ...arrays import Floats, Ints, number
from ...errors import FileError, InputError, LoadWarning, warn_caller
from ...math.pose import Pose
from ..making.fit import FitReport, fit_mesh
from ..solid import Solid
from ..soundness.repair import (
    RepairReport,
    drop_unused,
    has_repeated_corner,
    merge_identical,
    repair_mesh,
    weld_open_vertices,
)
from ..surfaces.brep_faces import chord_error, inherited, joined, surfaces_of
from ..surfaces.chord_error import ChordError
from ..surfaces.surfaces import OTHER, Surfaces, no_surfaces
from ..units import metres_per, unit_symbol
from .formats import read_bytes
from .raw_mesh import RawFile, RawMesh, flattened, shortened
from .selection import selected, split_selection

_SINGLE_PRECISION = {"STL", "GLB"}
_RIGID = 1e-6  # how far the columns of a matrix may be from unit vectors at right angles
_HUGE = 20.0  # [m] a part this long in a file without a unit was probably drawn in millimetres


@dataclass(frozen=True)
class LoadReport:
    """Where a part came from and what loading did to it."""

    file: str
    format: str
    """STL, OBJ, PLY, OFF, GLB, 3MF or STEP."""
    unit: str
    """The unit in which the file's numbers were read."""
    unit_from: str
    """"file" where it states its unit, "argument" where the caller did, "assumed" where nobody did."""
    chord_tolerance: float | None = None
    """[m] STEP only: how far the triangles were asked to stay from the true surface."""
    chord_error: ChordError | None = None
    """STEP only: how far they do, measured over all faces."""
    merged_vertices: int = 0
    """Vertices that stood in the same place as another. Formats whose triangles have corners of their own (STL,
    GLB) write them in single precision, and there open corners are also one up to that rounding."""
    largest_move: float = 0.0
    """[m] the longest way a vertex was moved by that."""
    collapsed_triangles: int = 0
    """Triangles that had two corners in one place."""
    repair: RepairReport | None = None
    """What repair=True did."""
    fit: FitReport | None = None
    """What fit=True did."""
    notes: tuple[str, ...] = field(default=())
    """Sentences for the user."""


@dataclass(frozen=True, eq=False)
class PlacedPart:
    """One part of an assembly."""

    name: str
    """Unique in the assembly."""
    solid: Solid
    """The part in its own frame; parts that are the same share one Solid."""
    pose: Pose
    """Where the assembly puts it."""
    colour: tuple[float, float, float] | None = None
    """Red, green and blue from 0 to 1, as the file says for this place; None where it says nothing."""


@dataclass(frozen=True)
class _Options:
    path: Path
    format: str
    unit: str
    unit_from: str
    chord: float | None
    repair: bool
    fit: bool
    flatness: float | None
    notes: tuple[str, ...]


def load_solid(
    path: str | Path,
    *,
    unit: str | None = None,
    repair: bool = False,
    tolerance: float | None = None,
    name: str | None = None,
    merge: bool = False,
    flatness: float | None = None,
    fit: bool = False,
) -> Solid:
    """One part from a file; see `Solid.load`."""
    raw, options = _read(path, unit, repair, tolerance, flatness, fit)
    if len(raw.meshes) > 1 and not merge:
        names = ", ".join(sorted({mesh.name for mesh in raw.meshes})[:5])
        raise FileError(
            f"{options.path}: holds {len(raw.meshes)} parts ({names}{', ...' if len(raw.meshes) > 5 else ''}); "
            "load them with abut.load_assembly, or pass merge=True to take them as one rigid part"
        )
    mesh = _joined([_placed(mesh, mesh.matrix) for mesh in raw.meshes])
    own_name = mesh.part if len(raw.meshes) == 1 else options.path.stem
    return _as_solid(mesh, own_name if name is None else name, options)


def load_assembly(
    path: str | Path,
    *,
    unit: str | None = None,
    repair: bool = False,
    tolerance: float | None = None,
    flatness: float | None = None,
    fit: bool = False,
) -> list[PlacedPart]:
    """Every part of a file with its name and pose; arguments as for `Solid.load`.

    STEP, GLB and 3MF hold assemblies, nested to any depth; the other formats give one part. Parts with the same shape
    share one Solid. What is no rigid motion in the path to a part (scaling, mirroring) is put into its shape.
    """
    raw, options = _read(path, unit, repair, tolerance, flatness, fit)
    known: dict[Any, Solid] = {}
    parts = []
    for mesh in raw.meshes:
        pose, shape = _split_matrix(options, mesh)
        key = (np.asarray(mesh.vertices).tobytes(), _faces_key(mesh.faces), shape.tobytes())
        if key not in known:
            known[key] = _as_solid(_placed(mesh, shape), mesh.part, options)
        parts.append(PlacedPart(mesh.name, known[key], pose, mesh.colour))
    return parts


def _with_unique_names(meshes: list[RawMesh]) -> list[RawMesh]:
    """A name that is taken gets the first number that makes it one of its own."""
    taken: set[str] = set()
    named = []
    for mesh in meshes:
        numbered = (f"{mesh.name}_{i}" for i in count(2))
        name = mesh.name if mesh.name not in taken else next(other for other in numbered if other not in taken)
        taken.add(name)
        named.append(replace(mesh, name=name))
    return named


def _read(
    path: str | Path, unit: str | None, repair: bool, tolerance: float | None, flatness: float | None, fit: bool
) -> tuple[RawFile, _Options]:
    try:
        wanted = None if unit is None else unit_symbol(unit)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    chord = CHORD if tolerance is None else number("tolerance", tolerance, above=0.0)
    path, pattern = split_selection(path)
    path, kind, content = read_bytes(path)
    raw = _read_format(path, kind, content, chord)
    symbol, source, notes = _choose_unit(path, kind, raw.unit, wanted)
    options = _Options(
        path=path,
        format=kind,
        unit=symbol,
        unit_from=source,
        chord=chord if kind == "STEP" else None,
        repair=repair,
        fit=fit,
        flatness=flatness,
        notes=notes,
    )
    scale = metres_per(symbol)
    meshes = [_scaled(mesh, scale) for mesh in _with_unique_names(raw.meshes)]
    return RawFile(selected(path, meshes, pattern), symbol), options


def _read_format(path: Path, kind: str, content: bytes, chord: float) -> RawFile:
    from . import ply_file, scene_files, step_file, stl_file, text_files

    if kind == "STEP":
        return step_file.read_step(path, content, chord)
    readers = {
        "STL": stl_file.read_stl,
        "OBJ": text_files.read_obj,
        "PLY": ply_file.read_ply,
        "OFF": text_files.read_off,
        "GLB": scene_files.read_glb,
        "3MF": scene_files.read_3mf,
    }
    return readers[kind](path, content)


def _choose_unit(path: Path, kind: str, stated: str | None, wanted: str | None) -> tuple[str, str, tuple[str, ...]]:
    """The unit to read in, who said so, and what to tell the user."""
    if kind == "STEP":
        # Open CASCADE has converted from the units inside, of which one file may have several.
        note = f"{path}: STEP files state their own units, so unit={wanted!r} was not needed"
        return "m", "file", (note,) if wanted else ()
    if wanted is not None:
        return wanted, "argument", ()
    if stated is not None:
        try:
            return unit_symbol(stated), "file", ()
        except InputError:
            known = f"{path}: states the unit {shortened(stated)!r}, which is no unit of length; give the unit yourself"
            raise FileError(known) from None
    return "m", "assumed", (f"{path}: {kind} files state no unit, metres were assumed; give the unit if that is wrong",)


def _scaled(mesh: RawMesh, scale: float) -> RawMesh:
    if scale == 1.0:
        return mesh
    matrix = mesh.matrix.copy()
    matrix[:3, 3] *= scale
    return replace(mesh, vertices=mesh.vertices * scale, matrix=matrix)


def _placed(mesh: RawMesh, matrix: Floats) -> RawMesh:
    """The mesh moved by a matrix, turned inside out where that mirrors, so that its outside stays outside."""
    if (matrix == np.eye(4)).all():
        return mesh
    turn, shift, faces = matrix[:3, :3], matrix[:3, 3], mesh.faces
    if np.linalg.det(turn) < 0.0:
        faces = faces[:, ::-1] if isinstance(faces, np.ndarray) else [face[::-1] for face in faces]
    rigid = np.abs(turn @ turn.T - np.eye(3)).max() < _RIGID
    brep = mesh.brep.moved(turn, shift) if mesh.brep and rigid else None  # what is stretched is no longer round
    return replace(mesh, vertices=mesh.vertices @ turn.T + shift, faces=faces, brep=brep)


def _joined(meshes: list[RawMesh]) -> RawMesh:
    if len(meshes) == 1:
        return meshes[0]
    faces, start = [], 0
    for mesh in meshes:
        faces += (np.asarray(mesh.faces) + start).tolist()
        start += len(mesh.vertices)
    breps = [mesh.brep for mesh in meshes if mesh.brep is not None]
    brep = joined(breps) if len(breps) == len(meshes) else None
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    return RawMesh(meshes[0].name, vertices, np.array(faces), brep=brep, colour=meshes[0].colour)


def _split_matrix(options: _Options, mesh: RawMesh) -> tuple[Pose, Floats]:
    """A pose, and the rest of the matrix that belongs into the part's shape (polar decomposition M = R S)."""
    A = mesh.matrix[:3, :3]
    if np.abs(A @ A.T - np.eye(3)).max() < _RIGID and np.linalg.det(A) > 0.0:
        return Pose.from_matrix(mesh.matrix), np.eye(4)
    U, sizes, Vt = np.linalg.svd(A)
    if sizes[-1] <= 1e-9 * sizes[0]:
        raise FileError(f"{options.path}: part '{mesh.name}' is scaled to nothing; export the assembly again")
    R, M, S = U @ Vt, np.eye(4), np.eye(4)
    if np.linalg.det(R) < 0.0:
        R = -R
    M[:3, :3], M[:3, 3], S[:3, :3] = R, mesh.matrix[:3, 3], R.T @ A
    return Pose.from_matrix(M), S.round(12) if np.abs(S - S.round(12)).max() < 1e-12 else S


def _faces_key(faces: Any) -> bytes:
    flat, lengths = flattened(faces)
    return flat.tobytes() + lengths.tobytes()


def _as_solid(mesh: RawMesh, name: str, options: _Options) -> Solid:
    try:
        vertices, triangles, merged, collapsed = _triangles_of(mesh, options)
        vertices, triangles, rounding = _without_rounding(vertices, triangles, options)
        healed = None
        if options.repair:
            vertices, triangles, healed = repair_mesh(vertices, triangles)
        surfaces, chord = _surfaces_of(mesh, vertices, triangles)
        fitted = None
        if options.fit and len(surfaces):
            vertices, surfaces, fitted = fit_mesh(vertices, triangles, surfaces)
        if len(triangles) == 0:
            raise FileError(f"{options.path}: holds no faces with an area, so there is no part in it")
        _refuse_sheet(vertices, options)
        solid = Solid(vertices, triangles, name=name, tolerance=options.flatness)
    except InputError as error:
        raise FileError(f"{options.path}: {error}") from error
    report = LoadReport(
        file=str(options.path),
        format=options.format,
        unit=options.unit,
        unit_from=options.unit_from,
        chord_tolerance=options.chord,
        chord_error=chord,
        merged_vertices=merged + rounding.welded_vertices,
        largest_move=rounding.largest_move,
        collapsed_triangles=collapsed + rounding.collapsed_triangles,
        repair=healed,
        fit=fitted,
        notes=(*options.notes, *_size_notes(solid, options), *_chord_notes(solid, surfaces, chord, options)),
    )
    for note in _size_notes(solid, options):
        warn_caller(note, LoadWarning)
    return solid._with(origin=report, surfaces=surfaces, colour=mesh.colour)


def _surfaces_of(mesh: RawMesh, vertices: Floats, triangles: Ints) -> tuple[Surfaces, ChordError | None]:
    """The surfaces of a mesh that knows its faces, with their measured error."""
    if mesh.brep is None:
        return no_surfaces(len(triangles)), None
    faces = inherited((mesh.vertices, mesh.faces), mesh.brep.of_triangle, (vertices, triangles))
    brep = replace(mesh.brep, of_triangle=faces)
    surfaces = surfaces_of(vertices, triangles, brep)
    return surfaces, chord_error(brep, surfaces)


def _triangles_of(mesh: RawMesh, options: _Options) -> tuple[Floats, Ints, int, int]:
    """Vertices and triangles with identical vertices merged; polygons are cut after that."""
    faces = _refuse_or_drop_broken(mesh.faces, options)
    target, merged = merge_identical(mesh.vertices)
    if isinstance(faces, np.ndarray):
        triangles = target[faces.astype(np.int32)]
        bad = has_repeated_corner(triangles)
        triangles = triangles[~bad]
        collapsed = int(bad.sum())
    else:
        moved = [target[face] for face in faces]
        kept = [face for face in moved if len(set(face.tolist())) >= 3]
        collapsed = len(moved) - len(kept)
        triangles = _triangulated(mesh.vertices, kept)
    vertices, triangles = drop_unused(mesh.vertices, np.ascontiguousarray(triangles, np.int32))
    return vertices, triangles, merged, collapsed


def _without_rounding(vertices: Floats, triangles: Ints, options: _Options) -> tuple[Floats, Ints, RepairReport]:
    """Corners that differ by the rounding of single precision only are the same corner."""
    if options.format not in _SINGLE_PRECISION or len(triangles) == 0:
        return vertices, triangles, RepairReport()
    return weld_open_vertices(vertices, triangles, 2.0**-23 * float(np.abs(vertices).max()))


def _refuse_or_drop_broken(faces: Any, options: _Options) -> Any:
    """Faces that name fewer than three different vertices go under repair=True and are an error without it."""
    if isinstance(faces, np.ndarray):
        bad = has_repeated_corner(faces)
    else:
        bad = np.array([len(set(face)) < 3 for face in faces])
    if not bad.any():
        return faces
    if not options.repair:
        i = int(bad.argmax())
        corners = ", ".join(str(int(v)) for v in faces[i])
        raise FileError(
            f"{options.path}: face {i} has fewer than three distinct corners (vertices {corners}); "
            "load with repair=True (--repair) to leave such faces out"
        )
    return faces[~bad] if isinstance(faces, np.ndarray) else [f for f, b in zip(faces, bad, strict=True) if not b]


def _triangulated(vertices: Floats, polygons: list[Ints]) -> Ints:
    from ..making.triangulate import triangulate_polygons

    return triangulate_polygons(vertices, polygons)  # type: ignore[arg-type]


def _refuse_sheet(vertices: Floats, options: _Options) -> None:
    centred = vertices - vertices.mean(axis=0)
    axes = np.linalg.svd(centred.T @ centred)[0]
    spans = np.ptp(centred @ axes, axis=0)
    if spans[2] <= 1e-9 * spans[0]:
        raise FileError(
            f"{options.path}: all its vertices lie in one plane, so it is a sheet and not a solid; "
            "give it a thickness in the program that drew it"
        )


def _chord_notes(solid: Solid, surfaces: Surfaces, chord: ChordError | None, options: _Options) -> tuple[str, ...]:
    if chord is None or options.chord is None or chord.largest <= options.chord:
        return ()
    worst = max(surfaces, key=lambda surface: surface.chord_error)
    return (
        f"{options.path}: triangles of {solid.label} lie up to {1e6 * chord.largest:.3g} µm from its true surface "
        f"({worst.kind if worst.kind != OTHER else 'a free form'}), {1e6 * options.chord:.3g} µm were asked for",
    )


def _size_notes(solid: Solid, options: _Options) -> tuple[str, ...]:
    longest = float(solid.extents.max())
    if options.unit_from == "assumed" and longest > _HUGE:
        words = f"the part is {longest:.4g} m long; if it was drawn in millimetres, pass unit='mm' (--unit mm)"
        return (f"{options.path}: {words}",)
    return ()
