"""Worlds of the method "event" that several tests play, and what they look at."""

from math import sqrt

import numpy as np

from abut import HalfSpace, Pose, Solid, Sphere, World

G = 9.81


def times(world, kind):
    return np.array([event.time for event in world.events if event.kind == kind])


def dropped(restitution, dt=0.25, height=1.0):
    world = World(method="event", dt=dt, restitution=restitution)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 0.1 + height)))
    return world


def bounces(height, restitution, n):
    """Times of the first n bounces, and when the infinite sequence is over."""
    first = sqrt(2.0 * height / G)
    flights = 2.0 * first * restitution ** np.arange(1, n)
    over = first + 2.0 * first * restitution / (1.0 - restitution) if restitution < 1.0 else np.inf
    return first + np.concatenate(([0.0], np.cumsum(flights))), over


def tumbling(restitution, dt=0.05):
    world = World(method="event", dt=dt, restitution=restitution)
    world.add_body(HalfSpace(), "floor", fixed=True)
    pose = Pose.from_rotvec((0.0, 0.0, 0.6), (0.3, 0.4, 0.2))
    world.add_body(Solid.box((0.3, 0.2, 0.1)), "box", pose=pose, angular_velocity=(1.0, 2.0, 3.0))
    return world


def compound(dt=0.1):
    world = World(method="event", dt=dt)
    arm = world.add_body(Solid.box((1.0, 0.1, 0.1)), "arm", pose=Pose((0.5, 0.0, 0.0)))
    world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return world


def on_a_table(shape, height, x, speed, dt=0.05, **options):
    """A table with an edge at 0.5 m, and something on it."""
    world = World(method="event", dt=dt, **options)
    world.add_body(Solid.box((1.0, 1.0, 0.1)), "table", fixed=True, pose=Pose((0.0, 0.0, -0.05)))
    body = world.add_body(shape, "part", pose=Pose((x, 0.0, 1.0)), velocity=(speed, 0.0, 0.0))
    body.pose = Pose((x, 0.0, height + world.contact_gap))
    return world


def on_a_floor(shape, height, velocity, **options):
    world = World(method="event", dt=0.05, **options)
    world.add_body(HalfSpace(), "floor", fixed=True)
    body = world.add_body(shape, "part", pose=Pose((0.0, 0.0, 1.0)), velocity=velocity)
    body.pose = Pose((0.0, 0.0, height + world.contact_gap))
    return world, body
