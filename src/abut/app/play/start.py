"""The first moments of the process of the physics: CAD files are read while the rest of abut is imported."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._cad.reading import begun_ahead

if TYPE_CHECKING:
    from ...geometry import PlacedPart
    from .asked import Asked

STEP = (".step", ".stp")
"""Endings of files that Open CASCADE reads."""


def serve(asked: Asked, pipe: Connection) -> None:
    """What the process does."""
    files = [Path(name) for name in asked.names if Path(name).suffix.lower() != ".toml" and Path(name).is_file()]
    with begun_ahead(file for file in files if file.suffix.lower() in STEP), ThreadPoolExecutor(1) as thread:
        warned = _listening()
        read = _reading(files, asked.unit, thread)
        gc.disable()  # nothing of what is imported is garbage
        from .physics import serve_physics

        gc.freeze()
        gc.enable()
        serve_physics(asked, pipe, read, warned)


def _listening() -> list[str]:
    """A list to which warnings of abut are added from now on, for the page to show; others are shown as ever."""
    from ...errors import AbutWarning

    heard: list[str] = []
    shown = warnings.showwarning

    def hear(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, AbutWarning):
            heard.append(str(message))
        else:
            shown(message, category, *where, **more)

    warnings.simplefilter("always", AbutWarning)
    warnings.showwarning = hear
    return heard


def _reading(files: list[Path], unit: str | None, thread: ThreadPoolExecutor) -> Callable[[Path], list[PlacedPart]]:
    """Begin to read the CAD files that are named; returns what waits for one of them."""
    begun = {file: thread.submit(_read, file, unit) for file in files}
    return lambda file: begun[file].result() if file in begun else _read(file, unit)


def _read(file: Path, unit: str | None) -> list[PlacedPart]:
    from ...geometry import load_assembly

    return load_assembly(file, unit=unit)
