"""Snapshots: what was saved goes on bit for bit, and whatever else is opened gives a sentence or a safe world."""

import copy
import json
import pickle
import zlib
from dataclasses import fields

import numpy as np
import pytest
from torture.clock import pace, working_time

import abut
from abut import HalfSpace, InputError, Motor, Pose, Solid, Sphere, Spring, World
from abut.dynamics.bodies.body import BodySpec
from abut.dynamics.contacts.contact_set import ContactSet
from abut.dynamics.contacts.pair_laws import PairLaws
from abut.dynamics.joints.joint_set import COLUMNS, JointSet, JointSpec
from abut.dynamics.moment import Moment, Setup
from abut.dynamics.snapshots.archive import MAGIC, PREAMBLE, Section, pack, unpack
from abut.dynamics.snapshots.snapshot import VERSIONS
from abut.dynamics.state import State
from abut.scene import scenes

pytestmark = pytest.mark.needs_jit


def mixed_world(**options):
    """A world with everything in it that can be saved."""
    world = World(friction=0.3, restitution=0.2, **options)
    floor = world.add_body(HalfSpace((0.1, 0.0, 1.0), 0.0), "floor", fixed=True, friction=0.6)
    crate = Solid.box((0.1, 0.1, 0.05), name="crate")
    boxes = [
        world.add_body(crate, f"box {i}", pose=Pose((0.02 * i, 0.0, 0.05 + 0.06 * i)), density=500.0 + i)
        for i in range(3)
    ]
    ball = world.add_body(Sphere(0.03), "ball", pose=Pose((0.3, 0.0, 0.06)), restitution=0.5, damping=0.1)
    jaw = world.add_body(Solid.box(0.05), "jaw", pose=Pose((-0.3, 0.0, 0.3)), kinematic=True, velocity=(0.1, 0.0, 0.0))
    arm = world.add_body(Solid.box((0.2, 0.02, 0.02)), "arm", pose=Pose((0.0, 0.5, 0.5)), group=2, locked=("x",))
    leg = world.add_body(Solid.box((0.02, 0.02, 0.2)), "leg", pose=Pose((0.1, 0.5, 0.4)), group=2)
    world.add_joint("hinge", arm, anchor=(0.0, 0.5, 0.5), axis=(0, 1, 0), motor=Motor(velocity=1.0, max_force=3.0))
    world.add_joint(
        "cylindrical",
        leg,
        arm,
        anchor=(0.1, 0.5, 0.4),
        axis=(0, 0, 1),
        limits={"travel": (-0.1, 0.1)},
        spring={"travel": Spring(50.0, 1.0)},
        motor={"angle": Motor(position=0.5, max_speed=2.0)},
    )
    world.add_joint("ball", boxes[0], boxes[1], anchor=(0.0, 0.0, 0.08), name="gone").remove()
    world.set_pair(ball, floor, friction=0.1)
    world.set_pair(jaw, boxes[2], "ignore")
    boxes[2].grab(Pose((0.04, 0.0, 0.2)), max_force=20.0)
    return world


def bits(world):
    state = world._state
    tables = (state.kind, state.pose, state.twist, state.wrench, world._joints.force, world._joints.wrench)
    return b"".join(table.tobytes() for table in tables) + world.contacts.tobytes()


WAYS = {
    "save": lambda w: World.restore(w.save()),
    "pickle": lambda w: pickle.loads(pickle.dumps(w)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_goes_on_with_the_same_bits(way):
    world = mixed_world()
    world.run(0.2)
    world.bodies[1].apply_force((0.0, 0.0, 0.3))
    other = WAYS[way](world)
    assert len(world.contacts) > 3 and bits(other) == bits(world) and other.time == world.time
    for _ in range(20):
        world.step()
        other.step()
    assert bits(other) == bits(world)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "velocity", "solver": "jacobi"},
        {"impacts": "gamma"},
        {"impacts": "sequential"},
        {"level": "kinematic"},
        {"friction_law": "sliding"},
    ],
    ids=str,
)
def test_options_are_kept(options):
    world = mixed_world(**options, threads=2, dt=2e-3, gravity=(0.1, 0.0, -3.0), contact_gap=1e-6)
    world.step()
    other = World.restore(world.save())
    names = ("method", "solver", "impacts", "level", "friction_law", "threads", "dt", "contact_gap", "friction", "time")
    assert [getattr(other, name) for name in names] == [getattr(world, name) for name in names]
    for each in (world, other):
        each.step()
    assert bits(other) == bits(world)


def test_a_copy_does_not_move_the_bodies_of_the_original():
    world = mixed_world()
    world.step()
    before = bits(world)
    copy.copy(world).run(0.01)
    assert bits(world) == before


def test_saving_what_was_restored_gives_the_same_bytes():
    world = mixed_world()
    world.run(0.2)
    blob = world.save()
    assert World.restore(blob).save() == blob


def test_handles_and_commands_are_kept():
    world = mixed_world()
    world.run(0.2)
    other = World.restore(world.save())
    assert [joint.name for joint in other.joints] == [joint.name for joint in world.joints]
    for name in ("hinge 0", "cylindrical 1"):
        for coordinate in world.joint(name).coordinates:
            mine, its = world.joint(name)[coordinate], other.joint(name)[coordinate]
            assert (its.motor, its.spring, its.limits) == (mine.motor, mine.spring, mine.limits)
            assert (its.value, its.force) == (mine.value, mine.force)
    assert other.report == world.report and other.body("box 0").contact_wrench().any()
    assert other.body("box 0").shape.name == "crate"


def test_equal_parts_are_stored_once():
    sizes = []
    for n in (1, 20):
        world = World()
        for i in range(n):
            ball = Solid.sphere(0.05, subdivisions=4, name="ball")
            world.add_body(ball, pose=Pose((0.2 * i, 0.0, 0.0)))
        sizes.append(len(world.save()))
    assert sizes[1] < 1.2 * sizes[0]
    other = World.restore(world.save())
    assert len({id(body.shape) for body in other.bodies}) == 1


def painted(part, colour):
    """The same part in a colour."""
    return part.renamed(part.name)._with(colour=colour)


def test_what_is_known_of_parts_beyond_their_vertices_is_saved(tmp_path):
    """Surfaces, colours and origins were lost, and parts that differ in these alone became one."""
    ring = Solid.cylinder(0.05, 0.1, segments=24) - Solid.cylinder(0.02, 0.2, segments=24)
    ring.save(tmp_path / "ring.stl", unit="mm")
    loaded = Solid.load(tmp_path / "ring.stl", unit="mm", repair=True)
    red, blue = painted(Solid.cylinder(0.05, 0.1), (1.0, 0.0, 0.0)), painted(Solid.cylinder(0.05, 0.1), (0.0, 0.0, 1.0))
    assert len({part.digest for part in (red, blue, Solid.cylinder(0.05, 0.1), loaded)}) == 4
    world = World()
    for k, part in enumerate((red, blue, loaded, Solid.cylinder(0.05, 0.1), red)):
        world.add_body(part, f"part {k}", pose=Pose((k, 0.0, 0.0)))
    world.add_body(HalfSpace(offset=-5.0), "floor", fixed=True)
    world.add_body(Sphere(0.1), "ball", pose=Pose((-1.0, 0.0, 0.0)))
    other = World.restore(world.save())
    for body, copied in zip(world.bodies[:5], other.bodies[:5], strict=True):
        assert copied.shape.digest == body.shape.digest
        assert copied.shape.colour == body.shape.colour
        assert copied.shape.origin == body.shape.origin
        assert tuple(copied.shape.surfaces) == tuple(body.shape.surfaces)
        np.testing.assert_array_equal(copied.shape.surfaces.ids, body.shape.surfaces.ids)
    assert other.bodies[0].shape is other.bodies[4].shape is not other.bodies[3].shape
    assert other.save() == world.save()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda facts: facts[0].update(colour=[1.0, 0.0]), "colour has 2 entries, expected 3"),
        (lambda facts: facts[0].update(colour=["red", 0.0, 0.0]), "colour 0 is 'red', expected a number"),
        (lambda facts: facts[0]["surfaces"][0].update(kind="egg"), "no surface of kind 'egg'"),
        (lambda facts: facts[0]["surfaces"][0].update(radius=1e300), "reaches farther than"),
        (lambda facts: facts[0]["surfaces"].pop(), "surface 0 holds"),
        (lambda facts: facts[0].update(origin={"file": "a"}), "is not all of it"),
        (lambda facts: facts.clear(), "nothing about part 0"),
    ],
)
def test_forged_facts_are_refused(change, sentence):
    world = World()
    world.add_body(Solid.cylinder(0.05, 0.1), "part")
    sections = unpack(world.save(), VERSIONS)
    change(sections["facts"].data["facts"])
    with pytest.raises(InputError, match=sentence):
        World.restore(pack(sections.values()))


def test_snapshots_without_facts_are_read():
    world = World()
    world.add_body(Solid.cylinder(0.05, 0.1), "part")
    sections = unpack(world.save(), VERSIONS)
    del sections["facts"]
    assert len(World.restore(pack(sections.values())).bodies[0].shape.surfaces) == 0


def first_version(world):
    """A snapshot as it was written when hands held no points: seven columns of `hold`, and version 1."""
    sections = unpack(world.save(), VERSIONS)
    bodies = sections["bodies"]
    bodies.arrays["hold"], bodies.version = np.ascontiguousarray(bodies.arrays["hold"][:, :7]), 1
    return pack(sections.values())


def test_snapshots_of_the_first_version_are_read():
    world = World()
    for k in range(2):
        world.add_body(Solid.box(0.1), f"box {k}", pose=Pose((0.3 * k, 0.0, 0.0)))
    world.bodies[0].grab(Pose((0.0, 0.1, 0.2)), stiffness=50.0)
    world.step()
    other = World.restore(first_version(world))
    for _ in range(5):
        world.step()
        other.step()
    assert other._state.pose.tobytes() == world._state.pose.tobytes()
    assert unpack(other.save(), VERSIONS)["bodies"].version == 2


def test_a_hold_of_the_first_layout_in_a_later_version_is_refused():
    world = World()
    world.add_body(Solid.box(0.1), "box")
    sections = unpack(world.save(), VERSIONS)
    sections["bodies"].arrays["hold"] = np.zeros((1, 7))
    with pytest.raises(InputError, match="section 'bodies': hold"):
        World.restore(pack(sections.values()))


def test_an_empty_world_is_saved():
    assert World.restore(World(dt=0.01).save()).dt == 0.01


def test_everything_a_world_remembers_is_saved_or_found_again():
    """Whoever gives a World more to remember has to say here where it is kept."""
    options = {"_gravity", "_dt", "_contact_gap", "_method", "_level", "_threads", "_impacts", "_kinematic_overlaps"}
    options |= {"_started_apart"}
    found_again = {"_model", "_steppers", "_soft_steppers", "_region_watch"}
    assert set(vars(World())) == options | found_again | {"_now"}
    assert set(Moment._fields) == {
        "setup",
        "state",
        "contacts",
        "joints",
        "suspects",
        "time",
        "report",
        "events",
        "soft",
    }
    assert names_of(Setup) == {"laws", "specs", "numbers", "rules"}
    assert names_of(PairLaws) == {
        "friction",
        "restitution",
        "sliding",
        "gamma",
        "in_turn",
        "of_body",
        "pairs",
        "of_pair",
    }
    moving = {"kind", "pose", "twist", "wrench", "hold", "target"}
    assert names_of(State) == moving | {"applied", "acted", "gravity"}
    contacts = {"n", "next_label", "name", "place", "force", "friction", "extra", "acted", "gone"}
    assert names_of(ContactSet) == contacts | {"smallest_gap"}  # follows from places
    assert names_of(JointSet) == {"n", "next_id", "specs", *COLUMNS} | {"revision"}  # a count of changes
    spec = {"shape", "name", "kind", "mass", "centre", "inertia", "group", "locked", "drag"}
    assert names_of(BodySpec) == spec
    joint = {"type", "name", "body", "other", "reach", "coordinates", "per_unit", "contact"}
    assert names_of(JointSpec) == joint


def names_of(kind):
    return {field.name for field in fields(kind)}


# -- from strangers ----------------------------------------------------------------------------------------------------


def with_header(blob, change):
    """The blob with a change of its header, and a checksum that is right."""
    length = PREAMBLE.unpack_from(blob)[3]
    header = json.loads(blob[PREAMBLE.size : PREAMBLE.size + length])
    change(header["sections"])
    text = json.dumps(header).encode()
    text += b" " * (-(PREAMBLE.size + len(text)) % 64)
    return sealed(PREAMBLE.pack(MAGIC, 1, 0, len(text)) + text + blob[PREAMBLE.size + length :])


def sealed(blob):
    return blob[:12] + zlib.crc32(blob[16:]).to_bytes(4, "little") + blob[16:]


def opens_or_says_why(blob):
    try:
        world = World.restore(blob)
    except InputError as error:
        assert str(error).startswith("blob: ") and "\n" not in str(error)
        return False
    try:
        for _ in range(2):
            world.step()
    except InputError:  # bodies that overlap, or a gap that does not suit them
        pass
    return True


@pytest.fixture(scope="module")
def blob():
    world = mixed_world()
    world.run(0.2)
    return world.save()


def test_a_flipped_byte_or_a_cut_is_noticed(blob, rng):
    for _ in range(300):
        k = int(rng.integers(len(blob)))
        damaged = bytearray(blob)
        damaged[k] ^= int(rng.integers(1, 256))
        for broken in (bytes(damaged), blob[:k], blob + b"\0", blob[k:]):
            if broken != blob:
                with pytest.raises(InputError, match=r"^blob: "):
                    World.restore(broken)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_forged_bytes_give_a_sentence_or_a_world_that_steps(blob, rng):
    """With a checksum that is right, nothing but the checks of each number stands between the file and the kernels."""
    opened = 0
    for _ in range(250):
        forged = bytearray(blob)
        for k in rng.integers(PREAMBLE.size, len(blob), size=int(rng.integers(1, 4))):
            forged[k] ^= 1 << int(rng.integers(8))
        opened += opens_or_says_why(sealed(bytes(forged)))
    assert opened > 20


def test_forged_headers_give_a_sentence_or_a_world_that_steps(blob, rng):
    strange = [None, -1, 0, 1, 7, 2**31, 2**63, 1e308, -0.5, "", "x", [], {}, [1, 2], True, [[[]]], "\ud800"]

    def spoil(sections):
        node = sections
        for _ in range(int(rng.integers(1, 6))):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                return
            key = keys[int(rng.integers(len(keys)))]
            if not isinstance(node[key], dict | list) or rng.random() < 0.2:
                break
            node = node[key]
        else:
            return
        node[key] = strange[int(rng.integers(len(strange)))]

    for _ in range(400):
        opens_or_says_why(with_header(blob, spoil))


def test_forged_indices_are_refused(blob):
    """Each array of integers, set to numbers that lead out of every table."""
    sections = unpack(blob, VERSIONS)
    checked = 0
    for name, section in sections.items():
        for key, array in section.arrays.items():
            if array.dtype != np.int32 or not array.size or (name, key) == ("bodies", "group"):
                continue
            for value in (-7, 10**6, 2**31 - 1):
                forged = Section(name, section.data, {**section.arrays, key: np.full_like(array, value)})
                others = [each for each in sections.values() if each is not section]
                with pytest.raises(InputError, match=r"^blob: "):
                    World.restore(pack([*others, forged]))
                checked += 1
    assert checked > 40


def test_bodies_that_were_put_into_each_other_are_refused(blob):
    sections = unpack(blob, VERSIONS)
    bodies = sections["bodies"]
    pose = bodies.arrays["pose"].copy()
    pose[1, :3] = pose[2, :3]
    forged = Section("bodies", bodies.data, {**bodies.arrays, "pose": pose})
    with pytest.raises(InputError, match=r"^blob: bodies overlap or touch at the start: 'box 0' and 'box 1'"):
        World.restore(pack([*(each for each in sections.values() if each is not bodies), forged]))


def test_bodies_that_were_not_checked_yet_are_checked_by_the_next_step():
    world = World()
    for name in "ab":
        world.add_body(Solid.box(0.1), name)
    other = World.restore(world.save())
    with pytest.raises(abut.OverlapError):
        other.step()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(blob, value):
    sections = unpack(blob, VERSIONS)
    allowed = {"of_body", "of_pair", "lower", "upper"}
    for name, section in sections.items():
        for key, array in section.arrays.items():
            if array.dtype == np.float64 and array.size and key not in allowed:
                forged = Section(name, section.data, {**section.arrays, key: np.full_like(array, value)})
                with pytest.raises(InputError, match=r"^blob: "):
                    World.restore(pack([*(each for each in sections.values() if each is not section), forged]))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.update(cloth=dict(s["pairs"])), "it holds 'cloth' of version 1, and this abut reads none"),
        (
            lambda s: s["bodies"].update(version=9),
            "it holds 'bodies' of version 9, and this abut reads 2",
        ),
        (lambda s: s.pop("joints"), "there is no section 'joints'"),
        (lambda s: s["options"]["data"].update(method="magic"), "method: expected one of ncp"),
        (lambda s: s["options"]["data"].update(threads=10**6), "threads: expected at most 1024"),
        (lambda s: s["bodies"]["arrays"].update(pose=["f8", [2**30, 7], 0]), "pose lies outside of it"),
        (lambda s: s["bodies"]["arrays"].update(pose=["O", [1], 0]), "pose has no type, shape and place"),
        (lambda s: s["parts"]["data"]["parts"].clear(), "part holds"),
        (
            lambda s: [s["report"]["arrays"].update({str(i): ["u1", [4096], 0]}) for i in range(100)],
            "it uses some of its bytes twice",
        ),
    ],
)
def test_what_does_not_fit_is_named(blob, change, sentence):
    with pytest.raises(InputError, match=f"^blob: .*{sentence}"):
        World.restore(with_header(blob, change))


def test_sections_that_are_not_needed_are_left_out(blob):
    def add(sections):
        sections["camera"] = {"version": 3, "needed": False, "data": {}, "arrays": {}}
        del sections["report"]

    assert World.restore(with_header(blob, add)).time > 0.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (pickle.dumps({"a": 1}), "it is a pickle, as earlier versions of abut saved worlds, and may run code"),
        (b"", "expected what World.save returned"),
        (b"junk", "expected what World.save returned"),
        ("text", "expected the bytes that World.save returned, got str"),
        (None, "expected the bytes that World.save returned, got NoneType"),
        (PREAMBLE.pack(MAGIC, 2, 0, 0), "its format is 2, and this abut reads up to 1"),
        (sealed(PREAMBLE.pack(MAGIC, 1, 0, 2**60)), "it is cut off or damaged"),
        (sealed(PREAMBLE.pack(MAGIC, 1, 0, 200_000) + b"[" * 200_000), "its header cannot be read"),
        (sealed(PREAMBLE.pack(MAGIC, 1, 0, 15) + b'{"sections": 3}'), "its header cannot be read"),
    ],
)
def test_what_is_no_snapshot_is_refused_in_a_sentence(given, sentence):
    with pytest.raises(InputError, match=f"^blob: {sentence}"):
        World.restore(given)


def test_no_code_of_a_pickle_is_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return open, (str(tmp_path / "written"), "w")

    with pytest.raises(InputError, match="pickle"):
        World.restore(pickle.dumps(Evil()))
    assert not (tmp_path / "written").exists()


def test_saving_many_bodies_costs_little():
    """Beyond the parts, which are hashed once."""
    world = scenes.stack(n=20).world
    world.run(0.005)
    world.save()
    best = np.inf
    for _ in range(5):
        start = working_time()
        world.save()
        best = min(best, working_time() - start)
    assert best < 0.01 * pace()


def test_abut_names_exist():
    assert issubclass(abut.KinematicOverlapError, abut.InputError) and issubclass(abut.RunWarning, UserWarning)
