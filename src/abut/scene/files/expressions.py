"""Expressions in scene files: `"=2*clearance + 5*mm"`, arithmetic over numbers and named numbers, never code.

An expression is parsed by Python's own parser and then walked: whatever is not a number, a name, an operator or one of
the functions below is refused, so that a scene from a stranger can compute nothing but a number. What is left is
compiled, as drives ask for it in every step.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from ...errors import InputError, meant

LONGEST = 1000
"""Characters of an expression."""

TIME = "t"
"""What expressions of drives call the time [s]."""
CONSTANTS: Mapping[str, float] = {
    "pi": math.pi,
    "m": 1.0,
    "cm": 1e-2,
    "mm": 1e-3,
    "um": 1e-6,
    "inch": 0.0254,
    "deg": math.pi / 180.0,
    "g": 9.81,
}
"""Numbers every expression knows; lengths in metres, angles in radians, g in m/s^2."""

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": math.floor,
    "round": round,
}

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow, ast.USub, ast.UAdd)
_CALLED = "{}()"
"""What functions are called in compiled expressions: no parameter can have such a name, but one of `min` is allowed."""
_KNOWN = {"__builtins__": {}, **CONSTANTS, **{_CALLED.format(name): call for name, call in FUNCTIONS.items()}}
"""All that a compiled expression finds besides its own names."""
_TEMPLATE = re.compile(r"\{([^{}]*)\}")
_WITH_UNIT = re.compile(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\*?\s*(m|cm|mm|um|µm|inch|in|deg|°)\s*")
_UNITS = {"µm": "um", "in": "inch", "°": "deg"}


@dataclass(frozen=True)
class Expression:
    """A parsed expression; call it with the values of its names."""

    text: str
    """Without the leading =."""
    names: frozenset[str]
    """What it refers to, apart from constants and functions."""
    _code: CodeType

    def __call__(self, values: Mapping[str, float]) -> float:
        """Its value, a finite number."""
        try:
            result = float(eval(self._code, _KNOWN, values))  # _checked let arithmetic through only
        except ZeroDivisionError:
            raise InputError(f"'={self.text}' divides by zero") from None
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"'={self.text}' has no value ({error})") from None
        if not math.isfinite(result):
            raise InputError(f"'={self.text}' is {result}; expected a finite number")
        return result


def together(numbers: Sequence[float | Expression]) -> Callable[[Mapping[str, float]], Sequence[float]]:
    """What computes several numbers at once, given the values of their names: drives ask for it in every step."""
    nodes = [_tree(each.text)[0].body if isinstance(each, Expression) else ast.Constant(each) for each in numbers]
    tuple_ = ast.fix_missing_locations(ast.Expression(ast.Tuple(nodes, ast.Load())))
    code = compile(tuple_, "<expressions>", "eval")

    def compute(values: Mapping[str, float]) -> Sequence[float]:
        try:
            found: tuple[float, ...] = eval(code, _KNOWN, values)  # as in Expression
            if all(map(math.isfinite, found)):
                return found
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            pass
        # One of them has no value: it says which.
        return [each(values) if isinstance(each, Expression) else each for each in numbers]

    return compute


def unit_hint(text: str) -> str:
    """How a number with a unit behind it is written, as `10 mm`; nothing of any other text."""
    found = _WITH_UNIT.fullmatch(text)
    return f"write '={found[1]}*{_UNITS.get(found[2], found[2])}'" if found else ""


def is_expression(value: object) -> bool:
    """Whether a value of a scene file stands for a number to be computed."""
    return isinstance(value, str) and value.lstrip().startswith("=")


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Parse `"=2*clearance"`; refuses whatever is no arithmetic."""
    source = text.strip().removeprefix("=").strip()
    tree, names = _tree(source)
    try:
        code = compile(tree, "<expression>", "eval")
    except RecursionError:
        raise _too_deep(source) from None
    return Expression(source, frozenset(names - set(CONSTANTS)), code)


def _tree(source: str) -> tuple[ast.Expression, set[str]]:
    """What Python's parser makes of an expression, checked, and the names in it."""
    if len(source) > LONGEST:
        raise InputError(f"an expression of {len(source)} characters; expected at most {LONGEST}")
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        hint = unit_hint(source) or "expected arithmetic as in '=2*clearance + 5*mm'"
        raise InputError(f"'={source}' is no expression; {hint}") from None
    names: set[str] = set()
    try:
        tree.body = _checked(tree.body, source, names)
    except RecursionError:
        raise _too_deep(source) from None
    except OverflowError as error:
        raise InputError(f"'={source}' has no value ({error})") from None
    return tree, names


def _too_deep(source: str) -> InputError:
    return InputError(f"'={source[:40]}...' is nested too deeply; use parameters for its pieces")


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """Value of an expression, given those of its names."""
    expression = parse(text)
    unknown = sorted(name for name in expression.names if name not in values)
    if unknown:
        hint = meant(unknown[0], [*values, *CONSTANTS])
        raise InputError(f"'={expression.text}' names {unknown[0]!r}, which is no parameter{hint}")
    return expression(values)


def fill_in(text: str, values: Mapping[str, float]) -> str:
    """A name with numbers in it: `"ring {i+1}"`."""
    return _TEMPLATE.sub(lambda match: f"{evaluate(match[1], values):g}", text)


def _checked(node: ast.expr, source: str, names: set[str]) -> ast.expr:
    """The same with all numbers as floats and functions as they are called; refuses all but arithmetic, notes names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return ast.copy_location(ast.Constant(float(node.value)), node)
    if isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, _OPERATORS):
        node.operand = _checked(node.operand, source, names)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        node.left, node.right = _checked(node.left, source, names), _checked(node.right, source, names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise InputError(f"'={source}' calls {node.func.id!r}; expressions know {known}")
        node.func.id = _CALLED.format(node.func.id)
        node.args = [_checked(argument, source, names) for argument in node.args]
    else:
        raise InputError(f"'={source}' is no arithmetic; expected numbers, parameters, + - * / % ** and functions")
    return node
