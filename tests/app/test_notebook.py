"""Worlds, parts, runs and clearances in a notebook: words, a picture, and a page over it that needs no network."""

import base64
import html
import io
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import abut
from abut import HalfSpace, Pose, Solid, World, clearance, recording, scenes

pytestmark = pytest.mark.needs_jit


def world():
    made = World()
    made.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    made.add_body(Solid.box((0.04, 0.04, 0.04)), "block <b>", pose=Pose((0.0, 0.0, 0.0201)))
    for _ in range(40):
        made.step()
    return made


def run(folder):
    scene = scenes.free_fall(height=2e-3)
    with recording(scene.world, folder) as recorder:
        for _ in range(30):
            recorder.step()
    return abut.Run(folder)


def report(name="block"):
    floor, block = Solid.box((0.2, 0.2, 0.02)), Solid.box((0.04, 0.04, 0.04))
    return clearance([("floor", floor, Pose()), (name, block, Pose((0.0, 0.0, 0.02)))])


THINGS = {
    "world": lambda folder: world(),
    "solid": lambda folder: abut.parts.l_bracket(),
    "run": lambda folder: run(folder / "run"),
    "clearance": lambda folder: report(),
}


@pytest.fixture(params=THINGS)
def thing(request, tmp_path):
    return THINGS[request.param](tmp_path)


def test_they_show_words_a_picture_and_a_page(thing):
    from PIL import Image

    bundle = thing._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html", "image/png"}
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))))
    assert picture.shape[:2] == (460, 720) and picture.std() > 5.0, "something is seen on it"
    page = bundle["text/html"]
    assert len(page) < 800_000 and page.index("<img") < page.index("<iframe"), "the picture lies below the page"
    assert not re.search(r"""(src|href)=["']?https?:""", html.unescape(page)), "nothing is loaded from elsewhere"
    assert bundle["text/plain"].startswith(type(thing).__name__)


def test_names_are_text_and_no_markup():
    bundle = report("block <b>")._repr_mimebundle_()
    assert "<td>block &lt;b&gt;</td>" in bundle["text/html"] and "<b>" not in bundle["text/html"]
    assert "overlapping" in bundle["text/html"] and "deep" not in bundle["text/plain"]


def test_a_world_of_nothing_but_a_floor_is_told_in_words():
    floor = World()
    floor.add_body(HalfSpace(), "floor", fixed=True)
    assert list(floor._repr_mimebundle_()) == ["text/plain"]


def test_what_is_empty_is_said_in_words():
    assert World()._repr_mimebundle_() == {"text/plain": "World(no bodies)"}
    nothing = Solid.box((0.1, 0.1, 0.1)) & Solid.box((0.1, 0.1, 0.1)).transformed(Pose((1.0, 0.0, 0.0)))
    assert list(nothing._repr_mimebundle_()) == ["text/plain"]


def test_who_shows_nothing_loads_nothing():
    code = "import sys, abut; abut.Solid, abut.World, abut.clearance; print([m for m in sys.modules if 'app' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "abut.app" not in found.stdout


def test_the_page_in_its_frame_shows_the_parts(thing, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{thing._repr_mimebundle_()['text/html']}")
    flags = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=[*flags, "--ignore-gpu-blocklist"])
        page = browser.new_context(offline=True).new_page()
        page.goto(file.as_uri())
        end = time.monotonic() + 60.0
        parts = []
        while time.monotonic() < end and not parts:
            frames = [frame for frame in page.frames if frame != page.main_frame]
            parts = (
                frames[0].evaluate("window.abut ? window.abut.state().parts.map(p => p.name) : []") if frames else []
            )
            time.sleep(0.2)
        browser.close()
    assert parts
