"""Rules for kernel files that no linter knows, checked on the syntax tree (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

import abut
from architecture.kernel_writes import kernels_of, says_so, written_arguments

PACKAGE = Path(abut.__file__).parent
KERNEL_FILES = sorted(PACKAGE.rglob("*_kernels.py"))
API_FILES = sorted(set(PACKAGE.rglob("*.py")) - set(KERNEL_FILES))
DECORATORS = {"kernel", "inlined_kernel", "inner_kernel", "lean_kernel", "parallel_kernel"}
MAX_STATEMENTS, MAX_ARGUMENTS = 100, 8


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
            allowed = module in ("math", "_jit", "_jit.handle") or module.endswith(("_kernels", "_tables"))
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


def test_arguments_that_are_written_say_so():
    """Also where a kernel writes them through a local name, or hands them to another one that does."""
    written = written_arguments(kernels_of(KERNEL_FILES))
    silent = {
        (name_of(path), name): sorted(a for a in args if not says_so(a)) for (path, name), args in written.items()
    }
    assert {place: arguments for place, arguments in silent.items() if arguments} == {}


def test_writes_are_found_through_names_fields_and_other_kernels(tmp_path):
    file = tmp_path / "some_kernels.py"
    file.write_text(
        "@kernel\ndef direct(a, b):\n    a[0] = b[0]\n\n"
        "@kernel\ndef alias(a, b):\n    x, y = a.table, b\n    x[0] += y[0]\n\n"
        "@kernel\ndef handed(a, b):\n    direct(b, a)\n"
    )
    written = written_arguments(kernels_of([file]))
    assert {name: arguments for (_, name), arguments in written.items()} == {
        "direct": {"a"},
        "alias": {"a"},
        "handed": {"b"},
    }


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_kernels_stay_small_enough_to_compile_fast(path):
    for function in functions(path):
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1
        assert statements <= MAX_STATEMENTS, f"{function.name}: {statements} statements"


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_what_travels_together_is_one_argument(path):
    """A kernel that wants more than eight things wants tables with names (docs/architecture.md)."""
    many = {function.name: len(function.args.args) for function in functions(path)}
    assert {name: n for name, n in many.items() if n > MAX_ARGUMENTS} == {}


@pytest.mark.parametrize("path", API_FILES, ids=name_of)
def test_only_the_decorator_knows_numba(path):
    if path.parent.name == "_jit":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        assert not any(name.split(".")[0] == "numba" for name in names)
