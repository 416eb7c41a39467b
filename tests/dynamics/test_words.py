"""What worlds, bodies and reports say of themselves, and what a name that is not there is answered with."""

import pickle

import pytest

import abut


@pytest.fixture
def world():
    world = abut.World()
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    box = world.add_body(abut.Solid.box(0.1), "box", pose=abut.Pose((0, 0, 0.0501)), mass=2.0)
    world.add_joint("slider", box, name="rail", anchor=(0, 0, 0), axis=(0, 0, 1))
    return world


def test_things_say_what_they_are(world):
    assert [repr(body) for body in world.bodies] == ["Body('floor', fixed)", "Body('box', 2 kg)"]
    assert repr(world.joint("rail")) == "Joint('rail', slider of 'box' and the world)"
    assert repr(world.add_body(abut.Sphere(0.1), "cam", pose=abut.Pose((1, 0, 1)), kinematic=True)) == (
        "Body('cam', kinematic)"
    )
    rail = world.joint("rail")
    rail.remove()
    assert repr(rail) == "Joint(removed)"


@pytest.mark.needs_jit
def test_a_summary_is_a_sentence(world):
    words = str(world.run(0.05))
    assert words.startswith("50 steps, 0.05 s: ") and "contacts at most, smallest gap " in words
    assert "no time given up" in words and words.endswith(" s of computing")
    assert str(world.report).startswith("a step: 4 contacts, smallest gap ")
    assert str(abut.StepReport()) == "a step: 0 contacts, no time given up, 0 s of computing"


def test_a_scene_is_told_in_a_line():
    words = repr(abut.scenes.peg_in_hole())
    assert words == "Scene(World(2 bodies, time 0 s, dt 0.001 s), 1 s, driven, measures depth, push)"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        pytest.param(lambda w: w.body("bx"), "no body 'bx' (did you mean 'box'?); there are: floor, box", id="body"),
        pytest.param(lambda w: w.joint("rial"), "no joint 'rial' (did you mean 'rail'?)", id="joint"),
        pytest.param(lambda w: w.remove_body("box"), "got 'box'; write world.body('box')", id="name for a body"),
        pytest.param(
            lambda w: w.body("box").position, "a Body has no 'position'; it has angular_velocity", id="position"
        ),
        pytest.param(lambda w: w.body("box").velocty, "(did you mean 'velocity'?)", id="mistyped attribute"),
        pytest.param(lambda w: w.contact, "a World has no 'contact' (did you mean 'contacts'?)", id="of a world"),
        pytest.param(lambda w: abut.parts.pegs_, "abut.parts.catalogue() lists its parts", id="part"),
        pytest.param(lambda w: abut.scenes.drivr, "(did you mean 'driver'?)", id="scene"),
        pytest.param(lambda w: abut.scenes.make("drivr"), "(did you mean 'driver'?)", id="scene by name"),
        pytest.param(lambda w: w.add_body(abut.Sphere(1), pose=(0, 0, 1)), "write abut.Pose((x, y, z))", id="pose"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(world, ask, words):
    with pytest.raises((AttributeError, abut.InputError)) as told:
        ask(world)
    assert words in str(told.value)


def test_asking_for_what_is_not_there_disturbs_no_copies(world):
    assert not hasattr(world.body("box"), "__array__") and not hasattr(world, "_repr_latex_")
    assert repr(pickle.loads(pickle.dumps(world)).body("box")) == "Body('box', 2 kg)"


def test_python_can_suggest_names_of_the_package():
    with pytest.raises(AttributeError) as told:
        abut.wrld  # noqa: B018
    assert told.value.name == "wrld" and told.value.obj is abut  # what tracebacks make suggestions of
