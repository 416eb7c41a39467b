"""One name, one value: a number that somebody chose has a name that says what it is of.

Columns and codes are whole numbers, and may share a name between tables; so whole numbers are looked at by name: those
that begin as limits do, and some others.
"""

import ast
from collections import defaultdict
from pathlib import Path

import abut

ROOT = Path(abut.__file__).parent
LAYERS = ("math", "geometry", "query", "contact", "solve", "fem", "dynamics")
LIMITS = ("MAX_", "MOST_", "LEAST_", "FEW_")
CHOSEN = ("PATIENCE", "BODY_A", "BODY_B")


def assigned(tree):
    """Names in capitals that a module gives a value, each with its expression."""
    for node in tree.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts, strict=True)
        yield from ((t.id, v) for t, v in pairs if isinstance(t, ast.Name) and t.id.strip("_").isupper())


def value_of(expression):
    """The number that an expression of numbers stands for; None for others."""
    if any(isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Dict) for node in ast.walk(expression)):
        return None
    value = eval(compile(ast.Expression(expression), "", "eval"), {})  # our own source, numbers only
    return value if isinstance(value, int | float) else None


def test_a_name_has_one_value():
    values = defaultdict(lambda: defaultdict(list))
    for file in (file for layer in LAYERS for file in sorted((ROOT / layer).rglob("*.py"))):
        for name, expression in assigned(ast.parse(file.read_text())):
            value = value_of(expression)
            chosen = isinstance(value, float) or name in CHOSEN or name.startswith(LIMITS)
            if value is not None and chosen and not name.startswith("_"):
                values[name][value].append(str(file.relative_to(ROOT)))
    several = {name: dict(found) for name, found in values.items() if len(found) > 1}
    assert several == {}
