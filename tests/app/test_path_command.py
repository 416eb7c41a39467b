"""`abut path`: table, JSON, plot, exit codes, and files that cannot be used."""

import json

import pytest

from abut.app.line_plot import ticks
from abut.app.path_file import read_path
from app import commands
from geometry.part_files import write_obj
from geometry.shapes import cube

ROWS = "time,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,1,0,0,1,0,0,0\n2,2,0,0,1,0,0,0\n"


@pytest.fixture
def files(tmp_path):
    """A die, a wall two metres away, a path that runs into it."""
    die, wall, rows = tmp_path / "die.obj", tmp_path / "wall.obj", tmp_path / "path.csv"
    write_obj(die, *cube((-0.5, -0.5, -0.5)))
    write_obj(wall, *cube((2.0, -5, -5), (1.0, 10, 10)))
    rows.write_text(ROWS)
    return die, rows, wall


def run(capsys, *arguments):
    return commands.run(capsys, "path", *arguments)


def test_a_touch_is_told_with_its_time_and_exit_code_1(capsys, files):
    code, out, err = run(capsys, *files)
    assert (code, err) == (1, "")
    assert "touches wall.obj at time 1.5" in " ".join(out.split()) and "1500" in out and "meets" in out


def test_the_table_says_its_unit(capsys, files):
    assert "clearance [mm]" in run(capsys, *files)[1]


def test_an_overlap_at_the_start_is_told_with_its_depth(capsys, files):
    die, rows, wall = files
    rows.write_text("0, 1.7, 0.1, 0.2\n1, 0, 0, 0\n")
    code, out, _ = run(capsys, die, rows, wall)
    assert code == 1 and "overlap with wall.obj" in out and "200 mm deep" in " ".join(out.split())


def test_a_free_path_has_exit_code_0(capsys, files):
    die, rows, wall = files
    code, out, _ = run(capsys, die, rows, wall, "--path-unit", "cm")
    assert code == 0 and "free" in out and "1480" in out


def test_json_holds_the_touch_and_the_table(capsys, files):
    code, out, _ = run(capsys, *files, "--json", "--samples", 2)
    document = json.loads(out)
    assert code == 1 and document["free"] is False
    touch = document["touch"]
    assert touch["time"] == pytest.approx(1.5, abs=1e-6) and touch["segment"] == 1 and not touch["overlapping"]
    assert touch["normal"] == pytest.approx([1, 0, 0], abs=1e-6)
    assert [row["time"] for row in document["clearance"]] == [0, 0.5, 1, 1.5, 2]
    assert document["clearance"][1][str(files[2])] == pytest.approx(1.0)


def test_the_plot_is_a_picture(capsys, files, tmp_path):
    pil = pytest.importorskip("PIL.Image")
    code, _, _ = run(capsys, *files, "--plot", tmp_path / "plot.png")
    with pil.open(tmp_path / "plot.png") as picture:
        assert code == 1 and picture.size == (900, 480) and len(picture.convert("RGB").getcolors(100000)) > 20


@pytest.mark.parametrize(
    "text",
    [
        "0, 0, 0, 0\n2, 10, 0, 5\n",
        "# a comment\ntime,x,y,z\n0,0,0,0\n2,10,0,5\n",
        '{"poses": [[0, 0, 0, 0], {"time": 2, "position": [10, 0, 5]}]}',
        '{"unit": "cm", "poses": [[0, 0, 0, 0], [2, 1, 0, 0.5, 1, 0, 0, 0]]}',
    ],
)
def test_paths_are_read_in_every_form(tmp_path, text):
    path = tmp_path / "path.txt"
    path.write_text(text)
    times, poses = read_path(path, None if "unit" in text else "mm")
    assert times == [0, 2] and poses[1].position == pytest.approx((0.01, 0, 0.005))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0,0,0\n", "a path needs at least two poses, this one has 1"),
        ("0,0,0,0\n1,2,x,0\n", "pose 2 is ['1', '2', 'x', '0']; expected numbers"),
        ("0,0,0,0\n1,nan,0,0\n", "pose 2 is not finite"),
        ("0,0,0,0\n1,0,0,0,0,0,0,0\n", "pose 2 has a quaternion of zero length"),
        ("0,0,0,0\n0,1,0,0\n", "pose 2 is at 0 s, not after 0 s"),
        ("time,x,y,z\n1,0,0,0\n0,0,0,1\n", "pose 2 is at 0 s, not after 1 s; sort the poses"),
        (
            '{"unit": "furlong", "poses": [[0, 0, 0, 0], [1, 0, 0, 0]]}',
            "path.csv: unit: 'furlong' is not a unit of length",
        ),
        ("[[0, 0, 0", "is no JSON (line 1"),
        ('{"steps": []}', 'expected a list of poses, or an object with "poses"'),
    ],
)
def test_a_bad_path_is_a_sentence_and_exit_code_2(capsys, files, text, message):
    die, rows, wall = files
    rows.write_text(text)
    code, out, err = run(capsys, die, rows, wall)
    assert (code, out) == (2, "") and message in err


def test_a_missing_file_is_a_sentence(capsys, files, tmp_path):
    code, _, err = run(capsys, files[0], tmp_path / "none.csv", files[2])
    assert code == 2 and "none.csv: there is no such file; check the spelling" in err


@pytest.mark.parametrize(("span", "expected"), [((0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]), ((0.0, 0.0), None)])
def test_ticks_are_round_numbers(span, expected):
    found = ticks(*span)
    assert found == pytest.approx(expected) if expected else found[0] == 0.0 and len(found) > 2
