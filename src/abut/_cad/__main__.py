"""Read one STEP file under a limit of memory: `python -m abut._cad FILE FOLDER TOLERANCE MEMORY`.

TOLERANCE is the largest chord error [m], MEMORY the address space [bytes]. The folder gets `parts.json` and `parts.npz`
(see `answer.py`). Exit code 0: done, `NO_SOLIDS`: nothing in it; what Open CASCADE says goes to standard output.
"""

from __future__ import annotations

import sys
from pathlib import Path


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    for limit, value in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def main(source: str, folder: str, tolerance: str, memory: str) -> int:
    """Read, cut into triangles, write."""
    _limit_memory(int(memory))
    from .answer import NO_SOLIDS, write_answer
    from .document import read_document

    document = read_document(source)
    if document is None or not document.instances:
        return NO_SOLIDS
    write_answer(Path(folder), document, float(tolerance))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
