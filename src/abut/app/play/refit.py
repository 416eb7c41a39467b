"""A world in which one part is fixed that was free, or the other way round."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import Body, World
from ...errors import InputError

OPTIONS = ("gravity", "dt", "contact_gap", "friction", "restitution", "friction_law", "impacts", "method", "solver")
MORE_OPTIONS = ("level", "threads", "kinematic_overlaps")


def refitted(world: World, body: int, *, fixed: bool, density: float) -> World:
    """The same world with one body fixed or free; one that is freed gets its mass from the density [kg/m^3]."""
    if world.joints:
        raise InputError("parts of a mechanism with joints stay fixed or free as the scene says")
    other = World(**{name: getattr(world, name) for name in (*OPTIONS, *MORE_OPTIONS)})
    for b in world.bodies:
        _add(other, b, fixed if b.index == body else not np.isfinite(b.mass), density)
    for (first, second), rule in world._rules.items():
        other.set_pair(other.bodies[first], other.bodies[second], rule)
    other.time = world.time
    return other


def _add(world: World, body: Body, fixed: bool, density: float) -> None:
    spec, free = body.spec, bool(np.isfinite(body.mass))
    mass: dict[str, Any] = {"density": density}
    if free:
        mass = {"mass": spec.mass, "inertia": spec.inertia}
    axes = ("x", "y", "z", "rx", "ry", "rz")
    moving: dict[str, Any] = {}
    if free and not fixed:
        moving = {"velocity": body.velocity, "angular_velocity": body.angular_velocity}
    world.add_body(
        body.shape,
        body.name,
        pose=body.pose,
        fixed=fixed,
        group=None if spec.group < 0 else spec.group,
        locked=[axis for axis, held in zip(axes, spec.locked, strict=True) if held],
        damping=spec.drag[0],
        angular_damping=spec.drag[1],
        **mass,
        **moving,
    )
