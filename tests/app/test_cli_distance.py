"""`abut distance`: what it prints, its exit codes, and that a mistake is a sentence."""

import json

import pytest

from app.commands import run
from geometry.part_files import write_obj
from geometry.shapes import cube


@pytest.fixture
def block(tmp_path):
    path = tmp_path / "block.obj"
    write_obj(path, *cube(size=(0.1, 0.2, 0.3)))
    return path


def test_two_parts_apart_are_described_with_points_and_features(capsys, block):
    code, out, err = run(capsys, "distance", block, block, "--pose", "0.35 0 0")
    assert (code, err) == (0, "")
    assert out.startswith("250 mm apart") and "  A: " in out and "  B: " in out


def test_json_has_stable_keys_and_a_turned_pose_counts(capsys, block):
    code, out, _ = run(
        capsys, "distance", block, block, "--pose", "0.35,0,0,0.7071067811865476,0,0,0.7071067811865476", "--json"
    )
    document = json.loads(out)
    assert code == 0 and document["distance_m"] == pytest.approx(0.05) and document["exact"]
    keys = "a b distance_m lower_m upper_m exact point_a_m point_b_m feature_a feature_b"
    assert list(document) == keys.split() and list(document["feature_a"]) == ["kind", "index"]


def test_parts_that_meet_give_exit_code_1(capsys, block):
    assert run(capsys, "distance", block, block, "--pose", "0.05 0.01 0.02")[0] == 1


def test_a_budget_gives_bounds(capsys, block):
    code, out, _ = run(capsys, "distance", block, block, "--pose", "0.35 0 0", "--budget-ms", 0, "--json")
    document = json.loads(out)
    assert code == 0 and document["lower_m"] <= 0.25 <= document["upper_m"] + 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pose", "1 2"), "abut: --pose: expected 'x y z' or 'x y z qw qx qy qz', got '1 2'"),
        (("--pose", "a b c"), "abut: --pose: expected 'x y z'"),
        (("--pose", "0 0 0 0 0 0 0"), "--pose: quat_wxyz: a quaternion of zero length is no rotation"),
        (("--pose", "0 0 nan"), "--pose: expected 'x y z'"),
        (("--budget-ms", "-1"), "--budget-ms: expected a number not smaller than 0, got -1"),
    ],
)
def test_a_mistake_is_a_sentence(capsys, block, options, message):
    code, out, err = run(capsys, "distance", block, block, *options)
    assert (code, out) == (2, "") and message in err and "Traceback" not in err
