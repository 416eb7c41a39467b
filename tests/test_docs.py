"""The pages keep their word: examples run and print what is shown, links lead somewhere, pictures are small."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

import abut
from step_file import write_step

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOST_WORDS = 45
"""In a sentence: one fact each, cases as a list, numbers as a table."""
PART_FILE = re.compile(r"""(?:load|load_assembly)\(\s*["']([\w./-]+)(?<!\.toml)["']""")
SCENE_FILE = re.compile(r"```toml\n# ([\w.-]+\.toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page):
    """Line, code and expected output (None where the page shows none) of each Python block."""
    text = page.read_text()
    blocks = [(text[: m.start()].count("\n") + 1, m[1], m[2]) for m in BLOCK.finditer(text)]
    following = [*blocks, (0, "", "")][1:]
    return [
        (line, code, shown if after == "output" else None)
        for (line, language, code), (_, after, shown) in zip(blocks, following, strict=True)
        if language == "python"
    ]


def write_part(path):
    """A bracket in the format that the name asks for."""
    bracket = abut.parts.l_bracket()
    if path.suffix == ".step":
        pytest.importorskip("OCP")
        write_step(path, [bracket])
    else:
        trimesh = pytest.importorskip("trimesh")
        trimesh.Trimesh(1e3 * bracket.vertices, bracket.triangles, process=False).export(path)


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.needs_jit
@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=name_of)
def test_examples_run_and_print_what_the_page_shows(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for name, text in SCENE_FILE.findall(page.read_text()):
        (tmp_path / name).write_text(text)
    for line, code, shown in examples(page):
        for name in PART_FILE.findall(code):
            write_part(tmp_path / name)
        exec(compile("\n" * line + code, str(page), "exec"), namespace)
        printed = capsys.readouterr().out
        assert shown is None or printed == shown, f"{name_of(page)}, line {line}"


def test_the_published_schema_is_that_of_scene_files():
    assert json.loads((ROOT / "docs/scene.schema.json").read_text()) == abut.scene.schema()


def test_the_reference_is_what_its_script_makes():
    """`make docs-api` writes it again."""
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs/make_api.py")
    make_api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_api)
    assert make_api.PAGE.read_text() == make_api.page()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_are_closed_and_say_what_they_are(page):
    fences = re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)
    assert all(fences[::2]) and not any(fences[1::2]), "every block begins with its language and ends"


def sentences(page):
    """Of a page's paragraphs and lists, without code, tables and headings."""
    text = BLOCK.sub("", page.read_text())
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(("|", "#")))
    for paragraph in re.split(r"\n\s*\n|\n\s*(?:\*|\d+\.) ", "\n".join(lines)):
        yield from re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split()))


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "api.md"], ids=name_of)
def test_no_sentence_has_to_be_read_twice(page):
    assert [sentence for sentence in sentences(page) if len(sentence.split()) > MOST_WORDS] == []


def test_every_picture_is_small_enough_to_fetch():
    for picture in (ROOT / "docs" / "pictures").glob("*.png"):
        assert picture.stat().st_size < 200_000, picture.name
