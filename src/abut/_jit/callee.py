"""Kernels as other kernels call them: code that is linked into its callers and optimised there, once.

Numba optimises a function, turns it into machine code and wraps it for Python before any caller is compiled, and does
all of that again for what was linked into the caller: the leaf of a tree of calls is optimised as often as the tree is
deep. Here a callee stays as it was lowered. Only what Python calls is optimised, with all it calls.
"""

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core import caching, compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher

from .cache import EntryCacheImpl, keep_on_disk


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code with all that it calls, to be linked into callers."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """Name and code; there is no object code."""
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def of(cls, codegen: Any, name: str, bitcode: bytes) -> "_Library":
        """What was serialized."""
        library = cls(codegen, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class _EntryPoint:
    """Stands for a callee where Numba keeps a function that Python could call."""


class _Compiler(_FunctionCompiler):  # type: ignore[misc]
    def _compile_core(self, args: Any, return_type: Any) -> compiler.CompileResult:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = True
        context = self.targetdescr.target_context
        result = compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args,
            return_type,
            flags,
            self.locals,
            library=_Library(context.codegen(), self.py_func.__qualname__),
            pipeline_class=self.pipeline_class,
        )
        return _ready(context, result._replace(entry_point=_EntryPoint()))


def _ready(context: Any, result: compiler.CompileResult) -> compiler.CompileResult:
    """Let callers find it."""
    context.insert_user_function(result.entry_point, result.fndesc, [result.library])
    return result


class _CacheImpl(EntryCacheImpl):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"callee-{super().get_filename_base(fullname, abiflags)}"

    def rebuild(self, context: Any, payload: Any) -> compiler.CompileResult:
        library, fndesc, env, signature, objectmode, lifted, annotation, reload_init, referenced_envs = payload
        for function in reload_init:
            function()
        return compiler.compile_result(
            target_context=context,
            typing_context=context.typing_context,
            library=_Library.of(context.codegen(), *library),
            environment=env,
            entry_point=_EntryPoint(),
            fndesc=fndesc,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            reload_init=reload_init,
            referenced_envs=referenced_envs,
        )


class CalleeCache(caching.FunctionCache):  # type: ignore[misc]
    """Of kernels that kernels call."""

    _impl_class = _CacheImpl


class Callee(CPUDispatcher):  # type: ignore[misc]
    """A kernel for other kernels to call; Python cannot."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self._compiler = _Compiler(function, self.targetdescr, options, self.locals, compiler.Compiler)

    def compile(self, signature: Any) -> Any:
        """Code for these types of arguments, from disk where it is there."""
        keep_on_disk(self, CalleeCache)
        return super().compile(signature)

    def add_overload(self, result: compiler.CompileResult) -> None:
        """Keep it for callers only."""
        self.overloads[tuple(result.signature.args)] = result
