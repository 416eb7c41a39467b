"""ISO metric threads: profile, lead, volume, clearance that is never less than stated, bad input."""

import numpy as np
import pytest

from abut import EdgeKind, InputError, Pose, Solid
from abut.geometry.making.thread import COARSE_PITCH, coarse_pitch
from geometry.surfaces import clearance, crossings, overlap

D, P, N = 0.02, 0.0025, 32
DEPTH = 5 / 8 * np.sqrt(3) / 2 * P


def profile_radius(s):
    """Radius of the basic profile of ISO 68-1 at a distance of s pitches from the middle of the ridge."""
    s = np.abs((s + 0.5) % 1.0 - 0.5)
    return D / 2 - DEPTH * np.clip((s - 1 / 16) / (5 / 16), 0.0, 1.0)


def pitches_from_ridge(points):
    """Axial distance [pitches] of points from the helix z = P angle / 2 pi."""
    return points[:, 2] / P - np.arctan2(points[:, 1], points[:, 0]) / (2 * np.pi)


def samples(part, rng, per_triangle=40):
    """Random points on every triangle."""
    w = rng.dirichlet((1, 1, 1), (len(part.triangles), per_triangle))
    return np.einsum("tpk,tkx->tpx", w, part.vertices[part.triangles]).reshape(-1, 3)


def test_corners_follow_the_profile_and_the_lead():
    """Away from the run-outs each corner lies on the ideal thread, at a corner of its profile."""
    rod = Solid.thread(D, 0.03, segments=N)
    middle = rod.vertices[(rod.vertices[:, 2] > 0.006) & (rod.vertices[:, 2] < 0.024)]
    s = np.abs((pitches_from_ridge(middle) + 0.5) % 1.0 - 0.5)
    crest, root = np.abs(s - 1 / 16) < 1e-9, np.abs(s - 6 / 16) < 1e-9
    assert (crest | root).all() and crest.sum() == root.sum() > 100
    radius = np.linalg.norm(middle[:, :2], axis=1)
    np.testing.assert_allclose(radius[crest], D / 2, rtol=1e-12)
    np.testing.assert_allclose(radius[root], D / 2 - DEPTH, rtol=1e-12)
    # Flanks enclose 60 degrees: half the axial over the radial distance of their ends.
    assert np.degrees(np.arctan((6 - 1) / 16 * P / DEPTH)) == pytest.approx(30.0)


def test_a_quarter_turn_to_the_right_advances_by_a_quarter_of_the_pitch():
    rod = Solid.thread(D, 0.04, segments=N)
    slab = Solid.box((0.03, 0.03, 4 * P)).translated((0, 0, 0.02))
    piece = rod & slab
    right, left = (rod.transformed(Pose.from_rotvec((0, 0, P / 4), (0, 0, s * np.pi / 2))) & slab for s in (1, -1))
    assert (piece | right).volume == pytest.approx(piece.volume, rel=1e-9)
    assert (piece | left).volume > 1.05 * piece.volume


def test_volume_of_whole_turns():
    """Between two planes a whole number of pitches apart: the mean of r^2 over the profile, up to the facets."""
    rod = Solid.thread(D, 0.04, segments=96)
    piece = rod & Solid.box((0.03, 0.03, 4 * P)).translated((0, 0, 0.02))
    mean_square = np.mean(profile_radius((np.arange(20_000) + 0.5) / 20_000) ** 2)
    assert piece.volume == pytest.approx(np.pi * mean_square * 4 * P, rel=2e-3)
    assert piece.volume < np.pi * mean_square * 4 * P


@pytest.mark.parametrize("segments", [8, 16, 33])
@pytest.mark.parametrize("diameter", [0.003, 0.02])
@pytest.mark.parametrize("internal", [False, True], ids=["external", "internal"])
def test_they_are_sound(diameter, internal, segments):
    pitch = coarse_pitch(diameter)
    part = Solid.thread(diameter, 6.3 * pitch, internal=internal, segments=segments)
    assert part.closed and part.genus == 0 and part.volume > 0 and crossings(part) == []
    turns = len(part.triangles) / (8 * segments)
    assert turns < 7, "8 triangles per turn and segment; ends and run-outs take less than one more turn"


def test_no_facet_sticks_out_of_the_ideal_thread(rng):
    """Promised to pitch / segments^3."""
    points = samples(Solid.thread(D, 0.03, segments=N), rng)
    excess = np.linalg.norm(points[:, :2], axis=1) - profile_radius(pitches_from_ridge(points))
    assert excess.max() < P / N**3


def test_the_tap_leaves_no_less_than_the_ideal_thread(rng):
    play = 1e-4
    tap = Solid.thread(D, 0.03, internal=True, clearance=play, segments=N)
    points = samples(tap, rng)
    points = points[(points[:, 2] > 0.0) & (points[:, 2] < 0.03)]
    spare = np.linalg.norm(points[:, :2], axis=1) - profile_radius(pitches_from_ridge(points)) - play
    assert spare.min() > -P / N**3


@pytest.mark.parametrize("height", [0.0, 0.004, 0.0087])
def test_a_nut_is_free_along_the_whole_screw_path(height):
    play = 6e-5
    rod = Solid.thread(0.008, 0.03, segments=24)
    blank = Solid.cylinder(0.007, 0.0065, segments=6).translated((0, 0, 0.00325))
    nut = blank - Solid.thread(0.008, 0.0065, internal=True, clearance=play, segments=24)
    turn = 2 * np.pi * height / coarse_pitch(0.008)
    turned = nut.transformed(Pose.from_rotvec((0, 0, height), (0, 0, turn)))
    assert clearance(turned, rod, 2 * play) > 0.5 * play - coarse_pitch(0.008) / 24**3
    # Turned the wrong way by a quarter, or not at all where it should be, the threads clash.
    wrong = nut.transformed(Pose.from_rotvec((0, 0, height), (0, 0, turn + np.pi / 2)))
    assert overlap(wrong, rod) > 0.0


def test_folds_on_the_flanks_are_concave():
    """A diagonal of a flank must not be an edge that could touch: convex edges run along the helix only."""
    rod = Solid.thread(D, 0.03, segments=N)
    edges, v = rod.edges, rod.vertices
    ends = v[edges.vertices]
    middle = ((ends[:, :, 2] > 0.006) & (ends[:, :, 2] < 0.024)).all(axis=1)
    s = np.abs((np.stack([pitches_from_ridge(e) for e in ends.transpose(1, 0, 2)], axis=1) + 0.5) % 1.0 - 0.5)
    across = middle & (np.abs(s[:, 0] - s[:, 1]) > 0.1)
    radial = np.abs(np.diff(np.arctan2(ends[:, :, 1], ends[:, :, 0]), axis=1)[:, 0]) < 1e-9
    diagonal = across & ~radial
    assert diagonal.sum() > 100 and not (edges.kind[diagonal] == EdgeKind.CONVEX).any()


def test_coarse_series():
    assert {round(1e3 * d): 1e3 * p for d, p in COARSE_PITCH.items() if 1e3 * d % 1 == 0} == pytest.approx(
        {3: 0.5, 4: 0.7, 5: 0.8, 6: 1, 7: 1, 8: 1.25, 10: 1.5, 12: 1.75, 14: 2, 16: 2, 18: 2.5, 20: 2.5, 22: 2.5, 24: 3}
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Solid.thread(0.0091, 0.03), "pitch: the coarse series has no M9.1 .*give the pitch"),
        (lambda: Solid.thread(0.02, 0.003), "length: too short for a thread of pitch 0.0025 m"),
        (lambda: Solid.thread(0.02, 0.03, pitch=0.02), "pitch: 0.02 m is too coarse for a diameter of 0.02 m"),
        (lambda: Solid.thread(0.02, 0.03, clearance=-1e-5), "clearance: expected a number not smaller than 0"),
        (lambda: Solid.thread(0.02, 0.03, segments=6), "segments: expected at least 8, got 6"),
        (lambda: Solid.thread(0.02, 0.03, runout=0), "runout: expected a number greater than 0"),
    ],
)
def test_bad_input_is_a_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_the_length_that_the_message_offers_is_enough():
    for runout in (0.25, 0.5, 1.5):
        with pytest.raises(InputError) as error:
            Solid.thread(0.02, 0.003, runout=runout)
        enough = float(str(error.value).split(";")[1].split()[0])
        for internal in (False, True):
            assert Solid.thread(0.02, enough, runout=runout, internal=internal).closed
