"""`abut demo`: what it prints and which pictures it leaves."""

import re

import pytest

import abut
from abut.app.demo import demo
from abut.scene import parts, scenes

pytestmark = pytest.mark.needs_jit


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def pictures(folder):
    from PIL import Image

    sizes = {}
    for path in sorted(folder.iterdir()):
        with Image.open(path) as picture:
            sizes[path.name] = picture.size
    return sizes


def test_without_a_name_everything_is_listed(capsys, tmp_path):
    demo(None, tmp_path / "out")
    words = capsys.readouterr().out
    assert all(name in words for name in parts.catalogue())
    assert all(entry.name in words and entry.sentence[:60] in words for entry in scenes.catalogue().values())
    assert all(name.replace(" ", "-") in words for name in parts.fits())
    assert not (tmp_path / "out").exists()


def test_a_part_is_checked_and_drawn_whole_and_cut(capsys, tmp_path):
    demo("part", tmp_path)
    words = capsys.readouterr().out
    screw = parts.make("cross_recess_screw")
    assert re.search(r"surface\s+│ closed", words)
    assert f"{1e9 * screw.volume:.5g} mm³" in words
    assert pictures(tmp_path) == dict.fromkeys(("cross_recess_screw.png", "cross_recess_screw_cut.png"), (960, 720))
    assert all(str(tmp_path / name) in words for name in pictures(tmp_path))


def test_two_parts_that_fit_are_drawn_together(capsys, tmp_path):
    demo("peg-in-hole", tmp_path)
    words = capsys.readouterr().out
    assert "peg" in words and "hole plate" in words
    assert list(pictures(tmp_path)) == ["peg-in-hole.png", "peg-in-hole_cut.png"]


def test_a_scene_is_run_summarised_and_shown(capsys, tmp_path):
    demo("free_fall", tmp_path)
    words = capsys.readouterr().out
    assert "A box falls flat on the floor and stays there." in words
    assert re.search(r"steps\s+│ 200 of 1 ms", words) and re.search(r"contacts at most\s+│ 4", words)
    assert re.search(r"smallest gap\s+│ 3\.46 µm", words) and re.search(r"time given up\s+│ 0 ms", words)
    assert sorted(path.name for path in (tmp_path / "free_fall").iterdir()) == ["free_fall.glb", "strip.png"]
    assert str(tmp_path / "free_fall" / "strip.png") in words


def test_a_scene_leaves_a_report_and_its_record_where_asked(capsys, tmp_path):
    for _ in range(2):  # a record of before gives way
        demo("free_fall", tmp_path, report=True)
    words, folder = capsys.readouterr().out, tmp_path / "free_fall"
    assert str(folder / "report.html") in words
    assert abut.Run(folder / "run").summary["state"] == "finished"
    assert "A box falls flat on the floor" in (folder / "report.html").read_text()


def test_a_scene_opens_on_the_page_where_there_is_a_display(monkeypatch, tmp_path):
    from abut.app import cli
    from abut.app.play import play

    shown, drawn = [], []
    monkeypatch.setattr(play, "show", lambda asked, **options: shown.append((asked, options)))
    monkeypatch.setattr("abut.app.demo.demo", lambda name, out, **options: drawn.append(name))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for display, headless in (("", False), (":0", True), (":0", False)):
        monkeypatch.setattr(play, "has_display", lambda display=display: bool(display))
        cli.demo("free_fall", tmp_path, headless=headless, report=False)
    cli.demo("part", tmp_path, headless=False, report=False)
    assert drawn == ["free_fall", "free_fall", "part"]
    ((asked, options),) = shown
    assert asked.names == ("free_fall",) and asked.driven and options == {"hinted": True}


def test_a_terminal_of_80_columns_has_room_for_the_bar(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    demo("free_fall", tmp_path)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("free_fall ")]
    assert "━━━━" in line and re.search(r"0\.20 s, .*x real, 4 contacts, gap 3\.46 µm, given up 0 ms", line)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("teapot", "no demonstration 'teapot'; abut demo lists"),
        ("Peg in hole", "'Peg in hole'; did you mean peg_in_hole or peg-in-hole"),
    ],
)
def test_an_unknown_name_is_answered_with_what_was_meant(tmp_path, name, answer):
    with pytest.raises(abut.InputError, match=answer):
        demo(name, tmp_path)


def test_a_folder_that_cannot_be_made_is_found_before_the_scene_is_run(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(abut.FileError, match="file/free_fall: is no folder to write to"):
        demo("free_fall", tmp_path / "file")
    assert capsys.readouterr().out == ""
