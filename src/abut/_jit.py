"""The one place where Numba is configured: every kernel of abut is decorated with `@kernel`.

Numba keys its on-disk cache by a hash of the file that *defines* a function, so machine code that was built
from an older version of a function in another file would be served for ever. Here the key covers the defining file and,
transitively, every abut file it imports. Kernel files must therefore use `from ... import ...` for what they call.
"""

import ast
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` at its first call, with the project's options and a cache that is never stale.

    The GIL is released; division by zero gives inf or nan as in NumPy, so a kernel guards its own divisors.
    Under NUMBA_DISABLE_JIT the plain function comes back.
    """
    return _compiled(function, parallel=False)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, with `prange` over threads; for thin drivers whose loop body is one helper call."""
    return _compiled(function, parallel=True)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, for functions that make no arrays: those that they are given are not counted up and down.

    Counting is atomic; around the calls of an inner loop it can take as long as what is called.
    """
    return _compiled(function, parallel=False, count=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, written out at every place of call; for inner loops that pass many arrays on.

    Arrays and tuples are handed over word by word, a hundred words and more in a call of a motion check.
    """
    return _compiled(function, parallel=False, inline="always")


prange = numba.prange


def _compiled(function: Callable[..., Any], parallel: bool, inline: str = "never", count: bool = True) -> Any:
    # Without a `_nrt` of its own, a function takes that of its first caller.
    dispatcher = numba.njit(error_model="numpy", nogil=True, parallel=parallel, inline=inline, _nrt=count)(function)
    if not numba.config.DISABLE_JIT:
        # Where no cache folder can be written to, compile in every process rather than fail to import.
        with suppress(RuntimeError):
            dispatcher._cache = _ClosureCache(function)
    return dispatcher


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


class _ClosureCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_UserProvided, _InTree, _UserWide)


class _ClosureCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _ClosureCacheImpl
