"""`abut clearance`: table, JSON, page, exit codes."""

import json
from pathlib import Path

import numpy as np
import pytest

from abut import Pose, Solid
from abut.app.clearance.document import schema
from app import commands

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def files(tmp_path):
    """Three boxes: the second a millimetre in the first, the third touching the second."""
    paths = []
    for name, x in (("plate", 0.0), ("pin", 0.099), ("cap", 0.199)):
        paths.append(tmp_path / f"{name}.obj")
        Solid.box(0.1, name=name).transformed(Pose((x, 0, 0))).save(paths[-1])
    return [str(path) for path in paths]


def run(capsys, *arguments):
    return commands.run(capsys, "clearance", *arguments)


TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}


def faults(value, rule, place):
    """Where a value departs from a schema, as far as that of these documents goes."""
    kinds = rule.get("type", [])
    kinds = tuple(np.ravel([kinds])) if kinds else ()
    if kinds and not any(isinstance(value, TYPES[kind]) for kind in kinds if kind != "boolean"):
        if not ("boolean" in kinds and isinstance(value, bool)):
            yield f"{place}: {value!r} is no {' or '.join(kinds)}"
        return
    if value not in rule.get("enum", [value]):
        yield f"{place}: {value!r} is none of {rule['enum']}"
    if isinstance(value, dict):
        yield from (f"{place}: {key} is missing" for key in rule["required"] if key not in value)
        yield from (f"{place}: {key} is not known" for key in value if key not in rule["properties"])
        for key in value.keys() & rule["properties"].keys():
            yield from faults(value[key], rule["properties"][key], f"{place}.{key}")
    if isinstance(value, list):
        if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
            yield f"{place}: {len(value)} items"
        for i, item in enumerate(value):
            yield from faults(item, rule["items"], f"{place}[{i}]")


def test_overlap_is_bad_news_and_touching_is_not(capsys, files):
    code, out, _ = run(capsys, *files, "--unit", "m")
    assert code == 1 and "overlapping" in out and "1 mm" in out and "touching" in out and "plate" in out
    assert "3 parts; pairs that overlap: 1, that touch: 1, that are free: 1" in out
    assert run(capsys, *files[1:], "--unit", "m")[0] == 0
    assert run(capsys, *files[1:], "--unit", "m", "--strict")[0] == 1


@pytest.mark.parametrize(
    ("pair", "code"),
    [("plate:pin", 0), ("pin:plate", 0), ("p*:p*", 0), ("plate:pin:2mm", 0), ("plate:pin:0.5mm", 1), ("plate:cap", 1)],
)
def test_a_drawn_press_fit_can_be_allowed(capsys, files, tmp_path, pair, code):
    assert run(capsys, *files, "--unit", "m", "--allow", pair)[0] == code
    expected = tmp_path / "expected.txt"
    expected.write_text(f"# press fits\n\n{pair}  # as drawn\n")
    assert run(capsys, *files, "--unit", "m", "--expected", str(expected))[0] == code


def test_a_mistyped_name_of_an_allowed_pair_is_told(capsys, files):
    code, _, err = run(capsys, *files, "--unit", "m", "--allow", "plate:pinn", "--allow", "cap:p*")
    assert code == 1 and err.splitlines() == [
        "abut: allowed pair 'plate:pinn': no part is called 'pinn' (did you mean 'pin'?)"
    ]


def test_the_document_follows_the_published_schema(capsys, files):
    code, out, _ = run(capsys, *files, "--unit", "m", "--json", "--allow", "plate:pin")
    found = json.loads(out)
    assert list(faults(found, schema(), "document")) == []
    del found["pairs"][1]["normal"]
    assert list(faults(found, schema(), "document")) == ["document.pairs[1]: normal is missing"]
    assert code == found["exit_code"] == 0 and found["parts"] == ["plate", "pin", "cap"] and found["farther"] == 1
    first = found["pairs"][0]
    assert (first["a"], first["b"], first["state"], first["allowed"]) == ("plate", "pin", "overlapping", True)
    assert first["depth"] == pytest.approx(1e-3) and first["volume"] == pytest.approx(1e-5)
    fields = "a b state distance lower upper depth depth_lower depth_upper nominal_gap volume point_a point_b feature_a"
    assert set(fields.split()) | {"feature_b", "normal"} <= set(first)


def test_the_schema_is_printed_and_is_the_one_in_the_docs(capsys):
    code, out, _ = run(capsys, "--schema")
    page = Path(__file__).parents[2] / "docs" / "clearance.schema.json"
    assert code == 0 and json.loads(out) == schema() == json.loads(page.read_text())


def test_the_page_holds_everything_and_needs_nothing(capsys, files, tmp_path):
    page = tmp_path / "out" / "page.html"
    assert run(capsys, *files, "--unit", "m", "--html", str(page))[0] == 1
    text = page.read_text("utf-8")
    assert text.count("data:image/png;base64,") == 2 and "http" not in text and "plate" in text and "1 mm deep" in text


def test_scene_files_and_selections(capsys, files, tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(
        f"[parts.box]\nfile = '{files[0]}'\nunit = 'm'\n[bodies.a]\npart = 'box'\nfixed = true\n"
        "[bodies.b]\npart = 'box'\nposition = [0.0, 0.0, 0.1005]\n"
        "[bodies.floor]\nshape = 'half_space'\noffset = -1.0\nfixed = true\n"
    )
    code, out, err = run(capsys, str(scene))
    assert code == 0 and "3 parts" in out and "0.5 mm" in out
    scene.write_text(scene.read_text().replace("offset = -1.0", "offset = -0.049"))
    page = tmp_path / "page.html"
    code, out, err = run(capsys, str(scene), "--html", str(page))
    assert code == 1 and "1 mm" in out and "HalfSpace" in out and page.read_text().count("data:image/png") == 2
    code, out, err = run(capsys, f"{files[0]}#nobody", "--unit", "m")
    assert code == 2 and "has no part called 'nobody'" in err


def test_what_cannot_be_used_is_named_and_the_rest_is_measured(capsys, files, tmp_path):
    code, out, err = run(capsys, *files, str(tmp_path / "missing.stl"), "--unit", "m", "--json")
    found = json.loads(out)
    assert code == found["exit_code"] == 2 and "missing.stl" in err and len(found["pairs"]) == 2
    assert found["unusable"][0]["file"].endswith("missing.stl")
    code, out, err = run(capsys, str(tmp_path / "missing.stl"))
    assert code == 2 and out == "" and "missing.stl" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "FILE: expected at least one, got none"),
        (["x.stl", "--within", "-1"], "--within: expected a number not smaller than 0"),
        (["x.stl", "--allow", "bolt"], "--allow: expected 'A:B' or 'A:B:0.05mm', two names or patterns, got 'bolt'"),
        (["x.stl", "--allow", "a:b:deep"], "--allow: expected a depth as '0.05mm' or '5e-5 m', got 'deep'"),
        (["x.stl", "--expected", "nowhere.txt"], "nowhere.txt: there is no such file"),
    ],
)
def test_mistakes_are_sentences(capsys, arguments, message):
    code, _, err = run(capsys, *arguments)
    assert code == 2 and message in err and "Traceback" not in err
