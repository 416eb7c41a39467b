"""A run as moving pictures, drawn by the renderer that needs no graphics card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import FileError
from ..reports.pictures import moments_at, pictures
from ..runs import Run
from .animation import frame_places

SIZE, RATE, MOST = (480, 480), 25.0, 250
_OPTIONS: dict[str, dict[str, Any]] = {"webp": {"quality": 80}, "gif": {"optimize": True}, "avif": {"quality": 60}}


def save_pictures(run: Run, folder: Path, kinds: list[str], slow: float) -> list[Path]:
    """Write run.webp, run.gif or run.avif, `slow` times slower than nature."""
    from PIL import Image as pil

    frames = frame_places(run.times, RATE / slow, MOST)
    images = [pil.fromarray(image) for image in pictures(run, moments_at(run, frames), SIZE)]
    seconds = slow * float(run.times[frames[-1]] - run.times[frames[0]])
    each = max(20, round(1e3 * seconds / max(1, len(frames) - 1)))  # [ms]; nothing shows more than 50 a second
    written = []
    for kind in kinds:
        file = folder / f"run.{kind}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            images[0].save(file, save_all=True, append_images=images[1:], duration=each, loop=0, **_OPTIONS[kind])
        except OSError as error:
            raise FileError(f"{file}: cannot be written ({error.strerror or error})") from None
        written.append(file)
    return written
