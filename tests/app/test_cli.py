"""The command line: what it prints, its exit codes, and that a mistake is a sentence."""

import json
import subprocess
import sys

import numpy as np
import pytest
import typer.main

from abut.app import cli
from app.commands import run
from geometry.part_files import assembly, write_obj
from geometry.shapes import cube

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "cube.obj"
    write_obj(path, *cube(size=(0.1, 0.2, 0.3)))
    return path


@pytest.fixture
def leaking(tmp_path):
    path = tmp_path / "open.obj"
    vertices, faces = cube()
    write_obj(path, vertices, faces[1:])
    return path


def test_a_sound_part_is_described_in_a_table(capsys, sound):
    code, out, err = run(capsys, "check", sound, "--density", 1000)
    assert (code, err) == (0, "")
    for text in ("sound", "100 mm x 200 mm x 300 mm", "0.006 m^3", "6 kg", "12 convex", "6 plane faces"):
        assert text in out


def test_problems_are_listed_with_their_place_and_exit_code_1(capsys, leaking):
    code, out, err = run(capsys, "check", leaking)
    assert (code, err) == (1, "")
    assert "not a sound solid" in out and "4 open edges in a closed loop" in " ".join(out.split())


def test_a_part_with_problems_comes_with_advice_until_it_was_followed(capsys, sound, leaking):
    assert "--repair heals what it can" in run(capsys, "check", leaking)[1]
    assert "--repair" not in run(capsys, "check", leaking, "--repair")[1]
    assert "--repair" not in run(capsys, "check", sound)[1]


def test_without_a_command_help_is_all_that_is_printed(capsys):
    code, out, err = run(capsys)
    assert code == 2 and "warmup" in out + err and "abut: " not in err


def test_help_shows_the_units(capsys):
    _, out, _ = run(capsys, "check", "--help")
    text = " ".join(out.replace("│", " ").split())
    assert "in metres" in text and "in kg/m^3" in text and "[FILE...]" not in text


def commands():
    """Every command by its name, and what the command line knows of it."""
    return dict(typer.main.get_command(cli.app).commands)


@pytest.mark.parametrize("name", commands())
def test_help_is_printed_as_it_was_written(capsys, name):
    """What stands in brackets or between colons was taken for a style or an emoji: [m], [data], A:B:0.05mm."""
    _, out, _ = run(capsys, name, "--help")
    text, command = " ".join(out.split()), commands()[name]
    written = [command.help, *(param.help for param in command.params)]
    assert len(written) >= 2 or name in ("schema", "warmup")
    for words in written:
        assert " ".join(words.split()) in text


def test_help_says_of_each_command_all_that_it_is_for(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run(capsys, "--help")
    assert "...\n" not in out.partition("\n")[2] and max(map(len, out.splitlines())) <= 60
    for name, command in commands().items():
        assert f"\n  {name} " in out and " ".join(command.help.partition("\n\n")[0].split()) in " ".join(out.split())


def test_the_package_runs_as_a_program():
    done = python("-m", "abut", "--version")
    assert done.stdout.startswith("abut 0.") and done.returncode == 0


def test_json_is_one_document_with_stable_keys(capsys, sound, leaking):
    code, out, _ = run(capsys, "check", sound, leaking, "--json", "--unit", "cm")
    document = json.loads(out)
    good, bad = document["files"]
    assert code == 1 and (good["exit_code"], bad["exit_code"]) == (0, 1)
    keys = "file exit_code format unit unit_from chord_tolerance_m chord_error_m free_form_faces notes parts"
    assert list(good) == keys.split()
    (part,) = good["parts"]
    assert part["size_m"] == pytest.approx([0.001, 0.002, 0.003]) and part["mass_kg"] == pytest.approx(7850 * 6e-9)
    assert (part["closed"], part["genus"], part["shells"], part["cavities"], part["faces"]) == (True, 0, 1, 0, 6)
    assert part["edges"] == {"flat": 6, "convex": 12, "concave": 0, "boundary": 0, "non_manifold": 0}
    (problem,) = bad["parts"][0]["problems"]
    assert problem["kind"] == "open edges" and len(problem["where_m"]) == 4 and bad["parts"][0]["volume_m3"] is None


def test_an_assembly_lists_each_shape_once_with_its_places(capsys, tmp_path):
    assembly()[0].export(tmp_path / "two.glb")
    _, out, _ = run(capsys, "check", tmp_path / "two.glb", "--json")
    (part,) = json.loads(out)["files"][0]["parts"]
    assert [instance["name"] for instance in part["instances"]] == ["arm", "frame"]


def test_repair_says_what_it_did(capsys, tmp_path):
    path = tmp_path / "loose.obj"
    box = trimesh.creation.box()
    soup = box.triangles.reshape(-1, 3) + (np.arange(108).reshape(-1, 3) % 7) * 1e-8
    write_obj(path, soup, [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(12)])
    assert run(capsys, "check", path)[0] == 1
    code, out, _ = run(capsys, "check", path, "--repair", "--json")
    repair = json.loads(out)["files"][0]["parts"][0]["repair"]
    assert code == 0 and repair["welded_vertices"] > 0 and 0 < repair["largest_move"] < 2e-7


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(["nothing.stl"], "nothing.stl: there is no such file", id="missing file"),
        pytest.param(["."], "is a folder, expected a file", id="folder"),
        pytest.param(["{sound}", "--unit", "furlong"], "'furlong' is not a unit of length", id="unknown unit"),
        pytest.param(["{sound}", "--density", "-1"], "--density: expected a number greater than 0", id="density"),
        pytest.param(["{sound}", "--tolerance", "0"], "--tolerance: expected a number greater", id="tolerance"),
        pytest.param(["{sound}", "--density", "heavy"], "'--density': expected a number; see", id="word for a number"),
        pytest.param(["{sound}", "--wrong"], "; see abut check --help", id="unknown option"),
        pytest.param([], "Missing argument 'FILE'; see abut check --help", id="no file"),
    ],
)
def test_a_mistake_is_one_sentence_on_stderr_and_exit_code_2(capsys, sound, arguments, sentence):
    code, out, err = run(capsys, "check", *(a.format(sound=sound) for a in arguments))
    assert (code, out) == (2, "") and sentence in err
    assert err.startswith("abut: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(["free_fal"], "(did you mean 'free_fall'?)", id="mistyped demonstration"),
        pytest.param(["nothing.toml"], "there is no such file or demonstration", id="missing scene"),
        pytest.param(["."], "is a folder; expected a scene file", id="folder"),
        pytest.param(["{sound}"], "abut play {sound} shows parts", id="part for a scene"),
        pytest.param(["free_fall", "--duration", "-1"], "--duration: expected a number greater than 0", id="no time"),
        pytest.param(["free_fall", "--duration", "nan"], "--duration: expected a finite number", id="nan"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_is_written(
    capsys, sound, tmp_path, monkeypatch, arguments, sentence
):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "run", *(a.format(sound=sound) for a in arguments))
    assert code == 2 and sentence.format(sound=sound) in err and err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_that_fails_before_its_first_step_leaves_nothing_in_the_way(capsys, tmp_path):
    scene, out = tmp_path / "scene.toml", tmp_path / "out"
    ball = '[bodies.{}]\nshape = "sphere"\nradius = 0.1\nposition = [{}, 0, 0]\n'
    scene.write_text("[world]\nduration = 2e-3\n" + ball.format("a", 0) + ball.format("b", 0.05))
    code, _, err = run(capsys, "run", scene, "--out", out)
    assert code == 2 and "'a' and 'b'" in err and "[[pairs]]" in err and not out.exists()
    scene.write_text(scene.read_text().replace("[0.05,", "[0.5,"))
    assert run(capsys, "run", scene, "--out", out)[0] == 0 and (out / "summary.json").is_file()


def test_one_bad_file_does_not_hide_the_others(capsys, sound):
    code, out, err = run(capsys, "check", sound, "nothing.stl", "--json")
    good, bad = json.loads(out)["files"]
    assert code == 2 and good["exit_code"] == 0 and bad["error"] in err


def test_a_missing_extra_is_a_sentence(capsys, tmp_path, monkeypatch):
    import importlib.util

    (tmp_path / "a.step").write_text("ISO-10303-21;\nEND-ISO-10303-21;\n")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code, _, err = run(capsys, "check", tmp_path / "a.step")
    assert code == 2 and "pip install 'abut[cad]'" in err


def test_interruption_is_quiet(capsys, sound, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("abut.app.check._check_file", interrupted)
    assert run(capsys, "check", sound) == (130, "", "abut: interrupted\n")


def python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, **options)


def test_help_and_version_do_not_start_the_compiler():
    for argument, text in (("--help", "check"), ("--version", "abut 0."), ("", "Usage")):
        program = (
            f"import sys; from abut.app import cli; code = cli.run({[argument] if argument else []!r})\n"
            "heavy = [m for m in ('numba', 'numpy', 'scipy', 'trimesh') if m in sys.modules]\nprint(heavy, code)"
        )
        done = python("-c", program)
        assert text in done.stdout and "[] " in done.stdout, done


def test_a_reader_that_leaves_early_gets_no_traceback():
    names = " ".join(f"nothing{i}.stl" for i in range(2000))  # more output than a pipe holds
    command = f"{sys.executable} -m abut.app.cli check {names} --json 2>&1 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "{\n" and done.stderr == ""
