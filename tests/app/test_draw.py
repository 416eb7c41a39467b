"""Pictures: known pixels, laws of cameras and light, the sentences for bad input."""

import numpy as np
import pytest

import abut
from abut import _jit
from abut.app.draw import (
    PALETTE,
    Arrow,
    Camera,
    Dot,
    Item,
    Label,
    Path,
    Section,
    draw,
    geometry_buffer,
    light_kernels,
    line_kernels,
    normal_kernels,
    raster_kernels,
    save_png,
    strip,
)
from abut.app.draw.item import facets
from abut.app.draw.palette import linear, srgb
from geometry.shapes import cube, inside_out

pytestmark = pytest.mark.needs_jit

FRONT = {"azimuth": 0.0, "elevation": 0.0}
"""Looks along +y, x to the right, z up."""


def block(low=(-0.5, -0.5, -0.5), size=(1, 1, 1)):
    return abut.Solid(*cube(low, size))


def flat_view(span=2.0, **angles):
    return Camera((0, 0, 0), span, fov=0.0, **(angles or FRONT))


def is_paper(image):
    return (image == 255).all(axis=2)


def closest_colour(pixel, *names):
    """The one of the named colours whose hue is nearest to a pixel's."""

    def hue(rgb):
        return rgb / np.linalg.norm(rgb)

    seen = hue(np.asarray(pixel) / 255.0)
    return min(names, key=lambda name: np.linalg.norm(hue(srgb("", name)) - seen))


def test_the_silhouette_of_a_sphere_in_parallel_view_is_a_disc():
    image = draw([Item(abut.Sphere(0.4), edges=False)], flat_view(1.0), (200, 200), samples=1)
    assert (~is_paper(image)).sum() == pytest.approx(np.pi * 80.0**2, rel=0.005)


def test_the_silhouette_of_a_sphere_in_perspective_is_wider_than_the_sphere():
    """From distance d the rim is seen at the angle asin(r / d), not atan(r / d)."""
    camera = Camera((0, 0, 0), 2.0, fov=90.0, **FRONT)
    assert camera.distance == pytest.approx(1.0)
    image = draw([Item(abut.Sphere(0.5), edges=False)], camera, (200, 200), samples=1)
    radius = 100.0 * np.tan(np.arcsin(0.5))
    assert (~is_paper(image)).sum() == pytest.approx(np.pi * radius**2, rel=0.005)


@pytest.mark.parametrize("fov", [0.0, 30.0])
def test_the_nearer_part_is_seen(fov):
    items = [Item(block(), colour="rust"), Item(block(), abut.Pose((0, -2, 0)), colour="blue")]
    for order in (items, items[::-1]):
        image = draw(order, Camera((0, 0, 0), 3.0, fov=fov, **FRONT), (60, 60))
        assert closest_colour(image[30, 30], "rust", "blue") == "blue"


def test_the_section_shows_what_is_inside():
    items = [Item(block(), colour="sand"), Item(abut.Sphere(0.3), colour="blue", cut=False)]
    whole = draw(items, flat_view(), (80, 80))
    opened = draw(items, flat_view(), (80, 80), section=Section((0, 0, 0), (0, -1, 0)))
    assert closest_colour(whole[40, 40], "sand", "blue") == "sand"
    assert closest_colour(opened[40, 40], "sand", "blue") == "blue"


def test_the_cut_face_of_a_solid_is_filled_where_the_section_meets_it():
    """A frame cut through the middle: its two walls have cut faces, and the hole between them is open."""
    shell = [Item(block(), colour="amber")]
    behind = Item(block((-0.5, 0.6, -0.5)), colour="blue")
    image = draw([*shell, behind], flat_view(), (80, 80), section=Section((0, 0.2, 0), (0, -1, 0)), samples=3)
    inside = image[25:55, 25:55].reshape(-1, 3)
    assert {closest_colour(pixel, "amber", "blue") for pixel in inside} == {"amber"}
    assert inside.std(axis=0).max() > 5.0  # hatched


def test_an_open_surface_has_no_cut_face():
    vertices, faces = cube((-0.5, -0.5, -0.5))
    sheet = abut.Solid(vertices, faces[1:])
    items = [Item(sheet), Item(abut.Sphere(0.2), colour="blue", cut=False)]
    image = draw(items, flat_view(), (60, 60), section=Section((0, 0, 0), (0, -1, 0)))
    plain = draw([Item(sheet, edges=False)], flat_view(), (60, 60), section=Section((0, 0, 0), (0, -1, 0)))
    assert closest_colour(image[30, 30], "steel", "blue") == "blue"
    assert plain[28:32, 28:32].std(axis=(0, 1)).max() < 1.0


def test_an_arrow_is_seen_from_its_start_to_its_tip_and_no_further():
    mark = Arrow((0, -1, 0), (0, 0, 0.6), colour="rust")
    image = draw([Item(block(), colour="sky", edges=False)], flat_view(), (100, 100), marks=[mark])
    column = [closest_colour(pixel, "sky", "rust") == "rust" for pixel in image[:, 50]]
    assert all(column[24:49])
    assert not any(column[:19]) and not any(column[53:])


def test_a_mark_behind_a_part_shines_through():
    part = [Item(block(), colour="sky", edges=False)]
    before, behind = (
        draw(part, flat_view(), (60, 60), marks=[Dot((0, y, 0), colour="rust", width=20.0)])[30, 30].astype(float)
        for y in (-1.0, 1.0)
    )
    clean = draw(part, flat_view(), (60, 60))[30, 30].astype(float)
    assert np.abs(behind - clean).max() > 10.0
    assert np.abs(behind - clean).max() < 0.7 * np.abs(before - clean).max()


def test_a_path_leads_through_its_points():
    points = np.array([(-0.8, 0, -0.8), (0.8, 0, -0.8), (0.8, 0, 0.8)])
    image = draw([Item(abut.Sphere(0.1))], flat_view(), (100, 100), marks=[Path(points, closed=True)])
    x, y = flat_view().to_pixels([*points, (0, 0, -0.8), (0.8, 0, 0), (-0.4, 0, -0.4)], (100, 100)).astype(int).T
    assert not is_paper(image)[y, x].any()


def test_words_stand_beside_their_point():
    image = draw([Item(abut.Sphere(0.1))], flat_view(), (100, 100), marks=[Label((-0.8, 0, 0.5), "abut")])
    assert not is_paper(image)[5:20, 15:60].all()


def test_what_is_behind_a_transparent_part_is_seen_dimly():
    def picture(alpha):
        items = [Item(block(), colour="blue", alpha=alpha, edges=False), Item(abut.Sphere(0.3), colour="amber")]
        return draw(items, flat_view(), (60, 60))[30, 30].astype(float)

    amber = draw([Item(abut.Sphere(0.3), colour="amber")], flat_view(), (60, 60))[30, 30]
    distances = [np.linalg.norm(picture(alpha) - amber) for alpha in (0.05, 0.4, 0.8, 1.0)]
    assert distances == sorted(distances) and distances[0] < 40.0 and distances[-1] > 100.0


def test_edges_are_thin_dark_lines():
    camera = flat_view(azimuth=45.0, elevation=0.0)
    lined, bare = (draw([Item(block(), edges=edges)], camera, (101, 101), samples=3) for edges in (True, False))
    darker = bare.astype(int).sum(axis=2) - lined.astype(int).sum(axis=2)
    row = darker[50]
    assert row[49:52].max() > 150  # the vertical edge in the middle
    assert (np.abs(row[20:47]) < 5).all() and (np.abs(row[54:80]) < 5).all()


def test_hidden_edges_are_not_drawn():
    lined, bare = (draw([Item(block(), edges=edges)], flat_view(), (60, 60)) for edges in (True, False))
    assert (lined[20:40, 20:40] == bare[20:40, 20:40]).all()


def test_a_floor_catches_the_shadow_and_is_invisible_from_below():
    floor, ball = Item(abut.HalfSpace((0, 0, 1), -0.5), edges=False), Item(abut.Sphere(0.5), edges=False)
    above, below = (Camera((0, 0, 0), 4.0, elevation=e) for e in (30.0, -30.0))
    seen = draw([ball, floor], above, (120, 90)) != draw([ball], above, (120, 90))
    assert seen.any()
    light = draw([floor, ball], above, (120, 90)).astype(int).sum(axis=2)
    right, left = light[45:60, 75:100].min(), light[45:60, 10:40].min()
    assert right < left - 60  # the key light comes from the left
    assert (draw([ball, floor], below, (120, 90)) == draw([ball], below, (120, 90))).all()


def test_round_surfaces_are_smooth_and_creases_sharp():
    ball = facets(abut.Sphere(2.0))
    centre = ball.vertices[ball.triangles]
    np.testing.assert_allclose(ball.normals, centre / 2.0, atol=1e-12)
    normals = facets(block()).normals
    assert (np.sort(np.abs(normals), axis=2) == (0, 0, 1)).all()
    assert len(facets(block()).sharp) == 12 and len(ball.sharp) == 0


def test_the_same_scene_gives_the_same_bits_for_any_number_of_threads():
    items = [Item(block()), Item(abut.Sphere(0.4), abut.Pose((0.8, 0, 0)), alpha=0.5), Item(abut.HalfSpace(offset=-1))]
    several = draw(items, size=(80, 60))
    threads = _jit.numba.get_num_threads()
    try:
        _jit.numba.set_num_threads(1)
        assert (draw(items, size=(80, 60)) == several).all()
    finally:
        _jit.numba.set_num_threads(threads)


def test_turning_scene_and_camera_together_changes_nothing():
    def picture(turn):
        about_z = abut.Pose.from_rotvec((0, 0, 0), (0, 0, np.radians(turn)))
        items = [Item(block(), about_z), Item(abut.Sphere(0.3), about_z @ abut.Pose((0, -0.8, 0.1)))]
        return draw(items, Camera((0, 0, 0), 2.5, 20.0 + turn, 30.0), (80, 60), samples=3).astype(int)

    difference = np.abs(picture(0.0) - picture(73.0))
    assert difference.mean() < 0.2


@pytest.mark.parametrize("fov", [0.0, 24.0, 80.0])
@pytest.mark.parametrize("size", [(960, 720), (300, 900)])
def test_a_fitted_camera_shows_everything_and_wastes_nothing(rng, fov, size):
    points = rng.normal(size=(50, 3)) * (1.0, 2.0, 0.5) + (5.0, -3.0, 2.0)
    camera = Camera.fit(points, 40.0, 20.0, fov, size, margin=1.0)
    share = camera.to_pixels(points, size) / size
    assert share.min() > -0.02 and share.max() < 1.02
    assert (share.max(axis=0) - share.min(axis=0)).max() == pytest.approx(1.0, abs=0.02)


def test_dots_appear_where_the_camera_says(rng):
    camera = Camera((0, 0, 0), 2.0, 35.0, 20.0, 40.0)
    for position in rng.uniform(-0.5, 0.5, (5, 3)):
        image = draw([Item(abut.Sphere(0.01), abut.Pose((0, 0, -9)))], camera, (200, 150), marks=[Dot(position)])
        y, x = np.nonzero(~is_paper(image))
        place = camera.to_pixels(position, (200, 150))[0]
        np.testing.assert_allclose((x.mean() + 0.5, y.mean() + 0.5), place, atol=0.6)


PROTAN = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
DEUTAN = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]


@pytest.mark.parametrize("sight", [np.eye(3), np.array(PROTAN), np.array(DEUTAN)], ids=["all", "protan", "deutan"])
def test_the_colours_of_the_palette_differ_for_everybody(sight):
    """Machado, Oliveira & Fernandes, IEEE TVCG 15(6), 2009: linear light as seen without one kind of cone."""
    seen = [np.clip(sight @ linear(srgb("", name)), 0, 1) ** (1 / 2.2) for name in PALETTE]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]]
    assert min(gaps) > 0.18


def test_a_strip_holds_its_pictures_in_order():
    tiles = [np.full((10, 20, 3), shade, np.uint8) for shade in (10, 60, 110)]
    sheet = strip(tiles, columns=2, captions=["a", "b", "c"], gap=4, text_size=10)
    assert sheet.shape == (2 * (10 + 4 + 16) + 4, 2 * 24 + 4, 3)
    assert sheet[9, 14, 0] == 10 and sheet[9, 38, 0] == 60 and sheet[39, 14, 0] == 110
    assert (sheet[14:30] < 128).any()


def test_a_saved_picture_can_be_read_again(tmp_path):
    from PIL import Image

    image = draw([Item(block())], size=(40, 30))
    path = save_png(tmp_path / "new" / "block.png", image)
    assert (np.asarray(Image.open(path)) == image).all()


def test_a_part_turned_inside_out_is_drawn():
    """Back faces of a part that is not cut once had no normal towards the eye."""
    image = draw([Item(abut.Solid(*inside_out(cube((-0.5, -0.5, -0.5)))))], flat_view(), (40, 40))
    assert not is_paper(image)[20, 20]


def test_a_part_behind_the_eye_is_not_seen():
    items = [Item(block(), abut.Pose((0, -9, 0))), Item(block())]
    image = draw(items, Camera((0, 0, 0), 2.0, fov=60.0, **FRONT), (40, 40))
    assert not is_paper(image)[20, 20] and is_paper(image)[1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw([]), "items: expected at least one Item to draw, got none"),
        (lambda: draw([block()]), r"items\[0\]: expected an Item, got Solid; wrap it"),
        (lambda: draw([Item(abut.HalfSpace())]), "got half spaces only"),
        (lambda: draw([Item(block())], size=(0, 5)), r"size\[0\]: expected at least 1, got 0"),
        (lambda: draw([Item(block())], size=5), r"size: expected \(width, height\)"),
        (lambda: draw([Item(block())], samples=0), "samples: expected at least 1"),
        (lambda: draw([Item(block())], flat_view(), background="octarine"), "no colour is called 'octarine'"),
        (
            lambda: draw([Item(block())], flat_view(), marks=["x"]),
            "marks: expected Dot, Arrow, Path, Patch or Label, got str",
        ),
        (lambda: draw([Item(block())], flat_view(), marks=[Dot((0, 0))]), "position: expected 3 numbers"),
        (lambda: Item("bolt"), "shape: expected a Solid, Sphere, Capsule or HalfSpace, got str"),
        (lambda: Item(block(), colour=(1, 2, 3)), "three numbers from 0 to 1"),
        (lambda: Item(block(), alpha=0.0), "alpha: expected a number greater than 0"),
        (lambda: Item(block(), alpha=1.5), "alpha: expected a number from 0 to 1, got 1.5"),
        (lambda: Item(block(), pose=3), "pose: expected a Pose or a 4x4 matrix"),
        (lambda: Section(normal=(0, 0, 0)), "normal: expected a direction"),
        (lambda: Camera(span=0.0), "span: expected a number greater than 0"),
        (lambda: Camera(fov=170.0), "fov: expected an angle of view below 150 degrees, got 170"),
        (lambda: Camera.fit(np.zeros((0, 3))), "scene: expected at least one item or point, got none"),
        (lambda: strip([]), "images: expected at least one, got none"),
        (
            lambda: strip([np.zeros((4, 4, 3))]),
            r"images\[0\]: expected \(h, w, 3\) of uint8, got \(4, 4, 3\) of float64",
        ),
        (lambda: strip([np.zeros((4, n, 3), np.uint8) for n in (4, 5)]), "expected pictures of one size"),
        (lambda: strip([np.zeros((4, 4, 3), np.uint8)], captions=["a", "b"]), "captions: expected one for each of 1"),
        (lambda: save_png("picture.jpg", np.zeros((4, 4, 3), np.uint8)), "a name that ends in .png, got 'picture.jpg'"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, message):
    with pytest.raises(abut.InputError, match=message):
        call()


def test_a_folder_that_cannot_be_made_is_a_file_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(abut.FileError, match=r"picture.png: cannot be written"):
        save_png(tmp_path / "file" / "picture.png", np.zeros((4, 4, 3), np.uint8))


def test_every_kernel_is_compiled_once(compiled_signatures):
    items = [Item(block()), Item(abut.Sphere(1), alpha=0.5), Item(abut.HalfSpace())]
    for camera in (None, flat_view()):
        draw(items, camera, (20, 20), section=Section(), marks=[Dot((0, 0, 0))])
        draw(items[:1], camera, (20, 20), samples=1)
    modules = (geometry_buffer.kernels, light_kernels, line_kernels, normal_kernels, raster_kernels)
    drivers = ("project", "rasterise", "resolve", "lay_floor", "facing", "average", "expose", "smooth", "shade", "veil")
    for name in (*drivers, "draw_lines", "blend_ink", "triangle_normals", "corner_normals"):
        found = [getattr(module, name) for module in modules if hasattr(module, name)]
        assert found and all(len(compiled_signatures(kernel)) == 1 for kernel in found), name
