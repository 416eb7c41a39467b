"""LLVM code of kernels: of one that kernels call as it was lowered, of one that Python calls with all that it calls.

Numba links a function into each of its callers, which have it optimised as many times as the tree of calls is deep.
Here the code of a callee is a module of its own, beside those of all that it calls. Only what Python calls is linked,
and each module once.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary

Names = dict[str, None]
Parts = dict[bytes, Names]
"""Modules as bitcode, each once, what is called before what calls it; the environments that each of them refers to."""


def _parts_of(libraries: Iterable[CPUCodeLibrary]) -> Parts:
    parts: Parts = {}
    for library in libraries:
        if isinstance(library, CalleeLibrary):
            parts.update(library.parts)
        else:  # Numba's own
            parts.update(_part(library._get_module_for_linking()))
    return parts


def _part(module: llvm.ModuleRef) -> Parts:
    names = (variable.name for variable in module.global_variables)
    return {module.as_bitcode(): dict.fromkeys(name for name in names if name.startswith("_ZN08NumbaEnv"))}


def _link(parts: Iterable[bytes], module: llvm.ModuleRef) -> None:
    """Callers first: of what may be in several modules (`linkonce`), only what is asked for already is taken."""
    for part in parts:
        module.link_in(llvm.parse_bitcode(part))


class CalleeLibrary(JITCodeLibrary):
    """Code to be linked into callers, without machine code of its own."""

    parts: Parts
    _linking_libraries: list[CPUCodeLibrary]
    _shared_module: llvm.ModuleRef | None

    def finalize(self) -> None:
        """Nothing can be added from here on."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
            self._dynamic_globals += library._dynamic_globals
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        self.parts = _parts_of(self._linking_libraries) | _part(self._final_module)
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """All of it in one, for libraries that are not of this file, as those of loops over threads."""
        self._ensure_finalized()
        if self._shared_module is None:
            own, *others = reversed(self.parts)
            self._shared_module = llvm.parse_bitcode(own)
            _link(others, self._shared_module)
        return self._shared_module

    @classmethod
    def of(cls, codegen: Any, name: str, parts: Parts) -> "CalleeLibrary":
        """From its parts."""
        library = cls(codegen, name)
        library.parts = parts
        library._finalized = True
        return library


class EntryLibrary(JITCodeLibrary):
    """Machine code that Python calls."""

    _linking_libraries: list[CPUCodeLibrary]

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link all that is called, optimise it and make machine code."""
        for library in self._linking_libraries:
            library._ensure_finalized()
            self._reload_init.update(library._reload_init)
        _link(reversed(_parts_of(self._linking_libraries)), self._final_module)
        self._linking_libraries = []
        super().finalize()

    def serialize_using_object_code(self) -> tuple[str, bytes, list[str]]:
        """Name, machine code, and what is defined in it; nobody links it, so that the code it was made from can go."""
        module = self._final_module
        names = chain(module.functions, module.global_variables)
        return self.name, self._get_compiled_object(), [one.name for one in names if not one.is_declaration]

    @classmethod
    def of(cls, codegen: Any, name: str, machine_code: bytes, defined: list[str]) -> "EntryLibrary":
        """What was serialized."""
        library = cls(codegen, name)
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)
        return library
