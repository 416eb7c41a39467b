"""Rigid and soft bodies of a world by their names."""

from __future__ import annotations

from ...dynamics import Body, Deformable, World


def names_of(world: World) -> list[str]:
    """Names of all bodies, soft ones last."""
    return [body.name for body in world.bodies] + [soft.name for soft in world.deformables]


def thing_of(world: World, name: str) -> Body | Deformable:
    """The rigid or soft body of a name."""
    soft = next((body for body in world.deformables if body.name == name), None)
    return world.body(name) if soft is None else soft
