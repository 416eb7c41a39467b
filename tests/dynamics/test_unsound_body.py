"""A part from a file that is not sound says so when it becomes a body."""

import pytest

import abut
from abut import LoadWarning, Solid, World


def test_an_unsound_part_says_so_when_it_becomes_a_body(tmp_path):
    box = Solid.box((0.1, 0.1, 0.1))
    corner = box.translated((0.07, 0.07, 0.07))
    both = [*box.triangles.tolist(), *(corner.triangles + len(box.vertices)).tolist()]
    Solid([*box.vertices, *corner.vertices], both, name="pair").save(tmp_path / "pair.ply")
    part = Solid.load(tmp_path / "pair.ply")
    with pytest.warns(
        LoadWarning, match=r"body 'a': part 'pair' is not a sound solid: .* pass through each other"
    ) as w:
        World().add_body(part, "a")
    assert w[0].filename == __file__


def test_a_sound_part_says_nothing(tmp_path):
    abut.parts.l_bracket().save(tmp_path / "bracket.ply")
    World().add_body(Solid.load(tmp_path / "bracket.ply"), "a")
