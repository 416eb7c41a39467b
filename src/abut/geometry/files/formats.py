"""Which format a file has: by its name, checked against its first bytes."""

from __future__ import annotations

from pathlib import Path

from ...errors import FileError, unreadable

SUFFIXES = {
    ".stl": "STL",
    ".obj": "OBJ",
    ".ply": "PLY",
    ".off": "OFF",
    ".glb": "GLB",
    ".3mf": "3MF",
    ".step": "STEP",
    ".stp": "STEP",
}
"""Format by the end of a file's name, in lower case."""

_MAGIC = {
    b"glTF": "GLB",
    b"PK\x03\x04": "3MF",
    b"ply": "PLY",
    b"OFF": "OFF",
    b"ISO-10303-21": "STEP",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"%PDF": "PDF",
    b"<": "XML",
    b"{": "JSON",
}
_NEEDS_MAGIC = {"GLB", "3MF", "PLY", "OFF", "STEP"}


def read_bytes(path: str | Path) -> tuple[Path, str, bytes]:
    """The path, the format and the content of a part's file; a sentence where there is no such thing."""
    path = Path(path)
    kind = SUFFIXES.get(path.suffix.lower())
    if path.is_dir():
        raise unreadable(path, IsADirectoryError())
    if not path.exists():
        raise unreadable(path, FileNotFoundError())
    if kind is None:
        unknown = f"abut does not read {path.suffix} files"
        fault = unknown if path.suffix else "its name has no ending to tell the format"
        raise FileError(f"{path}: {fault}; it reads {', '.join(SUFFIXES)}")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if not content.strip():
        raise FileError(f"{path}: the file is empty; export the part again")
    _check_magic(path, kind, content)
    return path, kind, content


def _check_magic(path: Path, kind: str, content: bytes) -> None:
    found = sniff(content)
    if found == kind or (found is None and kind not in _NEEDS_MAGIC):
        return
    looks = f"looks like {found}" if found else f"does not begin as {kind} files do"
    remedy = f"rename it to {_suffix_of(found)}" if found in SUFFIXES.values() else "export the part again"
    raise FileError(f"{path}: is no {kind} file although its name says so, it {looks}; {remedy}")


def sniff(content: bytes) -> str | None:
    """The format that the first bytes give away; None for STL and OBJ, which have no mark of their own."""
    head = content[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if _is_off(head):
        return "OFF"
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _is_off(head: bytes) -> bool:
    """Headers like COFF and STOFF announce colours and texture beside the corners."""
    word = head.split(maxsplit=1)[0] if head.split() else b""
    return word.endswith(b"OFF") and len(word) <= 8


def _suffix_of(kind: str | None) -> str:
    return next(suffix for suffix, name in SUFFIXES.items() if name == kind)
