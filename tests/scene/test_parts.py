"""The part library: every part is a sound solid of the right size, and what belongs together fits."""

import inspect
from itertools import pairwise
from math import cos, pi, radians, sqrt, tan

import numpy as np
import pytest
from torture.clock import pace, working_time

from abut import EdgeKind, InputError, Pose, Solid, parts
from abut.geometry.making.thread import coarse_pitch
from geometry.surfaces import clearance, crossings, gap, overlap, polygon_factor

NAMES = sorted(parts.catalogue())
GENUS = {
    "hole_plate": 1, "countersunk_plate": 1, "ring": 1, "chain_link": 1, "hex_nut": 1, "gear": 1, "radio_console": 1,
    "l_bracket": 2, "screw_block": 1,
}  # fmt: skip


def circle(diameter, segments):
    """Area of the polygon inside a circle."""
    return pi / 4 * diameter**2 * polygon_factor(segments)


def hole(diameter, segments):
    """Area of the polygon around a circle."""
    return circle(diameter / cos(pi / segments), segments)


VOLUMES = {
    "peg": circle(0.05, 64) * 0.1,
    "hole_plate": (0.01 - hole(0.05005, 64)) * 0.08,
    "ring": 2 * pi**2 * 0.05 * 0.008**2 * polygon_factor(48) * polygon_factor(16),
    "finger_support": 0.144 * 0.06 * 0.01 + 4 * 0.012 * 0.06 * 0.03,
    "sliding_block": 0.1 * 0.05 * 0.03,
    "runway": 120 * 45 * 0.5,
    "thin_plate": 0.2 * 0.2 * 5e-4,
    "stack_box": 1e-3,
    "l_bracket": (2 * 0.06 - 0.005) * 0.005 * 0.04 - 2 * 0.005 * hole(0.0066, 24),
    "voussoir": 0.3 * 0.5 * np.sin(pi / 9) * (1.25**2 - 1),
}
BOUNDS = {  # [m^3] between what surely fits inside and what surely holds the part
    "countersunk_bolt": (circle(0.008, 32) * 0.035, circle(0.008, 32) * 0.04 + pi / 3 * 0.009**2 * 0.009),
    "countersunk_plate": (0.05**2 * 0.02 - pi * 0.009**2 * 0.005 - pi * 0.0042**2 * 0.02, 0.05**2 * 0.02),
    "cross_recess_screw": (circle(0.004, 24) * 0.009, circle(0.0084, 24) * 0.0027 + circle(0.004, 24) * 0.0094),
    "cross_recess_driver": (circle(0.006, 20) * 0.026, circle(0.006, 20) * 0.0327),
    "screw_block": (0.02**2 * 0.014 - hole(0.0085, 25) * 0.00276 - hole(0.00406, 25) * 0.01124, 0.02**2 * 0.014),
    "chain_link": (circle(0.008, 12) * 0.078, circle(0.008, 12) * (2 * pi * 0.0095 + 4 * 0.0065)),
    "hex_bolt": (0.0125 * 0.8 * 0.03**2 + circle(0.0172, 32) * 0.06, 0.0125 * 0.87 * 0.03**2 + circle(0.02, 32) * 0.06),
    "hex_nut": (0.018 * (0.83 * 0.03**2 - pi * 0.0102**2), 0.018 * (0.867 * 0.03**2 - pi * 0.0086**2)),
    "gear": (0.015 * (circle(0.035, 99) - hole(0.01, 32)), 0.015 * (circle(0.044, 99) - hole(0.01, 32))),
    "car_radio": (0.178 * 0.05 * 0.15, 0.178 * 0.05 * 0.16 + 0.188 * 0.058 * 0.022),
    "radio_console": (0.24 * 0.11 * 0.18 - 0.184 * 0.056 * 0.18, 0.24 * 0.11 * 0.18 - 0.172 * 0.05 * 0.16),
    "aircraft": (pi * 1.9**2 * 18, pi * 1.975**2 * 37.57 + 60),
}


@pytest.fixture(scope="module")
def library():
    return {name: parts.make(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_volume(library, name):
    """A closed form of the polyhedron where there is one, else bounds."""
    if name in VOLUMES:
        assert library[name].volume == pytest.approx(VOLUMES[name], rel=1e-12)
    else:
        low, high = BOUNDS[name]
        assert low < library[name].volume < high


@pytest.mark.parametrize("name", NAMES)
def test_every_part_is_one_sound_solid(library, name):
    part = library[name]
    assert part.closed and part.name and len(part.shells.closed) == 1 and part.volume > 0
    assert part.genus == GENUS.get(name, 0)
    assert part.edges.count(EdgeKind.BOUNDARY) == part.edges.count(EdgeKind.NON_MANIFOLD) == 0
    assert np.abs(part.edges.dihedral).max() < radians(179.0), "no folds"
    assert crossings(part) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_slivers(library, name):
    """No edge shorter than a two-thousandth of the part: contact would have to resolve it."""
    part = library[name]
    lengths = np.linalg.norm(np.diff(part.vertices[part.edges.vertices], axis=1)[:, 0], axis=1)
    assert lengths.min() > 5e-4 * np.linalg.norm(part.extents)


def test_the_check_sees_a_part_that_runs_through_itself():
    a, b = Solid.box(1.0), Solid.box(1.0).translated((0.6, 0.3, 0.2))
    both = Solid(np.concatenate((a.vertices, b.vertices)), np.concatenate((a.triangles, b.triangles + 8)))
    assert len(crossings(both)) > 4


def test_sizes_of_the_standards(library):
    extents = {name: 1e3 * library[name].extents for name in NAMES}
    assert extents["hex_bolt"][1:] == pytest.approx((30.0, 60.0 + 12.5))
    assert extents["hex_nut"] == pytest.approx((30.0 / cos(pi / 6), 30.0, 18.0))
    assert extents["car_radio"][[0, 2]] == pytest.approx((188.0, 58.0))
    assert extents["countersunk_bolt"][2] == pytest.approx(40.0)
    assert extents["chain_link"] == pytest.approx((24.0 + 16.0, 27.0, 8.0))
    assert extents["aircraft"] == pytest.approx((37570.0, 34100.0, 11760.0))
    assert extents["gear"][2] == pytest.approx(15.0)


@pytest.mark.parametrize("name", parts.fits())
def test_what_belongs_together_fits(name):
    fit = parts.fits()[name]
    found = clearance(fit.moving().transformed(fit.pose), fit.fixed(), 1.5 * fit.gap)
    assert fit.gap * (1 - 1e-9) <= found <= 1.5 * fit.gap


@pytest.mark.parametrize("play", [1e-5, 2e-4])
@pytest.mark.parametrize("turn", [0.0, 0.02, 0.0491, 0.3])
def test_a_peg_has_its_clearance_at_every_angle(play, turn):
    """Half the clearance when centred; smallest where a corner of the peg faces the middle of a side."""
    peg = parts.peg(segments=64).transformed(Pose.from_rotvec((0, 0, -0.01), (0, 0, turn)))
    found = clearance(peg, parts.hole_plate(clearance=play, segments=64), 1e-3)
    sagitta = 0.025 * (1 - cos(pi / 64))
    assert 0.5 * play * (1 - 1e-9) <= found <= 0.5 * play + 2 * sagitta


def test_chamfered_peg_and_hole():
    peg, plate = parts.peg(chamfer=0.002), parts.hole_plate(chamfer=0.003)
    assert peg.closed and plate.closed and plate.genus == 1
    # 3 mm off to the side the peg can still enter the mouth.
    entering = peg.translated((0.0045, 0.0, 0.0795))
    assert overlap(entering, plate) == 0.0


@pytest.mark.parametrize("size", ["M3", "M8", "M20"])
def test_a_countersunk_bolt_seats_on_its_cone(size):
    play = 4e-5
    bolt = parts.countersunk_bolt(size, 0.06)
    plate = parts.countersunk_plate(size, play, plate=(0.06, 0.06, 0.03))
    sink = play * sqrt(2.0)
    for share in (0.0, 0.5, 0.99):
        found = clearance(bolt.translated((0, 0, -share * sink)), plate, 2 * play)
        assert found == pytest.approx((1 - share) * play, rel=1e-6)
    assert overlap(bolt.translated((0, 0, -1.05 * sink)), plate) > 0.0


@pytest.mark.parametrize("size", ["PH1", "PH2"])
def test_a_driver_seats_on_the_bottom_of_its_recess(size):
    play = 2e-5
    screw, driver = parts.cross_recess_screw(size), parts.cross_recess_driver(size, play)
    seat = play / cos(radians(28.0))
    for share in (0.0, 0.5, 0.99):
        found = clearance(driver.translated((0, 0, -share * seat)), screw, 2 * play)
        assert found == pytest.approx((1 - share) * play, rel=1e-6)
    assert overlap(driver.translated((0, 0, -1.05 * seat)), screw) > 0.0


@pytest.mark.parametrize(("size", "turn"), [("PH1", 0.0), ("PH2", 0.0), ("PH2", 0.1), ("PH2", 0.77)])
def test_a_screw_seats_in_its_block_alike_at_every_angle(size, turn):
    play = 4e-5
    screw, block = parts.cross_recess_screw(size), parts.screw_block(size, play)
    turned = screw.transformed(Pose.from_rotvec((0, 0, 0), (0, 0, turn)))
    assert play * (1 - 1e-9) < clearance(turned, block, 2 * play) < 1.02 * play
    assert overlap(turned.translated((0, 0, -1.05 * sqrt(2.0) * play)), block) > 0.0


@pytest.mark.parametrize(("size", "b", "g", "depth"), [("PH1", 0.97, 1.27, 2.27), ("PH2", 1.47, 2.29, 2.93)])
def test_a_recess_has_the_dimensions_of_iso_4757(size, b, g, depth):
    screw = parts.cross_recess_screw(size)
    inside = screw.vertices[np.linalg.norm(screw.vertices[:, :2], axis=1) < 1e-9]
    deepest = inside[(inside[:, 2] > -0.01)][:, 2]
    assert 1e3 * deepest == pytest.approx([-depth], abs=0.01)
    # The wings turn at the width g; t1 of the standard is its height over the deepest point.
    knee = screw.vertices[np.abs(screw.vertices[:, 0] - 0.5e-3 * g) < 1e-9]
    assert len(knee) == 2 and 1e3 * (knee[0, 2] - deepest[0]) == pytest.approx(0.5 * g * tan(radians(28)))
    core = Solid.cylinder(0.499e-3 * b, 1e-4, segments=16).translated(
        (0, 0, deepest[0] + 0.5e-3 * b * tan(radians(28)) + 5e-5)
    )
    assert overlap(core, screw) < 0.01 * core.volume


def test_screw_and_driver_have_about_two_hundred_polygons():
    total = len(parts.cross_recess_screw().faces) + len(parts.cross_recess_driver().faces)
    assert 150 <= total <= 220


@pytest.mark.parametrize("size", ["M6", "M12", "M24"])
def test_a_nut_runs_along_its_bolt(size):
    bolt, nut = parts.hex_bolt(size, 0.06, segments=16), parts.hex_nut(size, 8e-5, segments=16)
    pitch = coarse_pitch(1e-3 * int(size[1:]))
    for z in (0.001, 0.0163, 0.0291):
        assert clearance(nut.transformed(parts.on_thread(size, z)), bolt, 2e-4) > 4e-5 - pitch / 16**3
    stuck = nut.transformed(Pose((0.0, 0.0, 0.5 * pitch)) @ parts.on_thread(size, 0.0163))
    assert overlap(stuck, bolt) > 0.0


def test_a_bolt_with_a_plain_shank():
    bolt = parts.hex_bolt("M10", 0.07, thread_length=0.026)
    assert bolt.closed and bolt.genus == 0 and crossings(bolt) == []
    plain = bolt & Solid.box((0.02, 0.02, 0.03)).translated((0, 0, 0.02))
    assert plain.volume == pytest.approx(circle(0.01, 32) * 0.03, rel=1e-12)
    nut = parts.hex_nut("M10").transformed(parts.on_thread("M10", 0.05))
    assert overlap(nut, bolt) == 0.0


@pytest.mark.parametrize("teeth", [(20, 20), (17, 40)])
def test_gears_roll_on_each_other_without_touching(teeth):
    """Over one tooth, at every angle, the flanks are never closer than half the backlash along their normal."""
    backlash, m = 1e-4, 0.003
    a, b = (parts.gear(n, m, backlash=backlash, flank_points=8) for n in teeth)
    X = parts.meshing(*teeth, m)
    for t in np.linspace(0.0, 2 * pi / teeth[0], 6):
        turned = a.transformed(Pose.from_rotvec((0, 0, 0), (0, 0, t)))
        other = b.transformed(X @ Pose.from_rotvec((0, 0, 0), (0, 0, -t * teeth[0] / teeth[1])))
        assert clearance(other, turned, 1e-3) > 0.5 * backlash * cos(radians(20)) * (1 - 1e-6)


def test_tooth_thickness_is_that_of_the_rack():
    """Where the pitch circle cuts a tooth: pi m / 2 minus half the backlash, up to the chords of the involute."""
    m, n, backlash = 0.002, 24, 1e-4
    gear = parts.gear(n, m, backlash=backlash, bore=0.0, flank_points=40)
    outer, inner = (Solid.cylinder(0.5 * m * n + d, 0.1, segments=720) for d in (1e-6, -1e-6))
    shell = outer - inner
    share = (gear & shell).volume / (shell.volume * 0.15)
    assert share * 2 * pi * 0.5 * m * n / n == pytest.approx(0.5 * pi * m - 0.5 * backlash, rel=1e-3)


def test_a_radio_slides_all_the_way_out():
    radio, console = parts.car_radio(), parts.radio_console(3e-4)
    for pull in (0.0, 0.003, 0.03, 0.15):
        assert clearance(radio.translated((0, -pull, 0)), console, 1e-3) == pytest.approx(3e-4, rel=1e-9)
    assert overlap(radio.translated((0, 4e-4, 0)), console) > 0.0
    assert overlap(radio.translated((0, 0, 4e-4)), console) > 0.0


def test_links_hang_at_their_pitch():
    """Drawn apart by less than the pitch they are free, by more they would overlap."""
    link = parts.chain_link(segments=64, sides=24)
    turned = Pose.from_rotvec((0, 0, 0), (pi / 2, 0, 0))
    for distance, free in ((0.0237, True), (0.0243, False)):
        other = link.transformed(Pose((distance, 0, 0)) @ turned)
        assert (overlap(other, link) == 0.0) == free


def test_the_aircraft_stands_on_six_flats_and_balances():
    part = parts.aircraft()
    lowest = np.flatnonzero((part.faces.normal[:, 2] < -0.999999) & (np.abs(part.faces.offset) < 1e-9))
    middles = np.array([part.vertices[part.faces.polygons(f)[0]].mean(axis=0) for f in lowest])
    assert len(lowest) == 6 and part.bounds[0, 2] == pytest.approx(0.0, abs=1e-12)
    nose, main = middles[:, 0].max(), middles[:, 0].min()
    assert nose - main == pytest.approx(12.64) and main < part.centroid[0] < nose
    assert part.centroid[1] == pytest.approx(0.0, abs=1e-9)


def test_a_runway_may_slope_to_its_sides():
    slab = parts.runway(slope=0.015)
    assert slab.vertices[:, 2].max() == 0.0 and len(slab.faces) == 7
    assert slab.volume == pytest.approx(120 * 45 * 0.5 - 120 * 45 * 0.015 * 22.5 / 2)


@pytest.mark.parametrize("joint", [0.0, 1e-3])
def test_stones_make_an_arch(joint):
    stones = [parts.voussoir(7, i, joint=joint) for i in range(7)]
    assert all(len(stone.faces) == 6 for stone in stones)
    for a, b in pairwise(stones):
        assert overlap(a, b) < 1e-15 and gap(a, b, 0.1) == pytest.approx(joint, abs=1e-12)
    assert min(stone.bounds[0, 2] for stone in stones) == pytest.approx(0.5 * joint, abs=1e-15)


def test_the_catalogue_describes_every_public_maker():
    for name, entry in parts.catalogue().items():
        assert getattr(parts, name) is entry.make
        assert entry.description.endswith(".") and 20 < len(entry.description) < 160
        assert all(p.default is not p.empty for p in inspect.signature(entry.make).parameters.values())
    with pytest.raises(InputError, match="the part library has no 'anvil'; it has peg, hole_plate"):
        parts.make("anvil")


def test_building_a_part_takes_well_under_a_second(library):
    for name in NAMES:
        start = working_time()
        parts.make(name)
        assert working_time() - start < 1.0 * pace(), name


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: parts.peg(-1.0), "diameter: expected a number greater than 0"),
        (lambda: parts.peg(chamfer=0.03), "chamfer: expected less than the peg's radius"),
        (lambda: parts.hole_plate(0.2), "size: a hole of 200.* mm does not fit a plate of 100 x 100 mm"),
        (lambda: parts.hole_plate(size=(0.1, 0.1)), "size: expected 3 numbers"),
        (lambda: parts.hole_plate(clearance=-1e-6), "clearance: expected a number not smaller than 0"),
        (lambda: parts.hole_plate(segments=2), "segments: expected at least 3, got 2"),
        (lambda: parts.countersunk_bolt("M9"), "size: expected one of M3, M4, .* got 'M9'"),
        (lambda: parts.countersunk_bolt("M8", 0.004), "length: M8 needs more than"),
        (lambda: parts.countersunk_plate("M20", plate=(0.05, 0.05, 0.01)), "plate: 50 x 50 x 10 mm is too small"),
        (lambda: parts.cross_recess_screw("PH7"), "size: expected one of PH1, PH2, got 'PH7'"),
        (lambda: parts.cross_recess_screw("PH2", 0.002), "length: PH2 needs more than"),
        (lambda: parts.cross_recess_driver(clearance=1e-3), "clearance: expected less than a tenth of the nose width"),
        (lambda: parts.chain_link(width=0.02), "width: a link of 8 mm steel and 24 mm pitch needs an outer width"),
        (lambda: parts.hex_bolt(["M8"]), r"size: expected one of M6, .* got \['M8'\]"),
        (lambda: parts.hex_bolt("M20", 0.005), "length: too short for a thread"),
        (lambda: parts.hex_bolt("M20", 0.06, thread_length=0.07), "thread_length: expected less than the length"),
        (lambda: parts.gear(10), "teeth: fewer than 17 would be undercut at this pressure angle, got 10"),
        (lambda: parts.gear(bore=0.04), "bore: 0.04 m does not fit inside the roots of 20 teeth"),
        (lambda: parts.finger_support(spacing=0.01), "spacing: expected more than the finger's width"),
        (lambda: parts.sliding_block(3.0), "size: expected 3 numbers"),
        (lambda: parts.radio_console(0.01), "clearance: expected at most 1 mm, got 10 mm"),
        (lambda: parts.car_radio(0.01), "depth: expected at least 60 mm, got 10 mm"),
        (lambda: parts.runway(slope=0.5), "slope: 0.5 makes the slab's edge thinner than nothing"),
        (lambda: parts.voussoir(5, 5), "index: an arch of 5 stones has numbers 0 to 4, got 5"),
        (lambda: parts.l_bracket(hole=0.05), "hole: 50 mm does not fit the legs"),
    ],
)
def test_bad_input_is_a_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
