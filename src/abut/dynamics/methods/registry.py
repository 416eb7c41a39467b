"""All methods by name: what each goes together with, and which module makes its steppers.

A new method is a module with a function `make_stepper` of the arguments of `Recipe`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from ...arrays import Floats, Ints, is_one_of
from ...errors import InputError
from ..moment import Moment, Setup
from ..state import Model
from ..stepping.kinematic_watch import KinematicWatch

SOLVERS = ("lemke", "gauss-seidel", "jacobi")
LEVELS = ("geometric", "kinematic", "dynamic")


class Stepper(Protocol):
    """What a world asks of what makes its next moment."""

    setup: Setup
    contact_gap: float
    watch: KinematicWatch

    def near_pairs(self, now: Moment) -> Ints:
        """Pairs of bodies whose boxes are within the contact gap of each other where they stand."""

    def step(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`."""


class Recipe(NamedTuple):
    """What a stepper is made of."""

    model: Model
    now: Moment
    contact_gap: float
    """[m]."""
    method: str
    solver: str | None
    level: str
    threads: int
    impacts: str


class Method(NamedTuple):
    """A way from one moment to the next."""

    home: str
    """Module, seen from `dynamics`, whose `make_stepper` takes a Recipe."""
    solvers: tuple[str, ...] = ()
    friction_laws: tuple[str, ...] = ("coulomb",)
    levels: tuple[str, ...] = LEVELS
    impacts: tuple[str, ...] = ("newton", "gamma", "sequential")
    played: bool = True
    """Whether parts can be held and moved in real time: hands are known, a step takes bounded work, and none stops."""
    bends: bool = True
    """Whether it knows deformable bodies."""


_OF_EVENTS = Method("", levels=("dynamic",), impacts=("newton", "sequential"), played=False, bends=False)
METHODS = {
    "ncp": Method("methods.stepping", friction_laws=("coulomb", "sliding")),
    "velocity": Method("methods.stepping", solvers=SOLVERS),
    "bilateral": Method("methods.stepping"),
    "event": _OF_EVENTS._replace(home="event.event_stepper"),
    "impulse": _OF_EVENTS._replace(home="impulse.impulse_stepper"),
}

PLAYED_METHODS = tuple(name for name, method in METHODS.items() if method.played)


def check_method(method: str, solver: str | None, **chosen: str) -> None:
    """Refuse names that do not exist, and choices that do not go together.

    `chosen` are the world's friction_law, level and impacts.
    """
    if not is_one_of(method, tuple(METHODS)):
        raise InputError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    if solver is not None and not is_one_of(solver, SOLVERS):
        raise InputError(f"solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    if solver is not None and solver not in METHODS[method].solvers:
        raise InputError(f"solver: only {_who_take(solver, 'solvers')} takes one, and the method is {method!r}")
    for option, value in chosen.items():
        kinds = option if option in ("impacts",) else f"{option}s"
        if value not in getattr(METHODS[method], kinds):
            raise InputError(f"{option}: {value!r} needs {_who_take(value, kinds)}, and the method is {method!r}")


def check_bends(method: str, name: str) -> None:
    """Refuse a deformable body, by its name, where the method knows rigid ones alone."""
    if not METHODS[method].bends:
        others = ", ".join(repr(other) for other, one in METHODS.items() if one.bends)
        raise InputError(f"deformable '{name}': method {method!r} knows rigid bodies alone; take one of {others}")


def _who_take(value: str, kinds: str) -> str:
    """Methods that go together with a choice, as words."""
    names = [repr(name) for name, method in METHODS.items() if value in getattr(method, kinds)]
    return f"method {names[0]}" if len(names) == 1 else f"one of the methods {', '.join(names)}"


def make_stepper(recipe: Recipe) -> Stepper:
    """The stepper of a method."""
    home = import_module(f"...{METHODS[recipe.method].home}", __name__)
    make: Callable[[Recipe], Any] = home.make_stepper
    stepper: Stepper = make(recipe)
    return stepper
