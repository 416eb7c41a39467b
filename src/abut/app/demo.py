"""`abut demo`: what abut can do, shown on the parts of its library."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.status import Status
from rich.table import Table

from ..errors import InputError
from ..geometry import EdgeKind, Solid
from ..scene import parts

SHOWN_FIRST = "cross_recess_screw"
"""The part that `abut demo part` shows."""


def demo(name: str | None, out: Path) -> None:
    """List the demonstrations, or run one: check a part of the library or two that fit, and draw them into `out`."""
    console = Console()
    pairs = {_slug(fit.name): fit for fit in parts.fits().values()}
    if name is None:
        console.print(_contents(pairs))
        console.print("abut demo NAME runs one; abut demo part shows the first of the interesting ones.")
    elif name in pairs:
        _show_fit(console, pairs[name], out)
    elif name == "part" or name in parts.catalogue():
        _show_part(console, SHOWN_FIRST if name == "part" else name, out)
    else:
        raise InputError(f"there is no demonstration {name!r}; it is one of {', '.join((*parts.catalogue(), *pairs))}")


def _contents(pairs: dict[str, parts.Fit]) -> Table:
    table = Table("name", "what it shows", title="Demonstrations")
    for entry in parts.catalogue().values():
        table.add_row(entry.name, entry.description)
    table.add_section()
    for slug, fit in pairs.items():
        table.add_row(slug, f"{fit.name}, cut open; {1e6 * fit.gap:.3g} µm apart at least")
    return table


def _show_part(console: Console, name: str, out: Path) -> None:
    from .draw import Item, save_png
    from .portrait import portrait

    part = parts.make(name)
    console.print(_figures([part]))
    with _drawing(console):
        paths = [
            save_png(out / f"{name}.png", portrait([Item(part)])),
            save_png(out / f"{name}_cut.png", portrait([Item(part)], cut=0.0)),
        ]
    _say_where(console, paths)


def _show_fit(console: Console, fit: parts.Fit, out: Path) -> None:
    from .draw import Item, save_png
    from .portrait import portrait

    fixed, moving = fit.fixed(), fit.moving()
    console.print(_figures([fixed, moving]))
    with _drawing(console):
        items = [Item(fixed), Item(moving, fit.pose)]
        paths = [
            save_png(out / f"{_slug(fit.name)}.png", portrait(items)),
            save_png(out / f"{_slug(fit.name)}_cut.png", portrait(items, cut=0.0)),
        ]
    _say_where(console, paths)


def _figures(solids: list[Solid]) -> Table:
    """What abut knows about parts, one column each."""
    table = Table("", *(solid.name for solid in solids), title="Checked" if len(solids) == 1 else "Checked pair")
    columns = [_figures_of(solid) for solid in solids]
    for key in columns[0]:
        table.add_row(key, *(column[key] for column in columns))
    return table


def _figures_of(solid: Solid) -> dict[str, str]:
    edges = solid.edges
    return {
        "surface": "closed" if solid.closed else "open",
        "triangles": f"{len(solid.triangles):,}",
        "plane faces": f"{len(solid.faces):,}",
        "edges": f"{edges.count(EdgeKind.CONVEX):,} convex, {edges.count(EdgeKind.CONCAVE):,} concave",
        "through holes": str(solid.genus),
        "size": " x ".join(f"{1e3 * length:.4g}" for length in solid.extents) + " mm",
        "surface area": f"{1e6 * solid.area:.5g} mm²",
        "volume": f"{1e9 * solid.volume:.5g} mm³",
        "centre of mass": "(" + ", ".join(f"{1e3 * x + 0.0:.3f}" for x in solid.centroid) + ") mm",
    }


def _drawing(console: Console) -> Status:
    return console.status("drawing (the first time, the renderer is compiled, which takes a while)")


def _say_where(console: Console, paths: list[Path]) -> None:
    for path in paths:
        console.print(f"wrote {path}", soft_wrap=True, highlight=False)


def _slug(name: str) -> str:
    return name.replace(" ", "-")
