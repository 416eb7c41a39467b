"""Read one STEP file under a limit of memory, and leave the triangles in a file.

Arguments: the STEP file, the file to write, the deflection [mm], the angle [rad], the memory [bytes]. Exit code 0:
done, 3: no solids in it; what Open CASCADE says goes to standard output and standard error.
"""

from __future__ import annotations

import sys
from pathlib import Path

NO_SOLIDS = 3


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    for limit, value in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def main(source: str, target: str, deflection: str, angle: str, memory: str) -> int:
    """Cut the solids of a STEP file into triangles."""
    _limit_memory(int(memory))
    import cascadio

    content = Path(source).read_bytes()
    glb = cascadio.load(content, "step", tol_linear=float(deflection), tol_angular=float(angle), include_brep=True)
    if not glb:
        return NO_SOLIDS
    Path(target).write_bytes(glb)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
