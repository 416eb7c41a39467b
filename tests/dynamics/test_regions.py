"""Contact regions of a world: what they carry adds up, they last, and what becomes of them is told."""

import numpy as np
import pytest

import abut
from abut import Pose, Solid
from abut.dynamics.regions.region_watch import RegionWatch
from abut.dynamics.snapshots.archive import pack, unpack
from abut.dynamics.snapshots.snapshot import VERSIONS
from abut.scene import scenes
from abut.scene.parts import library


def world_with_floor(**options):
    world = abut.World(**options)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    return world


def sums(world):
    """(n_body, 6) what regions exert on bodies, about their centres of mass."""
    total = np.zeros((len(world.bodies), 6))
    for region in world.regions:
        for body, wrench in ((region.body_b, region.wrench), (region.body_a, region.wrench_a)):
            arm = region.centre - world._state.pose[body.index, :3]
            total[body.index] += np.concatenate((wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])))
    return total


def test_a_box_on_the_floor_is_one_region_that_carries_its_weight():
    world = world_with_floor()
    box = world.add_body(Solid.box((0.1, 0.2, 0.1), name="box"), "box", pose=Pose((0, 0, 0.05)), mass=3.0)
    assert (world.contacts["region"] == -1).all()
    world.run(0.05)
    assert world._region_watch is None and (world.contacts["region"] == -1).all()
    (region,) = world.regions
    assert (region.body_a.name, region.body_b.name, region.dim) == ("floor", "box", 2)
    assert region.body_b == box and region.feature_b.kind == "face"
    assert region.area == pytest.approx(0.02) and region.gap < world.contact_gap
    np.testing.assert_allclose(region.normal, (0, 0, 1))
    np.testing.assert_allclose(region.wrench, (0, 0, 3 * 9.81, 0, 0, 0), atol=1e-6)
    np.testing.assert_allclose(region.wrench_a[:3], -region.wrench[:3])
    np.testing.assert_allclose(region.centre_of_pressure, (0, 0, 0), atol=1e-5)
    assert (world.contacts["region"] == region.label).all() and len(world.contacts) == 4
    assert repr(region).startswith("floor / box: Region(2D, ")
    assert not region.sliding and len(region.loops) == 1


def test_the_centre_of_pressure_goes_to_where_it_is_pressed():
    world = world_with_floor()
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.05)), mass=1.0)
    world.run(0.02)
    for _ in range(20):
        box.apply_force((0, 0, -9.81), point=box.pose.apply((0.04, 0.0, 0.05)))
        world.step()
    (region,) = world.regions
    np.testing.assert_allclose(region.centre_of_pressure[:2], (0.02, 0), atol=1e-4)
    assert region.wrench[2] == pytest.approx(2 * 9.81, rel=1e-6)


SHAPES = (
    lambda: Solid.box((0.06, 0.05, 0.04)),
    lambda: Solid.cylinder(0.025, 0.05, segments=12),
    lambda: abut.Sphere(0.025),
    lambda: abut.Capsule(0.015, 0.04),
    lambda: Solid.sphere(0.03, subdivisions=1),
)


FAST = 4.0


@pytest.mark.parametrize(("seed", "speed"), [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (0, FAST), (2, FAST), (6, FAST)])
def test_what_regions_report_is_what_moved_the_bodies(seed, speed):
    """In every step of random piles with friction, impacts and several motions in a step."""
    rng = np.random.default_rng(seed)
    e, mu = ((0.0, 0.0), (0.5, 0.3), (0.0, 0.6), (0.8, 0.0))[seed % 4]
    world = world_with_floor(friction=mu, restitution=e, dt=2e-3 * speed)
    for k in range(8):
        place = (*rng.uniform(-0.05, 0.05, 2), 0.05 + 0.08 * k)
        pose = Pose(place, quat_wxyz=rng.normal(size=4))
        velocity = speed * rng.uniform(-1, 1, 3)
        world.add_body(SHAPES[k % len(SHAPES)](), f"body {k}", pose=pose, velocity=velocity, density=2000.0)
    mass = np.array([0.0, *(body.mass for body in world.bodies[1:])])
    acted = most = several = 0
    for _ in range(200):
        before = np.array([body.velocity for body in world.bodies])
        several += world.step().parts > 1
        total = sums(world)
        noted = world._now.contacts.wrenches(len(mass))
        np.testing.assert_allclose(total, noted, rtol=0, atol=1e-9 * (1 + np.abs(total).max()))
        gained = mass[:, None] * (np.array([body.velocity for body in world.bodies]) - before) / world.dt
        missing = gained - mass[:, None] * world.gravity - total[:, :3]
        moving = [i for i in range(1, len(mass)) if not any(world._state.acted[i].ravel())]
        assert np.abs(missing[moving]).max(initial=0.0) < 1e-7 * (1.0 + np.abs(gained).max())
        acted += np.abs(total).max() > 0
        most = max(most, len(world.regions))
    assert acted > 10 and most >= 2
    assert several > 2 or speed < FAST


def test_asking_changes_nothing_in_the_run():
    def run(asking):
        world = world_with_floor(friction=0.4)
        for k in range(3):
            pose = Pose((0.01 * k, 0, 0.06 + 0.11 * k))
            world.add_body(Solid.box(0.1), f"box {k}", pose=pose, angular_velocity=(0.5, 0.2 * k, 0))
        for _ in range(150):
            world.step()
            if asking:
                _ = world.regions, world.region_events
        sections = unpack(world.save(), VERSIONS)
        assert ("regions" in sections) == asking
        sections.pop("regions", None)
        return pack(sections.values())

    assert run(True) == run(False)


def test_a_box_that_slides_comes_to_rest():
    world = world_with_floor(friction=0.5)
    world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.05)), velocity=(0.5, 0, 0))
    told = []
    for _ in range(200):
        world.step()
        told += [(event.kind, event.body_a, event.body_b) for event in world.region_events]
        (region,) = world.regions
        if region.sliding:
            assert region.slip[0] > 0.0 and region.friction[0] < 0.0
    assert [kind for kind, *_ in told] == ["born", "slip", "stick"]
    assert told[0][1:] == ("floor", "box") and region.label == 0


def test_what_is_lifted_dies():
    world = world_with_floor()
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.05)), mass=1.0)
    world.run(0.05)
    assert [event.kind for event in world.region_events] == ["born"]
    told = []
    for _ in range(30):
        box.apply_force((0, 0, 30.0))
        world.step()
        told += [event.kind for event in world.region_events]
    assert told == ["died"] and len(world.regions) == 0


def test_a_world_asleep_keeps_its_regions_and_tells_nothing():
    world = world_with_floor(friction=0.5)
    world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.05)))
    world.run(0.3)
    first = world.regions
    world.step()
    assert world.regions is not first and world.region_events == []
    np.testing.assert_array_equal(world.regions.wrench, first.wrench)
    world.run(0.05)
    assert [r.label for r in world.regions] == [r.label for r in first]


def test_regions_of_an_earlier_step_stay_as_they_were():
    world = world_with_floor()
    world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.05)), velocity=(0.3, 0, 0))
    world.run(0.02)
    kept, centres = [], []
    for _ in range(12):
        world.step()
        kept.append(world.regions)
        centres.append(world.regions.centre.copy())
    for regions, centre in zip(kept, centres, strict=True):
        np.testing.assert_array_equal(regions.centre, centre)


def test_an_empty_world_has_no_regions():
    assert len(world_with_floor().regions) == 0
    world = abut.World()
    with pytest.raises(abut.InputError, match="the world is empty"):
        assert world.regions


def test_bodies_that_are_added_and_removed():
    world = world_with_floor()
    world.add_body(Solid.box(0.1), "low", pose=Pose((0, 0, 0.05)))
    world.run(0.02)
    (first,) = world.regions
    label = first.label
    high = world.add_body(Solid.box(0.08), "high", pose=Pose((0.01, 0, 0.141)))
    world.run(0.05)
    assert {r.label for r in world.regions} > {label} and len(world.regions) == 2
    world.remove_body(high)
    world.run(0.02)
    assert [r.label for r in world.regions] == [label]


@pytest.mark.parametrize(("hole", "facets"), [(48, 48), (24, 96), (96, 20), (64, 40)])
def test_a_shaft_in_a_bearing_is_one_region_with_the_weight_on_it(hole, facets):
    """However many facets or their edges touch: one group of two cylinders, with its extent and the force on it."""
    world = abut.World(dt=2e-3)
    profile = [(0.00505 / np.cos(np.pi / hole), -0.01), (0.02, -0.01), (0.02, 0.01)]
    hub = Solid.revolve([*profile, (profile[0][0], 0.01)], segments=hole)
    lying = Pose.from_rotvec((0, 0, 0), (np.pi / 2, 0, 0))
    world.add_body(hub, "hub", pose=lying, fixed=True)
    shaft = world.add_body(Solid.cylinder(0.005, 0.06, segments=facets), "shaft", pose=lying, mass=0.2)
    world.run(0.3)
    shaft.apply_force((0, 0, -10.0))
    before = shaft.velocity
    world.step()
    (fit,) = world.regions.by_surface()
    assert (fit.surface_a.kind, fit.surface_a.sense) == ("cylinder", "hole")
    assert (fit.surface_b.kind, fit.surface_b.sense) == ("cylinder", "shaft")
    gained = 0.2 * (shaft.velocity - before) / world.dt  # it may roll from facet to facet
    np.testing.assert_allclose(fit.wrench[:3] - gained, (0, 0, 0.2 * 9.81 + 10.0), atol=1e-6)
    assert fit.wrench[2] == pytest.approx(0.2 * 9.81 + 10.0, rel=0.01)
    assert len(fit.regions) == len(world.regions) >= 1
    assert fit.along[1] - fit.along[0] == pytest.approx(0.02, rel=1e-3) and 0.0 <= fit.around < np.pi


def sledge():
    """A block on two runners whose edges lie on the floor, along x."""
    block = Solid.box((0.1, 0.06, 0.02)).transformed(Pose((0, 0, 0.02)))
    runner = Solid.extrude([(0, 0), (0.01, 0.015), (-0.01, 0.015)], 0.1)
    turned = runner.transformed(Pose.from_rotvec((-0.05, 0, 0), (np.pi / 2, 0, 0)))
    turned = turned.transformed(Pose.from_rotvec((0, 0, 0), (0, 0, np.pi / 2)))
    low, high = turned.bounds
    turned = turned.translated((*(-0.5 * (low + high)[:2]), -low[2]))
    return block | turned.translated((0, 0.02, 0)) | turned.translated((0, -0.02, 0))


def test_edges_that_slide_along_a_face_are_lines_with_the_length_they_have_now():
    """Two runners slide over the end of a table: each line keeps its label and its face, and becomes shorter."""
    world = abut.World()
    world.add_body(Solid.box((0.3, 0.2, 0.1)), "table", pose=Pose((0, 0, -0.05)), fixed=True)
    body = world.add_body(sledge(), "sledge", pose=Pose((0.06, 0, 1e-5)), mass=1.0, velocity=(0.5, 0, 0))
    labels = set()
    for k in range(120):
        world.step()
        regions = world.regions
        if k > 5:
            assert [(r.dim, r.feature_a.kind, r.feature_b.kind) for r in regions] == [(1, "face", "edge")] * 2
            on_table = min(0.1, 0.15 - (body.pose.position[0] - 0.05))
            np.testing.assert_allclose(regions.length, on_table, atol=3 * world.contact_gap)
            np.testing.assert_allclose(np.sort(regions.centre[:, 1]), (-0.02, 0.02), atol=1e-5)
            assert regions.force.sum() == pytest.approx(9.81, rel=1e-3)
            labels.add(tuple(regions.label.tolist()))
    assert on_table < 0.08 and len(labels) == 1


def named(regions):
    """Regions by their bodies, features and dimensions."""
    return {(r.body_a.name, r.body_b.name, r.feature_a, r.feature_b, r.dim): r for r in regions}


@pytest.mark.parametrize("name", ["gears", "screwdriver", "peg_in_hole", "driver"])
def test_regions_that_stay_are_those_that_a_search_finds(name):
    """Beside a watch that knows the step before, but not by which triangles its regions could be known again."""
    scene = scenes.make(name)
    world, watch, most = scene.world, RegionWatch(), 0
    for _ in range(80):
        scene.step()
        kept, found = named(world.regions), named(watch.at(world, world._now))
        assert kept.keys() == found.keys()
        for key, region in kept.items():
            assert region.length == pytest.approx(found[key].length, rel=1e-6, abs=1e-9)
            np.testing.assert_allclose(region.wrench, found[key].wrench, rtol=1e-4, atol=1e-6)
        watch._now.found.witness[: len(found)] = -1
        most = max(most, len(kept))
    assert most > 0


# The scenes of the paper ---------------------------------------------------------------------------------------------


def fingers(friction=0.0):
    """A block that slides over four fingers."""
    world = abut.World(friction=friction)
    fit = library.fits()["block on fingers"]
    world.add_body(fit.fixed(), "support", fixed=True)
    return world, fit


def test_a_block_slides_over_four_fingers_without_bouncing():
    """Figure 8: corners come to the edges of fingers, where geometry alone gives no normal."""
    world, fit = fingers()
    start = fit.pose.position - (0.0, 0.0, 1e-3 - 2e-5)
    block = world.add_body(fit.moving(), "block", pose=Pose(start), velocity=(0.3, 0.0, 0.0))
    world.run(0.02)
    height = block.pose.position[2]
    kinds = set()
    for _ in range(150):
        world.step()
        assert abs(block.pose.position[2] - height) < world.contact_gap and abs(block.velocity[2]) < 1e-3
        assert block.velocity[0] == pytest.approx(0.3, abs=1e-6)
        kinds |= {(r.feature_a.kind, r.feature_b.kind) for r in world.regions}
        np.testing.assert_allclose(np.abs(world.regions.normal[:, 2]), 1.0, atol=1e-6)
    assert ("face", "face") in kinds


def test_without_coherence_the_normal_at_a_finger_leans_against_the_motion():
    support = Solid.box((0.02, 0.04, 0.1))
    corner = Solid(
        [(0, 0, 0), (0.02, 0.01, 0.02), (0.02, -0.01, 0.02), (0.02, 0, 0.03)],
        [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
    )
    on_face = abut.contact_regions(support, corner, X_b=Pose((0.005, 0, 0.05)))
    at_edge = Pose((0.01, 0, 0.05))
    (kept,) = abut.contact_regions(support, corner, X_b=at_edge, previous=on_face)
    (alone,) = abut.contact_regions(support, corner, X_b=at_edge)
    assert kept.feature_a.kind == alone.feature_a.kind == "edge"
    np.testing.assert_allclose(kept.normal, (0, 0, 1), atol=1e-9)
    assert alone.normal[0] > 0.3  # against a block that slides along -x


def feet_and_fingers():
    """A support of four fingers with square tops of 20 mm at height 0, and a block with feet in their middles."""
    fingers = [Solid.box((0.02, 0.02, 0.1)).translated((x, y, -0.05)) for x in (0, 0.06) for y in (0, 0.06)]
    foot = Solid(
        [(0, 0, 0), (0.01, 0.01, 0.02), (-0.01, 0.01, 0.02), (-0.01, -0.01, 0.02), (0.01, -0.01, 0.02)],
        [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3, 4]],
    )
    block = Solid.box((0.1, 0.1, 0.03)).translated((0.03, 0.03, 0.03))
    for x in (0, 0.06):
        for y in (0, 0.06):
            block = block | foot.translated((x, y, 0))
    support = Solid.box((0.2, 0.2, 0.02)).translated((0.03, 0.03, -0.1))
    for finger in fingers:
        support = support | finger
    return support, block


def feet_over_fingers(*, coherent):
    """Velocities of a block on four pointed feet that slides on four fingers, pushed by the normals of its regions."""
    support, block = feet_and_fingers()
    place, velocity, found, told = np.zeros(3), np.array((0.25, 0.0, 0.0)), None, []
    for k in range(60):
        if k == 40:  # the feet are at the edges: back again
            velocity = -velocity
        found = abut.contact_regions(support, block, X_b=Pose(place), previous=found if coherent else None)
        velocity = velocity - (0, 0, 9.81e-3)
        for region in list(found) * 20:
            velocity = velocity - min(0.0, velocity @ region.normal) * region.normal
        told.append(velocity)
        place = place + 1e-3 * velocity
    return np.array(told)


def test_a_block_on_four_fingers_bounces_where_coherence_is_switched_off():
    """Its feet come to the edges of the fingers, and go back: geometry alone has normals there that lean."""
    with_coherence, without = feet_over_fingers(coherent=True), feet_over_fingers(coherent=False)
    np.testing.assert_allclose(np.abs(with_coherence), np.broadcast_to((0.25, 0, 0), (60, 3)), atol=1e-9)
    assert np.abs(without[:40, 2]).max() < 1e-9 and without[40, 2] > 0.02


@pytest.mark.parametrize(("start", "speed"), [(0.0, 0.25), (0.00998, 0.002)])
def test_in_a_world_feet_slide_over_the_edges_of_fingers_and_are_not_pushed_back(start, speed):
    """At the edges, where geometry alone has normals that lean, those of the fingers' tops stay to the end."""
    world, (support, block) = abut.World(), feet_and_fingers()
    world.add_body(support, "support", fixed=True)
    body = world.add_body(block, "block", pose=Pose((start, 0, 2e-6)), mass=1.0, velocity=(speed, 0, 0))
    kinds, labels = set(), set()
    world.step()
    while regions := world.regions:
        np.testing.assert_allclose(body.velocity[:2], (speed, 0), atol=1e-9)
        assert abs(body.velocity[2]) < 3e-4
        np.testing.assert_allclose(regions.normal, [(0, 0, 1)] * 4, atol=1e-9)
        kinds |= {(r.dim, r.feature_a.kind, r.feature_b.kind) for r in regions}
        labels |= set(regions.label.tolist())
        world.step()
    assert kinds <= {(0, "face", "vertex"), (0, "edge", "vertex")} and labels == {0, 1, 2, 3}
    assert 0.01 < body.pose.position[0] < 0.011 and body.velocity[2] == pytest.approx(-9.81e-3, rel=1e-3)


def test_a_contact_breaks_by_force_or_by_sliding_off():
    """Figure 5: (a) the upper object is lifted, (b) it slides off an edge; nothing overlaps when that is done."""
    table = Solid.box((0.2, 0.2, 0.1))
    for pull, velocity in (((0, 0, 40.0), (0, 0, 0)), ((0, 0, 0), (1.5, 0, 0))):
        world = abut.World(dt=2e-3)
        world.add_body(table, "table", pose=Pose((0, 0, -0.05)), fixed=True)
        box = world.add_body(Solid.box(0.06), "box", pose=Pose((0.05, 0, 0.03)), mass=1.0, velocity=velocity)
        told = []
        for k in range(150):
            box.apply_force(pull if k > 20 else (0, 0, 0))
            report = world.step()
            told += [event.kind for event in world.region_events]
            assert report.smallest_gap > 0.0
        assert told[0] == "born" and "died" in told and len(world.regions) == 0


def stair():
    """A tread at height 0, from x = -0.2 to 0.1, and a riser at x = 0.1, in one part."""
    outline = [(-0.2, -0.05), (0.2, -0.05), (0.2, 0.03), (0.1, 0.03), (0.1, 0.0), (-0.2, 0.0)]
    part = Solid.extrude(outline, 0.2)
    return part.transformed(Pose.from_rotvec((0, 0.1, 0), (np.pi / 2, 0, 0)))


def kinds_of(world):
    """Regions by the direction of their normal: what lies on the tread, and what stands at the riser."""
    return {("riser" if abs(r.normal[0]) > 0.5 else "tread"): r for r in world.regions}


def test_a_contact_that_slides_runs_into_another():
    """Figure 6: what slides meets a step of what it slides on; a region is born beside the old one, which stays."""
    world = abut.World()
    world.add_body(stair(), "A", fixed=True)
    box = world.add_body(Solid.box(0.06), "B", pose=Pose((0, 0, 0.03001)), mass=1.0, velocity=(1.0, 0, 0))
    told, met = [], None
    for k in range(150):
        report = world.step()
        assert report.smallest_gap > 0.0
        told += [(k, event.kind, event.label) for event in world.region_events if event.kind in ("born", "died")]
        if met is None and "riser" in kinds_of(world):
            met, found = k, kinds_of(world)
            assert world.regions.adjacent == [(0, 1)] and len(world.regions) == 2
            assert (found["tread"].dim, found["riser"].dim) == (2, 2)
            assert found["riser"].area == pytest.approx(0.06 * 0.03, rel=1e-3)
            np.testing.assert_allclose(found["riser"].normal, (-1, 0, 0), atol=1e-9)
            np.testing.assert_allclose(box.pose.position[0], 0.07, atol=1e-4)
            assert found["riser"].wrench[0] < 0.0 < found["tread"].wrench[2]
    # The corner that slid on the tread is at the riser: one collision, at the time it takes, and no other.
    tread, riser = (label for _, kind, label in told if kind == "born")
    assert met == pytest.approx(70, abs=2) and told[0][1:] == ("born", tread)
    assert (met, "born", riser) in told and tread not in [label for _, kind, label in told if kind == "died"]
    assert np.abs(box.velocity).max() < 1e-6


@pytest.mark.parametrize("along", [0.0, 0.2])
def test_between_two_regions_that_share_an_edge_there_is_a_gap_and_no_collision(along):
    """Figures 4, 10 and 11: where the paper lets bodies reach into each other, they are half to one gap apart."""
    world = abut.World()
    world.add_body(stair(), "corner", fixed=True)
    start = Pose((0.07 - 2e-5, -0.05, 0.03002))
    box = world.add_body(Solid.box(0.06), "box", pose=start, mass=1.0, velocity=(0, along, 0))
    labels, events = set(), []
    for k in range(200):
        box.apply_force((5.0, 0, 0))
        report = world.step()
        if k < 40:  # it comes to lie on one and to lean on the other
            continue
        found = kinds_of(world)
        assert world.regions.adjacent == [(0, 1)] and len(world.regions) == 2
        assert 0.5 * world.contact_gap < report.smallest_gap
        assert max(region.gap for region in world.regions) < world.contact_gap
        np.testing.assert_allclose(box.velocity, (0, along, 0), atol=1e-6)
        np.testing.assert_allclose(found["tread"].wrench[:3], (0, 0, 9.81), atol=1e-3)
        np.testing.assert_allclose(found["riser"].wrench[:3], (-5.0, 0, 0), atol=1e-3)
        labels.add((found["tread"].label, found["riser"].label))
        events += [event.kind for event in world.region_events if event.kind in ("born", "died")]
    assert len(labels) == 1 and events == ["born"] * 2


def test_when_a_point_of_support_breaks_others_take_its_place():
    """Figure 7: a block slides over the end of a table; its region shrinks, with other points, and keeps its label."""
    world = abut.World()
    world.add_body(Solid.box((0.2, 0.2, 0.1)), "table", pose=Pose((0, 0, -0.05)), fixed=True)
    world.add_body(Solid.box((0.1, 0.1, 0.02)), "block", pose=Pose((0.04, 0, 0.01)), velocity=(0.3, 0, 0))
    areas, changed, points = [], 0, []
    for _ in range(120):
        world.step()
        (region,) = world.regions
        areas.append(region.area)
        changed += any(event.kind == "changed" for event in world.region_events)
        if not points or points[-1] != set(region.point_labels.tolist()):
            points.append(set(region.point_labels.tolist()))
    assert region.label == 0 and 1 <= changed <= 3
    # The two in front break; where the end of the table is, two new ones take their place; those behind stay.
    assert [len(labels) for labels in points] == [4] * len(points)
    assert len(points[0] & points[-1]) == 2 and min(points[-1] - points[0]) > max(points[0])
    behind = region.points_b[np.isin(region.point_labels, list(points[0]))]
    assert (behind[:, 0] < world.body("block").pose.position[0]).all()
    assert areas[-1] < 0.8 * areas[0] == pytest.approx(0.8 * 0.01)
    end = 0.1 - (0.04 + 0.3 * 0.12 - 0.05)
    assert areas[-1] == pytest.approx(0.1 * end, rel=0.02)
    assert region.wrench[2] == pytest.approx(0.2e-3 * 1000 * 9.81, rel=1e-3)


def test_two_rings_slide_along_each_other():
    """Figure 2: the upper ring is held, the lower one slides in it; each region has a point and a normal."""
    fit = library.fits()["rings"]
    world = abut.World(dt=2e-3)
    world.add_body(fit.fixed(), "held", fixed=True, pose=Pose.from_rotvec((0, 0, 0), (0, np.pi / 2, 0)))
    hanging = Pose.from_rotvec((0, 0, 0), (0, np.pi / 2, 0)) @ fit.pose
    world.add_body(fit.moving(), "ring", pose=hanging, velocity=(0, 0.2, 0))
    touched = 0
    for _ in range(250):
        world.step()
        regions = world.regions
        touched += len(regions) > 0
        for region in regions:
            assert abs(np.linalg.norm(region.normal) - 1.0) < 1e-9 and len(region.points_a) > region.dim
        np.testing.assert_allclose(sums(world), world._now.contacts.wrenches(2), atol=1e-9 * (1 + regions.force.sum()))
    assert touched > 50


def told(world):
    """All that a world says of its regions, with what became of them."""
    rows = [
        (r.label, r.dim, r.feature_a, r.feature_b, r.wrench.tolist(), r.sliding, r.point_labels.tolist(), r.area)
        for r in world.regions
    ]
    return rows, world.region_events, world.contacts["region"].tolist()


def moving_world():
    """A box that slides over another, a ball, a tilted block that falls over: regions come, change and go."""
    world = world_with_floor(friction=0.2)
    world.add_body(Solid.box((0.1, 0.1, 0.02)), "low", pose=Pose((0, 0, 0.01)), mass=2.0)
    world.add_body(Solid.box(0.03), "high", pose=Pose((0.0, 0, 0.035)), mass=0.2, velocity=(0.5, 0.1, 0))
    world.add_body(Solid.cylinder(0.02, 0.05, segments=12), "can", pose=Pose((0.2, 0, 0.03)), velocity=(0.2, 0, 0))
    world.add_body(abut.Sphere(0.02), "ball", pose=Pose((-0.2, 0, 0.021)), mass=0.1, velocity=(0.3, 0, 0))
    return world


@pytest.mark.parametrize("asked", ["each step", "earlier", "without measures"])
def test_a_restored_world_goes_on_with_the_same_labels_and_events(asked):
    world = moving_world()
    for k in range(60):
        world.step()
        if asked != "earlier" or k < 50:
            _ = told(world) if asked == "each step" else len(world.regions)
    other = abut.World.restore(world.save())
    if asked != "earlier":
        assert [r.label for r in other.regions] == [r.label for r in world.regions]
        assert other.contacts["region"].tolist() == world.contacts["region"].tolist()
        np.testing.assert_array_equal(other.regions.wrench, world.regions.wrench)
    kinds = set()
    for _ in range(150):
        world.step()
        other.step()
        mine, its = told(world), told(other)
        assert its == mine
        kinds |= {event.kind for event in mine[1]}
    assert kinds >= {"born", "died", "changed", "slip"}


def test_a_snapshot_without_regions_begins_anew_and_one_that_was_spoilt_is_refused():
    world = moving_world()
    world.run(0.05)
    assert "regions" not in unpack(world.save(), VERSIONS)
    assert abut.World.restore(world.save())._region_watch is None
    _ = told(world)
    for name, fault in (
        ("name", "features that the parts do not have"),
        ("pair_start", "divide"),
        ("region", "region"),
    ):
        sections = unpack(world.save(), VERSIONS)
        sections["regions"].arrays[name] = sections["regions"].arrays[name] + np.int32(1000)
        with pytest.raises(abut.InputError, match=fault):
            abut.World.restore(pack(sections.values()))


@pytest.mark.parametrize("segments", [4, 8, 256])
def test_a_disc_slides_on_a_few_contacts_and_as_flat_however_many_corners_it_has(segments):
    world = abut.World(friction=0.3)
    world.add_body(Solid.box((0.4, 0.4, 0.02)), "plate", fixed=True)
    disc = Solid.cylinder(0.05, 0.04, segments=segments)
    body = world.add_body(disc, "disc", pose=Pose((0, 0, 0.03001)), mass=1.0, velocity=(0.2, 0.05, 0))
    for k in range(120):
        world.step()
        if k > 20:
            assert len(world.contacts) <= 6
            assert np.linalg.norm(body.pose.rotvec[:2]) < 1e-6
    (region,) = world.regions
    area = 0.5 * segments * 0.05**2 * np.sin(2 * np.pi / segments)
    assert region.area == pytest.approx(area, rel=1e-6) and len(region.points_a) == segments
    assert region.force == pytest.approx(9.81, rel=1e-6)
