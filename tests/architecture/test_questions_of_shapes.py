"""Nobody asks which shape something is: shapes answer what is asked of them (geometry/shape.py)."""

import ast
from pathlib import Path

import pytest

import abut

ROOT = Path(abut.__file__).parent
SHAPES = {"Solid", "Sphere", "Capsule", "HalfSpace", "Rounded"}
ALLOWED = {
    "geometry/solid.py": "CAD operations combine solids with solids",
}


def asked_types(tree):
    """Names in the second argument of each isinstance, and what `type(x) is` is compared with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Call):
            if isinstance(node.left.func, ast.Name) and node.left.func.id == "type":
                yield {name.id for other in node.comparators for name in ast.walk(other) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            yield {node.cls.id}


@pytest.mark.parametrize("file", sorted(ROOT.rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_file_asks_which_shape_something_is(file):
    asked = [types & SHAPES for types in asked_types(ast.parse(file.read_text()))]
    assert not any(asked) or str(file.relative_to(ROOT)) in ALLOWED
