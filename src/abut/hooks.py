"""What lower layers ask of higher ones, by name: the one place where a call goes upwards.

`world.run(record=)` writes files, and notebooks show pages and pictures, which only `app` makes. The name is looked up
when it is first needed, so that nothing is loaded that nobody asked for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

PROVIDERS = {
    "record": "app.runs.recorder:recording",
    "show_clearance": "app.notebook:show_clearance",
    "show_solid": "app.notebook:show_solid",
    "show_world": "app.notebook:show_world",
}
"""Modules of this package and what they provide."""


def provider(name: str) -> Callable[..., Any]:
    """The function that does what is asked."""
    module, _, function = PROVIDERS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(f".{module}", __package__), function)
    return found
