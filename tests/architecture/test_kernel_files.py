"""Rules for kernel files that no linter knows, checked on the syntax tree (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

import abut

PACKAGE = Path(abut.__file__).parent
KERNEL_FILES = sorted(PACKAGE.rglob("*_kernels.py"))
API_FILES = sorted(set(PACKAGE.rglob("*.py")) - set(KERNEL_FILES))
DECORATORS = {"kernel", "inlined_kernel", "inner_kernel", "lean_kernel", "parallel_kernel"}
MAX_STATEMENTS = 100


def name_of(path):
    return str(path.relative_to(PACKAGE))


def functions(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]


def decorators(function):
    return {d.id for d in function.decorator_list if isinstance(d, ast.Name)}


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_kernel_files_import_only_numbers_and_kernels(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert [alias.name for alias in node.names] == ["numpy"], ast.unparse(node)
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            allowed = module in ("math", "_jit") or module.endswith(("_kernels", "_tables"))
            assert allowed, f"{ast.unparse(node)}: kernels import math, numpy, _jit, tables and other kernels by name"


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_kernel_files_hold_plain_kernels(path):
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        assert not isinstance(node, ast.ClassDef | ast.Raise | ast.Try), f"line {node.lineno}"
    for function in functions(path):
        arguments = function.args
        assert decorators(function) <= DECORATORS and decorators(function), function.name
        assert not (arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg), function.name


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_outputs_come_last(path):
    for function in functions(path):
        is_output = [argument.arg.endswith("_out") for argument in function.args.args]
        assert is_output == sorted(is_output), f"{function.name}: arguments named _out come last"


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_kernels_stay_small_enough_to_compile_fast(path):
    for function in functions(path):
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1
        assert statements <= MAX_STATEMENTS, f"{function.name}: {statements} statements"


@pytest.mark.parametrize("path", API_FILES, ids=name_of)
def test_only_the_decorator_knows_numba(path):
    if path.parent.name == "_jit":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        assert not any(name.split(".")[0] == "numba" for name in names)
