"""Deformable bodies in a world, by laws: momentum, energy, weight, friction, and an outside judge of overlap."""

import numpy as np
import pytest

import abut
from dynamics.soft.judge import overlapping

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0}


@pytest.fixture(scope="module")
def block():
    part = abut.Solid.box((0.1, 0.1, 0.06))
    with pytest.warns(abut.fem.MeshWarning):
        return part, abut.fem.TetMesh.from_solid(part, 0.03)


@pytest.fixture(scope="module")
def sphere():
    part = abut.Solid.sphere(0.1, segments=24)
    return part, abut.fem.TetMesh.from_solid(part, 0.04)


def add_block(world, block, pose, name="block", **how):
    part, mesh = block
    return world.add_deformable(mesh, name, surface=part, pose=pose, **{"damping": (0.0, 5e-3), **RUBBER, **how})


def on_floor(block, dt=5e-3, **how):
    world = abut.World(dt=dt, **how)
    world.add_body(abut.HalfSpace((0, 0, 1)), "floor", fixed=True)
    return world, add_block(world, block, abut.Pose((0, 0, 0.0302)))


def collide(sphere, friction=0.0, dt=5e-3, seconds=0.1):
    """Two spheres at 2 m/s, not quite head-on; what was seen at each step."""
    part, mesh = sphere
    world, d = abut.World(gravity=(0, 0, 0), dt=dt, friction=friction), 0.202
    for name, side in (("a", -1), ("b", 1)):
        pose = abut.Pose((side * d / 2, side * 0.01, 0))
        world.add_deformable(mesh, name, surface=part, pose=pose, velocity=(-side, 0, 0), **RUBBER)
    seen = [(world.energy, *world.momentum, 0)]
    for _ in range(round(seconds / dt)):
        report = world.step()
        assert report.time_given_up == 0.0 and overlapping(world) == []
        seen.append((world.energy, *world.momentum, report.contacts))
    return world, seen


@pytest.mark.parametrize("triangles", [[(0, 1, 2), (0, 2, 3)], [(0, 2, 1), (0, 3, 2)]])
def test_an_open_sheet_holds_a_block_on_either_side(block, triangles):
    world = abut.World(dt=5e-3)
    sheet = abut.Solid([(-0.2, -0.2, 0), (0.2, -0.2, 0), (0.2, 0.2, 0), (-0.2, 0.2, 0)], triangles)
    world.add_body(sheet, "sheet", fixed=True)
    body = add_block(world, block, abut.Pose((0, 0, 0.0302)))
    for _ in range(200):
        assert world.step().time_given_up == 0.0
    assert body.vertices[:, 2].min() > 0.0
    assert world.contacts["force"].sum() == pytest.approx(9.81 * body.mass, rel=2e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_free_collision_keeps_momentum_gains_no_energy_and_never_overlaps(sphere, friction):
    world, seen = collide(sphere, friction)
    mass_times_speed = world.deformables[0].mass * 1.0
    energy, linear, _, contacts = zip(*seen, strict=True)
    assert max(contacts) > 5, "they met"
    assert np.abs(np.array(linear) - linear[0]).max() < 1e-10 * mass_times_speed
    angular = np.array([row[2] for row in seen])
    assert np.abs(angular - angular[0]).max() < 1e-9 * mass_times_speed * 0.1, "of mass times speed times radius"
    assert np.diff(energy).max() < 1e-6 * energy[0], "energy never grows"
    assert world.deformables[0].velocities[:, 0].mean() < -0.5, "they bounce off by their own elasticity"
    assert world.deformables[0].inverted.size == 0


@pytest.mark.parametrize("theta", [0.55, 1.0])
def test_a_free_spin_keeps_its_angular_momentum(sphere, theta, monkeypatch):
    monkeypatch.setattr("abut.dynamics.soft.soft_stepper.THETA", theta)
    part, mesh = sphere
    world = abut.World(gravity=(0, 0, 0), dt=5e-3)
    ball = world.add_deformable(mesh, "ball", surface=part, **RUBBER)
    ball.velocities = np.cross((0.0, 0.0, 10.0), ball.nodes) + np.array((1.0, 0.0, 0.0))
    before, energy = world.momentum, world.energy
    for _ in range(100):
        world.step()
    assert np.abs(world.momentum[0] - before[0]).max() < 1e-12 * ball.mass
    assert world.momentum[1] == pytest.approx(before[1], abs=1e-10 * ball.mass)
    assert 0.97 * energy < world.energy < (1.0 + 1e-6) * energy


def test_contacts_name_features_and_push_both_ways(sphere):
    world, _ = collide(sphere, seconds=0.03)
    a, b = world.deformables
    contacts = world.contacts
    assert len(contacts) > 3 and (contacts["gap"] > 0).all() and (contacts["force"] >= 0).all()
    assert set(contacts["body_a"]) | set(contacts["body_b"]) == {a.index, b.index}
    assert len(set(contacts["label"])) == len(contacts)
    for row in contacts:
        if row["kind"] == "vertex-face":
            first, second = (a, b) if row["body_a"] == a.index else (b, a)
            way = first.vertices[row["entity_a"]] - second.vertices[second.triangles[row["entity_b"]]].mean(axis=0)
            assert row["entity_b"] >= 0 and np.linalg.norm(way) < 0.03
    toward = np.where(contacts["body_a"] == a.index, 1, -1) * contacts["normal"][:, 0]
    assert (toward * contacts["force"]).sum() > 0.95 * contacts["force"].sum(), "normals point from A to B"


def test_a_block_comes_to_rest_with_its_weight_on_the_floor(block):
    world, soft = on_floor(block)
    for _ in range(200):
        assert world.step().time_given_up == 0.0
    assert overlapping(world) == []
    assert world.contacts["force"].sum() == pytest.approx(9.81 * soft.mass, rel=2e-3)
    assert np.abs(soft.velocities).max() < 2e-3
    assert world.contacts["gap"].min() > 0 and world.contacts["gap"].max() < 2 * world.contact_gap


@pytest.mark.parametrize("slope", [0.42, 0.49, 0.51, 0.61])
def test_a_block_on_a_slope_holds_or_slides_at_tan_theta_equal_to_mu(block, slope):
    """mu = 0.5: it holds where tan theta is less, and slides where it is more, faster by g (sin - mu cos) a second."""
    mu, g, tilt = 0.5, 9.81, np.arctan(slope)
    gravity = (g * np.sin(tilt), 0, -g * np.cos(tilt))
    world, soft = on_floor(block, friction=mu, gravity=gravity)
    world.run(0.7)
    speed, place = soft.velocities[:, 0].mean(), soft.centre[0]
    world.run(0.8)
    if slope < mu:
        assert abs(soft.centre[0] - place) < 2e-5 and abs(soft.velocities[:, 0].mean()) < 1e-4
    else:
        gained = (soft.velocities[:, 0].mean() - speed) / 0.8
        assert gained == pytest.approx(g * (np.sin(tilt) - mu * np.cos(tilt)), rel=0.02)


def test_a_kinematic_ram_presses_a_block_against_a_fixed_plate(block):
    world = abut.World(dt=5e-3, friction=0.5, gravity=(0, 0, 0))
    world.add_body(abut.Solid.box((0.2, 0.2, 0.02)).translated((0, 0, -0.01)), "plate", fixed=True)
    ram = abut.Solid.box((0.05, 0.05, 0.05))
    world.add_body(ram, "ram", pose=abut.Pose((0, 0, 0.086)), kinematic=True, velocity=(0, 0, -0.2))
    soft = add_block(world, block, abut.Pose((0, 0, 0.0301)))
    for i in range(20):
        assert world.step().time_given_up == 0.0
        if i % 4 == 3:
            assert overlapping(world) == []
    contacts = world.contacts
    up = np.where(contacts["body_b"] == soft.index, 1, -1) * contacts["normal"][:, 2] * contacts["force"]
    assert up[up > 0].sum() == pytest.approx(-up[up < 0].sum(), rel=0.2), "plate and ram push against each other"
    assert soft.strain_energy > 1e-3 and soft.stress.max() > 1e3


def test_a_step_that_cannot_be_made_is_halved_and_what_is_given_up_is_told(block):
    """A kinematic ram presses a block flat: at last there is no motion without overlap, and the report says so."""
    world = abut.World(dt=5e-3, friction=0.3, gravity=(0, 0, 0))
    plate = abut.Solid.box((0.2, 0.2, 0.02))
    world.add_body(plate, "plate", pose=abut.Pose((0, 0, -0.0402)), fixed=True)
    ram = world.add_body(plate, "ram", pose=abut.Pose((0, 0, 0.0402)), kinematic=True, velocity=(0, 0, -1.0))
    add_block(world, block, abut.Pose())
    reports = []
    while world.time < 0.1 and not (reports and reports[-1].time_given_up):
        reports.append(world.step())
        assert overlapping(world) == []
    last, pressed = reports[-1], 0.0602 - 0.0302 - ram.pose.position[2]
    assert last.parts > 3 and last.gave_up == "no way" and 0.0 < last.time_given_up < world.dt
    assert pressed > 0.05, "it was nearly flat by then"
    assert world.time == pytest.approx(len(reports) * world.dt)
    assert ram.pose.position[2] + 0.03 > -0.0302 + 0.02, "what is given up the ram does not move"


def test_a_rigid_cube_rests_on_a_soft_block(block):
    world, soft = on_floor(block, friction=0.3)
    cube = world.add_body(abut.Solid.box(0.05), "cube", pose=abut.Pose((0, 0, 0.0605 + 0.026)), density=2000.0)
    for i in range(120):
        assert world.step().time_given_up == 0.0
        if i % 10 == 9:
            assert overlapping(world) == []
    contacts = world.contacts
    carried = contacts[(contacts["body_a"] == cube.index) | (contacts["body_b"] == cube.index)]["force"].sum()
    assert carried == pytest.approx(9.81 * cube.mass, rel=0.05)
    assert np.abs(cube.velocity).max() < 5e-3
    assert contacts["force"].sum() - carried == pytest.approx(9.81 * (cube.mass + soft.mass), rel=0.05)


def test_a_free_cube_and_a_soft_sphere_keep_their_momentum(sphere):
    part, mesh = sphere
    world = abut.World(dt=2e-3, gravity=(0, 0, 0))
    world.add_deformable(mesh, "soft", surface=part, velocity=(1, 0, 0), **RUBBER)
    cube = world.add_body(abut.Solid.box(0.1), "cube", pose=abut.Pose((0.152, 0.02, 0)), density=1000.0)
    before = world.momentum[0]
    for _ in range(40):
        assert world.step().time_given_up == 0.0
    assert overlapping(world) == []
    assert cube.velocity[0] > 0.5
    assert np.abs(world.momentum[0] - before).max() < 1e-9 * world.deformables[0].mass


@pytest.mark.parametrize("shape", [abut.Sphere(0.03), abut.Capsule(0.02, 0.04)], ids=lambda shape: shape.kind)
def test_round_bodies_fall_on_a_soft_block(block, shape):
    world, _ = on_floor(block)
    world.add_body(shape, "round", pose=abut.Pose.from_rotvec((0.005, 0, 0.0605 + 0.035), (1.5, 0, 0)), density=2000.0)
    for _ in range(24):
        assert world.step().time_given_up == 0.0
    assert overlapping(world) == []
    assert "round" in {world.bodies[i].name for i in world.contacts["body_b"] if i < 100} | {
        world.bodies[i].name for i in world.contacts["body_a"] if i < 100
    }


def test_a_skin_may_be_the_surface_of_the_cage(sphere):
    _, mesh = sphere
    world = abut.World()
    soft = world.add_deformable(mesh, **RUBBER)
    assert soft.name == "deformable 0" and len(soft.triangles) == len(mesh.boundary)
    before = soft.centre[2]
    world.step()
    assert soft.centre[2] < before


def test_nodes_and_velocities_can_be_set(sphere):
    part, mesh = sphere
    world = abut.World(gravity=(0, 0, 0))
    soft = world.add_deformable(mesh, "soft", surface=part, **RUBBER)
    soft.nodes = np.add(soft.nodes, (1.0, 0.0, 0.0))
    soft.velocities = np.tile((0.0, 2.0, 0.0), (len(soft.nodes), 1))
    before = soft.centre
    world.run(0.01)
    np.testing.assert_allclose(soft.centre - before, (0.0, 0.02, 0.0), atol=1e-9)
    assert soft.strain_energy < 1e-12
    with pytest.raises(abut.SettingError):
        soft.nodes[0] = 0.0


def test_bodies_that_begin_in_each_other_are_named(block):
    world, _ = on_floor(block)
    add_block(world, block, abut.Pose((0.05, 0, 0.05)), "other")
    with pytest.raises(abut.OverlapError, match=r"'block' and 'other'.* or attach nodes"):
        world.step()


def test_a_soft_body_is_not_one_of_the_rigid_ones(block):
    world, soft = on_floor(block)
    with pytest.raises(abut.InputError, match=r"there is no body 'block'.*; write world.deformable\('block'\)"):
        world.body("block")
    with pytest.raises(abut.InputError, match=r"expected a body of this world, got .*'block'.*; soft bodies are none"):
        world.remove_body(soft)


def test_a_rigid_body_cannot_have_the_name_of_a_soft_one(block):
    world, _ = on_floor(block)
    with pytest.raises(abut.InputError, match="there is a body 'block' already"):
        world.add_body(abut.Sphere(0.01), "block")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mesh": 1}, r"expected an abut.fem.TetMesh, got int"),
        ({"surface": 3}, "surface: expected a Solid, got int"),
        ({"poisson": 0.5}, "poisson"),
        ({"poisson": "0.4"}, "poisson: expected a number, got '0.4'"),
        ({"young": -1.0}, "young"),
        ({"young": "1e5"}, "young: expected a number, got '1e5'"),
        ({"density": "heavy"}, "density: expected a number, got 'heavy'"),
        ({"density": None}, "density: expected a number, got None"),
        ({"young": 100.0}, "young: 100 Pa is too soft: a part .* m high of this density presses on its foot"),
        ({"friction": -1.0}, "friction"),
        ({"name": "floor"}, "there is a body 'floor' already"),
        ({"surface": abut.Solid.box(5.0)}, "outside the cage"),
        ({"fixed_nodes": [10**6]}, "fixed_nodes"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_input_is_a_sentence(block, change, message):
    part, mesh = block
    world = abut.World()
    world.add_body(abut.HalfSpace((0, 0, 1)), "floor", fixed=True)
    with pytest.raises(abut.InputError, match=message):
        given = {"mesh": mesh, "name": "block", "surface": part, **RUBBER, **change}
        world.add_deformable(given.pop("mesh"), given.pop("name"), **given)


@pytest.mark.parametrize("method", ["event", "impulse"])
def test_methods_that_know_rigid_bodies_alone_say_so(block, method):
    with pytest.raises(abut.InputError, match=f"deformable 'block': method '{method}' knows rigid bodies alone"):
        add_block(abut.World(method=method), block, None)
    world, _ = on_floor(block)
    with pytest.raises(abut.InputError, match="take one of 'ncp', 'velocity', 'bilateral'"):
        world.method = method
    world.step()


@pytest.mark.parametrize("method", ["velocity", "bilateral"])
def test_rigid_bodies_beside_soft_ones_move_by_any_stepping_method(block, method):
    world, soft = on_floor(block, method=method)
    box = world.add_body(abut.Solid.box(0.04), "box", pose=abut.Pose((0, 0, 0.082)), mass=0.05)
    world.run(0.3)
    assert overlapping(world) == [] and soft.vertices[:, 2].min() > 0.0
    assert 0.07 < box.pose.position[2] < 0.0821
