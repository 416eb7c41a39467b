"""Contact regions in pictures: the gallery of nine touching pairs, patches, forces, words."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import abut
from abut.app.draw import Arrow, Camera, Dot, Item, Label, Patch, draw, region_marks, region_text
from abut.app.draw import Path as Line

SCRIPT = Path(__file__).resolve().parents[2] / "docs/make_pictures/regions.py"
DIMENSIONS = {("edge", "face"): 1, ("face", "edge"): 1, ("face", "face"): 2}


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("regions_pictures", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("lower", ["vertex", "edge", "face"])
@pytest.mark.parametrize("upper", ["vertex", "edge", "face"])
def test_the_gallery_shows_all_nine_combinations(gallery, lower, upper):
    """One region each, of the features that touch, and its normal points up from the lower part."""
    _, regions = gallery.touching(lower, upper)
    assert [(r.feature_a.kind, r.feature_b.kind) for r in regions] == [(lower, upper)]
    assert regions[0].dim == DIMENSIONS.get((lower, upper), 0)
    np.testing.assert_allclose(regions[0].normal, (0, 0, 1), atol=1e-6)
    kinds = {0: [Dot], 1: [Line], 2: [Patch, Line]}[regions[0].dim]
    assert [type(mark) for mark in region_marks(regions)] == kinds


def test_a_patch_is_seen_on_the_surface_it_lies_on():
    """From above it covers as many pixels as it should; through another part it shines faintly."""
    plate, X = abut.Solid.box((0.2, 0.2, 0.02)), abut.Pose((0, 0, 0.06))
    post = abut.Solid.box((0.1, 0.1, 0.1))
    regions = abut.contact_regions(plate, post, None, X)
    camera = Camera((0, 0, 0), 0.25, 0.0, 90.0, fov=0.0)
    marks = [Patch(regions[0].triangles, "#ff0000")]
    seen = draw([Item(plate, colour="white", edges=False)], camera, (100, 100), marks=marks)
    red = (seen[:, :, 0].astype(int) - seen[:, :, 1] > 100).sum()
    assert red == pytest.approx((0.1 / 0.25 * 100) ** 2, rel=0.05)
    hidden = draw([Item(post, X, "white", edges=False)], camera, (100, 100), marks=marks)[50, 50].astype(int)
    assert 20 < hidden[0] - hidden[1] < 200


def test_a_patch_behind_a_clear_part_does_not_hide_that():
    """A clear block on a large patch stays visible: what is seen of it has its colour, and that of the patch."""
    plate, block = abut.Solid.box((0.3, 0.3, 0.02)), abut.Solid.box((0.1, 0.1, 0.1))
    X = abut.Pose((0, 0, 0.061))
    patch = Patch(plate.vertices[plate.triangles] + (0, 0, 1e-4), "#ff0000")
    camera = Camera((0, 0, 0), 0.4, 0.0, 90.0, fov=0.0)
    items = [Item(plate, colour="white"), Item(block, X, "#0000ff", alpha=0.6, edges=False)]
    picture = draw(items, camera, (100, 100), marks=[patch]).astype(int)
    through, beside = picture[50, 50], picture[50, 20]
    assert beside[0] > 200 and beside[2] < 60
    assert through[2] > 100 and beside[0] > through[0] > 100


class Pushed(abut.query.Region):
    """A region of a world, as far as drawing asks."""

    wrench = np.array([0.0, 0.0, 4.0, 0.0, -0.04, 0.0])  # about (0, 0, 0.05)
    force = 4.0
    centre_of_pressure = np.array([0.01, 0.0, 0.05])


def test_forces_are_arrows_at_the_centre_of_pressure():
    box, X = abut.Solid.box((0.1, 0.1, 0.1)), abut.Pose((0, 0, 0.1))
    regions = abut.contact_regions(box, box, None, X)
    pushed = [Pushed(regions, 0)]
    arrow = region_marks(pushed, longest=0.2)[-1]
    assert isinstance(arrow, Arrow)
    np.testing.assert_allclose(arrow.vector, (0, 0, 0.2))
    np.testing.assert_allclose(arrow.start, Pushed.centre_of_pressure)
    assert region_text(pushed[0]).endswith(", 10000 mm², 4 N")
    assert not any(isinstance(mark, Arrow) for mark in region_marks(regions, longest=0.2))


def test_a_moment_is_a_ring_around_its_axis_and_grows_with_it():
    """A disc that is spun on the floor: friction brakes it about the normal, with no force along the floor."""
    world = abut.World(friction=0.5)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    disc = world.add_body(abut.Solid.cylinder(0.05, 0.02, segments=32), "disc", pose=abut.Pose((0, 0, 0.01)), mass=1.0)
    world.run(0.02)
    assert not any(isinstance(mark, Line) and not mark.closed for mark in region_marks(world.regions, longest=0.1))
    disc.angular_velocity = (0, 0, 20.0)
    world.step()
    marks = region_marks(world.regions, longest=0.1)
    (ring,) = (mark for mark in marks if isinstance(mark, Line) and not mark.closed)
    head = marks[-1]
    moment, points = world.regions[0].wrench[3:], np.asarray(ring.points)
    assert moment[2] < -0.1  # against the spin
    np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-3)  # around the normal
    radius = np.linalg.norm(points - world.regions[0].centre_of_pressure, axis=1)
    np.testing.assert_allclose(radius, 0.1 * np.sqrt(np.linalg.norm(moment) / (9.81 * 0.1)), rtol=0.05)
    way = np.cross(points[:-1] - points.mean(axis=0), np.diff(points, axis=0))[:, 2]
    assert (way < 0).all()  # seen from above, clockwise
    np.testing.assert_allclose(np.asarray(head.start), points[-1])
    assert np.dot(head.vector, points[-1] - points[-2]) > 0.0


def test_words_and_normals():
    box, X = abut.Solid.box((0.1, 0.1, 0.1)), abut.Pose((0, 0, 0.1))
    regions = abut.contact_regions(box, box, None, X)
    marks = region_marks(regions, normals=0.01, words=True)
    assert sum(isinstance(mark, Arrow) for mark in marks) == 4
    assert [mark.text for mark in marks if isinstance(mark, Label)] == [region_text(regions[0])]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (Patch(np.zeros((2, 3))), r"triangles: expected \(n, 3, 3\)"),
        (Patch(np.full((1, 3, 3), np.nan)), "triangles: row 0 is not finite"),
        (Patch(np.zeros((1, 3, 3)), "reddish"), "no colour is called"),
    ],
)
def test_bad_patches_are_answered_with_a_sentence(patch, message):
    with pytest.raises(abut.InputError, match=message):
        draw([Item(abut.Solid.box())], Camera(), (20, 20), marks=[patch])


def test_a_patch_of_nothing_draws_nothing():
    plain = draw([Item(abut.Solid.box())], Camera(), (20, 20))
    np.testing.assert_array_equal(
        plain, draw([Item(abut.Solid.box())], Camera(), (20, 20), marks=[Patch(np.zeros((0, 3, 3)))])
    )
