"""Parts and assemblies to files: STL, OBJ, PLY, GLB and 3MF."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np

from ...arrays import Floats, directions
from ...errors import FileError
from ...math.pose import Pose
from ..units import metres_per
from .glb_writer import GlbNode, glb_bytes

if TYPE_CHECKING:
    from ..solid import Solid
    from .load import PlacedPart

_ASSEMBLIES = (".glb", ".3mf")
_MODEL = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = (
    f'<?xml version="1.0" encoding="UTF-8"?><Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
_RELATIONS = (
    f'<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="{_PACKAGE}/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="model" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)


def save_solid(solid: Solid, path: str | Path, *, unit: str = "m") -> None:
    """Write one part; see `Solid.save`."""
    path, scale = Path(path), 1.0 / metres_per(unit)
    suffix = path.suffix.lower()
    if suffix in _ASSEMBLIES and scale != 1.0:
        raise FileError(f"{path}: {suffix[1:].upper()} files state their unit, so unit={unit!r} cannot be chosen")
    if suffix in _ASSEMBLIES:
        _write(path, _assembly_bytes(suffix, [(solid.name or path.stem, solid, Pose(), solid.colour)]))
    elif suffix in _WRITERS:
        _write(path, _WRITERS[suffix](solid, solid.mesh.vertices * scale))
    else:
        raise FileError(f"{path}: abut does not write {suffix or 'files without an ending'}; it writes {_known()}")


def save_assembly(parts: Sequence[PlacedPart], path: str | Path) -> None:
    """Write parts with their names, places and colours to a GLB or 3MF file; parts of one shape share it.

    Coordinates are written as they are, with z up, and read back as they were; GLB holds them in single precision.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _ASSEMBLIES:
        raise FileError(f"{path}: an assembly is written as {' or '.join(_ASSEMBLIES)}, not as {suffix or 'this'}")
    if not parts:
        raise FileError(f"{path}: there are no parts to write")
    places = [(part.name, part.solid, part.pose, part.colour or part.solid.colour) for part in parts]
    _write(path, _assembly_bytes(suffix, places))


_Place = tuple[str, "Solid", Pose, tuple[float, float, float] | None]


def _known() -> str:
    return ", ".join((*_WRITERS, *_ASSEMBLIES))


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise FileError(
            f"{path}: cannot be written ({error.strerror}); check the folder and its permissions"
        ) from error


def _assembly_bytes(suffix: str, places: list[_Place]) -> bytes:
    shapes = list({id(solid): solid for _, solid, _, _ in places}.values())
    row = {id(solid): i for i, solid in enumerate(shapes)}
    if suffix == ".3mf":
        return _package(shapes, [(name, row[id(solid)], pose) for name, solid, pose, _ in places])
    meshes = [(solid.name, solid.mesh.vertices, solid.mesh.triangles) for solid in shapes]
    return glb_bytes(meshes, [GlbNode(name, row[id(s)], pose.matrix, colour) for name, s, pose, colour in places])


def _stl(solid: Solid, vertices: Floats) -> bytes:
    """Binary, in single precision."""
    corners = vertices[solid.mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    rows = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows["normal"] = directions(normals)
    rows["corners"] = corners
    title = f"abut {solid.name}".encode("ascii", errors="replace")[:80].ljust(80, b"\0")
    return title + len(rows).to_bytes(4, "little") + rows.tobytes()


def _obj(solid: Solid, vertices: Floats) -> bytes:
    """Text with all digits."""
    name = " ".join(solid.name.split())
    lines = [f"o {name}"] if name else []
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (solid.mesh.triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _ply(solid: Solid, vertices: Floats) -> bytes:
    """Binary, in double precision."""
    rows = np.zeros(len(solid.mesh.triangles), [("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, solid.mesh.triangles
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}"]
    head += [f"property double {axis}" for axis in "xyz"]
    head += [f"element face {len(rows)}", "property list uchar int vertex_indices", "end_header\n"]
    return "\n".join(head).encode() + vertices.astype("<f8").tobytes() + rows.tobytes()


_WRITERS: dict[str, Callable[[Solid, Floats], bytes]] = {".stl": _stl, ".obj": _obj, ".ply": _ply}


def _package(shapes: list[Solid], items: list[tuple[str, int, Pose]]) -> bytes:
    """A 3MF package in millimetres, as printers expect; each item is an object of its own that refers to its shape."""
    objects = [_object_with_mesh(i + 1, solid) for i, solid in enumerate(shapes)]
    build = []
    for k, (name, shape, pose) in enumerate(items):
        key = len(shapes) + k + 1
        component = f'<component objectid="{shape + 1}"/>'
        objects.append(f'<object id="{key}" name={quoteattr(name)}><components>{component}</components></object>')
        build.append(f'<item objectid="{key}" transform="{_transform(pose)}"/>')
    model = (
        f'<?xml version="1.0" encoding="UTF-8"?><model unit="millimeter" xmlns="{_MODEL}"><resources>'
        f"{''.join(objects)}</resources><build>{''.join(build)}</build></model>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS), ("3D/3dmodel.model", model)):
            # The date of an entry would make two files of one part differ.
            package.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _object_with_mesh(key: int, solid: Solid) -> str:
    points = (1e3 * solid.mesh.vertices).tolist()
    vertices = "".join(f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>' for x, y, z in points)
    corners = solid.mesh.triangles.tolist()
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in corners)
    mesh = f"<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>"
    return f'<object id="{key}" name={quoteattr(solid.name)}>{mesh}</object>'


def _transform(pose: Pose) -> str:
    """Twelve numbers, row by row of the transposed matrix."""
    matrix = pose.matrix.copy()
    matrix[:3, 3] *= 1e3
    return " ".join(repr(x) for x in matrix[:3].T.ravel().tolist())
