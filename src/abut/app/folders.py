"""Folders that programs write to."""

from __future__ import annotations

from pathlib import Path

from ..errors import FileError


def made_folder(folder: Path) -> Path:
    """A folder that is there now: nobody should wait for what cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: is no folder to write to ({error.strerror}); name another with --out") from error
    return folder
