"""Which arguments of kernels are written: directly, through a local name, or by a kernel that they are handed to."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple


class Kernel(NamedTuple):
    """A kernel, and what its file imports."""

    file: Path
    node: ast.FunctionDef
    imports: dict[str, tuple[str, str]]
    """Module (its last part) and name there, by the name here."""

    @property
    def arguments(self) -> list[str]:
        return [argument.arg for argument in self.node.args.args]


def says_so(argument: str) -> bool:
    """Whether a name tells that the argument is written."""
    return argument == "out" or argument.endswith(("_out", "_io", "work"))


def kernels_of(files: list[Path]) -> list[Kernel]:
    """All decorated functions of these files."""
    found = []
    for file in files:
        tree, imports = ast.parse(file.read_text()), {}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                module = (node.module or "").split(".")[-1]
                imports |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
        found += [Kernel(file, n, imports) for n in tree.body if isinstance(n, ast.FunctionDef) and n.decorator_list]
    return found


def written_arguments(kernels: list[Kernel]) -> dict[tuple[Path, str], set[str]]:
    """The written arguments of each kernel, by file and name."""
    by_place = {(kernel.file.stem, kernel.node.name): kernel for kernel in kernels}
    written: dict[tuple[Path, str], set[str]] = {(kernel.file, kernel.node.name): set() for kernel in kernels}
    grown = True
    while grown:
        grown = False
        for kernel in kernels:
            mine = written[kernel.file, kernel.node.name]
            before = len(mine)
            mine |= _written(kernel, by_place, written)
            grown |= len(mine) > before
    return written


def _written(kernel, by_place, written) -> set[str]:
    """What a kernel writes, as far as it is known of those that it calls."""
    owner, found = _owners(kernel), set()
    for node in ast.walk(kernel.node):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        )
        for target in targets:
            for entry in _entries(target):
                if isinstance(entry, ast.Subscript) and _root(entry) in owner:
                    found.add(owner[_root(entry)])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = kernel.imports.get(node.func.id, (kernel.file.stem, node.func.id))
            callee = by_place.get(place)
            for given, argument in _handed(node, callee):
                if argument in written[callee.file, callee.node.name] and _root(given) in owner:
                    found.add(owner[_root(given)])
    return found


def _handed(call: ast.Call, callee: Kernel | None) -> list[tuple[ast.expr, str]]:
    """What a call hands over, and as which argument; nothing behind an argument with a star is known."""
    if callee is None:
        return []
    stars = [k for k, given in enumerate(call.args) if isinstance(given, ast.Starred)]
    known = call.args[: stars[0]] if stars else call.args
    return list(zip(known, callee.arguments, strict=False))


def _owners(kernel: Kernel) -> dict[str, str]:
    """The argument that each local name is, or is a part of."""
    owner = {argument: argument for argument in kernel.arguments}
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            for name, value in _pairs(node.targets[0], node.value):
                if isinstance(value, ast.Name | ast.Subscript | ast.Attribute) and _root(value) in owner:
                    owner.setdefault(name, owner[_root(value)])
    return owner


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    """Names and what they are set to."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [pair for t, v in zip(target.elts, value.elts, strict=True) for pair in _pairs(t, v)]
    if isinstance(target, ast.Tuple):
        return [pair for t in target.elts for pair in _pairs(t, value)]
    return [(target.id, value)] if isinstance(target, ast.Name) else []


def _entries(target: ast.expr) -> list[ast.expr]:
    """The single targets of an assignment."""
    if isinstance(target, ast.Tuple | ast.List):
        return [entry for element in target.elts for entry in _entries(element)]
    return [target]


def _root(node: ast.expr) -> str | None:
    """The name of which this is an entry or a field."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
