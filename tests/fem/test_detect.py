"""The published detection, against exact containment."""

import numpy as np
import pytest

import abut
from abut.fem import Skin, detect


def sphere(radius=0.1, centre=(0.0, 0.0, 0.0)):
    return abut.Solid.sphere(radius, segments=24).translated(centre)


def test_boxes_that_do_not_meet_end_the_search():
    found = detect(sphere(), sphere(centre=(0.21, 0, 0)))
    assert found.box is None and not found.touching
    assert len(found.a.candidates) == len(found.b.faces) == 0


def test_a_corner_in_a_box_is_found_with_the_face_it_entered_through():
    big, small = abut.Solid.box(1.0), abut.Solid.box(0.2).translated((0.55, 0.1, 0.1))
    found = detect(small, big)
    np.testing.assert_allclose(found.box, (0.45, 0.0, 0.0, 0.5, 0.2, 0.2), atol=1e-15)
    corners = np.asarray(small.vertices)[found.a.vertices]
    assert len(corners) == 4 and (corners[:, 0] < 0.5).all()
    np.testing.assert_allclose(found.a.way, [(0.05, 0, 0)] * 4, atol=1e-15)
    np.testing.assert_allclose(found.a.normal, [(1, 0, 0)] * 4, atol=1e-15)
    assert len(found.b.vertices) == 0


def test_boxes_overlap_but_bodies_do_not():
    found = detect(sphere(), sphere(centre=(0.15, 0.15, 0.0)))
    assert found.box is not None and len(found.a.candidates) > 0 and not found.touching


@pytest.mark.parametrize("seed", range(6))
def test_shallow_overlaps_agree_with_exact_containment(seed):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    a, b = sphere(), sphere(centre=tuple(0.17 * direction / np.linalg.norm(direction)))
    found = detect(a, b)
    for entered, mine, other in ((found.a, a, b), (found.b, b, a)):
        inside = np.flatnonzero(abut.contains(other, mine.vertices))
        assert set(entered.vertices) == set(inside)
        assert set(entered.vertices) <= set(entered.candidates)
        faces = np.asarray(other.vertices)[np.asarray(other.triangles)[entered.face]]
        ends = np.asarray(mine.vertices)[entered.vertices] + entered.way
        plane = np.einsum("ij,ij->i", ends - faces[:, 0], entered.normal)
        assert np.abs(plane).max() < 1e-12, "the way ends on the face"
        assert (np.einsum("ij,ij->i", entered.way, entered.normal) > 0).all()


def test_a_skin_that_has_moved_is_found_where_it_is():
    """The tree is refitted, not built again, and answers as a new one does."""
    part, other = sphere(), sphere(centre=(0.15, 0.02, 0.01))
    skin = Skin(part.vertices, part.triangles)
    squeezed = np.asarray(part.vertices) * (0.7, 1.2, 1.2) + (0.02, 0.0, 0.0)
    skin.move(squeezed)
    fresh, moved = detect(Skin(squeezed, part.triangles), other), detect(skin, other)
    assert moved.touching and set(moved.a.vertices) == set(fresh.a.vertices)
    assert set(moved.a.vertices) == set(np.flatnonzero(abut.contains(other, squeezed)))


def test_a_body_deep_inside_another_is_not_seen_as_published():
    found = detect(abut.Solid.box(0.1), abut.Solid.box(1.0))
    assert len(found.a.candidates) == 8 and not found.touching


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Skin(np.zeros((3, 3)), np.zeros((0, 3))), "at least one triangle"),
        (lambda: Skin(np.eye(3), [(0, 1, 3)]), "triangles"),
        (lambda: Skin(np.eye(3), [(0, 1, 2)]).move(np.zeros((4, 3))), r"vertices: expected \(3, 3\) as before"),
        (lambda: detect(1, 2), "expected a Skin or a Solid, got int"),
    ],
)
def test_bad_input_is_a_sentence(make, message):
    with pytest.raises(abut.InputError, match=message):
        make()
