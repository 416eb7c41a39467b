"""What happened to a world: the log of events, in memory and in snapshots, and the registry of methods."""

from typing import get_args

import pytest

import abut
from abut import Event, Feature, InputError, Solid, World
from abut.dynamics.events import EVENT_KINDS, EventLog
from abut.dynamics.methods.registry import METHODS
from abut.scene.files.model import WorldTable

TOUCH = Event(0.25, "touch", "ball", "floor", Feature("vertex", 3), Feature("face", 0))
IMPACT = Event(0.5, "impact", "ball", "wall", Feature("edge", 7), Feature("face", 2), (0.0, 0.1, -2.5))


def test_a_log_does_not_see_what_came_after_it():
    first = EventLog([TOUCH])
    second = first.with_events([IMPACT])
    other = first.with_events([TOUCH, TOUCH])
    assert first.events() == [TOUCH]
    assert second.events() == [TOUCH, IMPACT] and second.events(1) == [IMPACT]
    assert other.events() == [TOUCH, TOUCH, TOUCH]


def test_events_are_kept_in_snapshots_until_they_are_forgotten():
    world = World()
    world.add_body(Solid.box(0.1), "box")
    world._now = world._now._replace(events=EventLog([TOUCH, IMPACT]))
    other = World.restore(world.save())
    assert other.events == [TOUCH, IMPACT]
    other.forget_events()
    assert other.events == [] and World.restore(other.save()).events == [] and world.events == [TOUCH, IMPACT]


def test_events_of_all_kinds_survive_a_snapshot():
    world = World()
    world.add_body(Solid.box(0.1), "box")
    log = [TOUCH._replace(kind=kind, time=float(i)) for i, kind in enumerate(EVENT_KINDS)]
    world._now = world._now._replace(events=EventLog(log))
    assert World.restore(world.save()).events == log


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "magic"}, "method: expected one of ncp"),
        ({"solver": "lemke"}, "solver: only method 'velocity' takes one, and the method is 'ncp'"),
        ({"method": "velocity", "friction_law": "sliding"}, "friction_law: 'sliding' needs method 'ncp'"),
    ],
    ids=str,
)
def test_choices_that_do_not_go_together_are_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        World(**options)


def test_scene_files_take_all_methods():
    assert get_args(WorldTable.model_fields["method"].annotation) == tuple(METHODS)


def test_event_is_public():
    assert abut.Event is Event
