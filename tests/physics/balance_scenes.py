"""Random worlds in which all kinds of forces act, each from a seed."""

import numpy as np

from abut import HalfSpace, Motor, Pose, Solid, Sphere, Spring, World


def world_of(seed):
    """A world of tumbling bodies with laws of its own, something to drive it at every step, and the steps to take."""
    rng = np.random.default_rng(seed)
    world = World(
        dt=float(rng.choice((5e-4, 2e-3, 8e-3, 2e-2))),
        friction=float(rng.choice((0.0, 0.4, 1.0))),
        restitution=float(rng.choice((0.0, 0.0, 0.6, 1.0))),
        gravity=(0.0, 0.0, -9.81) if rng.random() < 0.8 else rng.normal(size=3),
    )
    _add_ground(rng, world)
    bodies = [_add_body(rng, world, i) for i in range(rng.integers(2, 7))]
    if rng.random() < 0.6:
        _add_joints(rng, world, bodies)
    held = bodies[0] if rng.random() < 0.4 else None
    if held is not None:
        limits = {} if rng.random() < 0.5 else {"max_force": 3.0 * held.mass, "max_torque": 0.1 * held.mass}
        held.grab(Pose(held.pose.position + rng.normal(scale=0.2, size=3)), **limits)

    def drive():
        if rng.random() < 0.2:
            body = bodies[rng.integers(len(bodies))]
            place = body.pose.position + rng.normal(scale=0.05, size=3)
            body.apply_force(10.0 * body.mass * rng.normal(size=3), point=place)
            body.apply_torque(body.mass * rng.normal(size=3))

    return world, drive


def _add_ground(rng, world):
    """Floor or steps, and a bar that turns."""
    if rng.random() < 0.5:
        world.add_body(HalfSpace(), "floor", fixed=True)
    else:
        for k in range(3):
            world.add_body(Solid.box((0.2, 1.0, 0.1)), f"step {k}", fixed=True, pose=Pose((0.2 * k - 0.2, 0, -0.1 * k)))
    if rng.random() < 0.5:
        turning = {"kinematic": True, "angular_velocity": (0.0, 0.0, rng.uniform(-20.0, 20.0))}
        world.add_body(Solid.box((0.5, 0.03, 0.03)), "bar", pose=Pose((0.0, 0.0, 0.13)), **turning)


def _add_body(rng, world, i):
    shape = Sphere(rng.uniform(0.02, 0.06)) if rng.random() < 0.25 else Solid.box(rng.uniform(0.02, 0.14, 3))
    return world.add_body(
        shape,
        f"body {i}",
        pose=Pose((*rng.uniform(-0.15, 0.15, 2), 0.28 + 0.17 * i), quat_wxyz=rng.normal(size=4)),
        velocity=rng.normal(size=3) * rng.choice((0.1, 1.0, 5.0)),
        angular_velocity=rng.normal(size=3) * rng.choice((0.1, 5.0, 30.0)),
        locked=[axis for axis in ("x", "y", "z", "rx", "ry", "rz") if rng.random() < 0.3] if rng.random() < 0.3 else (),
        damping=rng.choice((0.0, 0.0, 2.0)),
        angular_damping=rng.choice((0.0, 0.0, 2.0)),
    )


def _add_joints(rng, world, bodies):
    """A chain with a drive, and something that hangs from the world."""
    kinds = ("ball", "hinge", "slider", "fixed")
    for k in range(min(2, len(bodies) - 1)):
        a, b = bodies[k], bodies[k + 1]
        kind = kinds[rng.integers(len(kinds))]
        middle = 0.5 * (a.pose.position + b.pose.position)
        given = {"axis": rng.normal(size=3)} if kind in ("hinge", "slider") else {}
        if given:
            motor, spring = Motor(velocity=2.0, max_force=1.0), Spring(20.0, 0.1)
            given |= ({"motor": motor}, {"spring": spring}, {"limits": (-0.1, 0.1)})[rng.integers(3)]
        world.add_joint(kind, a, b, anchor=middle, contact=kind == "ball", **given)
    if rng.random() < 0.5:
        last = bodies[-1]
        world.add_joint("ball", last, anchor=last.pose.position + rng.normal(scale=0.1, size=3))


def tumbling_boxes(seed, n=2, **options):
    """Boxes that fall on each other and on a floor."""
    return _tumbling(np.random.default_rng(seed), n, 5.0, lambda rng: rng.uniform(0.05, 0.15, 3), options)


def tumbling_rods(seed, n=4, **options):
    """Rods that turn so fast that steps take several motions."""
    return _tumbling(np.random.default_rng(seed), n, 30.0, lambda rng: (0.2, 0.03, 0.02), options)


def _tumbling(rng, n, spin, size, options):
    world = World(**options)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for i in range(n):
        pose = Pose((*rng.uniform(-0.02, 0.02, 2), 0.2 + 0.3 * i), quat_wxyz=rng.normal(size=4))
        moving = {"velocity": 0.5 * rng.normal(size=3), "angular_velocity": spin * rng.normal(size=3)}
        world.add_body(Solid.box(size(rng)), f"body {i}", pose=pose, **moving)
    return world
