"""A body that is fixed where it was free, or the other way round; everything else of its world stays as it is."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...errors import InputError
from ...math import Pose
from .body import AXES, Body, BodySpec, body_spec


def fix_body(body: Body) -> None:
    """Let a body stay where it is."""
    _refit(body, fixed=True, mass=None, inertia=None)


def free_body(body: Body, mass: float, inertia: ArrayLike) -> None:
    """Let a body move, with a mass [kg] and an inertia [kg m^2] about the centre of mass."""
    _refit(body, fixed=False, mass=mass, inertia=inertia)


def _refit(body: Body, **given: Any) -> None:
    """Another kind of body at the same place: laws, rules and the other bodies are those of before."""
    world, here = body._world, body.pose
    if world.joints:
        raise InputError(f"body {body.name!r}: parts of a mechanism with joints stay fixed or free as the scene says")
    spec = _spec(body.spec, **given)
    world._now = world._now.with_spec(body.index, spec, (here @ Pose(spec.centre)).row)


def _spec(spec: BodySpec, **given: Any) -> BodySpec:
    return body_spec(
        spec.shape,
        spec.name,
        density=None,
        kinematic=False,
        group=None if spec.group < 0 else spec.group,
        locked=[axis for axis, held in zip(AXES, spec.locked, strict=True) if held],
        drag=spec.drag,
        **given,
    )
