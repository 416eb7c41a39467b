"""Read one STEP file under limits: `python -m abut._cad FILE FOLDER TOLERANCE MEMORY SECONDS`.

TOLERANCE is the largest chord error [m], MEMORY the address space [bytes], SECONDS the processor time. The folder gets
`parts.json` and `parts.npz` (see `answer.py`). Exit code 0: done, `NO_SOLIDS`: nothing in it; what Open CASCADE says
goes to standard output.
"""

from __future__ import annotations

import sys
from pathlib import Path


def _set_limits(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0))
    for limit, value in limits:
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def main(source: str, folder: str, tolerance: str, memory: str, seconds: str) -> int:
    """Read, cut into triangles, write."""
    _set_limits(int(memory), int(seconds))
    from .answer import NO_SOLIDS, write_answer
    from .document import read_document

    document = read_document(source)
    if document is None or not document.instances:
        return NO_SOLIDS
    write_answer(Path(folder), document, float(tolerance))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
