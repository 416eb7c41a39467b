"""A kernel: what Python calls, and what stands for it in other kernels."""

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher

from .cache import EntryCache, ParallelCache, keep_on_disk, source_stamp
from .callee import Callee
from .compiler import KernelCompiler, garbage_kept


class Kernel(CPUDispatcher):
    """A function that is compiled at its first call, from Python or, apart from that, in another kernel.

    Most kernels are called by kernels only, and what turns Python's arguments into a kernel's can take as long to
    compile as the kernel itself.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__(function, targetoptions=options)
        if not options["parallel"]:
            self._compiler = KernelCompiler(function, self.targetdescr, options, callee=False)
        # The stamp now, since sources may be edited before the first call. The cache then: most kernels never need one.
        with suppress(OSError):  # typed into an interpreter
            source_stamp(function.__code__.co_filename)

    @cached_property
    def _callee(self) -> Callee:
        return Callee(self.py_func, self.targetoptions)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self._callee)

    def compile(self, signature: Any) -> Any:
        """Machine code for these types of arguments, from disk where it is there."""
        keep_on_disk(self, ParallelCache if self.targetoptions["parallel"] else EntryCache)
        with garbage_kept():
            return super().compile(signature)

    def add_overload(self, result: CompileResult) -> None:
        """Besides, tell the code of callees, which is part of the result, their environments."""
        super().add_overload(result)
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
