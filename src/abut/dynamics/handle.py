"""Attributes that can be set, and a sentence for those that cannot: nothing is accepted without effect."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import SettingError, meant


class Handle:
    """What users hold of a world: only what its class says can be set."""

    def __setattr__(self, name: str, value: object) -> None:
        kind: Any = type(self)
        if name.startswith("_") or _can_be_set(kind, name):
            object.__setattr__(self, name, value)
            return
        raise SettingError(_refusal(type(self), name))

    if not TYPE_CHECKING:  # which would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Asked only for what is not there: names what is."""
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)  # the error of it
            known = [key for key in dir(self) if not key.startswith("_")]
            raise AttributeError(
                f"a {type(self).__name__} has no {name!r}{meant(name, known)}; it has {', '.join(known)}"
            )


class Constant:
    """Base of dataclasses whose fields are set once, when they are made."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self) or name not in getattr(self, "__dataclass_fields__", ()):
            what = type(self).__name__
            raise SettingError(
                f"{name}: a {what} cannot be changed; make a new one and give it to its joint: "
                f"joint.{what.lower()} = {what}(...)"
            )
        object.__setattr__(self, name, value)


@cache
def _can_be_set(kind: Any, name: str) -> bool:
    attribute = getattr(kind, name, None)
    return isinstance(attribute, property) and attribute.fset is not None


def _refusal(kind: type, name: str) -> str:
    settable = sorted(key for key in dir(kind) if _can_be_set(kind, key))
    what, known = kind.__name__, f"what can be set is {', '.join(settable)}" if settable else "nothing of it can be set"
    if hasattr(kind, name):
        return f"{name}: of a {what}, it can be read but not set; {known}"
    public = [key for key in dir(kind) if not key.startswith("_")]
    near = get_close_matches(name, settable, 1) or get_close_matches(name, public, 1)
    return f"{name}: a {what} has no such attribute{f', but it has {near[0]}' if near else ''}; {known}"
