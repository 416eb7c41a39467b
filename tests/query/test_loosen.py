"""Loosening: closed forms, the linear programme against brute force, then assemblies from files."""

import itertools

import numpy as np
import pytest

import abut
from abut import Pose, Solid, World
from abut.geometry.making.inset import inset_solid, with_all_surfaces
from abut.query.clearance.loosen import least_insets

pytestmark = pytest.mark.needs_jit

BOX = Solid.box(0.1, name="box")


def fit(gap=0.0, n=64, turn=0.0):
    """A shaft in a plate's hole that is wider by `gap` [m] all around."""
    shaft = Solid.cylinder(5e-3, 0.012, segments=n, name="shaft")
    ring = [(5e-3 + gap, -5e-3), (0.02, -5e-3), (0.02, 5e-3), (5e-3 + gap, 5e-3)]
    return [
        ("shaft", shaft, Pose.from_rotvec((0, 0, 0), (0, 0, turn))),
        ("plate", Solid.revolve(ring, segments=n, name="plate")),
    ]


def gaps(parts):
    return {
        (a.name, b.name): abut.distance(a.solid, b.solid, a.pose, b.pose).lower
        for a, b in itertools.combinations(parts, 2)
    }


@pytest.mark.parametrize(
    ("surface", "inset", "volume"),
    [
        pytest.param(("plane", None), 1e-3, 0.1**2 * 0.099, id="one side of a box"),
        pytest.param(("every", None), 1e-3, 0.098**3, id="all sides"),
    ],
)
def test_insets_of_a_box(surface, inset, volume):
    rows = BOX.surfaces.find("plane") if surface[0] == "every" else BOX.surfaces.find("plane")[:1]
    thinner = inset_solid(BOX, dict.fromkeys(rows, inset))
    assert thinner.volume == pytest.approx(volume, rel=1e-12) and thinner.problems() == []
    for row in rows:
        corners = thinner.vertices[thinner.triangles[thinner.surfaces.triangles(row)]].reshape(-1, 3)
        np.testing.assert_allclose(thinner.surfaces[row].height(corners), 0.0, atol=1e-15)


@pytest.mark.parametrize("inset", [1e-6, 2e-4])
def test_insets_of_round_surfaces_change_their_radius(inset):
    (_, shaft, _), (_, plate) = fit()
    for part, sense, radius in ((shaft, "shaft", 5e-3 - inset), (plate, "hole", 5e-3 + inset)):
        (row,) = part.surfaces.find("cylinder", sense=sense)
        moved = inset_solid(part, {row: inset})
        corners = moved.vertices[moved.triangles[moved.surfaces.triangles(row)]].reshape(-1, 3)
        np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 1]), radius, rtol=1e-12)
        assert moved.surfaces[row].radius == pytest.approx(radius) and moved.closed and moved.problems() == []


def test_faces_of_a_mesh_are_planes():
    mesh = with_all_surfaces(Solid(BOX.vertices, BOX.triangles))
    assert len(mesh.surfaces) == 6 and (mesh.surfaces.ids >= 0).all()
    half = BOX - BOX.translated((0.05, 0, 0))
    assert with_all_surfaces(BOX) is BOX and len(with_all_surfaces(half).surfaces) == 6


def test_the_largest_inset_is_the_least_possible_and_then_the_sum(rng):
    """Brute force over a grid of insets, in units of a micrometre."""
    for _ in range(20):
        pairs = [tuple(rng.choice(4, 2, replace=False)) for _ in range(4)]
        rows = [((0, int(a)), (0, int(b)), 1e-6 * int(rng.integers(1, 7))) for a, b in pairs]
        found = least_insets(rows, 1e-3)
        used = sorted(found)
        grid = np.array(list(itertools.product(np.arange(0, 6.5, 0.5), repeat=len(used))))
        at = {surface: k for k, surface in enumerate(used)}
        holds = np.all([grid[:, at[a]] + grid[:, at[b]] >= 1e6 * way - 1e-9 for a, b, way in rows], axis=0)
        best = grid[holds][:, :].max(axis=1).min()
        total = grid[holds & (grid.max(axis=1) <= best + 1e-9)].sum(axis=1).min()
        x = 1e6 * np.array([found[surface] for surface in used])
        assert x.max() == pytest.approx(best, abs=1e-6) and x.sum() <= total + 1e-6
        assert all(found[a] + found[b] >= way * (1.0 - 1e-9) for a, b, way in rows)


def test_boxes_that_touch_give_way_half_each():
    free = abut.loosen([("a", BOX), ("b", Solid.box(0.1), Pose((0.1, 0, 0)))])
    assert free.gap == pytest.approx(4e-5 * 0.1 * np.sqrt(3)) and free.left == ()
    assert gaps(free)["a", "b"] >= free.gap and free.largest == pytest.approx(0.5 * free.gap, rel=0.03)
    assert free.volume_change == pytest.approx(-0.01 * sum(inset.distance for inset in free.insets), rel=1e-3)


def test_a_shaft_in_a_hole_of_its_diameter_is_freed_whichever_way_it_is_turned():
    chord = 5e-3 * (1.0 - np.cos(np.pi / 64))
    for turn in (0.0, 0.02, np.pi / 64):
        free = abut.loosen(fit(turn=turn), gap=1e-6)
        assert free.left == () and gaps(free)["shaft", "plate"] >= 1e-6
        assert {inset.kind for inset in free.insets} == {"cylinder"}
        assert free.largest == pytest.approx(0.5 * (chord + 1e-6), rel=0.03)
        assert all(part.solid.problems() == [] for part in free)
        freed = abut.clearance(free.parts)
        assert freed.counts["overlapping"] == 0 and freed.pairs[0].distance >= 1e-6


def test_instances_of_one_part_stay_alike_and_the_rest_is_untouched():
    parts = [("plate", BOX), *((f"pin_{k}", Solid.box(0.02), Pose((0.02 * k, 0, 0.06))) for k in range(1))]
    pin = Solid.box(0.02)
    parts = [("plate", BOX), ("pin_1", pin, Pose((0.02, 0, 0.06))), ("pin_2", pin, Pose((-0.02, 0, 0.06)))]
    parts.append(("far", Solid.box(0.03), Pose((1, 0, 0))))
    free = abut.loosen(parts)
    by_name = {part.name: part for part in free}
    assert by_name["pin_1"].solid is by_name["pin_2"].solid and by_name["far"].solid is parts[3][1]
    assert min(gaps(free).values()) >= free.gap


def test_what_is_deeper_than_the_limit_is_listed_and_left_as_drawn():
    pin = Solid.box(0.02)
    parts = [("plate", BOX), ("deep", pin, Pose((0.0, 0, 0.0595))), ("flush", Solid.box(0.03), Pose((0.065, 0, 0)))]
    free = abut.loosen(parts)
    (left,) = free.left
    assert {left.a, left.b} == {"plate", "deep"} and left.depth == pytest.approx(5e-4, rel=1e-6)
    assert str(left) == "'plate' and 'deep' (0.5 mm deep)"
    assert gaps(free)["plate", "flush"] >= free.gap and free.parts[1].solid is pin
    assert "1 pairs left" in repr(free)


def test_touching_without_mates_is_measured():
    """A box that stands on its edge, and one that leans with a corner on it."""
    tilted = Solid.box(0.05).transformed(Pose.from_rotvec((0, 0, 0), (np.pi / 4, 0, 0)))
    low = -tilted.bounds[0, 2]
    parts = [("floor", Solid.box((0.2, 0.2, 0.02))), ("edge", tilted, Pose((0, 0, 0.01 + low)))]
    free = abut.loosen(parts)
    assert free.left == () and gaps(free)["floor", "edge"] >= free.gap and free.largest <= 5.0 * free.gap


def test_an_assembly_from_a_file_starts_as_drawn(shared_data):
    parts = abut.load_assembly(shared_data("cad-step") / "dm1-id-214.stp")
    free = abut.loosen(parts)
    assert free.left == () and free.largest < 5e-6 and min(gaps(free).values()) >= free.gap
    world = World(dt=1e-3)
    for part in free:
        kind = {"fixed": True} if part.name.startswith("l-bracket") else {"density": 7850.0}
        world.add_body(part.solid, part.name, pose=part.pose, **kind)
    assert free.gap >= 2.0 * world.contact_gap * 0.99
    world.step()


def test_true_interferences_of_a_file_are_named(shared_data):
    free = abut.loosen(abut.load_assembly(shared_data("cad-step") / "box_sides.STEP"))
    assert len(free.left) == 8
    assert [one.depth for one in free.left] == pytest.approx([190.5e-6] * 8, rel=1e-6)
    left = {frozenset((one.a, one.b)) for one in free.left}
    assert min(gap for pair, gap in gaps(free).items() if frozenset(pair) not in left) >= free.gap


def test_copies_open_shells_and_single_parts_are_named():
    (left,) = abut.loosen([("a", BOX), ("b", BOX)]).left
    assert (left.a, left.b) == ("a", "b")
    lid = Solid(BOX.vertices, BOX.triangles[:-1])
    free = abut.loosen([("lid", lid), ("box", BOX, Pose((0.3, 0, 0)))])
    assert any("'lid' is not closed" in note for note in free.notes)
    assert abut.loosen([BOX]).notes == ("'box' is the only part: there is nothing to set free",)


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        ([], {}, "parts: expected parts, got none"),
        ([BOX], {"limit": 0.0}, "limit: expected a number greater than 0"),
        ([BOX], {"gap": -1.0}, "gap: expected a number greater than 0"),
        ([BOX], {"limit": 1e-7}, "limit: expected at least 3.46 µm, half of the gap of 6.93 µm that is to be left"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(parts, options, message):
    with pytest.raises(abut.InputError, match=message):
        abut.loosen(parts, **options)
