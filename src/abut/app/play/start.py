"""The first moments of the process of the physics: CAD files are read while the rest of abut is imported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...geometry import PlacedPart
    from .asked import Asked


def serve(asked: Asked, pipe: Connection) -> None:
    """What the process does."""
    with ThreadPoolExecutor(1) as thread:
        warned = _listening()
        read = _reading(asked, thread)
        from .physics import serve_physics

        serve_physics(asked, pipe, read, warned)


def _listening() -> list[str]:
    """A list to which warnings about files are added from now on, for the page to show; others are shown as ever."""
    from ...errors import LoadWarning

    heard: list[str] = []
    shown = warnings.showwarning

    def hear(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, LoadWarning):
            heard.append(str(message))
        else:
            shown(message, category, *where, **more)

    warnings.simplefilter("always", LoadWarning)
    warnings.showwarning = hear
    return heard


def _reading(asked: Asked, thread: ThreadPoolExecutor) -> Callable[[Path], list[PlacedPart]]:
    """Begin to read the CAD files that are named; returns what waits for one of them."""
    files = [Path(name) for name in asked.names if Path(name).suffix.lower() != ".toml" and Path(name).is_file()]
    begun = {file: thread.submit(_read, file, asked.unit) for file in files}
    return lambda file: begun[file].result() if file in begun else _read(file, asked.unit)


def _read(file: Path, unit: str | None) -> list[PlacedPart]:
    from ...geometry import load_assembly

    return load_assembly(file, unit=unit)
