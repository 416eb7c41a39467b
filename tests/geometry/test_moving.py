"""Moving, scaling and mirroring parts: what must change and what must not."""

import numpy as np
import pytest

from abut import EdgeKind, InputError, Pose, Solid
from abut.scene import parts

SAMPLES = [
    Solid.box((1.0, 2.0, 3.0), name="box"),
    Solid.torus(0.5, 0.2, segments=12, sides=7),
    parts.cross_recess_screw(),
    parts.l_bracket(),
]


def kinds(part):
    return {kind: part.edges.count(kind) for kind in EdgeKind}


@pytest.mark.parametrize("part", SAMPLES, ids=str)
def test_rigid_motion_keeps_volume_inertia_and_kinds_of_edges(part, random_pose):
    moved = part.transformed(random_pose())
    assert moved.volume == pytest.approx(part.volume, rel=1e-12)
    assert moved.area == pytest.approx(part.area, rel=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(moved.inertia), np.linalg.eigvalsh(part.inertia), rtol=1e-9)
    assert kinds(moved) == kinds(part) and len(moved.faces) == len(part.faces) and moved.genus == part.genus
    assert moved.name == part.name and moved.tolerance == part.tolerance


def test_centroid_moves_with_the_pose(random_pose):
    for part in SAMPLES:
        X = random_pose()
        np.testing.assert_allclose(part.transformed(X).centroid, X.apply(part.centroid), atol=1e-12)
        np.testing.assert_allclose(part.transformed(X.matrix).centroid, X.apply(part.centroid), atol=1e-12)
        np.testing.assert_allclose(part.translated((1, 2, 3)).centroid, part.centroid + np.array([1, 2, 3]), atol=1e-12)


@pytest.mark.parametrize("part", SAMPLES, ids=str)
def test_a_mirror_image_has_the_same_volume_and_points_outwards(part):
    image = part.mirrored((1.0, 2.0, -0.5), offset=0.3)
    assert image.volume == pytest.approx(part.volume, rel=1e-12)
    assert kinds(image) == kinds(part) and image.genus == part.genus
    twice = image.mirrored((1.0, 2.0, -0.5), offset=0.3)
    np.testing.assert_allclose(twice.vertices, part.vertices, atol=1e-14)


def test_mirror_planes():
    part = Solid.box(1.0).translated((2, 0, 0))
    np.testing.assert_allclose(part.mirrored((1, 0, 0)).centroid, (-2, 0, 0), atol=1e-15)
    np.testing.assert_allclose(part.mirrored((-3, 0, 0), offset=-1.5).centroid, (1, 0, 0), atol=1e-15)


def test_a_mirrored_thread_is_left_handed():
    rod = Solid.thread(0.008, 0.012, segments=16)
    image = rod.mirrored((1, 0, 0))
    assert (rod & image).volume < 0.999 * rod.volume


def test_scaling():
    part = SAMPLES[2]
    assert part.scaled(2.0).volume == pytest.approx(8 * part.volume, rel=1e-12)
    stretched = part.scaled((1, 2, 3))
    assert stretched.volume == pytest.approx(6 * part.volume, rel=1e-12)
    np.testing.assert_allclose(stretched.extents, part.extents * (1, 2, 3), rtol=1e-14)
    assert part.scaled(1000.0).tolerance == pytest.approx(1000 * part.tolerance)


def test_the_original_stays_as_it_was():
    part = Solid.box(1.0)
    before = part.vertices.copy()
    part.translated((1, 0, 0)), part.scaled(3), part.mirrored((0, 0, 1))
    np.testing.assert_array_equal(part.vertices, before)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (lambda p: p.translated((1, 2)), "offset: expected 3 numbers"),
        (lambda p: p.scaled(0), "factor: expected numbers greater than 0"),
        (lambda p: p.scaled((1, -1, 1)), r"factor: .*mirrored\(\) reflects a part"),
        (lambda p: p.mirrored((0, 0, 0)), "normal: expected a direction"),
        (lambda p: p.transformed("up"), "pose: expected a Pose or a 4x4 matrix, got str"),
        (lambda p: p.transformed(np.diag((2.0, 1, 1, 1))), "M: its 3x3 block is not a rotation"),
        (lambda p: p.transformed(Pose((np.nan, 0, 0))), "position: row 0 is not finite"),
    ],
)
def test_bad_input_is_a_sentence(move, message):
    with pytest.raises(InputError, match=message):
        move(Solid.box(1.0))
