"""Friction against closed forms (tolerances follow from dt and the contact gap), its law, and what it must keep."""

import numpy as np
import pytest

import abut
from abut import HalfSpace, Pose, Solid, Sphere, World
from abut.scene import scenes
from physics.coulomb import check_coulomb, normals_of
from physics.energy import EnergyWatch, run_watched
from physics.judge import run_judged
from physics.plain_runs import run, steps

pytestmark = pytest.mark.needs_jit
G = 9.81
FLAT = Solid.box((0.1, 0.1, 0.02))


def on_floor(shape=FLAT, height=0.01, *, floor=None, body=None, velocity=(0, 0, 0), spin=(0, 0, 0), **words):
    """A body on a floor, at rest at the contact gap, with frictions of floor and body or the world's."""
    world = World(**words)
    world.add_body(HalfSpace(), "floor", fixed=True, friction=floor)
    added = world.add_body(shape, "body", velocity=velocity, angular_velocity=spin, friction=body)
    added.pose = Pose((0.0, 0.0, height + world.contact_gap))
    return world, added


@pytest.mark.parametrize(("speed", "mu"), [(1.0, 0.3), (2.0, 0.8), (0.3, 0.05)])
def test_a_sliding_box_stops_after_its_distance(speed, mu):
    world, box = on_floor(velocity=(speed, 0.0, 0.0), friction=mu)
    run(world, speed / (mu * G) + 2 * world.dt)
    # A step moves with the velocity at its end: half a step of the first velocity is missing.
    expected = speed**2 / (2 * mu * G) - 0.5 * speed * world.dt
    assert box.pose.position[0] == pytest.approx(expected, abs=mu * G * world.dt**2)
    assert abs(box.velocity).max() < world.contact_gap / world.dt
    stopped = box.pose.position
    run(world, 0.1)
    assert abs(box.pose.position - stopped).max() < 0.01 * world.contact_gap, "it creeps"


def test_halving_the_step_halves_the_error_of_the_stopping_distance():
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        world, box = on_floor(velocity=(1.0, 0.0, 0.0), friction=0.3, dt=dt)
        run(world, 0.4)
        errors.append(abs(box.pose.position[0] - 1.0 / (0.6 * G)))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.1)


def on_incline(slope, mu, shape=FLAT, height=0.01, **words):
    """A body on a slope about y; x of the world is along the slope, gravity is turned instead."""
    return on_floor(shape, height, gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)), friction=mu, **words)


@pytest.mark.parametrize("slope", np.radians([5.0, 20.0, 35.0]))
def test_a_box_stays_on_an_incline_up_to_the_angle_of_friction(slope):
    world, box = on_incline(slope, 1.01 * np.tan(slope))
    run(world, 0.3)
    assert abs(box.pose.position[:2]).max() < 0.1 * world.contact_gap
    world, box = on_incline(slope, 0.99 * np.tan(slope))
    run(world, 0.3)
    acceleration = 0.01 * G * np.sin(slope)
    assert box.velocity[0] == pytest.approx(0.3 * acceleration, rel=0.02)
    assert box.pose.position[0] == pytest.approx(0.5 * acceleration * 0.3**2, rel=0.02)


def test_the_scene_of_the_incline_parts_its_two_boxes():
    scene = scenes.rough_incline()
    slope, world = np.radians(20.0), scene.world
    stays, slides = world.body("stays"), world.body("slides")
    starts = stays.pose.position, slides.pose.position
    run_judged(scene, 0.5, every=5)
    assert np.linalg.norm(stays.pose.position - starts[0]) < 2 * 1e-5
    assert np.linalg.norm(slides.velocity) == pytest.approx(0.5 * 0.05 * G * np.sin(slope), rel=0.02)


def test_a_slender_box_tips_before_it_slides():
    """b/h = 0.25: on a slope of 20 degrees with mu = 0.5 it tips; with mu = 0.2 it slides upright."""
    slope = np.radians(20.0)
    tall = Solid.box((0.02, 0.02, 0.08))
    world, box = on_incline(slope, 0.5, tall, 0.04)
    run(world, 0.2)
    assert abs(box.pose.rotvec).max() > 0.5
    world, box = on_incline(slope, 0.2, tall, 0.04)
    run(world, 0.2)
    assert abs(box.pose.rotvec).max() < 1e-3
    assert box.velocity[0] == pytest.approx(0.2 * G * (np.sin(slope) - 0.2 * np.cos(slope)), rel=0.01)


@pytest.mark.parametrize("degrees", [0.0, 10.0, 22.5, 45.0, 77.0, 135.0])
def test_friction_has_no_favourite_direction(degrees):
    """A cone with four sides would hold a push along its diagonals up to 1.41 mu m g."""
    direction = np.radians(degrees)
    scene = scenes.diagonal_push(direction=direction, share=1.02)
    box = scene.world.body("box")
    run_judged(scene, 0.1, every=10)
    along = np.array([np.cos(direction), np.sin(direction), 0.0])
    speed = 0.02 * 0.5 * G * 0.1
    assert box.velocity @ along == pytest.approx(speed, rel=0.05)
    assert np.linalg.norm(box.velocity - (box.velocity @ along) * along) < 1e-4 * speed
    held = scenes.diagonal_push(direction=direction, share=0.98)
    run_judged(held, 0.05, every=10)
    before = held.world.body("box").pose.position
    run_judged(held, 0.1, every=10)
    assert abs(held.world.body("box").pose.position - before).max() < 0.1 * held.world.contact_gap


def test_a_sliding_ball_rolls_after_its_time_with_five_sevenths_of_its_speed():
    mu, v = 0.2, 0.5
    world, ball = on_floor(Sphere(0.02), 0.02, velocity=(v, 0, 0), friction=mu)
    rolling = 2.0 * v / (7.0 * mu * G)
    run(world, 0.9 * rolling)
    done = round(0.9 * rolling / world.dt) * world.dt
    assert ball.velocity[0] == pytest.approx(v - mu * G * done, rel=1e-5)
    assert ball.angular_velocity[1] == pytest.approx(2.5 * mu * G * done / 0.02, rel=2e-3)
    run(world, 0.3)
    assert ball.velocity[0] == pytest.approx(5.0 / 7.0 * v, rel=2e-3)
    assert ball.angular_velocity[1] * 0.02 == pytest.approx(ball.velocity[0], rel=2e-3)


@pytest.mark.parametrize(("share", "rolls"), [(1.1, True), (0.5, False)])
def test_a_ball_rolls_down_an_incline_with_enough_friction(share, rolls):
    """It rolls with 5/7 g sin(slope) if mu > 2/7 tan(slope), and slides with g (sin - mu cos) else."""
    slope = np.radians(30.0)
    mu = share * 2.0 / 7.0 * np.tan(slope)
    world, ball = on_incline(slope, mu, Sphere(0.02), 0.02)
    run(world, 0.2)
    a = 5.0 / 7.0 * G * np.sin(slope) if rolls else G * (np.sin(slope) - mu * np.cos(slope))
    assert ball.velocity[0] == pytest.approx(0.2 * a, rel=3e-3)


def test_a_box_spinning_flat_slows_down_and_stops():
    world, box = on_floor(spin=(0.0, 0.0, 20.0), friction=0.3)
    before = np.inf
    for _ in steps(world, 0.5):
        assert box.angular_velocity[2] <= before + 1e-3 * world.contact_gap / world.dt / 0.05
        before = box.angular_velocity[2]
    assert abs(before) < 1e-4 and abs(box.pose.position[:2]).max() < 1e-5


@pytest.mark.parametrize(
    ("floor", "body", "pair", "mu"),
    [
        pytest.param(None, None, None, 0.2, id="the world's"),
        pytest.param(0.5, None, None, 0.5, id="of one body"),
        pytest.param(None, 0.4, None, 0.4, id="of the other"),
        pytest.param(0.9, 0.4, None, 0.6, id="geometric mean of both"),
        pytest.param(0.9, 0.4, 0.1, 0.1, id="of the pair"),
        pytest.param(0.0, 0.4, None, 0.0, id="none where one has none"),
    ],
)
def test_friction_is_that_of_world_bodies_or_pair(floor, body, pair, mu):
    world, box = on_floor(floor=floor, body=body, velocity=(1.0, 0.5, 0.0), friction=0.2)
    if pair is not None:
        world.set_pair(world.body("floor"), box, friction=pair)
    run(world, 0.05)
    contacts = world.contacts
    slip = box.velocity / np.linalg.norm(box.velocity)
    np.testing.assert_allclose(contacts["friction"].sum(axis=0), -mu * contacts["force"].sum() * slip, atol=1e-6)
    assert contacts["force"].sum() == pytest.approx(box.mass * G, rel=1e-3)
    assert np.linalg.norm(box.velocity) == pytest.approx(np.hypot(1.0, 0.5) - mu * G * 0.05, rel=1e-4)


LAW = [
    pytest.param(lambda: scenes.diagonal_push(direction=0.7), 0.5, 0.1, id="push"),
    pytest.param(lambda: scenes.card_house(), 0.6, 0.2, id="cards"),
    pytest.param(lambda: scenes.spinning_coin(), 0.5, 0.5, id="coin"),
    pytest.param(lambda: scenes.arch(n=7), 0.6, 0.2, id="arch"),
    pytest.param(lambda: scenes.jamming_peg(), 0.4, 0.05, id="peg"),
]


@pytest.mark.parametrize(("make", "mu", "duration"), LAW)
def test_forces_obey_coulomb(make, mu, duration):
    scene = make()
    checked, normals = 0, {}
    for report in scene.run(duration):
        assert report.unsolved == 0
        if report.parts == 1:
            checked += check_coulomb(scene.world, mu, normals)
        normals = normals_of(scene.world)
    assert checked > 10


@pytest.mark.parametrize(
    ("make", "duration"),
    [
        pytest.param(lambda: scenes.stopping(), 0.4, id="stopping"),
        pytest.param(lambda: scenes.rolling_coin(), 0.3, id="rolling coin"),
        pytest.param(lambda: scenes.spinning_coin(), 0.5, id="spinning coin"),
        pytest.param(lambda: scenes.rough_incline(), 0.2, id="inclines"),
        pytest.param(lambda: scenes.card_house(), 0.5, id="cards"),
        pytest.param(lambda: scenes.card_house(friction=0.1), 0.2, id="falling cards"),
        pytest.param(lambda: scenes.held_nut(), 0.05, id="nut"),
    ],
)
def test_friction_adds_no_energy_and_lets_nothing_overlap(make, duration):
    scene = make()
    reports = run_watched(scene, duration, every=4)
    assert sum(report.time_given_up for report in reports) == 0.0


def test_an_arch_stands_on_friction_and_falls_without():
    scene = scenes.arch()
    stones, watch = scene.world.bodies[1:], EnergyWatch(scene.world)
    for _ in scene.run(0.5):
        watch.step()
    # Nothing moves but to settle: gaps are held to the solver's tolerance, and lifting all by that takes energy.
    assert watch.rise < 0.02 * sum(stone.mass for stone in stones) * G * scene.world.contact_gap
    settled = [stone.pose.position for stone in stones]
    reports = run_judged(scene, 1.0, every=20)
    moved = max(np.abs(stone.pose.position - at).max() for stone, at in zip(stones, settled, strict=True))
    assert moved == 0.0 and np.abs(settled).max() < 30 * scene.world.contact_gap
    assert max(report.parts for report in reports) == 0 and scene.world.kinetic_energy == 0.0
    # The floor carries the weight, and the abutments are pushed apart equally.
    below = scene.world.contacts[scene.world.contacts["body_a"] == 0]
    assert below["force"].sum() == pytest.approx(sum(stone.mass for stone in stones) * G, rel=1e-3)
    assert np.abs(below["friction"].sum(axis=0)).max() < 1e-3 * below["force"].sum()
    assert np.abs(below["friction"][:, 0]).sum() > 0.05 * below["force"].sum()
    weak = scenes.arch(n=7, friction=0.1)
    run_judged(weak, 0.2, every=5)
    assert weak.world.body("stone 3").pose.position[2] < -0.02


def test_a_card_house_stands_on_friction_and_falls_without():
    scene = scenes.card_house()
    cards = scene.world.bodies[1:]
    starts = [card.pose.position for card in cards]
    run_judged(scene, 0.6, every=10)
    assert max(np.abs(c.pose.position - at).max() for c, at in zip(cards, starts, strict=True)) < 1e-4
    assert scene.world.kinetic_energy < 1e-12
    weak = scenes.card_house(friction=0.1)
    run_judged(weak, 0.2, every=5)
    assert weak.world.body("card 1 0 left").pose.position[2] < 0.11


def test_a_nut_is_held_by_friction_and_runs_without():
    held, free = (scenes.held_nut(friction=mu) for mu in (0.5, 0.0))
    for scene in (held, free):
        run_judged(scene, 0.08, every=20)
    pose = held.world.body("nut").pose
    run_judged(held, 0.06, every=20)
    after = held.world.body("nut").pose
    assert np.abs(after.position - pose.position).max() < 0.1 * held.world.contact_gap
    assert np.abs(after.rotvec - pose.rotvec).max() < 1e-6
    # It turns by 2 pi for a pitch of 2 mm, give or take its axial play.
    nut = free.world.body("nut")
    before = nut.pose
    run_judged(free, 0.06, every=20)
    fallen, turned = before.position[2] - nut.pose.position[2], before.rotvec[2] - nut.pose.rotvec[2]
    assert nut.angular_velocity[2] < -1.0
    assert turned * 2e-3 / (2 * np.pi) == pytest.approx(fallen, abs=1e-4)


@pytest.mark.parametrize(("share", "jams"), [(1.3, True), (0.7, False)])
def test_a_peg_jams_where_two_contacts_can_carry_the_push(share, jams):
    """Two contacts, depth apart, carry the torque F e with N = F e / depth each: 2 mu N >= F holds the peg."""
    depth, off = 0.03, 0.08
    scene = scenes.jamming_peg(friction=share * depth / (2.0 * off), depth=depth, off=off)
    peg = scene.world.body("peg")
    run_judged(scene, 0.1, every=10)
    if jams:
        assert peg.pose.position[2] > 0.05 - 1e-3 and np.linalg.norm(peg.velocity) < 1e-6
    else:
        assert peg.pose.position[2] < 0.05 - 2e-3 and peg.velocity[2] < -0.01


def test_two_bodies_rubbing_in_free_space_keep_their_momentum_to_rounding():
    world = World(gravity=(0, 0, 0), friction=0.6)
    world.add_body(Solid.box(0.1), "a", velocity=(0.3, 0.1, 0.5), angular_velocity=(1.0, -2.0, 3.0))
    world.add_body(
        Solid.box((0.2, 0.15, 0.1)), "b", pose=Pose((0.0, 0.0, 0.13)), velocity=(-0.2, 0.0, -0.4), density=500.0
    )
    p, L = world.momentum
    size = sum(body.mass for body in world.bodies)
    rubbed = 0.0
    for _ in steps(world, 0.3):
        rubbed += np.abs(world.contacts["friction"]).sum()
        p_now, L_now = world.momentum
        assert np.abs(p_now - p).max() < 1e-14 * size and np.abs(L_now - L).max() < 1e-13 * size
    assert rubbed > 1.0, "they never rubbed"


def test_the_sliding_law_slows_down_as_coulomb_does():
    ways = []
    for law in ("coulomb", "sliding"):
        world, box = on_floor(velocity=(0.8, 0.6, 0.0), friction=0.3, friction_law=law)
        run(world, 0.2)
        ways.append(box.pose.position)
        np.testing.assert_allclose(box.velocity[:2], (1.0 - 0.3 * G * 0.2) * np.array([0.8, 0.6]), rtol=1e-4)
    np.testing.assert_allclose(*ways, atol=1e-6)


def test_the_sliding_law_does_not_stick_but_trembles_within_a_step():
    """Its direction is that of the slip at the start: below mu m g a push moves the box to and fro by mu g dt^2."""
    slope = np.radians(10.0)
    world, box = on_incline(slope, 0.5, friction_law="sliding")
    speeds = []
    for _ in steps(world, 0.1):
        speeds.append(box.velocity[0])
    assert np.abs(speeds).max() <= 1.01 * (np.sin(slope) + 0.5 * np.cos(slope)) * G * world.dt
    assert np.abs(speeds).max() > 0.1 * G * world.dt


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda w: World(friction=-0.1), "friction: expected .*not smaller than 0"),
        (lambda w: World(friction=np.nan), "friction"),
        (lambda w: w.add_body(FLAT, "box", friction=-1.0), "body 'box': friction: expected .*not smaller than 0"),
        (lambda w: w.set_pair(*w.bodies, friction=-0.5), "friction: expected .*not smaller than 0"),
        (lambda w: World(friction_law="viscous"), "expected 'coulomb' or 'sliding', got 'viscous'"),
        (lambda w: World(restitution=1.1), r"restitution: expected a number from 0 \(no bounce\) to 1"),
        (lambda w: World(restitution=-0.1), "restitution: expected .*not smaller than 0"),
        (lambda w: w.add_body(FLAT, "box", restitution=2.0), "box.*restitution: expected a number from 0"),
        (lambda w: w.set_pair(*w.bodies, restitution=2.0), "the pair: restitution: expected a number from 0"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, sentence):
    world, _ = on_floor()
    with pytest.raises(abut.InputError, match=sentence):
        call(world)
