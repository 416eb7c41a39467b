"""Machine code on disk that is never stale.

Numba keys its on-disk cache by a hash of the file that *defines* a function, so machine code that was built
from an older version of a function in another file would be served for ever. Here the key covers the defining file and,
transitively, every abut file it imports. Kernel files must therefore use `from ... import ...` for what they call.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

from numba.core import caching


@cache
def source_stamp(file: Path) -> str:
    """Hash of every source from which the machine code of a kernel in `file` may have been built."""
    digest = hashlib.sha256()
    for source in sorted(_import_closure(file)):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _import_closure(file: Path) -> set[Path]:
    """Every file of the package of `file` that is reachable from it by import, including itself."""
    root = _package_root(file)
    seen: set[Path] = set()
    todo = [file]
    while todo:
        source = todo.pop()
        if source not in seen and source.exists():
            seen.add(source)
            todo += _imported_files(source, root)
    return seen


def _package_root(file: Path) -> Path:
    """Outermost folder around `file` that is still a package."""
    root = file.parent
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return root


@cache
def _imported_files(source: Path, root: Path) -> list[Path]:
    files: list[Path] = []
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == root.name):
            base = source.parents[node.level - 1] if node.level else root.parent
            base = base.joinpath(*(node.module or "").split(".")) if node.module else base
            for stem in (base, *(base / alias.name for alias in node.names)):
                files += [stem.with_suffix(".py"), stem / "__init__.py"]
    return files


class _ClosureStamp:
    _py_file: str

    def get_source_stamp(self) -> str:
        return source_stamp(Path(self._py_file).resolve())


class _UserProvided(_ClosureStamp, caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """NUMBA_CACHE_DIR, where it is set."""


class _InTree(_ClosureStamp, caching.InTreeCacheLocator):  # type: ignore[misc]
    """`__pycache__` beside the source."""


class _UserWide(_ClosureStamp, caching.UserWideCacheLocator):  # type: ignore[misc]
    """The user's cache folder, for packages installed where they cannot write."""


class EntryCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How kernels called from Python are found, read and written."""

    _locator_classes = (_UserProvided, _InTree, _UserWide)


class EntryCache(caching.FunctionCache):  # type: ignore[misc]
    """Of kernels called from Python."""

    _impl_class = EntryCacheImpl
