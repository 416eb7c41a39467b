"""Impacts with restitution: closed forms, laws of momentum and energy, and the published table of the gamma scheme."""

import numpy as np
import pytest

import abut
from abut.errors import InputError
from abut.scene import scenes
from physics.colliding import keeps_momentum_and_gains_nothing, throw_cubes_together
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit

FLOOR = abut.HalfSpace(normal=(0.0, 0.0, 1.0), offset=0.0)


def dropped_ball(restitution, *, height=0.5, dt=1e-3):
    world = abut.World(dt=dt, restitution=restitution)
    world.add_body(FLOOR, "floor", fixed=True)
    return world, world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.05 + height)))


def heights(world, ball, duration):
    found = []
    for _ in range(round(duration / world.dt)):
        world.step()
        found.append(ball.pose.position[2] - 0.05)
    return np.array(found)


def peaks(z):
    inner = (z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:]) & (z[1:-1] > 1e-3)
    return z[1:-1][inner]


# Known answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_a_dropped_ball_rises_to_e_squared_of_its_height(e, dt):
    """Between two bounces a parabola is sampled: its top is missed by at most g dt^2 / 8, and the gap adds itself."""
    world, ball = dropped_ball(e, dt=dt)
    tops = peaks(heights(world, ball, 1.5))
    expected = 0.5 * e ** (2.0 * np.arange(1, len(tops) + 1))
    bounce = np.arange(1, len(tops) + 1)
    assert len(tops) >= 2
    assert np.abs(tops - expected).max() < 9.81 * dt**2 / 8 + 2 * bounce.max() * world.contact_gap


def test_the_scene_of_bounces_shows_three_kinds():
    scene, radius, fall = scenes.bounces(height=0.3), 0.03, np.sqrt(2.0 * 0.3 / 9.81)
    tops = np.zeros(3)
    for _ in scene.run():
        if scene.world.time > 1.1 * fall:
            tops = np.maximum(tops, [ball.pose.position[2] - radius for ball in scene.world.bodies[1:]])
    assert tops == pytest.approx((0.0, 0.25 * 0.3, 0.3), abs=1e-4)


def test_without_restitution_a_ball_stays_where_it_lands():
    world, ball = dropped_ball(0.0)
    assert heights(world, ball, 1.0)[-500:].max() < 2.0 * world.contact_gap
    assert world.kinetic_energy < 1e-12


def test_a_bouncing_ball_comes_to_rest():
    world, ball = dropped_ball(0.5)
    z = heights(world, ball, 2.0)
    assert z[-200:].max() < 2.0 * world.contact_gap and world.kinetic_energy < 1e-10


def test_the_last_ball_of_a_row_takes_all_the_momentum():
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=1.0)
    row = [
        world.add_body(
            abut.Sphere(0.05),
            f"ball {i}",
            pose=abut.Pose((0.1005 * i - (0.1 if i == 0 else 0.0), 0.0, 0.0)),
            velocity=(1.0 if i == 0 else 0.0, 0.0, 0.0),
        )
        for i in range(5)
    ]
    for _ in range(300):
        world.step()
    assert [ball.velocity[0] for ball in row] == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("raised", [1, 2, 3])
def test_as_many_balls_leave_a_cradle_as_swing_into_it(raised):
    """To what the balls move aside by before all of them are struck, a few times `apart`."""
    lift, length = 0.5, 0.2
    scene = scenes.cradle(raised=raised, lift=lift, apart=5e-4, **{"world.impacts": "newton"})
    balls, judge = scene.world.bodies, Judge(scene.world)
    hang = np.array([0.0405 * i for i in range(5)])
    farthest, energy = np.zeros(5), scene.world.energy
    for _ in scene.run(0.56):  # three quarters of a period: to the other side
        assert judge.overlap() is None
        if scene.world.time > 0.3:
            farthest = np.maximum(farthest, [ball.pose.position[0] for ball in balls] - hang)
    assert np.arcsin(farthest[-raised:] / length) == pytest.approx(lift, abs=0.02)
    assert farthest[:-raised].max() < 0.01
    assert scene.world.energy <= energy + 2e-3 * abs(energy)


def test_a_stick_struck_at_its_end_turns_about_its_centre_of_percussion():
    """A ball meets the end of a free rod at rest; momentum, spin and restitution give all speeds."""
    rod_length, e, arm = 0.4, 0.8, 0.19
    scene = scenes.struck_stick(restitution=e, off=arm)
    for _ in scene.run(0.06):
        pass
    rod, ball = scene.world.bodies
    inertia = (rod_length**2 + 0.02**2) / 12.0
    p = (1.0 + e) / (1.0 / 0.5 + 1.0 + arm**2 / inertia)
    assert ball.velocity == pytest.approx((0.0, 1.0 - p / 0.5, 0.0), abs=1e-5)
    assert rod.velocity == pytest.approx((0.0, p, 0.0), abs=1e-5)
    assert rod.angular_velocity == pytest.approx((0.0, 0.0, p * arm / inertia), abs=1e-4)


@pytest.mark.parametrize(("links", "e"), [(1, 1.0), (2, 0.0), (4, 0.5)])
def test_a_blow_to_a_chain_of_pendulums_moves_every_link_at_once(links, e):
    """Angles are the chain's coordinates: M rates = J^T p, and p makes the ball part with e times its speed."""
    scene = scenes.struck_pendulum(links=links, restitution=e, dt=1e-4)
    *chain, ball = scene.world.bodies
    speed = ball.velocity[0]
    while ball.velocity[0] == pytest.approx(speed, rel=1e-6):
        scene.step()
    scene.step()  # without restitution, the velocities of the step of an impact are those of its mean
    length, m = 0.1, chain[0].mass
    struck = -length * (links - 1) - ball.pose.position[2]  # below the upper end of the last link
    # Sideways speed of each link's middle, and of the place that is struck, per unit of every link's rate.
    middle = length * np.tri(links, k=-1) + 0.5 * length * np.eye(links)
    J = np.append(np.full(links - 1, length), struck)
    M = m * middle.T @ middle + m * (length**2 + 0.02**2) / 12.0 * np.eye(links)
    p = (1.0 + e) * speed / (1.0 / ball.mass + J @ np.linalg.solve(M, J))
    rates = np.linalg.solve(M, J) * p
    assert ball.velocity[0] == pytest.approx(speed - p / ball.mass, abs=2e-3 * speed)
    assert [-link.angular_velocity[1] for link in chain] == pytest.approx(rates, abs=5e-3 * np.abs(rates).max())


def test_an_impulse_goes_through_joints():
    """Two rods in a line, joined by a ball joint and struck along the line, part from the ball as one body."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=1.0)
    first = world.add_body(abut.Solid.box((0.2, 0.02, 0.02)), "first", mass=1.0)
    second = world.add_body(abut.Solid.box((0.2, 0.02, 0.02)), "second", mass=1.0, pose=abut.Pose((0.21, 0.0, 0.0)))
    world.add_joint("ball", first, second, anchor=(0.105, 0.0, 0.0))
    ball = world.add_body(
        abut.Sphere(0.02), "ball", mass=1.0, pose=abut.Pose((-0.2, 0.0, 0.0)), velocity=(1.0, 0.0, 0.0)
    )
    for _ in range(200):
        world.step()
    # One against two masses: v = 2 m / (m + 2 m), the ball goes back by a third.
    assert first.velocity[0] == pytest.approx(2.0 / 3.0, abs=1e-5)
    assert second.velocity[0] == pytest.approx(2.0 / 3.0, abs=1e-5)
    assert ball.velocity[0] == pytest.approx(-1.0 / 3.0, abs=1e-5)


PUBLISHED = [
    (1.000, -1.00, 0.851, 0.0),
    (0.851, -1.98, 0.604, 0.0),
    (0.604, -2.96, 0.259, 0.0),
    (0.259, -3.94, -0.184, 36.8),
    (0.0, -1.24, -0.173, 34.6),
    (0.0, 1.24, 0.075, 0.0),
    (0.075, 0.26, 0.052, 0.0),
    (0.052, -0.72, -0.069, 13.8),
    (0.0, -0.32, -0.081, 16.2),
]
"""Position, velocity, x + h v - h^2 gamma g and force of Galluzzo & Wendt's particle, nine steps."""


def test_the_gamma_scheme_gives_the_published_table():
    h, g, radius = 0.1, 9.8, 0.01
    world = abut.World(gravity=(0.0, 0.0, -g), dt=h, restitution=1.0, impacts="gamma", contact_gap=1e-9)
    world.add_body(FLOOR, "floor", fixed=True)
    pose = abut.Pose((0.0, 0.0, 1.0 + radius))
    particle = world.add_body(abut.Sphere(radius), "particle", mass=1.0, pose=pose, velocity=(0.0, 0.0, -1.0))
    for row in PUBLISHED:
        x, v = particle.pose.position[2] - radius, particle.velocity[2]
        report = world.step()
        assert report.parts == 1
        force = float(world.contacts["force"].sum())
        found = (round(x, 3), round(v, 2), round(x + h * v - h * h * 0.5 * g, 3), round(force, 1))
        assert found == pytest.approx(row, abs=1e-12)


# Laws ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_leaves_a_bat_faster_than_the_bat_by_its_restitution(e):
    """Newton's law against a body that nothing stops: the bat may give the ball energy."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=e)
    world.add_body(
        abut.Solid.box(0.2), "bat", pose=abut.Pose((-0.2, 0.0, 0.0)), velocity=(2.0, 0.0, 0.0), kinematic=True
    )
    ball = world.add_body(abut.Sphere(0.05), "ball")
    world.run(0.1)
    assert ball.velocity == pytest.approx([2.0 * (1.0 + e), 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_colliding_bodies_keep_their_momentum_and_gain_no_energy(e, rng):
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=e)
    throw_cubes_together(world, rng)
    keeps_momentum_and_gains_nothing(world, world.step)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_cube_that_bounces_without_loss_gains_nothing(seed):
    """Impulses at the end of a step, for speeds of its start, once gave a turning cube 0.3 % at every bounce."""
    rng = np.random.default_rng(seed)
    world = abut.World(restitution=1.0)
    world.add_body(FLOOR, "floor", fixed=True)
    start = abut.Pose((0.0, 0.0, 0.5), quat_wxyz=rng.normal(size=4))
    cube = world.add_body(abut.Solid.box(0.1), "cube", pose=start, angular_velocity=3.0 * rng.normal(size=3))
    energies = []
    for _ in range(4000):
        z = cube.pose.position[2]
        world.step()
        # Of the middle of the step, where velocities belong.
        energies.append(world.kinetic_energy + 0.5 * 9.81 * cube.mass * (z + cube.pose.position[2]))
    flight = np.array(energies)[:: len(energies) // 50]
    assert flight.max() < energies[0] * (1.0 + 1e-3)
    assert flight[-1] > 0.9 * energies[0]


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
@pytest.mark.parametrize("speed", [2e-4, 1e-3, 3e-3, 3e-2])
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_what_comes_slowly_is_not_thrown_back(speed, dt, mu):
    """A part that comes so slowly that it gets below the contact gap before it is stopped."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), dt=dt, friction=mu)
    world.add_body(FLOOR, "wall", fixed=True)
    box = world.add_body(
        abut.Solid.box(0.1), "box", pose=abut.Pose((0.0, 0.0, 0.05 + 1e-5)), velocity=(0.0, 0.0, -speed)
    )
    world.run(2e-5 / speed + 20.0 * dt)
    assert -1e-3 * speed < box.velocity[2] < speed


def test_a_large_box_let_down_gently_does_not_jump():
    world = abut.World(dt=1e-4)
    world.add_body(FLOOR, "floor", fixed=True)
    box = world.add_body(abut.Solid.box(1.0), "box", pose=abut.Pose((0.0, 0.0, 0.5 + 1e-4)))
    energy, highest = world.energy, 0.0
    for _ in range(1000):
        world.step()
        highest = max(highest, box.velocity[2])
        assert world.energy <= energy
    assert highest < 0.1 * np.sqrt(2.0 * 9.81 * 1e-4)  # 166 mm/s where the gap is mended in one step


def test_the_impulse_of_an_impact_is_in_the_contact_force():
    world, ball = dropped_ball(1.0, height=0.05)
    before = ball.velocity[2]
    while ball.velocity[2] <= 0.0:
        before = ball.velocity[2]
        world.step()
    impulse = ball.mass * (ball.velocity[2] - before + 9.81 * world.dt)
    assert world.dt * world.contacts["force"].sum() == pytest.approx(impulse, rel=1e-9)


# Bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [-0.1, 1.5, float("nan")])
def test_restitution_lies_between_0_and_1(e):
    with pytest.raises(InputError, match="restitution"):
        abut.World(restitution=e)
    world = abut.World()
    with pytest.raises(InputError, match="restitution"):
        world.add_body(abut.Sphere(0.1), "ball", restitution=e)


def test_the_law_of_impact_is_known():
    with pytest.raises(InputError, match="'newton', 'gamma' or 'sequential'"):
        abut.World(impacts="poisson")
