"""Kernels as other kernels call them: code that is linked into its callers and optimised there, once.

Numba optimises a function, turns it into machine code and wraps it for Python before any caller is compiled, and does
all of that again for what was linked into the caller: the leaf of a tree of calls is optimised as often as the tree is
deep. Here a callee stays as it was lowered. Only what Python calls is optimised, with all it calls.
"""

from collections.abc import Callable
from typing import Any

from numba.core import compiler, event, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from .cache import KernelCache, KernelCacheImpl, keep_on_disk, rebuilt
from .compiler import KernelCompiler
from .library import CalleeLibrary


class _EntryPoint:
    """Stands for a callee where Numba keeps a function that Python could call."""


class _CacheImpl(KernelCacheImpl):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"callee-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, result: compiler.CompileResult) -> Any:
        description, library = result.fndesc, result.library
        description.typemap = description.calltypes = None
        found = [lookup_environment(name) for names in library.parts.values() for name in names]
        environments = [one for one in found if one is not None and one.can_cache()]
        code = library.name, library.parts, result.environment, environments
        return *code, description, result.signature, result.reload_init

    def rebuild(self, context: Any, payload: Any) -> compiler.CompileResult:
        name, parts, *kept = payload
        for function in kept[-1]:
            function()
        return rebuilt(context, CalleeLibrary.of(context.codegen(), name, parts), _EntryPoint(), *kept)


def _wide(kind: types.Type) -> types.Type:
    kind = unliteral(kind)
    return types.int64 if kind == types.int32 else kind


class CalleeCache(KernelCache):
    """Of kernels that kernels call."""

    _impl_class = _CacheImpl


class Callee(CPUDispatcher):
    """A kernel for other kernels to call; Python cannot."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self._compiler = KernelCompiler(function, self.targetdescr, options, callee=True)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """One for numbers of a kind: Numba would take `f(0)`, `f(1)`, and `f` of 32 bits for functions of their own."""
        return super().get_call_template(
            tuple(map(_wide, arguments)), {name: _wide(kind) for name, kind in keywords.items()}
        )

    def compile(self, signature: Any) -> Any:
        """Code for these types of arguments, from disk where it is there."""
        arguments, return_type = sigutils.normalize_signature(signature)
        with global_compiler_lock:
            if tuple(arguments) not in self.overloads:
                keep_on_disk(self, CalleeCache)
                result = self._cache.load_overload(signature, self.targetctx)
                self.add_overload(result or self._compiled(signature, arguments, return_type))
            return self.overloads[tuple(arguments)].entry_point

    def _compiled(self, signature: Any, arguments: Any, return_type: Any) -> compiler.CompileResult:
        with event.trigger_event("numba:compile", {"dispatcher": self, "args": arguments, "return_type": return_type}):
            result = self._compiler.compile(arguments, return_type)._replace(entry_point=_EntryPoint())
        self._cache.save_overload(signature, result)
        return result

    def add_overload(self, result: compiler.CompileResult) -> None:
        """Keep it for callers only."""
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result
