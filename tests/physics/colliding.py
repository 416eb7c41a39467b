"""Bodies that fly at each other without gravity, and what must not change when they collide."""

import numpy as np
import pytest

import abut


def throw_cubes_together(world, rng):
    """Six cubes, all turning, on their ways to the middle."""
    for i in range(6):
        place = np.array([0.16 * (i % 3 - 1), 0.16 * (i // 3 - 0.5), 0.0])
        world.add_body(
            abut.Solid.box(0.1),
            f"cube {i}",
            pose=abut.Pose.from_rotvec(place, rng.normal(size=3)),
            velocity=-4.0 * place + 0.2 * rng.normal(size=3),
            angular_velocity=3.0 * rng.normal(size=3),
        )


def keeps_momentum_and_gains_nothing(world, step, n_step=150):
    """`step` is called `n_step` times: momentum stays, kinetic energy does not grow in any of them."""
    (linear, angular), energy = world.momentum, world.kinetic_energy
    for _ in range(n_step):
        step()
        # Contacts that are brought back to their gap move by a fraction of it, far below the speeds here.
        assert world.kinetic_energy <= energy * (1.0 + 1e-5)
        energy = world.kinetic_energy
    assert world.momentum[0] == pytest.approx(linear, abs=1e-12)
    assert world.momentum[1] == pytest.approx(angular, abs=1e-9)
