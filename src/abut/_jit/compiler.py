"""How kernels are compiled: Numba's way, without what they do not need."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from numba.core import compiler, typed_passes, untyped_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]

from .library import CalleeLibrary, EntryLibrary
from .typing_memory import remembering

_SPARED = {
    untyped_passes.IRProcessing,  # done after each pass that changes something
    untyped_passes.WithLifting,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
}
"""For `with`, `raise` with variables, functions within functions, `literally`, and reports: a tenth of the time."""


class _Flags(compiler.Flags):
    """Numba's, told apart by what a function that has no flags of its own takes from its caller.

    Numba compiles its functions, as `max`, for each set of flags anew, and compares all 22 of them at every call.
    """

    __slots__ = ()

    def _handed_on(self) -> tuple[bool, bool]:
        return self.nrt, self.forceinline

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and self._handed_on() == other._handed_on()

    def __hash__(self) -> int:
        return hash(self._handed_on())


class _Pipeline(compiler.CompilerBase):
    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        spared = set(_SPARED)
        if not any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts):
            spared.add(untyped_passes.InlineClosureLikes)  # for sums over generators and the like
        passes.passes = [entry for entry in passes.passes if entry[0] not in spared]
        return [passes]


class KernelCompiler(_FunctionCompiler):
    """Of kernels that are not `parallel`."""

    def __init__(self, function: Callable[..., Any], target: Any, options: dict[str, Any], callee: bool) -> None:
        super().__init__(function, target, options, {}, _Pipeline)
        self._callee = callee

    def _compile_core(self, args: Any, return_type: Any) -> compiler.CompileResult:
        flags = _Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = self._callee
        context = self.targetdescr.target_context
        return compiler.compile_extra(
            remembering(self.targetdescr.typing_context),
            context,
            self.py_func,
            args,
            return_type,
            flags,
            self.locals,
            library=(CalleeLibrary if self._callee else EntryLibrary)(context.codegen(), self.py_func.__qualname__),
            pipeline_class=self.pipeline_class,
        )


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Until the end of this, nobody looks for it: a compiler makes objects by the million and hardly any cycles.

    One thread at a time: one that found it not looked for, because of another, would leave it so for ever.
    """
    with global_compiler_lock:
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if enabled:
                gc.enable()
