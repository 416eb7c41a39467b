"""Where event-driven steps stop: with the world saved, what was in the way named, and a remedy."""

import signal
from math import sqrt
from time import process_time

import numpy as np
import pytest

from abut import HalfSpace, InputError, Motor, Pose, Solid, StoppedError, World, parts
from abut.dynamics.event import event_stepper
from physics.event_worlds import compound, dropped, on_a_floor, times
from physics.judge import Judge


def test_where_no_forces_obey_friction_the_world_stops():
    """Painlevé's rod slides towards its own point of contact: with much friction no force keeps it above the floor."""
    world = World(method="event", dt=1e-3, friction=4.0)
    world.add_body(HalfSpace(), "floor", fixed=True)
    rod = world.add_body(Solid.box((1.0, 0.01, 0.01)), "rod", pose=Pose((0.0, 0.0, 2.0)))
    turned = Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.9, 0.0))
    low = turned.apply(rod.shape.vertices)[:, 2].min()
    rod.pose = Pose((0.0, 0.0, world.contact_gap - low), quat_wxyz=turned.quat_wxyz)
    rod.velocity = (3.0, 0.0, 0.0)
    with pytest.raises(StoppedError, match="'floor' and 'rod': no forces were found that obey the laws of contact"):
        world.run(0.1)
    assert World.restore(world.save()).time == world.time


def test_a_storm_of_events_stops_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_EVENTS", 5)
    world = dropped(1.0, dt=10.0)
    with pytest.raises(StoppedError, match="'floor' and 'ball': more than 5 events follow each other") as stopped:
        world.step()
    assert stopped.value.bodies == ("floor", "ball") and world.time == stopped.value.time > 4.0
    assert len(times(world, "impact")) == 5 and Judge(world).overlap() is None
    assert World.restore(world.save()).time == world.time


def test_a_step_that_stops_in_a_world_that_was_changed_meanwhile_is_left_out(monkeypatch):
    """As where two threads step one world: who comes too late is told that nothing came of the step."""
    monkeypatch.setattr(event_stepper, "MOST_EVENTS", 5)
    world, step, stops = dropped(1.0, dt=10.0), event_stepper.EventStepper.step, []

    def stepped_meanwhile(*arguments):
        if not stops:
            stops.append(0.0)
            with pytest.raises(StoppedError) as stopped:
                world.step()
            stops.append(stopped.value.time)
        return step(*arguments)

    monkeypatch.setattr(event_stepper.EventStepper, "step", stepped_meanwhile)
    with pytest.raises(InputError, match="by another thread"):
        world.step()
    assert world.time == stops[-1] > 4.0 and len(times(world, "impact")) == 5


def contradicting_motors(method):
    """Two motors that want to turn an arm to opposite sides, with any force."""
    world = World(method=method, dt=0.05)
    arm = world.add_body(Solid.box((1.0, 0.1, 0.1)), "arm", pose=Pose((0.5, 0.0, 0.0)))
    for speed in (1.0, -1.0):
        world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), motor=Motor(velocity=speed))
    return world, ("world", "arm"), 0.0


def contradicting_joints(method):
    """A part that the world holds, and a table that moves."""
    world = World(method=method, dt=0.05)
    part = world.add_body(Solid.box(0.1), "part")
    table = world.add_body(
        Solid.box(0.1), "table", kinematic=True, pose=Pose((1.0, 0.0, 0.0)), velocity=(1.0, 0.0, 0.0)
    )
    world.add_joint("ball", part, anchor=(0.0, 0.0, 0.0))
    world.add_joint("ball", part, table, anchor=(0.5, 0.0, 0.0))
    return world, ("table", "part"), 0.0


def a_rod_that_is_torn(method):
    """A pendulum whose far end hangs on a thread: a part that moves away tears it once the arm is stretched out."""
    world = World(method=method, dt=0.05, gravity=(0.0, 0.0, 0.0))
    hanging = Pose.from_rotvec((0.0, 0.0, -0.4), (0.0, 0.5 * np.pi, 0.0))
    arm = world.add_body(Solid.box((0.8, 0.1, 0.1)), "arm", pose=hanging)
    cart = world.add_body(Solid.box(0.1), "cart", kinematic=True, pose=Pose((0.6, 0.0, -0.8)), velocity=(0.5, 0.0, 0.0))
    world.add_joint("ball", arm, anchor=(0.0, 0.0, 0.0))
    world.add_joint("distance", arm, cart, anchor=(0.0, 0.0, -0.8), anchor_other=(0.6, 0.0, -0.8))
    stretched = sqrt((0.8 + 0.6) ** 2 - 0.8**2)  # where the cart is then
    return world, ("arm",), (stretched - 0.6) / 0.5


@pytest.mark.parametrize("method", ["event", "impulse"])
@pytest.mark.parametrize("make", [contradicting_motors, contradicting_joints, a_rod_that_is_torn])
def test_joints_that_contradict_each_other_stop_with_the_world_saved(make, method):
    world, bodies, when = make(method)
    with pytest.raises(StoppedError) as stopped:
        world.run(3.0)
    assert stopped.value.bodies == bodies
    assert world.time == stopped.value.time == pytest.approx(when, abs=1e-3)
    assert World.restore(world.save()).time == world.time


def test_too_many_touches_at_once_stop_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_POINTS", 40)
    world, _ = on_a_floor(parts.ring(segments=16, sides=8), 0.1, (0.0, 0.0, -1.0))
    with pytest.raises(StoppedError, match=r"'floor' and 'part': .* touch at one moment.*method='ncp'"):
        world.run(1.0)
    assert World.restore(world.save()).time == world.time and Judge(world).overlap() is None


def test_what_is_not_known_is_refused():
    world = compound()
    world.joints[0].motor = Motor(position=1.0)
    with pytest.raises(InputError, match="method 'event' moves a motor to its position in time; give it response="):
        world.step()


def test_choices_that_do_not_go_with_events_are_refused():
    with pytest.raises(InputError, match="level: 'kinematic' needs"):
        World(method="event", level="kinematic")
    with pytest.raises(InputError, match="impacts: 'gamma' needs"):
        World(method="event", impacts="gamma")


def test_a_step_with_too_much_work_stops_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_WORK", 1e3)
    world = compound(dt=5.0)
    with pytest.raises(StoppedError, match=r"'arm': more than .* s of work is in a step") as stopped:
        world.step()
    assert 0.0 < world.time == stopped.value.time < 5.0
    assert World.restore(world.save()).time == world.time


@pytest.mark.parametrize("method", ["event", "impulse"])
def test_a_long_step_can_be_interrupted(method):
    """Such a step takes minutes; its loop comes back to Python about once a second."""
    world = compound() if method == "event" else dropped(0.9)
    world.method = method
    world.step()
    before, world.dt = world.save(), 1e6

    def interrupt(*_):
        raise KeyboardInterrupt

    usual, began = signal.signal(signal.SIGVTALRM, interrupt), process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            world.step()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, usual)
    assert process_time() - began < 8.0
    world.dt = World.restore(before).dt
    assert world.save() == before
