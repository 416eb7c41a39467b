"""Where the parts come from: CAD files, meshes and scene files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import AbutError

if TYPE_CHECKING:
    from ...geometry import PlacedPart
    from ...math import Pose


@dataclass(frozen=True)
class Unusable:
    """A file that cannot take part."""

    file: str
    reason: str


@dataclass
class Sources:
    """What files hold."""

    parts: list[PlacedPart] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)


def read_parts(files: list[Path], unit: str | None, chord: float | None, repair: bool) -> Sources:
    """The parts of all files, and what could not be used."""
    from ...geometry import load_assembly

    found = Sources()
    for file in files:
        try:
            if file.suffix.lower() == ".toml":
                _add_scene(file, found)
            else:
                found.parts += load_assembly(file, unit=unit, tolerance=chord, repair=repair)
        except AbutError as error:
            found.unusable.append(Unusable(str(file), str(error)))
    return found


def _add_scene(file: Path, found: Sources) -> None:
    """The bodies of a scene where they start."""
    from ...geometry import PlacedPart
    from ...scene.files import load

    shapes: list[tuple[str, Any, Pose]] = [(body.name, body.shape, body.pose) for body in load(file).world.bodies]
    found.parts += [PlacedPart(*shape) for shape in shapes]
