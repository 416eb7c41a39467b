"""Write docs/api.md from the docstrings of the public names: `python docs/make_api.py`, or `make docs-api`."""

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path

import abut
from abut.dynamics.contacts import contact_table

PAGE = Path(__file__).with_name("api.md")
SECTIONS = {
    "Worlds": (abut.World, abut.Body, abut.Deformable, abut.Joint, abut.Motor, abut.Spring),
    "Reports": (abut.StepReport, abut.RunSummary),
    "Queries": (
        abut.distance,
        abut.Distance,
        abut.intersect,
        abut.Intersection,
        abut.contains,
        abut.query.classify_points,
        abut.query.PointPlaces,
        abut.query.classify_segment,
        abut.query.SegmentPlaces,
        abut.query.PointOfSegment,
        abut.query.Stretch,
        abut.query.classify_segments,
        abut.query.SegmentsPlaces,
        abut.query.classify_edges,
        abut.time_of_impact,
        abut.Impact,
        abut.swept_free,
        abut.query.SweptPath,
        abut.contact_regions,
        abut.Regions,
        abut.Region,
        abut.SurfaceRegion,
        abut.Feature,
    ),
    "Shapes and poses": (abut.Solid, abut.Sphere, abut.Capsule, abut.HalfSpace, abut.Pose, abut.Motion),
    "Soft parts": (
        abut.fem.TetMesh,
        abut.fem.Quality,
        abut.fem.Embedding,
        abut.fem.divided,
        abut.fem.stiffness,
        abut.fem.mass,
        abut.fem.ElasticBody,
        abut.fem.Prediction,
        abut.fem.StepResult,
        abut.fem.Settled,
    ),
    "Scenes and runs": (abut.scene.load, abut.scene.schema, abut.scene.Scene, abut.recording, abut.Run),
}
"""What the page lists, under which heading."""
HEAD = """# Reference

Made from docstrings by `make docs-api`; edit those and not this page. SI units throughout, frames and signs as in
[conventions](conventions.md). *Can be set* marks attributes that can be assigned to.
"""


def page() -> str:
    """The whole of it."""
    parts = [HEAD]
    for title, things in SECTIONS.items():
        parts += [f"## {title}\n", *map(_entry, things)]
        if title == "Worlds":
            parts.append(_contacts())
    return "\n".join(parts).rstrip() + "\n"


def _entry(thing: object) -> str:
    """A class or a function."""
    node = _source(thing)
    if isinstance(node, ast.FunctionDef):
        return f"### {node.name}\n\n`{_call(node, node.name)}`\n\n{_doc(node)}\n"
    body = [one for part in _parts(thing) for one in _source(part).body]
    members = "\n".join(_member(node.name, one, body) for one in body if _is_public(one))
    head = f"### {node.name}\n\n{_made_by(node.name, body)}{_doc(node)}\n"
    return "\n".join(part for part in (head, "\n".join(_fields(body)), members) if part)


def _source(thing: object) -> ast.FunctionDef | ast.ClassDef:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    return node


def _parts(thing: type) -> list[type]:
    """A class, after those of its bases that are parts of it by their names, as `WorldSteps` of `World`."""
    return [one for one in reversed(thing.__mro__) if one.__name__.startswith(thing.__name__)]


def _made_by(name: str, body: list[ast.stmt]) -> str:
    """How an instance is made, where that takes arguments and is for users."""
    makers = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if not makers or name in ("Body", "Deformable", "Joint"):
        return ""
    return f"`{_call(makers[0], name)}`\n\n"


def _is_public(node: ast.stmt) -> bool:
    setter = isinstance(node, ast.FunctionDef) and any(_says(d, ".setter") for d in node.decorator_list)
    return isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not setter


def _says(decorator: ast.expr, word: str) -> bool:
    return ast.unparse(decorator).endswith(word)


def _member(owner: str, node: ast.FunctionDef, siblings: list[ast.stmt]) -> str:
    """An attribute or a method."""
    if not any(_says(d, "property") for d in node.decorator_list):
        return f"**`{owner}.{_call(node, node.name)}`**\n\n{_doc(node)}\n"
    settable = any(
        isinstance(one, ast.FunctionDef)
        and one.name == node.name
        and any(_says(d, f"{node.name}.setter") for d in one.decorator_list)
        for one in siblings
    )
    return f"**`{owner}.{node.name}`**{' (can be set)' if settable else ''}\n\n{_doc(node)}\n"


def _call(node: ast.FunctionDef, name: str) -> str:
    """As it is written in a program, without types."""
    arguments = ast.parse(ast.unparse(node.args).join(("def f(", "): pass"))).body[0].args  # type: ignore[attr-defined]
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    is_bound = arguments.args[:1] and arguments.args[0].arg in ("self", "cls")
    arguments.args = arguments.args[1:] if is_bound else arguments.args
    return f"{name}({ast.unparse(arguments)})"


def _doc(node: ast.FunctionDef | ast.ClassDef) -> str:
    return _linked(ast.get_docstring(node) or "")


def _linked(text: str) -> str:
    """Pages of the documentation as links."""
    return re.sub(r"\bdocs/(\w+\.md)", r"[\1](\1)", text)


def _fields(body: list[ast.stmt]) -> list[str]:
    """Fields of a class with the words below them; several may share these."""
    rows, names = [], []
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            names.append(f"`{node.target.id}`")
        elif names and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            rows.append(f"| {', '.join(names)} | {_linked(' '.join(str(node.value.value).split()))} |")
            names = []
        elif names:
            rows.append(f"| {', '.join(names)} | |")
            names = []
    rows += [f"| {', '.join(names)} | |"] if names else []
    return ["| field | meaning |", "|---|---|", *rows, ""] if rows else []


def _contacts() -> str:
    """The records of `world.contacts`, with the words below their type."""
    body = ast.parse(inspect.getsource(contact_table)).body
    at = next(
        k for k, one in enumerate(body) if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "CONTACT_TYPE"
    )
    words = inspect.cleandoc(body[at + 1].value.value)  # type: ignore[attr-defined]
    kind = contact_table.CONTACT_TYPE
    rows = [f"| `{name}` | {kind[name].base} | {kind[name].shape or ''} |" for name in kind.names]
    return "\n".join(["### Contacts\n", f"{words}\n", "| field | type | shape |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE}\n")
