"""Machine code on disk that is never stale.

Numba keys its on-disk cache by a hash of the file that *defines* a function, so machine code that was built
from an older version of a function in another file would be served for ever. Here the key covers the defining file and,
transitively, every file of its package that it imports, and this package. Kernel files must therefore use
`from ... import ...` for what they call.
"""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from numba.core import caching, compiler
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from .library import EntryLibrary

_COMMENT = re.compile(r"#.*")
_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import\b(\s*\([^)]*\)|(?:\\\n|.)*)", re.MULTILINE)


@cache
def source_stamp(file: str) -> str:
    """Hash of every source from which the machine code of a kernel in `file` may have been built."""
    digest = hashlib.sha256()
    ours = os.path.join(os.path.dirname(__file__), "__init__.py")
    for source in sorted(_import_closure(os.path.realpath(file)) | _import_closure(os.path.realpath(ours))):
        digest.update(_read(source)[0])
    return digest.hexdigest()


def _import_closure(file: str) -> set[str]:
    """Every file of the package of `file` that is reachable from it by import, including itself."""
    root = _package_root(file)
    seen: set[str] = set()
    todo = [file]
    while todo:
        source = todo.pop()
        if source not in seen:
            seen.add(source)
            todo += _imported_files(source, root)
    return seen


@cache
def _package_root(file: str) -> str:
    """Outermost folder around `file` that is still a package."""
    root = os.path.dirname(file)
    while os.path.exists(os.path.join(os.path.dirname(root), "__init__.py")):
        root = os.path.dirname(root)
    return root


@cache
def _imported_files(source: str, root: str) -> list[str]:
    """What `source` imports of its package; a pattern finds that in a hundredth of the time of a parser."""
    files = []
    for dots, module, names in _read(source)[1]:
        if dots or module.split(".")[0] == os.path.basename(root):
            folder = os.path.join(source, *[os.pardir] * len(dots)) if dots else os.path.dirname(root)
            base = os.path.normpath(os.path.join(folder, *module.split(".")))
            stems = [base, *(os.path.join(base, name) for name in re.findall(r"\w+", names))]
            files += [stem + end for stem in stems for end in (".py", os.sep + "__init__.py")]
    return [file for file in files if os.path.isfile(file)]


@cache
def _read(source: str) -> tuple[bytes, list[tuple[str, str, str]]]:
    """Its hash, and of its imports: dots, module, names."""
    with open(source, "rb") as file:
        content = file.read()
    return hashlib.sha256(content).digest(), _IMPORT.findall(_COMMENT.sub("", content.decode()))


class _ClosureStamp:
    _py_file: str

    def get_source_stamp(self) -> str:
        return source_stamp(self._py_file)


class _UserProvided(_ClosureStamp, caching.UserProvidedCacheLocator):
    """NUMBA_CACHE_DIR, where it is set."""


class _InTree(_ClosureStamp, caching.InTreeCacheLocator):
    """`__pycache__` beside the source."""


class _UserWide(_ClosureStamp, caching.UserWideCacheLocator):
    """The user's cache folder, for packages installed where they cannot write."""


class KernelCacheImpl(caching.CompileResultCacheImpl):
    """How kernels are found, read and written."""

    _locator_classes = (_UserProvided, _InTree, _UserWide)


def rebuilt(
    context: Any,
    library: Any,
    entry_point: Any,
    environment: Any,
    environments: list[Any],
    description: Any,
    signature: Any,
    reload_init: Any,
) -> compiler.CompileResult:
    """A result of the compiler from what was kept of it."""
    return compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=entry_point,
        fndesc=description,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=reload_init,
        referenced_envs=environments,
    )


class _CacheFile(caching.IndexDataCacheFile):
    """Machine code that says what it was made from.

    Numba writes the index first. In between, or where the disk is full or somebody stops it, the index speaks of
    machine code that is another one: of older sources, or of other types from another process. Both may name types of
    older sources that are no more.
    """

    _source_stamp: str

    def load(self, key: Any) -> Any:
        found = None
        with suppress(AttributeError, ImportError):
            found = super().load(key)
        return found[1] if found is not None and found[0] == (self._source_stamp, key) else None

    def _load_index(self) -> dict[Any, Any]:
        with suppress(AttributeError, ImportError):
            index: dict[Any, Any] = super()._load_index()
            return index
        return {}

    def save(self, key: Any, data: Any) -> None:
        super().save(key, ((self._source_stamp, key), data))


class KernelCache(caching.FunctionCache):
    """Of kernels of any kind."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, signature: Any, result: compiler.CompileResult) -> None:
        """To disk, if it can be: whoever has compiled a kernel can use it, also where the disk is full.

        An interrupt while LLVM hands over machine code is lost, and Numba then finds none to save (RuntimeError).
        """
        with suppress(OSError, RuntimeError):
            super().save_overload(signature, result)


class ParallelCache(KernelCache):
    """Of kernels called from Python that run in several threads."""

    _impl_class = KernelCacheImpl


class _EntryCacheImpl(KernelCacheImpl):
    def rebuild(self, context: Any, payload: Any) -> compiler.CompileResult:
        code, description, environment, signature, _, _, _, reload_init, environments = payload
        for function in reload_init:  # before machine code that may call what they load
            function()
        library = EntryLibrary.of(context.codegen(), *code)
        for one in environments:
            library.codegen.set_env(one.env_name, one)
        entry_point = context.get_executable(library, description, environment)
        kept = (environment, environments, description, signature, reload_init)
        return rebuilt(context, library, entry_point, *kept)


class EntryCache(KernelCache):
    """Of other kernels called from Python."""

    _impl_class = _EntryCacheImpl

    def load_overload(self, signature: Any, context: Any) -> compiler.CompileResult | None:
        """From disk, if it is there.

        Numba would load the tables of all functions it knows first, and SciPy for some of them. They are for compiling;
        machine code calls what holds the counts of arrays, and Python.
        """
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)
        return None


def keep_on_disk(dispatcher: CPUDispatcher, cache_class: type) -> None:
    """Open its cache. Where no folder can be written to, kernels are compiled in every process."""
    if isinstance(dispatcher._cache, caching.NullCache):
        with suppress(RuntimeError):
            dispatcher._cache = cache_class(dispatcher.py_func)
