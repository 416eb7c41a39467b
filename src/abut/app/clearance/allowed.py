"""Pairs that are as they should be: drawn press fits, welded joints."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FileError, InputError, meant, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...query import PairClearance


@dataclass(frozen=True)
class Allowed:
    """Two patterns of names, and how deep such parts may be in each other."""

    a: str
    b: str
    depth: float | None = None
    """[m], None for any depth."""

    def covers(self, pair: PairClearance) -> bool:
        """Whether a pair, in either order, may be as it is."""
        named = any(
            fnmatchcase(first, self.a) and fnmatchcase(second, self.b)
            for first, second in ((pair.a, pair.b), (pair.b, pair.a))
        )
        return named and (self.depth is None or (pair.depth is not None and pair.depth <= self.depth))


def unmatched(known: Iterable[Allowed], parts: list[str]) -> list[str]:
    """Sentences about pairs with a name or a pattern that fits no part."""
    return [
        f"allowed pair '{one.a}:{one.b}': no part is called {name!r}{meant(name, parts)}"
        for one in known
        for name in (one.a, one.b)
        if not any(fnmatchcase(part, name) for part in parts)
    ]


def parse_allowed(option: str, text: str) -> Allowed:
    """`A:B`, or `A:B:0.05mm` with the largest depth; names may hold `*` and `?`."""
    words = [word.strip() for word in text.split(":")]
    if len(words) not in (2, 3) or not all(words):
        raise InputError(f"{option}: expected 'A:B' or 'A:B:0.05mm', two names or patterns, got {text!r}")
    return Allowed(words[0], words[1], _length(option, words[2]) if len(words) == 3 else None)


def _length(option: str, text: str) -> float:
    from ...geometry.units import metres_per

    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµ ")
    try:
        length = float(digits) * metres_per(text[len(digits) :].strip() or "m")
    except (ValueError, InputError):
        length = -1.0
    if not length >= 0.0:
        raise InputError(f"{option}: expected a depth as '0.05mm' or '5e-5 m', got {text!r}")
    return length


def read_expected(file: Path) -> list[Allowed]:
    """A file of such pairs, one a line; `#` begins a comment."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise unreadable(file, error) from None
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: byte {error.start} is no UTF-8; expected a file of pairs, one a line") from None
    pairs = [(n, line.split("#")[0].strip()) for n, line in enumerate(lines, 1)]
    return [parse_allowed(f"{file}, line {n}", text) for n, text in pairs if text]
